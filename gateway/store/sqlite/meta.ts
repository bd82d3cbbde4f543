/** Values that a database keeps beside its tables, each with a checksum of key and value. */
import type { DatabaseSync } from 'node:sqlite';
import { sumOf } from './sum.ts';

/** Writes a value: key, value, checksum. */
export const META_PUT =
  'INSERT INTO main.rx_meta (key, value, sum) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value=excluded.value, sum=excluded.sum';

/** The checksum of a value under its key. */
export function metaSum(key: string, value: unknown): number {
  return sumOf(`${key} ${typeof value} ${value}`);
}

/** Creates the table, or gives that of an older folder its checksums. */
export function prepareMeta(database: DatabaseSync): void {
  database.exec('CREATE TABLE IF NOT EXISTS rx_meta (key TEXT PRIMARY KEY, value, sum INTEGER) WITHOUT ROWID');
  if (!hasSums(database)) {
    database.exec('BEGIN IMMEDIATE; ALTER TABLE rx_meta ADD COLUMN sum INTEGER');
    const put = database.prepare(META_PUT);
    for (const [key, value] of valuesOf(database)) put.run(key, value, metaSum(key, value));
    database.exec('COMMIT');
  }
  // changed by statements that know no checksum; without one it is not checked
  database.exec("INSERT OR IGNORE INTO rx_meta VALUES ('open', 0, NULL); UPDATE rx_meta SET sum=NULL WHERE key='open'");
}

/** A sentence per value that is not what was written. */
export function damagedMeta(database: DatabaseSync): string[] {
  if (!hasSums(database)) return [];
  return valuesOf(database)
    .filter(([key, value, sum]) => sum !== null && sum !== metaSum(key, value))
    .map(([key]) => `rx_meta: the value ${JSON.stringify(key)} is not what was written`);
}

function hasSums(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info('rx_meta', 'main') WHERE name='sum'").get() !== undefined;
}

function valuesOf(database: DatabaseSync): [key: string, value: string | number, sum?: number | null][] {
  const statement = database.prepare('SELECT * FROM main.rx_meta');
  statement.setReturnArrays(true);
  return statement.all() as unknown as [string, string | number, number | null][];
}
