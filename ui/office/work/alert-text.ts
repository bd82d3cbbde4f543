/** Texts of alerts and alert rules. */

import { staleAfterS } from '#contract/base/freshness.ts';
import { type Shown, UNKNOWN_VALUE } from '#contract/base/shown.ts';
import { isSignal, SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { type AlertSignal, DTC_SIGNALS, FENCE_SIGNAL, SERVICE_SIGNAL, type Severity } from '#contract/work/alert.ts';
import { serviceWords } from '#contract/work/service-words.ts';
import { duration } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { inEnglish, inside, t, translated, type Word } from '#ui/languages/texts.ts';
import { shownNumber, shownUnit } from '#ui/languages/units.ts';
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
  | 'change'
  | 'geofence'
  | 'service'
  | 'severity'
  | 'scope'
  | 'actions'
> & { readonly enabled: boolean };

export const SEVERITY_WORDS: Readonly<Record<Shown<Severity>, Word>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
  unknown: 'Unknown',
};

const DTC_WORDS: Readonly<Record<(typeof DTC_SIGNALS)[number], Word>> = {
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

/** The signals whose change a rule can watch, with their labels. */
export const CHANGING = WATCHED.filter(([signal]) => isSignal(signal) && !signal.startsWith('position.'));

/** Returns the signal if a rule can watch its change, otherwise the first signal whose change a rule can watch. */
export function changing(signal: string): AlertSignal {
  return (CHANGING.find(([one]) => one === signal) ?? CHANGING[0] ?? ['engine.coolant_temperature'])[0];
}

function signalLabel(signal: Shown<AlertSignal>): string {
  if (signal === FENCE_SIGNAL) return t('Position');
  if (signal === SERVICE_SIGNAL) return t('Service');
  if (signal === UNKNOWN_VALUE) return t('Unknown signal');
  return isSignal(signal) ? translated(signalRow(signal).label) : t(DTC_WORDS[signal]);
}

/** Returns the label of a signal on the pages of the rules, which are in English. */
export const ruleLabel = (signal: RuleText['signal']): string => inEnglish(() => signalLabel(signal));

/** Returns the unit of a threshold; empty if the rule watches a number of lamps or trouble codes. */
export function signalUnit(signal: Shown<AlertSignal>): string {
  return isSignal(signal) ? signalRow(signal).unit : '';
}

/** Formats a number with thin spaces between thousands. */
function thousands(text: string): string {
  return text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009');
}

function measure(signal: Shown<AlertSignal>, value: number, digits?: number, isChange = false): string {
  const unit = signalUnit(signal);
  const text = shownNumber(thousands(digits === undefined ? String(value) : value.toFixed(digits)), unit, isChange);
  return unit === '' ? text : `${text} ${shownUnit(unit)}`;
}

/**
 * Returns what raised an alert as text: "Coolant 109 °C", "Fuel: no data", "Fuel fell by 6 % in 4 min, from 80 % to 74 %", or "Engine oil
 * pressure 1: far too low (SPN 100 / FMI 1, from address 0)".
 */
export function crossed({
  signal_name,
  condition,
  value,
  threshold,
  code,
  change,
  geofence,
  service,
}: Pick<
  Alert,
  'signal_name' | 'condition' | 'value' | 'threshold' | 'code' | 'change' | 'geofence' | 'service'
>): string {
  if (service !== undefined) return officeText(serviceWords(service));
  if (geofence !== undefined) {
    const { event, latitude, longitude } = geofence;
    return t(
      event === 'enter'
        ? 'Entered the geofence, seen at {latitude}, {longitude}'
        : 'Left the geofence, seen at {latitude}, {longitude}',
      { latitude: latitude.toFixed(5), longitude: longitude.toFixed(5) },
    );
  }
  if (code !== undefined)
    return t('{code}, from address {address}', { code: codeWords(code) ?? '', address: code.source_address });
  const label = signalLabel(signal_name);
  if (condition === 'no_data') return t('{label}: no data', { label });
  if (value === null) return label;
  if (change !== undefined) return changeWords(signal_name, value, change);
  if (LAMPS.has(signal_name)) return t('{label} on|{label} on, {n} control units', { label, n: value });
  const digits = isSignal(signal_name) ? signalRow(signal_name).decimals : 0;
  // If the rounded value looks the same as its limit, show one more digit. Otherwise a person would think that the value has not crossed
  // the limit.
  const same = threshold !== null && value !== threshold && value.toFixed(digits) === threshold.toFixed(digits);
  return `${label} ${measure(signal_name, value, same ? digits + 1 : digits)}`;
}

/** Returns a change as text: "Fuel fell by 6 % in 4 min, from 80 % to 74 %". */
function changeWords(signal: Shown<AlertSignal>, by: number, { from, to }: NonNullable<Alert['change']>): string {
  const digits = isSignal(signal) ? signalRow(signal).decimals + 1 : 0;
  const text = (value: number, isChange = false) => measure(signal, Number(value.toFixed(digits)), undefined, isChange);
  const ms = Date.parse(to.observed_at) - Date.parse(from.observed_at);
  const took = ms < 1000 ? `${ms} ms` : duration(ms);
  const label = signalLabel(signal);
  const values = { label, change: text(by, true), time: took, from: text(from.value), to: text(to.value) };
  return to.value < from.value
    ? t('{label} fell by {change} in {time}, from {from} to {to}', values)
    : t('{label} rose by {change} in {time}, from {from} to {to}', values);
}

type TestedMachine = Output<'alert_rules_test'>['machines'][number];

/** Returns what a trial found for one alert: "108 °C", "fell by 10 %, from 80 % to 70 %", "no data". */
export const alertWords = (rule: RuleText, found: TestedMachine['alerts'][number]): string =>
  inEnglish(() => foundWords(rule, found));

function foundWords({ signal, geofence }: RuleText, found: TestedMachine['alerts'][number]): string {
  const { condition, value, change_from, service } = found;
  if (service !== null) return officeText(serviceWords(service));
  if (condition === 'no_data') return 'no data';
  if (geofence !== null) return geofence.event === 'enter' ? 'inside the place' : 'outside the place';
  if (value === null) return condition;
  const digits = isSignal(signal) ? signalRow(signal).decimals + 1 : 0;
  const text = (number: number) => measure(signal, Number(number.toFixed(digits)));
  return change_from === null ? text(value) : `changed by ${text(value)} from ${text(change_from.value)}`;
}

/** Returns for how much of the time a trial had values: "values for 33 % of the time, 2 gaps". */
export function trialWords({ coverage, values, gaps_total, minutes_only, unreadable }: TestedMachine): string {
  if (values === 0) return t('no values are stored for this time');
  const percent = coverage > 0 && coverage < 0.01 ? t('less than 1') : Math.floor(coverage * 100);
  const share = t('values for {percent} % of the time', { percent });
  return [
    gaps_total === 0 ? share : `${share}, ${t('{n} gap|{n} gaps', { n: gaps_total })}`,
    ...(minutes_only.length === 0 ? [] : [t('On some days only the extremes of each minute are stored')]),
    ...(unreadable === 0 ? [] : [t('Some records are damaged, and their values are missing')]),
  ].join('. ');
}

/** Returns the limit of an alert as text; null when the text that `crossed` returns already contains the limit. */
export function limitOf({ signal_name, condition, threshold, change, service }: Alert): string | null {
  if (threshold === null || service !== undefined) return null;
  if (change !== undefined)
    return t('limit {limit} within {age}', {
      limit: measure(signal_name, threshold, undefined, true),
      age: duration(change.within_seconds * 1000),
    });
  if (condition === 'no_data') return t('no data for more than {age}', { age: duration(threshold * 1000) });
  return LAMPS.has(signal_name) ? null : t('limit {limit}', { limit: measure(signal_name, threshold) });
}

/**
 * Other rules may have found the same cause and joined an alert. Returns the names of these rules as text, for example "Also Red stop lamp
 * (critical)"; null if there are none.
 */
export function alsoWords({ also = [] }: Alert): string | null {
  if (also.length === 0) return null;
  return t('Also {alerts}', {
    alerts: also.map(({ rule_name, severity }) => `${rule_name} (${inside(t(SEVERITY_WORDS[severity]))})`).join(', '),
  });
}

const GRAVITY: Readonly<Record<Shown<Severity>, number>> = { critical: 0, unknown: 0, warning: 1, info: 2 };

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
  return `${what} is ${op === UNKNOWN_VALUE ? 'beyond' : OPS[op]} ${measure(signal, value)}`;
}

/** Returns the trouble code of a rule: "SPN 100 (Engine oil pressure 1) with FMI 1 (far too low)"; null if the rule has none. */
function ruleCode({ spn, fmi }: RuleText): string | null {
  if (spn === null) return null;
  const parameter = `SPN ${codePartText('spn', String(spn))}`;
  return fmi === null ? parameter : `${parameter} with FMI ${codePartText('fmi', String(fmi))}`;
}

/** Returns the change that a rule watches: "Coolant rises by 10 °C or more within 1 min"; null if the rule has none. */
function changeRuleWords({ signal, change }: RuleText): string | null {
  if (change === null) return null;
  const { direction, by, within_seconds } = change;
  const way = direction === 'rise' ? 'rises' : 'falls';
  return `${signalLabel(signal)} ${way} by ${measure(signal, by)} or more within ${duration(within_seconds * 1000)}`;
}

/** Returns the sentences that say between which values a rule on a change compares, and when its alert is cleared. */
function changeDetails(rule: RuleText): string {
  const { signal, change } = rule;
  if (change === null || !isSignal(signal)) return '';
  const gaps = change.across_gaps
    ? 'It also compares values from before and after a time without data.'
    : `It compares no values across a time without data of more than ${duration(staleAfterS(signal) * 1000)}.`;
  return ` ${gaps} It clears the alert when the change within this time is less than ${measure(signal, change.by / 2)}.`;
}

/** Returns the event of a rule on a geofence: "a machine enters Pit 3 and stays inside for 10 min"; null if the rule has none. */
function fenceWords({ geofence, for_seconds }: RuleText, names: Pick<ScopeNames, 'location'>): string | null {
  if (geofence === null) return null;
  const place = names.location(geofence.location_id);
  const enters = geofence.event === 'enter';
  const stays = ` and stays ${enters ? 'inside' : 'outside'} for ${duration(for_seconds * 1000)}`;
  return `a machine ${enters ? 'enters' : 'leaves'} ${place}${for_seconds === 0 ? '' : stays}`;
}

/** Returns the sentences that say how the gateway finds that a machine crossed a geofence, and when it clears the alert. */
function fenceDetails({ geofence }: RuleText): string {
  if (geofence === null) return '';
  const over = geofence.event === 'enter' ? 'has left again' : 'is inside again';
  const grace = 'A position within 15 m of the fence does not count, and three positions in a row are needed.';
  return ` ${grace} A machine without a known position is neither inside nor outside. The gateway clears the alert when the machine ${over}.`;
}

const FROM_WORDS = {
  due_soon: 'is due soon',
  due: 'is due',
  overdue: 'is overdue',
  unknown: 'is in an unknown state',
} as const;

/** Returns the services that a rule watches: "a service of Engine oil is due or has at most 50 h left"; null if the rule has none. */
function serviceRuleWords({ service }: RuleText, names: Pick<ScopeNames, 'plan'>): string | null {
  if (service === null) return null;
  const { plan_id, from, hours_left, km_left, days_left } = service;
  const what = plan_id === null ? 'a service of a maintenance plan' : `the service ${names.plan(plan_id)}`;
  const leads = [
    ...(hours_left === null ? [] : [`${hours_left} h`]),
    ...(km_left === null ? [] : [`${km_left} km`]),
    ...(days_left === null ? [] : [`${days_left} days`]),
  ];
  return `${what} ${FROM_WORDS[from]}${leads.length === 0 ? '' : ` or has at most ${leads.join(' or ')} left`}`;
}

/** Returns the sentences that say what a rule on services does with unknown meters, and when it clears its alerts. */
function serviceDetails({ service }: RuleText): string {
  if (service === null) return '';
  const each = service.plan_id === null ? ' Each plan has its own alert.' : '';
  return `${each} An unknown meter raises no alert. The gateway clears the alert when the service is recorded, or when the plan changes.`;
}

/**
 * Returns the name of a rule that a person did not name. The gateway stores it, so it is in English and has metric units in every language
 * of the page.
 */
export const ruleName = (rule: RuleText, names: Pick<ScopeNames, 'location' | 'plan'> = PLAIN_NAMES): string =>
  inEnglish(() => nameOf(rule, names));

function nameOf(rule: RuleText, names: Pick<ScopeNames, 'location' | 'plan'>): string {
  const service = serviceRuleWords(rule, names);
  if (service !== null) return (service.charAt(0).toUpperCase() + service.slice(1)).slice(0, 120);
  if (rule.geofence !== null)
    return `${rule.geofence.event === 'enter' ? 'Enters' : 'Leaves'} ${names.location(rule.geofence.location_id)}`.slice(
      0,
      120,
    );
  const change = changeRuleWords(rule);
  if (change !== null) return change.slice(0, 120);
  const code = ruleCode(rule);
  if (code !== null) return `Trouble code ${code}`.slice(0, 120);
  const words = thresholdWords(rule)?.replace(' is ', ' ');
  return words ?? `${signalLabel(rule.signal)}: no data`;
}

/** Functions that return the name of a machine, location or maintenance plan by its id. */
export interface ScopeNames {
  machine(id: string): string;
  location(id: string): string;
  plan(id: string): string;
}

const PLAIN_NAMES = { location: (id: string) => id, plan: (id: string) => id };

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

/** Describes a rule in English sentences with metric units, as the form takes them; null while the rule has no condition. */
export const ruleSentence = (rule: RuleText, names: ScopeNames): string | null =>
  inEnglish(() => sentenceOf(rule, names));

function sentenceOf(rule: RuleText, names: ScopeNames): string | null {
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
  const changing = changeRuleWords(rule);
  const crossed = crossing === null ? null : crossing + hold;
  const services = serviceRuleWords(rule, names);
  const whens = [coded, fenceWords(rule, names), services, changing, crossed, silence].filter((part) => part !== null);
  if (whens.length === 0) return null;
  const article = severity === 'info' || severity === UNKNOWN_VALUE ? 'an' : 'a';
  const kind = `${article} ${severity} alert`;
  const raises = `The gateway raises ${kind} when ${whens.join(', or when ')}, ${scopeWords(rule.scope, names)}.`;
  const over =
    code !== null
      ? ' It clears the alert when the code is no longer active.'
      : op === null || value === null || LAMPS.has(signal)
        ? changeDetails(rule) + fenceDetails(rule) + serviceDetails(rule)
        : ` It clears the alert when ${label} is ${op === UNKNOWN_VALUE ? 'within' : BACK[op]} ${measure(signal, clear_value ?? value)}.`;
  const ticket = !rule.actions.includes('ticket')
    ? ''
    : rule.service === null
      ? ' It makes a repair ticket, or adds the alert to the open ticket about the same fault.'
      : ' It makes the ticket of the plan, or adds the alert to the ticket that the plan has made.';
  const mqtt = rule.actions.includes('mqtt')
    ? ' It sends the alert to lights and horns of the machine and of the site.'
    : '';
  const webhooks = rule.actions.includes('webhook')
    ? ' It sends the alert to webhooks that subscribe to alerts.'
    : ' It sends the alert to no webhook.';
  return `${rule.enabled ? '' : 'Switched off. When switched on: '}${raises}${over}${ticket}${mqtt}${webhooks}`;
}
