import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Input } from '#contract/operations.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { type AlertFact, applyAlertFact } from '#domain/work/alert-facts.ts';
import { openBudgets } from '#ingest/budgets.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';
import { hot, watchOf } from './kit.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

const RULE = {
  name: 'Hot',
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  clear_value: 100,
  severity: 'critical',
} as const satisfies Input<'alert_rules_create'>;

const machine = async (rig: Rig, more: Partial<Input<'equipment_create'>> = {}) =>
  (await rig.call('equipment_create', { unit_number: `HT-${rig.now}`, ...more })).id;
const active = async (rig: Rig) => (await rig.call('alerts_list', { state: 'active' })).data;
const kinds = async (rig: Rig, id: string) =>
  (await rig.call('equipment_events', { id, order: 'asc' })).data
    .map(({ type }) => type)
    .filter((type) => type.startsWith('alert.'));

test('[A177] raising, acknowledging and clearing an alert each write an event to the log', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const rule = await rig.call('alert_rules_create', RULE);
  await watch.coolant(id, 104);
  assert.deepEqual(await active(rig), []);
  await watch.coolant(id, 106);
  const [alert] = await active(rig);
  assert.ok(alert);
  assert.deepEqual(
    [alert.rule_id, alert.rule_name, alert.severity, alert.signal_name, alert.machine_id, alert.value, alert.threshold],
    [rule.id, 'Hot', 'critical', 'engine.coolant_temperature', id, 106, 105],
  );
  await watch.coolant(id, 107);
  assert.equal((await active(rig)).length, 1);
  const seen = await rig.call('alerts_acknowledge', { id: alert.id, note: 'on my way' }, as('mechanic'));
  assert.equal(seen.acknowledged_by, 'mechanic');
  await rig.call('alerts_acknowledge', { id: alert.id }, as('operator'));
  await watch.pass(20);
  await watch.coolant(id, 95);
  const cleared = await rig.call('alerts_get', { id: alert.id });
  assert.deepEqual([cleared.state, cleared.cleared_because, cleared.acknowledged_by], ['cleared', 'back', 'mechanic']);
  assert.deepEqual(await kinds(rig, id), ['alert.raised', 'alert.acknowledged', 'alert.cleared']);
});

test('[A176] the alert equals the fold of its events in the log', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.coolant(id, 106);
  const [{ id: alert_id = '' } = {}] = await active(rig);
  await rig.call('alerts_acknowledge', { id: alert_id });
  await watch.pass(20);
  await watch.coolant(id, 95);
  const view = rig.store.view(rig.project);
  const events = await view.find<EventData>('events', {
    object: 'event',
    where: { 'data.subject.id': id },
    order: 'asc',
    limit: 100,
  });
  let folded: AlertData | undefined;
  for (const { data, created_at: at } of events)
    if (data.data.alert_id === alert_id)
      folded = applyAlertFact(folded, { type: data.type, at, data: data.data } as unknown as AlertFact);
  assert.deepEqual(folded, (await view.get<AlertData>('live', alert_id))?.data);
});

test('[A178] after a restart no alert is raised twice, and alerts that no longer hold are cleared', async () => {
  await using rig = await openRig();
  const [stays, ends] = [await machine(rig), await machine(rig)];
  await rig.call('alert_rules_create', RULE);
  {
    await using watch = await watchOf(rig);
    await watch.coolant(stays, 106);
    await watch.coolant(ends, 106);
    assert.equal((await active(rig)).length, 2);
  }
  rig.live.equipment.set(ends, hot(80, rig.now, rig.now));
  await using watch = await watchOf(rig);
  await watch.pass(30);
  await watch.coolant(stays, 107);
  assert.deepEqual(
    (await active(rig)).map(({ machine_id }) => machine_id),
    [stays],
  );
  assert.deepEqual(
    [await kinds(rig, stays), await kinds(rig, ends)],
    [['alert.raised'], ['alert.raised', 'alert.cleared']],
  );
});

test('[A178] an acknowledgement and a clearing at the same time are both stored', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await rig.call('alert_rules_create', RULE);
  for (let i = 0; i < 8; i++) {
    const id = await machine(rig);
    await watch.coolant(id, 106);
    const [{ id: alert = '' } = {}] = await active(rig);
    await watch.pass(20);
    await Promise.all([rig.call('alerts_acknowledge', { id: alert }), watch.coolant(id, 90)]);
    const { state, acknowledged_by } = await rig.call('alerts_get', { id: alert });
    assert.deepEqual([state, acknowledged_by], ['cleared', 'owner']);
    assert.equal((await kinds(rig, id)).length, 3);
  }
});

test('[A178] after a refused write the alert is judged again when the store accepts writes', async () => {
  await using rig = await openRig();
  let refusing = true;
  const told: string[] = [];
  const commit: Rig['store']['commit'] = (writes) =>
    refusing ? Promise.reject(new Error('the disk is full')) : rig.store.commit(writes);
  await using watch = await watchOf(rig, {
    store: { ...rig.store, commit },
    log: (_level, message) => told.push(message),
  });
  const id = await machine(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.coolant(id, 106);
  assert.deepEqual([(await active(rig)).length, told.length], [0, 1]);
  refusing = false;
  await watch.settle();
  assert.equal((await active(rig)).length, 1);
  assert.deepEqual(await kinds(rig, id), ['alert.raised']);
});

test('[A170] a wait and a mute end without a new value', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const until = new Date(rig.now + 45_000).toISOString();
  await rig.call('alert_rules_create', { ...RULE, for_seconds: 30, mute: [{ until }] });
  await watch.coolant(id, 106);
  await watch.pass(31);
  assert.equal((await active(rig)).length, 0);
  await watch.pass(15);
  assert.equal((await active(rig)).length, 1);
});

test('[A173] a machine that stops reporting raises an alert, but only if it reported before', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const [heard, never] = [await machine(rig), await machine(rig)];
  await rig.call('alert_rules_create', { name: 'Silent', signal: RULE.signal, no_data_seconds: 120 });
  await watch.coolant(heard, 90);
  await watch.pass(119);
  assert.deepEqual(await active(rig), []);
  await watch.pass(3);
  const [alert] = await active(rig);
  assert.deepEqual(
    [alert?.machine_id, alert?.condition, alert?.value, alert?.threshold],
    [heard, 'no_data', null, 120],
  );
  await watch.coolant(heard, 90);
  assert.deepEqual(await active(rig), []);
  assert.deepEqual(await kinds(rig, never), []);
});

test('[A174] an explained silence raises no alert about missing data until the device reports again', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const device = await rig.call('devices_create', { name: 'L1', device_id: 'L1', kind: 'can_logger', serial: 'S1' });
  await rig.call('telemetry_devices_link', { links: [{ serial: 'S1', equipment_id: id }] });
  await rig.call('alert_rules_create', { name: 'Silent', signal: RULE.signal, no_data_seconds: 120 });
  await watch.coolant(id, 90, 0, device.id);
  const until = new Date(rig.now + 600_000).toISOString();
  await rig.call('devices_offline_resolution', { id: device.id, resolution: 'no_power', until });
  await watch.pass(300);
  assert.deepEqual(await active(rig), []);
  await watch.pass(310);
  assert.equal((await active(rig)).length, 1);
  await watch.coolant(id, 90, 0, device.id);
  await rig.call('devices_offline_resolution', { id: device.id, resolution: 'retired' });
  await watch.pass(100_000);
  assert.deepEqual(await active(rig), []);
  await watch.coolant(id, 90, 0, device.id);
  await watch.pass(130);
  assert.equal((await active(rig)).length, 1);
});

test('[A615] an action is executed only when an endpoint accepts alerts', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await rig.call('alert_rules_create', RULE);
  const raised = async () => {
    const id = await machine(rig);
    await watch.coolant(id, 110);
    return (await active(rig)).find(({ machine_id }) => machine_id === id)?.actions;
  };
  const skipped = [{ action: 'webhook', status: 'skipped', reason: 'no_endpoint' }];
  const executed = [{ action: 'webhook', status: 'executed', reason: null }];
  assert.deepEqual(await raised(), skipped);
  const url = 'https://example.org/hook';
  await rig.call('webhook_endpoints_create', { url, kinds: ['fuel.added', 'alert'] });
  assert.deepEqual(await raised(), skipped);
  const { endpoint } = await rig.call('webhook_endpoints_create', { url, kinds: ['alert.*'] });
  assert.deepEqual(await raised(), executed);
  await rig.call('webhook_endpoints_update', { id: endpoint.id, enabled: false });
  assert.deepEqual(await raised(), skipped);
  await rig.call('webhook_endpoints_create', { url, kinds: ['*'] }, { project: rig.other });
  assert.deepEqual(await raised(), skipped);
  await rig.call('webhook_endpoints_create', { url, kinds: ['*'] });
  assert.deepEqual(await raised(), executed);
});

test('[A172] an alert on late data is marked late and its actions are skipped', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.coolant(id, 106, 3_600);
  const [alert] = await active(rig);
  assert.deepEqual([alert?.late, alert?.actions], [true, [{ action: 'webhook', status: 'skipped', reason: 'late' }]]);
});

test("[A175] an alert of a device without a machine goes to the device's log, and is cleared when the device is linked", async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const device = await rig.call('devices_create', { name: 'L1', device_id: 'L1', kind: 'can_logger', serial: 'S1' });
  await rig.call('alert_rules_create', RULE);
  await rig.call('alert_rules_create', { ...RULE, name: 'one machine', scope: { equipment_ids: [id] } });
  await watch.device(device.id, 106);
  const [alert, ...more] = await active(rig);
  assert.deepEqual([alert?.machine_id, alert?.device_id, more.length], [null, device.id, 0]);
  assert.deepEqual(alert?.actions, [{ action: 'webhook', status: 'skipped', reason: 'unpaired_machine' }]);
  await rig.call('alerts_acknowledge', { id: alert?.id ?? '' });
  await rig.call('telemetry_devices_link', { links: [{ serial: 'S1', equipment_id: id }] });
  await watch.settle();
  assert.equal((await rig.call('alerts_get', { id: alert?.id ?? '' })).cleared_because, 'paired');
  const log = await rig.call('devices_events', { id: device.id, order: 'asc' });
  assert.deepEqual(
    log.data.map(({ type }) => type).filter((type) => type.startsWith('alert.')),
    ['alert.raised', 'alert.acknowledged', 'alert.cleared'],
  );
});

test('[A179] a red stop lamp raises a critical alert by a built-in rule', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const rules = await rig.call('alert_rules_list', { order: 'asc' });
  assert.deepEqual(rules.data.map(({ built_in, severity }) => `${built_in} ${severity}`).sort(), [
    'amber warning',
    'mil warning',
    'protect info',
    'red_stop critical',
  ]);
  await watch.lamps(id, 1);
  const [alert] = await active(rig);
  assert.deepEqual([alert?.severity, alert?.signal_name, alert?.value], ['critical', 'dtc.red_stop', 1]);
  await watch.pass(20);
  await watch.lamps(id, 0);
  assert.deepEqual(await active(rig), []);
  const red = rules.data.find(({ built_in }) => built_in === 'red_stop');
  await assert.rejects(rig.call('alert_rules_delete', { id: red?.id ?? '' }), code('permission_denied'));
});

test('[A180] a rule watches the machines in its scope, also when they move, and clears alerts of machines that left it', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const pit = await rig.call('locations_create', { name: 'Pit' });
  const bench = await rig.call('locations_create', { name: 'Bench', parent_id: pit.id });
  const inside = await machine(rig, { location_id: bench.id, kind: 'haul_truck' });
  const outside = await machine(rig, { kind: 'haul_truck' });
  const other = await machine(rig, { location_id: pit.id, kind: 'drill' });
  const rule = await rig.call('alert_rules_create', {
    ...RULE,
    scope: { kinds: ['haul_truck'], location_ids: [pit.id] },
  });
  for (const id of [inside, outside, other]) await watch.coolant(id, 106);
  const machines = async () => (await active(rig)).map(({ machine_id }) => machine_id).sort();
  assert.deepEqual(await machines(), [inside]);
  await rig.call('equipment_update', { id: outside, location_id: pit.id });
  await watch.settle();
  assert.deepEqual(await machines(), [inside, outside].sort());
  await rig.call('equipment_update', { id: inside, status: 'decommissioned' });
  await watch.settle();
  assert.deepEqual(await machines(), [outside]);
  await rig.call('alert_rules_update', { id: rule.id, enabled: false }, { if_match: rule.revision });
  await watch.settle();
  assert.deepEqual(await machines(), []);
  const cleared = await rig.call('alerts_list', { rule_id: rule.id });
  assert.deepEqual(cleared.data.map(({ cleared_because }) => cleared_because).sort(), [
    'machine_changed',
    'rule_changed',
  ]);
});

test('[A180] a rule with new limits is judged again; a rule with another signal first clears its alert', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const { id: rule, revision } = await rig.call('alert_rules_create', RULE);
  await watch.coolant(id, 106);
  await watch.pass(20);
  const change = { id: rule, value: 110, clear_value: 108 };
  const next = await rig.call('alert_rules_update', change, { if_match: revision });
  await watch.settle();
  assert.equal((await active(rig)).length, 0);
  const back = await rig.call(
    'alert_rules_update',
    { id: rule, value: 105, clear_value: 100 },
    { if_match: next.revision },
  );
  await watch.settle();
  assert.equal((await active(rig)).length, 1);
  await rig.call('alert_rules_update', { id: rule, signal: 'engine.oil_temperature' }, { if_match: back.revision });
  await watch.settle();
  assert.deepEqual(
    (await rig.call('alerts_list', {})).data.map(({ cleared_because }) => cleared_because),
    ['rule_changed', 'back'],
  );
});

test('[A181] at the limit of open alerts health reports a problem, and alerts are raised later when there is space', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig, { maxOpen: 2 });
  const machines = [await machine(rig), await machine(rig), await machine(rig)];
  await rig.call('alert_rules_create', RULE);
  for (const id of machines) await watch.coolant(id, 106);
  assert.equal((await active(rig)).length, 2);
  assert.equal(watch.problems()[0]?.code, 'alerts_full');
  await watch.pass(20);
  await watch.coolant(machines[0] ?? '', 90);
  await watch.pass(60);
  assert.deepEqual((await active(rig)).map(({ machine_id }) => machine_id).sort(), machines.slice(1).sort());
  assert.deepEqual(watch.problems(), []);
});

test('[A182] a change of a rule needs the current revision; invalid rules are refused', async () => {
  await using rig = await openRig();
  const rule = await rig.call('alert_rules_create', RULE);
  await assert.rejects(rig.call('alert_rules_update', { id: rule.id, value: 1 }), (error: OperationError) => {
    assert.deepEqual([error.code, error.status], ['precondition_required', 428]);
    return true;
  });
  const stale = { if_match: 7 };
  await assert.rejects(rig.call('alert_rules_update', { id: rule.id, value: 1 }, stale), code('revision_mismatch'));
  for (const more of [
    { value: null },
    { op: null },
    { op: null, value: null, clear_value: null },
    { clear_value: 120 },
    { mute: [{ from: '2026-11-22T00:00:00Z', until: '2026-11-21T00:00:00Z' }] },
  ])
    await assert.rejects(rig.call('alert_rules_create', { ...RULE, ...more }), code('parameter_invalid'));
  await assert.rejects(
    rig.call('alert_rules_create', { ...RULE, scope: { equipment_ids: ['eq_x'] } }),
    code('not_found'),
  );
  await assert.rejects(rig.call('alert_rules_create', RULE, as('mechanic')), code('permission_denied'));
  await rig.call('alert_rules_delete', { id: rule.id }, { if_match: 1 });
  const audit = await rig.call('audit_list', { subject: rule.id, order: 'asc' });
  assert.deepEqual(
    audit.data.map(({ type }) => type),
    ['created', 'deleted'],
  );
  for (let i = 4; i < 200; i++) await rig.call('alert_rules_create', { ...RULE, name: `rule ${i}` });
  await assert.rejects(rig.call('alert_rules_create', RULE), code('limit_reached'));
});

test('[A1] alerts and rules of another project are not found', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const rule = await rig.call('alert_rules_create', RULE);
  await watch.coolant(id, 106);
  const [alert] = await active(rig);
  const foreign = { project: rig.other };
  for (const call of [
    rig.call('alerts_get', { id: alert?.id ?? '' }, foreign),
    rig.call('alerts_acknowledge', { id: alert?.id ?? '' }, foreign),
    rig.call('alert_rules_get', { id: rule.id }, foreign),
    rig.call('alert_rules_update', { id: rule.id, value: 1 }, { ...foreign, if_match: 1 }),
    rig.call('alert_rules_delete', { id: rule.id }, foreign),
  ])
    await assert.rejects(call, code('not_found'));
  assert.deepEqual((await rig.call('alerts_list', {}, foreign)).data, []);
});

test('[A183] alerts are found by severity, state, machine, rule, acknowledgement and when they changed', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const rule = await rig.call('alert_rules_create', RULE);
  await watch.lamps(id, 1);
  await watch.coolant(id, 106);
  const count = async (input: Input<'alerts_list'>) => (await rig.call('alerts_list', input)).data.length;
  const [first] = (await rig.call('alerts_list', { rule_id: rule.id })).data;
  assert.equal(await count({ severity: 'critical', state: 'active', machine_id: id }), 2);
  assert.deepEqual([await count({ severity: 'info' }), await count({ machine_id: 'eq_x' })], [0, 0]);
  const before = new Date(rig.now).toISOString();
  rig.now += 60_000;
  await rig.call('alerts_acknowledge', { id: first?.id ?? '' });
  assert.deepEqual([await count({ acknowledged: true }), await count({ acknowledged: false })], [1, 1]);
  const since = await rig.call('alerts_list', { updated_after: before });
  assert.deepEqual(
    since.data.map(({ id }) => id),
    [first?.id],
  );
});

test('[A742] an alert that flaps is charged to its device; without budget it stays raised until there is budget', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  await rig.call('alert_rules_create', {
    name: 'Hot',
    severity: 'critical',
    signal: 'engine.coolant_temperature',
    op: 'gt',
    value: 105,
    actions: [],
  });
  const budgets = await openBudgets({ store: rig.store, clock: rig.clock });
  // A budget for ten ends of alerts in a day.
  budgets.settle('dev_1', { budgets: { fact_bytes_per_day: 65_536 } }, false);
  await using watch = await watchOf(rig, { budgets });
  const states = async (state: AlertData['state']) =>
    (await rig.call('alerts_list', { state, limit: 200 })).data.filter(({ rule_name }) => rule_name === 'Hot').length;
  for (let i = 0; i < 300; i++) {
    await watch.coolant(id, i % 2 ? 80 : 110);
    rig.now += 11_000;
  }
  assert.deepEqual([await states('active'), await states('cleared')], [1, 10]);
  const log = await rig.call('equipment_events', { id, limit: 200 });
  assert.equal(log.data.filter(({ type }) => type.startsWith('alert.')).length, 21);
  assert.equal(budgets.list(rig.now, () => 'L-1')[0]?.device_id, 'L-1');
  assert.match(budgets.problems(rig.now, () => 'L-1')[0]?.message ?? '', /L-1 \(facts\)/);

  // The value comes from another device, so its budget is charged.
  const { id: other } = await rig.call('equipment_create', { unit_number: 'HT-2' });
  await watch.coolant(other, 110, 0, 'dev_2');
  rig.now += 11_000;
  await watch.coolant(other, 80, 0, 'dev_2');
  assert.deepEqual([await states('active'), await states('cleared')], [1, 11]);

  // The next day has a budget of its own.
  await watch.coolant(id, 80);
  assert.equal(await states('active'), 1);
  rig.now = Math.ceil(rig.now / 86_400_000) * 86_400_000 + 1_000;
  await watch.coolant(id, 80);
  assert.deepEqual([await states('active'), await states('cleared')], [0, 12]);

  // The charge is stored in the same commit as the alert.
  const reopened = await openBudgets({ store: rig.store, clock: rig.clock });
  assert.ok((reopened.list(rig.now, () => null).find((one) => one.id === 'dev_1')?.today.facts ?? 0) > 0);
});

test('[A742] a change by a person clears an alert without budget', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const rule = await rig.call('alert_rules_create', {
    name: 'Hot',
    severity: 'critical',
    signal: 'engine.coolant_temperature',
    op: 'gt',
    value: 105,
    actions: [],
  });
  const over = { why: 'day', retry_after_s: 3_600 } as const;
  await using watch = await watchOf(rig, { budgets: { ...NO_BUDGETS, spend: () => over } });
  const active = async () =>
    (await rig.call('alerts_list', { state: 'active' })).data.filter(({ rule_name }) => rule_name === 'Hot').length;
  await watch.coolant(id, 110);
  rig.now += 11_000;
  await watch.coolant(id, 80);
  assert.equal(await active(), 1);
  await rig.call('alert_rules_update', { id: rule.id, enabled: false }, { if_match: rule.revision });
  await watch.settle();
  assert.equal(await active(), 0);
});
