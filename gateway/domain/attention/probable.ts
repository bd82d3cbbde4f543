/**
 * Finds the probable cause of a reason. A cause is named only if two signs agree: the reason itself, and a second value of the machine, or
 * the silence of other machines. Otherwise there is no cause, because a wrong one sends people to the wrong place.
 */

import { formatNumber } from '#contract/base/format-number.ts';
import { isCurrent, valueFreshnessAt } from '#contract/base/freshness.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { Reason } from '#contract/site/trouble.ts';
import type { Probable } from '#contract/work/attention.ts';
import type { Item } from './items.ts';
import type { Means } from './trend.ts';

/** The coolant level must have fallen by this many percent in the last half hour. */
const LEAK_PCT = 5;
/** An oil level below this many percent explains a low oil pressure. */
const OIL_PCT = 25;
/** Above this engine speed in rpm the alternator charges. */
const CHARGES_RPM = 500;
/** Below these voltages a battery of 24 V or 12 V is nearly empty. A voltage under half of the limit belongs to the other kind. */
const EMPTY_24_V = 23;
const EMPTY_12_V = 11.5;
/** The last voltage counts if it is at most this much older than the last data of the machine, in milliseconds. */
const TOGETHER_MS = 60_000;

/** The signals that are the second sign for the value of a reason. */
export const SECOND_SIGNS: Readonly<Partial<Record<SignalName, SignalName>>> = {
  'engine.coolant_temperature': 'engine.coolant_level',
  'engine.oil_pressure': 'engine.oil_level',
  'electrical.battery': 'engine.speed',
};

/** What the second sign is read from. */
interface Signs {
  readonly live: EquipmentLive | undefined;
  readonly means: (signal: SignalName) => Means | undefined;
  readonly now_ms: number;
}

/** Returns the present value of a signal; undefined if it is not current. */
function present(signal: SignalName, { live, now_ms }: Signs): number | undefined {
  const value = live?.values[signal];
  return isCurrent(valueFreshnessAt(signal, value, now_ms)) ? value?.value : undefined;
}

/** Returns the probable cause of a reason; undefined if no second sign agrees. */
export function probableOf({ passed, cause, since_ms }: Item, signs: Signs): Probable | undefined {
  if (cause === 'silent') return powerLost(since_ms, signs);
  const other = passed === null ? undefined : SECOND_SIGNS[passed.signal];
  const value = other === undefined ? undefined : present(other, signs);
  if (passed === null || other === undefined || value === undefined) return undefined;
  if (passed.signal === 'engine.coolant_temperature' && !passed.below) {
    const highest = (signs.means(other)?.v ?? []).reduce((most, mean) => Math.max(most, mean), value);
    const fallen = highest - value;
    return fallen >= LEAK_PCT ? { code: 'coolant_leak', params: { down: formatNumber(fallen, 0) } } : undefined;
  }
  if (passed.signal === 'engine.oil_pressure' && passed.below && value < OIL_PCT)
    return { code: 'oil_low', params: { level: formatNumber(value, 0) } };
  if (passed.signal === 'electrical.battery' && passed.below && value > CHARGES_RPM)
    return { code: 'not_charging', params: {} };
  return undefined;
}

/** The battery was nearly empty when the machine sent its last data. */
function powerLost(since_ms: number | null, { live }: Signs): Probable | undefined {
  const battery = live?.values['electrical.battery'];
  if (battery === undefined || since_ms === null) return undefined;
  if (Math.abs(since_ms - Date.parse(battery.observed_at)) > TOGETHER_MS) return undefined;
  const volts = battery.value;
  const isEmpty = (volts < EMPTY_24_V && volts > EMPTY_24_V / 1.5) || (volts < EMPTY_12_V && volts > EMPTY_12_V / 1.5);
  return isEmpty ? { code: 'no_power', params: { value: formatNumber(volts, 1) } } : undefined;
}

/** At least this many machines of a location must have become silent within `TOGETHER_MS`, and at least half of its machines. */
const LINK_MACHINES = 3;

/** A machine with its reasons, and the location to which it is assigned. */
interface Located {
  readonly location: string | undefined;
  readonly reasons: readonly Reason[];
}

/** Returns, for each location at which most machines became silent at the same time, the cause that its silent machines share. */
export function lostLinks(
  machines: readonly Located[],
): ReadonlyMap<string, { readonly at_ms: number; readonly cause: Probable }> {
  const all = new Map<string, (number | null)[]>();
  for (const { location, reasons } of machines) {
    if (location === undefined) continue;
    const silent = reasons.find(({ cause }) => cause === 'silent');
    all.set(location, [...(all.get(location) ?? []), silent?.since_ms ?? null]);
  }
  const found = new Map<string, { at_ms: number; cause: Probable }>();
  for (const [place, since] of all) {
    const times = since.filter((at) => at !== null);
    const groups = times.map((at_ms) => ({
      at_ms,
      count: times.filter((at) => Math.abs(at - at_ms) <= TOGETHER_MS).length,
    }));
    const [largest] = groups.sort((a, b) => b.count - a.count || a.at_ms - b.at_ms);
    if (largest === undefined || largest.count < LINK_MACHINES || largest.count * 2 < since.length) continue;
    const params = { count: String(largest.count), place };
    found.set(place, { at_ms: largest.at_ms, cause: { code: 'link_lost', params } });
  }
  return found;
}

/** Adds the lost link of a location to the silence of its machines. A machine with an empty battery keeps its own cause. */
export function withLostLink(
  reasons: readonly Reason[],
  link: { readonly at_ms: number; readonly cause: Probable } | undefined,
): readonly Reason[] {
  if (link === undefined) return reasons;
  return reasons.map((reason) =>
    reason.cause === 'silent' &&
    reason.probably === undefined &&
    reason.since_ms !== null &&
    Math.abs(reason.since_ms - link.at_ms) <= TOGETHER_MS
      ? { ...reason, probably: link.cause }
      : reason,
  );
}
