/** The task that takes back what a run of the agent wrote. */
import type { RunData } from '#contract/work/task.ts';
import { createRun } from './run.ts';

/** Value of `backend.preset` that marks a run that takes back what another run wrote. */
const UNDO = 'undo';

/** The field `backend` of such a run. No model is asked. */
export const UNDO_BACKEND: RunData['backend'] = {
  platform: 'headframe',
  harness: 'undo/1',
  provider: null,
  model: null,
  preset: UNDO,
};

/** True if the run takes back what another run wrote. */
export const isUndoRun = ({ backend }: Pick<RunData, 'backend'>): boolean => backend.preset === UNDO;

/** Creates the run that replaces a run that died. It makes the same calls with the same keys, so nothing is taken back twice. */
export function createUndoReplacement({ task_id, scopes }: RunData, now: string): RunData {
  return createRun({
    kind: 'maintenance',
    task_id,
    queued_at: now,
    backend: UNDO_BACKEND,
    ...(scopes === undefined ? {} : { scopes }),
  });
}
