/** The form fields of an alert rule, and the request that stores the rule. */

import type { Input } from '#contract/operations.ts';
import { type AlertSignal, MAX_FMI, MAX_SPN, type Severity } from '#contract/work/alert.ts';
import { parseInteger, parseNumber } from '#ui/office/base/numbers.ts';
import { type Rule, ruleName } from './alert-text.ts';

/** The fields of the form of an alert rule. Numbers are text as the person typed them. */
export type RuleFields = {
  readonly name: string;
  /** What the rule watches: a signal or a trouble code. */
  readonly watch: 'signal' | 'code';
  readonly signal: string;
  /** The threshold; empty when the rule has none. */
  readonly op: string;
  readonly value: string;
  readonly for_seconds: string;
  readonly clear_value: string;
  /** After this many minutes without data the rule raises an alert; empty if the rule raises no alert for missing data. */
  readonly silent_minutes: string;
  readonly spn: string;
  /** The failure mode of the trouble code; empty when the rule covers every failure mode. */
  readonly fmi: string;
  readonly severity: Severity;
  readonly equipment_ids: readonly string[];
  readonly kinds: readonly string[];
  readonly location_ids: readonly string[];
  readonly webhook: boolean;
  readonly enabled: boolean;
};

const plain = (value: number | null) => (value === null ? '' : String(value));

/** Returns the fields of a stored rule. */
export function fieldsOfRule(rule: Rule): RuleFields {
  return {
    name: rule.name,
    watch: rule.spn === null ? 'signal' : 'code',
    signal: rule.signal,
    op: rule.op ?? '',
    value: plain(rule.value),
    for_seconds: String(rule.for_seconds),
    clear_value: plain(rule.clear_value),
    silent_minutes: rule.no_data_seconds === null ? '' : String(rule.no_data_seconds / 60),
    spn: plain(rule.spn),
    fmi: plain(rule.fmi),
    severity: rule.severity,
    equipment_ids: rule.scope.equipment_ids,
    kinds: rule.scope.kinds,
    location_ids: rule.scope.location_ids,
    webhook: rule.actions.includes('webhook'),
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
  severity: 'warning',
  equipment_ids: [],
  kinds: [],
  location_ids: [],
  webhook: true,
  enabled: true,
};

type RuleInput = Input<'alert_rules_create'> & { signal: AlertSignal };

/** Returns the condition of a rule on a signal. */
function signalCondition(fields: RuleFields) {
  const value = fields.op === '' ? null : parseNumber(fields.value, 'The limit');
  const minutes = parseNumber(fields.silent_minutes, 'The time without data');
  return {
    signal: fields.signal as AlertSignal,
    op: value === null ? null : (fields.op as NonNullable<RuleInput['op']>),
    value,
    clear_value: value === null ? null : parseNumber(fields.clear_value, 'The clearing value'),
    no_data_seconds: minutes === null ? null : Math.round(minutes * 60),
    spn: null,
    fmi: null,
  };
}

/** Returns the condition of a rule on a trouble code. */
function codeCondition(fields: RuleFields) {
  const spn = parseInteger(fields.spn, MAX_SPN, 'The SPN');
  if (spn === null) throw new Error('Enter the SPN of the trouble code.');
  return {
    signal: 'dtc.active' as const,
    op: null,
    value: null,
    clear_value: null,
    no_data_seconds: null,
    spn,
    fmi: parseInteger(fields.fmi, MAX_FMI, 'The FMI'),
  };
}

/** Converts the form to the request that stores the rule. Throws an error that names an invalid number. */
export function ruleOf(fields: RuleFields) {
  const rule = {
    ...(fields.watch === 'code' ? codeCondition(fields) : signalCondition(fields)),
    for_seconds: Math.round(parseNumber(fields.for_seconds, 'The time beyond the limit') ?? 0),
    severity: fields.severity,
    scope: {
      equipment_ids: [...fields.equipment_ids],
      kinds: [...fields.kinds],
      location_ids: [...fields.location_ids],
    },
    actions: fields.webhook ? (['webhook'] as 'webhook'[]) : [],
    enabled: fields.enabled,
  };
  return { name: fields.name.trim() || ruleName(rule), ...rule };
}
