/**
 * How long the gateway keeps the tasks of decoded files. Loggers that upload a file every ten minutes create many tasks, so old tasks must
 * be deleted. A task only records that a file was decoded. When the task is deleted, the file and its decoded values stay, and each value
 * still names its file and frame. A gap is data of the file that the run could not use.
 *
 *   clean:   completed without gaps                  -> deleted after the short time
 *   faulty:  failed, canceled, or with gaps          -> deleted after the long time, because a person should read the reason
 *   queued and running tasks, and live decoding      -> never deleted
 */
import { LIMITS } from '#contract/base/limits.ts';
import { part, say, type Told } from '#contract/base/told.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { hasEnded } from './run.ts';

const DAY_MS = 86_400_000;

/** The retention class of an ended decode task. */
export type TaskClass = 'clean' | 'faulty';

/** For each retention class, the largest age of a task in milliseconds, and the largest number of tasks in a project. */
export const RETAINED = {
  clean: { age_ms: LIMITS.decode_task_days.value * DAY_MS, count: LIMITS.decode_tasks.value },
  faulty: { age_ms: LIMITS.decode_gap_task_days.value * DAY_MS, count: LIMITS.decode_gap_tasks.value },
} as const satisfies Record<TaskClass, { readonly age_ms: number; readonly count: number }>;

/** A record of the deleted tasks of a project. It distinguishes a deleted run (410) from a run that never existed (404). */
export interface TasksRemoved {
  /** Creation time of the newest deleted run, ISO 8601. */
  through: string;
  /** Number of tasks deleted so far. */
  count: number;
}

/** Returns the id of the `TasksRemoved` document of a project. */
export function tasksRemovedId(project_id: string): string {
  return `tasks_removed_${project_id}`;
}

/** Returns the retention class of a task, which depends on its latest run; undefined if the task must not be deleted. */
export function classOf(task: TaskData, run: RunData | undefined): TaskClass | undefined {
  if (task.kind !== 'decode' || task.links?.artifact_id === undefined) return undefined;
  if (run === undefined) return 'clean';
  if (!hasEnded(run)) return undefined;
  return run.status === 'completed' && run.gaps.length === 0 ? 'clean' : 'faulty';
}

/** Returns the error message for a task or run that was deleted after its retention time. The message begins with `what`. */
export function pastRetention(what: 'The task of this file' | 'A run with this id'): Told {
  const { decode_task_days: days, decode_tasks: most, decode_gap_task_days: longer } = LIMITS;
  return say(
    '{what} was deleted because its retention time has passed: the gateway keeps the newest {most} decode tasks, for {days} days, and tasks that failed or have gaps for {longer} days. The file and its decoded values are still stored. Decode the file again to create a new task.',
    { what: part(what), most: most.value.toLocaleString('en'), days: days.value, longer: longer.value },
  );
}
