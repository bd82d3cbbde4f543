/**
 * Decides when an alert is raised and cleared, for one rule, one machine and its newest value.
 *
 *            crosses for `for_seconds`                      passes `clear_value`
 *   calm ────────────────────────────▶ open ─────────────────────────────────────▶ calm
 *            silent for `no_data_seconds`      data comes again
 *
 * A rule on a trouble code has no threshold of its own. It is evaluated as the threshold "one or more active codes that the rule watches".
 *
 * A value that was already old on arrival opens a late alert, which is recorded and not shown as live. Fresh data that still crosses the
 * threshold raises a new alert.
 *
 * A rule on a change is evaluated as the threshold "the change within the window is at least `by`", and a rule on a geofence as a threshold
 * of the state of the machine in the geofence (`FENCE_STATE`). A rule on services is evaluated in `service-alerts.ts`.
 */

import { isSignal } from '#contract/base/signals.ts';
import type { AlertCode, AlertData, AlertRuleData, AlertSignal } from '#contract/work/alert.ts';
import type { AlertServiceFound } from '#contract/work/alert-conditions.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';
import { LIVE_RULES } from '#domain/machine/live-status.ts';
import { FENCE_STATE } from '#domain/watch/fence.ts';
import { CHANGE_CLEAR } from '#domain/watch/plan.ts';
import type { Place } from '#domain/watch/point.ts';

/**
 * A value is not live if it was more than this many milliseconds old when it arrived, or if it arrived more than this many milliseconds
 * ago.
 */
export const LATE_MS = LIVE_RULES.stale_s * 1000;
/**
 * Shortest time that an alert stays open, in milliseconds. Without this minimum, a signal that oscillates around the threshold would fill
 * the log with alerts.
 */
const SHORTEST_MS = 10_000;

/** A value of a signal, or what was computed from values of the signal. */
export interface Measured {
  /** For a rule on a change, `value` is the change; for a rule on a trouble code, the number of matching codes. */
  readonly value: number;
  readonly observed_ms: number;
  readonly received_ms: number;
  readonly device_id: string | null;
  /** The matching code, for a rule on a trouble code. */
  readonly code?: AlertCode;
  /**
   * For a rule on a lamp, the codes of the control unit that switches the lamp on, if it is one unit. For a rule on the number of codes, the
   * code, if it is one.
   */
  readonly codes?: readonly CodeOfUnit[];
  /** True if the watcher has not evaluated the value yet. */
  readonly isNew?: boolean;
  /** The message and frame of the value; absent if they are not known. */
  readonly ref?: string | null;
  /** The two values that a rule on a change compared. */
  readonly change?: {
    readonly from: { readonly value: number; readonly observed_ms: number; readonly ref: string | null };
    readonly to: number;
  };
  /** The position of the machine, for a rule on a geofence. */
  readonly place?: Place;
  /** The service, for a rule on services. */
  readonly service?: AlertServiceFound;
}

/** The open alert of a rule for a machine. */
export interface Open {
  readonly alert_id: string;
  readonly condition: AlertData['condition'];
  readonly late: boolean;
  readonly raised_ms: number;
}

/** The state of one rule for one machine. */
export interface Standing {
  /**
   * `since_ms` is the time since which the value crosses the threshold without a break; null while it does not cross it. `last_ms` is the
   * time of the newest value that crossed it.
   */
  readonly since_ms: number | null;
  readonly last_ms: number;
  readonly open: Open | null;
}

export const CALM: Standing = { since_ms: null, last_ms: 0, open: null };

type Condition = Pick<
  AlertRuleData,
  'signal' | 'op' | 'value' | 'for_seconds' | 'clear_value' | 'no_data_seconds' | 'spn' | 'fmi' | 'change' | 'geofence'
>;

/** True for a rule on a trouble code. */
export function watchesCode({ spn }: Pick<AlertRuleData, 'spn'>): boolean {
  return typeof spn === 'number';
}

/** True if the rule watches this trouble code. A code whose SPN is unknown matches no rule. */
export function matchesCode(
  { spn, fmi }: Pick<AlertRuleData, 'spn' | 'fmi'>,
  code: { readonly spn: number | null; readonly fmi: number },
): boolean {
  return typeof spn === 'number' && code.spn === spn && (typeof fmi !== 'number' || code.fmi === fmi);
}

/** What identifies a trouble code on a machine. */
interface CodeOfUnit {
  readonly spn: number | null;
  readonly fmi: number;
  readonly source_address: number;
}

/** True for the same trouble code of the same control unit. */
export function isSameCode(a: CodeOfUnit, b: CodeOfUnit): boolean {
  return a.spn === b.spn && a.fmi === b.fmi && a.source_address === b.source_address;
}

/** True if the rule, which a person may have changed in the meantime, still has the condition because of which the alert was raised. */
export function stillHasCondition(
  rule: Condition,
  alert: Pick<Open, 'condition'>,
  signal: AlertSignal | undefined,
  code: AlertCode | null,
): boolean {
  if (signal !== rule.signal) return false;
  if (alert.condition === 'no_data') return rule.no_data_seconds !== null;
  if (alert.condition === 'change') return rule.change != null;
  if (alert.condition === 'geofence') return rule.geofence != null;
  return alert.condition === 'code' ? code !== null && matchesCode(rule, code) : rule.value !== null;
}

export interface Raise {
  readonly condition: AlertData['condition'];
  readonly late: boolean;
  readonly measured: Measured;
}

/** Which alerts of a rule are muted: all, or only alerts about missing data (`silence`); null for none. */
export type Muted = 'all' | 'silence' | null;

export interface Verdict {
  readonly standing: Standing;
  /** Reason to clear the open alert; null to keep it. */
  readonly clear: NonNullable<AlertData['cleared_because']> | null;
  readonly raise: Raise | null;
  /** Time of the next evaluation if no data arrives before; null if none is needed. */
  readonly wake_ms: number | null;
}

/** True if the value crosses the threshold. */
function crosses(op: Condition['op'], value: number, threshold: number): boolean {
  if (op === 'gt') return value > threshold;
  if (op === 'gte') return value >= threshold;
  if (op === 'lt') return value < threshold;
  return op === 'lte' && value <= threshold;
}

/**
 * Returns on which side of the limits of a rule a value is: 0 if the alert would be cleared, 2 if it would be raised, and 1 between the two
 * limits, where nothing changes.
 */
export function sideOf(
  { op, value, clear_value }: Pick<Condition, 'op' | 'value' | 'clear_value'>,
  one: number,
): number {
  if (value === null) return 0;
  return Number(crosses(op, one, value)) + Number(crosses(op, one, clear_value ?? value));
}

function staleAfterMs(signal: AlertSignal): number {
  return isSignal(signal) ? staleAfterUs(signal) / 1000 : LATE_MS;
}

const earliest = (...times: (number | null)[]): number | null =>
  times.reduce((least, time) => (time === null || (least !== null && least <= time) ? least : time), null);

/** True if the rule watches for missing data, and the machine has sent no value for that time. */
function isSilent({ no_data_seconds }: Condition, { observed_ms }: Measured, now_ms: number): boolean {
  return no_data_seconds !== null && now_ms >= observed_ms + no_data_seconds * 1000;
}

/**
 * Evaluates a rule for the newest value of a machine. The gateway receives nothing while it is off. So the time without data is counted
 * from the newest value or from the start of the gateway (`listening_ms`), whichever is later. The caller stores the alert, and then sets
 * `open` in the returned state.
 */
export function judge(
  rule: Condition,
  standing: Standing,
  measured: Measured | undefined,
  now_ms: number,
  muted: Muted,
  listening_ms: number,
): Verdict {
  if (measured === undefined) return { standing, clear: null, raise: null, wake_ms: null };
  const { open } = standing;
  const wait_ms = rule.no_data_seconds === null ? null : rule.no_data_seconds * 1000;
  if (wait_ms !== null && isSilent(rule, measured, now_ms)) {
    const told_ms = Math.max(measured.observed_ms, listening_ms) + wait_ms;
    const raise: Raise | null =
      open === null && muted === null && now_ms >= told_ms ? { condition: 'no_data', late: false, measured } : null;
    return { standing, clear: null, raise, wake_ms: now_ms < told_ms ? told_ms : null };
  }
  const heard = open?.condition === 'no_data';
  const times = { now_ms, newest_until_ms: now_ms, listening_ms };
  const found = threshold(rule, heard ? { ...standing, open: null } : standing, measured, times, muted === 'all');
  return {
    ...found,
    clear: heard ? 'data' : found.clear,
    standing: { ...found.standing, open },
    wake_ms: earliest(wait_ms === null ? null : measured.observed_ms + wait_ms, found.wake_ms),
  };
}

/**
 * Evaluates a rule for all values since the last evaluation, in the order of their arrival; the last one is the newest value. If
 * `for_seconds` is 0, a value that crossed the threshold only for a moment raises an alert. A value that did not cross the threshold begins
 * the count of `for_seconds` again. The newest value decides whether data is missing and whether an alert ends. If several values would
 * raise an alert, the first value that is not late raises it.
 */
export function judgeAll(
  rule: Condition,
  standing: Standing,
  values: readonly Measured[],
  now_ms: number,
  muted: Muted,
  listening_ms: number,
): Verdict {
  const newest = values.at(-1);
  const { open } = standing;
  const heard = open?.condition === 'no_data';
  let state: Standing = heard ? { ...standing, open: null } : standing;
  let raise: Raise | null = null;
  // `judge` does not compare a newest value that is so old that data is missing. So compare it here.
  const isMissed = newest?.isNew === true && isSilent(rule, newest, now_ms);
  for (let i = 0; i < values.length - (isMissed ? 0 : 1); i++) {
    // One message may contain both values. So the value was the newest one at the longest until the next value was observed.
    const next = values[i + 1];
    const newest_until_ms = next === undefined ? now_ms : Math.min(now_ms, next.received_ms, next.observed_ms);
    const times = { now_ms, newest_until_ms, listening_ms };
    const found = threshold(rule, state, values[i] as Measured, times, muted === 'all');
    state = found.standing;
    if (found.raise !== null && (raise === null || (raise.late && !found.raise.late))) raise = found.raise;
  }
  const verdict = judge(rule, { ...state, open }, newest, now_ms, muted, listening_ms);
  const stillSilent = heard && verdict.clear === null;
  if (raise === null || stillSilent || (raise.late && verdict.raise !== null)) return verdict;
  const clear = heard ? verdict.clear : open === null ? null : 'superseded';
  // The newest value may not cross the threshold any more. So evaluate the rule again at once, with the open alert.
  return { ...verdict, clear, raise, wake_ms: now_ms };
}

/** Returns the threshold comparison of a rule; null if the rule has no threshold. */
function limitOf(rule: Condition): (Pick<Condition, 'op' | 'clear_value'> & { readonly value: number }) | null {
  if (watchesCode(rule)) return { op: 'gte', value: 1, clear_value: null };
  if (rule.change != null) return { op: 'gte', value: rule.change.by, clear_value: rule.change.by * CHANGE_CLEAR };
  if (rule.geofence != null)
    return rule.geofence.event === 'enter'
      ? { op: 'gte', value: FENCE_STATE.inside, clear_value: null }
      : { op: 'lte', value: FENCE_STATE.left, clear_value: null };
  const { op, value, clear_value } = rule;
  return value === null ? null : { op, value, clear_value };
}

function conditionOf(rule: Condition): AlertData['condition'] {
  if (watchesCode(rule)) return 'code';
  if (rule.geofence != null) return 'geofence';
  return rule.change == null ? 'threshold' : 'change';
}

/** The times with which a value is compared. */
interface Times {
  readonly now_ms: number;
  /** Until this time the value was the newest one: now, or the time at which the next value was observed. */
  readonly newest_until_ms: number;
  readonly listening_ms: number;
}

function threshold(rule: Condition, standing: Standing, measured: Measured, times: Times, muted: boolean): Verdict {
  const { now_ms, newest_until_ms, listening_ms } = times;
  const nothing: Verdict = { standing, clear: null, raise: null, wake_ms: null };
  const limit = limitOf(rule);
  if (limit === null) return nothing;
  const { open } = standing;
  const { value, observed_ms, received_ms, isNew = false } = measured;
  if (!crosses(limit.op, value, limit.value)) {
    const calm = { ...standing, since_ms: null };
    const kept = open === null || crosses(limit.op, value, limit.clear_value ?? limit.value);
    if (kept) return { ...nothing, standing: calm };
    const over_ms = open.raised_ms + SHORTEST_MS;
    return now_ms >= over_ms
      ? { ...nothing, standing: calm, clear: 'back' }
      : { ...nothing, standing: calm, wake_ms: over_ms };
  }
  const unbroken = standing.since_ms !== null && observed_ms - standing.last_ms <= LATE_MS;
  const since_ms = unbroken ? (standing.since_ms as number) : observed_ms;
  const crossing: Standing = { ...standing, since_ms, last_ms: Math.max(observed_ms, unbroken ? standing.last_ms : 0) };
  const old = now_ms - received_ms > LATE_MS;
  // The gateway was off after it received the value. So the value raises a late alert, and not a live one.
  const late = received_ms - observed_ms > LATE_MS || (old && isNew);
  const until_ms = since_ms + rule.for_seconds * 1000;
  // The clock of the gateway counts only for values that this process has received. Otherwise the time while it was off would count.
  const fresh = received_ms >= listening_ms && newest_until_ms - observed_ms <= staleAfterMs(rule.signal);
  const believed = fresh && !late;
  const held = observed_ms >= until_ms || (believed && newest_until_ms >= until_ms);
  if (!held) return { ...nothing, standing: crossing, wake_ms: believed ? until_ms : null };
  const wanted = open === null || (open.late && !late);
  if (!wanted || (old && !isNew) || muted) return { ...nothing, standing: crossing };
  return {
    standing: crossing,
    clear: open === null ? null : 'superseded',
    raise: { condition: conditionOf(rule), late, measured },
    wake_ms: null,
  };
}

/** Returns whether the rule is muted for this machine. `change_ms` is the next time at which a mute begins or ends; null if none does. */
export function muting(
  mute: AlertRuleData['mute'],
  machine_id: string | null,
  now_ms: number,
): { readonly muted: boolean; readonly change_ms: number | null } {
  let muted = false;
  let change_ms: number | null = null;
  for (const { from, until, equipment_id } of mute) {
    if (equipment_id !== null && equipment_id !== machine_id) continue;
    const begins = from === null ? Number.NEGATIVE_INFINITY : Date.parse(from);
    const ends = Date.parse(until);
    if (begins <= now_ms && now_ms < ends) muted = true;
    change_ms = earliest(change_ms, begins > now_ms ? begins : ends > now_ms ? ends : null);
  }
  return { muted, change_ms };
}
