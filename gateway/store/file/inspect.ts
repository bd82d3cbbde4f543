/** Looks into a database without changing it: is it sound, what does it hold. Long work; in a thread of its own beside a gateway. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { quote } from '#store/sqlite/columns.ts';
import { damagedDocuments, tablesOf } from '#store/sqlite/find-damage.ts';
import { damagedMeta } from '#store/sqlite/meta-table.ts';
import { type DatabaseState, readDatabaseState } from './incarnation.ts';

export interface Inspection extends DatabaseState {
  /** Empty when the database is sound; else what is wrong, a sentence each. */
  readonly damage: readonly string[];
  /** True when what is wrong is documents alone: the others can be served. */
  readonly onlyDocuments: boolean;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The most that is told of one database. */
const MAX_DAMAGE = 20;

/** Inspects a file, `quick` without comparing indexes and columns with what they are of; never throws for damage. */
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
    // one state of it, whatever is written meanwhile
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

/** Opens a file to read only; one that nobody has open is read without leaving a log beside it. */
function openToRead(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.search = 'immutable=1';
  return new DatabaseSync(url, { readOnly: true, timeout: 5000 });
}

/** Rows by table, as one transaction sees them. */
export function countRows(database: DatabaseSync): Record<string, number> {
  return Object.fromEntries(
    tablesOf(database).map((name) => [
      name,
      Number(database.prepare(`SELECT count(*) AS n FROM ${quote(name)}`).get()?.n),
    ]),
  );
}
