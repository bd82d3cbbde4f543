/**
 * Ends the process after a fatal fault, such as a failed sync. The supervisor then starts the process again, and the new process reads its
 * state from the store. While the disk is full or read-only, a restart does not help. So the process serves reads until the disk accepts
 * writes again, and then ends ([Z5]).
 */

import { StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import type { Refusing } from '#host/resources.ts';

/** Store errors whose cause can pass while the process runs, for example when somebody deletes files from a full disk. */
const WAITS: { readonly [C in StoreErrorCode]?: Refusing } = { disk_full: 'full', read_only: 'read_only' };

/** Handles fatal faults: a fault during the start makes the start fail, a later fault ends the process. */
export interface Ending {
  /** A part calls this after a fault that makes its state unreliable, for example after a failed sync. */
  readonly onFatal: (error: Error) => void;
  /** Call it when every part runs. Throws the last fatal fault of the start. From this call on, a fatal fault ends the process. */
  started(): void;
}

/** Creates the handler of fatal faults. `hold` keeps the process running for reads, and calls `end` when the disk accepts writes again. */
export function createEnding(
  log: (level: 'error', message: string, data: object) => void,
  hold: (why: Refusing, end: () => void) => void,
): Ending {
  let failed: Error | undefined;
  let hasStarted = false;
  const end = (error: Error): void => {
    setImmediate(() => {
      throw error;
    });
  };
  return {
    onFatal(error) {
      failed = error;
      if (!hasStarted) return;
      const why = error instanceof StoreError ? WAITS[error.code] : undefined;
      const message = why === undefined ? 'the disk failed; this process ends' : 'the disk accepts no writes';
      log('error', message, { error: error.message });
      if (why === undefined) end(error);
      else hold(why, () => end(error));
    },
    started() {
      if (failed !== undefined) throw failed;
      hasStarted = true;
    },
  };
}
