/** How long an exchange waits after an error before it tries again. */

/** The first wait with an end that does not answer is at most this long, in milliseconds. */
export const FIRST_WAIT_MS = 1_000;
/** No wait with an end that does not answer is longer than this, in milliseconds. */
export const LONGEST_WAIT_MS = 300_000;

/** The waits after errors in a row. */
export class Retry {
  readonly #first_ms: number;
  readonly #longest_ms: number;
  #failures = 0;

  constructor(first_ms: number, longest_ms: number) {
    this.#first_ms = first_ms;
    this.#longest_ms = longest_ms;
  }

  /** True after an error, until something works. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Something arrived, so the next error is the first one again. */
  worked(): void {
    this.#failures = 0;
  }

  /** Notes an error. Returns a wait whose upper limit doubles with each error in a row. */
  failed(): number {
    const longest = Math.min(this.#longest_ms, this.#first_ms * 2 ** Math.min(20, this.#failures++));
    // The whole range is random, so that many sites do not come back at the same moment.
    return Math.random() * longest;
  }
}

/** Waits for some time, or until the signal. The wait does not keep the process alive. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref();
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
