/** Samples of one machine since its last stored segment: at most one per signal and second. */
import { SIGNAL_NAMES, type SignalName } from '#contract/signals.ts';

/** One signal's samples: seconds since 1970, ascending, each once. */
export interface Series {
  readonly signal: SignalName;
  readonly t: number[];
  readonly v: number[];
}

interface Column {
  readonly t: number[];
  readonly v: number[];
  newest: number;
  sorted: boolean;
}

export class OpenSamples {
  count = 0;
  /** Place in the journal of the first message that may have a sample here. */
  from: number;
  /** Monotonic milliseconds of the first sample; NaN when there is none. */
  since = Number.NaN;
  /** Readings that are no part of history, so that they are none either when samples are made again from the journal. */
  readonly withheld = new Set<string>();
  private columns: (Column | undefined)[] = [];

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
    const second = Math.floor(t_us / 1_000_000);
    let column = this.columns[signal];
    if (column === undefined) {
      column = { t: [], v: [], newest: -1, sorted: true };
      this.columns[signal] = column;
    }
    if (second === column.newest) return;
    if (second > column.newest) column.newest = second;
    else column.sorted = false;
    column.t.push(second);
    column.v.push(value);
    if (this.count++ > 0) return;
    this.since = mono;
    this.from = position;
  }

  /** All series that have samples. */
  series(): Series[] {
    return SIGNAL_NAMES.flatMap((signal, i) => {
      const column = this.columns[i];
      return column === undefined || column.t.length === 0 ? [] : [{ signal, ...ordered(column) }];
    });
  }

  /** The samples of one signal; empty when there are none. */
  one(signal: number): { t: number[]; v: number[] } {
    const column = this.columns[signal];
    return column === undefined ? { t: [], v: [] } : ordered(column);
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

/** Ascending, the first of each second. */
function ordered({ t, v, sorted }: Column): { t: number[]; v: number[] } {
  if (sorted) return { t: [...t], v: [...v] };
  const order = t.map((_, i) => i).sort((a, b) => (t[a] as number) - (t[b] as number) || a - b);
  const kept = order.filter((at, i) => i === 0 || t[at] !== t[order[i - 1] as number]);
  return { t: kept.map((at) => t[at] as number), v: kept.map((at) => v[at] as number) };
}
