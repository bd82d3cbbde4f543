/** What a recording contains of the logger's own GNSS, for the report to a person. Its size does not depend on the recording. */
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { FIX_TYPES, GNSS, type GnssQuantity } from '#domain/gnss/frames.ts';

/** The least and the largest of some numbers. */
export interface Extent {
  least: number;
  most: number;
}

/** The clock of the logger minus GNSS time, in microseconds, at the times that the receiver had confirmed. */
export interface GnssClock {
  readings: number;
  readonly first_us: number;
  last_us: number;
  least_us: number;
  most_us: number;
}

/** Null stands for a quantity without a valid value. */
export interface GnssSummary {
  /** The number of frames by fix type. */
  readonly fix_types: number[];
  satellites: Extent | null;
  positions: number;
  accuracy_m: Extent | null;
  altitude_m: Extent | null;
  speeds: number;
  speed_kmh: Extent | null;
  headings: number;
  clock: GnssClock | null;
}

/** The summary of no frames. */
export function createGnssSummary(): GnssSummary {
  return {
    fix_types: new Array<number>(FIX_TYPES).fill(0),
    satellites: null,
    positions: 0,
    accuracy_m: null,
    altitude_m: null,
    speeds: 0,
    speed_kmh: null,
    headings: 0,
    clock: null,
  };
}

/** Adds a value. `hasClock` is true if its frame has a time by the clock of the logger. */
export function summarizeGnss(
  summary: GnssSummary,
  quantity: GnssQuantity,
  { value, t_us }: DecodedValue,
  hasClock: boolean,
): void {
  if (quantity === GNSS.fixType) summary.fix_types[value] = (summary.fix_types[value] ?? 0) + 1;
  else if (quantity === GNSS.satellites) summary.satellites = widen(summary.satellites, value);
  else if (quantity === GNSS.latitude) summary.positions++;
  else if (quantity === GNSS.accuracy) summary.accuracy_m = widen(summary.accuracy_m, value);
  else if (quantity === GNSS.altitude) summary.altitude_m = widen(summary.altitude_m, value);
  else if (quantity === GNSS.heading) summary.headings++;
  else if (quantity === GNSS.speed) {
    summary.speeds++;
    summary.speed_kmh = widen(summary.speed_kmh, value);
  } else if (quantity === GNSS.time && hasClock) summary.clock = compare(summary.clock, t_us - value);
}

function widen(extent: Extent | null, value: number): Extent {
  if (extent === null) return { least: value, most: value };
  if (value < extent.least) extent.least = value;
  if (value > extent.most) extent.most = value;
  return extent;
}

function compare(clock: GnssClock | null, ahead_us: number): GnssClock {
  if (clock === null)
    return { readings: 1, first_us: ahead_us, last_us: ahead_us, least_us: ahead_us, most_us: ahead_us };
  clock.readings++;
  clock.last_us = ahead_us;
  if (ahead_us < clock.least_us) clock.least_us = ahead_us;
  if (ahead_us > clock.most_us) clock.most_us = ahead_us;
  return clock;
}
