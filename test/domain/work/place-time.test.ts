import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeStretches } from '#domain/work/place-time.ts';

/** Metres in one degree at the equator, where the test site is. */
const DEGREE_M = 111_195;
const MINUTE_MS = 60_000;

/** A square geofence with its centre `east` metres east of the origin. */
function square(id: string, east: number, half: number) {
  const corner = (x: number, y: number): [number, number] => [(east + x) / DEGREE_M, y / DEGREE_M];
  const ring = [
    corner(-half, -half),
    corner(half, -half),
    corner(half, half),
    corner(-half, half),
    corner(-half, -half),
  ];
  return { id, name: `Place ${id}`, geofence: { type: 'Polygon' as const, coordinates: [ring] } };
}

/** A position each minute, at these metres east of the origin; undefined: no position. */
const drive = (easts: readonly (number | undefined)[]) =>
  easts.flatMap((east, minute) =>
    east === undefined ? [] : [{ at_ms: minute * MINUTE_MS, lat: 0, lon: east / DEGREE_M }],
  );

const minutes = (found: ReturnType<typeof placeStretches>) =>
  found.map(({ from_ms, to_ms, place }) => [from_ms / MINUTE_MS, to_ms / MINUTE_MS, place?.id ?? null]);

const PLACES = [square('pit', 0, 500), square('bench', 300, 60), { id: 'old', name: 'Old', geofence: null }];
const GAP_MS = 2 * MINUTE_MS;

test('[V31] a machine is at the smallest location around its position, and at none outside of all', () => {
  const found = placeStretches(drive([0, 0, 300, 300, 0, 900, 900]), PLACES, GAP_MS, 7 * MINUTE_MS);
  assert.deepEqual(minutes(found), [
    [0, 2, 'pit'],
    [2, 4, 'bench'],
    [4, 5, 'pit'],
    [5, 7, null],
  ]);
  assert.equal(found[1]?.place?.name, 'Place bench');
});

test('[V31] a position near a fence does not move the machine to another location', () => {
  // The fence of the pit is 500 m east; 495 m and 505 m are within the errors of GNSS.
  const found = placeStretches(drive([400, 495, 505, 495, 400]), [square('pit', 0, 500)], GAP_MS, 5 * MINUTE_MS);
  assert.deepEqual(minutes(found), [[0, 5, 'pit']]);
});

test('[V31] the location is not known before the first position and after two missing ones', () => {
  const found = placeStretches(
    drive([undefined, 0, 0, undefined, undefined, undefined, 0]),
    PLACES,
    GAP_MS,
    20 * MINUTE_MS,
  );
  assert.deepEqual(minutes(found), [
    [1, 4, 'pit'],
    [6, 8, 'pit'],
  ]);
  assert.deepEqual(placeStretches(drive([0, 0]), [], GAP_MS, 2 * MINUTE_MS), []);
});
