/**
 * The format of a segment, which is one file of the journal: a header of 32 bytes, then groups until the end. A group has the messages that
 * were written together.
 *
 *   head   "HFJ1" | segment u32 | created ms f64 | salt u32 | 8 bytes zero | crc u32 over the 28 bytes before it
 *   group  "HFG1" | crc u32 | stored u32 | raw u32 | start u32 | records u16 | flags u8 | 0 | body (stored bytes)
 *
 * After an fdatasync the journal acknowledges the messages of all groups that it had written before. The checksum of a group (CRC-32)
 * covers the rest of the group. It is seeded with the secret salt of the segment, so a device cannot send a payload that the reader would
 * take for a group. `start` is the offset of the first record of the group in the uncompressed records of the segment; positions use this
 * offset. Flag 1 means that the body is compressed (zstd).
 *
 * If valid groups follow an invalid group, the disk damaged an acknowledged group: the reader skips the invalid group and reports it. If no
 * valid group follows, a crash interrupted the write of the group, and its messages were never acknowledged: for the reader the file ends
 * before this group.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { DiskFile } from './disk.ts';

const SEGMENT_MAGIC = 0x314a4648;
const GROUP_MAGIC = Buffer.from('HFG1');
export const SEGMENT_HEAD = 32;
const GROUP_HEAD = 24;
const COMPRESSED = 1;
const READ_BYTES = 1 << 20;
/** The limit in bytes for the uncompressed records of a group. A group has about 1 MB, and one more message of at most 16 MB. */
const MAX_RAW = 1 << 25;
/** If the output buffer of zlib is a little larger than the output, zlib does not need a second buffer. */
const SPARE = 64;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface SegmentHead {
  readonly segment: number;
  readonly created_ms: number;
  readonly salt: number;
}

/** A group that was read from a segment, with its uncompressed records. */
export interface Group {
  readonly segment: number;
  /** The offset of the first record in the segment. */
  readonly start: number;
  readonly records: number;
  readonly body: Buffer;
}

/** The result of reading a segment file: where its valid groups end, and how many bytes could not be read. */
export interface ScanResult {
  /** The length of the file up to the end of the last valid group. */
  end: number;
  /** The number of unreadable bytes that lie before a valid group. */
  damaged: number;
  /** The offset after the last record. */
  next: number;
  records: number;
}

/** Returns the result of a scan that has read nothing yet. */
export const newScan = (): ScanResult => ({ end: 0, damaged: 0, next: 0, records: 0 });

export function segmentName(segment: number): string {
  return `${String(segment).padStart(10, '0')}.journal`;
}

/** Returns the segment number in the name of a segment file; undefined for other files. */
export function parseSegmentName(name: string): number | undefined {
  const match = /^(\d{10})\.journal$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** Returns the name of the file with the stored index of a segment. */
export function indexName(segment: number): string {
  return `${String(segment).padStart(10, '0')}.index`;
}

/** Returns the segment number in the name of a stored index; undefined for other files. */
export function parseIndexName(name: string): number | undefined {
  const match = /^(\d{10})\.index$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

export function encodeSegmentHead(head: SegmentHead): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEAD);
  bytes.writeUInt32LE(SEGMENT_MAGIC, 0);
  bytes.writeUInt32LE(head.segment, 4);
  bytes.writeDoubleLE(head.created_ms, 8);
  bytes.writeUInt32LE(head.salt, 16);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
  return bytes;
}

/** Reads the header of a segment; returns undefined if it is invalid. */
export async function readSegmentHead(file: DiskFile): Promise<SegmentHead | undefined> {
  const bytes = Buffer.alloc(SEGMENT_HEAD);
  if ((await file.read(bytes, 0)) < SEGMENT_HEAD) return undefined;
  if (bytes.readUInt32LE(0) !== SEGMENT_MAGIC || bytes.readUInt32LE(28) !== crc32(bytes.subarray(0, 28)))
    return undefined;
  return { segment: bytes.readUInt32LE(4), created_ms: bytes.readDoubleLE(8), salt: bytes.readUInt32LE(16) };
}

/** Encodes a group for the file. */
export function encodeGroup(salt: number, start: number, records: number, raw: Buffer): [head: Buffer, body: Buffer] {
  let body = raw;
  let flags = 0;
  if (raw.length > 128) {
    const packed = zstdCompressSync(raw, LEVEL);
    if (packed.length < raw.length * 0.9) {
      body = packed;
      flags = COMPRESSED;
    }
  }
  const head = Buffer.alloc(GROUP_HEAD);
  GROUP_MAGIC.copy(head);
  head.writeUInt32LE(body.length, 8);
  head.writeUInt32LE(raw.length, 12);
  head.writeUInt32LE(start, 16);
  head.writeUInt16LE(records, 20);
  head[22] = flags;
  head.writeUInt32LE(crc32(body, crc32(head.subarray(8), salt)), 4);
  return [head, body];
}

/** A range of bytes of a segment file. */
interface FileRange {
  readonly from: number;
  readonly to: number;
}

/** Reads a file through one buffer that each read uses again, so the bytes of a slice are valid until the next call. */
class Window {
  private buffer: Buffer;
  private from = 0;
  private filled = 0;
  private readonly file: DiskFile;
  private readonly size: number;
  /** The window reads the part of the file between the two offsets. */
  constructor(file: DiskFile, { from, to }: FileRange) {
    this.file = file;
    this.size = to;
    this.buffer = Buffer.alloc(Math.max(0, Math.min(READ_BYTES, to - from)));
  }

  /** Returns the bytes from `at` on; undefined if the file is too short. */
  async slice(at: number, length: number): Promise<Buffer | undefined> {
    if (at + length > this.size) return undefined;
    if (at < this.from || at + length > this.from + this.filled) {
      if (length > this.buffer.length) this.buffer = Buffer.alloc(length);
      this.from = at;
      this.filled = await this.file.read(this.buffer.subarray(0, Math.min(this.buffer.length, this.size - at)), at);
      if (this.filled < length) return undefined;
    }
    return this.buffer.subarray(at - this.from, at - this.from + length);
  }
}

/** Reads the group at an offset of the file; returns it with the offset after it, or undefined if there is no valid group. */
async function groupAt(window: Window, at: number, head: SegmentHead): Promise<[Group, number] | undefined> {
  const top = await window.slice(at, GROUP_HEAD);
  if (top === undefined || !top.subarray(0, 4).equals(GROUP_MAGIC)) return undefined;
  const stored = top.readUInt32LE(8);
  const raw = top.readUInt32LE(12);
  if (raw > MAX_RAW || stored > raw) return undefined;
  const all = await window.slice(at, GROUP_HEAD + stored);
  if (all === undefined || crc32(all.subarray(8), head.salt) !== all.readUInt32LE(4)) return undefined;
  const packed = all.subarray(GROUP_HEAD);
  let body: Buffer;
  try {
    body =
      // zlib writes its output into buffers of `chunkSize` bytes. With this size one buffer is enough.
      (all[22] as number) & COMPRESSED
        ? zstdDecompressSync(packed, { maxOutputLength: raw, chunkSize: raw + SPARE })
        : Buffer.from(packed);
  } catch {
    return undefined;
  }
  if (body.length !== raw) return undefined;
  return [
    { segment: head.segment, start: all.readUInt32LE(16), records: all.readUInt16LE(20), body },
    at + GROUP_HEAD + stored,
  ];
}

/** Searches for the next valid group after `at`; returns its offset, or undefined if there is none. */
async function resync(window: Window, at: number, size: number, head: SegmentHead): Promise<number | undefined> {
  for (let from = at + 1; from < size; ) {
    const length = Math.min(READ_BYTES / 2, size - from);
    const bytes = await window.slice(from, length);
    if (bytes === undefined) return undefined;
    const found = bytes.indexOf(GROUP_MAGIC);
    if (found < 0) {
      from += Math.max(1, length - GROUP_MAGIC.length + 1);
      continue;
    }
    if ((await groupAt(window, from + found, head)) !== undefined) return from + found;
    from += found + 1;
  }
  return undefined;
}

/**
 * Yields the valid groups in this range of a segment file, in order. The range begins at a group or at the end of the header. `result` is
 * complete after the last group.
 */
export async function* readGroups(
  file: DiskFile,
  head: SegmentHead,
  range: FileRange,
  result: ScanResult,
): AsyncGenerator<Group> {
  const window = new Window(file, range);
  let at = range.from;
  result.end = at;
  while (at < range.to) {
    const found = await groupAt(window, at, head);
    if (found === undefined) {
      const next = await resync(window, at, range.to, head);
      if (next === undefined) return;
      result.damaged += next - at;
      at = next;
      continue;
    }
    const [group, end] = found;
    result.end = at = end;
    result.next = group.start + group.body.length;
    result.records += group.records;
    yield group;
  }
}
