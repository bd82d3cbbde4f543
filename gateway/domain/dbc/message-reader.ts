/**
 * Reads the signals of one message. For each signal it reads the raw bits, finds the state of the value (such as `valid` or `error`), and
 * scales the value. The code allocates no memory for a message.
 *
 * The reader returns a value unchanged, even if the value is outside the range that the DBC file states. A raw value that J1939 defines as
 * "error" or "not available" gets a state instead of a number. The reader reports a multiplexed signal only if its multiplexor selects it,
 * and skips a signal that is not completely inside the payload.
 */
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { type ValueState, valueState } from '#domain/j1939/signals.ts';
import {
  ACROSS,
  ANYWHERE,
  bitsAt,
  bytes,
  type Columns,
  DOUBLE,
  FIRST,
  HIGH,
  type Identifiers,
  LOW,
  OVER,
  SECOND,
  SINGLE,
  TWO_32,
  WIDE,
} from './columns.ts';

/** The states of a value. A sink gets the index of the state; 0 is `valid`. */
export const DBC_STATES = ['valid', 'specific', 'reserved', 'error', 'unavailable'] as const satisfies ValueState[];

/** Receives decoded values: the number of the signal in the plan, and its value in the unit of the DBC. */
export interface DbcSink {
  /**
   * `decoded.value` is NaN if the state is not 0. A raw number of more than 53 bits is rounded. For a reassembled message, `decoded` names
   * the frame with the last packet.
   */
  value(signal: number, state: number, decoded: DecodedValue): void;
  /** Called for each received frame or reassembled message that is defined in the DBC file. */
  message?(message: number): void;
  /** Called for each received data frame that is not defined in the DBC file. */
  unmatched?(id: number, extended: boolean, bus: number): void;
}

/** A compiled DBC file. */
export interface DecodePlan {
  readonly columns: Columns;
  readonly ids: Identifiers;
  readonly start: Uint32Array;
  readonly muxed: Uint8Array;
  readonly swapped: Uint8Array;
}

/**
 * Reports the signals of message `m`. Its payload is `length` bytes of `data` from `at` on. The caller has already set the time and the
 * source in `decoded`.
 */
export type MessageReader = (
  m: number,
  data: Uint8Array,
  at: number,
  length: number,
  decoded: DecodedValue,
  sink: DbcSink,
) => void;

/** Creates a reader that counts in `counters`. */
export function createMessageReader(
  { columns, start, muxed, swapped }: DecodePlan,
  counters: { matched: number; short: number },
): MessageReader {
  const { kind, shift, bits, mask, signed, needs, numerator, offset, denominator, largest, above, ranges } = columns;
  /** Raw values of the multiplexors of the current message; -1 for a multiplexor that is not in the payload. */
  const selected = new Float64Array(kind.length);

  const selects = (k: number): boolean => {
    const raw = selected[above[k] as number] as number;
    for (const [from, to] of ranges[k] ?? []) if (raw >= from && raw <= to) return true;
    return false;
  };

  return (m, data, at, length, decoded, sink) => {
    counters.matched++;
    sink.message?.(m);
    const low = wordAt(data, at);
    const high = wordAt(data, at + 4);
    let first = 0;
    let second = 0;
    if (swapped[m] === 1) {
      first = swap(low);
      second = swap(high);
    }
    const isMuxed = muxed[m] === 1;
    const end = start[m + 1] as number;
    for (let k = start[m] as number; k < end; k++) {
      if ((needs[k] as number) > length) {
        counters.short++;
        if (isMuxed) selected[k] = -1;
        continue;
      }
      if (isMuxed && (above[k] as number) >= 0 && !selects(k)) {
        selected[k] = -1;
        continue;
      }
      const s = shift[k] as number;
      let raw = 0;
      switch (kind[k]) {
        case LOW:
          raw = ((low >>> s) & (mask[k] as number)) >>> 0;
          break;
        case HIGH:
          raw = ((high >>> s) & (mask[k] as number)) >>> 0;
          break;
        case ACROSS:
          raw = (((low >>> s) | (high << (32 - s))) & (mask[k] as number)) >>> 0;
          break;
        case FIRST:
          raw = ((first >>> s) & (mask[k] as number)) >>> 0;
          break;
        case SECOND:
          raw = ((second >>> s) & (mask[k] as number)) >>> 0;
          break;
        case OVER:
          raw = (((first << s) | (second >>> (32 - s))) & (mask[k] as number)) >>> 0;
          break;
        default:
          raw = rawValueAt(columns, k, data, at);
      }
      if (isMuxed) selected[k] = raw;
      if (signed[k] === 1 && kind[k] !== WIDE) raw = (raw << (32 - (bits[k] as number))) >> (32 - (bits[k] as number));
      decoded.raw = raw;
      if (raw <= (largest[k] as number)) {
        decoded.value = (raw * (numerator[k] as number) + (offset[k] as number)) / (denominator[k] as number);
        sink.value(k, 0, decoded);
      } else {
        decoded.value = Number.NaN;
        sink.value(k, stateOf(raw, bits[k] as number), decoded);
      }
    }
  };
}

/** Reads the raw value of a signal that ends after the first eight bytes, has more than 32 bits, or is a float. */
function rawValueAt({ kind, bits, place, motorola, signed }: Columns, k: number, data: Uint8Array, at: number): number {
  const where = place[k] as number;
  const isMotorola = motorola[k] === 1;
  const width = bits[k] as number;
  if (kind[k] === ANYWHERE) return bitsAt(data, at, where, width, isMotorola);
  if (kind[k] === SINGLE) {
    bytes.setUint32(0, bitsAt(data, at, where, 32, isMotorola));
    return finite(bytes.getFloat32(0));
  }
  const high = isMotorola ? bitsAt(data, at, where, width - 32, true) : bitsAt(data, at, where + 32, width - 32, false);
  const low = bitsAt(data, at, isMotorola ? where + width - 32 : where, 32, isMotorola);
  if (kind[k] === DOUBLE) {
    bytes.setUint32(0, high);
    bytes.setUint32(4, low);
    return finite(bytes.getFloat64(0));
  }
  const top = 2 ** (width - 33);
  return (signed[k] === 1 && high >= top ? high - 2 * top : high) * TWO_32 + low;
}

/** Reads four bytes as a little-endian 32-bit word. */
function wordAt(data: Uint8Array, at: number): number {
  return (
    (data[at] as number) |
    ((data[at + 1] as number) << 8) |
    ((data[at + 2] as number) << 16) |
    ((data[at + 3] as number) << 24)
  );
}

/** Returns the number itself if it is finite, otherwise NaN. */
function finite(raw: number): number {
  return Number.isFinite(raw) ? raw : Number.NaN;
}

/** Returns the 32-bit word with its bytes in reverse order. */
function swap(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/**
 * Returns the index in `DBC_STATES` of a raw value that is not valid. The index depends on the number of bits, and is never 0 (`valid`).
 */
export function stateOf(raw: number, bits: number): number {
  return Math.max(1, DBC_STATES.indexOf(valueState(raw, bits)));
}
