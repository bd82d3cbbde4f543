/** Values of SQLite in PostgreSQL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ColumnType, fromColumn, toColumn, toKey, type Value } from '#store/postgres/values.ts';
import { compareSqlite } from './order.ts';

const value: fc.Arbitrary<string | number> = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom('', '\u0000', '\u0001\u0002', 0, -0, -1.5),
);

test('[S101] a value comes back from PostgreSQL as it was, with any character', () => {
  const returns = (type: ColumnType, one: Value): void => {
    const back = fromColumn(type, toColumn(type, one));
    assert.deepEqual(back, one === 0 ? 0 : one);
  };
  fc.assert(
    fc.property(value, (one) => {
      returns('key', one);
      if (typeof one === 'string') returns('text', one);
    }),
  );
  returns('key', null);
  returns('key', Uint8Array.of(0, 1, 255));
  returns('bytes', Uint8Array.of(0, 1, 255));
});

test('[S101] the bytes of two values have the order of the values: numbers before texts', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const order = Buffer.compare(toKey(a) as Buffer, toKey(b) as Buffer);
      assert.equal(Math.sign(order), compareSqlite(a, b));
    }),
  );
});
