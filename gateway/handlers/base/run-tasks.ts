/** Finds the tasks of runs. Provenance names a run; a caller needs the task to read it with `tasks_get`. */
import type { StagedView } from '#contract/context.ts';
import type { RunData } from '#contract/work/task.ts';

/** Returns the task ids of runs by run id. A run that is not stored any more has no entry. */
export async function tasksOfRuns(
  view: Pick<StagedView, 'getMany'>,
  run_ids: Iterable<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(run_ids)].filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const runs = await view.getMany<RunData>('records', ids);
  return new Map(runs.filter(({ object }) => object === 'run').map(({ id, data }) => [id, data.task_id]));
}
