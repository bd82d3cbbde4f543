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
import type { TaskData } from '#contract/work/task.ts';
import { readReview } from '#domain/runs/review.ts';
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
import { isSkill, worksByRules } from '#handlers/work/skills.ts';
import { agentRun, requireRoom } from './agent-runs.ts';
import { oneTask } from './tasks.ts';

type CustomAction = Output<'custom_actions_get'>;
type Data = CustomActionData & WithMedia;

/** Returns the function that says what happens with a run of an action with a skill that starts now; null at head office. */
async function readinessBySkill({ view, delivery, sha256 }: HandlerContext) {
  const { pin, refusal } = await readReview(view, sha256);
  return async (skill_id: string | null): Promise<CustomAction['readiness']> => {
    if (delivery !== undefined) return null;
    if (pin === undefined) return 'unreadable';
    if (refusal?.code === 'project_paused') return 'paused';
    if (pin.provider === null && !(await worksByRules(view, skill_id))) return 'no_model';
    if (refusal !== undefined) return 'needs_approval';
    return pin.provider === null ? 'by_rules' : 'ready';
  };
}

/** Returns the latest run of the newest task of an action; with a subject, of the newest task about it. */
async function lastRunOf(
  context: HandlerContext,
  { id, data }: Stored<Data>,
  subject_id: string | undefined,
): Promise<CustomAction['last_run']> {
  const where = {
    'data.links.custom_action_id': id,
    ...(subject_id !== undefined && { [`data.links.${data.scope}_id`]: subject_id }),
  };
  const [task] = await context.view.find<TaskData>('records', { object: 'task', where, limit: 1 });
  if (task === undefined) return null;
  const { run } = await oneTask(context, task);
  if (run === null) return null;
  const { status, status_text, error, created_at, lifecycle } = run;
  const about = task.data.links?.[`${data.scope}_id`] ?? null;
  const ids = { task_id: task.id, run_id: run.id, subject_id: about };
  return { ...ids, status, status_text, code: error?.code ?? null, created_at, ended_at: lifecycle.ended_at };
}

async function toActions(
  context: HandlerContext,
  documents: readonly Stored<Data>[],
  subject_id?: string,
): Promise<CustomAction[]> {
  const readinessOf = await readinessBySkill(context);
  return Promise.all(
    documents.map(async (document) => {
      const { media, ...fields } = document.data;
      const last_run = await lastRunOf(context, document, subject_id);
      const readiness = await readinessOf(fields.skill_id);
      const shown = contextOf({ ...(media && { media }) });
      return { object: 'custom_action', ...wireBase(document), ...fields, readiness, last_run, context: shown };
    }),
  );
}

async function oneAction(context: HandlerContext, document: Stored<Data>): Promise<CustomAction> {
  const [one] = await toActions(context, [document]);
  if (one === undefined) throw new Error(`action ${document.id} has no answer`);
  return one;
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
    return oneAction(context, document);
  },

  async custom_actions_list({ subject_id, ...input }, context) {
    const where = { 'data.scope': input.scope, 'data.enabled': input.enabled };
    return listPage<Data, CustomAction>(
      context,
      context.view,
      'records',
      input,
      { object: 'custom_action', where, text: ({ data }) => [data.label, data.emoji] },
      (found) => toActions(context, found, subject_id),
    );
  },

  async custom_actions_get({ id }, context) {
    return oneAction(context, await requireRecord<Data>(context.view, 'custom_action', id));
  },

  async custom_actions_update({ id, context: given, ...changes }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'custom_action', id);
    checkRevision(context, current);
    const media = await mediaFrom(view, given);
    const { data, fields } = applyFields(current.data, { ...changes, ...media } as Partial<Data>);
    if (fields.length === 0) return oneAction(context, current);
    if (fields.includes('skill_id')) await checkSkill(view, data.skill_id);
    const { revision: expected } = current;
    const document = view.stage({ collection: 'records', id, object: 'custom_action', data, current, expected });
    stageAudit(context, view, 'custom_action', id, 'updated', { fields });
    return oneAction(context, document);
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
    const action = await requireRecord<Data>(view, 'custom_action', id);
    const { data } = action;
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
      ...(await agentRun(context, { action })),
    });
    stageAudit(context, view, 'custom_action', id, 'run', { task_id: task.id });
    return oneTask(context, task);
  },
});
