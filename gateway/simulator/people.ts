/** Who works when: two shifts of twelve hours, four crews, an operator of each crew for each machine. A function of seed and time. */
import { between, random, streamOf } from '#domain/base/random.ts';

const HOUR_MS = 3_600_000;
const SHIFT_MS = 12 * HOUR_MS;
/** The day shift begins at this local time. */
const DAY_STARTS_MS = 6 * HOUR_MS;
/** Shifts in a week. Two crews alternate: one works the day shifts of a week, the other those of the next. */
const SHIFTS_A_WEEK = 14;
/** The crews change over machine by machine, at most this long before or after the hour. */
const SPREAD_MS = HOUR_MS / 4;
/** How often somebody of the crew is missing and a relief drives. */
const RELIEF = 0.06;

export type Crew = 'A' | 'B' | 'C' | 'D';

/** One shift of the site. */
export interface Shift {
  /** Counts the shifts since 1970. */
  readonly index: number;
  readonly name: 'day' | 'night';
  readonly crew: Crew;
}

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly crew: Crew;
}

/** The shift at a time; `zone_ms` is local time minus UTC. */
export function shiftAt(ms: number, zone_ms: number): Shift {
  const index = Math.floor((ms + zone_ms - DAY_STARTS_MS) / SHIFT_MS);
  const day = index % 2 === 0;
  const even = Math.floor(index / SHIFTS_A_WEEK) % 2 === 0;
  return { index, name: day ? 'day' : 'night', crew: day ? (even ? 'A' : 'C') : even ? 'B' : 'D' };
}

/** Milliseconds before the hour at which the crew of a machine changes; negative: after it. */
export function handoverOf(machine: number, seed: number): number {
  return between(streamOf(seed, machine, 1), [-SPREAD_MS, SPREAD_MS]);
}

const GIVEN = ['Aino', 'Ben', 'Carla', 'Dan', 'Elif', 'Femi', 'Grace', 'Hugo', 'Ines', 'Jack', 'Kofi', 'Lena'] as const;
const FAMILY = ['Adeyemi', 'Brand', 'Costa', 'Dube', 'Evans', 'Fischer', 'Gomez', 'Hill', 'Ito', 'Jansen'] as const;

/** Who drives this machine in this shift. */
export function operatorOf(machine: number, seed: number, shift: Shift): Operator {
  const relief = random(streamOf(seed, machine, shift.index, 2)) < RELIEF;
  const number = relief ? 90 + (machine % 10) : machine + 1;
  const names = streamOf(seed, shift.crew.charCodeAt(0), number, 3);
  const one = <T>(list: readonly T[]) => list[Math.floor(random(names) * list.length)] as T;
  const name = `${one(GIVEN)} ${one(FAMILY)}`;
  return { id: `op-${shift.crew.toLowerCase()}${relief ? '-relief' : ''}-${number}`, name, crew: shift.crew };
}
