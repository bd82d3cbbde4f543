/** What a screen may still claim, and in which words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FRESHNESS } from '#contract/signals.ts';
import { drawMachine } from '#ui/tiles/machine-drawing.ts';
import { type Moment, machineFreshness, shownStatus, valueFreshness } from '#ui/tv/ageing.ts';
import { alertLines, quietLine } from '#ui/tv/alerts.ts';
import { createSiteClock } from '#ui/tv/site-clock.ts';
import { board, machine, NOW, value } from './kit.ts';

const live: Moment = { now: NOW, live: true, heard: NOW };
const lost = (seconds: number): Moment => ({ now: NOW + seconds * 1000, live: false, heard: NOW });
const RANK = new Map(FRESHNESS.map((one, i) => [one, i]));

test('[U1] no value becomes fresher than the gateway said, at any age, live or not', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FRESHNESS),
      fc.constantFrom('gauge', 'level', 'meter'),
      fc.integer({ min: -5_000, max: 4_000_000 }),
      fc.boolean(),
      (freshness, kind, age, isLive) => {
        const at = { now: NOW + age, live: isLive, heard: NOW };
        const drawn = value({ freshness, kind: kind as 'gauge', as_of_ms: NOW });
        assert.ok((RANK.get(valueFreshness(drawn, at)) ?? 0) >= (RANK.get(freshness) ?? 0));
        const tile = machine({ freshness, last_data_ms: NOW });
        assert.ok((RANK.get(machineFreshness(tile, at)) ?? 0) >= (RANK.get(freshness) ?? 0));
      },
    ),
  );
});

test('[U1] without the gateway a fresh gauge ages, goes stale and is withdrawn; a level stays', () => {
  const walk = (kind: 'gauge' | 'level') =>
    [16, 61, 601].map((s) => valueFreshness(value({ kind, as_of_ms: NOW }), lost(s)));
  assert.deepEqual(walk('gauge'), ['ageing', 'stale', 'none']);
  assert.deepEqual(walk('level'), ['ageing', 'stale', 'stale']);
});

test('[U1] a count without a time of its own is as old as the last word of the gateway', () => {
  const count = value({ as_of_ms: null, unit: 'machines' });
  assert.equal(valueFreshness(count, lost(61)), 'stale');
});

test('[U1] a machine is not called running longer than five minutes without the gateway', () => {
  assert.equal(shownStatus(machine(), lost(200)), 'running');
  assert.equal(shownStatus(machine(), lost(302)), 'unknown');
});

test('[U3] a stale machine says its age, and its number only as the last one', () => {
  const drawing = drawMachine(machine({ freshness: 'stale', last_data_ms: NOW - 180_000 }), live);
  assert.deepEqual(drawing.detail, ['last 41.2 L/h · 3 min', '3 min ago', '3 min']);
  assert.equal(drawing.freshness, 'stale');
});

test('[U3] a machine without data shows no number', () => {
  const gone = machine({ freshness: 'none', live_status: 'unknown', last_data_ms: NOW - 1_080_000 });
  const drawing = drawMachine(gone, live);
  assert.deepEqual(drawing.word, ['No data']);
  assert.deepEqual(drawing.detail, ['18 min ago', '18 min']);
});

test('[U4] down by people and running by itself are both drawn, and marked as a contradiction', () => {
  const drawing = drawMachine(machine({ status: 'down', conflict: true }), live);
  assert.equal(drawing.chip?.text, 'Down');
  assert.equal(drawing.live, 'running');
  assert.equal(drawing.conflict, true);
  assert.equal(drawing.word[0], 'Running now');
  assert.match(drawing.sentence, /reported down, running now/);
});

test('[U4] a contradiction ends when nobody vouches for the running any more', () => {
  for (const seconds of [90, 700]) {
    assert.equal(drawMachine(machine({ status: 'down', conflict: true }), lost(seconds)).conflict, false);
  }
  const drawing = drawMachine(machine({ status: 'down', conflict: true }), lost(700));
  assert.equal(drawing.chip?.text, 'Down');
});

test('[U4] data that does not tell the engine state reads as unknown state, not as no data', () => {
  const drawing = drawMachine(machine({ live_status: 'unknown' }), live);
  assert.deepEqual(drawing.word, ['State unknown', 'No state']);
  assert.deepEqual(drawing.detail, ['41.2 L/h']);
});

test('[U5] a machine that never sent says so and shows nothing else', () => {
  const silent = machine({ freshness: 'never', last_data_ms: null, live_status: 'unknown', primary: null });
  const drawing = drawMachine(silent, live);
  assert.equal(drawing.word[0], 'Not transmitting yet');
  assert.deepEqual(drawing.detail, []);
});

test('[U6] neither message delay nor a clock set back makes the site clock run back or data look younger', () => {
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

test('[U6] a page that slept counts the time it slept', () => {
  let wall = NOW;
  const clock = createSiteClock(
    () => 0,
    () => wall,
  );
  clock.learn(NOW);
  wall += 600_000;
  assert.equal(clock.now(), NOW + 600_000);
});

test('[U6] a gateway whose clock was set is believed at once', () => {
  const clock = createSiteClock(
    () => 0,
    () => NOW,
  );
  clock.learn(NOW + 86_400_000);
  clock.learn(NOW);
  assert.ok(Math.abs(clock.now() - NOW) < 1_000);
});

test('[U12] the footer has the worst first, each machine once, over all boards', () => {
  const tiles = [
    machine({ id: 'a', unit_number: 'EX-2', freshness: 'none', live_status: 'unknown', last_data_ms: NOW - 1_080_000 }),
    machine({
      id: 'b',
      unit_number: 'HT-03',
      primary: value({ label: 'Coolant', text: '109', unit: '°C', level: 'warning' }),
    }),
    machine({ id: 'c', unit_number: 'LD-7', status: 'down', live_status: 'off' }),
    machine({ id: 'd', unit_number: 'LD-8', status: 'down', conflict: true }),
    machine({ id: 'e', unit_number: 'WT-1', stop_lamp: true }),
    machine({ id: 'f' }),
  ];
  const one = board({ type: 'status_board', machines: tiles });
  const lines = alertLines([one, { ...one, id: 'b2' }], live);
  assert.deepEqual(
    lines.map((line) => line.text),
    ['LD-7 down', 'WT-1 stop lamp', 'LD-8 reported down, running now', 'HT-03 coolant 109 °C', 'EX-2 no data · 18 min'],
  );
});

test('[U12] a lost gateway is no news about machines', () => {
  const tiles = [machine({ id: 'a' }), machine({ id: 'b', unit_number: 'EX-2', freshness: 'stale' })];
  const lines = alertLines([board({ type: 'status_board', machines: tiles })], lost(300));
  assert.deepEqual(
    lines.map((line) => line.text),
    ['EX-2 no data · 5 min'],
  );
});

test('[U12] nothing to say names how many machines that rests on', () => {
  const tiles = [machine({ id: 'a' }), machine({ id: 'b', freshness: 'stale' })];
  const line = quietLine([board({ type: 'status_board', machines: tiles })], live);
  assert.equal(line, 'No alerts · 1 of 2 machines reporting');
});

test('[U1] a bound of the widget holds on a screen without the gateway too', () => {
  const at = (s: number, max_age_s: number) =>
    valueFreshness(value({ as_of_ms: NOW, max_age_s, freshness: 'fresh' }), lost(s));
  assert.deepEqual(
    [at(11, 10), at(59, 3_600), at(3_599, 3_600), at(3_601, 3_600)],
    ['stale', 'ageing', 'ageing', 'none'],
  );
  assert.equal(machineFreshness(machine({ last_data_ms: NOW, max_age_s: 10 }), lost(16)), 'stale');
});

test('[U12] the footer knows machines of lists and maps, and alerts that nobody has acknowledged', () => {
  const down = machine({ id: 'eq_2', unit_number: 'EX-07', status: 'down', live_status: 'off' });
  const list = board({ type: 'machine_list', list: { columns: [], rows: [{ ...down, values: [] }] } });
  const row = {
    id: 'alr_1',
    severity: 'critical' as const,
    rule_name: 'Coolant hot',
    detail: '',
    unit_number: 'HT-01',
    paired: true,
    raised_ms: NOW,
    acknowledged: null,
    late: false,
  };
  const seen = { ...row, id: 'alr_2', acknowledged: { at_ms: NOW, by: 'Ana' } };
  const info = { ...row, id: 'alr_3', severity: 'info' as const };
  const feed = board({ type: 'alert_feed', alerts: { rows: [row, seen, info], total: 3, unacknowledged: 2 } });
  assert.deepEqual(
    alertLines([list, feed], live).map(({ text }) => text),
    ['EX-07 down', 'HT-01 Coolant hot'],
  );
  assert.match(quietLine([list], live), /1 of 1 machines/);
});
