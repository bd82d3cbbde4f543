/**
 * Builds the series of one signal from samples, or from the statistics of minutes, in ascending order: single samples or time steps, with
 * extremes and gaps (times without values).
 */
import { freshness } from '#contract/base/freshness.ts';
import type { SignalName } from '#contract/base/signals.ts';
import { signalRow } from '#contract/base/signals.ts';
import { MAX_GAPS_LISTED, type TelemetrySeries } from '#contract/fleet/telemetry.ts';
import type { SampleClock } from '#domain/base/sample-clock.ts';
import { type MinuteSeries, partsOf } from '#domain/history/minutes.ts';
import type { StateRange } from '#domain/history/states.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';
import { CorrectionNotes } from './corrected-times.ts';

type Sample = NonNullable<TelemetrySeries['lowest']>;

const MINUTE_MS = 60_000;
/** The bits of half a minute in which every second has a value. */
const ALL_SECONDS = 2 ** 30 - 1;

/** How many values of a minute have corrected times, and the correction. */
export interface CorrectedMinute {
  readonly clock: SampleClock;
  readonly values: number;
}

/** The statistics of the minutes of one signal: one row for each minute, in ascending order. */
export interface ReadMinutes {
  readonly series: MinuteSeries;
  /** Index of the first row of the range, and index after its last row. */
  readonly from: number;
  readonly to: number;
  /** The minutes with corrected times, by the index of their row. */
  readonly corrected: ReadonlyMap<number, CorrectedMinute>;
}

export class SeriesBuilder {
  readonly signal: SignalName;
  /** The last sample before the range; null if there is none. */
  before: Sample | null = null;
  /** The times in which a control unit reported a state instead of a value. */
  states: readonly StateRange[] = [];
  private readonly from_ms: number;
  private readonly step_ms: number | null;
  private readonly stale_ms: number;
  /** The statistics of a minute store a sum as a whole number of parts. One unit of the signal has this many parts. */
  private readonly parts: number;
  private samples = 0;
  private lowest: Sample | null = null;
  private highest: Sample | null = null;
  /** Lowest and highest values that came from the statistics of a minute, so that only their minute is known and not their second. */
  private readonly ofMinutes = new WeakSet<Sample>();
  private readonly corrections = new CorrectionNotes();
  private readonly gaps: { from: number; to: number }[] = [];
  private gapsTotal = 0;
  /** The time of the last sample. Before the first sample it is the start of the range. */
  private last_ms: number;
  private sum = 0;
  private readonly t: number[] = [];
  /** For single samples, their values; for time steps, the value of the last sample of each step. */
  private readonly last: number[] = [];
  private readonly min: number[] = [];
  private readonly min_t: number[] = [];
  private readonly max: number[] = [];
  private readonly max_t: number[] = [];
  private readonly mean: number[] = [];
  private readonly count: number[] = [];

  constructor(signal: SignalName, from_ms: number, step_s: number | null) {
    this.signal = signal;
    this.from_ms = from_ms;
    this.last_ms = from_ms;
    this.step_ms = step_s === null ? null : step_s * 1000;
    this.stale_ms = staleAfterUs(signal) / 1000;
    this.parts = partsOf(signal);
  }

  /** Adds a sample that is newer than the values before. `clock` is the correction of its time, if its time was corrected. */
  add(t: number, value: number, clock?: SampleClock): void {
    if (clock !== undefined) this.corrections.add(t, 1, clock);
    this.closeGap(t);
    this.last_ms = t;
    if (this.step_ms !== null) {
      this.samples++;
      this.noteExtremes(t, value, value);
      const at = this.stepAt(t);
      this.extend(at, t, value, value);
      this.close(at, 1, value, value);
      return;
    }
    this.samples++;
    this.noteExtremes(t, value, value);
    this.t.push(t);
    this.last.push(value);
  }

  /** Adds the values of minutes that are newer than the values before. Steps must be whole minutes. */
  addMinutes({ series, from, to, corrected }: ReadMinutes): void {
    const { m, n, min, max, sum, last, early, late } = series;
    for (let i = from; i < to; i++) {
      const t = (m[i] as number) * MINUTE_MS;
      const correction = corrected.get(i);
      if (correction !== undefined) this.corrections.add(t, correction.values, correction.clock);
      this.addSeconds(t, early[i] as number);
      this.addSeconds(t + MINUTE_MS / 2, late[i] as number);
      const { lowest, highest } = this;
      const values = n[i] as number;
      this.samples += values;
      this.noteExtremes(t, min[i] as number, max[i] as number);
      const at = this.stepAt(t);
      this.extend(at, t, min[i] as number, max[i] as number);
      this.close(at, values, (sum[i] as number) / this.parts, last[i] as number);
      if (this.lowest !== null && this.lowest !== lowest) this.ofMinutes.add(this.lowest);
      if (this.highest !== null && this.highest !== highest) this.ofMinutes.add(this.highest);
    }
  }

  /** Returns the series. A gap at the end of the series ends at `end_ms` at the latest. */
  finish(end_ms: number): TelemetrySeries {
    this.closeGap(end_ms);
    const { label, unit } = signalRow(this.signal);
    const { t, last, min, min_t, max, max_t, mean, count } = this;
    return {
      signal: this.signal,
      label,
      unit,
      samples: this.samples,
      lowest: this.lowest,
      highest: this.highest,
      latest_before: this.latestBefore(),
      stale_after_s: this.stale_ms / 1000,
      gaps: this.gaps,
      gaps_total: this.gapsTotal,
      states: this.states.slice(0, MAX_GAPS_LISTED).map(({ state, from, to: last_s }) => ({
        state,
        from: from * 1000,
        to: last_s * 1000,
      })),
      states_total: this.states.length,
      corrected: this.corrections.list(),
      t,
      ...(this.step_ms === null ? { value: last } : { min, min_t, max, max_t, mean, last, count }),
    };
  }

  /** Returns the last sample before the range, and how current it was at the start of the range. */
  private latestBefore(): TelemetrySeries['latest_before'] {
    const { before, signal, from_ms } = this;
    if (before === null) return null;
    const { kind, interval_s } = signalRow(signal);
    return { ...before, freshness: freshness(kind, interval_s, (from_ms - before.t) / 1000) };
  }

  private closeGap(to: number): void {
    if (to - this.last_ms <= this.stale_ms) return;
    this.gapsTotal++;
    if (this.gaps.length < MAX_GAPS_LISTED) this.gaps.push({ from: this.last_ms, to });
  }

  /** Records the gaps between the seconds of half a minute that have a value. Bit 0 of `bits` is the second at `start`. */
  private addSeconds(start: number, bits: number): void {
    if (bits === 0) return;
    // If every second has a value, a gap is possible only between the previous value and `start`.
    if (bits === ALL_SECONDS) {
      this.closeGap(start);
      this.last_ms = start + MINUTE_MS / 2 - 1_000;
      return;
    }
    for (let second = 0; second < 30; second++) {
      if ((bits & (1 << second)) === 0) continue;
      this.closeGap(start + second * 1_000);
      this.last_ms = start + second * 1_000;
    }
  }

  /**
   * Returns the lowest and the highest value if they came from the statistics of a minute. Their times are the starts of the minutes; the
   * caller may set the exact times.
   */
  extremesOfMinutes(): Sample[] {
    return [this.lowest, this.highest].filter((one) => one !== null && this.ofMinutes.has(one)) as Sample[];
  }

  private noteExtremes(t: number, min: number, max: number): void {
    if (this.lowest === null || min < this.lowest.value) this.lowest = { t, value: min };
    if (this.highest === null || max > this.highest.value) this.highest = { t, value: max };
  }

  /** Returns the index of the step of a time, which is the last step or a new one. */
  private stepAt(t: number): number {
    const step_ms = this.step_ms as number;
    const start = Math.floor(t / step_ms) * step_ms;
    const at = this.t.length - 1;
    return this.t[at] === start ? at : this.openStep(start);
  }

  /** Adds the lowest and the highest value at `t` to a step. */
  private extend(at: number, t: number, min: number, max: number): void {
    if (min < (this.min[at] as number)) {
      this.min[at] = min;
      this.min_t[at] = t;
    }
    if (max > (this.max[at] as number)) {
      this.max[at] = max;
      this.max_t[at] = t;
    }
  }

  /** Adds the number of values, their sum in the unit of the signal and the last value to a step. */
  private close(at: number, n: number, sum: number, last: number): void {
    const count = (this.count[at] as number) + n;
    this.sum += sum;
    this.count[at] = count;
    this.mean[at] = this.sum / count;
    this.last[at] = last;
  }

  private openStep(start: number): number {
    this.min.push(Number.POSITIVE_INFINITY);
    this.min_t.push(start);
    this.max.push(Number.NEGATIVE_INFINITY);
    this.max_t.push(start);
    this.mean.push(0);
    this.last.push(0);
    this.count.push(0);
    this.sum = 0;
    return this.t.push(start) - 1;
  }
}
