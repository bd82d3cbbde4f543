/**
 * The byte format of the session log, the file with all changes of MQTT sessions.
 *
 *   file:   "HFMQTT2\n" salt salt group*
 *   group:  "HFmg" | u32 length of the body | u32 CRC-32 of the body | u32 CRC-32 of these twelve bytes | body
 *   body:   record*: u32 length of the rest | u32 length of the head | head (JSON) | payload
 *
 * All checksums start from a random number, the salt of the file. A client does not know the salt. So a client cannot send a payload which
 * the reader would read as a group. The file has two copies of the salt, so that it can be read if one copy is damaged.
 */
import { crc32 } from 'node:zlib';

export interface LogRecord {
  readonly head: object;
  readonly payload: Uint8Array;
}

/** A function that `readGroups` calls for each record of a file, in order. */
export type ReadRecord = (head: unknown, payload: Buffer) => void;

const VERSION = 2;
const MAGIC = Buffer.from(`HFMQTT${VERSION}\n`);
const ANY_MAGIC = /^HFMQTT(\d+)\n/;
const GROUP_MARK = Buffer.from('HFmg');
/** Length of the file header in bytes: eight bytes that identify the format, and two copies of the salt. */
const FILE_HEADER = 16;
const GROUP_HEADER = 16;

/** Returns the header of a new file. `salt` has four bytes. */
export function encodeFileHeader(salt: Buffer): Buffer {
  return Buffer.concat([MAGIC, salt, salt]);
}

export function encodeRecord({ head, payload }: LogRecord): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.allocUnsafe(8 + text.length + payload.length);
  bytes.writeUInt32LE(bytes.length - 4, 0);
  bytes.writeUInt32LE(text.length, 4);
  text.copy(bytes, 8);
  bytes.set(payload, 8 + text.length);
  return bytes;
}

export function encodeGroup(salt: number, records: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(GROUP_HEADER), ...records]);
  GROUP_MARK.copy(bytes);
  bytes.writeUInt32LE(bytes.length - GROUP_HEADER, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(GROUP_HEADER), salt), 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12), salt), 12);
  return bytes;
}

/** Returns the offset at which the group at offset `at` ends; undefined if there is no intact group at `at`. */
function groupEnd(bytes: Buffer, at: number, salt: number): number | undefined {
  const body = at + GROUP_HEADER;
  if (body > bytes.length || bytes.readUInt32LE(at + 12) !== crc32(bytes.subarray(at, at + 12), salt)) return undefined;
  const end = body + bytes.readUInt32LE(at + 4);
  if (end > bytes.length || crc32(bytes.subarray(body, end), salt) !== bytes.readUInt32LE(at + 8)) return undefined;
  return end;
}

function nextGroup(bytes: Buffer, from: number, salt: number): number | undefined {
  for (let at = bytes.indexOf(GROUP_MARK, from); at >= 0; at = bytes.indexOf(GROUP_MARK, at + 1))
    if (groupEnd(bytes, at, salt) !== undefined) return at;
  return undefined;
}

/** Returns the salt of a file. If the two copies differ, returns the copy with which the checksums of a group are correct. */
export function saltOf(bytes: Buffer): number {
  const [one, other] = [bytes.readUInt32LE(MAGIC.length), bytes.readUInt32LE(MAGIC.length + 4)];
  return one === other || nextGroup(bytes, FILE_HEADER, one) !== undefined ? one : other;
}

/** Returns true if the version number in the file is newer than `VERSION`. */
export function isNewerVersion(bytes: Buffer): boolean {
  return Number(ANY_MAGIC.exec(bytes.toString('latin1', 0, FILE_HEADER))?.[1]) > VERSION;
}

/** Returns true if the file begins with a file header of this version. */
export function hasFileHeader(bytes: Buffer): boolean {
  return bytes.length >= FILE_HEADER && bytes.subarray(0, MAGIC.length).equals(MAGIC);
}

/**
 * Calls `read` for each record of all intact groups. Returns the offset at which the last intact group ends, and the number of corrupt
 * bytes before this offset.
 */
export function readGroups(bytes: Buffer, read: ReadRecord): { end: number; corrupt: number } {
  const salt = saltOf(bytes);
  let corrupt = 0;
  for (let at = FILE_HEADER; ; ) {
    const end = groupEnd(bytes, at, salt);
    if (end === undefined) {
      const next = nextGroup(bytes, at + 1, salt);
      if (next === undefined) return { end: at, corrupt };
      corrupt += next - at;
      at = next;
      continue;
    }
    for (at += GROUP_HEADER; at < end; ) {
      const record = bytes.subarray(at + 4, at + 4 + bytes.readUInt32LE(at));
      const split = 4 + record.readUInt32LE(0);
      // Copy the payload, because a view of `bytes` would keep the whole file in memory.
      read(JSON.parse(record.toString('utf8', 4, split)), Buffer.from(record.subarray(split)));
      at += 4 + record.length;
    }
  }
}
