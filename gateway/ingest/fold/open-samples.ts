/** Samples of one machine since its last stored segment: at most one per signal and second. */
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import { SecondColumn } from '#domain/base/second-column.ts';
import type { SampleSeries } from '#domain/machine/sample-segments.ts';

export class OpenSamples {
  count = 0;
  /** Place in the journal of the first message that may have a sample here. */
  from: number;
  /** Monotonic milliseconds of the first sample; NaN when there is none. */
  since = Number.NaN;
  /** Readings that are no part of history, so that they are none either when samples are made again from the journal. */
  readonly withheld = new Set<string>();
  private columns: (SecondColumn | undefined)[] = [];

  constructor(from: number, withheld: Iterable<string> = []) {
    this.from = from;
    for (const key of withheld) this.withheld.add(key);
  }

  /** Takes note of a reading that is not to be a sample. */
  withhold(signal: number, t_us: number, value: number): void {
    this.withheld.add(`${signal} ${t_us} ${value}`);
  }

  isWithheld(signal: number, t_us: number, value: number): boolean {
    return this.withheld.size > 0 && this.withheld.has(`${signal} ${t_us} ${value}`);
  }

  /** Takes a value unless the second has one; its message stands at `position`, `mono` is now. */
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

  /** All series that have samples. */
  series(): SampleSeries[] {
    return SIGNAL_NAMES.flatMap((signal, i) => {
      const column = this.columns[i];
      return column === undefined || column.isEmpty ? [] : [{ signal, ...column.ordered() }];
    });
  }

  /** The samples of one signal; empty when there are none. */
  one(signal: number): { t: number[]; v: number[] } {
    const column = this.columns[signal];
    return column === undefined ? { t: [], v: [] } : column.ordered();
  }

  /** Forgets everything: it is stored, up to this place in the journal. */
  clear(from: number): void {
    this.count = 0;
    this.from = from;
    this.since = Number.NaN;
    this.columns = [];
    this.withheld.clear();
  }
}
