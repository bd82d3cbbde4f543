/** Tasks of files that are past retention, told from those that never were. */

import { idTime } from '#contract/base/ids.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { decodedFileId, isRecording } from '#domain/runs/decode-task.ts';
import { type TasksRemoved, tasksRemovedId } from '#domain/runs/task-retention.ts';

type Reads = Pick<View, 'project_id' | 'get'>;

/** Until when files came whose tasks may have been removed, in milliseconds; undefined when none was. */
async function removedThrough(view: Reads): Promise<number | undefined> {
  const note = await view.get<TasksRemoved>('local', tasksRemovedId(view.project_id));
  return note && Date.parse(note.data.through);
}

/** A test for files without a task: true when they had one, and it is past retention. */
export async function removedTasks(view: Reads): Promise<(file: Stored<ArtifactData>) => boolean> {
  const through = await removedThrough(view);
  return ({ data, created_at }) => through !== undefined && isRecording(data) && Date.parse(created_at) <= through;
}

/** True for a task that is not there because it is past retention: its file is. */
export async function isTaskRemoved(view: Reads, task_id: string): Promise<boolean> {
  const file = await view.get<ArtifactData>('records', decodedFileId(task_id));
  return file?.object === 'artifact' && (await removedTasks(view))(file);
}

/** True for a run that is not there and is of a time of which runs were removed. */
export async function isRunRemoved(view: Reads, run_id: string): Promise<boolean> {
  const made = idTime('run', run_id);
  const through = made === undefined ? undefined : await removedThrough(view);
  return made !== undefined && through !== undefined && made <= through;
}
