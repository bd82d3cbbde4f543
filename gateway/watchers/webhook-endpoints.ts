import type { Change } from '#contract/base/view.ts';
import {
  type WebhookDeliveryData,
  type WebhookEndpointData,
  type WebhookState,
  webhookStateId,
} from '#contract/work/webhook.ts';
import type { Store } from '#store/open-store.ts';
import { readAll } from './read-all.ts';
import type { EndpointState } from './webhook-delivery.ts';
import type { Endpoint } from './webhook-documents.ts';
import type { FeedPosition } from './webhook-queue.ts';

/** Returns the id of the endpoint that a state belongs to. */
const endpointOf = (state_id: string): string => state_id.slice(0, -webhookStateId('').length);

/**
 * The webhook endpoints of all projects, and for each project the position in its event feed (its events in the order of their commits),
 * updated when documents in the store change.
 */
export class WebhookEndpoints {
  private readonly states = new Map<string, EndpointState>();
  /** For each project with endpoints, by project id: the position in the event feed up to which its events are queued. */
  readonly positions = new Map<string, FeedPosition>();
  /** Deleted endpoints with deliveries that are still in the store. */
  readonly deleted: { readonly id: string; readonly project_id: string }[] = [];

  get all(): Iterable<EndpointState> {
    return this.states.values();
  }

  get(id: string): EndpointState | undefined {
    return this.states.get(id);
  }

  /** Returns the enabled endpoints of a project. */
  enabledOf(project_id: string): Endpoint[] {
    return [...this.states.values()]
      .map(({ endpoint }) => endpoint)
      .filter((endpoint) => endpoint.project_id === project_id && endpoint.data.enabled);
  }

  /** Makes the next delivery to an endpoint due now. */
  makeDue(id: string): void {
    const state = this.states.get(id);
    if (state !== undefined) state.due_ms = 0;
  }

  /** Reads the endpoints at start, and finds the states that deleted endpoints left behind. */
  async load(store: Pick<Store, 'find'>): Promise<void> {
    for (const endpoint of await readAll<WebhookEndpointData>(store, 'local', 'webhook_endpoint')) this.put(endpoint);
    for (const { id, project_id, data } of await readAll<WebhookState>(store, 'local', 'webhook_state')) {
      const state = this.states.get(endpointOf(id));
      if (state === undefined) this.deleted.push({ id: endpointOf(id), project_id });
      else state.failures = data.failures;
    }
  }

  /** Applies a change of a stored document. Returns true if, because of this change, there may be events to queue or deliveries to send. */
  follow({ collection, operation, document }: Change): boolean {
    const { id, project_id, object } = document;
    if (collection === 'events') {
      const position = this.positions.get(project_id);
      if (position !== undefined) position.hasNewEvents = true;
      return position !== undefined;
    }
    if (collection !== 'local') return false;
    if (object === 'webhook_endpoint') {
      if (operation !== 'DELETE') this.put(document as unknown as Endpoint);
      else {
        this.states.delete(id);
        this.deleted.push({ id, project_id });
      }
      return true;
    }
    if (object === 'webhook_state') {
      const state = this.states.get(endpointOf(id));
      if (state !== undefined) state.failures = Number(document.data.failures);
      return false;
    }
    if (object !== 'webhook_delivery' || operation !== 'UPDATE') return false;
    const { endpoint_id, state, tries } = document.data as unknown as WebhookDeliveryData;
    // An update of a pending delivery with 0 tries means that a person asked to send the delivery again.
    if (!this.states.has(endpoint_id) || state !== 'pending' || tries > 0) return false;
    this.makeDue(endpoint_id);
    return true;
  }

  private put(endpoint: Endpoint): void {
    const { id, project_id } = endpoint;
    const state = this.states.get(id);
    if (state === undefined) this.states.set(id, { endpoint, busy: false, due_ms: 0, failures: 0 });
    else Object.assign(state, { endpoint, due_ms: 0 });
    const position = this.positions.get(project_id);
    if (position === undefined) this.positions.set(project_id, { at: undefined, written: 0, hasNewEvents: true });
    else position.hasNewEvents = true;
  }
}
