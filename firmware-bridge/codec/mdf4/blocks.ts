/**
 * Reads the blocks of an MDF 4.1 file (ASAM MDF 4.1.0) that describe recorded CAN frames.
 *
 *   ID 64 bytes, then blocks: id[4] u32 u64 length, u64 number of links, links u64[], data; all little-endian, links absolute, 0 is none
 *
 *   HD ─▶ DG ─▶ CG ─▶ CN ─▶ CC        a data group has a list of channel groups, each for a kind of record,
 *          │    └▶ SI                 with channels that give the offset of each value in the record,
 *          └▶ DT | DZ | DL | HL       and the records, in one piece, zipped, or in a list of pieces
 *
 * A damaged file may have wrong links and lengths. So every list has a limit, and a list that contains a block twice is an error.
 */
import type { ByteSource } from '#codec/byte-source.ts';
import { PagedNumbers } from '#codec/byte-source.ts';
import type { LogGapCode } from '#codec/log-types.ts';

/** Thrown when a part of the file does not follow the format or exceeds a limit; `at` is the byte offset of this part. */
export class Mdf4Damage extends Error {
  readonly code: LogGapCode;
  readonly at_byte: number;

  constructor(code: LogGapCode, at_byte: number, message: string) {
    super(message);
    this.name = 'Mdf4Damage';
    this.code = code;
    this.at_byte = at_byte;
  }
}

/** The head of a block: its kind, its links, and where its data is. */
export interface Mdf4Block {
  readonly id: string;
  readonly at: number;
  readonly length: number;
  readonly links: number;
  /** Byte offset and length of the data of the block, which follows its links. */
  readonly data: number;
  readonly dataLength: number;
}

const HEAD_BYTES = 24;
/** The reader reads at most this many bytes of a text or comment, and ignores the rest of a longer text. */
const LONGEST_TEXT = 1 << 20;

/**
 * Flags in the ID block of an unfinalized file (a file that the logger did not close). They say which parts of the file are not complete.
 */
export const UNFINISHED = { lastDataLength: 4, lastList: 0x10, valueOffsets: 0x40 } as const;

/** Reads numbers, texts and blocks of an MDF file. */
export class Mdf4Bytes extends PagedNumbers {
  block(at: number, ...ids: string[]): Mdf4Block {
    const length = this.u64(at + 8);
    const links = this.u64(at + 16);
    if (length === undefined || links === undefined)
      throw new Mdf4Damage('cut', at, `A link points to byte ${at}, which is after the end of the file.`);
    const id = this.name(at);
    if (!ids.includes(id))
      throw new Mdf4Damage(
        'damaged',
        at,
        `There is no ${ids.join(' or ')} block at byte ${at}, although a link points there.`,
      );
    const data = at + HEAD_BYTES + links * 8;
    if (length < HEAD_BYTES || data > at + length)
      throw new Mdf4Damage(
        'damaged',
        at,
        `The ${id} block at byte ${at} is too short for the number of links that it states.`,
      );
    return { id, at, length, links, data, dataLength: at + length - data };
  }

  /** Returns the four letters at an offset, which are the name of a block; the empty string past the end of the file. */
  name(at: number): string {
    const word = this.u32(at);
    return word === undefined
      ? ''
      : String.fromCharCode(word & 255, (word >> 8) & 255, (word >> 16) & 255, word >>> 24);
  }

  /** Returns link `i` of a block, which is a byte offset; 0 when the block has no such link. */
  link(block: Mdf4Block, i: number): number {
    return i < block.links ? (this.u64(block.at + HEAD_BYTES + i * 8) ?? 0) : 0;
  }

  /** Number of channels that may still be read before the limit for the whole file is reached. */
  channelsLeft = MOST_CHANNELS;

  /** Returns the text of the TX or MD block at `at`, cut to `longest` bytes; the empty string when `at` is 0. */
  text(at: number, longest = LONGEST_TEXT): string {
    if (at === 0) return '';
    const { data, dataLength } = this.block(at, '##TX', '##MD');
    const bytes = this.copy(data, Math.min(dataLength, longest));
    const end = bytes.indexOf(0);
    return UTF8.decode(end < 0 ? bytes : bytes.subarray(0, end));
  }
}

/**
 * Returns the result of `read`, or `otherwise` if `read` throws `Mdf4Damage`. Callers use it for parts of the file that are not needed to
 * read frames, so that damage there does not stop the reader.
 */
export function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Mdf4Damage)) throw error;
    return otherwise;
  }
}

/** The header of a file: its start time, its comment and its first data group. */
export interface Mdf4Header {
  readonly version: number;
  readonly program: string;
  /** The `UNFINISHED` flags of the file; 0 when the file is finalized. */
  readonly unfinished: number;
  readonly start_ns: bigint;
  /** True when the start time is local time without a zone. */
  readonly local: boolean;
  readonly comment: string;
  readonly firstGroup: number;
}

export interface Mdf4Channel {
  readonly name: string;
  readonly type: number;
  readonly sync: number;
  readonly dataType: number;
  readonly bitOffset: number;
  readonly byteOffset: number;
  readonly bits: number;
  readonly conversion: number;
  /**
   * A link. A channel with values of variable length links to the block that contains these values. A channel that links to another channel
   * gets its size from that channel.
   */
  readonly data: number;
}

export interface Mdf4Group {
  readonly at: number;
  readonly recordId: number;
  readonly cycles: number;
  readonly isValues: boolean;
  readonly dataBytes: number;
  readonly invalidBytes: number;
  readonly source: number;
  readonly firstChannel: number;
}

export interface Mdf4DataGroup {
  readonly at: number;
  readonly recordIdSize: number;
  readonly data: number;
  readonly groups: readonly Mdf4Group[];
}

/**
 * The largest number of channel groups that are read. For comparison: a file of a CANedge has 73 channel groups. After a tool has sorted
 * the file, each channel group has a separate data group.
 */
const MOST_GROUPS = 16_384;
const MOST_CHANNELS_IN_GROUP = 1_024;
const MOST_CHANNELS = 65_536;
const LONGEST_NAME = 256;
const UTF8 = new TextDecoder();
const ID_BYTES = 64;
const VERSION_4 = 400;

/** Reads the ID and HD blocks at the start of the file; throws `Mdf4Damage` when they are damaged. */
export function readHeader(bytes: Mdf4Bytes): Mdf4Header {
  const unfinalized = bytes.name(0) === 'UnFi';
  const hd = bytes.block(ID_BYTES, '##HD');
  const low = bytes.u32(hd.data);
  const high = bytes.u32(hd.data + 4);
  if (low === undefined || high === undefined) throw new Mdf4Damage('cut', hd.data, 'The header is cut.');
  const flags = bytes.u8(hd.data + 12) ?? 0;
  return {
    version: bytes.u16(28) ?? 0,
    program: asText(bytes.copy(16, 8)),
    unfinished: unfinalized ? (bytes.u16(60) ?? 0) : 0,
    start_ns: (BigInt(high) << 32n) | BigInt(low),
    local: (flags & 1) !== 0,
    comment: orElse('', () => bytes.text(bytes.link(hd, 5))),
    firstGroup: bytes.link(hd, 0),
  };
}

const asText = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes).replace(/[\0 ]+$/, '');

/**
 * Returns the version in the ID block, for example 410. Returns undefined if `head`, the first bytes of a file, is not the start of an MDF
 * file of version 4 or later.
 */
export function mdf4Version(head: Uint8Array): number | undefined {
  const name = asText(head.subarray(0, 8));
  if ((name !== 'MDF' && name !== 'UnFinMF') || head.length < 30) return undefined;
  return (head[28] as number) | ((head[29] as number) << 8);
}

/** Returns true for the versions that this reader supports: 4.00 to 4.99. */
export const isKnownVersion = (version: number) => version >= VERSION_4 && version < VERSION_4 + 100;

/**
 * Reads the data groups with their channel groups, up to a limit. If a list is damaged, the function passes the error to `damage` and
 * returns the groups before the damage.
 */
export function readGroups(
  bytes: Mdf4Bytes,
  firstGroup: number,
  damage: (damage: Mdf4Damage) => void,
): readonly Mdf4DataGroup[] {
  const found: Mdf4DataGroup[] = [];
  const seen = new Set<number>();
  let left = MOST_GROUPS;
  const once = (at: number): void => {
    if (seen.has(at)) throw new Mdf4Damage('damaged', at, `A list of blocks contains the block at byte ${at} twice.`);
    if (left-- === 0)
      throw new Mdf4Damage(
        'too_large',
        at,
        `The file has more than ${MOST_GROUPS} groups, which is the limit; the other groups were not read.`,
      );
    seen.add(at);
  };
  try {
    for (let at = firstGroup; at !== 0; ) {
      once(at);
      const dg = bytes.block(at, '##DG');
      const recordIdSize = bytes.u8(dg.data) ?? 0;
      const groups: Mdf4Group[] = [];
      found.push({ at, recordIdSize, data: bytes.link(dg, 2), groups });
      for (let cg = bytes.link(dg, 1); cg !== 0; ) {
        // A sorted data group has only records of its first channel group. Some writers leave further groups in the list; ignore these
        // groups.
        if (recordIdSize === 0 && groups.length === 1) break;
        once(cg);
        const block = bytes.block(cg, '##CG');
        groups.push(readGroup(bytes, block));
        cg = bytes.link(block, 0);
      }
      at = bytes.link(dg, 0);
    }
  } catch (error) {
    if (!(error instanceof Mdf4Damage)) throw error;
    damage(error);
  }
  return found;
}

function readGroup(bytes: Mdf4Bytes, block: Mdf4Block): Mdf4Group {
  const { at, data } = block;
  return {
    at,
    recordId: bytes.u64(data) ?? 0,
    cycles: bytes.u64(data + 8) ?? 0,
    isValues: ((bytes.u16(data + 16) ?? 0) & 1) !== 0,
    dataBytes: bytes.u32(data + 24) ?? 0,
    invalidBytes: bytes.u32(data + 28) ?? 0,
    source: bytes.link(block, 3),
    firstChannel: bytes.link(block, 1),
  };
}

/** Reads the channels of a group and then the channels inside its composed channels, up to a limit. */
export function readChannels(bytes: Mdf4Bytes, group: Mdf4Group): readonly Mdf4Channel[] {
  const channels: Mdf4Channel[] = [];
  const seen = new Set<number>();
  const lists = [group.firstChannel];
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    for (let at = list; at !== 0; ) {
      if (seen.has(at))
        throw new Mdf4Damage('damaged', at, `A list of channels contains the channel at byte ${at} twice.`);
      if (channels.length === MOST_CHANNELS_IN_GROUP)
        throw new Mdf4Damage(
          'too_large',
          at,
          `A group has more than ${MOST_CHANNELS_IN_GROUP} channels, which is the limit; the group was not read.`,
        );
      if (bytes.channelsLeft-- <= 0)
        throw new Mdf4Damage(
          'too_large',
          at,
          `The file has more than ${MOST_CHANNELS} channels, which is the limit; the groups after the limit were not read.`,
        );
      seen.add(at);
      const block = bytes.block(at, '##CN');
      const { data } = block;
      channels.push({
        name: bytes.text(bytes.link(block, 2), LONGEST_NAME),
        type: bytes.u8(data) ?? 0,
        sync: bytes.u8(data + 1) ?? 0,
        dataType: bytes.u8(data + 2) ?? 0,
        bitOffset: bytes.u8(data + 3) ?? 0,
        byteOffset: bytes.u32(data + 4) ?? 0,
        bits: bytes.u32(data + 8) ?? 0,
        conversion: bytes.link(block, 4),
        data: bytes.link(block, 5),
      });
      const composition = bytes.link(block, 1);
      if (composition !== 0 && bytes.name(composition) === '##CN') lists.push(composition);
      at = bytes.link(block, 0);
    }
  }
  return channels;
}

/** Creates a reader of MDF blocks for the bytes of a file. */
export const mdf4Bytes = (source: ByteSource): Mdf4Bytes => new Mdf4Bytes(source);
