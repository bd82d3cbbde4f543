/** What the harness needs to carry out one run. */
import type { Stored, View } from '#contract/base/view.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import type { Queue, Working } from '#runs/queue.ts';
import { RunGone } from './agent-fault.ts';
import type { Toolbox } from './toolbox.ts';

/** The skill of a run, as it was pinned. */
export interface RunSkill {
  readonly entry: RunData['skills'][number];
  readonly text: string;
}

export interface Session {
  readonly view: View;
  readonly queue: Queue;
  readonly working: Working;
  readonly task: Stored<TaskData>;
  readonly key: string | null;
  readonly skills: readonly RunSkill[];
  readonly toolbox: Toolbox;
  readonly now: () => string;
  readonly secondMs: number;
  /** Returns the milliseconds since the run was started in this process. */
  readonly elapsed: () => number;
  readonly signal: AbortSignal;
}

/** Appends entries to the transcript. Throws `RunGone` if the run has ended. */
export async function say(
  { queue, working }: Pick<Session, 'queue' | 'working'>,
  entries: readonly NewEntry[],
  fields: Partial<RunLive>,
  change: Partial<RunData> = {},
): Promise<void> {
  if (!(await queue.say(working, entries, fields, change))) throw new RunGone('The run has ended.');
}
