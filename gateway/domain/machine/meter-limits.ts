/** Limits on how fast a meter can grow. A reading that rises faster is not applied until a second reading confirms it. */
import type { SignalName } from '#contract/base/signals.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { largestValid } from '#domain/j1939/signals.ts';

/** The largest plausible rise of a meter, in its unit: `per_h` for each hour of wall time, plus the fixed tolerance `slack`. */
export interface MeterLimit {
  readonly per_h: number;
  readonly slack: number;
}

// The limits below come from real machines. An hour meter rises by one hour per hour, and 5 % more is allowed because clocks drift. The
// largest haul trucks burn about 500 L/h. No machine on a site drives 200 km/h.
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

/** The resolution of each decoded meter (its smallest possible step), by SPN, in the unit of the signal. */
const RESOLUTION = new Map(PARAMETERS.map((row) => [row.spn, row.scale * row.factor]));

/** Returns the limit of a meter; undefined if the signal is not a meter. */
export function meterLimit(signal: SignalName): MeterLimit | undefined {
  return LIMITS[signal];
}

/**
 * Two parameters may report the same meter with different resolutions. Returns the coarser of the two resolutions, because the two values
 * may differ by this much.
 */
export function stepOf(spn: number, other: number): number {
  return Math.max(RESOLUTION.get(spn) ?? 0, RESOLUTION.get(other) ?? 0);
}

/**
 * The numbers at which each 32-bit meter begins again at 0, by SPN, in the unit of the signal: after the largest valid number, or after all
 * bits.
 */
const RANGES = new Map(
  PARAMETERS.filter(({ bits }) => bits === 32).map((row) => [
    row.spn,
    [largestValid(row.bits) + 1, 2 ** row.bits].map((raw) => raw * row.scale * row.factor),
  ]),
);

/**
 * Returns the numbers at which the raw counter of a parameter may begin again at 0. On real machines only the fuel meter with the fine
 * resolution (SPN 5054, 0.001 L) reaches them, at about 4.2 million litres.
 */
export function rangesOf(spn: number): readonly number[] {
  return RANGES.get(spn) ?? [];
}

/** A reading of a meter, with its time by the clock of the sender (`observed_us`) and by the clock of the gateway (`received_us`). */
export interface MeterReading {
  readonly value: number;
  readonly observed_us: number;
  readonly received_us: number;
}

/**
 * Returns true if a meter can have moved from the reading `before` to the reading `next`. The function measures the time between the
 * readings with the clock of the sender and with the clock of the gateway, and uses the longer time. So it does not reject a valid reading
 * because one of the clocks was set back.
 */
export function follows(limit: MeterLimit, before: MeterReading, next: MeterReading, tolerance: number): boolean {
  const rise = next.value - before.value;
  if (rise < 0) return rise >= -tolerance;
  const passed_us = Math.max(0, next.observed_us - before.observed_us, next.received_us - before.received_us);
  return rise <= limit.slack + tolerance + (limit.per_h * passed_us) / HOUR_US;
}
