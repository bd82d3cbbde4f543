/**
 * Reads the statements of the code of transactions. They are those of SQLite in a simple form, which is a part of its language; any other
 * statement is refused by name:
 *
 *   SELECT columns | 1 | COUNT(*) FROM table [INDEXED BY index] [WHERE condition] [ORDER BY columns | rowid] [LIMIT value]
 *   INSERT [OR IGNORE | OR REPLACE] INTO table [(columns)] VALUES (values) [ON CONFLICT DO UPDATE SET column=excluded.column, ...]
 *   UPDATE table SET column=value, ... WHERE condition
 *   DELETE FROM table WHERE condition
 *
 * A condition has comparisons of a column with a value, IN with a list, AND, OR and brackets. A value is `?`, a number or a text. Four more
 * rules keep what `workspace.ts` and `loader.ts` can read from PostgreSQL:
 *
 *   UPDATE and DELETE need a condition, because they reach only rows that were read
 *   UPDATE sets no column of the key: the row would be another one
 *   INSERT that replaces or updates a row gives all of its key, and has `?` for each value, by which the old row is read
 *   IN has no `?`
 */
import { isEqual, type MemoryRow, primaryOf } from './memory-rows.ts';
import { SPECS, type TableSpec } from './tables.ts';
import type { Value } from './values.ts';

/** Returns a value of a statement from the values that its call gives. */
export type Source = (given: readonly Value[]) => Value;
type Test = (row: MemoryRow, given: readonly Value[]) => boolean;

export interface Where {
  /** Columns that must have these values. */
  readonly places: readonly number[];
  readonly values: readonly Source[];
  /** The values of the primary key, if the condition gives all of it. */
  readonly primary: readonly Source[] | undefined;
  /** What else must be true. */
  readonly test: Test | undefined;
}

export interface Select {
  readonly kind: 'select';
  readonly table: string;
  readonly where: Where;
  readonly counts: boolean;
  /** The columns of the result; undefined for NULL, and `one` for 1. */
  readonly columns: readonly (number | 'one' | undefined)[];
  readonly order: readonly number[];
  readonly limit: Source | undefined;
}

export interface Insert {
  readonly kind: 'insert';
  readonly table: string;
  readonly values: readonly (Source | undefined)[];
  readonly onConflict: 'fail' | 'ignore' | 'replace' | 'update';
  /** The columns that a row which is there takes from the new one. */
  readonly updated: readonly number[];
}

export interface Update {
  readonly kind: 'update';
  readonly table: string;
  readonly set: readonly (readonly [place: number, value: Source])[];
  readonly where: Where;
}

export interface Delete {
  readonly kind: 'delete';
  readonly table: string;
  readonly where: Where;
}

export type Statement = Select | Insert | Update | Delete;

const TOKEN = /"[^"]+"|'(?:[^']|'')*'|<=|>=|[=<>(),*?]|[\w.]+|\S/g;
const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** The order of types in SQLite: NULL, numbers, texts, bytes. */
function typeOrder(value: Value): number {
  if (value === null) return 0;
  return typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3;
}

const bytesOf = (value: Value): Uint8Array => (value instanceof Uint8Array ? value : Buffer.from(String(value)));

/** Compares values as SQLite does: by type, and texts by their bytes. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return typeOrder(a) - typeOrder(b) || (a === null ? 0 : Buffer.compare(bytesOf(a), bytesOf(b)));
}

/** A part of a condition. */
type Condition =
  | { readonly place: number; readonly equals: Source }
  | { readonly test: Test }
  | { readonly all: readonly Condition[] };

class Parser {
  readonly #sql: string;
  readonly #tokens: readonly string[];
  #at = 0;
  /** Number of `?` until here. */
  #given = 0;
  spec: TableSpec | undefined;

  constructor(sql: string) {
    this.#sql = sql;
    this.#tokens = sql.match(TOKEN) ?? [];
  }

  refuse(): Error {
    return new Error(`a transaction cannot run this statement: ${this.#sql}`);
  }

  get next(): string {
    return this.#tokens[this.#at] ?? '';
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  take(): string {
    if (this.isAtEnd) throw this.refuse();
    return this.#tokens[this.#at++] as string;
  }

  /** Takes these tokens if they are next. */
  has(...tokens: readonly string[]): boolean {
    if (!tokens.every((token, i) => this.#tokens[this.#at + i] === token)) return false;
    this.#at += tokens.length;
    return true;
  }

  must(...tokens: readonly string[]): void {
    if (!this.has(...tokens)) throw this.refuse();
  }

  list<T>(one: () => T): T[] {
    const all = [one()];
    while (this.has(',')) all.push(one());
    return all;
  }

  table(): string {
    const name = this.take().replaceAll('"', '');
    this.spec = SPECS.get(name);
    if (this.spec === undefined) throw this.refuse();
    return name;
  }

  place(token = this.take()): number {
    const name = token.replaceAll('"', '');
    const place = this.spec?.columns.findIndex(({ memory }) => memory === name) ?? -1;
    if (place < 0) throw this.refuse();
    return place;
  }

  source(): Source {
    if (this.has('?')) {
      const at = this.#given++;
      return (given) => given[at] as Value;
    }
    return this.literal();
  }

  literal(): Source {
    const token = this.take();
    const value = token.startsWith("'") ? token.slice(1, -1).replaceAll("''", "'") : Number(token);
    if (Number.isNaN(value)) throw this.refuse();
    return () => value;
  }

  condition(): Condition {
    const first = this.#and();
    if (this.next !== 'OR') return first;
    const tests = [testOf(first)];
    while (this.has('OR')) tests.push(testOf(this.#and()));
    return { test: (row, given) => tests.some((test) => test(row, given)) };
  }

  #and(): Condition {
    const all = [this.#one()];
    while (this.has('AND')) all.push(this.#one());
    return all.length === 1 ? (all[0] as Condition) : { all };
  }

  #one(): Condition {
    if (this.has('(')) {
      const inner = this.condition();
      this.must(')');
      return inner;
    }
    const place = this.place();
    if (this.has('IN', '(')) {
      const values = this.list(() => this.literal());
      this.must(')');
      return { test: (row, given) => values.some((value) => isSame(row[place], value(given))) };
    }
    if (this.has('=')) return { place, equals: this.source() };
    const holds = COMPARISONS[this.take()];
    if (holds === undefined) throw this.refuse();
    const value = this.source();
    return {
      test: (row, given) => {
        const [a, b] = [row[place] ?? null, value(given)];
        return a !== null && b !== null && holds(compareValues(a, b));
      },
    };
  }

  /** The condition of a statement that changes rows. */
  mustWhere(): Where {
    if (this.next !== 'WHERE') throw this.refuse();
    return this.where();
  }

  where(): Where {
    if (!this.has('WHERE')) return { places: [], values: [], primary: undefined, test: undefined };
    const condition = this.condition();
    const all = 'all' in condition ? condition.all : [condition];
    const equal = all.flatMap((one) => ('equals' in one ? [one] : []));
    const others = all.flatMap((one) => ('equals' in one ? [] : [testOf(one)]));
    const byPlace = new Map(equal.map(({ place, equals }) => [place, equals]));
    const primary = primaryOf(this.spec as TableSpec);
    const hasKey = primary.every((place) => byPlace.has(place));
    const rest = hasKey ? equal.filter(({ place }) => !primary.includes(place)).map(testOf) : [];
    const tests = [...others, ...rest];
    return {
      places: equal.map(({ place }) => place),
      values: equal.map(({ equals }) => equals),
      primary: hasKey ? primary.map((place) => byPlace.get(place) as Source) : undefined,
      test: tests.length === 0 ? undefined : (row, given) => tests.every((test) => test(row, given)),
    };
  }
}

/** Nothing equals NULL, as in SQL. */
const isSame = (a: Value | undefined, b: Value): boolean => a !== null && b !== null && isEqual(a, b);

function testOf(condition: Condition): Test {
  if ('test' in condition) return condition.test;
  if ('all' in condition) {
    const tests = condition.all.map(testOf);
    return (row, given) => tests.every((test) => test(row, given));
  }
  const { place, equals } = condition;
  return (row, given) => isSame(row[place], equals(given));
}

function parseSelect(parser: Parser): Select {
  const counts = parser.has('COUNT', '(', '*', ')');
  const names = counts ? [] : parser.list(() => parser.take());
  parser.must('FROM');
  const table = parser.table();
  const columns = names.map((name) => (name === '1' ? 'one' : name === 'NULL' ? undefined : parser.place(name)));
  if (parser.has('INDEXED', 'BY')) parser.take();
  const where = parser.where();
  const isSorted = parser.has('ORDER', 'BY') && !parser.has('rowid');
  const order = isSorted ? parser.list(() => parser.place()) : [];
  const limit = parser.has('LIMIT') ? parser.source() : undefined;
  return { kind: 'select', table, where, counts, columns, order, limit };
}

function parseInsert(parser: Parser): Insert {
  const mode = parser.has('OR', 'IGNORE') ? 'ignore' : parser.has('OR', 'REPLACE') ? 'replace' : 'fail';
  parser.must('INTO');
  const table = parser.table();
  const spec = parser.spec as TableSpec;
  const { columns: all, project } = spec;
  const key = primaryOf(spec);
  const isPartial = parser.has('(');
  const places = isPartial ? parser.list(() => parser.place()) : [...all.keys()];
  if (isPartial) parser.must(')');
  parser.must('VALUES', '(');
  let hasLiterals = false;
  const sources = parser.list(() => {
    if (parser.next !== '?') hasLiterals = true;
    return parser.source();
  });
  parser.must(')');
  if (sources.length !== places.length) throw parser.refuse();
  const byPlace = new Map(places.map((place, i) => [place, sources[i]]));
  const values = [...all.keys()].map((place) => byPlace.get(place));
  const isUpdate = parser.has('ON', 'CONFLICT', 'DO', 'UPDATE', 'SET');
  const isFindable = !hasLiterals && project.as === 'number' && key.every((place) => byPlace.has(place));
  if ((isUpdate || mode === 'replace') && !isFindable) throw parser.refuse();
  if (!isUpdate) return { kind: 'insert', table, values, onConflict: mode, updated: [] };
  const updated = parser.list(() => {
    const name = parser.take();
    parser.must('=', `excluded.${name}`);
    const place = parser.place(name);
    if (key.includes(place)) throw parser.refuse();
    return place;
  });
  return { kind: 'insert', table, values, onConflict: 'update', updated };
}

function parseUpdate(parser: Parser): Update {
  const table = parser.table();
  parser.must('SET');
  const key = primaryOf(parser.spec as TableSpec);
  const set = parser.list((): readonly [number, Source] => {
    const place = parser.place();
    if (key.includes(place)) throw parser.refuse();
    parser.must('=');
    return [place, parser.source()];
  });
  return { kind: 'update', table, set, where: parser.mustWhere() };
}

function parseAny(parser: Parser): Statement {
  if (parser.has('SELECT')) return parseSelect(parser);
  if (parser.has('INSERT')) return parseInsert(parser);
  if (parser.has('UPDATE')) return parseUpdate(parser);
  parser.must('DELETE', 'FROM');
  return { kind: 'delete', table: parser.table(), where: parser.mustWhere() };
}

/** Reads a statement. Throws if it has another form. */
export function parseStatement(sql: string): Statement {
  const parser = new Parser(sql);
  const statement = parseAny(parser);
  if (!parser.isAtEnd) throw parser.refuse();
  return statement;
}
