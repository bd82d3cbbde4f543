/**
 * The breakdowns of a machine: a table of what can break, and the stages of a breakdown. Time counts only while the engine runs.
 *
 *   healthy ─(engine hours)─▶ warns: first codes ─▶ worse: more serious codes ─▶ stopped ─▶ repair ─▶ healthy, no codes
 */

import { between, random, type Stream } from '#domain/base/random.ts';
import type { DtcCode, LampSet } from '#domain/j1939/encode.ts';

/** The effect of a breakdown on the physics of the machine while it lasts. */
export interface Strain {
  /** Added to the target temperature of the coolant, in °C. */
  readonly heat_c?: number;
  /** Subtracted from the oil pressure, in kPa. */
  readonly oil_kpa?: number;
  /** The alternator does not charge. */
  readonly no_charge?: true;
  /** The share of the requested power that the engine gives. */
  readonly derate?: number;
}

interface Stage {
  readonly codes: readonly Pick<DtcCode, 'spn' | 'fmi'>[];
  readonly lamps: LampSet;
  readonly strain: Strain;
}

interface Trouble {
  readonly warns: Stage;
  readonly worse: Stage;
}

const amber = { amber: true } as const;
const red = { red: true } as const;

// The SPNs are from SAE J1939-71, and the FMIs from J1939-73 appendix A.
const TROUBLES = {
  cooling: {
    warns: { codes: [{ spn: 110, fmi: 16 }], lamps: amber, strain: { heat_c: 12 } },
    worse: {
      codes: [
        { spn: 110, fmi: 0 },
        { spn: 111, fmi: 1 },
      ],
      lamps: red,
      strain: { heat_c: 24, derate: 0.7 },
    },
  },
  oil_pressure: {
    warns: { codes: [{ spn: 100, fmi: 18 }], lamps: amber, strain: { oil_kpa: 90 } },
    worse: { codes: [{ spn: 100, fmi: 1 }], lamps: red, strain: { oil_kpa: 170 } },
  },
  charging: {
    warns: { codes: [{ spn: 168, fmi: 18 }], lamps: amber, strain: { no_charge: true } },
    worse: {
      codes: [
        { spn: 168, fmi: 1 },
        { spn: 167, fmi: 1 },
      ],
      lamps: { ...amber, ...red },
      strain: { no_charge: true },
    },
  },
  soot: {
    warns: { codes: [{ spn: 3719, fmi: 16 }], lamps: { ...amber, mil: true }, strain: { derate: 0.9 } },
    worse: {
      codes: [
        { spn: 3719, fmi: 16 },
        { spn: 3719, fmi: 0 },
        { spn: 3251, fmi: 0 },
      ],
      lamps: { ...amber, ...red, mil: true },
      strain: { derate: 0.6 },
    },
  },
  fuel_supply: {
    warns: { codes: [{ spn: 94, fmi: 18 }], lamps: amber, strain: { derate: 0.85 } },
    worse: { codes: [{ spn: 94, fmi: 1 }], lamps: red, strain: { derate: 0.6 } },
  },
  hydraulics: {
    warns: { codes: [{ spn: 1638, fmi: 16 }], lamps: { protect: true }, strain: {} },
    worse: { codes: [{ spn: 1638, fmi: 0 }], lamps: { ...red, protect: true }, strain: { derate: 0.7 } },
  },
} as const satisfies Record<string, Trouble>;
type TroubleKind = keyof typeof TROUBLES;
const KINDS = Object.keys(TROUBLES) as TroubleKind[];

/** Shortest and longest time from the first trouble code to the standstill, in seconds of running engine. */
const COURSE_S = [900, 3000] as const;
const WORSE_FROM = 2 / 3;
/** Seconds of running engine after a repair, or after the start of the simulation, in which nothing breaks. */
const GRACE_S = 3600;
/** Highest value of the occurrence counter of a trouble code (SAE J1939-73 5.7.1.11). */
const MOST_OCCURRENCES = 126;

/** The state of the next or current breakdown of a machine. It has only plain values, so that it can be stored as JSON. */
export interface Breakdown extends Stream {
  kind: TroubleKind;
  stage: 'sound' | 'warns' | 'worse' | 'stopped';
  /** Seconds of running engine until the stage ends. */
  left_s: number;
  /** Seconds of running engine from the first trouble code to the standstill. */
  course_s: number;
  /** How often each kind of breakdown has occurred. */
  occurred: Partial<Record<TroubleKind, number>>;
}

/** Creates the state of a machine without a breakdown, and draws its first breakdown. `mtbf_h`: mean engine hours between breakdowns. */
export function noBreakdown(stream: Stream, mtbf_h: number): Breakdown {
  const breakdown: Breakdown = { ...stream, kind: 'cooling', stage: 'sound', left_s: 0, course_s: 0, occurred: {} };
  repaired(breakdown, mtbf_h);
  return breakdown;
}

/**
 * Ends the breakdown, and draws the kind and the time of the next one. The next breakdown begins after `GRACE_S` plus an exponentially
 * distributed number of engine hours.
 */
export function repaired(state: Breakdown, mtbf_h: number): void {
  state.stage = 'sound';
  state.kind = KINDS[Math.floor(random(state) * KINDS.length)] as TroubleKind;
  state.left_s = GRACE_S - Math.log(1 - random(state)) * mtbf_h * 3600;
}

/** Adds `dt` seconds of running engine. Returns true in the step in which the machine breaks down and stops. */
export function wear(state: Breakdown, dt: number): boolean {
  if (state.stage === 'stopped') return false;
  state.left_s -= dt;
  if (state.left_s > 0) return false;
  if (state.stage === 'sound') {
    state.occurred[state.kind] = Math.min((state.occurred[state.kind] ?? 0) + 1, MOST_OCCURRENCES);
    state.stage = 'warns';
    state.course_s = between(state, COURSE_S);
    state.left_s = state.course_s * WORSE_FROM;
  } else if (state.stage === 'warns') {
    state.stage = 'worse';
    state.left_s = state.course_s * (1 - WORSE_FROM);
  } else {
    state.stage = 'stopped';
    return true;
  }
  return false;
}

function stageOf(state: Breakdown): Stage | undefined {
  if (state.stage === 'sound') return undefined;
  return TROUBLES[state.kind][state.stage === 'warns' ? 'warns' : 'worse'];
}

/** Returns the present effect of the breakdown on the machine. */
export function strainOf(state: Breakdown): Strain {
  return stageOf(state)?.strain ?? {};
}

/** Returns the trouble codes and lamps that the breakdown causes at present. */
export function faultsOf(state: Breakdown): { readonly codes: readonly DtcCode[]; readonly lamps: LampSet } {
  const stage = stageOf(state);
  if (stage === undefined) return { codes: [], lamps: {} };
  const count = state.occurred[state.kind] ?? 1;
  return { codes: stage.codes.map((code) => ({ ...code, count })), lamps: stage.lamps };
}
