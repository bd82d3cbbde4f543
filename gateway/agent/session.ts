/** What the harness needs to carry out one run. */
import type { Stored, View } from '#contract/base/view.ts';
import type { Project } from '#contract/site/project.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import type { Queue, Working } from '#runs/queue.ts';
import type { RunKind } from '#runs/run-kind.ts';
import { RunGone } from './agent-fault.ts';
import type { Asker, Toolbox } from './toolbox.ts';

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
  /** The clock and the shifts of the site. */
  readonly site: Pick<Project, 'timezone' | 'shift_pattern'>;
  readonly key: string | null;
  readonly skills: readonly RunSkill[];
  /** The active learnings of the project as text; empty if it has none. */
  readonly learned: string;
  readonly toolbox: Toolbox;
  readonly now: () => string;
  readonly secondMs: number;
  /** Returns the milliseconds since the run was started in this process. */
  readonly elapsed: () => number;
  readonly signal: AbortSignal;
}

/** Who the tools of a run are called for. */
export function askerOf({ working, task }: Session): Asker {
  const { run, project_id } = working;
  const { review, scopes = null, read_only = false, plan_only = false } = run.data;
  return { project_id, task_id: task.id, scopes, read_only, plan_only, allowed: review?.allowed_tools ?? null };
}

/** Returns the run with the time that it took. A model works in another process, so the processor time of the work is not known. */
export const withWallTime = (data: RunData, wall_ms: number): RunData => ({
  ...data,
  usage: { ...data.usage, wall_ms },
  runner_clock: { wall_ms, cpu_ms: null },
});

/** Appends entries to the transcript. Throws `RunGone` if the run has ended. */
export async function say(
  { queue, working }: Pick<Session, 'queue' | 'working'>,
  entries: readonly NewEntry[],
  fields: Partial<RunLive>,
  change: Partial<RunData> = {},
): Promise<void> {
  if (!(await queue.say(working, entries, fields, change))) throw new RunGone('The run has ended.');
}

/** What the transcript says of a run of the agent, or of an undo, that waits or that the gateway ended. */
export const RUN_MESSAGES = {
  givenBack: 'Waits for its turn.',
  overCeiling: (cpu_s) => `The run used ${cpu_s} s of processor time, which is its limit.`,
  givenUp: (deaths, last) =>
    `The run stopped ${deaths} times, so the gateway does not start it again automatically. The last error: ${last}`,
} satisfies Partial<RunKind['messages']>;
