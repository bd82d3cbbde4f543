/** MDF 4.1 in memory: every form of one recording, cuts, damage and bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import type { ByteSource } from '#codec/byte-source.ts';
import { heatshrinkSource, packHeatshrink } from '#codec/heatshrink.ts';
import { LogFileError } from '#codec/log-types.ts';
import type { Mdf4Layout } from '#codec/mdf4/layouts.ts';
import { openMdf4 } from '#codec/mdf4/reader.ts';
import { BlockWriter, packed } from '#codec/mdf4/structure.ts';
import type { Mdf4WriterOptions } from '#codec/mdf4/writer.ts';
import { createWallClock } from '#codec/wall-clock.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { Random } from '#test/sim/random.ts';
import { framesOf } from './frames.ts';
import { inflate, readMdf4, START_US, sampleFrames, sourceOf, writeMdf4 } from './mdf4-files.ts';

const LAYOUTS: readonly Mdf4Layout[] = ['standard', 'single', 'grouped'];
const FORMS: readonly Partial<Mdf4WriterOptions>[] = [
  { order: 'unsorted', unfinished: true },
  { order: 'unsorted' },
  { order: 'unsorted', zip: 'deflate' },
  { order: 'sorted' },
  { order: 'sorted', zip: 'deflate' },
  { order: 'sorted', zip: 'transposed' },
];

const seeded = (seed: number) => {
  const random = new Random(seed);
  return () => random.next();
};

for (const layout of LAYOUTS)
  test(`[F6] every form of a recording in the ${layout} layout gives one and the same list`, () => {
    const frames = sampleFrames(3_000, seeded(1));
    const wanted = framesOf(frames);
    for (const form of FORMS)
      for (const pieceBytes of [1 << 20, 5_000]) {
        const { rows, gaps, counters } = readMdf4(writeMdf4(frames, { layout, ...form, pieceBytes }));
        assert.deepEqual(rows, wanted, JSON.stringify({ ...form, pieceBytes }));
        assert.deepEqual(gaps, []);
        assert.deepEqual(counters, { frames: 3_000, unparsable: 0, skipped: 0, late: 0 });
      }
  });

test('[F6] whatever frames there are, what is written is what is read', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 0, max: 400 }),
      fc.constantFrom(...LAYOUTS),
      fc.constantFrom(...FORMS),
      fc.integer({ min: 1, max: 3_000 }),
      (seed, count, layout, form, pieceBytes) => {
        const frames = sampleFrames(count, seeded(seed));
        const { rows, gaps } = readMdf4(writeMdf4(frames, { layout, ...form, pieceBytes }));
        assert.deepEqual(rows, framesOf(frames));
        assert.deepEqual(gaps, []);
      },
    ),
    { numRuns: 60 },
  );
});

test('[F14] the standard layout has a place for every frame: any bus, any error, payloads of any length, times before the start', () => {
  const frames = new FrameBatch();
  const data = Uint8Array.from({ length: 64 }, (_, i) => i + 1);
  frames.push(START_US - 5_000_000, 255, 0x1fffffff, FRAME.extended | FRAME.transmitted, data, 0, 8);
  frames.push(START_US, 0, 0x12345678, FRAME.error, data, 0, 8);
  frames.push(START_US + 1, 9, 0x7ff, FRAME.fd, data, 0, 11);
  frames.push(START_US + 2, 9, 0x7ff, FRAME.fd | FRAME.brs, data, 0, 63);
  frames.push(START_US + 3, 9, 0x7ff, FRAME.remote, new Uint8Array(8), 0, 8);
  for (const form of FORMS) assert.deepEqual(readMdf4(writeMdf4(frames, form)).rows, framesOf(frames));
});

test('[F14] what the header is told, the reader tells', () => {
  const about = {
    started_us: START_US,
    comment: 'Quarry <north> & "south"',
    serial_number: 'FCBF0606',
    device_type: '0000001F',
    firmware: '01.08.01',
    session: 3482,
    split: 7,
    buses: [{ bus: 2, name: 'CAN2', bit_rate: 250_000, fd_bit_rate: 2_000_000 }],
  };
  const { info } = readMdf4(writeMdf4(sampleFrames(10, seeded(3)), about));
  const { started_us, comment, serial_number, device_type, firmware, session, split, buses, clock } = info;
  assert.deepEqual({ started_us, comment, serial_number, device_type, firmware, session, split, buses }, about);
  assert.equal(clock, 'device');
});

test('[F14] a recording without frames is a log with none', () => {
  for (const form of FORMS) {
    const { rows, gaps } = readMdf4(writeMdf4(new FrameBatch(), form));
    assert.deepEqual({ rows, gaps }, { rows: [], gaps: [] });
  }
});

test('[F16] a log of a logger that knew no date carries the time since its start and is marked', () => {
  const frames = new FrameBatch();
  frames.push(1_500_000, 1, 0x123, 0, new Uint8Array(8), 0, 8);
  const { rows, info } = readMdf4(writeMdf4(frames, { started_us: 0 }));
  assert.equal(info.clock, 'relative');
  assert.equal(info.started_us, null);
  assert.deepEqual(
    rows.map(({ t, flags }) => ({ t, flags })),
    [{ t: 1_500_000, flags: FRAME.noTime }],
  );
});

test('[F8] a log that is cut anywhere gives the frames before the cut and tells it', () => {
  const frames = sampleFrames(120, seeded(5));
  const wanted = framesOf(frames);
  for (const layout of LAYOUTS) {
    const whole = writeMdf4(frames, { layout, order: 'unsorted', unfinished: true });
    const from = whole.length - 1_200;
    let told = 0;
    let tried = 0;
    for (let end = from; end < whole.length; end += 7) {
      const { rows, gaps } = readMdf4(whole.subarray(0, end));
      assert.ok(rows.length < wanted.length);
      tried++;
      assert.deepEqual(rows, wanted.slice(0, rows.length));
      if (gaps.length > 0) told++;
      assert.ok(gaps.every(({ code }) => code === 'cut'));
    }
    // Only a cut between two records cannot be seen.
    assert.ok(told > tried * 0.8, `${told} of ${tried} cuts told`);
  }
});

test('[F8] a finalized log that is cut is told, and so are records that are missing', () => {
  const frames = sampleFrames(2_000, seeded(6));
  const whole = writeMdf4(frames, { layout: 'single', order: 'unsorted', zip: 'deflate', pieceBytes: 4_000 });
  assert.throws(
    () => readMdf4(whole.subarray(0, whole.length - 3_000)),
    (error) => error instanceof LogFileError,
  );
  const patched = whole.slice();
  const cg = patched.findLastIndex((_, i) => String.fromCharCode(...patched.subarray(i, i + 4)) === '##CG');
  new DataView(patched.buffer).setBigUint64(cg + 24 + 48 + 8, 5_000n, true);
  const { gaps, rows } = readMdf4(patched);
  assert.equal(rows.length, 2_000);
  assert.deepEqual(
    gaps.map(({ code }) => code),
    ['missing'],
  );
});

test('[F9] a zipped piece that is broken is told, and the pieces behind it are read', () => {
  const frames = new FrameBatch();
  for (let i = 0; i < 4_000; i++) frames.push(START_US + i, 1, i % 2048, 0, Uint8Array.of(i & 255, i >> 8), 0, 2);
  const whole = writeMdf4(frames, { zip: 'deflate', pieceBytes: 2_300 });
  const places = [...whole.keys()].filter((i) => String.fromCharCode(...whole.subarray(i, i + 4)) === '##DZ');
  whole.fill(0xff, (places[3] as number) + 60, (places[3] as number) + 80);
  const { rows, gaps } = readMdf4(whole);
  const wanted = framesOf(frames);
  assert.deepEqual(rows, [...wanted.slice(0, 300), ...wanted.slice(400)]);
  assert.deepEqual(
    gaps.map(({ code, at_frame }) => ({ code, at_frame })),
    [{ code: 'damaged', at_frame: 300 }],
  );
});

test('[F7] frames come by time, then bus, then kind, whatever order the records have', () => {
  const random = new Random(8);
  const frames = sampleFrames(3_000, seeded(8));
  const wanted = framesOf(frames);
  const places = Array.from({ length: frames.count }, (_, i) => ({ i, by: i + random.next() * 300 }));
  const shuffled = new FrameBatch();
  for (const { i } of places.sort((a, b) => a.by - b.by)) {
    const data = frames.payload(i);
    const [t, bus, id, flags] = [frames.t, frames.bus, frames.id, frames.flags].map((column) => column[i] as number);
    shuffled.push(t as number, bus as number, id as number, flags as number, data, 0, data.length);
  }
  for (const layout of LAYOUTS)
    for (const form of FORMS) {
      const { rows, counters } = readMdf4(writeMdf4(shuffled, { layout, ...form }));
      assert.deepEqual(rows, wanted);
      assert.equal(counters.late, 0);
    }
  const tied = new FrameBatch();
  const one = Uint8Array.of(1);
  for (const [bus, flags] of [
    [2, 0],
    [1, FRAME.transmitted],
    [1, FRAME.extended],
    [1, 0],
  ] as const)
    tied.push(START_US, bus, 5, flags, one, 0, 1);
  assert.deepEqual(
    readMdf4(writeMdf4(tied)).rows.map(({ bus, flags }) => [bus, flags]),
    [
      [1, 0],
      [1, FRAME.extended],
      [1, FRAME.transmitted],
      [2, 0],
    ],
  );
});

test('[F7] a frame that comes too late for its place is given late and counted', () => {
  const frames = new FrameBatch();
  for (let i = 0; i < 100_000; i++) frames.push(START_US + 1_000 + i, 1, 1, 0, new Uint8Array(8), 0, 8);
  frames.push(START_US, 1, 2, 0, new Uint8Array(8), 0, 8);
  const { rows, counters } = readMdf4(writeMdf4(frames));
  assert.equal(rows.length, 100_001);
  assert.equal(counters.late, 1);
});

// Files made block by block.

interface Built {
  readonly groups: (blocks: BlockWriter) => number;
  readonly flags?: number;
}

/** A file whose first data group is what `groups` writes and returns. */
function build({ groups, flags = 0 }: Built): Uint8Array {
  const head = new Uint8Array(64);
  new TextEncoder().encodeInto(flags === 0 ? 'MDF     4.11    test' : 'UnFinMF 4.11    test', head);
  new DataView(head.buffer).setUint16(28, 411, true);
  new DataView(head.buffer).setUint16(60, flags, true);
  const blocks = new BlockWriter(64);
  const hd = blocks.block('##HD', [0, 0, 0, 0, 0, 0], packed([8, BigInt(START_US) * 1000n], [8, 0], [8, 0], [8, 0]));
  blocks.link(hd, 0, groups(blocks));
  return new Uint8Array(Buffer.concat([head, blocks.result()]));
}

interface Channel {
  readonly name: string;
  readonly type?: number;
  readonly sync?: number;
  readonly dataType?: number;
  readonly byte: number;
  readonly bit?: number;
  readonly bits: number;
  readonly conversion?: number;
  readonly data?: number;
}

const dt = (blocks: BlockWriter, bytes: Uint8Array, id = '##DT') => blocks.block(id, [], bytes);
const cc = (blocks: BlockWriter, type: number, ...values: number[]) =>
  blocks.block(
    '##CC',
    [0, 0, 0, 0],
    packed(
      [1, type],
      [1, 0],
      [2, 0],
      [2, 0],
      [2, values.length],
      [-8, 0],
      [-8, 0],
      ...values.map((v) => [-8, v] as const),
    ),
  );

function cn(blocks: BlockWriter, channel: Channel, next: number): number {
  const { name, type = 0, sync = 0, dataType = 0, byte, bit = 0, bits, conversion = 0, data = 0 } = channel;
  const text = blocks.text(name);
  const fields = packed(
    [1, type],
    [1, sync],
    [1, dataType],
    [1, bit],
    [4, byte],
    [4, bits],
    [4, 0],
    ...Array.from({ length: 7 }, () => [8, 0] as const),
  );
  return blocks.block('##CN', [next, 0, text, 0, conversion, data, 0, 0], fields);
}

function cg(
  blocks: BlockWriter,
  channels: readonly Channel[],
  bytes: number,
  options: { id?: number; next?: number; flags?: number; cycles?: number } = {},
): number {
  let first = 0;
  for (const channel of channels.toReversed()) first = cn(blocks, channel, first);
  const { id = 1, next = 0, flags = 6, cycles = 0 } = options;
  return blocks.block(
    '##CG',
    [next, first, 0, 0, 0, 0],
    packed([8, id], [8, cycles], [2, flags], [2, 0], [4, 0], [4, bytes], [4, 0]),
  );
}

const dg = (blocks: BlockWriter, group: number, data: number, idSize = 0, next = 0) =>
  blocks.block('##DG', [next, group, data, 0], packed([1, idSize], [1, 0], [2, 0], [4, 0]));

const TIME: Channel = { name: 't', type: 2, sync: 1, byte: 0, bits: 32 };
const SIMPLE = (blocks: BlockWriter): readonly Channel[] => [
  { ...TIME, conversion: cc(blocks, 1, 0, 1e-3) },
  { name: 'CAN_DataFrame.ID', byte: 4, bits: 32 },
  { name: 'CAN_DataFrame.DataBytes', dataType: 10, byte: 8, bits: 16 },
];
const record = (t: number, id: number, a: number, b: number) => packed([4, t], [4, id], [1, a], [1, b]);
const only = (bytes: Uint8Array) => readMdf4(bytes).rows.map(({ t, id, data }) => [(t - START_US) / 1000, id, data]);

test('[F5] channels lie where their blocks say: big-endian, signed, at odd bits, as floats, through tables, virtual', () => {
  const bytes = build({
    groups: (blocks) =>
      dg(
        blocks,
        cg(
          blocks,
          [
            { ...TIME, dataType: 5, byte: 20, bits: 32, conversion: cc(blocks, 1, 0, 0.5) },
            { name: 'CAN_DataFrame.ID', dataType: 1, byte: 1, bit: 3, bits: 29 },
            { name: 'CAN_DataFrame.IDE', type: 6, byte: 0, bits: 0, conversion: cc(blocks, 1, 1, 0) },
            {
              name: 'CAN_DataFrame.BusChannel',
              byte: 0,
              bit: 5,
              bits: 3,
              conversion: cc(blocks, 6, 0, 1, 7, 2, 3, 8, 99),
            },
            { name: 'CAN_DataFrame.DLC', byte: 0, bit: 1, bits: 4 },
            {
              name: 'CAN_DataFrame.DataLength',
              byte: 0,
              bit: 1,
              bits: 4,
              conversion: cc(blocks, 5, 0, 0, 1, 1, 2, 2, 9, 12),
            },
            { name: 'CAN_DataFrame.Dir', dataType: 2, byte: 18, bits: 16, conversion: cc(blocks, 4, -2, 0, -1, 1) },
            { name: 'CAN_DataFrame.EDL', type: 6, byte: 0, bits: 0, conversion: cc(blocks, 1, 1, 0) },
            { name: 'CAN_DataFrame.BRS', byte: 0, bit: 0, bits: 1, conversion: cc(blocks, 2, 0, 1, 0, 0, 0, 1) },
            { name: 'CAN_DataFrame.DataBytes', dataType: 10, byte: 5, bits: 96 },
          ],
          24,
        ),
        dt(
          blocks,
          Uint8Array.of(
            0b010_1001_1,
            ...packed([4, 0]),
            ...Array.from({ length: 12 }, (_, i) => i),
            0,
            0xff,
            0xff,
            0x3f,
            0x80,
            0,
            0,
          ).map((byte, i) => [0, 0x55, 0x55, 0x55, 0x50][i] || byte),
        ),
      ),
  });
  const { rows, gaps } = readMdf4(bytes);
  assert.deepEqual(gaps, []);
  assert.deepEqual(rows, [
    {
      t: START_US + 500_000,
      bus: 8,
      id: 0x55555550 >>> 3,
      flags: FRAME.extended | FRAME.transmitted | FRAME.fd | FRAME.brs,
      data: '000102030405060708090A0B',
    },
  ]);
});

test('[F5] without a channel for it, the identifier says whether it has 29 bits, and the payload is as long as its room', () => {
  const bytes = build({
    groups: (blocks) =>
      dg(
        blocks,
        cg(blocks, SIMPLE(blocks), 10),
        dt(blocks, Buffer.concat([record(1, 0x7ff, 1, 2), record(2, 0x800, 3, 4), record(3, 0x80000005, 5, 6)])),
      ),
  });
  assert.deepEqual(
    readMdf4(bytes).rows.map(({ id, flags, data }) => [id, flags, data]),
    [
      [0x7ff, 0, '0102'],
      [0x800, FRAME.extended, '0304'],
      [5, FRAME.extended, '0506'],
    ],
  );
});

test('[F11] records of other kinds are counted and passed over, whatever their length', () => {
  const bytes = build({
    groups: (blocks) =>
      dg(
        blocks,
        cg(blocks, SIMPLE(blocks), 10, {
          id: 1,
          next: cg(blocks, [TIME, { name: 'LIN_Frame.ID', byte: 4, bits: 8 }], 500_000, { id: 700 }),
        }),
        dt(
          blocks,
          Buffer.concat([
            packed([2, 1]),
            record(1, 0x100, 1, 2),
            packed([2, 700]),
            new Uint8Array(500_000),
            packed([2, 1]),
            record(2, 0x200, 3, 4),
          ]),
        ),
        2,
      ),
  });
  assert.deepEqual(only(bytes), [
    [1, 0x100, '0102'],
    [2, 0x200, '0304'],
  ]);
  assert.equal(readMdf4(bytes).counters.skipped, 1);
});

/** A data group of frames whose payloads are records of group 2. */
function withValues(flags: number, records: (blocks: BlockWriter) => Uint8Array): Uint8Array {
  return build({
    flags,
    groups(blocks) {
      const values = cg(blocks, [], 0, { id: 2, flags: 1 });
      const [time, id] = SIMPLE(blocks) as [Channel, Channel];
      const payload = { name: 'CAN_DataFrame.DataBytes', type: 1, dataType: 10, byte: 8, bits: 64, data: values };
      return dg(blocks, cg(blocks, [time, id, payload], 16, { next: values }), dt(blocks, records(blocks)), 1);
    },
  });
}

const frame = (t: number, offset: number) => packed([1, 1], [4, t], [4, t], [8, offset]);
const value = (...bytes: number[]) => Uint8Array.of(2, bytes.length, 0, 0, 0, ...bytes);

test('[F5] variable payloads are found behind their frame, before it, and out of turn', () => {
  const bytes = withValues(0, () =>
    Buffer.concat([
      frame(1, 0),
      value(1),
      frame(2, 10),
      frame(3, 5),
      value(3),
      value(2),
      value(4),
      frame(4, 15),
      value(9, 9),
    ]),
  );
  assert.deepEqual(only(bytes), [
    [1, 1, '01'],
    [2, 2, '02'],
    [3, 3, '03'],
    [4, 4, '04'],
  ]);
});

test('[F5] where the file says that its offsets are not set, payloads belong to frames in turn', () => {
  const bytes = withValues(0x41, () =>
    Buffer.concat([frame(1, 0), value(1, 1), frame(2, 0), value(2), frame(3, 0), value(3)]),
  );
  assert.deepEqual(only(bytes), [
    [1, 1, '0101'],
    [2, 2, '02'],
    [3, 3, '03'],
  ]);
});

test('[F9] a frame whose payload is not there or no payload of a bus is unparsable', () => {
  const bytes = withValues(0, () =>
    Buffer.concat([
      frame(1, 0),
      Uint8Array.of(2, 200, 0, 0, 0),
      new Uint8Array(200),
      frame(2, 999),
      frame(3, 204),
      value(3),
    ]),
  );
  const { rows, counters, gaps } = readMdf4(bytes);
  assert.deepEqual(
    rows.map(({ id }) => id),
    [3],
  );
  assert.equal(counters.unparsable + gaps.length, 2);
});

test('[F9] a bus over 255 and one below 0 do not exist: their frames are counted and are on no other bus', () => {
  for (const [bits, dataType, buses, frames] of [
    [16, 0, [1, 255, 256, 257, 65_535], [1, 255]],
    [16, 2, [1, 0xffff, 0x7fff], [1]],
    [32, 0, [255, 256, 0xffff_ffff], [255]],
  ] as const) {
    const bytes = build({
      groups(blocks) {
        const [time, id] = SIMPLE(blocks) as [Channel, Channel];
        const bus = { name: 'CAN_DataFrame.BusChannel', dataType, byte: 8, bits };
        const data = { name: 'CAN_DataFrame.DataBytes', dataType: 10, byte: 12, bits: 8 };
        const records = buses.map((one, i) => packed([4, i], [4, i], [4, one], [1, i]));
        return dg(blocks, cg(blocks, [time, id, bus, data], 13), dt(blocks, Buffer.concat(records)));
      },
    });
    const { rows, counters, gaps } = readMdf4(bytes);
    assert.deepEqual(
      rows.map(({ bus }) => bus),
      frames,
    );
    assert.equal(counters.unparsable, buses.length - frames.length);
    assert.deepEqual(gaps, []);
  }
});

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
/** A payload of two bytes that say which it is. */
const numbered = (i: number) => value(i & 255, i >> 8);
const STRIDE = 6;

test('[F10] 4,096 frames wait for their payloads; for each further one the oldest gives way and is counted', () => {
  for (const [count, lost] of [
    [4_096, 0],
    [4_097, 1],
    [5_000, 904],
  ] as const) {
    const bytes = withValues(0, () =>
      Buffer.concat([...numbers(count).map((i) => frame(i, i * STRIDE)), ...numbers(count).map(numbered)]),
    );
    const { rows, counters, gaps } = readMdf4(bytes);
    assert.deepEqual(
      rows.map(({ id, data }) => [id, data]),
      numbers(count)
        .slice(lost)
        .map((i) => [
          i,
          Buffer.from([i & 255, i >> 8])
            .toString('hex')
            .toUpperCase(),
        ]),
      `${count} frames`,
    );
    assert.deepEqual([counters.unparsable, gaps.length], [lost, 0]);
  }
});

test('[F10] 4,096 payloads are kept for their frames; for each further one the oldest is forgotten, and its frame is counted', () => {
  for (const [count, lost] of [
    [4_096, 0],
    [4_097, 1],
    [5_000, 904],
  ] as const) {
    const bytes = withValues(0, () =>
      Buffer.concat([...numbers(count).map(numbered), ...numbers(count).map((i) => frame(i, i * STRIDE))]),
    );
    const { rows, counters, gaps } = readMdf4(bytes);
    assert.deepEqual(
      rows.map(({ id }) => id),
      numbers(count).slice(lost),
    );
    assert.equal(counters.unparsable + gaps.length, lost, `${count} payloads`);
  }
});

test('[F10] frames that name one payload twice do not pile up', () => {
  const twice = withValues(0, () => Buffer.concat([frame(1, 0), frame(2, 0), frame(3, 0), value(7)]));
  const { rows, counters } = readMdf4(twice);
  assert.deepEqual([rows.map(({ id }) => id), counters.unparsable], [[3], 2]);
});

test('[F8] a record that ends early is told wherever it ends: in its id, its head, its bytes, a kind that is passed over', () => {
  const whole = Buffer.concat([frame(1, 0), value(1), frame(2, 5), value(2)]);
  // Behind the first frame and its payload.
  const from = frame(1, 0).length + value(1).length;
  for (let end = from; end < whole.length; end++) {
    const { rows, gaps, counters } = readMdf4(withValues(0, () => whole.subarray(0, end)));
    assert.deepEqual(
      rows.map(({ id }) => id),
      [1],
      `cut at ${end}`,
    );
    assert.deepEqual(
      gaps.map(({ code }) => code),
      end === from ? [] : ['cut'],
      `cut at ${end}`,
    );
    assert.equal(counters.unparsable, 0);
  }
  for (const [size, codes] of [
    [30, []],
    [25, ['cut']],
    [21, ['cut']],
  ] as const) {
    const records = Buffer.concat([record(1, 1, 1, 1), record(2, 2, 2, 2), record(3, 3, 3, 3)]).subarray(0, size);
    const sorted = build({ groups: (blocks) => dg(blocks, cg(blocks, SIMPLE(blocks), 10), dt(blocks, records)) });
    assert.deepEqual(
      readMdf4(sorted).gaps.map(({ code }) => code),
      codes,
      `${size} bytes`,
    );
  }
  const passed = (bytes: number) =>
    build({
      groups(blocks) {
        const other = cg(blocks, [], 12, { id: 7 });
        const group = cg(blocks, SIMPLE(blocks), 10, { id: 1, next: other });
        const data = Buffer.concat([packed([1, 1]), record(1, 1, 1, 1), packed([1, 7]), new Uint8Array(bytes)]);
        return dg(blocks, group, dt(blocks, data), 1);
      },
    });
  assert.deepEqual([codes(passed(12)), codes(passed(11)), codes(passed(0))], [[], ['cut'], ['cut']]);
});

test('[F8] an end that comes early is told also where something before it was damaged', () => {
  const bytes = build({
    groups(blocks) {
      const zipped = deflateSync(Buffer.concat(numbers(10).map((i) => record(i, i, i, i))));
      const broken = Buffer.from(zipped);
      broken.fill(0xff, 4, 12);
      const head = packed([2, 0x5444], [1, 0], [1, 0], [4, 0], [8, 100], [8, broken.length]);
      const first = blocks.block('##DZ', [], Buffer.concat([head, broken]));
      const second = dt(blocks, Buffer.concat([record(20, 20, 2, 0), record(21, 21, 2, 1).subarray(0, 6)]));
      const list = blocks.block('##DL', [0, first, second], packed([4, 0], [4, 2]));
      return dg(blocks, cg(blocks, SIMPLE(blocks), 10), list);
    },
  });
  const { rows, gaps } = readMdf4(bytes);
  assert.deepEqual(
    rows.map(({ id }) => id),
    [20],
  );
  assert.deepEqual(
    gaps.map(({ code }) => code),
    ['damaged', 'cut'],
  );
});

test('[F9] frames that wait for a payload are counted where their data group breaks off', () => {
  const unknown = Uint8Array.of(9, 0, 0, 0);
  const lost = readMdf4(withValues(0, () => Buffer.concat([frame(1, 100), frame(2, 200), frame(3, 300), unknown])));
  assert.deepEqual(
    lost.gaps.map(({ code }) => code),
    ['damaged'],
  );
  assert.equal(lost.counters.unparsable, 3);
});

test('[F5] errors of the bus carry their class and kind; remote frames ask for as much as they say', () => {
  const bytes = build({
    groups(blocks) {
      const time = { ...TIME, conversion: cc(blocks, 1, 0, 1e-3) };
      const remote = cg(
        blocks,
        [
          time,
          { name: 'CAN_RemoteFrame.ID', byte: 4, bits: 11 },
          { name: 'CAN_RemoteFrame.DLC', byte: 5, bit: 4, bits: 4 },
        ],
        6,
        { id: 9 },
      );
      const error = cg(blocks, [time, { name: 'CAN_ErrorFrame.ErrorType', byte: 4, bits: 8 }], 5, {
        id: 8,
        next: remote,
      });
      return dg(
        blocks,
        error,
        dt(
          blocks,
          Buffer.concat([
            packed([1, 8], [4, 1], [1, 5]),
            packed([1, 8], [4, 2], [1, 3]),
            packed([1, 9], [4, 3], [2, 0x4123]),
          ]),
        ),
        1,
      );
    },
  });
  assert.deepEqual(
    readMdf4(bytes).rows.map(({ id, flags, data }) => [id, flags, data]),
    [
      [0x20, FRAME.error, '0000000000000000'],
      [0x08, FRAME.error, '0000040000000000'],
      [0x123, FRAME.remote, '00000000'],
    ],
  );
});

test('[F5] a sorted file whose groups are still in the list of the unsorted one is read by its first group', () => {
  const bytes = build({
    groups: (blocks) =>
      dg(
        blocks,
        cg(blocks, SIMPLE(blocks), 10, { next: cg(blocks, SIMPLE(blocks), 30, { id: 1 }) }),
        dt(blocks, Buffer.concat([record(1, 0x100, 1, 2), record(2, 0x200, 3, 4)])),
      ),
  });
  assert.deepEqual(only(bytes), [
    [1, 0x100, '0102'],
    [2, 0x200, '0304'],
  ]);
});

test('[F5] lists of lists, and what lies behind a list that was never finished', () => {
  const bytes = build({
    flags: 0x15,
    groups(blocks) {
      const group = cg(blocks, SIMPLE(blocks), 10);
      const pieces = [1, 2, 3].map((t) => dt(blocks, record(t, t, t, t)));
      const list = blocks.block(
        '##DL',
        [0, pieces[0] as number, pieces[1] as number, 0, 0],
        packed([4, 0], [4, 4], [8, 0], [8, 10], [8, 20], [8, 30]),
      );
      const first = blocks.block('##DL', [list, dt(blocks, record(0, 0, 0, 0))], packed([4, 0], [4, 1], [8, 0]));
      return dg(blocks, group, blocks.block('##HL', [first], packed([8, 0])));
    },
  });
  assert.deepEqual(
    only(bytes).map(([t]) => t),
    [0, 1, 2, 3],
  );
});

// Damage and bounds.

const codes = (bytes: Uint8Array) => readMdf4(bytes).gaps.map(({ code }) => code);

test('[F9] lists that come back to themselves end', () => {
  for (const loop of ['##DG', '##CG', '##CN', '##DL'] as const) {
    const bytes = build({
      groups(blocks) {
        const group = cg(blocks, SIMPLE(blocks), 10);
        const piece = dt(blocks, Buffer.concat([packed([1, 1]), record(1, 1, 1, 1)]));
        const list = blocks.block('##DL', [0, piece], packed([4, 0], [4, 1], [8, 0]));
        const data = dg(blocks, group, list, 1);
        if (loop === '##DG') blocks.link(data, 0, data);
        if (loop === '##CG') blocks.link(group, 0, group);
        if (loop === '##DL') blocks.link(list, 0, list);
        if (loop === '##CN') {
          const other = cg(blocks, SIMPLE(blocks), 10, { id: 2 });
          const channel = cn(blocks, TIME, 0);
          blocks.link(channel, 0, channel);
          blocks.link(other, 1, channel);
          blocks.link(group, 0, other);
        }
        return data;
      },
    });
    assert.deepEqual(codes(bytes), ['damaged'], loop);
    assert.deepEqual(only(bytes), [[1, 1, '0101']], loop);
  }
});

test('[F9] links and lengths that lead past the end are told', () => {
  const built = (data: (blocks: BlockWriter) => number) =>
    build({ groups: (blocks) => dg(blocks, cg(blocks, SIMPLE(blocks), 10), data(blocks)) });
  assert.deepEqual(codes(built(() => 2 ** 40)), ['cut']);
  assert.deepEqual(codes(built(() => 2 ** 63)), ['cut']);
  assert.deepEqual(codes(built(() => 65)), ['damaged']);
  const long = built((blocks) => dt(blocks, record(1, 1, 1, 1)));
  const at = long.findLastIndex((_, i) => String.fromCharCode(...long.subarray(i, i + 4)) === '##DT');
  new DataView(long.buffer).setBigUint64(at + 8, 2n ** 62n, true);
  const { rows, gaps } = readMdf4(long);
  assert.ok(rows.some(({ t, id, data }) => t === START_US + 1_000 && id === 1 && data === '0101'));
  assert.ok(gaps.some(({ code }) => code === 'cut'));
  const links = built((blocks) => blocks.block('##DL', [0], packed([4, 0], [4, 0xffffffff])));
  assert.deepEqual(codes(links), []);
});

test('[F9] a comment that is damaged costs no frame', () => {
  const frames = sampleFrames(100, seeded(9));
  const whole = writeMdf4(frames, { order: 'unsorted', unfinished: true });
  const marks = ['##MD', '##SI'].flatMap((id) =>
    [...whole.keys()].filter((i) => String.fromCharCode(...whole.subarray(i, i + 4)) === id),
  );
  assert.ok(marks.length > 2);
  for (const at of marks) new DataView(whole.buffer).setBigUint64(at + 16, 2n ** 40n, true);
  const { rows, gaps } = readMdf4(whole);
  assert.deepEqual({ rows, gaps }, { rows: framesOf(frames), gaps: [] });
});

test('[F9] an id that no group has ends its data group, and is told with its place', () => {
  const bytes = build({
    groups: (blocks) =>
      dg(
        blocks,
        cg(blocks, SIMPLE(blocks), 10),
        dt(blocks, Buffer.concat([packed([1, 1]), record(1, 1, 1, 1), packed([1, 77]), record(2, 2, 2, 2)])),
        1,
      ),
  });
  assert.deepEqual(only(bytes), [[1, 1, '0101']]);
  const [gap] = readMdf4(bytes).gaps;
  assert.equal(gap?.code, 'damaged');
  assert.equal(bytes[gap?.at_byte ?? 0], 77);
});

test('[F10] a piece that says more than 32 MiB, and pieces that hold more than they can, are not unpacked', () => {
  const zipped = (says: number, content: Uint8Array) =>
    build({
      groups(blocks) {
        const group = cg(blocks, SIMPLE(blocks), 10);
        const bytes = deflateSync(content);
        const dz = blocks.block(
          '##DZ',
          [],
          Buffer.concat([packed([2, 0x5444], [1, 0], [1, 0], [4, 0], [8, says], [8, bytes.length]), bytes]),
        );
        return dg(blocks, group, dz);
      },
    });
  assert.deepEqual(codes(zipped(2 ** 40, new Uint8Array(1_000))), ['too_large']);
  assert.deepEqual(codes(zipped(1_000, new Uint8Array(10_000_000))), ['damaged']);
  assert.deepEqual(codes(zipped(100_000, new Uint8Array(1_000))), ['damaged']);
});

test('[F10] one piece that is linked a million times is not read a million times', () => {
  const bytes = build({
    groups(blocks) {
      const group = cg(blocks, SIMPLE(blocks), 10);
      const piece = dt(blocks, new Uint8Array(100_000));
      const links = Array.from({ length: 20_000 }, () => piece);
      return dg(blocks, group, blocks.block('##DL', [0, ...links], packed([4, 0], [4, links.length])));
    },
  });
  const { rows, gaps } = readMdf4(bytes);
  assert.ok(rows.length < 100_000);
  assert.deepEqual(
    gaps.map(({ code }) => code),
    ['damaged'],
  );
});

test('[F10] zipped pieces denser than any bus are not read on', () => {
  const bytes = build({
    groups(blocks) {
      const group = cg(blocks, SIMPLE(blocks), 10);
      const zipped = deflateSync(new Uint8Array(8 << 20));
      const pieces = Array.from({ length: 20 }, () =>
        blocks.block(
          '##DZ',
          [],
          Buffer.concat([packed([2, 0x5444], [1, 0], [1, 0], [4, 0], [8, 8 << 20], [8, zipped.length]), zipped]),
        ),
      );
      return dg(blocks, group, blocks.block('##DL', [0, ...pieces], packed([4, 0], [4, pieces.length])));
    },
  });
  const gaps: string[] = [];
  let frames = 0;
  for (const { count } of openMdf4(sourceOf(bytes), inflate, ({ code }) => gaps.push(code)).batches()) frames += count;
  assert.ok(frames < 8_000_000);
  assert.deepEqual(gaps, ['too_dense']);
});

test('[F10] of 100,000 channel groups the first 16,384 are read', () => {
  const bytes = build({
    groups(blocks) {
      let next = 0;
      for (let i = 100_000; i > 1; i--) next = cg(blocks, [], 4, { id: i, next });
      const group = cg(blocks, SIMPLE(blocks), 10, { id: 1, next });
      return dg(blocks, group, dt(blocks, Buffer.concat([packed([4, 1]), record(1, 1, 1, 1)])), 4);
    },
  });
  assert.deepEqual(only(bytes), [[1, 1, '0101']]);
  assert.deepEqual(codes(bytes), ['too_large']);
});

test('[F10] more data groups with frames than are put in order at once are told', () => {
  const bytes = build({
    groups(blocks) {
      let next = 0;
      for (let i = 1_500; i > 0; i--)
        next = dg(blocks, cg(blocks, SIMPLE(blocks), 10), dt(blocks, record(i, i, 1, 1)), 0, next);
      return next;
    },
  });
  const { rows, gaps } = readMdf4(bytes);
  assert.deepEqual(
    rows.map(({ id }) => id),
    Array.from({ length: 1_024 }, (_, i) => i + 1),
  );
  assert.deepEqual(
    gaps.map(({ code }) => code),
    ['too_large'],
  );
});

test('[F10] groups that share a long list of channels are not read without end', () => {
  const bytes = build({
    groups(blocks) {
      const name = blocks.text('x'.repeat(1_000_000));
      let first = 0;
      for (let i = 0; i < 1_000; i++) first = blocks.block('##CN', [first, 0, name, 0, 0, 0, 0, 0], new Uint8Array(72));
      let next = 0;
      for (let i = 10_000; i > 1; i--) {
        next = cg(blocks, [], 4, { id: i, next });
        blocks.link(next, 1, first);
      }
      const group = cg(blocks, SIMPLE(blocks), 10, { id: 1, next });
      return dg(blocks, group, dt(blocks, Buffer.concat([packed([4, 1]), record(1, 1, 1, 1)])), 4);
    },
  });
  assert.deepEqual(only(bytes), [[1, 1, '0101']]);
  assert.ok(codes(bytes).every((code) => code === 'too_large'));
});

test('[F10] payloads apart in no order are read up to a bound', () => {
  const bytes = build({
    groups(blocks) {
      const payload = new Uint8Array(200_000);
      const zipped = deflateSync(payload);
      const values = [0, 1].map(() =>
        blocks.block(
          '##DZ',
          [],
          Buffer.concat([packed([2, 0x4453], [1, 0], [1, 0], [4, 0], [8, payload.length], [8, zipped.length]), zipped]),
        ),
      );
      const list = blocks.block('##DL', [0, ...values], packed([4, 0], [4, 2], [8, 0], [8, 200_000]));
      const [time, id] = SIMPLE(blocks) as [Channel, Channel];
      const group = cg(
        blocks,
        [time, id, { name: 'CAN_DataFrame.DataBytes', type: 1, dataType: 10, byte: 8, bits: 64, data: list }],
        16,
      );
      const records = Array.from({ length: 6_000 }, (_, i) => packed([4, i], [4, 5], [8, i % 2 === 0 ? 399_900 : 0]));
      return dg(blocks, group, dt(blocks, Buffer.concat(records)));
    },
  });
  const { rows, counters, gaps } = readMdf4(bytes);
  assert.ok(rows.length > 1_000 && rows.length < 6_000);
  assert.equal(rows.length + counters.unparsable, 6_000);
  assert.deepEqual(
    gaps.map(({ code }) => code),
    ['too_large'],
  );
});

test('[F16] local time of an unknown zone is told', () => {
  const bytes = writeMdf4(sampleFrames(3, seeded(1)));
  assert.equal(readMdf4(bytes).info.local_time, false);
  bytes[64 + 24 + 6 * 8 + 12] = 1;
  const { info, rows } = readMdf4(bytes);
  assert.deepEqual([info.local_time, info.zone], [true, { name: 'UTC', doubt: null }]);
  const file = openMdf4(sourceOf(bytes), inflate, () => {}, createWallClock('Asia/Kolkata'));
  const shift = 5.5 * 3_600e6;
  assert.equal(file.info.started_us, (info.started_us ?? 0) - shift);
  for (const { t, count } of file.batches())
    for (let i = 0; i < count; i++) assert.equal(t[i], (rows[i]?.t ?? 0) - shift);
});

test('[F3] a measurement file without a bus, and one that breaks off in its header, are named errors', () => {
  const error = (bytes: Uint8Array) => {
    try {
      readMdf4(bytes);
      return 'read';
    } catch (thrown) {
      assert.ok(thrown instanceof LogFileError);
      return thrown.code;
    }
  };
  assert.equal(
    error(build({ groups: (blocks) => dg(blocks, cg(blocks, [TIME], 4), dt(blocks, new Uint8Array(40))) })),
    'not_a_log',
  );
  assert.equal(error(build({ groups: () => 0 })), 'not_a_log');
  assert.equal(error(writeMdf4(new FrameBatch()).subarray(0, 70)), 'damaged');
});

test('[F13] heatshrink is unpacked at any place as from the beginning', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom(
        { windowBits: 8, lengthBits: 4 },
        { windowBits: 10, lengthBits: 4 },
        { windowBits: 11, lengthBits: 6 },
      ),
      fc.array(fc.tuple(fc.nat(2_200_000), fc.nat(100_000)), { maxLength: 20 }),
      (seed, form, places) => {
        const random = new Random(seed);
        const text = Uint8Array.from({ length: 2_100_000 }, (_, i) => (i % 1_000 < 800 ? i % 50 : random.int(256)));
        const source: ByteSource = heatshrinkSource(sourceOf(packHeatshrink(text, form)), 0, form);
        assert.ok(source.bound >= text.length);
        for (const [at, length] of places) {
          const into = new Uint8Array(length);
          const got = source.read(at, into, 0, length);
          // The last bits of the packed bytes may make up a byte too many: the format does not say where it ends.
          const wanted = text.subarray(at, at + length);
          assert.ok(got >= wanted.length && got <= wanted.length + (at + length > text.length ? 1 : 0));
          assert.deepEqual(into.subarray(0, wanted.length), wanted);
        }
      },
    ),
    { numRuns: 5 },
  );
});
