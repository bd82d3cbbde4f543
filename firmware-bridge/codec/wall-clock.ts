/**
 * Converts local dates without a time zone to UTC, in the zone that the caller of the reader assumes.
 *
 *   02:30 occurs once on this day            UTC has this time
 *   02:30 occurs twice (clock set back)      the first of the two; `doubt` is `twice`
 *   02:30 does not occur (clock set forward) the time with the UTC offset before the change; `doubt` is `never`
 *
 * A log has only one local date, the date of its start. The times of the frames count from this start, so they stay correct when the clocks
 * change to or from summer time during the recording.
 */
import { offsetsOf } from '#contract/base/zones.ts';

const DAY_MS = 86_400_000;

/**
 * A time zone that the reader has assumed. `doubt` is set when the local start time occurred twice or never in this zone, because of a
 * clock change.
 */
export interface LogZone {
  /** IANA time zone. */
  readonly name: string;
  readonly doubt: 'twice' | 'never' | null;
}

/** The result of a conversion: the time in UTC, and the zone that was assumed. */
interface WallTime {
  /** Microseconds since 1970. */
  readonly us: number;
  readonly zone: LogZone;
}

/** Converts a local date to UTC. `wall_us` is the local date in microseconds since 1970, computed as if it were UTC. */
export type WallClock = (wall_us: number) => WallTime;

/** A conversion that assumes the zone UTC, so it does not change the date. */
export const UTC_CLOCK: WallClock = (us) => ({ us, zone: { name: 'UTC', doubt: null } });

/** Creates the conversion for an IANA time zone; throws a `RangeError` for an unknown zone. */
export function createWallClock(timezone: string): WallClock {
  if (timezone === 'UTC') return UTC_CLOCK;
  const offsetAt = offsetsOf(timezone);
  return (wall_us) => {
    const wall = Math.floor(wall_us / 1000);
    const before = offsetAt(wall - DAY_MS);
    const moments = [...new Set([before, offsetAt(wall + DAY_MS)])]
      .map((offset) => ({ at: wall - offset, offset }))
      .filter(({ at, offset }) => offsetAt(at) === offset)
      .sort((a, b) => a.at - b.at);
    const [first] = moments;
    const doubt = first === undefined ? 'never' : moments.length > 1 ? 'twice' : null;
    return { us: wall_us - (first?.offset ?? before) * 1000, zone: { name: timezone, doubt } };
  };
}
