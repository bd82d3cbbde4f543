/** The interface to the timers that ingest uses; the simulator of the tests implements it too. */

/** Cancels a scheduled call. */
export type Cancel = () => void;

export interface Timers {
  /** Calls the function once, after this time in milliseconds. */
  after(ms: number, call: () => void): Cancel;
  /** Calls the function once, after the I/O callbacks of this turn of the event loop. */
  soon(call: () => void): Cancel;
  /** Calls the function at this interval in milliseconds. */
  every(ms: number, call: () => void): Cancel;
}

/** The timers of Node.js. */
export function nodeTimers(): Timers {
  return {
    after(ms, call) {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    soon(call) {
      const timer = setImmediate(call);
      return () => clearImmediate(timer);
    },
    every(ms, call) {
      const timer = setInterval(call, ms);
      return () => clearInterval(timer);
    },
  };
}
