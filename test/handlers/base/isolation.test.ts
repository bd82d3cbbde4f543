import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { handlerGroups } from '#handlers/handlers.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

/** Everything there is, in a project. */
async function furnish(rig: Rig, project: string) {
  const at = { project };
  const equipment = await rig.call('equipment_create', { unit_number: 'HT-14' }, at);
  const { device } = await rig.call('devices_provision', { serial: 'CL-3', equipment_id: equipment.id }, at);
  const dashboard = await rig.call('dashboards_create', { name: 'Pit' }, at);
  const playlist = await rig.call('playlists_create', { name: 'TV', items: [{ dashboard_id: dashboard.id }] }, at);
  const share = await rig.call('display_shares', { kind: 'playlist', object_id: playlist.id }, at);
  const location = await rig.call('locations_create', { name: 'Pit' }, at);
  const operator = await rig.call('operators_create', { name: 'Ada', location_id: location.id }, at);
  const mechanic = await rig.call('mechanics_create', { name: 'Bo' }, at);
  const action = await rig.call('custom_actions_create', { label: 'Fuel', emoji: '⛽', prompt: 'Fuel?' }, at);
  const preference = await rig.call('preferences_get', { id: project }, at);
  const ticket = await rig.call('repair_tickets_create', { title: 'Leak', equipment_id: equipment.id }, at);
  const task = { kind: 'decode', title: 'Live decoding', latest_run_id: null };
  await rig.store
    .view(project)
    .commit([{ collection: 'records', id: `tsk_${project}`, object: 'task', data: task, expected: 0 }]);
  return {
    equipment: equipment.id,
    device: device.id,
    dashboard: dashboard.id,
    playlist: playlist.id,
    location: location.id,
    operator: operator.id,
    mechanic: mechanic.id,
    custom_action: action.id,
    preference: preference.id,
    repair_ticket: ticket.id,
    share,
  };
}

test('[A1] no operation that takes an id reaches an object of another project', async () => {
  await using rig = await openRig();
  const theirs = await furnish(rig, rig.other);
  const kinds = {
    devices: 'device',
    equipment: 'equipment',
    dashboards: 'dashboard',
    playlists: 'playlist',
    locations: 'location',
    operators: 'operator',
    mechanics: 'mechanic',
    'custom-actions': 'custom_action',
    preferences: 'preference',
    'repair-tickets': 'repair_ticket',
  } as const;
  const bodies: Partial<Record<OperationName, object>> = {
    devices_telemetry: { points: [{ values: { 'engine.speed': 1 } }] },
    custom_actions_update: { label: 'mine' },
    preferences_update: { notifications: {} },
    repair_tickets_update: { title: 'mine' },
    devices_key_claim: { claim_id: 'clm_x' },
    devices_hmac_claim: { claim_id: 'clm_x' },
    devices_settings_update: { settings: { a: 1 } },
    devices_worker_register: { name: 'mine', version: '1' },
    devices_offline_resolution: { resolution: 'unknown' },
    devices_config_put: { config: { a: 1 } },
    devices_config_ack: { revision: 0 },
    devices_upload_media: { bytes: 1 },
    devices_media_status: { upload_id: 'upl_x' },
    devices_media_append: { upload_id: 'upl_x', sha256: '0'.repeat(64), bytes: 1 },
    devices_media_end: { upload_id: 'upl_x' },
    devices_worker_report: { run_id: 'run_x' },
    devices_bus_requests: { armed: true },
    devices_quarantine: { quarantined: true },
    devices_firmware_put: { artifact_id: 'art_x' },
    devices_log_password: { password: 'mine' },
    artifacts_decode: { artifact_id: 'art_x' },
    equipment_telemetry: { signals: ['engine.speed'] },
    equipment_diagnosis: { signal: 'engine.speed' },
    equipment_meters_reconcile: { kind: 'engine_hours', value: 1, reason: 'mine' },
    equipment_upload_photo: { content_base64: '/9j/4AAQ' },
  };
  const snapshot = async () =>
    JSON.stringify([
      ...(await Promise.all(Object.values(kinds).map((object) => rig.store.find('records', { object, limit: 99 })))),
      await rig.store.find('events', { object: 'event', limit: 99 }),
    ]);
  const before = await snapshot();
  let checked = 0;
  for (const name of Object.keys(operations) as OperationName[]) {
    const row = operations[name];
    const noun = Object.keys(kinds).find((kind) => row.path.startsWith(`/api/v1/${kind}/{id}`));
    // What only devices may call is held by K4.
    if (noun === undefined || !row.roles.some((role) => role === 'owner')) continue;
    const body =
      bodies[name] ??
      (name.endsWith('append_event') ? { type: 'note' } : name.endsWith('_update') ? { name: 'mine' } : {});
    const input = { id: theirs[kinds[noun as keyof typeof kinds]], ...body };
    await assert.rejects(rig.call(name, input as never), code('not_found'), name);
    checked++;
  }
  assert.ok(checked >= 50, `${checked} operations take an id`);
  assert.equal(await snapshot(), before);
  await assert.rejects(rig.call('tasks_get', { task_id: `tsk_${rig.other}` }), code('not_found'));
  assert.equal((await rig.call('tasks_get', { task_id: `tsk_${rig.other}` }, { project: rig.other })).run, null);
  assert.equal(rig.accepted.length, 0);
});

test('[A1] links to, shares of and pairings with another project do not exist', async () => {
  await using rig = await openRig();
  const theirs = await furnish(rig, rig.other);
  const own = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const links = [{ serial: 'CL-3', equipment_id: own.id }];
  await assert.rejects(rig.call('telemetry_devices_link', { links }), code('not_found'));
  await assert.rejects(
    rig.call('devices_provision', { serial: 'NEW', equipment_id: theirs.equipment }),
    code('not_found'),
  );
  for (const action of ['read-or-create', 'revoke', 'rotate'] as const)
    await assert.rejects(
      rig.call('display_shares', { kind: 'playlist', object_id: theirs.playlist, action }),
      code('not_found'),
    );
  const { user_code } = await rig.call('display_pairings_create', {}, { project: null });
  const approval = { user_code, kind: 'playlist' as const, object_id: theirs.playlist };
  await assert.rejects(rig.call('display_pairings_approve', approval), code('not_found'));
  const serials = await rig.call('devices_provision', { serial: 'CL-3' });
  assert.notEqual(serials.device.id, theirs.device, 'a serial of another project is a stranger');
});

test('[A1] lists show nothing of another project, whatever the filter', async () => {
  await using rig = await openRig();
  const theirs = await furnish(rig, rig.other);
  const lists = await Promise.all([
    rig.call('equipment_list', {}),
    rig.call('equipment_list', { live_status: 'unknown' }),
    rig.call('equipment_list', { unit_number: 'HT-14' }),
    rig.call('devices_list', {}),
    rig.call('devices_list', { status: 'provisioned' }),
    rig.call('devices_list', { equipment_id: theirs.equipment }),
  ]);
  for (const list of lists) assert.deepEqual(list.data, []);
  const { data: dashboards } = await rig.call('dashboards_list', {});
  const { data: playlists } = await rig.call('playlists_list', {});
  assert.deepEqual([dashboards.length, playlists.length], [5, 1]);
  for (const { project_id } of [...dashboards, ...playlists]) assert.equal(project_id, rig.project);
});

test('[A1] every operation that is not a stream has a handler', () => {
  // Bytes for a screen are its stream's to give: the share stands in the path.
  const wanted = (Object.keys(operations) as OperationName[]).filter(
    (name) => operations[name].stream === undefined && operations[name].bytes !== 'shared_content',
  );
  assert.deepEqual(handlerGroups.flatMap(({ handlers }) => Object.keys(handlers)).sort(), wanted.sort());
});
