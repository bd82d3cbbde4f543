/**
 * The parts list: `startNode` starts every part of a gateway in order and stops them in reverse. Nothing else knows them all.
 *
 *   devices ──▶ broker ── accept ──▶ ingest: journal, fold ── commit ──▶ store
 *   loggers ──▶ bucket ── files, records ──┼──────────────────────────────────▶│
 *   files ────▶ runs ───────────────────┤ watch                            │ changes
 *   screens, API ◀── http ◀── feeds ◀───┴──────────────────────────────────┘
 */
import { createHash, createHmac, hash, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, openClock } from '#box/clock.ts';
import { openResources, type Refusing, type ResourceOptions, type Resources, spareBytes } from '#box/resources.ts';
import { makeId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Health, KeyData } from '#contract/node.ts';
import type { SignalName } from '#contract/signals.ts';
import { socketRoom } from '#domain/pressure.ts';
import { screenNotice, tellProblems } from '#domain/problems.ts';
import { sweepFiles } from '#handlers/artifact-sweep.ts';
import { createBucketObjects } from '#handlers/bucket-objects.ts';
import { sweepPairs } from '#handlers/bucket-pairs.ts';
import { createBucketUploads } from '#handlers/bucket-uploads.ts';
import { createClaim } from '#handlers/claim.ts';
import { logPasswords } from '#handlers/decodes.ts';
import { createFeeds } from '#handlers/feeds.ts';
import { handlers } from '#handlers/handlers.ts';
import { createPairings } from '#handlers/pairings.ts';
import { sweepRuns } from '#handlers/run-sweep.ts';
import { sweepClaims } from '#handlers/secret-claims.ts';
import { createShiftTallies } from '#handlers/shift-tallies.ts';
import { createTaskSweep } from '#handlers/task-sweep.ts';
import { type Ingest, startIngest } from '#ingest/ingest.ts';
import { createAuth } from '#servers/auth.ts';
import { type Broker, startBroker } from '#servers/broker.ts';
import { createBucketCredentials } from '#servers/bucket-credentials.ts';
import { ownNames } from '#servers/guard.ts';
import { startHttp } from '#servers/http.ts';
import { createInvoke, type Services } from '#servers/invoke.ts';
import { type LoggerBucket, startLoggerBucket } from '#servers/logger-bucket.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { type Backups, startBackups } from '#store/backup.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { openParts } from '#store/parts.ts';
import { StoreError, type StoreErrorCode } from '#store/store-error.ts';
import { openUploads } from '#store/uploads.ts';
import { uiBuildId } from '#ui/build.ts';
import { type Alerts, startAlerts } from '#watchers/alerts.ts';
import { startWebhooks, type Webhooks } from '#watchers/webhooks.ts';
import { reachableHost } from './addresses.ts';
import { startBusArming } from './bus-arming.ts';
import { type Buses, startBuses } from './buses.ts';
import type { Config } from './config.ts';
import { createDbcReader } from './dbc/dbc-reader.ts';
import { ensureOwnerKey } from './first-run.ts';
import { createLog } from './log.ts';
import { loggerTools } from './logger-tools.ts';
import { qrCode, qrSvg } from './qr.ts';
import { startRuns } from './runs/executor.ts';
import { openSealer } from './sealer.ts';
import { VERSION } from './version.ts';

/** A running gateway; disposing it stops the parts in reverse order and leaves nothing unwritten. */
export interface Node extends AsyncDisposable {
  /** Base address on this machine. */
  readonly http: string;
  readonly httpPort: number;
  readonly mqttPort: number;
  readonly bucketPort: number;
  /** The code that makes its reader the owner; null once there is one. */
  readonly claim: { readonly code: string; readonly expires_at: string } | null;
  /** Bearer of the command line on this machine, good until this node stops. */
  readonly controlToken: string;
  /** Stored samples of a machine's signal, in the unit of the signal; `t` in seconds since 1970. */
  history(
    equipment_id: string,
    signal: SignalName,
    from_ms: number,
    to_ms: number,
  ): Promise<{ t: number[]; v: number[] }>;
}

/** Contents that handlers read as a whole: a firmware is among them. */
const MOST_WHOLE = 64 << 20;
const SWEEP_MS = 60_000;
const SWEEP_FILES_MS = 600_000;
const ROUNDS_A_DAY = 144;
/** What was deleted is known for so long: no old ETag fits what comes again under its id. */
const DELETED_MS = 7 * 86_400_000;
const MOST_PURGES = 20;

/** Starts a gateway; rejects with `StoreError`, or the system's own error for a port or folder that cannot be had. `outside` stands in for the system. */
export async function startNode(config: Config, outside: Pick<ResourceOptions, 'readDisk'> = {}): Promise<Node> {
  const log = createLog(config.log);
  const time = openClock({ folder: config.data, log });
  const clock = (): number => time.now();
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const startedAt = new Date(clock()).toISOString();
  let failed: Error | undefined;
  let started = false;
  const end = (error: Error): void => {
    setImmediate(() => {
      throw error;
    });
  };
  // The process ends, the supervisor starts it again, the store has the state. Where only room or the right to write is missing, that
  // would help nobody yet: what can be read is served until it does.
  const onFatal = (error: Error): void => {
    failed = error;
    if (!started) return;
    const why = error instanceof StoreError ? WAITS[error.code] : undefined;
    log('error', why === undefined ? 'the disk failed; this process ends' : 'the disk takes no writes', {
      error: error.message,
    });
    if (why === undefined) end(error);
    else resources.hold(why, () => end(error));
  };

  await using parts = new AsyncDisposableStack();
  parts.use(time);
  const resources = parts.use(await openResources({ folder: config.data, clock, log, ...outside }));
  const store = parts.use(await openStore({ folder: config.data, clock, random, log, onFatal }));
  const backups = parts.use(startBackups({ folder: config.data, clock, log, damaged: (what) => store.condemn(what) }));
  const sealer = openSealer(config.data);
  const artifacts = await openArtifacts(config.data, LIMITS.artifact.value);
  const uploads = await openUploads(config.data, artifacts);
  const uploadParts = await openParts(config.data);
  if (config.apiKey !== null) await ensureOwnerKey(store, config.apiKey, () => makeId('key', clock(), random(10)));

  const ingest = parts.use(
    await startIngest({ folder: config.data, store, clock, random, log, onFatal, agesKnown: () => time.agesKnown }),
  );
  const watch = (listener: Parameters<Ingest['watch']>[0]) => ingest.watch(listener);
  parts.use(
    startRuns({
      store,
      clock,
      random,
      log,
      accept: (message) => ingest.accept(message),
      settled: () => ingest.settled(),
      counted: (run) => ingest.counted(run),
      locate: (sha256) => artifacts.locate(sha256),
      passwords: (project_id, device) => logPasswords(store.view(project_id), sealer, device),
    }),
  );
  const alerts = parts.use(await startAlerts({ store, live: ingest.live, watch, clock, random, log }));
  const webhooks = parts.use(await startWebhooks({ store, sealer, clock, random, log }));
  const controlToken = `ctl_${randomBytes(32).toString('base64url')}`;
  const auth = parts.use(createAuth({ store, clock, controlToken }));
  const claim = createClaim({ store, clock, random });
  const health = (): Promise<Health> =>
    readHealth({ resources, time, store, backups, ingest, broker, loggers, alerts, webhooks, buses, startedAt, clock });
  const mqtt = { host: reachableHost(config.host), port: config.mqttPort };
  const bucket = { host: mqtt.host, port: config.bucketPort, listening: false };
  const shifts = parts.use(createShiftTallies({ store, live: ingest.live, clock }));
  const services: Services = {
    live: ingest.live,
    shifts,
    sealer,
    accept: (message) => ingest.accept(message),
    health,
    claim,
    mqtt,
    logger: loggerTools,
    bucket,
    pairings: createPairings({ clock, random }),
    qr: qrSvg,
    keep: async (content) => ({
      ...(await artifacts.put([content])),
      md5: createHash('md5').update(content).digest('hex'),
    }),
    contentOf: (sha256) => artifacts.whole(sha256, MOST_WHOLE),
    dbc: parts.use(createDbcReader({ locate: (sha256) => artifacts.locate(sha256) })),
    recentFrames: (device, since_ms) => ingest.recent(device, since_ms),
  };
  const bucketUploads = createBucketUploads({ store, clock, random });
  const signingKey = createHmac('sha256', sealer.key).update('cursors').digest();
  const invoke = createInvoke({ store, handlers, services, signingKey, clock, random, log });
  const sweepTasks = createTaskSweep({ store, clock, agesKnown: () => time.agesKnown });
  const sweep = setInterval(() => {
    sweepTasks().catch((error: unknown) => log('error', 'sweeping tasks failed', { error: String(error) }));
    invoke.sweep().catch((error: unknown) => log('error', 'sweeping receipts failed', { error: String(error) }));
    bucketUploads
      .sweep()
      .catch((error: unknown) => log('error', 'sweeping uploads in parts failed', { error: String(error) }));
    sweepClaims(store, clock).catch((error: unknown) =>
      log('error', 'sweeping claims failed', { error: String(error) }),
    );
    sweepPairs(store, clock).catch((error: unknown) =>
      log('error', 'sweeping key pairs failed', { error: String(error) }),
    );
    sweepRuns({ store, clock, newId: (kind, place) => makeId(kind, clock(), random(10), place) }).catch(
      (error: unknown) => log('error', 'sweeping runs failed', { error: String(error) }),
    );
  }, SWEEP_MS);
  parts.defer(() => clearInterval(sweep));
  let rounds = 0;
  const purge = async () => {
    for (let i = 0; i < MOST_PURGES && time.agesKnown; i++) if (await store.purge(DELETED_MS)) return;
  };
  const sweepOld = setInterval(() => {
    purge().catch((error: unknown) => log('error', 'purging what was deleted failed', { error: String(error) }));
    const orphans = rounds++ % ROUNDS_A_DAY === 0;
    sweepFiles({ store, artifacts, uploads, parts: uploadParts, clock, orphans }).catch((error: unknown) =>
      log('error', 'sweeping files failed', { error: String(error) }),
    );
  }, SWEEP_FILES_MS);
  parts.defer(() => clearInterval(sweepOld));

  const build = (await uiBuildId()) ?? VERSION;
  // Known once the server listens, and no board is composed before.
  let listening = config.port;
  const feeds = parts.use(
    createFeeds({
      store,
      live: ingest.live,
      shifts,
      watch,
      history: (...of) => ingest.history(...of),
      clock,
      build,
      notice: () => screenNotice(new Map([...resources.pressure.since, ...time.since])),
      sealer,
      qr: qrCode,
      baseUrl: () => `http://${mqtt.host}:${listening}`,
      newId: (kind) => makeId(kind, clock(), random(10)),
    }),
  );
  const broker = parts.use(
    await startBroker({
      host: config.host,
      port: config.mqttPort,
      authenticate: (username, password) => auth.authenticateDevice(username, password),
      accept: (message) => ingest.accept(message),
      accepting: () => ingest.accepting,
      connected: (device, address) => ingest.connected(device, address),
      disconnected: (device) => ingest.disconnected(device),
      refused: (source, reason) => ingest.refused(source, reason),
      folder: join(config.data, 'mqtt'),
      clock,
      log,
    }),
  );
  mqtt.port = broker.port;
  parts.defer(dropRevoked(store, broker));
  parts.use(await startBusArming({ store, broker, log }));
  const buses = parts.use(
    await startBuses({
      can: config.can,
      folder: config.data,
      url: `mqtt://${localHost(config.host)}:${broker.port}`,
      key: controlToken,
      clock,
      log,
      version: VERSION,
    }),
  );

  const room = () => (resources.disk === null ? Number.POSITIVE_INFINITY : spareBytes(resources.disk));
  const objects = createBucketObjects({
    store,
    clock,
    random,
    sha256: (text) => hash('sha256', text),
    contentOf: services.contentOf,
    accept: services.accept,
    refused: (source, reason) => ingest.refused(source, reason),
  });
  const loggers = parts.use(
    await startLoggerBucket({
      host: config.host,
      port: config.bucketPort,
      credentials: parts.use(createBucketCredentials({ store, sealer, clock })),
      names: ownNames([config.host, mqtt.host]),
      objects,
      uploads: bucketUploads,
      parts: uploadParts,
      artifacts,
      room,
      clockRefused(device, device_ms) {
        objects
          .tellClock(device, device_ms)
          .catch((error: unknown) =>
            log('warn', 'the log of a device was not told of its clock', { error: String(error) }),
          );
      },
      refused: (source, reason) => ingest.refused(source, reason),
      requestsPerMinute: config.requestsPerMinute,
      clock,
      log,
    }),
  );
  bucket.port = loggers.port;
  bucket.listening = true;

  const server = parts.use(
    await startHttp({
      host: config.host,
      port: config.port,
      invoke,
      auth,
      feeds,
      history: (...of) => ingest.history(...of),
      files: {
        artifacts,
        uploads,
        room,
      },
      webRoot: join(import.meta.dirname, '..', 'ui', 'dist'),
      publicHost: mqtt.host,
      requestsPerMinute: config.requestsPerMinute,
      version: VERSION,
      build,
      clock,
      log,
      measures: measures(broker, loggers, store),
      bucket: () => bucket,
    }),
  );
  listening = server.port;
  const http = `http://${config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host}:${server.port}`;

  const control = join(config.data, 'control.json');
  const told = { pid: process.pid, http, mqtt: broker.port, bucket: loggers.port, token: controlToken };
  writeFileSync(control, JSON.stringify(told), { mode: 0o600 });
  parts.defer(() => {
    try {
      rmSync(control, { force: true });
    } catch (error) {
      // A read-only disk keeps it, as a killed process leaves it: nobody answers where it points.
      log('warn', 'what tells commands of this gateway could not be removed', { error: String(error) });
    }
  });

  if (failed !== undefined) throw failed;
  started = true;
  parts.defer(() => time.keep());
  resources.follow({
    sync_ms: () => ingest.stats().journal.sync_ms,
    refusing: () => ingest.stats().journal.refusing,
    owing: () => broker.counters().owing,
    apply({ disk, memory }, { disk: sizes, handles }) {
      ingest.degrade({ disk, spare_bytes: spareBytes(sizes), memory: memory !== 'critical' });
      const room = memory === 'ok' ? socketRoom(handles) : 0;
      const share = room === null ? Number.POSITIVE_INFINITY : room;
      broker.limitSockets(broker.counters().connections + Math.floor(share * DEVICE_SHARE));
      loggers.limitSockets(loggers.counters().sockets + Math.floor(share * (1 - DEVICE_SHARE)));
      // A page that says what is wrong can be opened still.
      server.limitSockets(server.sockets + Math.max(PAGE_SOCKETS, Math.floor(share * (1 - DEVICE_SHARE))));
    },
  });
  const running = parts.move();
  return {
    http,
    httpPort: server.port,
    mqttPort: broker.port,
    bucketPort: loggers.port,
    claim: (await claim.claimed()) ? null : claim.renew(),
    controlToken,
    history: (...of) => ingest.history(...of),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Where a program of this machine reaches what listens on `host`. */
function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Ends the connections of a device whose key is revoked, at once. */
function dropRevoked(store: Store, broker: Broker): () => void {
  return store.changes((changes) => {
    for (const { collection, document } of changes) {
      if (collection !== 'local' || document.object !== 'key') continue;
      const key = document.data as unknown as KeyData;
      if (key.revoked_at !== null && key.device_id !== null) broker.drop(key.device_id);
    }
  });
}

/** Faults of the store that pass without a hand on the gateway. */
const WAITS: { readonly [C in StoreErrorCode]?: Refusing } = { disk_full: 'full', read_only: 'read_only' };
/** What devices get of the sockets that may still be opened; screens and callers get the rest. */
const DEVICE_SHARE = 0.8;
const PAGE_SOCKETS = 8;

async function readHealth(of: {
  resources: Resources;
  time: Clock;
  store: Store;
  backups: Backups;
  broker: Broker;
  ingest: Ingest;
  alerts: Alerts;
  loggers: LoggerBucket;
  webhooks: Webhooks;
  buses: Buses;
  startedAt: string;
  clock: () => number;
}): Promise<Health> {
  const { journal, sources, gaps, problems: found } = await of.ingest.health();
  const { pressure, disk } = of.resources;
  const problems = [
    ...tellProblems(new Map([...pressure.since, ...of.time.since])),
    ...of.alerts.problems(),
    ...of.webhooks.problems(),
    ...of.buses.problems(),
    ...[
      ...found,
      ...of.store.problems(),
      ...of.backups.problems(),
      ...of.broker.problems(),
      ...of.loggers.problems(),
    ].map((one) => ({
      ...one,
      since: null,
      given_up: null,
      remedy: null,
    })),
  ];
  return {
    object: 'health',
    status: problems.length === 0 ? 'ok' : 'degraded',
    problems,
    version: VERSION,
    gateway_id: of.store.nodeId,
    started_at: of.startedAt,
    now: new Date(of.clock()).toISOString(),
    journal,
    disk: {
      free_bytes: disk?.free ?? null,
      total_bytes: disk?.total ?? null,
      reserve_bytes: disk?.reserve ?? 0,
      level: pressure.disk,
    },
    gaps,
    sources,
    buses: of.buses.health(),
  };
}

/** What other parts count, for `/metrics`. */
function measures(broker: Broker, loggers: LoggerBucket, store: Store) {
  const count = (name: string, help: string, read: () => number) => ({ name: `headframe_${name}`, help, read });
  return [
    count('mqtt_connections', 'Open MQTT connections.', () => broker.counters().connections),
    count('mqtt_messages_total', 'MQTT messages taken from devices.', () => broker.counters().messages_total),
    count('mqtt_bytes_total', 'Payload bytes taken from devices.', () => broker.counters().bytes_total),
    count(
      'mqtt_refused_connections_total',
      'MQTT connections refused.',
      () => broker.counters().refused_connections_total,
    ),
    count(
      'mqtt_refused_messages_total',
      'MQTT messages refused for good.',
      () => broker.counters().refused_messages_total,
    ),
    count('mqtt_malformed_total', 'MQTT packets that broke the protocol.', () => broker.counters().malformed_total),
    count('mqtt_sessions', 'MQTT sessions kept.', () => broker.counters().sessions),
    count('mqtt_queued_messages', 'MQTT messages that wait for a device.', () => broker.counters().queued),
    count('mqtt_dropped_messages_total', 'Waiting MQTT messages given up.', () => broker.counters().dropped_total),
    count('mqtt_frozen_total', 'MQTT connections ended for not reading.', () => broker.counters().frozen_total),
    count('mqtt_not_taken_total', 'MQTT messages not taken for want of room.', () => broker.counters().not_taken_total),
    count('mqtt_owing', 'MQTT connections that wait to send such messages again.', () => broker.counters().owing),
    count('bucket_requests_total', 'Requests to the bucket.', () => loggers.counters().requests),
    count(
      'bucket_refused_total',
      'Requests and connections that the bucket refused.',
      () => loggers.counters().refused,
    ),
    count('bucket_bytes_total', 'Bytes of objects and parts that the bucket took.', () => loggers.counters().bytes),
    count('bucket_sockets', 'Open sockets of the bucket.', () => loggers.counters().sockets),
    count('store_commits_total', 'Transactions on the database.', () => store.stats().commits),
    count('store_rows_total', 'Rows written to the database.', () => store.stats().rows),
  ];
}
