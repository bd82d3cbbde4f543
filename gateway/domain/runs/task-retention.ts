/**
 * How long the tasks of decoded files are kept. They are receipts: the file stays, what became of it is in history, and each number names
 * file and frame; so a site whose loggers upload every ten minutes need not keep a receipt of each for ever.
 *
 *   clean: completed, nothing missing          ─▶ short
 *   told: failed, canceled, or with gaps        ─▶ long: somebody should see it
 *   waiting, working, live decoding             ─▶ kept
 */
import { LIMITS } from '#contract/base/limits.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { hasEnded } from './run.ts';

const DAY_MS = 86_400_000;

export type TaskClass = 'clean' | 'told';

/** How long, and how many, of each class. */
export const RETAINED = {
  clean: { age_ms: LIMITS.decode_task_days.value * DAY_MS, count: LIMITS.decode_tasks.value },
  told: { age_ms: LIMITS.decode_gap_task_days.value * DAY_MS, count: LIMITS.decode_gap_tasks.value },
} as const satisfies Record<TaskClass, { readonly age_ms: number; readonly count: number }>;

/** What was removed in a project, so that a run that is not there can be told from one that never was. */
export interface TasksRemoved {
  /** The newest run among them was made then. */
  through: string;
  /** Tasks removed so far. */
  count: number;
}

/** Id of the note of what was removed in a project. */
export function tasksRemovedId(project_id: string): string {
  return `tasks_removed_${project_id}`;
}

/** The class of a file's task with its latest run; undefined for one that is kept. */
export function classOf(task: TaskData, run: RunData | undefined): TaskClass | undefined {
  if (task.kind !== 'decode' || task.links?.artifact_id === undefined) return undefined;
  if (run === undefined) return 'clean';
  if (!hasEnded(run)) return undefined;
  return run.status === 'completed' && run.gaps.length === 0 ? 'clean' : 'told';
}

/** What a reader is told of a run that is past retention. */
export function pastRetention(what: string): string {
  const { decode_task_days: days, decode_tasks: most, decode_gap_task_days: longer } = LIMITS;
  return `${what} is past retention: receipts of decoded files are kept for ${days.value} days, the newest ${most.value.toLocaleString('en')}; those that failed or have gaps for ${longer.value} days. The file and its numbers are kept; decode it again for a new one.`;
}
