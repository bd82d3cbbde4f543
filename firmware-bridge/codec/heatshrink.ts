/**
 * Packs bytes with the compression heatshrink, and unpacks them from any offset. A packed stream is a sequence of bits, the highest bit of
 * a byte first. A bit 1 means that the next eight bits are one byte. A bit 0 means that earlier bytes of the output are repeated; the next
 * bits are a distance minus 1 and a length minus 1.
 *
 * The reader unpacks blocks of 64 KiB forward and caches the last four. To read an earlier block, it starts again at the nearest checkpoint
 * before that block. A checkpoint is a copy of the state of the decoder, mainly of its window (the last bytes of the output). The reader
 * stores one checkpoint for each thousand windows of output. Each checkpoint has about the size of one window, so all checkpoints together
 * need about a thousandth of the size of the output.
 */
import type { ByteSource } from './byte-source.ts';

/** The parameters with which a heatshrink stream was packed. */
export interface HeatshrinkForm {
  /** Number of bits of a distance; the window has two to the power of this number bytes. */
  readonly windowBits: number;
  /** Number of bits of a length. */
  readonly lengthBits: number;
}

const BLOCK_BYTES = 64 << 10;
const BLOCKS_KEPT = 4;
const INPUT_BYTES = 64 << 10;
const SMALLEST_CHECKPOINT = 1 << 20;

/** The state of the decoder between two blocks. */
interface Checkpoint {
  /** Offset of the next bit in the packed bytes. */
  readonly bit: number;
  readonly window: Uint8Array;
  readonly head: number;
  readonly copy: number;
  readonly distance: number;
}

/** Reads groups of bits from the packed bytes, the highest bit of a byte first. */
class BitReader {
  private readonly packed: ByteSource;
  private readonly start: number;
  private readonly input = new Uint8Array(INPUT_BYTES);
  private inputFrom = 0;
  private inputEnd = 0;
  private inputAt = 0;
  private bits = 0;
  private held = 0;

  constructor(packed: ByteSource, start: number) {
    this.packed = packed;
    this.start = start;
  }

  /** Reads the next `count` bits (at most 16) as a number; returns -1 at the end of the packed bytes. */
  take(count: number): number {
    while (this.held < count) {
      if (this.inputAt === this.inputEnd) {
        this.inputFrom += this.inputEnd;
        this.inputEnd = this.packed.read(this.start + this.inputFrom, this.input, 0, INPUT_BYTES);
        this.inputAt = 0;
        if (this.inputEnd === 0) return -1;
      }
      this.bits = ((this.bits << 8) | (this.input[this.inputAt++] as number)) & 0xffffff;
      this.held += 8;
    }
    this.held -= count;
    return (this.bits >>> this.held) & (2 ** count - 1);
  }

  /** Offset of the next bit in the packed bytes. */
  get position(): number {
    return (this.inputFrom + this.inputAt) * 8 - this.held;
  }

  seek(bit: number): void {
    this.inputFrom = Math.floor(bit / 8);
    this.inputEnd = 0;
    this.inputAt = 0;
    this.held = 0;
    this.bits = 0;
    if (bit % 8 > 0) this.take(bit % 8);
  }
}

/** Unpacks a stream block by block, from the start or from a checkpoint. */
class BlockDecoder {
  private readonly reader: BitReader;
  private readonly windowBits: number;
  private readonly lengthBits: number;
  private readonly window: Uint8Array;
  private head = 0;
  private copy = 0;
  private distance = 0;

  constructor(reader: BitReader, { windowBits, lengthBits }: HeatshrinkForm) {
    this.reader = reader;
    this.windowBits = windowBits;
    this.lengthBits = lengthBits;
    this.window = new Uint8Array(2 ** windowBits);
  }

  /** Unpacks and returns the next block of 64 KiB; a shorter block is the last one. */
  unpack(): Uint8Array {
    const { reader, window, windowBits, lengthBits } = this;
    const mask = window.length - 1;
    const out = new Uint8Array(BLOCK_BYTES);
    let { head, copy, distance } = this;
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
      const tag = reader.take(1);
      if (tag < 0) break;
      if (tag === 1) {
        const byte = reader.take(8);
        if (byte < 0) break;
        window[head & mask] = byte;
        head++;
        out[at++] = byte;
      } else {
        const back = reader.take(windowBits);
        const length = reader.take(lengthBits);
        if (back < 0 || length < 0) break;
        distance = back + 1;
        copy = length + 1;
      }
    }
    this.head = head & mask;
    this.copy = copy;
    this.distance = distance;
    return at === BLOCK_BYTES ? out : out.subarray(0, at);
  }

  checkpoint(): Checkpoint {
    const { reader, window, head, copy, distance } = this;
    return { bit: reader.position, window: window.slice(), head, copy, distance };
  }

  restore({ bit, window, head, copy, distance }: Checkpoint): void {
    this.reader.seek(bit);
    this.window.set(window);
    this.head = head;
    this.copy = copy;
    this.distance = distance;
  }
}

/** Returns the unpacked bytes of `packed` as a source that can be read at any offset; the stream begins at byte `start` of `packed`. */
export function heatshrinkSource(packed: ByteSource, start: number, form: HeatshrinkForm): ByteSource {
  const { windowBits, lengthBits } = form;
  const decoder = new BlockDecoder(new BitReader(packed, start), form);
  const blocksPerCheckpoint = Math.ceil(Math.max(SMALLEST_CHECKPOINT, 2 ** windowBits * 1024) / BLOCK_BYTES);
  const checkpoints: Checkpoint[] = [];
  const kept = new Map<number, Uint8Array>();
  /**
   * The number of the next block to unpack, and the number of the last block. The number of the last block is infinite until the reader has
   * found the end of the stream.
   */
  let next = 0;
  let last = Number.POSITIVE_INFINITY;

  function block(number: number): Uint8Array {
    const known = kept.get(number);
    if (known !== undefined) return known;
    const nearest = Math.min(Math.floor(number / blocksPerCheckpoint), checkpoints.length - 1);
    if (number < next || nearest * blocksPerCheckpoint > next) {
      decoder.restore(checkpoints[nearest] as Checkpoint);
      next = nearest * blocksPerCheckpoint;
    }
    for (;;) {
      if (next % blocksPerCheckpoint === 0 && checkpoints.length === next / blocksPerCheckpoint)
        checkpoints.push(decoder.checkpoint());
      const unpacked = decoder.unpack();
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

/**
 * Packs bytes. For each position it finds the latest earlier position with the same three bytes. If there is one, the stream repeats the
 * equal bytes from that position on.
 */
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
