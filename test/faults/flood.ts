/**
 * Fault case 40: devices whose keys are used to fill the disk, over every door, at full speed; and a start with not one byte free. At
 * every stage the owner signs in, sees who it is, shuts the device out and removes what it stored, without a shell.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import mqtt from 'mqtt';
import type { Client } from '#contract/client.ts';
import type { Health } from '#contract/site/node.ts';
import { addMachine, eventually, OWNER_KEY, type TestMachine } from '#test/support/gateway.ts';
import { type Check, type Gateway, launch, serving, smallDisk, startSender, wait } from './rig.ts';

const health = (gateway: Gateway): Promise<Health> => gateway.client().call('health_get', {});
const MB = 1e6;
const mega = (bytes: number) => Number((bytes / MB).toFixed(1));

function folderBytes(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  return found.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + folderBytes(join(path, name)), 0)
    : found.blocks * 512;
}

/** Statuses of what an owner has to be able to do: read, change, and read who stored the most. */
async function ownerWorks(
  gateway: Gateway,
  project: string,
  device: string,
): Promise<{ statuses: number[]; ms: number }> {
  const headers = { Authorization: `Bearer ${OWNER_KEY}`, 'Project-ID': project, 'Content-Type': 'application/json' };
  const from = performance.now();
  const statuses = [];
  for (const [method, path, body] of [
    ['GET', '/api/v1/projects', undefined],
    ['GET', '/api/v1/health', undefined],
    ['PATCH', `/api/v1/devices/${device}`, JSON.stringify({ name: `Device ${Math.random()}` })],
    ['POST', '/api/v1/equipment', JSON.stringify({ unit_number: `W-${Math.random()}` })],
  ] as const) {
    const answer = await fetch(`${gateway.http}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  return { statuses, ms: Math.round(performance.now() - from) };
}

/** Publishes events without a pause until so many bytes are sent or so much time is over. */
async function floodMqtt(
  port: number,
  { device_id, key }: TestMachine,
  topic: string,
  payload: string,
  bytes: number,
  seconds: number,
) {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 4,
    username: device_id,
    password: key,
    clientId: device_id,
    reconnectPeriod: 200,
  });
  client.on('error', () => {});
  let sent = 0;
  let acknowledged = 0;
  let open = 0;
  const until = performance.now() + seconds * 1_000;
  while (sent < bytes && performance.now() < until) {
    while (open < 500 && sent < bytes && client.connected) {
      open++;
      sent += payload.length;
      client.publish(`v1/devices/${device_id}/${topic}`, payload, { qos: 1 }, (error) => {
        open--;
        if (!error) acknowledged++;
      });
    }
    await wait(0.005);
  }
  await eventually(
    async () => open,
    (left) => left === 0,
    5,
  ).catch(() => {});
  client.end(true);
  return { sent, acknowledged };
}

/** Calls one after the other on several connections, until the time is over; how often each status came. */
async function floodHttp(seconds: number, call: (n: number) => Promise<Response>): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  const until = performance.now() + seconds * 1_000;
  let n = 0;
  const one = async () => {
    while (performance.now() < until) {
      const answer = await call(n++).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => {});
      const status = String(answer?.status ?? 'broken');
      seen[status] = (seen[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  return seen;
}

async function purgeAll(client: Client, id: string) {
  const sum = { calls: 0, events: 0, files: 0, freed_bytes: 0 };
  for (let done = false; !done; ) {
    const answer = await client.call('devices_purge', { id, what: ['events', 'files', 'history'] });
    sum.calls++;
    sum.events += answer.events;
    sum.files += answer.files;
    sum.freed_bytes += answer.freed_bytes;
    done = answer.done;
  }
  return sum;
}

/** What a device key did to the disk, and that the owner is served meanwhile. */
export async function flooded(check: Check): Promise<void> {
  using disk = smallDisk(700);
  const { gateway, project } = await serving(disk.data);
  await using _ = gateway;
  const client = gateway.client(project);
  using honest = await startSender(client, gateway.mqtt, 'T-1');
  const bad = await addMachine(client, 'BAD');
  await eventually(
    () => health(gateway),
    ({ disk: { reserve_bytes } }) => reserve_bytes > 0,
  );
  const store = () => folderBytes(join(disk.data, 'store'));
  const free: number[] = [disk.free()];
  const before = store();

  async function stage(name: string): Promise<void> {
    free.push(disk.free());
    const { statuses, ms } = await ownerWorks(gateway, project, bad.device);
    const told = await health(gateway);
    check(statuses.join() === '200,200,200,201', `${name}: the owner reads and writes`, { statuses, ms });
    check(disk.free() > 0, `${name}: there is room`, {
      free_mb: mega(disk.free()),
      store_mb: mega(store()),
      level: told.disk.level,
    });
  }

  const events = JSON.stringify(
    Array.from({ length: 100 }, (_, n) => ({ type: 'x.flood', data: { n, text: 'z'.repeat(60) } })),
  );
  const from = performance.now();
  const sent = await floodMqtt(gateway.mqtt, bad, 'events', events, 60 * MB, 40);
  const seconds = (performance.now() - from) / 1_000;
  await wait(3);
  check(store() - before < 40 * MB, 'MQTT events: the store is bounded', {
    sent_mb: mega(sent.sent),
    seconds: Math.round(seconds),
    stored_mb: mega(store() - before),
    stored_per_sent: Number(((store() - before) / sent.sent).toFixed(3)),
  });
  await stage('MQTT events');
  const found = (await health(gateway)).writers[0];
  check(found?.device_id === bad.device_id && found.dropped > 0, 'health says who it is', found);
  const log = await client.call('devices_events', { id: bad.device, limit: 200, type: 'budget_reached' });
  check(
    log.data.length === 1,
    'one entry in its log says so',
    log.data.map(({ data }) => data),
  );

  const status = ['{"status":"fault"}', '{"status":"online"}'];
  for (let i = 0; i < 6; i++) await floodMqtt(gateway.mqtt, bad, 'status', status[i % 2] ?? '', 0.2 * MB, 3);
  await stage('MQTT status that flaps');
  const point = () =>
    JSON.stringify(
      Array.from({ length: 400 }, () => ({
        ts: Math.floor(Math.random() * 1.7e12),
        values: { 'engine.speed': Math.random() * 3000, 'engine.hours': Math.random() },
      })),
    );
  await floodMqtt(gateway.mqtt, bad, 'telemetry', point(), 60 * MB, 20);
  await stage('MQTT telemetry');

  const authorized = { Authorization: `Bearer ${bad.key}` };
  const api = `${gateway.http}/api/v1/devices`;
  const text = 'y'.repeat(200_000);
  check(
    true,
    'HTTP events',
    await floodHttp(15, (n) =>
      fetch(`${api}/${bad.device}/events`, {
        method: 'POST',
        headers: { ...authorized, 'Content-Type': 'application/json', 'Idempotency-Key': `k-${n}` },
        body: JSON.stringify({ type: 'x.flood', data: { n, text } }),
      }),
    ),
  );
  await stage('HTTP events');
  const jpeg = Buffer.concat([
    Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
    Buffer.alloc(2_000_000, 7),
  ]);
  check(
    true,
    'frames',
    await floodHttp(20, (n) => {
      const body = Buffer.from(jpeg);
      body.writeUInt32BE(n, 100);
      return fetch(`${api}/stream`, {
        method: 'POST',
        headers: { ...authorized, 'Content-Type': 'image/jpeg', 'Idempotency-Key': `f-${n}` },
        body,
      });
    }),
  );
  await stage('frames');
  check(
    true,
    'uploads',
    await floodHttp(15, async () => {
      const body = Buffer.alloc(4_000_000, 1);
      const made = await fetch(`${api}/${bad.device}/media`, {
        method: 'POST',
        headers: { ...authorized, 'Tus-Resumable': '1.0.0', 'Upload-Length': String(body.length) },
      });
      await made.arrayBuffer();
      const location = made.headers.get('location');
      if (location === null) return made;
      return fetch(location, {
        method: 'PATCH',
        headers: {
          ...authorized,
          'Tus-Resumable': '1.0.0',
          'Upload-Offset': '0',
          'Content-Type': 'application/offset+octet-stream',
        },
        body,
      });
    }),
  );
  await stage('uploads');
  check(Math.min(...free) > 0, 'free space over time, MB', free.map(mega));

  const shut = await client.call('devices_quarantine', { id: bad.device, quarantined: true, reason: 'fills the disk' });
  check(shut.quarantine !== null, 'the owner shuts it out');
  const refused = await fetch(`${api}/${bad.device}/events`, { headers: authorized });
  check(refused.status === 401, 'its key is refused', refused.status);
  await wait(11);
  const held = disk.free();
  const purged = await purgeAll(client, bad.device);
  check(disk.free() - held > 50 * MB, 'a purge gives the room back', {
    ...purged,
    free_mb: [mega(held), mega(disk.free())],
  });
  const at = honest.acknowledged.size;
  await eventually(
    async () => honest.acknowledged.size,
    (n) => n > at + 20,
    60,
  );
  check(honest.connects() <= 3, 'the honest device goes on', {
    acknowledged: honest.acknowledged.size,
    connects: honest.connects(),
  });
  const audit = await client.call('audit_list', { subject: bad.device });
  check(
    audit.data.some(({ type }) => type === 'quarantined') && audit.data.some(({ type }) => type === 'purged'),
    'the audit log says who did it',
    audit.data.map(({ type, actor }) => [type, actor.name]),
  );
}

/** A start with not one byte free, with and without a reserve. */
export async function startsFull(check: Check): Promise<void> {
  using disk = smallDisk(700);
  const first = await serving(disk.data);
  const { project } = first;
  const bad = await addMachine(first.gateway.client(project), 'BAD');
  await eventually(
    () => health(first.gateway),
    ({ disk: { reserve_bytes } }) => reserve_bytes > 0,
  );
  const events = JSON.stringify(
    Array.from({ length: 100 }, (_, n) => ({ type: 'x.flood', data: { n, text: 'z'.repeat(60) } })),
  );
  await floodMqtt(first.gateway.mqtt, bad, 'events', events, 20 * MB, 20);
  await first.gateway.stop();
  for (const how of ['stopped', 'killed'] as const) {
    disk.fill(0);
    check(disk.free() === 0, `${how}: not one byte is free`, disk.free());
    const gateway = launch(disk.data);
    await using _ = gateway;
    await gateway.event('ready', 0, 120);
    const { statuses, ms } = await ownerWorks(gateway, project, bad.device);
    check(statuses.join() === '200,200,200,201', `${how}: it starts, and the owner reads and writes`, {
      statuses,
      ms,
      free_mb: mega(disk.free()),
    });
    const told = await health(gateway);
    check(
      told.problems.some(({ code }) => code.startsWith('disk_')) &&
        told.writers.some(({ device_id }) => device_id === bad.device_id),
      `${how}: health says why and who`,
      told.problems.map(({ code, message }) => `${code}: ${message}`),
    );
    if (how === 'stopped') {
      // Everything that it gave back is taken again, while it runs.
      for (let i = 0; i < 3; i++) {
        disk.fill(0);
        await wait(1.5);
      }
      process.kill(gateway.pid(), 'SIGKILL');
      const lines = gateway.said.length;
      const next = await Promise.race([
        gateway.event('ready', lines, 60).then(() => 'ready'),
        gateway.event('gateway_waits', lines, 60).then(() => 'waits'),
      ]);
      check(true, 'without any reserve', { next, free: disk.free() });
      if (next === 'waits') {
        const page = await fetch(gateway.http, { headers: { Accept: 'text/html' } });
        const html = await page.text();
        check(
          page.status === 503 && /no room left/.test(html) && /purge-device/.test(html),
          'a page says why',
          page.status,
        );
      }
      disk.clear();
      if (next === 'waits') await gateway.event('ready', lines, 60);
      const again = await ownerWorks(gateway, project, bad.device);
      check(again.statuses.join() === '200,200,200,201', 'with room it serves, without a hand', again);
      await eventually(
        () => health(gateway),
        ({ disk: { reserve_bytes } }) => reserve_bytes > 0,
      );
      await eventually(
        async () => folderBytes(join(disk.data, 'reserve-start')),
        (bytes) => bytes > 0,
      );
      await gateway.stop();
    } else {
      const client = gateway.client(project);
      await client.call('devices_quarantine', { id: bad.device, quarantined: true });
      const held = disk.free();
      const sum = { calls: 0, events: 0, freed_bytes: 0 };
      for (let done = false; !done; ) {
        const one = await client.call('devices_purge', { id: bad.device });
        sum.calls++;
        sum.events += one.events;
        sum.freed_bytes += one.freed_bytes;
        done = one.done;
      }
      check(disk.free() > held, 'purged on a full disk, the room comes back', {
        ...sum,
        free_mb: [mega(held), mega(disk.free())],
      });
      disk.clear();
    }
  }
}
