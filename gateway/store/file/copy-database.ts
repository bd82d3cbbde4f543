/** A copy of a database that is in use: one state of it, made in small steps, inspected before it counts. */
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { syncFile, syncFolder } from '#store/base/durable.ts';
import { countRows, type Inspection, inspectFile } from './inspect.ts';

/** A step copies 1 MB, then the disk is left to others for a moment. */
const STEP_PAGES = 256;
const PAUSE_MS = 10;
/** So much may wait in the page cache: a sync of more would hold up those of the journal. */
const STEPS_PER_SYNC = 8;

/** A copy that is not sound; what it was made of may not be, either. */
export class UnsoundCopy extends Error {}

export interface Copied extends Inspection {
  readonly bytes: number;
}

/** Copies `source` to `target`, which is there whole and sound or not at all; blocks its thread, so not for a gateway's own. */
export async function copyDatabase(source: string, target: string): Promise<Copied> {
  const draft = `${target}.new`;
  for (const rest of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(rest, { force: true });
  const expected = await copyPages(source, draft);
  asOneFile(draft);
  const inspection = inspectFile(draft);
  if (inspection.damage.length > 0) {
    rmSync(draft, { force: true });
    throw new UnsoundCopy(`the copy is not sound: ${inspection.damage[0]}`);
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

/** Copies the pages of one state; returns the rows that it has by table. */
async function copyPages(source: string, draft: string): Promise<Record<string, number>> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
  let handle: number | undefined;
  try {
    // a transaction held open: without it every commit of the gateway would begin the copy anew
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

/** Without a log beside it, so that one file is all there is to keep. */
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
