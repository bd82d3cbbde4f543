/** Runs long work in slices with pauses between them, so that it does not block the event loop. */

/** Milliseconds of work after which a slice ends. */
const SLICE_MS = 2;
/** If the work took fewer milliseconds than this, no pause follows. */
const SHORT_MS = 1;
/** The longest pause after a slice, in ms. */
const REST_MS = 20;

/**
 * Calls `done` after a pause of `heldMs`, the time that the slice took. During the pause the gateway can handle messages of devices. The
 * acknowledgement of a message takes several turns of the event loop; without pauses it would wait for a slice in each of these turns.
 */
function afterRest(heldMs: number, done: () => void): void {
  if (heldMs < SHORT_MS) setImmediate(done);
  else setTimeout(done, Math.min(heldMs, REST_MS));
}

/** Creates a queue that runs one function at a time. After each function it pauses for as long as the function took, at most 20 ms. */
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

/** The one queue for all sliced work, so that only one slice runs at a time. */
const inTurn = createRestingQueue();

/**
 * Runs the steps of a generator to the end, in slices of 2 ms, and returns the result of the generator. After each slice all sliced work
 * pauses for as long as the slice took.
 */
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
