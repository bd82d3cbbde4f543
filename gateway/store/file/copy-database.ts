/** Copies a database that is in use. The copy has the state of one moment, is made in small steps, and is checked for damage. */
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { syncFile, syncFolder } from '#store/base/durable.ts';
import { countRows, type Inspection, inspectFile } from './inspect.ts';

/** A step copies 1 MB. After each step the thread pauses, so that other writers get the disk. */
const STEP_PAGES = 256;
const PAUSE_MS = 10;
/**
 * The copy is synced after this many steps. Syncing less often would write more bytes at once, and would delay the syncs of the journal.
 */
const STEPS_PER_SYNC = 8;

/** The error for a damaged copy. The database that was copied may be damaged too. */
export class UnsoundCopy extends Error {}

export interface Copied extends Inspection {
  readonly bytes: number;
}

/**
 * Copies `source` to `target`. Throws `UnsoundCopy` if the copy is damaged; `target` exists only after success. Blocks its thread, so the
 * gateway must call it in a worker.
 */
export async function copyDatabase(source: string, target: string): Promise<Copied> {
  const draft = `${target}.new`;
  for (const rest of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(rest, { force: true });
  const expected = await copyPages(source, draft);
  asOneFile(draft);
  const inspection = inspectFile(draft);
  if (inspection.damage.length > 0) {
    rmSync(draft, { force: true });
    throw new UnsoundCopy(`the copy is damaged: ${inspection.damage[0]}`);
  }
  for (const [table, rows] of Object.entries(expected)) {
    if (inspection.rows[table] === rows) continue;
    rmSync(draft, { force: true });
    throw new Error(`the copy has ${inspection.rows[table] ?? 0} of ${rows} rows of ${table}`);
  }
  syncFile(draft);
  renameSync(draft, target);
  syncFolder(dirname(target));
  return { ...inspection, bytes: statSync(target).size };
}

/** Copies the pages of one state of the database. Returns the number of rows of each table in that state. */
async function copyPages(source: string, draft: string): Promise<Record<string, number>> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
  let handle: number | undefined;
  try {
    // Keep a read transaction open during the copy. Without it, SQLite would restart the copy after every commit of the gateway.
    database.exec('BEGIN');
    const rows = countRows(database);
    let steps = 0;
    await backup(database, draft, {
      rate: STEP_PAGES,
      progress: () => {
        handle ??= openSync(draft, 'r+');
        if (++steps % STEPS_PER_SYNC === 0) fdatasyncSync(handle);
        pause(PAUSE_MS);
      },
    });
    return rows;
  } finally {
    if (handle !== undefined) closeSync(handle);
    database.close();
  }
}

/** Switches the copy off WAL mode, so that it is one file without a `-wal` file. */
function asOneFile(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode=DELETE');
  } finally {
    database.close();
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
