/** A real store, the real doors, and small real handlers over dashboards: what the tests of this room stand on. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import type { Stored } from '#contract/base/view.ts';
import { type Client, createClient } from '#contract/client.ts';
import type { HandlerContext, ShiftClock } from '#contract/context.ts';
import type { HandlerGroup, Handlers } from '#contract/handler.ts';
import type { Dashboard, DashboardData } from '#contract/site/board.ts';
import type { Feed, FeedListener, FeedSource, LiveSnapshot } from '#contract/site/live.ts';
import type { KeyData } from '#contract/site/node.ts';
import { loggerTools } from '#gateway/logger-tools.ts';
import { createSignIn } from '#gateway/sign-in.ts';
import { createAuditReader } from '#handlers/base/audit.ts';
import { createForwardClock } from '#host/forward-clock.ts';
import { type Auth, createAuth } from '#servers/http/auth.ts';
import { type HttpOptions, type HttpServer, startHttp } from '#servers/http/http.ts';
import { createInvoke, type Invoke, type Services } from '#servers/invoke/invoke.ts';
import type { LateBounds } from '#servers/invoke/receipts.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { openUploads } from '#store/uploads.ts';
import { aloneState } from '#sync/file-states.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';

export const CONTROL = `ctl_${'c'.repeat(43)}`;

export interface Rig extends AsyncDisposable {
  readonly store: Store;
  readonly auth: Auth;
  readonly invoke: Invoke;
  /** A second invoker over the same store, as another process would have it. */
  openInvoke(): Invoke;
  readonly http: HttpServer;
  readonly base: string;
  readonly feeds: TestFeeds;
  readonly files: HttpOptions['files'];
  /** Everything that was logged. */
  readonly log: string[];
  /** Owner key, and two projects. */
  readonly key: string;
  readonly project: string;
  readonly other: string;
  /** Moves the clock forward. */
  pass(ms: number): void;
  /** Stops the clock; from now on only `pass` moves it. */
  freeze(): void;
  now(): number;
  /** Begins a shift that ends after this time. */
  shiftEndsIn(ms: number): void;
  client(key?: string | null, project_id?: string | null): Client;
  mint(fields: Partial<KeyData>): Promise<{ secret: string; id: string }>;
  revoke(id: string): Promise<void>;
  /** A request with nothing added but the key and project of the rig. */
  request(
    method: string,
    path: string,
    init?: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> },
  ): Promise<Response>;
}

export interface RigOptions {
  readonly handlers?: Handlers;
  /** Handler groups besides `handlers`. */
  readonly groups?: readonly HandlerGroup[];
  readonly maxReceipts?: number;
  readonly lateBounds?: LateBounds;
  readonly http?: Partial<HttpOptions>;
  /** No owner key: an unclaimed gateway. */
  readonly unclaimed?: boolean;
}

const random = (n: number) => new Uint8Array(randomBytes(n));

/** Starts it all on a free port; disposing removes every trace. */
export async function startRig(options: RigOptions = {}): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'headframe-servers-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  let ahead = 0;
  let shift: ShiftClock['now'] = null;
  let frozen: { readonly clock: number; readonly monotonic: number } | undefined;
  const clock = () => (frozen?.clock ?? Date.now()) + ahead;
  const monotonic = () => frozen?.monotonic ?? performance.now();
  const lines: string[] = [];
  const log = (level: string, message: string, data?: object) =>
    void lines.push(`${level} ${message} ${JSON.stringify(data ?? {})}`);
  const store = stack.use(await openStore({ folder, clock, random, log }));
  const accessTime = createForwardClock({ clock, floor_ms: 0, monotonic });
  const auth = stack.use(createAuth({ store, clock, accessTime, controlToken: CONTROL }));
  const signIn = createSignIn({ store, now: accessTime, random, secret: random(32) });
  const signingKey = random(32);
  const openInvoke = () =>
    createInvoke({
      store,
      groups: [{ needs: [], handlers: { ...dashboardHandlers, ...options.handlers } }, ...(options.groups ?? [])],
      services: {
        ...services,
        signIn,
        auditChain: createAuditReader(store),
        shifts: {
          shift: async () => ({ now: shift, next: null, target_percent: null }),
          spent: async () => new Map(),
          used: async () => new Map(),
        },
        attention: { read: async () => new Map() },
      },
      signingKey,
      clock,
      random,
      log,
      ...(options.maxReceipts === undefined ? {} : { maxReceipts: options.maxReceipts }),
      ...(options.lateBounds === undefined ? {} : { lateBounds: options.lateBounds }),
    });
  const invoke = openInvoke();
  const artifacts = await openArtifacts(folder);
  const uploads = await openUploads(folder, artifacts);
  const files = { artifacts, uploads, room: () => Number.POSITIVE_INFINITY, budgets: NO_BUDGETS };
  const feeds = createFeeds();
  const http = stack.use(
    await startHttp({
      host: '127.0.0.1',
      port: 0,
      invoke,
      auth,
      feeds,
      history: async () => ({ t: [], v: [] }),
      files,
      fileState: (file) => aloneState(artifacts, file),
      webRoot: join(folder, 'no-pages'),
      version: '0.0.0',
      build: 'test-build',
      clock,
      log,
      ...options.http,
    }),
  );
  const base = `http://127.0.0.1:${http.port}`;
  const projects = [makeId('project', clock(), random(10)), makeId('project', clock(), random(10))] as const;
  await store.node.commit(
    projects.map((id) => ({ collection: 'records', id, object: 'project', data: { name: id }, expected: 0 })),
  );
  async function mint(fields: Partial<KeyData>): Promise<{ secret: string; id: string }> {
    const kind = fields.kind ?? 'workspace';
    const prefix = randomBytes(4).toString('hex');
    const tag = { workspace: 'wk', personal: 'pat', device: 'dk', session: 'ses', tablet: 'tab', gateway: 'gw' }[kind];
    const secret = `${tag}_${prefix}_${randomBytes(32).toString('base64url')}`;
    const id = makeId('key', clock(), random(10));
    const data: KeyData = {
      kind,
      name: 'test',
      role: kind === 'device' ? 'device' : 'owner',
      prefix,
      hash: createHash('sha256').update(secret).digest('hex'),
      project_ids: null,
      device: null,
      device_id: null,
      expires_at: null,
      revoked_at: null,
      ...fields,
    };
    await store.node.commit([{ collection: 'local', id, object: 'key', data: { ...data }, expected: 0 }]);
    return { secret, id };
  }
  const key = options.unclaimed ? '' : (await mint({ role: 'owner' })).secret;
  const held = stack.move();
  return {
    store,
    auth,
    invoke,
    openInvoke,
    http,
    base,
    feeds,
    files,
    log: lines,
    key,
    project: projects[0],
    other: projects[1],
    pass: (ms) => {
      ahead += ms;
    },
    freeze() {
      // A second ahead, so that it is later than every time that was read before.
      frozen = { clock: Date.now() + 1_000, monotonic: performance.now() };
    },
    now: clock,
    shiftEndsIn(ms) {
      shift = { name: 'Day', from_ms: clock() - 3_600_000, to_ms: clock() + ms };
    },
    client: (given = key, project_id = projects[0]) => createClient({ base_url: base, key: given, project_id }),
    mint,
    async revoke(id) {
      const current = await store.node.get<KeyData>('local', id);
      if (current === undefined) throw new Error('no such key');
      const data = { ...current.data, revoked_at: new Date(clock()).toISOString() };
      await store.node.commit([{ collection: 'local', id, object: 'key', data }]);
    },
    request: (method, path, init = {}) =>
      fetch(`${base}${path}`, {
        method,
        ...(init.body === undefined ? {} : { body: init.body }),
        headers: { authorization: `Bearer ${key}`, 'project-id': projects[0], ...init.headers },
      }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const services: Services = {
  budgets: NO_BUDGETS,
  purge: async () => {
    throw new Error('nothing is purged here');
  },
  live: { equipment: () => undefined, device: () => undefined, bus: () => undefined, devicesOf: () => [] },
  shifts: {
    shift: async () => ({ now: null, next: null, target_percent: null }),
    spent: async () => new Map(),
    used: async () => new Map(),
  },
  historyEnds: { through: async () => null, deleted: async () => [] },
  media: { newest: async () => new Map() },
  // Reversible and recognisable, which is all that these tests need of a sealer.
  sealer: {
    seal: (plain) => `sealed:${Buffer.from(plain).toString('base64')}`,
    open: (sealed) => Buffer.from(sealed.slice('sealed:'.length), 'base64').toString(),
    tryOpen: (sealed) => Buffer.from(sealed.slice('sealed:'.length), 'base64').toString(),
  },
  accept: async () => {},
  health: async () => {
    throw new Error('no health here');
  },
  claim: {
    claimed: async () => true,
    renew: async () => ({ code: '', expires_at: '' }),
    current: async () => null,
    show: async () => ({ code: '', expires_at: '' }),
  },
  mqtt: { host: '127.0.0.1', port: 1883, tlsPort: 8883, encryptedOnly: false },
  logger: loggerTools,
  bucket: { host: '127.0.0.1', port: 9480, tlsPort: 9443, encryptedOnly: false, listening: false },
  putArtifact: () => Promise.reject(new Error('no artifacts here')),
  readArtifact: () => Promise.reject(new Error('no artifacts here')),
  decodesWaiting: () => 0,
  dbc: {
    read: () => Promise.reject(new Error('no DBC files here')),
    layout: () => Promise.reject(new Error('no DBC files here')),
    signals: () => Promise.reject(new Error('no DBC files here')),
    trial: () => Promise.reject(new Error('no DBC files here')),
  },
  recentFrames: () => {
    throw new Error('no journal here');
  },
  trail: () => {
    throw new Error('no journal here');
  },
  qr: () => null,
  pairingTries: { check: () => {}, wrong: () => {} },
  displays: { heard: () => undefined, report: () => true, identify: () => false },
};

/** The wire shape of a stored dashboard. */
export function toDashboard(document: Stored<DashboardData>): Dashboard {
  const { id, project_id, revision, created_at, updated_at, data } = document;
  return {
    object: 'dashboard',
    id,
    project_id,
    revision,
    created_at,
    updated_at,
    ...data,
    layout: { columns: 12, rows: 6 },
    published_revision: null,
    link_status: null,
    context: { run_id: null, device_id: null, media: [] },
  };
}

/** Stages a dashboard under a new id. */
export function stageDashboard(context: HandlerContext, data: DashboardData): Stored<DashboardData> {
  return context.view.stage<DashboardData>({
    collection: 'records',
    id: context.newId('dashboard'),
    object: 'dashboard',
    data,
    expected: 0,
  });
}

async function requireDashboard(context: HandlerContext, id: string): Promise<Stored<DashboardData>> {
  const found = await context.view.get<DashboardData>('records', id);
  if (found?.object !== 'dashboard') throw new OperationError('not_found', 'no such dashboard');
  if (context.if_match !== null && context.if_match !== found.revision)
    throw new OperationError('revision_mismatch', 'moved', { details: [{ current_revision: found.revision }] });
  return found;
}

const dashboardHandlers: Handlers = {
  dashboards_create: (input, context) => toDashboard(stageDashboard(context, input)),
  dashboards_get: async ({ id }, context) => toDashboard(await requireDashboard(context, id)),
  async dashboards_list({ limit, cursor, order }, context) {
    const after = context.page.after(cursor);
    const found = await context.view.find<DashboardData>('records', {
      object: 'dashboard',
      order,
      limit: limit + 1,
      ...(after ? { after } : {}),
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const more = found.length > limit && last !== undefined;
    return {
      object: 'list',
      data: page.map(toDashboard),
      has_more: more,
      next_cursor: more ? context.page.next(last) : null,
    };
  },
  async dashboards_update({ id, ...fields }, context) {
    const current = await requireDashboard(context, id);
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const data: DashboardData = { ...current.data, ...given };
    return toDashboard(context.view.stage({ collection: 'records', id, object: 'dashboard', data, current }));
  },
  async dashboards_delete({ id }, context) {
    const current = await requireDashboard(context, id);
    context.view.stage({ collection: 'records', id, object: 'dashboard', data: current.data, current, deleted: true });
    return { object: 'dashboard', id, deleted: true };
  },
  keys_create: (input, context) => ({
    object: 'key_created',
    key: {
      object: 'key',
      id: context.node.stage({
        collection: 'local',
        id: context.newId('key'),
        object: 'key',
        data: { kind: 'workspace', prefix: '00000000', hash: '', parent: null, device: null, revoked_at: null },
      }).id,
      name: input.name,
      role: input.role,
      prefix: 'wk_00000000',
      project_ids: null,
      scopes: null,
      allowed_cidrs: null,
      last_used_at: null,
      replaced_by: null,
      expires_at: null,
      revoked_at: null,
      created_at: context.now,
    },
    secret: `wk_00000000_${context.secret(32)}`,
  }),
  display_shares: (input, context) => ({
    object: 'display_share',
    id: context.newId('display_share'),
    kind: input.kind,
    object_id: input.object_id,
    status: 'active',
    url: `${context.caller.base_url}/tv/${context.secret(24)}`,
    scope: [],
    created_at: context.now,
    rotated_at: null,
    last_seen_at: null,
    short_code: 'AAA-AAA',
    expires_at: null,
    qr: null,
  }),
  devices_telemetry: ({ points }, context) => ({
    object: 'telemetry_ack',
    accepted: points.length,
    refused: [],
    refused_total: 0,
    refused_signals: [],
    unknown_signals: [],
    received_at: context.now,
  }),
  display_pairings_create: (_input, context) => ({
    object: 'display_pairing',
    user_code: '7KQ-2MD',
    status: 'authorization_pending',
    verification_url: `${context.caller.base_url}/`,
    share_url: null,
    expires_in: 600,
    interval: 5,
  }),
};

export interface TestFeeds extends FeedSource {
  /** Sends an event to all who look at this share or object. */
  emit: FeedListener;
  readonly watching: number;
}

const SNAPSHOT: LiveSnapshot = {
  build: 'test-build',
  server_ms: 0,
  project: { name: 'Test', timezone: 'UTC', simulated: false },
  title: 'Test',
  boards: [],
};
/** The share token that leads to something. */
export const SHARE = 's'.repeat(43);

function createFeeds(): TestFeeds {
  const listeners = new Set<FeedListener>();
  const feed: Feed = {
    snapshot: () => SNAPSHOT,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    open: async (target) =>
      ('share' in target ? target.share === SHARE : 'draft' in target || target.object_id === 'dash_1')
        ? feed
        : undefined,
    project: () => Promise.reject(new OperationError('rate_limited', 'This source has boards only.')),
    media: async () => undefined,
    emit: (event) => {
      for (const listener of [...listeners]) listener(event);
    },
    get watching() {
      return listeners.size;
    },
  };
}

/** What a server answers to raw bytes, or '' when it just closes. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [head = '', body] = text.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (body !== undefined && (length === undefined || body.length >= Number(length))) done();
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.write(bytes);
  });
}
