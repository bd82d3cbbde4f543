/**
 * heatshrink, unpacked at any place: bits, high first; 1 and a byte, or 0 with distance - 1 and length - 1 of what was there before.
 *
 * Blocks of 64 KiB are unpacked forward and a few are kept. Where reading jumps back, it begins anew at the last mark before the place;
 * marks hold the window, and there is one for a thousand windows of output, so they are a thousandth of it.
 */
import type { ByteSource } from './byte-source.ts';

/** What a stream was packed with. */
export interface HeatshrinkForm {
  /** Bits of a distance and of a length. */
  readonly windowBits: number;
  readonly lengthBits: number;
}

const BLOCK_BYTES = 64 << 10;
const BLOCKS_KEPT = 4;
const INPUT_BYTES = 64 << 10;
const SMALLEST_MARK = 1 << 20;

interface Mark {
  /** Of the input, in bits. */
  readonly bit: number;
  readonly window: Uint8Array;
  readonly head: number;
  readonly copy: number;
  readonly distance: number;
}

/** The unpacked bytes of `packed` from byte `start` on. */
export function heatshrinkSource(packed: ByteSource, start: number, form: HeatshrinkForm): ByteSource {
  const { windowBits, lengthBits } = form;
  const size = 2 ** windowBits;
  const mask = size - 1;
  const blocksPerMark = Math.ceil(Math.max(SMALLEST_MARK, size * 1024) / BLOCK_BYTES);
  const marks: Mark[] = [];
  const kept = new Map<number, Uint8Array>();
  const input = new Uint8Array(INPUT_BYTES);
  let inputFrom = 0;
  let inputEnd = 0;
  let inputAt = 0;
  let bits = 0;
  let held = 0;

  const window = new Uint8Array(size);
  let head = 0;
  let copy = 0;
  let distance = 0;
  /** The next block that is unpacked, and the first that does not exist. */
  let next = 0;
  let last = Number.POSITIVE_INFINITY;

  /** Takes up to 24 bits; -1 at the end. */
  function take(count: number): number {
    while (held < count) {
      if (inputAt === inputEnd) {
        inputFrom += inputEnd;
        inputEnd = packed.read(start + inputFrom, input, 0, INPUT_BYTES);
        inputAt = 0;
        if (inputEnd === 0) return -1;
      }
      bits = ((bits << 8) | (input[inputAt++] as number)) & 0xffffff;
      held += 8;
    }
    held -= count;
    return (bits >>> held) & (2 ** count - 1);
  }

  function unpack(): Uint8Array {
    const out = new Uint8Array(BLOCK_BYTES);
    let at = 0;
    while (at < BLOCK_BYTES) {
      if (copy > 0) {
        const part = Math.min(copy, BLOCK_BYTES - at);
        for (let i = 0; i < part; i++) {
          const byte = window[(head - distance) & mask] as number;
          window[head & mask] = byte;
          head++;
          out[at++] = byte;
        }
        copy -= part;
        continue;
      }
      const tag = take(1);
      if (tag < 0) break;
      if (tag === 1) {
        const byte = take(8);
        if (byte < 0) break;
        window[head & mask] = byte;
        head++;
        out[at++] = byte;
      } else {
        const back = take(windowBits);
        const length = take(lengthBits);
        if (back < 0 || length < 0) break;
        distance = back + 1;
        copy = length + 1;
      }
    }
    head &= mask;
    return at === BLOCK_BYTES ? out : out.subarray(0, at);
  }

  function mark(): void {
    const bit = (inputFrom + inputAt) * 8 - held;
    marks.push({ bit, window: window.slice(), head, copy, distance });
  }

  function rewind(to: Mark, block: number): void {
    inputFrom = Math.floor(to.bit / 8);
    inputEnd = 0;
    inputAt = 0;
    held = 0;
    bits = 0;
    if (to.bit % 8 > 0) take(to.bit % 8);
    window.set(to.window);
    ({ head, copy, distance } = to);
    next = block;
  }

  function block(number: number): Uint8Array {
    const known = kept.get(number);
    if (known !== undefined) return known;
    const nearest = Math.min(Math.floor(number / blocksPerMark), marks.length - 1);
    if (number < next || nearest * blocksPerMark > next) rewind(marks[nearest] as Mark, nearest * blocksPerMark);
    for (;;) {
      if (next % blocksPerMark === 0 && marks.length === next / blocksPerMark) mark();
      const unpacked = unpack();
      const done = next++;
      if (unpacked.length < BLOCK_BYTES) last = Math.min(last, done);
      if (done < number && unpacked.length === BLOCK_BYTES) continue;
      if (kept.size >= BLOCKS_KEPT) kept.delete(kept.keys().next().value as number);
      kept.set(number, unpacked);
      return unpacked;
    }
  }

  return {
    bound: Math.ceil(((packed.bound - start) * 8) / (1 + windowBits + lengthBits)) * 2 ** lengthBits,
    read(at, into, from, length) {
      let got = 0;
      while (got < length) {
        const number = Math.floor((at + got) / BLOCK_BYTES);
        if (number > last) break;
        const unpacked = block(number);
        if (number > last) break;
        const part = unpacked.subarray((at + got) % BLOCK_BYTES, ((at + got) % BLOCK_BYTES) + length - got);
        into.set(part, from + got);
        got += part.length;
        if (unpacked.length < BLOCK_BYTES) break;
      }
      return got;
    },
  };
}

/** Packs bytes by the same form: the longest of what was there before, found by its first three bytes. */
export function packHeatshrink(bytes: Uint8Array, form: HeatshrinkForm): Uint8Array {
  const { windowBits, lengthBits } = form;
  const size = 2 ** windowBits;
  const longest = 2 ** lengthBits;
  const out = new Uint8Array(Math.ceil((bytes.length * 9) / 8) + 8);
  let written = 0;
  const put = (value: number, count: number) => {
    for (let i = count - 1; i >= 0; i--) {
      if ((value >> i) & 1) out[written >> 3] = (out[written >> 3] as number) | (128 >> (written & 7));
      written++;
    }
  };
  const latest = new Map<number, number>();
  for (let at = 0; at < bytes.length; ) {
    const key = (i: number) =>
      ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    const from = at + 2 < bytes.length ? latest.get(key(at)) : undefined;
    let length = 0;
    if (from !== undefined && at - from <= size)
      while (length < longest && at + length < bytes.length && bytes[from + length] === bytes[at + length]) length++;
    const step = length > 2 ? length : 1;
    if (length > 2) {
      put(0, 1);
      put(at - (from as number) - 1, windowBits);
      put(length - 1, lengthBits);
    } else put(256 + (bytes[at] as number), 9);
    for (let i = at; i < at + step; i++) if (i + 2 < bytes.length) latest.set(key(i), i);
    at += step;
  }
  return out.subarray(0, (written + 7) >> 3);
}
