/**
 * Makes the plan of a channel group. The plan says at which place in a record each field of a frame is. The reader makes the plan once,
 * from the channels of the group, and then reads all records of the group with it.
 *
 * Loggers write little-endian numbers of at most 32 bits. The reader reads such a number fast, with an offset, a shift and a mask. For all
 * other numbers that the format allows (big-endian, signed, floating point, with a conversion), the field has a slower function.
 */

import { FD_LENGTHS } from '#codec/fd-lengths.ts';
import { FRAME, MAX_DATA } from '#contract/fleet/frame.ts';
import { type Mdf4Bytes, type Mdf4Channel, Mdf4Damage, type Mdf4Group, readChannels } from './blocks.ts';
import { readConversion } from './conversion.ts';

/** Reads a number of the record that begins at offset `at`; `index` is the number of the record in its group, counted from 0. */
type ReadNumber = (view: DataView, at: number, index: number) => number;

/** Reads one numeric field of a record. */
export class Field {
  readonly offset: number;
  readonly shift: number;
  /**
   * Mask of the bits of the field. It is 0 if no mask is needed: the field has the constant value `base`, or a slower function reads it.
   */
  readonly mask: number;
  readonly base: number;
  readonly table: Float64Array | null;
  private readonly otherwise: ReadNumber | null;

  constructor(
    offset: number,
    shift: number,
    mask: number,
    base: number,
    table: Float64Array | null,
    otherwise: ReadNumber | null,
  ) {
    this.offset = offset;
    this.shift = shift;
    this.mask = mask;
    this.base = base;
    this.table = table;
    this.otherwise = otherwise;
  }

  /**
   * Reads the field of the record at offset `at`. The buffer must have at least four bytes after the record, because the method may read a
   * word that extends past the record.
   */
  read(view: DataView, at: number): number {
    if (this.mask === 0) return this.otherwise === null ? this.base : this.otherwise(view, at, 0);
    const raw = ((view.getUint32(at + this.offset, true) >>> this.shift) & this.mask) >>> 0;
    return this.table === null ? raw : (this.table[raw] as number);
  }
}

/** A buffer must have this many bytes after the last record, because a field may read past the end of its record. */
export const SLACK_BYTES = 8;

export type FrameKind = 'data' | 'remote' | 'error';

/** Describes how to read frames from the records of one channel group. */
export class FramePlan {
  readonly group: Mdf4Group;
  readonly kind: FrameKind;
  /** Length of a record in bytes, without its record id. */
  readonly length: number;
  readonly flags: number;
  readonly time: TimeField;
  readonly bus: Field;
  readonly id: Field;
  readonly extended: Field | null;
  readonly sent: Field;
  readonly fd: Field | null;
  readonly brs: Field;
  readonly size: Field | null;
  readonly errorType: Field | null;
  /** Offset of the payload in the record, and the number of bytes that fit there; both are 0 when the payload is outside the record. */
  readonly payload: number;
  readonly room: number;
  /** Offset of the block that contains the payloads; 0 if the payloads are in the records. */
  readonly values: number;
  readonly offset: Field | null;
  /** Number of records that were read so far. */
  count = 0;

  constructor(parts: Omit<FramePlan, 'count'>) {
    this.group = parts.group;
    this.kind = parts.kind;
    this.length = parts.length;
    this.flags = parts.flags;
    this.time = parts.time;
    this.bus = parts.bus;
    this.id = parts.id;
    this.extended = parts.extended;
    this.sent = parts.sent;
    this.fd = parts.fd;
    this.brs = parts.brs;
    this.size = parts.size;
    this.errorType = parts.errorType;
    this.payload = parts.payload;
    this.room = parts.room;
    this.values = parts.values;
    this.offset = parts.offset;
  }
}

/** Reads the time of a record, in microseconds since the start of the recording. */
export class TimeField {
  /**
   * The type of the stored time: 0 for a 64-bit float, 1 for an unsigned integer of 32 to 48 bits, 3 for a signed integer of 64 bits, and 2
   * for any other type.
   */
  readonly form: 0 | 1 | 2 | 3;
  readonly offset: number;
  /** Mask of the upper 32 bits when `form` is 1. */
  readonly high: number;
  readonly times: number;
  readonly per: number;
  private readonly otherwise: ReadNumber;

  constructor(form: 0 | 1 | 2 | 3, offset: number, high: number, times: number, per: number, otherwise: ReadNumber) {
    this.form = form;
    this.offset = offset;
    this.high = high;
    this.times = times;
    this.per = per;
    this.otherwise = otherwise;
  }

  read(view: DataView, at: number, index: number): number {
    const from = at + this.offset;
    if (this.form === 1)
      return (
        ((view.getUint32(from, true) + (view.getUint32(from + 4, true) & this.high) * 0x1_0000_0000) * this.times) /
        this.per
      );
    if (this.form === 0) return (view.getFloat64(from, true) * this.times) / this.per;
    if (this.form === 3)
      return ((view.getUint32(from, true) + view.getInt32(from + 4, true) * 0x1_0000_0000) * this.times) / this.per;
    return this.otherwise(view, at, index);
  }
}

/** The reader reads records of at most this many bytes. No known writer uses more bytes for a CAN frame. */
const LONGEST_RECORD = 8_192;
const FIXED = 0;
const VARIABLE = 1;
const MASTER = 2;
const VIRTUAL_MASTER = 3;
const LIMITED = 5;
const VIRTUAL = 6;
const KINDS: Readonly<Record<string, FrameKind>> = {
  CAN_DataFrame: 'data',
  CAN_RemoteFrame: 'remote',
  CAN_ErrorFrame: 'error',
};
const ID_HAS_KIND = 0x8000_0000;

/**
 * Returns true if an identifier needs 29 bits. The reader calls this function for a record without the field `IDE`, because only this field
 * states the width of the identifier.
 */
export const isExtendedId = (id: number): boolean => id >= ID_HAS_KIND || id > 0x7ff;

/** Returns the plan of a group of CAN frames; undefined for other groups. Throws `Mdf4Damage` when the group cannot be read. */
export function readPlan(bytes: Mdf4Bytes, group: Mdf4Group): FramePlan | undefined {
  if (group.isValues) return undefined;
  const channels = readChannels(bytes, group);
  const event = channels.map(({ name }) => name.split('.')[0] as string).find((name) => name in KINDS);
  if (event === undefined) return undefined;
  const kind = KINDS[event] as FrameKind;
  const length = group.dataBytes + group.invalidBytes;
  if (length > LONGEST_RECORD)
    throw new Mdf4Damage(
      'too_large',
      group.at,
      `A group has records of ${length} bytes, but at most ${LONGEST_RECORD} are supported; the group was not read.`,
    );
  const named = (name: string) => channels.find((channel) => channel.name === `${event}.${name}`);
  const field = (name: string) => {
    const channel = named(name);
    return channel === undefined ? null : readField(bytes, channel, group);
  };
  const id = field('ID');
  const time = channels.find(({ type, sync }) => (type === MASTER || type === VIRTUAL_MASTER) && sync === 1);
  if (time === undefined)
    throw new Mdf4Damage('unsupported', group.at, `A group of ${event} has no time channel, so it was not read.`);
  if (id === null && kind !== 'error')
    throw new Mdf4Damage('unsupported', group.at, `A group of ${event} has no channel ID, so it was not read.`);
  const data = named('DataBytes');
  const fd = field('EDL');
  const inRecord = data !== undefined && (data.type === FIXED || data.type === LIMITED);
  if (data !== undefined && !inRecord && (data.type !== VARIABLE || data.data === 0))
    throw new Mdf4Damage(
      'unsupported',
      group.at,
      `A group of ${event} stores payloads in a channel of type ${data.type}, which is not supported; the group was not read.`,
    );
  if (inRecord && (data.bitOffset !== 0 || data.byteOffset + (data.bits >> 3) > group.dataBytes))
    throw new Mdf4Damage(
      'damaged',
      group.at,
      `The channel ${event}.DataBytes is outside of its record, so the group was not read.`,
    );
  return new FramePlan({
    group,
    kind,
    length,
    flags: kind === 'remote' ? FRAME.remote : kind === 'error' ? FRAME.error : 0,
    time: readTime(bytes, time, group),
    bus: field('BusChannel') ?? constant(0),
    id: id ?? constant(0),
    extended: field('IDE'),
    sent: field('Dir') ?? constant(0),
    fd,
    brs: field('BRS') ?? constant(0),
    size: field('DataLength') ?? sizeOfCode(field('DLC'), fd !== null),
    errorType: id === null ? field('ErrorType') : null,
    payload: inRecord ? data.byteOffset : 0,
    room: inRecord ? Math.min(data.bits >> 3, MAX_DATA) : 0,
    values: data !== undefined && !inRecord ? data.data : 0,
    offset: data !== undefined && !inRecord ? readOffset(data, group) : null,
  });
}

const constant = (value: number) => new Field(0, 0, 0, value, null, null);

/** Returns a field that computes the payload size from the length code (DLC), for records without a size field. */
function sizeOfCode(code: Field | null, fd: boolean): Field | null {
  if (code === null) return null;
  const sizes = fd ? FD_LENGTHS : FD_LENGTHS.map((size) => Math.min(size, 8));
  return new Field(0, 0, 0, 0, null, (view, at) => sizes[code.read(view, at)] ?? Number.NaN);
}

function inside(channel: Mdf4Channel, group: Mdf4Group): void {
  const end = channel.byteOffset + Math.ceil((channel.bitOffset + channel.bits) / 8);
  if (channel.bitOffset > 7 || channel.bits === 0 || channel.bits > 64 || end > group.dataBytes)
    throw new Mdf4Damage(
      'damaged',
      group.at,
      `The channel ${channel.name} is outside of its record, so the group was not read.`,
    );
}

function readField(bytes: Mdf4Bytes, channel: Mdf4Channel, group: Mdf4Group): Field {
  const { base, scale, convert } = readConversion(bytes, channel.conversion);
  if (channel.type === VIRTUAL) {
    if (scale !== 0 || convert !== null)
      throw new Mdf4Damage(
        'unsupported',
        group.at,
        `The virtual channel ${channel.name} has no constant value, which is not supported; the group was not read.`,
      );
    return constant(base);
  }
  inside(channel, group);
  const { byteOffset, bitOffset, bits } = channel;
  const plain = base === 0 && scale === 1 && convert === null;
  const meaning = (raw: number) => (convert === null ? base + scale * raw : convert(raw));
  if (channel.dataType === 0 && bitOffset + bits <= 32 && (plain || bits <= 8)) {
    const mask = bits === 32 ? 0xffff_ffff : 2 ** bits - 1;
    const table = plain ? null : Float64Array.from({ length: mask + 1 }, (_, raw) => meaning(raw));
    return new Field(byteOffset, bitOffset, mask, 0, table, null);
  }
  const read = readAnything(channel, group);
  return new Field(0, 0, 0, 0, null, plain ? read : (view, at, index) => meaning(read(view, at, index)));
}

/** Returns the field with the offset of a variable value, a number of 32 or 64 bits. */
function readOffset(channel: Mdf4Channel, group: Mdf4Group): Field {
  inside(channel, group);
  if (channel.bits <= 32 && channel.bitOffset === 0)
    return new Field(channel.byteOffset, 0, channel.bits === 32 ? 0xffff_ffff : 2 ** channel.bits - 1, 0, null, null);
  return new Field(0, 0, 0, 0, null, readAnything({ ...channel, dataType: 0 }, group));
}

/** Returns a function that reads a number of any type that the format has; it is slower, because it reads byte by byte. */
function readAnything(channel: Mdf4Channel, group: Mdf4Group): ReadNumber {
  const { dataType, byteOffset, bitOffset, bits } = channel;
  const little = dataType % 2 === 0;
  if (dataType === 4 || dataType === 5) {
    if (bits === 64) return (view, at) => view.getFloat64(at + byteOffset, little);
    if (bits === 32) return (view, at) => view.getFloat32(at + byteOffset, little);
  }
  if (dataType > 3)
    throw new Mdf4Damage(
      'unsupported',
      group.at,
      `The channel ${channel.name} has data type ${dataType}, which is not supported; the group was not read.`,
    );
  const size = Math.ceil((bitOffset + bits) / 8);
  const unit = 2 ** bitOffset;
  const end = 2 ** bits;
  const signed = dataType > 1;
  return (view, at) => {
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + view.getUint8(at + byteOffset + (little ? size - 1 - i : i));
    value = Math.floor(value / unit) % end;
    return signed && value >= end / 2 ? value - end : value;
  };
}

const US_PER_S = 1e6;

function readTime(bytes: Mdf4Bytes, channel: Mdf4Channel, group: Mdf4Group): TimeField {
  const { base, scale, convert } = readConversion(bytes, channel.conversion);
  const meaning = (raw: number) => (convert === null ? base + scale * raw : convert(raw)) * US_PER_S;
  if (channel.type === VIRTUAL_MASTER) return new TimeField(2, 0, 0, 1, 1, (_view, _at, index) => meaning(index));
  inside(channel, group);
  const { dataType, byteOffset, bitOffset, bits } = channel;
  const read = readAnything(channel, group);
  const otherwise: ReadNumber = (view, at, index) => meaning(read(view, at, index));
  // The unit of the time may be a whole multiple of a microsecond, or a microsecond may be a whole multiple of the unit. In both cases one
  // multiplication or division by an integer converts the time, so the time is rounded only once.
  const us = scale * US_PER_S;
  const per = Math.abs(Math.round(1 / us) * us - 1) < 1e-9 ? Math.round(1 / us) : 1;
  const times = per > 1 ? 1 : Math.abs(Math.round(us) - us) < 1e-9 ? Math.round(us) : us;
  const simple = base === 0 && convert === null && bitOffset === 0 && us > 0;
  if (simple && dataType === 4 && bits === 64) return new TimeField(0, byteOffset, 0, times, per, otherwise);
  if (simple && dataType === 0 && bits >= 32 && bits <= 48)
    return new TimeField(1, byteOffset, bits === 32 ? 0 : 2 ** (bits - 32) - 1, times, per, otherwise);
  // A real time of 64 bits never has its highest bit set. So an unsigned time can be read as a signed number.
  if (simple && (dataType === 0 || dataType === 2) && bits === 64)
    return new TimeField(3, byteOffset, 0, times, per, otherwise);
  return new TimeField(2, 0, 0, 1, 1, otherwise);
}
