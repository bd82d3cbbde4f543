import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { bandPath, csvOf, linePath, nearest, pointsOf, runsOf, timeAt } from '#ui/office/machines/history-shape.ts';
import { correctedWords, stateWords } from '#ui/office/machines/history-words.ts';
import { codeTimes, textPlaces } from '#ui/office/machines/story-parts.ts';

const BASE: TelemetrySeries = {
  signal: 'engine.speed',
  label: 'Engine speed',
  unit: 'rpm',
  samples: 3,
  lowest: null,
  highest: null,
  latest_before: null,
  stale_after_s: 60,
  gaps: [],
  gaps_total: 0,
  corrected: [],
  states: [],
  states_total: 0,
  t: [],
};
const STEPS: TelemetrySeries = {
  ...BASE,
  t: [0, 60_000, 300_000],
  min: [1, 2, 3],
  max: [5, 6, 7],
  mean: [3, 4, 5],
  last: [2, 5, 6],
  count: [60, 60, 1],
};
const FRAME = { width: 300, height: 100, from: 0, to: 300_000, least: 0, most: 10 };

test('[U94] a point of a step has its lowest, mean and highest value, a sample the same value three times', () => {
  assert.deepEqual(pointsOf(STEPS)[1], { t: 60_000, low: 2, mean: 4, high: 6 });
  assert.deepEqual(pointsOf({ ...BASE, t: [1_000], value: [9] }), [{ t: 1_000, low: 9, mean: 9, high: 9 }]);
});

test('[U94] a line ends at a gap and begins again after it', () => {
  const runs = runsOf(pointsOf(STEPS), 120_000);
  assert.deepEqual(
    runs.map((run) => run.map(({ t }) => t)),
    [[0, 60_000], [300_000]],
  );
  assert.equal(linePath(FRAME, runs[0] ?? []), 'M0.0 70.0L60.0 60.0');
  assert.equal(linePath(FRAME, runs[1] ?? []), 'M300.0 50.0h2', 'one point is a short line');
  assert.equal(bandPath(FRAME, runs[0] ?? []), 'M0.0 50.0L60.0 40.0L60.0 80.0L0.0 90.0Z');
  assert.deepEqual([bandPath(FRAME, runs[1] ?? []), linePath(FRAME, [])], ['', '']);
});

test('[U94] the pointer selects the nearest point, and its position gives a time inside the range', () => {
  const points = pointsOf(STEPS);
  assert.deepEqual(
    [-5, 29_000, 31_000, 200_000, 9e9].map((t) => nearest(points, t)?.t),
    [0, 0, 60_000, 300_000, 300_000],
  );
  assert.equal(nearest([], 1), undefined);
  assert.deepEqual([timeAt(FRAME, -20), timeAt(FRAME, 150), timeAt(FRAME, 900)], [0, 150_000, 300_000]);
});

test('[U94] a CSV file has one row for each step, or for each sample', () => {
  assert.equal(
    csvOf({ ...STEPS, t: [0], min: [1], max: [5], mean: [3], last: [2], count: [60] }),
    'step_start,min,max,mean,last,samples\r\n1970-01-01T00:00:00.000Z,1,5,3,2,60\r\n',
  );
  assert.equal(csvOf({ ...BASE, t: [1_500], value: [9.5] }), 'time,value\r\n1970-01-01T00:00:01.500Z,9.5\r\n');
});

test('[U101] the words under the chart say how many values have corrected times, by how much and by which clock', () => {
  const row = {
    clock: 'gnss',
    from: 0,
    to: 1,
    values: 1_845,
    least_ms: -8_628,
    most_ms: -7_878,
    uncertainty_ms: 500,
  } as const;
  assert.equal(
    correctedWords(row),
    '1,845 values have corrected times: the clock of the logger was 7.9 s to 8.6 s ahead of GNSS time. The corrected times are exact to 0.5 s.',
  );
  const unit = {
    ...row,
    clock: 'j1939',
    values: 1,
    least_ms: 7_200_000,
    most_ms: 7_200_000,
    uncertainty_ms: 2_000,
  } as const;
  assert.equal(
    correctedWords(unit),
    '1 value has a corrected time: the clock of the logger was 2 h behind the clock of a control unit (J1939 PGN 65254). The corrected times are exact to 2 s.',
  );
});

test('[U94] a sentence names each state that a control unit reported instead of values', () => {
  const states = [
    { state: 'error' as const, from: 60_000, to: 119_000 },
    { state: 'error' as const, from: 300_000, to: 359_000 },
    { state: 'unavailable' as const, from: 400_000, to: 400_000 },
  ];
  const when = (t: number) => `${t / 1_000} s`;
  assert.deepEqual(stateWords({ states: [], states_total: 0 }, when), []);
  const words = stateWords({ states, states_total: 5 }, when);
  assert.match(words[0] ?? '', /reported "error" instead of a value 2 times, 2 min in all, from 60 s to 359 s/);
  assert.match(words[1] ?? '', /reported "not available" instead of a value once/);
  assert.match(words[2] ?? '', /2 more/);
});

/** The part of the axis that a text takes, in percent. */
function partOf({ left, right, maxWidth }: { left?: string; right?: string; maxWidth: string }): [number, number] {
  const most = Number.parseFloat(maxWidth);
  const from = left === undefined ? 100 - Number.parseFloat(right ?? '') - most : Number.parseFloat(left);
  return [from, from + most];
}

test('[U364] a text on the axis of a story ends inside its row, wherever it begins', () => {
  for (let left = 0; left <= 100; left++) {
    const [place] = textPlaces([left]);
    assert.ok(place != null, `at ${left} %`);
    const [from, to] = partOf(place);
    assert.ok(from >= 0 && to <= 100, `at ${left} %`);
  }
});

test('[U364] no text on the axis of a story covers another', () => {
  for (let step = 1; step <= 60; step++)
    for (const turned of [false, true]) {
      const lefts = Array.from({ length: Math.floor(100 / step) + 1 }, (_, i) => i * step);
      const places = textPlaces(turned ? lefts.reverse() : lefts).filter((place) => place !== null);
      assert.ok(places.length > 0, `every ${step} %`);
      const parts = places.map(partOf).sort(([a], [b]) => a - b);
      for (let i = 1; i < parts.length; i++)
        assert.ok((parts[i - 1]?.[1] ?? 0) <= (parts[i]?.[0] ?? 0) + 1e-9, `every ${step} %, ${JSON.stringify(parts)}`);
    }
});

test('[U466] each trouble code of a story is one item, from first to last seen; active ones are first', () => {
  const at = (hour: number) => `2026-11-28T${String(hour).padStart(2, '0')}:00:00.000Z`;
  const code = (spn: number, since: number | null, until: number | null) => ({
    spn,
    fmi: 15,
    text: `SPN ${spn}`,
    since: since === null ? null : at(since),
    until: until === null ? null : at(until),
  });
  const found = codeTimes([code(107, null, 6), code(110, 5, 7), code(107, 8, 9), code(100, 4, 5), code(110, 9, null)]);
  assert.deepEqual(
    found.map(({ spn, since, until, times }) => [spn, since, until, times.length]),
    [
      [110, at(5), null, 2],
      [107, null, at(9), 2],
      [100, at(4), at(5), 1],
    ],
  );
  assert.deepEqual(codeTimes([]), []);
});
