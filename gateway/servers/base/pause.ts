/** Work that would hold up the event loop, done in slices with rests between them. */

/** How long a slice may take before others get their turn, in ms. */
const SLICE_MS = 2;
/** A shorter slice needs no rest. */
const SHORT_MS = 1;
/** The longest rest, in ms. */
const REST_MS = 20;

/**
 * Calls `done` when the event loop has been left to others for as long as it was held: an acknowledgement takes several turns of the
 * loop, and would wait for a slice in each of them.
 */
function afterRest(heldMs: number, done: () => void): void {
  if (heldMs < SHORT_MS) setImmediate(done);
  else setTimeout(done, Math.min(heldMs, REST_MS));
}

/** Runs works one at a time; behind each there is a rest as long as the work took, at most 20 ms. */
export function createRestingQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return async (work) => {
    const free = last;
    let release = () => {};
    last = new Promise((resolve) => {
      release = resolve;
    });
    await free;
    const began = performance.now();
    try {
      return await work();
    } finally {
      afterRest(performance.now() - began, release);
    }
  };
}

/** All works in slices share it: however many there are, one slice runs at a time. */
const inTurn = createRestingQueue();

/** Runs steps until they end, and gives what they return. A slice takes 2 ms, and the event loop rests as long behind it. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const last = await inTurn(async () => {
      const began = performance.now();
      let step = steps.next();
      while (step.done !== true && performance.now() - began < SLICE_MS) step = steps.next();
      return step;
    });
    if (last.done === true) return last.value;
  }
}
