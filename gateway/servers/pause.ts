/** Work that would hold up the event loop, done in slices. */

/** How long a slice may take before others get their turn, in ms. */
const SLICE_MS = 4;

/** Resolves when the slice before is over, of whatever work, and the event loop has turned since. */
let before: Promise<void> = Promise.resolve();

/** Runs steps until they end, in slices of which each turn of the event loop has one, however many works there are; gives what they return. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const free = before;
    let release = () => {};
    before = new Promise((resolve) => {
      release = resolve;
    });
    await free;
    try {
      for (const until = performance.now() + SLICE_MS; performance.now() < until; ) {
        const { done, value } = steps.next();
        if (done === true) return value;
      }
    } finally {
      setImmediate(release);
    }
  }
}
