/**
 * Dates that name no zone: what a clock on a wall showed, as a moment. The zone is an assumption of whoever reads the log.
 *
 *   02:30 once               that moment
 *   02:30 twice (back)       the first of the two; told as `twice`
 *   02:30 never (forward)    by the offset before the change, as a clock shows it that nobody has set yet; told as `never`
 *
 * A log has one such date, its beginning; all that follows counts the time that passed since, so no change of the clocks on its way
 * moves anything.
 */
import { offsetsOf } from '#contract/base/zones.ts';

const DAY_MS = 86_400_000;

/** A zone that was assumed, and whether its clocks showed the beginning of the log twice, or never. */
export interface LogZone {
  /** Of the IANA table. */
  readonly name: string;
  readonly doubt: 'twice' | 'never' | null;
}

/** A date of a wall clock, read in the assumed zone. */
interface WallTime {
  /** Microseconds since 1970. */
  readonly us: number;
  readonly zone: LogZone;
}

/** Reads dates of a wall clock, given in microseconds as if they were UTC. */
export type WallClock = (wall_us: number) => WallTime;

/** A clock on UTC. */
export const UTC_CLOCK: WallClock = (us) => ({ us, zone: { name: 'UTC', doubt: null } });

/** A clock in the zone; throws `RangeError` for one that is unknown. */
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
