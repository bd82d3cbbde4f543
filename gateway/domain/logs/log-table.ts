/**
 * Converts a log to a table: one row for each time step, one column for each parameter of each control unit that sent a value.
 *
 *   pass 1   survey(batch)                   finds the columns
 *   pass 2   take(batch, give), end(give)    returns the rows, the earliest first
 *
 * A cell holds the last value of its step. It is empty when the step had no value; values are not copied from earlier rows. A step without
 * any value has no row. Limits: the table has at most 1,000 columns. The newest 64 to 128 rows stay in memory, so that a value that comes
 * late in the log still gets into its row.
 */

import type { SignalName } from '#contract/base/signals.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import type { Parameter } from '#domain/j1939/parameters.ts';
import { physicalOf } from '#domain/j1939/signals.ts';
import { endRow, firstRow, parameterOf, validRaw } from './log-parameters.ts';

/** Largest number of columns; spreadsheet programs support at least 1,024. */
export const MAX_COLUMNS = 1_000;
/** Least number of rows that stay in memory, so that a value that comes late in the log still reaches its row. */
const MAX_OPEN = 64;
const NOT_DATA = FRAME.remote | FRAME.error | FRAME.fd;

/** A parameter of one control unit. */
export interface TableColumn {
  readonly row: Parameter;
  readonly bus: number;
  readonly sa: number;
}

/** A row: the start of its step in microseconds, and a value for each column; NaN for an empty cell. */
export interface TableRow {
  readonly t_us: number;
  readonly values: Float64Array;
}

export interface TableOptions {
  /** Length of a step in microseconds. If it is 0, the table has one row for each different frame time. */
  readonly step_us: number;
  /** Returns true for the parameters that get columns; all parameters when absent. */
  readonly wanted?: (row: Parameter) => boolean;
}

/** Returns a filter for a name from the command line: a signal of the gateway, an SPN, or a part of the name of a parameter. */
export function parameterNamed(name: string): (row: Parameter) => boolean {
  const word = name.trim().toLowerCase();
  const spn = /^(?:spn\s*)?(\d{1,6})$/.exec(word)?.[1];
  if (spn !== undefined) return (row) => row.spn === Number(spn);
  return (row) => row.signal === (word as SignalName) || row.name.toLowerCase().includes(word);
}

/** Builds the table of one log in two passes over its frames. */
export class LogTable {
  private readonly step_us: number;
  private readonly wanted: (row: Parameter) => boolean;
  /** Index of the column for each source and parameter; -1 when the parameter has no column. */
  private readonly places = new Map<number, number>();
  private found: { readonly key: number; readonly column: TableColumn }[] = [];
  private readonly open = new Map<number, Float64Array>();
  private written = Number.NEGATIVE_INFINITY;
  /** Number of columns that were left out because of `MAX_COLUMNS`. */
  overflow = 0;
  /** Number of values that are missing in the table: their row was already returned, or the first pass did not find their column. */
  late = 0;

  constructor({ step_us, wanted = () => true }: TableOptions) {
    this.step_us = step_us;
    this.wanted = wanted;
  }

  /** First pass: adds a column for each new parameter of a control unit in the next frames. */
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

  /** Ends the first pass; returns the columns, sorted by bus, address and index of the parameter. */
  columns(): TableColumn[] {
    this.found.sort((a, b) => a.key - b.key);
    this.found.forEach(({ key }, place) => {
      this.places.set(key, place);
    });
    return this.found.map(({ column }) => column);
  }

  /** Second pass: adds the values of the next frames, and passes completed rows to `give`. */
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

  /** Passes the remaining rows to `give`. */
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

  /** Calls `visit` for each valid parameter value of the frames; transport protocol messages are skipped. */
  private each(
    { count, t, id, bus, flags, len, data }: FrameBatch,
    visit: (key: number, k: number, raw: number, t_us: number, bus: number, sa: number) => void,
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
        if (raw >= 0) visit((channel * 256 + sa) * 1_024 + k, k, raw, t[i] as number, channel, sa);
      }
    }
  }
}
