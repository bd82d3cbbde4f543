import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A229] machines are suggested with reasons from the bus, the names and the links, and nothing is assigned', async () => {
  await using rig = await openRig();
  const vin = '1HGBH41JXMN109186';
  const truck = await rig.call('equipment_create', { unit_number: 'HT-14', pin: vin });
  const dozer = await rig.call('equipment_create', { unit_number: 'DZ-2' });
  const gone = await rig.call('equipment_create', { unit_number: 'DZ-3', status: 'decommissioned' });
  const a = await rig.call('devices_create', { device_id: 'logger-a', serial: 'CL-1' });
  const b = await rig.call('devices_create', { device_id: 'DZ-2', serial: 'CL-2' });
  const c = await rig.call('devices_create', { device_id: 'DZ-3' });
  rig.live.devices.set(a.id, { state: { bus: { vin } }, observation: null } as unknown as DeviceLive);
  const before = rig.store.stats().commits;
  const { data } = await rig.call('telemetry_devices_match', {
    serials: ['cl-1', 'nobody'],
    device_ids: [b.id, 'DZ-3'],
  });
  assert.equal(rig.store.stats().commits, before);
  const told = data.map(({ device_id, suggestions }) => [
    device_id,
    suggestions.map(({ equipment_id }) => equipment_id),
  ]);
  assert.deepEqual(told, [
    [a.id, [truck.id]],
    [null, []],
    [b.id, [dozer.id]],
    [c.id, []],
  ]);
  assert.ok(gone);
  assert.deepEqual(
    data[0]?.suggestions[0]?.reasons.map(({ code }) => code),
    ['vin_match'],
  );
  const unlinked = await rig.call('telemetry_devices_match', {});
  assert.deepEqual(new Set(unlinked.data.map(({ device_id }) => device_id)), new Set([a.id, b.id, c.id]));
  rig.live.devices.delete(a.id);
  await rig.call('telemetry_devices_link', { links: [{ serial: 'CL-1', equipment_id: dozer.id }] });
  await rig.call('devices_unlink', { id: a.id });
  const after = await rig.call('telemetry_devices_match', { serials: ['CL-1'] });
  assert.ok(after.data[0]?.suggestions.some(({ reasons }) => reasons.some(({ code }) => code === 'previous_link')));
  await assert.rejects(rig.call('telemetry_devices_match', { project_id: rig.other }), code('project_mismatch'));
});

test('[A229] serials are resolved in the projects of the key; others are unknown', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const own = await rig.call('devices_provision', { serial: 'CL-1', equipment_id: machine.id });
  const theirs = await rig.call('devices_create', { serial: 'CL-2' }, { project: rig.other });
  await rig.call('devices_create', { serial: 'CL-3' });
  await rig.call('devices_create', { serial: 'CL-3' }, { project: rig.other });
  const serials = ['cl-1', 'CL-2', 'CL-3', 'CL-4'];
  const all = await rig.call('telemetry_devices_resolve', { serials }, { project: null });
  assert.deepEqual(
    all.data.map(({ serial, status, device_id, equipment_id }) => [serial, status, device_id, equipment_id]),
    [
      ['cl-1', 'resolved', own.device.id, machine.id],
      ['CL-2', 'resolved', theirs.id, null],
      ['CL-3', 'ambiguous', null, null],
      ['CL-4', 'unknown', null, null],
    ],
  );
  const restricted = as('viewer', { project_ids: [rig.project] });
  const some = await rig.call('telemetry_devices_resolve', { serials }, { ...restricted, project: null });
  assert.deepEqual(
    some.data.map(({ status }) => status),
    ['resolved', 'unknown', 'resolved', 'unknown'],
  );
});
