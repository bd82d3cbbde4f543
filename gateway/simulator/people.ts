/**
 * The shifts and operators of the simulated site: two shifts of twelve hours, four crews, and in each crew one operator for each machine.
 * The seed and the time determine all shifts and operators.
 */
import { between, random, streamOf } from '#domain/base/random.ts';

const HOUR_MS = 3_600_000;
const SHIFT_MS = 12 * HOUR_MS;
/** Local time at which the day shift begins, in milliseconds after midnight. */
const DAY_STARTS_MS = 6 * HOUR_MS;
/** Number of shifts in a week. Two crews alternate weekly in the day shift, and two others in the night shift. */
const SHIFTS_A_WEEK = 14;
/**
 * The crews do not change on all machines at the same moment. Each machine changes its crew up to this many milliseconds before or after
 * the start of a shift.
 */
const SPREAD_MS = HOUR_MS / 4;
/** Probability that the operator of a machine is absent and a substitute drives. */
const RELIEF = 0.06;

export type Crew = 'A' | 'B' | 'C' | 'D';

/** One shift of the site. */
export interface Shift {
  /** Number of the shift, counted since 1970. */
  readonly index: number;
  readonly name: 'day' | 'night';
  readonly crew: Crew;
}

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly crew: Crew;
}

/** Returns the shift at a time in milliseconds since 1970. `zone_ms` is local time minus UTC. */
export function shiftAt(ms: number, zone_ms: number): Shift {
  const index = Math.floor((ms + zone_ms - DAY_STARTS_MS) / SHIFT_MS);
  const day = index % 2 === 0;
  const even = Math.floor(index / SHIFTS_A_WEEK) % 2 === 0;
  return { index, name: day ? 'day' : 'night', crew: day ? (even ? 'A' : 'C') : even ? 'B' : 'D' };
}

/** Returns the local date on which a shift begins, by its number since 1970. */
export const dateOf = (index: number): string => new Date(index * SHIFT_MS + DAY_STARTS_MS).toISOString().slice(0, 10);

/**
 * Returns how many milliseconds before the start of a shift the crew of a machine changes; negative if the crew changes after the start.
 */
export function handoverOf(machine: number, seed: number): number {
  return between(streamOf(seed, machine, 1), [-SPREAD_MS, SPREAD_MS]);
}

const GIVEN = ['Aino', 'Ben', 'Carla', 'Dan', 'Elif', 'Femi', 'Grace', 'Hugo', 'Ines', 'Jack', 'Kofi', 'Lena'] as const;
const FAMILY = ['Adeyemi', 'Brand', 'Costa', 'Dube', 'Evans', 'Fischer', 'Gomez', 'Hill', 'Ito', 'Jansen'] as const;

/** Returns the operator who drives this machine in this shift. */
export function operatorOf(machine: number, seed: number, shift: Shift): Operator {
  const relief = random(streamOf(seed, machine, shift.index, 2)) < RELIEF;
  const number = relief ? 90 + (machine % 10) : machine + 1;
  const names = streamOf(seed, shift.crew.charCodeAt(0), number, 3);
  const one = <T>(list: readonly T[]) => list[Math.floor(random(names) * list.length)] as T;
  const name = `${one(GIVEN)} ${one(FAMILY)}`;
  return { id: `op-${shift.crew.toLowerCase()}${relief ? '-relief' : ''}-${number}`, name, crew: shift.crew };
}
