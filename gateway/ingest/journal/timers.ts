/** What the journal and the fold ask of time to come: few calls, so that a simulator can stand in for it. */

/** Gives a call up that was not made yet. */
export type Cancel = () => void;

export interface Timers {
  /** Calls once after so many milliseconds. */
  after(ms: number, call: () => void): Cancel;
  /** Calls once after the I/O of this turn. */
  soon(call: () => void): Cancel;
  /** Calls every so many milliseconds. */
  every(ms: number, call: () => void): Cancel;
}

/** Node's own timers. */
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
