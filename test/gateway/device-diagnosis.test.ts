/** The diagnosis of devices as a gateway gives it, each device broken in another place through its own doors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Output } from '#contract/operations.ts';
import { addMachine, connectDevice, eventually, startGateway, type TestMachine } from '#test/support/gateway.ts';
import { createS3 } from '#test/support/s3.ts';

type Diagnosis = Output<'devices_diagnosis'>;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const frames = (second: number) =>
  Array.from({ length: 20 }, (_, i) => `(${(second + i / 20).toFixed(6)}) can0 0CF00400#F07D84B01300F084`).join('\n');
const now = () => Date.now() / 1000;

/** The states of the steps in a row, as `ok ok broken ...`. */
const states = ({ steps }: Diagnosis) => steps.map(({ state }) => state).join(' ');
const stepOf = ({ steps }: Diagnosis, name: string) => {
  const found = steps.find(({ step }) => step === name);
  assert.ok(found, `no step ${name}`);
  return found;
};

async function site() {
  const gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  return {
    gateway,
    client,
    port: gateway.node.mqttPort,
    diagnose: (id: string) => client.call('devices_diagnosis', { id }),
    until: (id: string, wanted: (found: Diagnosis) => boolean) =>
      eventually(() => client.call('devices_diagnosis', { id }), wanted),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

test('[A465] the diagnosis of a logger shows each step from its key to its first value', async () => {
  await using pit = await site();
  const machine = await addMachine(pit.client, 'HT-1');
  const { device, device_id } = machine;
  const before = await pit.diagnose(device);
  assert.equal(states(before), 'waiting waiting unknown unknown ok unknown');
  assert.equal(before.stopped_at, 'connection');
  assert.match(
    stepOf(before, 'connection').remedy ?? '',
    new RegExp(`:${pit.port} .* user name and client id ${device_id}`),
  );
  assert.deepEqual(
    before.steps.map(({ step }) => step),
    ['connection', 'key', 'topic', 'frames', 'link', 'decoded'],
  );

  const client = await connectDevice(pit.port, machine);
  const connected = await pit.until(device, ({ steps }) => steps[0]?.state === 'ok');
  assert.equal(states(connected), 'ok ok waiting unknown ok unknown');
  assert.equal(connected.stopped_at, 'topic');
  assert.ok(stepOf(connected, 'topic').remedy?.includes(`v1/devices/${device_id}/can`));

  await client.publishAsync(`v1/devices/${device_id}/can`, frames(now()), { qos: 1 });
  const done = await pit.until(device, ({ stopped_at }) => stopped_at === null);
  assert.equal(states(done), 'ok ok ok ok ok ok');
  assert.equal(stepOf(done, 'frames').detail, '20 frames so far.');
  assert.match(stepOf(done, 'decoded').detail, /^\d+ values? on HT-1\.$/);
  await client.endAsync();
});

test('[A466] with a wrong key the diagnosis stops at the key and names the address; a connected device is not affected', async () => {
  await using pit = await site();
  const machine = await addMachine(pit.client, 'HT-2');
  const wrong = { ...machine, key: `${machine.key.slice(0, -4)}AAAA` };
  for (let i = 0; i < 3; i++) await assert.rejects(connectDevice(pit.port, wrong));
  const refused = await pit.until(machine.device, ({ stopped_at }) => stopped_at === 'key');
  assert.equal(states(refused), 'ok broken unknown unknown ok unknown');
  const key = stepOf(refused, 'key');
  assert.match(key.detail, /^3 logins under its name were refused, the last from 127\.0\.0\.1: the key is wrong\.$/);
  assert.match(key.remedy ?? '', /provision the device again with the serial SN-HT-2/);
  assert.equal((await pit.client.call('devices_get', { id: machine.device })).status, 'provisioned');

  const client = await connectDevice(pit.port, machine);
  await pit.until(machine.device, ({ steps }) => steps[1]?.state === 'ok');
  await assert.rejects(connectDevice(pit.port, wrong));
  const besides = await pit.until(
    machine.device,
    ({ steps }) => steps[1]?.detail.startsWith('The device is authenticated. 4') === true,
  );
  assert.equal(stepOf(besides, 'key').state, 'ok');
  await client.endAsync();
});

test('[A741] an HTTP request with a wrong key appears in the diagnosis of the device in its path', async () => {
  await using pit = await site();
  const { http } = pit.gateway.node;
  const [silent, other, person] = await Promise.all(['A', 'B', 'C'].map((unit) => addMachine(pit.client, unit)));
  assert.ok(silent && other && person);
  const post = async (id: string, key: string | null) => {
    const response = await fetch(`${http}/api/v1/devices/${id}/telemetry`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: '{"points":[{"values":{"engine.hours":1200}}]}',
    });
    return response.status;
  };
  const wrong = `${silent.key.slice(0, -4)}AAAA`;
  assert.deepEqual([await post(silent.device, wrong), await post(silent.device_id, wrong)], [401, 401]);
  const refused = await pit.diagnose(silent.device);
  assert.equal(refused.transport, 'http');
  assert.equal(refused.stopped_at, 'key');
  assert.equal(states(refused), 'ok broken unknown unknown ok unknown');
  assert.equal(
    stepOf(refused, 'key').detail,
    '2 requests to its address were refused, the last from 127.0.0.1: the key is wrong.',
  );
  assert.match(stepOf(refused, 'key').remedy ?? '', /in the header "Authorization: Bearer".* with the serial SN-A/);
  assert.equal((await pit.client.call('devices_get', { id: silent.device })).status, 'provisioned');
  assert.equal(await post(silent.device, null), 401);
  assert.match(stepOf(await pit.diagnose(silent.device), 'key').detail, /^3 requests .* had no header/);

  // The key of another device; that one is told that the address is not its own.
  assert.equal(await post(silent.device, other.key), 404);
  assert.match(stepOf(await pit.diagnose(silent.device), 'key').detail, /^4 requests .*: the key is wrong\.$/);
  const sent = await pit.diagnose(other.device);
  assert.equal(stepOf(sent, 'key').state, 'waiting');
  assert.equal(await post(other.device_id, other.key), 404);
  assert.equal(stepOf(await pit.diagnose(other.device), 'key').state, 'waiting');
  assert.match(stepOf(await pit.diagnose(other.device), 'topic').detail, new RegExp(`${other.device_id}/telemetry$`));

  // A person whose key ended, and a page without one, say nothing of the device.
  assert.equal(await post(person.device, `wk_abcdefgh_${'A'.repeat(43)}`), 401);
  assert.equal((await fetch(`${http}/api/v1/devices/${person.device}/events`)).status, 401);
  assert.equal(stepOf(await pit.diagnose(person.device), 'key').state, 'waiting');

  assert.equal(await post(silent.device, silent.key), 202);
  const good = await pit.until(silent.device, ({ stopped_at }) => stopped_at === null);
  assert.equal(states(good), 'ok ok ok ok ok ok');
  assert.equal(await post(silent.device, wrong), 401);
  const besides = await pit.diagnose(silent.device);
  assert.equal(besides.stopped_at, null);
  assert.match(
    stepOf(besides, 'key').detail,
    /^The device is authenticated\. 5 requests to its address were refused besides/,
  );
});

test('[A467] the diagnosis names a foreign topic, bytes that are no frames, and messages that are too large', async () => {
  await using pit = await site();
  const send = async (machine: TestMachine, topic: string, payload: string | Buffer) => {
    const client = await connectDevice(pit.port, machine);
    await client.publishAsync(topic, payload, { qos: 1 });
    return client;
  };
  const [lost, junk, large] = await Promise.all(['A', 'B', 'C'].map((unit) => addMachine(pit.client, unit)));
  assert.ok(lost && junk && large);
  const clients = [
    await send(lost, 'mine/truck4/can', frames(now())),
    await send(junk, `v1/devices/${junk.device_id}/can`, 'temp=21;rpm=900'),
    await send(large, `v1/devices/${large.device_id}/can`, Buffer.alloc(300 * 1024, 48)),
  ];
  const atTopic = await pit.until(
    lost.device,
    ({ stopped_at, steps }) => stopped_at === 'topic' && steps[2]?.state === 'broken',
  );
  assert.match(stepOf(atTopic, 'topic').detail, /mine\/truck4\/can$/);
  assert.ok(stepOf(atTopic, 'topic').remedy?.includes(`v1/devices/${lost.device_id}/can`));

  const atFrames = await pit.until(junk.device, ({ stopped_at }) => stopped_at === 'frames');
  assert.equal(states(atFrames), 'ok ok ok broken ok unknown');
  assert.match(
    stepOf(atFrames, 'frames').detail,
    /^The gateway cannot decode what the device sends: .*1 part so far\.$/,
  );

  const tooLarge = await pit.until(large.device, ({ steps }) => steps[3]?.state === 'broken');
  assert.equal(stepOf(tooLarge, 'frames').detail, 'Its messages are over 256 KiB.');
  for (const client of clients) await client.endAsync();
});

test('[A468] frames without a machine, frames of a recording and values with unknown names stop at the last step', async () => {
  await using pit = await site();
  const loose = await pit.client.call('devices_provision', { serial: 'LOOSE' });
  const key = loose.credential.key ?? '';
  const [old, foreign] = [await addMachine(pit.client, 'HT-5'), await addMachine(pit.client, 'HT-6')];
  const clients = await Promise.all([
    connectDevice(pit.port, { device_id: loose.device.device_id, key }),
    connectDevice(pit.port, old),
    connectDevice(pit.port, foreign),
  ]);
  await clients[0].publishAsync(`v1/devices/${loose.device.device_id}/can`, frames(now()), { qos: 1 });
  await clients[1].publishAsync(`v1/devices/${old.device_id}/can`, frames(1_630_000_000), { qos: 1 });
  await clients[2].publishAsync(`v1/devices/${foreign.device_id}/telemetry`, '{"values":{"oil":1}}', { qos: 1 });

  const unlinked = await pit.until(loose.device.id, ({ stopped_at }) => stopped_at === 'link');
  assert.equal(states(unlinked), 'ok ok ok ok broken waiting');
  const recorded = await pit.until(old.device, ({ stopped_at }) => stopped_at === 'decoded');
  assert.match(stepOf(recorded, 'decoded').detail, /as of 2021-08-26: the data is a recording/);
  assert.ok(stepOf(recorded, 'decoded').remedy?.includes(`npx headframe replay FILE --device ${old.device_id} --now`));
  const unnamed = await pit.until(foreign.device, ({ steps }) => steps[5]?.state === 'broken');
  assert.equal(unnamed.stopped_at, 'decoded');

  const machine = await pit.client.call('equipment_get', { id: old.equipment_id });
  await pit.client.call('equipment_update', { id: machine.id, status: 'decommissioned' });
  const retired = await pit.diagnose(old.device);
  assert.equal(retired.stopped_at, 'link');
  assert.match(stepOf(retired, 'link').detail, /HT-5, which is decommissioned/);
  for (const client of clients) await client.endAsync();
});

test('[A469] a camera, a device over HTTP and a logger that uploads each have their own steps', async () => {
  await using pit = await site();
  const { http, bucketPort } = pit.gateway.node;
  const ex = await addMachine(pit.client, 'EX-7');
  const camera = await pit.client.call('devices_provision', {
    serial: 'CAM-1',
    kind: 'camera',
    equipment_id: ex.equipment_id,
  });
  assert.equal((await pit.diagnose(camera.device.id)).transport, 'http');
  const send = (url: string, key: string, type: string, body: Buffer) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type, 'idempotency-key': 'one' },
      body: new Uint8Array(body),
    });
  const point = Buffer.from('{"points":[{"values":{"engine.hours":1200}}]}');
  const statuses = [
    await send(camera.http.stream_url, camera.credential.key ?? '', 'image/png', PNG),
    await send(`${http}/api/v1/devices/${ex.device}/telemetry`, ex.key, 'application/json', point),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [202, 202]);
  const seen = await pit.until(camera.device.id, ({ stopped_at }) => stopped_at === null);
  assert.deepEqual(
    seen.steps.map(({ title }) => title),
    ['Requests', 'Key', 'Address', 'Pictures', 'Machine', 'Shown'],
  );
  const told = await pit.until(ex.device, ({ stopped_at, transport }) => stopped_at === null && transport === 'http');
  assert.match(stepOf(told, 'topic').detail, /\/telemetry\.$/);

  const { id, device_id } = await pit.client.call('devices_create', { device_id: 'up-1', serial: 'UP-1' });
  await pit.client.call('telemetry_devices_link', { links: [{ serial: 'UP-1', equipment_id: ex.equipment_id }] });
  assert.equal((await pit.diagnose(id)).stopped_at, 'key');
  const info = await pit.client.call('devices_provision_info', { device_id: id });
  assert.deepEqual(
    [(await pit.diagnose(id)).transport, states(await pit.diagnose(id))],
    ['upload', 'waiting waiting unknown unknown ok unknown'],
  );
  const claim_id = info.hmac.secret_ref.split('/').at(-1) ?? '';
  const { secret } = await pit.client.call('devices_hmac_claim', { id, claim_id });
  const access = info.hmac.access_key_id;
  const wrong = createS3({ port: bucketPort, access, secret: 'not-the-secret' });
  assert.equal(
    (await wrong.send({ method: 'PUT', key: `${device_id}/device.json`, body: Buffer.from('{}') })).status,
    403,
  );
  assert.equal((await pit.until(id, ({ steps }) => steps[1]?.state === 'broken')).stopped_at, 'key');
  const s3 = createS3({ port: bucketPort, access, secret: secret ?? '' });
  const put = async (key: string, body: string) =>
    (await s3.send({ method: 'PUT', key, body: Buffer.from(body) })).status;
  assert.equal(await put('elsewhere/00000001/00000001.MF4', 'x'), 403);
  await pit.until(id, ({ steps }) => steps[2]?.state === 'broken');
  assert.equal(await put(`${device_id}/00000012/00000001-68E77800.MF4`, 'this is no log'), 200);
  const unread = await pit.until(id, ({ steps }) => steps[3]?.state === 'broken');
  assert.equal(unread.stopped_at, 'frames');
  assert.match(stepOf(unread, 'frames').detail, /00000001.* could not be decoded\. /);
  assert.equal(await put(`${device_id}/00000012/00000002-68E77801.MF4`, `${frames(1_760_000_000)}\n`), 200);
  const read = await pit.until(id, ({ stopped_at }) => stopped_at === null);
  assert.equal(states(read), 'ok ok ok ok ok ok');
});

test('[A465] a device of another project has no diagnosis here', async () => {
  await using pit = await site();
  const other = await pit.gateway.client.call('projects_create', { name: 'Other' });
  const foreign = await addMachine(pit.gateway.project(other.project.id), 'HT-1');
  await assert.rejects(pit.diagnose(foreign.device), /No such device|no device|not found|There is no/i);
});
