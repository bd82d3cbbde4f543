/**
 * Ingest: accepts the messages of devices, writes them to the journal, and computes from them the values of machines (facts), the live
 * state, events and samples. The fold is the code that applies one message to the state.
 *
 *   accept -> journal -> [waiting groups] -> fold, every tick -> watchers
 *                                              every 10 s, at once for an event -> one commit with the position in the journal
 *
 * Invariants: the fold applies each accepted message once, in journal order. A commit covers exactly the messages that were folded. The
 * state in memory can be restored from the last commit and the later messages of the journal.
 */
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NODE_PROJECT } from '#contract/base/view.ts';
import type { LineageQuery, TelemetryQuery, TelemetryRead } from '#contract/context.ts';
import type { DeviceIdentity, DeviceTrail, IngestMessage, Refusal, RefusedRequest } from '#contract/fleet/ingest.ts';
import type { NewSegment } from '#domain/history/samples.ts';
import type { WatchedReader } from '#domain/watch/machine-watch.ts';
import { type History, type HistorySource, readHistory } from '#history/history.ts';
import { createReadQueue } from '#history/read-queue.ts';
import { readTelemetry } from '#history/read-telemetry.ts';
import { createRunStates, type RunStates, type UnstoredSamples } from '#history/run-states.ts';
import { totalsOf } from '#ingest/fold/fold-meter.ts';
import { noteGap } from '#ingest/fold/gaps.ts';
import { refOf, segmentOf } from '#ingest/journal/position.ts';
import { KnownLogs } from '#ingest/lineage/known-logs.ts';
import { type LineageAnswer, readLineage } from '#ingest/lineage/lineage.ts';
import type { LineageSources } from '#ingest/lineage/lineage-types.ts';
import type { Changed } from '#ingest/live/live-state.ts';
import type { RunCount } from '#ingest/writer/run-counts.ts';
import type { Budgets } from './budgets.ts';
import { type Headroom, takesMeasurements } from './headroom.ts';
import { gapsShown, problemsOf } from './ingest-health.ts';
import { type IngestParts, openParts } from './ingest-parts.ts';
import type { Ingest, IngestOptions } from './ingest-types.ts';
import { createMeters } from './meters.ts';
import { type RawWindow, readRawWindow } from './raw-window.ts';
import { recentFrames } from './recent-frames.ts';
import { Refusals } from './refusals.ts';
import type { RefusedLogin } from './refused-logins.ts';

const TICK_MS = 200;

/** Opens the journal, restores the state, and starts the ticks (the periodic work, five times a second). */
export async function startIngest(options: IngestOptions): Promise<Ingest> {
  const parts = await openParts(options);
  await parts.loop.load();
  return new RunningIngest(parts, options.tickMs ?? TICK_MS, options.onFatal);
}

/** A running ingest; its ticks end when it is disposed. */
class RunningIngest implements Ingest {
  private readonly parts: IngestParts;
  private readonly tickMs: number;
  private readonly refusals: Refusals;
  private readonly stopTicking: () => void;
  /** The current tick; undefined between two ticks. */
  private running: Promise<void> | undefined;
  /**
   * Projects in which every segment (a stored document with samples) has statistics. Earlier builds wrote segments without statistics; a
   * background job adds them.
   */
  private readonly converted = new Set<string>();
  private readonly reads = createReadQueue();
  private readonly logs = new KnownLogs();
  readonly runStates: RunStates;
  private rounds = 0;

  constructor(parts: IngestParts, tickMs: number, onFatal: ((error: Error) => void) | undefined) {
    const { tick, timers, log } = parts;
    this.parts = parts;
    this.tickMs = tickMs;
    this.refusals = new Refusals(parts);
    this.runStates = createRunStates({ store: parts.store, unstored: (...of) => this.unstoredOf(...of) });
    this.stopTicking = timers.every(tickMs, () => {
      this.running ??= tick()
        .catch((error: Error) => {
          log('error', 'a tick of ingest failed', { error: error.message });
          onFatal?.(error);
        })
        .finally(() => {
          this.running = undefined;
          this.rounds++;
        });
    });
  }

  accept(message: IngestMessage): Promise<void> {
    const { shedding, journal, current } = this.parts;
    const { device, via } = message;
    const taken = shedding.refuse(message) ?? journal.append(message);
    if (via !== undefined && current.state.devices.get(device)?.transport !== via)
      this.queueAction(() => current.fold.reached(device, via));
    return taken;
  }

  get meters(): Ingest['meters'] {
    const { parts, tickMs } = this;
    return createMeters(parts, tickMs, (message) => this.accept(message));
  }

  get live(): Ingest['live'] {
    return this.parts.live.reader;
  }

  get watched(): WatchedReader {
    return this.parts.live.watched;
  }

  watch(listener: (changed: Changed) => void): () => void {
    return this.parts.live.watch(listener);
  }

  writeLive(live: ReadonlyMap<string, number>): void {
    const { pace, monotonic } = this.parts;
    pace.watch(live, monotonic());
  }

  async history(equipment_id: string, signal: SignalName, from_ms: number, to_ms: number): Promise<History> {
    const project = this.parts.current.state.machines.get(equipment_id)?.project_id;
    if (project === undefined) return { t: [], v: [] };
    return readHistory(this.samplesOf(project, equipment_id), signal, from_ms, to_ms);
  }

  async totals(equipment_id: string, signal: SignalName, from_ms: number, to_ms: number): Promise<History> {
    const readings = await this.history(equipment_id, signal, from_ms, to_ms);
    const machine = this.parts.current.state.machines.get(equipment_id);
    return machine === undefined ? readings : totalsOf(machine, signal, readings);
  }

  readTelemetry(query: TelemetryQuery): Promise<TelemetryRead> {
    return this.reads(() => readTelemetry(this.samplesOf(query.project_id, query.equipment_id), query));
  }

  lineage(query: LineageQuery, openLog: LineageSources['openLog']): Promise<LineageAnswer | undefined> {
    const { current, live, store, journal, decodeCan, settings } = this.parts;
    const sources: LineageSources = {
      view: store.view(query.project_id),
      journal,
      decodeCan,
      openLog,
      logs: this.logs,
      memory: (equipment_id) => this.unstored(equipment_id),
      decodersOf: (device) => {
        const state = current.state.devices.get(device);
        const channels = settings.gnssOf(device);
        return { dbc: state?.dbc.map(({ file }) => file) ?? [], channels };
      },
      dbcOf: (equipment_id, ref) => {
        const values = equipment_id === null ? undefined : live.reader.equipment(equipment_id)?.values;
        return Object.values(values ?? {}).find((one) => one.ref === ref && one.dbc !== undefined)?.dbc ?? null;
      },
    };
    return this.reads(() => readLineage(sources, query));
  }

  /** Returns the samples of a machine that are not stored yet, as segments. */
  private unstored(equipment_id: string): readonly Pick<NewSegment, 'series' | 'origins' | 'raw'>[] {
    const { current, writer } = this.parts;
    const { samples } = current.state.machines.get(equipment_id) ?? {};
    const segments = [...current.fold.changes.segments, ...writer.segments()];
    const own = segments.filter((one) => one.equipment_id === equipment_id);
    if (samples === undefined || samples.count === 0) return own;
    const raw = [refOf(samples.from), refOf(current.state.position)] as const;
    return [{ series: samples.series(), origins: samples.origins, raw }, ...own];
  }

  /** Returns the samples of a machine that are not stored yet, the oldest first. Samples in memory only of these signals. */
  private unstoredOf(equipment_id: string, signals: readonly SignalName[]): readonly UnstoredSamples[] {
    const { current, writer } = this.parts;
    const { samples } = current.state.machines.get(equipment_id) ?? {};
    const segments = [...writer.segments(), ...current.fold.changes.segments];
    const own: UnstoredSamples[] = segments.filter((one) => one.equipment_id === equipment_id);
    if (samples === undefined || samples.count === 0) return own;
    const series = signals.map((signal) => ({ signal, ...samples.one(SIGNAL_NAMES.indexOf(signal)) }));
    return [...own, { series, origins: samples.origins }];
  }

  private samplesOf(project_id: string, equipment_id: string): HistorySource {
    const { current, store, writer } = this.parts;
    const machine = current.state.machines.get(equipment_id);
    const openVersion = () => machine?.samples.from ?? 0;
    return {
      view: store.view(project_id),
      equipment_id,
      openSamples: (name) => machine?.samples.one(SIGNAL_NAMES.indexOf(name)) ?? { t: [], v: [] },
      unstoredSegments: () => [...current.fold.changes.segments, ...writer.segments()],
      openVersion,
      openMinutes: () => {
        const samples = machine?.samples;
        const minutes = samples?.minutes() ?? [];
        return { version: openVersion(), minutes, states: samples?.states() ?? [], origins: samples?.origins ?? [] };
      },
      converted: this.converted,
      isStoring: () => writer.sendingSegments().some((one) => one.equipment_id === equipment_id),
    };
  }

  connected(identity: DeviceIdentity, address: string): void {
    const { clock, sessions, current } = this.parts;
    const since_ms = clock();
    sessions.opened(identity, address, since_ms);
    this.queueAction(() => current.fold.session(current.fold.deviceOf(identity), true, address, since_ms));
  }

  disconnected(identity: DeviceIdentity): void {
    const { clock, sessions, current } = this.parts;
    sessions.closed(identity);
    const now = clock();
    this.queueAction(() => current.fold.session(current.fold.deviceOf(identity), false, null, now));
  }

  refused(source: string, reason: string, of?: Refusal): void {
    this.refusals.refused(source, reason, of);
  }

  loginRefused(device_id: string, address: string, reason: string): void {
    this.refusals.loginRefused(device_id, address, reason);
  }

  requestRefused(request: RefusedRequest): void {
    this.refusals.requestRefused(request);
  }

  refusedLogin(device: string): RefusedLogin | undefined {
    return this.refusals.lastLogin(device);
  }

  trail(id: string): DeviceTrail {
    const device = this.parts.current.state.devices.get(id);
    return {
      topics: { ...device?.last.topics },
      usable_ms: device?.last.usable_ms ?? null,
      unusable: device?.last.unusable ?? null,
      ...this.refusals.of(id),
      unknown_frames: device?.decoder.counters.unknown ?? 0,
    };
  }

  async health(): ReturnType<Ingest['health']> {
    const { journal, current, groups, commits, sources, budgets, failure, clock } = this.parts;
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
      problems: problemsOf(current.state, commits.failingSince, failure.error !== undefined),
      gaps: gapsShown(current.state),
    };
  }

  async settled(): Promise<void> {
    const { journal, commits, groups, timers, monotonic, failure } = this.parts;
    for (const wanted = journal.stats().messages; commits.settled < wanted; ) {
      if (failure.error !== undefined) throw failure.error;
      if (groups.folded >= wanted && commits.mayTry(monotonic())) await commits.commit(false);
      else await new Promise<void>((done) => timers.after(this.tickMs, done));
    }
  }

  counted(run: string): RunCount {
    return this.parts.writer.counted(run);
  }

  recent(device: string, since_ms: number): ReturnType<Ingest['recent']> {
    const { journal, decodeCan } = this.parts;
    return recentFrames(journal, decodeCan, device, since_ms);
  }

  window(window: RawWindow): ReturnType<Ingest['window']> {
    const { journal, decodeCan } = this.parts;
    return readRawWindow(journal, decodeCan, window);
  }

  setHeadroom(headroom: Headroom): void {
    const { shedding, budgets, journal } = this.parts;
    shedding.headroom = headroom;
    budgets.setHeadroom(headroom);
    journal.useSmallSegments(headroom.disk !== 'ok');
  }

  get accepting(): boolean {
    const { shedding, journal } = this.parts;
    return takesMeasurements(shedding.headroom) && journal.stats().refusing === null;
  }

  rawRemoved({ from_ms, to_ms, segments: count, bytes }: Parameters<Ingest['rawRemoved']>[0]): void {
    const { current, store } = this.parts;
    const gap = { what: 'raw', id: store.nodeId, project_id: NODE_PROJECT, count, bytes } as const;
    noteGap(current.state.gaps, { ...gap, from_ms, to_ms });
  }

  get tail(): number {
    return segmentOf(this.parts.commits.saved?.tail ?? 0);
  }

  get budgets(): Budgets {
    return this.parts.budgets;
  }

  stats(): ReturnType<Ingest['stats']> {
    const { journal, commits } = this.parts;
    const { setAside, setAsideTotal, refused, refusedTotal } = this.parts.current.state;
    return {
      journal: journal.stats(),
      set_aside: [...setAside],
      set_aside_total: setAsideTotal,
      refused: [...refused],
      refused_total: refusedTotal,
      rounds: this.rounds,
      storing: commits.running !== undefined,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { journal, tick, commits, settings, plans, credentials, intervals, failure } = this.parts;
    this.stopTicking();
    this.runStates[Symbol.dispose]();
    await this.running;
    if (failure.error === undefined) await journal.flush().catch(() => {});
    await tick();
    await commits.running;
    await commits.commit(true);
    settings.stop();
    plans.stop();
    credentials.stop();
    intervals.stop();
    await journal[Symbol.asyncDispose]();
  }

  /** Runs an action when the fold has applied all messages that are in the journal now, and before it applies later messages. */
  private queueAction(apply: () => void): void {
    const { actions, journal } = this.parts;
    actions.add(journal.next, apply);
  }
}
