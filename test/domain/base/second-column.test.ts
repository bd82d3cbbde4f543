import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SecondColumn } from '#domain/base/second-column.ts';

test('[I28] [D95] a column keeps the first value of each second, ascending, however they came', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), (seconds) => {
      const column = new SecondColumn();
      const first = new Map<number, number>();
      for (const [i, second] of seconds.entries()) {
        column.add(second, i, i % 3);
        if (!first.has(second)) first.set(second, i);
      }
      const wanted = [...first].sort(([a], [b]) => a - b);
      assert.deepEqual(column.ordered(), {
        t: wanted.map(([t]) => t),
        v: wanted.map(([, v]) => v),
        o: wanted.map(([, v]) => v % 3),
      });
    }),
  );
});

test('[D95] a column that was emptied gives nothing, and its newest second none again', () => {
  const column = new SecondColumn();
  assert.ok(column.isEmpty);
  assert.deepEqual([column.add(7, 1, 0), column.add(7, 2, 0)], [true, false]);
  column.empty();
  assert.ok(column.isEmpty);
  assert.deepEqual(
    [column.add(7, 3, 0), column.add(8, 4, 5), column.ordered()],
    [false, true, { t: [8], v: [4], o: [5] }],
  );
});
