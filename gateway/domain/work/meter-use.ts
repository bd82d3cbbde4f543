/** Computes how fast a meter, such as the engine hours, grows: its growth per day, from the stored history of the last days. */

/** The values of a meter in one clock hour with at least one value. */
export interface MeterHour {
  /** Start of the hour in milliseconds since 1970. */
  readonly t_ms: number;
  readonly lowest: number;
  readonly last: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** If less time than this is known, the function computes no use, because a few hours say nothing about a usual day. */
export const LEAST_KNOWN_MS = DAY_MS;
/** Two readings that differ by at most this are the same: a control unit sends engine hours in steps of 0.05 h and distance in 0.125 km. */
const SAME = 0.13;

/** The growth of a meter in the time that is known. */
interface MeterUse {
  readonly per_day: number;
  readonly known_ms: number;
}

/**
 * Returns the growth of a meter per day, from its values by clock hour, the earliest first. Null if less than a day is known.
 *
 * An hour without a value is a gap. Growth in a gap never counts, and the time of a gap counts only if a meter of a control unit
 * (`counts_itself`) shows the same value before and after the gap: the machine then stood still. A meter that the gateway counts would also
 * show the same value if the machine had worked. An hour in which the meter falls, or rises faster than `most_per_h`, does not count.
 */
export function meterUse(
  hours: readonly MeterHour[],
  { counts_itself, most_per_h }: { readonly counts_itself: boolean; readonly most_per_h: number },
): MeterUse | null {
  let grown = 0;
  let known_ms = 0;
  let before: MeterHour | undefined;
  for (const hour of hours) {
    if (before !== undefined && hour.t_ms - before.t_ms > HOUR_MS) {
      const stood = counts_itself && Math.abs(hour.lowest - before.last) <= SAME;
      if (stood) known_ms += hour.t_ms - before.t_ms - HOUR_MS;
      before = undefined;
    }
    const growth = hour.last - (before?.last ?? hour.lowest);
    before = hour;
    if (growth < -SAME || growth > most_per_h + SAME) continue;
    grown += Math.max(0, growth);
    known_ms += HOUR_MS;
  }
  return known_ms < LEAST_KNOWN_MS ? null : { per_day: (grown * DAY_MS) / known_ms, known_ms };
}

/**
 * Returns how much a meter grew from the first to the last of these values, the earliest first; null without a value. Growth in a gap counts:
 * a meter of a control unit counts also while the gateway receives nothing. A step in which the meter falls, or rises faster than
 * `most_per_h`, does not count, because the control unit was replaced.
 */
export function meterGrowth(steps: readonly MeterHour[], most_per_h: number): number | null {
  let grown = 0;
  let before: MeterHour | undefined;
  for (const step of steps) {
    const growth = step.last - (before?.last ?? step.lowest);
    const passed_h = (before === undefined ? HOUR_MS : step.t_ms - before.t_ms + HOUR_MS) / HOUR_MS;
    before = step;
    if (growth > 0 && growth <= most_per_h * passed_h + SAME) grown += growth;
  }
  return before === undefined ? null : grown;
}
