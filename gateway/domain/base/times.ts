/** Times in microseconds since 1970, and the checks of times that sources send. */

/** A smaller time, before 2001-09-09, is not a date: the source probably counts from its power-up. */
const FIRST_DATE_US = 1e15;
/**
 * If the time of a source is more than this ahead of the clock of the gateway, the clock of the source is wrong, and its time is not used.
 */
export const AHEAD_US = 300_000_000;

/**
 * If the receive time of a message is less than this before that of the previous message, the clock was not set back: messages may be
 * handled in another order than they were received.
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
 * Returns the time of an observation: the time that the source sent, or the receive time if the source sent no date or one in the future.
 */
export function observedTime(t_us: number, received_us: number): number {
  return t_us >= FIRST_DATE_US && t_us <= received_us ? t_us : received_us;
}

/** True if the source sent a date that is not too far ahead of the clock of the gateway. */
export function isDated(t_us: number, received_us: number): boolean {
  return t_us >= FIRST_DATE_US && t_us <= received_us + AHEAD_US;
}
