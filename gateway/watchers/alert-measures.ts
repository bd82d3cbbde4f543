/** Reads the values that an alert rule watches: all values since the last look, and the newest value. */

import { isSignal } from '#contract/base/signals.ts';
import type { LiveReader } from '#contract/context.ts';
import type { Dtc, DtcCounts, EquipmentLive } from '#contract/fleet/equipment.ts';
import { faultWords } from '#contract/fleet/fault-words.ts';
import {
  type AlertCode,
  type AlertRuleData,
  type DTC_SIGNALS,
  FENCE_SIGNAL,
  SERVICE_SIGNAL,
} from '#contract/work/alert.ts';
import type { WatchedReader } from '#domain/watch/machine-watch.ts';
import { watchKey } from '#domain/watch/plan.ts';
import { fullRef, type WatchedCode, type WatchedPoint } from '#domain/watch/point.ts';
import { isSameCode, type Measured, matchesCode, watchesCode } from '#domain/work/alerts.ts';
import type { Target } from './alert-targets.ts';

type Watched = Pick<AlertRuleData, 'signal' | 'spn' | 'fmi' | 'change' | 'geofence'>;

/** The newest values of a machine or device. */
export interface Measures {
  /**
   * Returns the values that a rule watches since the last look, the newest one last; empty if there is none. `open` is the trouble code of
   * the rule's open alert; null if it has none.
   */
  measure(rule: Watched, open: AlertCode | null): readonly Measured[];
  /** The newest values of the machine. Undefined if the target is a device, or if the machine has no values yet. */
  readonly facts: EquipmentLive | undefined;
}

/** Reads the newest values of a machine or device once, and returns them for all its rules. */
export function measuresOf(live: LiveReader, watched: WatchedReader, target: Pick<Target, 'id' | 'object'>): Measures {
  const { id } = target;
  if (target.object === 'device') {
    const observation = live.device(id)?.observation ?? null;
    const measure = (rule: Watched): readonly Measured[] => {
      const found = watchesCode(rule) || isFoldOnly(rule) ? undefined : observation?.signals[rule.signal];
      if (found === undefined || observation === null) return [];
      const received_ms = Date.parse(observation.received_at);
      return [{ value: found.value, observed_ms: Date.parse(found.observed_at), received_ms, device_id: id }];
    };
    return { measure, facts: undefined };
  }
  const facts = live.equipment(id);
  const measure: Measures['measure'] = (rule, open) => {
    const key = watchKey(rule);
    const points = key === null ? [] : watched.take(id, key);
    const found = points.map((point) => measuredAt(point, rule));
    if (points.length > 0) return watchesCode(rule) ? withNewestCode(found, facts, rule, open) : found;
    // No value since the last look. The values of signals and codes are also in the facts.
    const newest = isFoldOnly(rule) && key !== null ? watched.newest(id, key) : null;
    if (newest !== null) return [{ ...measuredAt(newest, rule), isNew: false }];
    const known = facts === undefined || isFoldOnly(rule) ? undefined : measuredOn(facts, rule, open);
    return known === undefined ? [] : [known];
  };
  return { measure, facts };
}

/** True for a rule on numbers that only the fold computes: a change or a state in a geofence. */
function isFoldOnly({ change, geofence }: Watched): boolean {
  return change != null || geofence != null;
}

/**
 * Adds the trouble codes that are active now, if they differ from the last value. While an alert is open, only the code of that alert
 * counts, so they may differ also if no message has arrived in the meantime.
 */
function withNewestCode(
  found: readonly Measured[],
  facts: EquipmentLive | undefined,
  rule: Watched,
  open: AlertCode | null,
): readonly Measured[] {
  const last = found.at(-1);
  const now = facts === undefined ? undefined : measuredOn(facts, rule, open);
  if (now === undefined || last === undefined) return found;
  const { code } = last;
  const isSame = now.code === undefined || code === undefined ? now.code === code : isSameCode(now.code, code);
  return isSame && now.value === last.value ? found : [...found, now];
}

function measuredAt(point: WatchedPoint, rule: Watched): Measured {
  const { value, level, observed_us, received_us, device, from, place, codes } = point;
  const [code] = codes ?? [];
  return {
    isNew: true,
    value,
    observed_ms: Math.floor(observed_us / 1000),
    received_ms: Math.floor(received_us / 1000),
    device_id: device,
    ref: fullRef(point),
    ...(from !== null && {
      change: {
        from: { value: from.value, observed_ms: Math.floor(from.observed_us / 1000), ref: fullRef(from) },
        to: level,
      },
    }),
    ...(place !== null && { place }),
    ...(watchesCode(rule) ? code !== undefined && { code: alertCodeAt(code) } : codes !== null && { codes }),
  };
}

function alertCodeAt({ since_us, ...code }: WatchedCode): AlertCode {
  const since = new Date(Math.floor(since_us / 1000)).toISOString();
  return { ...code, meaning: faultWords(code.spn, code.fmi), since };
}

function measuredOn(facts: EquipmentLive, rule: Watched, open: AlertCode | null): Measured | undefined {
  const { signal } = rule;
  if (!isSignal(signal)) {
    const counts = facts.dtc_counts;
    if (counts === null || signal === FENCE_SIGNAL || signal === SERVICE_SIGNAL) return undefined;
    return watchesCode(rule) ? codesOf(facts, counts, rule, open) : countOf(facts, counts, signal);
  }
  const found = facts.values[signal];
  if (found === undefined) return undefined;
  const { value, observed_at, received_at, device_id, ref } = found;
  return { value, observed_ms: Date.parse(observed_at), received_ms: Date.parse(received_at), device_id, ref };
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
  const { dtcs } = facts;
  const device_id = dtcs?.[0]?.device_id ?? null;
  const name = signal.slice('dtc.'.length) as CountName;
  const value = counts[name];
  const codes = value === 1 ? (dtcs ?? []).filter(({ lamps }) => name === 'active' || lamps?.includes(name)) : [];
  return { value, ...timesOf(facts, counts.observed_at), device_id, codes };
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
