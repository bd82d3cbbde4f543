/** The state of a device or machine: plain JSON, changed in place by the rules beside it, snapshotted by its owner. */

import type { SignalName } from '#contract/base/signals.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';
import type { Lamps } from '#domain/j1939/faults.ts';

/** What one sample says, and where it came from. */
export interface Sample {
  observed_us: number;
  received_us: number;
  value: number;
  raw: number | null;
  run_id: string | null;
  ref: string | null;
  /** Index of the frame in its message; NONE for points. */
  frame: number;
}

/** A meter's reading that does not follow from what is known, until the next one speaks for it or against it. */
export interface Held extends Sample {
  /** Its event is in the log. */
  readonly told: boolean;
}

/** The newest reading of one source of one signal. */
export interface Reading extends Sample {
  readonly device: string;
  readonly bus: number;
  /** Where the reading came from; the unit may have moved since. */
  sa: number;
  /** The control unit, whatever its address; the address where it is absent (snapshots of earlier builds). */
  readonly unit?: number;
  readonly pgn: number;
  /** Below -1 where a DBC file is read: it stands for message and signal. */
  readonly spn: number;
  /** Version of a DBC file, message and signal, where one was read. */
  dbc?: string;
  /** Lower is preferred. */
  readonly rank: number;
  /** First observation of this source. */
  since_us: number;
  /** Newest date that the source itself told; the time of the reading where it is absent. */
  dated_us?: number;
  held?: Held;
  /** When a held reading was last told. */
  told_us?: number;
}

export interface SignalState {
  /** Index in `sources` of the one whose reading stands for the signal. */
  holder: number;
  /** Newest observation over all sources. */
  newest_us: number;
  readonly sources: Reading[];
}

/** Evidence timers run on frame time; 0 is "not now". */
export interface LiveState {
  status: LiveStatus;
  since_us: number | null;
  /** Newest fresh observation of anything. */
  last_us: number;
  /** Newest fresh observation that says something about the engine or the wheels. */
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

/** The last DM1 of one control unit. */
export interface FaultSource {
  readonly device: string;
  readonly bus: number;
  /** Address that it was last heard at. */
  sa: number;
  /** The control unit, whatever its address; the address where it is absent (snapshots of earlier builds). */
  readonly unit?: number;
  observed_us: number;
  /** Newest date that the unit's messages told; the time of the last one where it is absent. */
  dated_us?: number;
  /** What the bus clock said then. */
  heard_us: number;
  lamps: Lamps;
  codes: ActiveCode[];
}

/** The last DM2 of one control unit. */
export interface PreviousFaults {
  readonly device: string;
  readonly bus: number;
  readonly unit: number;
  observed_us: number;
  /** SPN, or raw code, and FMI of each. */
  codes: string[];
}

/** Time that a bus has been listened to: the sum of gaps between what was heard, each 1 s at most. */
interface BusClock {
  readonly device: string;
  readonly bus: number;
  t_us: number;
  heard_us: number;
}

interface FaultState {
  /** Newest DM1 ever heard; null before the first. */
  observed_us: number | null;
  sources: FaultSource[];
  buses: BusClock[];
  /** Absent until a DM2 is heard. */
  previous?: PreviousFaults[];
}

export interface Facts {
  readonly version: 1;
  /** Newest time of anything here. */
  newest_us: number;
  readonly signals: Partial<Record<SignalName, SignalState>>;
  readonly live: LiveState;
  readonly faults: FaultState;
}

/** Nothing known yet. */
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
