import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Client, ClientError } from '#contract/client.ts';
import {
  addMachine,
  connectDevice,
  eventually,
  OWNER_KEY,
  startGateway,
  type TestMachine,
} from '#test/support/gateway.ts';

const TOTAL = 10 * 2 ** 30;
const small = { event_bytes_per_day: 65_536, fact_bytes_per_day: 65_536, file_bytes_per_day: 1_048_576 };

function fakeDisk() {
  const state = { share: 0.5 };
  return { state, outside: { readDisk: async () => ({ free: state.share * TOTAL, total: TOTAL }) } };
}

async function site(gateway: Awaited<ReturnType<typeof startGateway>>) {
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const client = gateway.project(project.id);
  return { client, machine: await addMachine(client, 'T-1') };
}

/** Entries of one kind in the log of a device. */
const logged = async (client: Client, { device }: TestMachine, type: string) =>
  (await client.call('devices_events', { id: device, type, limit: 200 })).data;

/** Number of entries of one kind in the log of a device. */
async function countLogged(client: Client, { device }: TestMachine, type: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.call('devices_events', { id: device, type, limit: 200, ...(cursor && { cursor }) });
    count += page.data.length;
    cursor = page.next_cursor;
  }
  return count;
}

const events = (n: number) => JSON.stringify(Array.from({ length: n }, (_, i) => ({ type: 'x.flood', data: { i } })));

const asDevice = (
  gateway: { readonly node: { readonly http: string } },
  machine: TestMachine,
  path: string,
  init: RequestInit = {},
) =>
  fetch(`${gateway.node.http}/api/v1/devices/${path}`, {
    ...init,
    headers: {
      Authorization: `Bearer ${machine.key}`,
      'Content-Type': 'application/json',
      ...(init.headers as object),
    },
  });

test('[I50] what a device sends beyond its budget is acknowledged, not stored, counted, and reported once; a restart does not reset the budget', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-budget-'));
  try {
    let stored = 0;
    let client: Client;
    let machine: TestMachine;
    {
      await using gateway = await startGateway(folder);
      ({ client, machine } = await site(gateway));
      await client.call('devices_update', { id: machine.device, settings: { budgets: small } });
      const device = await connectDevice(gateway.node.mqttPort, machine);
      for (let i = 0; i < 4; i++)
        await device.publishAsync(`v1/devices/${machine.device_id}/events`, events(50), { qos: 1 });
      await device.endAsync();
      const [told] = await eventually(
        () => logged(client, machine, 'budget_reached'),
        (found) => found.length === 1,
      );
      assert.deepEqual([told?.data.kind, told?.data.bytes_per_day], ['events', 65_536]);
      stored = (await logged(client, machine, 'x.flood')).length;
      assert.ok(stored > 20 && stored < 60, `${stored} of 200 are stored`);
      const health = await gateway.client.call('health_get', {});
      const writer = health.writers.find(({ id }) => id === machine.device);
      assert.equal(writer?.device_id, machine.device_id);
      assert.equal(writer.dropped, 200 - stored);
      const problem = health.problems.find(({ code }) => code === 'over_budget');
      assert.match(problem?.message ?? '', new RegExp(machine.device_id));
      assert.match(problem?.remedy ?? '', /quarantine/);
    }
    await using gateway = await startGateway(folder);
    const project = client.headers()['project-id'] ?? '';
    client = gateway.project(project);
    const device = await connectDevice(gateway.node.mqttPort, machine);
    await device.publishAsync(`v1/devices/${machine.device_id}/events`, events(50), { qos: 1 });
    await device.endAsync();
    await eventually(
      () => gateway.client.call('health_get', {}),
      ({ writers }) => writers.find(({ id }) => id === machine.device)?.dropped === 250 - stored,
    );
    assert.equal((await logged(client, machine, 'x.flood')).length, stored);
    assert.equal((await logged(client, machine, 'budget_reached')).length, 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[I50] a status that changes all the time does not fill the log, and the status itself stays current', async () => {
  await using gateway = await startGateway();
  const { client, machine } = await site(gateway);
  await client.call('devices_update', { id: machine.device, settings: { budgets: small } });
  const device = await connectDevice(gateway.node.mqttPort, machine);
  for (let i = 0; i < 200; i++)
    await device.publishAsync(`v1/devices/${machine.device_id}/status`, `{"status":"${i % 2 ? 'online' : 'fault'}"}`, {
      qos: 1,
    });
  await device.publishAsync(`v1/devices/${machine.device_id}/status`, '{"status":"fault"}', { qos: 1 });
  await eventually(
    () => client.call('devices_get', { id: machine.device }),
    ({ status, metrics }) => status === 'fault' && metrics.messages_total === 201,
  );
  // The log is written with the next commit, some seconds later.
  const told = await eventually(
    async () => [...(await logged(client, machine, 'fault')), ...(await logged(client, machine, 'online'))],
    ({ length }) => length > 20,
  );
  assert.ok(told.length < 60, `${told.length} of 201 are in the log`);
  await device.endAsync();
});

test('[I51] HTTP refuses what exceeds the budget with 429 and Retry-After: documents with their receipts, frames, uploads', async () => {
  await using gateway = await startGateway();
  const { client, machine } = await site(gateway);
  const { device } = machine;
  await client.call('devices_update', { id: device, settings: { budgets: small } });
  const post = (n: number) =>
    asDevice(gateway, machine, `${device}/events`, {
      method: 'POST',
      headers: { 'Idempotency-Key': `k-${n}` },
      body: JSON.stringify({ type: 'x.flood', data: { text: 'y'.repeat(8_000) } }),
    });
  assert.equal((await post(0)).status, 201);
  const answers = [];
  for (let i = 1; i < 10; i++) answers.push(await post(i));
  const refused = answers.find(({ status }) => status !== 201);
  assert.equal(refused?.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'over_budget');
  assert.ok((await logged(client, machine, 'x.flood')).length < 5, 'the answer that is kept for a repeat is paid, too');

  const frame = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(400_000)]);
  const statuses = [];
  for (let i = 0; i < 5; i++) {
    frame.writeUInt32BE(i, 100);
    const headers = { 'Content-Type': 'image/jpeg', 'Idempotency-Key': `f-${i}` };
    const answer = await asDevice(gateway, machine, 'stream', { method: 'POST', headers, body: frame });
    statuses.push(answer.status);
    await answer.arrayBuffer();
  }
  assert.deepEqual(statuses, [202, 202, 429, 429, 429]);
  const { data } = await client.call('artifacts_list', { device_id: device });
  assert.equal(data.length, 2);
  // A person's calls are nobody's budget.
  await client.call('devices_append_event', { id: device, type: 'note', data: { text: 'seen' } });
});

test('[I52] only owners and admins can raise budgets, and only up to the limits', async () => {
  await using gateway = await startGateway();
  const { client, machine } = await site(gateway);
  const { secret } = await gateway.client.call('keys_create', { role: 'supervisor' });
  const patch = (key: string, budgets: object) =>
    fetch(`${gateway.node.http}/api/v1/devices/${machine.device}`, {
      method: 'PATCH',
      headers: { ...client.headers(), authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ settings: { budgets } }),
    });
  assert.equal((await patch(secret, { event_bytes_per_day: 1_000_000 })).status, 403);
  assert.equal((await patch(OWNER_KEY, { event_bytes_per_day: 1_000_000 })).status, 200);
  assert.equal((await patch(OWNER_KEY, { event_bytes_per_day: 1e15 })).status, 400);
  assert.equal((await patch(OWNER_KEY, { events: 'all' })).status, 400);
});

test('[I53] when disk space is low a device has a small share, the last space is for people only, and the sender keeps the rest', async () => {
  const { state, outside } = fakeDisk();
  await using gateway = await startGateway(undefined, outside);
  const { client, machine } = await site(gateway);
  const device = await connectDevice(gateway.node.mqttPort, machine);
  const topic = `v1/devices/${machine.device_id}/events`;
  const level = (wanted: string) =>
    eventually(
      () => gateway.client.call('health_get', {}),
      ({ disk }) => disk.level === wanted,
    );
  const answered = { count: 0 };
  const send = (n: number) => {
    for (let i = 0; i < n; i++)
      device.publish(topic, JSON.stringify({ type: 'x.alarm', data: { i } }), { qos: 1 }, (error) => {
        if (!error) answered.count++;
      });
  };
  state.share = 0.09;
  await level('low');
  send(200);
  const kept = await eventually(
    async () => (await gateway.client.call('health_get', {})).gaps.find(({ what }) => what === 'messages')?.count ?? 0,
    (count) => count > 100,
  );
  const taken = await eventually(
    async () => answered.count,
    (count) => count >= 10,
  );
  assert.ok(taken <= 200 - kept + 10, `${taken} alarms are acknowledged, ${kept} are kept by their sender`);
  device.end(true);
  await client.call('devices_append_event', { id: machine.device, type: 'note', data: { text: 'a person writes' } });

  // Less than the reserve: nothing of a device, neither over MQTT nor over HTTP.
  state.share = 0.001;
  await level('critical');
  await eventually(
    () => asDevice(gateway, machine, `${machine.device}/events`, { method: 'POST', body: '{"type":"x.alarm"}' }),
    ({ status }) => status === 507,
  );
  await client.call('devices_append_event', {
    id: machine.device,
    type: 'note',
    data: { text: 'a person still writes' },
  });
  state.share = 0.5;
  await level('ok');
  const again = await asDevice(gateway, machine, `${machine.device}/events`, {
    method: 'POST',
    body: '{"type":"x.alarm"}',
  });
  assert.equal(again.status, 201);
});

test('[A480] a device in quarantine is refused over MQTT, HTTP and in the bucket, and keeps its record, keys and data', async () => {
  await using gateway = await startGateway();
  const { client, machine } = await site(gateway);
  const { device } = machine;
  const connection = await connectDevice(gateway.node.mqttPort, machine);
  const closed = new Promise<void>((done) => connection.once('close', () => done()));
  const shut = await client.call('devices_quarantine', { id: device, quarantined: true, reason: 'fills the disk' });
  assert.deepEqual([shut.quarantine?.reason, shut.quarantine?.by], ['fills the disk', 'HEADFRAME_API_KEY']);
  await closed;
  assert.equal((await asDevice(gateway, machine, `${device}/events`)).status, 401);
  await assert.rejects(connectDevice(gateway.node.mqttPort, machine));
  const again = await client.call('devices_quarantine', { id: device, quarantined: true });
  assert.equal(again.revision, shut.revision);

  const free = await client.call('devices_quarantine', { id: device, quarantined: false });
  assert.equal(free.quarantine, null);
  const back = await connectDevice(gateway.node.mqttPort, machine);
  assert.equal((await asDevice(gateway, machine, `${device}/events`)).status, 200);
  await back.endAsync();
  const { data } = await client.call('audit_list', { subject: device });
  assert.deepEqual(
    data.map(({ type, actor }) => [type, actor.name]),
    [
      ['released', 'HEADFRAME_API_KEY'],
      ['quarantined', 'HEADFRAME_API_KEY'],
    ],
  );
  const { secret } = await gateway.client.call('keys_create', { role: 'supervisor' });
  const answer = await fetch(`${gateway.node.http}/api/v1/devices/${device}/quarantine`, {
    method: 'PUT',
    headers: { ...client.headers(), authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: '{"quarantined":true}',
  });
  assert.equal(answer.status, 403);
});

test('[A481] a purge removes only what the device caused, returns the space to the disk, and is in the audit log', async () => {
  await using gateway = await startGateway();
  const { client, machine } = await site(gateway);
  const other = await addMachine(client, 'T-2');
  const { device } = machine;
  const text = 'z'.repeat(12_000);
  for (const one of [machine, other]) {
    const connection = await connectDevice(gateway.node.mqttPort, one);
    for (let i = 0; i < 600; i++)
      connection.publish(`v1/devices/${one.device_id}/events`, JSON.stringify({ type: 'x.flood', data: { i, text } }), {
        qos: 1,
      });
    const at = new Date().toISOString();
    await connection.publishAsync(
      `v1/devices/${one.device_id}/telemetry`,
      JSON.stringify({ observed_at: at, values: { 'engine.speed': 1500 } }),
      { qos: 1 },
    );
    await connection.endAsync();
  }
  const frame = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(100_000)]);
  const headers = { 'Content-Type': 'image/jpeg', 'Idempotency-Key': 'f-1' };
  assert.equal((await asDevice(gateway, machine, 'stream', { method: 'POST', headers, body: frame })).status, 202);
  await client.call('devices_append_event', { id: device, type: 'note', data: { text: 'by a person' } });
  await eventually(
    // Entries that are stored during the purge would use the pages that it frees.
    () => Promise.all([machine, other].map((one) => countLogged(client, one, 'x.flood'))),
    ([mine, theirs]) => mine === 600 && theirs === 600,
  );
  const sum = { events: 0, files: 0, freed_bytes: 0 };
  for (let done = false; !done; ) {
    const one = await client.call('devices_purge', { id: device });
    sum.events += one.events;
    sum.files += one.files;
    sum.freed_bytes += one.freed_bytes;
    done = one.done;
  }
  assert.ok(sum.events >= 600, `${sum.events} entries`);
  assert.equal(sum.files, 1);
  assert.ok(sum.freed_bytes > 5_000_000, `${sum.freed_bytes} bytes went back to the disk`);
  assert.deepEqual(await logged(client, machine, 'x.flood'), []);
  assert.equal((await logged(client, machine, 'note')).length, 1);
  assert.equal((await logged(client, machine, 'provisioned')).length, 1);
  assert.equal((await logged(client, other, 'x.flood')).length, 200);
  assert.equal((await client.call('artifacts_list', { device_id: device })).data.length, 0);
  const { data } = await client.call('audit_list', { subject: device });
  assert.deepEqual([data[0]?.type, data[0]?.actor.name], ['purged', 'HEADFRAME_API_KEY']);
  const { writers } = await gateway.client.call('health_get', {});
  assert.equal(writers.find(({ id }) => id === device)?.total_bytes, 0);
  await assert.rejects(
    client.call('devices_purge', { id: 'dev_nobody' }),
    (error: ClientError) => error.status === 404,
  );
});
