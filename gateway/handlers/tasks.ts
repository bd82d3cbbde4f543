/** Tasks: the single read for asynchronous work, with the receipt of the latest run. */
import type { Output } from '#contract/operations.ts';
import { requireRecord, wireBase } from './documents.ts';
import type { Handlers } from './handler.ts';

type Task = Output<'tasks_get'>;
type Run = NonNullable<Task['run']>;
/** The payloads of the two documents. */
type TaskData = Pick<Task, 'kind' | 'title' | 'latest_run_id'>;
type RunData = Omit<Run, 'object' | 'id' | 'created_at'>;

export const taskHandlers = {
  async tasks_get({ task_id }, context) {
    const task = await requireRecord<TaskData>(context.view, 'task', task_id, 'task_id');
    const { latest_run_id } = task.data;
    const run = latest_run_id === null ? undefined : await context.view.get<RunData>('records', latest_run_id);
    const { revision: _, ...base } = wireBase(task);
    return {
      object: 'task',
      ...base,
      ...task.data,
      run: run?.object === 'run' ? { object: 'run', id: run.id, created_at: run.created_at, ...run.data } : null,
    };
  },
} satisfies Handlers;
