/**
 * The values of a log as a table: a row for each step of time, a column for each parameter of each control unit that told a value.
 *
 *   pass 1   survey(batch)            which columns there are
 *   pass 2   take(batch, give), end(give)    rows, the earliest first
 *
 * A cell is the last value within its step, and empty when there was none: no value is carried on from an earlier row. Rows are only
 * for steps with a value. Bounds: 1,000 columns; 64 rows at least, 128 at most, wait for values that come late.
 */

import type { SignalName } from '#contract/base/signals.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import type { Parameter } from '#domain/j1939/parameters.ts';
import { physicalOf } from '#domain/j1939/signals.ts';
import { endRow, firstRow, parameterOf, validRaw } from './log-parameters.ts';

/** Columns of a table; a spreadsheet has 1,024 or more. */
export const MAX_COLUMNS = 1_000;
/** Rows that stay open for values that come late. */
const MAX_OPEN = 64;
const NOT_DATA = FRAME.remote | FRAME.error | FRAME.fd;

/** A parameter of one control unit. */
export interface TableColumn {
  readonly row: Parameter;
  readonly bus: number;
  readonly sa: number;
}

/** A row: microseconds of the beginning of its step, and a value for each column, NaN where there was none. */
export interface TableRow {
  readonly t_us: number;
  readonly values: Float64Array;
}

export interface TableOptions {
  /** Length of a step in microseconds; 0 makes a row of each time at which a frame came. */
  readonly step_us: number;
  /** Which parameters are meant; all when absent. */
  readonly wanted?: (row: Parameter) => boolean;
}

/** What a name on a command line means: a signal of ours, an SPN, or a part of the parameter's name. */
export function parameterNamed(name: string): (row: Parameter) => boolean {
  const word = name.trim().toLowerCase();
  const spn = /^(?:spn\s*)?(\d{1,6})$/.exec(word)?.[1];
  if (spn !== undefined) return (row) => row.spn === Number(spn);
  return (row) => row.signal === (word as SignalName) || row.name.toLowerCase().includes(word);
}

/** A table in the making. */
export class LogTable {
  private readonly step_us: number;
  private readonly wanted: (row: Parameter) => boolean;
  /** Place among the columns by source, group and row; negative where there is none. */
  private readonly places = new Map<number, number>();
  private found: { readonly key: number; readonly column: TableColumn }[] = [];
  private readonly open = new Map<number, Float64Array>();
  private written = Number.NEGATIVE_INFINITY;
  /** Parameters of control units that found no column. */
  overflow = 0;
  /** Values that came after their row was given, or of which the first pass had no column. */
  late = 0;

  constructor({ step_us, wanted = () => true }: TableOptions) {
    this.step_us = step_us;
    this.wanted = wanted;
  }

  /** Takes frames of the first pass. */
  survey(batch: FrameBatch): void {
    this.each(batch, (key, k, _raw, _t, bus, sa) => {
      if (this.places.has(key)) return;
      this.places.set(key, -1);
      const row = parameterOf(k);
      if (!this.wanted(row)) return;
      if (this.found.length >= MAX_COLUMNS) this.overflow++;
      else this.found.push({ key, column: { row, bus, sa } });
    });
  }

  /** The columns by bus, address, and place in the table of parameters; the first pass is over. */
  columns(): TableColumn[] {
    this.found.sort((a, b) => a.key - b.key);
    this.found.forEach(({ key }, place) => {
      this.places.set(key, place);
    });
    return this.found.map(({ column }) => column);
  }

  /** Takes frames of the second pass; gives the rows that nothing is added to any more. */
  take(batch: FrameBatch, give: (row: TableRow) => void): void {
    const { step_us, open } = this;
    this.each(batch, (key, k, raw, t_us) => {
      const place = this.places.get(key);
      if (place === -1) return;
      const at = step_us === 0 ? t_us : Math.floor(t_us / step_us) * step_us;
      if (place === undefined || at <= this.written) {
        this.late++;
        return;
      }
      let values = open.get(at);
      if (values === undefined) {
        if (open.size >= 2 * MAX_OPEN) this.close(MAX_OPEN, give);
        values = new Float64Array(this.found.length).fill(Number.NaN);
        open.set(at, values);
      }
      values[place] = physicalOf(parameterOf(k), raw);
    });
  }

  /** Gives the last rows. */
  end(give: (row: TableRow) => void): void {
    this.close(0, give);
  }

  private close(most: number, give: (row: TableRow) => void): void {
    const times = [...this.open.keys()].sort((a, b) => a - b);
    for (const t_us of times.slice(0, Math.max(0, times.length - most))) {
      const values = this.open.get(t_us) as Float64Array;
      this.open.delete(t_us);
      this.written = t_us;
      give({ t_us, values });
    }
  }

  /** Each valid value of a parameter that stands in one frame. */
  private each(
    { count, t, id, bus, flags, len, data }: FrameBatch,
    tell: (key: number, k: number, raw: number, t_us: number, bus: number, sa: number) => void,
  ): void {
    for (let i = 0; i < count; i++) {
      const kind = flags[i] as number;
      if ((kind & FRAME.extended) === 0 || (kind & NOT_DATA) !== 0) continue;
      const identifier = id[i] as number;
      const first = firstRow(pgnOf(identifier));
      if (first < 0) continue;
      const end = endRow(first);
      const channel = bus[i] as number;
      const sa = identifier & 0xff;
      for (let k = first; k < end; k++) {
        const raw = validRaw(k, data, i * 8, len[i] as number);
        if (raw >= 0) tell((channel * 256 + sa) * 1_024 + k, k, raw, t[i] as number, channel, sa);
      }
    }
  }
}
