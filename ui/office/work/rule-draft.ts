/** The form fields of an alert rule, and the request that they make. Pure. */

import type { Input } from '#contract/operations.ts';
import type { AlertSignal, Severity } from '#contract/work/alert.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { type Rule, ruleName } from './alert-text.ts';

/** The fields of the form; numbers as text, silence in minutes. */
export type RuleFields = {
  readonly name: string;
  readonly signal: string;
  /** Empty when the rule has no threshold. */
  readonly op: string;
  readonly value: string;
  readonly for_seconds: string;
  readonly clear_value: string;
  /** Empty when missing data raises no alert. */
  readonly silent_minutes: string;
  readonly severity: Severity;
  readonly equipment_ids: readonly string[];
  readonly kinds: readonly string[];
  readonly location_ids: readonly string[];
  readonly webhook: boolean;
  readonly enabled: boolean;
};

const plain = (value: number | null) => (value === null ? '' : String(value));

/** The fields of a stored rule. */
export function fieldsOfRule(rule: Rule): RuleFields {
  return {
    name: rule.name,
    signal: rule.signal,
    op: rule.op ?? '',
    value: plain(rule.value),
    for_seconds: String(rule.for_seconds),
    clear_value: plain(rule.clear_value),
    silent_minutes: rule.no_data_seconds === null ? '' : String(rule.no_data_seconds / 60),
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
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: '',
  for_seconds: '30',
  clear_value: '',
  silent_minutes: '',
  severity: 'warning',
  equipment_ids: [],
  kinds: [],
  location_ids: [],
  webhook: true,
  enabled: true,
};

type RuleInput = Input<'alert_rules_create'> & { signal: AlertSignal };

/** The request of a form; throws an error that names an invalid number. */
export function ruleOf(fields: RuleFields) {
  const value = fields.op === '' ? null : parseNumber(fields.value, 'The limit');
  const minutes = parseNumber(fields.silent_minutes, 'The time without data');
  const rule = {
    signal: fields.signal as AlertSignal,
    op: value === null ? null : (fields.op as NonNullable<RuleInput['op']>),
    value,
    for_seconds: Math.round(parseNumber(fields.for_seconds, 'The time beyond the limit') ?? 0),
    clear_value: value === null ? null : parseNumber(fields.clear_value, 'The clearing value'),
    no_data_seconds: minutes === null ? null : Math.round(minutes * 60),
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
