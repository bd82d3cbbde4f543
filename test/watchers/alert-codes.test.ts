/** Alerts on trouble codes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Input } from '#contract/operations.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { type AlertFact, applyAlertFact } from '#domain/work/alert-facts.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';
import { watchOf } from './kit.ts';

const OIL = { name: 'Oil pressure', signal: 'dtc.active', spn: 100, severity: 'warning' } as const;

const machine = async (rig: Rig) => (await rig.call('equipment_create', { unit_number: `HT-${rig.now}` })).id;
const alerts = async (rig: Rig, input: Input<'alerts_list'> = { state: 'active' }) =>
  (await rig.call('alerts_list', { order: 'asc', ...input })).data;
const kinds = async (rig: Rig, id: string) =>
  (await rig.call('equipment_events', { id, order: 'asc' })).data.filter(({ type }) => type.startsWith('alert.'));

test('[A184] a rule with spn raises an alert that names the code and its control unit, and clears it when the code is gone', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const [id, other] = [await machine(rig), await machine(rig)];
  const rule = await rig.call('alert_rules_create', { ...OIL, scope: { equipment_ids: [id] } });
  await watch.dm1(id, { codes: [[110, 1]] });
  await watch.dm1(other, { codes: [[100, 1]] });
  assert.deepEqual(await alerts(rig), []);
  await watch.dm1(id, { address: 3, codes: [[100, 18]] });
  const [alert] = await alerts(rig);
  assert.ok(alert?.code);
  assert.deepEqual(
    [alert.rule_id, alert.machine_id, alert.condition, alert.signal_name, alert.value, alert.threshold, alert.unit],
    [rule.id, id, 'code', 'dtc.active', 1, null, '1'],
  );
  const { since, ...code } = alert.code;
  assert.ok(Math.abs(Date.parse(since) - rig.now) < 1_000);
  assert.deepEqual(code, {
    spn: 100,
    fmi: 18,
    meaning: 'Engine oil pressure 1: too low',
    source_address: 3,
    bus: 0,
    device_id: 'dev_1',
  });
  await watch.pass(20);
  await watch.dm1(id, { address: 3, codes: [[110, 1]] });
  assert.deepEqual(await alerts(rig), []);
  const [raised, cleared] = await kinds(rig, id);
  assert.deepEqual([raised?.type, cleared?.type, cleared?.data.because], ['alert.raised', 'alert.cleared', 'back']);
  assert.deepEqual([raised?.data.code, cleared?.data.code], [alert.code, alert.code]);
});

test('[A184] fmi narrows the rule to one failure mode, and for_seconds delays the alert', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', { ...OIL, fmi: 1, for_seconds: 30 });
  await watch.dm1(id, { codes: [[100, 18]] });
  await watch.pass(40);
  assert.deepEqual(await alerts(rig), []);
  await watch.dm1(id, { codes: [[100, 1]] });
  await watch.pass(25);
  assert.deepEqual(await alerts(rig), []);
  await watch.pass(10);
  assert.deepEqual(
    (await alerts(rig)).map(({ code }) => code?.fmi),
    [1],
  );
});

test('[A184] when the code of an alert ends while another one matches, the alert clears and the other code raises one', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  const both = [
    [100, 1],
    [100, 18],
  ] as const;
  await watch.dm1(id, { codes: both });
  assert.deepEqual(
    (await alerts(rig)).map(({ value, code }) => [value, code?.fmi]),
    [[2, 1]],
  );
  await watch.pass(20);
  await watch.dm1(id, { codes: [[100, 18]] });
  assert.deepEqual(
    (await alerts(rig, {})).map(({ state, code }) => `${state} ${code?.fmi}`),
    ['cleared 1', 'active 18'],
  );
});

test('[A184] late data raises a late alert, which fresh data of the same code replaces', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  await watch.dm1(id, { codes: [[100, 1]], age_s: 3_600 });
  const [late] = await alerts(rig);
  assert.deepEqual([late?.late, late?.code?.fmi, late?.actions[0]?.reason], [true, 1, 'late']);
  await watch.dm1(id, { codes: [[100, 1]] });
  assert.deepEqual(
    (await alerts(rig, {})).map(({ state, late, cleared_because }) => [state, late, cleared_because]),
    [
      ['cleared', true, 'superseded'],
      ['active', false, null],
    ],
  );
});

test('[A184] a code is as old as the last DM1 of its own control unit, even if another unit sends a newer DM1', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await watch.dm1(id, { address: 0, codes: [[100, 1]], age_s: 3_600 });
  await watch.dm1(id, { address: 3, codes: [[110, 1]] });
  await rig.call('alert_rules_create', OIL);
  await watch.pass(5);
  assert.deepEqual(await alerts(rig), [], 'a code that was reported an hour ago raises nothing');
  await watch.dm1(id, { address: 0, codes: [[100, 1]] });
  assert.deepEqual(
    (await alerts(rig)).map(({ code, late }) => [code?.source_address, late]),
    [[0, false]],
  );
});

test('[A184] after a restart the alert on a code is not raised again, and clears when its code is gone', async () => {
  await using rig = await openRig();
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  {
    await using watch = await watchOf(rig);
    await watch.dm1(id, { codes: [[100, 1]] });
  }
  await using watch = await watchOf(rig);
  await watch.dm1(id, { codes: [[100, 1]] });
  assert.equal((await alerts(rig, {})).length, 1);
  await watch.pass(20);
  await watch.dm1(id, { codes: [] });
  assert.deepEqual(
    (await alerts(rig, {})).map(({ state }) => state),
    ['cleared'],
  );
});

test('[A184] an alert on a code equals the fold of its events', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  await rig.call('alert_rules_create', OIL);
  await watch.dm1(id, { codes: [[100, 1]] });
  const [{ id: alert_id = '' } = {}] = await alerts(rig);
  await rig.call('alerts_acknowledge', { id: alert_id }, as('mechanic'));
  const view = rig.store.view(rig.project);
  const where = { 'data.subject.id': id };
  let folded: AlertData | undefined;
  for (const { data, created_at: at } of await view.find<EventData>('events', {
    object: 'event',
    where,
    order: 'asc',
    limit: 100,
  }))
    if (data.data.alert_id === alert_id)
      folded = applyAlertFact(folded, { type: data.type, at, data: data.data } as unknown as AlertFact);
  assert.equal(folded?.code?.spn, 100);
  assert.deepEqual(folded, (await view.get<AlertData>('live', alert_id))?.data);
});

test('[A185] wrong combinations of a trouble code and another condition are refused with the name of the field', async () => {
  await using rig = await openRig();
  const refusals: [string, object][] = [
    ['fmi', { spn: null, fmi: 1, op: 'gt', value: 3 }],
    ['signal', { signal: 'dtc.red_stop' }],
    ['op', { op: 'gt', value: 1 }],
    ['no_data_seconds', { no_data_seconds: 600 }],
    ['clear_value', { clear_value: 1 }],
    ['spn', { spn: 524_288 }],
    ['fmi', { fmi: 32 }],
  ];
  for (const [param, more] of refusals)
    await assert.rejects(
      rig.call('alert_rules_create', { ...OIL, ...more }),
      ({ code, param: named }: OperationError) => {
        assert.deepEqual([code, named], ['parameter_invalid', param]);
        return true;
      },
    );
});

test('[A185] a rule without the fields of codes reads them as null, and a changed code clears the open alert', async () => {
  await using rig = await openRig();
  await using watch = await watchOf(rig);
  const id = await machine(rig);
  const [built_in] = (await rig.call('alert_rules_list', {})).data;
  assert.deepEqual([built_in?.spn, built_in?.fmi], [null, null]);
  const rule = await rig.call('alert_rules_create', OIL);
  await watch.dm1(id, { codes: [[100, 1]] });
  const narrowed = await rig.call('alert_rules_update', { id: rule.id, fmi: 1 }, { if_match: rule.revision });
  await watch.settle();
  assert.equal((await alerts(rig)).length, 1);
  await rig.call('alert_rules_update', { id: rule.id, fmi: 18 }, { if_match: narrowed.revision });
  await watch.settle();
  assert.deepEqual(
    (await alerts(rig, {})).map(({ state, cleared_because }) => [state, cleared_because]),
    [['cleared', 'rule_changed']],
  );
});
