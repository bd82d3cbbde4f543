/** What each kind of tile says of a site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { freshness } from '#contract/base/freshness.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { WidgetData } from '#contract/site/live.ts';
import type { Reason, TileAttention } from '#contract/site/trouble.ts';
import { type PlacedWidget, Widget } from '#contract/site/widget.ts';
import type { TicketStatus } from '#contract/work/repair-ticket.ts';
import type { ShiftUse } from '#contract/work/shift-report.ts';
import { composeBoard } from '#domain/board/board.ts';
import { diffBoard } from '#domain/board/diff.ts';
import { type BoardFacts, NO_FACTS } from '#domain/board/facts.ts';
import { alarmBoard } from '#domain/board/share-boards.ts';
import { shuffled } from '#domain/board/shuffle.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { composeShift, takeoverAlert } from '#domain/board/work.ts';
import { currentShift } from '#domain/work/current-shift.ts';
import { NO_TIME } from '#domain/work/shift-tally.ts';
import { ago, alert, boardInput, machine, NO_MINUTES, NOW, OIL_CODE, reports, square, ticket } from './board-kit.ts';

type Of<T extends WidgetData['type']> = Extract<WidgetData, { type: T }>;

/** The content of one widget over a site. */
function drawn<T extends PlacedWidget['type']>(
  type: T,
  given: Partial<PlacedWidget>,
  site: { machines?: readonly BoardMachine[]; live?: Record<string, EquipmentLive>; facts?: Partial<BoardFacts> },
): Of<T> {
  const { machines = [], live = {}, facts = {} } = site;
  const { position, ...rest } = given;
  const widget = Widget.parse({ id: 'w', type, position: position ?? { x: 0, y: 0, w: 12, h: 6 }, ...rest });
  const input = boardInput([{ ...widget, id: 'w' }], {
    machines,
    live: (id) => live[id],
    facts: { ...NO_FACTS, ...facts },
  });
  const data = composeBoard(input).widgets[0]?.data;
  assert.equal(data?.type, type);
  return data as Of<T>;
}

test('[V2] a bound of ones own decides what is stale; a long one keeps a value ageing, never fresh', () => {
  const walk = (bound: number | undefined, ages: readonly number[]) =>
    ages.map((age) => freshness('gauge', 1, age, bound));
  assert.deepEqual(walk(undefined, [4, 30, 61, 601]), ['fresh', 'ageing', 'stale', 'none']);
  assert.deepEqual(walk(10, [4, 6, 11, 601]), ['fresh', 'ageing', 'stale', 'none']);
  assert.deepEqual(walk(3_600, [4, 30, 3_599, 3_601]), ['fresh', 'ageing', 'ageing', 'none']);
  const live = { a: reports({ 'engine.load': 50 }, 30) };
  const tile = (max_age_s: number) =>
    drawn('status_board', { max_age_s, query: { signal: 'engine.load' } }, { machines: [machine('a')], live })
      .machines[0];
  assert.deepEqual([tile(20)?.freshness, tile(20)?.primary?.freshness, tile(20)?.max_age_s], ['stale', 'stale', 20]);
  assert.deepEqual([tile(60)?.freshness, tile(60)?.primary?.freshness], ['ageing', 'ageing']);
});

test('[V12] a list has the asked numbers in columns, what needs people first, and is patched row by row', () => {
  const machines = [machine('a'), machine('b', { status: 'down' }), machine('c')];
  const live = { a: reports({ 'engine.hours': 12, 'fuel.level': 50 }), c: reports({ 'engine.hours': 99 }) };
  const query = { signal: 'engine.hours' as const, signals: ['fuel.level' as const] };
  const { list } = drawn('machine_list', { query }, { machines, live });
  assert.deepEqual(list.columns, [
    { label: 'Engine hours', unit: 'h' },
    { label: 'Fuel', unit: '%' },
  ]);
  assert.deepEqual(
    list.rows.map(({ id, values }) => [id, ...values.map(({ text }) => text)]),
    [
      ['b', null, null],
      ['a', '12.0', '50'],
      ['c', '99.0', null],
    ],
  );
});

test('[V13] bars stand by value, the low ones first where low is what matters; who has none comes last', () => {
  const machines = ['a', 'b', 'c', 'd'].map((id) => machine(id));
  const live = { a: reports({ 'fuel.level': 60 }), b: reports({ 'fuel.level': 8 }), c: reports({ 'fuel.level': 90 }) };
  const low = [{ at: 10, level: 'critical' as const, below: true }];
  const of = (more: Partial<PlacedWidget>) =>
    drawn('bar', { query: { signal: 'fuel.level' }, ...more }, { machines, live }).bar;
  const rows = (more: Partial<PlacedWidget>) =>
    of(more)
      .rows.map(({ id }) => id)
      .join('');
  assert.equal(rows({}), 'cabd');
  assert.equal(rows({ thresholds: low }), 'bacd');
  assert.equal(rows({ thresholds: low, params: { order: 'desc' } }), 'cabd');
  assert.deepEqual([of({}).min, of({}).max, of({}).note], [0, 100, '3 of 4 known']);
  assert.deepEqual(of({ thresholds: low }).rows[0]?.value.level, 'critical');
  const hours = { a: reports({ 'engine.hours': 4_321 }) };
  assert.equal(drawn('bar', { query: { signal: 'engine.hours' } }, { machines, live: hours }).bar.max, 5_000);
});

const at = (lat: number, lon: number, age_s = 1, heading?: number) =>
  reports(
    {
      'position.latitude': lat,
      'position.longitude': lon,
      ...(heading === undefined ? {} : { 'position.heading': heading }),
    },
    age_s,
  );

test('[V14] a map has metres around the fences, and says who is missing', () => {
  const machines = ['a', 'b', 'c', 'd', 'e'].map((id) => machine(id));
  const live = { a: at(0.005, 0.005, 1, 270), b: at(0.001, 0.012, 90, 90), c: at(48, 11), d: at(0, 0) };
  const { map } = drawn('map', {}, { machines, live, facts: { places: [square('pit', 0)] } });
  assert.equal(map.note, '2 without position · 1 off the map');
  assert.deepEqual(
    map.machines.map(({ id, heading, fix }) => [id, heading, fix.freshness]),
    [
      ['a', 270, 'fresh'],
      ['b', null, 'stale'],
    ],
  );
  const [a, b] = map.machines;
  assert.ok(a && b);
  // 0.007 degrees east and 0.004 south of the other, 111.195 km a degree at the equator.
  assert.ok(Math.abs(b.x - a.x - 778) <= 1 && Math.abs(b.y - a.y + 445) <= 1, `${b.x - a.x} ${b.y - a.y}`);
  const [ring] = map.places[0]?.rings ?? [];
  assert.equal(ring?.length, 10);
  const { left, right, bottom, top } = map.extent;
  for (const [i, n] of (ring ?? []).entries())
    assert.ok(i % 2 === 0 ? n >= left && n <= right : n >= bottom && n <= top);
});

test('[V40] a map that fills its board lists the machines in trouble that have no place on it, the most urgent first', () => {
  const units = ['placed', 'fine', ...Array.from({ length: 30 }, (_, i) => `lost${i}`)];
  const machines = units.map((id) => machine(id, { status: id === 'fine' ? 'in_use' : 'down' }));
  const live = { placed: at(0.005, 0.005) };
  const large = { x: 0, y: 0, w: 8, h: 5 };
  const { trouble, machines: drawnMachines } = drawn('map', { position: large }, { machines, live }).map;
  assert.deepEqual(
    drawnMachines.map(({ id }) => id),
    ['placed'],
  );
  assert.deepEqual([trouble?.unplaced.length, trouble?.more], [24, 6]);
  const places = trouble?.unplaced.map(({ attention }) => attention?.place ?? 0) ?? [];
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  for (const { id, reasons } of trouble?.unplaced ?? []) assert.ok(id.startsWith('lost') && reasons.length > 0);
  assert.equal(drawn('map', { position: { ...large, w: 7 } }, { machines, live }).map.trouble, undefined);
  for (const type of ['status_board', 'machine_list', 'alert_feed'] as const) {
    const widgets = [
      { ...Widget.parse({ type: 'map', position: large }), id: 'map' },
      { ...Widget.parse({ type, position: { ...large, x: 8, w: 4 } }), id: 'other' },
    ];
    const [map] = composeBoard(boardInput(widgets, { machines })).widgets;
    assert.ok(map?.data.type === 'map');
    assert.equal(map.data.map.trouble, undefined, type);
  }
});

test('[V14] without fences a map is where its machines are; half a fix is none; a machine of one place is also of what that is part of', () => {
  const machines = [machine('a', { location_id: 'pit', within: ['pit', 'site'] }), machine('b')];
  const live = { a: at(-23.5, 119.25), b: reports({ 'position.latitude': -23.5 }) };
  const { map } = drawn('map', {}, { machines, live });
  assert.deepEqual([map.places, map.machines.map(({ id }) => id), map.note], [[], ['a'], '1 without position']);
  const inSite = drawn(
    'map',
    { query: { location_id: 'site' } },
    { machines, live, facts: { places: [square('site', 0), square('pit', 1, 'site'), square('other', 2)] } },
  );
  assert.deepEqual(
    inSite.map.places.map(({ id }) => id),
    ['site', 'pit'],
  );
  assert.deepEqual(
    drawn('status_board', { query: { location_id: 'site' } }, { machines, live }).machines.map(({ id }) => id),
    ['a'],
  );
  assert.deepEqual(drawn('map', {}, {}).map.machines, []);
});

test('[V14] every machine of a map is inside it, anywhere on Earth', () => {
  const spot = fc.record({
    lat: fc.double({ min: -84, max: 84, noNaN: true }),
    lon: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  const off = fc.tuple(
    fc.double({ min: -0.03, max: 0.03, noNaN: true }),
    fc.double({ min: -0.03, max: 0.03, noNaN: true }),
  );
  const wrap = (lon: number) => (lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon);
  fc.assert(
    fc.property(spot, fc.array(off, { minLength: 1, maxLength: 8 }), (centre, offs) => {
      const machines = offs.map((_, i) => machine(`m${i}`));
      const live = Object.fromEntries(offs.map(([dy, dx], i) => [`m${i}`, at(centre.lat + dy, wrap(centre.lon + dx))]));
      const { map } = drawn('map', {}, { machines, live });
      for (const { x, y } of map.machines)
        assert.ok(x >= map.extent.left && x <= map.extent.right && y >= map.extent.bottom && y <= map.extent.top);
      assert.ok(map.extent.right - map.extent.left >= 200 && map.extent.top - map.extent.bottom >= 200);
    }),
  );
});

test('[V15] tickets stand by state, what is dangerous and urgent first, then the oldest', () => {
  const machines = [machine('m0'), machine('m1', { kind: 'dozer' })];
  const tickets = [
    ticket('t1', { flagged_at: ago(60) }),
    ticket('t2', { flagged_at: ago(600) }),
    ticket('t3', { priority: 'critical', flagged_at: ago(5) }),
    ticket('t4', { safety_critical: true, priority: 'low' }),
    ticket('t5', { status: 'on_hold', hold_reason: 'parts', equipment_id: 'm1' }),
    ticket('t6', { status: 'closed' }),
    ticket('t7', { equipment_id: 'gone' }),
  ];
  const { columns } = drawn('ticket_board', {}, { machines, facts: { tickets } });
  assert.deepEqual(
    columns.map(({ status, count, cards }) => [status, count, cards.map(({ id }) => id).join()]),
    [
      ['flagged', 4, 't4,t3,t2,t1'],
      ['in_progress', 0, ''],
      ['on_hold', 1, 't5'],
      ['fixed', 0, ''],
    ],
  );
  const dozers = drawn('ticket_board', { query: { kind: 'dozer' } }, { machines, facts: { tickets } });
  assert.deepEqual(
    dozers.columns.map(({ count }) => count),
    [0, 0, 1, 0],
  );
});

test('[Y250] tickets whose status only a newer version knows have a column of their own while there are some', () => {
  const tickets = [
    ticket('t1'),
    ticket('t2', { status: 'waiting' as TicketStatus, flagged_at: ago(60) }),
    ticket('t3', { status: 'parked' as TicketStatus, safety_critical: true }),
    ticket('t4', { status: 'canceled' }),
  ];
  const { columns } = drawn('ticket_board', {}, { machines: [machine('m0')], facts: { tickets } });
  assert.deepEqual(
    columns.map(({ status, label, count, cards }) => [status, label, count, cards.map(({ id }) => id).join()]),
    [
      ['flagged', 'Flagged', 1, 't1'],
      ['in_progress', 'In progress', 0, ''],
      ['on_hold', 'On hold', 0, ''],
      ['unknown', 'Unknown status', 2, 't3,t2'],
      ['fixed', 'Fixed', 0, ''],
    ],
  );
});

test('[V16] the gravest alert stands first, then the newest; acknowledged ones after the others; no machine is guessed', () => {
  const machines = [machine('m0')];
  const alerts = [
    alert('a1', { raised_at: ago(300), signal_name: 'engine.oil_temperature' }),
    alert('a7', { raised_at: ago(400), signal_name: 'fuel.level', severity: 'critical', value: 4 }),
    alert('a8', { raised_at: ago(30), signal_name: 'def.level', value: 9 }),
    alert('a2', { raised_at: ago(20), acknowledged_at: ago(10), acknowledged_by: 'Ana' }),
    alert('a3', {
      raised_at: ago(60),
      severity: 'critical',
      machine_id: null,
      device_id: 'dev_1',
      condition: 'no_data',
      threshold: 600,
    }),
    alert('a4', { severity: 'info' }),
    alert('a5', { state: 'cleared' }),
    alert('a6', { machine_id: 'gone' }),
  ];
  const facts = { alerts, devices: new Map([['dev_1', { name: 'Logger 7', interval_s: null }]]) };
  const { alerts: all } = drawn('alert_feed', { query: { min_severity: 'warning' } }, { machines, facts });
  assert.deepEqual(
    all.rows.map(({ id, unit_number, paired, detail }) => [id, unit_number, paired, detail]),
    [
      ['a3', 'Logger 7', false, 'Coolant: no data for 10 min'],
      ['a7', 'M0', true, 'Fuel 4 %'],
      ['a8', 'M0', true, 'DEF 9 %'],
      ['a1', 'M0', true, 'Oil temperature 109 °C'],
      ['a2', 'M0', true, 'Coolant 109 °C'],
    ],
  );
  assert.deepEqual([all.row_count, all.total, all.unacknowledged], [5, 5, 4]);
  assert.deepEqual(all.rows[4]?.acknowledged, { at_ms: NOW - 10_000, by: 'Ana' });
  const own = drawn('alert_feed', { query: { equipment_id: 'm0' } }, { machines, facts });
  assert.deepEqual(own.alerts.rows.map(({ id }) => id).sort(), ['a1', 'a2', 'a7', 'a8']);
});

test('[V22] alerts of one fact are one row, which says the gravest, why, and since when', () => {
  const code = { occurrence_count: 1, source_address: 0, bus: 0, device_id: 'dev_1', raw: '', since: ago(60) };
  const dtcs = [
    { ...code, spn: 100, fmi: 1 },
    { ...code, spn: null, fmi: 31 },
  ];
  const [oil, unknown] = dtcs;
  const turned = [unknown, oil].filter((one) => one !== undefined);
  const live = { m0: { ...reports({}), dtcs }, m2: { ...reports({}), dtcs: turned } };
  const lamp = { value: 1, threshold: 1 };
  const alerts = [
    alert('mil', { ...lamp, signal_name: 'dtc.mil', rule_name: 'Malfunction indicator lamp', raised_at: ago(50) }),
    alert('stop', { ...lamp, signal_name: 'dtc.red_stop', rule_name: 'Red stop lamp', severity: 'critical' }),
    alert('warm', { value: 110, threshold: 100 }),
    alert('hot', { value: 110, severity: 'critical', raised_at: ago(5) }),
    alert('other', { machine_id: 'm1', signal_name: 'dtc.mil', ...lamp }),
    alert('oil', { machine_id: 'm2', ...OIL_CODE }),
  ];
  const { alerts: feed } = drawn(
    'alert_feed',
    {},
    { machines: [machine('m0'), machine('m1'), machine('m2')], live, facts: { alerts } },
  );
  assert.deepEqual(
    feed.rows.map(({ id, severity, detail }) => [id, severity, detail]),
    [
      ['hot', 'critical', 'Coolant 110 °C'],
      ['stop', 'critical', 'Engine oil pressure 1: far too low, 1 more code'],
      ['oil', 'warning', 'Engine oil pressure 1: far too low, 1 more code'],
      ['other', 'warning', 'No trouble code'],
    ],
  );
  assert.deepEqual([feed.row_count, feed.total, feed.unacknowledged], [4, 6, 6]);
  assert.equal(feed.rows.find(({ id }) => id === 'stop')?.raised_ms, NOW - 50_000);
  assert.equal(feed.rows.find(({ id }) => id === 'stop')?.equipment_id, 'm0');
});

test('[V23] a minimum and a maximum name their machine; a sum and an average name none', () => {
  const machines = ['a', 'b', 'c'].map((id) => machine(id));
  const live = {
    a: reports({ 'engine.coolant_temperature': 88 }),
    b: reports({ 'engine.coolant_temperature': 91 }),
    c: reports({ 'engine.coolant_temperature': 120 }, 300),
  };
  const named = (query: object) => drawn('kpi', { query }, { machines, live }).kpi.of?.unit_number;
  const signal = 'engine.coolant_temperature';
  assert.deepEqual(
    (['max', 'min', 'avg', 'sum'] as const).map((aggregate) => named({ signal, aggregate })),
    ['B', 'A', undefined, undefined],
  );
  assert.equal(named({ signal, equipment_id: 'c' }), 'C');
  assert.equal(named({ signal: 'fuel.level', aggregate: 'min' }), undefined);
});

test('[V16] what takes a screen is active, unseen, live and grave enough; the gravest, then the newest', () => {
  const alerts = [
    alert('warn', { raised_at: ago(5) }),
    alert('old', { severity: 'critical', raised_at: ago(500) }),
    alert('new', { severity: 'critical', raised_at: ago(50) }),
    alert('late', { severity: 'critical', raised_at: ago(1), late: true }),
    alert('seen', { severity: 'critical', raised_at: ago(1), acknowledged_at: ago(0) }),
    alert('over', { severity: 'critical', raised_at: ago(1), state: 'cleared' }),
  ];
  assert.equal(takeoverAlert(alerts, 'warning')?.id, 'new');
  assert.equal(takeoverAlert(alerts.slice(0, 1), 'warning')?.id, 'warn');
  assert.equal(takeoverAlert(alerts.slice(0, 1), 'critical'), undefined);
  assert.equal(takeoverAlert(alerts.slice(3), 'info'), undefined);
  for (const given of [alert('a'), alert('b', { machine_id: null }), alert('c', { signal_name: 'dtc.red_stop' })]) {
    const board = alarmBoard(given, given.machine_id === null ? null : 'HT-1', 'warning');
    for (const widget of board.widgets) Widget.parse(widget);
    assert.equal(board.alarm, 'warning');
    assert.ok(board.name.includes('Coolant hot'));
  }
});

test('[V17] a shift is counted over its machines; who was not counted is not in the sum, and between shifts there is none', () => {
  const machines = [machine('a'), machine('b'), machine('c')];
  const used = new Map<string, ShiftUse>([
    [
      'a',
      {
        minutes: { ...NO_MINUTES, working: 50, idle: 10 },
        spans: [
          ['working', 50],
          ['idle', 10],
        ],
      },
    ],
    ['b', { minutes: { ...NO_MINUTES, unknown: 60 }, spans: [['unknown', 60]] }],
  ]);
  const now = { name: 'day', from_ms: NOW - 3_600_000, to_ms: NOW + 3_600_000 };
  const { shift } = drawn(
    'shift_progress',
    {},
    { machines, facts: { shift: { now, next: null, computed_ms: NOW, used } } },
  );
  assert.deepEqual(shift.total, { ...NO_MINUTES, working: 50, idle: 10, unknown: 60 });
  assert.deepEqual([shift.rows.length, shift.more], [2, 1]);
  assert.deepEqual(shift.rows[0]?.spans, used.get('a')?.spans);
  assert.deepEqual(drawn('shift_progress', {}, { machines }).shift.now, null);
});

test('[S186] the tile of a day shows today or yesterday, and says that the summary is being made', () => {
  const day = (n: number) => ({ from_ms: n, to_ms: n + 1, working_percent: null, unknown_percent: 0, sentences: [] });
  const facts = { days: { yesterday: day(1), today: day(2), shift: null } };
  assert.equal(drawn('day', {}, { facts }).day?.from_ms, 2);
  assert.equal(drawn('day', { params: { day: 'yesterday' } }, { facts }).day?.from_ms, 1);
  assert.equal(drawn('day', {}, {}).day, null);
});

test('[V17] the shift of a moment is that of the pattern in the zone of the site, over midnight too', () => {
  const shifts = [
    { name: 'day', starts: '06:00', ends: '16:00' },
    { name: 'night', starts: '18:00', ends: '04:00' },
  ];
  const of = (time: string) => currentShift(shifts, Date.parse(time), 'Australia/Perth');
  assert.deepEqual(of('2026-11-21T00:00:00Z').now, {
    name: 'day',
    from_ms: Date.parse('2026-11-20T22:00:00Z'),
    to_ms: Date.parse('2026-11-21T08:00:00Z'),
  });
  assert.equal(of('2026-11-21T18:00:00Z').now?.name, 'night');
  const between = of('2026-11-21T09:00:00Z');
  assert.deepEqual([between.now, between.next], [null, { name: 'night', from_ms: Date.parse('2026-11-21T10:00:00Z') }]);
});

test('[V18] a picture ages with its camera, and a camera that sent none says so', () => {
  const devices = new Map([['dev_1', { name: 'Gate', interval_s: 5 }]]);
  const of = (age_s: number, max_age_s?: number) => {
    const frames = new Map([['dev_1', { artifact_id: 'art_1', taken_ms: NOW - age_s * 1000 }]]);
    return drawn(
      'camera',
      { query: { device_id: 'dev_1' }, ...(max_age_s && { max_age_s }) },
      { facts: { devices, frames } },
    ).camera.age.freshness;
  };
  assert.deepEqual([of(10), of(40), of(70), of(700), of(40, 30)], ['fresh', 'ageing', 'stale', 'none', 'stale']);
  const { camera } = drawn('camera', { query: { device_id: 'dev_1' } }, { facts: { devices } });
  assert.deepEqual([camera.artifact_id, camera.age.freshness, camera.device], [null, 'never', 'Gate']);
});

test('[V18] a newer picture is a patch, not a new board', () => {
  const widget = Widget.parse({
    id: 'w',
    type: 'camera',
    query: { device_id: 'dev_1' },
    position: { x: 0, y: 0, w: 6, h: 6 },
  });
  const view = (artifact_id: string) =>
    composeBoard({
      id: 'b',
      dashboard: { name: '', theme: 'tv-dark', widgets: [{ ...widget, id: 'w' }] },
      duration_s: 20,
      machines: [],
      live: () => undefined,
      series: () => undefined,
      facts: { ...NO_FACTS, frames: new Map([['dev_1', { artifact_id, taken_ms: NOW }]]) },
      standing: () => ({ reasons: [] }),
      now_ms: NOW,
    });
  assert.equal(diffBoard(view('art_1'), view('art_2'))?.length, 1);
});

test('[V19] a shuffled order has everything once, and is told by its seed alone', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(), { maxLength: 20 }), fc.string(), (items, seed) => {
      assert.deepEqual(shuffled(items, seed), shuffled(items, seed));
      assert.deepEqual(
        shuffled(items, seed).sort((a, b) => a - b),
        [...items].sort((a, b) => a - b),
      );
    }),
  );
  const orders = new Set(
    Array.from({ length: 40 }, (_, hour) => shuffled(['a', 'b', 'c', 'd'], `ply ${hour}`).join('')),
  );
  assert.ok(orders.size > 10, `${orders.size} orders in 40 hours`);
});

test('[V20] a widget that could not be drawn is refused in words', () => {
  const position = { x: 0, y: 0, w: 2, h: 2 };
  const why = (widget: object) => Widget.safeParse({ position, ...widget }).error?.issues[0]?.message ?? '';
  assert.match(why({ type: 'camera' }), /query.device_id/);
  assert.match(why({ type: 'bar' }), /query.signal/);
  assert.match(why({ type: 'qr' }), /params.text/);
  assert.match(why({ type: 'text', max_age_s: 60 }), /values that age/);
  for (const secret of [`http://10.0.0.1/tv/dsp_${'a'.repeat(43)}`, `wk_00000000_${'B'.repeat(43)}`])
    assert.match(why({ type: 'qr', params: { text: secret } }), /params.share/);
  assert.equal(why({ type: 'qr', params: { text: 'https://example.org/manual?dk_1' } }), '');
  assert.equal(why({ type: 'qr', params: { share: { kind: 'playlist', object_id: 'ply_1' } } }), '');
});

test('[V27] a shift of which most is unknown says why: entered late, silent since, never heard', () => {
  const from_ms = NOW - 4 * 3_600_000;
  const at = (id: string, created_ms: number) => machine(id, { created_ms });
  const machines = [at('late', NOW - 60_000), at('silent', 1), at('never', 1), at('good', 1)];
  const heard: Record<string, number> = { late: NOW, silent: NOW - 3 * 3_600_000, good: NOW };
  const tile = composeShift(
    machines,
    {
      now: { name: 'day', from_ms, to_ms: from_ms + 43_200_000 },
      next: null,
      computed_ms: NOW,
      used: new Map(
        machines.map(({ id }) => [
          id,
          {
            minutes: { ...NO_MINUTES, working: id === 'good' ? 240 : 10, unknown: id === 'good' ? 0 : 230 },
            spans: [],
          },
        ]),
      ),
    },
    (id) => {
      const ms = heard[id];
      if (ms === undefined) return undefined;
      return {
        live_status: 'unknown',
        live_status_since: null,
        last_live_data_at: new Date(ms).toISOString(),
        values: {},
        dtcs: null,
        dtc_counts: null,
      };
    },
    () => ({ reasons: [] }),
  );
  assert.deepEqual(
    tile.unknown.map(({ why, unit_number, at_ms }) => [why, unit_number, at_ms]),
    [
      ['late', NOW - 60_000, 'entered'],
      ['silent', heard.silent, 'silent'],
      ['never', null, 'never'],
    ].map(([unit, ms, why]) => [why, machines.find(({ id }) => id === unit)?.unit_number, ms]),
  );
});

test('[V35] the shift shows the machines in trouble first, by their places, and the others by unit number', () => {
  const machines = ['HT-02', 'HT-10', 'EX-01', 'LD-2', 'HT-01'].map((unit) => machine(unit));
  const places: Record<string, number> = { [machines[3]?.id ?? '']: 1, [machines[1]?.id ?? '']: 2 };
  const { rows } = composeShift(
    machines,
    {
      now: { name: 'day', from_ms: NOW - 3_600_000, to_ms: NOW + 3_600_000 },
      next: null,
      computed_ms: NOW,
      used: new Map(machines.map(({ id }) => [id, { minutes: NO_TIME, spans: [] }])),
    },
    () => undefined,
    (id) => {
      const place = places[id];
      const down = { cause: 'down', grade: 'act', points: 50 } as Reason;
      if (place === undefined) return { reasons: [{ ...down, grade: 'note', points: 10 }] };
      return { reasons: [down], attention: { place } as TileAttention };
    },
  );
  assert.deepEqual(
    rows.map(({ unit_number, reason }) => [unit_number, reason?.grade]),
    [
      ['LD-2', 'act'],
      ['HT-10', 'act'],
      ['EX-01', undefined],
      ['HT-01', undefined],
      ['HT-02', undefined],
    ],
  );
});
