/**
 * A simulated quarry: seed and time in, J1939 frames out. Deterministic: the same seed, start and end give the same frames however
 * the way there is cut, and a snapshot goes on where it was taken.
 */
import type { FrameBatch } from '#contract/frame.ts';
import { pushFrame } from './j1939-encode.ts';
import { type Physics, parked, step } from './site-engine.ts';
import { type DueFrame, framesAt, TICK_MS } from './site-frames.ts';
import {
  DUTIES,
  inWindow,
  type MachineType,
  machineType,
  PAUSES,
  type Phase,
  ROSTER,
  type RosterRow,
} from './site-machines.ts';

/** One machine's state; JSON. */
interface MachineState extends Physics {
  phase: string;
  /** Place in the type's cycle. */
  place: number;
  /** Seconds spent in the phase, and how long it will be. */
  second: number;
  length: number;
  /** Seconds of work until the next pause is due. */
  rest_in_s: number;
  /** State of this machine's own random numbers. */
  random: number;
}

export interface SiteSnapshot {
  readonly version: 1;
  readonly now_ms: number;
  /** Steps that the site has lived. */
  readonly ticks: number;
  readonly machines: readonly MachineState[];
}

export interface Site {
  readonly roster: readonly RosterRow[];
  /** How far the site has come, in milliseconds since 1970. */
  readonly now_ms: number;
  /** Lives up to a time and adds each machine's frames to its batch; `least_ms` thins every parameter group to that interval. */
  advance(to_ms: number, batches: readonly FrameBatch[], least_ms?: number): void;
  /** The truth behind the frames. */
  physics(machine: number): Readonly<Physics & { phase: string }>;
  snapshot(): SiteSnapshot;
}

export interface SiteOptions {
  readonly seed: number;
  readonly start_ms: number;
  /** Goes on from here, at `start_ms`; the time between has not been lived. */
  readonly from?: SiteSnapshot;
  readonly roster?: readonly RosterRow[];
}

const DT_S = TICK_MS / 1000;

/** A site at its start: some machines at work, some idle, with hours and fuel of their own. */
export function createSite(options: SiteOptions): Site {
  const roster = options.roster ?? ROSTER;
  const types = roster.map((row) => machineType(row.kind));
  const states = options.from
    ? options.from.machines.map((state) => ({ ...state }))
    : roster.map((row, i) => newMachine(row, machineType(row.kind), options.seed * 1_000 + i));
  const later: DueFrame[][] = roster.map(() => []);
  const ticksOn = roster.map(() => 0);
  // Steps lie on whole multiples, so that the grid of intervals is the same for every start.
  let now_ms = Math.ceil(options.start_ms / TICK_MS) * TICK_MS;
  let ticks = options.from?.ticks ?? 0;

  function tick(batches: readonly FrameBatch[], least_ms: number): void {
    const second = ticks * DT_S;
    meet(roster, states);
    roster.forEach((row, i) => {
      const state = states[i] as MachineState;
      const type = types[i] as MachineType;
      live(state, row, type, now_ms);
      if (row.silent !== undefined && inWindow(row.silent, second)) {
        ticksOn[i] = 0;
        later[i] = [];
        return;
      }
      const at = { now_ms, second, ticksOn: ticksOn[i] as number, least_ms };
      later[i] = send(
        [...(later[i] as DueFrame[]), ...framesAt(state, row, type, at)],
        batches[i] as FrameBatch,
        now_ms,
      );
      ticksOn[i] = at.ticksOn + 1;
    });
    now_ms += TICK_MS;
    ticks++;
  }

  return {
    roster,
    get now_ms() {
      return now_ms;
    },
    advance(to_ms, batches, least_ms = 0) {
      while (now_ms < to_ms) tick(batches, least_ms);
    },
    physics: (machine) => states[machine] as MachineState,
    snapshot: () => ({ version: 1, now_ms, ticks, machines: states.map((state) => ({ ...state })) }),
  };
}

/** Sends what lies in this step, in order of time; returns what is for later. */
function send(frames: DueFrame[], into: FrameBatch, now_ms: number): DueFrame[] {
  const end_us = (now_ms + TICK_MS) * 1000;
  const due = frames.filter((frame) => frame.t_us < end_us).sort((a, b) => a.t_us - b.t_us);
  for (const frame of due) pushFrame(into, frame.t_us, 0, frame.id, frame.data);
  return frames.filter((frame) => frame.t_us >= end_us);
}

/** One step of one machine: its phase, then its physics. */
function live(state: MachineState, row: RosterRow, type: MachineType, now_ms: number): void {
  const phase = phaseOf(state, row, type);
  state.second += DT_S;
  state.rest_in_s -= DT_S;
  if (!phase.waits && state.second >= state.length) enterNext(state, row, type);
  const demand = {
    phase: phaseOf(state, row, type),
    refuelling: state.phase === 'refuel',
    second: state.second,
    noise: random(state) * 2 - 1,
    now_ms,
  };
  step(state, type, demand, DT_S);
}

/** The phases that a machine goes through and their order. */
function planOf(row: RosterRow, type: MachineType): Pick<MachineType, 'phases' | 'cycle'> {
  return row.duty === 'work' ? type : DUTIES[row.duty];
}

function phaseOf(state: MachineState, row: RosterRow, type: MachineType): Phase {
  if (isPause(state.phase)) return PAUSES[state.phase];
  return planOf(row, type).phases[state.phase] as Phase;
}

function isPause(name: string): name is keyof typeof PAUSES {
  return name in PAUSES;
}

function enter(state: MachineState, name: string, phase: Phase): void {
  const [shortest, longest] = phase.seconds;
  state.phase = name;
  state.second = 0;
  state.length = shortest + (longest - shortest) * random(state);
}

/** What comes after the phase: the next of the cycle, and at its end perhaps fuel or a pause. */
function enterNext(state: MachineState, row: RosterRow, type: MachineType): void {
  const { phases, cycle } = planOf(row, type);
  const last = !isPause(state.phase) && state.place + 1 === cycle.length;
  const pause = last && row.duty === 'work' ? pauseNow(state, type) : undefined;
  if (pause !== undefined) {
    state.rest_in_s = WORK_S[0] + (WORK_S[1] - WORK_S[0]) * random(state);
    enter(state, pause, PAUSES[pause]);
    return;
  }
  state.place = isPause(state.phase) ? 0 : (state.place + 1) % cycle.length;
  const name = cycle[state.place] as string;
  enter(state, name, phases[name] as Phase);
}

/** Shortest and longest work between two pauses, in seconds. */
const WORK_S = [1200, 3000] as const;

function pauseNow(state: MachineState, type: MachineType): keyof typeof PAUSES | undefined {
  if (state.fuel_l < type.tank_l * 0.15) return 'refuel';
  if (state.rest_in_s > 0) return undefined;
  return random(state) < 0.6 ? 'break' : 'off';
}

/** A truck in the queue and an excavator without one find each other; the longest wait goes first. */
function meet(roster: readonly RosterRow[], states: MachineState[]): void {
  const free = states.filter((state, i) => roster[i]?.kind === 'excavator' && state.phase === 'wait');
  if (free.length === 0) return;
  const queue = states
    .filter((state, i) => roster[i]?.kind === 'haul_truck' && state.phase === 'queue' && state.second >= 20)
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

function newMachine(row: RosterRow, type: MachineType, seed: number): MachineState {
  const state: MachineState = {
    ...parked(type, { hours: 0, idleShare: 0, fuelShare: 0, defShare: 0 }),
    phase: 'off',
    place: 0,
    second: 0,
    length: 0,
    rest_in_s: 0,
    random: seed | 0,
  };
  const age = 2026 - row.year;
  Object.assign(
    state,
    parked(type, {
      hours: age * (900 + 700 * random(state)),
      idleShare: 0.22 + 0.16 * random(state),
      fuelShare: 0.3 + 0.65 * random(state),
      defShare: 0.35 + 0.6 * random(state),
    }),
  );
  const { phases, cycle } = planOf(row, type);
  state.place = row.duty === 'work' ? Math.floor(random(state) * cycle.length) : 0;
  const name = cycle[state.place] as string;
  const phase = phases[name] as Phase;
  enter(state, name, phase);
  state.second = state.length * random(state);
  state.rest_in_s = WORK_S[1] * random(state);
  if (!phase.engine) return state;
  // It has been at work before we look: warm, moving, and loaded where the cycle says so.
  state.rpm = type.idle_rpm + phase.throttle * (type.rated_rpm - type.idle_rpm);
  state.load = phase.load[0];
  state.speed = phase.speed;
  state.payload_t = name === 'haul' || name === 'dump' ? (type.payload_t ?? 0) : 0;
  state.coolant_c = 84;
  state.oil_c = 92;
  state.exhaust_c = 300;
  state.battery_v = 27.9;
  return state;
}

/** The machine's next random number from 0 to 1 (mulberry32). */
function random(state: { random: number }): number {
  state.random = (state.random + 0x6d2b79f5) | 0;
  let t = state.random;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}
