/** Creates the parts of ingest and connects them: the journal, the fold (which applies messages), commits, and the periodic work (tick). */
import { join } from 'node:path';
import { decodeCanPayload } from '#codec/can-payload.ts';
import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import { createFold } from '#ingest/fold/fold.ts';
import { createState, type FoldState, noteRefused } from '#ingest/fold/fold-state.ts';
import { createIds, type Ids } from '#ingest/fold/ids.ts';
import { createSources, type Sources } from '#ingest/fold/sources.ts';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { type Journal, openJournal } from '#ingest/journal/journal.ts';
import { segmentOf } from '#ingest/journal/position.ts';
import { nodeTimers, type Timers } from '#ingest/journal/timers.ts';
import { createWaitingGroups, type WaitingGroups } from '#ingest/journal/waiting-groups.ts';
import { createLiveState, type LiveState } from '#ingest/live/live-state.ts';
import { type FollowedIntervals, followIntervals } from '#ingest/live/signal-intervals.ts';
import { readInventory } from '#ingest/writer/inventory-store.ts';
import { LivePace } from '#ingest/writer/live-pace.ts';
import { readReceived } from '#ingest/writer/received-machines.ts';
import { readSaved, type Saved } from '#ingest/writer/saved-snapshot.ts';
import { createStoreWriter, type IngestStore, type StoreWriter } from '#ingest/writer/store-writer.ts';
import { type Budgets, openBudgets } from './budgets.ts';
import { type Commits, createCommits } from './commits.ts';
import { type DeviceCredentials, followCredentials } from './device-credentials.ts';
import { type DeviceSettings, followSettings } from './device-settings.ts';
import { createFoldGroups, type FoldGroups } from './fold-groups.ts';
import { createFoldLoop, type FoldLoop } from './fold-loop.ts';
import { createFoldRestart } from './fold-restart.ts';
import { storesSamples } from './headroom.ts';
import type { IngestOptions } from './ingest-types.ts';
import { createLoadShedding, type LoadShedding } from './load-shedding.ts';
import { createQueuedActions, type QueuedActions } from './queued-actions.ts';
import { createRawRing } from './raw-ring.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createTick } from './tick.ts';
import { followPlans, type WatchPlans } from './watch-plans.ts';

const COMMIT_MS = 10_000;

/** The clock, the random numbers and the log. They come from the options; for absent options the functions of Node.js are used. */
interface Runtime {
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly timers: Timers;
  readonly log: IngestOptions['log'];
  readonly decodeCan: typeof decodeCanPayload;
}

/** The parts that contain the state of the fold and write it to the store. */
interface FoldParts {
  readonly current: CurrentFold;
  readonly createFold: (state: FoldState) => CurrentFold['fold'];
  readonly ids: Ids;
  readonly sources: Sources;
  readonly budgets: Budgets;
  readonly shedding: LoadShedding;
  readonly settings: DeviceSettings;
  readonly plans: WatchPlans;
  readonly writer: StoreWriter;
  readonly pace: LivePace;
  readonly saved: Saved | undefined;
}

/** The parts between the journal and the fold. */
interface QueueParts {
  readonly waiting: WaitingGroups;
  readonly actions: QueuedActions;
  readonly groups: FoldGroups;
  readonly live: LiveState;
  readonly intervals: FollowedIntervals;
  readonly commits: Commits;
  readonly credentials: DeviceCredentials;
  readonly sessions: Sessions;
}

/** An opened journal, and the error after which it accepted no more messages. */
interface OpenedJournal {
  readonly journal: Journal;
  readonly failure: { error: Error | undefined };
}

/** All parts of a running ingest. */
export interface IngestParts extends Runtime, Omit<FoldParts, 'createFold' | 'saved'>, QueueParts, OpenedJournal {
  readonly store: IngestStore;
  readonly loop: FoldLoop;
  /** Runs one tick; never call it while another runs. */
  readonly tick: () => Promise<void>;
}

/** Opens the journal and creates the parts. The state of the fold is empty until the caller calls `loop.load()`. */
export async function openParts(options: IngestOptions): Promise<IngestParts> {
  const runtime: Runtime = {
    clock: options.clock,
    monotonic: options.monotonic ?? (() => performance.now()),
    timers: options.timers ?? nodeTimers(),
    log: options.log,
    decodeCan: options.decodeCan ?? decodeCanPayload,
  };
  const foldParts = await openFoldParts(options, runtime);
  const { store } = options;
  const waiting = createWaitingGroups(options.queueBytes);
  const opened = await openIngestJournal(options, runtime, foldParts, waiting);
  const queueParts = await openQueueParts(options, runtime, foldParts, opened.journal, waiting);
  const shared = { ...runtime, ...foldParts, ...queueParts, ...opened };
  const { current, commits, shedding, live, groups, settings, plans, sessions, credentials, writer } = shared;
  const restart = createFoldRestart({
    current,
    createFold: foldParts.createFold,
    writer,
    live,
    groups,
    settings,
    plans,
    sessions,
    credentials,
    monotonic: runtime.monotonic,
    received: options.tookOver === true ? await readReceived(store, foldParts.saved) : [],
  });
  const loop = createFoldLoop({ ...shared, restart });
  const trim = createRawRing({
    ...shared,
    node: store.nodeId,
    bytes: options.rawBytes,
    agesKnown: options.agesKnown,
    state: () => current.state,
    headroom: () => shedding.headroom,
    tail: () => commits.saved?.tail ?? 0,
    async commit() {
      await commits.running;
      await commits.commit(false);
    },
  });
  return { ...shared, store, loop, tick: createTick({ ...shared, loop, trim }) };
}

async function openFoldParts(options: IngestOptions, { clock, timers, log, decodeCan }: Runtime): Promise<FoldParts> {
  const { store } = options;
  const ids = createIds(store.nodeId, options.random);
  const sources = createSources();
  const budgets = await openBudgets({ store, clock });
  const createFoldOver = (state: FoldState) =>
    createFold({
      state,
      ids,
      sources,
      decodeCan,
      intervalOf: (device) => settings.intervalOf(device),
      conversionOf: (device) => settings.conversionOf(device),
      gnssOf: (device) => settings.gnssOf(device),
      dbcOf: (device) => settings.dbcOf(device),
      planOf: (project_id) => plans.of(project_id),
      storesSamples: () => storesSamples(shedding.headroom),
      budgets,
    });
  const empty = createState(0);
  const current: CurrentFold = { state: empty, fold: createFoldOver(empty) };
  const shedding = createLoadShedding({ current, ids, clock, budgets });
  const pace = new LivePace();
  const writer = createStoreWriter({
    pace,
    store,
    ids,
    inventory: await readInventory(store),
    refused(document) {
      if (!noteRefused(current.state, { ...document, at_ms: clock() })) return;
      log('error', 'the store refused a document; ingest set it aside', document);
    },
    yieldLoop: () => new Promise<void>((done) => timers.soon(done)),
    budgets,
  });
  const saved = await readSaved(store);
  const settings = await followSettings(store, current, (device, data, quarantined) =>
    budgets.settle(device, data, quarantined),
  );
  const plans = await followPlans(store, current);
  return { current, createFold: createFoldOver, ids, sources, budgets, shedding, settings, plans, writer, pace, saved };
}

async function openIngestJournal(
  options: IngestOptions,
  { clock, monotonic, timers, log }: Runtime,
  { saved, settings }: FoldParts,
  waiting: WaitingGroups,
): Promise<OpenedJournal> {
  const failure: OpenedJournal['failure'] = { error: undefined };
  const journal = await openJournal({
    folder: join(options.folder, 'journal'),
    disk: options.disk ?? nodeDisk(),
    clock,
    monotonic,
    timers,
    random: options.random,
    after: saved?.position ?? 0,
    machineOf: (device) => settings.machineOf(device),
    ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
    onGroup: (group) => waiting.add(group),
    onFatal(error) {
      failure.error = error;
      log('error', error.message);
      options.onFatal?.(error);
    },
  });
  return { journal, failure };
}

async function openQueueParts(
  { store, commitMs: everyMs = COMMIT_MS }: IngestOptions,
  { clock, monotonic, log }: Runtime,
  { current, writer, settings, sources, pace, saved }: FoldParts,
  journal: Journal,
  waiting: WaitingGroups,
): Promise<QueueParts> {
  const actions = createQueuedActions();
  const groups = createFoldGroups({ actions, sources, firstSegment: segmentOf(journal.next), log });
  const live: LiveState = createLiveState({
    current,
    writer,
    devicesOf: settings.devicesOf,
    intervalOf: settings.intervalOf,
    signalIntervalsOf: (id) => intervals.of(id),
    monotonic,
  });
  const intervals = await followIntervals(store, (equipment) => live.touch(equipment));
  const commits = createCommits({ saved, current, writer, groups, live, everyMs, pace, clock, monotonic, log });
  const credentials = await followCredentials(store, (device, revoked_ms) => {
    // The revocation takes effect after the messages that the journal accepted before it.
    actions.add(journal.next, () => {
      const known = current.state.devices.get(device);
      if (known !== undefined) current.fold.credential(known, revoked_ms !== null, revoked_ms ?? clock());
    });
  });
  return { waiting, actions, groups, live, intervals, commits, credentials, sessions: createSessions() };
}
