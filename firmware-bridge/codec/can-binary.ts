/**
 * The binary form of a frame batch, version 1: the payload of a `can` message. Columns: offset, number of bytes, meaning.
 *
 *   0   4  'HFCB'
 *   4   1  version, 1
 *   5   1  bit 0: a sequence number follows; other bits 0
 *   6   .  sequence number, varint (when bit 0)
 *       .  base time, microseconds since 1970, varint
 *       .  number of frames, varint
 *       per frame:
 *       .    time minus the time before (the base for the first), microseconds, signed varint
 *       1    flags (FRAME of gateway/contract/fleet/frame.ts)
 *       1    bus
 *       4    identifier, little-endian
 *       1    payload length, 0 to 64
 *       n    payload
 *  end  4  CRC-32 (IEEE 802.3) of everything before, little-endian
 *
 * A varint is a number below 2^53 with seven bits in each byte, the lowest bits first; bit 7 is set when another byte follows.
 * In a signed varint, bit 0 of the first byte is the sign, and bits 1 to 6 are the lowest six bits of the absolute value.
 */
import { FRAME, type FrameBatch, MAX_DATA } from '#contract/fleet/frame.ts';
import { crc32 } from './crc32.ts';

const MAGIC = [0x48, 0x46, 0x43, 0x42] as const;
const VERSION = 1;
const HAS_SEQ = 1;
const CRC_BYTES = 4;
/** The size in bytes of the smallest frame in a batch: it has no payload, and its time needs one byte. */
const SMALLEST_FRAME = 8;
const LARGEST_FRAME = 8 + 7 + MAX_DATA;
const ALL_FLAGS = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd | FRAME.brs | FRAME.transmitted | FRAME.noTime;

/** Returns true if the payload begins with `HFCB`, the first bytes of every binary batch. */
export function isBinary(payload: Uint8Array): boolean {
  return payload.length > 5 && MAGIC.every((byte, i) => payload[i] === byte);
}

/** Encodes all frames as a binary batch, with times rounded to microseconds. With `seq` null the batch has no sequence number. */
export function encodeBinary(batch: FrameBatch, seq: number | null): Uint8Array {
  let out = new Uint8Array(64 + batch.count * 24);
  let at = 0;
  const varint = (value: number) => {
    let rest = value;
    while (rest >= 128) {
      out[at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    out[at++] = rest;
  };
  const signed = (value: number) => {
    const magnitude = Math.abs(value);
    const low = (value < 0 ? 1 : 0) | ((magnitude % 64) << 1);
    const rest = Math.floor(magnitude / 64);
    out[at++] = rest > 0 ? low | 128 : low;
    if (rest > 0) varint(rest);
  };
  for (const byte of MAGIC) out[at++] = byte;
  out[at++] = VERSION;
  out[at++] = seq === null ? 0 : HAS_SEQ;
  if (seq !== null) varint(seq);
  let t = batch.count > 0 ? Math.round(batch.t[0] as number) : 0;
  varint(t);
  varint(batch.count);
  for (let i = 0; i < batch.count; i++) {
    if (at + LARGEST_FRAME + CRC_BYTES > out.length) {
      const wider = new Uint8Array(out.length * 2 + LARGEST_FRAME);
      wider.set(out);
      out = wider;
    }
    const now = Math.round(batch.t[i] as number);
    signed(now - t);
    t = now;
    out[at++] = batch.flags[i] as number;
    out[at++] = batch.bus[i] as number;
    const id = batch.id[i] as number;
    out[at++] = id & 255;
    out[at++] = (id >>> 8) & 255;
    out[at++] = (id >>> 16) & 255;
    out[at++] = id >>> 24;
    const data = batch.payload(i);
    out[at++] = data.length;
    out.set(data, at);
    at += data.length;
  }
  const crc = crc32(out, 0, at);
  for (let i = 0; i < CRC_BYTES; i++) out[at++] = (crc >>> (8 * i)) & 255;
  return out.slice(0, at);
}

export interface BinaryResult {
  readonly frames: number;
  readonly seq: number | null;
  /** The reason why the batch was refused; null when all frames were decoded. */
  readonly error: string | null;
}

const refused = (error: string): BinaryResult => ({ frames: 0, seq: null, error });

/** Decodes a binary batch: adds all frames to `into`, or none if the batch has an error. */
export function decodeBinary(payload: Uint8Array, into: FrameBatch): BinaryResult {
  if (!isBinary(payload)) return refused('not a binary batch');
  if (payload[4] !== VERSION) return refused(`binary batch of unknown version ${payload[4]}`);
  const end = payload.length - CRC_BYTES;
  let crc = 0;
  for (let i = CRC_BYTES - 1; i >= 0; i--) crc = crc * 256 + (payload[end + i] as number);
  if (end < 8 || crc32(payload, 0, end) !== crc) return refused('binary batch with a wrong checksum');

  let at = 5;
  /**
   * Reads a varint (a number in as few bytes as it needs). Returns NaN if the varint goes past the end of the payload or has more than 53
   * bits.
   */
  const varint = (): number => {
    let value = 0;
    for (let weight = 1; weight < 2 ** 53; weight *= 128) {
      const byte = at < end ? (payload[at++] as number) : Number.NaN;
      value += (byte & 127) * weight;
      if (Number.isNaN(byte) || value > Number.MAX_SAFE_INTEGER) return Number.NaN;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  const signed = (): number => {
    const first = at < end ? (payload[at++] as number) : Number.NaN;
    if (Number.isNaN(first)) return Number.NaN;
    const magnitude = ((first >> 1) & 63) + (first & 128 ? varint() * 64 : 0);
    return first & 1 ? -magnitude : magnitude;
  };
  const hasSeq = ((payload[at++] as number) & HAS_SEQ) !== 0;
  const seq = hasSeq ? varint() : null;
  let t = varint();
  const count = varint();
  if (Number.isNaN(seq ?? 0) || !(count * SMALLEST_FRAME <= end - at))
    return refused('binary batch with a broken header');

  const before = into.count;
  const longBefore = into.longUsed;
  for (let i = 0; i < count; i++) {
    t += signed();
    const len = payload[at + 6] as number;
    const flags = payload[at] as number;
    const from = at + 7;
    if (!(t >= 0 && t <= Number.MAX_SAFE_INTEGER) || from + len > end || len > MAX_DATA || (flags & ~ALL_FLAGS) !== 0) {
      into.count = before;
      into.longUsed = longBefore;
      return refused(`binary batch broken at frame ${i}`);
    }
    const id = (payload[at + 2] as number) + (payload[at + 3] as number) * 0x100;
    const high = (payload[at + 4] as number) + (payload[at + 5] as number) * 0x100;
    into.push(t, payload[at + 1] as number, (id + high * 0x10000) % 0x20000000, flags, payload, from, len);
    at = from + len;
  }
  if (at !== end) {
    into.count = before;
    into.longUsed = longBefore;
    return refused('binary batch with surplus bytes');
  }
  return { frames: count, seq, error: null };
}
