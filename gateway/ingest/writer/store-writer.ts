/**
 * Writes the results of the fold (the code that applies messages) to the store. The outbox has the results that no commit has stored yet.
 * One commit has the events, segments (documents with samples), runs and live documents (current states), and the snapshot of the fold with
 * its position in the journal. The writer takes the outbox and the snapshot in the same turn of the event loop, so that the snapshot
 * includes exactly the messages whose results are in the commit. The store applies the commit completely or not at all.
 */

import type { ProjectWrite } from '#contract/base/view.ts';
import { WriteConflict } from '#contract/base/view.ts';
import type { NewSegment } from '#domain/history/samples.ts';
import { type Changes, createChanges, type EventMade, type FoldState, type Refused } from '#ingest/fold/fold-state.ts';
import type { Ids } from '#ingest/fold/ids.ts';
import type { Store } from '#store/open-store.ts';
import { commitBisecting, isTransient } from './commit-bisection.ts';
import { INVENTORY_EVERY_MS, INVENTORY_ID, packInventory, type SavedInventory } from './inventory-store.ts';
import { LiveDocuments } from './live-documents.ts';
import type { LivePace } from './live-pace.ts';
import { newSamples } from './new-samples.ts';
import { type RunCount, RunCounts } from './run-counts.ts';
import { packSnapshot, type Saved, SNAPSHOT_ID } from './saved-snapshot.ts';
import { eventWrite, localWrite, runWrites } from './store-documents.ts';

const PROBE_ID = 'ingest_probe';
/** After this many refusals in a row the writer searches for the documents that the store does not accept. */
const ATTEMPTS = 3;
/**
 * The limit of documents in one commit of the writer; the store accepts 1,000. A larger outbox is committed in parts, and the last part has
 * the snapshot. After a crash between two parts, the writer writes the first parts again. Their documents have the same ids as before, so
 * the store keeps each of them once.
 */
const MAX_WRITES = 900;

/** The part of the store that ingest uses. */
export type IngestStore = Pick<Store, 'nodeId' | 'node' | 'view' | 'commit' | 'find' | 'changes'>;

/** The outbox of the fold, and the commits that empty it. */
export interface StoreWriter {
  /** Adds the changes of the fold to the outbox. */
  add(changes: Changes): void;
  /** Returns the segments that may not be in the store yet. */
  segments(): readonly NewSegment[];
  /** Returns the segments that the commit in progress stores; none if no commit is in progress. */
  sendingSegments(): readonly NewSegment[];
  /** Returns the number of documents that wait for the next commit. */
  waiting(): number;
  /** True if the outbox contains something that must be committed at once, such as an event. */
  readonly urgent: boolean;
  readonly dirty: boolean;
  /** The last bus inventory (the control units and messages on each CAN bus) that is in the store. */
  readonly inventory: SavedInventory | undefined;
  /** Commits the outbox and the snapshot. If the store fails, it rejects, and the outbox stays. `all` writes every live document. */
  commit(state: FoldState, tail: number, mono: number, all: boolean): Promise<Saved>;
  /** Writes events at once, without the snapshot. An event that the store already has is not changed. */
  writeEvents(events: readonly EventMade[]): Promise<void>;
  /** Puts the live documents (current states) of all machines and devices into the outbox. */
  mirror(state: FoldState): void;
  /** Empties the outbox. The caller must then replay the journal, which creates the same results again. */
  reset(): void;
  /** Returns how many samples of a run (one decoding of a file) were committed since this process began. */
  counted(run: string): RunCount;
}

/** The changed counts of the storage budgets that no commit has stored yet. */
export interface UnsavedCounts {
  /** Returns the writes, and removes them from this object. */
  take(): ProjectWrite[];
  /** Adds the writes of a failed commit again. */
  unsaved(writes: readonly ProjectWrite[]): void;
}

/** The parts that the writer uses. */
export interface StoreWriterOptions {
  readonly store: IngestStore;
  readonly ids: Ids;
  /** The bus inventory that is in the store. */
  readonly inventory: SavedInventory | undefined;
  /** Called for each document that the store refuses. */
  readonly refused: (document: Omit<Refused, 'at_ms'>) => void;
  /** Yields to the event loop, so that other work can run. */
  readonly yieldLoop: () => Promise<void>;
  /** The storage budgets; each commit includes their unsaved counts. */
  readonly budgets: UnsavedCounts;
  readonly pace: Pick<LivePace, 'liveMs'>;
}

const SETS = ['equipment', 'devices', 'urgentEquipment', 'urgentDevices'] as const;
const LISTS = ['events', 'segments', 'runs'] as const;

/** Appends the content of `from` to `into`. */
function merge(into: Changes, from: Changes): void {
  for (const key of SETS) for (const id of from[key]) into[key].add(id);
  for (const key of LISTS) (into[key] as unknown[]).push(...from[key]);
}

/** Creates a writer with an empty outbox. */
export function createStoreWriter(options: StoreWriterOptions): StoreWriter {
  return new OutboxWriter(options);
}

class OutboxWriter implements StoreWriter {
  inventory: SavedInventory | undefined;
  private inventoryAt = Number.NEGATIVE_INFINITY;
  private outbox = createChanges();
  /** The documents of the running commit; empty if no commit is running. */
  private sending = createChanges();
  private touched = false;
  /** The number of commits in a row that the store refused because of their content. */
  private failures = 0;
  private readonly live = new LiveDocuments();
  private readonly counts = new RunCounts();
  /** The ids of segments that were not committed yet. A repeated commit uses the same ids, so that it writes the same documents. */
  private readonly segmentIds = new WeakMap<NewSegment, Map<string, string>>();
  private readonly options: StoreWriterOptions;

  constructor(options: StoreWriterOptions) {
    this.options = options;
    this.inventory = options.inventory;
  }

  add(changes: Changes): void {
    merge(this.outbox, changes);
    if (changes.devices.size > 0 || changes.equipment.size > 0) this.touched = true;
  }

  segments(): readonly NewSegment[] {
    return [...this.sending.segments, ...this.outbox.segments];
  }

  waiting(): number {
    const { events, segments, runs } = this.outbox;
    return events.length + segments.length + runs.length;
  }

  get urgent(): boolean {
    const { events, runs, urgentDevices, urgentEquipment } = this.outbox;
    return events.length + runs.length + urgentDevices.size + urgentEquipment.size > 0;
  }

  get dirty(): boolean {
    return this.touched || this.urgent || this.outbox.segments.length > 0;
  }

  async commit(state: FoldState, tail: number, mono: number, all: boolean): Promise<Saved> {
    const { budgets } = this.options;
    // Do not await between packing the snapshot and taking the outbox: the snapshot must include exactly the messages whose results are
    // committed.
    const saved = packSnapshot(state, tail);
    const inventory = all || mono - this.inventoryAt >= INVENTORY_EVERY_MS ? packInventory(state) : undefined;
    const sent = this.outbox;
    this.sending = sent;
    this.outbox = createChanges();
    this.touched = false;
    const { equipment, devices } = this.selectLive(state, sent, mono, all);
    const spent = budgets.take();
    const writes = [...sent.runs.flatMap(runWrites), ...this.live.writes(state, equipment, devices, mono)];
    try {
      await this.write({ sent, writes, spent, inventory, saved }, mono);
    } catch (error) {
      if (!isTransient(error)) this.failures++;
      budgets.unsaved(spent);
      this.takeBack(sent);
      throw error;
    }
    this.sending = createChanges();
    this.live.noteWritten([...equipment, ...devices], mono);
    return saved;
  }

  async writeEvents(events: readonly EventMade[]): Promise<void> {
    const writes = (await this.newEvents(events)).map(eventWrite);
    while (writes.length > 0) await this.commitSkippingKnown(writes.splice(0, MAX_WRITES));
  }

  mirror(state: FoldState): void {
    for (const id of state.machines.keys()) this.outbox.equipment.add(id);
    for (const id of state.devices.keys()) this.outbox.devices.add(id);
    this.touched = true;
  }

  reset(): void {
    this.outbox = createChanges();
  }

  counted(run: string): RunCount {
    return this.counts.of(run);
  }

  /** Selects the live documents for this commit, and puts the others back into the outbox. */
  private selectLive(
    state: FoldState,
    sent: Changes,
    mono: number,
    all: boolean,
  ): { equipment: string[]; devices: string[] } {
    const { outbox, live } = this;
    const { pace } = this.options;
    const machines = { changed: sent.equipment, urgent: sent.urgentEquipment };
    const devices = { changed: sent.devices, urgent: sent.urgentDevices };
    return {
      equipment: live.select(machines, mono, all, {
        liveMs: (id) => pace.liveMs(state.machines.get(id)?.project_id, mono),
        postpone: (id) => outbox.equipment.add(id),
      }),
      devices: live.select(devices, mono, all, {
        liveMs: (id) => pace.liveMs(state.devices.get(id)?.identity.project_id, mono),
        postpone: (id) => outbox.devices.add(id),
      }),
    };
  }

  /** Writes all documents of a commit; the snapshot is in the last part. */
  private async write(
    of: {
      readonly sent: Changes;
      readonly writes: ProjectWrite[];
      readonly spent: readonly ProjectWrite[];
      readonly inventory: SavedInventory | undefined;
      readonly saved: Saved;
    },
    mono: number,
  ): Promise<void> {
    const { store, yieldLoop } = this.options;
    const { sent, writes, spent, inventory, saved } = of;
    const samples = await newSamples(store, sent.segments, (...key) => this.segmentId(...key), yieldLoop);
    writes.unshift(...samples.writes);
    writes.push(...(await this.newEvents(sent.events)).map(eventWrite), ...spent);
    while (writes.length >= MAX_WRITES) await this.commitPart(writes.splice(0, MAX_WRITES), mono);
    if (this.failures >= ATTEMPTS) await this.commitPart(writes.splice(0), mono);
    if (inventory !== undefined) writes.push(localWrite(INVENTORY_ID, 'ingest_census', inventory));
    await this.commitSkippingKnown([...writes, localWrite(SNAPSHOT_ID, 'ingest_snapshot', saved)]);
    this.failures = 0;
    if (inventory !== undefined) {
      this.inventory = inventory;
      this.inventoryAt = mono;
    }
    for (const one of samples.runs) this.counts.add(one);
  }

  /** Puts the content of a failed commit back into the outbox, before the newer changes. */
  private takeBack(sent: Changes): void {
    const later = this.outbox;
    this.outbox = sent;
    merge(this.outbox, later);
    this.sending = createChanges();
    this.touched = true;
  }

  sendingSegments(): readonly NewSegment[] {
    return this.sending.segments;
  }

  private segmentId(segment: NewSegment, part: string, from_ms: number): string {
    const known = this.segmentIds.get(segment) ?? new Map<string, string>();
    this.segmentIds.set(segment, known);
    const id = known.get(part) ?? this.options.ids.random('segment', from_ms);
    known.set(part, id);
    return id;
  }

  /**
   * Returns the events that the store does not have. If the id of an event comes from its sender, the event may be in the store already, or
   * twice in the list.
   */
  private async newEvents(events: readonly EventMade[]): Promise<EventMade[]> {
    const seen = new Set<string>();
    for (const project of new Set(events.filter((event) => event.once).map((event) => event.project_id))) {
      const wanted = events.filter((event) => event.once && event.project_id === project).map((event) => event.id);
      for (const { id } of await this.options.store.view(project).getMany('events', wanted)) seen.add(id);
    }
    return events.filter(({ id }) => !seen.has(id) && seen.add(id));
  }

  /**
   * Commits the writes. Leaves out each event that the store already has: an earlier commit stored it, but the process ended before it
   * knew that the commit succeeded.
   */
  private async commitSkippingKnown(writes: ProjectWrite[]): Promise<void> {
    let rest = writes;
    for (;;) {
      try {
        await this.options.store.commit(rest);
        return;
      } catch (error) {
        if (!(error instanceof WriteConflict) || error.collection !== 'events') throw error;
        const { id } = error;
        rest = rest.filter((write) => write.id !== id);
      }
    }
  }

  /** Commits a part before the snapshot. After `ATTEMPTS` refusals in a row it leaves out the documents that the store refuses. */
  private async commitPart(writes: ProjectWrite[], mono: number): Promise<void> {
    if (writes.length === 0) return;
    const commit = (some: ProjectWrite[]) => this.commitSkippingKnown(some);
    if (this.failures < ATTEMPTS) return commit(writes);
    const probe = localWrite(PROBE_ID, 'ingest_probe', { mono });
    await commitBisecting(commit, writes, probe, ({ collection, object, id, project_id }, error) => {
      this.touched = true;
      if (collection === 'live') this.live.noteRefused(id, mono);
      this.options.refused({ collection, object, id, project_id, error: error.message });
    });
  }
}
