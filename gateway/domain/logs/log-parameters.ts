/**
 * Statistics of each J1939 parameter in a log: first, last, smallest and largest value, and how often the value was not available.
 * Messages that span several frames (transport protocol) are not counted.
 */
import { PARAMETERS, type Parameter } from '#domain/j1939/parameters.ts';
import { largestValid, physicalOf, valueState } from '#domain/j1939/signals.ts';

/**
 * Largest number of sources with statistics. A source is a bus, an address and a parameter group. For further sources the survey only
 * counts the frames (`overflow`).
 */
const MAX_SOURCES = 4096;

/** A value and its time in microseconds. */
interface At {
  readonly value: number;
  readonly t_us: number;
}

/** The statistics of one parameter from one source. */
export interface ParameterStats {
  readonly row: Parameter;
  readonly bus: number;
  readonly sa: number;
  /** Number of occurrences with a valid value. */
  readonly valid: number;
  readonly error: number;
  readonly unavailable: number;
  /** Number of occurrences with a reserved or parameter-specific raw value. */
  readonly other: number;
  readonly first: At | null;
  readonly last: At | null;
  readonly min: number | null;
  readonly max: number | null;
}

// All J1939 parameters, sorted by parameter group number (PGN), so that the parameters of a group have consecutive indexes. Each array
// below holds one property of the parameters.
const ROWS = [...PARAMETERS]
  .map((row, index) => ({ row, index }))
  .sort((a, b) => a.row.pgn - b.row.pgn || a.index - b.index);
const BYTE = Uint8Array.from(ROWS, ({ row }) => row.byte - 1);
const SHIFT = Uint8Array.from(ROWS, ({ row }) => row.bit - 1);
const BYTES = Uint8Array.from(ROWS, ({ row }) => Math.ceil((row.bit - 1 + row.bits) / 8));
const MASK = Uint32Array.from(ROWS, ({ row }) => 2 ** row.bits - 1);
const LARGEST = Float64Array.from(ROWS, ({ row }) => largestValid(row.bits));
/** For each PGN: the index in `ROWS` of its first parameter, plus 1; 0 for a PGN without parameters. */
const FIRST = new Uint16Array(0x40000);
const END = new Uint16Array(ROWS.length + 1);
ROWS.forEach(({ row }, k) => {
  if (FIRST[row.pgn] === 0) FIRST[row.pgn] = k + 1;
  END[(FIRST[row.pgn] as number) - 1] = k + 1;
});

/** Returns the raw value of parameter `k`. The payload is the `length` bytes of `data` from index `at`; -1 if the payload is too short. */
function readRaw(k: number, data: Uint8Array, at: number, length: number): number {
  const from = BYTE[k] as number;
  const bytes = BYTES[k] as number;
  if (from + bytes > length) return -1;
  const p = at + from;
  let raw = data[p] as number;
  if (bytes > 1) raw |= (data[p + 1] as number) << 8;
  if (bytes > 2) raw |= ((data[p + 2] as number) << 16) | (bytes > 3 ? (data[p + 3] as number) << 24 : 0);
  return ((raw >>> (SHIFT[k] as number)) & (MASK[k] as number)) >>> 0;
}

/** Returns the index of the first parameter of a group; -1 for a group without parameters. */
export const firstRow = (pgn: number): number => (FIRST[pgn] as number) - 1;

/** Returns the index after the last parameter of a group. `first` is the index of the first parameter of this group. */
export const endRow = (first: number): number => END[first] as number;

/** Returns the parameter at index `k`. */
export const parameterOf = (k: number): Parameter => (ROWS[k] as (typeof ROWS)[number]).row;

/** Returns the raw value of parameter `k` in the payload; -1 if the payload is too short or the value is not valid. */
export function validRaw(k: number, data: Uint8Array, at: number, length: number): number {
  const raw = readRaw(k, data, at, length);
  return raw > (LARGEST[k] as number) ? -1 : raw;
}

/** Counters and raw values of one parameter of one source. */
class Cell {
  valid = 0;
  error = 0;
  unavailable = 0;
  other = 0;
  first = 0;
  first_us = 0;
  last = 0;
  last_us = 0;
  least = 0;
  most = 0;
}

/** Collects the statistics of all parameters of one log. */
export class ParameterSurvey {
  private readonly sources = new Map<number, readonly Cell[]>();
  /** Number of frames that are not in the statistics, because the table of sources was full. */
  overflow = 0;

  /** Adds a data frame with a 29-bit identifier; its payload is the `length` bytes (at most 8) of `data` from `at`. */
  take(pgn: number, sa: number, bus: number, t_us: number, data: Uint8Array, at: number, length: number): void {
    const first = firstRow(pgn);
    if (first < 0) return;
    const end = END[first] as number;
    const key = (bus * 256 + sa) * 0x40000 + pgn;
    let cells = this.sources.get(key);
    if (cells === undefined) {
      if (this.sources.size >= MAX_SOURCES) {
        this.overflow++;
        return;
      }
      cells = Array.from({ length: end - first }, () => new Cell());
      this.sources.set(key, cells);
    }
    for (let k = first; k < end; k++) {
      const raw = readRaw(k, data, at, length);
      if (raw < 0) continue;
      const cell = cells[k - first] as Cell;
      if (raw > (LARGEST[k] as number)) {
        const state = valueState(raw, (ROWS[k] as (typeof ROWS)[number]).row.bits);
        if (state === 'unavailable') cell.unavailable++;
        else if (state === 'error') cell.error++;
        else cell.other++;
        continue;
      }
      if (cell.valid === 0) {
        cell.first = cell.least = cell.most = raw;
        cell.first_us = t_us;
      } else if (raw < cell.least) cell.least = raw;
      else if (raw > cell.most) cell.most = raw;
      cell.valid++;
      cell.last = raw;
      cell.last_us = t_us;
    }
  }

  /** Returns the statistics, sorted by bus, address and group, without the parameters that never had a valid or an error value. */
  found(): ParameterStats[] {
    const found: ParameterStats[] = [];
    for (const [key, cells] of [...this.sources].sort(([a], [b]) => a - b)) {
      const first = (FIRST[key % 0x40000] as number) - 1;
      const source = Math.floor(key / 0x40000);
      cells.forEach((cell, i) => {
        const { row } = ROWS[first + i] as (typeof ROWS)[number];
        const { valid, error, unavailable, other } = cell;
        if (valid === 0 && error === 0) return;
        const none = valid === 0;
        found.push({
          row,
          bus: source >>> 8,
          sa: source & 0xff,
          valid,
          error,
          unavailable,
          other,
          first: none ? null : { value: physicalOf(row, cell.first), t_us: cell.first_us },
          last: none ? null : { value: physicalOf(row, cell.last), t_us: cell.last_us },
          min: none ? null : physicalOf(row, cell.least),
          max: none ? null : physicalOf(row, cell.most),
        });
      });
    }
    return found;
  }
}
