/** Values that a database keeps beside its tables, each with a checksum of key and value. */
import type { DatabaseSync } from 'node:sqlite';
import { checksumOf } from './checksum.ts';

/** Writes a value: key, value, checksum. */
export const META_PUT =
  'INSERT INTO main.rx_meta (key, value, sum) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value=excluded.value, sum=excluded.sum';

/** What our tables are, as SQLite keeps it: text, which rots as other values do. Indexes are compared with what is wanted at each open. */
export const SCHEMA = `SELECT name || ' ' || sql FROM main.sqlite_schema
  WHERE type='table' AND name IN (SELECT substr(key, 6) FROM main.rx_meta WHERE key GLOB 'sums *') ORDER BY name`;
/** Key of the checksum of that. */
export const SCHEMA_KEY = 'schema';

/** The checksum of what `SCHEMA` gives. */
export function schemaChecksum(rows: readonly (readonly unknown[])[]): number {
  return checksumOf(rows.map(([text]) => String(text)).join('\n'));
}

/** The checksum of a value under its key. */
export function metaChecksum(key: string, value: unknown): number {
  return checksumOf(`${key} ${typeof value} ${value}`);
}

/** Creates the table, or gives that of an older folder its checksums. */
export function prepareMeta(database: DatabaseSync): void {
  database.exec('CREATE TABLE IF NOT EXISTS rx_meta (key TEXT PRIMARY KEY, value, sum INTEGER) WITHOUT ROWID');
  if (!hasChecksums(database)) {
    database.exec('BEGIN IMMEDIATE; ALTER TABLE rx_meta ADD COLUMN sum INTEGER');
    const put = database.prepare(META_PUT);
    for (const [key, value] of valuesOf(database)) put.run(key, value, metaChecksum(key, value));
    database.exec('COMMIT');
  }
  // changed by statements that know no checksum; without one it is not checked
  database.exec("INSERT OR IGNORE INTO rx_meta VALUES ('open', 0, NULL); UPDATE rx_meta SET sum=NULL WHERE key='open'");
}

/** A sentence per value, and one for the schema, that is not what was written. */
export function damagedMeta(database: DatabaseSync): string[] {
  if (!hasChecksums(database)) return [];
  const values = valuesOf(database);
  const schema = values.find(([key]) => key === SCHEMA_KEY)?.[1];
  return [
    ...values
      .filter(([key, value, checksum]) => checksum !== null && checksum !== metaChecksum(key, value))
      .map(([key]) => `rx_meta: the value ${JSON.stringify(key)} is not what was written`),
    ...(schema !== undefined && schema !== schemaChecksum(arraysOf(database, SCHEMA))
      ? ['sqlite_schema: a table is not what was made']
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
