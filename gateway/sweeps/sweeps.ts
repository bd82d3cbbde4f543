/**
 * Runs the periodic removals of receipts (stored answers of writes), tasks, abandoned uploads and unused files. If a removal fails, the
 * gateway logs the error and tries the removal again later.
 */

/** One kind of removal. `what` is its name in the log if it fails. */
export interface Sweep {
  readonly what: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/** Runs each removal at its interval, until the returned object is disposed. */
export function startSweeps(
  sweeps: readonly Sweep[],
  log: (level: 'error', message: string, data: object) => void,
): Disposable {
  let stopped = false;
  const timers = sweeps.map(({ what, everyMs, run }) =>
    setInterval(() => {
      run().catch((error: unknown) => {
        // If a removal is still running when the process stops, it fails because the store is closed. This is not an error.
        if (!stopped) log('error', `${what} failed`, { error: String(error) });
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
