/** The tasks that a model carries out: prompts of people, and custom actions. */
import type { RunData } from '#contract/work/task.ts';
import { createRun } from './run.ts';

/** Value of `backend.preset` that marks a run that a model carries out. */
const AGENT = 'agent';
/** The name and version of the harness (the code that calls the model and its tools), stored with each run. */
const HARNESS = 'agent/1';

/** True if a model carries out the run. */
export const isAgentRun = ({ backend }: Pick<RunData, 'backend'>): boolean => backend.preset === AGENT;

/** Returns the field `backend` of a run with this configuration. */
export function agentBackend(review: RunData['review']): RunData['backend'] {
  const { kind = null, model = null } = review?.provider ?? {};
  return { platform: 'headframe', harness: HARNESS, provider: kind, model, preset: AGENT };
}

/** Creates the run that replaces a run that died. It reads the configuration again when it starts, and goes on where the run stopped. */
export function createAgentReplacement(died: RunData, now: string): RunData {
  const { task_id, pins, hashes, action, scopes, read_only, plan_only, approval, skills } = died;
  return createRun({
    kind: 'agent',
    task_id,
    queued_at: now,
    pins,
    skills,
    backend: agentBackend(undefined),
    ...(hashes === undefined ? {} : { hashes }),
    ...(action === undefined ? {} : { action }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(read_only === undefined ? {} : { read_only }),
    ...(plan_only === undefined ? {} : { plan_only }),
    ...(approval === undefined ? {} : { approval }),
  });
}
