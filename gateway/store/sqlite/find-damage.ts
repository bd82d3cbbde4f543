/** Documents that are not what was written: SQLite checks its own structure, not what we keep in it. */
import type { DatabaseSync } from 'node:sqlite';
import { ALL_CHECKSUMS, checksumOf, checksumsKey } from './checksum.ts';
import { type ColumnValue, pathOf, quote, readerOf } from './columns.ts';

/** Rows read at once. */
const CHUNK = 500;

/** Names of a database's tables, without SQLite's own. */
export function tablesOf(database: DatabaseSync): string[] {
  const sql = "SELECT name FROM main.sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return rowsOf(database, sql).map(([name]) => String(name));
}

interface Depth {
  /** Tables of more rows are left out. */
  readonly most?: number;
  /** Look whether a row's own columns are those of its document, too. */
  readonly columns?: boolean;
}

/** A sentence per table with documents that are not what was written. */
export function damagedDocuments(database: DatabaseSync, depth: Depth = {}): string[] {
  return tablesOf(database).flatMap((name) => {
    const [first, ...others] = damagedRows(database, name, depth);
    if (first === undefined) return [];
    const [row] = rowsOf(database, `SELECT id FROM main.${quote(name)} WHERE rowid=?`, first);
    const such = `${row?.[0]}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    return [`${name}: ${such} cannot be read or is not what was written`];
  });
}

/** Row numbers of a table whose documents are not what was written. */
export function damagedRows(database: DatabaseSync, name: string, { most, columns = false }: Depth): number[] {
  const types = new Map(
    rowsOf(database, "SELECT name, type FROM pragma_table_info(?, 'main')", name) as [string, string][],
  );
  if (types.get('data') !== 'TEXT' || (most !== undefined && isLarger(database, name, most))) return [];
  const [state] = rowsOf(database, 'SELECT value FROM main.rx_meta WHERE key=?', checksumsKey(name));
  const paths = columns ? indexedColumns(database, name) : [];
  const fields = ['rowid', 'data', types.has('sum') ? 'sum' : 'NULL', 'rev', 'del', ...paths.map(quote)].join(', ');
  const layout: Layout = {
    hasAllChecksums: state?.[0] === ALL_CHECKSUMS,
    readers: columns ? paths.map((plain) => readerOf(pathOf(plain) ?? '')) : undefined,
  };
  const sql = `SELECT ${fields} FROM main.${quote(name)} WHERE rowid>? ORDER BY rowid LIMIT ${CHUNK}`;
  const bad: number[] = [];
  for (let rows = rowsOf(database, sql, -1); ; rows = rowsOf(database, sql, Number(rows.at(-1)?.[0]))) {
    for (const [row, ...values] of rows) if (!isWhole(values, layout)) bad.push(Number(row));
    if (rows.length < CHUNK) return bad;
  }
}

/** Columns that an index searches: no others count. */
function indexedColumns(database: DatabaseSync, name: string): string[] {
  const sql = `SELECT DISTINCT c.name FROM pragma_index_list(?, 'main') i, pragma_index_info(i.name, 'main') c`;
  return rowsOf(database, sql, name)
    .map(([plain]) => String(plain))
    .filter((plain) => pathOf(plain) !== undefined);
}

interface Layout {
  /** Every row has a checksum. */
  readonly hasAllChecksums: boolean;
  /** What each column says by its document; undefined where that is not looked at. */
  readonly readers: readonly ((document: object) => ColumnValue)[] | undefined;
}

function isLarger(database: DatabaseSync, name: string, most: number): boolean {
  const [row] = rowsOf(database, `SELECT count(*) FROM (SELECT 1 FROM main.${quote(name)} LIMIT ${most + 1})`);
  return Number(row?.[0]) > most;
}

function isWhole([data, checksum, rev, del, ...columns]: unknown[], { hasAllChecksums, readers }: Layout): boolean {
  const text = String(data);
  if (checksum === null ? hasAllChecksums : checksum !== checksumOf(text)) return false;
  if (checksum !== null && readers === undefined) return true;
  try {
    const document = JSON.parse(text) as { readonly _rev: unknown; readonly _deleted: unknown };
    if (readers === undefined) return true;
    if (document._rev !== rev || Number(document._deleted) !== del) return false;
    return readers.every((read, i) => read(document) === columns[i]);
  } catch {
    return false;
  }
}

/** Rows as arrays, however the connection was opened. */
export function rowsOf(database: DatabaseSync, sql: string, ...values: (string | number)[]): unknown[][] {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all(...values) as unknown as unknown[][];
}
