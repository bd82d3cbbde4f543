/** Documents that are not what was written: SQLite checks its own structure, not what we keep in it. */
import type { DatabaseSync } from 'node:sqlite';
import { quote } from './columns.ts';
import { sumOf } from './sum.ts';
import { SUMMED, sumsKey } from './sums.ts';

/** Rows read at once. */
const CHUNK = 500;

/** Names of a database's tables, without SQLite's own. */
export function tablesOf(database: DatabaseSync): string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return rowsOf(database, sql).map(([name]) => String(name));
}

interface Depth {
  /** Tables of more rows are left out. */
  readonly most?: number;
  /** Look whether a row's own columns are those of its document, too. */
  readonly columns?: boolean;
}

/** A sentence per table with documents that are not what was written. */
export function damagedDocuments(database: DatabaseSync, { most, columns = false }: Depth = {}): string[] {
  return tablesOf(database).flatMap((name) => {
    const { fields, summed } = layoutOf(database, name);
    if (fields === undefined || (most !== undefined && isLarger(database, name, most))) return [];
    const sql = `SELECT rowid, id, ${fields} FROM ${quote(name)} WHERE rowid>? ORDER BY rowid LIMIT ${CHUNK}`;
    const bad: string[] = [];
    for (let rows = rowsOf(database, sql, -1); ; rows = rowsOf(database, sql, Number(rows.at(-1)?.[0]))) {
      for (const [, id, ...row] of rows) if (!isWhole(row, summed, columns)) bad.push(String(id));
      if (rows.length < CHUNK) break;
    }
    const such = `${bad[0]}${bad.length > 1 ? ` and ${bad.length - 1} more` : ''}`;
    return bad.length === 0 ? [] : [`${name}: ${such} cannot be read or is not what was written`];
  });
}

/** How the rows of a table are read; no fields where it holds no documents. */
function layoutOf(database: DatabaseSync, name: string): { fields: string | undefined; summed: boolean } {
  const types = new Map(rowsOf(database, 'SELECT name, type FROM pragma_table_info(?)', name) as [string, string][]);
  if (types.get('data') !== 'TEXT') return { fields: undefined, summed: false };
  const [state] = rowsOf(database, 'SELECT value FROM rx_meta WHERE key=?', sumsKey(name));
  return { fields: `data, ${types.has('sum') ? 'sum' : 'NULL'}, rev, del`, summed: state?.[0] === SUMMED };
}

function isLarger(database: DatabaseSync, name: string, most: number): boolean {
  const [row] = rowsOf(database, `SELECT count(*) FROM (SELECT 1 FROM ${quote(name)} LIMIT ${most + 1})`);
  return Number(row?.[0]) > most;
}

function isWhole([data, sum, rev, del]: unknown[], summed: boolean, columns: boolean): boolean {
  const text = String(data);
  if (sum === null ? summed : sum !== sumOf(text)) return false;
  if (sum !== null && !columns) return true;
  try {
    const document = JSON.parse(text) as { readonly _rev: unknown; readonly _deleted: unknown };
    return !columns || (document._rev === rev && Number(document._deleted) === del);
  } catch {
    return false;
  }
}

function rowsOf(database: DatabaseSync, sql: string, ...values: (string | number)[]): unknown[][] {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all(...values) as unknown as unknown[][];
}
