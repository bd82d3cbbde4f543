/** Actions of alerts over restarts and failures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from '#contract/operations.ts';
import { stageAlertTicket } from '#handlers/work/alert-actions.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { followAlertActions, type Performers } from '#watchers/alert-actions.ts';
import { watchOf } from './kit.ts';

const RULE = {
  name: 'Hot',
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  actions: ['ticket'],
} satisfies Input<'alert_rules_create'>;

const machine = async (rig: Rig) => (await rig.call('equipment_create', { unit_number: `HT-${rig.now}` })).id;
const ticketsOf = async (rig: Rig) => (await rig.call('repair_tickets_list', {})).data;
const alertsOf = async (rig: Rig) => (await rig.call('alerts_list', { order: 'asc' })).data;

const performers = (rig: Rig): Performers => ({
  ticket: ({ id, project_id }) => rig.ownWork(project_id, (context) => stageAlertTicket(context, id)),
  mqtt: () => assert.fail('no rule has the action mqtt'),
  changed: () => assert.fail('no rule has the action mqtt'),
});

test('[A835] an action that waits when the gateway stops is executed once after the next start', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.coolant(await machine(rig), 107);
  assert.deepEqual((await alertsOf(rig))[0]?.actions, [{ action: 'ticket', status: 'pending', reason: null }]);
  for (let start = 0; start < 2; start++) {
    await using actions = await followAlertActions({ store: rig.store, log: () => assert.fail('nothing fails') });
    actions.begin(performers(rig));
    await actions.settled();
  }
  const [ticket, ...more] = await ticketsOf(rig);
  const [alert] = await alertsOf(rig);
  assert.deepEqual([alert?.actions[0]?.status, alert?.actions[0]?.ticket_id, more], ['executed', ticket?.id, []]);
});

test('[A835] an action that waits when the gateway stops is executed after the next start, also if its alert was cleared', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await rig.call('alert_rules_create', RULE);
  const id = await machine(rig);
  await watch.coolant(id, 107);
  await watch.pass(20);
  await watch.coolant(id, 80);
  const [before] = await alertsOf(rig);
  assert.deepEqual([before?.state, before?.actions[0]?.status], ['cleared', 'pending']);
  for (let start = 0; start < 2; start++) {
    await using actions = await followAlertActions({ store: rig.store, log: () => assert.fail('nothing fails') });
    actions.begin(performers(rig));
    await actions.settled();
  }
  assert.equal((await alertsOf(rig))[0]?.actions[0]?.status, 'executed');
  assert.equal((await ticketsOf(rig)).length, 1);
});

test('[A835] two executions of one action at the same time make one ticket', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.coolant(await machine(rig), 107);
  const [alert] = await alertsOf(rig);
  const run = () => rig.ownWork(rig.project, (context) => stageAlertTicket(context, alert?.id ?? ''));
  await Promise.all([run(), run(), run()]);
  assert.equal((await ticketsOf(rig)).length, 1);
});

test('[A835] an alert joins an open ticket that a person made for the same fault, and never a closed one', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await using actions = await followAlertActions({ store: rig.store, log: () => assert.fail('nothing fails') });
  actions.begin(performers(rig));
  const id = await machine(rig);
  await rig.call('alert_rules_create', { name: 'Oil', signal: 'dtc.active', spn: 100, fmi: 1, actions: ['ticket'] });
  const failure = { spn: 100 };
  const own = await rig.call('repair_tickets_create', { title: 'Oil leak', equipment_id: id, failure });
  await watch.dm1(id, { codes: [[100, 1]] });
  await actions.settled();
  assert.deepEqual(
    (await ticketsOf(rig)).map((one) => [one.id, one.alerts?.length]),
    [[own.id, 1]],
  );
  await watch.pass(20);
  await watch.dm1(id, { codes: [] });
  const { revision } = await rig.call('repair_tickets_get', { id: own.id });
  await rig.call('repair_tickets_update', { id: own.id, status: 'canceled' }, { if_match: revision });
  await watch.dm1(id, { codes: [[100, 1]] });
  await actions.settled();
  const tickets = await ticketsOf(rig);
  assert.deepEqual(tickets.map(({ status }) => status).sort(), ['canceled', 'flagged']);
  assert.deepEqual(tickets.find(({ status }) => status === 'flagged')?.failure.spn, 100);
});

test('[A172] a late alert executes no action', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  await rig.call('alert_rules_create', { ...RULE, actions: ['ticket', 'mqtt', 'webhook'] });
  await watch.coolant(await machine(rig), 107, 3_600);
  assert.deepEqual(
    (await alertsOf(rig))[0]?.actions.map(({ status, reason }) => `${status} ${reason}`),
    ['skipped late', 'skipped late', 'skipped late'],
  );
});
