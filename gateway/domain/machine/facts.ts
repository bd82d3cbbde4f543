/**
 * The facts: the state of a device or machine as a plain JSON object. The functions of this folder change this object in place. The code
 * that processes device messages stores copies of the object on disk (snapshots).
 */

import type { SignalName } from '#contract/base/signals.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';
import type { Lamps } from '#domain/j1939/faults.ts';
import type { EngineCount } from './engine-count.ts';
import type { MeterState } from './meter-state.ts';
import type { Pace } from './pace.ts';

/** A value of a signal, its times, and the frame that it comes from. */
export interface Sample {
  observed_us: number;
  received_us: number;
  value: number;
  raw: number | null;
  run_id: string | null;
  ref: string | null;
  /** Index of the frame in its MQTT message; NONE for telemetry points. */
  frame: number;
}

/** An implausible meter reading. It waits for the next reading, which confirms or rejects it. */
export interface Held extends Sample {
  /** True if the gateway logged a `meter.held` event for this reading. */
  readonly told: boolean;
}

/** The newest reading of one source of one signal. */
export interface Reading extends Sample {
  readonly device: string;
  readonly bus: number;
  /** Source address of the control unit when the value was read. The control unit may have another address now. */
  sa: number;
  /** Number of the control unit, which stays the same when the address changes. Older snapshots do not have it; use `sa` then. */
  readonly unit?: number;
  readonly pgn: number;
  /** SPN; NONE for a telemetry point; a number below NONE for a DBC signal (`LiveTarget.key`) or a GNSS quantity. */
  readonly spn: number;
  /** The DBC file version, message and signal, if the value was decoded with a DBC file. */
  dbc?: string;
  /** Rank of the source. If a signal has several sources, the source with the lowest rank provides the value. */
  readonly rank: number;
  /** Time of the first value that this source sent, in microseconds since 1970. */
  since_us: number;
  /** Newest timestamp that the source itself sent. If this field is absent, use `observed_us`. */
  dated_us?: number;
  held?: Held;
  /** How often the source delivers. Absent before the first reading with a timestamp, and in snapshots of earlier builds. */
  pace?: Pace;
  /** Time of the last `meter.held` event of this source. */
  told_us?: number;
}

export interface SignalState {
  /** Index in `sources` of the source that provides the value of the signal. */
  holder: number;
  /** Time of the newest value of all sources. */
  newest_us: number;
  readonly sources: Reading[];
}

/**
 * The live status, and a timer for each status. A timer is the time, by the clock of the frames, since which the values fit this status; it
 * is 0 while the values do not fit the status.
 */
export interface LiveState {
  status: LiveStatus;
  since_us: number | null;
  /** Time of the newest fresh data of any kind. */
  last_us: number;
  /** Time of the newest fresh engine speed, engine load or ground speed. */
  evidence_us: number;
  running_us: number;
  idle_us: number;
  turning_us: number;
  off_us: number;
}

export interface ActiveCode {
  spn: number | null;
  fmi: number;
  occurrence_count: number | null;
  raw: string;
  since_us: number;
}

/** The last DM1 message (active trouble codes) of one control unit. */
export interface FaultSource {
  readonly device: string;
  readonly bus: number;
  /** Source address of the control unit in its last DM1. */
  sa: number;
  /** Number of the control unit, which stays the same when the address changes. Older snapshots do not have it; use `sa` then. */
  readonly unit?: number;
  observed_us: number;
  /** Newest timestamp that the unit itself sent. If this field is absent, use `observed_us`. */
  dated_us?: number;
  /** Value of the bus clock when the last DM1 arrived. */
  heard_us: number;
  lamps: Lamps;
  codes: ActiveCode[];
}

/** The last DM2 message (previously active trouble codes) of one control unit. */
export interface PreviousFaults {
  readonly device: string;
  readonly bus: number;
  readonly unit: number;
  observed_us: number;
  /** One text per trouble code: its SPN, or the raw code if the SPN is unknown, and its FMI (failure mode). */
  codes: string[];
}

/**
 * The time for which the gateway has listened to a bus: the sum of the times between received frames. If the time between two frames is
 * longer than 1 s, it counts as 1 s.
 */
interface BusClock {
  readonly device: string;
  readonly bus: number;
  t_us: number;
  heard_us: number;
}

interface FaultState {
  /** Time of the newest DM1; null before the first. */
  observed_us: number | null;
  /** Time of the newest DM1 that came after more than a day without any; absent if there was none. */
  resumed_us?: number;
  sources: FaultSource[];
  buses: BusClock[];
  /** The last DM2 of each control unit; absent until the first DM2. */
  previous?: PreviousFaults[];
}

export interface Facts {
  readonly version: 1;
  /** Newest timestamp in this state. */
  newest_us: number;
  readonly signals: Partial<Record<SignalName, SignalState>>;
  readonly live: LiveState;
  readonly faults: FaultState;
  /** The segments of each meter. Absent until the first reading, and in snapshots of earlier builds. */
  meters?: Partial<Record<SignalName, MeterState>>;
  /** The engine hours that the gateway counted. Absent until the first engine speed. */
  counted?: EngineCount;
}

/** Creates the state of a device or machine that has sent nothing. */
export function createFacts(): Facts {
  return {
    version: 1,
    newest_us: 0,
    signals: {},
    live: {
      status: 'unknown',
      since_us: null,
      last_us: 0,
      evidence_us: 0,
      running_us: 0,
      idle_us: 0,
      turning_us: 0,
      off_us: 0,
    },
    faults: { observed_us: null, sources: [], buses: [] },
  };
}
