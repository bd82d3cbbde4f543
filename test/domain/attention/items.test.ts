/** The reasons for which a machine needs people, and that every tile gets the same reasons. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EQUIPMENT_STATUS, type EquipmentLive, LIVE_STATUS } from '#contract/fleet/equipment.ts';
import type { MachineTile, WidgetData } from '#contract/site/live.ts';
import { compareTiles } from '#contract/site/live-apply.ts';
import type { Reason } from '#contract/site/trouble.ts';
import { type PlacedWidget, Widget } from '#contract/site/widget.ts';
import { SEVERITY } from '#contract/work/alert.ts';
import { isOpenTicket, PRIORITY, TICKET_STATUS, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { type OpenItems, openItemsOf } from '#domain/attention/open-items.ts';
import { type AttentionMachine, type Moment, scoreOf } from '#domain/attention/score.ts';
import { type BoardInput, composeBoard, recomposeBoard } from '#domain/board/board.ts';
import { type BoardFacts, NO_FACTS } from '#domain/board/facts.ts';
import { ago, alert, boardInput, machine, NOW, OIL_CODE, reports, ticket } from '#test/domain/board/board-kit.ts';
import { momentOf, NOTHING_OPEN } from './kit.ts';

const LAMP = {
  active: 1,
  previously_active: null,
  previously_observed_at: null,
  red_stop: 1,
  amber: 0,
  protect: 0,
  mil: 0,
};

/** A machine whose last data is so many seconds old. */
interface Case {
  readonly status?: AttentionMachine['status'];
  readonly live_status?: EquipmentLive['live_status'];
  readonly age_s?: number;
  readonly stop_lamp?: boolean;
  readonly values?: Parameters<typeof reports>[0];
  readonly claimed?: Partial<AttentionMachine>;
  readonly moment?: Partial<Moment>;
}

function scored(one: Case, open: Partial<OpenItems> = {}) {
  const { status = 'in_use', live_status = 'running', age_s = 1, stop_lamp = false, values = {} } = one;
  const live: EquipmentLive = {
    ...reports(values, age_s),
    live_status,
    ...(stop_lamp && { dtc_counts: { ...LAMP, observed_at: ago(1) } }),
  };
  const subject = machine('m0', { status, ...one.claimed });
  return scoreOf(subject, live, { ...NOTHING_OPEN, ...open }, momentOf(one.moment));
}

const of = (one: Case, open: Partial<OpenItems> = {}) => scored(one, open).reasons;
const OFF = { live_status: 'off' } as const;
const brief = (reasons: readonly Reason[]) => reasons.map(({ grade, cause, points }) => `${grade} ${cause} ${points}`);
const causes = (reasons: readonly Reason[]) => reasons.map(({ grade, cause }) => `${grade} ${cause}`);
const fresh = (id: string, more: Parameters<typeof alert>[1] = {}) => alert(id, more);
const flagged = (id: string, more: Parameters<typeof ticket>[1] = {}) => ticket(id, { flagged_at: ago(0), ...more });

test('[V21] a machine that needs nobody has no reason', () => {
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ ...OFF, status: 'maintenance' }), []);
});

test('[V21] the gravest of alert, ticket, state and silence comes first, with what it says and since when', () => {
  const critical = alert('a', { severity: 'critical', value: 110, raised_at: ago(360) });
  const safety = ticket('t', { title: 'Brake leaks', safety_critical: true, flagged_at: ago(3_600) });
  const all = of({ ...OFF, status: 'down', age_s: 900 }, { alerts: [critical], tickets: [safety] });
  assert.deepEqual(causes(all), ['act safety', 'act alert', 'act down', 'look silent']);
  assert.deepEqual(all[0]?.says, { code: 'report', params: { title: 'Brake leaks' } });
  assert.equal(all[0]?.since_ms, NOW - 3_600_000);
  const params = { signal: 'engine.coolant_temperature', label: 'Coolant', value: '110', unit: '°C', limit: '107' };
  assert.deepEqual(all[1]?.says, { code: 'value_over', params });
  assert.equal(all[1]?.since_ms, NOW - 360_000);
  assert.deepEqual(all[2]?.says, { code: 'down', params: { title: 'Brake leaks' } });
});

test('[V21] each source alone gives its grade', () => {
  const low = { signal_name: 'fuel.level', value: 6, threshold: 10 } as const;
  const service = { condition: 'service', signal_name: 'maintenance.service' } as const;
  const grades: [string, Reason[] | readonly Reason[]][] = [
    ['act safety 70', of(OFF, { tickets: [flagged('t', { safety_critical: true, priority: 'low' })] })],
    ['act alert 60', of(OFF, { alerts: [fresh('a', { severity: 'critical' })] })],
    ['act stop_lamp 60', of({ ...OFF, stop_lamp: true })],
    ['act down 50', of({ ...OFF, status: 'down' })],
    ['look alert 35', of(OFF, { alerts: [fresh('a')] })],
    ['look repair 35', of(OFF, { tickets: [flagged('t', { priority: 'critical' })] })],
    ['look alert 25', of(OFF, { alerts: [fresh('a', low)] })],
    ['note alert 12', of(OFF, { alerts: [fresh('a', service)] })],
    ['note alert 12', of(OFF, { alerts: [fresh('a', { severity: 'info' })] })],
    ['note repair 12', of(OFF, { tickets: [flagged('t', { priority: 'high' })] })],
    ['note silent 12', of({ ...OFF, age_s: 100 })],
  ];
  for (const [expected, found] of grades) assert.deepEqual(brief(found), [expected]);
  assert.deepEqual(causes(of({ live_status: 'unknown', age_s: 900 })), ['look silent']);
});

test('[V21] what is over, late or done is no reason', () => {
  const alerts = [
    alert('over', { state: 'cleared', severity: 'critical' }),
    alert('late', { late: true, severity: 'critical' }),
  ];
  const tickets = (['fixed', 'closed', 'canceled'] as const).map((status) =>
    ticket(status, { status, safety_critical: true, priority: 'critical' }),
  );
  assert.deepEqual(of({}, { alerts, tickets }), []);
});

test('[Y250] a ticket whose status only a newer version knows is a reason like an open one', () => {
  const newer = (more: Parameters<typeof ticket>[1]) => flagged('t', { status: 'waiting' as TicketStatus, ...more });
  const danger = newer({ safety_critical: true, title: 'Brake leaks' });
  assert.deepEqual(causes(of({}, { alerts: [], tickets: [danger] })), ['act safety']);
  const reasons = of({ status: 'down' }, { alerts: [], tickets: [newer({ title: 'Leak' })] });
  assert.deepEqual(reasons.find(({ cause }) => cause === 'down')?.says.params, { title: 'Leak' });
});

test('[V21] a machine in service, out of use or parked is not missed when it is silent', () => {
  for (const status of ['maintenance', 'decommissioned'] as const) assert.deepEqual(of({ status, age_s: 900 }), []);
  assert.deepEqual(causes(of({ age_s: 900, values: { 'engine.speed': 0 } })), ['note silent']);
  assert.deepEqual(causes(of({ age_s: 900, values: { 'engine.speed': 900 } })), ['look silent']);
});

test('[V21] in planned service and outside the shift only grave reasons and contradictions count', () => {
  const open = { alerts: [fresh('a')], tickets: [flagged('t', { safety_critical: true })] };
  assert.deepEqual(causes(of({ ...OFF, status: 'maintenance' }, open)), ['act safety']);
  const night = { moment: { in_shift: false } };
  assert.deepEqual(causes(of({ ...OFF, ...night, age_s: 900 }, open)), ['act safety']);
  assert.deepEqual(causes(of({ ...OFF, ...night, status: 'down' })), ['act down']);
  assert.deepEqual(causes(of({ ...night, status: 'maintenance' })), ['look conflict']);
  assert.equal(scored({ ...OFF, ...night }, { alerts: [fresh('a')] }).score, 0);
});

const broken = (more: Parameters<typeof ticket>[1] = {}) =>
  flagged('b', { title: 'Engine', priority: 'critical', stopped_at: ago(0), ...more });

test('[V33] a reported breakdown needs somebody now, also outside the shift, and without data', () => {
  const night = { moment: { in_shift: false } };
  const open = { tickets: [broken()] };
  for (const one of [OFF, { ...OFF, ...night }]) assert.deepEqual(brief(of(one, open)), ['act repair 50']);
  assert.deepEqual(causes(of({ ...night, live_status: 'unknown', age_s: 900 }, open)), ['act repair']);
  assert.deepEqual(of(OFF, open)[0]?.says, { code: 'breakdown', params: { title: 'Engine' } });
  assert.deepEqual(of({ ...OFF, ...night }, { tickets: [flagged('t', { priority: 'critical' })] }), []);
  const lowered = { tickets: [broken({ priority: 'medium' })] };
  assert.deepEqual(of(OFF, lowered), [], 'a person has lowered the priority');
  assert.deepEqual(of(OFF, { tickets: [broken({ status: 'fixed' })] }), []);
  assert.deepEqual(causes(of(OFF, { tickets: [broken({ safety_critical: true })] })), ['act safety']);
});

test('[V33] a breakdown begins with its report, so whoever took the machine before is not on it', () => {
  const taken = { by: 'Ana Ruiz', at_ms: NOW - 300_000 };
  const old = broken({ flagged_at: ago(3_600), stopped_at: ago(60) });
  const [reason] = of({ ...OFF, claimed: { taken } }, { tickets: [old] });
  assert.deepEqual([reason?.since_ms, reason?.owner], [NOW - 60_000, undefined]);
});

test('[V33] in planned service a breakdown is quieter, but the machine stays in trouble', () => {
  for (const in_shift of [true, false]) {
    const served = { ...OFF, status: 'maintenance', moment: { in_shift } } as const;
    assert.deepEqual(brief(of(served, { tickets: [broken()] })), ['look repair 35']);
    const owned = brief(of(served, { tickets: [broken({ status: 'in_progress' })] }));
    assert.deepEqual(owned, ['look repair 27'], 'while somebody works on it');
  }
});

test('[V21] a contradiction is a reason, and the word of people stays beside it', () => {
  const running = { claimed: { status_since_ms: NOW - 60_000 } };
  assert.deepEqual(causes(of({ ...running, status: 'down' })), ['act conflict', 'act down']);
  assert.deepEqual(causes(of({ ...running, status: 'maintenance' })), ['look conflict']);
  const [, down] = of({ ...running, status: 'down' });
  assert.equal(down?.since_ms, NOW - 60_000);
});

test('[V21] an alert says the value of now while it is news, else the value that raised it', () => {
  const raised = alert('a', { severity: 'critical', value: 108 });
  const said = (values: Case['values'] = {}, age_s = 1) =>
    of({ values, age_s }, { alerts: [raised] })[0]?.says.params.value;
  assert.equal(said({ 'engine.coolant_temperature': 111.4 }), '111');
  assert.equal(said({ 'engine.coolant_temperature': 111.4 }, 300), '108');
  assert.equal(said(), '108');
});

test('[V22] an alert on a change shows the change, and not the newest value', () => {
  const point = (value: number, ago_s: number) => ({ value, observed_at: ago(ago_s), ref: null });
  const change = { from: point(80, 60), to: point(92, 20), within_seconds: 60 };
  const [first] = of(
    { values: { 'engine.coolant_temperature': 93 } },
    { alerts: [alert('a', { condition: 'change', value: 12, threshold: 10, change })] },
  );
  assert.deepEqual(first?.says, {
    code: 'value_change',
    params: { label: 'Coolant', up: '12', unit: '°C', seconds: '40' },
  });
});

test('[V22] one fact is one reason: a lamp and its codes, two limits of one value, silence on several signals', () => {
  const dm1 = (['dtc.red_stop', 'dtc.mil', 'dtc.active'] as const).map((signal_name, i) =>
    alert(`d${i}`, { signal_name, severity: i === 0 ? 'critical' : 'warning', value: 1, threshold: 1 }),
  );
  const lamps = of({ stop_lamp: true }, { alerts: dm1 });
  assert.deepEqual(causes(lamps), ['act alert']);
  assert.deepEqual(lamps[0]?.says, { code: 'lamp', params: { lamp: 'Stop lamp' } });
  const coded = of({}, { alerts: [alert('c', OIL_CODE)] });
  const params = { spn: '100', fmi: '1', name: 'Engine oil pressure', how: 'far too low' };
  assert.deepEqual(coded[0]?.says, { code: 'code', params });
  const lamp = { rule_id: 'r', rule_name: 'Red stop lamp', severity: 'critical', signal_name: 'dtc.red_stop' } as const;
  const more = { value: 1, threshold: 1, raised_severity: true, joined_at: ago(0), alert_id: null };
  const joined = alert('c', { ...OIL_CODE, severity: 'critical', also: [{ ...lamp, ...more }] });
  assert.deepEqual(causes(of({ stop_lamp: true }, { alerts: [joined] })), ['act alert']);
  const limits = [alert('w'), alert('c', { severity: 'critical', threshold: 109 })];
  assert.deepEqual(causes(of(OFF, { alerts: limits })), ['act alert']);
  const silences = (['fuel.level', 'engine.speed'] as const).map((signal_name, i) =>
    alert(`s${i}`, { signal_name, condition: 'no_data', value: null }),
  );
  assert.deepEqual(causes(of(OFF, { alerts: silences })), ['look alert']);
});

test('[V28] whoever took the machine is on the reasons of that time, and not on later ones', () => {
  const alerts = [
    alert('old', { raised_at: ago(600) }),
    alert('new', { raised_at: ago(60), signal_name: 'fuel.level', severity: 'critical' }),
  ];
  const taken = { by: 'Ana Ruiz', at_ms: NOW - 300_000 };
  const found = of({ claimed: { taken } }, { alerts });
  assert.deepEqual(
    found.map(({ cause, owner }) => [cause, owner]),
    [
      ['alert', undefined],
      ['alert', 'Ana Ruiz'],
    ],
  );
});

test('[V28] the mechanic of a repair is on it; work without a name is work all the same', () => {
  const owner = (more: object) =>
    of(
      { moment: { mechanics: new Map([['mec_1', 'Ben Kato']]) } },
      { tickets: [flagged('t', { priority: 'critical', ...more })] },
    )[0]?.owner;
  assert.equal(owner({}), undefined);
  assert.equal(owner({ assigned_mechanic_ids: ['mec_1'] }), 'Ben Kato');
  assert.equal(owner({ status: 'in_progress' }), '');
});

test('[V21] [V33] the same facts in any order give the same reasons, at most four, gravest first', () => {
  const state = fc.record({
    status: fc.constantFrom(...EQUIPMENT_STATUS),
    live_status: fc.constantFrom(...LIVE_STATUS),
    age_s: fc.constantFrom(1, 30, 100, 900),
    stop_lamp: fc.boolean(),
    moment: fc.record({ in_shift: fc.boolean() }),
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
      status: fc.constantFrom(...TICKET_STATUS, 'waiting' as TicketStatus),
      priority: fc.constantFrom(...PRIORITY),
      safety_critical: fc.boolean(),
      flagged_at: fc.nat(9_000).map(ago),
      stopped_at: fc.option(fc.nat(9_000).map(ago), { nil: undefined }),
    }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(state, alerts, tickets, (one, someAlerts, someTickets) => {
      const open = {
        alerts: someAlerts.map((more, i) => alert(`a${i}`, more as object)),
        tickets: someTickets.map((more, i) => ticket(`t${i}`, more)),
      };
      const found = of(one, open);
      const turned = of(one, { alerts: open.alerts.toReversed(), tickets: open.tickets.toReversed() });
      assert.deepEqual(turned, found);
      assert.ok(found.length <= 4);
      const left = open.tickets.filter(({ status }) => isOpenTicket(status));
      const stands = left.some(({ stopped_at, priority }) => stopped_at !== undefined && priority === 'critical');
      if (stands) assert.ok(['act', 'look'].includes(found[0]?.grade ?? ''));
      if (left.some(({ safety_critical }) => safety_critical) || (stands && one.status !== 'maintenance'))
        assert.equal(found[0]?.grade, 'act');
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
  const alerts = [alert('a', { machine_id: 'hot', severity: 'critical', value: 110, raised_at: ago(600) })];
  const tickets = [ticket('t', { equipment_id: 'brake', safety_critical: true })];
  const view = composeBoard(boardOf({ alerts, tickets }));
  for (const { data } of view.widgets) {
    const tiles = tilesOf(data).toSorted(compareTiles);
    assert.deepEqual(
      tiles.map(({ id, reasons, attention }) => [id, reasons[0]?.cause, attention?.place]),
      [
        ['brake', 'safety', 1],
        ['hot', 'alert', 2],
        // People say that it is down, and it runs.
        ['stopped', 'conflict', 3],
        ['quiet', undefined, undefined],
      ],
      data.type,
    );
  }
});

test('[V21] a new ranking changes the tile although the machine itself did not change', () => {
  const calm = boardOf({});
  const before = composeBoard(calm);
  const hot = boardOf({ alerts: [alert('a', { machine_id: 'hot', severity: 'critical' })] });
  const changed = { machines: new Set<string>(), trends: false, facts: true };
  const raised = recomposeBoard(before, hot, changed);
  for (const { data } of raised.widgets)
    assert.equal(tilesOf(data).find(({ id }) => id === 'hot')?.reasons[0]?.grade, 'act', data.type);
  const over = recomposeBoard(raised, calm, changed);
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
    [['a'], ['t'], NOTHING_OPEN],
  );
});
