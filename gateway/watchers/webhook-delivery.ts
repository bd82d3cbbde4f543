/**
 * Sends the deliveries of one webhook endpoint one after the other, and stores the result of each delivery.
 *
 *   pending, due -> POST -> 2xx: delivered
 *                        -> unreachable: pending, not counted as a try
 *                        -> any other answer: pending until the next try
 *                        -> the last try failed, or status 410: dead
 *
 * A delivery is sent at least once, each time with the same webhook-id. Its result is stored before the next delivery is sent.
 */

import { type EventData, toEvent } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { AttentionReader, Sealer } from '#contract/context.ts';
import { queueOf, type WebhookDeliveryData, type WebhookState } from '#contract/work/webhook.ts';
import type { Store } from '#store/open-store.ts';
import { attentionOf } from './webhook-attention.ts';
import { type Delivery, deliveryWrite, type Endpoint, stateWrite, type WebhookDocuments } from './webhook-documents.ts';
import { type Answer, type PostOptions, post, signatureHeaders } from './webhook-request.ts';
import { backoff, judgeAnswer, type Outcome, probeAfter, waitUntil } from './webhook-rules.ts';

const MAX_AGE_MS = 7 * 86_400_000;
/** The largest number of deliveries that are sent to one endpoint before deliveries to another endpoint are sent. */
const TURN = 50;
/** The sender reads this many pending deliveries of an endpoint at a time, and sends those that are due. */
const READ = 200;

/**
 * An endpoint and its state: whether deliveries are being sent to it, when its next delivery is due, and how many of its last requests
 * failed in a row.
 */
export interface EndpointState {
  endpoint: Endpoint;
  busy: boolean;
  due_ms: number;
  failures: number;
}

/** Returns a function that sends the due deliveries of an endpoint. The function stops before the next delivery if `isOn` returns false. */
export function createDelivery(of: {
  readonly store: Pick<Store, 'view' | 'commit'>;
  readonly documents: WebhookDocuments;
  readonly sealer: Sealer;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly attention: AttentionReader | undefined;
  readonly request: Omit<PostOptions, 'signal'> | undefined;
  /** Aborts the current request when the gateway stops. */
  readonly signal: AbortSignal;
}): (target: EndpointState, isOn: () => boolean) => Promise<void> {
  const { store, documents, sealer, clock, random, attention, request, signal } = of;

  const jitter = () => 0.8 + ((random(1)[0] ?? 128) / 255) * 0.4;

  async function send({ id: endpoint, data }: Endpoint, { id }: Delivery, event: Stored<EventData>): Promise<Answer> {
    const published = toEvent(event);
    const body = JSON.stringify({
      type: published.type,
      timestamp: published.occurred_at,
      data: published,
      ...(await attentionOf(event, attention)),
    });
    const { secret, previous, url, allow_private } = data;
    const now = clock();
    const secrets = [secret, ...(previous !== null && Date.parse(previous.until) > now ? [previous.secret] : [])];
    const plain = secrets.map((sealed) => sealer.tryOpen(sealed, endpoint)).filter((one) => one !== undefined);
    if (plain.length === 0)
      return { kind: 'failed', error: 'the secret of the endpoint cannot be decrypted; rotate it' };
    const headers = signatureHeaders(id, now, body, plain);
    return post({ url, allow_private, headers, body }, { ...request, signal });
  }

  /** Stores the result of a delivery. Returns true if the next delivery to the endpoint may be sent at once. */
  async function settle(
    target: EndpointState,
    delivery: Delivery,
    answer: Answer | undefined,
    why: string,
  ): Promise<boolean> {
    const { id: endpoint_id, project_id } = target.endpoint;
    const now = clock();
    const outcome = judgeAnswer(answer, delivery.data.tries, why);
    await documents.persist(project_id, async () => {
      const state = await documents.stateOf(project_id, endpoint_id);
      if (state === undefined) return [];
      const current = await store.view(project_id).get<WebhookDeliveryData>('local', delivery.id);
      const isLast = current?.data.state === 'pending' && outcome.next !== 'pending';
      const next = stateAfter(state.data, outcome, answer !== undefined, isLast, now, jitter);
      target.failures = next.state.failures;
      if (next.pause_ms > 0) target.due_ms = now + next.pause_ms;
      const writes = [stateWrite(project_id, state, next.state)];
      if (current === undefined) return writes;
      const status = answer?.kind === 'answered' ? answer.status : null;
      const data = deliveryAfter(current.data, outcome, status, now, jitter);
      return [...writes, { ...deliveryWrite(project_id, delivery.id, data), expected: current.revision }];
    });
    return !outcome.failed;
  }

  return async (target, isOn) => {
    const { id, project_id } = target.endpoint;
    const state = await documents.stateOf(project_id, id);
    if (state === undefined) return;
    target.failures = state.data.failures;
    const now = clock();
    const gate = waitUntil(state.data.next_attempt_at === null ? 0 : Date.parse(state.data.next_attempt_at), now);
    target.due_ms = gate;
    if (gate > now) return;
    const waiting = await documents.pendingOf(project_id, id, READ);
    const due = waiting.filter(({ data }) => waitUntil(data.next_ms, now) <= now).slice(0, TURN);
    target.due_ms =
      due.length > 0 ? 0 : waiting.reduce((least, { data }) => Math.min(least, data.next_ms), Number.POSITIVE_INFINITY);
    for (const delivery of due) {
      const { endpoint } = target;
      if (signal.aborted || !isOn()) return;
      const old = clock() - Date.parse(delivery.created_at) > MAX_AGE_MS;
      const event = old ? undefined : await store.view(project_id).get<EventData>('events', delivery.data.event_id);
      const answer = event === undefined ? undefined : await send(endpoint, delivery, event);
      // The gateway is stopping and has aborted the request, so the result is unknown. After the next start the delivery is sent again.
      if (signal.aborted) return;
      if (!(await settle(target, delivery, answer, old ? 'waited for 7 days' : 'the event no longer exists'))) return;
    }
  };
}

/**
 * Returns the state of the endpoint after a delivery, and the milliseconds before the next request to the endpoint. `isLast` is true if the
 * delivery was pending and is not tried again.
 */
function stateAfter(
  state: WebhookState,
  { next, failed, error, retry_after_ms }: Outcome,
  isSent: boolean,
  isLast: boolean,
  now: number,
  jitter: () => number,
): { readonly state: WebhookState; readonly pause_ms: number } {
  const at = new Date(now).toISOString();
  const failures = failed ? state.failures + 1 : isSent ? 0 : state.failures;
  const pause_ms = Math.max(retry_after_ms, failed ? probeAfter(failures) * jitter() : 0);
  return {
    pause_ms,
    state: {
      pending: state.pending - (isLast ? 1 : 0),
      delivered_total: state.delivered_total + (next === 'delivered' ? 1 : 0),
      dead_total: state.dead_total + (next === 'dead' ? 1 : 0),
      dropped_total: state.dropped_total,
      last_success_at: next === 'delivered' ? at : state.last_success_at,
      last_failure_at: failed ? at : state.last_failure_at,
      last_error: failed ? error : state.last_error,
      failures,
      next_attempt_at: pause_ms > 0 ? new Date(now + pause_ms).toISOString() : isSent ? null : state.next_attempt_at,
    },
  };
}

function deliveryAfter(
  delivery: WebhookDeliveryData,
  { next, tries, error, retry_after_ms }: Outcome,
  status: number | null,
  now: number,
  jitter: () => number,
): WebhookDeliveryData {
  return {
    ...delivery,
    state: next,
    queue: queueOf(delivery.endpoint_id, next),
    tries,
    next_ms: now + Math.max(retry_after_ms, tries === 0 ? 0 : backoff(tries) * jitter()),
    last_status: status,
    last_error: error,
    finished_at: next === 'pending' ? null : new Date(now).toISOString(),
  };
}
