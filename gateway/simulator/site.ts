/**
 * A simulated quarry: computes J1939 frames and the true state of each machine from a seed and the time. The simulation is deterministic:
 * with the same seed, start and end it computes the same frames, whether the caller uses one call of `advance` or many. A site can also
 * start from a snapshot (the stored state of a site) and continue from there.
 */
import { FrameBatch } from '#contract/fleet/frame.ts';
import { type DtcCode, type LampSet, pushFrame } from '#domain/j1939/encode.ts';
import type { Physics } from './engine.ts';
import { type DueFrame, framesAt, TICK_MS } from './frames.ts';
import { placeOn } from './ground.ts';
import { inWindow, machineType, ROSTER, type RosterRow } from './machines.ts';
import { handoverOf, type Operator, type Shift, shiftAt } from './people.ts';
import { type Breakdown, faultsOf } from './troubles.ts';
import { isPowered, live, type MachineState, type Member, meet, newMachine, phaseOf, skipTo } from './work.ts';

export interface SiteSnapshot {
  readonly version: 1;
  readonly now_ms: number;
  /** Number of simulated steps. */
  readonly ticks: number;
  readonly machines: readonly MachineState[];
}

/** The true state of a machine, which may differ from what its logger sends. */
export interface Truth {
  readonly status: 'running' | 'idle' | 'off';
  readonly engine_hours: number;
  readonly idle_hours: number;
  readonly fuel_used_l: number;
  /** Fuel level in percent of the tank. */
  readonly fuel_level: number;
  /** Active trouble codes. */
  readonly codes: readonly DtcCode[];
  readonly lamps: LampSet;
  readonly breakdown: Breakdown['stage'];
  /** The operator who drives; null during the change of shifts, and for a machine without an operator. */
  readonly operator: Operator | null;
  /** True while the control units of the machine send frames. */
  readonly powered: boolean;
  readonly phase: string;
}

/** A change of the true state of a machine in one step. */
export interface TruthChange {
  readonly at_ms: number;
  readonly machine: number;
  readonly truth: Truth;
}

export interface Site {
  readonly roster: readonly RosterRow[];
  /** The time up to which the site is simulated, in milliseconds since 1970. */
  readonly now_ms: number;
  /**
   * Simulates up to a time and adds each machine's frames to its batch. A parameter group with an interval below `least_ms` is sent every
   * `least_ms`.
   */
  advance(to_ms: number, batches: readonly FrameBatch[], least_ms?: number): void;
  truth(machine: number): Truth;
  /** The shift at `now_ms` by the timetable. Each machine changes its operator some minutes before or after that time. */
  readonly shift: Shift;
  /** The physical state of a machine, for example its speed and fuel level. */
  physics(machine: number): Readonly<Physics & { phase: string }>;
  snapshot(): SiteSnapshot;
  /**
   * Returns an estimate of the snapshot at a later time, without advancing this site. The meters in the estimate are at least as high as in
   * every frame up to that time. So a site that continues from the estimate never sends a lower meter value.
   */
  snapshotAt(to_ms: number): SiteSnapshot;
}

export interface SiteOptions {
  readonly seed: number;
  readonly start_ms: number;
  /** A snapshot from which the site continues at `start_ms`. The time between the snapshot and `start_ms` is not simulated. */
  readonly from?: SiteSnapshot;
  readonly roster?: readonly RosterRow[];
  /** Local time minus UTC in milliseconds, for the start of the shifts; 0 when absent. */
  readonly zone_ms?: number;
  /** Called for each change of status, codes, breakdown, operator or power, in order, and for the state at the start. */
  readonly onChange?: (change: TruthChange) => void;
}

const DT_S = TICK_MS / 1000;
/** If at least this many milliseconds were not simulated, the machines get the operators of the current shift without a handover. */
const SKIP_MS = 3_600_000;

/** Creates a site. At its start some machines work and some idle, and each has its own engine hours and fuel level. */
export function createSite(options: SiteOptions): Site {
  const { seed, from, onChange } = options;
  const zone_ms = options.zone_ms ?? 0;
  const roster = options.roster ?? ROSTER;
  const members = roster.map(
    (row, index): Member => ({ index, row, type: machineType(row.kind), change_ms: handoverOf(index, seed) }),
  );
  // Begin at a whole multiple of the step, so that two simulations with different starts send their frames at the same times.
  let now_ms = Math.ceil(options.start_ms / TICK_MS) * TICK_MS;
  let ticks = from?.ticks ?? 0;
  const start = { seed, now_ms, zone_ms };
  // A snapshot of an earlier version may lack fields. Take the missing fields from a new machine.
  const states = members.map((of, i) => ({ ...newMachine(of, start), ...structuredClone(from?.machines[i]) }));
  if (from !== undefined && now_ms - from.now_ms > SKIP_MS)
    for (const of of members) skipTo(states[of.index] as MachineState, of, start);
  const later: DueFrame[][] = roster.map(() => []);
  const ticksOn = roster.map(() => 0);
  const told: string[] = [];

  function faults(of: Member): { codes: readonly DtcCode[]; lamps: LampSet } {
    const second = ticks * DT_S;
    const own = of.row.codes.filter((code) => code.active === undefined || inWindow(code.active, second));
    const trouble = faultsOf((states[of.index] as MachineState).trouble);
    const plain = own.map(({ spn, fmi, count }) => ({ spn, fmi, count }));
    return {
      codes: [...plain, ...trouble.codes],
      lamps: { ...(own.length > 0 ? of.row.lamps : {}), ...trouble.lamps },
    };
  }

  function truth(of: Member): Truth {
    const state = states[of.index] as MachineState;
    const phase = phaseOf(state, of);
    return {
      status: !phase.engine ? 'off' : phase.throttle === 0 ? 'idle' : 'running',
      engine_hours: state.hours,
      idle_hours: state.idle_hours,
      fuel_used_l: state.used_l,
      fuel_level: (100 * state.fuel_l) / of.type.tank_l,
      ...faults(of),
      breakdown: state.trouble.stage,
      operator: state.operator,
      powered: isPowered(state),
      phase: state.phase,
    };
  }

  function tellChange(of: Member): void {
    const now = truth(of);
    const { status, codes, lamps, breakdown, operator, powered } = now;
    const key = JSON.stringify([status, codes, lamps, breakdown, operator, powered]);
    if (told[of.index] === key) return;
    told[of.index] = key;
    onChange?.({ at_ms: now_ms, machine: of.index, truth: now });
  }

  function tick(batches: readonly FrameBatch[], least_ms: number): void {
    meet(members, states);
    const at = { seed, now_ms, zone_ms };
    for (const of of members) {
      const i = of.index;
      const state = states[i] as MachineState;
      live(state, of, at, DT_S);
      if (onChange !== undefined) tellChange(of);
      if (!isPowered(state)) {
        ticksOn[i] = 0;
        later[i] = [];
        continue;
      }
      const turn = { now_ms, ticksOn: ticksOn[i] as number, least_ms, machine: i, unit: of.row.unit };
      const due = framesAt(
        state,
        of.type,
        (m) => placeOn(of.row.kind, m.road_m, i),
        () => faults(of),
        turn,
      );
      const held = later[i] as DueFrame[];
      later[i] = send(held.length > 0 ? [...held, ...due] : due, batches[i] as FrameBatch, now_ms);
      ticksOn[i] = turn.ticksOn + 1;
    }
    now_ms += TICK_MS;
    ticks++;
  }

  const snapshot = (): SiteSnapshot => ({ version: 1, now_ms, ticks, machines: structuredClone(states) });

  return {
    roster,
    get now_ms() {
      return now_ms;
    },
    advance(to_ms, batches, least_ms = 0) {
      while (now_ms < to_ms) tick(batches, least_ms);
    },
    truth: (machine) => truth(members[machine] as Member),
    get shift() {
      return shiftAt(now_ms, zone_ms);
    },
    physics: (machine) => states[machine] as MachineState,
    snapshot,
    snapshotAt(to_ms) {
      const copy = createSite({ seed, zone_ms, roster, start_ms: now_ms, from: snapshot() });
      copy.advance(
        to_ms,
        roster.map(() => new FrameBatch(256)),
        to_ms,
      );
      return copy.snapshot();
    },
  };
}

/** Adds the frames of this step to the batch in order of time; returns the frames of later steps. */
function send(frames: DueFrame[], into: FrameBatch, now_ms: number): DueFrame[] {
  const end_us = (now_ms + TICK_MS) * 1000;
  frames.sort((a, b) => a.t_us - b.t_us);
  const at = frames.findIndex((frame) => frame.t_us >= end_us);
  const due = at < 0 ? frames.length : at;
  for (let i = 0; i < due; i++) {
    const frame = frames[i] as DueFrame;
    pushFrame(into, frame.t_us, 0, frame.id, frame.data);
  }
  return frames.slice(due);
}
