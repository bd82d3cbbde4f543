/**
 * The binary format for columns of numbers; a column has the samples of one signal. Each column is compressed separately, so that a reader
 * of one signal decodes only its column.
 *
 *   'HFS' 3 | length of the head, varint | head, zstd | block of column 0 | block of column 1 | ...
 *
 *   head     JSON: { meta, columns: [[name, [array name, length] ..., bytes of the block]] }
 *   block    zstd of: the arrays one after the other
 *   array    mode and order, one byte (mode | order << 6), then the numbers
 *            mode < GRIDS.length: whole numbers, from which GRIDS[mode] computes the numbers; stored are their differences of this order as
 *            signed varints
 *            mode RAW: XOR with the number before; one byte (leading zero bytes << 4 | bytes that follow), then those bytes
 *
 * Numbers are finite, and decoding returns exactly the same bits. Differences of order 0 are the numbers themselves. Differences of order 1
 * are the changes from number to number, and differences of order 2 are the changes of these changes.
 */
import { constants as zlib, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from '#domain/base/bytes.ts';

/** The numbers of one signal: arrays by name, such as times and values. */
export interface Column {
  readonly name: string;
  readonly arrays: Readonly<Record<string, Float64Array>>;
}

/** The head of the encoded columns: the names of the columns, the lengths of their arrays, and the size of each block. */
interface Head {
  readonly meta: unknown;
  readonly columns: readonly (readonly [name: string, arrays: readonly (readonly [string, number])[], bytes: number])[];
}

const MAGIC = [0x48, 0x46, 0x53, 3] as const;
/**
 * A grid is a set of numbers that can be stored as whole numbers: each number of the set is `numberAt(k)` for a whole number k. To find k,
 * round `indexOf(value)`.
 */
interface Grid {
  readonly numberAt: (k: number) => number;
  readonly indexOf: (value: number) => number;
  /** For multiples of 1 / n, the number n. Reading divides by it without a call of `numberAt`. */
  readonly divisor?: number;
}

const multiplesOf = (scale: number): Grid => ({
  numberAt: (k) => k / scale,
  indexOf: (value) => value * scale,
  divisor: scale,
});
const coarse = (step: number): Grid => ({ numberAt: (k) => k * step, indexOf: (value) => value / step });
/** The index of the last fine grid in GRIDS. The grids after it are coarse: they contain only multiples of 2 or more. */
const LAST_FINE = 19;

/**
 * The grids that fit machine data: multiples of 1 / n, and positions in degrees as in J1939 (SPN 584 and 585). The format stores the index
 * of a grid in this list, so add new grids only at the end.
 */
const GRIDS: readonly Grid[] = [
  ...[1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 10_000].map(multiplesOf),
  { numberAt: (k) => k * 1e-7 - 210, indexOf: (value) => (value + 210) * 1e7 },
  ...[1000, 500, 400, 250, 200, 125, 100, 50, 40, 25, 20, 10, 8, 5, 4, 2].map(coarse),
];
const RAW = 63;
/**
 * The order in which the encoder tries the grids: first the coarse grids, beginning with the multiples of 1000, and then the fine grids.
 */
const TRIED: readonly number[] = [...GRIDS.keys()].sort(
  (a, b) => Number(b > LAST_FINE) - Number(a > LAST_FINE) || a - b,
);
/** If the whole numbers are below this limit, a JavaScript number represents them and their differences of order 2 exactly. */
const MAX_WHOLE = 2 ** 50;
const MAX_ORDER = 2;
const MAX_COLUMNS = 4096;
/** One array has at most this many numbers. One number for each second of 46 days would reach this limit. */
const MAX_LENGTH = 4_000_000;
/** The largest size in bytes of the decompressed head, and of each decompressed block. */
const MAX_BYTES = 64 << 20;

/** The compression level for data that is written once and read often. It is about four times slower than level 3. */
const SEALED = { params: { [zlib.ZSTD_c_compressionLevel]: 19 } };
/** The compression level for data that is replaced within hours. */
const QUICK = { params: { [zlib.ZSTD_c_compressionLevel]: 3 } };

/** Returns true if the grid contains exactly this number. Minus zero is in no grid, because a whole number cannot represent it. */
function isOn({ numberAt, indexOf }: Grid, value: number): boolean {
  const k = Math.round(indexOf(value));
  return Math.abs(k) < MAX_WHOLE && numberAt(k) === value && !Object.is(value, -0);
}

/** Returns the index of the first grid that contains all numbers; RAW if there is none. */
function gridOf(numbers: Float64Array): number {
  // All zeros are on every grid. The first grid needs no search.
  if (numbers.every((value) => Object.is(value, 0))) return 0;
  return TRIED.find((mode) => numbers.every((value) => isOn(GRIDS[mode] as Grid, value))) ?? RAW;
}

function writeWhole(out: ByteWriter, numbers: Float64Array, { indexOf }: Grid, order: number): void {
  let before = 0;
  let change = 0;
  for (const value of numbers) {
    const now = Math.round(indexOf(value));
    if (order === 0) {
      out.signed(now);
      continue;
    }
    const next = now - before;
    out.signed(order === 1 ? next : next - change);
    change = next;
    before = now;
  }
}

function readWhole(from: ByteReader, numbers: Float64Array, { numberAt, divisor }: Grid, order: number): boolean {
  let now = 0;
  let change = 0;
  for (let i = 0; i < numbers.length; i++) {
    const read = from.signed();
    if (order === 0) now = read;
    else {
      change = order === 1 ? read : change + read;
      now += change;
    }
    if (!(Math.abs(now) < MAX_WHOLE)) return false;
    numbers[i] = divisor === undefined ? numberAt(now) : now / divisor;
  }
  return true;
}

function writeArray(out: ByteWriter, numbers: Float64Array): void {
  const mode = gridOf(numbers);
  const grid = GRIDS[mode];
  if (grid === undefined) {
    out.byte(RAW);
    out.xor(numbers);
    return;
  }
  const tries = [0, 1, 2].map((order) => {
    const one = new ByteWriter();
    one.byte(mode | (order << 6));
    writeWhole(one, numbers, grid, order);
    return one.finish();
  });
  out.append(tries.reduce((best, one) => (one.length < best.length ? one : best)));
}

function readArray(from: ByteReader, length: number): Float64Array | undefined {
  // A number takes at least one byte, so a length above the remaining bytes is wrong. Refuse it before allocating memory.
  if (length > from.left) return undefined;
  const numbers = new Float64Array(length);
  const head = from.byte();
  const order = head >> 6;
  const grid = GRIDS[head & 63];
  if ((head & 63) === RAW) return from.xor(numbers) && numbers.every(Number.isFinite) ? numbers : undefined;
  if (grid === undefined || order > MAX_ORDER) return undefined;
  return readWhole(from, numbers, grid, order) ? numbers : undefined;
}

function plainBlock({ name, arrays }: Column): Uint8Array {
  const out = new ByteWriter();
  for (const [key, numbers] of Object.entries(arrays)) {
    if (numbers.length > MAX_LENGTH) throw new RangeError(`${name}.${key} has ${numbers.length} numbers`);
    if (!numbers.every(Number.isFinite)) throw new RangeError(`${name}.${key} has a number that is not finite`);
    writeArray(out, numbers);
  }
  return out.finish();
}

function join(meta: unknown, columns: readonly Column[], blocks: readonly Uint8Array[]): Uint8Array {
  if (columns.length > MAX_COLUMNS)
    throw new RangeError(`${columns.length} columns are too many; at most ${MAX_COLUMNS} are allowed`);
  const head: Head = {
    meta,
    columns: columns.map(({ name, arrays }, i) => [
      name,
      Object.entries(arrays).map(([key, { length }]) => [key, length] as const),
      (blocks[i] as Uint8Array).length,
    ]),
  };
  const packed = zstdCompressSync(JSON.stringify(head), QUICK);
  const out = new ByteWriter();
  for (const byte of MAGIC) out.byte(byte);
  out.varint(packed.length);
  out.append(packed);
  for (const block of blocks) out.append(block);
  return out.finish();
}

/** Encodes columns quickly, with low compression, in one turn of the event loop. Throws `RangeError` for a number that is not finite. */
export function encodeColumns(meta: unknown, columns: readonly Column[]): Uint8Array {
  return join(
    meta,
    columns,
    columns.map((column) => zstdCompressSync(plainBlock(column), QUICK)),
  );
}

/**
 * Encodes columns with high compression. After each column it awaits the function `breathe`, in which other work of the event loop runs.
 */
export async function sealColumns(
  meta: unknown,
  columns: readonly Column[],
  breathe: () => Promise<void>,
): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  for (const column of columns) {
    // Use the synchronous function. The asynchronous function of zlib does not know the size of the data in advance, and takes 80 times as
    // long at this compression level.
    blocks.push(zstdCompressSync(plainBlock(column), SEALED));
    await breathe();
  }
  return join(meta, columns, blocks);
}

/** Encoded columns that were opened. Each column is decoded only when it is read. */
export interface OpenColumns {
  readonly meta: unknown;
  readonly names: readonly string[];
  /** Decodes a column. Returns undefined if there is no column with this name; throws `RangeError` if its bytes are damaged. */
  column(name: string): Column | undefined;
}

/** Copies numbers into a list. A loop is about ten times as fast as the spread operator. */
export function listOf(numbers: Float64Array): number[] {
  const list = new Array<number>(numbers.length);
  for (let i = 0; i < numbers.length; i++) list[i] = numbers[i] as number;
  return list;
}

/** Opens encoded columns; undefined if the bytes are of another format or damaged. */
export function openColumns(bytes: Uint8Array): OpenColumns | undefined {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) return undefined;
  const from = new ByteReader(bytes);
  from.at = MAGIC.length;
  const length = from.varint();
  if (!(length <= from.left)) return undefined;
  const head = readHead(bytes.subarray(from.at, from.at + length));
  if (head === undefined) return undefined;
  const places = new Map<string, { at: number; end: number; arrays: readonly (readonly [string, number])[] }>();
  let at = from.at + length;
  for (const [name, arrays, size] of head.columns) {
    places.set(name, { at, end: at + size, arrays });
    at += size;
  }
  if (at !== bytes.length) return undefined;
  return {
    meta: head.meta,
    names: [...places.keys()],
    column(name) {
      const place = places.get(name);
      if (place === undefined) return undefined;
      const arrays = readBlock(bytes.subarray(place.at, place.end), place.arrays);
      if (arrays === undefined) throw new RangeError(`the column ${name} is damaged`);
      return { name, arrays };
    },
  };
}

function readHead(bytes: Uint8Array): Head | undefined {
  try {
    const head = JSON.parse(zstdDecompressSync(bytes, { maxOutputLength: MAX_BYTES }).toString()) as Head;
    return Array.isArray(head.columns) && head.columns.length <= MAX_COLUMNS ? head : undefined;
  } catch {
    return undefined;
  }
}

function readBlock(
  bytes: Uint8Array,
  arrays: readonly (readonly [string, number])[],
): Record<string, Float64Array> | undefined {
  let plain: Uint8Array;
  try {
    plain = zstdDecompressSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch {
    return undefined;
  }
  const from = new ByteReader(plain);
  const found: Record<string, Float64Array> = {};
  for (const [key, length] of arrays) {
    const numbers = readArray(from, length);
    if (numbers === undefined) return undefined;
    found[key] = numbers;
  }
  return from.left === 0 ? found : undefined;
}
