/**
 * Computes how each machine spent the time of the current shift, for example working or down. Boards and `utilization_pct` show the result.
 * The run states come from history. The statuses and downtimes come from the log of the machine, which is read once in a shift, at the first
 * request; later each committed event of the machine is added.
 */

import type { EventData } from '#contract/base/event.ts';
import type { Change, Stored, View } from '#contract/base/view.ts';
import type { LiveReader, RunStateReader, ShiftClock, ShiftReader } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { ProjectData } from '#contract/site/project.ts';
import { TWO_SHIFTS } from '#contract/site/project.ts';
import { currentShift } from '#domain/work/current-shift.ts';
import { type LogFacts, withRunStates } from '#domain/work/run-facts.ts';
import { shiftUse } from '#domain/work/shift-spans.ts';
import { partSpent } from '#domain/work/shift-tally.ts';
import { type Stretch, shiftStretches } from '#domain/work/shift-time.ts';
import { factsOf, MOST_FACTS, TIME_KINDS, toFact } from './shift-facts.ts';

/** Largest number of machines and of projects in the caches; head office looks at the projects of all sites. When a cache is full, it removes its least recently used entry. */
const MOST_MACHINES = 5_000;
const MOST_PROJECTS = 10_000;
const NOBODY = { status: 'available', live: 'unknown', downtime: false } as const;

/** An event is late if it happened longer than this before the gateway recorded it, in milliseconds. */
const LATE_MS = 60_000;

interface Entry {
  readonly from_ms: number;
  /** The promise of the read of the machine's log while this read is in progress. */
  reading: Promise<LogFacts> | undefined;
  log: LogFacts | undefined;
  /** True if an event of the machine was committed during the read, so that the result may lack this event. */
  grown: boolean;
}

/** Creates the tallies. When they are disposed, they no longer listen to commits. */
export function createShiftTallies(options: {
  readonly store: {
    readonly node: Pick<View, 'get'>;
    view(project_id: string): Pick<View, 'find' | 'get'>;
    changes(listener: (changes: readonly Change[]) => void): () => void;
  };
  readonly live: LiveReader;
  readonly runStates: RunStateReader;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
}): ShiftReader & Disposable {
  const { store, live, runStates, clock } = options;
  const shifts = new Map<string, { readonly shift: ShiftClock; readonly since_ms: number }>();
  const entries = new Map<string, Entry>();
  const unwatch = store.changes((changes) => {
    for (const change of changes) note(change);
  });

  function note({ collection, document }: Change): void {
    if (document.object === 'project') shifts.delete(document.id);
    if (collection !== 'events' || document.object !== 'event') return;
    const event = document as unknown as Stored<EventData>;
    const { id } = event.data.subject;
    const entry = entries.get(id);
    if (entry === undefined || !TIME_KINDS.includes(event.data.type)) return;
    if (entry.log === undefined) {
      entry.grown = true;
      return;
    }
    const { before, facts, cut_ms } = entry.log;
    // An event about an earlier time may also change what the cached log says of the time before it.
    const isLate = Date.parse(event.data.occurred_at) < Date.parse(event.created_at) - LATE_MS;
    if (facts.length >= MOST_FACTS || (isLate && event.data.type === 'status_changed')) entries.delete(id);
    else entry.log = { before, facts: [...facts, toFact(event)], cut_ms };
  }

  async function shiftOf(project_id: string): Promise<ShiftClock> {
    const now_ms = clock();
    const known = shifts.get(project_id);
    // If somebody set the clock back, `now_ms` may be before the cached shift. In this case compute the shift again.
    if (known !== undefined && now_ms >= known.since_ms && now_ms < endOf(known.shift)) return known.shift;
    const project = (await store.node.get<ProjectData>('records', project_id))?.data;
    if (project === undefined) return { now: null, next: null, target_percent: null };
    const { now, next } = currentShift(project.shift_pattern ?? TWO_SHIFTS, now_ms, project.timezone);
    if (shifts.size >= MOST_PROJECTS) shifts.delete(shifts.keys().next().value as string);
    const shift = { now, next, target_percent: project.working_target_percent ?? null };
    shifts.set(project_id, { shift, since_ms: now_ms });
    return shift;
  }

  async function read(project_id: string, id: string, entry: Entry): Promise<LogFacts> {
    const view = store.view(project_id);
    for (;;) {
      entry.grown = false;
      const machine = await view.get<EquipmentData>('records', id);
      if (machine === undefined) return { before: NOBODY, facts: [], cut_ms: null };
      const log = await factsOf({ view, live, now_ms: clock() }, machine, entry.from_ms, clock());
      // An event of the machine was committed during the read, so the result may lack this event: read again.
      if (entry.grown) continue;
      entry.log = log;
      return log;
    }
  }

  async function logOf(project_id: string, id: string, from_ms: number): Promise<LogFacts> {
    let entry = entries.get(id);
    if (entry?.from_ms !== from_ms) entry = { from_ms, reading: undefined, log: undefined, grown: false };
    entries.delete(id);
    entries.set(id, entry);
    if (entries.size > MOST_MACHINES) entries.delete(entries.keys().next().value as string);
    if (entry.log !== undefined) return entry.log;
    const asked = entry;
    asked.reading ??= read(project_id, id, asked).finally(() => {
      asked.reading = undefined;
    });
    return asked.reading;
  }

  async function stretchesOf(project_id: string, id: string, from_ms: number, to_ms: number): Promise<Stretch[]> {
    const log = await logOf(project_id, id, from_ms);
    const runs = await runStates.read(project_id, id, from_ms, to_ms);
    const { before, facts } = withRunStates(log, runs);
    return shiftStretches(before, facts, from_ms, to_ms);
  }

  /** Computes a result for each machine from its time in the current shift. Returns an empty map between shifts. */
  async function each<T>(
    project_id: string,
    equipment_ids: readonly string[],
    compute: (stretches: readonly Stretch[]) => T,
  ): Promise<ReadonlyMap<string, T>> {
    const found = new Map<string, T>();
    const { now } = await shiftOf(project_id);
    if (now === null) return found;
    const until = Math.max(now.from_ms, Math.min(clock(), now.to_ms));
    // One machine after the other, so that other work can run between two machines.
    for (const id of equipment_ids) found.set(id, compute(await stretchesOf(project_id, id, now.from_ms, until)));
    return found;
  }

  return {
    shift: shiftOf,
    spent: (project_id, equipment_ids) => each(project_id, equipment_ids, partSpent),
    used: (project_id, equipment_ids) => each(project_id, equipment_ids, shiftUse),
    [Symbol.dispose]() {
      unwatch();
      entries.clear();
      shifts.clear();
    },
  };
}

/** Returns the time until which a cached result is valid: the end of the current shift, or else the start of the next shift. */
function endOf({ now, next }: ShiftClock): number {
  return now?.to_ms ?? next?.from_ms ?? Number.POSITIVE_INFINITY;
}
