/** The texts and marks that a TV shows for data of each age and freshness. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FRESHNESS } from '#contract/base/freshness.ts';
import type { Reason } from '#contract/site/trouble.ts';
import { type Moment, machineFreshness, shownStatus, valueFreshness } from '#ui/tiles/ageing.ts';
import { countsOf, drawMachine } from '#ui/tiles/machine-drawing.ts';
import { alertLines, mostUrgentOn, quietLine } from '#ui/tv/alerts.ts';
import { createSiteClock } from '#ui/tv/site-clock.ts';
import { board, machine, NOW, reason, value } from './kit.ts';

const live: Moment = { now: NOW, live: true, lastMessageMs: NOW };
const lost = (seconds: number): Moment => ({ now: NOW + seconds * 1000, live: false, lastMessageMs: NOW });
const RANK = new Map(FRESHNESS.map((one, i) => [one, i]));

test('[U1] no value becomes fresher than the gateway sent it, at any age, live or not', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FRESHNESS),
      fc.constantFrom('gauge', 'level', 'meter'),
      fc.integer({ min: -5_000, max: 4_000_000 }),
      fc.boolean(),
      (freshness, kind, age, isLive) => {
        const at = { now: NOW + age, live: isLive, lastMessageMs: NOW };
        const drawn = value({ freshness, kind: kind as 'gauge', as_of_ms: NOW });
        assert.ok((RANK.get(valueFreshness(drawn, at)) ?? 0) >= (RANK.get(freshness) ?? 0));
        const tile = machine({ freshness, last_data_ms: NOW });
        assert.ok((RANK.get(machineFreshness(tile, at)) ?? 0) >= (RANK.get(freshness) ?? 0));
      },
    ),
  );
});

test('[U1] without the gateway a gauge ages, becomes stale and is hidden; a level stays', () => {
  const walk = (kind: 'gauge' | 'level') =>
    [16, 61, 601].map((s) => valueFreshness(value({ kind, as_of_ms: NOW }), lost(s)));
  assert.deepEqual(walk('gauge'), ['ageing', 'stale', 'none']);
  assert.deepEqual(walk('level'), ['ageing', 'stale', 'stale']);
});

test('[U1] the age of a count without a time counts from the last message of the gateway', () => {
  const count = value({ as_of_ms: null, unit: 'machines' });
  assert.equal(valueFreshness(count, lost(61)), 'stale');
});

test('[U1] without the gateway a machine is shown as running for at most five minutes', () => {
  assert.equal(shownStatus(machine(), lost(200)), 'running');
  assert.equal(shownStatus(machine(), lost(302)), 'unknown');
});

test('[U3] a stale machine shows its age, and its value marked as last', () => {
  const drawing = drawMachine(machine({ freshness: 'stale', last_data_ms: NOW - 180_000 }), live);
  assert.deepEqual(drawing.detail, ['last 41.2 L/h · 3 min', '3 min ago', '3 min']);
  assert.equal(drawing.freshness, 'stale');
});

test('[U3] a machine without data shows no value', () => {
  const gone = machine({ freshness: 'none', live_status: 'unknown', last_data_ms: NOW - 1_080_000 });
  const drawing = drawMachine(gone, live);
  assert.deepEqual(drawing.word, ['No data']);
  assert.deepEqual(drawing.detail, ['18 min ago', '18 min']);
});

test('[U4] a machine that is reported down but runs shows both, marked as a contradiction', () => {
  const drawing = drawMachine(machine({ status: 'down', conflict: true }), live);
  assert.equal(drawing.chip?.text, 'Down');
  assert.equal(drawing.live, 'running');
  assert.equal(drawing.conflict, true);
  assert.equal(drawing.word[0], 'But running now');
  assert.match(drawing.sentence, /reported down, but running now/);
});

test('[U4] a reported status that only a newer version knows is shown as unknown', () => {
  const drawing = drawMachine(machine({ status: 'unknown' }), live);
  assert.equal(drawing.chip?.text, 'Status unknown');
  assert.match(drawing.sentence, /status unknown/);
});

test('[U4] a contradiction disappears when the data is stale', () => {
  for (const seconds of [90, 700]) {
    assert.equal(drawMachine(machine({ status: 'down', conflict: true }), lost(seconds)).conflict, false);
  }
  const drawing = drawMachine(machine({ status: 'down', conflict: true }), lost(700));
  assert.equal(drawing.chip?.text, 'Down');
});

test('[U4] data without an engine state shows "State unknown", not "No data"', () => {
  const drawing = drawMachine(machine({ live_status: 'unknown' }), live);
  assert.deepEqual(drawing.word, ['State unknown', 'No state']);
  assert.deepEqual(drawing.detail, ['41.2 L/h']);
});

test('[U31] a machine with a critical alert shows the alert with value and age, and its state', () => {
  const drawing = drawMachine(machine({ live_status: 'unknown', reasons: [reason()] }), live);
  assert.deepEqual([drawing.grade, drawing.mark], ['act', 'critical']);
  assert.deepEqual(drawing.headline, ['Coolant 110 °C · 5 min', 'Coolant 110 °C', '110 °C', 'Coolant']);
  assert.equal(drawing.word[0], 'State unknown');
  assert.match(drawing.sentence, /^HT-01: Coolant 110 °C · 5 min, state unknown/);
});

test('[U31] every grade has its own shape, and a reason that the chip or the state shows has no headline', () => {
  const of = (more: Partial<Reason>) => drawMachine(machine({ reasons: [reason(more)] }), live);
  assert.deepEqual(
    [of({}), of({ grade: 'look' }), of({ grade: 'note' }), of({ cause: 'silent', grade: 'look' })].map(
      ({ mark }) => mark,
    ),
    ['critical', 'warning', 'info', 'nodata'],
  );
  for (const more of [{ cause: 'down' }, { cause: 'silent' }, { grade: 'note' }] as const)
    assert.deepEqual(of(more).headline, []);
  assert.equal(drawMachine(machine(), live).grade, null);
});

test('[U31] without the gateway a contradiction is no reason; alerts and reported status stay', () => {
  const reasons = [
    reason({ cause: 'conflict', points: 60, says: { code: 'down_running', params: {} } }),
    reason({ cause: 'down', points: 60, says: { code: 'down', params: {} } }),
  ];
  const down = machine({ status: 'down', conflict: true, reasons });
  assert.equal(drawMachine(down, live).reason?.cause, 'conflict');
  assert.equal(drawMachine(down, lost(700)).reason?.cause, 'down');
  assert.equal(drawMachine(machine({ reasons: [reason()] }), lost(700)).reason?.cause, 'alert');
});

test('[U32] all boards of a playlist have the same most urgent machine, or none without grade act', () => {
  const placed = (id: string, place: number, more: Partial<Reason> = {}) =>
    machine({ id, reasons: [reason(more)], attention: { score: 70, place } });
  const worst = placed('w', 1);
  const bad = placed('b', 2);
  const soon = placed('s', 3, { grade: 'look', points: 99 });
  const fleet = board({ type: 'status_board', machines: [soon, bad] });
  const list = board({ type: 'machine_list', list: { columns: [], rows: [{ ...worst, values: [] }] } });
  assert.equal(mostUrgentOn([fleet, list]), 'w');
  assert.equal(mostUrgentOn([fleet]), 'b');
  assert.equal(mostUrgentOn([board({ type: 'status_board', machines: [soon] })]), null);
});

test('[U12] a machine with a tile, an alert and an extreme value has one line in the footer', () => {
  const hot = machine({ reasons: [reason()] });
  const row = {
    id: 'alr_1',
    severity: 'critical' as const,
    rule_name: 'Coolant hot',
    detail: '',
    equipment_id: hot.id,
    unit_number: 'HT-01',
    paired: true,
    raised_ms: NOW,
    acknowledged: null,
    late: false,
  };
  const feed = board({ type: 'alert_feed', alerts: { rows: [row], row_count: 1, total: 1, unacknowledged: 1 } });
  const extreme = (of?: { id: string; unit_number: string }) =>
    board({
      type: 'kpi',
      kpi: {
        value: value({ label: 'Coolant', text: '110', unit: '°C', level: 'critical' }),
        note: null,
        ...(of === undefined ? {} : { of }),
        min: 0,
        max: 120,
        thresholds: [],
      },
    });
  const own = { id: hot.id, unit_number: 'HT-01' };
  const fleet = board({ type: 'status_board', machines: [hot] });
  const said = (boards: Parameters<typeof alertLines>[0]) => alertLines(boards, live).map(({ texts }) => texts[0]);
  assert.deepEqual(said([feed, extreme(own), fleet]), ['HT-01 coolant 110 °C']);
  assert.deepEqual(said([extreme(own)]), ['HT-01 coolant 110 °C']);
  assert.deepEqual(
    said([extreme(own), board({ type: 'status_board', machines: [machine()] })]),
    [],
    '[U388] counted as fine',
  );
  assert.deepEqual(said([extreme()]), ['Coolant 110 °C']);
});

test('[U5] a machine without a usable value shows only "No data yet"', () => {
  const silent = machine({ freshness: 'never', last_data_ms: null, live_status: 'unknown', primary: null });
  const drawing = drawMachine(silent, live);
  assert.equal(drawing.word[0], 'No data yet');
  assert.deepEqual(drawing.detail, []);
});

test('[U6] message delay or a clock that is set back does not make data look fresher', () => {
  let mono = 0;
  let wall = NOW - 3_600_000;
  const clock = createSiteClock(
    () => mono,
    () => wall,
  );
  clock.learn(NOW);
  assert.equal(clock.now(), NOW);
  mono += 10_000;
  wall -= 7_200_000;
  assert.equal(clock.now(), NOW + 10_000);
  mono += 5_000;
  clock.learn(NOW + 15_000 - 800);
  assert.equal(clock.now(), NOW + 15_000);
});

test('[U6] the site clock counts the time that a device slept', () => {
  let wall = NOW;
  const clock = createSiteClock(
    () => 0,
    () => wall,
  );
  clock.learn(NOW);
  wall += 600_000;
  assert.equal(clock.now(), NOW + 600_000);
});

test('[U6] the site clock follows a change of the gateway clock at once', () => {
  const clock = createSiteClock(
    () => 0,
    () => NOW,
  );
  clock.learn(NOW + 86_400_000);
  clock.learn(NOW);
  assert.ok(Math.abs(clock.now() - NOW) < 1_000);
});

test('[U12] the footer lists the most urgent first and each machine once, over all boards', () => {
  const tiles = [
    machine({
      id: 'a',
      unit_number: 'EX-2',
      freshness: 'none',
      live_status: 'unknown',
      reasons: [
        reason({
          cause: 'silent',
          grade: 'look',
          points: 25,
          says: { code: 'silent', params: {} },
          since_ms: NOW - 1_080_000,
        }),
      ],
    }),
    machine({
      id: 'b',
      unit_number: 'HT-03',
      primary: value({ label: 'Coolant', text: '109', unit: '°C', level: 'warning' }),
    }),
    machine({
      id: 'c',
      unit_number: 'LD-7',
      status: 'down',
      live_status: 'off',
      reasons: [reason({ cause: 'down', points: 50, says: { code: 'down', params: {} }, since_ms: null })],
    }),
    machine({
      id: 'd',
      unit_number: 'LD-8',
      status: 'maintenance',
      conflict: true,
      reasons: [reason({ cause: 'conflict', grade: 'look', points: 30, says: { code: 'service_moving', params: {} } })],
    }),
    machine({
      id: 'e',
      unit_number: 'WT-1',
      reasons: [reason({ points: 70, says: { code: 'level', params: { label: 'DEF level', value: '3', unit: '%' } } })],
    }),
    machine({ id: 'g', unit_number: 'GR-1', reasons: [reason({ grade: 'note', points: 12 })] }),
    machine({ id: 'f' }),
  ];
  const one = board({ type: 'status_board', machines: tiles });
  const lines = alertLines([one, { ...one, id: 'b2' }], live);
  assert.deepEqual(
    lines.map(({ texts }) => texts[0]),
    ['WT-1 DEF level 3 %', 'LD-7 down', 'LD-8 in service, yet running', 'EX-2 no data · 18 min'],
  );
});

test('[U12] losing the gateway adds no footer line', () => {
  const silent = reason({
    cause: 'silent',
    grade: 'note',
    points: 12,
    says: { code: 'silent', params: {} },
    since_ms: NOW,
  });
  const tiles = [
    machine({ id: 'a' }),
    machine({ id: 'b', unit_number: 'EX-2', freshness: 'stale', reasons: [silent] }),
  ];
  const lines = alertLines([board({ type: 'status_board', machines: tiles })], lost(300));
  assert.deepEqual(
    lines.map(({ texts }) => texts[0]),
    ['EX-2 no data · 5 min'],
  );
});

test('[U12] without alerts the footer shows how many machines report', () => {
  const tiles = [machine({ id: 'a' }), machine({ id: 'b', freshness: 'stale' })];
  const line = quietLine([board({ type: 'status_board', machines: tiles })], live);
  assert.equal(line, 'No alerts · 1 of 2 machines reporting');
});

test('[U1] the maximum age of a widget also applies without the gateway', () => {
  const at = (s: number, max_age_s: number) =>
    valueFreshness(value({ as_of_ms: NOW, max_age_s, freshness: 'fresh' }), lost(s));
  assert.deepEqual(
    [at(11, 10), at(59, 3_600), at(3_599, 3_600), at(3_601, 3_600)],
    ['stale', 'ageing', 'ageing', 'none'],
  );
  assert.equal(machineFreshness(machine({ last_data_ms: NOW, max_age_s: 10 }), lost(16)), 'stale');
});

test('[U12] the footer includes machines of lists and maps, and alerts without acknowledgement', () => {
  const reasons = [reason({ cause: 'down', points: 50, says: { code: 'down', params: {} }, since_ms: null })];
  const down = machine({ id: 'eq_2', unit_number: 'EX-07', status: 'down', live_status: 'off', reasons });
  const list = board({ type: 'machine_list', list: { columns: [], rows: [{ ...down, values: [] }] } });
  const row = {
    id: 'alr_1',
    severity: 'critical' as const,
    rule_name: 'Coolant hot',
    detail: '',
    equipment_id: 'eq_1',
    unit_number: 'HT-01',
    paired: true,
    raised_ms: NOW,
    acknowledged: null,
    late: false,
  };
  const seen = { ...row, id: 'alr_2', acknowledged: { at_ms: NOW, by: 'Ana' } };
  const info = { ...row, id: 'alr_3', severity: 'info' as const };
  const feed = board({
    type: 'alert_feed',
    alerts: { rows: [row, seen, info], row_count: 3, total: 3, unacknowledged: 2 },
  });
  assert.deepEqual(
    alertLines([list, feed], live).map(({ texts }) => texts[0]),
    ['HT-01 Coolant hot', 'EX-07 down'],
  );
  assert.match(quietLine([list], live), /1 of 1 machine/);
});

test('[U388] no threshold of a widget changes the mark of a machine, its count or its footer line', () => {
  const grade = fc.constantFrom('act' as const, 'look' as const, 'note' as const);
  const level = fc.constantFrom('normal' as const, 'warning' as const, 'critical' as const);
  fc.assert(
    fc.property(
      fc.option(grade),
      fc.constantFrom('alert' as const, 'silent' as const, 'conflict' as const),
      level,
      level,
      fc.constantFrom(...FRESHNESS),
      fc.constantFrom('in_use' as const, 'down' as const, 'maintenance' as const),
      fc.option(fc.integer({ min: 1, max: 9 })),
      (band, cause, here, there, freshness, status, place) => {
        const draw = (reached: typeof here) => {
          const tile = machine({
            freshness,
            status,
            primary: value({ level: reached }),
            reasons: band === null ? [] : [reason({ grade: band, cause })],
            attention: { score: 0, place },
          });
          const { mark, grade: shown } = drawMachine(tile, live);
          const one = board({ type: 'status_board', machines: [tile] });
          return { mark, shown, counts: countsOf([tile], live), lines: alertLines([one], live) };
        };
        const one = draw(here);
        assert.deepEqual(one, draw(there), 'two boards with other thresholds say the same');
        const isMarked = one.shown === 'act' || one.shown === 'look';
        if (one.shown === 'act' || one.shown === 'look') assert.equal(one.counts[one.shown], 1);
        if (one.counts.fine === 1) assert.equal(isMarked || place !== null, false);
      },
    ),
  );
});
