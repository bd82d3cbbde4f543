import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random as draw, streamOf } from '#domain/base/random.ts';
import { FENCE_STATE, Fence, fenceShape } from '#domain/watch/fence.ts';

const LON = 24.9;
const LAT = 60.2;
const NORTH = 1 / 111_195;
const EAST = NORTH / Math.cos((LAT * Math.PI) / 180);
const START = Date.parse('2026-11-21T08:00:00Z') * 1000;
const SECOND = 1_000_000;

/** The position at so many metres east and north of the corner of the fence. */
const at = (east: number, north: number): [number, number] => [LON + east * EAST, LAT + north * NORTH];
const ring = (...corners: [number, number][]) => [...corners, corners[0] as [number, number]];
/** A square of 200 m with a hole of 60 m in the middle. */
const PIT = fenceShape({
  type: 'Polygon',
  coordinates: [
    ring(at(0, 0), at(200, 0), at(200, 200), at(0, 200)),
    ring(at(70, 70), at(130, 70), at(130, 130), at(70, 130)),
  ],
});

/** Adds positions one second apart; returns the state after each. */
function drive(fence: Fence, path: readonly (readonly [east: number, north: number])[], from = START, every = SECOND) {
  return path.map(([east, north], i) => {
    const [lon, lat] = at(east, north);
    return fence.add(lat, lon, from + i * every);
  });
}
const stay = (east: number, north: number, seconds: number) =>
  Array.from({ length: seconds }, () => [east, north] as const);

test('[D272] three positions clearly inside or outside change the state, and an unknown position is not outside', () => {
  const { inside, outside, left } = FENCE_STATE;
  const fence = new Fence(PIT);
  assert.deepEqual(drive(fence, [[5, 5], [-14, 50], ...stay(-16, 50, 3)]), [null, null, null, null, outside]);
  assert.deepEqual(drive(fence, stay(40, 40, 3), START + 10 * SECOND), [outside, outside, inside]);
  // The hole of the polygon is outside, and so is a place far away.
  assert.deepEqual(drive(fence, stay(100, 100, 3), START + 20 * SECOND), [inside, inside, left]);
  assert.deepEqual(drive(fence, stay(40, 40, 3), START + 30 * SECOND), [left, left, inside]);
  assert.deepEqual(drive(fence, stay(90_000, 40, 3), START + 40 * SECOND), [inside, inside, left]);
});

test('[D272] positions within a second, and positions after a pause, do not count as three in a row', () => {
  const fast = new Fence(PIT);
  assert.ok(drive(fast, stay(40, 40, 20), START, SECOND / 10).every((state) => state === null));
  const paused = new Fence(PIT);
  assert.ok(drive(paused, stay(40, 40, 5), START, 400 * SECOND).every((state) => state === null));
});

test('[D272] a machine that stands at the fence changes nothing, whatever the error of its positions below 15 m', () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const stream = streamOf(seed);
    const fence = new Fence(PIT);
    const begins = seed % 2 === 0;
    drive(fence, stay(begins ? 40 : -40, 40, 3));
    const error = () => (draw(stream) - 0.5) * 29.9;
    const states = drive(
      fence,
      Array.from({ length: 300 }, () => [error(), 40 + error()] as const),
      START + 10 * SECOND,
    );
    const wanted = begins ? FENCE_STATE.inside : FENCE_STATE.outside;
    assert.ok(
      states.every((state) => state === wanted),
      `seed ${seed}`,
    );
  }
});

test('[D272] in a small fence half of its depth is enough, and a snapshot keeps the state of the same fence only', () => {
  const bay = fenceShape({ type: 'MultiPolygon', coordinates: [[ring(at(0, 0), at(20, 0), at(20, 12), at(0, 12))]] });
  assert.ok(bay.inner_m > 2.5 && bay.inner_m <= 3, `${bay.inner_m}`);
  const fence = new Fence(bay);
  assert.equal(drive(fence, stay(10, 6, 3)).at(-1), FENCE_STATE.inside);
  const saved = JSON.parse(JSON.stringify(fence.snapshot()));
  const again = new Fence(bay);
  again.restore(saved);
  assert.equal(drive(again, stay(10, 100, 3)).at(-1), FENCE_STATE.left);
  const other = new Fence(PIT);
  other.restore(saved);
  assert.equal(drive(other, stay(-40, 40, 3)).at(-1), FENCE_STATE.outside);
});
