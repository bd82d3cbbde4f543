/** Alert rules on conditions shorter than the time between two looks of the watcher, and on changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { Input } from '#contract/operations.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { watchOf } from './kit.ts';

const RULE = {
  name: 'Hot',
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 105,
  severity: 'critical',
} as const satisfies Input<'alert_rules_create'>;
const RISE = {
  name: 'Heats fast',
  signal: 'engine.coolant_temperature',
  change: { direction: 'rise', by: 10, within_seconds: 60 },
} as const satisfies Input<'alert_rules_create'>;

const machine = async (rig: Rig) => (await rig.call('equipment_create', { unit_number: `HT-${rig.now}` })).id;
const alertsOf = async (rig: Rig) => (await rig.call('alerts_list', { order: 'asc' })).data;
const refuses = (param: string) => (error: OperationError) =>
  error.code === 'parameter_invalid' && error.param === param;

test('[A170] a value above the limit for 200 ms between two looks raises an alert with that value', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const rule = await rig.call('alert_rules_create', RULE);
  await watch.burst(id, [
    [90, 1],
    [107, 0.6],
    [109, 0.5],
    [91, 0.4],
    [92, 0],
  ]);
  await watch.settle();
  const [alert, ...more] = await alertsOf(rig);
  assert.deepEqual([alert?.rule_id, alert?.value, alert?.state, more], [rule.id, 107, 'active', []]);
  assert.match(alert?.ref ?? '', /^1:\d+#0$/);
  await watch.pass(11);
  assert.equal((await alertsOf(rig))[0]?.cleared_because, 'back');
  // A second look without new values raises nothing.
  await watch.pass(60);
  assert.equal((await alertsOf(rig)).length, 1);
});

test('[A170] a value below the limit between two looks interrupts the time of a rule', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', { ...RULE, for_seconds: 30 });
  await watch.burst(id, [[106, 0]]);
  await watch.settle();
  rig.now += 20_000;
  await watch.burst(id, [
    [106, 1],
    [90, 0.6],
    [106, 0.4],
  ]);
  await watch.settle();
  await watch.pass(15);
  assert.deepEqual(await alertsOf(rig), []);
  await watch.pass(16);
  assert.equal((await alertsOf(rig)).length, 1);
});

test('[A172] late values between two looks raise no live alert', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.burst(id, [
    [90, 3_602],
    [110, 3_601],
    [90, 3_600],
  ]);
  await watch.settle();
  assert.deepEqual(
    (await alertsOf(rig)).map(({ late, actions }) => [late, actions[0]?.reason]),
    [[true, 'late']],
  );
});

test('[A178] a value for a moment still raises its alert after the store has refused the write', async () => {
  await using rig = await openRig();
  let refusing = true;
  const commit: Rig['store']['commit'] = (writes) =>
    refusing ? Promise.reject(new Error('the disk is full')) : rig.store.commit(writes);
  await using watch = await watchOf(rig, { store: { ...rig.store, commit }, log: () => undefined });
  const id = await machine(rig);
  await rig.call('alert_rules_create', RULE);
  await watch.burst(id, [
    [107, 0.5],
    [91, 0],
  ]);
  await watch.settle();
  assert.deepEqual(await alertsOf(rig), []);
  refusing = false;
  await watch.settle();
  assert.equal((await alertsOf(rig))[0]?.value, 107);
});

test('[A830] a rule on a change raises an alert with both values, their times and their messages', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', RISE);
  await watch.burst(id, [
    [80, 100],
    [84, 50],
    [89, 20],
  ]);
  await watch.settle();
  assert.deepEqual(await alertsOf(rig), []);
  await watch.burst(id, [
    [94.5, 0.5],
    [90, 0],
  ]);
  await watch.settle();
  const [alert] = await alertsOf(rig);
  assert.deepEqual([alert?.condition, alert?.value, alert?.threshold, alert?.unit], ['change', 10.5, 10, '°C']);
  assert.deepEqual([alert?.change?.from.value, alert?.change?.to.value], [84, 94.5]);
  assert.ok(alert?.change?.from.ref?.endsWith('#0') && alert.change.to.ref === alert.ref);
  // The change stays larger than half of the limit until 84 °C leaves the window.
  await watch.pass(11);
  assert.equal((await alertsOf(rig))[0]?.state, 'active');
  rig.now += 50_000;
  await watch.burst(id, [[90, 0]]);
  await watch.settle();
  assert.equal((await alertsOf(rig))[0]?.cleared_because, 'back');
});

test('[A831] the gateway refuses a rule on a change that also has another condition or watches no measured value', async () => {
  await using rig = await openRig();
  const cases: readonly (readonly [param: string, more: Partial<Input<'alert_rules_create'>>])[] = [
    ['op', { op: 'gt', value: 1 }],
    ['no_data_seconds', { no_data_seconds: 60 }],
    ['for_seconds', { for_seconds: 10 }],
    ['signal', { signal: 'dtc.active' }],
    ['signal', { signal: 'position.heading' }],
    ['change', { signal: 'dtc.active', spn: 100 }],
  ];
  for (const [param, more] of cases)
    await assert.rejects(rig.call('alert_rules_create', { ...RISE, ...more }), refuses(param), JSON.stringify(more));
  const rule = await rig.call('alert_rules_create', RISE);
  assert.equal(rule.change?.across_gaps, false);
});
