/** The keys of a device in a running gateway: what a roll, a revoke and a frame mean at the broker and in its status. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { addMachine, connectDevice, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(100)]);

test('[A221] revoking the key ends the connection at the broker, and the device is unassigned until it is provisioned again', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-14');
  const id = machine.device;
  const statusOf = async () => (await client.call('devices_get', { id })).status;
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  await mqtt.publishAsync(`v1/devices/${machine.device_id}/telemetry`, '{"values":{"engine.speed":900}}', { qos: 1 });
  await eventually(statusOf, (status) => status === 'transmitting');

  const roll = await client.call('devices_api_key_roll', { id });
  const taken = await client.call('devices_key_claim', { id, claim_id: roll.claim_url?.split('/').at(-1) ?? '' });
  assert.ok(mqtt.connected, 'a roll ends no connection');
  const fresh = await connectDevice(gateway.node.mqttPort, { ...machine, key: taken.key ?? '' });
  await fresh.endAsync();
  const again = await connectDevice(gateway.node.mqttPort, machine);

  const closed = new Promise<void>((resolve) => again.once('close', () => resolve()));
  const revoked = await client.call('devices_key_revoke', { id, reason: 'stolen' });
  assert.equal(revoked.status, 'unassigned');
  await closed;
  await eventually(statusOf, (status) => status === 'unassigned');
  for (const key of [machine.key, taken.key ?? ''])
    await assert.rejects(connectDevice(gateway.node.mqttPort, { ...machine, key }));
  assert.equal(await statusOf(), 'unassigned', 'who knocks without a key moves nothing');
  const back = await client.call('devices_provision', { serial: 'SN-HT-14' });
  await eventually(statusOf, (status) => status === 'provisioned');
  const once = await connectDevice(gateway.node.mqttPort, { ...machine, key: back.credential.key ?? '' });
  await eventually(statusOf, (status) => status === 'online');
  await once.endAsync();
  await Promise.all([mqtt.endAsync(true), again.endAsync(true)]);
});

test('[W241] a frame marks its camera as seen', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const { device, credential } = await client.call('devices_provision', { serial: 'CAM-1', kind: 'camera' });
  assert.equal(device.last_seen_at, null);
  const response = await fetch(`${gateway.node.http}/api/v1/devices/stream`, {
    method: 'POST',
    body: new Uint8Array(JPEG),
    headers: { authorization: `Bearer ${credential.key}`, 'content-type': 'image/jpeg', 'idempotency-key': 'one' },
  });
  assert.equal(response.status, 202);
  const { artifact_id } = (await response.json()) as { artifact_id: string };
  const content = await fetch(`${gateway.node.http}/api/v1/artifacts/${artifact_id}/content`, {
    headers: { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id },
  });
  assert.ok(Buffer.from(await content.arrayBuffer()).equals(JPEG));
  const seen = await eventually(
    () => client.call('devices_get', { id: device.id }),
    ({ last_seen_at }) => last_seen_at !== null,
  );
  assert.equal(seen.status, 'transmitting', 'a camera that streams transmits');
});

test('[I46] [B3] a login with a wrong key is counted for the device that it names, whose status does not change', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-14');
  const before = await client.call('devices_get', { id: machine.device });
  const wrong = { key: `dk_${'x'.repeat(8)}_${'A'.repeat(43)}` };
  const messages: string[] = [];
  for (const device_id of [machine.device_id, 'no-such-logger'])
    await connectDevice(gateway.node.mqttPort, { device_id, ...wrong }).catch((error: Error) =>
      messages.push(error.message),
    );
  assert.equal(messages.length, 2);
  assert.equal(messages[0], messages[1], 'the answer does not say whether the device exists');
  const { sources } = await gateway.client.call('health_get', {});
  const counted = sources.map(({ source, refused }) => [source, refused]).toSorted();
  assert.deepEqual(counted, [
    ['127.0.0.1', 2],
    [machine.device_id, 1],
  ]);
  const after = await client.call('devices_get', { id: machine.device });
  assert.deepEqual([after.status, after.revision], [before.status, before.revision]);
});

test('[H46] a repeated provisioning shows the key until the device has used it over MQTT or HTTP, or the key was revoked', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const provision = async (serial: string) =>
    (await client.call('devices_provision', { serial }, { idempotency_key: `provision-${serial}` })).credential.key;
  const uses = {
    async mqtt(key: string, device_id: string) {
      await (await connectDevice(gateway.node.mqttPort, { device_id, key })).endAsync();
    },
    async http(key: string) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/jpeg', 'idempotency-key': 'one' };
      await fetch(`${gateway.node.http}/api/v1/devices/stream`, {
        method: 'POST',
        body: new Uint8Array(JPEG),
        headers,
      });
    },
    async revoked(_key: string, _device_id: string, id: string) {
      await client.call('devices_key_revoke', { id });
    },
    async replaced(_key: string, _device_id: string, _id: string, serial: string) {
      await client.call('devices_provision', { serial });
    },
  } as const;
  for (const [name, use] of Object.entries(uses)) {
    const key = await provision(name);
    assert.ok(key);
    assert.equal(await provision(name), key, 'the first answer may have been lost');
    const { data } = await client.call('devices_list', { limit: 50 });
    const device = data.find(({ serial }) => serial === name);
    await use(key, device?.device_id ?? '', device?.id ?? '', name);
    assert.equal(await provision(name), null, name);
  }
});

test('[H46] a repeated claim of a rolled key or of a key pair shows no secret after a use or a revocation', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-14');
  const id = machine.device;
  const { claim_url } = await client.call('devices_api_key_roll', { id });
  const claim_id = claim_url?.split('/').at(-1) ?? '';
  const claimed = async () =>
    (await client.call('devices_key_claim', { id, claim_id }, { idempotency_key: 'claim' })).key;
  const key = await claimed();
  assert.equal(await claimed(), key);
  await (await connectDevice(gateway.node.mqttPort, { ...machine, key: key ?? '' })).endAsync();
  assert.equal(await claimed(), null);
  const { hmac } = await client.call('devices_provision_info', { device_id: id });
  const pair = async () =>
    await client.call(
      'devices_hmac_claim',
      { id, claim_id: hmac.secret_ref.split('/').at(-1) ?? '' },
      { idempotency_key: 'pair' },
    );
  assert.ok((await pair()).secret);
  assert.ok((await pair()).secret);
  await client.call('devices_key_revoke', { id });
  const { secret, config_patch } = await pair();
  assert.deepEqual([secret, config_patch], [null, null]);
});

test('[H46] a repeated keys_create shows no secret after the key was used or revoked', async () => {
  await using gateway = await startGateway();
  const create = (name: string) => gateway.client.call('keys_create', { name }, { idempotency_key: name });
  const used = await create('used');
  assert.equal((await create('used')).secret, used.secret);
  const own = createClient({ base_url: gateway.node.http, key: used.secret });
  await own.call('projects_list', {});
  await eventually(
    () =>
      create('used').then(
        () => 'shown',
        (error: Error) => error.message,
      ),
    (said) => said.includes('secret that is no longer available'),
  );
  const { key } = await create('revoked');
  await gateway.client.call('keys_revoke', { id: key.id });
  await assert.rejects(create('revoked'), /secret that is no longer available/);
});
