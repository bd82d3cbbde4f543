/** Work that would hold up the event loop, done in slices. */

/** How long a slice may take before others get their turn, in ms. */
const SLICE_MS = 8;

/** Lets everything that waits on the event loop go first. */
const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs steps until they end, with a pause whenever a slice is over; gives what they return. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() < until) continue;
    await othersFirst();
    until = performance.now() + SLICE_MS;
  }
}
