/**
 * One hostile client against everybody else: `node test/faults/fairness.ts [PATTERN] [ROUNDS] [SECONDS]`
 *
 * For every door and every kind of principal one client at full speed, from a process and an address of its own. Meanwhile an honest
 * device publishes one message after the other and waits for each acknowledgement, and an honest page reads a machine and a list. Quiet
 * and loaded times take turns (ROUNDS, 3, of SECONDS, 3), and the 99th percentile of each is compared; in quiet times the hostile
 * process keeps its processor busy too, so that the ratio is that of the gateway. Prints a table; exit code 1 when a ratio is over 2.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '#contract/client.ts';
import { quantile, startGatewayProcess } from '#test/bench/gateway-process.ts';
import { provisionLogger } from '#test/support/bucket.ts';
import { addMachine, connectDevice, OWNER_KEY } from '#test/support/gateway.ts';
import type { Attack } from './fairness-load.ts';

const [, , pattern = '', rounds = '3', seconds = '3'] = process.argv;
const MOST = 2;
/** What is lost in the noise of timers and of other work on the machine, in ms. */
const FLOOR_MS = 5;
const SOCKETS = 60;

const folder = mkdtempSync(join(tmpdir(), 'headframe-fairness-'));
await using stack = new AsyncDisposableStack();
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const gateway = stack.use(await startGatewayProcess(folder));
const port = Number(new URL(gateway.http).port);
const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
const project = (await owner.call('projects_create', { name: 'Fair' })).project.id;
const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project });
const honest = await addMachine(client, 'HT-1');
const hostile = await addMachine(client, 'HT-2');
const logger = await provisionLogger(client, gateway.bucket, 'LOGGER-2');
for (let i = 0; i < 100; i++) await client.call('equipment_create', { unit_number: `U-${i}`, name: `Machine ${i}` });
const board = await client.call('dashboards_create', { name: 'Board' });
const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id, action: 'read-or-create' });
const token = share.url?.split('/').at(-1) ?? '';
const viewer = (await owner.call('keys_create', { name: 'hostile', role: 'viewer' })).secret;
const admin = (await owner.call('keys_create', { name: 'hostile too', role: 'admin' })).secret;
const slots = await Promise.all(
  Array.from({ length: 12 }, () => client.call('devices_upload_media', { id: hostile.device, bytes: 90_000 })),
);

const as = (key: string) => ({ authorization: `Bearer ${key}`, 'project-id': project });
const STRANGER = { authorization: `Bearer wk_nobody00_${'N'.repeat(43)}` };
const JSON_BODY = { 'content-type': 'application/json' };
const names = Object.fromEntries(Array.from({ length: 270_000 }, (_, i) => [`k${i}`, 'x']));
const bomb = JSON.stringify({ points: [{ values: names }] });
const points = JSON.stringify({
  points: Array.from({ length: 5_000 }, (_, i) => ({ ts: 1_790_000_000_000 + i, values: { 'engine.speed': i % 900 } })),
});
const mcp = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const MCP = { ...JSON_BODY, accept: 'application/json, text/event-stream' };
const http = (attack: Partial<Attack>): Attack => ({ kind: 'http', port, sockets: SOCKETS, ...attack });
const device = { device_id: hostile.device_id, key: hostile.key };
const own = `/api/v1/devices/${hostile.device}`;
const tus = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
const uploads = slots.map(({ upload }) => new URL(upload?.upload_url ?? '').pathname);

/** Door, principal, what it does. */
const ATTACKS: readonly (readonly [door: string, principal: string, what: string, attack: Attack])[] = [
  ['MQTT', 'device', 'publishes on 4 connections', { kind: 'mqtt', port: gateway.mqtt, sockets: 4, ...device }],
  [
    'MQTT',
    'stranger',
    'logs in with a wrong key',
    { kind: 'login', port: gateway.mqtt, sockets: SOCKETS, device_id: hostile.device_id, key: 'x' },
  ],
  ['REST GET', 'key', 'lists of 200', http({ paths: ['/api/v1/equipment?limit=200'], headers: as(viewer) })],
  ['REST GET', 'device', 'its configuration', http({ paths: [`${own}/config`], headers: as(hostile.key) })],
  ['REST GET', 'stranger', 'a wrong key', http({ paths: ['/api/v1/equipment'], headers: STRANGER })],
  [
    'REST write',
    'key',
    'new machines',
    http({
      method: 'POST',
      paths: ['/api/v1/locations'],
      headers: { ...as(admin), ...JSON_BODY },
      body: '{"name":"Pit"}',
    }),
  ],
  [
    'REST write',
    'device',
    'events',
    http({
      method: 'POST',
      paths: [`${own}/events`],
      headers: { ...as(hostile.key), ...JSON_BODY },
      fresh: 'idempotency-key',
      body: '{"type":"x.flood","data":{"text":"flood"}}',
    }),
  ],
  [
    'REST write',
    'key',
    'a body of 1 MB that does not fit',
    http({
      method: 'POST',
      paths: ['/api/v1/locations'],
      headers: { ...as(admin), ...JSON_BODY },
      body: JSON.stringify({ name: 'x'.repeat(1_040_000) }),
    }),
  ],
  [
    'REST write',
    'stranger',
    'a wrong key',
    http({
      method: 'POST',
      paths: ['/api/v1/locations'],
      headers: { ...STRANGER, ...JSON_BODY },
      body: '{"name":"Pit"}',
    }),
  ],
  [
    'telemetry POST',
    'device',
    '3.7 MB with 270,000 faults',
    http({ method: 'POST', paths: [`${own}/telemetry`], headers: { ...as(hostile.key), ...JSON_BODY }, body: bomb }),
  ],
  [
    'telemetry POST',
    'device',
    '5,000 points',
    http({ method: 'POST', paths: [`${own}/telemetry`], headers: { ...as(hostile.key), ...JSON_BODY }, body: points }),
  ],
  ['CSV', 'key', 'reads', http({ paths: ['/api/v1/equipment'], headers: { ...as(viewer), accept: 'text/csv' } })],
  [
    'CSV',
    'key',
    'reads nothing',
    { ...http({ paths: ['/api/v1/equipment'], headers: { ...as(viewer), accept: 'text/csv' } }), kind: 'unread' },
  ],
  [
    'tus',
    'device',
    'half-sent',
    { ...http({ method: 'PATCH', paths: uploads, headers: { ...as(hostile.key), ...tus } }), kind: 'half' },
  ],
  [
    'tus',
    'key',
    'files of 20 kB',
    {
      ...http({ paths: [`${own}/media-slots`], headers: as(admin), body: 'x'.repeat(20_000) }),
      kind: 'upload',
    },
  ],
  [
    'frames',
    'device',
    'half-sent',
    {
      ...http({
        method: 'POST',
        paths: ['/api/v1/devices/stream'],
        headers: { ...as(hostile.key), 'content-type': 'image/jpeg' },
        fresh: 'idempotency-key',
      }),
      kind: 'half',
    },
  ],
  [
    'frames',
    'device',
    'small frames',
    http({
      method: 'POST',
      paths: ['/api/v1/devices/stream'],
      headers: { ...as(hostile.key), 'content-type': 'image/png' },
      fresh: 'idempotency-key',
      body: '\u0089PNG\r\n',
    }),
  ],
  [
    'bucket PUT',
    'device',
    'small objects',
    {
      kind: 'bucket',
      port: gateway.bucket,
      sockets: 30,
      device_id: logger.device_id,
      s3: logger,
      body: 'x'.repeat(1_000),
    },
  ],
  [
    'bucket PUT',
    'device',
    'half-sent',
    { kind: 'half', port: gateway.bucket, sockets: SOCKETS, method: 'PUT', device_id: logger.device_id, s3: logger },
  ],
  [
    'bucket PUT',
    'stranger',
    'unknown key pair',
    { kind: 'bucket', port: gateway.bucket, sockets: 30, device_id: 'x', body: 'x' },
  ],
  ['live stream', 'share', 'opens and closes', http({ paths: [`/api/v1/displays/${token}/live`] })],
  [
    'live stream',
    'key',
    'opens and closes',
    http({ paths: [`/api/v1/live?kind=dashboard&object_id=${board.id}`], headers: as(viewer) }),
  ],
  [
    'MCP',
    'key',
    'tools/list',
    http({ method: 'POST', paths: ['/mcp'], headers: { ...as(viewer), ...MCP }, body: mcp('tools/list', {}) }),
  ],
  [
    'MCP',
    'key',
    'tools/call',
    http({
      method: 'POST',
      paths: ['/mcp'],
      headers: { ...as(viewer), ...MCP },
      body: mcp('tools/call', { name: 'equipment_list', arguments: { limit: 200 } }),
    }),
  ],
  [
    'MCP',
    'stranger',
    'a wrong key',
    http({ method: 'POST', paths: ['/mcp'], headers: { ...STRANGER, ...MCP }, body: mcp('tools/list', {}) }),
  ],
  ['open paths', 'stranger', 'openapi.json', http({ paths: ['/api/v1/openapi.json'] })],
  ['open paths', 'stranger', 'metrics', http({ paths: ['/metrics'] })],
  ['open paths', 'stranger', 'pages', http({ paths: ['/', '/docs', '/tv', '/healthz', '/assets/none.js'] })],
  [
    'claim',
    'stranger',
    'wrong codes',
    http({ method: 'POST', paths: ['/api/v1/claim'], headers: JSON_BODY, body: '{"code":"AAAA-AAAA"}' }),
  ],
  [
    'pairing',
    'stranger',
    'new pairings',
    http({ method: 'POST', paths: ['/api/v1/display-pairings'], headers: JSON_BODY, body: '{}' }),
  ],
];

interface Times {
  readonly ack: number[];
  readonly get: number[];
}

const logs = await connectDevice(gateway.mqtt, honest);
stack.defer(() => logs.endAsync(true));
const agent = new Agent({ keepAlive: true, maxSockets: 2 });
stack.defer(() => agent.destroy());
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function read(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', agent, path, headers: as(OWNER_KEY) }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`an honest page got ${response.statusCode}`));
      response.on('end', resolve).resume();
    });
    asked.on('error', reject).end();
  });
}

/** The honest device and the honest page, for some seconds. */
async function measure(into: Times): Promise<void> {
  const until = performance.now() + Number(seconds) * 1_000;
  const timed = async (times: number[], act: () => Promise<unknown>, gap: number) => {
    while (performance.now() < until) {
      const began = performance.now();
      await act();
      times.push(performance.now() - began);
      if (gap > 0) await pause(gap);
    }
  };
  let n = 0;
  const publish = () =>
    logs.publishAsync(
      `v1/devices/${honest.device_id}/telemetry`,
      JSON.stringify({ values: { 'engine.speed': 700 + (n++ % 900) } }),
      { qos: 1 },
    );
  const paths = [`/api/v1/equipment/${honest.equipment_id}`, '/api/v1/equipment?limit=50'];
  let asked = 0;
  await Promise.all([timed(into.ack, publish, 0), timed(into.get, () => read(paths[asked++ % 2] as string), 12)]);
}

async function stop(load: ChildProcess): Promise<{ sent: number; answers: Record<string, number> }> {
  const told = once(load, 'message');
  load.send('quiet');
  return (await told)[0];
}

const load = fork(join(import.meta.dirname, 'fairness-load.ts'), []);
stack.defer(() => void load.kill());
// The hostile client is another machine: it takes no processor from the gateway, nor from the honest ones.
setPriority(load.pid as number, 19);
const p50 = (times: number[]) =>
  quantile(
    times.toSorted((a, b) => a - b),
    0.5,
  );
const p99 = (times: number[]) =>
  quantile(
    times.toSorted((a, b) => a - b),
    0.99,
  );
const shown = (ms: number) => ms.toFixed(1);
let over = 0;
process.stdout.write(
  '| door | principal | what it does | ack p50 quiet, loaded; p99 quiet, loaded | GET likewise | ratios of the p99 | answers it got |\n|---|---|---|---|---|---|---|\n',
);
await measure({ ack: [], get: [] });
for (const [door, principal, what, attack] of ATTACKS) {
  if (!new RegExp(pattern).test(`${door} ${principal} ${what}`)) continue;
  const quiet: Times = { ack: [], get: [] };
  const loaded: Times = { ack: [], get: [] };
  const got: Record<string, number> = {};
  for (let round = 0; round < Number(rounds); round++) {
    await measure(quiet);
    load.send(attack);
    await measure(loaded);
    const { answers } = await stop(load);
    for (const [name, count] of Object.entries(answers)) got[name] = (got[name] ?? 0) + count;
    await pause(300);
  }
  const ratio = (name: keyof Times) => p99(loaded[name]) / Math.max(FLOOR_MS, p99(quiet[name]));
  if (Math.max(ratio('ack'), ratio('get')) > MOST) over++;
  const pair = (name: keyof Times) =>
    `${shown(p50(quiet[name]))}, ${shown(p50(loaded[name]))}; ${shown(p99(quiet[name]))}, ${shown(p99(loaded[name]))} ms`;
  const counts = Object.entries(got).map(([name, count]) => `${name}: ${count}`);
  process.stdout.write(
    `| ${door} | ${principal} | ${what} | ${pair('ack')} | ${pair('get')} | ${ratio('ack').toFixed(2)}, ${ratio('get').toFixed(2)} | ${counts.join(', ')} |\n`,
  );
}
process.exitCode = over > 0 ? 1 : 0;
