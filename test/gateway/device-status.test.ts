/** What a device says of itself on the wire before and after it is heard: status, when that was reported, and by which way it came. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';
import { createS3 } from '#test/support/s3.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function post(url: string, key: string, type: string, body: string | Buffer, more: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, ...more };
  return fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
}

test('[A460] a device that never sent data has the time of its status report, also after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-status-'));
  try {
    const seen: [string, string | null][] = [];
    let project = '';
    let id = '';
    let made = '';
    {
      await using gateway = await startGateway(folder);
      project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
      const client = gateway.project(project);
      const created = await client.call('devices_create', { device_id: 'logger-1' });
      assert.deepEqual([created.status, created.status_reported_at], ['unassigned', created.created_at]);
      const { device } = await client.call('devices_provision', { serial: 'CL-1' });
      id = device.id;
      made = device.status_reported_at ?? '';
      assert.ok(made >= device.created_at, 'provisioning reports the status');
      const got = await client.call('devices_get', { id });
      seen.push([got.status, got.status_reported_at]);
    }
    await using gateway = await startGateway(folder);
    const client = gateway.project(project);
    const got = await client.call('devices_get', { id });
    const [listed] = (await client.call('devices_list', { status: 'provisioned' })).data;
    seen.push([got.status, got.status_reported_at], [listed?.status ?? '', listed?.status_reported_at ?? null]);
    assert.deepEqual(seen, Array(3).fill(['provisioned', made]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[A461] a device has its last transport: MQTT, HTTP or uploads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-ways-'));
  try {
    let project = '';
    const ids: string[] = [];
    const ways = (gateway: Awaited<ReturnType<typeof startGateway>>) =>
      Promise.all(
        ids.map(async (id) => {
          const { state } = await gateway.project(project).call('devices_get', { id });
          return [state.connectivity?.session ?? null, state.connectivity?.transport ?? null].join(' ');
        }),
      );
    {
      await using gateway = await startGateway(folder);
      project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
      const client = gateway.project(project);
      const overMqtt = await addMachine(client, 'HT-1');
      const overHttp = await addMachine(client, 'HT-2');
      const uploads = await addMachine(client, 'HT-3');
      const both = await addMachine(client, 'HT-4');
      ids.push(overMqtt.device, overHttp.device, uploads.device, both.device);
      const mqtt = await connectDevice(gateway.node.mqttPort, overMqtt);
      const second = await connectDevice(gateway.node.mqttPort, both);
      const points = JSON.stringify({ points: [{ values: { 'engine.hours': 10 } }] });
      for (const { device, key } of [overHttp, both]) {
        const url = `${gateway.node.http}/api/v1/devices/${device}/telemetry`;
        assert.equal((await post(url, key, 'application/json', points)).status, 202);
      }
      const info = await client.call('devices_provision_info', { device_id: uploads.device });
      const claim_id = info.hmac.secret_ref.split('/').at(-1) ?? '';
      const { secret } = await client.call('devices_hmac_claim', { id: uploads.device, claim_id });
      const s3 = createS3({ port: gateway.node.bucketPort, access: info.hmac.access_key_id, secret: secret ?? '' });
      const put = await s3.send({ method: 'PUT', key: `${uploads.device_id}/device.json`, body: Buffer.from('{}') });
      assert.equal(put.status, 200);
      await eventually(
        () => ways(gateway),
        (all) => all.join() === 'open mqtt,none http,none upload,open mqtt',
      );
      await mqtt.endAsync();
      await second.endAsync();
    }
    await using gateway = await startGateway(folder);
    assert.deepEqual((await ways(gateway)).slice(0, 3), ['closed mqtt', 'none http', 'none upload']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[A462] a camera gets the address for its frames, and is transmitting after its first frame', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const made = await client.call('devices_provision', { serial: 'CAM-1', kind: 'camera' });
  assert.equal(made.http.stream_url, `${gateway.node.http}/api/v1/devices/stream`);
  const key = made.credential.key ?? '';
  const frame = () => post(made.http.stream_url, key, 'image/png', PNG, { 'idempotency-key': 'frame-1' });
  assert.equal((await frame()).status, 202);
  const { id } = made.device;
  const camera = await eventually(
    () => client.call('devices_get', { id }),
    ({ status, state }) => status === 'transmitting' && state.connectivity?.transport === 'http',
  );
  assert.equal(camera.timeline_changes[0]?.reason, 'data');
  assert.deepEqual([camera.metrics.frames_total, camera.metrics.decode_errors_total], [0, 0]);
});

test('[A463] a key pair for the bucket makes a device provisioned, and its revoke makes it unassigned again', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const { id } = await client.call('devices_create', { device_id: 'logger-1', serial: 'CL-1' });
  const statuses = async () => {
    const { status, status_reported_at } = await client.call('devices_get', { id });
    const listed = await client.call('devices_list', { status: 'provisioned' });
    return { status, reported: status_reported_at ?? '', listed: listed.data.length };
  };
  const before = await statuses();
  assert.deepEqual([before.status, before.listed], ['unassigned', 0]);
  await client.call('devices_provision_info', { serial: 'CL-1' });
  const paired = await statuses();
  assert.deepEqual([paired.status, paired.listed], ['provisioned', 1]);
  assert.ok(paired.reported > before.reported);
  const [event] = (await client.call('devices_events', { id })).data;
  assert.equal(event?.type, 'provisioned');
  await client.call('devices_key_revoke', { id });
  assert.equal((await statuses()).status, 'unassigned');
  await client.call('devices_provision_info', { serial: 'CL-1' });
  assert.deepEqual([(await statuses()).status, (await statuses()).listed], ['provisioned', 1]);
});

test('[A464] a file that a person uploads does not make a device provisioned', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const { id } = await client.call('devices_create', { device_id: 'logger-1' });
  const line = (i: number) => `(${1_760_000_000 + i}.000000) can0 0CF00400#F07D84B01300F084\n`;
  const content_base64 = Buffer.from(Array.from({ length: 20 }, (_, i) => line(i)).join('')).toString('base64');
  await client.call('devices_upload_media', { id, content_base64, name: 'drive.log' });
  const device = await eventually(
    () => client.call('devices_get', { id }),
    ({ observation }) => observation !== null,
  );
  assert.equal(device.status, 'unassigned');
  assert.notEqual(device.status_reported_at, null);
});
