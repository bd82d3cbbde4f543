/**
 * Computes how each machine spent the time of the current shift, for example working or down. Boards and `utilization_pct` show the result.
 * It reads the log of a machine once in a shift, at the first request. Later it adds each committed event of the machine to the tally (the
 * sum of minutes by category).
 */

import type { EventData } from '#contract/base/event.ts';
import type { Change, Stored, View } from '#contract/base/view.ts';
import type { LiveReader, ShiftClock, ShiftReader } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { TWO_SHIFTS } from '#contract/site/project.ts';
import type { ShiftSpent } from '#contract/work/shift-report.ts';
import { currentShift } from '#domain/work/current-shift.ts';
import { addFact, type ShiftTally, spentAt, startTally, tallyOf } from '#domain/work/shift-tally.ts';
import type { ProjectData } from '#handlers/access/projects.ts';
import { factsOf, TIME_KINDS, toFact } from './shift-facts.ts';

/** Largest number of machines and of projects in the caches. When a cache is full, it removes its least recently used entry. */
const MOST_MACHINES = 5_000;
const MOST_PROJECTS = 1_000;
const NOBODY = { status: 'available', live: 'unknown', downtime: false } as const;

interface Entry {
  readonly from_ms: number;
  /** The promise of the read of the machine's log while this read is in progress. */
  reading: Promise<ShiftTally> | undefined;
  tally: ShiftTally | undefined;
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
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
}): ShiftReader & Disposable {
  const { store, live, clock } = options;
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
    if (entry.tally === undefined) {
      entry.grown = true;
      return;
    }
    const grown = addFact(entry.tally, toFact(event));
    if (grown === undefined) entries.delete(id);
    else entry.tally = grown;
  }

  async function shiftOf(project_id: string): Promise<ShiftClock> {
    const now_ms = clock();
    const known = shifts.get(project_id);
    // If somebody set the clock back, `now_ms` may be before the cached shift. In this case compute the shift again.
    if (known !== undefined && now_ms >= known.since_ms && now_ms < endOf(known.shift)) return known.shift;
    const project = (await store.node.get<ProjectData>('records', project_id))?.data;
    if (project === undefined) return { now: null, next: null };
    const { now, next } = currentShift(project.shift_pattern ?? TWO_SHIFTS, now_ms, project.timezone);
    if (shifts.size >= MOST_PROJECTS) shifts.delete(shifts.keys().next().value as string);
    shifts.set(project_id, { shift: { now, next }, since_ms: now_ms });
    return { now, next };
  }

  async function read(project_id: string, id: string, entry: Entry): Promise<ShiftTally> {
    const view = store.view(project_id);
    for (;;) {
      entry.grown = false;
      const machine = await view.get<EquipmentData>('records', id);
      if (machine === undefined) return startTally(NOBODY, entry.from_ms);
      const { before, facts } = await factsOf({ view, live, now_ms: clock() }, machine, entry.from_ms, clock());
      // An event of the machine was committed during the read, so the result may lack this event: read again.
      if (entry.grown) continue;
      entry.tally = tallyOf(before, facts, entry.from_ms);
      return entry.tally;
    }
  }

  async function tallyFor(project_id: string, id: string, from_ms: number): Promise<ShiftTally> {
    let entry = entries.get(id);
    if (entry?.from_ms !== from_ms) entry = { from_ms, reading: undefined, tally: undefined, grown: false };
    entries.delete(id);
    entries.set(id, entry);
    if (entries.size > MOST_MACHINES) entries.delete(entries.keys().next().value as string);
    if (entry.tally !== undefined) return entry.tally;
    const asked = entry;
    asked.reading ??= read(project_id, id, asked).finally(() => {
      asked.reading = undefined;
    });
    return asked.reading;
  }

  return {
    shift: shiftOf,
    async spent(project_id, equipment_ids) {
      const found = new Map<string, ShiftSpent>();
      const { now } = await shiftOf(project_id);
      if (now === null) return found;
      const tallies = await Promise.all(equipment_ids.map((id) => tallyFor(project_id, id, now.from_ms)));
      const until = Math.max(now.from_ms, Math.min(clock(), now.to_ms));
      equipment_ids.forEach((id, i) => {
        const tally = tallies[i];
        if (tally !== undefined) found.set(id, spentAt(tally, until));
      });
      return found;
    },
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
