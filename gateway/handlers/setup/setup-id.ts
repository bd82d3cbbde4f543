/** Derives the ids of the objects that a setup makes. */
import { hexBytes, idTime, type Kind, makeId } from '#contract/base/ids.ts';
import { foldText } from '#contract/base/names.ts';
import type { HandlerContext } from '#contract/context.ts';

/**
 * Returns the id of an object that a setup makes: the same for each attempt of the task. `place` is the place of the object in its part of the
 * plan, so that lists have the order of the text.
 */
export function setupId(context: HandlerContext, task_id: string, kind: Kind, name: string, place: number): string {
  const hash = hexBytes(context.sha256(['setup', task_id, kind, foldText(name)].join('\n')));
  return makeId(kind, idTime('task', task_id) ?? 0, hash, place);
}
