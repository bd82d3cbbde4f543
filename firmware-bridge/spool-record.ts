/**
 * The format of one message in a file of the spool (the queue on disk). Columns: offset, number of bytes, meaning.
 *
 *   record   0   4  bytes of the payload, little-endian
 *            4   4  CRC-32 of all bytes after it
 *            8   8  number of the message, counted from 1, never used twice
 *           16   4  number of frames in the message
 *           20   8  time of the first and
 *           28   8  of the last frame, microseconds since 1970
 *           36   1  kind
 *           37   n  payload
 *
 * Invariant: a function returns a record only when the record is complete and its checksum is correct.
 */
import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const KINDS = ['can', 'events'] as const;
export type SpoolKind = (typeof KINDS)[number];

/** A message in the spool. */
export interface Spooled {
  readonly n: number;
  readonly kind: SpoolKind;
  readonly payload: Uint8Array;
  readonly frames: number;
  readonly first_us: number;
  readonly last_us: number;
}

/** The fields of a record without its payload; `end` is the offset of the next record in the file. */
export type RecordHead = Omit<Spooled, 'payload'> & { readonly end: number };

const HEAD = 37;
/** Largest payload in bytes that a record may state; a record that states more is damaged. Real messages have at most 256 KiB. */
const MAX_PAYLOAD = 1 << 20;

/** Returns the record at offset `at`; undefined when the record is incomplete or damaged. */
export function readRecord(file: Buffer, at: number): RecordHead | undefined {
  if (at + HEAD > file.length) return undefined;
  const size = file.readUInt32LE(at);
  const end = at + HEAD + size;
  const kind = KINDS[file[at + 36] as number];
  if (size > MAX_PAYLOAD || end > file.length || kind === undefined) return undefined;
  if (crc32(file.subarray(at + 8, end)) !== file.readUInt32LE(at + 4)) return undefined;
  return {
    n: Number(file.readBigUInt64LE(at + 8)),
    frames: file.readUInt32LE(at + 16),
    first_us: file.readDoubleLE(at + 20),
    last_us: file.readDoubleLE(at + 28),
    kind,
    end,
  };
}

/** Encodes a message as a record. */
export function writeRecord({ kind, payload, frames, first_us, last_us }: Omit<Spooled, 'n'>, n: number): Buffer {
  const record = Buffer.allocUnsafe(HEAD + payload.length);
  record.writeUInt32LE(payload.length, 0);
  record.writeBigUInt64LE(BigInt(n), 8);
  record.writeUInt32LE(frames, 16);
  record.writeDoubleLE(first_us, 20);
  record.writeDoubleLE(last_us, 28);
  record[36] = KINDS.indexOf(kind);
  record.set(payload, HEAD);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}

/** Reads bytes from offset `at` of a file into `buffer` from index `from` on; returns false when the file has too few or cannot be read. */
function fills(fd: number, buffer: Buffer, from: number, at: number): boolean {
  try {
    return readSync(fd, buffer, from, buffer.length - from, at) === buffer.length - from;
  } catch {
    return false;
  }
}

/**
 * Returns the message at offset `at` of an open file, and the offset of the next message; undefined when the message is damaged or cannot
 * be read.
 */
export function readMessage(fd: number, at: number): (Spooled & { readonly end: number }) | undefined {
  const head = Buffer.alloc(HEAD);
  if (!fills(fd, head, 0, at)) return undefined;
  const size = head.readUInt32LE(0);
  if (size > MAX_PAYLOAD) return undefined;
  const whole = Buffer.allocUnsafe(HEAD + size);
  head.copy(whole);
  if (!fills(fd, whole, HEAD, at + HEAD)) return undefined;
  const record = readRecord(whole, 0);
  return record && { ...record, payload: whole.subarray(HEAD), end: at + record.end };
}
