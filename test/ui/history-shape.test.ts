import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { bandPath, csvOf, linePath, nearest, pointsOf, runsOf, timeAt } from '#ui/office/machines/history-shape.ts';

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
