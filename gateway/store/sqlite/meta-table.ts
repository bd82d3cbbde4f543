/** The table `rx_meta`: single values of the database, such as the last sequence number, each with a checksum. */
import type { DatabaseSync } from 'node:sqlite';
import { checksumOf } from './checksum.ts';

/** SQL that writes a value. Parameters: key, value, checksum. */
export const META_PUT =
  'INSERT INTO main.rx_meta (key, value, sum) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value=excluded.value, sum=excluded.sum';

/**
 * SQL that reads the definitions of the gateway's tables. SQLite stores the definitions as text, which can be damaged like other values, so
 * they have a checksum too. Definitions of indexes need no checksum, because each open compares them with the expected text.
 */
export const SCHEMA = `SELECT name || ' ' || sql FROM main.sqlite_schema
  WHERE type='table' AND name IN (SELECT substr(key, 6) FROM main.rx_meta WHERE key GLOB 'sums *') ORDER BY name`;
/** Key in `rx_meta` of the checksum of the table definitions. */
export const SCHEMA_KEY = 'schema';

/** Returns the checksum of the rows that the query `SCHEMA` returns. */
export function schemaChecksum(rows: readonly (readonly unknown[])[]): number {
  return checksumOf(rows.map(([text]) => String(text)).join('\n'));
}

/** Returns the checksum of a value together with its key. */
export function metaChecksum(key: string, value: unknown): number {
  return checksumOf(`${key} ${typeof value} ${value}`);
}

/** Creates `rx_meta`. If a data folder of an earlier version has the table without checksums, adds them. */
export function prepareMeta(database: DatabaseSync): void {
  database.exec('CREATE TABLE IF NOT EXISTS rx_meta (key TEXT PRIMARY KEY, value, sum INTEGER) WITHOUT ROWID');
  if (!hasChecksums(database)) {
    database.exec('BEGIN IMMEDIATE; ALTER TABLE rx_meta ADD COLUMN sum INTEGER');
    const put = database.prepare(META_PUT);
    for (const [key, value] of valuesOf(database)) put.run(key, value, metaChecksum(key, value));
    database.exec('COMMIT');
  }
  // The value `open` has no checksum and is not checked, because other statements (`close` in connection.ts) change it without writing a
  // checksum.
  database.exec("INSERT OR IGNORE INTO rx_meta VALUES ('open', 0, NULL); UPDATE rx_meta SET sum=NULL WHERE key='open'");
}

/** Returns one text for each damaged value, and one text if the table definitions are damaged. */
export function damagedMeta(database: DatabaseSync): string[] {
  if (!hasChecksums(database)) return [];
  const values = valuesOf(database);
  const schema = values.find(([key]) => key === SCHEMA_KEY)?.[1];
  return [
    ...values
      .filter(([key, value, checksum]) => checksum !== null && checksum !== metaChecksum(key, value))
      .map(([key]) => `rx_meta: the value ${JSON.stringify(key)} differs from what was written`),
    ...(schema !== undefined && schema !== schemaChecksum(arraysOf(database, SCHEMA))
      ? ['sqlite_schema: a table definition differs from what was created']
      : []),
  ];
}

function hasChecksums(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info('rx_meta', 'main') WHERE name='sum'").get() !== undefined;
}

function valuesOf(database: DatabaseSync): [key: string, value: string | number, checksum?: number | null][] {
  return arraysOf(database, 'SELECT * FROM main.rx_meta') as [string, string | number, number | null][];
}

function arraysOf(database: DatabaseSync, sql: string): unknown[][] {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all() as unknown as unknown[][];
}
