/**
 * Rows in memory: the tables of a workspace. A row is found by its primary key, or by the values of other columns with an index that the first
 * such search makes. Each change is noted, so that it can be undone, and so that the changed rows are known at the end.
 */
import { SPECS, type TableSpec } from './tables.ts';
import type { Value } from './values.ts';

export type MemoryRow = readonly Value[];

/** What happened to a row. */
export interface RowChange {
  readonly table: string;
  readonly operation: 'insert' | 'update' | 'delete';
  /**
   * The values by number of the column. insert: the complete row; update: what names the row, and the changed values; delete: the complete
   * old row. Undefined: not changed.
   */
  readonly values: readonly (Value | undefined)[];
}

/** The rows with equal values in some columns: by the text of these values, and then by their key. */
interface Index {
  readonly places: readonly number[];
  readonly groups: Map<string, Map<string, MemoryRow>>;
}

interface Noted {
  readonly table: MemoryTable;
  readonly key: string;
  readonly before: MemoryRow | undefined;
}

/** Returns a text that differs for each list of values. A text in it begins with its length, so that no two lists are confused. */
export function keyText(values: readonly (Value | undefined)[]): string {
  let text = '';
  for (const value of values) {
    if (typeof value === 'string') text += `${value.length}:${value}\n`;
    else if (value instanceof Uint8Array) text += `x${Buffer.from(value).toString('hex')}\n`;
    else text += `${value}\n`;
  }
  return text;
}

export function isEqual(a: Value | undefined, b: Value | undefined): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : a === b;
}

export class MemoryTable {
  readonly spec: TableSpec;
  /** The columns whose values together belong to one row. */
  readonly primary: readonly number[];
  readonly #rows = new Map<string, MemoryRow>();
  readonly #indexes = new Map<string, Index>();

  constructor(spec: TableSpec) {
    this.spec = spec;
    this.primary = primaryOf(spec);
  }

  keyOf(row: MemoryRow): string {
    return textOf(row, this.primary);
  }

  get(key: string): MemoryRow | undefined {
    return this.#rows.get(key);
  }

  /** Stores a row, or removes it. */
  set(key: string, row: MemoryRow | undefined): void {
    const before = this.#rows.get(key);
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
    for (const { places, groups } of this.#indexes.values()) {
      const text = row && textOf(row, places);
      const old = before && textOf(before, places);
      if (old !== undefined && old !== text) groups.get(old)?.delete(key);
      // A row that stays in its group keeps its place there.
      if (row !== undefined && text !== undefined) addTo(groups, text, key, row);
    }
  }

  /** The rows with these values in these columns, in any order. */
  where(places: readonly number[], values: readonly (Value | undefined)[]): Iterable<readonly [string, MemoryRow]> {
    if (places.length === 0) return this.#rows;
    const name = places.join();
    let index = this.#indexes.get(name);
    if (index === undefined) {
      index = { places, groups: new Map() };
      for (const [key, row] of this.#rows) addTo(index.groups, textOf(row, places), key, row);
      this.#indexes.set(name, index);
    }
    return index.groups.get(keyText(values)) ?? [];
  }

  clear(): void {
    this.#rows.clear();
    this.#indexes.clear();
  }
}

const textOf = (row: MemoryRow, places: readonly number[]): string => keyText(places.map((place) => row[place]));

function addTo(groups: Index['groups'], text: string, key: string, row: MemoryRow): void {
  const group = groups.get(text);
  if (group === undefined) groups.set(text, new Map([[key, row]]));
  else group.set(key, row);
}

const placesOf = ({ columns }: TableSpec, names: readonly string[]): number[] =>
  names.map((name) => columns.findIndex(({ memory }) => memory === name));

/** The columns that name a row in PostgreSQL. */
function namePlaces(spec: TableSpec): number[] {
  const { project, keys } = spec;
  return placesOf(spec, project.as === 'none' ? keys : [project.column, ...keys]);
}

/** The columns whose values together belong to one row. An id belongs to one document only, whatever its project. */
export const primaryOf = (spec: TableSpec): readonly number[] =>
  spec.project.as === 'text' ? placesOf(spec, spec.keys) : namePlaces(spec);

export class MemoryRows {
  readonly #tables = new Map([...SPECS].map(([name, spec]) => [name, new MemoryTable(spec)]));
  readonly #noted: Noted[] = [];

  table(name: string): MemoryTable {
    return this.#tables.get(name) as MemoryTable;
  }

  /** Stores a row, or removes it, and notes what was before. */
  change(table: MemoryTable, key: string, row: MemoryRow | undefined): void {
    this.#noted.push({ table, key, before: table.get(key) });
    table.set(key, row);
  }

  mark(): number {
    return this.#noted.length;
  }

  /** Undoes all changes since a mark. */
  undo(mark: number): void {
    for (const { table, key, before } of this.#noted.splice(mark).reverse()) table.set(key, before);
  }

  /** Returns how the rows differ from what was loaded. Several changes of one row are one. */
  changes(): RowChange[] {
    const seen = new Map<MemoryTable, Set<string>>();
    const changes: RowChange[] = [];
    for (const { table, key, before } of this.#noted) {
      const keys = seen.get(table) ?? new Set();
      seen.set(table, keys);
      if (keys.has(key)) continue;
      keys.add(key);
      changes.push(...changesOf(table, before, table.get(key)));
    }
    return changes;
  }

  clear(): void {
    this.#noted.length = 0;
    for (const table of this.#tables.values()) table.clear();
  }
}

function changesOf({ spec }: MemoryTable, before: MemoryRow | undefined, now: MemoryRow | undefined): RowChange[] {
  const table = spec.memory;
  const inserted = (values: MemoryRow): RowChange => ({ table, operation: 'insert', values });
  const deleted = (values: MemoryRow): RowChange => ({ table, operation: 'delete', values });
  if (now === undefined) return before === undefined ? [] : [deleted(before)];
  if (before === undefined) return [inserted(now)];
  const names = namePlaces(spec);
  // A document that moves to another project is another row of PostgreSQL.
  if (names.some((place) => before[place] !== now[place])) return [deleted(before), inserted(now)];
  const isChanged = now.map((value, place) => !isEqual(value, before[place]));
  if (!isChanged.includes(true)) return [];
  const values = now.map((value, place) => (isChanged[place] || names.includes(place) ? value : undefined));
  return [{ table, operation: 'update', values }];
}
