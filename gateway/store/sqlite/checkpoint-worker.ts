/** The thread that runs checkpoints: for each message that it gets, it copies the pages of the WAL into the database file. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer } from './wal.ts';

const database = new DatabaseSync(String(workerData), { returnArrays: true, timeout: 0 });
// NORMAL: SQLite syncs the WAL before it copies pages, and the file afterwards (https://www.sqlite.org/pragma.html#pragma_synchronous)
database.exec('PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-256');
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', () => parentPort?.postMessage(answer()));

function answer(): CheckpointAnswer {
  try {
    const [, log, moved] = checkpoint.get() as unknown as number[];
    return { log: Number(log), moved: Number(moved) };
  } catch (error) {
    const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;
    return { failed: { message: String(error), errcode } };
  }
}
