/**
 * Builds the series of one signal from samples in ascending order: single samples or time steps, with extremes and gaps (times without
 * samples).
 */
import type { SignalName } from '#contract/base/signals.ts';
import { signalRow } from '#contract/base/signals.ts';
import { MAX_GAPS_LISTED, type TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';

type Sample = NonNullable<TelemetrySeries['lowest']>;

export class SeriesBuilder {
  readonly signal: SignalName;
  /** The last sample before the range; null if there is none. */
  before: Sample | null = null;
  private readonly step_ms: number | null;
  private readonly stale_ms: number;
  private samples = 0;
  private lowest: Sample | null = null;
  private highest: Sample | null = null;
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
    this.last_ms = from_ms;
    this.step_ms = step_s === null ? null : step_s * 1000;
    this.stale_ms = staleAfterUs(signal) / 1000;
  }

  /** Adds a sample. It must be newer than the samples before. */
  add(t: number, value: number): void {
    this.samples++;
    this.closeGap(t);
    this.last_ms = t;
    if (this.lowest === null || value < this.lowest.value) this.lowest = { t, value };
    if (this.highest === null || value > this.highest.value) this.highest = { t, value };
    if (this.step_ms === null) {
      this.t.push(t);
      this.last.push(value);
      return;
    }
    const start = Math.floor(t / this.step_ms) * this.step_ms;
    const at = this.t.length - 1;
    if (this.t[at] !== start) this.openStep(start, t, value);
    else this.extendStep(at, t, value);
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
      latest_before: this.before,
      stale_after_s: this.stale_ms / 1000,
      gaps: this.gaps,
      gaps_total: this.gapsTotal,
      t,
      ...(this.step_ms === null ? { value: last } : { min, min_t, max, max_t, mean, last, count }),
    };
  }

  private closeGap(to: number): void {
    if (to - this.last_ms <= this.stale_ms) return;
    this.gapsTotal++;
    if (this.gaps.length < MAX_GAPS_LISTED) this.gaps.push({ from: this.last_ms, to });
  }

  private openStep(start: number, t: number, value: number): void {
    this.t.push(start);
    this.min.push(value);
    this.min_t.push(t);
    this.max.push(value);
    this.max_t.push(t);
    this.mean.push(value);
    this.last.push(value);
    this.count.push(1);
    this.sum = value;
  }

  private extendStep(at: number, t: number, value: number): void {
    if (value < (this.min[at] as number)) {
      this.min[at] = value;
      this.min_t[at] = t;
    }
    if (value > (this.max[at] as number)) {
      this.max[at] = value;
      this.max_t[at] = t;
    }
    const count = (this.count[at] as number) + 1;
    this.sum += value;
    this.count[at] = count;
    this.mean[at] = this.sum / count;
    this.last[at] = value;
  }
}
