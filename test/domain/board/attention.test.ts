/** How urgently a machine needs people, and that every tile gets the same answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FRESHNESS } from '#contract/base/freshness.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { EQUIPMENT_STATUS, LIVE_STATUS } from '#contract/fleet/equipment.ts';
import type { MachineTile, Reason, WidgetData } from '#contract/site/live.ts';
import { compareReasons, compareTiles } from '#contract/site/live-apply.ts';
import { type PlacedWidget, Widget } from '#contract/site/widget.ts';
import { SEVERITY } from '#contract/work/alert.ts';
import { PRIORITY, TICKET_STATUS } from '#contract/work/repair-ticket.ts';
import { attentionOf, type Judged, openItemsOf } from '#domain/board/attention.ts';
import { type BoardInput, composeBoard, recomposeBoard } from '#domain/board/board.ts';
import { type BoardFacts, NO_FACTS } from '#domain/board/facts.ts';
import { ago, alert, boardInput, machine, NOW, OIL_CODE, reports, ticket } from './board-kit.ts';

const RUNNING: Judged = {
  status: 'in_use',
  live_status: 'running',
  live_since_ms: NOW - 60_000,
  freshness: 'fresh',
  last_data_ms: NOW - 1_000,
  conflict: false,
  stop_lamp: false,
};
const OFF: Judged = { ...RUNNING, live_status: 'off' };

type Open = Parameters<typeof attentionOf>[1];
const NOTHING: Open = { alerts: [], tickets: [] };
const of = (judged: Judged, open: Partial<Open> = {}, facts?: EquipmentLive) =>
  attentionOf(judged, { ...NOTHING, ...open }, facts, NOW);
const brief = (reasons: readonly Reason[]) => reasons.map(({ grade, cause, points }) => `${grade} ${cause} ${points}`);

test('[V21] a machine that needs nobody has no reason', () => {
  assert.deepEqual(of(RUNNING), []);
  assert.deepEqual(of({ ...OFF, status: 'maintenance' }), []);
});

test('[V21] the gravest of alert, ticket, state and silence comes first, with its words and since when', () => {
  const critical = alert('a', { severity: 'critical', value: 110, raised_at: ago(360) });
  const safety = ticket('t', { title: 'Brake leaks', safety_critical: true, flagged_at: ago(3_600) });
  const all = of({ ...OFF, status: 'down', freshness: 'none' }, { alerts: [critical], tickets: [safety] });
  assert.deepEqual(brief(all), ['act safety 70', 'act alert 60', 'act down 50', 'look silent 25']);
  assert.deepEqual(all[0]?.texts, ['Safety: Brake leaks', 'Safety repair', 'Safety']);
  assert.equal(all[0]?.since_ms, NOW - 3_600_000);
  assert.deepEqual(all[1]?.texts, ['Coolant 110 °C', '110 °C', 'Coolant']);
  assert.equal(all[1]?.since_ms, NOW - 360_000);
});

test('[V22] an alert on a change shows the change, and not the newest value', () => {
  const point = (value: number, ago_s: number) => ({ value, observed_at: ago(ago_s), ref: null });
  const change = { from: point(80, 60), to: point(92, 20), within_seconds: 60 };
  const [first] = of(
    RUNNING,
    { alerts: [alert('a', { condition: 'change', value: 12, threshold: 10, change })] },
    reports({ 'engine.coolant_temperature': 93 }),
  );
  assert.equal(first?.texts[0], 'Coolant up 12 °C in 40 s');
});

test('[V21] each source alone gives its grade', () => {
  const grades: [string, Reason[]][] = [
    ['act safety 70', of(OFF, { tickets: [ticket('t', { safety_critical: true, priority: 'low' })] })],
    ['act alert 60', of(OFF, { alerts: [alert('a', { severity: 'critical' })] })],
    ['act stop_lamp 60', of({ ...OFF, stop_lamp: true })],
    ['act down 50', of({ ...OFF, status: 'down' })],
    ['look alert 35', of(OFF, { alerts: [alert('a')] })],
    ['look repair 35', of(OFF, { tickets: [ticket('t', { priority: 'critical' })] })],
    ['look silent 25', of({ ...OFF, live_status: 'unknown', freshness: 'none' })],
    ['note alert 12', of(OFF, { alerts: [alert('a', { severity: 'info' })] })],
    ['note repair 12', of(OFF, { tickets: [ticket('t', { priority: 'high' })] })],
    ['note silent 12', of({ ...OFF, freshness: 'stale' })],
  ];
  for (const [expected, found] of grades) assert.deepEqual(brief(found), [expected]);
});

test('[V21] a machine that runs on with a reason to stop comes before one that stands; one that somebody works on after', () => {
  const critical = alert('a', { severity: 'critical' });
  assert.deepEqual(brief(of(RUNNING, { alerts: [critical] })), ['act alert 70']);
  assert.deepEqual(brief(of({ ...RUNNING, freshness: 'stale' }, { alerts: [critical] }))[0], 'act alert 60');
  const seen = { ...critical, acknowledged_at: ago(5) };
  assert.deepEqual(brief(of(RUNNING, { alerts: [seen] })), ['act alert 62']);
  const work = ticket('t', { safety_critical: true, status: 'in_progress' });
  assert.deepEqual(brief(of(OFF, { tickets: [work] })), ['act safety 62']);
});

test('[V21] taking an alert or a repair moves no machine out of its grade, and many small things are no grave one', () => {
  const seen = alert('a', { acknowledged_at: ago(5) });
  assert.equal(of(OFF, { alerts: [seen] })[0]?.grade, 'look');
  const many = Array.from({ length: 20 }, (_, i) => alert(`a${i}`, { rule_id: `r${i}`, signal_name: 'fuel.level' }));
  assert.equal(of(RUNNING, { alerts: many })[0]?.grade, 'look');
});

test('[V21] what is over, late or done is no reason', () => {
  const alerts = [
    alert('over', { state: 'cleared', severity: 'critical' }),
    alert('late', { late: true, severity: 'critical' }),
  ];
  const tickets = (['fixed', 'closed', 'canceled'] as const).map((status) =>
    ticket(status, { status, safety_critical: true, priority: 'critical' }),
  );
  assert.deepEqual(of(RUNNING, { alerts, tickets }), []);
});

test('[V21] a machine in service or out of use is not missed when it is silent', () => {
  for (const status of ['maintenance', 'decommissioned'] as const)
    assert.deepEqual(of({ ...OFF, status, freshness: 'none' }), []);
});

test('[V21] a contradiction is a reason, and the word of people stays beside it', () => {
  const conflict = { ...RUNNING, conflict: true };
  assert.deepEqual(brief(of({ ...conflict, status: 'down' })), ['act conflict 60', 'act down 60']);
  assert.deepEqual(brief(of({ ...conflict, status: 'maintenance' })), ['look conflict 30']);
});

test('[V21] an alert says the value of now while it is news, else the value that raised it', () => {
  const raised = alert('a', { severity: 'critical', value: 108 });
  const said = (facts: EquipmentLive) => of(RUNNING, { alerts: [raised] }, facts)[0]?.texts[0];
  assert.equal(said(reports({ 'engine.coolant_temperature': 111.4 })), 'Coolant 111 °C');
  assert.equal(said(reports({ 'engine.coolant_temperature': 111.4 }, 300)), 'Coolant 108 °C');
  assert.equal(said(reports({})), 'Coolant 108 °C');
});

test('[V22] one fact is one reason: a lamp and its codes, two limits of one value, silence on several signals', () => {
  const dm1 = (['dtc.red_stop', 'dtc.mil', 'dtc.active'] as const).map((signal_name, i) =>
    alert(`d${i}`, { signal_name, severity: i === 0 ? 'critical' : 'warning', value: 1, threshold: 1 }),
  );
  const lamps = of({ ...RUNNING, stop_lamp: true }, { alerts: dm1 });
  assert.deepEqual(brief(lamps), ['act alert 70']);
  assert.deepEqual(lamps[0]?.texts, ['Stop lamp on', 'Stop lamp', 'Stop']);
  const coded = of(RUNNING, { alerts: [alert('c', OIL_CODE)] });
  assert.deepEqual(coded[0]?.texts, ['Engine oil pressure 1: far too low', 'SPN 100 FMI 1', 'Code']);
  const lamp = { rule_id: 'r', rule_name: 'Red stop lamp', severity: 'critical', signal_name: 'dtc.red_stop' } as const;
  const more = { value: 1, threshold: 1, raised_severity: true, joined_at: ago(0), alert_id: null };
  const joined = alert('c', { ...OIL_CODE, severity: 'critical', also: [{ ...lamp, ...more }] });
  assert.deepEqual(brief(of({ ...RUNNING, stop_lamp: true }, { alerts: [joined] })), ['act alert 70']);
  const limits = [alert('w'), alert('c', { severity: 'critical', threshold: 109 })];
  assert.deepEqual(brief(of(OFF, { alerts: limits })), ['act alert 60']);
  const silences = (['fuel.level', 'engine.speed'] as const).map((signal_name, i) =>
    alert(`s${i}`, { signal_name, condition: 'no_data', value: null }),
  );
  assert.deepEqual(brief(of(OFF, { alerts: silences })), ['look alert 35']);
});

test('[V21] the same facts in any order give the same reasons, at most four, gravest first', () => {
  const judged = fc.record({
    status: fc.constantFrom(...EQUIPMENT_STATUS),
    live_status: fc.constantFrom(...LIVE_STATUS),
    live_since_ms: fc.option(fc.integer({ min: NOW - 900_000, max: NOW })),
    freshness: fc.constantFrom(...FRESHNESS),
    last_data_ms: fc.option(fc.integer({ min: NOW - 900_000, max: NOW })),
    conflict: fc.boolean(),
    stop_lamp: fc.boolean(),
  });
  const alerts = fc.array(
    fc
      .record({
        severity: fc.constantFrom(...SEVERITY),
        signal_name: fc.constantFrom('fuel.level', 'engine.coolant_temperature', 'dtc.mil', 'dtc.red_stop'),
        late: fc.boolean(),
        seen: fc.boolean(),
        age: fc.nat(9_000),
      })
      .map(({ seen, age, ...more }) => ({ ...more, acknowledged_at: seen ? ago(1) : null, raised_at: ago(age) })),
    { maxLength: 6 },
  );
  const tickets = fc.array(
    fc.record({
      status: fc.constantFrom(...TICKET_STATUS),
      priority: fc.constantFrom(...PRIORITY),
      safety_critical: fc.boolean(),
      flagged_at: fc.nat(9_000).map(ago),
    }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(judged, alerts, tickets, (state, someAlerts, someTickets) => {
      const open = {
        alerts: someAlerts.map((more, i) => alert(`a${i}`, more as object)),
        tickets: someTickets.map((more, i) => ticket(`t${i}`, more)),
      };
      const found = of(state, open);
      const turned = of(state, { alerts: open.alerts.toReversed(), tickets: open.tickets.toReversed() });
      assert.deepEqual(brief(turned), brief(found));
      assert.ok(found.length <= 4);
      for (const [i, reason] of found.entries()) {
        assert.ok(reason.texts.length > 0 && reason.texts.every((text) => text !== ''));
        const next = found[i + 1];
        if (next !== undefined) assert.ok(compareReasons(reason, next) <= 0);
      }
      const danger = open.tickets.some(
        ({ safety_critical, status }) => safety_critical && ['flagged', 'in_progress', 'on_hold'].includes(status),
      );
      if (danger) assert.equal(found[0]?.grade, 'act');
    }),
  );
});

const placed = (type: PlacedWidget['type']): PlacedWidget => ({
  ...Widget.parse({ id: type, type, position: { x: 0, y: 0, w: 12, h: 6 } }),
  id: type,
});

function tilesOf(data: WidgetData): readonly MachineTile[] {
  if (data.type === 'status_board') return data.machines;
  if (data.type === 'machine_list') return data.list.rows;
  return data.type === 'map' ? data.map.machines : [];
}

function boardOf(facts: Partial<BoardFacts>): BoardInput {
  const machines = [machine('quiet'), machine('hot'), machine('brake'), machine('stopped', { status: 'down' })];
  const at = { 'position.latitude': -23.36, 'position.longitude': 119.73 };
  return boardInput((['status_board', 'machine_list', 'map'] as const).map(placed), {
    machines,
    live: () => reports({ 'engine.speed': 1_500, 'engine.coolant_temperature': 110, ...at }),
    facts: { ...NO_FACTS, ...facts },
  });
}

test('[V21] tile, row and place of one machine carry the same reasons, and stand in their order', () => {
  const alerts = [alert('a', { machine_id: 'hot', severity: 'critical', value: 110 })];
  const tickets = [ticket('t', { equipment_id: 'brake', safety_critical: true })];
  const view = composeBoard(boardOf({ alerts, tickets }));
  for (const { data } of view.widgets) {
    const tiles = tilesOf(data).toSorted(compareTiles);
    assert.deepEqual(
      tiles.map(({ id, reasons }) => [id, reasons[0]?.cause, reasons[0]?.grade]),
      [
        ['brake', 'safety', 'act'],
        ['hot', 'alert', 'act'],
        // People say that it is down, and it runs.
        ['stopped', 'conflict', 'act'],
        ['quiet', undefined, undefined],
      ],
      data.type,
    );
  }
});

test('[V21] an alert that comes or goes changes the tile although the machine itself did not change', () => {
  const calm = boardOf({});
  const before = composeBoard(calm);
  const alerts = [alert('a', { machine_id: 'hot', severity: 'critical' })];
  const facts = { machines: new Set<string>(), trends: false, facts: true };
  const raised = recomposeBoard(before, { ...calm, facts: { ...NO_FACTS, alerts } }, facts);
  for (const { data } of raised.widgets)
    assert.equal(tilesOf(data).find(({ id }) => id === 'hot')?.reasons[0]?.grade, 'act', data.type);
  const over = recomposeBoard(raised, calm, facts);
  for (const { data } of over.widgets)
    assert.deepEqual(tilesOf(data).find(({ id }) => id === 'hot')?.reasons, [], data.type);
});

test('[V21] open items are found by machine; those of no machine and of others are not', () => {
  const open = openItemsOf({
    alerts: [alert('a'), alert('b', { machine_id: null })],
    tickets: [ticket('t', { equipment_id: 'm1' })],
  });
  assert.deepEqual(
    [open('m0').alerts.map(({ id }) => id), open('m1').tickets.map(({ id }) => id), open('m2')],
    [['a'], ['t'], NOTHING],
  );
});
