/**
 * Corrects the times of the frames of a log. `ClockEstimator` has found the stretches: ranges of frames for which the difference between
 * the clock of the device and a trusted clock is known. Within a stretch a later time of the device always gets a later corrected time.
 * Frames outside the stretches keep their times.
 */

import type { FrameBatch } from '#contract/fleet/frame.ts';
import { FRAME } from '#contract/fleet/frame.ts';
import type { SampleClock, TrustedClock } from '#domain/base/sample-clock.ts';
import type { Stretch } from './clock-estimator.ts';
import type { Knot } from './clock-run.ts';

/**
 * The uncertainties that a correction can state, in microseconds. The corrector rounds an uncertainty up to one of them, so it seldom
 * changes.
 */
const LADDER_US = [0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 3_600].map((seconds) => seconds * 1e6);
/** Where readings contradict the result by more than this, in microseconds, the corrector leaves the times as they are. */
const LARGEST_DOUBT_US = 60_000_000;
/** The largest number of labels of a log. A label is the number of a correction in `ClockCorrector.labels`. */
const MAX_LABELS = 4_000;

/** The label of a frame whose time was not corrected. */
export const UNCORRECTED = 0;

/** The corrected time of a moment. `label` is the number of its correction in `labels`. */
interface Corrected {
  t_us: number;
  label: number;
}

/** For each frame of a corrected batch, its label and the time that the device reported. */
export interface CorrectedFrames {
  readonly labels: Uint16Array;
  readonly reported_us: Float64Array;
}

export class ClockCorrector {
  /** The corrections that were used so far. The first one is null: no correction. */
  readonly labels: (SampleClock | null)[] = [null];
  readonly #clock: TrustedClock;
  readonly #stretches: readonly Stretch[];
  /** The number of the frame after the last frame that was corrected. */
  #frames = 0;
  #stretch = 0;
  #label = UNCORRECTED;
  #labelStretch = -1;
  readonly #corrected: Corrected = { t_us: 0, label: UNCORRECTED };

  constructor(clock: TrustedClock, stretches: readonly Stretch[]) {
    this.#clock = clock;
    this.#stretches = stretches;
  }

  /** Leaves out the frames of the log before this one. */
  skipTo(frame: number): void {
    this.#frames = frame;
  }

  /** Corrects the times of the next frames of the log, in place. Returns the labels and the reported times of the frames. */
  correct(batch: FrameBatch): CorrectedFrames {
    const labels = new Uint16Array(batch.count);
    const reported_us = batch.t.slice(0, batch.count);
    for (let i = 0; i < batch.count; i++) {
      if (((batch.flags[i] as number) & FRAME.noTime) !== 0) continue;
      const { t_us, label } = this.at(this.#frames + i, batch.t[i] as number);
      batch.t[i] = t_us;
      labels[i] = label;
    }
    this.#frames += batch.count;
    return { labels, reported_us };
  }

  /**
   * Returns the corrected time of a frame. The numbers of the frames must ascend from call to call. The next call overwrites the result.
   */
  at(frame: number, t_us: number): Readonly<Corrected> {
    const found = this.#corrected;
    found.t_us = t_us;
    found.label = UNCORRECTED;
    const stretch = this.#stretchAt(frame);
    if (stretch === undefined) return found;
    const { ahead_us, distance_us } = aheadAt(stretch.knots, t_us);
    const rung = rungOf(stretch, t_us, distance_us);
    if (rung === undefined) return found;
    found.t_us = t_us - Math.round(ahead_us);
    found.label = this.#labelOf(-ahead_us, rung);
    return found;
  }

  #stretchAt(frame: number): Stretch | undefined {
    const stretches = this.#stretches;
    while (this.#stretch < stretches.length && frame >= (stretches[this.#stretch] as Stretch).to) this.#stretch++;
    const stretch = stretches[this.#stretch];
    return stretch !== undefined && frame >= stretch.from ? stretch : undefined;
  }

  /** Returns the present label if its correction differs from this one by at most half of the uncertainty; otherwise a new label. */
  #labelOf(correction_us: number, uncertainty_us: number): number {
    const known = this.labels[this.#label];
    if (
      known != null &&
      this.#labelStretch === this.#stretch &&
      known.uncertainty_ms * 1000 === uncertainty_us &&
      Math.abs(known.correction_ms * 1000 - correction_us) <= uncertainty_us / 2
    )
      return this.#label;
    if (this.labels.length >= MAX_LABELS) return this.#label;
    this.#labelStretch = this.#stretch;
    this.#label = this.labels.length;
    this.labels.push({
      clock: this.#clock,
      correction_ms: Math.round(correction_us / 1000),
      uncertainty_ms: uncertainty_us / 1000,
    });
    return this.#label;
  }
}

/** Returns the stated uncertainty at a time of the device; undefined if the correction would be too uncertain. */
function rungOf(
  { uncertainty_us, drift, window_us, doubts }: Stretch,
  t_us: number,
  distance_us: number,
): number | undefined {
  let uncertain_us = uncertainty_us + drift * Math.max(0, distance_us - window_us / 2);
  for (const { from_us, to_us, by_us } of doubts) {
    if (t_us < from_us || t_us > to_us) continue;
    if (by_us > LARGEST_DOUBT_US) return undefined;
    uncertain_us += by_us;
  }
  return LADDER_US.find((rung) => rung >= uncertain_us);
}

/**
 * Computes by how much the clock of the device was ahead at this time, from the knots (known differences) before and after it, and returns
 * it with the distance to the nearest knot. Before the first knot and after the last knot, the difference of that knot applies.
 */
function aheadAt(knots: readonly Knot[], t_us: number): { readonly ahead_us: number; readonly distance_us: number } {
  let low = 0;
  let high = knots.length - 1;
  const [first, last] = [knots[0] as Knot, knots[high] as Knot];
  if (t_us <= first.t_us) return { ahead_us: first.ahead_us, distance_us: first.t_us - t_us };
  if (t_us >= last.t_us) return { ahead_us: last.ahead_us, distance_us: t_us - last.t_us };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((knots[middle] as Knot).t_us <= t_us) low = middle;
    else high = middle;
  }
  const [before, after] = [knots[low] as Knot, knots[high] as Knot];
  const share = (t_us - before.t_us) / (after.t_us - before.t_us);
  return {
    ahead_us: before.ahead_us + share * (after.ahead_us - before.ahead_us),
    distance_us: Math.min(t_us - before.t_us, after.t_us - t_us),
  };
}
