/** The samples of one machine since its last segment: at most one per signal and second. */
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import { SecondColumn } from '#domain/base/second-column.ts';
import type { SampleSeries } from '#domain/machine/sample-segments.ts';

export class OpenSamples {
  count = 0;
  /** The position of the first message that may have a sample here. */
  from: number;
  /** The monotonic time of the first sample in milliseconds; NaN if there is none. */
  since = Number.NaN;
  /** Held readings, which are not samples. A restart must not turn them into samples when it reads the journal again. */
  readonly withheld = new Set<string>();
  private columns: (SecondColumn | undefined)[] = [];

  constructor(from: number, withheld: Iterable<string> = []) {
    this.from = from;
    for (const key of withheld) this.withheld.add(key);
  }

  /** Records a reading that must not become a sample. */
  withhold(signal: number, t_us: number, value: number): void {
    this.withheld.add(`${signal} ${t_us} ${value}`);
  }

  isWithheld(signal: number, t_us: number, value: number): boolean {
    return this.withheld.size > 0 && this.withheld.has(`${signal} ${t_us} ${value}`);
  }

  /** Adds a value unless its second has one. `position` is the position of its message, `mono` the present monotonic time. */
  add(signal: number, t_us: number, value: number, position: number, mono: number): void {
    let column = this.columns[signal];
    if (column === undefined) {
      column = new SecondColumn();
      this.columns[signal] = column;
    }
    if (!column.add(Math.floor(t_us / 1_000_000), value)) return;
    if (this.count++ > 0) return;
    this.since = mono;
    this.from = position;
  }

  /** The samples of all signals that have some. */
  series(): SampleSeries[] {
    return SIGNAL_NAMES.flatMap((signal, i) => {
      const column = this.columns[i];
      return column === undefined || column.isEmpty ? [] : [{ signal, ...column.ordered() }];
    });
  }

  /** The samples of one signal; empty arrays if there are none. */
  one(signal: number): { t: number[]; v: number[] } {
    const column = this.columns[signal];
    return column === undefined ? { t: [], v: [] } : column.ordered();
  }

  /** Removes all samples, because the samples of all messages before this position are in segments. */
  clear(from: number): void {
    this.count = 0;
    this.from = from;
    this.since = Number.NaN;
    this.columns = [];
    this.withheld.clear();
  }
}
