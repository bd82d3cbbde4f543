import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, areaText, fitView, isInside, offsetWords, toCorner, toPixel, zoom } from '#ui/office/map/map-view.ts';
import {
  addCorner,
  at,
  beginDrag,
  type Corner,
  cornersOf,
  crossesItself,
  dragCorner,
  EMPTY,
  geofenceOf,
  MOST_CORNERS,
  MOST_UNDO,
  moveCorner,
  problemOf,
  removeCorner,
  splitLine,
  undo,
  type ZoneDraft,
} from '#ui/office/map/zone-draft.ts';

const SQUARE: readonly Corner[] = [at(0, 0), at(0.01, 0), at(0.01, 0.01), at(0, 0.01)];
const drawn = SQUARE.reduce<ZoneDraft>((draft, corner) => addCorner(draft, corner), EMPTY);

test('[U44] a person adds, moves, inserts and removes corners, and undoes each step; a drag is one step', () => {
  assert.deepEqual(drawn.corners, SQUARE);
  const split = splitLine(drawn, 3);
  assert.deepEqual(split.corners.at(-1), [0, 0.005]);
  const dragged = dragCorner(dragCorner(beginDrag(split), 4, at(-0.001, 0.004)), 4, at(-0.002, 0.005));
  assert.deepEqual(dragged.corners[4], [-0.002, 0.005]);
  assert.deepEqual(undo(dragged).corners, split.corners);
  assert.deepEqual(undo(undo(dragged)).corners, SQUARE);
  assert.deepEqual(removeCorner(drawn, 0).corners.length, 3);
  assert.deepEqual(undo(moveCorner(drawn, 0, at(1, 1))).corners, SQUARE);
  assert.equal(undo(EMPTY), EMPTY);
});

test('[U44] a draft has at most 200 corners and 50 steps to undo', () => {
  let draft: ZoneDraft = EMPTY;
  for (let i = 0; i < MOST_CORNERS + 5; i++) draft = addCorner(draft, at(i / 1000, 0));
  assert.equal(draft.corners.length, MOST_CORNERS);
  assert.equal(splitLine(draft, 0), draft);
  assert.equal(draft.past.length, MOST_UNDO);
});

test('[U44] an outline needs three corners, and its lines may not cross', () => {
  assert.match(problemOf(SQUARE.slice(0, 2)) ?? '', /at least three/);
  assert.equal(problemOf(SQUARE), null);
  const bow = [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]] as Corner[];
  assert.ok(crossesItself(bow));
  assert.match(problemOf(bow) ?? '', /cross each other/);
});

test('[U44] an outline becomes a closed ring of GeoJSON and back; several parts and holes are not for this page', () => {
  const fence = geofenceOf(SQUARE);
  assert.deepEqual(fence.type === 'Polygon' && fence.coordinates[0]?.at(-1), [0, 0]);
  assert.deepEqual(cornersOf(fence), SQUARE);
  assert.deepEqual(cornersOf(null), []);
  const ring = fence.type === 'Polygon' ? fence.coordinates : [];
  assert.equal(cornersOf({ type: 'Polygon', coordinates: [...ring, ...ring] }), undefined);
  assert.equal(cornersOf({ type: 'MultiPolygon', coordinates: [ring] }), undefined);
});

test('[U43] the view shows all points, and zooming keeps the point under the pointer', () => {
  const view = fitView(SQUARE, 800, 600);
  for (const corner of SQUARE) {
    const [x, y] = toPixel(view, corner);
    assert.ok(x > 0 && x < 800 && y > 0 && y < 600, `${x} ${y}`);
    const back = toCorner(view, [x, y]);
    assert.ok(Math.abs(back[0] - corner[0]) < 1e-9 && Math.abs(back[1] - corner[1]) < 1e-9);
  }
  const under = toCorner(view, [100, 500]);
  const nearer = toPixel(zoom(view, 2, [100, 500]), under);
  assert.ok(Math.abs(nearer[0] - 100) < 1e-6 && Math.abs(nearer[1] - 500) < 1e-6);
});

test('[U43] distances and areas are in metres, and a point is inside or outside', () => {
  assert.equal(offsetWords(at(0.001, -0.002), at(0, 0)), '111 m east, 222 m south');
  assert.equal(areaText(areaOf(SQUARE)), '1.2 km²');
  assert.equal(areaText(4_200), '4 200 m²');
  assert.ok(isInside(SQUARE, at(0.005, 0.005)));
  assert.ok(!isInside(SQUARE, at(0.02, 0.005)));
});
