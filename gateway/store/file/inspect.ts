/**
 * Inspects a database without changing it: finds damage and counts rows. This takes long, so a running gateway inspects in a separate
 * thread.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { quote } from '#store/sqlite/columns.ts';
import { damagedDocuments, tablesOf } from '#store/sqlite/find-damage.ts';
import { damagedMeta } from '#store/sqlite/meta-table.ts';
import { type DatabaseState, readDatabaseState } from './incarnation.ts';

export interface Inspection extends DatabaseState {
  /** Descriptions of the damage that was found; empty if the database is intact. */
  readonly damage: readonly string[];
  /** True if only documents are damaged, so that the store can serve the other documents. */
  readonly onlyDocuments: boolean;
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The largest number of errors that SQLite's check reports. */
const MAX_DAMAGE = 20;

/**
 * Inspects a file. Damage is part of the result; the function does not throw for it. With `quick` it does not compare indexes with rows, or
 * columns with documents.
 */
export function inspectFile(file: string, quick = false): Inspection {
  const nothing: Inspection = {
    damage: [],
    onlyDocuments: false,
    rows: {},
    incarnation: { number: 0, token: '' },
    seq: 0,
    at: null,
    losses: [],
    mended: null,
  };
  let database: DatabaseSync | undefined;
  try {
    database = openToRead(file);
    // Begin a read transaction, so that all checks see the same state while the gateway writes.
    database.exec('BEGIN');
    const found = database.prepare(`PRAGMA ${quick ? 'quick_check' : 'integrity_check'}(${MAX_DAMAGE})`).all();
    const damage = found.map((row) => String(Object.values(row)[0])).filter((verdict) => verdict !== 'ok');
    damage.push(...damagedMeta(database));
    if (damage.length > 0) return { ...nothing, damage };
    const documents = damagedDocuments(database, { columns: !quick });
    const standing = { rows: countRows(database), ...readDatabaseState(database) };
    return { damage: documents, onlyDocuments: documents.length > 0, ...standing };
  } catch (error) {
    return { ...nothing, damage: [error instanceof Error ? error.message : String(error)] };
  } finally {
    database?.close();
  }
}

/** Opens a file for reading. If no process has the file open, it is opened as immutable, so that SQLite creates no `-wal` file. */
export function openToRead(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.search = 'immutable=1';
  return new DatabaseSync(url, { readOnly: true, timeout: 5000 });
}

/** Returns the number of rows by table. Must be called inside a transaction, so that all numbers come from the same state. */
export function countRows(database: DatabaseSync, schema = 'main'): Record<string, number> {
  return Object.fromEntries(
    tablesOf(database, schema).map((name) => [
      name,
      Number(database.prepare(`SELECT count(*) AS n FROM ${schema}.${quote(name)}`).get()?.n),
    ]),
  );
}
