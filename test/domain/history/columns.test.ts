import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Column, encodeColumns, openColumns, sealColumns } from '#domain/history/columns.ts';

const breathe = async () => {};
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -(2 ** 51), max: 2 ** 51 }),
  fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 8),
  fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 100),
);
const numbers = fc.array(number, { maxLength: 60 }).map((list) => Float64Array.from(list));
const columns = fc
  .uniqueArray(
    fc.tuple(fc.string({ maxLength: 20 }), fc.record({ t: numbers, v: numbers }, { noNullPrototype: true })),
    {
      selector: ([name]) => name,
      maxLength: 5,
    },
  )
  .map((list) => list.map(([name, arrays]): Column => ({ name, arrays })));

const read = (bytes: Uint8Array) => {
  const opened = openColumns(bytes);
  return opened?.names.map((name) => opened.column(name));
};

test('[D190] columns keep every bit of every number, quickly encoded or sealed', async () => {
  await fc.assert(
    fc.asyncProperty(columns, fc.jsonValue(), async (list, meta) => {
      const safe = JSON.parse(JSON.stringify(meta));
      for (const bytes of [encodeColumns(safe, list), await sealColumns(safe, list, breathe)]) {
        assert.deepEqual(read(bytes), list);
        assert.deepEqual(openColumns(bytes)?.meta, safe);
      }
    }),
    { numRuns: 300 },
  );
});

test('[D190] a number that is not finite is refused', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => encodeColumns(null, [{ name: 'a', arrays: { v: Float64Array.of(1, value) } }]), RangeError);
});

test('[D191] damaged bytes are refused with undefined or a RangeError, and never with other numbers of samples', () => {
  const good = encodeColumns({ a: 1 }, [
    { name: 'engine.speed', arrays: { t: Float64Array.of(1, 2, 3), v: Float64Array.of(800, 801.5, 799) } },
    { name: 'engine.load', arrays: { t: Float64Array.of(1, 2), v: Float64Array.of(0.1, Math.PI) } },
  ]);
  const attempt = (bytes: Uint8Array) => {
    try {
      return read(bytes);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
      return undefined;
    }
  };
  for (let cut = 0; cut < good.length; cut++) assert.equal(attempt(good.subarray(0, cut)), undefined);
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = Uint8Array.from(good);
      bytes[at] = (bytes[at] as number) ^ flip;
      for (const column of attempt(bytes) ?? [])
        for (const array of Object.values(column?.arrays ?? {})) assert.ok(array.length <= 3);
    }),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void attempt(bytes)));
});
