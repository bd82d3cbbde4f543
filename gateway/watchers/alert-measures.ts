/** Reads the newest value of the signal that an alert rule watches. */

import { isSignal } from '#contract/base/signals.ts';
import type { LiveReader } from '#contract/context.ts';
import type { Dtc, DtcCounts, EquipmentLive } from '#contract/fleet/equipment.ts';
import { faultWords } from '#contract/fleet/fault-words.ts';
import type { AlertCode, AlertRuleData, DTC_SIGNALS } from '#contract/work/alert.ts';
import { isSameCode, type Measured, matchesCode, watchesCode } from '#domain/work/alerts.ts';
import type { Target } from './alert-targets.ts';

type Watched = Pick<AlertRuleData, 'signal' | 'spn' | 'fmi'>;

/** The newest values of a machine or device. */
export interface Measures {
  /** Returns the newest value of the signal of a rule. `open` is the trouble code of the rule's open alert; null if it has none. */
  measure(rule: Watched, open: AlertCode | null): Measured | undefined;
  /** The newest values of the machine. Undefined if the target is a device, or if the machine has no values yet. */
  readonly facts: EquipmentLive | undefined;
}

/** Reads the newest values of a machine or device once, and returns them for all its rules. */
export function measuresOf(live: LiveReader, target: Pick<Target, 'id' | 'object'>): Measures {
  if (target.object === 'device') {
    const observation = live.device(target.id)?.observation ?? null;
    const measure = (rule: Watched): Measured | undefined => {
      const found = watchesCode(rule) ? undefined : observation?.signals[rule.signal];
      if (found === undefined || observation === null) return undefined;
      const received_ms = Date.parse(observation.received_at);
      return { value: found.value, observed_ms: Date.parse(found.observed_at), received_ms, device_id: target.id };
    };
    return { measure, facts: undefined };
  }
  const facts = live.equipment(target.id);
  return { measure: (rule, open) => (facts === undefined ? undefined : measuredOn(facts, rule, open)), facts };
}

function measuredOn(facts: EquipmentLive, rule: Watched, open: AlertCode | null): Measured | undefined {
  const { signal } = rule;
  if (!isSignal(signal)) {
    const counts = facts.dtc_counts;
    if (counts === null) return undefined;
    return watchesCode(rule) ? codesOf(facts, counts, rule, open) : countOf(facts, counts, signal);
  }
  const found = facts.values[signal];
  if (found === undefined) return undefined;
  const { value, observed_at, received_at, device_id } = found;
  return { value, observed_ms: Date.parse(observed_at), received_ms: Date.parse(received_at), device_id };
}

/**
 * If a DM1 (the message with the active trouble codes) and a value were observed within this many milliseconds, they count as received
 * together.
 */
const TOGETHER_MS = 60_000;

/**
 * Returns when a DM1 was observed and received. The gateway does not store the receive time of a DM1. So the function uses the receive time
 * of the values that were observed at about the same time. If there are none, it uses the observation time of the DM1.
 */
function timesOf(facts: EquipmentLive, observed_at: string): Pick<Measured, 'observed_ms' | 'received_ms'> {
  const observed_ms = Date.parse(observed_at);
  let received_ms = observed_ms;
  for (const { observed_at, received_at } of Object.values(facts.values))
    if (Math.abs(Date.parse(observed_at) - observed_ms) <= TOGETHER_MS)
      received_ms = Math.max(received_ms, Date.parse(received_at));
  return { observed_ms, received_ms };
}

/**
 * Returns a number from the DM1 as the value of a rule: how many trouble codes are active, or how many control units switch on the lamp
 * that the rule watches.
 */
function countOf(facts: EquipmentLive, counts: DtcCounts, signal: (typeof DTC_SIGNALS)[number]): Measured {
  const device_id = facts.dtcs?.[0]?.device_id ?? null;
  return { value: counts[signal.slice('dtc.'.length) as CountName], ...timesOf(facts, counts.observed_at), device_id };
}

type CountName = Exclude<keyof DtcCounts, `${string}observed_at` | 'previously_active'>;

/**
 * Returns the number of active trouble codes that match the rule, and the first of these codes. While an alert is open, only the code of
 * that alert counts: when this code is no longer active, the alert clears, and another matching code raises a new alert.
 */
function codesOf(facts: EquipmentLive, counts: DtcCounts, rule: Watched, open: AlertCode | null): Measured {
  const matching = (facts.dtcs ?? []).filter((code) => matchesCode(rule, code));
  const code = open === null ? matching[0] : matching.find((one) => isSameCode(one, open));
  // Use the last DM1 of the control unit that reported the code, because the newest DM1 may be from another control unit.
  const times = timesOf(facts, code?.observed_at ?? counts.observed_at);
  if (code === undefined) return { value: 0, ...times, device_id: open?.device_id ?? null };
  return { value: matching.length, ...times, device_id: code.device_id, code: alertCode(code) };
}

function alertCode({ spn, fmi, source_address, bus, device_id, since }: Dtc): AlertCode {
  return { spn: spn as number, fmi, meaning: faultWords(spn, fmi), source_address, bus, device_id, since };
}
