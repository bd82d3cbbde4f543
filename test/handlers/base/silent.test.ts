import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { openRig } from '#test/support/handler-rig.ts';

const invalid = ({ code }: OperationError) => code === 'parameter_invalid';
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, 'x']));

test('[A10] filters find machines and devices that never sent data: they are unknown and unassigned from creation on', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const device = await rig.call('devices_create', { device_id: 'logger' });
  const machines = await rig.call('equipment_list', { live_status: 'unknown' });
  assert.deepEqual(
    machines.data.map(({ id }) => id),
    [machine.id],
  );
  assert.deepEqual((await rig.call('equipment_list', { live_status: 'off' })).data, []);
  const devices = await rig.call('devices_list', { status: 'unassigned' });
  assert.deepEqual(
    devices.data.map(({ id }) => id),
    [device.id],
  );
});

test('[A617] 64 labels and 200 names in event data are accepted; one more is refused', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-1', labels: named(64) });
  assert.equal(Object.keys(machine.labels).length, 64);
  await assert.rejects(async () => rig.call('equipment_create', { unit_number: 'HT-2', labels: named(65) }), invalid);
  const event = (data: Record<string, unknown>) =>
    rig.call('equipment_append_event', { id: machine.id, type: 'x.test', data });
  await event(named(200));
  await assert.rejects(async () => event(named(201)), invalid);
  await event({ text: 'x'.repeat(262_144 - '{"text":""}'.length) });
  await assert.rejects(async () => event({ text: 'x'.repeat(262_145 - '{"text":""}'.length) }), invalid);
});
