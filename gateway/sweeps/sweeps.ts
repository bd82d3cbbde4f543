/**
 * Runs the periodic removals of receipts (stored answers of writes), tasks, abandoned uploads and unused files. If a removal fails, the
 * gateway logs the error and tries the removal again later.
 */
import { StoreError } from '#contract/base/store-error.ts';

/** One kind of removal. `what` is its name in the log if it fails. */
export interface Sweep {
  readonly what: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
  /** True for a removal that each process of a database does for itself, such as of files in its data folder. */
  readonly isOwn?: boolean;
}

/** Runs each removal at its interval, until the returned object is disposed. `isOurs`: this process does the work of all processes. */
export function startSweeps(
  sweeps: readonly Sweep[],
  isOurs: () => boolean,
  log: (level: 'error', message: string, data: object) => void,
): Disposable {
  let stopped = false;
  const timers = sweeps.map(({ what, everyMs, run, isOwn = false }) =>
    setInterval(() => {
      if (!isOwn && !isOurs()) return;
      run().catch((error: unknown) => {
        // A removal that still runs when the process stops fails because the store is closed, and one that runs when another process
        // takes the work over fails because of that. Neither is an error.
        const isLost = error instanceof StoreError && error.code === 'lease_lost';
        if (!stopped && !isLost) log('error', `${what} failed`, { error: String(error) });
      });
    }, everyMs),
  );
  return {
    [Symbol.dispose]() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}
