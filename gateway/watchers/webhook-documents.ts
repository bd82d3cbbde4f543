/**
 * Reads and writes the documents of webhooks: the state of an endpoint, its deliveries, and the position in the event feed of a project
 * (its events in the order of their commits).
 */
import type { ProjectWrite, Stored } from '#contract/base/view.ts';
import {
  NEW_STATE,
  queueOf,
  type WebhookDeliveryData,
  type WebhookEndpointData,
  type WebhookState,
  webhookStateId,
} from '#contract/work/webhook.ts';
import type { Store } from '#store/open-store.ts';
import { persist } from './persist.ts';

export type Endpoint = Stored<WebhookEndpointData>;
/** A delivery: one event that is to be sent, or was sent, to one endpoint. */
export type Delivery = Stored<WebhookDeliveryData>;

/** The largest number of documents that one commit of the webhooks writes. */
export const MOST_WRITES = 400;
const MOST_READ = 1_000;

/** Returns the write that stores a delivery; the caller adds `deleted` to delete the delivery. */
export function deliveryWrite(project_id: string, id: string, data: WebhookDeliveryData): ProjectWrite {
  return { collection: 'local', id, object: 'webhook_delivery', project_id, data: { ...data } };
}

/** Returns the write of an endpoint's state. The commit of this write fails if the stored state has changed since it was read. */
export function stateWrite(project_id: string, current: Stored<WebhookState>, data: WebhookState): ProjectWrite {
  const { id, revision: expected } = current;
  return { collection: 'local', id, object: 'webhook_state', project_id, data: { ...NEW_STATE, ...data }, expected };
}

/** Returns the write that stores a position in the event feed of a project. All events up to this position are queued. */
export function positionWrite(project_id: string, after: number): ProjectWrite {
  const id = positionId(project_id);
  return { collection: 'local', id, object: 'webhook_cursor', project_id, data: { after } };
}

const positionId = (project_id: string) => `webhook_cursor_${project_id}`;

export interface WebhookDocuments {
  /**
   * Commits the writes that `plan` returns (`persist.ts`). Queueing and sending both write the state of an endpoint, so the plans of a project
   * run one after another.
   */
  persist(project_id: string, plan: () => Promise<readonly ProjectWrite[]>): Promise<void>;
  stateOf(project_id: string, endpoint_id: string): Promise<Stored<WebhookState> | undefined>;
  /** Returns the stored position in the event feed of a project; undefined if none is stored. */
  positionOf(project_id: string): Promise<number | undefined>;
  /** Returns the oldest pending deliveries of an endpoint, at most `limit`, the oldest first. */
  pendingOf(project_id: string, endpoint_id: string, limit: number): Promise<Delivery[]>;
  /**
   * Removes a batch of deliveries in this state, except the newest `keep` deliveries. Returns true if there may be more deliveries to
   * remove.
   */
  removeSome(
    endpoint: Pick<Endpoint, 'id' | 'project_id'>,
    state: Delivery['data']['state'],
    keep?: number,
  ): Promise<boolean>;
}

export function createWebhookDocuments(store: Pick<Store, 'view' | 'commit'>): WebhookDocuments {
  const writing = new Map<string, Promise<void>>();
  return {
    persist(project_id, plan) {
      const done = (writing.get(project_id) ?? Promise.resolve()).then(() => persist(store, plan));
      const settled = done
        .catch(() => {})
        .then(() => void (writing.get(project_id) === settled && writing.delete(project_id)));
      writing.set(project_id, settled);
      return done;
    },
    stateOf: (project_id, endpoint_id) =>
      store.view(project_id).get<WebhookState>('local', webhookStateId(endpoint_id)),
    positionOf: async (project_id) =>
      (await store.view(project_id).get<{ after: number }>('local', positionId(project_id)))?.data.after,
    pendingOf: (project_id, endpoint_id, limit) =>
      store.view(project_id).find<WebhookDeliveryData>('local', {
        object: 'webhook_delivery',
        where: { 'data.queue': queueOf(endpoint_id, 'pending') },
        order: 'asc',
        limit: Math.min(limit, MOST_READ),
      }),
    async removeSome({ id, project_id }, state, keep) {
      const view = store.view(project_id);
      const query = { object: 'webhook_delivery', where: { 'data.queue': queueOf(id, state) } };
      const newest = keep === undefined ? [] : await view.find<WebhookDeliveryData>('local', { ...query, limit: keep });
      const last = newest.at(-1);
      if (keep !== undefined && (newest.length < keep || last === undefined)) return false;
      const rest = await view.find<WebhookDeliveryData>('local', {
        ...query,
        limit: MOST_WRITES,
        ...(last === undefined ? {} : { after: { created_at: last.created_at, id: last.id } }),
      });
      if (rest.length > 0)
        await store.commit(
          rest.map((one) => ({ ...deliveryWrite(project_id, one.id, one.data), deleted: true as const })),
        );
      return rest.length === MOST_WRITES;
    },
  };
}
