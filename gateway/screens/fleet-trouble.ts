/**
 * The machines in trouble of all sites of head office, in one order. A ranking of a site reads documents and history, so at most 64 of them
 * are open; this list scores the machines of any number of sites from what is in memory. A score here has no points for a value that gets
 * worse, because these need the history of the value. They never move a machine into another grade.
 */
import type { LiveReader, ShiftReader } from '#contract/context.ts';
import type { FleetName, FleetTrouble } from '#contract/sync-services.ts';
import type { AlertData, TankRule } from '#contract/work/alert.ts';
import type { RepairTicketData } from '#contract/work/repair-ticket.ts';
import { type LowTank, lowTanks, ruledTanks } from '#domain/attention/low-tanks.ts';
import { openItemsOf, toBoardAlert, toBoardTicket } from '#domain/attention/open-items.ts';
import { type Moment, scoreOf } from '#domain/attention/score.ts';
import { ENTER_MS } from '#domain/attention/steady.ts';
import { nextTurn } from '#handlers/base/next-turn.ts';

/** The scores of a project are computed again after this time, because they depend on the ages of values and reasons. */
const FRESH_MS = 5_000;
/** The work of other requests goes on after this time. */
const TURN_MS = 5;
/** The shifts of so many projects are read at the same time. */
const AT_ONCE = 16;

export interface FleetTroubleServices {
  readonly fleet: {
    machines(project_id: string): readonly FleetName[];
    open(project_id: string): Promise<{
      readonly alerts: Iterable<AlertData & { readonly id: string }>;
      readonly tickets: Iterable<RepairTicketData & { readonly id: string }>;
    }>;
    intervals(project_id: string): ReadonlyMap<string, number>;
    tankRules(project_id: string): readonly TankRule[];
    version(project_id: string): number;
  };
  readonly live: LiveReader;
  readonly shifts: Pick<ShiftReader, 'shift'>;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
}

interface Scored {
  readonly version: number;
  readonly at_ms: number;
  readonly found: readonly FleetTrouble[];
  readonly low: ReadonlyMap<string, readonly LowTank[]>;
}

/** The most urgent first; of one score by site and machine, the earliest first. */
function compare(a: FleetTrouble, b: FleetTrouble): number {
  if (a.score !== b.score) return b.score - a.score;
  const [one, other] = [a.machine, b.machine];
  if (one.project_id !== other.project_id) return one.project_id < other.project_id ? -1 : 1;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

/** Returns a function that finds the machines in trouble of projects. */
export function createFleetTrouble(
  services: FleetTroubleServices,
): (projects: readonly string[]) => Promise<readonly FleetTrouble[]> {
  const { fleet, live, shifts, clock } = services;
  const known = new Map<string, Scored>();

  async function score(project_id: string): Promise<Scored> {
    const now_ms = clock();
    const version = fleet.version(project_id);
    const before = known.get(project_id);
    if (before?.version === version && Math.abs(now_ms - before.at_ms) < FRESH_MS) return before;
    const { alerts, tickets } = await fleet.open(project_id);
    const open = openItemsOf({
      alerts: [...alerts].map((data) => toBoardAlert({ id: data.id, data })),
      tickets: [...tickets].map((data) => toBoardTicket({ id: data.id, data })),
    });
    const in_shift = (await shifts.shift(project_id)).now !== null;
    // The name of a mechanic is part of a reason, and not of a score.
    const rules = fleet.tankRules(project_id);
    // The locations of machines are not in memory here. A rule for locations counts for all machines, so that no list contradicts a site.
    const within = rules.flatMap(({ scope }) => scope.location_ids);
    const low = new Map<string, readonly LowTank[]>();
    const moment: Moment = {
      now_ms,
      in_shift,
      mechanics: new Map(),
      means: () => undefined,
      low: (id) => low.get(id) ?? [],
    };
    const intervals = fleet.intervals(project_id);
    const found = fleet.machines(project_id).flatMap((machine): FleetTrouble[] => {
      if (machine.status === 'decommissioned') return [];
      const values = live.equipment(machine.id);
      const ruled = ruledTanks(rules, { ...machine, within });
      low.set(machine.id, lowTanks(before?.low.get(machine.id) ?? [], values, ruled, now_ms));
      const one = scoreOf(
        { ...machine, interval_s: intervals.get(machine.id) ?? null },
        values,
        open(machine.id),
        moment,
      );
      if (one.grade !== 'act' && one.grade !== 'look') return [];
      // A site shows a machine of grade `look` when its reason has lasted for some time.
      const isNew = one.grade === 'look' && one.since_ms !== null && now_ms - one.since_ms < ENTER_MS;
      return isNew ? [] : [{ machine, score: one.score }];
    });
    const scored = { version, at_ms: now_ms, found, low };
    known.set(project_id, scored);
    return scored;
  }

  return async (projects) => {
    const all: FleetTrouble[] = [];
    let turn_ms = performance.now();
    for (const [i, project_id] of projects.entries()) {
      // A shift that is not in memory is a read of the database, and a thousand of them one after the other take a second.
      if (i % AT_ONCE === 0) await Promise.all(projects.slice(i, i + AT_ONCE).map((id) => shifts.shift(id)));
      all.push(...(await score(project_id)).found);
      if (performance.now() - turn_ms < TURN_MS) continue;
      await nextTurn();
      turn_ms = performance.now();
    }
    return all.sort(compare);
  };
}
