/** Operations on alert rules. */

import { OperationError } from '#contract/base/errors.ts';
import { isSignal } from '#contract/base/signals.ts';
import { type Sayable, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { type AlertRuleData, FENCE_SIGNAL, SERVICE_SIGNAL } from '#contract/work/alert.ts';
import { BUILT_IN_RULES, builtInRuleId } from '#domain/work/alert-rules.ts';
import { watchesCode } from '#domain/work/alerts.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import {
  applyFields,
  checkRevision,
  requireRecord,
  requireRecords,
  requireRevision,
  wireBase,
} from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';

type AlertRule = Output<'alert_rules_get'>;

/**
 * Largest number of rules of a project, including built-in rules. The number is limited because the gateway evaluates every rule for each
 * changed value.
 */
const MOST_RULES = 200;

/** Stages (adds to the commit of this call) the built-in rules of a new project. */
export function stageBuiltInRules(context: HandlerContext, view: StagedView): void {
  for (const data of BUILT_IN_RULES)
    view.stage<AlertRuleData>({
      collection: 'records',
      id: builtInRuleId(context.sha256, view.project_id, data.built_in),
      object: 'alert_rule',
      data,
      expected: 0,
    });
}

/** Values for the fields that rules of earlier versions do not have. */
const LATER_FIELDS = { spn: null, fmi: null, change: null, geofence: null, service: null };

function toRule(document: Stored<AlertRuleData>): AlertRule {
  return { object: 'alert_rule', ...wireBase(document), ...LATER_FIELDS, ...document.data } as AlertRule;
}

function refuse(param: string, message: Sayable): never {
  throw new OperationError('parameter_invalid', message, { param });
}

/** Throws if a rule on a trouble code also has another condition, or if it has an FMI without an SPN. */
function checkCode(rule: AlertRuleData): void {
  const { signal, spn = null, fmi = null } = rule;
  if (spn === null) {
    if (fmi !== null) refuse('fmi', '`fmi` narrows the trouble code of `spn`; give `spn` too.');
    return;
  }
  if (signal !== 'dtc.active') refuse('signal', 'A rule with `spn` has the signal `dtc.active`.');
  checkAlone('spn', rule);
}

/** Throws if a rule on a change also has another condition, or watches a signal whose change says nothing. */
function checkChange(rule: AlertRuleData): void {
  const { signal, for_seconds, change = null, spn = null } = rule;
  if (change === null) return;
  if (spn !== null) refuse('change', 'A rule has `spn` or `change`, not both: create a second rule.');
  if (!isSignal(signal)) refuse('signal', 'A rule with `change` watches a measured signal.');
  if (signal.startsWith('position.'))
    refuse('signal', 'A rule with `change` cannot watch a position or a heading, because these are angles.');
  if (for_seconds !== 0)
    refuse('for_seconds', 'A rule with `change` raises its alert at once: leave out `for_seconds`.');
  checkAlone('change', rule);
}

/** Throws if a rule on a geofence also has another condition, or if its location has no geofence. */
async function checkGeofence(view: StagedView, rule: AlertRuleData): Promise<void> {
  const { signal, geofence = null, change = null, spn = null } = rule;
  if (geofence === null) {
    if (signal === FENCE_SIGNAL)
      refuse('geofence', say('A rule on `{fence_signal}` needs `geofence`.', { fence_signal: FENCE_SIGNAL }));
    return;
  }
  if (signal !== FENCE_SIGNAL)
    refuse('signal', say('A rule with `geofence` has the signal `{fence_signal}`.', { fence_signal: FENCE_SIGNAL }));
  if (change !== null || spn !== null)
    refuse('geofence', 'A rule has `geofence`, `change` or `spn`, and only one of them: create a second rule.');
  checkAlone('geofence', rule);
  const [location] = await view.getMany<LocationData>('records', [geofence.location_id]);
  if (location?.object !== 'location') refuse('geofence.location_id', 'The project has no location with this id.');
  if (location.data.geofence === null)
    refuse(
      'geofence.location_id',
      say('The location {name} has no geofence: give it one first.', { name: location.data.name }),
    );
}

/** Throws if a rule on services also has another condition, if it has a state and a lead, or if its plan does not exist. */
async function checkService(view: StagedView, rule: AlertRuleData): Promise<void> {
  const { signal, for_seconds, service = null } = rule;
  if (service === null) {
    if (signal === SERVICE_SIGNAL)
      refuse('service', say('A rule on `{service_signal}` needs `service`.', { service_signal: SERVICE_SIGNAL }));
    return;
  }
  if (signal !== SERVICE_SIGNAL)
    refuse(
      'signal',
      say('A rule with `service` has the signal `{service_signal}`.', { service_signal: SERVICE_SIGNAL }),
    );
  if (for_seconds !== 0)
    refuse('for_seconds', 'A rule with `service` raises its alert at once: leave out `for_seconds`.');
  checkAlone('service', rule);
  const { plan_id, from, hours_left, km_left, days_left } = service;
  if (from === 'overdue' && (hours_left !== null || km_left !== null || days_left !== null))
    refuse(
      'service.from',
      'With `hours_left`, `km_left` or `days_left` the alert comes before the service is due: leave out `from`.',
    );
  if (plan_id === null) return;
  const [plan] = await view.getMany('records', [plan_id]);
  if (plan?.object !== 'maintenance_plan')
    refuse('service.plan_id', 'The project has no maintenance plan with this id.');
}

/** Throws if a rule with the condition `condition` also has a threshold or watches for missing data. */
function checkAlone(condition: string, { op, value, clear_value, no_data_seconds }: AlertRuleData): void {
  for (const [name, given] of Object.entries({ op, value, clear_value, no_data_seconds }))
    if (given !== null)
      refuse(
        name,
        say('A rule with `{condition}` has no other condition: leave out `{name}`, or create a second rule for it.', {
          condition,
          name,
        }),
      );
}

/** Throws if the gateway cannot evaluate the rule, or if the rule names an object that the project does not have. */
export async function checkRule(view: StagedView, rule: AlertRuleData): Promise<void> {
  const { op, value, clear_value, no_data_seconds, scope, mute } = rule;
  checkCode(rule);
  checkChange(rule);
  await checkGeofence(view, rule);
  await checkService(view, rule);
  if ((op === null) !== (value === null))
    refuse(op === null ? 'op' : 'value', 'Give both `op` and `value`, or neither.');
  const isOther = watchesCode(rule) || [rule.change, rule.geofence, rule.service].some((one) => one != null);
  if (value === null && no_data_seconds === null && !isOther)
    refuse(
      'value',
      'A rule has a threshold (`op`, `value`), `no_data_seconds`, both of these, a trouble code (`spn`), a `change`, a `geofence`, or a `service`.',
    );
  if (clear_value !== null) {
    if (op === null || value === null)
      refuse('clear_value', '`clear_value` needs a threshold: give `op` and `value` too.');
    const beyond = op === 'gt' || op === 'gte' ? clear_value > value : clear_value < value;
    if (beyond)
      refuse(
        'clear_value',
        'With this `clear_value` the alert would clear while the value still crosses the threshold; choose one on the other side of `value`.',
      );
  }
  mute.forEach(({ from, until }, i) => {
    if (from !== null && Date.parse(until) <= Date.parse(from))
      refuse(`mute[${i}].until`, 'The mute ends before it begins.');
  });
  const muted = mute.map(({ equipment_id }) => equipment_id).filter((id) => id !== null);
  await requireRecords(view, 'equipment', scope.equipment_ids, 'scope');
  await requireRecords(view, 'equipment', muted, 'mute');
  await requireRecords(view, 'location', scope.location_ids, 'scope');
}

export const alertRuleHandlers = handlerGroup([], {
  async alert_rules_create(input, context) {
    const { view } = context;
    const data: AlertRuleData = { ...input, built_in: null };
    await checkRule(view, data);
    const known = await view.find('records', { object: 'alert_rule', limit: MOST_RULES });
    if (known.length >= MOST_RULES)
      throw new OperationError(
        'limit_reached',
        say('A project can have at most {most_rules} alert rules.', { most_rules: MOST_RULES }),
      );
    const id = context.newId('alert_rule');
    const document = view.stage({ collection: 'records', id, object: 'alert_rule', data, expected: 0 });
    stageAudit(context, view, 'alert_rule', id, 'created', { name: data.name });
    return toRule(document);
  },

  async alert_rules_list(input, context) {
    return listPage<AlertRuleData, AlertRule>(
      context,
      context.view,
      'records',
      input,
      {
        object: 'alert_rule',
        where: { 'data.severity': input.severity, 'data.signal': input.signal },
        text: ({ data }) => [data.name, data.signal],
      },
      (rules) => rules.map(toRule),
    );
  },

  async alert_rules_get({ id }, context) {
    return toRule(await requireRecord<AlertRuleData>(context.view, 'alert_rule', id));
  },

  async alert_rules_update({ id, ...given }, context) {
    const { view } = context;
    const current = await requireRecord<AlertRuleData>(view, 'alert_rule', id);
    requireRevision(context, current);
    const { data, fields } = applyFields({ ...LATER_FIELDS, ...current.data }, given as Partial<AlertRuleData>);
    if (fields.length === 0) return toRule(current);
    await checkRule(view, data);
    const { revision: expected } = current;
    const document = view.stage({ collection: 'records', id, object: 'alert_rule', data, current, expected });
    stageAudit(context, view, 'alert_rule', id, 'updated', { fields });
    return toRule(document);
  },

  async alert_rules_delete({ id }, context) {
    const { view } = context;
    const current = await requireRecord<AlertRuleData>(view, 'alert_rule', id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    if (data.built_in !== null)
      throw new OperationError('permission_denied', 'A built-in rule cannot be deleted; set `enabled` to false.', {
        param: 'id',
      });
    view.stage({ collection: 'records', id, object: 'alert_rule', data, current, expected, deleted: true });
    stageAudit(context, view, 'alert_rule', id, 'deleted', { name: data.name });
    return { object: 'alert_rule', id, deleted: true as const };
  },
});
