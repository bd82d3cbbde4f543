/** Reads the newest value of the signal that an alert rule watches. */

import { isSignal } from '#contract/base/signals.ts';
import type { LiveReader } from '#contract/context.ts';
import type { DtcCounts, EquipmentLive } from '#contract/fleet/equipment.ts';
import type { AlertSignal, DTC_SIGNALS } from '#contract/work/alert.ts';
import type { Measured } from '#domain/work/alerts.ts';
import type { Target } from './alert-targets.ts';

/** Returns a function that reads the newest value of a signal of this target. It composes the live values of the target once. */
export function measurer(
  live: LiveReader,
  target: Pick<Target, 'id' | 'object'>,
): (signal: AlertSignal) => Measured | undefined {
  if (target.object === 'device') {
    const observation = live.device(target.id)?.observation ?? null;
    return (signal) => {
      const found = observation?.signals[signal];
      if (found === undefined || observation === null) return undefined;
      const received_ms = Date.parse(observation.received_at);
      return { value: found.value, observed_ms: Date.parse(found.observed_at), received_ms, device_id: target.id };
    };
  }
  const facts = live.equipment(target.id);
  return (signal) => {
    if (facts === undefined) return undefined;
    if (!isSignal(signal)) return facts.dtc_counts === null ? undefined : countOf(facts, facts.dtc_counts, signal);
    const found = facts.values[signal];
    if (found === undefined) return undefined;
    const { value, observed_at, received_at, device_id } = found;
    return { value, observed_ms: Date.parse(observed_at), received_ms: Date.parse(received_at), device_id };
  };
}

/** A DM1 and other values observed within this time are taken as received together. */
const TOGETHER_MS = 60_000;

/** A count of lamps or trouble codes. Its receive time is that of values observed at about the same time; without any, its own. */
function countOf(facts: EquipmentLive, counts: DtcCounts, signal: (typeof DTC_SIGNALS)[number]): Measured {
  const observed_ms = Date.parse(counts.observed_at);
  let received_ms = observed_ms;
  for (const { observed_at, received_at } of Object.values(facts.values))
    if (Math.abs(Date.parse(observed_at) - observed_ms) <= TOGETHER_MS)
      received_ms = Math.max(received_ms, Date.parse(received_at));
  const device_id = facts.dtcs?.[0]?.device_id ?? null;
  return { value: counts[signal.slice('dtc.'.length) as CountName], observed_ms, received_ms, device_id };
}

type CountName = Exclude<keyof DtcCounts, `${string}observed_at` | 'previously_active'>;
