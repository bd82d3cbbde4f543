/** Writes the blocks around the data of an MDF 4.1 file: header, groups, channels. A block comes before the blocks that link to it. */

import { FD_LENGTHS } from '#codec/fd-lengths.ts';
import type { LogBus } from '#codec/log-types.ts';
import type { ChannelLayout, GroupLayout, TimeLayout } from './layouts.ts';

/** The data that the writer puts into the header of the file. */
export interface Mdf4About {
  /** Start time in microseconds since 1970. A frame may have an earlier time only in the layout `standard`. */
  readonly started_us: number;
  /** The time at which the file is written, in milliseconds since 1970. */
  readonly written_ms: number;
  readonly comment?: string | null;
  readonly device_type?: string | null;
  readonly serial_number?: string | null;
  readonly firmware?: string | null;
  readonly session?: number | null;
  readonly split?: number | null;
  readonly buses?: readonly LogBus[];
}

const HEAD_BYTES = 24;
const CN_BYTES = 72;
const BUS_EVENT = 0x400;
/** Flags of a channel group: 2 says that its records are bus events, and 4 says that each event is stored as a plain record. */
const GROUP_FLAGS = 6;
const VALUE_GROUP = 1;
const BYTES = 10;
const DTYPE = { unsigned: 0, signed: 2, float: 4 } as const;

/** Encodes blocks that follow each other in the file; the caller gives the offset of the first block. */
export class BlockWriter {
  private readonly base: number;
  private bytes = new Uint8Array(16_384);
  private view = new DataView(this.bytes.buffer);
  private used = 0;

  constructor(base: number) {
    this.base = base;
  }

  /** Offset in the file at which the next block will begin. */
  get end(): number {
    return this.base + this.used;
  }

  result(): Uint8Array {
    return this.bytes.slice(0, this.used);
  }

  block(id: string, links: readonly number[], data: Uint8Array): number {
    const length = HEAD_BYTES + links.length * 8 + data.length;
    const room = Math.ceil(length / 8) * 8;
    if (this.used + room > this.bytes.length) {
      const wider = new Uint8Array(Math.max(this.bytes.length * 2, this.used + room));
      wider.set(this.bytes.subarray(0, this.used));
      this.bytes = wider;
      this.view = new DataView(wider.buffer);
    }
    const from = this.used;
    for (let i = 0; i < 4; i++) this.bytes[from + i] = id.charCodeAt(i);
    this.u64(from + 8, length);
    this.u64(from + 16, links.length);
    links.forEach((link, i) => {
      this.u64(from + HEAD_BYTES + i * 8, link);
    });
    this.bytes.set(data, from + HEAD_BYTES + links.length * 8);
    this.used += room;
    return this.base + from;
  }

  text(text: string, id = '##TX'): number {
    const bytes = new TextEncoder().encode(text);
    const data = new Uint8Array(Math.ceil((bytes.length + 1) / 8) * 8);
    data.set(bytes);
    return this.block(id, [], data);
  }

  /** Sets link `i` of a block that was already added to the offset `to`. */
  link(block: number, i: number, to: number): void {
    this.u64(block - this.base + HEAD_BYTES + i * 8, to);
  }

  private u64(at: number, value: number): void {
    this.view.setBigUint64(at, BigInt(value), true);
  }
}

/**
 * Encodes numbers one after the other in little-endian order. The caller passes each number as a pair of its size in bytes and its value. A
 * negative size means a floating-point number.
 */
export function packed(...fields: readonly (readonly [bytes: number, value: number | bigint])[]): Uint8Array {
  const out = new Uint8Array(fields.reduce((sum, [bytes]) => sum + Math.abs(bytes), 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) view.setBigUint64(at, BigInt(value), true);
    else if (bytes === 4) view.setUint32(at, Number(value), true);
    else if (bytes === 2) view.setUint16(at, Number(value), true);
    else if (bytes === 1) view.setUint8(at, Number(value));
    else view.setFloat64(at, Number(value), true);
    at += Math.abs(bytes);
  }
  return out;
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`).replaceAll('\0', '');

const property = (name: string, value: string | number | null | undefined) =>
  value === null || value === undefined ? '' : `<e name="${name}" ro="true">${escaped(String(value))}</e>`;

const tree = (name: string, entries: string) => (entries === '' ? '' : `<tree name="${name}">${entries}</tree>`);

/** Returns the ID and HD blocks with comment and history. The link from HD to the first data group is set later. */
export function headBlocks(about: Mdf4About, unfinished: number): Uint8Array {
  const id = new Uint8Array(64);
  new TextEncoder().encodeInto(unfinished === 0 ? 'MDF     4.11    Headfrm ' : 'UnFinMF 4.11    Headfrm ', id);
  const view = new DataView(id.buffer);
  view.setUint16(28, 411, true);
  view.setUint16(60, unfinished, true);
  const blocks = new BlockWriter(id.length);
  const start_ns = BigInt(Math.round(Math.max(0, about.started_us))) * 1000n;
  const data = packed([8, start_ns], [4, 0], [4, 0], [-8, 0], [-8, 0]);
  const header = blocks.block('##HD', [0, 0, 0, 0, 0, 0], data);
  const device = [
    property('serial number', about.serial_number),
    property('device type', about.device_type),
    property('firmware version', about.firmware),
  ].join('');
  const file = [
    property('session', about.session),
    property('split', about.split),
    property('comment', about.comment),
  ].join('');
  const properties = tree('Device Information', device) + tree('File Information', file);
  const common = properties === '' ? '' : `<common_properties>${properties}</common_properties>`;
  const comment = blocks.text(`<HDcomment><TX>${escaped(about.comment ?? '')}</TX>${common}</HDcomment>`, '##MD');
  const history = blocks.text(
    '<FHcomment><TX>Written from recorded frames.</TX><tool_id>Headframe</tool_id><tool_vendor>Headframe</tool_vendor><tool_version>1</tool_version></FHcomment>',
    '##MD',
  );
  const fh = blocks.block('##FH', [0, history], packed([8, BigInt(Math.round(about.written_ms)) * 1_000_000n], [8, 0]));
  blocks.link(header, 1, fh);
  blocks.link(header, 5, comment);
  const rest = blocks.result();
  const bytes = new Uint8Array(id.length + rest.length);
  bytes.set(id);
  bytes.set(rest, id.length);
  return bytes;
}

/** Where the data of a group was written, and how many records it has. */
export interface GroupWritten {
  readonly layout: GroupLayout;
  readonly recordId: number;
  readonly cycles: number;
  /** Offset of the block with the variable values; 0 when they are records of a separate group. */
  readonly values: number;
  readonly valueCycles: number;
  readonly valueBytes: number;
}

/** Offsets of blocks to which all groups link. */
export interface SharedBlocks {
  readonly source: number;
  readonly time: number;
  readonly lengths: number;
}

/** Writes the blocks that all groups share: the bus with its bit rates, the conversion of times and the conversion of length codes. */
export function sharedBlocks(blocks: BlockWriter, time: TimeLayout, about: Mdf4About): SharedBlocks {
  const rates = (about.buses ?? []).flatMap(({ bus, bit_rate, fd_bit_rate }) => [
    bit_rate === null ? '' : `<e name="CAN${bus} Bit-rate" unit="Hz">${bit_rate}</e>`,
    fd_bit_rate === null ? '' : `<e name="CAN${bus} FD Bit-rate" unit="Hz">${fd_bit_rate}</e>`,
  ]);
  const comment = `<SIcomment><TX>CAN</TX><bus name="CAN"/><common_properties>${tree('Bus Information', rates.join(''))}</common_properties></SIcomment>`;
  const name = blocks.text('CAN');
  const source = blocks.block(
    '##SI',
    [name, name, blocks.text(comment, '##MD')],
    packed([1, 2], [1, 2], [2, 0], [4, 0]),
  );
  const seconds = blocks.text('s');
  const scale = time.form === 'ns_float' ? 1e-9 : 1e-6;
  return {
    source,
    time: blocks.block('##CC', [0, seconds, 0, 0], conversion(1, [0, scale])),
    lengths: blocks.block(
      '##CC',
      [0, 0, 0, 0],
      conversion(
        5,
        FD_LENGTHS.flatMap((size, code) => [code, size]),
      ),
    ),
  };
}

const conversion = (type: number, values: readonly number[]) =>
  packed(
    [1, type],
    [1, 0],
    [2, 0],
    [2, 0],
    [2, values.length],
    [-8, 0],
    [-8, 0],
    ...values.map((value) => [-8, value] as const),
  );

/**
 * Writes a channel group with its channels, and a group for its variable values if it has some. Returns the offset of the first of these
 * groups.
 */
export function groupBlocks(
  blocks: BlockWriter,
  shared: SharedBlocks,
  time: TimeLayout,
  written: GroupWritten,
  next: number,
): number {
  const { layout } = written;
  let valueGroup = 0;
  let after = next;
  if (layout.values && written.values === 0) {
    const data = packed(
      [8, written.recordId + 1],
      [8, written.valueCycles],
      [2, VALUE_GROUP],
      [2, 0],
      [4, 0],
      [8, written.valueBytes],
    );
    valueGroup = blocks.block('##CG', [next, 0, 0, 0, 0, 0], data);
    after = valueGroup;
  }
  let channel = 0;
  for (const each of layout.channels.toReversed())
    channel = channelBlock(blocks, shared, layout, each, written.values || valueGroup, channel);
  const event = blocks.block(
    '##CN',
    [0, channel, blocks.text(layout.event), 0, 0, 0, 0, 0],
    channelData(0, 0, BYTES, 0, time.bytes, (layout.recordBytes - time.bytes) * 8, BUS_EVENT),
  );
  const type = { ns_float: DTYPE.float, us_signed: DTYPE.signed, us_unsigned: DTYPE.unsigned }[time.form];
  const master = blocks.block(
    '##CN',
    [event, 0, blocks.text('Timestamp'), 0, shared.time, 0, 0, 0],
    channelData(2, 1, type, 0, 0, time.bytes * 8, 0),
  );
  const data = packed(
    [8, written.recordId],
    [8, written.cycles],
    [2, GROUP_FLAGS],
    [2, 0x2e],
    [4, 0],
    [4, layout.recordBytes],
    [4, 0],
  );
  return blocks.block('##CG', [after, master, blocks.text(layout.name), shared.source, 0, 0], data);
}

function channelBlock(
  blocks: BlockWriter,
  shared: SharedBlocks,
  group: GroupLayout,
  channel: ChannelLayout,
  values: number,
  next: number,
): number {
  const name = blocks.text(`${group.event}.${channel.value}`);
  const { always, value, byte, bit, bits } = channel;
  if (always !== undefined) {
    const constant = blocks.block('##CC', [0, 0, 0, 0], conversion(1, [always, 0]));
    return blocks.block('##CN', [next, 0, name, 0, constant, 0, 0, 0], channelData(6, 0, 0, 0, 0, 0, BUS_EVENT));
  }
  const isPayload = value === 'DataBytes';
  const variable = isPayload && group.values;
  return blocks.block(
    '##CN',
    [next, 0, name, 0, channel.coded ? shared.lengths : 0, variable ? values : 0, 0, 0],
    channelData(variable ? 1 : 0, 0, isPayload ? BYTES : DTYPE.unsigned, bit, byte, bits, BUS_EVENT),
  );
}

function channelData(
  type: number,
  sync: number,
  dataType: number,
  bit: number,
  byte: number,
  bits: number,
  flags: number,
): Uint8Array {
  const data = new Uint8Array(CN_BYTES);
  data.set(packed([1, type], [1, sync], [1, dataType], [1, bit], [4, byte], [4, bits], [4, flags]));
  return data;
}

/** Writes a data group with a link to its channel groups. */
export const dataGroupBlock = (
  blocks: BlockWriter,
  next: number,
  firstGroup: number,
  data: number,
  recordIdSize: number,
): number => blocks.block('##DG', [next, firstGroup, data, 0], packed([1, recordIdSize], [1, 0], [2, 0], [4, 0]));
