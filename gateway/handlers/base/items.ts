/**
 * Stages (adds to the commit of this call) the events about widgets added to or removed from a dashboard, and about items of a playlist.
 */
import type { HandlerContext } from '#contract/context.ts';
import { stageEvent } from './events.ts';

interface Item {
  readonly id?: string | undefined;
  readonly dashboard_id?: string | undefined;
  readonly artifact_id?: string | undefined;
  readonly type?: string;
}

/** Stages an event for each added or removed item. */
export function stageItems(
  context: HandlerContext,
  object: 'dashboard' | 'playlist',
  id: string,
  before: readonly Item[],
  after: readonly Item[],
): void {
  const log = (kind: string, { id: item_id, dashboard_id, artifact_id, type }: Item) =>
    stageEvent(context, context.view, object, id, kind, {
      item_id,
      ...(dashboard_id !== undefined ? { dashboard_id } : artifact_id !== undefined ? { artifact_id } : { type }),
    });
  const ids = (items: readonly Item[]) => new Set(items.map((item) => item.id));
  const [old, now] = [ids(before), ids(after)];
  for (const item of before) if (!now.has(item.id)) log('item_removed', item);
  for (const item of after) if (!old.has(item.id)) log('item_added', item);
}
