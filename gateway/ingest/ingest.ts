/**
 * Ingest: from an accepted message to facts, live state, events and samples.
 *
 *   accept -> journal -> [waiting groups] -> fold, every tick -> watchers
 *                                              every 5 s, at once for an event -> one commit with the place in the journal
 *
 * Invariants: what was accepted is folded once, in journal order; a commit covers exactly what was folded; what is in memory can be
 * made again from the last commit and the journal behind it.
 */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { decodeCanPayload } from '#codec/can-payload.ts';
import type { BusReader, Links, LiveReader } from '#contract/context.ts';
import type { FrameBatch } from '#contract/frame.ts';
import type { DeviceIdentity, DeviceTrail, IngestMessage, Refusal } from '#contract/ingest.ts';
import type { Health } from '#contract/node.ts';
import type { SignalName } from '#contract/signals.ts';
import { NODE_PROJECT } from '#contract/view.ts';
import { type Budgets, openBudgets } from './budgets.ts';
import { restoreCensus } from './census-store.ts';
import { createCommits } from './commits.ts';
import { followCredentials } from './device-credentials.ts';
import { followSettings } from './device-settings.ts';
import { type Disk, nodeDisk } from './disk.ts';
import { createFold } from './fold.ts';
import { createFoldGroups } from './fold-groups.ts';
import { createFoldLoop, type Standing } from './fold-loop.ts';
import { createState, type FoldState, noteRefused, type Refused, restoreState, type SetAside } from './fold-state.ts';
import { noteGap } from './gaps.ts';
import { createGivingUp } from './giving-up.ts';
import { type History, readHistory } from './history.ts';
import { createIds } from './ids.ts';
import { gapsShown, type IngestProblem, problemsOf } from './ingest-health.ts';
import { type Journal, type JournalStats, openJournal } from './journal.ts';
import { type Changed, createLiveState } from './live-state.ts';
import { createNotes } from './notes.ts';
import { segmentOf } from './position.ts';
import { createRawRing } from './raw-ring.ts';
import { recentFrames } from './recent-frames.ts';
import { createRefusedLogins, type RefusedLogin } from './refused-logins.ts';
import { createRefusedMessages } from './refused-messages.ts';
import { keepsHistory, type Room, takesMessages } from './room.ts';
import { createSessions } from './sessions.ts';
import { createSources } from './sources.ts';
import {
  createStoreWriter,
  type IngestStore,
  type RunCount,
  readCensus,
  readSaved,
  type Saved,
  unpackSnapshot,
} from './store-writer.ts';
import { createTick } from './tick.ts';
import { nodeTimers, type Timers } from './timers.ts';
import { createWaitingGroups } from './waiting-groups.ts';

/** The world that ingest works in; a simulator can stand in for each piece. */
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

/** The door; disposing it folds and stores what was accepted. */
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
  /** Something was refused at a door; the source is a device_id or an address. `of`: what of which device it was. */
  refused(source: string, reason: string, of?: Refusal): void;
  /** The broker refused a login that named this device_id. It is counted for the address, and for the device if there is one. */
  loginRefused(device_id: string, address: string, reason: string): void;
  /** The last refused login of a device since the process began, by the id of its record. */
  refusedLogin(device: string): RefusedLogin | undefined;
  /** What came from a device last, and what of it was refused, by the id of its record. */
  trail(device: string): DeviceTrail;
  health(): Promise<
    Pick<Health, 'journal' | 'sources' | 'gaps' | 'writers'> & {
      readonly problems: readonly IngestProblem[];
      /** Budgets that are used up. */
      readonly over: ReturnType<Budgets['problems']>;
    }
  >;
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
  /** Raw messages gave way outside of the raw ring: told when there is room again. */
  rawGone(gone: {
    readonly from_ms: number;
    readonly to_ms: number;
    readonly segments: number;
    readonly bytes: number;
  }): void;
  /** The first file of raw messages that a restart reads. */
  readonly tail: number;
  /** What devices may have stored, and have. */
  readonly budgets: Budgets;
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

const TICK_MS = 200;
const COMMIT_MS = 5_000;

/** Opens the journal, brings the state back to where it was, and begins to fold. */
export async function startIngest(options: IngestOptions): Promise<Ingest> {
  const { store, clock, log, tickMs = TICK_MS, decodeCan = decodeCanPayload } = options;
  const monotonic = options.monotonic ?? (() => performance.now());
  const timers = options.timers ?? nodeTimers();
  const ids = createIds(store.nodeId, options.random);
  const sources = createSources();
  const sessions = createSessions();
  const refusedLogins = createRefusedLogins();
  const refusedMessages = createRefusedMessages();
  const notes = createNotes();
  const waiting = createWaitingGroups(options.queueBytes);
  const budgets = await openBudgets({ store, clock });
  let fatal: Error | undefined;

  function standingOver(state: FoldState): Standing {
    const fold = createFold({
      state,
      ids,
      sources,
      decodeCan,
      intervalOf: (device) => settings.intervalOf(device),
      conversionOf: (device) => settings.conversionOf(device),
      dbcOf: (device) => settings.dbcOf(device),
      keepsHistory: () => keepsHistory(givingUp.room),
      budgets,
    });
    return { state, fold };
  }
  const standing = standingOver(createState(0));
  const givingUp = createGivingUp({ standing, ids, clock, budgets });

  const writer = createStoreWriter(
    store,
    ids,
    await readCensus(store),
    (document) => {
      if (!noteRefused(standing.state, { ...document, at_ms: clock() })) return;
      log('error', 'a document was set aside: the store does not take it', document);
    },
    () => new Promise<void>((done) => timers.soon(done)),
    budgets,
  );
  const saved = await readSaved(store);

  const settings = await followSettings(store, standing, (...said) => budgets.settle(...said));

  const journal: Journal = await openJournal({
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
      fatal = error;
      log('error', error.message);
      options.onFatal?.(error);
    },
  });
  const groups = createFoldGroups({ notes, sources, firstSegment: segmentOf(journal.next), log });
  const live = createLiveState({ standing, writer, devicesOf: settings.devicesOf, monotonic });
  const everyMs = options.commitMs ?? COMMIT_MS;
  const commits = createCommits({ saved, standing, writer, groups, live, everyMs, clock, monotonic, log });

  /** Does something at the place where the journal stands now, between the messages before and behind. */
  const addNote = (apply: () => void): void => notes.add(journal.next, apply);

  const credentials = await followCredentials(store, (device, revoked_ms) => {
    addNote(() => {
      const known = standing.state.devices.get(device);
      if (known !== undefined) standing.fold.credential(known, revoked_ms !== null, revoked_ms ?? clock());
    });
  });

  /** What was revoked before the process ended, and not heard since. */
  function applyRevokes(): void {
    for (const [device, at] of credentials.revoked) {
      const known = standing.state.devices.get(device);
      if (known === undefined || known.connectivity.status === 'unassigned') continue;
      if ((known.connectivity.seen_ms ?? 0) <= at) standing.fold.credential(known, true, at);
    }
  }

  /** The state of a commit, with what people say of devices and which of them are connected now. */
  function begin(from: Saved | undefined): void {
    const mono = monotonic();
    const { state, fold } = standingOver(
      from === undefined ? createState(0) : restoreState(unpackSnapshot(from), mono),
    );
    Object.assign(standing, { state, fold });
    restoreCensus(state, writer.census);
    fold.setTime(mono);
    live.forget();
    groups.begin(state, fold);
    settings.apply(state);
    sessions.each((identity, address, since_ms) => {
      fold.session(fold.deviceOf(identity), true, address, since_ms);
    });
  }

  const loop = createFoldLoop({
    standing,
    waiting,
    groups,
    notes,
    journal,
    writer,
    commits,
    live,
    monotonic,
    timers,
    begin,
    loaded: applyRevokes,
  });

  const trim = createRawRing({
    journal,
    writer,
    node: store.nodeId,
    clock,
    monotonic,
    log,
    bytes: options.rawBytes,
    agesKnown: options.agesKnown,
    state: () => standing.state,
    room: () => givingUp.room,
    tail: () => commits.saved?.tail ?? 0,
    async commit() {
      await commits.running;
      await commits.commit(false);
    },
  });

  const tick = createTick({
    standing,
    loop,
    notes,
    journal,
    live,
    commits,
    givingUp,
    budgets,
    ids,
    trim,
    clock,
    monotonic,
  });

  await loop.load();

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
      const { device, via } = message;
      const taken = givingUp.refuse(message) ?? journal.append(message);
      if (via !== undefined && standing.state.devices.get(device)?.transport !== via)
        addNote(() => standing.fold.reached(device, via));
      return taken;
    },
    async settled() {
      for (const wanted = journal.stats().messages; commits.settled < wanted; ) {
        if (fatal !== undefined) throw fatal;
        if (groups.folded >= wanted && commits.mayTry(monotonic())) await commits.commit(false);
        else await new Promise<void>((done) => timers.after(tickMs, done));
      }
    },
    counted: (run) => writer.counted(run),
    recent: (device, since_ms) => recentFrames(journal, decodeCan, device, since_ms),
    degrade(to) {
      givingUp.room = to;
      budgets.degrade(to);
      journal.useSmallSegments(to.disk !== 'ok');
    },
    get accepting() {
      return takesMessages(givingUp.room) && journal.stats().refusing === null;
    },
    rawGone({ from_ms, to_ms, segments: count, bytes }) {
      const gap = { what: 'raw', id: store.nodeId, project_id: NODE_PROJECT, count, bytes } as const;
      noteGap(standing.state.gaps, { ...gap, from_ms, to_ms });
    },
    get tail() {
      return segmentOf(commits.saved?.tail ?? 0);
    },
    live: live.reader,
    budgets,
    watch: (listener) => live.watch(listener),
    async history(equipment_id, signal, from_ms, to_ms) {
      const machine = standing.state.machines.get(equipment_id);
      if (machine === undefined) return { t: [], v: [] };
      const view = store.view(machine.project_id);
      const unstored = () => [...standing.fold.changes.segments, ...writer.segments()];
      return readHistory(view, machine, unstored, signal, from_ms, to_ms);
    },
    connected(identity, address) {
      const since_ms = clock();
      sessions.opened(identity, address, since_ms);
      addNote(() => standing.fold.session(standing.fold.deviceOf(identity), true, address, since_ms));
    },
    disconnected(identity) {
      sessions.closed(identity);
      const now = clock();
      addNote(() => standing.fold.session(standing.fold.deviceOf(identity), false, null, now));
    },
    refused(source, reason, of) {
      const now = clock();
      sources.refused(source, reason, isIP(source) !== 0, now);
      if (of !== undefined) refusedMessages.note(of, now);
    },
    loginRefused(device_id, address, reason) {
      const now = clock();
      sources.refused(address, reason, true, now);
      const device = settings.named(device_id);
      if (device === undefined) return;
      refusedLogins.note(device, address, reason, now);
      sources.refused(device_id, `login from ${address}: ${reason}`, false, now);
    },
    refusedLogin: (device) => refusedLogins.last(device),
    trail(id) {
      const device = standing.state.devices.get(id);
      return {
        topics: { ...device?.last.topics },
        usable_ms: device?.last.usable_ms ?? null,
        unusable: device?.last.unusable ?? null,
        refused_login: refusedLogins.last(id) ?? null,
        ...refusedMessages.of(id),
        unknown_frames: device?.decoder.counters.unknown ?? 0,
      };
    },
    async health() {
      const { bytes, segments, messages, last_sync_ms } = journal.stats();
      const nameOf = (id: string) => standing.state.devices.get(id)?.identity.device_id ?? null;
      const unfolded = Math.max(0, messages - groups.folded);
      return {
        journal: {
          bytes,
          segments,
          unfolded_messages: unfolded,
          uncommitted_messages: unfolded + groups.taken - commits.stored,
          last_sync_ms,
        },
        sources: sources.list(),
        writers: budgets.list(clock(), nameOf),
        over: budgets.problems(clock(), nameOf),
        problems: problemsOf(standing.state, commits.failingSince, fatal !== undefined),
        gaps: gapsShown(standing.state),
      };
    },
    stats: () => ({
      journal: journal.stats(),
      set_aside: [...standing.state.setAside],
      set_aside_total: standing.state.setAsideTotal,
      refused: [...standing.state.refused],
      refused_total: standing.state.refusedTotal,
      rounds,
      storing: commits.running !== undefined,
    }),
    async [Symbol.asyncDispose]() {
      stopTicking();
      await running;
      if (fatal === undefined) await journal.flush().catch(() => {});
      await tick();
      await commits.running;
      await commits.commit(true);
      settings.stop();
      credentials.stop();
      await journal[Symbol.asyncDispose]();
    },
  };
}
