/**
 * Webhook delivery: every event that an endpoint asked for is queued in the store, and sent when the link allows.
 *
 *   events ── feed, after a place ──▶ pending ──▶ POST ──▶ delivered
 *                                        ▲          │ no answer: waits for the link, not counted
 *                                        └──────────┤ wrong answer: later, 8 times
 *                                                   └──▶ dead (8 tries, 7 days, 410), to be seen and sent again
 *
 * Invariants: deliveries and the place in the feed are written together, so an event is queued once per endpoint, across restarts;
 * it is delivered at least once, every try under the same webhook-id.
 */
import type { Sealer } from '#contract/context.ts';
import { type EventData, toEvent } from '#contract/event.ts';
import { makeId } from '#contract/ids.ts';
import type { Health } from '#contract/node.ts';
import { type Stored, type Write, WriteConflict } from '#contract/view.ts';
import {
  DELIVERY_STATES,
  NEW_STATE,
  queueOf,
  type WebhookDeliveryData,
  type WebhookEndpointData,
  type WebhookState,
  webhookStateId,
} from '#contract/webhook.ts';
import type { Store } from '#store/open-store.ts';
import { readAll } from './alert-targets.ts';
import { type Answer, type PostOptions, post, signatureHeaders } from './webhook-request.ts';

export interface Webhooks extends AsyncDisposable {
  /** Queues what is new and sends what is due; the part does so itself, at once for news and once a second. */
  tick(): Promise<void>;
  problems(): Health['problems'];
}

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
const MAX_AGE_MS = 7 * 86_400_000;
const TRIES = 8;
/** From one try to the next. */
const BACKOFF_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000];
/** While an endpoint fails, one request probes it, at least so often. */
const SLOWEST_PROBE_MS = 300_000;
const FIRST_PROBE_MS = 5_000;
/** Waits longer than any of ours come from a clock that was set back. */
const LONGEST_WAIT_MS = 28_800_000;
/** Endpoints that are sent to at once. */
const AT_ONCE = 4;
/** Deliveries of one endpoint before others have their turn. */
const TURN = 50;
const LOOKED_AT = 200;
/** Documents of one commit. */
const MOST_WRITES = 400;
/** Events without a delivery after which the place is written anyway. */
const PLACE_EVERY = 500;
const CONFLICTS = 5;
/** In a row; then health tells. */
const FAILING = 3;

type ProjectWrite = Write & { readonly project_id: string };
type Endpoint = Stored<WebhookEndpointData>;
type Delivery = Stored<WebhookDeliveryData>;

/** An endpoint and when it is looked at next. */
interface Line {
  endpoint: Endpoint;
  busy: boolean;
  due_ms: number;
  failures: number;
}

interface Place {
  /** Number in the feed of events; undefined: not looked up yet. */
  at: number | undefined;
  written: number;
  news: boolean;
}

/** Starts queueing and delivering. */
export async function startWebhooks(options: WebhookOptions): Promise<Webhooks> {
  const { store, sealer, clock, random, log, maxPending = MAX_PENDING, maxKept = MAX_KEPT } = options;
  const lines = new Map<string, Line>();
  const places = new Map<string, Place>();
  const removed: { readonly id: string; readonly project_id: string }[] = [];
  const stopping = new AbortController();
  const sending = new Set<Promise<void>>();
  let swept = Number.NEGATIVE_INFINITY;

  function placeOf(project_id: string): Place {
    const place = places.get(project_id) ?? { at: undefined, written: 0, news: true };
    places.set(project_id, place);
    return place;
  }

  function take(endpoint: Endpoint): void {
    const line = lines.get(endpoint.id);
    if (line === undefined) lines.set(endpoint.id, { endpoint, busy: false, due_ms: 0, failures: 0 });
    else Object.assign(line, { endpoint, due_ms: 0 });
    placeOf(endpoint.project_id).news = true;
  }

  const unsubscribe = store.changes((changes) => {
    let news = false;
    for (const { collection, operation, document } of changes) {
      const { id, project_id, object } = document;
      if (collection === 'events') {
        const place = places.get(project_id);
        if (place !== undefined) place.news = news = true;
      } else if (collection === 'local' && object === 'webhook_endpoint') {
        news = true;
        if (operation !== 'DELETE') take(document as unknown as Endpoint);
        else {
          lines.delete(id);
          removed.push({ id, project_id });
        }
      } else if (collection === 'local' && object === 'webhook_delivery' && operation === 'UPDATE') {
        const { endpoint_id, state, tries } = document.data as unknown as WebhookDeliveryData;
        const line = lines.get(endpoint_id);
        // Somebody asked for it to be sent again.
        if (line === undefined || state !== 'pending' || tries > 0) continue;
        line.due_ms = 0;
        news = true;
      }
    }
    if (news) kick();
  });

  for (const endpoint of await readAll<WebhookEndpointData>(store, 'local', 'webhook_endpoint')) take(endpoint);
  for (const { id, project_id } of await readAll(store, 'local', 'webhook_state')) {
    const endpoint_id = id.slice(0, -webhookStateId('').length);
    if (!lines.has(endpoint_id)) removed.push({ id: endpoint_id, project_id });
  }

  const wanting = (project_id: string) =>
    [...lines.values()]
      .map(({ endpoint }) => endpoint)
      .filter((one) => one.project_id === project_id && one.data.enabled);

  const cursorId = (project_id: string) => `webhook_cursor_${project_id}`;

  /** Where to begin in the feed: behind the last place that was written, else at the first event that an endpoint could want. */
  async function beginning(project_id: string, endpoints: readonly Endpoint[]): Promise<number> {
    const cursor = await store.view(project_id).get<{ after: number }>('local', cursorId(project_id));
    if (cursor !== undefined) return cursor.data.after;
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

  /** Queues what happened in a project since the last time. */
  async function queue(project_id: string, place: Place): Promise<void> {
    const endpoints = wanting(project_id);
    if (endpoints.length === 0) {
      places.delete(project_id);
      const cursor = await store.view(project_id).get('local', cursorId(project_id));
      if (cursor !== undefined) await store.commit([{ ...placeWrite(project_id, 0), deleted: true }]);
      return;
    }
    place.at ??= await beginning(project_id, endpoints);
    const limit = Math.max(1, Math.floor(MOST_WRITES / endpoints.length));
    for (;;) {
      place.news = false;
      const { entries } = await store.feed(project_id, 'events', place.at, limit);
      const last = entries.at(-1);
      if (last === undefined) return;
      const made = new Map<string, ProjectWrite[]>();
      for (const { deleted, document } of entries) {
        if (deleted || document.object !== 'event') continue;
        const event = document as unknown as Stored<EventData>;
        for (const endpoint of endpoints)
          if (wants(endpoint, event))
            made.set(endpoint.id, [...(made.get(endpoint.id) ?? []), deliveryOf(endpoint, event)]);
      }
      if (made.size > 0 || last.seq - place.written >= PLACE_EVERY) {
        await enqueue(project_id, made, last.seq);
        place.written = last.seq;
      }
      place.at = last.seq;
      for (const id of made.keys()) {
        const line = lines.get(id);
        if (line !== undefined) line.due_ms = 0;
      }
      if (entries.length < limit) return;
    }
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
    const id = makeId('webhook_delivery', now, random(10));
    return { collection: 'local', id, object: 'webhook_delivery', project_id, data: { ...data }, expected: 0 };
  }

  /** Writes new deliveries and the place in the feed; where too many wait the oldest give way and are counted. */
  async function enqueue(project_id: string, made: ReadonlyMap<string, ProjectWrite[]>, after: number): Promise<void> {
    await persist(async () => {
      const writes: ProjectWrite[] = [placeWrite(project_id, after)];
      for (const [endpoint_id, deliveries] of made) {
        const state = await stateOf(project_id, endpoint_id);
        if (state === undefined) continue;
        const over = Math.max(0, state.data.pending + deliveries.length - maxPending);
        const oldest = over === 0 ? [] : await pendingOf(project_id, endpoint_id, over);
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

  /** Commits what `plan` gives, planned anew when somebody else was faster. */
  async function persist(plan: () => Promise<ProjectWrite[]>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const writes = await plan();
      try {
        if (writes.length > 0) await store.commit(writes);
        return;
      } catch (error) {
        if (!(error instanceof WriteConflict) || attempt === CONFLICTS) throw error;
      }
    }
  }

  const stateOf = (project_id: string, endpoint_id: string) =>
    store.view(project_id).get<WebhookState>('local', webhookStateId(endpoint_id));

  function pendingOf(project_id: string, endpoint_id: string, limit: number): Promise<Delivery[]> {
    return store.view(project_id).find<WebhookDeliveryData>('local', {
      object: 'webhook_delivery',
      where: { 'data.queue': queueOf(endpoint_id, 'pending') },
      order: 'asc',
      limit: Math.min(limit, 1_000),
    });
  }

  /** Sends what is due to one endpoint, one after the other. */
  async function deliver(line: Line): Promise<void> {
    const { id, project_id } = line.endpoint;
    const state = await stateOf(project_id, id);
    if (state === undefined) return;
    line.failures = state.data.failures;
    const now = clock();
    const gate = waitUntil(state.data.next_attempt_at === null ? 0 : Date.parse(state.data.next_attempt_at), now);
    line.due_ms = gate;
    if (gate > now) return;
    const waiting = await pendingOf(project_id, id, LOOKED_AT);
    const due = waiting.filter(({ data }) => waitUntil(data.next_ms, now) <= now).slice(0, TURN);
    line.due_ms =
      due.length > 0 ? 0 : waiting.reduce((least, { data }) => Math.min(least, data.next_ms), Number.POSITIVE_INFINITY);
    for (const delivery of due) {
      const { endpoint } = line;
      if (stopping.signal.aborted || lines.get(id) !== line || !endpoint.data.enabled) return;
      const old = clock() - Date.parse(delivery.created_at) > MAX_AGE_MS;
      const event = old ? undefined : await store.view(project_id).get<EventData>('events', delivery.data.event_id);
      const answer = event === undefined ? undefined : await send(endpoint, delivery, event);
      // What was cut off by our own end has had no answer.
      if (stopping.signal.aborted) return;
      if (!(await settle(line, delivery, answer, old ? 'waited for 7 days' : 'the event is gone'))) return;
    }
  }

  async function send({ data }: Endpoint, { id }: Delivery, event: Stored<EventData>): Promise<Answer> {
    const wire = toEvent(event);
    const body = JSON.stringify({ type: wire.type, timestamp: wire.occurred_at, data: wire });
    const { secret, previous, url, allow_private } = data;
    const now = clock();
    const secrets = [secret, ...(previous !== null && Date.parse(previous.until) > now ? [previous.secret] : [])];
    const headers = signatureHeaders(
      id,
      now,
      body,
      secrets.map((sealed) => sealer.open(sealed)),
    );
    return post({ url, allow_private, headers, body }, { ...options.request, signal: stopping.signal });
  }

  /** Writes what became of a delivery; true when the next one may follow at once. */
  async function settle(line: Line, delivery: Delivery, answer: Answer | undefined, why: string): Promise<boolean> {
    const { id: endpoint_id, project_id } = line.endpoint;
    const now = clock();
    const at = new Date(now).toISOString();
    const outcome = judgeAnswer(answer, delivery.data.tries, why);
    await persist(async () => {
      const state = await stateOf(project_id, endpoint_id);
      if (state === undefined) return [];
      const current = await store.view(project_id).get<WebhookDeliveryData>('local', delivery.id);
      const { next, failed, error } = outcome;
      const sent = answer !== undefined;
      const failures = failed ? state.data.failures + 1 : sent ? 0 : state.data.failures;
      const pause = Math.max(outcome.retry_after_ms, failed ? probeAfter(failures) : 0);
      line.failures = failures;
      const counted = current?.data.state === 'pending' && next !== 'pending';
      const writes = [
        stateWrite(project_id, state, {
          pending: state.data.pending - (counted ? 1 : 0),
          delivered_total: state.data.delivered_total + (next === 'delivered' ? 1 : 0),
          dead_total: state.data.dead_total + (next === 'dead' ? 1 : 0),
          dropped_total: state.data.dropped_total,
          last_success_at: next === 'delivered' ? at : state.data.last_success_at,
          last_failure_at: failed ? at : state.data.last_failure_at,
          last_error: failed ? error : state.data.last_error,
          failures,
          next_attempt_at: pause > 0 ? new Date(now + pause).toISOString() : sent ? null : state.data.next_attempt_at,
        }),
      ];
      if (pause > 0) line.due_ms = now + pause;
      if (current === undefined) return writes;
      const data: WebhookDeliveryData = {
        ...current.data,
        state: next,
        queue: queueOf(endpoint_id, next),
        tries: outcome.tries,
        next_ms: now + Math.max(outcome.retry_after_ms, outcome.tries === 0 ? 0 : backoff(outcome.tries)),
        last_status: answer?.kind === 'answered' ? answer.status : null,
        last_error: error,
        finished_at: next === 'pending' ? null : at,
      };
      writes.push({ ...deliveryWrite(project_id, delivery.id, data), expected: current.revision });
      return writes;
    });
    return !outcome.failed;
  }

  const jitter = () => 0.8 + ((random(1)[0] ?? 128) / 255) * 0.4;
  const backoff = (tries: number) => (BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] ?? FIRST_PROBE_MS) * jitter();
  const probeAfter = (failures: number) =>
    Math.min(FIRST_PROBE_MS * 2 ** Math.min(failures - 1, 10), SLOWEST_PROBE_MS) * jitter();

  /** Removes what is left of endpoints that were deleted, and finished deliveries beyond the bound. */
  async function sweep(): Promise<void> {
    for (let gone = removed[0]; gone !== undefined; gone = removed[0]) {
      const { id, project_id } = gone;
      for (const state of DELIVERY_STATES) while (await removeSome(project_id, id, state, undefined));
      const state = await stateOf(project_id, id);
      if (state !== undefined) await store.commit([{ ...stateWrite(project_id, state, state.data), deleted: true }]);
      removed.shift();
    }
    if (clock() - swept < SWEEP_MS && clock() >= swept) return;
    swept = clock();
    for (const { endpoint } of [...lines.values()])
      for (const state of ['delivered', 'dead'] as const)
        while (await removeSome(endpoint.project_id, endpoint.id, state, maxKept));
  }

  /** Removes a batch of deliveries beyond the newest `keep`; true when there may be more. */
  async function removeSome(
    project_id: string,
    endpoint_id: string,
    state: WebhookDeliveryData['state'],
    keep: number | undefined,
  ): Promise<boolean> {
    const view = store.view(project_id);
    const query = { object: 'webhook_delivery', where: { 'data.queue': queueOf(endpoint_id, state) } };
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
        rest.map(({ id, data }) => ({ ...deliveryWrite(project_id, id, data), deleted: true as const })),
      );
    return rest.length === MOST_WRITES;
  }

  async function work(): Promise<void> {
    await sweep();
    for (const [project_id, place] of [...places]) {
      if (!place.news) continue;
      await queue(project_id, place).catch((error: unknown) => {
        place.news = true;
        complain(error);
      });
    }
    const now = clock();
    for (const line of lines.values()) {
      if (line.busy || !line.endpoint.data.enabled || waitUntil(line.due_ms, now) > now || sending.size >= AT_ONCE)
        continue;
      line.busy = true;
      const run = deliver(line)
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

/** A time to wait for; one that lies too far ahead comes from a clock that was set back, and is over. */
function waitUntil(at_ms: number, now_ms: number): number {
  return at_ms - now_ms > LONGEST_WAIT_MS && at_ms !== Number.POSITIVE_INFINITY ? now_ms : at_ms;
}

function placeWrite(project_id: string, after: number): ProjectWrite {
  return {
    collection: 'local',
    id: `webhook_cursor_${project_id}`,
    object: 'webhook_cursor',
    project_id,
    data: { after },
  };
}

function deliveryWrite(project_id: string, id: string, data: WebhookDeliveryData): ProjectWrite {
  return { collection: 'local', id, object: 'webhook_delivery', project_id, data: { ...data } };
}

function stateWrite(project_id: string, current: Stored<WebhookState>, data: WebhookState): ProjectWrite {
  const { id, revision: expected } = current;
  return { collection: 'local', id, object: 'webhook_state', project_id, data: { ...NEW_STATE, ...data }, expected };
}

/** True when the endpoint asked for such events, since it is on; alerts go only where their rule's action was executed. */
function wants({ data }: Endpoint, event: Stored<EventData>): boolean {
  const { type, data: told } = event.data;
  const asked = data.kinds.some(
    (kind) => kind === '*' || kind === type || (kind.endsWith('.*') && type.startsWith(kind.slice(0, -1))),
  );
  if (!asked || event.created_at < data.since) return false;
  if (!type.startsWith('alert.')) return true;
  const actions = (told.actions ?? []) as { action?: unknown; status?: unknown }[];
  return actions.some(({ action, status }) => action === 'webhook' && status === 'executed');
}

interface Outcome {
  readonly next: WebhookDeliveryData['state'];
  readonly failed: boolean;
  readonly tries: number;
  readonly error: string | null;
  readonly retry_after_ms: number;
}

/** What an answer means for a delivery; `undefined` when it was not sent at all. */
function judgeAnswer(answer: Answer | undefined, before: number, why: string): Outcome {
  if (answer === undefined) return { next: 'dead', failed: false, tries: before, error: why, retry_after_ms: 0 };
  if (answer.kind === 'unreachable')
    return { next: 'pending', failed: true, tries: before, error: answer.error, retry_after_ms: 0 };
  const tries = before + 1;
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300)
    return { next: 'delivered', failed: false, tries, error: null, retry_after_ms: 0 };
  const status = answer.kind === 'answered' ? answer.status : null;
  return {
    next: status === 410 || tries >= TRIES ? 'dead' : 'pending',
    failed: true,
    tries,
    error: answer.kind === 'failed' ? answer.error : `it answered ${answer.status}`,
    retry_after_ms: answer.kind === 'answered' && (status === 429 || status === 503) ? (answer.retry_after_ms ?? 0) : 0,
  };
}
