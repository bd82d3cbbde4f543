/** The task that sets up a project from its description. Each request for a setup makes one task; a replacement run belongs to the same task. */

import { catalogEntry } from '#contract/catalog-skills.ts';
import type { StagedView } from '#contract/context.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import type { Reviewed } from './review.ts';
import { createRun } from './run.ts';
import { type RunTools, stageTask } from './writes.ts';

/** Value of `backend.preset` that marks a run of a setup. */
const SETUP = 'setup';
/** The name and version of the planner, stored with each run. Increase the version when the planner reads texts in another way. */
const PLANNER = 'planner/4';

/** The counts that a setup reports when it ends. */
const DECLARED = ['equipment', 'locations', 'operators', 'mechanics', 'shifts', 'dashboards', 'playlists', 'learnings'];

const BACKEND: RunData['backend'] = {
  platform: 'headframe',
  harness: PLANNER,
  provider: 'planner',
  model: null,
  preset: SETUP,
};

/** True if the run sets up a project. */
export const isSetupRun = ({ backend }: Pick<RunData, 'backend'>): boolean => backend.preset === SETUP;

/** The fields of a run that sets up a project. */
export const SETUP_RUN: Pick<RunData, 'backend' | 'declares' | 'skills'> = {
  backend: BACKEND,
  declares: DECLARED,
  skills: [catalogEntry('setup')],
};

/** Creates a run that repeats the setup of a task. */
export function createSetupRun(task_id: string, now: string): RunData {
  return createRun({ kind: 'setup', task_id, queued_at: now, ...SETUP_RUN });
}

/** The prompt of a task without the text of the files of a setup: up to 100,000 characters with names of people, in each answer. */
export function shownPrompt({ prompt, read }: TaskData): string | null {
  const { described } = (read ?? {}) as { readonly described?: number };
  return prompt == null ? null : prompt.slice(0, described ?? prompt.length);
}

/** The answer of the operations that start a setup: the handles with which a caller follows it. */
export interface SetupStarted {
  readonly task: { id: string; run_id: string; stream: { url: string; run_id: string } };
}

/** Stages the task of a setup with its first run. `url` is the address that the caller gave beside the text. */
export function stageSetupTask(
  tools: RunTools,
  view: StagedView,
  {
    prompt,
    url,
    created_by,
    plan,
    read,
    review,
  }: {
    readonly prompt: string | null;
    readonly url: string | null;
    readonly created_by: NonNullable<TaskData['created_by']>;
    /** The plan that a person has checked; without it, the run plans from the prompt. */
    readonly plan?: unknown;
    /** What was read of the files of the setup, whose text stands in the prompt. */
    readonly read?: unknown;
    readonly review?: Reviewed;
  },
): SetupStarted {
  const { task, run } = stageTask(tools, view, {
    kind: 'setup',
    title: 'Set up the project',
    prompt: prompt ?? '',
    created_by,
    ...(plan === undefined ? {} : { plan }),
    ...(read === undefined ? {} : { read }),
    ...(review === undefined ? {} : { review }),
    links: url === null ? {} : { url },
    run: SETUP_RUN,
  });
  const stream = { url: `/api/v1/tasks/${task.id}/stream`, run_id: run.id };
  return { task: { id: task.id, run_id: run.id, stream } };
}
