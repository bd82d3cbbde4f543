/** Statistics of minutes: the same in any order of arrival, and equal to a simple computation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  MinuteColumn,
  type MinuteRow,
  type MinuteSeries,
  mergeMinutes,
  partsOf,
  resolveMinute,
  rowAt,
} from '#domain/history/minutes.ts';
import { NO_ORIGIN, type Origin, Origins } from '#domain/history/origins.ts';
import { openRollup, sealRollup } from '#domain/history/rollup.ts';

const SIGNAL = 'engine.speed';
const MINUTE_US = 60_000_000;
const BASE_US = 29_000_000 * MINUTE_US;

interface Value {
  readonly at: number;
  readonly value: number;
  readonly origin: number;
}

const values = fc
  .uniqueArray(
    fc.record({
      at: fc.integer({ min: 0, max: 5 * MINUTE_US - 1 }),
      value: fc.oneof(
        fc.integer({ min: 0, max: 20_000 }).map((n) => n / 8),
        fc.double({ min: -40, max: 250, noNaN: true }),
      ),
      origin: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 120, selector: ({ at }) => at },
  )
  .map((list) => list.map((one) => ({ ...one, value: one.value === 0 ? 0 : one.value })));

function rowsOf(series: MinuteSeries): MinuteRow[] {
  return series.m.map((_, i) => rowAt(series, i));
}

function collect(list: readonly Value[]): MinuteSeries {
  const column = new MinuteColumn(SIGNAL);
  for (const { at, value, origin } of list) column.add(BASE_US + at, value, origin);
  return column.series();
}

/** The rows as somebody would compute them who has all values at hand. */
function expected(list: readonly Value[]): MinuteRow[] {
  const groups = Map.groupBy(list, ({ at, origin }) => `${Math.floor(at / MINUTE_US)} ${origin}`);
  return [...groups.values()]
    .map((group) => {
      const newest = group.reduce((a, b) => (b.at > a.at ? b : a));
      const m = Math.floor((BASE_US + newest.at) / MINUTE_US);
      const seconds = new Set(group.map(({ at }) => Math.floor(at / 1_000_000) % 60));
      const bits = (from: number) => [...seconds].filter((s) => s >= from && s < from + 30).map((s) => 2 ** (s - from));
      const add = (of: readonly number[]) => of.reduce((a, b) => a + b, 0);
      return {
        m,
        o: newest.origin,
        n: group.length,
        min: Math.min(...group.map(({ value }) => value)),
        max: Math.max(...group.map(({ value }) => value)),
        sum: add(group.map(({ value }) => Math.round(value * partsOf(SIGNAL)))),
        last: newest.value,
        at: newest.at % MINUTE_US,
        early: add(bits(0)),
        late: add(bits(30)),
      };
    })
    .sort((a, b) => a.m - b.m || a.o - b.o);
}

test('[D195] the rows of a signal equal a simple computation, in whatever order the values arrive', () => {
  fc.assert(
    fc.property(values, fc.infiniteStream(fc.nat()), (list, random) => {
      const wanted = expected(list);
      assert.deepEqual(rowsOf(collect(list)), wanted);
      const shuffled = list.map((one) => [random.next().value, one] as const).sort(([a], [b]) => a - b);
      assert.deepEqual(rowsOf(collect(shuffled.map(([, one]) => one))), wanted);
    }),
    { numRuns: 1_000 },
  );
});

const ORIGINS: readonly Origin[] = [0, 1, 2].map((sa) => ({ ...NO_ORIGIN, device: 'dev_1', bus: 1, sa }));

test('[D195] rows of the same minute and origin add up, however the values are divided between segments', () => {
  fc.assert(
    fc.property(values, fc.array(fc.nat(3), { minLength: 120, maxLength: 120 }), (list, parts) => {
      const segments = [0, 1, 2, 3].map((part) => collect(list.filter((_, i) => parts[i] === part)));
      const origins = new Origins();
      for (const one of ORIGINS) origins.indexOf(one);
      const of = segments.map((series) => ({ series, origins: ORIGINS }));
      assert.deepEqual(rowsOf(mergeMinutes(SIGNAL, of, origins)), expected(list));
    }),
    { numRuns: 1_000 },
  );
});

test('[D196] rows that may have the same values do not add up: the row with more values counts', () => {
  const few = collect([{ at: 0, value: 1, origin: 0 }]);
  const many = collect([
    { at: 0, value: 1, origin: 0 },
    { at: 500_000, value: 3, origin: 0 },
  ]);
  for (const order of [
    [few, many],
    [many, few],
  ]) {
    const parts = order.map((series) => ({ series, origins: ORIGINS }));
    const merged = mergeMinutes(SIGNAL, parts, new Origins(), 'replace');
    assert.deepEqual(merged.n, [2]);
    assert.deepEqual(merged.max, [3]);
  }
});

/** The row of the seconds `from` to before `to`, with `perSecond` values each. */
function rowOf(origin: number, from: number, to: number, perSecond: number, value: number): MinuteRow {
  const list = Array.from({ length: (to - from) * perSecond }, (_, i) => ({
    at: from * 1_000_000 + Math.floor((i * 1_000_000) / perSecond),
    value,
    origin,
  }));
  return rowAt(collect(list), 0);
}

test('[D197] a log file that repeats live data counts once, and one that fills an outage adds to it', () => {
  const live: Origin = { ...NO_ORIGIN, device: 'dev_1' };
  const file: Origin = { ...NO_ORIGIN, device: 'dev_1', artifact: 'art_1', run: 'run_1' };
  const of = [live, file];
  const counts = (rows: readonly MinuteRow[]) => {
    const { n, min, max } = resolveMinute(rows, of);
    const other = resolveMinute([...rows].reverse(), of);
    assert.deepEqual([other.n, other.min, other.max], [n, min, max], 'the order of the rows does not matter');
    return [n, min, max];
  };
  assert.deepEqual(counts([rowOf(0, 0, 60, 1, 5), rowOf(1, 0, 60, 10, 7)]), [600, 7, 7], 'the file has every value');
  assert.deepEqual(counts([rowOf(0, 0, 30, 1, 5), rowOf(1, 30, 60, 1, 7)]), [60, 5, 7], 'the file fills the outage');
  assert.deepEqual(counts([rowOf(0, 0, 60, 1, 5), rowOf(1, 0, 10, 1, 7)]), [60, 5, 5], 'the file repeats ten seconds');
  const twoUnits = [rowOf(0, 0, 60, 1, 5), rowOf(1, 0, 60, 1, 7)];
  const sum = resolveMinute(twoUnits, ORIGINS);
  assert.deepEqual([sum.n, sum.min, sum.max], [120, 5, 7], 'two origins of one stream add up');
});

test('[D198] a rollup keeps every row, with the last value to the second', async () => {
  await fc.assert(
    fc.asyncProperty(values, async (list) => {
      const series = collect(list);
      const bytes = await sealRollup(
        { minutes: [series], states: [], origins: ORIGINS, raw: [['1:0', '1:9']] },
        async () => {},
      );
      const opened = openRollup(bytes);
      assert.deepEqual(opened?.raw, [['1:0', '1:9']]);
      const at = series.at.map((one) => Math.floor(one / 1_000_000) * 1_000_000);
      assert.deepEqual(opened?.read(SIGNAL), { ...series, at });
    }),
    { numRuns: 200 },
  );
});

test('[D198] damaged bytes of a rollup give an error or a changed number, and no crash', async () => {
  const series = collect(Array.from({ length: 100 }, (_, i) => ({ at: i * 2_000_000, value: i, origin: 0 })));
  const bytes = await sealRollup({ minutes: [series], states: [], origins: ORIGINS, raw: [] }, async () => {});
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] as number) ^ flip;
      try {
        openRollup(damaged)?.read(SIGNAL);
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }),
    { numRuns: 1_000 },
  );
});
