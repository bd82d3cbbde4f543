/** The numbers of a `kpi` tile about a site: the shift against its target, repairs, and yesterday. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Widget } from '#contract/site/widget.ts';
import type { ShiftMinutes } from '#contract/work/shift-report.ts';
import { composeBoard } from '#domain/board/board.ts';
import { type BoardFacts, type BoardShift, NO_FACTS } from '#domain/board/facts.ts';
import { ago, boardInput, machine, NO_MINUTES, NOW, ticket } from './board-kit.ts';

const machines = [machine('a', { kind: 'haul_truck' }), machine('b')];
const AREA = { x: 0, y: 0, w: 3, h: 2 };

function kpi(given: { query: object; thresholds?: object[] }, facts: Partial<BoardFacts>) {
  const widget = Widget.parse({ id: 'w', type: 'kpi', position: AREA, ...given });
  const input = boardInput([{ ...widget, id: 'w' }], { machines, facts: { ...NO_FACTS, ...facts } });
  const data = composeBoard(input).widgets[0]?.data;
  assert.equal(data?.type, 'kpi');
  return data.kpi;
}

const shiftOf = (target_percent: number | null, minutes: Record<string, Partial<ShiftMinutes>>): BoardShift => ({
  now: { name: 'day', from_ms: NOW - 3_600_000, to_ms: NOW + 3_600_000 },
  next: null,
  computed_ms: NOW,
  target_percent,
  used: new Map(Object.entries(minutes).map(([id, own]) => [id, { minutes: { ...NO_MINUTES, ...own }, spans: [] }])),
});

test('[V42] the working share of a shift is of the known time, and the target of the site is a lower limit', () => {
  const minutes = { a: { working: 30, idle: 10, unknown: 5 }, b: { working: 20, down: 40, unknown: 3 } };
  const query = { aggregate: 'working_in_shift' };
  const shown = kpi({ query }, { shift: shiftOf(75, minutes) });
  assert.deepEqual(
    [shown.value.text, shown.value.unit, shown.note, shown.value.level],
    ['50', '%', 'target 75 %', 'warning'],
  );
  assert.deepEqual(shown.thresholds, [{ at: 75, level: 'warning', below: true }]);
  assert.equal(kpi({ query }, { shift: shiftOf(50, minutes) }).value.level, 'normal');
  const free = kpi({ query }, { shift: shiftOf(null, minutes) });
  assert.deepEqual([free.note, free.thresholds, free.value.level], ['of the known time', [], 'normal']);
  const much = kpi({ query }, { shift: shiftOf(75, { a: { working: 30, unknown: 30 } }) });
  assert.deepEqual([much.value.text, much.note, much.value.level], ['100', '50 % unknown', 'normal']);
  const own = kpi({ query, thresholds: [{ at: 40, level: 'critical', below: true }] }, { shift: shiftOf(75, minutes) });
  assert.deepEqual([own.thresholds.length, own.value.level], [1, 'normal']);
  const trucks = kpi({ query: { ...query, kind: 'haul_truck' } }, { shift: shiftOf(75, minutes) });
  assert.equal(trucks.value.text, '75');
  const most = kpi({ query }, { shift: shiftOf(75, { a: { working: 29, unknown: 31 } }) });
  assert.deepEqual([most.value.text, most.value.level], [null, 'normal'], 'most of the shift is not known');
  const unknown = kpi({ query }, { shift: shiftOf(75, { a: { unknown: 60 } }) });
  assert.deepEqual([unknown.value.text, unknown.value.freshness, unknown.value.level], [null, 'none', 'normal']);
  assert.equal(kpi({ query }, { shift: { ...shiftOf(75, minutes), now: null } }).value.text, null);
});

test('[V42] the longest stoppage and the oldest open repair name their machine, and none of them is said in words', () => {
  const down = { aggregate: 'longest_down' };
  const shown = kpi({ query: down }, { shift: shiftOf(null, { a: { down: 20 }, b: { down: 112 } }) });
  assert.deepEqual([shown.value.text, shown.value.unit, shown.of?.unit_number], ['1.9', 'h', 'B']);
  const short = kpi({ query: down }, { shift: shiftOf(null, { a: { down: 20 } }) });
  assert.deepEqual([short.value.text, short.value.unit, short.of?.unit_number], ['20', 'min', 'A']);
  const none = kpi({ query: down }, { shift: shiftOf(null, { a: { working: 20 } }) });
  assert.deepEqual([none.value.text, none.note, none.of], ['0', 'none down', undefined]);

  const repairs = { aggregate: 'oldest_repair' };
  const DAY_S = 86_400;
  const tickets = [
    ticket('t1', { equipment_id: 'a', title: 'Lamp', flagged_at: ago(3 * DAY_S), status: 'in_progress' }),
    ticket('t2', { equipment_id: 'b', title: 'Hose', flagged_at: ago(2 * DAY_S), status: 'flagged' }),
    ticket('t3', { equipment_id: 'b', title: 'Done', flagged_at: ago(9 * DAY_S), status: 'fixed' }),
    ticket('t4', { equipment_id: 'gone', title: 'Sold', flagged_at: ago(9 * DAY_S), status: 'flagged' }),
  ];
  const oldest = kpi({ query: repairs }, { tickets });
  assert.deepEqual(
    [oldest.value.text, oldest.value.unit, oldest.of?.unit_number, oldest.note],
    ['3 d 0 h', '', 'A', 'Lamp'],
  );
  const young = kpi(
    { query: repairs },
    { tickets: [ticket('t5', { equipment_id: 'a', title: 'New', flagged_at: ago(7_300) })] },
  );
  assert.equal(young.value.text, '2 h');
  assert.deepEqual(
    [kpi({ query: repairs }, {}).value.text, kpi({ query: repairs }, {}).note],
    ['0', 'no open repairs'],
  );
});

test('[V42] fuel of the shift says how many meters are counted, and yesterday is compared with the target', () => {
  const day = { from_ms: NOW - 1, to_ms: NOW, working_percent: 61.4, unknown_percent: 0, sentences: [] };
  const shift = { name: 'day', from_ms: NOW - 1, fuel_l: 3_412, fuel_machines: 11, machines: 12 };
  const days = { yesterday: day, today: day, shift };
  const fuel = kpi({ query: { aggregate: 'fuel_in_shift' } }, { days });
  assert.deepEqual([fuel.value.value, fuel.value.unit, fuel.note], [3_412, 'L', '11 of 12 known']);
  const none = kpi({ query: { aggregate: 'fuel_in_shift' } }, { days: { ...days, shift: null } });
  assert.deepEqual([none.value.text, none.value.freshness], [null, 'none']);
  const yesterday = kpi({ query: { aggregate: 'worked_yesterday' } }, { days, shift: shiftOf(70, {}) });
  assert.deepEqual([yesterday.value.text, yesterday.note, yesterday.value.level], ['61', 'target 70 %', 'warning']);
});

test('[V42] a number of the whole site takes no choice of machines, and only a kpi shows numbers of the site', () => {
  const parse = (type: string, query: object) => Widget.safeParse({ type, position: AREA, query });
  for (const aggregate of ['fuel_in_shift', 'worked_yesterday']) {
    assert.ok(parse('kpi', { aggregate }).success);
    assert.match(String(parse('kpi', { aggregate, kind: 'haul_truck' }).error), /is known only for all machines/);
  }
  assert.ok(parse('kpi', { aggregate: 'oldest_repair', kind: 'haul_truck' }).success);
  assert.match(
    String(parse('timeseries', { aggregate: 'oldest_repair' }).error),
    /only a kpi widget can show query.aggregate oldest_repair/,
  );
});
