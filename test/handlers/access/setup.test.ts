import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A210] both requests for a setup are refused with setup_unavailable and write nothing', async () => {
  await using rig = await openRig();
  const before = rig.store.stats().commits;
  await assert.rejects(rig.call('projects_setup', { project_id: rig.project }), code('setup_unavailable'));
  await assert.rejects(rig.call('projects_create', { setup: true }), code('setup_unavailable'));
  await assert.rejects(rig.call('projects_setup', { project_id: rig.other }), code('project_mismatch'));
  assert.equal(rig.store.stats().commits, before);
});

test('[A211] the setup status lists existing and missing objects, and `created` is empty', async () => {
  await using rig = await openRig();
  const read = () => rig.call('projects_setup_status', { project_id: rig.project });
  const codes = async () => (await read()).missing_requirements.map(({ code, resource }) => `${code} ${resource}`);
  const fresh = await read();
  assert.deepEqual([fresh.status, fresh.task_id, fresh.run_id], ['not_started', null, null]);
  assert.ok(Object.values(fresh.created).every((ids) => ids.length === 0));
  assert.deepEqual(
    fresh.evidence.map(({ claim }) => claim),
    ['4 dashboards recorded in this project.', '1 playlist recorded in this project.'],
  );
  assert.ok((await codes()).includes('missing_inventory equipment'));
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  await rig.call('devices_create', { serial: 'CL-1' });
  assert.ok((await read()).evidence.some(({ claim }) => claim === '1 machine recorded in this project.'));
  assert.ok((await codes()).includes('no_equipment_match device'));
  assert.ok((await codes()).includes('device_disconnected device'));
  assert.ok(!(await codes()).includes('missing_inventory equipment'));
  await rig.call('telemetry_devices_link', { links: [{ serial: 'CL-1', equipment_id: machine.id }] });
  assert.ok(!(await codes()).includes('no_equipment_match device'));
  await assert.rejects(rig.call('projects_setup_status', { project_id: rig.other }), code('project_mismatch'));
});
