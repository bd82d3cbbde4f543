/** Waiting in tests: for something that comes, never for time alone. */

/** For a machine that is slow; what holds at all holds within milliseconds. */
const PATIENCE_S = 120;
/** Time between two looks: at first short, then a twentieth of the time that it waits already, because each look takes processor time. */
const [SHORTEST_TICK_MS, LONGEST_TICK_MS, TICK_SHARE] = [5, 50, 0.05];
// As they were before a test stopped the timers of the process.
const { setTimeout: later, clearTimeout: forget } = globalThis;

/**
 * Waits until something holds; after two minutes it fails and says what it waited for, by default in the words of the condition itself. A
 * condition that asks a gateway has a longer `tick_ms` if it always takes seconds.
 */
export async function until(holds: () => unknown, what = String(holds), tick_ms = SHORTEST_TICK_MS): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    const waited = performance.now() - start;
    if (waited > PATIENCE_S * 1000) throw new Error(`still not so after ${PATIENCE_S} s: ${what}`);
    const tick = Math.max(tick_ms, Math.min(waited * TICK_SHARE, LONGEST_TICK_MS));
    await new Promise((done) => later(done, tick));
  }
}

/** What the promise gives, or a failure after two minutes that says what did not come. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = later(() => reject(new Error(`still not there after ${PATIENCE_S} s: ${what}`)), PATIENCE_S * 1000);
  try {
    return await Promise.race([promise, late]);
  } finally {
    forget(timer);
  }
}
