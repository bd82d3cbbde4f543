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
 */

import { isSignal, signalRow } from '#contract/base/signals.ts';
import {
  type AlertCode,
  type AlertData,
  type AlertRuleData,
  type AlertSignal,
  type JoinedRule,
  SEVERITY,
  type Severity,
} from '#contract/work/alert.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';
import { LIVE_RULES } from '#domain/machine/live-status.ts';

/**
 * A value is not live if it was more than this many milliseconds old when it arrived, or if it arrived more than this many milliseconds
 * ago.
 */
const LATE_MS = LIVE_RULES.stale_s * 1000;
/**
 * Shortest time that an alert stays open, in milliseconds. Without this minimum, a signal that oscillates around the threshold would fill
 * the log with alerts.
 */
const SHORTEST_MS = 10_000;

/** The newest value of a signal. */
export interface Measured {
  readonly value: number;
  readonly observed_ms: number;
  readonly received_ms: number;
  readonly device_id: string | null;
  /** The matching code, for a rule on a trouble code; `value` is then the number of matching active codes. */
  readonly code?: AlertCode;
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
  'signal' | 'op' | 'value' | 'for_seconds' | 'clear_value' | 'no_data_seconds' | 'spn' | 'fmi'
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

/** True for the same trouble code of the same control unit. */
export function isSameCode(
  a: { readonly spn: number | null; readonly fmi: number; readonly source_address: number },
  b: AlertCode,
): boolean {
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

function staleAfterMs(signal: AlertSignal): number {
  return isSignal(signal) ? staleAfterUs(signal) / 1000 : LATE_MS;
}

const earliest = (...times: (number | null)[]): number | null =>
  times.reduce((least, time) => (time === null || (least !== null && least <= time) ? least : time), null);

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
  if (wait_ms !== null && now_ms >= measured.observed_ms + wait_ms) {
    const told_ms = Math.max(measured.observed_ms, listening_ms) + wait_ms;
    const raise: Raise | null =
      open === null && muted === null && now_ms >= told_ms ? { condition: 'no_data', late: false, measured } : null;
    return { standing, clear: null, raise, wake_ms: now_ms < told_ms ? told_ms : null };
  }
  const heard = open?.condition === 'no_data';
  const found = threshold(rule, heard ? { ...standing, open: null } : standing, measured, now_ms, muted === 'all');
  return {
    ...found,
    clear: heard ? 'data' : found.clear,
    standing: { ...found.standing, open },
    wake_ms: earliest(wait_ms === null ? null : measured.observed_ms + wait_ms, found.wake_ms),
  };
}

/** Returns the threshold comparison of a rule; null if the rule has no threshold. */
function limitOf(rule: Condition): (Pick<Condition, 'op' | 'clear_value'> & { readonly value: number }) | null {
  if (watchesCode(rule)) return { op: 'gte', value: 1, clear_value: null };
  const { op, value, clear_value } = rule;
  return value === null ? null : { op, value, clear_value };
}

function threshold(rule: Condition, standing: Standing, measured: Measured, now_ms: number, muted: boolean): Verdict {
  const nothing: Verdict = { standing, clear: null, raise: null, wake_ms: null };
  const limit = limitOf(rule);
  if (limit === null) return nothing;
  const { open } = standing;
  const { value, observed_ms, received_ms } = measured;
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
  const late = received_ms - observed_ms > LATE_MS;
  const old = now_ms - received_ms > LATE_MS;
  const until_ms = since_ms + rule.for_seconds * 1000;
  const believed = !late && now_ms - observed_ms <= staleAfterMs(rule.signal);
  const held = observed_ms >= until_ms || (believed && now_ms >= until_ms);
  if (!held) return { ...nothing, standing: crossing, wake_ms: believed ? until_ms : null };
  const wanted = open === null || (open.late && !late);
  if (!wanted || old || muted) return { ...nothing, standing: crossing };
  return {
    standing: crossing,
    clear: open === null ? null : 'superseded',
    raise: { condition: watchesCode(rule) ? 'code' : 'threshold', late, measured },
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

/** The data of an `alert.raised` event. */
export type RaisedFact = Omit<
  AlertData,
  'state' | 'acknowledged_at' | 'acknowledged_by' | 'raised_at' | 'cleared_at' | 'cleared_because'
> & { readonly alert_id: string };

/** The data of the event that raises an alert. `reached` is false if no webhook endpoint receives the event. */
export function raisedFact(
  alert_id: string,
  rule: AlertRuleData & { readonly id: string },
  machine_id: string | null,
  { condition, late, measured }: Raise,
  reached: boolean,
): RaisedFact {
  const reason = machine_id === null ? 'unpaired_machine' : late ? 'late' : reached ? null : 'no_endpoint';
  const silent = condition === 'no_data';
  const { code } = measured;
  return {
    alert_id,
    rule_id: rule.id,
    rule_name: rule.name,
    severity: rule.severity,
    signal_name: rule.signal,
    machine_id,
    device_id: measured.device_id,
    condition,
    value: silent ? null : measured.value,
    threshold: silent ? rule.no_data_seconds : rule.value,
    ...(condition === 'code' && code !== undefined && { code }),
    unit: silent ? 's' : isSignal(rule.signal) ? signalRow(rule.signal).unit : '1',
    observed_at: new Date(measured.observed_ms).toISOString(),
    late,
    actions: rule.actions.map((action) => ({ action, status: reason === null ? 'executed' : 'skipped', reason })),
  };
}

/** Returns the fields of an alert that each of its events contains, so that a receiver of a single event knows which alert it is about. */
export function repeatedFields(alert: AlertData) {
  const { rule_id, rule_name, severity, signal_name, machine_id, device_id, code, actions } = alert;
  return {
    rule_id,
    rule_name,
    severity,
    signal_name,
    machine_id,
    device_id,
    ...(code !== undefined && { code }),
    actions,
  };
}

/** The fields of an `alert.joined` event from which the gateway computes the changed alert. */
export interface JoinedFact {
  readonly joined: Omit<JoinedRule, 'joined_at'>;
  /** The actions of the joined rule. */
  readonly actions: AlertData['actions'];
}

/**
 * Returns the data of the event `alert.joined`: a rule found what an open alert already explains, so the rule joins this alert. `from` is
 * the id of the open alert of the joining rule, or null.
 */
export function joinedFact(alert: AlertData, raised: RaisedFact, from: string | null): JoinedFact {
  const { rule_id, rule_name, severity, signal_name, value, threshold, actions } = raised;
  const raised_severity = rank(severity) > rank(alert.severity);
  return {
    joined: { rule_id, rule_name, severity, signal_name, value, threshold, raised_severity, alert_id: from },
    actions,
  };
}

const rank = (severity: Severity) => SEVERITY.indexOf(severity);

/** An event of an alert: raised, joined by another rule, acknowledged or cleared. */
export type AlertFact =
  | { readonly type: 'alert.raised'; readonly at: string; readonly data: RaisedFact }
  | { readonly type: 'alert.joined'; readonly at: string; readonly data: JoinedFact }
  | { readonly type: 'alert.acknowledged'; readonly at: string; readonly data: { readonly by: string | null } }
  | {
      readonly type: 'alert.cleared';
      readonly at: string;
      readonly data: { readonly because: NonNullable<AlertData['cleared_because']> };
    };

/** Returns the alert after an event. The event `alert.raised` must be applied first. The other events give the same result in any order. */
export function applyAlertFact(alert: AlertData | undefined, fact: AlertFact): AlertData | undefined {
  if (fact.type === 'alert.raised') {
    const { alert_id: _, ...data } = fact.data;
    const also = alert?.also ?? [];
    return {
      ...data,
      severity: highest([data.severity, ...also.map(({ severity }) => severity)]),
      ...(also.length > 0 && { also }),
      actions: mergedActions(data.actions, alert?.actions ?? []),
      state: alert?.state ?? 'active',
      acknowledged_at: alert?.acknowledged_at ?? null,
      acknowledged_by: alert?.acknowledged_by ?? null,
      raised_at: fact.at,
      cleared_at: alert?.cleared_at ?? null,
      cleared_because: alert?.cleared_because ?? null,
    };
  }
  if (alert === undefined) return undefined;
  if (fact.type === 'alert.joined') return joined(alert, fact.at, fact.data);
  if (fact.type === 'alert.acknowledged') {
    const isOlder = (alert.acknowledged_at ?? '') >= fact.at || raisedAgainAt(alert) > fact.at;
    return isOlder ? alert : { ...alert, acknowledged_at: fact.at, acknowledged_by: fact.data.by };
  }
  return alert.state === 'cleared'
    ? alert
    : { ...alert, state: 'cleared', cleared_at: fact.at, cleared_because: fact.data.because };
}

/**
 * Returns the last time at which a joined rule raised the severity of the alert; empty if none did. An acknowledgement before this time is
 * no longer valid.
 */
function raisedAgainAt({ also = [] }: AlertData): string {
  return also.reduce((last, one) => (one.raised_severity && one.joined_at > last ? one.joined_at : last), '');
}

function joined(alert: AlertData, at: string, fact: JoinedFact): AlertData {
  const before = alert.also ?? [];
  if (before.some(({ rule_id }) => rule_id === fact.joined.rule_id)) return alert;
  const also = [...before, { ...fact.joined, joined_at: at }].sort(
    (a, b) => compareText(a.joined_at, b.joined_at) || compareText(a.rule_id, b.rule_id),
  );
  const next: AlertData = {
    ...alert,
    severity: highest([alert.severity, fact.joined.severity]),
    actions: mergedActions(alert.actions, fact.actions),
    also,
  };
  const held = alert.acknowledged_at === null || alert.acknowledged_at >= raisedAgainAt(next);
  return held ? next : { ...next, acknowledged_at: null, acknowledged_by: null };
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function highest(severities: readonly Severity[]): Severity {
  return severities.reduce((high, one) => (rank(one) > rank(high) ? one : high), 'info');
}

/** Merges the actions of two rules: each action once. An action has the status `executed` if it was executed for one of the rules. */
function mergedActions(a: AlertData['actions'], b: AlertData['actions']): AlertData['actions'] {
  const merged = new Map(b.map((one) => [one.action, one]));
  for (const one of a) {
    const other = merged.get(one.action);
    if (other === undefined || one.status === 'executed') merged.set(one.action, one);
  }
  return [...merged.values()];
}
