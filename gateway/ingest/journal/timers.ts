/** The timers of the journal and the fold; the simulator of the tests implements them too. */

/** Cancels a call that was not made yet. */
export type Cancel = () => void;

export interface Timers {
  /** Calls once after this time. */
  after(ms: number, call: () => void): Cancel;
  /** Calls once after the I/O of this turn. */
  soon(call: () => void): Cancel;
  /** Calls at this interval. */
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
