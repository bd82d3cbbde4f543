import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { operations } from '#contract/operations.ts';
import { eventTypes, openRig } from '#test/support/handler-rig.ts';

test('[A380] only admins arm a device for its machine, which is logged; another link disarms it', async () => {
  await using rig = await openRig();
  const { device } = await rig.call('devices_provision', { serial: 'S-1' });
  const { id } = device;
  assert.deepEqual(device.bus_requests, { armed: false, armed_at: null });
  await assert.rejects(
    rig.call('devices_bus_requests', { id, armed: true }),
    (error: OperationError) => error.code === 'not_linked',
  );
  const first = await rig.call('equipment_create', { unit_number: 'T-1' });
  const second = await rig.call('equipment_create', { unit_number: 'T-2' });
  const link = (equipment_id: string) =>
    rig.call('telemetry_devices_link', { links: [{ serial: 'S-1', equipment_id }] });
  await link(first.id);
  const armed = await rig.call('devices_bus_requests', { id, armed: true });
  assert.equal(armed.bus_requests.armed, true);
  assert.notEqual(armed.bus_requests.armed_at, null);
  const again = await rig.call('devices_bus_requests', { id, armed: true });
  assert.equal(again.revision, armed.revision);

  await link(second.id);
  assert.equal((await rig.call('devices_get', { id })).bus_requests.armed, false);
  await link(first.id);
  assert.equal((await rig.call('devices_get', { id })).bus_requests.armed, false, 'nor does the way back arm');
  await rig.call('devices_bus_requests', { id, armed: true });
  assert.equal((await rig.call('devices_bus_requests', { id, armed: false })).bus_requests.armed, false);

  const types = await eventTypes(rig, 'devices_events', id);
  assert.equal(types.filter((type) => type === 'updated').length >= 2, true);
  const { data } = await rig.call('devices_events', { id, type: 'updated' });
  assert.ok(data.some((event) => event.data.armed === true && event.actor.name === 'owner'));
  assert.deepEqual(operations.devices_bus_requests.roles, ['owner', 'admin']);
});

test('[A380] PATCH cannot arm a device', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', {});
  await assert.rejects(
    rig.call('devices_update', { id, bus_requests: { armed: true } } as never),
    (error: OperationError) => error.code === 'read_only_field' && error.message.includes('bus-requests'),
  );
});
