/** Sizes, grids, texts, scales and map layout of the TV. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MachineTile, WidgetData } from '#contract/site/live.ts';
import { NO_TIME } from '#domain/work/shift-tally.ts';
import { clock, duration, exactDuration, moment, shortDuration } from '#ui/format.ts';
import { textWidth } from '#ui/text/measure.ts';
import { cut, lines } from '#ui/text/text-fit.ts';
import { compareUnits } from '#ui/text/unit-order.ts';
import { pagesOf, rowsOf, shiftPages, widgetSize } from '#ui/tiles/grid.ts';
import { fitMap, nearest, placeNames, scaleBar, spreadSpots } from '#ui/tiles/map-drawing.ts';
import { extent, lastPoint, spread, timeTicks, trendPath, valueTicks, zoneOffset } from '#ui/tiles/trend-scale.ts';
import { BAND, cellsOf, partsOf, seated, wallLayout } from '#ui/tiles/wall-layout.ts';
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

/** Machines with the unit numbers HT-01, HT-02 and so on; the first `troubled` of them are in trouble. */
const fleet = (count: number, troubled = 0, type = 'HT') =>
  Array.from({ length: count }, (_, i) =>
    machine({
      id: `eq_${i}`,
      unit_number: `${type}-${String(i + 1).padStart(2, '0')}`,
      seat: i,
      ...(i < troubled && { attention: { score: 70, place: i + 1 } }),
    }),
  );

test('[U10] 12 machines get large cells, 40 medium and 120 small, all on one page, with trouble above them', () => {
  const whole = widgetSize({ w: 12, h: 6 }, wall);
  for (const [count, kind] of [
    [12, 'large'],
    [40, 'medium'],
    [120, 'small'],
  ] as const) {
    const layout = wallLayout(fleet(count, 5), 5, whole);
    assert.deepEqual([layout.kind, layout.pages], [kind, 1], `${count}`);
    assert.ok(layout.top >= 34 && layout.rows >= 3);
  }
  assert.ok(wallLayout(fleet(500, 5), 5, whole).pages > 1);
  assert.equal(wallLayout(fleet(12), 0, widgetSize({ w: 4, h: 3 }, wall)).top, 0);
});

test('[U10] machines with long names get no small cells, but several pages', () => {
  const whole = widgetSize({ w: 12, h: 6 }, wall);
  const layout = wallLayout(fleet(120, 5, 'Excavator'), 5, whole);
  assert.equal(layout.kind, 'medium');
  assert.ok(layout.pages > 1);
});

test('[U10] in any area all cells fit, and all machines have a cell on one of the pages', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 400 }),
      fc.nat(12),
      fc.integer({ min: 2, max: 12 }),
      fc.integer({ min: 2, max: 6 }),
      (n, some, w, h) => {
        const area = widgetSize({ w, h }, wall);
        const troubled = Math.min(n, some);
        const machines = fleet(n, troubled);
        const { kind, pages, each, columns, cell, top, rows, larger } = wallLayout(machines, troubled, area);
        const cells = cellsOf(machines, kind);
        assert.ok(pages * each >= cells.length && (pages - 1) * each < cells.length);
        assert.deepEqual(
          cells.filter((one) => typeof one !== 'string'),
          machines,
        );
        assert.ok(larger >= 1 && columns >= 1);
        if (w >= 3 && h >= 2) {
          assert.ok(columns * (cell.w + 0.6) - 0.6 <= area.w - 2.4 + 1e-6, 'too wide');
          assert.ok(
            (each / columns) * (cell.h + 0.6) - 0.6 <= area.h - top - (top > 0 ? 1.5 : 0) - 7.4 + 1e-6,
            'too high',
          );
        }
        assert.ok(rows <= 4 && rows <= Math.max(0, troubled - 1));
        assert.equal(top > 0, area.w >= 90 && area.h >= 56);
      },
    ),
  );
});

test('[U10] the type of machines stands before the first of their numbers', () => {
  const two = [...fleet(2), ...fleet(2, 0, 'EX').map((one, i) => ({ ...one, seat: i + 2 }))];
  const shown = (kind: 'small' | 'medium') => cellsOf(two, kind).map(cellText);
  assert.deepEqual(shown('small'), ['HT', '01', '02', 'EX', '01', '02']);
  assert.deepEqual(shown('medium'), ['01', '02', '01', '02']);
  assert.deepEqual(partsOf('Crusher'), ['', 'Crusher']);
});

const cellText = (one: ReturnType<typeof cellsOf>[number]) =>
  one === null ? 'free' : typeof one === 'string' ? one : partsOf(one.unit_number)[1];

test('[U10] the place of a retired machine stays free, and machines stand in the order of their places', () => {
  const [first, second, third] = fleet(3);
  const machines = seated([
    { ...(third as MachineTile), seat: 1 },
    { ...(second as MachineTile), seat: 3 },
    { ...(first as MachineTile), seat: 0 },
  ]);
  assert.deepEqual(cellsOf(machines, 'small').map(cellText), ['HT', '01', '03', 'free', '02']);
});

test('[U39] when the link is lost, the strip keeps its size, and the band takes the height from the machines in trouble', () => {
  const whole = widgetSize({ w: 12, h: 6 }, wall);
  for (const count of [12, 40, 120, 500]) {
    const machines = fleet(count, 5);
    const { upper, rows, ...live } = wallLayout(machines, 5, whole);
    const { upper: less, rows: fewer, ...lost } = wallLayout(machines, 5, whole, false);
    assert.deepEqual(lost, live);
    assert.ok(less > 15 && less < upper - BAND && fewer <= rows, `${less} of ${upper}`);
  }
});

test('[U14] a board has the pages of its longest status board', () => {
  const many = fleet(200, 0, 'Excavator');
  assert.ok(pagesOf(board({ type: 'status_board', machines: many }), wall) >= 3);
  assert.equal(pagesOf(board({ type: 'text', text: 'x' }), wall), 1);
});

/** A shift of so many machines. */
const shiftOf = (count: number): WidgetData => ({
  type: 'shift_progress',
  shift: {
    now: { name: 'day', from_ms: NOW, to_ms: NOW + 43_200_000 },
    next: null,
    computed_ms: NOW,
    total: NO_TIME,
    rows: Array.from({ length: count }, (_, i) => ({
      id: `m${i}`,
      unit_number: `HT-${i}`,
      minutes: NO_TIME,
      spans: [],
    })),
    more: 0,
    unknown: [],
  },
});

test('[U452] a shift has its rows on one page as long as their texts are large enough, and then on equal pages', () => {
  assert.equal(pagesOf(board(shiftOf(0)), wall), 1);
  assert.equal(pagesOf(board(shiftOf(12)), wall), 1);
  assert.ok([3, 4].includes(pagesOf(board(shiftOf(40)), wall)));
  for (const [w, h] of [
    [12, 6],
    [5, 6],
    [4, 4],
    [3, 3],
  ] as const) {
    const area = widgetSize({ w, h }, wall);
    for (let count = 0; count <= 60; count += 1) {
      const { pages, each, row } = shiftPages(area, count);
      assert.ok(pages * each >= count || each === 0, `${count} machines on ${w} x ${h}`);
      assert.ok(each === 0 ? pages === 1 : row >= 3.9 && (pages - 1) * each < Math.max(1, count));
      if (each > 0) assert.ok(each * row <= area.h - 18.6);
    }
  }
  const between = shiftOf(40);
  assert.ok(between.type === 'shift_progress');
  assert.equal(pagesOf(board({ ...between, shift: { ...between.shift, now: null } }), wall), 1);
});

test('[U11] a trend has a gap where a value is missing, a dot for a value alone, and starts one point before its window', () => {
  const line = {
    key: 'a',
    label: 'Fuel',
    unit: 'L/h',
    freshness: 'fresh',
    t: [0, 10, 20, 30, 40, 50],
    v: [1, 2, 3, null, 4, null],
  } as const;
  const frame = { x: (t: number) => t, y: (v: number) => v };
  assert.equal(trendPath(line, frame, 15), 'M10.0 2.0L20.0 3.0M40.0 4.0h0');
  assert.equal(trendPath(line, frame, 0), 'M0.0 1.0L10.0 2.0L20.0 3.0M40.0 4.0h0');
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

test('exactDuration gives the seconds of a duration below an hour', () => {
  const texts = [0, 59_000, 60_000, 100_000, 3_599_000, 3_600_000].map(exactDuration);
  assert.deepEqual(texts, ['0 s', '59 s', '1 min', '1 min 40 s', '59 min 59 s', '1 h']);
});

test('[U372] clock uses the zone of the site, and UTC for an unknown zone; a time far away has its year', () => {
  assert.equal(clock(NOW, 'Europe/Berlin'), '14:00');
  assert.equal(clock(NOW, 'Australia/Perth'), '20:00');
  assert.equal(clock(NOW, 'Mars/Olympus'), '12:00');
  assert.equal(moment(NOW - 86_400_000, NOW, 'UTC'), '3 May 12:00');
  assert.equal(moment(NOW, NOW, 'UTC'), '12:00');
  // Without its year, a time of an old log would read as one of this year.
  assert.equal(moment(Date.parse('2021-06-01T11:43:00Z'), NOW, 'UTC'), '1 Jun 2021 11:43');
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
  const bar = (most: number, us = false) => scaleBar(most, { us });
  assert.deepEqual(
    [7, 49, 50, 199, 3_000].map((most) => bar(most).metres),
    [5, 20, 50, 100, 2_000],
  );
  assert.deepEqual(
    [bar(600).text, bar(2_100).text, bar(200, true).text, bar(4_000, true).text],
    ['500 m', '2 km', '500 ft', '2 mi'],
  );
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
