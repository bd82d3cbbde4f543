/**
 * The parts list: `startNode` starts every part of a gateway in order and stops them in reverse. Nothing else knows them all.
 *
 *   devices ──▶ broker ── accept ──▶ ingest: journal, fold ── commit ──▶ store
 *   loggers ──▶ bucket ── files, records ──┼──────────────────────────────────▶│
 *   files ────▶ runs ───────────────────┤ watch                            │ changes
 *   screens, API ◀── http ◀── feeds ◀───┴──────────────────────────────────┘
 */
import { createHash, createHmac, hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Kind, makeId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Health } from '#contract/site/node.ts';
import { createDbcReader } from '#dbc/dbc-reader.ts';
import { screenNotice } from '#domain/health/problems.ts';
import { createClaim } from '#handlers/access/claim.ts';
import { createShownMedia } from '#handlers/base/shown-media.ts';
import { createPairings } from '#handlers/boards/pairings.ts';
import { createBucketObjects } from '#handlers/devices/bucket-objects.ts';
import { sweepPairs } from '#handlers/devices/bucket-pairs.ts';
import { createBucketUploads } from '#handlers/devices/bucket-uploads.ts';
import { createPurge } from '#handlers/devices/device-purge.ts';
import { sweepClaims } from '#handlers/devices/secret-claims.ts';
import { logPasswords } from '#handlers/files/decodes.ts';
import { handlers } from '#handlers/handlers.ts';
import { createShiftTallies } from '#handlers/work/shift-tallies.ts';
import { openClock } from '#host/clock.ts';
import { keepPrivate } from '#host/privacy.ts';
import { openResources, type ResourceOptions, roomFor, spareBytes } from '#host/resources.ts';
import { keepTail } from '#host/start-room.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { startRuns } from '#runs/executor.ts';
import { createFeeds } from '#screens/feeds.ts';
import { headOf } from '#servers/base/content.ts';
import { createBucketCredentials } from '#servers/bucket/credentials.ts';
import { startLoggerBucket } from '#servers/bucket/logger-bucket.ts';
import { createAuth } from '#servers/http/auth.ts';
import { type HttpServer, startHttp } from '#servers/http/http.ts';
import { ownNames } from '#servers/http/origin-check.ts';
import { createInvoke, type Services } from '#servers/invoke/invoke.ts';
import { startBroker } from '#servers/mqtt/broker.ts';
import { localHost, reachableHost } from '#settings/addresses.ts';
import type { Config } from '#settings/config.ts';
import { writeControl } from '#settings/control-file.ts';
import { createLog } from '#settings/log.ts';
import { VERSION } from '#settings/version.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { startBackups } from '#store/file/backup.ts';
import { openStore } from '#store/open-store.ts';
import { openParts } from '#store/parts.ts';
import { openUploads } from '#store/uploads.ts';
import { sweepFiles } from '#sweeps/artifact-sweep.ts';
import { createEventSweep } from '#sweeps/event-sweep.ts';
import { sweepRuns } from '#sweeps/run-sweep.ts';
import { type Sweep, startSweeps } from '#sweeps/sweeps.ts';
import { createTaskSweep } from '#sweeps/task-sweep.ts';
import { uiBuildId } from '#ui/build.ts';
import { startAlerts } from '#watchers/alerts.ts';
import { startBusArming } from '#watchers/bus-arming.ts';
import { dropRevoked } from '#watchers/revoked-keys.ts';
import { startWebhooks } from '#watchers/webhooks.ts';
import { startBuses } from './buses.ts';
import { createEnding } from './ending.ts';
import { ensureOwnerKey } from './first-run.ts';
import { readHealth } from './health.ts';
import { loggerTools } from './logger-tools.ts';
import { measures } from './measures.ts';
import { qrCode, qrSvg } from './qr.ts';
import { openSealer } from './sealer.ts';
import { shareSockets } from './sockets.ts';

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
/** Folder of the pages that this version was built with. */
const PAGES = join(import.meta.dirname, '..', 'ui', 'dist');

/** Starts a gateway; rejects with `StoreError`, or the system's own error for a port or folder that cannot be had. `outside` stands in for the system and for the built pages. */
export async function startNode(
  config: Config,
  { pages = PAGES, ...outside }: Pick<ResourceOptions, 'readDisk'> & { readonly pages?: string } = {},
): Promise<Node> {
  const log = createLog(config.log);
  keepPrivate(config.data, log);
  const time = openClock({ folder: config.data, log });
  const clock = (): number => time.now();
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const startedAt = new Date(clock()).toISOString();
  const ending = createEnding(log, (why, end) => resources.hold(why, end));
  const { onFatal } = ending;

  await using parts = new AsyncDisposableStack();
  parts.use(time);
  const resources = parts.use(await openResources({ folder: config.data, clock, log, ...outside }));
  const store = parts.use(await openStore({ folder: config.data, clock, random, log, onFatal }));
  const backups = parts.use(startBackups({ folder: config.data, clock, log, onDamage: store.markCorrupt }));
  const sealer = openSealer(config.data);
  const artifacts = await openArtifacts(config.data, LIMITS.artifact.value);
  const uploads = await openUploads(config.data, artifacts);
  const uploadParts = await openParts(config.data);
  if (config.apiKey !== null) await ensureOwnerKey(store, config.apiKey, () => makeId('key', clock(), random(10)));

  const ingest = parts.use(
    await startIngest({ folder: config.data, store, clock, random, log, onFatal, agesKnown: () => time.agesKnown }),
  );
  if (resources.rawGone !== null) ingest.rawRemoved(resources.rawGone);
  const watch = (listener: Parameters<Ingest['watch']>[0]) => ingest.watch(listener);
  const runs = parts.use(
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
  const alerts = parts.use(
    await startAlerts({ store, live: ingest.live, watch, clock, random, budgets: ingest.budgets, log }),
  );
  const webhooks = parts.use(await startWebhooks({ store, sealer, clock, random, log }));
  const controlToken = `ctl_${randomBytes(32).toString('base64url')}`;
  const auth = parts.use(createAuth({ store, clock, controlToken }));
  const claim = createClaim({ store, clock, random });
  /** Known once it listens. */
  let pageServer: HttpServer | undefined;
  const health = (): Promise<Health> =>
    readHealth({
      resources,
      time,
      store,
      ingest,
      buses,
      watchers: [alerts, webhooks],
      others: [backups, broker, loggers, { problems: () => pageServer?.problems() ?? [] }],
      startedAt,
      clock,
    });
  const mqtt = { host: reachableHost(config.host), port: config.mqttPort };
  const bucket = { host: mqtt.host, port: config.bucketPort, listening: false };
  const shifts = parts.use(createShiftTallies({ store, live: ingest.live, clock }));
  const services: Services = {
    live: ingest.live,
    shifts,
    media: parts.use(createShownMedia(store)),
    sealer,
    accept: (message) => ingest.accept(message),
    budgets: ingest.budgets,
    purge: createPurge({
      store,
      artifacts,
      uploads,
      parts: uploadParts,
      purged: (device) => ingest.budgets.purged(device),
      clock,
    }),
    health,
    claim,
    mqtt,
    logger: loggerTools,
    bucket,
    pairings: createPairings({ clock, random }),
    qr: qrSvg,
    putArtifact: async (content) => ({
      ...(await artifacts.put([content])),
      md5: createHash('md5').update(content).digest('hex'),
    }),
    readArtifact: (sha256) => artifacts.readAll(sha256, MOST_WHOLE),
    decodesWaiting: (device) => runs.waiting(device),
    dbc: parts.use(createDbcReader({ locate: (sha256) => artifacts.locate(sha256) })),
    recentFrames: (device, since_ms) => ingest.recent(device, since_ms),
    trail: (device) => ingest.trail(device),
  };
  const bucketUploads = createBucketUploads({ store, clock, random });
  const signingKey = createHmac('sha256', sealer.key).update('cursors').digest();
  const invoke = createInvoke({ store, handlers, services, signingKey, clock, random, log });
  const sweepTasks = createTaskSweep({ store, clock, agesKnown: () => time.agesKnown });
  const newId = (kind: Kind, place?: number) => makeId(kind, clock(), random(10), place);
  const sweepEvents = createEventSweep({ store, clock, newId, agesKnown: () => time.agesKnown });
  const purge = async () => {
    for (let i = 0; i < MOST_PURGES && time.agesKnown; i++) if (await store.purge(DELETED_MS)) return;
  };
  let rounds = 0;
  const sweepOld = () => {
    const orphans = rounds++ % ROUNDS_A_DAY === 0;
    return sweepFiles({
      store,
      artifacts,
      uploads,
      parts: uploadParts,
      clock,
      agesKnown: time.agesKnown,
      orphans,
    });
  };
  const sweeps: readonly Sweep[] = [
    { what: 'sweeping tasks', everyMs: SWEEP_MS, run: sweepTasks },
    { what: 'sweeping entries of devices', everyMs: SWEEP_MS, run: sweepEvents },
    { what: 'sweeping receipts', everyMs: SWEEP_MS, run: () => invoke.sweep() },
    { what: 'sweeping uploads in parts', everyMs: SWEEP_MS, run: () => bucketUploads.sweep() },
    { what: 'sweeping claims', everyMs: SWEEP_MS, run: () => sweepClaims(store, clock) },
    { what: 'sweeping key pairs', everyMs: SWEEP_MS, run: () => sweepPairs(store, clock) },
    { what: 'sweeping runs', everyMs: SWEEP_MS, run: () => sweepRuns({ store, clock, newId }) },
    { what: 'noting the place of the journal', everyMs: SWEEP_MS, run: () => keepTail(config.data, ingest.tail) },
    { what: 'purging what was deleted', everyMs: SWEEP_FILES_MS, run: purge },
    { what: 'sweeping files', everyMs: SWEEP_FILES_MS, run: sweepOld },
  ];
  parts.use(startSweeps(sweeps, log));

  const build = (await uiBuildId(pages)) ?? VERSION;
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
      newId: (kind) => newId(kind),
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
      refused: (source, reason, of) => ingest.refused(source, reason, of),
      loginRefused: (username, address, reason) => ingest.loginRefused(username, address, reason),
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
    readArtifact: services.readArtifact,
    headOf: (digest, bytes) => headOf(artifacts, digest, bytes),
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
      decodesWaiting: (device) => runs.waiting(device),
      budgets: ingest.budgets,
      clockRefused(device, device_ms) {
        objects
          .tellClock(device, device_ms)
          .catch((error: unknown) =>
            log('warn', 'the log of a device was not told of its clock', { error: String(error) }),
          );
      },
      refused: (source, reason, of) => ingest.refused(source, reason, of),
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
        budgets: ingest.budgets,
      },
      webRoot: pages,
      publicHost: mqtt.host,
      requestsPerMinute: config.requestsPerMinute,
      version: VERSION,
      build,
      clock,
      log,
      measures: measures(broker, loggers, store),
      bucket: () => bucket,
      others: () => broker.counters().connections > 0,
      refused: (source, reason) => ingest.refused(source, reason),
      requestRefused: (request) => ingest.requestRefused(request),
    }),
  );
  pageServer = server;
  listening = server.port;
  const http = `http://${localHost(config.host)}:${server.port}`;
  const told = { pid: process.pid, http, mqtt: broker.port, bucket: loggers.port, token: controlToken };
  parts.use(writeControl(config.data, told, log));

  ending.started();
  parts.defer(() => time.keep());
  resources.follow({
    sync_ms: () => ingest.stats().journal.sync_ms,
    refusing: () => ingest.stats().journal.refusing,
    owing: () => broker.counters().deferred_connections,
    apply({ disk, memory }, { disk: sizes, handles }) {
      ingest.setHeadroom({ disk, ...roomFor(sizes), memory: memory !== 'critical' });
      shareSockets(
        {
          broker: { open: () => broker.counters().connections, limitSockets: (most) => broker.limitSockets(most) },
          loggers: { open: () => loggers.counters().sockets, limitSockets: (most) => loggers.limitSockets(most) },
          pages: { open: () => server.sockets, limitSockets: (most) => server.limitSockets(most) },
        },
        memory === 'ok',
        handles,
      );
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
