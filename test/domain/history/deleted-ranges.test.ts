import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletedRange } from '#contract/fleet/history.ts';
import { addDeletedRange } from '#domain/history/deleted-ranges.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const at = (day: number): string => new Date(START + day * DAY_MS).toISOString();

const range = (from: number, to: number, deleted: number, more: Partial<DeletedRange> = {}): DeletedRange => ({
  what: 'samples',
  because: 'age',
  from: at(from),
  to: at(to),
  first_deleted_at: at(deleted),
  deleted_at: at(deleted),
  ...more,
});

test('[Z31] ranges that touch are joined, with the first and the last time of a deletion', () => {
  const joined = [range(0, 1, 30), range(1, 2, 31), range(2.5, 3, 32)].reduce<DeletedRange[]>(addDeletedRange, []);
  assert.deepEqual(joined, [{ ...range(0, 3, 30), deleted_at: at(32) }]);
  const apart = addDeletedRange(joined, range(10, 11, 40));
  assert.equal(apart.length, 2);
  assert.equal(addDeletedRange(apart, range(3, 4, 41, { because: 'disk' })).length, 3);
});

test('[Z31] 1,000 random lists have at most 20 ranges, which cover every deletion with its kind and time', () => {
  let seed = 7;
  const below = (n: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  let full = 0;
  for (let round = 0; round < 1_000; round++) {
    let ranges: DeletedRange[] = [];
    const added: DeletedRange[] = [];
    for (let i = 0; i < 60; i++) {
      const from = below(5_000);
      const kind = { what: below(2) ? 'samples' : 'minutes', because: below(2) ? 'age' : 'disk' } as const;
      const one = range(from, from + below(4), 5_000 + i, kind);
      added.push(one);
      ranges = addDeletedRange(ranges, one);
      assert.ok(ranges.length <= 20);
      assert.deepEqual(
        ranges.map(({ from: t }) => t),
        ranges.map(({ from: t }) => t).sort(),
      );
    }
    if (ranges.length === 20) full++;
    for (const one of added) {
      const cover = ranges.find(
        (r) => r.what === one.what && r.because === one.because && r.from <= one.from && r.to >= one.to,
      );
      assert.ok(cover && cover.first_deleted_at <= one.deleted_at && cover.deleted_at >= one.deleted_at);
    }
  }
  assert.ok(full > 900);
});
