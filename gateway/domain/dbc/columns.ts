/**
 * Converts the signals of a DBC file to typed arrays, with which the decoder reads and scales each signal. Also builds the tables with
 * which the decoder finds a message by its identifier.
 */

import { pgnOf } from '#domain/j1939/identifier.ts';
import { largestValid } from '#domain/j1939/signals.ts';
import { bigEndian, type DbcMessage, type DbcSignal, type Decimal, lastByte } from './model.ts';

/** One signal of a DBC file, with its message. */
export interface PlannedSignal {
  readonly message: DbcMessage;
  readonly signal: DbcSignal;
}

// The kind of a signal selects the code that reads its raw value. LOW, HIGH and ACROSS are little-endian (Intel) signals inside the first 8
// bytes of the payload. LOW is in the first 32-bit word, HIGH in the second word, ACROSS in both.
export const LOW = 0;
export const HIGH = 1;
export const ACROSS = 2;
// FIRST, SECOND and OVER are big-endian (Motorola) signals inside the first 8 bytes. FIRST is in the first 32-bit word, SECOND in the
// second word, OVER in both.
export const FIRST = 3;
export const SECOND = 4;
export const OVER = 5;
// ANYWHERE signals have up to 32 bits and end after the first 8 bytes. WIDE signals are integers of 33 to 64 bits, read in two parts.
export const ANYWHERE = 6;
export const WIDE = 7;
// SINGLE and DOUBLE signals are floating-point numbers of 32 and 64 bits.
export const SINGLE = 8;
export const DOUBLE = 9;

/** 2 to the power of 32. */
export const TWO_32 = 4_294_967_296;

/** A buffer with which the bits of a payload are read as a floating-point number. */
export const bytes = new DataView(new ArrayBuffer(8));

/** Reads `bits` bits (at most 32) of a payload as an unsigned number. `place` is the position of the first bit, counted from byte `at`. */
export function bitsAt(data: Uint8Array, at: number, place: number, bits: number, motorola: boolean): number {
  let k = at + (place >> 3);
  const shift = place & 7;
  let raw = 0;
  if (!motorola) {
    let got = 8 - shift;
    raw = (data[k] as number) >>> shift;
    for (let scale = 2 ** got; got < bits; got += 8, scale *= 256) raw += (data[++k] as number) * scale;
    return raw % 2 ** bits;
  }
  let got = 8 - shift;
  raw = (data[k] as number) & (0xff >>> shift);
  for (; got < bits; got += 8) raw = raw * 256 + (data[++k] as number);
  return Math.floor(raw / 2 ** (got - bits));
}

/** The properties of all signals as arrays. The index is the number of the signal in the plan (the compiled DBC file). */
export interface Columns {
  readonly kind: Uint8Array;
  readonly shift: Uint16Array;
  readonly bits: Uint8Array;
  readonly mask: Uint32Array;
  /**
   * The position of the first bit of the signal in the payload. For an Intel signal, the bits of a byte are counted from the least
   * significant bit. For a Motorola signal, they are counted from the most significant bit.
   */
  readonly place: Uint16Array;
  readonly motorola: Uint8Array;
  readonly signed: Uint8Array;
  /** The number of bytes that a payload must have to contain the signal. */
  readonly needs: Uint16Array;
  readonly numerator: Float64Array;
  readonly offset: Float64Array;
  readonly denominator: Float64Array;
  /** The largest valid raw value; Infinity if every raw value is valid. */
  readonly largest: Float64Array;
  /** The number of the multiplexor that selects this signal; -1 if the signal is not multiplexed. */
  readonly above: Int32Array;
  readonly ranges: readonly (readonly (readonly [number, number])[])[];
}

/** Fills the arrays for all signals. The signals of message m have the indexes from start[m] to start[m + 1] - 1. */
export function columnsOf(
  messages: readonly DbcMessage[],
  signals: readonly PlannedSignal[],
  start: Uint32Array,
): Columns {
  const count = signals.length;
  const columns = {
    kind: new Uint8Array(count),
    shift: new Uint16Array(count),
    bits: new Uint8Array(count),
    mask: new Uint32Array(count),
    place: new Uint16Array(count),
    motorola: new Uint8Array(count),
    signed: new Uint8Array(count),
    needs: new Uint16Array(count),
    numerator: new Float64Array(count),
    offset: new Float64Array(count),
    denominator: new Float64Array(count),
    largest: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    above: new Int32Array(count).fill(-1),
  };
  const ranges: (readonly (readonly [number, number])[])[] = [];
  messages.forEach((_, m) => {
    const first = start[m] as number;
    const places = new Map<string, number>();
    for (let k = first; k < (start[m + 1] as number); k++) {
      const { message, signal } = signals[k] as PlannedSignal;
      places.set(signal.name, k);
      const { bits, motorola } = signal;
      const place = motorola ? bigEndian(signal.start) : signal.start;
      const { kind, shift } = kindOf(signal, place);
      columns.kind[k] = kind;
      columns.shift[k] = shift;
      columns.bits[k] = bits;
      columns.mask[k] = bits >= 32 ? 0xffffffff : 2 ** bits - 1;
      columns.place[k] = place;
      columns.motorola[k] = Number(motorola);
      columns.signed[k] = Number(signal.signed && !signal.float);
      columns.needs[k] = lastByte(signal.start, bits, motorola) + 1;
      const scaling = scalingOf(signal.factor, signal.offset);
      columns.numerator[k] = scaling.numerator;
      columns.offset[k] = scaling.offset;
      columns.denominator[k] = scaling.denominator;
      if (message.j1939 && !signal.signed && !signal.float && bits <= 32) columns.largest[k] = largestOf(signal);
      columns.above[k] = signal.selector === null ? -1 : (places.get(signal.selector.by) ?? -1);
      ranges.push(signal.selector?.ranges ?? []);
    }
  });
  return { ...columns, ranges };
}

/** Returns the kind of a signal, which selects the fastest code that reads its raw value, and the shift that this code uses. */
function kindOf(signal: DbcSignal, place: number): { kind: number; shift: number } {
  const { bits, motorola, float } = signal;
  const end = place + bits;
  if (float) return { kind: bits === 32 ? SINGLE : DOUBLE, shift: 0 };
  if (bits > 32) return { kind: WIDE, shift: 0 };
  if (end > 64) return { kind: ANYWHERE, shift: 0 };
  if (!motorola) {
    if (end <= 32) return { kind: LOW, shift: place };
    return place >= 32 ? { kind: HIGH, shift: place - 32 } : { kind: ACROSS, shift: place };
  }
  if (end <= 32) return { kind: FIRST, shift: 32 - end };
  return place >= 32 ? { kind: SECOND, shift: 64 - end } : { kind: OVER, shift: end - 32 };
}

/**
 * Returns the largest valid raw value of a signal, which depends on its number of bits (J1939-71). For a bit field of 3 or more bits, J1939
 * reserves the two largest raw values for "error" and "not available". But a file may give such a value an ordinary name, for example `7
 * "Reverse"`; then the value is valid.
 */
function largestOf({ bits, labels }: DbcSignal): number {
  const most = largestValid(bits);
  if (bits % 8 === 0 || bits < 3) return most;
  let largest = most;
  while (largest < 2 ** bits - 1) {
    const label = labels.get(largest + 1);
    if (label === undefined || NO_VALUE.test(label)) break;
    largest++;
  }
  return largest;
}

const NO_VALUE = /not[ _-]?av|n\/?a$|error|fault|invalid|don'?t|no[ _-]?action|reserved|undefined/i;

/**
 * Returns factor and offset as fractions with one common denominator. The decoder then computes a value as (raw * numerator + offset) /
 * denominator, and only the division rounds. If a double cannot represent these integers exactly, the function returns the rounded factor
 * and offset with the denominator 1.
 */
function scalingOf(factor: Decimal, offset: Decimal): { numerator: number; offset: number; denominator: number } {
  if (factor.exact && offset.exact) {
    const places = Math.max(factor.exact.places, offset.exact.places, 0);
    const numerator = factor.exact.digits * 10 ** (places - factor.exact.places);
    const added = offset.exact.digits * 10 ** (places - offset.exact.places);
    // Reduce the fraction, because the product of the numerator and a raw value of 32 bits is exact only if the numerator is small. For
    // example, the factor 0.0078125 is 78125 / 10000000, but reduced it is 1 / 128.
    const shared = common(common(Math.abs(numerator), Math.abs(added)), 10 ** places);
    const whole = { numerator: numerator / shared, offset: added / shared, denominator: 10 ** places / shared };
    if (Object.values(whole).every((one) => Number.isSafeInteger(one))) return whole;
  }
  return { numerator: factor.value, offset: offset.value, denominator: 1 };
}

function common(a: number, b: number): number {
  return b === 0 ? Math.max(a, 1) : common(b, a % b);
}

/**
 * The tables with which the decoder finds the message of an identifier. An entry is the index of the message plus one; 0 means that no
 * message has this identifier.
 */
export interface Identifiers {
  readonly standard: Uint16Array;
  readonly extended: ReadonlyMap<number, number>;
  /** Messages by PGN; undefined if the file has no J1939 message. */
  readonly groups: Uint16Array | undefined;
}

/** Builds the tables of identifiers. If two messages have the same PGN, the first one is used, and a note names the second. */
export function identifiersOf(messages: readonly DbcMessage[], notes: string[]): Identifiers {
  const standard = new Uint16Array(0x800);
  const extended = new Map<number, number>();
  const groups = messages.some(({ j1939 }) => j1939) ? new Uint16Array(0x40000) : undefined;
  messages.forEach(({ id, extended: isExtended, j1939, name }, m) => {
    if (!isExtended) standard[id] = m + 1;
    else if (!j1939 || groups === undefined) extended.set(id, m + 1);
    else {
      const pgn = pgnOf(id);
      const held = groups[pgn] as number;
      if (held === 0) groups[pgn] = m + 1;
      else notes.push(`${name} has the same PGN (${pgn}) as ${messages[held - 1]?.name} and is never decoded`);
    }
  });
  return { standard, extended, groups };
}
