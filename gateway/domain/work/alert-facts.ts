/** Makes the data of the events of an alert, and computes the alert from its events. */

import { isSignal, signalRow } from '#contract/base/signals.ts';
import {
  ACTIONS,
  type AlertData,
  type AlertRuleData,
  type JoinedRule,
  SEVERITY,
  type Severity,
} from '#contract/work/alert.ts';
import type { Measured, Raise } from './alerts.ts';

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
  const skipped = machine_id === null ? 'unpaired_machine' : late ? 'late' : null;
  const silent = condition === 'no_data';
  const { code, ref, place, service } = measured;
  const { geofence } = rule;
  const isFence = condition === 'geofence';
  return {
    alert_id,
    rule_id: rule.id,
    rule_name: rule.name,
    severity: rule.severity,
    signal_name: rule.signal,
    machine_id,
    device_id: measured.device_id,
    condition,
    value: silent || isFence ? null : service === undefined ? measured.value : service.now,
    threshold: thresholdOf(rule, condition, measured),
    ...(condition === 'code' && code !== undefined && { code }),
    ...(!silent && ref !== undefined && { ref }),
    ...(condition === 'change' && changeFound(rule, measured)),
    ...(isFence && geofence != null && place !== undefined && { geofence: { ...geofence, ...place } }),
    ...(service !== undefined && { service }),
    unit: silent ? 's' : service !== undefined ? SERVICE_UNITS[service.by] : unitOf(rule.signal),
    observed_at: new Date(measured.observed_ms).toISOString(),
    late,
    actions: rule.actions.map((action) => {
      const reason = skipped ?? (action === 'webhook' && !reached ? 'no_endpoint' : null);
      const status = reason !== null ? 'skipped' : action === 'webhook' ? 'executed' : 'pending';
      return { action, status, reason };
    }),
  };
}

const SERVICE_UNITS = { hours: 'h', km: 'km', date: 'd' } as const;

const unitOf = (signal: AlertRuleData['signal']) => (isSignal(signal) ? signalRow(signal).unit : '1');

function thresholdOf(rule: AlertRuleData, condition: Raise['condition'], { service }: Measured): number | null {
  if (service !== undefined) return service.due_at;
  if (condition === 'no_data') return rule.no_data_seconds;
  return condition === 'change' ? (rule.change?.by ?? null) : rule.value;
}

/** Returns the two values that a rule on a change compared. */
function changeFound(rule: AlertRuleData, { observed_ms, ref = null, change }: Measured): Pick<AlertData, 'change'> {
  if (change === undefined || rule.change == null) return {};
  const { from, to } = change;
  return {
    change: {
      from: { value: from.value, observed_at: new Date(from.observed_ms).toISOString(), ref: from.ref },
      to: { value: to, observed_at: new Date(observed_ms).toISOString(), ref },
      within_seconds: rule.change.within_seconds,
    },
  };
}

/**
 * Returns a text that is the same for alerts of one machine that concern one fault: a trouble code, the lamps and the number of codes, a
 * signal, missing data, or a service.
 */
export function causeOf({ code, condition, signal_name, geofence, service }: AlertData): string {
  if (service !== undefined) return `service ${service.plan_id}`;
  if (code !== undefined) return `code ${code.spn} ${code.fmi}`;
  if (condition === 'no_data') return 'no data';
  if (geofence !== undefined) return `geofence ${geofence.location_id} ${geofence.event}`;
  return signal_name.startsWith('dtc.') ? 'trouble codes' : signal_name;
}

/** Returns the fields of an alert that each event of the alert repeats, so that a receiver of a single event knows which alert changed. */
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
 * Returns the data of the event `alert.joined`. If a rule finds a fault for which an open alert already exists, the gateway makes no second
 * alert: the rule joins the open alert. `from` is the id of the open alert of the joining rule, or null.
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
  | {
      readonly type: 'alert.acted';
      readonly at: string;
      readonly data: { readonly acted: AlertData['actions'][number] };
    }
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
  if (fact.type === 'alert.acted') {
    const { acted } = fact.data;
    return { ...alert, actions: mergedActions(alert.actions, [acted]) };
  }
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

const PROGRESS = [
  'pending',
  'skipped',
  'executed',
] as const satisfies readonly AlertData['actions'][number]['status'][];

/**
 * Merges the actions of two rules, or the results of their actions, so that each action is in the list once. If the gateway executed an
 * action for one of the rules, its status is `executed`. A result replaces the status `pending`.
 */
function mergedActions(a: AlertData['actions'], b: AlertData['actions']): AlertData['actions'] {
  const merged = new Map(b.map((one) => [one.action, one]));
  for (const one of a) {
    const other = merged.get(one.action);
    if (other === undefined || PROGRESS.indexOf(one.status) > PROGRESS.indexOf(other.status))
      merged.set(one.action, one);
  }
  return [...merged.values()].sort((x, y) => ACTIONS.indexOf(x.action) - ACTIONS.indexOf(y.action));
}
