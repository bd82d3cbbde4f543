/** Runs long work in slices with rests between them, so that it does not block the event loop. */

/** Length of a slice, in ms. */
const SLICE_MS = 2;
/** A shorter slice needs no rest. */
const SHORT_MS = 1;
/** The longest rest, in ms. */
const REST_MS = 20;

/**
 * Calls `done` after a rest as long as the slice took. An acknowledgement takes several turns of the event loop; without rests it
 * would wait for a slice in each of them.
 */
function afterRest(heldMs: number, done: () => void): void {
  if (heldMs < SHORT_MS) setImmediate(done);
  else setTimeout(done, Math.min(heldMs, REST_MS));
}

/** Creates a queue that runs one work at a time. After each work it rests for as long as the work took, at most 20 ms. */
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

/** The queue of all sliced work, so that only one slice runs at a time. */
const inTurn = createRestingQueue();

/** Runs steps to their end and returns their result. A slice takes 2 ms; after it the event loop rests for as long. */
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
