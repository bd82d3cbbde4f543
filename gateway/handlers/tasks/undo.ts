/** The operation that takes back what a run of the agent wrote. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { RunData, TaskKind } from '#contract/work/task.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { planUndo } from '#domain/runs/undo.ts';
import { UNDO_BACKEND } from '#domain/runs/undo-task.ts';
import { runsOf, undosOf } from '#domain/runs/undo-writes.ts';
import { isOwn, stageTask } from '#domain/runs/writes.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { requireRoom } from './agent-runs.ts';
import { ELSEWHERE, oneTask, requireRun, requireTask } from './tasks.ts';

/** The kinds of tasks that an undo can take back. */
const TAKEN_BACK: ReadonlySet<TaskKind> = new Set(['agent', 'custom_action', 'setup']);

export const undoHandlers = handlerGroup([], {
  async tasks_undo({ task_id, run_id, dry_run }, context) {
    const { view, caller } = context;
    const task = await requireTask(context, task_id);
    if (!TAKEN_BACK.has(task.data.kind))
      throw new OperationError('parameter_invalid', 'Only prompts, custom actions and setups can be taken back.', {
        param: 'task_id',
      });
    if (!isOwn(task.data, context.nodeId))
      throw new OperationError('parameter_invalid', [say(ELSEWHERE), say('Take it back there.')], { param: 'task_id' });
    const run = await requireRun(context, task_id, undefined);
    if (run_id !== undefined && run_id !== run.id) {
      await requireRun(context, task_id, run_id);
      throw new OperationError('parameter_invalid', 'The task has a newer run. Look at the plan again.', {
        param: 'run_id',
        details: [{ run_id: run.id }],
      });
    }
    if (!hasEnded(run.data)) throw inProgress('The run waits or works. Wait until it ends, or cancel it.', run.id);
    await requireNoUndo(context, task_id);
    const {
      items: plan,
      run_ids,
      more,
    } = await planUndo(view, { task_id, scopes: caller.scopes ?? null }, await runsOf(view, task_id));
    const items = plan.map(({ item }) => item);
    const answer = { object: 'undo' as const, run_id: run.id, run_ids: [...run_ids], items, more };
    if (dry_run || plan.every(({ call }) => call === null)) return { ...answer, task: null };
    await requireRoom(view);
    const staged = stageTask(context, view, {
      kind: 'maintenance',
      title: `Undo: ${task.data.title}`,
      created_by: { type: caller.kind, id: caller.id, name: caller.name },
      links: { undone_task_id: task_id, undone_run_id: run.id },
      plan: { items: plan, more },
      run: { backend: UNDO_BACKEND, scopes: caller.scopes ?? null },
    });
    stageAudit(context, view, 'task', task_id, 'undo_started', { run_id: run.id, task_id: staged.task.id });
    return { ...answer, task: await oneTask(context, staged.task) };
  },
});

const inProgress = (message: string, run_id: string) =>
  new OperationError('run_in_progress', message, { details: [{ run_id }] });

/** Throws `run_in_progress` if an undo of the task waits or works. */
async function requireNoUndo({ view }: HandlerContext, task_id: string): Promise<void> {
  for (const { data } of await undosOf(view, task_id)) {
    const run = data.latest_run_id === null ? undefined : await view.get<RunData>('records', data.latest_run_id);
    if (run !== undefined && !hasEnded(run.data))
      throw inProgress('An undo of this task waits or works. Wait until it ends.', run.id);
  }
}
