/**
 * The index of one segment (a file of the journal). It says which parts of the file may contain messages of a device that were received
 * from a time on, so that a search reads only these parts. It is computed from the segment. The index of a complete segment is also stored
 * in a file beside it, so that the first search after a restart need not read the whole segment.
 *
 *   block        one or several whole groups: the place in the file, the offset of the first record, the latest receive time, the devices
 *   definition   a device definition (ids and machine of a device) and its offset. A search that does not read the file from the start
 *                takes the definitions from the index.
 */
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { eachRecord, type RecordReader } from './record.ts';
import { SEGMENT_HEAD } from './segment-file.ts';

/** Small groups share a block until the block has this many bytes of records. So the index is small compared with its segment. */
const BLOCK_BYTES = 16 * 1024;
const FIRST_LENGTH = 64;
/**
 * A stored index: "HFX1" | crc u32 | raw u32 | body compressed with zstd. The checksum (CRC-32) covers everything after it and is seeded with
 * the salt of the segment, so the index of another segment is never used. `raw` is the length of the body:
 *
 *   end u32 | next u32 | blocks u32 | entries u32 | definitions u32 | places, starts, latest, ends u32 each | devices u16 |
 *   each definition: device u16 | offset u32 | length u16 | text
 */
const INDEX_MAGIC = 0x31584648;
const INDEX_HEAD = 12;
const BODY_HEAD = 20;
const DEFINITION_HEAD = 8;
/** The limit in bytes for a stored body. An index of a full segment has about 0.4 MB. */
const MAX_BODY = 1 << 25;

interface Definition {
  readonly device: number;
  readonly offset: number;
  readonly text: Buffer;
}

/** A range of bytes of a segment file. It begins at a group and ends after a group. */
export interface FilePart {
  readonly from: number;
  to: number;
}

/** The messages that a search wants. `from` and `until` are offsets in the records of the segment. */
export interface Wanted {
  readonly from: number;
  readonly until: number;
  /** Only messages of this device; null for messages of all devices. */
  readonly device: string | null;
  /** Only messages that were received at this time or later, in milliseconds since 1970. */
  readonly since_ms: number;
}

/** A list of whole numbers that needs little memory. */
class Numbers<List extends Uint16Array | Uint32Array> {
  list: List;
  length = 0;
  private readonly make: (length: number) => List;

  constructor(make: (length: number) => List) {
    this.make = make;
    this.list = make(FIRST_LENGTH);
  }

  push(value: number): void {
    if (this.length === this.list.length) {
      const longer = this.make(this.length * 2);
      longer.set(this.list);
      this.list = longer;
    }
    this.list[this.length++] = value;
  }
}

const words = () => new Numbers((length) => new Uint32Array(length));

/** The index of one segment. Groups are added in the order of the file. */
export class SegmentIndex {
  /** The length of the part of the file that the index covers. */
  end = SEGMENT_HEAD;
  /** The offset after the last record. */
  private next = 0;
  // For each block: its place in the file, the offset of its first record, the latest receive time of its messages in seconds since 1970
  // (rounded up), and the number of entries of `devices` up to the end of the block.
  private readonly places = words();
  private readonly starts = words();
  private readonly latest = words();
  private readonly ends = words();
  /** The device numbers of the blocks, one block after the other. Each block names a device once. */
  private readonly devices = new Numbers((length) => new Uint16Array(length));
  private readonly definitions: Definition[] = [];
  private definitionBytes = 0;
  /** The devices of the last block. */
  private readonly inLast = new Set<number>();

  /** Reads a stored index; returns undefined if it is damaged, of another format, or of another segment. */
  static decode(bytes: Buffer, salt: number): SegmentIndex | undefined {
    if (bytes.length < INDEX_HEAD || bytes.readUInt32LE(0) !== INDEX_MAGIC) return undefined;
    if (crc32(bytes.subarray(8), salt) !== bytes.readUInt32LE(4)) return undefined;
    const raw = bytes.readUInt32LE(8);
    if (raw < BODY_HEAD || raw > MAX_BODY) return undefined;
    const body = zstdDecompressSync(bytes.subarray(INDEX_HEAD), { maxOutputLength: raw });
    const index = new SegmentIndex();
    let at = 0;
    const u32 = () => {
      at += 4;
      return body.readUInt32LE(at - 4);
    };
    const u16 = () => {
      at += 2;
      return body.readUInt16LE(at - 2);
    };
    index.end = u32();
    index.next = u32();
    const [blocks, entries, definitions] = [u32(), u32(), u32()];
    for (const list of index.blockLists()) for (let i = 0; i < blocks; i++) list.push(u32());
    for (let i = 0; i < entries; i++) index.devices.push(u16());
    for (let i = 0; i < definitions; i++) {
      const [device, offset, length] = [u16(), u32(), u16()];
      index.define(device, offset, body.subarray(at, at + length));
      at += length;
    }
    // The last block may grow, so the index must know its devices.
    const { list } = index.devices;
    for (let i = blocks < 2 ? 0 : (index.ends.list[blocks - 2] as number); i < entries; i++)
      index.inLast.add(list[i] as number);
    return index;
  }

  /** Returns the bytes to store. `salt` is the salt of the segment. */
  encode(salt: number): Buffer {
    const { places, devices, definitions } = this;
    const texts = definitions.reduce((sum, { text }) => sum + DEFINITION_HEAD + text.length, 0);
    const body = Buffer.alloc(BODY_HEAD + 16 * places.length + 2 * devices.length + texts);
    let at = 0;
    for (const value of [this.end, this.next, places.length, devices.length, definitions.length])
      at = body.writeUInt32LE(value, at);
    for (const { list, length } of this.blockLists())
      for (let i = 0; i < length; i++) at = body.writeUInt32LE(list[i] as number, at);
    for (let i = 0; i < devices.length; i++) at = body.writeUInt16LE(devices.list[i] as number, at);
    for (const { device, offset, text } of definitions) {
      at = body.writeUInt16LE(text.length, body.writeUInt32LE(offset, body.writeUInt16LE(device, at)));
      at += text.copy(body, at);
    }
    const head = Buffer.alloc(INDEX_HEAD);
    head.writeUInt32LE(INDEX_MAGIC, 0);
    head.writeUInt32LE(body.length, 8);
    const bytes = Buffer.concat([head, zstdCompressSync(body)]);
    bytes.writeUInt32LE(crc32(bytes.subarray(8), salt), 4);
    return bytes;
  }

  /** The approximate number of bytes of memory that the index takes. */
  get bytes(): number {
    return 16 * this.places.list.length + 2 * this.devices.list.length + this.definitionBytes;
  }

  /** Adds the next group of the file. `end` is the offset in the file after the group. */
  add({ start, body }: { readonly start: number; readonly body: Buffer }, end: number): void {
    const { places, starts, latest, ends, devices, inLast } = this;
    if (places.length === 0 || this.next - (starts.list[starts.length - 1] as number) >= BLOCK_BYTES) {
      places.push(this.end);
      starts.push(start);
      latest.push(0);
      ends.push(devices.length);
      inLast.clear();
    }
    const block = places.length - 1;
    let latest_ms = (latest.list[block] as number) * 1000;
    eachRecord(body, {
      message(device, received_ms) {
        latest_ms = Math.max(latest_ms, received_ms);
        if (inLast.has(device)) return;
        inLast.add(device);
        devices.push(device);
      },
      definition: (device, text, at) => this.define(device, start + at, text),
    });
    latest.list[block] = Math.min(Math.ceil(latest_ms / 1000), 0xffff_ffff);
    ends.list[block] = devices.length;
    this.next = start + body.length;
    this.end = end;
  }

  private blockLists(): readonly Numbers<Uint32Array>[] {
    return [this.places, this.starts, this.latest, this.ends];
  }

  private define(device: number, offset: number, text: Buffer): void {
    this.definitions.push({ device, offset, text: Buffer.from(text) });
    this.definitionBytes += text.length + 128;
  }

  /** Returns the parts of the file that may contain wanted messages, in ascending order. Parts do not touch each other. */
  parts({ from, until, device, since_ms }: Wanted): FilePart[] {
    const { list: places, length: count } = this.places;
    const { list: starts } = this.starts;
    const { list: latest } = this.latest;
    const { list: ends } = this.ends;
    const numbers = device === null ? null : this.numbersOf(device);
    const found: FilePart[] = [];
    for (let block = 0; block < count; block++) {
      const isLast = block + 1 === count;
      if ((starts[block] as number) >= until) break;
      if ((isLast ? this.next : (starts[block + 1] as number)) <= from) continue;
      if ((latest[block] as number) * 1000 < since_ms) continue;
      if (
        numbers !== null &&
        !this.hasOne(block === 0 ? 0 : (ends[block - 1] as number), ends[block] as number, numbers)
      )
        continue;
      const part = { from: places[block] as number, to: isLast ? this.end : (places[block + 1] as number) };
      const last = found.at(-1);
      if (last?.to === part.from) last.to = part.to;
      else found.push(part);
    }
    return found;
  }

  /** Returns the numbers of a device in this segment. */
  private numbersOf(device: string): ReadonlySet<number> {
    const start = Buffer.from(`${device}\0`);
    return new Set(
      this.definitions.flatMap((one) => (one.text.subarray(0, start.length).equals(start) ? [one.device] : [])),
    );
  }

  /** True if one of the entries of `devices` between the two indexes is in the set. */
  private hasOne(from: number, to: number, numbers: ReadonlySet<number>): boolean {
    const { list } = this.devices;
    for (let i = from; i < to; i++) if (numbers.has(list[i] as number)) return true;
    return false;
  }

  /**
   * Passes the device definitions before an offset to the reader, beginning with the definition number `known`. Returns the number of
   * definitions before the offset.
   */
  defineBefore(offset: number, reader: RecordReader, known: number): number {
    let at = known;
    for (; at < this.definitions.length; at++) {
      const one = this.definitions[at] as Definition;
      if (one.offset >= offset) break;
      reader.define(one.device, one.text);
    }
    return at;
  }
}
