/**
 * What a value may still claim. The gateway judges; without it a screen goes on judging by the same thresholds,
 * and only ever downwards, so that nothing looks fresh because nobody said otherwise.
 */

import { type Freshness, freshness } from '#contract/base/signals.ts';
import type { Aged, MachineTile } from '#contract/site/live.ts';

/** The moment of drawing, on the gateway's clock. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** False once the gateway has been silent too long. */
  readonly live: boolean;
  /** When the gateway was last heard, milliseconds since 1970. */
  readonly heard: number;
}

const RANK: Record<Freshness, number> = { fresh: 0, ageing: 1, stale: 2, none: 3, never: 4 };

/** A running engine is not believed longer than this without data, as on the gateway. */
const STATUS_MS = 300_000;

function worse(a: Freshness, b: Freshness): Freshness {
  return RANK[a] >= RANK[b] ? a : b;
}

function ownJudgement(value: Partial<Aged> | null, asOf: number | null, at: Moment): Freshness {
  const age = (at.now - (asOf ?? at.heard)) / 1000;
  return freshness(value?.kind ?? 'gauge', value?.interval_s ?? 1, age, value?.max_age_s);
}

/** How far a value can be believed at this moment. */
export function valueFreshness(value: Aged, at: Moment): Freshness {
  if (value.freshness === 'never') return 'never';
  if (at.live && value.interval_s === undefined) return value.freshness;
  return worse(value.freshness, ownJudgement(value, value.as_of_ms, at));
}

/** How far a machine's live side can be believed at this moment. */
export function machineFreshness(machine: MachineTile, at: Moment): Freshness {
  if (machine.freshness === 'never' || at.live) return machine.freshness;
  const gauge = machine.primary?.kind === 'gauge' || machine.primary?.kind === undefined ? machine.primary : null;
  const bound = machine.max_age_s === undefined ? {} : { max_age_s: machine.max_age_s };
  return worse(machine.freshness, ownJudgement({ ...gauge, ...bound }, machine.last_data_ms, at));
}

/** The live status that may be shown; unknown once nobody vouches for it. */
export function shownStatus(machine: MachineTile, at: Moment): MachineTile['live_status'] {
  const judged = machineFreshness(machine, at);
  if (judged === 'none' || judged === 'never') return 'unknown';
  if (!at.live && at.now - (machine.last_data_ms ?? at.heard) > STATUS_MS) return 'unknown';
  return machine.live_status;
}
