import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatNumber } from '#contract/base/format-number.ts';
import type { SignalName } from '#contract/base/signals.ts';
import { BOARD_TEMPLATES, templatePlaylist } from '#contract/board-templates.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import { EQUIPMENT_STATUS, LIVE_STATUS } from '#contract/fleet/equipment.ts';
import type { BoardView, MachineTile, WidgetData } from '#contract/site/live.ts';
import { applyPatches, compareTiles } from '#contract/site/live-apply.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { Widget } from '#contract/site/widget.ts';
import { SEVERITY } from '#contract/work/alert.ts';
import { type BoardInput, boardSignals, composeBoard, recomposeBoard } from '#domain/board/board.ts';
import { diffBoard } from '#domain/board/diff.ts';
import { type BoardFacts, NO_FACTS } from '#domain/board/facts.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { bucketise, type Series, trendStep } from '#domain/board/trend.ts';
import { alert, boardInput, machine, NO_MINUTES, NOW, square, ticket, value } from './board-kit.ts';

function facts(
  age_s: number | null,
  values: Partial<Record<SignalName, LiveValue>> = {},
  live_status: EquipmentLive['live_status'] = 'running',
): EquipmentLive {
  return {
    live_status,
    live_status_since: age_s === null ? null : new Date(NOW - 60_000).toISOString(),
    last_live_data_at: age_s === null ? null : new Date(NOW - age_s * 1000).toISOString(),
    values,
    dtcs: null,
    dtc_counts: null,
  };
}

function place(widget: Partial<PlacedWidget> & Pick<PlacedWidget, 'id' | 'type'>): PlacedWidget {
  const position = { x: 0, y: 0, w: 12, h: 6 };
  return { title: '', query: {}, position, thresholds: [], params: {}, ...widget };
}

function board(
  widgets: readonly PlacedWidget[],
  machines: readonly BoardMachine[],
  live: Record<string, EquipmentLive>,
  more: Partial<BoardInput> = {},
): BoardInput {
  const dashboard = { name: 'Fleet now', theme: 'tv-dark', widgets };
  return boardInput(widgets, { id: 'dash_1', dashboard, machines, live: (id) => live[id], ...more });
}

function dataOf<T extends WidgetData['type']>(view: BoardView, type: T): Extract<WidgetData, { type: T }> {
  const found = view.widgets.find((widget) => widget.data.type === type)?.data;
  assert.ok(found?.type === type);
  return found as Extract<WidgetData, { type: T }>;
}

function tile(age_s: number | null, more: Partial<BoardMachine> = {}, live = facts(age_s)): MachineTile {
  const view = composeBoard(
    board([place({ id: 'w', type: 'status_board' })], [machine('ht-1', more)], { 'ht-1': live }),
  );
  const [only] = dataOf(view, 'status_board').machines;
  assert.ok(only);
  return only;
}

test('[V1] numbers have fixed decimals, thin-space thousands and a true minus', () => {
  assert.equal(formatNumber(41.25, 1), '41.3');
  assert.equal(formatNumber(1234567.4, 0), '1\u2009234\u2009567');
  assert.equal(formatNumber(13832.875, 1), '13\u2009832.9');
  assert.equal(formatNumber(-5, 0), '\u22125');
  assert.equal(formatNumber(-0.2, 0), '0');
  assert.equal(formatNumber(999.96, 1), '1\u2009000.0');
});

test('[V2] a machine goes fresh, ageing, stale, none by the clock of the gateway alone', () => {
  const ages = [0, 15, 16, 60, 61, 600, 601].map((age) => tile(age).freshness);
  assert.deepEqual(ages, ['fresh', 'fresh', 'ageing', 'ageing', 'stale', 'stale', 'none']);
  assert.equal(tile(null).freshness, 'never');
  assert.equal(tile(100, { interval_s: 60 }).freshness, 'fresh');
});

test('[V2] a machine that is silent for ten minutes is unknown, whatever it said last', () => {
  assert.equal(tile(600).live_status, 'running');
  assert.equal(tile(601).live_status, 'unknown');
  assert.equal(tile(601).live_since_ms, null);
  assert.equal(tile(null).live_status, 'unknown');
});

test('[V2] time in the future of the gateway counts as now', () => {
  assert.equal(tile(-3600).freshness, 'fresh');
});

test('[V3] a gauge is blanked when it is too old, a meter and a level stay with the time they were read', () => {
  const values = {
    'engine.fuel_rate': value(41.23, 700),
    'engine.hours': value(4511.4, 700),
    'fuel.level': value(74, 700),
  };
  const kpis = (['engine.fuel_rate', 'engine.hours', 'fuel.level'] as const).map((signal) =>
    place({ id: signal, type: 'kpi', query: { signal, equipment_id: 'ht-1' } }),
  );
  const view = composeBoard(board(kpis, [machine('ht-1')], { 'ht-1': facts(700, values) }));
  const drawn = view.widgets.map(({ data }) => (data.type === 'kpi' ? data.kpi.value : undefined));
  assert.deepEqual(
    drawn.map((value) => [value?.text, value?.freshness]),
    [
      [null, 'none'],
      ['4\u2009511.4', 'stale'],
      ['74', 'stale'],
    ],
  );
  assert.ok(drawn.every((value) => value?.as_of_ms === NOW - 700_000));
});

test('[V4] a machine that people call down and that runs is a conflict, and only while that is news', () => {
  assert.equal(tile(1, { status: 'down' }).conflict, true);
  assert.equal(tile(1, { status: 'maintenance' }).conflict, true);
  assert.equal(tile(1, { status: 'in_use' }).conflict, false);
  assert.equal(tile(1, { status: 'down' }, facts(1, {}, 'off')).conflict, false);
  assert.equal(tile(61, { status: 'down' }).conflict, false);
});

test('[V5] tiles stand in the order of what needs people: the graver reason first, then service, idle, running, off, never heard', () => {
  const all: [string, Partial<BoardMachine>, EquipmentLive][] = [
    ['never', {}, facts(null)],
    ['off', {}, facts(1, {}, 'off')],
    ['run-10', {}, facts(1)],
    ['run-9', {}, facts(1)],
    ['idle', {}, facts(1, {}, 'idle')],
    ['service', { status: 'maintenance' }, facts(1, {}, 'off')],
    ['stale', {}, facts(90)],
    ['conflict', { status: 'down' }, facts(1)],
    ['down', { status: 'down' }, facts(1, {}, 'off')],
  ];
  const view = composeBoard(
    board(
      [place({ id: 'w', type: 'status_board' })],
      all.map(([id, more]) => machine(id, more)),
      Object.fromEntries(all.map(([id, , live]) => [id, live])),
    ),
  );
  assert.deepEqual(
    dataOf(view, 'status_board').machines.map(({ id }) => id),
    ['conflict', 'down', 'stale', 'service', 'idle', 'run-9', 'run-10', 'off', 'never'],
  );
});

test('[V6] a sum of gauges counts only what is news and says over how many', () => {
  const machines = ['a', 'b', 'c'].map((id) => machine(id));
  const live = {
    a: facts(1, { 'engine.fuel_rate': value(1000.5, 1) }),
    b: facts(1, { 'engine.fuel_rate': value(500, 30) }),
    c: facts(200, { 'engine.fuel_rate': value(900, 200) }),
  };
  const widget = place({ id: 'k', type: 'kpi', query: { signal: 'engine.fuel_rate', aggregate: 'sum' } });
  const { kpi } = dataOf(composeBoard(board([widget], machines, live)), 'kpi');
  assert.equal(kpi.value.text, '1\u2009500.5');
  assert.equal(kpi.value.freshness, 'ageing');
  assert.equal(kpi.value.as_of_ms, NOW - 30_000);
  assert.equal(kpi.note, '2 of 3 reporting');
  assert.equal(kpi.max, 450);
});

test('[V6] a sum over nobody is blank and never zero', () => {
  const widget = place({ id: 'k', type: 'kpi', query: { signal: 'engine.fuel_rate', aggregate: 'sum' } });
  const silent = dataOf(composeBoard(board([widget], [machine('a')], { a: facts(700) })), 'kpi').kpi;
  assert.deepEqual([silent.value.text, silent.value.value, silent.note], [null, null, '0 of 1 reporting']);
  const empty = dataOf(composeBoard(board([widget], [], {})), 'kpi').kpi;
  assert.deepEqual([empty.value.text, empty.value.freshness, empty.note], [null, 'never', 'no machines yet']);
});

test('[V6] levels of parked machines stay in a fleet minimum', () => {
  const widget = place({ id: 'k', type: 'kpi', query: { signal: 'fuel.level', aggregate: 'min' } });
  const live = {
    a: facts(1, { 'fuel.level': value(60, 1) }),
    b: facts(86_400, { 'fuel.level': value(12, 86_400) }),
  };
  const { kpi } = dataOf(composeBoard(board([widget], [machine('a'), machine('b')], live)), 'kpi');
  assert.deepEqual([kpi.value.text, kpi.value.freshness, kpi.note], ['12', 'fresh', '2 of 2 known']);
});

test('[V6] running now is the share of reporting machines that run, and says so', () => {
  const widget = place({ id: 'k', type: 'kpi', query: { aggregate: 'utilization' } });
  const live = { a: facts(1), b: facts(1, {}, 'idle'), c: facts(1, {}, 'off'), d: facts(300) };
  const machines = ['a', 'b', 'c', 'd'].map((id) => machine(id));
  const { kpi } = dataOf(composeBoard(board([widget], machines, live)), 'kpi');
  assert.deepEqual([kpi.value.label, kpi.value.text, kpi.note], ['Running now', '33', '1 of 3 running']);
});

test('[V7] a value takes the worst level that it has reached', () => {
  const thresholds = [
    { at: 100, level: 'warning' as const, below: false },
    { at: 107, level: 'critical' as const, below: false },
    { at: 10, level: 'warning' as const, below: true },
  ];
  const widget = place({
    id: 'k',
    type: 'kpi',
    thresholds,
    query: { signal: 'engine.coolant_temperature', equipment_id: 'a' },
  });
  const levels = [10, 11, 99, 100, 107].map((degrees) => {
    const live = { a: facts(1, { 'engine.coolant_temperature': value(degrees, 1) }) };
    return dataOf(composeBoard(board([widget], [machine('a')], live)), 'kpi').kpi.value.level;
  });
  assert.deepEqual(levels, ['warning', 'normal', 'normal', 'warning', 'critical']);
});

test('[V8] a silence in a trend is one null, and a line that ended is not drawn on to now', () => {
  const step = trendStep(1800);
  const start = NOW / 1000 - 600;
  const t = [0, 10, 20, 200, 210].map((s) => Math.floor((start + s) / step) * step);
  const series: Series = { t, v: [1, 2, 3, 4, 5] };
  const widget = place({ id: 't', type: 'timeseries', query: { signal: 'engine.fuel_rate', equipment_id: 'a' } });
  const view = composeBoard(board([widget], [machine('a')], { a: facts(390) }, { series: () => series }));
  const [line] = dataOf(view, 'timeseries').trend.lines;
  assert.deepEqual(line?.v, [1, 2, 3, null, 4, 5]);
  assert.equal(line?.t.at(-1), t.at(-1));
});

test('[V8] a fleet total holds a machine over a short silence and lets it go after a long one', () => {
  const base = Math.floor((NOW / 1000 - 600) / 10) * 10;
  const grid = [0, 10, 20, 30, 40, 50, 60].map((s) => base + s);
  const parts: Record<string, Series> = {
    a: { t: grid, v: grid.map(() => 10) },
    b: { t: [base], v: [5] },
  };
  const widget = place({ id: 't', type: 'timeseries', query: { signal: 'engine.fuel_rate', aggregate: 'sum' } });
  const view = composeBoard(board([widget], [machine('a'), machine('b')], {}, { series: (id) => parts[id] }));
  assert.deepEqual(dataOf(view, 'timeseries').trend.lines[0]?.v, [15, 15, 15, 15, 10, 10, 10]);
  assert.equal(dataOf(view, 'timeseries').trend.step_s, 10, '[U392] a point is the mean of 10 s');
});

test('[V23] the lowest and the highest line name the machine at their end; a patch carries the name on', () => {
  const base = Math.floor((NOW / 1000 - 600) / 10) * 10;
  const parts: Record<string, Series> = {
    a: { t: [base, base + 10, base + 20], v: [10, 10, 30] },
    b: { t: [base, base + 10, base + 20], v: [5, 20, 20] },
  };
  const of = (aggregate: 'min' | 'max' | 'sum', points: number, ids = ['a', 'b']) => {
    const widget = place({ id: 't', type: 'timeseries', query: { signal: 'engine.fuel_rate', aggregate } });
    const series = (id: string) => {
      const { t, v } = parts[id] ?? { t: [], v: [] };
      return { t: t.slice(0, points), v: v.slice(0, points) };
    };
    return composeBoard(
      board(
        [widget],
        ids.map((id) => machine(id)),
        {},
        { series },
      ),
    );
  };
  const named = (view: BoardView) => dataOf(view, 'timeseries').trend.lines[0]?.of;
  assert.deepEqual([of('max', 2), of('max', 3), of('min', 3), of('sum', 3)].map(named), ['B', 'A', 'B', undefined]);
  assert.equal(named(of('max', 3, ['b'])), 'B');
  assert.equal(named(of('max', 0)), undefined);
  const [before, after] = [of('max', 2), of('max', 3)];
  const patches = diffBoard(before, after);
  assert.ok(patches);
  assert.ok(patches.every((patch) => 'line' in patch));
  assert.deepEqual(applyPatches([before], patches), [after]);
});

test('[V8] buckets are means on absolute time, whatever the order of arrival', () => {
  assert.deepEqual(bucketise({ t: [21, 3, 9, 12], v: [7, 1, 3, Number.NaN] }, 10), { t: [0, 20], v: [2, 7] });
});

test('[V10] the boards of a new project fit the grid, draw without any machine, and rotate', () => {
  for (const template of BOARD_TEMPLATES) {
    for (const widget of template.widgets) Widget.parse(widget);
    const widgets = template.widgets.map((widget) => ({ ...widget, id: widget.id ?? '' }));
    assert.equal(new Set(widgets.map(({ id }) => id)).size, widgets.length);
    const taken = widgets.flatMap(({ position: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    assert.equal(new Set(taken).size, taken.length, `${template.name} overlaps`);
    const view = composeBoard(board(widgets, [], {}));
    assert.deepEqual(diffBoard(view, composeBoard(board(widgets, [], {}))), []);
  }
  assert.deepEqual(
    templatePlaylist(['d1', 'd2']).items.map(({ dashboard_id }) => dashboard_id),
    ['d1', 'd2'],
  );
});

// Sites as they may stand at two moments, with every widget that there is.
const SIGNALS = [
  'engine.fuel_rate',
  'fuel.level',
  'engine.hours',
  'position.latitude',
  'position.longitude',
  'position.heading',
] as const;
const WIDGETS: readonly PlacedWidget[] = [
  place({ id: 'grid', type: 'status_board', query: { signal: 'engine.fuel_rate', signals: ['engine.hours'] } }),
  place({ id: 'sum', type: 'kpi', query: { signal: 'engine.fuel_rate', aggregate: 'sum' } }),
  place({ id: 'low', type: 'kpi', query: { signal: 'fuel.level', aggregate: 'min' } }),
  place({ id: 'one', type: 'kpi', query: { signal: 'engine.hours', equipment_id: 'm1' } }),
  place({ id: 'now', type: 'kpi', query: { aggregate: 'utilization' } }),
  place({ id: 'trend', type: 'timeseries', query: { signal: 'engine.fuel_rate', aggregate: 'sum', window_s: 600 } }),
  place({ id: 'lines', type: 'timeseries', query: { signal: 'fuel.level', window_s: 60 } }),
  place({ id: 'note', type: 'text', params: { text: 'Blast at 16:00' } }),
  place({
    id: 'rows',
    type: 'machine_list',
    query: { signal: 'engine.hours', signals: ['fuel.level'] },
    max_age_s: 30,
  }),
  place({
    id: 'bars',
    type: 'bar',
    query: { signal: 'fuel.level' },
    thresholds: [{ at: 20, level: 'warning', below: true }],
  }),
  place({ id: 'meters', type: 'bar', query: { signal: 'engine.hours' } }),
  place({ id: 'map', type: 'map' }),
  place({ id: 'tickets', type: 'ticket_board' }),
  place({ id: 'alerts', type: 'alert_feed', query: { min_severity: 'warning' } }),
  place({ id: 'shift', type: 'shift_progress' }),
  place({ id: 'gate', type: 'camera', query: { device_id: 'dev_gate' }, max_age_s: 120 }),
  place({ id: 'code', type: 'qr', params: { text: 'x' } }),
];
/** A map that lists the machines in trouble. */
const LARGE_MAP = [place({ id: 'large', type: 'map', position: { x: 0, y: 0, w: 12, h: 6 } })];
const someLive = fc
  .record({
    age: fc.option(fc.integer({ min: -5, max: 900 })),
    status: fc.constantFrom(...LIVE_STATUS),
    values: fc.dictionary(
      fc.constantFrom(...SIGNALS),
      fc.tuple(fc.double({ min: -10, max: 1e5, noNaN: true }), fc.integer({ min: 0, max: 900 })),
    ),
  })
  .map(({ age, status, values }) =>
    facts(
      age,
      Object.fromEntries(Object.entries(values).map(([name, [number, old]]) => [name, value(number, old)])),
      status,
    ),
  );
const someMachine = fc.record({
  live: fc.option(someLive, { nil: undefined }),
  status: fc.constantFrom(...EQUIPMENT_STATUS),
  interval_s: fc.option(fc.integer({ min: 1, max: 30 })),
});
const someSamples = fc.array(
  fc.tuple(fc.integer({ min: -700, max: 30 }), fc.double({ min: 0, max: 100, noNaN: true })),
  { maxLength: 60 },
);
const ids = fc.integer({ min: 0, max: 4 }).map((i) => `m${i}`);
const someTime = fc.integer({ min: 0, max: 7_200 }).map((s) => new Date(NOW - s * 1000).toISOString());
const someFacts = fc
  .record({
    places: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    tickets: fc.uniqueArray(
      fc.tuple(fc.nat(6), ids, fc.constantFrom('flagged', 'in_progress', 'fixed', 'closed'), someTime),
      { selector: ([n]) => n, maxLength: 4 },
    ),
    alerts: fc.uniqueArray(fc.tuple(fc.nat(6), fc.option(ids), fc.constantFrom(...SEVERITY), someTime, fc.boolean()), {
      selector: ([n]) => n,
      maxLength: 4,
    }),
    frame: fc.option(fc.integer({ min: 0, max: 900 })),
    minutes: fc.dictionary(ids, fc.nat(60)),
  })
  .map(
    ({ places, tickets, alerts, frame, minutes }): BoardFacts => ({
      days: null,
      places: places.map((n) => square(`loc_${n}`, n)),
      tickets: tickets.map(([n, equipment_id, status, flagged_at]) =>
        ticket(`rt_${n}`, { equipment_id, status, flagged_at }),
      ),
      alerts: alerts.map(([n, machine_id, severity, raised_at, seen]) =>
        alert(`alr_${n}`, { machine_id, severity, raised_at, acknowledged_at: seen ? raised_at : null }),
      ),
      devices: new Map([['dev_gate', { name: 'Gate camera', interval_s: 5 }]]),
      frames: new Map(
        frame === null ? [] : [['dev_gate', { artifact_id: `art_${frame}`, taken_ms: NOW - frame * 1000 }]],
      ),
      codes: new Map([['dash_1\ncode', { code: { size: 21, path: 'M0 0h1v1h-1z' }, caption: 'x' }]]),
      shift: {
        now: { name: 'day', from_ms: NOW - 3_600_000, to_ms: NOW + 3_600_000 },
        next: null,
        computed_ms: NOW,
        used: new Map(
          Object.entries(minutes).map(([id, working]) => [
            id,
            { minutes: { ...NO_MINUTES, working }, spans: [['working', working]] },
          ]),
        ),
      },
    }),
  );
const someSite = fc.record({
  facts: someFacts,
  machines: fc.array(someMachine, { minLength: 1, maxLength: 5 }),
  samples: someSamples,
  later_s: fc.integer({ min: 0, max: 1000 }),
});
type Site = typeof someSite extends fc.Arbitrary<infer S> ? S : never;

function siteBoard(site: Site, samples = site.samples, widgets: readonly PlacedWidget[] = WIDGETS): BoardInput {
  const machines = site.machines.map(({ status, interval_s }, i) => machine(`m${i}`, { status, interval_s }));
  const t = samples.map(([s]) => NOW / 1000 + s);
  const v = samples.map(([, number]) => number);
  return board(
    widgets,
    machines,
    {},
    {
      now_ms: NOW + site.later_s * 1000,
      live: (id) => site.machines[Number(id.slice(1))]?.live,
      facts: site.facts,
      series: (_id, _signal, step) => bucketise({ t, v }, step),
    },
  );
}

test('[V9] applying the patches to the old view gives the new view', () => {
  fc.assert(
    fc.property(someSite, someSite, fc.boolean(), (before, after, sameFleet) => {
      const next = sameFleet
        ? {
            ...after,
            machines: before.machines.map((old, i) => ({ ...old, ...after.machines[i], status: old.status })),
          }
        : { ...after, machines: after.machines.slice(0, before.machines.length) };
      for (const widgets of [WIDGETS, LARGE_MAP]) {
        const a = composeBoard(siteBoard(before, before.samples, widgets));
        const b = { ...composeBoard(siteBoard(next, next.samples, widgets)), subtitle: a.subtitle };
        const patches = diffBoard(a, b);
        assert.ok(patches);
        assert.deepEqual(applyPatches([a], patches)[0], b);
      }
    }),
  );
});

test('[V40] a machine in the list of a map that changes is one patch', () => {
  const machines = ['a', 'b', 'c'].map((id) => machine(id, { status: 'down' }));
  const live = Object.fromEntries(machines.map(({ id }) => [id, facts(5, {}, 'off')]));
  const before = composeBoard(board(LARGE_MAP, machines, live));
  const after = composeBoard(board(LARGE_MAP, machines, { ...live, b: facts(1, {}, 'off') }));
  const patches = diffBoard(before, after) ?? [];
  assert.deepEqual(
    patches.map((patch) => 'machine' in patch && patch.machine.id),
    ['b'],
  );
  assert.deepEqual(applyPatches([before], patches)[0], after);
});

test('[V9] a machine that changes its place among the others is one patch', () => {
  const machines = ['a', 'b', 'c', 'd'].map((id) => machine(id));
  const grid = [place({ id: 'grid', type: 'status_board' })];
  const live = Object.fromEntries(machines.map(({ id }) => [id, facts(1)]));
  const before = composeBoard(board(grid, machines, live));
  for (const id of ['a', 'c', 'd'])
    for (const status of ['idle', 'off'] as const) {
      const after = composeBoard(board(grid, machines, { ...live, [id]: facts(1, {}, status) }));
      const patches = diffBoard(before, after) ?? [];
      assert.deepEqual(
        patches.map((patch) => 'machine' in patch && patch.machine.id),
        [id],
      );
      assert.deepEqual(applyPatches([before], patches)[0], after);
    }
});

test('[V9] a trend that goes on is patched by its new points alone', () => {
  fc.assert(
    fc.property(
      someSamples,
      fc.array(fc.tuple(fc.integer({ min: 31, max: 90 }), fc.nat(100)), { minLength: 1, maxLength: 20 }),
      (old, more) => {
        const site: Site = {
          facts: NO_FACTS,
          machines: [{ live: undefined, status: 'in_use', interval_s: null }],
          samples: old,
          later_s: 40,
        };
        const a = composeBoard(siteBoard(site));
        const b = composeBoard(siteBoard({ ...site, later_s: 100 }, [...old, ...more]));
        const patches = diffBoard(a, b) ?? [];
        assert.deepEqual(applyPatches([a], patches)[0], b);
      },
    ),
  );
  const steady = Array.from({ length: 100 }, (_, i): [number, number] => [-600 + 6 * i, i]);
  const site: Site = {
    facts: NO_FACTS,
    machines: [{ live: undefined, status: 'in_use', interval_s: null }],
    samples: steady,
    later_s: 10,
  };
  const a = composeBoard(siteBoard(site));
  const b = composeBoard(siteBoard({ ...site, later_s: 20 }, [...steady, [10, 1], [14, 3]]));
  const [patch] = (diffBoard(a, b) ?? []).filter(({ widget }) => widget === 'trend');
  assert.ok(patch !== undefined && 'line' in patch);
  assert.ok(patch.t.length > 0 && patch.t.length < 5);
});

test('[V9] recomposing with everything changed is composing; with nothing changed it is the same object', () => {
  fc.assert(
    fc.property(someSite, someSite, (before, after) => {
      const a = composeBoard(siteBoard(before));
      const input = siteBoard({
        ...after,
        machines: before.machines.map((old, i) => ({ ...old, ...after.machines[i] })),
      });
      const machines = new Set(input.machines.map(({ id }) => id));
      assert.deepEqual(recomposeBoard(a, input, { machines, trends: true, facts: true }), composeBoard(input));
      assert.equal(recomposeBoard(a, input, { machines: new Set(), trends: false, facts: false }), a);
    }),
  );
});

test('[V11] a board is the same without the values that none of its widgets shows', () => {
  fc.assert(
    fc.property(someSite, fc.subarray([...WIDGETS]), (site, widgets) => {
      const whole = siteBoard(site);
      const input = { ...whole, dashboard: { ...whole.dashboard, widgets } };
      const shown: readonly string[] = boardSignals(input.dashboard);
      const live = (id: string): EquipmentLive | undefined => {
        const all = input.live(id);
        if (all === undefined || all.last_live_data_at === null) return all;
        const values = Object.fromEntries(Object.entries(all.values).filter(([name]) => shown.includes(name)));
        return { ...all, values };
      };
      assert.deepEqual(composeBoard({ ...input, live }), composeBoard(input));
    }),
  );
});

test('[V9] a board that was renamed or rearranged cannot be patched', () => {
  const view = composeBoard(board(WIDGETS, [machine('m0')], {}));
  assert.equal(diffBoard(view, { ...view, name: 'Other' }), undefined);
  assert.equal(diffBoard(view, { ...view, widgets: view.widgets.slice(1) }), undefined);
});

test('[V5] the order of tiles is total', () => {
  fc.assert(
    fc.property(fc.array(someMachine, { minLength: 2, maxLength: 6 }), (machines) => {
      const view = composeBoard(siteBoard({ facts: NO_FACTS, machines, samples: [], later_s: 0 }));
      const tiles = dataOf(view, 'status_board').machines;
      for (const a of tiles)
        for (const b of tiles) {
          if (a !== b) assert.equal(Math.sign(compareTiles(a, b)), -Math.sign(compareTiles(b, a)));
        }
    }),
  );
});
