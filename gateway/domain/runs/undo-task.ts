/** The task that takes back what a run of the agent wrote. */

import type { UndoItem } from '#contract/work/agent-task.ts';
import type { Gap, RunData } from '#contract/work/task.ts';
import { createRun } from './run.ts';
import type { UndoPlan } from './undo.ts';

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
export function createUndoReplacement({ task_id, scopes, gaps }: RunData, now: string): RunData {
  const run = createRun({
    kind: 'maintenance',
    task_id,
    queued_at: now,
    backend: UNDO_BACKEND,
    ...(scopes === undefined ? {} : { scopes }),
  });
  return { ...run, gaps };
}

/** A part of the plan with what became of it: `left` is the reason if it was left. */
export interface Done {
  readonly item: UndoItem;
  readonly left: string | null;
}

const NOT_REACHED = 'The undo ended before it had taken this back. Undo the task again.';
const REMEDY = 'Look at it, and change it by hand if it is wrong.';

export const nameOf = ({ name, id, object }: UndoItem): string => name ?? id ?? object;
export const moreWords = (more: number): string =>
  `The plan has no room for ${more} further objects. Undo the task again.`;

/** Returns the parts of a plan of which nothing is carried out. */
export const notReached = (items: UndoPlan['items']): Done[] =>
  items.map(({ item, call }) => ({ item, left: call === null ? item.why : NOT_REACHED }));

/** Returns a gap for each part that was not taken back. */
export function gapsOf(done: readonly Done[], more: number): Gap[] {
  const gap = (resource: string, ref: string | null, message: string): Gap => ({
    ...{ code: 'not_undone', resource, ref, message, remedy: REMEDY, blocking: false },
  });
  const left = done.flatMap(({ item, left }) =>
    left === null ? [] : gap(item.object, item.id, `${nameOf(item)} was left: ${left}`),
  );
  return more === 0 ? left : [...left, gap('undo', null, moreWords(more))];
}

/** Returns the gaps of an undo that ends before it has started. */
export function gapsOfPlan(plan: unknown): Gap[] {
  // The operation that stored the plan has made it.
  const { items, more } = (plan ?? { items: [], more: 0 }) as Pick<UndoPlan, 'items' | 'more'>;
  return gapsOf(notReached(items), more);
}
