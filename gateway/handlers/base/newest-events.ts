/** The log of an object from its newest event back, read a few at a time: one event may be large. */

import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { StagedView } from '#contract/context.ts';

/** Events that are read at a time. */
const FEW = 25;

/** The events of this kind, the newest first; stop taking them when enough is known. */
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
