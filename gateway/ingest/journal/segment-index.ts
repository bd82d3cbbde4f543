/**
 * The index of one segment (a file of the journal). It says which parts of the file may contain messages of a device that were received
 * from a time on, so that a search reads only these parts. The index exists only in memory and is computed from the file.
 *
 *   block        one or several whole groups: the place in the file, the offset of the first record, the latest receive time, the devices
 *   definition   a device definition (ids and machine of a device) and its offset. A search that does not read the file from the start
 *                takes the definitions from the index.
 */
import { eachRecord, type RecordReader } from './record.ts';
import { SEGMENT_HEAD } from './segment-file.ts';

/** Small groups share a block until the block has this many bytes of records. So the index is small compared with its segment. */
const BLOCK_BYTES = 16 * 1024;
const FIRST_LENGTH = 64;

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
      definition: (device, text, at) => {
        this.definitions.push({ device, offset: start + at, text: Buffer.from(text) });
        this.definitionBytes += text.length + 128;
      },
    });
    latest.list[block] = Math.min(Math.ceil(latest_ms / 1000), 0xffff_ffff);
    ends.list[block] = devices.length;
    this.next = start + body.length;
    this.end = end;
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
