/**
 * Breakdowns, as tables and as a course over engine time.
 *
 *   sound ─(engine hours)─▶ warns: first codes ─▶ worse: graver codes ─▶ stopped ─▶ repair ─▶ sound, codes gone
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
  /** The engine gives this share of what is asked. */
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

// SPN and FMI as SAE J1939-71 and J1939-73 appendix A name them.
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

/** Engine seconds from the first code to the standstill; the last third of them is worse. */
const COURSE_S = [900, 3000] as const;
const WORSE_FROM = 2 / 3;
/** Nothing breaks within the first engine seconds after a repair or the start. */
const GRACE_S = 3600;
/** The occurrence counter of a code ends here (SAE J1939-73 5.7.1.11). */
const MOST_OCCURRENCES = 126;

/** The state of the next or current breakdown of a machine; JSON. */
export interface Breakdown extends Stream {
  kind: TroubleKind;
  stage: 'sound' | 'warns' | 'worse' | 'stopped';
  /** Engine seconds left of the stage. */
  left_s: number;
  /** Engine seconds of the whole course. */
  course_s: number;
  /** How often each kind of breakdown has occurred. */
  occurred: Partial<Record<TroubleKind, number>>;
}

/** A sound machine; its first breakdown is drawn. */
export function noBreakdown(stream: Stream, mtbf_h: number): Breakdown {
  const breakdown: Breakdown = { ...stream, kind: 'cooling', stage: 'sound', left_s: 0, course_s: 0, occurred: {} };
  repaired(breakdown, mtbf_h);
  return breakdown;
}

/** Draws the next breakdown: exponential in engine hours, after a while of grace. */
export function repaired(state: Breakdown, mtbf_h: number): void {
  state.stage = 'sound';
  state.kind = KINDS[Math.floor(random(state) * KINDS.length)] as TroubleKind;
  state.left_s = GRACE_S - Math.log(1 - random(state)) * mtbf_h * 3600;
}

/** Lets the engine run for `dt` seconds; true at the moment when the machine stops for good. */
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

/** The effect of the breakdown on the machine now. */
export function strainOf(state: Breakdown): Strain {
  return stageOf(state)?.strain ?? {};
}

/** The active trouble codes and lamps of the breakdown. */
export function faultsOf(state: Breakdown): { readonly codes: readonly DtcCode[]; readonly lamps: LampSet } {
  const stage = stageOf(state);
  if (stage === undefined) return { codes: [], lamps: {} };
  const count = state.occurred[state.kind] ?? 1;
  return { codes: stage.codes.map((code) => ({ ...code, count })), lamps: stage.lamps };
}
