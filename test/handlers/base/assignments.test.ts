import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

const inactive = (param: string) => (error: OperationError) =>
  error.code === 'parameter_invalid' && error.param === param && error.details[0]?.inactive === true;

/** What the log of a machine says of its operators, oldest first. */
async function seats(rig: Rig, id: string) {
  const { data } = await rig.call('equipment_events', { id, order: 'asc' });
  return data.filter(({ type }) => type.endsWith('assigned_operator')).map(({ type, data: said }) => [type, said]);
}

test('[A602] assigning an operator to another machine removes the first assignment and logs it', async () => {
  await using rig = await openRig();
  const { id: operator_id } = await rig.call('operators_create', { name: 'Ada' });
  const first = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const second = await rig.call('equipment_create', { unit_number: 'HT-2' });
  await rig.call('equipment_update', { id: first.id, operator_id });
  const commits = rig.store.stats().commits;
  await rig.call('equipment_update', { id: second.id, operator_id });
  assert.equal(rig.store.stats().commits, commits + 1);
  const left = await rig.call('equipment_get', { id: first.id });
  assert.deepEqual([left.operator_id, left.operator_since], [null, null]);
  assert.deepEqual(await seats(rig, first.id), [
    ['assigned_operator', { operator_id, from: null }],
    ['unassigned_operator', { operator_id, to: second.id }],
  ]);
  // A machine that is created with an operator takes them as well.
  const third = await rig.call('equipment_create', { unit_number: 'HT-3', operator_id });
  assert.equal((await rig.call('equipment_get', { id: second.id })).operator_id, null);
  assert.equal((await rig.call('operators_get', { id: operator_id })).current_equipment_id, third.id);
  // Saying it again changes nothing.
  const before = rig.store.stats().commits;
  await rig.call('equipment_update', { id: third.id, operator_id });
  assert.equal(rig.store.stats().commits, before);
});

test('[A602] of many concurrent assignments of one operator one stays', async () => {
  await using rig = await openRig();
  const { id: operator_id } = await rig.call('operators_create', { name: 'Ada' });
  const machines = await Promise.all(
    Array.from({ length: 6 }, (_, i) => rig.call('equipment_create', { unit_number: `HT-${i}` })),
  );
  await Promise.all(machines.map(({ id }) => rig.call('equipment_update', { id, operator_id })));
  const { data } = await rig.call('equipment_list', { operator_id });
  assert.equal(data.length, 1);
  assert.equal((await rig.call('operators_get', { id: operator_id })).current_equipment_id, data[0]?.id);
});

test('[A602] an operator who becomes inactive leaves the machine', async () => {
  await using rig = await openRig();
  const { id: operator_id } = await rig.call('operators_create', { name: 'Ada' });
  const machine = await rig.call('equipment_create', { unit_number: 'HT-1', operator_id });
  await rig.call('operators_update', { id: operator_id, status: 'off_shift' });
  assert.equal((await rig.call('equipment_get', { id: machine.id })).operator_id, operator_id);
  await rig.call('operators_update', { id: operator_id, status: 'inactive' });
  assert.equal((await rig.call('equipment_get', { id: machine.id })).operator_id, null);
  assert.deepEqual((await seats(rig, machine.id)).at(-1), ['unassigned_operator', { operator_id, to: null }]);
});

test('[A603] no operation assigns an inactive person or location', async () => {
  await using rig = await openRig();
  const { id: operator_id } = await rig.call('operators_create', { name: 'Ada', status: 'inactive' });
  const { id: mechanic_id } = await rig.call('mechanics_create', { name: 'Bo', status: 'inactive' });
  const { id: location_id } = await rig.call('locations_create', { name: 'Old pit', active: false });
  const { id: equipment_id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const { id: device } = await rig.call('devices_create', { name: 'Logger' });
  const { id: driver } = await rig.call('operators_create', { name: 'Eve' });
  const { id: fitter } = await rig.call('mechanics_create', { name: 'Max' });
  const ticket = await rig.call('repair_tickets_create', { equipment_id, title: 'Leak' });
  const at = { location_id };
  const asked = [
    rig.call('equipment_create', { unit_number: 'HT-2', ...at }),
    rig.call('equipment_update', { id: equipment_id, ...at }),
    rig.call('devices_create', { name: 'L2', ...at }),
    rig.call('devices_new', { name: 'L2', ...at }),
    rig.call('devices_update', { id: device, ...at }),
    rig.call('devices_provision', { serial: 'S1', ...at }),
    rig.call('operators_create', { name: 'Al', ...at }),
    rig.call('operators_update', { id: driver, ...at }),
    rig.call('mechanics_create', { name: 'Al', ...at }),
    rig.call('mechanics_update', { id: fitter, ...at }),
    rig.call('repair_tickets_create', { equipment_id, title: 'Leak', ...at }),
    rig.call('repair_tickets_update', { id: ticket.id, ...at }),
  ];
  for (const call of asked) await assert.rejects(call, inactive('location_id'));
  for (const call of [
    rig.call('equipment_create', { unit_number: 'HT-2', operator_id }),
    rig.call('equipment_update', { id: equipment_id, operator_id }),
  ])
    await assert.rejects(call, inactive('operator_id'));
  for (const call of [
    rig.call('repair_tickets_create', { equipment_id, title: 'Leak', assigned_mechanic_ids: [mechanic_id] }),
    rig.call('repair_tickets_update', { id: ticket.id, assigned_mechanic_ids: [fitter, mechanic_id] }),
  ])
    await assert.rejects(call, inactive('assigned_mechanic_ids'));
});

test('[A603] what was assigned before it became inactive stays, and can be edited', async () => {
  await using rig = await openRig();
  const { id: location_id } = await rig.call('locations_create', { name: 'Pit' });
  const { id: mechanic } = await rig.call('mechanics_create', { name: 'Bo' });
  const machine = await rig.call('equipment_create', { unit_number: 'HT-1', location_id });
  const assigned_mechanic_ids = [mechanic];
  const ticket = await rig.call('repair_tickets_create', {
    equipment_id: machine.id,
    title: 'Leak',
    assigned_mechanic_ids,
  });
  await rig.call('locations_update', { id: location_id, active: false });
  await rig.call('mechanics_update', { id: mechanic, status: 'inactive' });
  const edited = await rig.call('equipment_update', { id: machine.id, name: 'Truck', location_id });
  assert.deepEqual([edited.name, edited.location_id], ['Truck', location_id]);
  const told = await rig.call('repair_tickets_update', {
    id: ticket.id,
    title: 'Oil leak',
    location_id,
    assigned_mechanic_ids,
  });
  assert.deepEqual([told.title, told.assigned_mechanic_ids], ['Oil leak', [mechanic]]);
  // A ticket takes the place where its machine stands.
  const next = await rig.call('repair_tickets_create', { equipment_id: machine.id, title: 'Again' });
  assert.equal(next.location_id, location_id);
});
