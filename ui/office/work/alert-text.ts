/** Texts of alerts and alert rules. */

import { isSignal, SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { type AlertSignal, DTC_SIGNALS, type Severity } from '#contract/work/alert.ts';
import { duration } from '#ui/format.ts';
import { codePartText, codeWords } from './ticket-text.ts';

export type Alert = Output<'alerts_get'>;
export type Rule = Output<'alert_rules_get'>;
/** The condition of a rule: of a stored rule, or of a rule that a person edits in the form. */
export type RuleText = Pick<
  Rule,
  | 'signal'
  | 'op'
  | 'value'
  | 'for_seconds'
  | 'clear_value'
  | 'no_data_seconds'
  | 'spn'
  | 'fmi'
  | 'severity'
  | 'scope'
  | 'actions'
> & { readonly enabled: boolean };

export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
};

const DTC_WORDS: Readonly<Record<(typeof DTC_SIGNALS)[number], string>> = {
  'dtc.red_stop': 'Red stop lamp',
  'dtc.amber': 'Amber warning lamp',
  'dtc.mil': 'Malfunction indicator lamp',
  'dtc.protect': 'Protect lamp',
  'dtc.active': 'Active trouble codes',
};
/** Signals for warning lamps. The value of such a signal is the number of control units with this lamp on. */
const LAMPS: ReadonlySet<string> = new Set(DTC_SIGNALS.filter((name) => name !== 'dtc.active'));

/** The signals that a rule can watch, with their labels. */
export const WATCHED: readonly (readonly [signal: AlertSignal, text: string])[] = [
  ...SIGNAL_NAMES.map((name) => [name, `${signalRow(name).label} (${signalRow(name).unit})`] as const),
  ...DTC_SIGNALS.map((name) => [name, DTC_WORDS[name]] as const),
];

export function signalLabel(signal: AlertSignal): string {
  return isSignal(signal) ? signalRow(signal).label : DTC_WORDS[signal];
}

/** Returns the unit of a threshold; empty if the rule watches a number of lamps or trouble codes. */
export function signalUnit(signal: AlertSignal): string {
  return isSignal(signal) ? signalRow(signal).unit : '';
}

/** Formats a number with thin spaces between thousands. */
function thousands(text: string): string {
  return text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009');
}

function measure(signal: AlertSignal, value: number, digits?: number): string {
  const unit = signalUnit(signal);
  const text = thousands(digits === undefined ? String(value) : value.toFixed(digits));
  return unit === '' ? text : `${text} ${unit}`;
}

/**
 * Returns what raised an alert as text: "Coolant 109 °C", "Fuel: no data", or "Engine oil pressure 1: far too low (SPN 100 / FMI 1, from
 * address 0)".
 */
export function crossed({ signal_name, condition, value, threshold, code }: Alert): string {
  if (code !== undefined) return `${codeWords(code)}, from address ${code.source_address}`;
  const label = signalLabel(signal_name);
  if (condition === 'no_data') return `${label}: no data`;
  if (value === null) return label;
  if (LAMPS.has(signal_name)) return value === 1 ? `${label} on` : `${label} on, ${value} control units`;
  const digits = isSignal(signal_name) ? signalRow(signal_name).decimals : 0;
  // If the rounded value looks the same as its limit, show one more digit. Otherwise a person would think that the value has not crossed
  // the limit.
  const same = threshold !== null && value !== threshold && value.toFixed(digits) === threshold.toFixed(digits);
  return `${label} ${measure(signal_name, value, same ? digits + 1 : digits)}`;
}

/** Returns the limit of an alert as text; null when the text that `crossed` returns already contains the limit. */
export function limitOf({ signal_name, condition, threshold }: Alert): string | null {
  if (threshold === null) return null;
  if (condition === 'no_data') return `no data for more than ${duration(threshold * 1000)}`;
  return LAMPS.has(signal_name) ? null : `limit ${measure(signal_name, threshold)}`;
}

/**
 * Other rules may have found the same cause and joined an alert. Returns the names of these rules as text, for example "Also Red stop lamp
 * (critical)"; null if there are none.
 */
export function alsoWords({ also = [] }: Alert): string | null {
  if (also.length === 0) return null;
  return `Also ${also.map(({ rule_name, severity }) => `${rule_name} (${severity})`).join(', ')}`;
}

const BECAUSE: Readonly<Record<NonNullable<Alert['cleared_because']>, string>> = {
  back: 'the value is normal again',
  data: 'data arrived again',
  superseded: 'newer data raised it again',
  joined: 'the alert on its trouble code contains it',
  rule_changed: 'the rule was changed',
  machine_changed: 'the machine was changed',
  paired: 'the device was linked to a machine',
};

export function clearedBecause(because: Alert['cleared_because']): string {
  return because === null ? 'no reason given' : BECAUSE[because];
}

const GRAVITY: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** Sorts alerts without acknowledgement first, then by severity, then newest first. */
export function byGravity(a: Alert, b: Alert): number {
  return (
    Number(a.acknowledged_at !== null) - Number(b.acknowledged_at !== null) ||
    GRAVITY[a.severity] - GRAVITY[b.severity] ||
    Date.parse(b.raised_at) - Date.parse(a.raised_at) ||
    (a.id < b.id ? -1 : 1)
  );
}

const OPS = { gt: 'above', gte: 'at or above', lt: 'below', lte: 'at or below' } as const;
/** For each comparison with which a rule raises an alert, the words for the opposite comparison, with which the rule clears the alert. */
const BACK = { gt: 'at or below', gte: 'below', lt: 'at or above', lte: 'above' } as const;
export const OP_CHOICES = Object.entries(OPS) as readonly (readonly [keyof typeof OPS, string])[];

function thresholdWords({ signal, op, value }: RuleText): string | null {
  if (op === null || value === null) return null;
  const lamp = LAMPS.has(signal);
  if (lamp && ((op === 'gte' && value === 1) || (op === 'gt' && value === 0))) return `${signalLabel(signal)} is on`;
  const what = lamp ? `the number of control units with ${signalLabel(signal)} on` : signalLabel(signal);
  return `${what} is ${OPS[op]} ${measure(signal, value)}`;
}

/** Returns the trouble code of a rule: "SPN 100 (Engine oil pressure 1) with FMI 1 (far too low)"; null if the rule has none. */
function ruleCode({ spn, fmi }: RuleText): string | null {
  if (spn === null) return null;
  const parameter = `SPN ${codePartText('spn', String(spn))}`;
  return fmi === null ? parameter : `${parameter} with FMI ${codePartText('fmi', String(fmi))}`;
}

/** Returns the name of a rule that a person did not name. */
export function ruleName(rule: RuleText): string {
  const code = ruleCode(rule);
  if (code !== null) return `Trouble code ${code}`.slice(0, 120);
  const words = thresholdWords(rule)?.replace(' is ', ' ');
  return words ?? `${signalLabel(rule.signal)}: no data`;
}

/** Functions that return the name of a machine or location by its id. */
export interface ScopeNames {
  machine(id: string): string;
  location(id: string): string;
}

/** Returns the words for the machines that a rule watches. */
function scopeWords({ equipment_ids, kinds, location_ids }: Rule['scope'], names: ScopeNames): string {
  const those = [
    ...(equipment_ids.length > 0 ? [equipment_ids.map(names.machine).join(', ')] : []),
    ...(kinds.length > 0 ? [`of the kind ${kinds.join(' or ')}`] : []),
    ...(location_ids.length > 0 ? [`in ${location_ids.map(names.location).join(' or ')}`] : []),
  ];
  if (those.length === 0) return 'on all machines';
  return equipment_ids.length > 0 ? `on ${those.join(' ')}` : `on machines ${those.join(' ')}`;
}

/** Describes a rule in sentences; null while it has no condition. */
export function ruleSentence(rule: RuleText, names: ScopeNames): string | null {
  const { signal, op, value, for_seconds, clear_value, no_data_seconds, severity } = rule;
  const label = signalLabel(signal);
  const crossing = thresholdWords(rule);
  const hold = for_seconds === 0 ? '' : ` for ${duration(for_seconds * 1000)}`;
  const silence =
    no_data_seconds === null
      ? null
      : `a machine that sent ${label} before sends none for ${duration(no_data_seconds * 1000)}`;
  const code = ruleCode(rule);
  const coded = code === null ? null : `the trouble code ${code} is active${hold}`;
  const whens = [coded, crossing === null ? null : crossing + hold, silence].filter((part) => part !== null);
  if (whens.length === 0) return null;
  const kind = severity === 'info' ? 'an info alert' : `a ${severity} alert`;
  const raises = `The gateway raises ${kind} when ${whens.join(', or when ')}, ${scopeWords(rule.scope, names)}.`;
  const over =
    code !== null
      ? ' It clears the alert when the code is no longer active.'
      : op === null || value === null || LAMPS.has(signal)
        ? ''
        : ` It clears the alert when ${label} is ${BACK[op]} ${measure(signal, clear_value ?? value)}.`;
  const webhooks = rule.actions.includes('webhook')
    ? ' It sends the alert to webhooks that subscribe to alerts.'
    : ' It sends the alert to no webhook.';
  return `${rule.enabled ? '' : 'Switched off. When switched on: '}${raises}${over}${webhooks}`;
}
