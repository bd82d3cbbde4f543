/** Summarizes the values of the logger's own GNSS receiver in a recording. The summary has a fixed size, however long the recording is. */
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { FIX_TYPES, GNSS, type GnssQuantity } from '#domain/gnss/frames.ts';

/** The smallest and the largest value of a quantity. */
export interface Extent {
  least: number;
  most: number;
}

/**
 * By how much the clock of the logger is ahead of GNSS time, in microseconds. Only times that the GNSS receiver marked as valid are
 * counted.
 */
export interface GnssClock {
  readings: number;
  readonly first_us: number;
  last_us: number;
  least_us: number;
  most_us: number;
}

/** The GNSS values of a recording, summarized. A field is null if its quantity had no valid value. */
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

/** Creates the summary of a recording from which no frame has been read yet. */
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

/** Adds a value to the summary. `hasClock` is true if the frame of the value has a time by the clock of the logger. */
export function summarizeGnss(
  summary: GnssSummary,
  quantity: GnssQuantity,
  { value, t_us }: Pick<DecodedValue, 'value' | 't_us'>,
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
