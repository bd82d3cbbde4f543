/** Microseconds since 1970, and the two things done with them. */

/** ISO 8601 with milliseconds. */
export function isoTime(t_us: number): string {
  return new Date(Math.floor(t_us / 1000)).toISOString();
}

/** The time that an observation counts under: its own, unless that is ahead of the receiver's clock or no time at all. */
export function observedTime(t_us: number, received_us: number): number {
  return t_us >= 0 && t_us <= received_us ? t_us : received_us;
}
