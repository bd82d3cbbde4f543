import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { KeyData } from '#contract/site/node.ts';
import { as, eventTypes, openRig, sha256 } from '#test/support/handler-rig.ts';

/** The state of a device that was never heard and has neither key nor configuration. */
const UNHEARD_STATE = {
  connectivity: null,
  firmware: null,
  hardware: null,
  config: { desired: null, reported: null, applied_at: null, error: null },
  credential: null,
  worker: null,
};

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A12] creating a device makes a record without a credential', async () => {
  await using rig = await openRig();
  const device = await rig.call('devices_create', { name: 'Logger 3', serial: 'CL-3' });
  assert.equal(device.device_id, 'Logger-3');
  assert.deepEqual([device.status, device.status_color], ['unassigned', 'gray']);
  assert.deepEqual([device.last_seen_at, device.observation, device.state], [null, null, UNHEARD_STATE]);
  assert.equal((await rig.store.find('local', { object: 'key', limit: 10 })).length, 0);
  assert.deepEqual(await eventTypes(rig, 'devices_events', device.id), ['created']);
  assert.deepEqual(
    (await rig.call('devices_list', { status: 'unassigned' })).data.map(({ id }) => id),
    [device.id],
  );
});

test('[A6] a device_id used in this project answers 409; if used in another one, a new id is made', async () => {
  await using rig = await openRig();
  const first = await rig.call('devices_create', { device_id: 'logger' });
  await assert.rejects(rig.call('devices_create', { device_id: 'logger' }), (error: OperationError) => {
    assert.equal(error.code, 'already_exists');
    assert.equal(error.details[0]?.held_by, first.id);
    return true;
  });
  const foreign = await rig.call('devices_create', { device_id: 'logger' }, { project: rig.other });
  assert.match(foreign.device_id, /^logger-[0-9a-f]{6}$/);
  assert.ok(!JSON.stringify(foreign).includes(first.id));
});

test('[A7] of concurrent calls of many projects for a device_id one gets it, and all get a device', async () => {
  await using rig = await openRig();
  const made = await Promise.all(
    [rig.project, rig.other].flatMap((project) =>
      Array.from({ length: 3 }, () =>
        rig.call('devices_provision', { serial: 'X1', device_id: 'logger' }, { project }),
      ),
    ),
  );
  const ids = new Map(made.map(({ device }) => [device.id, device.device_id]));
  assert.equal(ids.size, 2, 'one device per project and serial');
  assert.equal([...ids.values()].filter((id) => id === 'logger').length, 1);
});

test('[A12] provisioning returns the key once and stores its hash', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const made = await rig.call('devices_provision', { serial: 'CL 3/7', equipment_id: machine.id });
  const { key, key_id } = made.credential;
  assert.match(key ?? '', /^dk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
  assert.equal(made.device.device_id, 'CL-3-7');
  assert.deepEqual([made.device.status, made.device.equipment_id], ['provisioned', machine.id]);
  assert.deepEqual(made.mqtt, {
    host: 'gateway.test',
    port: 1883,
    tls_port: 8883,
    encrypted_only: false,
    username: 'CL-3-7',
    client_id: 'CL-3-7',
    topic_prefix: 'v1/devices/CL-3-7/',
  });
  assert.equal(made.http.telemetry_url, `http://gateway.test/api/v1/devices/${made.device.id}/telemetry`);
  const stored = await rig.store.node.get<KeyData>('local', key_id);
  assert.equal(stored?.data.hash, sha256(key ?? ''));
  assert.deepEqual(stored?.data.project_ids, [rig.project]);
  for (const collection of ['records', 'live', 'events', 'local'] as const)
    for (const object of ['device', 'event', 'key', 'device_name', 'name'])
      assert.ok(!JSON.stringify(await rig.store.find(collection, { object, limit: 1_000 })).includes(key ?? '-'));
  assert.deepEqual(await eventTypes(rig, 'equipment_events', machine.id), ['created', 'device.linked']);
  const got = await rig.call('devices_get', { id: made.device.id });
  assert.equal(got.status, 'provisioned');
  assert.deepEqual(got.state, { ...UNHEARD_STATE, credential: { key_id, status: 'active', expires_at: null } });
  assert.deepEqual(
    (await rig.call('devices_list', { status: 'provisioned' })).data.map(({ id }) => id),
    [got.id],
  );
});

test('[A12] a known serial gets a new key, and the old one is revoked in the same commit', async () => {
  await using rig = await openRig();
  const first = await rig.call('devices_provision', { serial: 'CL-3' });
  const before = rig.store.stats().commits;
  const second = await rig.call('devices_provision', { serial: 'cl-3' });
  assert.equal(rig.store.stats().commits, before + 1);
  assert.equal(second.device.id, first.device.id);
  assert.notEqual(second.credential.key, first.credential.key);
  const revoked = async (id: string) => (await rig.store.node.get<KeyData>('local', id))?.data.revoked_at;
  assert.ok(await revoked(first.credential.key_id));
  assert.equal(await revoked(second.credential.key_id), null);
  const log = await rig.call('devices_events', { id: first.device.id });
  assert.equal(log.data[0]?.type, 'key_rolled');
  assert.equal(log.data[0]?.data.revoked_key_id, first.credential.key_id);
});

test('[A12] after concurrent provisioning of one serial exactly one key is valid', async () => {
  await using rig = await openRig();
  await Promise.all(Array.from({ length: 4 }, () => rig.call('devices_provision', { serial: 'CL-3' })));
  const keys = await rig.store.find<KeyData>('local', { object: 'key', limit: 100 });
  assert.equal(keys.length, 4);
  assert.equal(keys.filter(({ data }) => data.revoked_at === null).length, 1);
});

test('[A12] provisioning uses a record without serial that was created with the same device_id', async () => {
  await using rig = await openRig();
  const made = await rig.call('devices_create', { device_id: 'logger' });
  const provisioned = await rig.call('devices_provision', { serial: 'CL-3', device_id: 'logger' });
  assert.equal(provisioned.device.id, made.id);
  assert.equal(provisioned.device.serial, 'CL-3');
  const other = await rig.call('devices_provision', { serial: 'CL-4', device_id: 'logger' });
  assert.notEqual(other.device.id, made.id);
  assert.match(other.device.device_id, /^logger-/);
});

test('[A13] each link has its own result and names a device by serial or device_id', async () => {
  await using rig = await openRig();
  const [a, b, gone, foreign] = await Promise.all([
    rig.call('equipment_create', { unit_number: 'A' }),
    rig.call('equipment_create', { unit_number: 'B' }),
    rig.call('equipment_create', { unit_number: 'C', status: 'decommissioned' }),
    rig.call('equipment_create', { unit_number: 'A' }, { project: rig.other }),
  ]);
  const device = await rig.call('devices_create', { device_id: 'logger', serial: 'CL-3' });
  const d = await rig.call('equipment_create', { unit_number: 'D' });
  await rig.call('devices_provision', { serial: 'other', equipment_id: d.id });
  const link = async (serial: string, equipment_id: string) => {
    // The last link is unchanged, so that the call is not one of which every link failed.
    const links = [
      { serial, equipment_id },
      { serial: 'other', equipment_id: d.id },
    ];
    const { data } = await rig.call('telemetry_devices_link', { links });
    return [data[0]?.result, data[0]?.error?.code ?? null];
  };
  assert.deepEqual(await link('CL-3', a.id), ['linked', null]);
  assert.deepEqual(await link('logger', a.id), ['unchanged', null]);
  assert.deepEqual(await link('cl-3', b.id), ['relinked', null]);
  assert.deepEqual(await link('CL-3', gone.id), ['error', 'parameter_invalid']);
  assert.deepEqual(await link('CL-3', foreign.id), ['error', 'not_found']);
  assert.deepEqual(await link('nobody', a.id), ['error', 'not_found']);
  assert.equal((await rig.call('devices_get', { id: device.id })).equipment_id, b.id);
  assert.deepEqual((await rig.call('equipment_get', { id: b.id })).device_ids, [device.id]);
  assert.deepEqual(await eventTypes(rig, 'equipment_events', a.id), ['created', 'device.linked', 'device.unlinked']);
  const log = (await eventTypes(rig, 'devices_events', device.id)).sort();
  assert.deepEqual(log, ['created', 'device.linked', 'device.linked']);
});

test('[A13] two hundred devices move to another machine in one call', async () => {
  await using rig = await openRig();
  const machines = [
    await rig.call('equipment_create', { unit_number: 'A' }),
    await rig.call('equipment_create', { unit_number: 'B' }),
  ];
  const serials = Array.from({ length: 200 }, (_, i) => `S${i}`);
  for (const serial of serials) await rig.call('devices_create', { serial });
  for (const { id } of machines) {
    const links = serials.map((serial) => ({ serial, equipment_id: id }));
    const { data } = await rig.call('telemetry_devices_link', { links });
    assert.ok(data.every(({ result }) => result === 'linked' || result === 'relinked'));
  }
  assert.equal((await rig.call('equipment_get', { id: machines[1]?.id ?? '' })).device_ids.length, 200);
});

test('[A13] one call links many devices, and failed links do not prevent the others', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'A' });
  await rig.call('devices_create', { serial: 'S1' });
  await rig.call('devices_create', { serial: 'S2' });
  const before = rig.store.stats().commits;
  const answer = await rig.call('telemetry_devices_link', {
    project_id: rig.project,
    links: ['S1', 'nobody', 'S2', 'S1'].map((serial) => ({ serial, equipment_id: machine.id, source: 'ui' as const })),
  });
  assert.deepEqual(
    answer.data.map(({ result }) => result),
    ['linked', 'error', 'linked', 'unchanged'],
  );
  assert.equal(rig.store.stats().commits, before + 1);
  assert.ok(!/transmit|connected|online/i.test(JSON.stringify(answer)));
  assert.equal((await rig.call('equipment_get', { id: machine.id })).device_ids.length, 2);
});

test('[A13] a body that names another project than the header is refused', async () => {
  await using rig = await openRig();
  const links = [{ serial: 'S1', equipment_id: 'eq_1' }];
  await assert.rejects(rig.call('telemetry_devices_link', { project_id: rig.other, links }), code('project_mismatch'));
});

test('[A20] telemetry is written to the journal as the telemetry topic, and unknown names are reported', async () => {
  await using rig = await openRig();
  const { device } = await rig.call('devices_provision', { serial: 'CL-3' });
  const points = [{ ts: 1_700_000_000_000, values: { 'engine.speed': 900, 'drum.angle': 4 } }, { values: {} }];
  const ack = await rig.call('devices_telemetry', { id: device.id, points });
  assert.deepEqual([ack.accepted, ack.unknown_signals], [2, ['drum.angle']]);
  const [message] = rig.accepted;
  assert.deepEqual([message?.device, message?.topic, message?.project_id], [device.id, 'telemetry', rig.project]);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(message?.payload)), points);
  assert.equal(message?.received_at_ms, Date.parse(ack.received_at));
});

test('[A20] a device key has access only to its own device', async () => {
  await using rig = await openRig();
  const own = (await rig.call('devices_provision', { serial: 'S1' })).device;
  const sibling = (await rig.call('devices_provision', { serial: 'S2' })).device;
  const caller = as('device', {
    kind: 'device',
    device: own.id,
    device_project: rig.project,
    project_ids: [rig.project],
  });
  const points = [{ values: { 'engine.speed': 900 } }];
  await rig.call('devices_telemetry', { id: own.id, points }, { ...caller, project: null });
  await assert.rejects(
    rig.call('devices_telemetry', { id: sibling.id, points }, { ...caller, project: null }),
    code('not_found'),
  );
  assert.equal(rig.accepted.length, 1);
});

test('[A2] the event of a device update names the fields; status and links are refused by name', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { serial: 'CL-3' });
  const updated = await rig.call('devices_update', { id, name: 'Pit logger', expected_interval_s: 10 });
  assert.deepEqual([updated.name, updated.expected_interval_s, updated.revision], ['Pit logger', 10, 2]);
  const log = await rig.call('devices_events', { id });
  assert.deepEqual(log.data[0]?.data, { fields: ['name', 'expected_interval_s'] });
  for (const field of ['status', 'last_seen_at', 'equipment_id', 'device_id']) {
    const input = { id, [field]: 'x' } as { id: string };
    await assert.rejects(rig.call('devices_update', input), code('read_only_field'));
  }
});

test('[A5] a serial is unique in the project, and a change of the record frees the old one', async () => {
  await using rig = await openRig();
  const first = await rig.call('devices_create', { serial: 'CL-3' });
  const second = await rig.call('devices_create', { serial: 'CL-4' });
  await assert.rejects(rig.call('devices_create', { serial: 'cl-3' }), code('already_exists'));
  await assert.rejects(rig.call('devices_update', { id: second.id, serial: 'CL-3' }), code('already_exists'));
  await rig.call('devices_update', { id: first.id, serial: null });
  assert.equal((await rig.call('devices_update', { id: second.id, serial: 'CL-3' })).serial, 'CL-3');
});

test('[A607] if every link of a call fails, the error lists each, and nothing is written', async () => {
  await using rig = await openRig();
  const machine = await rig.call('equipment_create', { unit_number: 'A' });
  const gone = await rig.call('equipment_create', { unit_number: 'B', status: 'decommissioned' });
  await rig.call('devices_create', { serial: 'S1' });
  const before = rig.store.stats().commits;
  const failed = (links: { serial: string; equipment_id: string }[], wanted: string, codes: string[]) =>
    assert.rejects(rig.call('telemetry_devices_link', { links }), (error: OperationError) => {
      assert.equal(error.code, wanted);
      assert.deepEqual(
        error.details.map((one) => [one.serial, one.equipment_id, one.code]),
        links.map(({ serial, equipment_id }, i) => [serial, equipment_id, codes[i]]),
      );
      return true;
    });
  await failed([{ serial: 'nobody', equipment_id: machine.id }], 'not_found', ['not_found']);
  await failed(
    [
      { serial: 'S1', equipment_id: gone.id },
      { serial: 'nobody', equipment_id: machine.id },
    ],
    'parameter_invalid',
    ['parameter_invalid', 'not_found'],
  );
  assert.equal(rig.store.stats().commits, before);
  const links = ['nobody', 'S1'].map((serial) => ({ serial, equipment_id: machine.id }));
  const { data } = await rig.call('telemetry_devices_link', { links });
  assert.deepEqual(
    data.map(({ result }) => result),
    ['error', 'linked'],
  );
});
