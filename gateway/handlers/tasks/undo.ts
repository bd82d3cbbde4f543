/** The operation that takes back what a run of the agent wrote. */
import { OperationError } from '#contract/base/errors.ts';
import { handlerGroup } from '#contract/handler.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { planUndo } from '#domain/runs/undo.ts';
import { UNDO_BACKEND } from '#domain/runs/undo-task.ts';
import { isOwn, stageTask } from '#domain/runs/writes.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { requireRoom } from './agent-runs.ts';
import { ELSEWHERE, oneTask, requireRun, requireTask } from './tasks.ts';

export const undoHandlers = handlerGroup([], {
  async tasks_undo({ task_id, run_id, dry_run }, context) {
    const { view, caller } = context;
    const task = await requireTask(context, task_id);
    if (task.data.kind !== 'agent' && task.data.kind !== 'custom_action')
      throw new OperationError('parameter_invalid', 'Only prompts and custom actions can be taken back.', {
        param: 'task_id',
      });
    if (!isOwn(task.data, context.nodeId))
      throw new OperationError('parameter_invalid', `${ELSEWHERE} Take it back there.`, { param: 'task_id' });
    const run = await requireRun(context, task_id, run_id);
    if (!hasEnded(run.data))
      throw new OperationError('run_in_progress', 'The run waits or works. Wait until it ends, or cancel it.', {
        details: [{ run_id: run.id }],
      });
    const plan = await planUndo(view, run);
    const answer = { object: 'undo', run_id: run.id, items: plan.map(({ item }) => item) } as const;
    if (dry_run || plan.every(({ call }) => call === null)) return { ...answer, task: null };
    await requireRoom(view);
    const staged = stageTask(context, view, {
      kind: 'maintenance',
      title: `Undo: ${task.data.title}`,
      created_by: { type: caller.kind, id: caller.id, name: caller.name },
      links: { undone_task_id: task_id, undone_run_id: run.id },
      plan,
      run: { backend: UNDO_BACKEND, scopes: caller.scopes ?? null },
    });
    stageAudit(context, view, 'task', task_id, 'undone', { run_id: run.id, task_id: staged.task.id });
    return { ...answer, task: await oneTask(context, staged.task) };
  },
});
