/** Computes how machines spent a window, and remembers it, so that a later call can name what changed. */
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { MOST_CHANGES, type ShiftChange, type ShiftChanges } from '#contract/work/shift-draft.ts';
import type { ShiftReportData } from '#contract/work/shift-report.ts';
import { withRunStates } from '#domain/work/run-facts.ts';
import { causeOf, changedClasses, packClasses } from '#domain/work/shift-changes.ts';
import { type Stretch, shiftStretches } from '#domain/work/shift-time.ts';
import { factsOf } from './shift-facts.ts';

export type Machine = Stored<Pick<EquipmentData, 'status' | 'unit_number'>>;

/** How one machine spent a window. */
export interface MachineTime {
  readonly machine: Machine;
  readonly stretches: readonly Stretch[];
}

/** The classes of machines in a shift, as they were at a time. `machines` has for each machine id the text of `packClasses`. */
export interface ShiftSnapshot {
  readonly at: string;
  readonly machines: readonly (readonly [id: string, classes: string])[];
}

const MINUTE_MS = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** Computes from history and the logs how these machines spent the time from `from_ms` to `to_ms`. */
export async function machineTimes(
  context: HandlerContext<'runStates'>,
  machines: readonly Machine[],
  from_ms: number,
  to_ms: number,
): Promise<MachineTime[]> {
  const { view, live, now, runStates } = context;
  const source = { view, live, now_ms: Date.parse(now) };
  const times: MachineTime[] = [];
  for (const machine of machines) {
    const runs = await runStates.read(view.project_id, machine.id, from_ms, to_ms);
    const { before, facts } = withRunStates(await factsOf(source, machine, from_ms, to_ms), runs);
    times.push({ machine, stretches: shiftStretches(before, facts, from_ms, to_ms) });
  }
  return times;
}

/** Computes how the machines of a report spent its shift, until now if the shift is not over. */
export async function reportTimes(
  context: HandlerContext<'runStates'>,
  { shift, time_usage }: Pick<ShiftReportData, 'shift' | 'time_usage'>,
): Promise<MachineTime[]> {
  const from_ms = Date.parse(shift.starts_at);
  const now_ms = Math.floor(Date.parse(context.now) / MINUTE_MS) * MINUTE_MS;
  const to_ms = Math.min(Date.parse(shift.ends_at), now_ms);
  const ids = time_usage.map(({ equipment_id }) => equipment_id);
  const machines = ids.length === 0 ? [] : await context.view.getMany<EquipmentData>('records', ids);
  return to_ms <= from_ms ? [] : machineTimes(context, machines, from_ms, to_ms);
}

export function snapshotOf(at: string, times: readonly MachineTime[]): ShiftSnapshot {
  return { at, machines: times.map(({ machine, stretches }) => [machine.id, packClasses(stretches)]) };
}

/** Returns what changed since the snapshot in a shift that begins at `from_ms`. Machines that the snapshot does not have are left out. */
export async function changesSince(
  context: HandlerContext,
  of: 'look' | 'report',
  snapshot: ShiftSnapshot | undefined,
  times: readonly MachineTime[],
  from_ms: number,
): Promise<ShiftChanges> {
  if (snapshot === undefined) return { since: null, of: null, items: [], more: false };
  const before = new Map(snapshot.machines);
  const all = times.flatMap(({ machine, stretches }) =>
    changedClasses(before.get(machine.id) ?? '', packClasses(stretches), from_ms).map((one) => ({ machine, ...one })),
  );
  const items: ShiftChange[] = [];
  for (const { machine, ...one } of all.slice(0, MOST_CHANGES)) {
    const cause = causeOf(one);
    items.push({
      equipment_id: machine.id,
      unit_number: machine.data.unit_number,
      from: iso(one.from_ms),
      to: iso(one.to_ms),
      was: one.was,
      now: one.now,
      cause,
      stored_by: cause === 'report' ? null : await storedBy(context, machine.id, one.from_ms, one.to_ms, snapshot.at),
    });
  }
  return { since: snapshot.at, of, items, more: all.length > items.length };
}

const DAY_MS = 86_400_000;

/**
 * Returns the time by which history had all samples of this time: when the newest of their segments (documents with samples) was stored.
 * Returns null if no segment of this time was stored after `since`.
 */
async function storedBy({ view }: HandlerContext, id: string, from_ms: number, to_ms: number, since: string) {
  const slots: string[] = [];
  for (let day = Math.floor(from_ms / DAY_MS); day <= Math.floor(to_ms / DAY_MS); day++) slots.push(`${id}/${day}`);
  const [newest] = await view.find('telemetry', {
    object: 'segment',
    where: {
      'data.slot': slots,
      'data.to_ms': { gte: from_ms },
      'data.from_ms': { lte: to_ms },
      created_at: { gt: since },
    },
    order: 'desc',
    limit: 1,
  });
  return newest?.created_at ?? null;
}
