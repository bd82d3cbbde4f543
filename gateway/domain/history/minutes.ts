/**
 * Statistics of every value of a signal, minute by minute. History stores at most one sample of a signal for each second, so a drop of 200
 * ms may be missing in the samples. The minimum of the minute includes it.
 *
 * A row has the statistics of the values of one minute and one origin (device, control unit, parameter and run). The result does not depend
 * on the order in which the values arrive:
 *
 *   MinuteColumn     the values of a signal       -> one row for each minute and origin
 *   mergeMinutes     rows of several segments     -> the rows of the same minute and origin become one row
 *   resolveMinute    the rows of one minute       -> the statistics of the minute
 *
 * `resolveMinute` compares streams. A stream is the live data of a device, or one reading of a log file. A log file often repeats the live
 * data of its device, and then only one of the two streams counts.
 */
import { SIGNALS, type SignalName } from '#contract/base/signals.ts';
import { type Origin, type Origins, originAt } from './origins.ts';

/** The arrays of a `MinuteSeries`. `MinuteRow` says what they contain. */
export const MINUTE_FIELDS = ['m', 'o', 'n', 'min', 'max', 'sum', 'last', 'at', 'early', 'late'] as const;

/** The rows of one signal as arrays, in ascending order of their minutes. */
export interface MinuteSeries extends Readonly<Record<(typeof MINUTE_FIELDS)[number], number[]>> {
  readonly signal: SignalName;
}

/** The statistics of one signal, minute and origin. */
export interface MinuteRow {
  /** The minute, as the number of minutes since 1970. */
  m: number;
  /** The index of the origin of the values in the list of origins. */
  o: number;
  /** The number of values in the minute. */
  n: number;
  min: number;
  max: number;
  /**
   * The sum of the values, as a number of parts; `partsOf` says how many parts one unit has. Each value is rounded to a whole number of
   * parts before it is added. So the sum is exact, and the same in any order of the values.
   */
  sum: number;
  last: number;
  /**
   * The time of the last value, in microseconds after the start of the minute. In a row that was read from a rollup (the stored statistics
   * of a day), it is rounded down to whole seconds.
   */
  at: number;
  /** One bit for each of the seconds 0 to 29: 1 if the second has a value. */
  early: number;
  /** One bit for each of the seconds 30 to 59: 1 if the second has a value. */
  late: number;
}

const MINUTE_US = 60_000_000;
const SECOND_US = 1_000_000;
const HALF = 30;

/**
 * Sums are counted in parts of the unit of the signal. Returns the number of parts in one unit: 10 million for degrees, and 1,000 for all
 * other units.
 */
export const partsOf = (signal: SignalName): number => (SIGNALS[signal].unit === '°' ? 1e7 : 1_000);

/** Returns the number of bits that are 1. */
function bitsOf(bits: number): number {
  let left = bits;
  let count = 0;
  for (; left !== 0; left &= left - 1) count++;
  return count;
}

/** Collects the rows of one signal. */
export class MinuteColumn {
  readonly #signal: SignalName;
  readonly #parts: number;
  readonly #rows = new Map<string, MinuteRow>();
  #current: MinuteRow | undefined;

  constructor(signal: SignalName) {
    this.#signal = signal;
    this.#parts = partsOf(signal);
  }

  /** Adds a value with its time in microseconds since 1970 and the index of its origin. */
  add(t_us: number, value: number, origin: number): void {
    const m = Math.floor(t_us / MINUTE_US);
    const at = t_us - m * MINUTE_US;
    let row = this.#current;
    if (row === undefined || row.m !== m || row.o !== origin) row = this.#rowOf(m, origin);
    // Replace minus zero by zero. They compare as equal, so otherwise the order of arrival would decide which of the two becomes the
    // minimum.
    const number = value === 0 ? 0 : value;
    row.n++;
    if (number < row.min) row.min = number;
    if (number > row.max) row.max = number;
    row.sum += Math.round(number * this.#parts);
    // If two values have the same time, the larger one counts as the last, whichever arrives first.
    if (at > row.at || (at === row.at && number > row.last)) {
      row.at = at;
      row.last = number;
    }
    const second = Math.floor(at / SECOND_US);
    if (second < HALF) row.early |= 1 << second;
    else row.late |= 1 << (second - HALF);
  }

  /** Returns the rows in ascending order of their minutes. `originOf` gives each origin the index that it has in the result. */
  series(originOf = (origin: number) => origin): MinuteSeries {
    return seriesOf(
      this.#signal,
      [...this.#rows.values()].map((row) => ({ ...row, o: originOf(row.o) })),
    );
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  /** Removes all rows. */
  clear(): void {
    this.#rows.clear();
    this.#current = undefined;
  }

  #rowOf(m: number, o: number): MinuteRow {
    const key = `${m} ${o}`;
    const row = this.#rows.get(key) ?? emptyRow(m, o);
    this.#rows.set(key, row);
    this.#current = row;
    return row;
  }
}

const emptyRow = (m: number, o: number): MinuteRow => ({
  m,
  o,
  n: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  sum: 0,
  last: 0,
  at: -1,
  early: 0,
  late: 0,
});

/** Returns these rows as the arrays of a `MinuteSeries`. */
export function seriesOf(signal: SignalName, rows: readonly MinuteRow[]): MinuteSeries {
  const sorted = [...rows].sort((a, b) => a.m - b.m || a.o - b.o);
  const arrays = Object.fromEntries(MINUTE_FIELDS.map((field) => [field, sorted.map((row) => row[field])]));
  return { signal, ...(arrays as Record<(typeof MINUTE_FIELDS)[number], number[]>) };
}

/** Returns the row at this index of a series. */
export function rowAt(series: MinuteSeries, i: number): MinuteRow {
  return {
    m: series.m[i] as number,
    o: series.o[i] as number,
    n: series.n[i] as number,
    min: series.min[i] as number,
    max: series.max[i] as number,
    sum: series.sum[i] as number,
    last: series.last[i] as number,
    at: series.at[i] as number,
    early: series.early[i] as number,
    late: series.late[i] as number,
  };
}

/**
 * Computes rows from samples. Used for segments of earlier builds, which have samples but no statistics: each sample counts as one value.
 */
export function minutesOfSamples({
  signal,
  t,
  v,
  o,
}: {
  readonly signal: SignalName;
  readonly t: readonly number[];
  readonly v: readonly number[];
  readonly o: readonly number[];
}): MinuteSeries {
  const column = new MinuteColumn(signal);
  for (let i = 0; i < t.length; i++) column.add((t[i] as number) * SECOND_US, v[i] as number, o[i] as number);
  return column.series();
}

/** Returns the series with only the rows for which `keep` returns true. It drops series without rows. */
export function filteredRows(
  minutes: readonly MinuteSeries[],
  keep: (row: MinuteRow, signal: string) => boolean,
): MinuteSeries[] {
  return minutes.flatMap((series) => {
    const { signal, m } = series;
    const rows = m.map((_, i) => rowAt(series, i));
    const kept = rows.filter((row) => keep(row, signal));
    if (kept.length === rows.length) return [series];
    return kept.length === 0 ? [] : [seriesOf(signal, kept)];
  });
}

/** Rows of a signal and the origins to which they refer. */
export interface MinutePart {
  readonly series: MinuteSeries;
  readonly origins: readonly Origin[];
}

/**
 * Joins the rows of a signal. Adds the origins of the joined rows to `origins`. Rows of the same minute and origin become one row. If `how`
 * is "add", the row has the sum of their counts and sums. If `how` is "replace", the function keeps only the row with more values; use this
 * if the rows may contain the same values.
 */
export function mergeMinutes(
  signal: SignalName,
  parts: readonly MinutePart[],
  origins: Origins,
  how: 'add' | 'replace' = 'add',
): MinuteSeries {
  const rows = new Map<string, MinuteRow>();
  for (const { series, origins: own } of parts)
    for (let i = 0; i < series.m.length; i++) {
      const row = rowAt(series, i);
      row.o = origins.indexOf(originAt(own, row.o));
      const key = `${row.m} ${row.o}`;
      const before = rows.get(key);
      if (before === undefined || (how === 'replace' && row.n > before.n)) rows.set(key, row);
      else if (how === 'add') addRow(before, row);
    }
  return seriesOf(signal, [...rows.values()]);
}

function addRow(sum: MinuteRow, more: MinuteRow): void {
  sum.n += more.n;
  sum.sum += more.sum;
  sum.min = Math.min(sum.min, more.min);
  sum.max = Math.max(sum.max, more.max);
  sum.early |= more.early;
  sum.late |= more.late;
  if (more.at > sum.at || (more.at === sum.at && more.last > sum.last)) {
    sum.at = more.at;
    sum.last = more.last;
  }
}

/** Returns the name of the stream of an origin: the live data of its device, or one reading of its log file. */
export const streamOf = ({ device, artifact, run }: Origin): string =>
  artifact === null ? `live ${device}` : `file ${device} ${artifact} ${run}`;

/**
 * Returns the statistics of a minute from the rows of its origins. First it adds up the rows of each stream. Then it starts with the stream
 * that has the most values. It adds another stream only if most seconds with values in this stream have no value in the result yet;
 * otherwise the stream repeats data that is already counted.
 */
export function resolveMinute(rows: readonly MinuteRow[], origins: readonly Origin[]): MinuteRow {
  if (rows.length === 1) return rows[0] as MinuteRow;
  const streams = new Map<string, MinuteRow>();
  for (const row of rows) {
    const stream = streamOf(originAt(origins, row.o));
    const sum = streams.get(stream);
    if (sum === undefined) streams.set(stream, { ...row });
    else addRow(sum, row);
  }
  const sorted = [...streams].sort(([a, one], [b, other]) => other.n - one.n || (a < b ? -1 : 1));
  const [[, result]] = sorted as [[string, MinuteRow]];
  for (const [, row] of sorted.slice(1)) {
    const repeated = bitsOf(row.early & result.early) + bitsOf(row.late & result.late);
    const all = bitsOf(row.early) + bitsOf(row.late);
    if (all - repeated > repeated) addRow(result, row);
  }
  return result;
}
