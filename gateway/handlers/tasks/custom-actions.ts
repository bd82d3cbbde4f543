/**
 * Operations on custom actions. A run (one execution of an action) stores the revision of the action, so that a later change of the action
 * does not affect the run.
 */

import { OperationError } from '#contract/base/errors.ts';
import { part, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { CustomActionData } from '#contract/work/custom-action.ts';
import { stageTask } from '#domain/runs/writes.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  type WithMedia,
  wireBase,
} from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { isSkill } from '#handlers/work/skills.ts';
import { agentRun, requireRoom } from './agent-runs.ts';
import { oneTask } from './tasks.ts';

type CustomAction = Output<'custom_actions_get'>;
type Data = CustomActionData & WithMedia;

function toAction(document: Stored<Data>): CustomAction {
  const { media, ...fields } = document.data;
  return { object: 'custom_action', ...wireBase(document), ...fields, context: contextOf({ ...(media && { media }) }) };
}

/**
 * Returns the subject of a run. Throws if the action requires a subject and the request names none. Throws also if the action has no
 * subject and the request names one.
 */
async function subjectOf(
  context: HandlerContext,
  scope: Data['scope'],
  subject_id: string | undefined,
): Promise<Record<string, string>> {
  if (scope === 'project') {
    if (subject_id === undefined) return {};
    throw new OperationError('parameter_invalid', 'This action concerns the whole project; leave out `subject_id`.', {
      param: 'subject_id',
    });
  }
  if (subject_id === undefined)
    throw new OperationError(
      'parameter_missing',
      say('This action concerns one {what}; name it in `subject_id`.', {
        what: part(scope === 'equipment' ? 'machine' : scope),
      }),
      {
        param: 'subject_id',
      },
    );
  await requireRecord(context.view, scope, subject_id, 'subject_id');
  return { [`${scope}_id`]: subject_id };
}

/** Throws `not_found` if nobody has imported the skill and the catalog does not have it. */
async function checkSkill(view: StagedView, skill_id: string | null): Promise<void> {
  if (skill_id !== null && !(await isSkill(view, skill_id)))
    throw new OperationError(
      'not_found',
      say('There is no skill {skill_id} in this project; import it first.', { skill_id }),
      {
        param: 'skill_id',
      },
    );
}

export const customActionHandlers = handlerGroup([], {
  async custom_actions_create({ context: given, ...input }, context) {
    const { view } = context;
    const id = context.newId('custom_action');
    await checkSkill(view, input.skill_id);
    const data: Data = { ...input, ...(await mediaFrom(view, given)) };
    const document = view.stage({ collection: 'records', id, object: 'custom_action', data, expected: 0 });
    stageAudit(context, view, 'custom_action', id, 'created', { label: data.label });
    return toAction(document);
  },

  async custom_actions_list(input, context) {
    const where = { 'data.scope': input.scope, 'data.enabled': input.enabled };
    return listPage<Data, CustomAction>(
      context,
      context.view,
      'records',
      input,
      { object: 'custom_action', where, text: ({ data }) => [data.label, data.emoji] },
      (found) => found.map(toAction),
    );
  },

  async custom_actions_get({ id }, context) {
    return toAction(await requireRecord<Data>(context.view, 'custom_action', id));
  },

  async custom_actions_update({ id, context: given, ...changes }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'custom_action', id);
    checkRevision(context, current);
    const media = await mediaFrom(view, given);
    const { data, fields } = applyFields(current.data, { ...changes, ...media } as Partial<Data>);
    if (fields.length === 0) return toAction(current);
    if (fields.includes('skill_id')) await checkSkill(view, data.skill_id);
    const { revision: expected } = current;
    const document = view.stage({ collection: 'records', id, object: 'custom_action', data, current, expected });
    stageAudit(context, view, 'custom_action', id, 'updated', { fields });
    return toAction(document);
  },

  async custom_actions_delete({ id }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'custom_action', id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    view.stage({ collection: 'records', id, object: 'custom_action', data, current, expected, deleted: true });
    stageAudit(context, view, 'custom_action', id, 'deleted', { label: data.label });
    return { object: 'custom_action', id, deleted: true as const };
  },

  async custom_actions_run({ id, subject_id, confirmed }, context) {
    const { view, caller } = context;
    const { data, revision } = await requireRecord<Data>(view, 'custom_action', id);
    if (!data.enabled) throw new OperationError('action_disabled', 'This action is disabled. Enable it first.');
    const subject = await subjectOf(context, data.scope, subject_id);
    if (data.confirm && confirmed !== true)
      throw new OperationError(
        'confirmation_required',
        'This action needs a confirmation. Ask the person, then send `confirmed: true`.',
        {
          param: 'confirmed',
        },
      );
    await requireRoom(view);
    const { task } = stageTask(context, view, {
      kind: 'custom_action',
      title: `${data.emoji} ${data.label}`,
      prompt: data.prompt,
      created_by: { type: caller.kind, id: caller.id, name: caller.name },
      links: { custom_action_id: id, ...subject },
      ...(await agentRun(context, { skill_id: data.skill_id, pins: { [id]: revision } })),
    });
    stageAudit(context, view, 'custom_action', id, 'run', { task_id: task.id });
    return oneTask(context, task);
  },
});
