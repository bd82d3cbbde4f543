/** Runs the periodic removals: receipts, tasks, abandoned uploads and unused files. A failed run is logged, and the next one tries again. */

/** One kind of removal; `what` names it in the log when it fails. */
export interface Sweep {
  readonly what: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/** Runs each removal at its interval until disposed. */
export function startSweeps(
  sweeps: readonly Sweep[],
  log: (level: 'error', message: string, data: object) => void,
): Disposable {
  let stopped = false;
  const timers = sweeps.map(({ what, everyMs, run }) =>
    setInterval(() => {
      run().catch((error: unknown) => {
        // A removal that still runs at the end of the process fails, because the store closes.
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
