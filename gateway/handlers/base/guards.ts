/** Guard documents: writes that exist only so that two calls at the same time cannot both commit. */
import type { HandlerContext, StagedView } from '#contract/context.ts';

/**
 * Stages (adds to the commit of this call) a write to the guard document `id`. If two calls that write the same guard are concurrent, the
 * commit of one fails. Its call runs again and reads the change of the other.
 */
export async function stageGuard(
  { now }: Pick<HandlerContext, 'now'>,
  view: Pick<StagedView, 'get' | 'stage'>,
  id: string,
): Promise<void> {
  const current = await view.get('local', id);
  view.stage({
    collection: 'local',
    id,
    object: 'guard',
    data: { changed_at: now },
    current,
    expected: current?.revision ?? 0,
  });
}
