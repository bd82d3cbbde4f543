/**
 * Finds damaged documents: documents whose text or bytes differ from what was written. SQLite's own check covers the structure of the file
 * only.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ALL_CHECKSUMS, checksumOf, checksumsKey } from './checksum.ts';
import { type ColumnValue, pathOf, quote, readerOf } from './columns.ts';

/** Number of rows that one statement of the check reads. */
const CHUNK = 500;

/** Returns the names of the tables of a database, without the internal tables of SQLite and the tables that only a backup has. */
export function tablesOf(database: DatabaseSync, schema = 'main'): string[] {
  const sql = `SELECT name FROM ${schema}.sqlite_schema
    WHERE type='table' AND name NOT LIKE 'sqlite_%' AND name NOT GLOB 'backup_*' ORDER BY name`;
  return rowsOf(database, sql).map(([name]) => String(name));
}

/** Options of a check for damage. */
interface Depth {
  /** Tables with more rows than this are not checked; if it is absent, all tables are checked. */
  readonly most?: number;
  /** If true, the check also compares the columns of a row with the fields of its document. */
  readonly columns?: boolean;
}

/** Returns one text for each table with damaged documents. */
export function damagedDocuments(database: DatabaseSync, depth: Depth = {}): string[] {
  return tablesOf(database).flatMap((name) => {
    const [first, ...others] = damagedRows(database, name, depth);
    if (first === undefined) return [];
    const [row] = rowsOf(database, `SELECT id FROM main.${quote(name)} WHERE rowid=?`, first);
    const such = `${row?.[0]}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    return [`${name}: ${such} cannot be read or differs from what was written`];
  });
}

/** Returns the row numbers of the damaged documents of a table. */
export function damagedRows(database: DatabaseSync, name: string, { most, columns = false }: Depth): number[] {
  const types = new Map(
    rowsOf(database, "SELECT name, type FROM pragma_table_info(?, 'main')", name) as [string, string][],
  );
  if (types.get('data') !== 'TEXT' || (most !== undefined && isLarger(database, name, most))) return [];
  const [state] = rowsOf(database, 'SELECT value FROM main.rx_meta WHERE key=?', checksumsKey(name));
  const paths = columns ? indexedColumns(database, name) : [];
  const optional = ['sum', 'body'].map((column) => (types.has(column) ? column : 'NULL'));
  const fields = ['rowid', 'data', ...optional, 'rev', 'del', ...paths.map(quote)].join(', ');
  const layout: Layout = {
    hasAllChecksums: state?.[0] === ALL_CHECKSUMS,
    readers: columns ? paths.map((plain) => readerOf(pathOf(plain) ?? '')) : undefined,
  };
  const sql = `SELECT ${fields} FROM main.${quote(name)} WHERE rowid>? ORDER BY rowid LIMIT ${CHUNK}`;
  const bad: number[] = [];
  for (let rows = rowsOf(database, sql, -1); ; rows = rowsOf(database, sql, Number(rows.at(-1)?.[0]))) {
    for (const [row, ...values] of rows) if (!isIntact(values, layout)) bad.push(Number(row));
    if (rows.length < CHUNK) return bad;
  }
}

/** Returns the columns that an index uses. Other columns are not checked, because no query reads them. */
function indexedColumns(database: DatabaseSync, name: string): string[] {
  const sql = `SELECT DISTINCT c.name FROM pragma_index_list(?, 'main') i, pragma_index_info(i.name, 'main') c`;
  return rowsOf(database, sql, name)
    .map(([plain]) => String(plain))
    .filter((plain) => pathOf(plain) !== undefined);
}

interface Layout {
  /** True if every row has a checksum, so that a row without one is damaged. */
  readonly hasAllChecksums: boolean;
  /** Functions that read the value of each column from the document; undefined if columns are not checked. */
  readonly readers: readonly ((document: object) => ColumnValue)[] | undefined;
}

function isLarger(database: DatabaseSync, name: string, most: number): boolean {
  const [row] = rowsOf(database, `SELECT count(*) FROM (SELECT 1 FROM main.${quote(name)} LIMIT ${most + 1})`);
  return Number(row?.[0]) > most;
}

function isIntact(
  [data, checksum, body, rev, del, ...columns]: unknown[],
  { hasAllChecksums, readers }: Layout,
): boolean {
  const text = String(data);
  if (checksum === null ? hasAllChecksums : checksum !== checksumOf(text, body as Uint8Array | null)) return false;
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

/** Returns rows as arrays, also on a connection that was opened without `returnArrays`. */
export function rowsOf(database: DatabaseSync, sql: string, ...values: (string | number)[]): unknown[][] {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all(...values) as unknown as unknown[][];
}
