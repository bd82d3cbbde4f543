/**
 * Makes deliveries from the new events of a project: one delivery for each endpoint that asked for the event. The event feed of a project
 * has its events in the order of their commits.
 *
 *   event feed, after the project's position -> wanted by an endpoint? -> one commit: deliveries, counts, position
 *
 * Deliveries and position are written in one commit. So an event is queued exactly once for each endpoint, even if the gateway restarts.
 */
import type { EventData } from '#contract/base/event.ts';
import { makeId } from '#contract/base/ids.ts';
import type { ProjectWrite, Stored } from '#contract/base/view.ts';
import { queueOf, type WebhookDeliveryData } from '#contract/work/webhook.ts';
import type { Store } from '#store/open-store.ts';
import {
  deliveryWrite,
  type Endpoint,
  MOST_WRITES,
  positionWrite,
  stateWrite,
  type WebhookDocuments,
} from './webhook-documents.ts';
import { wants } from './webhook-rules.ts';

/** After this many events that no endpoint asked for, the position is stored, so that these events are not read again after a restart. */
const POSITION_EVERY = 500;

/** The position in the event feed of a project up to which its events are queued as deliveries. */
export interface FeedPosition {
  /** Sequence number of the last event that was read from the feed; undefined until the stored number is read. */
  at: number | undefined;
  /** Sequence number that was written to the store last. */
  written: number;
  /** True if the feed may have events after this position. */
  hasNewEvents: boolean;
}

/** Queues the events of all projects as deliveries. */
export interface WebhookQueue {
  /** Queues the events after `position` and advances `position`. Calls `queued` for each endpoint that got a delivery. */
  queueEvents(
    project_id: string,
    position: FeedPosition,
    endpoints: readonly Endpoint[],
    queued: (endpoint_id: string) => void,
  ): Promise<void>;
  /** Deletes the stored position of a project without endpoints. */
  forget(project_id: string): Promise<void>;
}

/** Creates the queue of webhook events. `maxPending` is the limit of pending deliveries of one endpoint. */
export function createWebhookQueue(of: {
  readonly store: Pick<Store, 'commit' | 'feed'>;
  readonly documents: WebhookDocuments;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly maxPending: number;
}): WebhookQueue {
  const { store, documents, clock, random, maxPending } = of;

  /**
   * Returns the stored position. If none is stored, finds by binary search the first event that is not older than the oldest endpoint,
   * because no endpoint gets earlier events.
   */
  async function initialPosition(project_id: string, endpoints: readonly Endpoint[]): Promise<number> {
    const written = await documents.positionOf(project_id);
    if (written !== undefined) return written;
    const since = endpoints.map(({ data }) => data.since).sort()[0] ?? '';
    let low = 0;
    let high = (await store.feed(project_id, 'events', 0, 1)).head;
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const [entry] = (await store.feed(project_id, 'events', middle, 1)).entries;
      if (entry !== undefined && entry.document.created_at < since) low = Math.max(entry.seq, middle + 1);
      else high = middle;
    }
    return low;
  }

  function deliveryOf({ id: endpoint_id, project_id }: Endpoint, event: Stored<EventData>): ProjectWrite {
    const now = clock();
    const data: WebhookDeliveryData = {
      endpoint_id,
      event_id: event.id,
      type: event.data.type,
      state: 'pending',
      queue: queueOf(endpoint_id, 'pending'),
      tries: 0,
      next_ms: now,
      last_status: null,
      last_error: null,
      finished_at: null,
    };
    return { ...deliveryWrite(project_id, makeId('webhook_delivery', now, random(10)), data), expected: 0 };
  }

  /** Writes new deliveries and the position. If an endpoint has more than `maxPending`, removes its oldest deliveries and counts them. */
  async function enqueue(project_id: string, made: ReadonlyMap<string, ProjectWrite[]>, after: number): Promise<void> {
    await documents.persist(project_id, async () => {
      const writes: ProjectWrite[] = [positionWrite(project_id, after)];
      for (const [endpoint_id, deliveries] of made) {
        const state = await documents.stateOf(project_id, endpoint_id);
        if (state === undefined) continue;
        const over = Math.max(0, state.data.pending + deliveries.length - maxPending);
        const oldest = over === 0 ? [] : await documents.pendingOf(project_id, endpoint_id, over);
        for (const { id, revision: expected, data } of oldest)
          writes.push({ ...deliveryWrite(project_id, id, data), expected, deleted: true });
        const kept = deliveries.slice(0, Math.max(0, maxPending));
        writes.push(...kept);
        writes.push(
          stateWrite(project_id, state, {
            ...state.data,
            pending: state.data.pending + kept.length - oldest.length,
            dropped_total: state.data.dropped_total + oldest.length,
          }),
        );
      }
      return writes;
    });
  }

  return {
    async queueEvents(project_id, position, endpoints, queued) {
      position.at ??= await initialPosition(project_id, endpoints);
      const limit = Math.max(1, Math.floor(MOST_WRITES / endpoints.length));
      for (;;) {
        position.hasNewEvents = false;
        const { entries } = await store.feed(project_id, 'events', position.at, limit);
        const last = entries.at(-1);
        if (last === undefined) return;
        const made = new Map<string, ProjectWrite[]>();
        for (const { deleted, document } of entries) {
          if (deleted || document.object !== 'event') continue;
          const event = document as unknown as Stored<EventData>;
          for (const endpoint of endpoints)
            if (wants(endpoint.data, event))
              made.set(endpoint.id, [...(made.get(endpoint.id) ?? []), deliveryOf(endpoint, event)]);
        }
        if (made.size > 0 || last.seq - position.written >= POSITION_EVERY) {
          await enqueue(project_id, made, last.seq);
          position.written = last.seq;
        }
        position.at = last.seq;
        for (const id of made.keys()) queued(id);
        if (entries.length < limit) return;
      }
    },
    async forget(project_id) {
      if ((await documents.positionOf(project_id)) === undefined) return;
      await store.commit([{ ...positionWrite(project_id, 0), deleted: true }]);
    },
  };
}
