/** Alerts on services of maintenance plans. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from '#contract/operations.ts';
import { createPerformers } from '#gateway/alert-actions.ts';
import { createMaintenanceTickets } from '#handlers/work/maintenance-tickets.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { followAlertActions } from '#watchers/alert-actions.ts';
import { watchOf } from './kit.ts';

const DAY_MS = 86_400_000;
const RULE = { name: 'Service due', signal: 'maintenance.service', service: {} } satisfies Input<'alert_rules_create'>;

const truck = async (rig: Rig) =>
  (await rig.call('equipment_create', { unit_number: `HT-${rig.now}`, kind: 'truck' })).id;
const planOf = (rig: Rig, more: Partial<Input<'maintenance_plans_create'>> = {}) =>
  rig.call('maintenance_plans_create', {
    name: 'Engine oil',
    kind: 'truck',
    every_hours: 250,
    action: 'none',
    ...more,
  });
const alertsOf = async (rig: Rig) => (await rig.call('alerts_list', { order: 'asc' })).data;
const active = async (rig: Rig) => (await rig.call('alerts_list', { state: 'active', order: 'asc' })).data;
const service = (rig: Rig, id: string, equipment_id: string, hours: number) =>
  rig.call('maintenance_plans_record', { id, equipment_id, hours });

test('[A860] a due service raises one alert with plan, meter, limit and basis, which the recorded service clears', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await truck(rig);
  const plan = await planOf(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.hours(id, 1_000);
  await watch.hours(id, 9_000);
  assert.deepEqual(await alertsOf(rig), [], 'without a recorded service nothing is known');
  await service(rig, plan.id, id, 9_000);
  await watch.hours(id, 9_249);
  assert.deepEqual(await alertsOf(rig), []);
  await watch.hours(id, 9_251);
  await watch.hours(id, 9_252);
  const [alert, ...more] = await alertsOf(rig);
  assert.ok(alert);
  assert.deepEqual(more, []);
  const { condition, signal_name, value, threshold, unit, late, machine_id } = alert;
  assert.deepEqual(
    { condition, signal_name, value, threshold, unit, late, machine_id },
    {
      condition: 'service',
      signal_name: 'maintenance.service',
      value: 9_251,
      threshold: 9_250,
      unit: 'h',
      late: false,
      machine_id: id,
    },
  );
  const { plan_id, plan_name, by, meter, basis, due_at, left } = alert.service ?? {};
  assert.deepEqual(
    { plan_id, plan_name, by, meter, basis, due_at, left },
    {
      plan_id: plan.id,
      plan_name: 'Engine oil',
      by: 'hours',
      meter: 'engine.hours',
      basis: 'control_unit',
      due_at: 9_250,
      left: -1,
    },
  );
  await service(rig, plan.id, id, 9_252);
  await watch.settle();
  assert.deepEqual(
    (await alertsOf(rig)).map(({ state, cleared_because }) => [state, cleared_because]),
    [['cleared', 'service_done']],
  );
});

test('[A860] [A178] each plan of a machine has its own alert, also after a restart, and a plan that ends clears its own', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  const oil = await planOf(rig);
  const filter = await planOf(rig, { name: 'Filter', every_hours: 500 });
  const rule = await rig.call('alert_rules_create', { ...RULE, service: { hours_left: 10 } });
  {
    await using watch = await watchOf(rig);
    await watch.hours(id, 1_000);
    for (const plan of [oil, filter]) await service(rig, plan.id, id, 1_000);
    await watch.hours(id, 1_490);
    assert.deepEqual(
      (await active(rig)).map(({ service }) => [service?.plan_name, service?.state, service?.left]).sort(),
      [
        ['Engine oil', 'overdue', -240],
        ['Filter', 'due_soon', 10],
      ],
    );
  }
  await using watch = await watchOf(rig);
  await watch.settle();
  await watch.hours(id, 1_491);
  assert.equal((await alertsOf(rig)).length, 2);
  await rig.call('maintenance_plans_update', { id: filter.id, every_hours: 1_000 }, { if_match: filter.revision });
  await watch.settle();
  const because = async () =>
    (await alertsOf(rig)).map(({ service, cleared_because }) => [service?.plan_name, cleared_because]).sort();
  assert.deepEqual(await because(), [
    ['Engine oil', null],
    ['Filter', 'plan_changed'],
  ]);
  await rig.call(
    'alert_rules_update',
    { id: rule.id, service: { plan_id: filter.id } as never },
    { if_match: rule.revision },
  );
  await watch.settle();
  assert.deepEqual(await because(), [
    ['Engine oil', 'rule_changed'],
    ['Filter', 'plan_changed'],
  ]);
});

test('[A867] rules that find the same service due share one alert, with the highest severity, also after a restart', async () => {
  await using rig = await openRig();
  const id = await truck(rig);
  const plan = await planOf(rig);
  const early = await rig.call('alert_rules_create', {
    ...RULE,
    name: 'Early',
    severity: 'info',
    service: { hours_left: 20 },
  });
  await rig.call('alert_rules_create', { ...RULE, name: 'Due', severity: 'warning' });
  await rig.call('alert_rules_create', {
    ...RULE,
    name: 'Overdue',
    severity: 'critical',
    service: { from: 'overdue' },
  });
  const found = async () =>
    (await alertsOf(rig)).map(({ rule_name, severity, state, also = [] }) => [
      rule_name,
      severity,
      state,
      also.map((one) => one.rule_name),
    ]);
  {
    await using watch = await watchOf(rig);
    await watch.hours(id, 1_000);
    await service(rig, plan.id, id, 1_000);
    await watch.hours(id, 1_240);
    assert.deepEqual(await found(), [['Early', 'info', 'active', []]]);
    await watch.hours(id, 1_251);
    await watch.settle();
    assert.deepEqual(await found(), [['Early', 'warning', 'active', ['Due']]]);
    await watch.hours(id, 1_280);
    await watch.settle();
    assert.deepEqual(await found(), [['Early', 'critical', 'active', ['Due', 'Overdue']]]);
  }
  await using watch = await watchOf(rig);
  await watch.hours(id, 1_281);
  await watch.settle();
  assert.deepEqual(await found(), [['Early', 'critical', 'active', ['Due', 'Overdue']]]);
  // The rule that raised the alert ends. The others still find the service due, and share the next alert.
  await rig.call('alert_rules_update', { id: early.id, enabled: false }, { if_match: early.revision });
  for (let i = 0; i < 3; i++) await watch.settle();
  const [first, second, ...more] = await found();
  assert.deepEqual([first?.[2], second?.[2], second?.[1], more], ['cleared', 'active', 'critical', []]);
  await service(rig, plan.id, id, 1_281);
  for (let i = 0; i < 2; i++) await watch.settle();
  assert.deepEqual(await active(rig), []);
  // The next occurrence has an alert of its own.
  await watch.hours(id, 1_540);
  await watch.settle();
  assert.deepEqual((await found()).slice(2), [['Due', 'warning', 'active', []]]);
});

test('[A860] an alert clears when its plan is disabled, its machine is of another kind, or its rule watches a signal', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await truck(rig);
  const plan = await planOf(rig);
  const rule = await rig.call('alert_rules_create', RULE);
  await watch.hours(id, 1_000);
  await service(rig, plan.id, id, 1_000);
  await watch.hours(id, 1_300);
  const last = async () => (await alertsOf(rig)).at(-1)?.cleared_because;
  const off = await rig.call('maintenance_plans_update', { id: plan.id, enabled: false }, { if_match: plan.revision });
  await watch.settle();
  assert.equal(await last(), 'plan_changed');
  await rig.call('maintenance_plans_update', { id: plan.id, enabled: true }, { if_match: off.revision });
  await watch.settle();
  const machine = await rig.call('equipment_get', { id });
  await rig.call('equipment_update', { id, kind: 'loader' }, { if_match: machine.revision });
  await watch.settle();
  assert.equal(await last(), 'machine_changed');
  const loader = await rig.call('equipment_get', { id });
  await rig.call('equipment_update', { id, kind: 'truck' }, { if_match: loader.revision });
  await watch.settle();
  assert.equal((await active(rig)).length, 1);
  const signal = { signal: 'engine.hours', op: 'gt', value: 5_000, service: null } as const;
  await rig.call('alert_rules_update', { id: rule.id, ...signal }, { if_match: rule.revision });
  await watch.settle();
  assert.equal(await last(), 'rule_changed');
  assert.equal((await alertsOf(rig)).length, 3);
});

test('[A860] [A172] a late meter raises a late alert; a value in time replaces it', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await truck(rig);
  const plan = await planOf(rig);
  await rig.call('alert_rules_create', { ...RULE, actions: ['ticket'] });
  await watch.hours(id, 1_000);
  await service(rig, plan.id, id, 1_000);
  await watch.hours(id, 1_260, { age_s: 3_600 });
  await watch.hours(id, 1_261, { age_s: 3_000 });
  assert.deepEqual(
    (await alertsOf(rig)).map(({ late, state, actions }) => [late, state, actions[0]?.reason]),
    [[true, 'active', 'late']],
  );
  await watch.hours(id, 1_262);
  assert.deepEqual(
    (await alertsOf(rig)).map(({ late, state, cleared_because }) => [late, state, cleared_because]),
    [
      [true, 'cleared', 'superseded'],
      [false, 'active', null],
    ],
  );
});

test('[A860] [D244] a meter that rolls back raises no second alert; a person who corrects it clears the alert', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await truck(rig);
  const plan = await planOf(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.hours(id, 1_000);
  await service(rig, plan.id, id, 1_000);
  await watch.hours(id, 1_260);
  for (const value of [3, 1_100, 1_262]) await watch.hours(id, value, { segment: 2, because: 'rolled_back' });
  assert.deepEqual(
    (await alertsOf(rig)).map(({ state }) => state),
    ['active'],
  );
  await watch.hours(id, 1_100, { segment: 3, because: 'reconciled' });
  assert.deepEqual(
    (await alertsOf(rig)).map(({ cleared_because }) => cleared_because),
    ['meter_corrected'],
  );
});

test('[A860] [A174] a date is judged without new values, a mute holds the alert back, and an untrusted clock changes nothing', async () => {
  await using rig = await openRig();
  let trusted = true;
  await using watch = await watchOf(rig, { agesKnown: () => trusted });
  const id = await truck(rig);
  const due_on = new Date(rig.now + 3 * DAY_MS).toISOString().slice(0, 10);
  await planOf(rig, { name: 'Inspection', every_hours: null, due_on });
  const until = new Date(rig.now + 5 * DAY_MS).toISOString();
  const rule = await rig.call('alert_rules_create', { ...RULE, mute: [{ until }] });
  await watch.pass(4 * 86_400);
  assert.deepEqual(await alertsOf(rig), [], 'muted');
  trusted = false;
  await rig.call('alert_rules_update', { id: rule.id, mute: [] }, { if_match: rule.revision });
  await watch.pass(120);
  assert.deepEqual(await alertsOf(rig), [], 'the clock is not trusted');
  trusted = true;
  await watch.pass(120);
  const [alert, ...more] = await alertsOf(rig);
  assert.deepEqual(
    [alert?.machine_id, alert?.service?.due_on, alert?.value, alert?.unit, more],
    [id, due_on, null, 'd', []],
  );
  trusted = false;
  await watch.pass(120);
  assert.equal((await active(rig)).length, 1);
});

test('[A861] a rule on services has no other condition, its own signal, and a plan that exists', async () => {
  await using rig = await openRig();
  const refused = (more: Partial<Input<'alert_rules_create'>>, param: string) =>
    assert.rejects(rig.call('alert_rules_create', { ...RULE, ...more }), { code: 'parameter_invalid', param });
  await refused({ signal: 'engine.hours' }, 'signal');
  await refused({ service: null }, 'service');
  await refused({ op: 'gt', value: 3 }, 'op');
  await refused({ for_seconds: 10 }, 'for_seconds');
  await refused({ no_data_seconds: 600 }, 'no_data_seconds');
  await refused({ change: { direction: 'rise', by: 1, within_seconds: 60 } }, 'signal');
  await refused({ spn: 100 }, 'signal');
  await refused({ service: { from: 'overdue', km_left: 4 } }, 'service.from');
  await refused({ service: { plan_id: 'mpl_0198c2f4k3e7n9v5s1q8r6t2w0' } }, 'service.plan_id');
});

/** Executes the actions of alerts, and makes the tickets of plans. */
async function ticketsOf(rig: Rig) {
  const log = () => undefined;
  const actions = await followAlertActions({ store: rig.store, log });
  const messages = { execute: () => assert.fail('no mqtt'), change: () => assert.fail('no mqtt') };
  actions.begin(createPerformers({ ownWork: rig.ownWork, messages, log }));
  const live = { equipment: (id: string) => rig.live.equipment.get(id), device: () => undefined };
  const sweep = createMaintenanceTickets({
    store: rig.store,
    live,
    ownWork: rig.ownWork,
    clock: rig.clock,
    agesKnown: () => true,
  });
  return {
    sweep,
    settled: () => actions.settled(),
    list: async () => (await rig.call('repair_tickets_list', { order: 'asc' })).data,
    [Symbol.asyncDispose]: () => actions[Symbol.asyncDispose](),
  };
}

for (const first of ['alert', 'plan'] as const)
  test(`[A862] plan and alert have one ticket, the ${first} first; the fixed ticket records the service and clears the alert`, async () => {
    await using rig = await openRig();
    await using watch = await watchOf(rig);
    await using tickets = await ticketsOf(rig);
    const id = await truck(rig);
    const plan = await planOf(rig, { action: 'ticket', instructions: 'Use 15W-40.' });
    await watch.hours(id, 1_000);
    await service(rig, plan.id, id, 1_000);
    const rule = () => rig.call('alert_rules_create', { ...RULE, actions: ['ticket'] });
    if (first === 'alert') await rule();
    await watch.hours(id, 1_251);
    await tickets.settled();
    await tickets.sweep();
    if (first === 'plan') await rule();
    await watch.settle();
    await tickets.settled();
    await tickets.sweep();
    const [ticket, ...more] = await tickets.list();
    assert.ok(ticket);
    const [alert] = await active(rig);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [ticket.source, ticket.type, ticket.title, ticket.alerts?.map(({ alert_id }) => alert_id)],
      [{ kind: 'pm', ref: plan.id }, 'preventive', 'Engine oil', [alert?.id]],
    );
    assert.match(ticket.description, /1250.*1251.*Use 15W-40\.$/s);
    assert.deepEqual(alert?.actions, [{ action: 'ticket', status: 'executed', reason: null, ticket_id: ticket.id }]);
    let { revision } = ticket;
    for (const status of ['in_progress', 'fixed'] as const)
      ({ revision } = await rig.call('repair_tickets_update', { id: ticket.id, status }, { if_match: revision }));
    await watch.settle();
    assert.deepEqual(await active(rig), []);
    assert.equal((await alertsOf(rig))[0]?.cleared_because, 'service_done');
    // The next occurrence has its own alert and its own ticket.
    await watch.hours(id, 1_502);
    await tickets.settled();
    await tickets.sweep();
    assert.equal((await tickets.list()).length, 2);
    assert.equal((await active(rig)).length, 1);
  });

test('[A862] the ticket is skipped if the service was recorded before the action was executed', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await truck(rig);
  const plan = await planOf(rig);
  await rig.call('alert_rules_create', { ...RULE, actions: ['ticket'] });
  await watch.hours(id, 1_000);
  await service(rig, plan.id, id, 1_000);
  await watch.hours(id, 1_251);
  await service(rig, plan.id, id, 1_251);
  await watch.settle();
  await using tickets = await ticketsOf(rig);
  await tickets.settled();
  assert.deepEqual(await tickets.list(), []);
  assert.deepEqual(
    (await alertsOf(rig)).map(({ actions }) => actions),
    [[{ action: 'ticket', status: 'skipped', reason: 'cleared' }]],
  );
});
