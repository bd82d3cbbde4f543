/**
 * Converts local dates without a time zone to UTC, in the zone that the caller of the reader assumes.
 *
 *   02:30 once               that time
 *   02:30 twice (back)       the first of the two; `doubt` is `twice`
 *   02:30 never (forward)    the offset before the change, as if the clock had not been changed yet; `doubt` is `never`
 *
 * A log has only one such date, the date of its beginning. Frames have the time since the beginning, so a clock change during the log
 * does not shift them.
 */
import { offsetsOf } from '#contract/base/zones.ts';

const DAY_MS = 86_400_000;

/** An assumed zone, and whether the local time of the beginning occurred twice or never in it. */
export interface LogZone {
  /** IANA time zone. */
  readonly name: string;
  readonly doubt: 'twice' | 'never' | null;
}

/** A local date that was converted with the assumed zone. */
interface WallTime {
  /** Microseconds since 1970. */
  readonly us: number;
  readonly zone: LogZone;
}

/** Converts a local date, which is given in microseconds as if it were UTC. */
export type WallClock = (wall_us: number) => WallTime;

/** Takes local dates as UTC. */
export const UTC_CLOCK: WallClock = (us) => ({ us, zone: { name: 'UTC', doubt: null } });

/** Creates the conversion for a zone; throws `RangeError` for an unknown zone. */
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
