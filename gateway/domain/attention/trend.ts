/** How a value moves: from its present value, its mean five minutes ago, and its mean ten minutes ago. */
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Trend } from '#contract/work/attention.ts';

/** The history of a value: the mean of each time step. `t` is the start of each step in seconds since 1970, ascending. */
export interface Means {
  readonly t: readonly number[];
  readonly v: readonly number[];
}

/** Length of a time step of the history, in seconds. */
export const STEP_S = 60;
/** The trend compares the present value with the value of this many seconds ago. */
const BACK_S = 300;
/** A mean counts as the value of a time if its step begins at most this many seconds earlier or later. */
const NEAR_S = 90;
/** A change by less than this part of the normal range of the signal is no change. */
const QUIET = 0.005;
/** A change by less than this part of the normal range is slow. */
const SLOW = 0.02;

/** Returns the mean of the step nearest to a time; undefined if the history has none near it. */
function meanAt({ t, v }: Means, at_s: number): number | undefined {
  let best: number | undefined;
  let least = NEAR_S;
  for (let i = t.length - 1; i >= 0; i--) {
    const away = Math.abs((t[i] ?? 0) + STEP_S / 2 - at_s);
    if (away > least) continue;
    least = away;
    best = v[i];
  }
  return best;
}

/** Returns how a value moved in the last five minutes; null if its history does not reach back so far. */
export function trendOf(signal: SignalName, value: number, means: Means | undefined, now_ms: number): Trend | null {
  if (means === undefined) return null;
  const now_s = now_ms / 1000;
  const before = meanAt(means, now_s - BACK_S);
  if (before === undefined) return null;
  const { min, max, decimals } = signalRow(signal);
  const quiet = Math.max(QUIET * (max - min), 10 ** -decimals);
  const change = value - before;
  if (Math.abs(change) < quiet) return 'steady';
  const earlier = meanAt(means, now_s - 2 * BACK_S);
  const still = earlier !== undefined && Math.sign(change) * (before - earlier) >= quiet;
  const slow = Math.abs(change) < SLOW * (max - min);
  if (change > 0) return still ? 'still_rising' : slow ? 'rising_slowly' : 'rising';
  return still ? 'still_falling' : slow ? 'falling_slowly' : 'falling';
}

/** True if a value that is past its limit moves further past it. */
export function worsens(trend: Trend | null, below: boolean): boolean {
  return trend?.includes(below ? 'falling' : 'rising') === true;
}
