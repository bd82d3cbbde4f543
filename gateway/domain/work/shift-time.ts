/**
 * Computes how a machine spent a shift, from reports of people and from telemetry.
 *
 *   status (people)   ──┐
 *   downtime (people) ──┼─ at every moment one class ─▶ stretches ─▶ whole minutes that add up to the window
 *   run state         ──┘
 *
 * A downtime that a person reported overrides telemetry. Time without a report and without telemetry is `unknown`, never `off`.
 */

import { offsetsOf } from '#contract/base/zones.ts';
import type { EquipmentStatus, LiveStatus } from '#contract/fleet/equipment.ts';
import {
  type ClassMinutes,
  SHIFT_CLASSES,
  type ShiftClass,
  type ShiftKpi,
  type ShiftPart,
  type ShiftSpent,
  TIME_USAGE,
  type TimeUsage,
  type UsageMinutes,
} from '#contract/work/shift-report.ts';

const MINUTE_MS = 60_000;

/** The parts of a machine's state that decide in which class its time counts. */
export interface MachineSays {
  readonly status: EquipmentStatus;
  readonly live: LiveStatus;
  /** True while a reported downtime has no reported end. */
  readonly downtime: boolean;
}

/** A change of the machine's state at a time. */
export interface TimeFact extends Partial<MachineSays> {
  readonly at_ms: number;
}

export interface Stretch {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly class: ShiftClass;
  readonly usage: TimeUsage;
}

type Kind = Pick<Stretch, 'class' | 'usage'>;

/** The shift class of a state, and its category in the time usage model of GMG (Global Mining Guidelines Group). */
function kindOf({ status, live, downtime }: MachineSays): Kind {
  if (downtime || status === 'down') return { class: 'down', usage: 'unscheduled_downtime' };
  if (status === 'maintenance') return { class: 'down', usage: 'scheduled_downtime' };
  if (live === 'running') return { class: 'working', usage: 'productive' };
  if (live === 'idle') return { class: 'idle', usage: 'non_productive' };
  if (live === 'unknown') return { class: 'unknown', usage: 'unknown' };
  if (status === 'in_use') return { class: 'off', usage: 'operating_delay' };
  if (status === 'available') return { class: 'standby', usage: 'standby' };
  return { class: 'off', usage: 'unscheduled' };
}

/**
 * Divides a window into stretches (time spans), so that the machine has one class in each stretch. The stretches cover the whole window.
 * `facts` (the changes of the machine's state) may be in any order; `before` is the state before all of them.
 */
export function shiftStretches(
  before: MachineSays,
  facts: readonly TimeFact[],
  from_ms: number,
  to_ms: number,
): Stretch[] {
  const stretches: Stretch[] = [];
  let says = before;
  let at = from_ms;
  const end: TimeFact = { at_ms: to_ms };
  for (const fact of [...facts.toSorted((a, b) => a.at_ms - b.at_ms), end]) {
    const until = fact === end ? to_ms : Math.min(to_ms, Math.max(at, fact.at_ms));
    if (until > at) {
      const kind = kindOf(says);
      const last = stretches.at(-1);
      if (last?.class === kind.class && last.usage === kind.usage) stretches.splice(-1, 1, { ...last, to_ms: until });
      else stretches.push({ from_ms: at, to_ms: until, ...kind });
      at = until;
    }
    const { at_ms: _, ...changed } = fact;
    says = { ...says, ...changed };
  }
  return stretches;
}

/**
 * Rounds several times in milliseconds to whole minutes, so that the minutes add up to `total`. To reach this total, it rounds up the times
 * with the largest remainders and rounds down the others.
 */
function wholeMinutes<N extends string>(
  spent: Readonly<Record<N, number>>,
  total = Math.floor((Object.values(spent) as number[]).reduce((sum, ms) => sum + ms, 0) / MINUTE_MS),
): Record<N, number> {
  const parts = (Object.entries(spent) as [N, number][]).map(([name, ms]) => ({
    name,
    minutes: Math.floor(ms / MINUTE_MS),
    rest: ms % MINUTE_MS,
  }));
  const missing = total - parts.reduce((sum, { minutes }) => sum + minutes, 0);
  for (const part of parts.toSorted((a, b) => b.rest - a.rest).slice(0, missing)) part.minutes++;
  return Object.fromEntries(parts.map(({ name, minutes }) => [name, minutes])) as Record<N, number>;
}

/**
 * Divides the whole minutes of each class among finer categories. The minutes of the categories of a class add up to the minutes of the
 * class, so a class has the same minutes on every screen. `spent` has the milliseconds of each category.
 */
function dividedMinutes<N extends string>(
  classes: ClassMinutes,
  spent: Readonly<Record<N, number>>,
  classOf: Readonly<Record<N, ShiftClass>>,
): Record<N, number> {
  const minutes = { ...spent };
  for (const name of SHIFT_CLASSES) {
    const own = (Object.keys(spent) as N[]).filter((one) => classOf[one] === name);
    const times = Object.fromEntries(own.map((one) => [one, spent[one]])) as Record<N, number>;
    Object.assign(minutes, wholeMinutes(times, classes[name]));
  }
  return minutes;
}

/** The class to which each category of the time usage model belongs. */
const CLASS_OF_USAGE: Readonly<Record<TimeUsage, ShiftClass>> = {
  productive: 'working',
  non_productive: 'idle',
  operating_delay: 'off',
  standby: 'standby',
  scheduled_downtime: 'down',
  unscheduled_downtime: 'down',
  unscheduled: 'off',
  unknown: 'unknown',
};

/** The class to which each part of the shift bar on screens belongs. */
const CLASS_OF_PART: Readonly<Record<ShiftPart, ShiftClass>> = {
  working: 'working',
  idle: 'idle',
  off: 'off',
  down: 'down',
  standby: 'standby',
  unknown: 'unknown',
  service: 'down',
};

function spentIn<N extends string>(
  names: readonly N[],
  stretches: readonly Stretch[],
  nameOf: (stretch: Stretch) => N,
): Record<N, number> {
  const spent = Object.fromEntries(names.map((name) => [name, 0])) as Record<N, number>;
  for (const stretch of stretches) spent[nameOf(stretch)] += stretch.to_ms - stretch.from_ms;
  return spent;
}

/** Converts milliseconds per class to whole minutes. */
export function classMinutes(spent: Readonly<Record<ShiftClass, number>>): ClassMinutes {
  return wholeMinutes(spent);
}

/** Converts the milliseconds of each part of the shift bar to whole minutes. */
export function partMinutes(spent: ShiftSpent): ShiftSpent {
  return dividedMinutes(classMinutes(classesOf(spent)), spent, CLASS_OF_PART);
}

/** Converts the seven parts that screens show to the six classes of reports, in which planned service counts as `down`. */
export function classesOf({ service, ...spent }: ShiftSpent): Readonly<Record<ShiftClass, number>> {
  return { ...spent, down: spent.down + service };
}

/** The part of the shift bar on screens in which this time counts. */
export function partOf({ class: name, usage }: Pick<Stretch, 'class' | 'usage'>): ShiftPart {
  return usage === 'scheduled_downtime' ? 'service' : name;
}

/** Returns the milliseconds of the stretches in each of the six classes. */
export function classSpent(stretches: readonly Stretch[]): Record<ShiftClass, number> {
  return spentIn(SHIFT_CLASSES, stretches, (stretch) => stretch.class);
}

/** Returns the whole minutes of the stretches in each category of the GMG time usage model. */
export function usageMinutes(stretches: readonly Stretch[]): UsageMinutes {
  const spent = spentIn(TIME_USAGE, stretches, (stretch) => stretch.usage);
  return dividedMinutes(classMinutes(classSpent(stretches)), spent, CLASS_OF_USAGE);
}

const ratio = (part: number, whole: number) => (whole > 0 ? Math.round((part / whole) * 1000) / 1000 : null);

/** Computes availability and utilization from the known time. Unknown time counts neither as available nor as down. */
export function shiftKpi(minutes: UsageMinutes): ShiftKpi {
  const total = TIME_USAGE.reduce((sum, name) => sum + minutes[name], 0);
  const known = total - minutes.unknown;
  const available = known - minutes.scheduled_downtime - minutes.unscheduled_downtime;
  const operating = minutes.productive + minutes.non_productive + minutes.operating_delay;
  return {
    physical_availability: ratio(available, known),
    use_of_availability: ratio(operating, available),
    operating_utilisation: ratio(operating, known),
    known: ratio(known, total),
  };
}

const DAY_MS = 86_400_000;

/**
 * Converts a local time to milliseconds since 1970. `wall_ms` is the local time in milliseconds since 1970, computed as if it were UTC. If
 * the local time occurs twice, because the clock is set back, returns the first of the two. If the clock change skips the local time,
 * returns the time of the change. So a later local time never gives an earlier result.
 */
function localInstant(offsetAt: (ms: number) => number, wall_ms: number): number {
  const before = offsetAt(wall_ms - DAY_MS);
  const after = offsetAt(wall_ms + DAY_MS);
  const early = wall_ms - Math.max(before, after);
  const late = wall_ms - Math.min(before, after);
  for (const at of [early, late]) if (at + offsetAt(at) === wall_ms) return at;
  // The clock change is between `early` and `late`. Search for the minute of the change, because offsets change on whole minutes.
  let low = early;
  let high = late;
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / (2 * MINUTE_MS)) * MINUTE_MS;
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the local date of a time, as `YYYY-MM-DD`. */
export function localDate(ms: number, timezone: string): string {
  return new Date(ms + offsetsOf(timezone)(ms)).toISOString().slice(0, 10);
}

/** Local start and end of a shift as `HH:MM`. If the end is not after the start, the shift ends on the next day. */
export interface ShiftTimes {
  readonly starts: string;
  readonly ends: string;
}

/** Start and end, in milliseconds since 1970, of the shift that begins on this local date. The local day may have 23 or 25 hours. */
export function shiftWindow(date: string, { starts, ends }: ShiftTimes, timezone: string): [from: number, to: number] {
  const offsetAt = offsetsOf(timezone);
  const wall = (time: string) => Date.parse(`${date}T${time}:00Z`);
  const until = wall(ends) > wall(starts) ? wall(ends) : wall(ends) + DAY_MS;
  return [localInstant(offsetAt, wall(starts)), localInstant(offsetAt, until)];
}
