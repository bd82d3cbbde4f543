import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeSegment, encodeSegment } from '#domain/history/segment-v1.ts';

const times = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 52 - 1 }),
  fc.integer({ min: 0, max: 5000 }).map((s) => 1.7e15 + s * 1_000_000),
  fc.integer({ min: 0, max: 100_000 }).map((ms) => 1.7e15 + ms * 1000),
);
const values = fc.oneof(
  fc.double(),
  fc.integer({ min: 0, max: 64_255 }).map((raw) => raw / 8),
  fc.integer({ min: 0, max: 250 }).map((raw) => (raw * 2) / 5),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.MIN_VALUE, Number.MAX_VALUE, 2 ** 60),
);
const column = fc
  .tuple(fc.string({ maxLength: 24 }), fc.array(fc.tuple(times, values), { maxLength: 60 }))
  .map(([signal, samples]) => ({
    signal: signal.toWellFormed(),
    t: Float64Array.from(samples, ([t]) => t),
    v: Float64Array.from(samples, ([, v]) => v),
  }));

test('[D40] a segment gives back exactly what was written: times in any order, any number, minus zero', () => {
  fc.assert(
    fc.property(fc.array(column, { maxLength: 5 }), (columns) => {
      assert.deepStrictEqual(decodeSegment(encodeSegment(columns)), columns);
    }),
  );
});

test('[D40] a column of one kind of machine value is small: two to three bytes a sample', () => {
  const n = 600;
  const t = Float64Array.from({ length: n }, (_, i) => 1.7e15 + i * 500_000 + ((i * 37) % 20) * 1000);
  const rpm = Float64Array.from({ length: n }, (_, i) => 649 + ((i * 13) % 9) * 0.125);
  const bytes = encodeSegment([{ signal: 'engine.speed', t, v: rpm }]);
  assert.ok(bytes.length < n * 3, `${(bytes.length / n).toFixed(2)} bytes a sample`);
});

test('[D40] what a segment cannot hold is refused when it is written', () => {
  const one = (t: number, v: number[]) => () =>
    encodeSegment([{ signal: 'x', t: Float64Array.of(t), v: Float64Array.from(v) }]);
  assert.throws(one(-1, [0]), /whole microseconds/);
  assert.throws(one(0.5, [0]), /whole microseconds/);
  assert.throws(one(2 ** 52, [0]), /whole microseconds/);
  assert.throws(one(1, []), /1 times for 0 values/);
});

test('[D41] random and damaged bytes give undefined or a segment, never a throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      decodeSegment(bytes);
      decodeSegment(Uint8Array.of(0x48, 0x46, 0x53, 1, ...bytes));
    }),
  );
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 3 }), fc.nat(), fc.nat(255), (columns, at, byte) => {
      const bytes = encodeSegment(columns);
      assert.equal(decodeSegment(bytes.subarray(0, at % bytes.length)), undefined, 'cut');
      bytes[at % bytes.length] = byte;
      decodeSegment(bytes);
    }),
  );
});

test('[D41] a count that the bytes cannot hold allocates nothing', () => {
  const lie = Uint8Array.of(0x48, 0x46, 0x53, 1, 1, 1, 0x78, 255, 255, 255, 255, 255, 255, 15, 0, 0, 0);
  assert.equal(decodeSegment(lie), undefined);
});

test('[D40] the bytes of a segment are those that earlier builds wrote, so that old folders are read', () => {
  const minute = 60e6;
  const columns = [
    {
      signal: 'engine.hours',
      t: Float64Array.of(1.7e15, 1.7e15 + minute, 1.7e15 + 2 * minute),
      v: Float64Array.of(9000, 9000.05, 9000.1),
    },
    { signal: 'x', t: Float64Array.of(5), v: Float64Array.of(Math.PI) },
  ];
  const bytes = '48465301020c656e67696e652e686f757273030080c49fd50c780006c0fc150202017801040aff08400921fb54442d18';
  assert.equal(Buffer.from(encodeSegment(columns)).toString('hex'), bytes);
  assert.deepEqual(decodeSegment(Buffer.from(bytes, 'hex')), columns);
  for (const [at, byte] of [
    [0, 0x47],
    [1, 0x45],
    [2, 0x52],
    [3, 2],
  ] as const) {
    const other = Buffer.from(bytes, 'hex');
    other[at] = byte;
    assert.equal(decodeSegment(other), undefined, `byte ${at}`);
  }
});
