/**
 * From the fold to the store: ONE commit of events, segments, runs, live documents and the snapshot with its place in the journal.
 * What is in the outbox when a commit begins is covered by the snapshot taken in the same turn: both land, or neither.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ProjectWrite } from '#contract/base/view.ts';
import { NODE_PROJECT, WriteConflict } from '#contract/base/view.ts';
import { equipmentLive } from '#domain/machine/machine.ts';
import type { NewSegment } from '#domain/machine/sample-segments.ts';
import { createLiveRun } from '#domain/runs/run.ts';
import { deviceLive } from '#ingest/fold/device-state.ts';
import {
  type Changes,
  createChanges,
  type EventMade,
  type FoldState,
  type Refused,
  type RunMade,
  type Snapshot,
  snapshotState,
} from '#ingest/fold/fold-state.ts';
import type { Ids } from '#ingest/fold/ids.ts';
import type { Store } from '#store/open-store.ts';
import type { Budgets } from './budgets.ts';
import { commitBisecting, isTransient } from './commit-bisection.ts';
import { INVENTORY_EVERY_MS, INVENTORY_ID, packInventory, type SavedInventory } from './inventory-store.ts';
import { newSamples } from './new-samples.ts';

const SNAPSHOT_ID = 'ingest_snapshot';
const PROBE_ID = 'ingest_probe';
/** Live documents mirror memory for lists and for the cloud: values alone are not result a page of flash every five seconds. */
const LIVE_EVERY_MS = 60_000;
const MAX_LIVE = 200;
/** So often is a commit tried as it is; then the documents that stop it are looked for. */
const ATTEMPTS = 3;
/** A live document that the store did not take is left out for so long. */
const REFUSED_MS = 600_000;
/** A commit of the store takes 1,000 documents; more goes ahead in parts, which a repeat does not harm. */
const MAX_WRITES = 900;

/** What ingest asks of the store. */
export type IngestStore = Pick<Store, 'nodeId' | 'node' | 'view' | 'commit' | 'find' | 'changes'>;

/** The last committed snapshot, packed, and where a restart begins to read: samples and repeats before the snapshot's own place. */
export interface Saved {
  readonly position: number;
  readonly tail: number;
  readonly packed: string;
}

/** The state in a saved snapshot. */
export function unpackSnapshot(saved: Saved): Snapshot {
  const snapshot = JSON.parse(zstdDecompressSync(Buffer.from(saved.packed, 'base64')).toString()) as Snapshot;
  if (snapshot.version !== 1)
    throw new Error(`the ingest snapshot has version ${snapshot.version}, this gateway knows 1`);
  return snapshot;
}

/** The last snapshot in the store; undefined in a new one. */
export async function readSaved(store: IngestStore): Promise<Saved | undefined> {
  return (await store.node.get<Saved>('local', SNAPSHOT_ID))?.data;
}

/** The last inventory in the store. */
export async function readInventory(store: IngestStore): Promise<SavedInventory | undefined> {
  return (await store.node.get<SavedInventory>('local', INVENTORY_ID))?.data;
}

function plain(value: object): Record<string, unknown> {
  return value as Record<string, unknown>;
}

function localWrite(id: string, object: string, data: Record<string, unknown>): ProjectWrite {
  return { collection: 'local', id, object, project_id: NODE_PROJECT, data };
}

function eventWrite({ project_id, id, data }: EventMade): ProjectWrite {
  return { collection: 'events', id, object: 'event', project_id, data: plain(data), expected: 0 };
}

/** The run that stands for live decoding of a device, readable as a task (R10). */
function runWrites({ device, task_id, run_id, decoder, started_ms }: RunMade): ProjectWrite[] {
  const { project_id } = device;
  const title = `Live decoding of ${device.device_id}`;
  const task = { kind: 'decode', title, latest_run_id: run_id, links: { device_id: device.device } };
  const at = new Date(started_ms).toISOString();
  const run = plain(createLiveRun(task_id, device.device, decoder, at));
  return [
    { collection: 'records', id: task_id, object: 'task', project_id, data: task, at },
    { collection: 'records', id: run_id, object: 'run', project_id, data: run, at },
  ];
}

/** Names an observation after the message that it came with. */
export function observationId(position: number): string {
  return `obs_${position.toString(36)}`;
}

export interface StoreWriter {
  /** Takes over what a fold made. */
  add(changes: Changes): void;
  /** Segments that may not be in the store yet. */
  segments(): readonly NewSegment[];
  /** Documents that wait for the next commit. */
  waiting(): number;
  /** True when something should be in the store at once. */
  readonly urgent: boolean;
  readonly dirty: boolean;
  /** The last one that is in the store. */
  readonly inventory: SavedInventory | undefined;
  /** Writes everything made so far, with the snapshot; rejects when the store did, and keeps it all. `all`: every live document. */
  commit(state: FoldState, tail: number, mono: number, all: boolean): Promise<Saved>;
  /** Writes events at once that no message made; those that are there already stay as they are. */
  writeEvents(events: readonly EventMade[]): Promise<void>;
  /** Has the live documents of everybody written with the next commits. */
  mirror(state: FoldState): void;
  /** Forgets what is not committed: it will be made again from the journal. */
  reset(): void;
  /** What a run that read a file brought into history since this process began. */
  counted(run: string): RunCount;
}

/** Samples that were new to history, and those that it had. */
export interface RunCount {
  readonly added: number;
  readonly known: number;
}

/** Runs of which samples are counted, the last. */
const MAX_COUNTS = 200;

const SETS = ['equipment', 'devices', 'urgentEquipment', 'urgentDevices'] as const;
const LISTS = ['events', 'segments', 'runs'] as const;

/** Adds what `from` holds behind what `into` holds. */
function merge(into: Changes, from: Changes): void {
  for (const key of SETS) for (const id of from[key]) into[key].add(id);
  for (const key of LISTS) (into[key] as unknown[]).push(...from[key]);
}

/** `lastInventory` is what the store has; `refused` hears of each document that the store does not take; `breathe` lets others run; what `budgets` counted goes along. */
export function createStoreWriter(
  store: IngestStore,
  ids: Ids,
  lastInventory: SavedInventory | undefined,
  refused: (document: Omit<Refused, 'at_ms'>) => void,
  breathe: () => Promise<void>,
  budgets: Pick<Budgets, 'take' | 'unsaved'>,
): StoreWriter {
  let inventory = lastInventory;
  let inventoryAt = Number.NEGATIVE_INFINITY;
  let outbox = createChanges();
  let sending = createChanges();
  let touched = false;
  /** Monotonic time of each live document's last write. */
  const written = new Map<string, number>();
  /** Commits in a row that were refused for what is in them. */
  let failures = 0;
  /** Monotonic time from which on a live document is tried again. */
  const leftOut = new Map<string, number>();
  /** A commit that is repeated writes the same segments. */
  const segmentIds = new WeakMap<NewSegment, Map<string, string>>();
  const counts = new Map<string, RunCount>();

  function segmentId(made: NewSegment, slot: string, from_ms: number): string {
    const known = segmentIds.get(made) ?? new Map<string, string>();
    segmentIds.set(made, known);
    const id = known.get(slot) ?? ids.random('segment', from_ms);
    known.set(slot, id);
    return id;
  }

  function count({ run, added, known }: { run: string } & RunCount): void {
    const before = counts.get(run) ?? { added: 0, known: 0 };
    counts.delete(run);
    counts.set(run, { added: before.added + added, known: before.known + known });
    if (counts.size > MAX_COUNTS) counts.delete(counts.keys().next().value as string);
  }

  /** Live documents to write now; the others stay in the outbox. */
  function due(changed: Set<string>, urgent: Set<string>, mono: number, all: boolean): string[] {
    const list = [...urgent];
    for (const id of changed) {
      if (urgent.has(id)) continue;
      const old = mono - (written.get(id) ?? Number.NEGATIVE_INFINITY) >= LIVE_EVERY_MS;
      if (all || (old && list.length < MAX_LIVE)) list.push(id);
      else outbox[changed === sending.equipment ? 'equipment' : 'devices'].add(id);
    }
    return list;
  }

  function liveWrites(state: FoldState, equipment: string[], devices: string[], mono: number): ProjectWrite[] {
    const writes: ProjectWrite[] = [];
    const waits = (id: string): boolean => (leftOut.get(id) ?? Number.NEGATIVE_INFINITY) > mono;
    for (const id of equipment) {
      const machine = state.machines.get(id);
      if (machine === undefined || waits(id)) continue;
      const data = plain(equipmentLive(machine.facts));
      writes.push({ collection: 'live', id, object: 'equipment', project_id: machine.project_id, data });
    }
    for (const id of devices) {
      const device = state.devices.get(id);
      if (device === undefined || waits(id)) continue;
      const data = plain(deviceLive(device, observationId, mono));
      writes.push({ collection: 'live', id, object: 'device', project_id: device.identity.project_id, data });
    }
    return writes;
  }

  /** Events that are not there yet: those named by their sender may be, here or in the store. */
  async function newEvents(events: readonly EventMade[]): Promise<EventMade[]> {
    const seen = new Set<string>();
    for (const project of new Set(events.filter((event) => event.once).map((event) => event.project_id))) {
      const wanted = events.filter((event) => event.once && event.project_id === project).map((event) => event.id);
      for (const { id } of await store.view(project).getMany('events', wanted)) seen.add(id);
    }
    return events.filter(({ id }) => !seen.has(id) && seen.add(id));
  }

  async function commitAll(writes: ProjectWrite[]): Promise<void> {
    let rest = writes;
    for (;;) {
      try {
        await store.commit(rest);
        return;
      } catch (error) {
        // An event that is there already was written by a commit that did not live to say so.
        if (!(error instanceof WriteConflict) || error.collection !== 'events') throw error;
        const { id } = error;
        rest = rest.filter((write) => write.id !== id);
      }
    }
  }

  /** A part of a commit that goes ahead of the snapshot; from the third failure on without what the store does not take. */
  async function commitPart(writes: ProjectWrite[], mono: number): Promise<void> {
    if (writes.length === 0) return;
    if (failures < ATTEMPTS) return commitAll(writes);
    const probe = localWrite(PROBE_ID, 'ingest_probe', { mono });
    await commitBisecting(commitAll, writes, probe, ({ collection, object, id, project_id }, error) => {
      touched = true;
      if (collection === 'live') leftOut.set(id, mono + REFUSED_MS);
      refused({ collection, object, id, project_id, error: error.message });
    });
  }

  return {
    add(changes) {
      merge(outbox, changes);
      if (changes.devices.size > 0 || changes.equipment.size > 0) touched = true;
    },
    segments: () => [...sending.segments, ...outbox.segments],
    waiting: () => outbox.events.length + outbox.segments.length + outbox.runs.length,
    get urgent() {
      return outbox.events.length + outbox.runs.length + outbox.urgentDevices.size + outbox.urgentEquipment.size > 0;
    },
    get inventory() {
      return inventory;
    },
    get dirty() {
      return touched || this.urgent || outbox.segments.length > 0;
    },
    async commit(state, tail, mono, all) {
      // In one turn: the snapshot, and everything that it covers.
      const packed = zstdCompressSync(Buffer.from(JSON.stringify(snapshotState(state)))).toString('base64');
      const saved: Saved = { position: state.position, tail, packed };
      const counted = all || mono - inventoryAt >= INVENTORY_EVERY_MS ? packInventory(state) : undefined;
      sending = outbox;
      outbox = createChanges();
      touched = false;
      const mine = sending;
      const equipment = due(mine.equipment, mine.urgentEquipment, mono, all);
      const devices = due(mine.devices, mine.urgentDevices, mono, all);
      const spent = budgets.take();
      const writes = [...mine.runs.flatMap(runWrites), ...liveWrites(state, equipment, devices, mono)];
      try {
        const segments = await newSamples(store, mine.segments, segmentId, breathe);
        writes.unshift(...segments.writes);
        writes.push(...(await newEvents(mine.events)).map(eventWrite), ...spent);
        while (writes.length >= MAX_WRITES) await commitPart(writes.splice(0, MAX_WRITES), mono);
        if (failures >= ATTEMPTS) await commitPart(writes.splice(0), mono);
        if (counted !== undefined) writes.push(localWrite(INVENTORY_ID, 'ingest_census', plain(counted)));
        await commitAll([...writes, localWrite(SNAPSHOT_ID, 'ingest_snapshot', plain(saved))]);
        failures = 0;
        if (counted !== undefined) {
          inventory = counted;
          inventoryAt = mono;
        }
        for (const one of segments.runs) count(one);
      } catch (error) {
        if (!isTransient(error)) failures++;
        budgets.unsaved(spent);
        const later = outbox;
        outbox = mine;
        merge(outbox, later);
        sending = createChanges();
        touched = true;
        throw error;
      }
      sending = createChanges();
      for (const id of [...equipment, ...devices]) written.set(id, mono);
      return saved;
    },
    async writeEvents(events) {
      const writes = (await newEvents(events)).map(eventWrite);
      while (writes.length > 0) await commitAll(writes.splice(0, MAX_WRITES));
    },
    mirror(state) {
      for (const id of state.machines.keys()) outbox.equipment.add(id);
      for (const id of state.devices.keys()) outbox.devices.add(id);
      touched = true;
    },
    reset() {
      outbox = createChanges();
    },
    counted: (run) => counts.get(run) ?? { added: 0, known: 0 },
  };
}
