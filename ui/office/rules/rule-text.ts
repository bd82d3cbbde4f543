/**
 * Texts of alert rules. They are in the language of the page, with metric units, because the form takes metric values. Only the name of a
 * rule, which the gateway stores, is in English.
 */

import { staleAfterS } from '#contract/base/freshness.ts';
import { UNKNOWN_VALUE } from '#contract/base/shown.ts';
import { isSignal, SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { type AlertSignal, DTC_SIGNALS } from '#contract/work/alert.ts';
import { serviceWords } from '#contract/work/service-words.ts';
import { duration } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { decimals, inEnglish, inMetric, type Text, t, translated, type Word } from '#ui/languages/texts.ts';
import { kindInside } from '#ui/office/base/machine-kinds.ts';
import { DTC_WORDS, LAMPS, measure, signalLabel } from '#ui/office/work/alert-text.ts';
import { codePartText } from '#ui/office/work/ticket-text.ts';

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

/** Returns the signals that a rule can watch, with their labels. */
export const watched = (): (readonly [signal: AlertSignal, text: string])[] => [
  ...SIGNAL_NAMES.map((name) => [name, `${signalLabel(name)} (${signalRow(name).unit})`] as const),
  ...DTC_SIGNALS.map((name) => [name, t(DTC_WORDS[name])] as const),
];

const canChange = (signal: string) => isSignal(signal) && !signal.startsWith('position.');

/** Returns the signals whose change a rule can watch, with their labels. */
export const changeable = () => watched().filter(([signal]) => canChange(signal));

/** Returns the signal if a rule can watch its change, otherwise the first signal whose change a rule can watch. */
export function changing(signal: string): AlertSignal {
  const able = SIGNAL_NAMES.filter(canChange);
  return able.find((one) => one === signal) ?? able[0] ?? 'engine.coolant_temperature';
}

type TestedMachine = Output<'alert_rules_test'>['machines'][number];

/** Returns what a trial found for one alert: "108 °C", "fell by 10 %, from 80 % to 70 %", "no data". */
export const alertWords = (rule: RuleText, found: TestedMachine['alerts'][number]): string =>
  inMetric(() => foundWords(rule, found));

function foundWords({ signal, geofence }: RuleText, found: TestedMachine['alerts'][number]): string {
  const { condition, value, change_from, service } = found;
  if (service !== null) return officeText(serviceWords(service));
  if (condition === 'no_data') return t('no data');
  if (geofence !== null) return t(geofence.event === 'enter' ? 'inside the place' : 'outside the place');
  if (value === null) return condition;
  const digits = isSignal(signal) ? signalRow(signal).decimals + 1 : 0;
  const text = (number: number) => measure(signal, Number(number.toFixed(digits)));
  return change_from === null
    ? text(value)
    : t('changed by {change} from {value}', { change: text(value), value: text(change_from.value) });
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

/** Returns in the language of the page what a trial cannot tell. The gateway sends it as an English sentence. */
export function notJudgedWords({ text }: Output<'alert_rules_test'>['not_judged'][number]): string {
  const more = /^The rule watches (\d+) more machines/.exec(text)?.[1];
  if (more !== undefined) return t('The rule watches {n} more machines, on which it was not tried.', { n: more });
  const [, plan, unit = '', why] = /^(?:(.+) on )?(.+) was not tried: (.+)\.$/.exec(text) ?? [];
  if (why === undefined) return translated(text);
  return plan === undefined
    ? t('{unit} was not tried: {why}.', { unit, why: translated(why) })
    : t('{plan} on {unit} was not tried: {why}.', { plan, unit, why: translated(why) });
}

type Compared = NonNullable<RuleText['op']>;

/** The comparisons of a rule in a sentence. */
const OPS = {
  gt: '{label} is above {value}',
  gte: '{label} is at or above {value}',
  lt: '{label} is below {value}',
  lte: '{label} is at or below {value}',
  [UNKNOWN_VALUE]: '{label} is beyond {value}',
} as const satisfies Record<Compared, Text>;
/** For each comparison with which a rule raises an alert, the opposite comparison, with which the rule clears the alert. */
const BACK = {
  gt: OPS.lte,
  gte: OPS.lt,
  lt: OPS.gte,
  lte: OPS.gt,
  [UNKNOWN_VALUE]: '{label} is within {value}',
} as const satisfies Record<Compared, Text>;

function thresholdWords({ signal, op, value }: RuleText): string | null {
  if (op === null || value === null) return null;
  const lamp = LAMPS.has(signal);
  const label = signalLabel(signal);
  if (lamp && ((op === 'gte' && value === 1) || (op === 'gt' && value === 0))) return t('{label} is on', { label });
  const what = lamp ? t('the number of control units with {label} on', { label }) : label;
  return t(OPS[op], { label: what, value: measure(signal, value) });
}

/** Returns the trouble code of a rule: "SPN 100 (Engine oil pressure 1) with FMI 1 (far too low)"; null if the rule has none. */
function ruleCode({ spn, fmi }: RuleText): string | null {
  if (spn === null) return null;
  const parameter = `SPN ${codePartText('spn', String(spn))}`;
  return fmi === null
    ? parameter
    : t('{code} with {failure}', { code: parameter, failure: `FMI ${codePartText('fmi', String(fmi))}` });
}

/** Returns the change that a rule watches: "Coolant rises by 10 °C or more within 1 min"; null if the rule has none. */
function changeRuleWords({ signal, change }: RuleText): string | null {
  if (change === null) return null;
  const { direction, by, within_seconds } = change;
  const values = { label: signalLabel(signal), change: measure(signal, by), age: duration(within_seconds * 1000) };
  return direction === 'rise'
    ? t('{label} rises by {change} or more within {age}', values)
    : t('{label} falls by {change} or more within {age}', values);
}

/** Returns the sentences that say between which values a rule on a change compares, and when its alert is cleared. */
function changeDetails({ signal, change }: RuleText): string[] {
  if (change === null || !isSignal(signal)) return [];
  return [
    change.across_gaps
      ? t('It also compares values from before and after a time without data.')
      : t('It compares no values across a time without data of more than {age}.', {
          age: duration(staleAfterS(signal) * 1000),
        }),
    t('It clears the alert when the change within this time is less than {change}.', {
      change: measure(signal, change.by / 2),
    }),
  ];
}

/** Returns the event of a rule on a geofence: "a machine enters Pit 3 and stays inside for 10 min"; null if the rule has none. */
function fenceWords({ geofence, for_seconds }: RuleText, names: Pick<ScopeNames, 'location'>): string | null {
  if (geofence === null) return null;
  const place = names.location(geofence.location_id);
  const enters = geofence.event === 'enter';
  if (for_seconds === 0)
    return enters ? t('a machine enters {place}', { place }) : t('a machine leaves {place}', { place });
  const values = { place, age: duration(for_seconds * 1000) };
  return enters
    ? t('a machine enters {place} and stays inside for {age}', values)
    : t('a machine leaves {place} and stays outside for {age}', values);
}

/** Returns the sentences that say how the gateway finds that a machine crossed a geofence, and when it clears the alert. */
function fenceDetails({ geofence }: RuleText): string[] {
  if (geofence === null) return [];
  return [
    t('A position within 15 m of the fence does not count, and three positions in a row are needed.'),
    t('A machine without a known position is neither inside nor outside.'),
    geofence.event === 'enter'
      ? t('The gateway clears the alert when the machine has left again.')
      : t('The gateway clears the alert when the machine is inside again.'),
  ];
}

const FROM_WORDS = {
  due_soon: '{service} is due soon',
  due: '{service} is due',
  overdue: '{service} is overdue',
  [UNKNOWN_VALUE]: '{service} is in an unknown state',
} as const satisfies Record<NonNullable<RuleText['service']>['from'], Text>;

/** Returns the services that a rule watches: "a service of Engine oil is due or has at most 50 h left"; null if the rule has none. */
function serviceRuleWords({ service }: RuleText, names: Pick<ScopeNames, 'plan'>): string | null {
  if (service === null) return null;
  const { plan_id, from, hours_left, km_left, days_left } = service;
  const what =
    plan_id === null ? t('a service of a maintenance plan') : t('the service {plan}', { plan: names.plan(plan_id) });
  const when = t(FROM_WORDS[from], { service: what });
  const leads = [
    ...(hours_left === null ? [] : [`${decimals(String(hours_left))} h`]),
    ...(km_left === null ? [] : [`${decimals(String(km_left))} km`]),
    ...(days_left === null ? [] : [t('{n} day|{n} days', { n: days_left })]),
  ];
  return leads.length === 0 ? when : t('{when} or has at most {left} left', { when, left: either(leads) });
}

/** Returns the sentences that say what a rule on services does with unknown meters, and when it clears its alerts. */
function serviceDetails({ service }: RuleText): string[] {
  if (service === null) return [];
  return [
    ...(service.plan_id === null ? [t('Each plan has its own alert.')] : []),
    t('An unknown meter raises no alert.'),
    t('The gateway clears the alert when the service is recorded, or when the plan changes.'),
  ];
}

const either = (names: readonly string[]) => names.join(` ${t('or')} `);

/** Returns the name of a rule that a person did not name. The gateway stores it, so it is in English in every language of the page. */
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
  if (equipment_ids.length + kinds.length + location_ids.length === 0) return t('on all machines');
  return [
    equipment_ids.length > 0
      ? t('on {machines}', { machines: equipment_ids.map(names.machine).join(', ') })
      : t('on machines'),
    ...(kinds.length > 0 ? [t('of the kind {kinds}', { kinds: either(kinds.map(kindInside)) })] : []),
    ...(location_ids.length > 0 ? [t('in {places}', { places: either(location_ids.map(names.location)) })] : []),
  ].join(' ');
}

const RAISES = {
  critical: 'The gateway raises a critical alert when {when}, {scope}.',
  warning: 'The gateway raises a warning alert when {when}, {scope}.',
  info: 'The gateway raises an info alert when {when}, {scope}.',
  [UNKNOWN_VALUE]: 'The gateway raises an unknown alert when {when}, {scope}.',
} as const satisfies Record<Rule['severity'], Text>;

/** Describes a rule in sentences with metric units, as the form takes them; null while the rule has no condition. */
export const ruleSentence = (rule: RuleText, names: ScopeNames): string | null =>
  inMetric(() => sentenceOf(rule, names));

function sentenceOf(rule: RuleText, names: ScopeNames): string | null {
  const { signal, op, value, for_seconds, clear_value, no_data_seconds, severity } = rule;
  const label = signalLabel(signal);
  const hold = (when: string | null) =>
    when === null || for_seconds === 0 ? when : t('{when} for {age}', { when, age: duration(for_seconds * 1000) });
  const code = ruleCode(rule);
  const whens = [
    hold(code === null ? null : t('the trouble code {code} is active', { code })),
    fenceWords(rule, names),
    serviceRuleWords(rule, names),
    changeRuleWords(rule),
    hold(thresholdWords(rule)),
    no_data_seconds === null
      ? null
      : t('a machine that sent {label} before sends none for {age}', { label, age: duration(no_data_seconds * 1000) }),
  ].filter((part) => part !== null);
  if (whens.length === 0) return null;
  const when = whens.reduce((first, next) => t('{first}, or when {next}', { first, next }));
  const raises = t(RAISES[severity], { when, scope: scopeWords(rule.scope, names) });
  return [
    rule.enabled ? raises : t('Switched off. When switched on: {sentence}', { sentence: raises }),
    ...(code !== null
      ? [t('It clears the alert when the code is no longer active.')]
      : op === null || value === null || LAMPS.has(signal)
        ? [...changeDetails(rule), ...fenceDetails(rule), ...serviceDetails(rule)]
        : [
            t('It clears the alert when {when}.', {
              when: t(BACK[op], { label, value: measure(signal, clear_value ?? value) }),
            }),
          ]),
    ...actionSentences(rule),
  ].join(' ');
}

/** Returns the sentences that say what a rule does with its alerts. */
function actionSentences({ actions, service }: RuleText): string[] {
  const says: (Word | false)[] = [
    actions.includes('ticket') &&
      (service === null
        ? 'It makes a repair ticket, or adds the alert to the open ticket about the same fault.'
        : 'It makes the ticket of the plan, or adds the alert to the ticket that the plan has made.'),
    actions.includes('mqtt') && 'It sends the alert to lights and horns of the machine and of the site.',
    actions.includes('webhook')
      ? 'It sends the alert to webhooks that subscribe to alerts.'
      : 'It sends the alert to no webhook.',
  ];
  return says.filter((one) => one !== false).map((one) => t(one));
}
