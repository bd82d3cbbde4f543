/** Times in microseconds since 1970, and the checks of times that sources send. */

/** A smaller time (before 2001-09-09) counts from the start of something and is not a date. */
const FIRST_DATE_US = 1e15;
/** A source whose clock is further ahead of the receiver is wrong: its time is not a date. */
export const AHEAD_US = 300_000_000;

/**
 * Smaller steps back are no change of the receiver's clock: listeners may pass messages on in another order than they
 * received them.
 */
export const STEP_US = 1_000_000;

/** Limits a known time to now. */
export function notBeyond(t_us: number, now_us: number): number {
  return t_us > now_us + STEP_US ? now_us : t_us;
}

/** ISO 8601 with milliseconds. */
export function isoTime(t_us: number): string {
  return new Date(Math.floor(t_us / 1000)).toISOString();
}

/** The time that counts for an observation: its own, or the receive time when its own is ahead or no date. */
export function observedTime(t_us: number, received_us: number): number {
  return t_us >= FIRST_DATE_US && t_us <= received_us ? t_us : received_us;
}

/** True when the source gave a date that is not ahead of the receiver's clock. */
export function isDated(t_us: number, received_us: number): boolean {
  return t_us >= FIRST_DATE_US && t_us <= received_us + AHEAD_US;
}
