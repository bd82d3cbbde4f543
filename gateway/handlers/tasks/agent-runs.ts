/** Operations that start runs of the agent: a prompt, a further run of a task, and the approval of a run. */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { CustomActionData } from '#contract/work/custom-action.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { agentBackend, isAgentRun } from '#domain/runs/agent-task.ts';
import { contentHash } from '#domain/runs/pins.ts';
import { DEFAULT_REVIEW, isReviewed, readReview, reviewId } from '#domain/runs/review.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { SETUP_RUN } from '#domain/runs/setup-task.ts';
import { isUndoRun } from '#domain/runs/undo-task.ts';
import { undosOf } from '#domain/runs/undo-writes.ts';
import { findRun, isOwn, type NewTask, stageNextRun, stageTask } from '#domain/runs/writes.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import type { WithMedia } from '#handlers/base/documents.ts';
import { stageSkill } from '#handlers/work/skills.ts';
import { ELSEWHERE, oneTask, requireTask } from './tasks.ts';

const MOST_WAITING = LIMITS.agent_runs_waiting.value;
/** The title of a task is the beginning of its prompt. */
const TITLE_CHARACTERS = 80;

/** Throws `limit_reached` if as many runs of the agent wait in the project as the limit allows. */
export async function requireRoom(view: StagedView): Promise<void> {
  const where = { 'data.status': 'pending' };
  const pending = await view.find<RunData>('records', { object: 'run', where, limit: MOST_WAITING });
  if (pending.filter(({ data }) => isAgentRun(data) || isUndoRun(data)).length < MOST_WAITING) return;
  throw new OperationError(
    'limit_reached',
    say('{most_waiting} runs of this project wait already. Wait until some have ended, or cancel them.', {
      most_waiting: MOST_WAITING,
    }),
  );
}

/** What a run keeps of its action and its skills. */
type Pinned = Pick<RunData, 'pins' | 'hashes' | 'action'>;

function pinnedOf({ pins, hashes, action }: RunData): Pinned {
  return { pins, ...(hashes === undefined ? {} : { hashes }), ...(action === undefined ? {} : { action }) };
}

function keptAction(
  { sha256 }: HandlerContext,
  { id, revision, data: stored }: Stored<CustomActionData & WithMedia>,
): Pinned {
  const { media: _, ...action } = stored;
  return { pins: { [id]: revision }, hashes: { [id]: contentHash(sha256, action) }, action };
}

/** What a new run of the agent keeps: the configuration, the revisions of its action and skill, and what its creator may do. */
export async function agentRun(
  context: HandlerContext,
  {
    action,
    kept = action && keptAction(context, action),
    read_only = false,
    plan_only = false,
    approval,
    continues,
  }: {
    readonly action?: Stored<CustomActionData> | undefined;
    /** What the work keeps that a person approved; otherwise that of the action. */
    readonly kept?: Pinned | undefined;
    readonly read_only?: boolean;
    readonly plan_only?: boolean;
    readonly approval?: RunData['approval'];
    readonly continues?: string | undefined;
  },
): Promise<Pick<NewTask, 'run' | 'review'>> {
  const { view, caller, sha256 } = context;
  const review = await readReview(view, sha256, approval !== undefined);
  const skill_id = action?.data.skill_id ?? null;
  const skill = skill_id === null ? undefined : await stageSkill(context, skill_id);
  return {
    review,
    run: {
      backend: agentBackend(review.pin),
      ...kept,
      pins: { ...kept?.pins, ...(skill && { [skill.id]: skill.revision }) },
      hashes: { ...kept?.hashes, ...(skill && { [skill.id]: skill.data.hash }) },
      scopes: caller.scopes ?? null,
      read_only,
      ...(plan_only ? { plan_only } : {}),
      ...(approval === undefined ? {} : { approval }),
      ...(continues === undefined ? {} : { continues }),
    },
  };
}

/** Throws `permission_denied` if the caller may not approve work of agents in the project. */
async function requireApprover({ view, caller }: HandlerContext): Promise<void> {
  if (caller.role === 'owner' || caller.role === 'admin') return;
  const stored = await view.get<{ approvers?: unknown }>('local', reviewId(view.project_id));
  const approvers = stored?.data.approvers ?? DEFAULT_REVIEW.approvers;
  if (caller.role !== 'agent' && Array.isArray(approvers) && approvers.includes(caller.id)) return;
  throw new OperationError(
    'permission_denied',
    'Only owners, admins and the approvers of the review configuration may approve. A key of an agent may never approve.',
  );
}

/** Returns the action of a task as it is now; undefined for a task without an action, and after the action was deleted. */
async function actionOf(view: StagedView, { links }: TaskData): Promise<Stored<CustomActionData> | undefined> {
  const id = links?.custom_action_id;
  return id === undefined ? undefined : view.get<CustomActionData>('records', id);
}

/** Returns the fields of the next run of a task. `approved` is the run that a person has just approved. */
async function nextRun(
  context: HandlerContext,
  task: Stored<TaskData>,
  last: Stored<RunData> | undefined,
  approved: Stored<RunData> | undefined,
): Promise<Pick<NewTask, 'run' | 'review' | 'prompt'>> {
  const { view, caller, now } = context;
  const approval = approved && { by: caller.id, name: caller.name, at: now, run_id: approved.id };
  if (task.data.kind === 'setup')
    return {
      review: await readReview(view, context.sha256, approval !== undefined),
      run: { ...SETUP_RUN, ...(approval === undefined ? {} : { approval }) },
    };
  // A run that had begun left a conversation, with the writes that a person has just approved.
  const continues = approved?.data.started_at == null ? undefined : approved.id;
  const { read_only = false, plan_only = false } = last?.data ?? {};
  const how = { read_only, plan_only, continues };
  // A person approves the work that waits, with its prompt and its skill, and not what an edit made of the action since.
  if (approved !== undefined && approval !== undefined)
    return agentRun(context, { ...how, kept: pinnedOf(approved.data), approval });
  const action = await actionOf(view, task.data);
  // Without its action the task does its prompt again, and keeps what the last run kept.
  const kept = action === undefined && last !== undefined ? pinnedOf(last.data) : undefined;
  const made = await agentRun(context, { ...how, ...(action === undefined ? { kept } : { action }) });
  return { ...made, ...(action === undefined ? {} : { prompt: action.data.prompt }) };
}

export const agentRunHandlers = handlerGroup([], {
  async tasks_create({ prompt, read_only, plan_only }, context) {
    const { view, caller } = context;
    await requireRoom(view);
    const { task } = stageTask(context, view, {
      kind: 'agent',
      title: prompt.slice(0, TITLE_CHARACTERS),
      prompt,
      created_by: { type: caller.kind, id: caller.id, name: caller.name },
      ...(await agentRun(context, { read_only, plan_only })),
    });
    return oneTask(context, task);
  },

  async tasks_run({ task_id, approve }, context) {
    const { view } = context;
    const task = await requireTask(context, task_id);
    if (!isReviewed(task.data.kind))
      throw new OperationError(
        'parameter_invalid',
        say(
          'A task of the kind {kind} is started again by the operation that made it (artifacts_decode, devices_worker_run).',
          { kind: task.data.kind },
        ),
        { param: 'task_id' },
      );
    if (!isOwn(task.data, context.nodeId))
      throw new OperationError('parameter_invalid', [say(ELSEWHERE), say('Make a new task here.')], {
        param: 'task_id',
      });
    const last = task.data.latest_run_id === null ? undefined : (await findRun(view, task.data.latest_run_id))?.run;
    if (last !== undefined && !hasEnded(last.data))
      throw new OperationError(
        'run_in_progress',
        'A run of this task waits or works. Wait until it ends, or cancel it.',
        {
          details: [{ run_id: last.id }],
        },
      );
    if (approve) {
      await requireApprover(context);
      if (
        last?.data.error?.code !== 'project_awaiting_approval' &&
        last?.data.error?.code !== 'project_approval_unreadable'
      )
        throw new OperationError(
          'not_awaiting_approval',
          'The latest run of this task does not wait for an approval.',
          {
            param: 'approve',
          },
        );
      const [undo] = await undosOf(view, task_id);
      if (undo !== undefined && undo.created_at >= last.created_at)
        throw new OperationError(
          'not_awaiting_approval',
          'What this task had written was taken back, so its run cannot go on. Start the task again.',
          { param: 'approve', details: [{ task_id: undo.id }] },
        );
    }
    await requireRoom(view);
    const given = await nextRun(context, task, last, approve ? last : undefined);
    const next = stageNextRun(context, view, task, given);
    stageAudit(context, view, 'task', task_id, approve ? 'approved' : 'run', { run_id: next.run.id });
    return oneTask(context, next.task);
  },
});
