/**
 * Webhooks: every event that an endpoint asked for is queued in the store and sent to the endpoint.
 *
 *   events -> feed, from the position of the project -> pending -> POST -> delivered
 *                                                          ^        |  unreachable: sent later, not counted as a try
 *                                                          +--------+  failed: sent later, 8 tries
 *                                                                   +-> dead (8 tries, 7 days, or status 410)
 *
 * An event is queued exactly once for each endpoint, even if the gateway restarts (`webhook-queue.ts`). A delivery is sent at least once,
 * each time with the same webhook-id (`webhook-delivery.ts`). People can see dead deliveries and send them again.
 */

import { messageOf, say } from '#contract/base/told.ts';
import type { AttentionReader, Sealer } from '#contract/context.ts';
import type { Health } from '#contract/site/node.ts';
import { DELIVERY_STATES } from '#contract/work/webhook.ts';
import type { Store } from '#store/open-store.ts';
import { RunLoop } from './run-loop.ts';
import { createDelivery, type EndpointState } from './webhook-delivery.ts';
import { createWebhookDocuments, stateWrite } from './webhook-documents.ts';
import { WebhookEndpoints } from './webhook-endpoints.ts';
import { createWebhookQueue, type FeedPosition } from './webhook-queue.ts';
import type { PostOptions } from './webhook-request.ts';
import { waitUntil } from './webhook-rules.ts';

/** The running sender of webhooks. */
export interface Webhooks extends AsyncDisposable {
  /** Queues new events, sends due deliveries and waits for the answers. A timer and each new event start the same work. */
  tick(): Promise<void>;
}

/** Tells which endpoints fail. */
export interface FailingWebhooks extends Disposable {
  problems(): Health['problems'];
}

export interface WebhookOptions {
  readonly store: Pick<Store, 'view' | 'find' | 'changes' | 'commit' | 'feed'>;
  readonly sealer: Sealer;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Returns false if another process of the database may send the webhooks now. */
  readonly isOurs?: () => boolean;
  /** Reads how urgently a machine needs people, for the events of machines. Without it, webhooks do not say it. */
  readonly attention?: AttentionReader;
  /** Options of the POST requests; only tests set them. */
  readonly request?: Omit<PostOptions, 'signal'> | undefined;
  /** Milliseconds between ticks. Default: 1,000. If it is null, there is no timer. */
  readonly tickMs?: number | null;
  /** The largest number of pending deliveries of one endpoint. Default: 5,000. */
  readonly maxPending?: number;
  /** For each endpoint, at most this many successful deliveries and at most this many dead deliveries are kept. Default: 1,000 of each. */
  readonly maxKept?: number;
}

const TICK_MS = 1_000;
const SWEEP_MS = 60_000;
/**
 * If the store refuses a write, the next try comes after this many milliseconds. The gateway writes at most one log line about refused
 * writes in this time.
 */
const PAUSE_MS = 60_000;
const MAX_PENDING = 5_000;
const MAX_KEPT = 1_000;
/** The largest number of endpoints to which requests are sent at the same time. */
const MAX_SENDING = 4;
/** `GET /api/v1/health` reports an endpoint after this many failures in a row. */
const FAILING = 3;

/** Queues new events and sends due deliveries of all endpoints. */
class WebhookWorker {
  readonly endpoints = new WebhookEndpoints();
  readonly loop = new RunLoop(() => this.work().catch((error: unknown) => this.logFailure(error)));
  private readonly options: WebhookOptions;
  private readonly stopping = new AbortController();
  private readonly documents: ReturnType<typeof createWebhookDocuments>;
  private readonly queue: ReturnType<typeof createWebhookQueue>;
  private readonly deliver: ReturnType<typeof createDelivery>;
  private readonly sending = new Set<Promise<void>>();
  private sweptAt = Number.NEGATIVE_INFINITY;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: WebhookOptions) {
    const { store, sealer, clock, random, attention, request, maxPending = MAX_PENDING } = options;
    this.options = options;
    this.documents = createWebhookDocuments(store);
    const { documents } = this;
    this.queue = createWebhookQueue({ store, documents, clock, random, maxPending });
    const { signal } = this.stopping;
    this.deliver = createDelivery({ store, documents, sealer, clock, random, attention, request, signal });
  }

  /** Resolves when all requests that are in progress have ended. */
  async sent(): Promise<void> {
    await Promise.all(this.sending);
  }

  async stop(): Promise<void> {
    this.loop.stop();
    this.stopping.abort();
    await this.loop.settled();
    await this.sent();
  }

  private async work(): Promise<void> {
    if (this.options.isOurs?.() === false) return;
    await this.removeDeleted();
    await this.removeFinished();
    for (const [project_id, position] of [...this.endpoints.positions]) {
      if (!position.hasNewEvents) continue;
      await this.queueNewEvents(project_id, position).catch((error: unknown) => {
        position.hasNewEvents = true;
        this.logFailure(error);
      });
    }
    const now = this.options.clock();
    for (const state of this.endpoints.all) {
      const isDue = !state.busy && state.endpoint.data.enabled && waitUntil(state.due_ms, now) <= now;
      if (isDue && this.sending.size < MAX_SENDING) this.startSending(state);
    }
  }

  private async queueNewEvents(project_id: string, position: FeedPosition): Promise<void> {
    const endpoints = this.endpoints.enabledOf(project_id);
    if (endpoints.length === 0) {
      this.endpoints.positions.delete(project_id);
      return this.queue.forget(project_id);
    }
    return this.queue.queueEvents(project_id, position, endpoints, (id) => this.endpoints.makeDue(id));
  }

  /** Removes the deliveries and the states of deleted endpoints. */
  private async removeDeleted(): Promise<void> {
    const { deleted } = this.endpoints;
    for (let endpoint = deleted[0]; endpoint !== undefined; endpoint = deleted[0]) {
      for (const state of DELIVERY_STATES) while (await this.documents.removeSome(endpoint, state));
      const state = await this.documents.stateOf(endpoint.project_id, endpoint.id);
      if (state !== undefined)
        await this.options.store.commit([{ ...stateWrite(endpoint.project_id, state, state.data), deleted: true }]);
      deleted.shift();
    }
  }

  /** Once a minute, removes the oldest delivered and dead deliveries of endpoints that have more than `maxKept`. */
  private async removeFinished(): Promise<void> {
    const { clock, maxKept = MAX_KEPT } = this.options;
    if (clock() - this.sweptAt < SWEEP_MS && clock() >= this.sweptAt) return;
    this.sweptAt = clock();
    for (const { endpoint } of [...this.endpoints.all])
      for (const state of ['delivered', 'dead'] as const)
        while (await this.documents.removeSome(endpoint, state, maxKept));
  }

  private startSending(state: EndpointState): void {
    const { id } = state.endpoint;
    state.busy = true;
    const { isOurs = () => true } = this.options;
    const isOn = () => this.endpoints.get(id) === state && state.endpoint.data.enabled && isOurs();
    const run = this.deliver(state, isOn)
      .catch((error: unknown) => {
        // The result of a delivery could not be stored, so the delivery will be sent again. Wait before that, so that the endpoint does not
        // get the same delivery many times in a short time.
        state.due_ms = this.options.clock() + PAUSE_MS;
        this.logFailure(error);
      })
      .finally(() => {
        state.busy = false;
        this.sending.delete(run);
        if (state.due_ms === 0) this.loop.schedule();
      });
    this.sending.add(run);
  }

  private logFailure(error: unknown): void {
    if (performance.now() - this.loggedAt < PAUSE_MS) return;
    this.loggedAt = performance.now();
    const message = 'webhooks could not be queued or settled; they are tried again';
    this.options.log('error', message, { error: String(error) });
  }
}

/** Returns the problem that `GET /api/v1/health` reports about failing endpoints. */
function problemsOf(endpoints: WebhookEndpoints): Health['problems'] {
  const failing = [...endpoints.all].filter(({ failures, endpoint }) => failures >= FAILING && endpoint.data.enabled);
  if (failing.length === 0) return [];
  return [
    {
      code: 'webhooks_failing',
      ...messageOf(
        say('{n} webhook endpoint does not accept deliveries.|{n} webhook endpoints do not accept deliveries.', {
          n: failing.length,
        }),
      ),
      since: null,
      given_up: null,
      remedy: 'Read the last error of the endpoint. Pending deliveries are sent when it answers, for 7 days.',
    },
  ];
}

/** Follows the failures of the endpoints. Each process does it, because only one of them sends. */
export async function followFailing(store: Pick<Store, 'find' | 'changes'>): Promise<FailingWebhooks> {
  const endpoints = new WebhookEndpoints();
  const unsubscribe = store.changes((changes) => {
    for (const change of changes) endpoints.follow(change);
  });
  await endpoints.load(store);
  return { problems: () => problemsOf(endpoints), [Symbol.dispose]: unsubscribe };
}

/** Starts to queue events as deliveries and to send them to their endpoints. */
export async function startWebhooks(options: WebhookOptions): Promise<Webhooks> {
  const { store, tickMs = TICK_MS } = options;
  const worker = new WebhookWorker(options);
  const { loop, endpoints } = worker;
  const unsubscribe = store.changes((changes) => {
    const relevant = changes.map((change) => endpoints.follow(change));
    if (relevant.includes(true)) loop.schedule();
  });
  await endpoints.load(store);
  const timer = tickMs === null ? undefined : setInterval(() => void loop.run(), tickMs);
  loop.schedule();

  return {
    async tick() {
      await loop.run();
      await worker.sent();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      unsubscribe();
      await worker.stop();
    },
  };
}
