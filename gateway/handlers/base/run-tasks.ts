/** Finds the tasks of runs. Provenance names a run; a caller needs the task to read it with `tasks_get`. */
import type { StagedView } from '#contract/context.ts';
import type { RunData } from '#contract/work/task.ts';

/** Largest number of runs whose task is remembered. The task of a run never changes. */
const MOST_REMEMBERED = 10_000;
const remembered = new Map<string, string>();

/** Returns the task ids of runs by run id. A run that is not stored any more has no entry. */
export async function tasksOfRuns(
  view: Pick<StagedView, 'getMany'>,
  run_ids: Iterable<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const unknown: string[] = [];
  for (const id of new Set(run_ids)) {
    if (id === null) continue;
    const task = remembered.get(id);
    if (task === undefined) unknown.push(id);
    else found.set(id, task);
  }
  if (unknown.length === 0) return found;
  for (const { id, object, data } of await view.getMany<RunData>('records', unknown)) {
    if (object !== 'run') continue;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(id, data.task_id);
    found.set(id, data.task_id);
  }
  return found;
}
