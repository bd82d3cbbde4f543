/** Sizes, grids, texts, scales and map layout of the TV. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clock, duration, moment, shortDuration } from '#ui/format.ts';
import { gridFor, pagesOf, rowsOf, tileFor, widgetSize } from '#ui/tiles/grid.ts';
import { fitMap, metres, nearest, placeNames, roundMetres, spreadSpots } from '#ui/tiles/map-drawing.ts';
import { textWidth } from '#ui/tiles/measure.ts';
import { cut, lines } from '#ui/tiles/text-fit.ts';
import { extent, lastPoint, spread, timeTicks, valueTicks, zoneOffset } from '#ui/tiles/trend-scale.ts';
import { compareUnits } from '#ui/tiles/unit-order.ts';
import { drift, geometry, scaleFrom } from '#ui/tv/geometry.ts';
import { board, machine, NOW } from './kit.ts';

const wall = geometry(1920, 1080, 1).board;

test('[U9] one u is 1 % of the height of a 16:9 picture, and the board has the same size in u at 720p, 1080p and 4K', () => {
  for (const [w, h] of [
    [1280, 720],
    [1920, 1080],
    [3840, 2160],
  ] as const) {
    const { u, board: size } = geometry(w, h, 1);
    assert.equal(u, h / 100);
    assert.ok(Math.abs(size.w - wall.w) < 1e-9 && Math.abs(size.h - wall.h) < 1e-9);
  }
});

test('[U9] scaleFrom limits the scale to 0.75 to 1.6, and returns 1 for invalid text', () => {
  assert.equal(scaleFrom('?scale=9'), 1.6);
  assert.equal(scaleFrom('?scale=0.1'), 0.75);
  assert.equal(scaleFrom('?scale=1.2'), 1.2);
  for (const odd of ['', '?scale=', '?scale=big', '?scale=-1']) assert.equal(scaleFrom(odd), 1);
});

test('[U10] 15 machines get full tiles, 20 get compact tiles, and more get several pages', () => {
  const area = widgetSize({ w: 9, h: 6 }, wall);
  assert.deepEqual(gridFor(15, area), { kind: 'full', columns: 5, rows: 3, pages: 1 });
  assert.deepEqual(gridFor(12, area), { kind: 'full', columns: 4, rows: 3, pages: 1 });
  assert.equal(gridFor(20, area).kind, 'compact');
  assert.equal(gridFor(20, area).pages, 1);
  assert.equal(gridFor(24, widgetSize({ w: 12, h: 6 }, wall)).pages, 1);
  assert.ok(gridFor(60, area).pages > 1);
});

test('[U10] every machine has a tile of at least the minimum size, for any number and area', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 2, max: 12 }),
      fc.integer({ min: 2, max: 6 }),
      (n, w, h) => {
        const area = widgetSize({ w, h }, wall);
        const grid = gridFor(n, area);
        const each = Math.ceil(n / grid.pages);
        assert.ok(grid.columns * grid.rows >= each);
        const least = grid.kind === 'full' ? { w: 24, h: 21 } : { w: 20, h: 13.5 };
        const { size: tile, larger } = tileFor(grid, area);
        assert.ok(larger >= 1);
        assert.ok(tile.w * grid.columns + 1.6 * (grid.columns - 1) <= area.w + 1e-6);
        assert.ok(tile.h * grid.rows + 1.6 * (grid.rows - 1) <= area.h + 1e-6);
        assert.ok(tile.w >= Math.min(least.w, area.w) - 1e-9 && tile.h >= Math.min(least.h, area.h) - 1e-9);
        assert.ok(each <= (grid.kind === 'full' ? 15 : 24));
      },
    ),
  );
});

test('[U14] a board has the pages of its longest status board', () => {
  const many = Array.from({ length: 60 }, (_, i) => machine({ id: `eq_${i}` }));
  assert.ok(pagesOf(board({ type: 'status_board', machines: many }), wall) >= 3);
  assert.equal(pagesOf(board({ type: 'text', text: 'x' }), wall), 1);
});

test('[U16] the picture shifts by at most 0.6 u and returns', () => {
  for (let minute = 0; minute < 64; minute += 1) {
    const { x, y } = drift(minute);
    assert.ok(Math.abs(x) <= 0.6 && Math.abs(y) <= 0.6);
  }
  assert.deepEqual(drift(3), drift(19));
  assert.notDeepEqual(drift(3), drift(4));
});

test('duration formats all ranges, and negative values as zero', () => {
  const rows: [number, string, string][] = [
    [-5_000, '0 s', '0s'],
    [6_400, '6 s', '6s'],
    [18 * 60_000, '18 min', '18m'],
    [112 * 60_000, '1 h 52', '1h'],
    [2 * 3_600_000, '2 h', '2h'],
    [76 * 3_600_000, '3 d 4 h', '3d'],
    [40 * 86_400_000, '40 d', '40d'],
    [1_100 * 86_400_000, '3 y', '1100d'],
  ];
  for (const [ms, long, short] of rows) {
    assert.equal(duration(ms), long);
    assert.equal(shortDuration(ms), short);
  }
});

test('clock uses the zone of the site, and UTC for an unknown zone', () => {
  assert.equal(clock(NOW, 'Europe/Berlin'), '14:00');
  assert.equal(clock(NOW, 'Australia/Perth'), '20:00');
  assert.equal(clock(NOW, 'Mars/Olympus'), '12:00');
  assert.equal(moment(NOW - 86_400_000, NOW, 'UTC'), '3 May 12:00');
  assert.equal(moment(NOW, NOW, 'UTC'), '12:00');
});

test('[U11] timeTicks are at full times of the site, also in half-hour zones', () => {
  assert.equal(zoneOffset(NOW, 'Asia/Kolkata'), 19_800);
  assert.equal(zoneOffset(NOW, 'America/New_York'), -14_400);
  const ticks = timeTicks(NOW / 1000 - 3_600, NOW / 1000, 4, 'Asia/Kolkata');
  assert.ok(ticks.length >= 2 && ticks.length <= 5);
  for (const t of ticks) assert.match(clock(t * 1000, 'Asia/Kolkata'), /:(00|15|30|45)$/);
});

test('[U11] valueTicks are round, ascending and cover the range', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.integer({ min: 2, max: 6 }),
      (low, span, most) => {
        const ticks = valueTicks(low, low + span, most);
        assert.ok(ticks.length >= 2 && ticks.length <= most + 3, `${ticks}`);
        assert.ok((ticks[0] ?? 0) <= low + (1 + Math.abs(low)) * 1e-9);
        assert.ok((ticks[ticks.length - 1] ?? 0) >= low + span - (1 + Math.abs(low + span)) * 1e-9);
        ticks.forEach((t, i) => {
          if (i > 0) assert.ok(t > (ticks[i - 1] ?? 0));
        });
      },
    ),
  );
});

test('[U11] spread keeps labels apart and inside', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -100, max: 500 }), { minLength: 1, maxLength: 4 }), (wanted) => {
      const placed = spread(wanted, 80, 400).sort((a, b) => a - b);
      placed.forEach((y, i) => {
        assert.ok(y >= 0 && y <= 320, `${placed}`);
        if (i > 0) assert.ok(y - (placed[i - 1] ?? 0) >= 80);
      });
    }),
  );
});

test('[U11] lastPoint skips a gap at the end of a line', () => {
  const line = { key: 'a', label: '', unit: '', freshness: 'fresh' as const, t: [1, 2, 3, 4], v: [5, 7, null, null] };
  assert.deepEqual(lastPoint(line), { t: 2, v: 7 });
  assert.deepEqual(extent([line], 2), [7, 7]);
  assert.equal(extent([line], 3), null);
});

test('compareUnits sorts numbers inside unit numbers by value', () => {
  const units = ['ht-2', 'HT-10', 'EX-1', 'HT-1', 'HT', '7', '12', 'HT-1A'];
  assert.deepEqual([...units].sort(compareUnits), ['7', '12', 'EX-1', 'HT', 'HT-1', 'HT-1A', 'ht-2', 'HT-10']);
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => Math.sign(compareUnits(a, b)) === -Math.sign(compareUnits(b, a))),
  );
});

test('[U26] a list has the number of pages that its rows need', () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({ ...machine({ id: `eq_${i}` }), values: [] }));
  const pages = pagesOf(board({ type: 'machine_list', list: { columns: [], rows } }), wall);
  assert.equal(pages, Math.ceil(40 / rowsOf(widgetSize({ w: 12, h: 6 }, wall), false)));
  assert.ok(pages > 1);
  assert.equal(rowsOf({ w: 10, h: 3 }, true), 1);
});

test('[U26] placeNames covers no name, machine or edge, and places earlier names first', () => {
  const area = { w: 1_000, h: 500 };
  const wish = fc.record({
    x: fc.integer({ min: 20, max: 980 }),
    y: fc.integer({ min: 20, max: 480 }),
    w: fc.integer({ min: 20, max: 200 }),
    h: fc.constant(30),
  });
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 20 }), (wishes) => {
      const placed = placeNames(wishes, [], area, 12);
      const boxes = placed.filter((box) => box !== null);
      for (const [i, a] of boxes.entries()) {
        assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.w <= area.w && a.y + a.h <= area.h);
        for (const b of boxes.slice(i + 1))
          assert.ok(a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h);
        for (const { x, y } of wishes)
          assert.ok(x + 12 <= a.x || x - 12 >= a.x + a.w || y + 12 <= a.y || y - 12 >= a.y + a.h);
      }
    }),
  );
  const alone = placeNames([{ x: 500, y: 250, w: 100, h: 30 }], [], area, 12);
  assert.deepEqual(alone, [{ x: 512, y: 235, w: 100, h: 30, line: false }]);
  const held = placeNames([{ x: 500, y: 250, w: 100, h: 30 }], [{ x: 0, y: 0, w: 1_000, h: 500 }], area, 12);
  assert.deepEqual(held, [null]);
});

/** Forty machines on a tenth of the width of a map. */
const CROWD = Array.from({ length: 40 }, (_, i) => ({ x: 800 + ((i * 37) % 160), y: 330 + ((i * 53) % 120) }));
const MAP = { w: 1_823, h: 749 };

test('[U33] spreadSpots separates marks, keeps the first ones in place and moves others only a little', () => {
  const spot = fc.record({ x: fc.integer({ min: 40, max: 1_780 }), y: fc.integer({ min: 40, max: 700 }) });
  const check = (homes: readonly { x: number; y: number }[]) => {
    const moved = spreadSpots(homes, 45, 35, MAP);
    assert.deepEqual([moved[0]?.x, moved[0]?.y], [homes[0]?.x, homes[0]?.y]);
    for (const [i, a] of moved.entries()) {
      assert.ok(Math.hypot(a.x - (homes[i]?.x ?? 0), a.y - (homes[i]?.y ?? 0)) < 45 * 6);
      for (const b of moved.slice(i + 1)) assert.ok(Math.hypot(a.x - b.x, a.y - b.y) >= 45 - 1e-6);
    }
  };
  fc.assert(fc.property(fc.array(spot, { minLength: 1, maxLength: 40 }), check));
  check(CROWD);
  check(Array.from({ length: 40 }, () => ({ x: 900, y: 350 })));
});

test('[U33] most of forty machines in one place get a name, and no line crosses a name', () => {
  const spots = spreadSpots(CROWD, 45, 35, MAP);
  const names = placeNames(
    spots.map(({ x, y }) => ({ x, y, w: 133, h: 50 })),
    [],
    MAP,
    35,
  );
  const placed = names.filter((name) => name !== null);
  assert.ok(placed.length >= 25, `${placed.length}`);
  for (const [i, name] of names.entries()) {
    const from = spots[i];
    if (name === null || from === undefined || !name.line) continue;
    const [x, y] = nearest(name, [from.x, from.y]);
    for (const other of placed) {
      if (other === name) continue;
      for (let k = 0; k <= 50; k += 1) {
        const [px, py] = [from.x + ((x - from.x) * k) / 50, from.y + ((y - from.y) * k) / 50];
        const through =
          px > other.x + 0.01 && px < other.x + other.w - 0.01 && py > other.y + 0.01 && py < other.y + other.h - 0.01;
        assert.ok(!through, 'a line runs through a name');
      }
    }
  }
});

test('[U26] fitMap centres a map without distortion, and the scale bar is a round distance', () => {
  const { scale, left, top } = fitMap({ left: -100, right: 100, bottom: 0, top: 100 }, 400, 400);
  assert.deepEqual([scale, -100 * scale + left, top - 100 * scale, top], [2, 0, 100, 300]);
  assert.deepEqual([7, 49, 50, 199, 3_000].map(roundMetres), [5, 20, 50, 100, 2_000]);
  assert.deepEqual([metres(500), metres(2_000)], ['500 m', '2 km']);
});

test('[U26] cut adds an ellipsis, and lines breaks between words', () => {
  assert.equal(cut('Brake', 3.7, 400, 100), 'Brake');
  fc.assert(
    fc.property(
      fc.lorem({ maxCount: 8 }),
      fc.integer({ min: 8, max: 80 }),
      fc.integer({ min: 1, max: 4 }),
      (text, width, most) => {
        const out = lines(text, 3.7, 400, width, most);
        assert.ok(out.length <= most);
        for (const line of out) assert.ok(textWidth(line, 3.7, 400) <= width, line);
        if (!out.join('').includes('…')) assert.equal(out.filter((line) => line !== '').join(' '), text);
      },
    ),
  );
});
