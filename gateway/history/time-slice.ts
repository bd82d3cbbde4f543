/** Lets other work run during a long read. */

/** After this time, in milliseconds, a read lets other work run. */
const SLICE_MS = 4;

/** The time since a read last let other work run. */
export class TimeSlice {
  #since = performance.now();

  /** Lets other work run if the slice is over. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since <= SLICE_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
