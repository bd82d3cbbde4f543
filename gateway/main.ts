/**
 * A node is one running instance of the gateway. `startNode` starts its parts in order and stops them in reverse order. The role of the
 * node decides which parts it has.
 *
 *   devices ──▶ broker ── accept ──▶ ingest: journal, fold ── commit ──▶ store
 *   loggers ──▶ bucket ── files, records ──┼──────────────────────────────────▶│
 *   files ────▶ runs ───────────────────┤ watch                            │ changes
 *   screens, API ◀── http ◀── feeds ◀───┴──────────────────────────────────┘
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { startAgent } from '#agent/agent-kind.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { View } from '#contract/base/view.ts';
import type { OwnWork } from '#contract/context.ts';
import { LISTENERS, type ListenerName } from '#contract/site/listener.ts';
import type { FeedSource } from '#contract/site/live.ts';
import type { TaskKind } from '#contract/work/task.ts';
import { screenNotice } from '#domain/health/problems.ts';
import { startRawFreeze } from '#freeze/raw-freeze.ts';
import { createBucketUploads } from '#handlers/devices/bucket-uploads.ts';
import { logPasswords } from '#handlers/files/decodes.ts';
import { createSetupWriter } from '#handlers/setup/setup-writer.ts';
import { providerKey } from '#handlers/tasks/review.ts';
import { createLearner } from '#handlers/work/learnings.ts';
import { createShiftTallies } from '#handlers/work/shift-tallies.ts';
import { skillForRun } from '#handlers/work/skills.ts';
import { type ResourceOptions, roomFor } from '#host/resources.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { rawLimit } from '#ingest/raw-ring.ts';
import { type Runs, startRuns } from '#runs/executor.ts';
import { startSetups } from '#runs/setup-kind.ts';
import { createAttention, type SiteAttention } from '#screens/attention.ts';
import type { History } from '#screens/feed-history.ts';
import { createFeeds } from '#screens/feeds.ts';
import type { LoggerBucket } from '#servers/bucket/logger-bucket.ts';
import { createAuth } from '#servers/http/auth.ts';
import type { HttpServer } from '#servers/http/http.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { withLearnings } from '#servers/mcp/learning-tools.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import type { IsExposed } from '#servers/tls/exposure.ts';
import { localHost } from '#settings/addresses.ts';
import type { Config } from '#settings/config.ts';
import { writeControl } from '#settings/control-file.ts';
import { VERSION } from '#settings/version.ts';
import { startSweeps } from '#sweeps/sweeps.ts';
import { tookOver } from '#sync/site.ts';
import { uiBuildId } from '#ui/build.ts';
import { type AlertActions, followAlertActions } from '#watchers/alert-actions.ts';
import { startAlerts } from '#watchers/alerts.ts';
import { followFailing, startWebhooks, type WebhookOptions } from '#watchers/webhooks.ts';
import { createPerformers } from './alert-actions.ts';
import { startAlertMessages } from './alert-messages.ts';
import { startAnnouncing } from './announcing.ts';
import { createListenerReader, followEncryption, httpUrl } from './encryption.ts';
import { type Foundation, openFoundation } from './foundation.ts';
import { openBroker, openBucket, openBuses, openHttp } from './listeners.ts';
import { qrCode } from './qr.ts';
import { type PartName, ROLE_PARTS } from './roles.ts';
import { createOperations, type NodeOperations } from './services.ts';
import { shareSockets } from './sockets.ts';
import { listSweeps } from './sweep-list.ts';
import { openLive, openSync } from './sync-parts.ts';

/** A running node. Disposing it writes all pending data and stops the parts in the reverse order of their start. */
export interface Node extends AsyncDisposable {
  /** URL of the HTTP server, for programs on this machine. */
  readonly http: string;
  readonly httpPort: number;
  /** Port of the MQTT broker; 0 on a node without a broker. */
  readonly mqttPort: number;
  /** Port of the bucket; 0 on a node without a bucket. */
  readonly bucketPort: number;
  /** Ports of the same listeners with TLS. */
  readonly httpsPort: number;
  readonly mqttsPort: number;
  readonly bucketTlsPort: number;
  /** The listeners that other computers can use with TLS only, at the start of the node. */
  readonly encryptedOnly: readonly ListenerName[];
  /** Address of the head office to which this site sends its data; null if there is none. */
  readonly headOffice: string | null;
  /** The code with which a person claims the node and becomes its owner; null once the node has an owner. */
  readonly claim: { readonly code: string; readonly expires_at: string } | null;
  /** Bearer token of the `headframe` commands on this machine, valid until this node stops. */
  readonly controlToken: string;
  /** Calls the listener with the names that the node announces in the local network, now and after each change. */
  watchNames(listener: (names: readonly string[]) => void): void;
  /** Returns the stored samples of a signal of a machine: `t` in seconds since 1970, `v` in the unit of the signal. */
  history(
    equipment_id: string,
    signal: SignalName,
    from_ms: number,
    to_ms: number,
  ): Promise<{ t: number[]; v: number[] }>;
}

/** Folder of the built web pages. */
const PAGES = join(import.meta.dirname, '..', 'ui', 'dist');

/** Replacements for tests, such as a function that reads the free disk space, a folder of web pages, or the list of parts to start. */
export interface Outside extends Pick<ResourceOptions, 'readDisk'> {
  /** Decides whether a socket comes from another computer without TLS. */
  readonly isExposed?: IsExposed;
  readonly pages?: string;
  /** How webhooks are sent. */
  readonly webhookRequest?: WebhookOptions['request'];
  readonly roleParts?: readonly PartName[];
  /** Stops this node and starts it again, because its identity has changed. */
  readonly again?: () => void;
}

/** The kinds of runs that every role of a node carries out. */
const OF_EVERY_NODE: ReadonlySet<TaskKind> = new Set(['maintenance', 'setup', 'agent', 'custom_action']);

/** Starts a node. Rejects with `StoreError`, or with an error of the operating system if a port or the data folder is not available. */
export async function startNode(
  config: Config,
  { pages = PAGES, roleParts = ROLE_PARTS[config.role], webhookRequest: request, ...outside }: Outside = {},
): Promise<Node> {
  const has: ReadonlySet<PartName> = new Set(roleParts);
  await using parts = new AsyncDisposableStack();
  const foundation = await openFoundation(parts, config, outside);
  const { store, clock, accessTime, random, log, controlToken, ending } = foundation;
  const ingest = await openIngest(parts, foundation, has.has('site') && (await tookOver(store.node)));
  const { live, watch } = await openLive(parts, foundation, ingest, has);
  const runs = has.has('decoding') ? openRuns(parts, foundation, ingest) : undefined;
  if (has.has('telemetry')) await openFreeze(parts, foundation, ingest);
  const auth = parts.use(createAuth({ store, clock, accessTime, controlToken }));
  const shifts = parts.use(createShiftTallies({ store, live, runStates: ingest.runStates, clock }));
  const history: History = (...of) => ingest.totals(...of);
  const attention = parts.use(createAttention({ store, live, shifts, history, clock }));
  const actions = await openWatchers(parts, foundation, { ingest, attention, request }, has);
  let broker: Broker | undefined;
  const listeners = createListenerReader(foundation, has, () => broker);
  let operations: ReturnType<typeof createOperations> | undefined;
  const problems = async () => (await operations?.services.health?.())?.problems.length ?? 0;
  const writeLive: Ingest['writeLive'] = (...of) => ingest.writeLive(...of);
  const sync = await openSync(parts, foundation, has, { problems, live, shifts, writeLive, again: outside.again });
  operations = createOperations(parts, foundation, has, {
    ...{ ingest, live, runs, shifts, attention, listeners },
    ...sync,
  });
  const { invoke, claim } = operations;
  await openSetups(parts, foundation, operations);
  await openAgent(parts, foundation, operations);
  const carriesOut = (kind: TaskKind) => OF_EVERY_NODE.has(kind) || (kind === 'decode' && runs !== undefined);
  const bucketUploads = has.has('bucket') ? createBucketUploads({ store, clock, random }) : undefined;
  const isOurs = () => store.background.isHeld();
  parts.use(startSweeps(listSweeps(foundation, { ...operations, carriesOut }, ingest, bucketUploads), isOurs, log));
  const build = (await uiBuildId(pages)) ?? VERSION;
  const feeds = openFeeds(parts, foundation, { live, watch, readers: operations.readers, attention, history, build });
  broker = has.has('broker') ? await openBroker(parts, foundation, ingest, auth) : undefined;
  if (actions !== undefined) await beginActions(parts, foundation, actions, operations.ownWork, broker);
  if (has.has('buses') && broker !== undefined) await openBuses(parts, foundation, broker);
  const loggers = bucketUploads && (await openBucket(parts, foundation, ingest, operations, bucketUploads));
  const { headOffice, fileState } = sync;
  const { courier } = sync.siteSync ?? headOffice ?? {};
  const given = { invoke, auth, feeds, webRoot: pages, build, broker, loggers, headOffice, courier, fileState };
  const server = await openHttp(parts, foundation, ingest, given);
  parts.defer(followEncryption(foundation, { mqtt: broker, bucket: loggers, http: server }));

  const http = `http://${localHost(config.host)}:${server.port}`;
  const ports = { mqtt: broker?.port ?? 0, bucket: loggers?.port ?? 0 };
  parts.use(writeControl(config.data, { pid: process.pid, http, ...ports, token: controlToken }, log));
  ending.started();
  parts.defer(() => foundation.time.keep());
  followResources(foundation, ingest, { broker, loggers, server });
  await startAnnouncing(parts, foundation);
  const running = parts.move();
  return {
    http,
    httpPort: server.port,
    mqttPort: ports.mqtt,
    bucketPort: ports.bucket,
    httpsPort: server.tlsPort,
    mqttsPort: broker?.tlsPort ?? 0,
    bucketTlsPort: loggers?.tlsPort ?? 0,
    encryptedOnly: LISTENERS.filter((name) => foundation.addresses[name].encryptedOnly),
    headOffice: (await sync.siteSync?.status())?.cloud_url ?? null,
    claim: (await claim.claimed()) ? null : await claim.show(),
    controlToken,
    watchNames: (listener) => foundation.localNames.watch(listener),
    history: (...of) => ingest.history(...of),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Starts ingest: the raw journal, the fold (the loop that processes the messages of the journal) and history. */
async function openIngest(parts: AsyncDisposableStack, foundation: Foundation, tookOver: boolean): Promise<Ingest> {
  const { config, store, clock, random, log, time, ending, resources } = foundation;
  const { onFatal } = ending;
  const ingest = parts.use(
    await startIngest({
      folder: config.data,
      store,
      clock,
      random,
      log,
      onFatal,
      agesKnown: () => time.agesKnown,
      rawBytes: rawLimit(config.rawPercent, resources.disk?.total ?? null),
      tookOver,
    }),
  );
  if (resources.rawGone !== null) ingest.rawRemoved(resources.rawGone);
  return ingest;
}

/** Starts the executor of runs, such as the decoding of a log file. */
function openRuns(
  parts: AsyncDisposableStack,
  { store, clock, random, log, artifacts, sealer }: Foundation,
  ingest: Ingest,
): Runs {
  return parts.use(
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
}

/** Starts the executor of setups. A setup only writes documents, so every role of a node has it. */
async function openSetups(
  parts: AsyncDisposableStack,
  { store: { background }, clock, random, log }: Foundation,
  { ownWork, siteReader: reader }: NodeOperations,
): Promise<void> {
  const { store } = background;
  const write = createSetupWriter(ownWork);
  parts.use(await background.whileHeld(async () => startSetups({ store, clock, random, log, write, reader })));
}

/** Starts the executor of the runs that a model carries out. Without a model set for a project it sends nothing. */
async function openAgent(
  parts: AsyncDisposableStack,
  { store: { background }, clock, random, log, sealer, artifacts }: Foundation,
  { invoke, ownWork }: NodeOperations,
): Promise<void> {
  const { store } = background;
  const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
  const options = {
    ...{ store, clock, random, log },
    toolbox: withLearnings(createToolbox({ invoke, log, artifacts }), createLearner(ownWork), log),
    keyOf: (project_id: string) => providerKey(store.view(project_id), sealer),
    skillOf: (view: View, id: string, hash?: string) => skillForRun(view, sha256, id, hash),
  };
  parts.use(await background.whileHeld(async () => startAgent(options)));
}

/** Starts to keep the raw traffic around critical alerts. Head office has no raw traffic. */
async function openFreeze(parts: AsyncDisposableStack, foundation: Foundation, ingest: Ingest): Promise<void> {
  const { config, store, artifacts, room, clock, log } = foundation;
  const limits = config.freeze;
  const frames = (window: Parameters<Ingest['window']>[0]) => ingest.window(window);
  const oldest = () => {
    const { is_whole, oldest_ms } = ingest.stats().journal;
    return is_whole ? null : oldest_ms;
  };
  parts.use(await startRawFreeze({ store, artifacts, limits, frames, oldest, room, clock, log }));
}

/**
 * Starts the alert rules and the webhooks. Returns the executor of the actions of alerts, which does not execute any yet; undefined at head
 * office, because each site decides about its alerts.
 */
async function openWatchers(
  parts: AsyncDisposableStack,
  foundation: Foundation,
  {
    ingest,
    attention,
    request,
  }: {
    readonly ingest: Ingest;
    readonly attention: SiteAttention;
    readonly request: WebhookOptions['request'];
  },
  has: ReadonlySet<PartName>,
): Promise<AlertActions | undefined> {
  const { store, sealer, clock, random, log, time, healthSources, historySweep } = foundation;
  const watch = (listener: Parameters<Ingest['watch']>[0]) => ingest.watch(listener);
  const { background } = store;
  const isOurs = () => background.isHeld();
  const sending = { store: background.store, isOurs, sealer, clock, random, attention, request, log };
  parts.use(await background.whileHeld(() => startWebhooks(sending)));
  healthSources.detailed.push(parts.use(await followFailing(store)), historySweep);
  if (!has.has('alerts')) return undefined;
  const actions = parts.use(await followAlertActions({ store, log }));
  const alerts = parts.use(
    await startAlerts({
      store,
      live: ingest.live,
      watched: ingest.watched,
      watch,
      clock,
      agesKnown: () => time.agesKnown,
      random,
      budgets: ingest.budgets,
      log,
    }),
  );
  healthSources.detailed.push(alerts);
  return actions;
}

/** Starts to execute the actions of alerts: tickets, and messages to devices. */
async function beginActions(
  parts: AsyncDisposableStack,
  { store, clock, log, time, healthSources }: Foundation,
  actions: AlertActions,
  ownWork: OwnWork,
  broker: Broker | undefined,
): Promise<void> {
  const agesKnown = () => time.agesKnown;
  const messages = parts.use(await startAlertMessages({ store, ownWork, broker, clock, agesKnown, log }));
  healthSources.detailed.push(messages);
  actions.begin(createPerformers({ ownWork, messages, log }));
}

/** Starts the live streams of boards and of the office page. */
function openFeeds(
  parts: AsyncDisposableStack,
  { store, clock, sealer, newId, resources, time, addresses, displays }: Foundation,
  {
    live,
    watch,
    readers: { shifts, days },
    attention,
    history,
    build,
  }: {
    readonly live: Ingest['live'];
    readonly watch: Ingest['watch'];
    readonly readers: NodeOperations['readers'];
    readonly attention: SiteAttention;
    readonly history: History;
    readonly build: string;
  },
): FeedSource {
  return parts.use(
    createFeeds({
      ...{ store, displays },
      live,
      ...{ shifts, days },
      watch,
      attention,
      history,
      clock,
      build,
      notice: () => screenNotice(new Map([...resources.pressure.since, ...time.since])),
      sealer,
      qr: qrCode,
      baseUrl: () => httpUrl(addresses.http),
      newId: (kind) => newId(kind),
    }),
  );
}

/** Reads disk space, memory and file handles every second, and limits ingest and sockets when one of them is short. */
function followResources(
  { resources }: Foundation,
  ingest: Ingest,
  listeners: {
    readonly broker: Broker | undefined;
    readonly loggers: LoggerBucket | undefined;
    readonly server: HttpServer;
  },
): void {
  const { broker, loggers, server } = listeners;
  const limited = {
    broker: broker && {
      open: () => broker.counters().connections,
      limitSockets: (most: number) => broker.limitSockets(most),
    },
    loggers: loggers && {
      open: () => loggers.counters().sockets,
      limitSockets: (most: number) => loggers.limitSockets(most),
    },
    pages: { open: () => server.sockets, limitSockets: (most: number) => server.limitSockets(most) },
  };
  resources.follow({
    sync_ms: () => ingest.stats().journal.sync_ms,
    refusing: () => ingest.stats().journal.refusing,
    owing: () => broker?.counters().deferred_connections ?? 0,
    apply({ disk, memory }, { disk: sizes, handles }) {
      ingest.setHeadroom({ disk, ...roomFor(sizes), memory: memory !== 'critical' });
      shareSockets(limited, memory === 'ok', handles);
    },
  });
}
