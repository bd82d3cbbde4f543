/** Work on the database that continues while the open store is in use: checking a large file, and adding missing checksums. */
import type { Connection } from '#store/sqlite/connection.ts';
import type { Table } from '#store/sqlite/table.ts';
import { MAX_ROWS_PER_TRANSACTION } from '#store/sqlite/write-queue.ts';
import { inspectInBackground } from './background.ts';

/** A transaction that adds checksums counts as full, so the queue adds no other writes to it. */
const CHECKSUM_ROWS = MAX_ROWS_PER_TRANSACTION;
/** The pause between two transactions that add checksums. Other writes can run in this pause. */
const CHECKSUM_PAUSE_MS = 20;

export type Log = (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;

/**
 * Checks all pages of a file that was too large for a check at open. If it finds damage and a backup can replace the database, it stops the
 * store, and the next open recovers the database.
 */
export function checkInBackground(
  connection: Connection,
  log: Log | undefined,
): AsyncDisposable & { readonly running: () => boolean } {
  const stopping = new AbortController();
  let running = connection.unchecked;
  const work = async (): Promise<void> => {
    try {
      const { damage, onlyDocuments } = await inspectInBackground(connection.file, true, stopping.signal);
      if (damage[0] !== undefined && (!onlyDocuments || connection.canRecover)) {
        connection.markCorrupt(new Error(damage[0]));
        return;
      }
      connection.damage = damage;
      connection.unchecked = false;
      log?.('info', 'the database check has ended', { file: connection.file, damage });
    } catch (error) {
      if (!stopping.signal.aborted)
        log?.('warn', 'the database check failed; the next start tries again', { error: String(error) });
    } finally {
      running = false;
    }
  };
  const done = running ? work() : Promise.resolve();
  return {
    running: () => running,
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the store closes'));
      await done;
    },
  };
}

/** Adds checksums to the rows of a data folder of layout 1, whose rows had no checksums, while the store is in use. */
export function addMissingChecksums(
  connection: Connection,
  tables: readonly Table[],
  log: Log | undefined,
): AsyncDisposable {
  let stopped = false;
  const work = async (): Promise<void> => {
    for (const table of tables) {
      while (!stopped && !table.hasAllChecksums) {
        await connection.write({ rows: CHECKSUM_ROWS, run: () => table.addChecksums(connection) });
        await new Promise((resolve) => setTimeout(resolve, CHECKSUM_PAUSE_MS));
      }
    }
  };
  const done = work().catch((error: unknown) =>
    log?.('warn', 'some rows have no checksum yet; the next start continues', { error: String(error) }),
  );
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      await done;
    },
  };
}
