/**
 * Version 1 of the binary format for samples: one column per signal, without compression and without origins.
 *
 *   'HFS' 1 | number of columns | per column: name length, name, number of samples n, quantum index, times, value mode, values
 *   times    multiples of the quantum: the first time, then the changes of the difference between two times; signed varints
 *   values   mode k < SCALES.length: multiples of 1 / SCALES[k], the first value, then differences; signed varints
 *            mode RAW: XOR with the value before, as in `bytes.ts`
 *
 * Data folders before layout 3 stored samples in this format. The journal may also contain parts of recorded files in this format.
 */
import { ByteReader, ByteWriter } from '#domain/base/bytes.ts';

/** The samples of one signal. Times are whole numbers of microseconds since 1970, below 2^52, in any order. */
export interface SegmentColumn {
  readonly signal: string;
  readonly t: Float64Array;
  readonly v: Float64Array;
}

const HEADER = [0x48, 0x46, 0x53, 1] as const;
/**
 * The possible resolutions of times in microseconds, the coarsest first. Most sources have timestamps in milliseconds or tens of
 * microseconds.
 */
const QUANTA = [1_000_000, 1000, 50, 10, 1] as const;
/** The possible resolutions of values, as denominators: 10 means multiples of 0.1. They are common in machine data. */
const SCALES = [1, 2, 4, 5, 8, 10, 20, 32, 50, 100, 128, 200, 256, 500, 512, 1000, 10_000] as const;
const RAW = 255;
const MAX_TIME = 2 ** 52;
/** If scaled values are below this limit, a JavaScript number represents their differences exactly. */
const MAX_SCALED = 2 ** 51;
const MAX_COLUMNS = 1024;
const MAX_NAME = 120;

const whole = (v: number, scale: number) => {
  const scaled = Math.round(v * scale);
  // Use the scale only if the division of the integer by the scale gives exactly the original number. An integer cannot represent minus
  // zero.
  return Math.abs(scaled) < MAX_SCALED && scaled / scale === v && !Object.is(v, -0);
};

/** Returns the index of the first scale with which every value becomes an integer; RAW if there is none. */
function modeOf(v: Float64Array): number {
  const mode = SCALES.findIndex((scale) => v.every((value) => whole(value, scale)));
  return mode < 0 ? RAW : mode;
}

function writeTimes(out: ByteWriter, t: Float64Array): void {
  let quantum = 0;
  for (const time of t) while (time % (QUANTA[quantum] as number) !== 0) quantum++;
  out.byte(quantum);
  let before = 0;
  let distance = 0;
  for (let i = 0; i < t.length; i++) {
    const now = (t[i] as number) / (QUANTA[quantum] as number);
    const next = i === 0 ? 0 : now - before;
    out.signed(i === 0 ? now : next - distance);
    distance = next;
    before = now;
  }
}

/**
 * Encodes a segment (the samples of one machine). Throws if a time is not an integer or is out of range, or if a column has different
 * numbers of times and values.
 */
export function encodeSegment(columns: readonly SegmentColumn[]): Uint8Array {
  if (columns.length > MAX_COLUMNS)
    throw new Error(`${columns.length} columns are too many; at most ${MAX_COLUMNS} are allowed`);
  const out = new ByteWriter();
  for (const byte of HEADER) out.byte(byte);
  out.varint(columns.length);
  for (const { signal, t, v } of columns) {
    if (t.length !== v.length) throw new Error(`${t.length} times for ${v.length} values of ${signal}`);
    if (!t.every((time) => Number.isInteger(time) && time >= 0 && time < MAX_TIME))
      throw new Error(`a time of ${signal} is not in whole microseconds since 1970`);
    const name = new TextEncoder().encode(signal);
    if (name.length > MAX_NAME)
      throw new Error(`the name of a signal has ${name.length} bytes; at most ${MAX_NAME} are allowed`);
    out.varint(name.length);
    for (const byte of name) out.byte(byte);
    out.varint(t.length);
    writeTimes(out, t);
    const mode = modeOf(v);
    out.byte(mode);
    if (mode === RAW) out.xor(v);
    else {
      let before = 0;
      for (const value of v) {
        const now = Math.round(value * (SCALES[mode] as number));
        out.signed(now - before);
        before = now;
      }
    }
  }
  return out.finish();
}

function readTimes(from: ByteReader, t: Float64Array): boolean {
  const quantum = QUANTA[from.byte()];
  if (quantum === undefined) return false;
  let before = 0;
  let distance = 0;
  for (let i = 0; i < t.length; i++) {
    const read = from.signed();
    if (i > 0) distance += read;
    const now = i === 0 ? read : before + distance;
    const time = now * quantum;
    if (!(time >= 0 && time < MAX_TIME)) return false;
    t[i] = time;
    before = now;
  }
  return true;
}

function readValues(from: ByteReader, v: Float64Array): boolean {
  const mode = from.byte();
  if (mode === RAW) return from.xor(v);
  const scale = SCALES[mode];
  if (scale === undefined) return false;
  let now = 0;
  for (let k = 0; k < v.length; k++) {
    now += from.signed();
    if (!(Math.abs(now) < MAX_SCALED)) return false;
    v[k] = now / scale;
  }
  return true;
}

/** Decodes a segment; returns undefined if the bytes are not a valid segment. */
export function decodeSegment(bytes: Uint8Array): SegmentColumn[] | undefined {
  if (!HEADER.every((byte, i) => bytes[i] === byte)) return undefined;
  const from = new ByteReader(bytes);
  from.at = HEADER.length;
  const columns = from.varint();
  if (!(columns <= MAX_COLUMNS)) return undefined;
  const found: SegmentColumn[] = [];
  for (let i = 0; i < columns; i++) {
    const length = from.varint();
    if (!(length <= MAX_NAME && length <= from.left)) return undefined;
    const signal = new TextDecoder().decode(bytes.subarray(from.at, from.at + length));
    from.at += length;
    const count = from.varint();
    // A sample takes at least two bytes, so a larger count is wrong. Refuse it before allocating memory.
    if (!(count * 2 <= from.left)) return undefined;
    const t = new Float64Array(count);
    const v = new Float64Array(count);
    if (!readTimes(from, t) || !readValues(from, v)) return undefined;
    found.push({ signal, t, v });
  }
  return from.left === 0 ? found : undefined;
}
