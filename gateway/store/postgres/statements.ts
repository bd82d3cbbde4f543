/** Runs the statements of the code of transactions on the rows of a workspace. */
import type { MemoryRow, MemoryRows } from './memory-rows.ts';
import { keyText } from './memory-rows.ts';
import { compareValues, type Insert, type Select, type Statement, type Where } from './statement-parser.ts';
import type { Value } from './values.ts';

type Found = readonly (readonly [key: string, row: MemoryRow])[];

/** Returns the rows for which a condition is true. */
function find(rows: MemoryRows, name: string, where: Where, given: readonly Value[]): Found {
  const { places, values, primary, test } = where;
  const table = rows.table(name);
  if (primary !== undefined) {
    const key = keyText(primary.map((value) => value(given)));
    const row = table.get(key);
    return row !== undefined && (test === undefined || test(row, given)) ? [[key, row]] : [];
  }
  const wanted = values.map((value) => value(given));
  if (wanted.includes(null)) return [];
  const found = [...table.where(places, wanted)];
  return test === undefined ? found : found.filter(([, row]) => test(row, given));
}

/** Returns the rows of the result of a statement that reads. */
export function runSelect(rows: MemoryRows, statement: Select, given: readonly Value[]): MemoryRow[] {
  const { table, where, counts, columns, order, limit } = statement;
  let found = find(rows, table, where, given).map(([, row]) => row);
  if (counts) return [[found.length]];
  if (order.length > 0) found.sort((a, b) => compareRows(a, b, order));
  if (limit !== undefined) found = found.slice(0, Number(limit(given)));
  return found.map((row) => columns.map((place) => shownValue(row, place)));
}

function shownValue(row: MemoryRow, place: Select['columns'][number]): Value {
  if (place === undefined) return null;
  return place === 'one' ? 1 : (row[place] ?? null);
}

function compareRows(a: MemoryRow, b: MemoryRow, order: readonly number[]): number {
  for (const place of order) {
    const result = compareValues(a[place] ?? null, b[place] ?? null);
    if (result !== 0) return result;
  }
  return 0;
}

function runInsert(rows: MemoryRows, statement: Insert, given: readonly Value[]): number {
  const { values, onConflict, updated } = statement;
  const table = rows.table(statement.table);
  const row = values.map((value) => value?.(given) ?? null);
  const key = table.keyOf(row);
  const before = table.get(key);
  if (before === undefined) rows.change(table, key, row);
  else if (onConflict === 'update')
    rows.change(
      table,
      key,
      before.map((value, place) => (updated.includes(place) ? (row[place] ?? null) : value)),
    );
  else if (onConflict === 'replace') rows.change(table, key, row);
  else if (onConflict === 'fail') throw new Error(`a row of ${statement.table} with this key is there already`);
  else return 0;
  return 1;
}

/** Runs a statement that writes. Returns the number of changed rows. */
export function runWrite(rows: MemoryRows, statement: Exclude<Statement, Select>, given: readonly Value[]): number {
  if (statement.kind === 'insert') return runInsert(rows, statement, given);
  const table = rows.table(statement.table);
  const found = find(rows, statement.table, statement.where, given);
  for (const [key, row] of found) {
    if (statement.kind === 'delete') rows.change(table, key, undefined);
    else {
      const next = [...row];
      for (const [place, value] of statement.set) next[place] = value(given);
      rows.change(table, key, next);
    }
  }
  return found.length;
}
