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
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NODE_PROJECT } from '#contract/base/view.ts';
import { readHistory } from '#history/history.ts';
import { createFold } from '#ingest/fold/fold.ts';
import { createState, type FoldState, noteRefused, restoreState } from '#ingest/fold/fold-state.ts';
import { noteGap } from '#ingest/fold/gaps.ts';
import { createIds } from '#ingest/fold/ids.ts';
import { createSources } from '#ingest/fold/sources.ts';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { type Journal, openJournal } from '#ingest/journal/journal.ts';
import { segmentOf } from '#ingest/journal/position.ts';
import { nodeTimers } from '#ingest/journal/timers.ts';
import { createWaitingGroups } from '#ingest/journal/waiting-groups.ts';
import { openBudgets } from './budgets.ts';
import { createCommits } from './commits.ts';
import type { CurrentFold } from './current-fold.ts';
import { followCredentials } from './device-credentials.ts';
import { followSettings } from './device-settings.ts';
import { createFoldGroups } from './fold-groups.ts';
import { createFoldLoop } from './fold-loop.ts';
import { storesSamples, takesMeasurements } from './headroom.ts';
import { gapsShown, problemsOf } from './ingest-health.ts';
import type { Ingest, IngestOptions } from './ingest-types.ts';
import { restoreInventory } from './inventory-store.ts';
import { createLiveState } from './live-state.ts';
import { createLoadShedding } from './load-shedding.ts';
import { createQueuedActions } from './queued-actions.ts';
import { createRawRing } from './raw-ring.ts';
import { recentFrames } from './recent-frames.ts';
import { createRefusedLogins } from './refused-logins.ts';
import { createRefusedMessages } from './refused-messages.ts';
import { createSessions } from './sessions.ts';
import { createStoreWriter, readInventory, readSaved, type Saved, unpackSnapshot } from './store-writer.ts';
import { createTick } from './tick.ts';

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
  const actions = createQueuedActions();
  const waiting = createWaitingGroups(options.queueBytes);
  const budgets = await openBudgets({ store, clock });
  let fatal: Error | undefined;

  function standingOver(state: FoldState): CurrentFold {
    const fold = createFold({
      state,
      ids,
      sources,
      decodeCan,
      intervalOf: (device) => settings.intervalOf(device),
      conversionOf: (device) => settings.conversionOf(device),
      dbcOf: (device) => settings.dbcOf(device),
      storesSamples: () => storesSamples(shedding.headroom),
      budgets,
    });
    return { state, fold };
  }
  const current = standingOver(createState(0));
  const shedding = createLoadShedding({ current, ids, clock, budgets });

  const writer = createStoreWriter(
    store,
    ids,
    await readInventory(store),
    (document) => {
      if (!noteRefused(current.state, { ...document, at_ms: clock() })) return;
      log('error', 'a document was set aside: the store does not take it', document);
    },
    () => new Promise<void>((done) => timers.soon(done)),
    budgets,
  );
  const saved = await readSaved(store);

  const settings = await followSettings(store, current, (...said) => budgets.settle(...said));

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
  const groups = createFoldGroups({ actions, sources, firstSegment: segmentOf(journal.next), log });
  const live = createLiveState({ current, writer, devicesOf: settings.devicesOf, monotonic });
  const everyMs = options.commitMs ?? COMMIT_MS;
  const commits = createCommits({ saved, current, writer, groups, live, everyMs, clock, monotonic, log });

  /** Does something at the place where the journal stands now, between the messages before and behind. */
  const addNote = (apply: () => void): void => actions.add(journal.next, apply);

  const credentials = await followCredentials(store, (device, revoked_ms) => {
    addNote(() => {
      const known = current.state.devices.get(device);
      if (known !== undefined) current.fold.credential(known, revoked_ms !== null, revoked_ms ?? clock());
    });
  });

  /** What was revoked before the process ended, and not heard since. */
  function applyRevokes(): void {
    for (const [device, at] of credentials.revoked) {
      const known = current.state.devices.get(device);
      if (known === undefined || known.connectivity.status === 'unassigned') continue;
      if ((known.connectivity.seen_ms ?? 0) <= at) current.fold.credential(known, true, at);
    }
  }

  /** The state of a commit, with what people say of devices and which of them are connected now. */
  function begin(from: Saved | undefined): void {
    const mono = monotonic();
    const { state, fold } = standingOver(
      from === undefined ? createState(0) : restoreState(unpackSnapshot(from), mono),
    );
    Object.assign(current, { state, fold });
    restoreInventory(state, writer.inventory);
    fold.setTime(mono);
    live.forget();
    groups.begin(state, fold);
    settings.apply(state);
    sessions.each((identity, address, since_ms) => {
      fold.session(fold.deviceOf(identity), true, address, since_ms);
    });
  }

  const loop = createFoldLoop({
    current,
    waiting,
    groups,
    actions,
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
    state: () => current.state,
    headroom: () => shedding.headroom,
    tail: () => commits.saved?.tail ?? 0,
    async commit() {
      await commits.running;
      await commits.commit(false);
    },
  });

  const tick = createTick({
    current,
    loop,
    actions,
    journal,
    live,
    commits,
    shedding,
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
      const taken = shedding.refuse(message) ?? journal.append(message);
      if (via !== undefined && current.state.devices.get(device)?.transport !== via)
        addNote(() => current.fold.reached(device, via));
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
    setHeadroom(to) {
      shedding.headroom = to;
      budgets.setHeadroom(to);
      journal.useSmallSegments(to.disk !== 'ok');
    },
    get accepting() {
      return takesMeasurements(shedding.headroom) && journal.stats().refusing === null;
    },
    rawRemoved({ from_ms, to_ms, segments: count, bytes }) {
      const gap = { what: 'raw', id: store.nodeId, project_id: NODE_PROJECT, count, bytes } as const;
      noteGap(current.state.gaps, { ...gap, from_ms, to_ms });
    },
    get tail() {
      return segmentOf(commits.saved?.tail ?? 0);
    },
    live: live.reader,
    budgets,
    watch: (listener) => live.watch(listener),
    async history(equipment_id, signal, from_ms, to_ms) {
      const machine = current.state.machines.get(equipment_id);
      if (machine === undefined) return { t: [], v: [] };
      const source = {
        view: store.view(machine.project_id),
        equipment_id,
        openSamples: (name: SignalName) => machine.samples.one(SIGNAL_NAMES.indexOf(name)),
        unstoredSegments: () => [...current.fold.changes.segments, ...writer.segments()],
      };
      return readHistory(source, signal, from_ms, to_ms);
    },
    connected(identity, address) {
      const since_ms = clock();
      sessions.opened(identity, address, since_ms);
      addNote(() => current.fold.session(current.fold.deviceOf(identity), true, address, since_ms));
    },
    disconnected(identity) {
      sessions.closed(identity);
      const now = clock();
      addNote(() => current.fold.session(current.fold.deviceOf(identity), false, null, now));
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
    requestRefused({ named, address, path, reason }) {
      const now = clock();
      const found = settings.find(named);
      const sender = typeof reason === 'object' ? reason.sender : undefined;
      if (sender !== undefined) refusedMessages.note({ device: sender, what: 'place', place: path }, now);
      // A device that writes its own device_id into the address has the right key.
      if (found === undefined || found.device === sender) return;
      const fault = typeof reason === 'object' ? 'wrong_key' : reason;
      refusedMessages.note({ device: found.device, what: 'request', address, reason: fault }, now);
      const why = fault === 'no_key' ? 'no key' : 'wrong key';
      sources.refused(found.device_id, `request from ${address}: ${why}`, false, now);
    },
    refusedLogin: (device) => refusedLogins.last(device),
    trail(id) {
      const device = current.state.devices.get(id);
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
      const nameOf = (id: string) => current.state.devices.get(id)?.identity.device_id ?? null;
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
        problems: problemsOf(current.state, commits.failingSince, fatal !== undefined),
        gaps: gapsShown(current.state),
      };
    },
    stats: () => ({
      journal: journal.stats(),
      set_aside: [...current.state.setAside],
      set_aside_total: current.state.setAsideTotal,
      refused: [...current.state.refused],
      refused_total: current.state.refusedTotal,
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
