/** Reads the Time/Date message of a control unit (J1939-71, PGN 65254). */

/** The parameter group number of the Time/Date message. */
export const TIME_DATE_PGN = 65_254;

const MINUTE_US = 60_000_000;
/** This raw value of the local hour offset means that the time is local time, with an unknown difference from UTC. */
const LOCAL_TIME = 250;

/** The time of a control unit. */
export interface TimeDate {
  /** Microseconds since 1970. */
  readonly t_us: number;
  /** True if the message states the offset from UTC to local time. By the standard, the time in the message is then UTC. */
  readonly isUtc: boolean;
}

/**
 * Reads the eight bytes of a Time/Date message at index `at`. Returns undefined if a field is not available or impossible, or if the
 * message says that its time is local time.
 */
export function readTimeDate(data: Uint8Array, at: number): TimeDate | undefined {
  const byte = (index: number) => data[at + index] as number;
  const [quarters, minute, hour, month, day4, year] = [0, 1, 2, 3, 4, 5].map(byte) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (quarters > 239 || minute > 59 || hour > 23 || month < 1 || month > 12 || year > 250) return undefined;
  // The resolution of the day is a quarter: the raw values 1 to 4 are the first day of the month.
  const day = Math.ceil(day4 / 4);
  if (day < 1 || day > 31) return undefined;
  const [minuteOffset, hourOffset] = [byte(6), byte(7)];
  if (hourOffset === LOCAL_TIME) return undefined;
  const date = Date.UTC(1985 + year, month - 1, day, hour, minute);
  // `Date.UTC` turns 30 February into a day of March.
  if (new Date(date).getUTCDate() !== day) return undefined;
  const isUtc = Math.abs(minuteOffset - 125) < 60 && Math.abs(hourOffset - 125) <= 24;
  return { t_us: date * 1_000 + quarters * 250_000, isUtc };
}

/** The largest difference between a local time and UTC, and the unit of these differences, in microseconds. */
const LARGEST_ZONE_US = 14 * 60 * MINUTE_US;
const ZONE_STEP_US = 15 * MINUTE_US;
const ZONE_SLACK_US = 2 * MINUTE_US;

/** True if a difference of two clocks looks like the difference of a local time from UTC: a multiple of 15 minutes, up to 14 hours. */
export function isZoneOffset(difference_us: number): boolean {
  const size = Math.abs(difference_us);
  const steps = Math.round(size / ZONE_STEP_US);
  return steps > 0 && size <= LARGEST_ZONE_US + ZONE_SLACK_US && Math.abs(size - steps * ZONE_STEP_US) <= ZONE_SLACK_US;
}
