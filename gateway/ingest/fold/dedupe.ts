/**
 * Recognises data that a device sends again, so that the fold (the code that applies messages) applies it once. Each device has three
 * windows: tables of limited size that remember its latest data. A window is created when it is first needed:
 *
 *   numbered messages   the number and a checksum of the payload, the last 4,096
 *   frames with time    bus, time, kind, identifier and data, the last 32,768 (two generations of 16,384)
 *   anything else       MQTT packet id and checksum; used only when the sender set the DUP flag
 *
 * The number of a message alone does not identify it, because a device that restarts may count from the beginning again.
 */
import { crc32 } from 'node:zlib';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';

const NUMBERED = 4096;
/**
 * The key of a payload has the message number modulo this number, and a 32-bit checksum. A JavaScript number represents this key exactly.
 */
const NUMBER_SPAN = 2 ** 20;
const PACKETS = 256;
const GENERATION = 16_384;
/**
 * The number of slots of one generation. A generation uses at most two thirds of its slots. A device that sends frames has two generations
 * of 144 kB each.
 */
const SLOTS = GENERATION * 1.5;

const C1 = 0xcc9e2d51;
const C2 = 0x85ebca6b;

/** The flags that are part of the identity of a frame. The other flags only describe how the frame was sent. */
const KIND = FRAME.extended | FRAME.remote | FRAME.error;

/** One step of MurmurHash3 (Appleby, public domain). */
function mix(hash: number, word: number, factor: number): number {
  let k = Math.imul(word, factor);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/**
 * One generation of frame fingerprints. When the current generation is full, it replaces the previous generation, and a new one begins. A
 * generation is a hash table with open addressing by the first hash of a frame. A slot has the upper half of the first hash and the whole
 * second hash. A second hash of zero marks an empty slot.
 */
class Generation {
  count = 0;
  private readonly seconds = new Int32Array(SLOTS);
  private readonly firsts = new Uint16Array(SLOTS);

  /** Both hashes are signed, because V8 stores most larger numbers in memory that each call would allocate. */
  has(a: number, b: number): boolean {
    const { seconds, firsts } = this;
    const first = a >>> 16;
    for (let slot = (a >>> 0) % SLOTS; ; slot = slot + 1 === SLOTS ? 0 : slot + 1) {
      const second = seconds[slot];
      if (second === 0) return false;
      if (second === b && firsts[slot] === first) return true;
    }
  }

  add(a: number, b: number): void {
    const { seconds } = this;
    let slot = (a >>> 0) % SLOTS;
    while (seconds[slot] !== 0) slot = slot + 1 === SLOTS ? 0 : slot + 1;
    seconds[slot] = b;
    this.firsts[slot] = a >>> 16;
    this.count++;
  }

  clear(): void {
    this.seconds.fill(0);
    this.count = 0;
  }
}

/** The result of removing repeated frames from a message. */
export interface Deduped {
  readonly duplicates: number;
  /** For frame i of the batch, its index in the message; undefined if no frame was removed. */
  readonly index: Uint32Array | undefined;
}

/**
 * The CRC-32 of a payload, computed over the last four bytes first and then over the other bytes. A binary batch ends with the CRC-32 of
 * its own data, and a CRC-32 over data and the CRC of this data is always the same constant. So in the usual order every batch would have
 * the same checksum.
 */
export function checksum(payload: Uint8Array): number {
  const split = Math.max(0, payload.length - 4);
  return crc32(payload.subarray(0, split), crc32(payload.subarray(split)));
}

/**
 * A map that keeps only the newest keys. A ring buffer stores their order, because finding the oldest key in a Map is slow: the Map must
 * skip its deleted entries.
 */
class Recent {
  private readonly values = new Map<number, number>();
  private readonly ring: number[] = [];
  private oldest = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  get(key: number): number | undefined {
    return this.values.get(key);
  }

  /** Sets a value. A key that is already in the map does not become newer. */
  set(key: number, value: number): void {
    const known = this.values.has(key);
    this.values.set(key, value);
    if (known) return;
    if (this.ring.length < this.most) {
      this.ring.push(key);
      return;
    }
    this.values.delete(this.ring[this.oldest] as number);
    this.ring[this.oldest] = key;
    this.oldest = (this.oldest + 1) % this.most;
  }
}

export class Dedupe {
  /**
   * A key combines the number of a message with the checksum of its payload, because several different payloads may have the same number.
   */
  private readonly numbered = new Recent(NUMBERED);
  private readonly packets = new Recent(PACKETS);
  private young: Generation | undefined;
  private old: Generation | undefined;

  /** Returns true if this number was seen with this checksum; otherwise stores the pair. */
  seenNumber(seq: number, sum: number): boolean {
    const rest = Math.floor(seq / NUMBER_SPAN);
    const key = (seq - rest * NUMBER_SPAN) * 0x1_0000_0000 + sum;
    if (this.numbered.get(key) === rest) return true;
    this.numbered.set(key, rest);
    return false;
  }

  /**
   * Returns true if the sender set the DUP flag and a message with this packet id and checksum was received before. Remembers the packet id
   * with the checksum.
   */
  seenPacket(packetId: number, repeat: boolean, payload: Uint8Array): boolean {
    if (packetId === 0) return false;
    const sum = checksum(payload);
    if (repeat && this.packets.get(packetId) === sum) return true;
    this.packets.set(packetId, sum);
    return false;
  }

  /** Removes frames that were seen before from the batch. Frames without a time of their own are not removed. */
  dropSeenFrames(batch: FrameBatch): Deduped {
    let kept = 0;
    let index: Uint32Array | undefined;
    this.young ??= new Generation();
    for (let i = 0; i < batch.count; i++) {
      if (((batch.flags[i] as number) & FRAME.noTime) === 0 && this.seenFrame(batch, i)) {
        index ??= Uint32Array.from({ length: batch.count }, (_, k) => k);
        continue;
      }
      if (index !== undefined) {
        index[kept] = i;
        move(batch, i, kept);
      }
      kept++;
    }
    const duplicates = batch.count - kept;
    batch.count = kept;
    return { duplicates, index };
  }

  /** Returns true if the frame was seen before. Uses two independent 32-bit hashes, because a false match would lose a frame. */
  private seenFrame(batch: FrameBatch, i: number): boolean {
    const t = batch.t[i] as number;
    const len = batch.len[i] as number;
    const { data } = batch;
    let low = 0;
    let high = 0;
    const flags = batch.flags[i] as number;
    if (len <= 8) {
      const at = i * 8;
      for (let k = Math.min(len, 4) - 1; k >= 0; k--) low = (low << 8) | (data[at + k] as number);
      for (let k = len - 1; k >= 4; k--) high = (high << 8) | (data[at + k] as number);
    } else {
      // Compute two independent hashes of the payload. Two CRCs with different seeds would not be independent: they differ only by a
      // constant.
      const bytes = batch.payload(i);
      for (let k = 0; k < len; k += 4) {
        const word =
          (bytes[k] as number) |
          (byteAt(bytes, k + 1) << 8) |
          (byteAt(bytes, k + 2) << 16) |
          (byteAt(bytes, k + 3) << 24);
        low = mix(low, word, C1);
        high = mix(high, word, C2);
      }
    }
    const early = t | 0;
    const late =
      Math.floor(t / 0x1_0000_0000) ^ ((batch.bus[i] as number) << 24) ^ ((flags & FRAME.fd) << 20) ^ (len << 16);
    // An identifier has 29 bits; put the kind of the frame into the three higher bits.
    const id = (batch.id[i] as number) ^ ((flags & KIND) << 29);
    let a = mix(mix(mix(mix(mix(0x9747b28c, early, C1), late, C1), id, C1), low, C1), high, C1);
    let b = mix(mix(mix(mix(mix(0x3c6ef372, high, C2), low, C2), id, C2), late, C2), early, C2);
    a ^= a >>> 16;
    b = b ^ (b >>> 16) || 1;
    const young = this.young as Generation;
    if (young.has(a, b) || this.old?.has(a, b)) return true;
    young.add(a, b);
    if (young.count >= GENERATION) {
      const recycled = this.old ?? new Generation();
      recycled.clear();
      this.old = young;
      this.young = recycled;
    }
    return false;
  }
}

/** The byte at `k`, or 0 after the end. */
function byteAt(bytes: Uint8Array, k: number): number {
  return bytes[k] ?? 0;
}

function move(batch: FrameBatch, from: number, to: number): void {
  batch.t[to] = batch.t[from] as number;
  batch.id[to] = batch.id[from] as number;
  batch.flags[to] = batch.flags[from] as number;
  batch.bus[to] = batch.bus[from] as number;
  batch.len[to] = batch.len[from] as number;
  batch.at[to] = batch.at[from] as number;
  batch.data.copyWithin(to * 8, from * 8, from * 8 + 8);
}
