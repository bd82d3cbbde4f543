/** Times in microseconds since 1970, and the checks of times that sources send. */

/** A smaller number (a time before 2001-09-09) is not a date: the source probably counts its time from its power-up. */
const FIRST_DATE_US = 1e15;
/**
 * If the time of a source is more than this ahead of the clock of the gateway, the clock of the source is wrong, and its time is not used.
 */
export const AHEAD_US = 300_000_000;

/**
 * A message may have an earlier receive time than the message that was handled before it. If the difference is less than this, the messages
 * were handled in another order than they were received. If it is more, the clock was set back.
 */
export const STEP_US = 1_000_000;

/** Returns a stored time, or now if the stored time is in the future because the clock was set back. */
export function notBeyond(t_us: number, now_us: number): number {
  return t_us > now_us + STEP_US ? now_us : t_us;
}

/** Formats a time as ISO 8601 with milliseconds. */
export function isoTime(t_us: number): string {
  return new Date(Math.floor(t_us / 1000)).toISOString();
}

/**
 * Returns the time of an observation. This is the time that the source sent. If the source sent no date or a date in the future, it is the
 * receive time.
 */
export function observedTime(t_us: number, received_us: number): number {
  return t_us >= FIRST_DATE_US && t_us <= received_us ? t_us : received_us;
}

/** True if the source sent a date that is not too far ahead of the clock of the gateway. */
export function isDated(t_us: number, received_us: number): boolean {
  return t_us >= FIRST_DATE_US && t_us <= received_us + AHEAD_US;
}
