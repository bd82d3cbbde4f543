/**
 * Ingest: from an accepted message to facts, live state, events and samples.
 *
 *   accept -> journal -> [queue] -> fold, every tick -> watchers
 *                                              every 5 s, at once for an event -> one commit with the place in the journal
 *
 * Invariants: what was accepted is folded once, in journal order; a commit covers exactly what was folded; what is in memory can be
 * made again from the last commit and the journal behind it.
 */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { decodeCanPayload } from '#codec/can-payload.ts';
import type { BusReader, Links, LiveReader } from '#contract/context.ts';
import type { EquipmentLive } from '#contract/equipment.ts';
import type { FrameBatch } from '#contract/frame.ts';
import { type DeviceIdentity, type IngestMessage, NotTaken } from '#contract/ingest.ts';
import type { Health } from '#contract/node.ts';
import type { SignalName } from '#contract/signals.ts';
import { equipmentLive } from '#domain/machine.ts';
import { restoreCensus } from './census-store.ts';
import { followDbcFiles } from './dbc-files.ts';
import { busHeard } from './device-bus.ts';
import { followCredentials } from './device-credentials.ts';
import { decodersOf } from './device-dbc.ts';
import { followDevices } from './device-records.ts';
import { deviceLive } from './device-state.ts';
import { type Disk, nodeDisk } from './disk.ts';
import { createFold, type Fold } from './fold.ts';
import { createFoldGroups } from './fold-groups.ts';
import { createState, type FoldState, MAX_SET_ASIDE, type Refused, restoreState, type SetAside } from './fold-state.ts';
import { noteGap, tellGaps } from './gaps.ts';
import { type History, readHistory } from './history.ts';
import { createIds } from './ids.ts';
import { gapsShown, type IngestProblem, problemsOf } from './ingest-health.ts';
import { type Journal, type JournalStats, openJournal } from './journal.ts';
import { createNotes } from './notes.ts';
import { positionOf, segmentOf } from './position.ts';
import { createRawRing } from './raw-ring.ts';
import { recentFrames } from './recent-frames.ts';
import { isRoomy, keepsHistory, type Room, takesMessages } from './room.ts';
import type { Group } from './segment-file.ts';
import { createSources } from './sources.ts';
import {
  createStoreWriter,
  type IngestStore,
  observationId,
  type RunCount,
  readCensus,
  readSaved,
  type Saved,
  unpackSnapshot,
} from './store-writer.ts';
import { nodeTimers, type Timers } from './timers.ts';

export interface IngestOptions {
  /** The data folder; the journal lives in `journal` inside. */
  readonly folder: string;
  readonly store: IngestStore;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** The journal can no longer be trusted with a message: the process should end. */
  readonly onFatal?: (error: Error) => void;
  readonly tickMs?: number;
  readonly commitMs?: number;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
  /** Node's when absent. */
  readonly timers?: Timers;
  readonly disk?: Disk;
  /** What the raw journal may take, in bytes. */
  readonly rawBytes?: number;
  readonly segmentBytes?: number;
  /** Acknowledged groups kept in memory for the fold; beyond it they are read from disk again. */
  readonly queueBytes?: number;
  readonly decodeCan?: typeof decodeCanPayload;
  /** False while the clock says nothing of how old raw messages are: none gives way for its age. */
  readonly agesKnown?: () => boolean;
}

export interface Changed {
  readonly equipment: ReadonlySet<string>;
  readonly devices: ReadonlySet<string>;
}

export interface Ingest extends AsyncDisposable {
  /** Resolves when the message survives a power cut; rejects when its sender must keep it. */
  accept(message: IngestMessage): Promise<void>;
  /** The truth in memory. */
  readonly live: LiveReader & Links & BusReader;
  /** Calls back after each tick that changed something; returns the unsubscribe. */
  watch(listener: (changed: Changed) => void): () => void;
  /** Samples of a machine's signal in its unit, one a second at most. */
  history(equipment_id: string, signal: SignalName, from_ms: number, to_ms: number): Promise<History>;
  connected(device: DeviceIdentity, address: string): void;
  disconnected(device: DeviceIdentity): void;
  /** Something was refused at a door; the source is a device_id or an address. */
  refused(source: string, reason: string): void;
  health(): Promise<Pick<Health, 'journal' | 'sources' | 'gaps'> & { readonly problems: readonly IngestProblem[] }>;
  /** Resolves when everything accepted so far is in the store with what follows from it. */
  settled(): Promise<void>;
  /** What a run that read a file brought into history since this process began, as far as it is in the store. */
  counted(run: string): RunCount;
  /** The frames that came from a device since then, as far as the raw journal reaches; the batch is filled again after each. */
  recent(device: string, since_ms: number): AsyncIterable<FrameBatch>;
  /** Does without what there is no room for, until told otherwise; what was given up is told when it is over. */
  degrade(room: Room): void;
  /** False while messages are refused that may be taken later. */
  readonly accepting: boolean;
  /** Besides health: what the journal did, what the fold could not digest, and what the store did not take. */
  stats(): {
    journal: JournalStats;
    set_aside: readonly SetAside[];
    set_aside_total: number;
    refused: readonly Refused[];
    refused_total: number;
    /** Rounds of the fold that ended, and whether a commit that one of them began is still under way. */
    rounds: number;
    storing: boolean;
  };
}

/** While the disk is not as it should be. */
const TRIM_SOON_MS = 5_000;
const PROBE_MS = 1_000;

const SEAL_MS = 60_000;
const SWEEP_MS = 1_000;
const TRIM_MS = 60_000;
/** Events come at once, but not more often than this. */
const URGENT_MS = 1_000;
/** After a failed commit. */
const RETRY_MS = 5_000;
/** The fold gives the event loop back after so long. */
const SLICE_MS = 20;
/** Acknowledged groups kept in memory for the fold; beyond it reads them from disk. */
const QUEUE_BYTES = 64 << 20;
/** Documents that may wait for the store; beyond it the fold waits for the commit. */
const MAX_WAITING = 400;
/** Repeats are known from the messages of the last minute. */
const TAIL_MS = 60_000;
/** One for all: what is refused in one turn of the loop is answered in one. */
const NOT_TAKEN = Promise.reject(new NotTaken('the gateway has no room; the sender keeps the message'));
NOT_TAKEN.catch(() => {});

/** Where the fold stood at a time. */
interface Mark {
  readonly mono: number;
  readonly position: number;
}

/** Opens the journal, brings the state back to where it was, and begins to fold. */
export async function startIngest(options: IngestOptions): Promise<Ingest> {
  const { store, clock, log } = options;
  const monotonic = options.monotonic ?? (() => performance.now());
  const timers = options.timers ?? nodeTimers();
  const tickMs = options.tickMs ?? 200;
  const commitMs = options.commitMs ?? 5_000;
  const queueBytes = options.queueBytes ?? QUEUE_BYTES;
  const ids = createIds(store.nodeId, options.random);
  const sources = createSources();
  const watchers = new Set<(changed: Changed) => void>();
  const sessions = new Map<string, { identity: DeviceIdentity; count: number; address: string; since_ms: number }>();
  const equipmentCache = new Map<string, EquipmentLive>();

  const writer = createStoreWriter(
    store,
    ids,
    await readCensus(store),
    (document) => {
      if (state.refused.some(({ id }) => id === document.id)) return;
      state.refused.push({ ...document, at_ms: clock() });
      if (state.refused.length > MAX_SET_ASIDE) state.refused.shift();
      state.refusedTotal++;
      log('error', 'a document was set aside: the store does not take it', document);
    },
    () => new Promise<void>((done) => timers.soon(done)),
  );

  let state: FoldState = createState(0);
  let saved = await readSaved(store);
  let queue: Group[] = [];
  let queued = 0;
  /** The fold reads from disk until it has caught up. */
  let behind = false;
  let fatal: Error | undefined;

  const records = await followDevices(store, (device, interval_s, conversion) => {
    const known = state.devices.get(device);
    if (known === undefined) return;
    known.expected_interval_s = interval_s;
    known.conversion = conversion;
  });

  const dbcFiles = await followDbcFiles(store, (project_id) => {
    for (const device of state.devices.values())
      if (device.identity.project_id === project_id) device.dbc = decodersOf(dbcFiles.of(device.identity), device.dbc);
  });

  const journal: Journal = await openJournal({
    folder: join(options.folder, 'journal'),
    disk: options.disk ?? nodeDisk(),
    clock,
    monotonic,
    timers,
    random: options.random,
    after: saved?.position ?? 0,
    machineOf: (device) => records.machineOf(device),
    ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
    onGroup(group) {
      if (behind) return;
      if (queued + group.body.length > queueBytes) {
        behind = true;
        return;
      }
      queued += group.body.length;
      queue.push(group);
    },
    onFatal(error) {
      fatal = error;
      log('error', error.message);
      options.onFatal?.(error);
    },
  });
  const notes = createNotes();
  const groups = createFoldGroups({ notes, sources, firstSegment: segmentOf(journal.next), log });
  /** Messages folded by this process that are in the store with what follows from them. */
  let stored = 0;
  /** Messages that this process accepted and that are in the store. */
  let settled = 0;
  const marks: Mark[] = [];
  let committing: Promise<void> | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;
  /** When the store began to refuse what the fold made. */
  let failingSince: number | undefined;
  let lastCommit = monotonic();
  let lastSweep = Number.NEGATIVE_INFINITY;
  let lastTrim = lastCommit;
  let lastProbe = lastCommit;
  let room: Room | undefined;
  let fold: Fold;

  const credentials = await followCredentials(store, (device, revoked_ms) => {
    addNote(() => {
      const known = state.devices.get(device);
      if (known !== undefined) fold.credential(known, revoked_ms !== null, revoked_ms ?? clock());
    });
  });

  /** What was revoked before the process ended, and not heard since. */
  function applyRevokes(): void {
    for (const [device, at] of credentials.revoked) {
      const known = state.devices.get(device);
      if (known === undefined || known.connectivity.status === 'unassigned') continue;
      if ((known.connectivity.seen_ms ?? 0) <= at) fold.credential(known, true, at);
    }
  }

  /** Tells of what is no longer given up. */
  function tellWhatIsOver(): void {
    if (room === undefined || state.gaps.size === 0) return;
    const over = {
      raw: room.disk === 'ok',
      history: keepsHistory(room),
      messages: takesMessages(room) && journal.stats().refusing === null,
    };
    for (const what of ['raw', 'history', 'messages'] as const)
      if (over[what]) fold.changes.events.push(...tellGaps(state, what, ids, clock()));
  }

  /** For want of room: its sender keeps it. */
  function refuse({ device, project_id, payload }: IngestMessage): Promise<void> {
    const now = clock();
    const bytes = payload.length;
    noteGap(state.gaps, { what: 'messages', id: device, project_id, from_ms: now, to_ms: now, count: 1, bytes });
    return NOT_TAKEN;
  }

  function begin(from: Saved | undefined): void {
    const mono = monotonic();
    state = from === undefined ? createState(0) : restoreState(unpackSnapshot(from), mono);
    restoreCensus(state, writer.census);
    fold = createFold({
      state,
      ids,
      sources,
      decodeCan: options.decodeCan ?? decodeCanPayload,
      intervalOf: (device) => records.intervalOf(device),
      conversionOf: (device) => records.conversionOf(device),
      dbcOf: (device) => dbcFiles.of(device),
      keepsHistory: () => keepsHistory(room),
    });
    fold.setTime(mono);
    equipmentCache.clear();
    groups.begin(state, fold);
    for (const device of state.devices.values()) {
      device.expected_interval_s = records.intervalOf(device.identity.device);
      device.conversion = records.conversionOf(device.identity.device);
      device.dbc = decodersOf(dbcFiles.of(device.identity), [], device.dbc_saved);
    }
    for (const { identity, count, address, since_ms } of sessions.values()) {
      for (let i = 0; i < count; i++) fold.session(fold.deviceOf(identity), true, address, since_ms);
    }
  }

  /** Does something at the place where the journal stands now, between the messages before and behind. */
  const addNote = (apply: () => void): void => notes.add(journal.next, apply);

  let sliceStart = monotonic();

  /** Between two groups: lets others run, and the store keep up; false when the fold has to wait for the store. */
  async function breathe(): Promise<boolean> {
    if (writer.waiting() + fold.changes.events.length >= MAX_WAITING) {
      if (monotonic() >= retryAt) await commit(false);
      if (writer.waiting() >= MAX_WAITING) return false;
    }
    if (monotonic() - sliceStart >= SLICE_MS) {
      publish();
      await new Promise<void>((done) => timers.soon(done));
      sliceStart = monotonic();
      fold.setTime(sliceStart);
    }
    return true;
  }

  /** Folds what is on disk behind the state. */
  async function foldAll(): Promise<void> {
    sliceStart = monotonic();
    // Every tick begins here: what is full stays full until the store takes something.
    if (writer.waiting() + fold.changes.events.length >= MAX_WAITING && !(await breathe())) return;
    for (let group = queue[0]; group !== undefined; group = queue[0]) {
      queue.shift();
      queued -= group.body.length;
      groups.take(group, Number.POSITIVE_INFINITY);
      if (!(await breathe())) return;
    }
    if (behind) await catchUp(state.position, Number.POSITIVE_INFINITY);
  }

  /** Reads the journal from a place on until its end is reached; from then on groups come through memory. */
  async function catchUp(from: number, tail: number): Promise<void> {
    for (let place = from; behind; ) {
      let reached = place;
      for await (const group of journal.read(place)) {
        // A segment is read from its beginning again: what was taken in before is not taken in twice.
        groups.take(group, Math.max(tail, place));
        reached = positionOf(group.segment, group.start + group.body.length);
        if (!(await breathe())) return;
      }
      behind = reached < journal.end && reached > place;
      place = reached;
    }
  }

  /** Brings the state back: the last commit, and the journal behind it. */
  async function load(): Promise<void> {
    for (;;) {
      await committing;
      writer.reset();
      queue = [];
      queued = 0;
      behind = true;
      // What they say is in `sessions` and in the records.
      notes.clear();
      begin(saved);
      // What was not yet in the live documents when the process ended, and does not move again, would never be.
      writer.mirror(state);
      try {
        await catchUp(saved?.tail ?? 0, saved?.tail ?? 0);
        applyRevokes();
        return;
      } catch (error) {
        groups.noteFailure(error);
      }
    }
  }

  /** Tells watchers what moved since the last time, and hands the rest to the writer. */
  function publish(): void {
    const changes = fold.take();
    writer.add(changes);
    const { equipment, devices } = changes;
    if (equipment.size === 0 && devices.size === 0) return;
    for (const id of equipment) equipmentCache.delete(id);
    for (const listener of watchers) listener({ equipment, devices });
  }

  /** The place where a restart has to begin reading. */
  function tailOf(mono: number): number {
    // Samples that are made again are those of no repeat: what came in the minute before the first of them has to be known too.
    let oldest = mono;
    let from = state.position;
    for (const { samples } of state.machines.values()) {
      if (samples.count === 0) continue;
      oldest = Math.min(oldest, samples.since);
      from = Math.min(from, samples.from);
    }
    while (marks.length > 1 && (marks[1] as Mark).mono <= oldest - TAIL_MS) marks.shift();
    marks.push({ mono, position: state.position });
    return Math.min((marks[0] as Mark).position, from);
  }

  function commit(all: boolean): Promise<void> {
    committing ??= commitNow(all).finally(() => {
      committing = undefined;
    });
    return committing;
  }

  async function commitNow(all: boolean): Promise<void> {
    publish();
    const mono = monotonic();
    lastCommit = mono;
    const covered = groups.taken;
    const accepted = groups.folded;
    try {
      saved = await writer.commit(state, tailOf(mono), mono, all);
      retryAt = Number.NEGATIVE_INFINITY;
      failingSince = undefined;
      stored = covered;
      settled = accepted;
    } catch (error) {
      failingSince ??= clock();
      retryAt = monotonic() + RETRY_MS;
      log('error', 'facts could not be stored; they stay in the journal', { error: (error as Error).message });
    }
  }

  async function tick(): Promise<void> {
    const mono = monotonic();
    fold.setTime(mono);
    try {
      await foldAll();
    } catch (error) {
      groups.noteFailure(error);
      await load();
    }
    if (queue.length === 0 && !behind) notes.applyUntil(journal.end);
    if (mono - lastSweep >= SWEEP_MS) {
      lastSweep = mono;
      fold.sweep(clock());
      for (const machine of state.machines.values()) if (mono - machine.samples.since >= SEAL_MS) fold.seal(machine);
    }
    publish();
    const since = mono - lastCommit;
    const due = (writer.urgent && since >= Math.min(URGENT_MS, commitMs)) || (writer.dirty && since >= commitMs);
    if (due && mono >= retryAt) void commit(false);
    tellWhatIsOver();
    if (mono - lastTrim >= (isRoomy(room) ? TRIM_MS : TRIM_SOON_MS)) {
      lastTrim = mono;
      await trim();
    }
    if (mono - lastProbe >= PROBE_MS) {
      lastProbe = mono;
      void journal.probe();
    }
  }

  const trim = createRawRing({
    journal,
    writer,
    node: store.nodeId,
    clock,
    monotonic,
    log,
    bytes: options.rawBytes,
    agesKnown: options.agesKnown,
    state: () => state,
    room: () => room,
    tail: () => saved?.tail ?? 0,
    async commit() {
      await committing;
      await commit(false);
    },
  });

  // What a restart had to read for repeats, the next one has to, until a minute has passed.
  marks.push({ mono: lastCommit, position: saved?.tail ?? 0 });
  await load();

  let running: Promise<void> | undefined;
  let rounds = 0;
  const stopTicking = timers.every(tickMs, () => {
    running ??= tick()
      .catch((error: Error) => {
        log('error', 'ingest failed', { error: error.message });
        options.onFatal?.(error);
      })
      .finally(() => {
        running = undefined;
        rounds++;
      });
  });

  return {
    accept(message) {
      const { topic } = message;
      // People and alarms first: what a machine says of its state is small, and its samples fill a disk.
      if ((topic === 'can' || topic === 'telemetry') && !takesMessages(room)) return refuse(message);
      // The file stays: what is in it is lost to nobody and can wait.
      if (topic === 'recording' && (!takesMessages(room) || !keepsHistory(room))) return NOT_TAKEN;
      return journal.append(message);
    },
    async settled() {
      for (const wanted = journal.stats().messages; settled < wanted; ) {
        if (fatal !== undefined) throw fatal;
        if (groups.folded >= wanted && monotonic() >= retryAt) await commit(false);
        else await new Promise<void>((done) => timers.after(tickMs, done));
      }
    },
    counted: (run) => writer.counted(run),
    recent: (device, since_ms) => recentFrames(journal, options.decodeCan ?? decodeCanPayload, device, since_ms),
    degrade(to) {
      room = to;
      journal.useSmallSegments(to.disk !== 'ok');
    },
    get accepting() {
      return takesMessages(room) && journal.stats().refusing === null;
    },
    live: {
      equipment(id, signals) {
        let known = equipmentCache.get(id);
        const machine = known === undefined ? state.machines.get(id) : undefined;
        if (machine !== undefined) {
          // Screens look at a few values of every machine five times a second: all of them would be most of what is allocated.
          if (signals !== undefined) return equipmentLive(machine.facts, signals);
          known = equipmentLive(machine.facts);
          equipmentCache.set(id, known);
        }
        return known;
      },
      device(id) {
        const device = state.devices.get(id);
        return device === undefined ? undefined : deviceLive(device, observationId, monotonic());
      },
      bus(id) {
        const device = state.devices.get(id);
        return device && busHeard(device);
      },
      devicesOf: (id) => records.of(id),
    },
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    async history(equipment_id, signal, from_ms, to_ms) {
      const machine = state.machines.get(equipment_id);
      if (machine === undefined) return { t: [], v: [] };
      const view = store.view(machine.project_id);
      return readHistory(view, machine, () => [...fold.changes.segments, ...writer.segments()], signal, from_ms, to_ms);
    },
    connected(identity, address) {
      const since_ms = clock();
      const known = sessions.get(identity.device);
      sessions.set(identity.device, { identity, count: (known?.count ?? 0) + 1, address, since_ms });
      addNote(() => fold.session(fold.deviceOf(identity), true, address, since_ms));
    },
    disconnected(identity) {
      const known = sessions.get(identity.device);
      if (known !== undefined && --known.count <= 0) sessions.delete(identity.device);
      const now = clock();
      addNote(() => fold.session(fold.deviceOf(identity), false, null, now));
    },
    refused(source, reason) {
      sources.refused(source, reason, isIP(source) !== 0, clock());
    },
    async health() {
      const { bytes, segments, messages, last_sync_ms } = journal.stats();
      const unfolded = Math.max(0, messages - groups.folded);
      return {
        journal: {
          bytes,
          segments,
          unfolded_messages: unfolded,
          uncommitted_messages: unfolded + groups.taken - stored,
          last_sync_ms,
        },
        sources: sources.list(),
        problems: problemsOf(state, failingSince, fatal !== undefined),
        gaps: gapsShown(state),
      };
    },
    stats: () => ({
      journal: journal.stats(),
      set_aside: [...state.setAside],
      set_aside_total: state.setAsideTotal,
      refused: [...state.refused],
      refused_total: state.refusedTotal,
      rounds,
      storing: committing !== undefined,
    }),
    async [Symbol.asyncDispose]() {
      stopTicking();
      await running;
      if (fatal === undefined) await journal.flush().catch(() => {});
      await tick();
      await committing;
      await commit(true);
      records.stop();
      dbcFiles.stop();
      credentials.stop();
      await journal[Symbol.asyncDispose]();
    },
  };
}
