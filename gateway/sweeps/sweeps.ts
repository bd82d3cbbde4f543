/** What is removed as time passes: receipts, tasks, uploads that ended nowhere, files that nothing names. A round that fails is told, and the next tries again. */

/** One kind of removal; `what` is said of a round that failed. */
export interface Sweep {
  readonly what: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/** Runs each of them in its time, until disposed. */
export function startSweeps(
  sweeps: readonly Sweep[],
  log: (level: 'error', message: string, data: object) => void,
): Disposable {
  const timers = sweeps.map(({ what, everyMs, run }) =>
    setInterval(() => {
      run().catch((error: unknown) => log('error', `${what} failed`, { error: String(error) }));
    }, everyMs),
  );
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
