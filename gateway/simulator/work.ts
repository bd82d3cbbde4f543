/** The working day of a machine: cycles, pauses, changes of crew and breakdowns follow each other as phases. */

import { between, random } from '#domain/base/random.ts';
import { type Physics, parked, step } from './engine.ts';
import { roadLength } from './ground.ts';
import { DUTIES, type MachineType, machineType, PAUSES, type Phase, type RosterRow } from './machines.ts';
import { type Operator, operatorOf, type Shift, shiftAt } from './people.ts';
import { type Breakdown, noBreakdown, repaired, strainOf, wear } from './troubles.ts';

/** The state of a machine. It has only plain values, so that it can be stored as JSON. */
export interface MachineState extends Physics {
  phase: string;
  /** Index of the present phase in the cycle of the type. */
  place: number;
  /** Seconds since the phase began. The field `length` is the whole length of the phase. */
  second: number;
  length: number;
  /** Seconds of work until the next pause is due. */
  rest_in_s: number;
  /** State of the random number generator of this machine. */
  random: number;
  trouble: Breakdown;
  /** Index of the shift that has the machine at present. During a handover this is still the earlier shift. */
  shift: number;
  operator: Operator | null;
}

/** The constant properties of a machine. */
export interface Member {
  readonly index: number;
  readonly row: RosterRow;
  readonly type: MachineType;
  /** How many milliseconds before the start of a shift the crew of this machine changes; negative if the crew changes after the start. */
  readonly change_ms: number;
}

/** The time of a step, with the seed and the time zone of the site. */
export interface Moment {
  readonly seed: number;
  readonly now_ms: number;
  /** Local time minus UTC, in milliseconds. */
  readonly zone_ms: number;
}

/** Simulates one step of one machine: its phase, then its physical state, then its breakdowns. */
export function live(state: MachineState, of: Member, at: Moment, dt: number): void {
  const phase = phaseOf(state, of);
  state.second += dt;
  state.rest_in_s -= dt;
  if (phase.waits) changeCrew(state, of, at);
  else if (state.second >= state.length) enterNext(state, of, at);
  const demand = {
    phase: phaseOf(state, of),
    refuelling: state.phase === 'refuel',
    second: state.second,
    strain: strainOf(state.trouble),
    noise: random(state) * 2 - 1,
    now_ms: at.now_ms,
    road_m: roadLength(of.row.kind),
  };
  step(state, of.type, demand, dt);
  if (state.rpm > 300 && of.row.duty === 'work' && wear(state.trouble, dt)) enter(state, 'broken', PAUSES.broken);
}

/** True if the control units send frames. False for a machine without an operator or under repair, because its battery is switched off. */
export function isPowered({ phase, second, length }: MachineState): boolean {
  if (phase === 'unmanned') return second < 120;
  return phase !== 'repair' || second < 60 || second > length - 120;
}

/** Returns the phases of a machine and their order. */
function planOf({ row, type }: Member): Pick<MachineType, 'phases' | 'cycle'> {
  return row.duty === 'work' ? type : DUTIES[row.duty];
}

/** The phase that the machine is in. */
export function phaseOf(state: MachineState, of: Member): Phase {
  if (isPause(state.phase)) return PAUSES[state.phase];
  return planOf(of).phases[state.phase] as Phase;
}

function isPause(name: string): name is keyof typeof PAUSES {
  return name in PAUSES;
}

function enter(state: MachineState, name: string, phase: Phase): void {
  state.phase = name;
  state.second = 0;
  state.length = between(state, phase.seconds);
}

/** Enters the next phase of the cycle. At the end of a cycle, a change of crew, refuelling or a pause may come before the next cycle. */
function enterNext(state: MachineState, of: Member, at: Moment): void {
  const { phases, cycle } = planOf(of);
  if (state.phase === 'broken') {
    enter(state, 'repair', PAUSES.repair);
    return;
  }
  if (state.phase === 'repair') repaired(state.trouble, of.row.mtbf_h);
  if (state.phase === 'handover') signOn(state, of, at);
  const paused = isPause(state.phase);
  if (paused || state.place + 1 === cycle.length) {
    if (changeCrew(state, of, at)) return;
    const pause = paused || of.row.duty !== 'work' ? undefined : pauseNow(state, of.type);
    if (pause !== undefined) {
      state.rest_in_s = between(state, WORK_S);
      enter(state, pause, PAUSES[pause]);
      return;
    }
  }
  state.place = paused ? 0 : (state.place + 1) % cycle.length;
  const name = cycle[state.place] as string;
  enter(state, name, phases[name] as Phase);
}

/** Shortest and longest time of work between two pauses, in seconds. */
const WORK_S = [1200, 3000] as const;

function pauseNow(state: MachineState, type: MachineType): keyof typeof PAUSES | undefined {
  if (state.fuel_l < type.tank_l * 0.15) return 'refuel';
  if (state.rest_in_s > 0) return undefined;
  return random(state) < 0.6 ? 'break' : 'off';
}

/** Returns the shift that should have the machine now. */
function shiftOf(of: Member, at: Moment): Shift {
  return shiftAt(at.now_ms + of.change_ms, at.zone_ms);
}

const isManned = (of: Member, shift: Shift) => of.row.duty === 'work' && (shift.name === 'day' || of.row.nights);

/**
 * If a new shift has begun for the machine, begins the handover to that shift, or parks the machine if that shift has no operator for it.
 * Returns true if a new shift has begun.
 */
function changeCrew(state: MachineState, of: Member, at: Moment): boolean {
  if (of.row.duty !== 'work') return false;
  const shift = shiftOf(of, at);
  if (shift.index === state.shift) return false;
  state.operator = null;
  if (isManned(of, shift)) enter(state, 'handover', PAUSES.handover);
  else {
    state.shift = shift.index;
    enter(state, 'unmanned', PAUSES.unmanned);
  }
  return true;
}

function signOn(state: MachineState, of: Member, at: Moment): void {
  const shift = shiftOf(of, at);
  state.shift = shift.index;
  state.operator = isManned(of, shift) ? operatorOf(of.index, at.seed, shift) : null;
}

/**
 * Gives the machine to the operator of the current shift at once, without a handover. Call it after a time that was not simulated.
 * Otherwise all machines would stop for a handover at the same moment.
 */
export function skipTo(state: MachineState, of: Member, at: Moment): void {
  if (state.phase !== 'unmanned' && state.phase !== 'handover' && isManned(of, shiftOf(of, at))) signOn(state, of, at);
}

/** Pairs waiting trucks with free excavators. The truck that has waited longest gets the first free excavator. */
export function meet(members: readonly Member[], states: readonly MachineState[]): void {
  const free = states.filter((state, i) => members[i]?.row.kind === 'excavator' && state.phase === 'wait');
  if (free.length === 0) return;
  const queue = states
    .filter((state, i) => members[i]?.row.kind === 'haul_truck' && state.phase === 'queue' && state.second >= 20)
    .sort((a, b) => b.second - a.second);
  for (const excavator of free) {
    const truck = queue.shift();
    if (truck === undefined) return;
    truck.place = 1;
    enter(truck, 'load', machineType('haul_truck').phases.load as Phase);
    excavator.place = 1;
    enter(excavator, 'dig', machineType('excavator').phases.dig as Phase);
    excavator.length = truck.length;
  }
}

/** Creates a machine with past hours and fuel use, in the middle of its day. */
export function newMachine(of: Member, at: Moment): MachineState {
  const { row, type } = of;
  const stream = { random: (at.seed * 1_000 + of.index) | 0 };
  const age = 2026 - row.year;
  const state: MachineState = {
    ...parked(type, {
      hours: age * (900 + 700 * random(stream)),
      idleShare: 0.22 + 0.16 * random(stream),
      fuelShare: 0.3 + 0.65 * random(stream),
      defShare: 0.35 + 0.6 * random(stream),
    }),
    phase: 'off',
    place: 0,
    second: 0,
    length: 0,
    rest_in_s: 0,
    random: stream.random,
    trouble: noBreakdown({ random: ~stream.random }, row.mtbf_h),
    shift: 0,
    operator: null,
  };
  signOn(state, of, at);
  const { phases, cycle } = planOf(of);
  state.place = row.duty === 'work' ? Math.floor(random(state) * cycle.length) : 0;
  const name = cycle[state.place] as string;
  const phase = phases[name] as Phase;
  enter(state, name, phase);
  state.second = state.length * random(state);
  state.rest_in_s = WORK_S[1] * random(state);
  if (row.duty === 'work' && state.operator === null) {
    enter(state, 'unmanned', PAUSES.unmanned);
    // The machine has been parked since its crew left an hour ago.
    state.second = 3600;
    return state;
  }
  if (!phase.engine) return state;
  // The machine starts in the middle of its work: warm, moving, and loaded when its phase requires it.
  state.rpm = type.idle_rpm + phase.throttle * (type.rated_rpm - type.idle_rpm);
  state.load = phase.load[0];
  state.speed = phase.speed;
  // Put the machine at the place on its road that fits the phase: forward from the start, or on the way back.
  if (phase.way !== undefined) {
    const share = state.second / Math.max(1, state.length);
    state.road_m = roadLength(row.kind) * (phase.way > 0 ? share : 1 - share);
    state.homeward = phase.way < 0;
  } else if (name === 'dump' || name === 'spray') state.road_m = roadLength(row.kind);
  state.payload_t = name === 'haul' || name === 'dump' ? (type.payload_t ?? 0) : 0;
  state.coolant_c = 84;
  state.oil_kpa = 250;
  state.oil_c = 92;
  state.exhaust_c = 300;
  state.battery_v = 27.9;
  return state;
}
