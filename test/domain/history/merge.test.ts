import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeSegments } from '#domain/history/merge.ts';
import { NO_ORIGIN } from '#domain/history/origins.ts';
import { joinRanges } from '#domain/history/raw-ranges.ts';
import { encodeSegment, type OpenSegment, openSegment } from '#domain/history/segment.ts';

const breathe = async () => {};
const RANGE = { from: 100, to: 160 };

/** A segment with one signal, whose device names its place in the list. */
const segmentOf = (device: string, samples: readonly (readonly [t: number, v: number])[]): OpenSegment => {
  const sorted = [...new Map(samples)].sort(([a], [b]) => a - b);
  const series = { signal: 'engine.load' as const, t: sorted.map(([t]) => t), v: sorted.map(([, v]) => v) };
  const origins = [{ ...NO_ORIGIN, device }];
  const bytes = encodeSegment({ series: [{ ...series, o: sorted.map(() => 0) }], origins, raw: [] });
  return openSegment(bytes) as OpenSegment;
};

test('[D192] a merged segment has each second of the range once, from the first segment that has it, with its origin', async () => {
  const samples = fc.array(fc.tuple(fc.integer({ min: 90, max: 170 }), fc.integer({ min: 0, max: 100 })), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(samples, { maxLength: 5 }), async (lists) => {
      const segments = lists.map((list, i) => segmentOf(`dev_${i}`, list));
      const merged = await mergeSegments(segments, RANGE, breathe);
      const wanted = new Map<number, readonly [v: number, device: string]>();
      for (const [i, list] of lists.entries())
        for (const [t, v] of new Map(list))
          if (t >= RANGE.from && t < RANGE.to && !wanted.has(t)) wanted.set(t, [v, `dev_${i}`]);
      const [series] = merged.series;
      const found = (series?.t ?? []).map((t, i) => [
        t,
        [series?.v[i], merged.origins[series?.o[i] as number]?.device],
      ]);
      assert.deepEqual(
        found,
        [...wanted].sort(([a], [b]) => a - b),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('[D193] ranges of the journal are joined in order, cover all of them, and are at most 32', () => {
  const place = fc.tuple(fc.nat(200), fc.nat(1_000));
  const position = ([segment, offset]: readonly number[]) => (segment as number) * 2_000 + (offset as number);
  const parse = (text: string) => position(text.split(':').map(Number));
  fc.assert(
    fc.property(fc.array(fc.tuple(place, place), { maxLength: 80 }), (list) => {
      const ranges = list.map(([a, b]) => (position(a) <= position(b) ? [a, b] : [b, a]).map((one) => one.join(':')));
      const joined = joinRanges(ranges as [string, string][]);
      assert.ok(joined.length <= 32);
      for (let i = 1; i < joined.length; i++) assert.ok(parse(joined[i]?.[0] ?? '') > parse(joined[i - 1]?.[1] ?? ''));
      for (const [from, to] of ranges as [string, string][])
        assert.ok(joined.some((one) => parse(one[0]) <= parse(from) && parse(one[1]) >= parse(to)));
    }),
  );
  assert.deepEqual(
    joinRanges([
      ['3:10', '3:20'],
      ['9:0', '9:5'],
      ['4:0', '4:9'],
    ]),
    [
      ['3:10', '4:9'],
      ['9:0', '9:5'],
    ],
  );
});
