import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { eventTypes, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A2] every change of an operator or mechanic writes an event', async () => {
  await using rig = await openRig();
  const pit = await rig.call('locations_create', { name: 'Pit' });
  const operator = await rig.call('operators_create', {
    name: 'Ada Berg',
    employee_number: '1044',
    badge_id: 'B-77',
    crew: 'A',
    certifications: [{ code: 'haul_truck', expires_on: '2027-03-31' }, { code: 'first_aid' }],
    location_id: pit.id,
  });
  assert.deepEqual(operator.certifications[1], { code: 'first_aid', expires_on: null });
  assert.deepEqual([operator.status, operator.current_equipment_id, operator.language], ['active', null, null]);
  await rig.call('operators_update', { id: operator.id, status: 'off_shift', phone: '+47 555' });
  await rig.call('operators_append_event', { id: operator.id, type: 'signed_off' });
  assert.deepEqual(await eventTypes(rig, 'operators_events', operator.id), ['created', 'updated', 'signed_off']);
  const log = await rig.call('operators_events', { id: operator.id, type: 'updated' });
  assert.deepEqual(log.data[0]?.data, { fields: ['status', 'phone'], status: { from: 'active', to: 'off_shift' } });

  const mechanic = await rig.call('mechanics_create', { name: 'Bo Lund', trades: ['diesel', 'hydraulics'] });
  assert.deepEqual([mechanic.trades, mechanic.open_ticket_ids], [['diesel', 'hydraulics'], []]);
  await rig.call('mechanics_update', { id: mechanic.id, trades: ['diesel'] }, { if_match: 1 });
  await assert.rejects(
    rig.call('mechanics_append_event', { id: mechanic.id, type: 'fuel.added' }),
    code('parameter_invalid'),
  );
  await assert.rejects(
    rig.call('mechanics_append_event', { id: mechanic.id, type: 'assigned_operator' }),
    code('read_only_kind'),
  );
  assert.deepEqual(await eventTypes(rig, 'mechanics_events', mechanic.id), ['created', 'updated']);
  await assert.rejects(rig.call('operators_get', { id: mechanic.id }), code('not_found'));
  await assert.rejects(
    rig.call('operators_create', { name: 'x', certifications: [{ code: 'x', expires_on: '2027-02-30' }] }),
    code('parameter_invalid'),
  );
  await assert.rejects(rig.call('operators_create', { name: 'x', location_id: 'loc_none' }), code('not_found'));
});

test('[A105] numbers and badges are unique among operators and among mechanics, also for concurrent calls', async () => {
  await using rig = await openRig();
  const first = await rig.call('operators_create', { name: 'Ada', employee_number: '1044', badge_id: 'b1' });
  await rig.call('mechanics_create', { name: 'Ada', employee_number: '1044', badge_id: 'b1' });
  await assert.rejects(
    rig.call('operators_create', { name: 'Eve', employee_number: '1044' }),
    (error: OperationError) => {
      assert.deepEqual(
        [error.code, error.param, error.details[0]?.held_by],
        ['already_exists', 'employee_number', first.id],
      );
      return true;
    },
  );
  await assert.rejects(rig.call('operators_create', { name: 'Eve', badge_id: 'B1' }), code('already_exists'));
  const made = await Promise.allSettled(
    ['p', 'q', 'r'].map((name) => rig.call('operators_create', { name, badge_id: 'b2' })),
  );
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
  await rig.call('operators_update', { id: first.id, badge_id: null });
  const second = await rig.call('operators_create', { name: 'Eve', badge_id: 'b1' });
  const ids = async (query: object) => (await rig.call('operators_list', query)).data.map(({ id }) => id);
  assert.deepEqual(await ids({ badge_id: 'B1' }), [second.id]);
  assert.deepEqual(await ids({ employee_number: '1044' }), [first.id]);
  assert.deepEqual(await ids({ employee_number: '1044', badge_id: 'b1' }), []);
  assert.deepEqual(await ids({ q: 'ev' }), [second.id]);
});

test('[A106] current_equipment_id is the machine that the operator was assigned to last', async () => {
  await using rig = await openRig();
  const { id: operator_id } = await rig.call('operators_create', { name: 'Ada' });
  const first = await rig.call('equipment_create', { unit_number: 'HT-1', operator_id });
  const second = await rig.call('equipment_create', { unit_number: 'HT-2' });
  const current = async () => (await rig.call('operators_get', { id: operator_id })).current_equipment_id;
  assert.equal(await current(), first.id);
  await rig.call('equipment_update', { id: second.id, operator_id });
  await rig.call('equipment_update', { id: first.id, name: 'edited later' });
  assert.equal(await current(), second.id);
  const [listed] = (await rig.call('operators_list', {})).data;
  assert.equal(listed?.current_equipment_id, second.id);
  await rig.call('equipment_update', { id: second.id, operator_id: null });
  assert.equal(await current(), null);
});

test('[A106] a list of many operators has the machine of each', async () => {
  await using rig = await openRig();
  const ids: string[] = [];
  for (let i = 0; i < 120; i++) ids.push((await rig.call('operators_create', { name: `p${i}` })).id);
  const first = await rig.call('equipment_create', { unit_number: 'HT-1', operator_id: ids[0] as string });
  const last = await rig.call('equipment_create', { unit_number: 'HT-2', operator_id: ids[119] as string });
  const { data } = await rig.call('operators_list', { limit: 200 });
  const on = new Map(data.map(({ id, current_equipment_id }) => [id, current_equipment_id]));
  assert.deepEqual([data.length, on.get(ids[0] as string), on.get(ids[119] as string)], [120, first.id, last.id]);
  assert.equal([...on.values()].filter((id) => id !== null).length, 2);
});
