import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { decodeBinary, encodeBinary } from '#codec/can-binary.ts';
import { decodeCanPayload } from '#codec/can-payload.ts';
import { formatCandump } from '#codec/candump.ts';
import { crc32 } from '#codec/crc32.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { framesOf } from './frames.ts';

const NOW = 1.75e15;
const T = 1622547830084000;
const utf8 = (text: string) => new TextEncoder().encode(text);

function decode(payload: Uint8Array) {
  const batch = new FrameBatch(1);
  const result = decodeCanPayload(payload, NOW, batch);
  assert.equal(result.frames, batch.count);
  return { ...result, rows: framesOf(batch) };
}
const json = (value: unknown) => decode(utf8(JSON.stringify(value)));

const FRAME_JSON = { t: T, bus: 1, id: '18FEEE00', data: '7E6E' };
const ROW = { t: T, bus: 1, id: 0x18feee00, flags: FRAME.extended as number, data: '7E6E' };

const anyFrame = fc.record({
  t: fc.integer({ min: 1e15, max: 2 ** 52 }),
  bus: fc.nat(255),
  id: fc.nat(0x1fffffff),
  flags: fc.nat(127),
  payload: fc.uint8Array({ maxLength: 64 }),
});
function batchOf(frames: readonly { t: number; bus: number; id: number; flags: number; payload: Uint8Array }[]) {
  const batch = new FrameBatch(1);
  for (const { t, bus, id, flags, payload } of frames) batch.push(t, bus, id, flags, payload, 0, payload.length);
  return batch;
}

test('a payload is told by its first bytes', () => {
  const batch = batchOf([{ t: T, bus: 1, id: 0x18feee00, flags: FRAME.extended, payload: Uint8Array.of(0x7e, 0x6e) }]);
  for (const payload of [
    encodeBinary(batch, null),
    formatCandump(batch),
    utf8(JSON.stringify([FRAME_JSON])),
    utf8(` \n${JSON.stringify({ frames: [FRAME_JSON] })}`),
    Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8(JSON.stringify([FRAME_JSON]))),
  ]) {
    const { rows, unparsable, error } = decode(payload);
    assert.deepEqual(rows, [ROW]);
    assert.deepEqual([unparsable, error], [0, null]);
  }
  assert.deepEqual(decode(new Uint8Array(0)), { frames: 0, unparsable: 0, error: null, seq: null, rows: [] });
});

test('JSON: the number of the message, and every way to write a frame', () => {
  assert.equal(json({ seq: 17, frames: [FRAME_JSON] }).seq, 17);
  assert.equal(json([FRAME_JSON]).seq, null);
  for (const [entry, frame] of [
    [{ t: T / 1e6 }, {}],
    [{ t: T / 1000 }, {}],
    [{ t: T * 1000 }, {}],
    [{ t: '2021-06-01T11:43:50.084Z' }, {}],
    [{ t: '2021-06-01T13:43:50.084000+02:00' }, {}],
    [{ t: undefined }, { t: NOW, flags: FRAME.extended | FRAME.noTime }],
    [{ id: 0x18feee00 }, {}],
    [{ id: '0x18feee00' }, {}],
    [{ id: 0x123 }, { id: 0x123, flags: 0 }],
    [{ id: '123' }, { id: 0x123, flags: 0 }],
    [{ id: 0x123, ext: true }, { id: 0x123 }],
    [{ data: [0x7e, 0x6e] }, {}],
    [{ data: undefined }, { data: '' }],
    [{ bus: undefined }, { bus: 0 }],
    [{ tx: true }, { flags: FRAME.extended | FRAME.transmitted }],
    [
      { data: 'AB'.repeat(9), fd: true, brs: true },
      { data: 'AB'.repeat(9), flags: FRAME.extended | FRAME.fd | FRAME.brs },
    ],
    [
      { data: '', rtr: true, dlc: 3 },
      { data: '000000', flags: FRAME.extended | FRAME.remote },
    ],
    [{ err: true }, { flags: FRAME.extended | FRAME.error }],
  ] as const) {
    assert.deepEqual(json([{ ...FRAME_JSON, ...entry }]).rows, [{ ...ROW, ...frame }], JSON.stringify(entry));
  }
  assert.deepEqual(
    json({ bus: 2, frames: [{ ...FRAME_JSON, bus: undefined }, FRAME_JSON] }).rows.map(({ bus }) => bus),
    [2, 1],
  );
});

test('JSON: an entry that is no frame is counted and costs no other', () => {
  for (const entry of [
    null,
    7,
    'x',
    [],
    { ...FRAME_JSON, t: 'yesterday' },
    { ...FRAME_JSON, t: -1 },
    { ...FRAME_JSON, t: '2021-06-01T11:43:50' },
    { ...FRAME_JSON, id: '18FEEE0' },
    { ...FRAME_JSON, id: 0x20000000 },
    { ...FRAME_JSON, id: 'FFF' },
    { ...FRAME_JSON, id: 1.5 },
    { ...FRAME_JSON, id: undefined },
    { ...FRAME_JSON, data: '7E6' },
    { ...FRAME_JSON, data: 'zz' },
    { ...FRAME_JSON, data: [256] },
    { ...FRAME_JSON, data: ['1'] },
    { ...FRAME_JSON, data: '00'.repeat(9) },
    { ...FRAME_JSON, data: '00'.repeat(65), fd: true },
    { ...FRAME_JSON, bus: 256 },
    { ...FRAME_JSON, bus: 'can0' },
    { ...FRAME_JSON, rtr: true },
    { ...FRAME_JSON, data: '', rtr: true, dlc: 9 },
  ]) {
    const { rows, unparsable, error } = json([FRAME_JSON, entry, FRAME_JSON]);
    assert.deepEqual([rows.length, unparsable, error], [2, 1, null], JSON.stringify(entry));
  }
});

test('JSON that is none, or not a batch, is one thing that could not be read', () => {
  for (const text of ['{', '[', '{}', '{"frames":1}', '{"frames":[],"seq":-1}', '{"frames":[],"seq":"1"}', '[}]']) {
    const { frames, unparsable, error } = decode(utf8(text));
    assert.deepEqual([frames, unparsable], [0, 1], text);
    assert.equal(typeof error, 'string', text);
  }
  assert.equal(typeof decode(Uint8Array.of(0x5b, 0xff, 0x5d)).error, 'string', 'not UTF-8');
});

test('text that is no CAN payload says so; candump with some good lines does not', () => {
  assert.equal(decode(utf8('hello\nworld\n')).error, 'not a CAN payload of a known form');
  assert.deepEqual(decode(utf8('hello\n123#00\n')).unparsable, 1);
  assert.equal(decode(utf8('hello\n123#00\n')).error, null);
});

test('a binary batch gives back exactly what was written', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 40 }), fc.option(fc.maxSafeNat()), (frames, seq) => {
      const batch = batchOf(frames);
      const back = new FrameBatch(1);
      assert.deepEqual(decodeBinary(encodeBinary(batch, seq), back), { frames: frames.length, seq, error: null });
      assert.deepEqual(framesOf(back), framesOf(batch));
    }),
  );
});

test('a binary batch byte by byte', () => {
  const batch = batchOf([
    { t: 300, bus: 1, id: 0x18feee00, flags: 1, payload: Uint8Array.of(0xaa, 0xbb) },
    { t: 236, bus: 2, id: 0x123, flags: 0, payload: new Uint8Array(0) },
  ]);
  const bytes = encodeBinary(batch, 5);
  assert.equal(
    Buffer.from(bytes.subarray(0, -4)).toString('hex'),
    [
      '48464342',
      '01',
      '01',
      '05',
      'ac02',
      '02',
      '00',
      '01',
      '01',
      '00eefe18',
      '02',
      'aabb',
      '8101',
      '00',
      '02',
      '23010000',
      '00',
    ].join(''),
  );
  assert.equal(Buffer.from(bytes).readUInt32LE(bytes.length - 4), zlibCrc32(bytes.subarray(0, -4)));
});

test('the checksum is the CRC-32 of gzip', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.equal(crc32(bytes, 0, bytes.length), zlibCrc32(bytes));
    }),
  );
});

test('a damaged, cut or lengthened binary batch is refused whole', () => {
  fc.assert(
    fc.property(
      fc.array(anyFrame, { minLength: 1, maxLength: 10 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (frames, at, flip) => {
        const bytes = encodeBinary(batchOf(frames), 1);
        const flipped = bytes.slice();
        flipped[at % bytes.length] = (flipped[at % bytes.length] as number) ^ flip;
        for (const broken of [flipped, bytes.subarray(0, at % bytes.length), Uint8Array.of(...bytes, 0)]) {
          const into = batchOf(frames);
          const before = framesOf(into);
          const long = into.longUsed;
          const { frames: taken, error } = decodeBinary(broken, into);
          assert.equal(taken, 0);
          assert.equal(typeof error, 'string');
          assert.deepEqual(framesOf(into), before);
          assert.equal(into.longUsed, long);
        }
      },
    ),
  );
});

/** Bytes with a right checksum, so that the checks behind it are reached. */
function sealed(bytes: Uint8Array): Uint8Array {
  const crc = zlibCrc32(bytes);
  return Uint8Array.of(...bytes, crc & 255, (crc >>> 8) & 255, (crc >>> 16) & 255, crc >>> 24);
}

test('a binary batch that lies behind a right checksum is refused whole and never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(1), (body, seq) => {
      const into = new FrameBatch(1);
      const { frames, error } = decodeBinary(sealed(Uint8Array.of(0x48, 0x46, 0x43, 0x42, 1, seq, ...body)), into);
      assert.equal(into.count, frames);
      if (error !== null) assert.equal(frames, 0);
    }),
    { numRuns: 1000 },
  );
  const long = new FrameBatch(1);
  const header = [0x48, 0x46, 0x43, 0x42, 1, 0, 0];
  const frame = (len: number) => [0, 1, 0, 0, 0, 0, 0, len, ...new Array(len).fill(7)];
  assert.equal(decodeBinary(sealed(Uint8Array.of(...header, 1, ...frame(64))), long).error, null);
  const used = long.longUsed;
  for (const [body, error] of [
    [[2, ...frame(64), ...frame(65)], 'binary batch broken at frame 1'],
    [[1, ...frame(64), 0], 'binary batch with surplus bytes'],
  ] as const) {
    assert.equal(decodeBinary(sealed(Uint8Array.of(...header, ...body)), long).error, error);
    assert.deepEqual([long.count, long.longUsed], [1, used]);
  }
  const lie = sealed(Uint8Array.of(0x48, 0x46, 0x43, 0x42, 1, 0, 0, 255, 255, 255, 255, 15, 0, 0, 0, 0));
  assert.equal(decodeBinary(lie, new FrameBatch(1)).error, 'binary batch with a broken header');
});

test('random payloads never throw, and frames plus refusals account for what came', () => {
  const start = fc.constantFrom('', '{', '[{"t":', '(', 'HFCB', '<0x', '{"frames":[');
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 100 }), (head, rest) => {
      const { frames, unparsable, error } = decode(Uint8Array.of(...utf8(head), ...rest));
      if (error !== null) assert.deepEqual([frames, unparsable > 0], [0, true]);
    }),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      decode(utf8(text));
      decode(utf8(`{"frames":[${text}]}`));
    }),
  );
});
