/** Reads the log of an object backwards, a few events at a time, because one event may be large. */

import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { StagedView } from '#contract/context.ts';

/** Number of events that one read of the store returns. */
const FEW = 25;

/** Yields the events of a kind, the newest first. The caller stops the iteration when it has enough. */
export async function* newestEvents(
  view: Pick<StagedView, 'find'>,
  subject: string,
  type: string,
): AsyncGenerator<Stored<EventData>> {
  for (let after: Stored<EventData> | undefined; ; ) {
    const found: Stored<EventData>[] = await view.find<EventData>('events', {
      object: 'event',
      where: { 'data.subject.id': subject, 'data.type': type },
      order: 'desc',
      ...(after && { after }),
      limit: FEW,
    });
    yield* found;
    after = found.at(-1);
    if (found.length < FEW) return;
  }
}
