/**
 * What a fault ends that nobody can go on with: the process, the supervisor starts it again, the store has the state. Where only room
 * or the right to write is missing, that would help nobody yet: what can be read is served until it does ([Z5]).
 */

import { StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import type { Refusing } from '#host/resources.ts';

/** Faults of the store that pass without a hand on the gateway. */
const WAITS: { readonly [C in StoreErrorCode]?: Refusing } = { disk_full: 'full', read_only: 'read_only' };

/** Whether a fault ends the start, or the process. */
export interface Ending {
  /** A part can no longer be trusted. */
  readonly onFatal: (error: Error) => void;
  /** Every part runs: throws what was fatal before; from now on it ends the process. */
  started(): void;
}

/** `hold` calls back once the disk takes writes again. */
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
      const message = why === undefined ? 'the disk failed; this process ends' : 'the disk takes no writes';
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
