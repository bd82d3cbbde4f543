/** The form fields of an alert rule, and the request that stores the rule. */

import { UNKNOWN_VALUE } from '#contract/base/shown.ts';
import type { Input } from '#contract/operations.ts';
import {
  ACTIONS,
  type AlertSignal,
  FENCE_SIGNAL,
  MAX_FMI,
  MAX_SPN,
  SERVICE_SIGNAL,
  type Severity,
} from '#contract/work/alert.ts';
import { t } from '#ui/languages/texts.ts';
import { parseInteger, parseNumber, typedNumber } from '#ui/office/base/numbers.ts';
import { changing, type Rule, ruleName, type ScopeNames } from './rule-text.ts';

/** The fields of the form of an alert rule. Numbers are text as the person typed them. */
export type RuleFields = {
  readonly name: string;
  /** What the rule watches: a signal, a change of a signal, a trouble code, a geofence, or a service. */
  readonly watch: 'signal' | 'change' | 'code' | 'geofence' | 'service';
  readonly signal: string;
  /** The threshold; empty when the rule has none. */
  readonly op: string;
  readonly value: string;
  readonly for_seconds: string;
  readonly clear_value: string;
  /** After this many minutes without data the rule raises an alert; empty if the rule raises no alert for missing data. */
  readonly silent_minutes: string;
  readonly spn: string;
  /** The change: its direction, its size, and the time within which it happens in seconds. */
  readonly direction: 'rise' | 'fall';
  readonly by: string;
  readonly within_seconds: string;
  readonly across_gaps: boolean;
  /** The location with the geofence; empty if none is selected. */
  readonly fence_id: string;
  readonly fence_event: 'enter' | 'leave';
  /** The maintenance plan; empty for every plan of a machine. */
  readonly plan_id: string;
  readonly service_from: 'due_soon' | 'due' | 'overdue';
  /** What is left at most when the rule raises an alert before the service is due; empty if it does not. */
  readonly hours_left: string;
  readonly km_left: string;
  readonly days_left: string;
  /** The failure mode of the trouble code; empty when the rule covers every failure mode. */
  readonly fmi: string;
  readonly severity: Severity;
  readonly equipment_ids: readonly string[];
  readonly kinds: readonly string[];
  readonly location_ids: readonly string[];
  readonly webhook: boolean;
  readonly ticket: boolean;
  readonly mqtt: boolean;
  readonly enabled: boolean;
};

function watchOf({ spn, change, geofence, service }: Rule): RuleFields['watch'] {
  if (spn !== null) return 'code';
  if (change !== null) return 'change';
  if (geofence !== null) return 'geofence';
  return service === null ? 'signal' : 'service';
}

/** A rule whose values this version knows, so that a person can edit it here. */
export type KnownRule = Rule & Input<'alert_rules_create'>;

/** False if only a newer version knows a value of the condition, the severity or the actions of a rule. */
export function isKnown(rule: Rule): rule is KnownRule {
  const { signal, op, severity, actions, change, geofence, service } = rule;
  const values = [signal, op, severity, ...actions, change?.direction, geofence?.event, service?.from];
  return !values.includes(UNKNOWN_VALUE);
}

/** Returns the fields of a stored rule. */
export function fieldsOfRule(rule: KnownRule): RuleFields {
  return {
    name: rule.name,
    watch: watchOf(rule),
    signal: rule.signal,
    op: rule.op ?? '',
    value: typedNumber(rule.value),
    for_seconds: String(rule.for_seconds),
    clear_value: typedNumber(rule.clear_value),
    silent_minutes: rule.no_data_seconds === null ? '' : String(rule.no_data_seconds / 60),
    spn: typedNumber(rule.spn),
    fmi: typedNumber(rule.fmi),
    direction: rule.change?.direction ?? NEW_RULE.direction,
    by: typedNumber(rule.change?.by ?? null),
    within_seconds: String(rule.change?.within_seconds ?? NEW_RULE.within_seconds),
    across_gaps: rule.change?.across_gaps ?? NEW_RULE.across_gaps,
    fence_id: rule.geofence?.location_id ?? '',
    fence_event: rule.geofence?.event ?? NEW_RULE.fence_event,
    plan_id: rule.service?.plan_id ?? '',
    service_from: rule.service?.from ?? NEW_RULE.service_from,
    hours_left: typedNumber(rule.service?.hours_left ?? null),
    km_left: typedNumber(rule.service?.km_left ?? null),
    days_left: typedNumber(rule.service?.days_left ?? null),
    severity: rule.severity,
    equipment_ids: rule.scope.equipment_ids,
    kinds: rule.scope.kinds,
    location_ids: rule.scope.location_ids,
    webhook: rule.actions.includes('webhook'),
    ticket: rule.actions.includes('ticket'),
    mqtt: rule.actions.includes('mqtt'),
    enabled: rule.enabled,
  };
}

/** The fields of a new rule. */
export const NEW_RULE: RuleFields = {
  name: '',
  watch: 'signal',
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: '',
  for_seconds: '30',
  clear_value: '',
  silent_minutes: '',
  spn: '',
  fmi: '',
  direction: 'rise',
  by: '',
  within_seconds: '60',
  across_gaps: false,
  fence_id: '',
  fence_event: 'enter',
  plan_id: '',
  service_from: 'due',
  hours_left: '',
  km_left: '',
  days_left: '',
  severity: 'warning',
  equipment_ids: [],
  kinds: [],
  location_ids: [],
  webhook: true,
  ticket: false,
  mqtt: false,
  enabled: true,
};

type RuleInput = Input<'alert_rules_create'> & { signal: AlertSignal };

/** The fields of a rule without any condition. */
const NO_CONDITION = {
  op: null,
  value: null,
  clear_value: null,
  no_data_seconds: null,
  spn: null,
  fmi: null,
  change: null,
  geofence: null,
  service: null,
} as const;

/** Returns the condition of a rule on a signal. */
function signalCondition(fields: RuleFields) {
  const value = fields.op === '' ? null : parseNumber(fields.value, t('The limit'));
  const minutes = parseNumber(fields.silent_minutes, t('The time without data'));
  return {
    ...NO_CONDITION,
    signal: fields.signal as AlertSignal,
    op: value === null ? null : (fields.op as NonNullable<RuleInput['op']>),
    value,
    clear_value: value === null ? null : parseNumber(fields.clear_value, t('The clearing value')),
    no_data_seconds: minutes === null ? null : Math.round(minutes * 60),
  };
}

/** Returns the condition of a rule on a change. */
function changeCondition(fields: RuleFields) {
  const by = parseNumber(fields.by, t('The change'));
  if (by === null || by <= 0) throw new Error(t('Enter the size of the change, a number above 0.'));
  return {
    ...NO_CONDITION,
    signal: changing(fields.signal),
    change: {
      direction: fields.direction,
      by,
      within_seconds: Number(fields.within_seconds),
      across_gaps: fields.across_gaps,
    },
  };
}

/** Returns the condition of a rule on a trouble code. */
function codeCondition(fields: RuleFields) {
  const spn = parseInteger(fields.spn, MAX_SPN, t('The SPN'));
  if (spn === null) throw new Error(t('Enter the SPN of the trouble code.'));
  const fmi = parseInteger(fields.fmi, MAX_FMI, t('The FMI'));
  return { ...NO_CONDITION, signal: 'dtc.active' as const, spn, fmi };
}

/** Returns the condition of a rule on a geofence. */
function fenceCondition(fields: RuleFields) {
  if (fields.fence_id === '') throw new Error(t('Select a place with a geofence.'));
  const geofence = { location_id: fields.fence_id, event: fields.fence_event };
  return { ...NO_CONDITION, signal: FENCE_SIGNAL, geofence } as const;
}

/** Returns the condition of a rule on services. */
function serviceCondition(fields: RuleFields) {
  const isBefore = fields.service_from !== 'overdue';
  const lead = (text: string, what: string) => {
    const left = isBefore ? parseNumber(text, what) : null;
    if (left !== null && left <= 0) throw new Error(t('{what} must be above 0.', { what }));
    return left;
  };
  const days = lead(fields.days_left, t('The days left'));
  const service = {
    plan_id: fields.plan_id === '' ? null : fields.plan_id,
    from: fields.service_from,
    hours_left: lead(fields.hours_left, t('The engine hours left')),
    km_left: lead(fields.km_left, t('The distance left')),
    days_left: days === null ? null : Math.max(1, Math.round(days)),
  };
  return { ...NO_CONDITION, signal: SERVICE_SIGNAL, service } as const;
}

const CONDITIONS = {
  signal: signalCondition,
  change: changeCondition,
  code: codeCondition,
  geofence: fenceCondition,
  service: serviceCondition,
} as const;

/**
 * Converts the form to the request that stores the rule. Throws an error that names an invalid number. `names` returns the name of a
 * location or maintenance plan.
 */
export function ruleOf(fields: RuleFields, names?: Pick<ScopeNames, 'location' | 'plan'>) {
  const hold = Math.round(parseNumber(fields.for_seconds, t('The time beyond the limit')) ?? 0);
  const isAtOnce = fields.watch === 'change' || fields.watch === 'service';
  const rule = {
    ...CONDITIONS[fields.watch](fields),
    for_seconds: isAtOnce ? 0 : hold,
    severity: fields.severity,
    scope: {
      equipment_ids: [...fields.equipment_ids],
      kinds: [...fields.kinds],
      location_ids: [...fields.location_ids],
    },
    actions: ACTIONS.filter((action) => fields[action]),
    enabled: fields.enabled,
  };
  return { name: fields.name.trim() || ruleName(rule, names), ...rule };
}
