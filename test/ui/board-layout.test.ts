/** The rules of the board editor: tiles on the grid, steps to undo, and the changes of another person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PlacedWidget } from '#contract/site/widget.ts';
import {
  type Board,
  change,
  dismiss,
  isChanged,
  MOST_STEPS,
  merge,
  metNow,
  rebase,
  redo,
  saved,
  startDraft,
  takeTheirs,
  undo,
} from '#ui/office/screens/drafts/board-draft.ts';
import {
  addTile,
  COLUMNS,
  isInside,
  MOST_TILES,
  moveBy,
  overlaps,
  type Placed,
  placeTile,
  ROWS,
  resizeBy,
  settled,
} from '#ui/office/screens/drafts/layout.ts';

const tile = (id: string, x: number, y: number, w: number, h: number): Placed => ({ id, position: { x, y, w, h } });
const at = (tiles: readonly Placed[] | undefined, id: string) => {
  const place = tiles?.find((one) => one.id === id)?.position;
  return place && [place.x, place.y, place.w, place.h];
};

function faults(tiles: readonly Placed[]): string[] {
  const outside = tiles.filter((one) => !isInside(one.position)).map(({ id }) => `${id} is outside`);
  const covered = tiles.flatMap((a, i) =>
    tiles.slice(i + 1).flatMap((b) => (overlaps(a.position, b.position) ? `${a.id} covers ${b.id}` : [])),
  );
  return [...outside, ...covered];
}

test('[U323] a tile that is put on others sends them to the nearest free places, and nowhere if there is no room', () => {
  const tiles = [tile('a', 0, 0, 3, 2), tile('b', 3, 0, 3, 2), tile('c', 6, 0, 6, 6)];
  const moved = placeTile(tiles, 'a', { x: 2, y: 0, w: 3, h: 2 });
  assert.deepEqual(
    [at(moved, 'a'), at(moved, 'b'), at(moved, 'c')],
    [
      [2, 0, 3, 2],
      [3, 2, 3, 2],
      [6, 0, 6, 6],
    ],
  );
  assert.equal(placeTile(tiles, 'a', { x: 10, y: 0, w: 3, h: 2 }), undefined, 'outside the grid');
  assert.equal(placeTile(tiles, 'c', { x: 1, y: 0, w: 11, h: 6 }), undefined, 'no room for the others');
  assert.deepEqual(tiles[0], tile('a', 0, 0, 3, 2), 'the tiles before are not changed');
});

test('[U323] on a full board a tile changes places with its neighbour, and stops at the edge', () => {
  const full = [tile('a', 0, 0, 6, 6), tile('b', 6, 0, 6, 6)];
  const moved = moveBy(full, 'a', 1, 0);
  assert.deepEqual(
    [at(moved, 'a'), at(moved, 'b')],
    [
      [6, 0, 6, 6],
      [0, 0, 6, 6],
    ],
  );
  assert.equal(moveBy(full, 'a', -1, 0), undefined);
  assert.equal(moveBy(full, 'a', 0, 1), undefined);
  assert.equal(resizeBy(full, 'a', 1, 0), undefined);
  assert.deepEqual(at(resizeBy(full, 'a', -2, 0), 'a'), [0, 0, 4, 6]);
  assert.equal(resizeBy([tile('a', 0, 0, 1, 1)], 'a', -1, 0), undefined, 'a tile has at least one cell');
});

test('[U323] a new tile takes the first free place, a smaller one, or a part of the largest tile', () => {
  const make = (position: Placed['position']) => ({ id: 'new', position });
  const add = (tiles: readonly Placed[]) => addTile(tiles, make, { w: 4, h: 3 }, { w: 2, h: 2 });
  assert.deepEqual(at(add([tile('a', 0, 0, 6, 6)]), 'new'), [6, 0, 4, 3]);
  assert.deepEqual(at(add([tile('a', 0, 0, 9, 6)]), 'new'), [9, 0, 3, 3]);
  const split = add([tile('a', 0, 0, 12, 6)]);
  assert.deepEqual(
    [at(split, 'a'), at(split, 'new')],
    [
      [0, 0, 8, 6],
      [8, 0, 4, 3],
    ],
  );
  // A smaller free place is better than a smaller part of another tile.
  const wide = addTile([tile('a', 0, 0, 6, 3)], make, { w: 8, h: 4 }, { w: 8, h: 4 });
  assert.deepEqual(
    [at(wide, 'a'), at(wide, 'new')],
    [
      [0, 0, 6, 3],
      [0, 3, 8, 3],
    ],
  );
  const many = Array.from({ length: MOST_TILES }, (_, i) => tile(`t${i}`, i % COLUMNS, Math.floor(i / COLUMNS), 1, 1));
  assert.equal(add(many), undefined);
});

test('[U323] whatever a person does, no tile covers another one, leaves the grid or is lost', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'move', 'size', 'drag'),
    of: fc.nat(MOST_TILES),
    x: fc.integer({ min: -3, max: 12 }),
    y: fc.integer({ min: -3, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let tiles: readonly Placed[] = [];
      for (const [i, { what, of, x, y }] of steps.entries()) {
        const id = tiles[of % Math.max(1, tiles.length)]?.id ?? '';
        const before = tiles.length;
        const place = tiles.find((one) => one.id === id)?.position;
        const sign = [Math.sign(x), x === 0 ? Math.sign(y) || 1 : 0] as const;
        const next =
          what === 'add'
            ? addTile(
                tiles,
                (position) => ({ id: `t${i}`, position }),
                { w: 1 + (of % 6), h: 1 + (of % 4) },
                { w: 1, h: 1 },
              )
            : what === 'move'
              ? moveBy(tiles, id, ...sign)
              : what === 'size'
                ? resizeBy(tiles, id, ...sign)
                : place && placeTile(tiles, id, { ...place, x, y });
        tiles = next ?? tiles;
        assert.deepEqual(faults(tiles), []);
        assert.equal(tiles.length, before + (what === 'add' && next !== undefined ? 1 : 0));
      }
    }),
    { numRuns: 150 },
  );
});

test('[U323] tiles from two people that cover each other find places, and none is lost', () => {
  const place = fc.record({
    x: fc.nat(11),
    y: fc.nat(5),
    w: fc.integer({ min: 1, max: 12 }),
    h: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(place, { maxLength: MOST_TILES }), (places) => {
      const tiles = settled(places.map((position, i) => ({ id: `t${i}`, position })));
      assert.deepEqual(faults(tiles), []);
      assert.equal(tiles.length, places.length);
    }),
    { numRuns: 150 },
  );
  assert.equal(ROWS * COLUMNS > MOST_TILES, true);
});

function widget(id: string, x: number, more: Partial<PlacedWidget> = {}): PlacedWidget {
  return {
    id,
    type: 'kpi',
    title: id,
    query: {},
    thresholds: [],
    params: {},
    position: { x, y: 0, w: 2, h: 2 },
    ...more,
  };
}
const board = (...widgets: readonly PlacedWidget[]): Board => ({
  name: 'Pit',
  description: '',
  theme: 'tv-dark',
  widgets,
});
const BASE = board(widget('a', 0), widget('b', 2));

test('[U326] each step is undone and done again; a typed text is one step, and at most 50 steps are kept', () => {
  let draft = startDraft({ revision: 1, board: BASE });
  draft = change(draft, { ...BASE, name: 'P' }, 'name');
  draft = change(draft, { ...BASE, name: 'Pi' }, 'name');
  draft = change(draft, { ...BASE, name: 'Pi', widgets: [] });
  assert.equal(draft.past.length, 2);
  const back = undo(undo(draft));
  assert.deepEqual(back.now, BASE);
  assert.equal(isChanged(back), false);
  assert.equal(undo(back), back);
  assert.deepEqual(redo(redo(back)).now, draft.now);
  assert.equal(redo(change(back, { ...BASE, name: 'X' })).now.name, 'X', 'a new change ends what can be done again');
  assert.equal(change(draft, draft.now), draft, 'no change is no step');
  for (let i = 0; i < MOST_STEPS + 9; i++) draft = change(draft, { ...BASE, name: `n${i}` });
  assert.equal(draft.past.length, MOST_STEPS);
});

test('[U327] what only one of two people changed is taken, and what both changed is reported and keeps the own value', () => {
  const mine = board(widget('a', 0, { title: 'mine' }), widget('b', 2), widget('c', 4));
  const theirs = { ...board(widget('a', 0, { title: 'theirs' }), widget('b', 2, { title: 'new' })), name: 'Wall' };
  const { board: joined, met } = merge(BASE, mine, theirs);
  assert.deepEqual(met, { both: ['a'], theirs: ['name', 'b'], kept: [], moved: [] });
  assert.deepEqual(
    joined.widgets.map(({ title }) => title),
    ['mine', 'new', 'c'],
  );
  assert.equal(joined.name, 'Wall');
});

test('[U327] a tile that one person removed and the other changed stays; two new tiles at one place both stay', () => {
  const removed = board(widget('b', 2));
  const changed = board(widget('a', 0, { title: 'changed' }), widget('b', 2));
  for (const [mine, theirs, list] of [
    [removed, changed, 'kept'],
    [changed, removed, 'both'],
  ] as const) {
    const { board: joined, met } = merge(BASE, mine, theirs);
    assert.deepEqual([met.both, met.kept], list === 'both' ? [['a'], []] : [[], ['a']]);
    assert.ok(joined.widgets.some(({ title }) => title === 'changed'));
  }
  assert.deepEqual(
    merge(BASE, removed, removed).board.widgets.map(({ id }) => id),
    ['b'],
  );
  const { board: joined, met } = merge(
    BASE,
    board(...BASE.widgets, widget('c', 4)),
    board(...BASE.widgets, widget('d', 4)),
  );
  assert.deepEqual(met.moved, ['d'], 'the page says which tile has another place now');
  assert.deepEqual(joined.widgets.map(({ id }) => id).sort(), ['a', 'b', 'c', 'd']);
  assert.deepEqual(faults(joined.widgets), []);
});

test('[U327] without own changes the page takes a newer board, in its order, and says nothing', () => {
  const saved = { ...startDraft({ revision: 1, board: BASE }), past: [{ board: board(), met: null }] };
  const theirs = board(widget('c', 4), widget('b', 2, { title: 'new' }), widget('a', 0));
  const met = rebase(saved, { revision: 2, board: theirs });
  assert.deepEqual([met.now, met.met, isChanged(met)], [theirs, null, false]);
});

test('[U327] no tile is lost if two people together have more tiles than a board may have', () => {
  const many = (name: string, from: number, count: number) =>
    Array.from({ length: count }, (_, i): PlacedWidget => {
      const at = from + i;
      return { ...widget(`${name}${i}`, 0), position: { x: at % COLUMNS, y: Math.floor(at / COLUMNS), w: 1, h: 1 } };
    });
  const { board: joined } = merge(board(), board(...many('mine', 0, 40)), board(...many('theirs', 20, 40)));
  assert.equal(joined.widgets.length, 80);
});

test('[U327] an undo after another person saved takes back only the own step', () => {
  const own = change(
    startDraft({ revision: 1, board: BASE }),
    board(widget('a', 0, { title: 'mine' }), widget('b', 2)),
  );
  const theirs = board(widget('a', 0), widget('b', 2, { title: 'theirs' }));
  const met = rebase(own, { revision: 2, board: theirs });
  assert.deepEqual([met.base.revision, met.met], [2, { both: [], theirs: ['b'], kept: [], moved: [] }]);
  assert.deepEqual(undo(met).now, theirs);
  const clash = rebase(own, { revision: 2, board: board(widget('a', 0, { title: 'other' }), widget('b', 2)) });
  assert.deepEqual(clash.met?.both, ['a']);
  const taken = takeTheirs(clash, 'a');
  assert.equal(taken.now.widgets.find(({ id }) => id === 'a')?.title, 'other');
  assert.equal(undo(taken).now.widgets.find(({ id }) => id === 'a')?.title, 'mine');
});

/** A draft in which this person and another one gave tile a another title. */
function clash() {
  const mine = change(
    startDraft({ revision: 1, board: BASE }),
    board(widget('a', 0, { title: 'mine' }), widget('b', 2)),
  );
  return rebase(mine, { revision: 2, board: board(widget('a', 0, { title: 'theirs' }), widget('b', 2)) });
}
const titleOfA = ({ now }: { now: Board }) => now.widgets.find(({ id }) => id === 'a')?.title;
const moveB = (one: Board): Board => ({ ...one, widgets: one.widgets.map((w) => (w.id === 'b' ? widget('b', 6) : w)) });

test('[U327] a note of what both changed ends with the conflict, and is back when a step brings the conflict back', () => {
  assert.deepEqual(metNow(clash())?.both, ['a']);
  // The person takes the value of the other person, goes on, and takes both steps back.
  const taken = takeTheirs(clash(), 'a');
  assert.deepEqual([titleOfA(taken), metNow(taken)], ['theirs', null]);
  const on = change(taken, moveB(taken.now));
  assert.equal(metNow(on), null);
  assert.deepEqual(metNow(undo(undo(on)))?.both, ['a']);
  // The person drops all changes, and changes something else.
  const dropped = change(clash(), clash().base.board);
  assert.equal(metNow(change(dropped, moveB(dropped.now))), null);
  assert.deepEqual(metNow(undo(dropped))?.both, ['a']);
  // An own value after the value of the other person was taken is no conflict.
  const retyped = change(taken, board(widget('a', 0, { title: 'new' }), widget('b', 2)));
  assert.equal(metNow(retyped), null);
});

test('[U327] an own value that an undo puts over the value of another person is named', () => {
  const mine = change(
    startDraft({ revision: 1, board: BASE }),
    board(widget('a', 0, { title: 'mine' }), widget('b', 2)),
  );
  const theirs = { revision: 2, board: board(widget('a', 0, { title: 'theirs' }), widget('b', 2)) };
  for (const [to, back] of [
    [(one: typeof mine) => change(one, BASE), undo],
    [undo, redo],
  ] as const) {
    const met = rebase(to(mine), theirs);
    assert.deepEqual([titleOfA(met), metNow(met)], ['theirs', null]);
    assert.deepEqual([titleOfA(back(met)), metNow(back(met))?.both], ['mine', ['a']]);
  }
});

test('[U327] a note that a person has read does not come back', () => {
  const read = dismiss(clash());
  assert.equal(metNow(read), null);
  const on = change(read, moveB(read.now));
  assert.equal(metNow(undo(on)), null);
  assert.equal(metNow(redo(undo(undo(on)))), null);
  const again = rebase(read, { revision: 3, board: board(widget('a', 0, { title: 'third' }), widget('b', 2)) });
  assert.deepEqual(metNow(again)?.both, ['a']);
});

test('[U327] edits made while a board is saved stay', () => {
  const sent = board(widget('a', 0, { title: 'sent' }), widget('b', 2));
  const draft = change(startDraft({ revision: 1, board: BASE }, sent), { ...sent, name: 'later' });
  const after = saved(draft, sent, { revision: 2, board: sent });
  assert.deepEqual([after.now.name, after.base.revision, isChanged(after)], ['later', 2, true]);
  assert.equal(
    isChanged(saved(startDraft({ revision: 1, board: BASE }, sent), sent, { revision: 2, board: sent })),
    false,
  );
});
