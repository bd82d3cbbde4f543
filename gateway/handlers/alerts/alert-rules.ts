/** Operations on alert rules. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';
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

/** Values for two fields that rules of earlier versions do not have. */
const NO_CODE = { spn: null, fmi: null };

function toRule(document: Stored<AlertRuleData>): AlertRule {
  const { spn = null, fmi = null } = document.data;
  return { object: 'alert_rule', ...wireBase(document), ...document.data, spn, fmi };
}

function refuse(param: string, message: string): never {
  throw new OperationError('parameter_invalid', message, { param });
}

/** Throws if a rule on a trouble code also has another condition, or if it has an FMI without an SPN. */
function checkCode({ signal, op, value, clear_value, no_data_seconds, spn = null, fmi = null }: AlertRuleData): void {
  if (spn === null) {
    if (fmi !== null) refuse('fmi', '`fmi` narrows the trouble code of `spn`; give `spn` too.');
    return;
  }
  if (signal !== 'dtc.active') refuse('signal', 'A rule with `spn` has the signal `dtc.active`.');
  for (const [name, given] of Object.entries({ op, value, clear_value, no_data_seconds }))
    if (given !== null)
      refuse(
        name,
        `A rule with \`spn\` has no other condition: leave out \`${name}\`, or create a second rule for it.`,
      );
}

/** Throws if the gateway cannot evaluate the rule, or if the rule names an object that the project does not have. */
async function checkRule(view: StagedView, rule: AlertRuleData): Promise<void> {
  const { op, value, clear_value, no_data_seconds, scope, mute } = rule;
  checkCode(rule);
  if ((op === null) !== (value === null))
    refuse(op === null ? 'op' : 'value', 'Give both `op` and `value`, or neither.');
  if (value === null && no_data_seconds === null && !watchesCode(rule))
    refuse(
      'value',
      'A rule has a threshold (`op`, `value`), `no_data_seconds`, both of these, or a trouble code (`spn`).',
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
      throw new OperationError('limit_reached', `A project can have at most ${MOST_RULES} alert rules.`);
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
    const { data, fields } = applyFields({ ...NO_CODE, ...current.data }, given as Partial<AlertRuleData>);
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
