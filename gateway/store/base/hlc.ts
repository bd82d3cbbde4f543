/** The hybrid logical clock of a node. It follows the wall time, but never goes back when the wall clock is set back. */

export interface HybridTime {
  /** The time in milliseconds since 1970. */
  readonly ms: number;
  /** A counter from 0 to 65,535 that distinguishes times in the same millisecond. */
  readonly counter: number;
}

const MAX_COUNTER = 0xffff;

/** Returns the next time after `last` that is not before `now` (milliseconds since 1970). */
export function nextTime(last: HybridTime, now: number): HybridTime {
  const ms = Math.floor(now);
  if (ms > last.ms) return { ms, counter: 0 };
  return last.counter < MAX_COUNTER ? { ms: last.ms, counter: last.counter + 1 } : { ms: last.ms + 1, counter: 0 };
}

/** Returns a time as text: 12 hex digits of milliseconds and 4 of the counter. Sorting these texts sorts them by time. */
export function formatTime(time: HybridTime): string {
  return time.ms.toString(16).padStart(12, '0') + time.counter.toString(16).padStart(4, '0');
}

/** Reads a time from its 16 hex digits. */
export function parseTime(text: string): HybridTime {
  return { ms: Number.parseInt(text.slice(0, 12), 16), counter: Number.parseInt(text.slice(12, 16), 16) };
}
