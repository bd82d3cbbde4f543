/**
 * Writes frames as MDF 4.1. It writes records while frames arrive, so its memory does not grow with the file.
 *
 *   sorted      Each kind of frame has its own data group. The writer writes its records in pieces (block DT, or DZ when zipped) as the
 *               buffer fills. The lists of the pieces (DL), the groups and the channels follow. At the end the writer changes the header
 *               so that it links to them.
 *   unsorted    One data group contains all kinds. Each record begins with the id of its kind, as a logger writes it.
 *   unfinished  Groups and channels come first, then one DT block without a length. The writer never returns to an earlier position of
 *               the file. A logger writes in this way, because it may lose its power.
 *
 * The writer needs a buffer of one piece (`pieceBytes`) for each kind of frame.
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
import { type Deflate, type Mdf4Sink, PieceWriter, type Run, type Zip } from './piece-writer.ts';
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

export interface Mdf4WriterOptions extends Mdf4About {
  /** The channels and groups of the file (see `layouts.ts`); default `standard`. */
  readonly layout?: Mdf4Layout;
  /** Whether each kind of frame has its own data group (`sorted`, the default) or all share one (`unsorted`). */
  readonly order?: 'sorted' | 'unsorted';
  /**
   * If true, the file looks like the file of a logger that lost its power. This is possible only for unsorted files that are not zipped.
   */
  readonly unfinished?: boolean;
  /** Compression of the data blocks; default `none`. */
  readonly zip?: Zip;
  /** The largest number of bytes of a data block before it is zipped; default 1 MiB. */
  readonly pieceBytes?: number;
  /** The bus numbers for which the layout `grouped` has groups; default 1 and 2. */
  readonly channels?: readonly number[];
}

export interface Mdf4Writer {
  readonly frames: number;
  /** Number of frames that were not written because the layout has no group for them; always 0 for the layout `standard`. */
  readonly unwritten: number;
  add(batch: FrameBatch): void;
  /** Writes the buffered records and the blocks that describe them, which completes the file. */
  end(): void;
}

const UNFINISHED_FLAGS = 0x25;
const PIECE_BYTES = 1 << 20;
const BLOCK_HEAD = 24;
const HD_FIRST_GROUP = 64 + BLOCK_HEAD;
const US_MAX_48 = 2 ** 48;

interface Group {
  readonly layout: GroupLayout;
  readonly recordId: number;
  readonly time: TimeLayout;
  readonly record: Uint8Array;
  readonly view: DataView;
  readonly fields: readonly ChannelLayout[];
  /** The channel that contains the payload, or the offset of the payload if the payload is a variable value (in a separate record). */
  readonly place: ChannelLayout | undefined;
  readonly data: Run;
  readonly values: Run | null;
  cycles: number;
  valueBytes: number;
}

/** Creates a writer; it writes the header of the file at once. Throws when the options contradict each other. */
export function createMdf4Writer(sink: Mdf4Sink, deflate: Deflate, options: Mdf4WriterOptions): Mdf4Writer {
  const { layout = 'standard', order = 'sorted', zip = 'none', unfinished = false, pieceBytes = PIECE_BYTES } = options;
  if (unfinished && (order === 'sorted' || zip !== 'none'))
    throw new Error('`unfinished` needs `order: unsorted` and `zip: none`');
  const time = TIMES[layout];
  const start_us = Math.round(Math.max(0, options.started_us));
  const sorted = order === 'sorted';
  /** Number of bytes of the record id before each record. */
  const idBytes = sorted ? 0 : 1;
  let frames = 0;
  let unwritten = 0;

  const pieces = new PieceWriter({ sink, deflate, zip, unfinished, pieceBytes });
  const common = sorted ? null : pieces.createRun('DT', 1);
  const groups = openGroups(groupsOfLayout(layout, options.channels ?? [1, 2]), { idBytes, time, common, pieces });
  const head = headBlocks(options, unfinished ? UNFINISHED_FLAGS : 0);
  if (unfinished) {
    const blocks = new BlockWriter(head.length);
    const group = structure(blocks, groups.map(writtenOf));
    // Link to the data block, which follows directly and has no length.
    blocks.link(group, 2, blocks.end);
    blocks.block('##DT', [], new Uint8Array(0));
    head.set(packed([8, group]), HD_FIRST_GROUP);
    pieces.write(head);
    pieces.write(blocks.result());
  } else pieces.write(head);

  /** Writes one unsorted data group for all kinds of frames; returns its offset in the file. */
  function structure(blocks: BlockWriter, written: readonly GroupWritten[]): number {
    const shared = sharedBlocks(blocks, time, options);
    let first = 0;
    for (const each of written.toReversed()) first = groupBlocks(blocks, shared, time, each, first);
    return dataGroupBlock(blocks, 0, first, 0, 1);
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
    pieces.put(data, record, idBytes + group.layout.recordBytes);
    if (group.layout.values) {
      scratch[0] = group.recordId + 1;
      scratchView.setUint32(idBytes, len, true);
      scratch.set(payload, idBytes + 4);
      pieces.put(group.values ?? data, scratch, idBytes + 4 + len);
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
        pieces.flush(run);
      if (unfinished) return;
      pieces.align();
      const blocks = new BlockWriter(pieces.position);
      let first = 0;
      if (common !== null) {
        first = structure(blocks, groups.map(writtenOf));
        blocks.link(first, 2, pieces.linkTo(blocks, common));
      } else {
        const shared = sharedBlocks(blocks, time, options);
        // A file without frames still gets the first group of its layout. Without a group of frames, readers would not recognise the file
        // as a bus log.
        const used = groups.filter(({ cycles }, i) => cycles > 0 || (frames === 0 && i === 0));
        for (const group of used.toReversed()) {
          const values = group.values === null ? 0 : pieces.linkTo(blocks, group.values);
          const cg = groupBlocks(blocks, shared, time, { ...writtenOf(group), values }, 0);
          first = dataGroupBlock(blocks, first, cg, pieces.linkTo(blocks, group.data), 0);
        }
      }
      pieces.write(blocks.result());
      pieces.patch(HD_FIRST_GROUP, packed([8, first]));
    },
  };
}

interface GroupContext {
  readonly idBytes: number;
  readonly time: TimeLayout;
  /** The data that all groups of an unsorted file share; null in a sorted file, where each group has separate data. */
  readonly common: Run | null;
  readonly pieces: PieceWriter;
}

/** Creates a record buffer and the data buffers for each group of the layout. */
function openGroups(layouts: readonly GroupLayout[], { idBytes, time, common, pieces }: GroupContext): Group[] {
  let recordId = 0;
  const groups = layouts.map((layout): Group => {
    const record = new Uint8Array(idBytes + layout.recordBytes + SLACK_BYTES);
    recordId += layout.values ? 2 : 1;
    return {
      layout,
      recordId: recordId - (layout.values ? 1 : 0),
      time,
      record,
      view: new DataView(record.buffer, idBytes),
      fields: layout.channels.filter(({ always, value }) => always === undefined && value !== 'DataBytes'),
      place: layout.channels.find(({ value }) => value === 'DataBytes'),
      data: common ?? pieces.createRun('DT', layout.recordBytes),
      values: common === null && layout.values ? pieces.createRun('SD', 1) : null,
      cycles: 0,
      valueBytes: 0,
    };
  });
  if (recordId > 255) throw new Error('the layout `grouped` can hold at most 12 buses');
  return groups;
}

function writtenOf({ layout, recordId, cycles, valueBytes }: Group): GroupWritten {
  return { layout, recordId, cycles, values: 0, valueCycles: cycles, valueBytes };
}

function setBits(view: DataView, { byte, bit, bits }: ChannelLayout, value: number): void {
  const mask = bits === 32 ? 0xffff_ffff : 2 ** bits - 1;
  view.setUint32(byte, (view.getUint32(byte, true) | ((value & mask) << bit)) >>> 0, true);
}

/** Returns the error type that CANedge loggers use for an error frame of SocketCAN. */
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
