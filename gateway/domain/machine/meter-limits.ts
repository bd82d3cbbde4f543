/** Limits on how fast a meter can grow. A reading that rises faster is not applied until a second reading confirms it. */
import type { SignalName } from '#contract/base/signals.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';

/** The largest plausible rise of a meter, in its unit: `per_h` for each hour of wall time, plus the fixed tolerance `slack`. */
export interface MeterLimit {
  readonly per_h: number;
  readonly slack: number;
}

// An hour meter gains one hour per hour; 5 % allow for clock drift. The largest haul trucks burn about 500 L/h. Nothing on a site
// drives 200 km/h.
const HOURS: MeterLimit = { per_h: 1.05, slack: 1 };
const LITRES: MeterLimit = { per_h: 1_000, slack: 50 };

const LIMITS: Partial<Record<SignalName, MeterLimit>> = {
  'engine.hours': HOURS,
  'engine.idle_hours': HOURS,
  'engine.pto_hours': HOURS,
  'engine.fuel_used': LITRES,
  'engine.idle_fuel_used': LITRES,
  'vehicle.odometer': { per_h: 200, slack: 10 },
};

const HOUR_US = 3_600_000_000;

/** The resolution of a decoded meter by SPN, in the signal's unit. */
const RESOLUTION = new Map(PARAMETERS.map((row) => [row.spn, row.scale * row.factor]));

/** Returns the limit of a meter; undefined if the signal is not a meter. */
export function meterLimit(signal: SignalName): MeterLimit | undefined {
  return LIMITS[signal];
}

/** Returns the largest difference between two parameters that report the same meter: the coarser resolution of the two. */
export function stepOf(spn: number, other: number): number {
  return Math.max(RESOLUTION.get(spn) ?? 0, RESOLUTION.get(other) ?? 0);
}

/** A reading of a meter, with its time by the clock of the sender (`observed_us`) and by the clock of the gateway (`received_us`). */
export interface MeterReading {
  readonly value: number;
  readonly observed_us: number;
  readonly received_us: number;
}

/**
 * Returns true if a meter can have moved from the reading `before` to the reading `next`. The time between the readings is measured with
 * the clock of the sender and with the clock of the gateway, and the longer time is used. So a clock that was set back does not cause the
 * rejection of a valid reading.
 */
export function follows(limit: MeterLimit, before: MeterReading, next: MeterReading, tolerance: number): boolean {
  const rise = next.value - before.value;
  if (rise < 0) return rise >= -tolerance;
  const passed_us = Math.max(0, next.observed_us - before.observed_us, next.received_us - before.received_us);
  return rise <= limit.slack + tolerance + (limit.per_h * passed_us) / HOUR_US;
}
