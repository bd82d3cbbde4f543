/** Microseconds since 1970, and what a time that a source tells is worth. */

/** Below this (2001-09-09) a time is a time since something, not a date. */
const FIRST_DATE_US = 1e15;
/** A source's clock this far ahead of the receiver's is wrong: its time is no date. */
export const AHEAD_US = 300_000_000;

/** A receiver's clock that goes back by less has not been set: its doors may hand over in another order than they took. */
export const STEP_US = 1_000_000;

/** A known time beyond the receiver's now is now. */
export function notBeyond(t_us: number, now_us: number): number {
  return t_us > now_us + STEP_US ? now_us : t_us;
}

/** ISO 8601 with milliseconds. */
export function isoTime(t_us: number): string {
  return new Date(Math.floor(t_us / 1000)).toISOString();
}

/** The time that an observation counts under: its own, unless that is ahead of the receiver's clock or no date at all. */
export function observedTime(t_us: number, received_us: number): number {
  return t_us >= FIRST_DATE_US && t_us <= received_us ? t_us : received_us;
}

/** True when the source's own time says when it was, to within what clocks differ by. */
export function isDated(t_us: number, received_us: number): boolean {
  return t_us >= FIRST_DATE_US && t_us <= received_us + AHEAD_US;
}
