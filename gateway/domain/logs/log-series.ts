/**
 * Collects values over a time of unknown length in bins, that is, intervals of equal length. The bins become longer as the time grows, so
 * that their number stays within a limit.
 */

/**
 * Largest number of bins. When a value would need a further bin, the series first merges each pair of neighbouring bins into one bin of
 * twice the length.
 */
export const MAX_BINS = 512;

/**
 * The bins of a series from the time `from_us` on. Each bin has the number, the smallest and the largest of its values. An empty bin has
 * the count 0.
 */
export interface Course {
  readonly from_us: number;
  readonly bin_us: number;
  readonly count: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** A series of values over time, which keeps at most MAX_BINS bins. */
export class Series {
  private from_us = Number.NaN;
  private bin_us: number;
  private used = 0;
  private readonly count = new Float64Array(MAX_BINS);
  private readonly min = new Float64Array(MAX_BINS);
  private readonly max = new Float64Array(MAX_BINS);

  /** `bin_us` is the length of a bin at the beginning, in microseconds; the bins become longer later. */
  constructor(bin_us: number) {
    this.bin_us = bin_us;
  }

  /** Sets the start of the series in microseconds. Without this call the series starts at the time of its first value. */
  begin(t_us: number): void {
    this.from_us = t_us;
  }

  /** Adds a value. A value from before the start of the series counts in the first bin. */
  add(t_us: number, value: number): void {
    if (Number.isNaN(this.from_us)) this.from_us = t_us;
    let at = Math.max(0, Math.floor((t_us - this.from_us) / this.bin_us));
    while (at >= MAX_BINS) {
      this.halve();
      at = Math.max(0, Math.floor((t_us - this.from_us) / this.bin_us));
    }
    if (at >= this.used) this.used = at + 1;
    const before = this.count[at] as number;
    this.count[at] = before + 1;
    if (before === 0 || value < (this.min[at] as number)) this.min[at] = value;
    if (before === 0 || value > (this.max[at] as number)) this.max[at] = value;
  }

  private halve(): void {
    const { count, min, max } = this;
    for (let i = 0; i < MAX_BINS; i++) {
      const [a, b] = [2 * i, 2 * i + 1];
      const first = a < MAX_BINS ? (count[a] as number) : 0;
      const second = b < MAX_BINS ? (count[b] as number) : 0;
      if (first === 0 || (second > 0 && (min[b] as number) < (min[a] as number))) min[i] = min[b] ?? 0;
      else min[i] = min[a] as number;
      if (first === 0 || (second > 0 && (max[b] as number) > (max[a] as number))) max[i] = max[b] ?? 0;
      else max[i] = max[a] as number;
      count[i] = first + second;
    }
    this.bin_us *= 2;
    this.used = Math.ceil(this.used / 2);
  }

  /** Returns the bins of the values added so far; null before the first value. */
  course(): Course | null {
    if (this.used === 0) return null;
    const cut = (column: Float64Array) => [...column.subarray(0, this.used)];
    return {
      from_us: this.from_us,
      bin_us: this.bin_us,
      count: cut(this.count),
      min: cut(this.min),
      max: cut(this.max),
    };
  }
}
