/**
 * Recognises repeated data, so that it is stored once. Each device has three bounded windows, created when first needed:
 *
 *   numbered messages   the number and a checksum of the payload, the last 4,096
 *   frames with time    bus, time, kind, identifier and data, the last 32,768 (two generations of 16,384)
 *   anything else       MQTT packet id and checksum; used only when the sender marked a repeat (DUP)
 *
 * The number alone is not enough: a source that restarts counts from the beginning again.
 */
import { crc32 } from 'node:zlib';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';

const NUMBERED = 4096;
/** A number modulo this and a checksum of 32 bits make a key that a double holds exactly. */
const NUMBER_SPAN = 2 ** 20;
const PACKETS = 256;
const GENERATION = 16_384;
/** Slots of a table, at most two thirds full: 144 kB, twice for each device that sends frames. */
const SLOTS = GENERATION * 1.5;

const C1 = 0xcc9e2d51;
const C2 = 0x85ebca6b;

/** The flags that are part of the identity of a frame; the other flags only describe how it was sent. */
const KIND = FRAME.extended | FRAME.remote | FRAME.error;

/** One step of MurmurHash3 (Appleby, public domain). */
function mix(hash: number, word: number, factor: number): number {
  let k = Math.imul(word, factor);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/**
 * One generation of frame fingerprints. Open addressing by the first hash; a slot holds the upper half of the first
 * hash and all of the second one. A second hash of zero marks an empty slot.
 */
class Generation {
  count = 0;
  private readonly seconds = new Uint32Array(SLOTS);
  private readonly firsts = new Uint16Array(SLOTS);

  has(a: number, b: number): boolean {
    const { seconds, firsts } = this;
    const first = a >>> 16;
    for (let slot = a % SLOTS; ; slot = slot + 1 === SLOTS ? 0 : slot + 1) {
      const second = seconds[slot];
      if (second === 0) return false;
      if (second === b && firsts[slot] === first) return true;
    }
  }

  add(a: number, b: number): void {
    const { seconds } = this;
    let slot = a % SLOTS;
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
export interface Kept {
  readonly duplicates: number;
  /** The index in the message of frame i; undefined when nothing was removed. */
  readonly index: Uint32Array | undefined;
}

/**
 * The checksum of a payload. The last four bytes go first: the CRC-32 of bytes that end with their own CRC-32, as
 * binary batches do, is the same for all of them.
 */
export function checksum(payload: Uint8Array): number {
  const split = Math.max(0, payload.length - 4);
  return crc32(payload.subarray(0, split), crc32(payload.subarray(split)));
}

/**
 * A map of the newest keys. A ring keeps their order, because finding the first key of a Map walks over deleted keys.
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

  /** Sets a value; a known key keeps its place in the order. */
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
  /** The keys combine number and checksum: one number may stand for several payloads, each of which may be repeated. */
  private readonly numbered = new Recent(NUMBERED);
  private readonly packets = new Recent(PACKETS);
  private young: Generation | undefined;
  private old: Generation | undefined;

  /** True when this number was seen with this checksum; remembers the pair otherwise. */
  seenNumber(seq: number, sum: number): boolean {
    const rest = Math.floor(seq / NUMBER_SPAN);
    const key = (seq - rest * NUMBER_SPAN) * 0x1_0000_0000 + sum;
    if (this.numbered.get(key) === rest) return true;
    this.numbered.set(key, rest);
    return false;
  }

  /** True when the sender marked a repeat and the first message was seen; remembers packet id and payload. */
  seenPacket(packetId: number, repeat: boolean, payload: Uint8Array): boolean {
    if (packetId === 0) return false;
    const sum = checksum(payload);
    if (repeat && this.packets.get(packetId) === sum) return true;
    this.packets.set(packetId, sum);
    return false;
  }

  /** Removes frames that were seen before from the batch. Frames without a time of their own stay. */
  dropSeenFrames(batch: FrameBatch): Kept {
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

  /** Uses two independent hashes of 32 bits, because a false match would lose a frame. */
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
      // Mix each half by itself: two CRCs with different seeds differ only by a constant.
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
    const early = t % 0x1_0000_0000;
    const late =
      Math.floor(t / 0x1_0000_0000) ^ ((batch.bus[i] as number) << 24) ^ ((flags & FRAME.fd) << 20) ^ (len << 16);
    // An identifier has 29 bits; the kind fills the three bits above.
    const id = (batch.id[i] as number) ^ ((flags & KIND) << 29);
    let a = mix(mix(mix(mix(mix(0x9747b28c, early, C1), late, C1), id, C1), low, C1), high, C1);
    let b = mix(mix(mix(mix(mix(0x3c6ef372, high, C2), low, C2), id, C2), late, C2), early, C2);
    a = (a ^ (a >>> 16)) >>> 0;
    b = (b ^ (b >>> 16)) >>> 0 || 1;
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

/** The byte at `k`, or 0 behind the end. */
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
