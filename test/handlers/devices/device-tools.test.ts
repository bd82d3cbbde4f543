import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { as, eventTypes, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A223] a new device is returned with the steps until it reports', async () => {
  await using rig = await openRig();
  const { device, next_steps } = await rig.call('devices_new', { serial: 'CL-3', kind: 'can_logger' });
  assert.equal((await rig.call('devices_get', { id: device.id })).serial, 'CL-3');
  assert.deepEqual(
    next_steps.map(({ tool }) => tool),
    [null, 'devices_provision_info', 'telemetry_devices_match', 'telemetry_devices_link', 'devices_get'],
  );
});

test('[A223] settings are merged by name, null removes one, and an old revision is refused', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { name: 'Logger' });
  const set = (settings: Record<string, unknown>, more = {}) =>
    rig.call('devices_settings_update', { id, settings }, more);
  const first = await set({ bitrate: 250_000, silent: true });
  assert.deepEqual((await set({ silent: null, wifi: { mode: 1 } })).settings, { bitrate: 250_000, wifi: { mode: 1 } });
  assert.equal((await set({ silent: null })).revision, first.revision + 1, 'nothing changed, nothing is written');
  await assert.rejects(set({ a: 1 }, { if_match: first.revision }), code('revision_mismatch'));
  await assert.rejects(set({ big: 'x'.repeat(70_000) }), code('parameter_invalid'));
  const log = await rig.call('devices_events', { id });
  assert.deepEqual(log.data[0]?.data, { fields: ['settings'], settings: ['wifi', 'silent'] });
});

test('[A224] a worker is registered, and a run for it is a task that waits for it', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { name: 'Camera', kind: 'camera' });
  await assert.rejects(rig.call('devices_worker_run', { id }), code('no_worker'));
  const shown = await rig.call('devices_worker_register', { id, name: 'yolo', version: '3', capabilities: ['trucks'] });
  assert.equal(shown.state.worker?.name, 'yolo');
  const same = await rig.call('devices_worker_register', { id, name: 'yolo', version: '3', capabilities: ['trucks'] });
  assert.equal(same.revision, shown.revision);
  const own = as('device', { kind: 'device', device: id, device_project: rig.project, project_ids: [rig.project] });
  const task = await rig.call('devices_worker_run', { id, prompt: 'Count trucks' }, own);
  assert.deepEqual([task.kind, task.run?.status, task.links.device_id], ['worker', 'pending', id]);
  assert.deepEqual([task.run?.backend.platform, task.run?.backend.harness], ['device', 'yolo']);
  assert.equal(task.created_by.type, 'device');
  assert.equal((await rig.call('tasks_get', { task_id: task.id })).run?.id, task.run?.id);
  await assert.rejects(rig.call('tasks_get', { task_id: task.id }, own), code('permission_denied'));
  assert.equal((await rig.call('tasks_cancel', { task_id: task.id })).run?.status, 'canceled');
});

test('[A239] a label names the device and links to its page by a reachable address', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const device = await rig.call('devices_create', { serial: 'CL-3', device_id: 'hw3', name: 'Logger three' });
  await rig.call('telemetry_devices_link', { links: [{ serial: 'CL-3', equipment_id: machine.id }] });
  const asked = { caller: { base_url: 'http://localhost:8480' } };
  const label = await rig.call('devices_label', { id: device.id }, asked);
  assert.deepEqual([label.device_id, label.name], ['hw3', 'Logger three']);
  assert.deepEqual(label.lines, ['Serial CL-3', 'Machine HT-14', 'North Pit']);
  assert.equal(label.url, `http://gateway.test:8480/#devices/${device.id}`);
  assert.match(label.qr ?? '', /^<svg /);
});

test('[A225] unlinking a device is logged for device and machine, once', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const device = await rig.call('devices_create', { serial: 'CL-3' });
  await rig.call('telemetry_devices_link', { links: [{ serial: 'CL-3', equipment_id: machine.id }] });
  const freed = await rig.call('devices_unlink', { id: device.id, reason: 'moved' });
  assert.deepEqual([freed.equipment_id, freed.linked_at], [null, null]);
  assert.deepEqual((await rig.call('equipment_get', { id: machine.id })).device_ids, []);
  assert.equal((await rig.call('devices_unlink', { id: device.id })).revision, freed.revision);
  assert.deepEqual(await eventTypes(rig, 'equipment_events', machine.id), [
    'created',
    'device.linked',
    'device.unlinked',
  ]);
  assert.deepEqual(await eventTypes(rig, 'devices_events', device.id), ['created', 'device.linked', 'device.unlinked']);
});

test('[A226] the reason for silence is stored with the device and logged', async () => {
  await using rig = await openRig();
  const [a, b] = [await rig.call('devices_create', { name: 'A' }), await rig.call('devices_create', { name: 'B' })];
  const until = '2026-11-22T06:00:00+08:00';
  const told = await rig.call('devices_offline_resolution', { id: a.id, resolution: 'no_power', until, note: 'shed' });
  assert.deepEqual(
    [told.offline_resolution?.resolution, told.offline_resolution?.until],
    ['no_power', '2026-11-21T22:00:00.000Z'],
  );
  const replaced = await rig.call('devices_offline_resolution', {
    id: a.id,
    resolution: 'replaced',
    replaced_by: b.id,
  });
  assert.equal(replaced.offline_resolution?.replaced_by, b.id);
  const resolve = (more: object) =>
    rig.call('devices_offline_resolution', { id: a.id, resolution: 'replaced', ...more });
  await assert.rejects(resolve({ replaced_by: a.id }), code('parameter_invalid'));
  await assert.rejects(resolve({ replaced_by: 'dev_none' }), code('not_found'));
  await assert.rejects(resolve({ replaced_by: b.id, resolution: 'no_power' }), code('parameter_invalid'));
  assert.deepEqual(await eventTypes(rig, 'devices_events', a.id), ['created', 'offline_resolved', 'offline_resolved']);
});

test('[A227] the report of a device about its configuration does not change the revision', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { name: 'Logger' });
  const own = as('device', { kind: 'device', device: id, device_project: rig.project, project_ids: [rig.project] });
  const fresh = await rig.call('devices_config_get', { id }, own);
  assert.deepEqual([fresh.revision, fresh.config, fresh.reported.revision], [0, {}, null]);
  const put = (config: object, if_match?: number) =>
    rig.call('devices_config_put', { id, config: { ...config } }, if_match === undefined ? {} : { if_match });
  await assert.rejects(put({ a: 1 }, 4), code('revision_mismatch'));
  assert.equal((await put({ can: { bitrate: 250 } }, 0)).revision, 1);
  assert.equal((await put({ can: { bitrate: 500 } }, 1)).revision, 2);
  assert.equal((await put({ can: { bitrate: 500 } })).revision, 2, 'the same configuration is no change');
  await assert.rejects(put({ a: 1 }, 1), code('revision_mismatch'));
  await assert.rejects(rig.call('devices_config_put', { id, config: {} }, own), code('permission_denied'));
  const acked = await rig.call('devices_config_ack', { id, revision: 2 }, own);
  assert.deepEqual([acked.revision, acked.reported.revision, acked.reported.status], [2, 2, 'applied']);
  const { config } = (await rig.call('devices_get', { id })).state;
  assert.deepEqual([config.desired, config.reported], [2, 2]);
  await rig.call('devices_config_ack', { id, revision: 2 }, own);
  await assert.rejects(rig.call('devices_config_ack', { id, revision: 3 }, own), code('parameter_invalid'));
  await assert.rejects(put({ big: 'x'.repeat(300_000) }), code('payload_too_large'));
  const log = await eventTypes(rig, 'devices_events', id);
  assert.deepEqual(log, ['created', 'updated', 'updated', 'config_applied']);
});

test('[A228] a device writes to its own log with its own name', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'cam-1' });
  const own = as('device', {
    kind: 'device',
    name: 'cam-1',
    device: id,
    device_project: rig.project,
    project_ids: [rig.project],
  });
  const event = await rig.call('devices_append_event', { id, type: 'x.lens_dirty' }, own);
  assert.deepEqual([event.source, event.context.device_id, event.actor.type], ['cam-1', id, 'device']);
  assert.equal((await rig.call('devices_events', { id }, own)).data[0]?.id, event.id);
  await assert.rejects(rig.call('devices_append_event', { id, type: 'online' }, own), code('read_only_kind'));
  const other = await rig.call('devices_create', { device_id: 'cam-2' });
  await assert.rejects(rig.call('devices_append_event', { id: other.id, type: 'note' }, own), code('not_found'));
  await assert.rejects(rig.call('devices_append_event', { id: other.id } as never, own), code('not_found'));
});
