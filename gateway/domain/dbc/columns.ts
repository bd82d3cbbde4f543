/** The signals of a DBC as columns: how each is read and scaled, and which identifier is which message. */

import { pgnOf } from '#domain/j1939/identifier.ts';
import { largestValid } from '#domain/j1939/signals.ts';
import { bigEndian, type DbcMessage, type DbcSignal, type Decimal, lastByte } from './model.ts';

/** One signal of the plan, in its place. */
export interface PlannedSignal {
  readonly message: DbcMessage;
  readonly signal: DbcSignal;
}

// How a raw value is read: from one of the two words of eight bytes or across both, in either order; from anywhere; in two halves.
export const LOW = 0;
export const HIGH = 1;
export const ACROSS = 2;
export const FIRST = 3;
export const SECOND = 4;
export const OVER = 5;
export const ANYWHERE = 6;
export const WIDE = 7;
export const SINGLE = 8;
export const DOUBLE = 9;

/** 2 to the 32nd. */
export const TWO_32 = 4_294_967_296;

/** Where bits become a float. */
export const bytes = new DataView(new ArrayBuffer(8));

/** Up to 32 bits, unsigned, from anywhere in a payload. */
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

/** One row per signal. */
export interface Columns {
  readonly kind: Uint8Array;
  readonly shift: Uint16Array;
  readonly bits: Uint8Array;
  readonly mask: Uint32Array;
  /** Where the first bit stands, in the order of its own bytes. */
  readonly place: Uint16Array;
  readonly motorola: Uint8Array;
  readonly signed: Uint8Array;
  /** The payload must have so many bytes. */
  readonly needs: Uint16Array;
  readonly numerator: Float64Array;
  readonly offset: Float64Array;
  readonly denominator: Float64Array;
  /** The largest raw value that is valid; infinite where every one is. */
  readonly largest: Float64Array;
  /** The signal that selects, or -1. */
  readonly above: Int32Array;
  readonly ranges: readonly (readonly (readonly [number, number])[])[];
}

/** The columns of all signals; those of message m stand from start[m] to start[m + 1]. */
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
      const { kind, shift } = wayOf(signal, place);
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

/** The quickest way to the raw value. */
function wayOf(signal: DbcSignal, place: number): { kind: number; shift: number } {
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

/** The largest valid raw value by width (J1939-71); where the file gives the value that would be an error a meaning of its own, that counts. */
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

/** Factor and offset as whole numbers over one denominator, so that a value rounds once; as they are where that does not fit. */
function scalingOf(factor: Decimal, offset: Decimal): { numerator: number; offset: number; denominator: number } {
  if (factor.exact && offset.exact) {
    const places = Math.max(factor.exact.places, offset.exact.places, 0);
    const numerator = factor.exact.digits * 10 ** (places - factor.exact.places);
    const added = offset.exact.digits * 10 ** (places - offset.exact.places);
    // Factors such as 0.0078125 leave room for 32 bits only after shortening.
    const shared = common(common(Math.abs(numerator), Math.abs(added)), 10 ** places);
    const whole = { numerator: numerator / shared, offset: added / shared, denominator: 10 ** places / shared };
    if (Object.values(whole).every((one) => Number.isSafeInteger(one))) return whole;
  }
  return { numerator: factor.value, offset: offset.value, denominator: 1 };
}

function common(a: number, b: number): number {
  return b === 0 ? Math.max(a, 1) : common(b, a % b);
}

/** Which message an identifier is, plus one; zero for none. */
export interface Identifiers {
  readonly standard: Uint16Array;
  readonly extended: ReadonlyMap<number, number>;
  /** By parameter group; undefined when no message is told apart so. */
  readonly groups: Uint16Array | undefined;
}

/** The tables of identifiers; what one message hides of another is noted. */
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
      else notes.push(`${name} is the parameter group ${pgn} as ${messages[held - 1]?.name} is; that one counts`);
    }
  });
  return { standard, extended, groups };
}
