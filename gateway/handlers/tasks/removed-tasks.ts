/** Distinguishes tasks that were deleted after their retention time from tasks that never existed. */

import { idTime } from '#contract/base/ids.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { decodedFileId, isRecording } from '#domain/runs/decode-task.ts';
import { type TasksRemoved, tasksRemovedId } from '#domain/runs/task-retention.ts';

type Reads = Pick<View, 'project_id' | 'get'>;

/** Creation time of the newest deleted run in milliseconds since 1970; undefined if no task of the project was deleted. */
async function removedThrough(view: Reads): Promise<number | undefined> {
  const note = await view.get<TasksRemoved>('local', tasksRemovedId(view.project_id));
  return note && Date.parse(note.data.through);
}

/** Returns a function for files that have no task. It returns true if the task was deleted after its retention time. */
export async function removedTasks(view: Reads): Promise<(file: Stored<ArtifactData>) => boolean> {
  const through = await removedThrough(view);
  return ({ data, created_at }) => through !== undefined && isRecording(data) && Date.parse(created_at) <= through;
}

/**
 * For a task that is not in the store: returns true if the gateway deleted the task after its retention time. The file of the task still
 * exists, which shows that there was a task.
 */
export async function isTaskRemoved(view: Reads, task_id: string): Promise<boolean> {
  const file = await view.get<ArtifactData>('records', decodedFileId(task_id));
  return file?.object === 'artifact' && (await removedTasks(view))(file);
}

/**
 * The id of a run contains the creation time of the run. For a run that is not in the store, returns true if this time is not later than
 * the creation time of the newest deleted run.
 */
export async function isRunRemoved(view: Reads, run_id: string): Promise<boolean> {
  const made = idTime('run', run_id);
  const through = made === undefined ? undefined : await removedThrough(view);
  return made !== undefined && through !== undefined && made <= through;
}
