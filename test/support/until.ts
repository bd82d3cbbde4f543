/** Waiting in tests: for something that comes, never for time alone. */

/** For a machine that is slow; what holds at all holds within milliseconds. */
const PATIENCE_S = 120;
const TICK_MS = 5;
// As they were before a test stopped the timers of the process.
const { setTimeout: later, clearTimeout: forget } = globalThis;

/**
 * Waits until something holds; after two minutes it fails and says what it waited for, by default in the words of the condition itself. A
 * condition that asks a gateway, and may take many seconds, has a longer `tick_ms`: a gateway answers 6,000 requests in a minute.
 */
export async function until(holds: () => unknown, what = String(holds), tick_ms = TICK_MS): Promise<void> {
  const late = performance.now() + PATIENCE_S * 1000;
  while (!(await holds())) {
    if (performance.now() > late) throw new Error(`still not so after ${PATIENCE_S} s: ${what}`);
    await new Promise((done) => later(done, tick_ms));
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
