/**
 * Frames to MDF 4.1, streaming.
 *
 *   sorted     each kind of frame in a data group of its own; its records are written in pieces (DT, or DZ zipped) as they fill, and
 *              lists (DL) of the pieces, groups and channels stand behind them; header and data are tied together at the end
 *   unsorted   all kinds in one data group, each record with its kind's id, as a logger writes
 *   unfinished groups and channels first, then one DT without a length: nothing is ever patched, as a logger writes that may lose power
 *
 * Memory: a piece for each kind of frame.
 */

import { lengthCode } from '#codec/fd-lengths.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import {
  type ChannelLayout,
  type GroupLayout,
  groupsOfLayout,
  type Mdf4Layout,
  TIMES,
  type TimeLayout,
} from './layouts.ts';
import { SLACK_BYTES } from './plan.ts';
import {
  BlockWriter,
  dataGroupBlock,
  type GroupWritten,
  groupBlocks,
  headBlocks,
  type Mdf4About,
  packed,
  sharedBlocks,
} from './structure.ts';

/** Where a file goes. Bytes are the sink's once it has them. */
export interface Mdf4Sink {
  /** Appends. */
  write(bytes: Uint8Array): void;
  /** Writes over what was appended before; never called for an unfinished file. */
  patch(at: number, bytes: Uint8Array): void;
}

export interface Mdf4WriterOptions extends Mdf4About {
  /** `standard` when absent. */
  readonly layout?: Mdf4Layout;
  /** `sorted` when absent. */
  readonly order?: 'sorted' | 'unsorted';
  /** Leaves the file as a logger does that lost its power; only unsorted and not zipped. */
  readonly unfinished?: boolean;
  /** How pieces are zipped; `none` when absent. */
  readonly zip?: 'none' | 'deflate' | 'transposed';
  /** Bytes of a piece before it is zipped; 1 MiB when absent. */
  readonly pieceBytes?: number;
  /** Buses of the grouped layout; 1 and 2 when absent. */
  readonly channels?: readonly number[];
}

/** Zips by zlib (RFC 1950). */
export type Deflate = (bytes: Uint8Array) => Uint8Array;

export interface Mdf4Writer {
  readonly frames: number;
  /** Frames that the layout has no place for; the standard one has a place for all. */
  readonly unwritten: number;
  add(batch: FrameBatch): void;
  /** Completes the file. */
  end(): void;
}

const UNFINISHED_FLAGS = 0x25;
const PIECE_BYTES = 1 << 20;
/** Holds the longest record with its value. */
const SMALLEST_PIECE = 256;
const BLOCK_HEAD = 24;
const DZ_DATA = 24;
const HD_FIRST_GROUP = 64 + BLOCK_HEAD;
const US_MAX_48 = 2 ** 48;

/** A run of bytes that is written in pieces. */
interface Run {
  readonly kind: 'DT' | 'SD';
  readonly buffer: Uint8Array;
  readonly columns: number;
  used: number;
  total: number;
  readonly pieces: { readonly at: number; readonly from: number }[];
}

interface Group {
  readonly layout: GroupLayout;
  readonly recordId: number;
  readonly time: TimeLayout;
  readonly record: Uint8Array;
  readonly view: DataView;
  readonly fields: readonly ChannelLayout[];
  /** Of the payload or its offset. */
  readonly place: ChannelLayout | undefined;
  readonly data: Run;
  readonly values: Run | null;
  cycles: number;
  valueBytes: number;
}

/** A writer to the sink; the header goes out at once. */
export function createMdf4Writer(sink: Mdf4Sink, deflate: Deflate, options: Mdf4WriterOptions): Mdf4Writer {
  const { layout = 'standard', order = 'sorted', zip = 'none', unfinished = false, pieceBytes = PIECE_BYTES } = options;
  if (unfinished && (order === 'sorted' || zip !== 'none'))
    throw new Error('an unfinished file has its records unsorted and not zipped');
  const time = TIMES[layout];
  const start_us = Math.round(Math.max(0, options.started_us));
  const sorted = order === 'sorted';
  /** Bytes of the id before each record. */
  const idBytes = sorted ? 0 : 1;
  let position = 0;
  let frames = 0;
  let unwritten = 0;

  const write = (bytes: Uint8Array) => {
    sink.write(bytes);
    position += bytes.length;
  };
  const run = (kind: Run['kind'], columns: number): Run => ({
    kind,
    buffer: new Uint8Array(Math.max(columns, SMALLEST_PIECE, Math.floor(pieceBytes / columns) * columns)),
    columns,
    used: 0,
    total: 0,
    pieces: [],
  });
  const common = sorted ? null : run('DT', 1);
  let recordId = 0;
  const groups: Group[] = groupsOfLayout(layout, options.channels ?? [1, 2]).map((each) => {
    const record = new Uint8Array(idBytes + each.recordBytes + SLACK_BYTES);
    recordId += each.values ? 2 : 1;
    return {
      layout: each,
      recordId: recordId - (each.values ? 1 : 0),
      time,
      record,
      view: new DataView(record.buffer, idBytes),
      fields: each.channels.filter(({ always, value }) => always === undefined && value !== 'DataBytes'),
      place: each.channels.find(({ value }) => value === 'DataBytes'),
      data: common ?? run('DT', each.recordBytes),
      values: sorted && each.values ? run('SD', 1) : null,
      cycles: 0,
      valueBytes: 0,
    };
  });
  if (recordId > 255) throw new Error('the grouped layout has room for 12 buses');
  const head = headBlocks(options, unfinished ? UNFINISHED_FLAGS : 0);
  if (unfinished) {
    const blocks = new BlockWriter(head.length);
    const group = structure(blocks, groups.map(writtenOf));
    // The data block is the next, and stays without a length.
    blocks.link(group, 2, blocks.end);
    blocks.block('##DT', [], new Uint8Array(0));
    head.set(packed([8, group]), HD_FIRST_GROUP);
    write(head);
    write(blocks.result());
  } else write(head);

  function writtenOf(group: Group): GroupWritten {
    const { cycles, valueBytes } = group;
    return { layout: group.layout, recordId: group.recordId, cycles, values: 0, valueCycles: cycles, valueBytes };
  }

  /** One unsorted data group over all; its address. */
  function structure(blocks: BlockWriter, written: readonly GroupWritten[]): number {
    const shared = sharedBlocks(blocks, time, options);
    let first = 0;
    for (const each of written.toReversed()) first = groupBlocks(blocks, shared, time, each, first);
    return dataGroupBlock(blocks, 0, first, 0, 1);
  }

  function piece(to: Run): void {
    if (to.used === 0) return;
    const bytes = to.buffer.slice(0, to.used);
    to.used = 0;
    if (unfinished) {
      write(bytes);
      return;
    }
    align();
    const at = position;
    const from = to.total;
    to.total += bytes.length;
    to.pieces.push({ at, from });
    const blocks = new BlockWriter(position);
    if (zip === 'none') blocks.block(`##${to.kind}`, [], bytes);
    else {
      const turned = zip === 'transposed' && to.columns > 1 ? transposed(bytes, to.columns) : bytes;
      const zipped = deflate(turned);
      const isTurned = turned !== bytes;
      const data = new Uint8Array(DZ_DATA + zipped.length);
      data.set(
        packed(
          [1, to.kind.charCodeAt(0)],
          [1, to.kind.charCodeAt(1)],
          [1, isTurned ? 1 : 0],
          [1, 0],
          [4, isTurned ? to.columns : 0],
          [8, bytes.length],
          [8, zipped.length],
        ),
      );
      data.set(zipped, DZ_DATA);
      blocks.block('##DZ', [], data);
    }
    write(blocks.result());
  }

  function align(): void {
    if (position % 8 > 0) write(new Uint8Array(8 - (position % 8)));
  }

  /** The link to a run's data: nothing, its only piece, or the list of its pieces. */
  function linkTo(blocks: BlockWriter, { pieces }: Run): number {
    const [first] = pieces;
    if (first === undefined || pieces.length === 1) return first?.at ?? 0;
    const list = blocks.block(
      '##DL',
      [0, ...pieces.map(({ at }) => at)],
      packed([4, 0], [4, pieces.length], ...pieces.map(({ from }) => [8, from] as const)),
    );
    return zip === 'none'
      ? list
      : blocks.block('##HL', [list], packed([2, 0], [1, zip === 'transposed' ? 1 : 0], [1, 0], [4, 0]));
  }

  function put(to: Run, bytes: Uint8Array, length: number): void {
    if (to.used + length > to.buffer.length) piece(to);
    for (let i = 0; i < length; i++) to.buffer[to.used + i] = bytes[i] as number;
    to.used += length;
  }

  const scratch = new Uint8Array(4 + 64 + 1);
  const scratchView = new DataView(scratch.buffer);

  function frame(batch: FrameBatch, i: number): void {
    const bus = batch.bus[i] as number;
    const flags = batch.flags[i] as number;
    const len = batch.len[i] as number;
    const after_us = Math.round(batch.t[i] as number) - start_us;
    const group = groups.find(({ layout: each }) => each.takes(bus, flags, len));
    if (
      group === undefined ||
      (layout === 'single' && bus > 3) ||
      (time.form === 'us_unsigned' && !(after_us >= 0 && after_us < US_MAX_48))
    ) {
      unwritten++;
      return;
    }
    const { record, view, data } = group;
    record.fill(0);
    if (time.form === 'ns_float') view.setFloat64(0, after_us * 1000, true);
    else {
      view.setUint32(0, after_us >>> 0, true);
      const high = Math.floor(after_us / 2 ** 32);
      if (time.bytes === 8) view.setInt32(4, high, true);
      else view.setUint16(4, high, true);
    }
    const payload = batch.payload(i);
    for (const field of group.fields)
      setBits(view, field, readValue(field, batch.id[i] as number, bus, flags, len, payload));
    const { place } = group;
    if (place !== undefined) {
      if (group.layout.values) {
        view.setUint32(place.byte, group.valueBytes >>> 0, true);
        if (place.bits === 64) view.setUint32(place.byte + 4, Math.floor(group.valueBytes / 2 ** 32), true);
      } else record.set(payload, idBytes + place.byte);
    }
    if (!sorted) record[0] = group.recordId;
    put(data, record, idBytes + group.layout.recordBytes);
    if (group.layout.values) {
      scratch[0] = group.recordId + 1;
      scratchView.setUint32(idBytes, len, true);
      scratch.set(payload, idBytes + 4);
      put(group.values ?? data, scratch, idBytes + 4 + len);
      group.valueBytes += 4 + len;
    }
    group.cycles++;
    frames++;
  }

  return {
    get frames() {
      return frames;
    },
    get unwritten() {
      return unwritten;
    },
    add(batch) {
      for (let i = 0; i < batch.count; i++) frame(batch, i);
    },
    end() {
      for (const run of new Set(groups.flatMap(({ data, values }) => (values === null ? [data] : [data, values]))))
        piece(run);
      if (unfinished) return;
      align();
      const blocks = new BlockWriter(position);
      let first = 0;
      if (common !== null) {
        first = structure(blocks, groups.map(writtenOf));
        blocks.link(first, 2, linkTo(blocks, common));
      } else {
        const shared = sharedBlocks(blocks, time, options);
        // A file without frames still has its first group, so that it is a log of a bus.
        const used = groups.filter(({ cycles }, i) => cycles > 0 || (frames === 0 && i === 0));
        for (const group of used.toReversed()) {
          const values = group.values === null ? 0 : linkTo(blocks, group.values);
          const cg = groupBlocks(blocks, shared, time, { ...writtenOf(group), values }, 0);
          first = dataGroupBlock(blocks, first, cg, linkTo(blocks, group.data), 0);
        }
      }
      write(blocks.result());
      sink.patch(HD_FIRST_GROUP, packed([8, first]));
    },
  };
}

/** Rows to columns; what is over after the last whole row stands as it is. */
function transposed(bytes: Uint8Array, columns: number): Uint8Array {
  const rows = Math.floor(bytes.length / columns);
  const out = bytes.slice();
  for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) out[c * rows + r] = bytes[r * columns + c] as number;
  return out;
}

function setBits(view: DataView, { byte, bit, bits }: ChannelLayout, value: number): void {
  const mask = bits === 32 ? 0xffff_ffff : 2 ** bits - 1;
  view.setUint32(byte, (view.getUint32(byte, true) | ((value & mask) << bit)) >>> 0, true);
}

/** The logger's kind of an error from SocketCAN's class, kind and place. */
function errorTypeOf(id: number, payload: Uint8Array): number {
  if (id & 0x20) return 5;
  if (payload.length >= 4 && payload[3] === 0x08) return 4;
  const kind = payload[2] ?? 0;
  return kind & 4 ? 3 : kind & 2 ? 2 : kind & 1;
}

function readValue(
  field: ChannelLayout,
  id: number,
  bus: number,
  flags: number,
  len: number,
  payload: Uint8Array,
): number {
  switch (field.value) {
    case 'BusChannel':
      return bus;
    case 'ID':
      return id;
    case 'IDE':
      return flags & FRAME.extended ? 1 : 0;
    case 'DLC':
      return lengthCode(len);
    case 'DataLength':
      return field.coded ? lengthCode(len) : len;
    case 'Dir':
      return flags & FRAME.transmitted ? 1 : 0;
    case 'EDL':
      return flags & FRAME.fd ? 1 : 0;
    case 'BRS':
      return flags & FRAME.brs ? 1 : 0;
    case 'ErrorType':
      return errorTypeOf(id, payload);
    case 'DataBytes':
      return 0;
  }
}
