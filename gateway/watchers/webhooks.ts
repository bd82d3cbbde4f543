/**
 * Webhooks: every event that an endpoint asked for is queued in the store, and sent when the link allows.
 *
 *   events ── feed, after a place ──▶ pending ──▶ POST ──▶ delivered
 *                                        ▲          │ no answer: waits for the link, not counted
 *                                        └──────────┤ wrong answer: later, 8 times
 *                                                   └──▶ dead (8 tries, 7 days, 410), to be seen and sent again
 *
 * Invariants: an event is queued once per endpoint, across restarts (`webhook-queue.ts`), and delivered at least once, every try
 * under the same webhook-id (`webhook-delivery.ts`).
 */

import type { Change } from '#contract/base/view.ts';
import type { Sealer } from '#contract/context.ts';
import type { Health } from '#contract/site/node.ts';
import {
  DELIVERY_STATES,
  type WebhookDeliveryData,
  type WebhookEndpointData,
  webhookStateId,
} from '#contract/work/webhook.ts';
import type { Store } from '#store/open-store.ts';
import { readAll } from './read-all.ts';
import { createDelivery, type Line } from './webhook-delivery.ts';
import { createWebhookDocuments, type Endpoint, stateWrite } from './webhook-documents.ts';
import { createWebhookQueue, type Place } from './webhook-queue.ts';
import type { PostOptions } from './webhook-request.ts';
import { waitUntil } from './webhook-rules.ts';

/** The running part. */
export interface Webhooks extends AsyncDisposable {
  /** Queues what is new and sends what is due; the part does so itself, at once for news and once a second. */
  tick(): Promise<void>;
  problems(): Health['problems'];
}

/** What it reads and writes, and its bounds. */
export interface WebhookOptions {
  readonly store: Pick<Store, 'view' | 'find' | 'changes' | 'commit' | 'feed'>;
  readonly sealer: Sealer;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** How requests go out; for tests. */
  readonly request?: Omit<PostOptions, 'signal'>;
  /** Milliseconds between ticks; a second when absent, none when null. */
  readonly tickMs?: number | null;
  /** Deliveries that wait for one endpoint; 5,000 when absent. */
  readonly maxPending?: number;
  /** Delivered and dead ones that are kept of one endpoint; 1,000 of each when absent. */
  readonly maxKept?: number;
}

const TICK_MS = 1_000;
const SWEEP_MS = 60_000;
/** After the store refused, and between two complaints. */
const PAUSE_MS = 60_000;
const MAX_PENDING = 5_000;
const MAX_KEPT = 1_000;
/** Endpoints that are sent to at once. */
const AT_ONCE = 4;
/** In a row; then health tells. */
const FAILING = 3;

/** Starts queueing and delivering. */
export async function startWebhooks(options: WebhookOptions): Promise<Webhooks> {
  const { store, sealer, clock, random, log, request, maxPending = MAX_PENDING, maxKept = MAX_KEPT } = options;
  const lines = new Map<string, Line>();
  const places = new Map<string, Place>();
  const removed: { readonly id: string; readonly project_id: string }[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const sending = new Set<Promise<void>>();
  const documents = createWebhookDocuments(store);
  const queue = createWebhookQueue({ store, documents, clock, random, maxPending });
  const deliver = createDelivery({ store, documents, sealer, clock, random, request, signal });
  let swept = Number.NEGATIVE_INFINITY;

  function take(endpoint: Endpoint): void {
    const { id, project_id } = endpoint;
    const line = lines.get(id);
    if (line === undefined) lines.set(id, { endpoint, busy: false, due_ms: 0, failures: 0 });
    else Object.assign(line, { endpoint, due_ms: 0 });
    const place = places.get(project_id);
    if (place === undefined) places.set(project_id, { at: undefined, written: 0, news: true });
    else place.news = true;
  }

  /** True when there is something to do. */
  function follow({ collection, operation, document }: Change): boolean {
    const { id, project_id, object } = document;
    if (collection === 'events') {
      const place = places.get(project_id);
      if (place !== undefined) place.news = true;
      return place !== undefined;
    }
    if (collection !== 'local') return false;
    if (object === 'webhook_endpoint') {
      if (operation !== 'DELETE') take(document as unknown as Endpoint);
      else {
        lines.delete(id);
        removed.push({ id, project_id });
      }
      return true;
    }
    if (object !== 'webhook_delivery' || operation !== 'UPDATE') return false;
    const { endpoint_id, state, tries } = document.data as unknown as WebhookDeliveryData;
    const line = lines.get(endpoint_id);
    // Somebody asked for it to be sent again.
    if (line === undefined || state !== 'pending' || tries > 0) return false;
    line.due_ms = 0;
    return true;
  }

  const unsubscribe = store.changes((changes) => {
    const news = changes.map(follow);
    if (news.includes(true)) kick();
  });

  for (const endpoint of await readAll<WebhookEndpointData>(store, 'local', 'webhook_endpoint')) take(endpoint);
  for (const { id, project_id } of await readAll(store, 'local', 'webhook_state')) {
    const endpoint_id = id.slice(0, -webhookStateId('').length);
    if (!lines.has(endpoint_id)) removed.push({ id: endpoint_id, project_id });
  }

  /** Queues what happened in a project since the last time. */
  async function queueNews(project_id: string, place: Place): Promise<void> {
    const endpoints = [...lines.values()]
      .map(({ endpoint }) => endpoint)
      .filter((one) => one.project_id === project_id && one.data.enabled);
    if (endpoints.length === 0) {
      places.delete(project_id);
      return queue.forget(project_id);
    }
    return queue.take(project_id, place, endpoints, (endpoint_id) => {
      const line = lines.get(endpoint_id);
      if (line !== undefined) line.due_ms = 0;
    });
  }

  /** Removes what is left of endpoints that were deleted, and finished deliveries beyond the bound. */
  async function sweep(): Promise<void> {
    for (let gone = removed[0]; gone !== undefined; gone = removed[0]) {
      for (const state of DELIVERY_STATES) while (await documents.removeSome(gone, state));
      const state = await documents.stateOf(gone.project_id, gone.id);
      if (state !== undefined)
        await store.commit([{ ...stateWrite(gone.project_id, state, state.data), deleted: true }]);
      removed.shift();
    }
    if (clock() - swept < SWEEP_MS && clock() >= swept) return;
    swept = clock();
    for (const { endpoint } of [...lines.values()])
      for (const state of ['delivered', 'dead'] as const) while (await documents.removeSome(endpoint, state, maxKept));
  }

  function begin(line: Line): void {
    const { id } = line.endpoint;
    line.busy = true;
    const run = deliver(line, () => lines.get(id) === line && line.endpoint.data.enabled)
      .catch((error: unknown) => {
        // What was sent and could not be written down is sent again: not at once.
        line.due_ms = clock() + PAUSE_MS;
        complain(error);
      })
      .finally(() => {
        line.busy = false;
        sending.delete(run);
        if (line.due_ms === 0) kick();
      });
    sending.add(run);
  }

  async function work(): Promise<void> {
    await sweep();
    for (const [project_id, place] of [...places]) {
      if (!place.news) continue;
      await queueNews(project_id, place).catch((error: unknown) => {
        place.news = true;
        complain(error);
      });
    }
    const now = clock();
    for (const line of lines.values()) {
      const isDue = !line.busy && line.endpoint.data.enabled && waitUntil(line.due_ms, now) <= now;
      if (isDue && sending.size < AT_ONCE) begin(line);
    }
  }

  let complained = Number.NEGATIVE_INFINITY;
  const complain = (error: unknown): void => {
    if (performance.now() - complained < PAUSE_MS) return;
    complained = performance.now();
    log('error', 'webhooks could not be queued or settled; they are tried again', { error: String(error) });
  };
  let running: Promise<void> | undefined;
  let again = false;
  function run(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    running ??= work()
      .catch(complain)
      .finally(() => {
        running = undefined;
        if (again) kick();
      });
    return running;
  }
  let kicked: NodeJS.Immediate | undefined;
  function kick(): void {
    again = running !== undefined;
    if (again || kicked !== undefined) return;
    kicked = setImmediate(() => {
      kicked = undefined;
      void run();
    });
  }
  const { tickMs = TICK_MS } = options;
  const timer = tickMs === null ? undefined : setInterval(() => void run(), tickMs);
  kick();

  return {
    async tick() {
      await run();
      await Promise.all(sending);
    },
    problems() {
      const failing = [...lines.values()].filter(
        ({ failures, endpoint }) => failures >= FAILING && endpoint.data.enabled,
      );
      if (failing.length === 0) return [];
      return [
        {
          code: 'webhooks_failing',
          message: `${failing.length} webhook ${failing.length === 1 ? 'endpoint does' : 'endpoints do'} not take what is sent.`,
          since: null,
          given_up: null,
          remedy: 'See the endpoint: its last error says why. What waits is sent when it answers, for 7 days.',
        },
      ];
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      clearImmediate(kicked);
      unsubscribe();
      stopping.abort();
      await running;
      await Promise.all(sending);
    },
  };
}
