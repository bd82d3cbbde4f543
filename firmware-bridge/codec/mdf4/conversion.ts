/** Reads conversions of MDF 4.1 (CC blocks), which compute the physical value from the raw value in a record. */
import { type Mdf4Bytes, Mdf4Damage } from './blocks.ts';

/** Returns the physical value of a raw value. */
export type Convert = (raw: number) => number;

/** A conversion: the physical value is `base + scale * raw`, or the result of `convert` if it is not null. */
export interface Conversion {
  readonly base: number;
  readonly scale: number;
  readonly convert: Convert | null;
}

const NONE: Conversion = { base: 0, scale: 1, convert: null };
const MOST_VALUES = 4_096;
const TYPES = { none: 0, linear: 1, rational: 2, interpolated: 4, table: 5, ranges: 6 } as const;
/** A conversion with this type number or a higher one converts a raw value to a text, for example its name, and not to a number. */
const FIRST_TEXT_TYPE = 7;

/**
 * Reads the CC block at offset `at`. Returns `NONE` when `at` is 0 or the conversion gives text. Throws `Mdf4Damage` for a conversion that
 * is not supported.
 */
export function readConversion(bytes: Mdf4Bytes, at: number): Conversion {
  if (at === 0) return NONE;
  const { data } = bytes.block(at, '##CC');
  const type = bytes.u8(data) ?? 0;
  const count = bytes.u16(data + 6) ?? 0;
  if (type === TYPES.none || type >= FIRST_TEXT_TYPE) return NONE;
  if (count > MOST_VALUES)
    throw new Mdf4Damage(
      'too_large',
      at,
      `A conversion has ${count} values, but at most ${MOST_VALUES} are supported; the group of this channel was not read.`,
    );
  const values = Array.from({ length: count }, (_, i) => bytes.f64(data + 24 + i * 8) ?? Number.NaN);
  const [p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0] = values;
  switch (type) {
    case TYPES.linear:
      return { base: p1, scale: p2, convert: null };
    case TYPES.rational:
      return as((x) => (p1 * x * x + p2 * x + p3) / (p4 * x * x + p5 * x + p6));
    case TYPES.interpolated:
      return as(fromTable(values, true));
    case TYPES.table:
      return as(fromTable(values, false));
    case TYPES.ranges:
      return as(fromRanges(values));
    default:
      throw new Mdf4Damage(
        'unsupported',
        at,
        `A channel has a conversion of type ${type} (a formula), which is not supported; the group of this channel was not read.`,
      );
  }
}

const as = (convert: Convert): Conversion => ({ base: 0, scale: 1, convert });

/**
 * Returns a conversion that uses a table of pairs (key, value) with rising keys. For a raw value between two keys, the conversion
 * interpolates between their values, or, if `interpolate` is false, uses the value of the nearer key.
 */
function fromTable(values: readonly number[], interpolate: boolean): Convert {
  const size = values.length >> 1;
  const key = (i: number) => values[i * 2] as number;
  const value = (i: number) => values[i * 2 + 1] as number;
  return (raw) => {
    if (size === 0) return Number.NaN;
    if (raw <= key(0)) return value(0);
    for (let i = 1; i < size; i++) {
      if (raw > key(i)) continue;
      const part = (raw - key(i - 1)) / (key(i) - key(i - 1));
      if (interpolate) return value(i - 1) + part * (value(i) - value(i - 1));
      return part > 0.5 ? value(i) : value(i - 1);
    }
    return value(size - 1);
  };
}

/**
 * Returns a conversion that uses a table of ranges. The table has a triple (first, last, value) for each range, and at the end one value
 * for all other raw values.
 */
function fromRanges(values: readonly number[]): Convert {
  const size = Math.floor(values.length / 3);
  return (raw) => {
    for (let i = 0; i < size; i++)
      if (raw >= (values[i * 3] as number) && raw <= (values[i * 3 + 1] as number)) return values[i * 3 + 2] as number;
    return values[size * 3] ?? Number.NaN;
  };
}
