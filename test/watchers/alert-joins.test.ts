/** Rules that join the open alert on a trouble code, because the code explains them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventData } from '#contract/base/event.ts';
import type { Input } from '#contract/operations.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { type AlertFact, applyAlertFact } from '#domain/work/alert-facts.ts';
import { openBudgets } from '#ingest/budgets.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';
import { watchOf } from './kit.ts';

const OIL = { name: 'Oil pressure', signal: 'dtc.active', spn: 100, severity: 'warning' } as const;
const RED = { red: true } as const;
const LOW = [[100, 1]] as const;

const machine = async (rig: Rig) => (await rig.call('equipment_create', { unit_number: `HT-${rig.now}` })).id;
const alerts = async (rig: Rig, input: Input<'alerts_list'> = { state: 'active' }) =>
  (await rig.call('alerts_list', { order: 'asc', ...input })).data;
const log = async (rig: Rig, id: string) =>
  (await rig.call('equipment_events', { id, order: 'asc' })).data.filter(({ type }) => type.startsWith('alert.'));
/** The rules of each active alert: its own rule, then those that joined. */
const rows = async (rig: Rig) =>
  (await alerts(rig)).map(({ rule_name, also = [] }) => [rule_name, ...also.map((one) => one.rule_name)]);

test('[A186] a lamp joins the alert on its code: one alert with the highest severity, and both events in the log', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  await watch.dm1(id, { lamps: RED, codes: LOW });
  await watch.pass(2);
  const [alert, ...others] = await alerts(rig);
  assert.ok(alert?.also);
  assert.deepEqual(
    [others, alert.rule_name, alert.severity, alert.condition],
    [[], 'Oil pressure', 'critical', 'code'],
  );
  const [lamp, ...more] = alert.also;
  assert.deepEqual(
    [more, lamp?.rule_name, lamp?.severity, lamp?.signal_name, lamp?.value, lamp?.raised_severity, lamp?.alert_id],
    [[], 'Red stop lamp', 'critical', 'dtc.red_stop', 1, true, null],
  );
  assert.equal((await alerts(rig, { severity: 'critical' })).length, 1);
  const [raised, joined, ...rest] = await log(rig, id);
  assert.deepEqual([raised?.type, joined?.type, rest], ['alert.raised', 'alert.joined', []]);
  assert.deepEqual([raised?.data.severity, joined?.data.severity], ['warning', 'critical']);
  assert.deepEqual({ ...(joined?.data.joined as object), joined_at: lamp?.joined_at }, lamp);
  await watch.dm1(id, { codes: LOW });
  await watch.dm1(id, { lamps: RED, codes: LOW });
  await watch.pass(2);
  assert.equal((await log(rig, id)).length, 2, 'a rule joins an alert once');
});

test('[A186] a signal of the same SPN and control unit joins, and so does a second rule on the same code', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', { ...OIL, name: 'Coolant code', spn: 110 });
  await rig.call('alert_rules_create', { ...OIL, name: 'Coolant far too hot', spn: 110, fmi: 0 });
  await rig.call('alert_rules_create', { name: 'Hot', signal: 'engine.coolant_temperature', op: 'gt', value: 105 });
  await watch.dm1(id, { codes: [[110, 0]], coolant: 110 });
  for (let i = 0; i < 4; i++) await watch.pass(2);
  const found = await rows(rig);
  assert.deepEqual(
    [found.length, found[0]?.[0], found[0]?.toSorted()],
    [1, 'Coolant code', ['Coolant code', 'Coolant far too hot', 'Hot']],
  );
});

test('[A186] what the code does not explain keeps its own alert: other units, other signals, late alerts', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const [two, others, late] = [await machine(rig), await machine(rig), await machine(rig)];
  await rig.call('alert_rules_create', OIL);
  await rig.call('alert_rules_create', { name: 'Hot', signal: 'engine.coolant_temperature', op: 'gt', value: 105 });
  await rig.call('alert_rules_create', { name: 'Codes', signal: 'dtc.active', op: 'gte', value: 1 });
  const settled = async () => {
    for (let i = 0; i < 4; i++) await watch.pass(2);
  };
  const named = async (machine_id: string) =>
    (await alerts(rig, { state: 'active', machine_id }))
      .map(({ rule_name, also = [] }) => [rule_name, ...also.map((one) => one.rule_name)].join(' + '))
      .sort();
  await watch.dm1(two, { address: 3, lamps: RED, codes: [[158, 1]], coolant: 110 });
  await watch.dm1(two, { codes: LOW, coolant: 110 });
  await settled();
  assert.deepEqual(await named(two), ['Codes', 'Hot', 'Oil pressure', 'Red stop lamp']);
  await watch.dm1(others, { address: 3, lamps: RED, codes: [] });
  await watch.dm1(others, { codes: LOW });
  await settled();
  assert.deepEqual(await named(others), ['Oil pressure + Codes', 'Red stop lamp']);
  await watch.dm1(late, { lamps: RED, codes: LOW, age_s: 3_600 });
  await settled();
  assert.deepEqual(await named(late), ['Codes', 'Oil pressure', 'Red stop lamp']);
});

test('[A186] a joined rule that raises the severity ends an earlier acknowledgement, and the alert equals the fold of its events', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  await watch.dm1(id, { codes: LOW });
  const [{ id: alert_id = '' } = {}] = await alerts(rig);
  await rig.call('alerts_acknowledge', { id: alert_id }, as('mechanic'));
  await watch.dm1(id, { lamps: RED, codes: LOW });
  await watch.pass(2);
  const joined = await rig.call('alerts_get', { id: alert_id });
  assert.deepEqual([joined.severity, joined.acknowledged_at, joined.acknowledged_by], ['critical', null, null]);
  await rig.call('alerts_acknowledge', { id: alert_id }, as('supervisor'));
  assert.equal((await rig.call('alerts_get', { id: alert_id })).acknowledged_by, 'supervisor');
  await watch.dm1(id, { lamps: { red: true, protect: true }, codes: LOW });
  await watch.pass(15);
  const again = await rig.call('alerts_get', { id: alert_id });
  assert.deepEqual([again.also?.length, again.acknowledged_by], [2, 'supervisor']);
  const view = rig.store.view(rig.project);
  const query = { object: 'event', where: { 'data.subject.id': id }, order: 'asc', limit: 100 } as const;
  let folded: AlertData | undefined;
  for (const { data, created_at: at } of await view.find<EventData>('events', query))
    if (data.data.alert_id === alert_id)
      folded = applyAlertFact(folded, { type: data.type, at, data: data.data } as unknown as AlertFact);
  assert.deepEqual(folded, (await view.get<AlertData>('live', alert_id))?.data);
});

test('[A186] when the code alert comes later, the open alert of the lamp clears as joined', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', { ...OIL, for_seconds: 30 });
  await watch.dm1(id, { lamps: RED, codes: LOW });
  const [lamp] = await alerts(rig);
  assert.equal(lamp?.signal_name, 'dtc.red_stop');
  await watch.pass(31);
  await watch.pass(2);
  assert.deepEqual(await rows(rig), [['Oil pressure', 'Red stop lamp']]);
  const cleared = await rig.call('alerts_get', { id: lamp?.id ?? '' });
  assert.deepEqual([cleared.state, cleared.cleared_because], ['cleared', 'joined']);
  assert.equal((await alerts(rig))[0]?.also?.[0]?.alert_id, lamp?.id);
  assert.deepEqual(
    (await log(rig, id)).map(({ type }) => type),
    ['alert.raised', 'alert.raised', 'alert.joined', 'alert.cleared'],
  );
});

test('[A186] when the code ends while the lamp stays on, the lamp raises an alert of its own', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  await watch.dm1(id, { lamps: RED, codes: LOW });
  await watch.pass(20);
  assert.deepEqual(await rows(rig), [['Oil pressure', 'Red stop lamp']]);
  await watch.dm1(id, { lamps: RED, codes: [] });
  await watch.pass(2);
  assert.deepEqual(await rows(rig), [['Red stop lamp']]);
});

test('[A186] after a restart a joined rule raises nothing and joins no second time', async () => {
  await using rig = await openRig();
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  {
    await using watch = await watchOf(rig);
    await watch.dm1(id, { lamps: RED, codes: LOW });
    await watch.pass(2);
  }
  await using watch = await watchOf(rig);
  await watch.dm1(id, { lamps: RED, codes: LOW });
  await watch.pass(2);
  assert.deepEqual(await rows(rig), [['Oil pressure', 'Red stop lamp']]);
  assert.equal((await log(rig, id)).length, 2);
});

test('[A187] the event of a joined rule has the actions of that rule, and the alert those of both', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('webhook_endpoints_create', { url: 'https://example.com/in', kinds: ['alert.raised'] });
  await rig.call('alert_rules_create', { ...OIL, actions: [] });
  await watch.dm1(id, { lamps: RED, codes: LOW });
  await watch.pass(2);
  const executed = [{ action: 'webhook', status: 'executed', reason: null }];
  const [raised, joined] = await log(rig, id);
  assert.deepEqual([raised?.data.actions, joined?.data.actions], [[], executed]);
  assert.deepEqual((await alerts(rig))[0]?.actions, executed);
});

test('[A742] the end of an alert is charged for its own rule and for each rule that joined it', async () => {
  await using rig = await openRig();
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  const budgets = await openBudgets({ store: rig.store, clock: rig.clock });
  // A budget for the ends of ten alerts in a day, so for five with one joined rule each.
  budgets.settle('dev_1', { budgets: { fact_bytes_per_day: 65_536 } }, false);
  await using watch = await watchOf(rig, { budgets });
  for (let i = 0; i < 12; i++) {
    await watch.dm1(id, { lamps: RED, codes: LOW });
    await watch.pass(11);
    await watch.dm1(id, { codes: [] });
  }
  const [open, ...others] = await alerts(rig);
  assert.deepEqual([others, open?.rule_name, open?.also?.length], [[], 'Oil pressure', 1]);
  assert.equal((await alerts(rig, { state: 'cleared' })).length, 5);
});
