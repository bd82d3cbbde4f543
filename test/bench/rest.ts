/**
 * The REST and tool doors beside what one would write by hand: `node test/bench/rest.ts [MACHINES] [SECONDS]`
 *
 *   one of MACHINES, and a list of 50 of them:
 *     gateway        the product, key, project, schemas and all
 *     hand-written   Express over a SQLite table that holds the same answers, a key looked up in a map
 *     bare           Express sending the same bytes
 *
 * Each is a process of its own, asked over 16 connections by raw sockets, in turns. Then: the same list over 1,000 machines, the
 * tail of GETs at 200 a second while messages come in, tool calls, and the size of the list of tools.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '#contract/base/ids.ts';
import type { Write } from '#contract/base/view.ts';
import { createClient } from '#contract/client.ts';
import { openStore } from '#store/open-store.ts';
import { addMachine, connectDevice, OWNER_KEY } from '#test/support/gateway.ts';
import { processorSeconds, quantile, startGatewayProcess } from './gateway-process.ts';

const machines = Number(process.argv[2] ?? 100_000);
const seconds = Number(process.argv[3] ?? 4);
const CONNECTIONS = 16;
const ROUNDS = 3;
const FEW = 1_000;
const random = (n: number): Uint8Array => randomBytes(n);

/** Writes machines as the product does, record and live document each, through the store. */
async function seed(folder: string, count: number): Promise<{ project: string; ids: string[] }> {
  await using store = await openStore({ folder, clock: Date.now, random });
  const project = makeId('project', Date.now(), random(10));
  const about = {
    name: 'Bench',
    prompt: null,
    url: null,
    timezone: 'UTC',
    units: 'metric',
    language: 'en',
    simulated: false,
  };
  await store.node.commit([
    { collection: 'records', id: project, object: 'project', data: { ...about, shift_pattern: [] }, expected: 0 },
  ]);
  const view = store.view(project);
  const ids: string[] = [];
  const live = {
    live_status: 'unknown',
    live_status_since: null,
    last_live_data_at: null,
    values: {},
    dtcs: null,
    dtc_counts: null,
  };
  for (let from = 0; from < count; from += 400) {
    const writes: Write[] = [];
    for (let i = from; i < Math.min(count, from + 400); i++) {
      const id = makeId('equipment', Date.now(), random(10));
      ids.push(id);
      const data = {
        unit_number: `HT-${i}`,
        aliases: [],
        name: `Haul truck ${i}`,
        kind: 'haul_truck',
        oem_name: 'Caterpillar',
        model: '777G',
        serial_number: `SN${i}`,
        pin: null,
        year: 2020,
        status: 'available',
        location_id: null,
        operator_id: null,
        operator_since: null,
        labels: {},
        media: [],
      };
      writes.push({ collection: 'records', id, object: 'equipment', data, expected: 0 });
      writes.push({ collection: 'live', id, object: 'equipment', data: live, expected: 0 });
    }
    await view.commit(writes);
  }
  return { project, ids };
}

/** Express over a table of the same answers: what a day's work without our promises would be. */
const PEER = `
import express from 'express';
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
const [, , file, keyHash] = process.argv;
const db = new DatabaseSync(file, { readOnly: true });
const one = db.prepare('SELECT body FROM equipment WHERE project = ? AND id = ?');
const list = db.prepare('SELECT body FROM equipment WHERE project = ? ORDER BY created_at DESC, id DESC LIMIT ?');
const keys = new Map([[keyHash, 'owner']]);
const app = express();
app.use((request, response, next) => {
  const key = (request.get('authorization') ?? '').slice(7);
  if (!keys.has(createHash('sha256').update(key).digest('hex'))) response.status(401).json({});
  else next();
});
app.get('/api/v1/equipment/:id', (request, response) => {
  const row = one.get(request.get('project-id'), request.params.id);
  if (row === undefined) response.status(404).json({});
  else response.json(JSON.parse(row.body));
});
app.get('/api/v1/equipment', (request, response) => {
  const limit = Math.min(200, Number(request.query.limit ?? 50));
  const rows = list.all(request.get('project-id'), limit + 1);
  const data = rows.slice(0, limit).map(({ body }) => JSON.parse(body));
  response.json({ object: 'list', data, has_more: rows.length > limit, next_cursor: rows.length > limit ? data.at(-1).id : null });
});
const bare = express();
const bytes = {};
bare.post('/set/:name', express.text({ limit: '10mb' }), (request, response) => { bytes[request.params.name] = request.body; response.end(); });
bare.get('/:name', (request, response) => { response.type('json').send(bytes[request.params.name]); });
const a = app.listen(0, '127.0.0.1', () => { const b = bare.listen(0, '127.0.0.1', () => console.log(JSON.stringify([a.address().port, b.address().port]))); });
`;

interface Load {
  /** Processor time of the server for one answer, in microseconds: what other work on the machine disturbs least. */
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Asks the same again and again over some connections; `rate` a second in all when given, else as fast as answered. */
async function load(
  pid: number,
  port: number,
  request: string,
  forSeconds: number,
  connections: number,
  rate?: number,
): Promise<Load> {
  const times: number[] = [];
  const until = performance.now() + forSeconds * 1000;
  const bytes = Buffer.from(request);
  const gap = rate === undefined ? 0 : (1000 * connections) / rate;
  let failed = 0;
  const cpu = processorSeconds(pid);
  await Promise.all(
    Array.from({ length: connections }, async (_, k) => {
      await sleep((gap * k) / connections);
      const socket = connect(port, '127.0.0.1').setNoDelay(true);
      let due = performance.now();
      await new Promise<void>((resolve, reject) => {
        let waiting = -1;
        let head = '';
        let sent = 0;
        const ask = () => {
          if (performance.now() >= until) {
            socket.end();
            resolve();
            return;
          }
          sent = performance.now();
          socket.write(bytes);
        };
        const next = () => {
          times.push(performance.now() - sent);
          due += gap;
          const pause = due - performance.now();
          if (gap > 0 && pause > 0) setTimeout(ask, pause);
          else ask();
        };
        socket.on('error', reject).on('connect', ask);
        socket.on('data', (chunk) => {
          let rest = chunk.length;
          if (waiting < 0) {
            head += chunk.toString('latin1');
            const end = head.indexOf('\r\n\r\n');
            if (end < 0) return;
            if (!/^HTTP\/1.1 200/.test(head)) failed++;
            waiting = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
            rest = head.length - end - 4;
            head = '';
          }
          waiting -= rest;
          if (waiting > 0) return;
          waiting = -1;
          next();
        });
      });
    }),
  );
  if (failed > 0) throw new Error(`${failed} of ${times.length} answers were not 200`);
  const cpuUs = Math.round(((processorSeconds(pid) - cpu) * 1e6) / times.length);
  times.sort((a, b) => a - b);
  return {
    cpuUs,
    perSecond: Math.round(times.length / forSeconds),
    p50: Number(quantile(times, 0.5).toFixed(2)),
    p95: Number(quantile(times, 0.95).toFixed(2)),
    p99: Number(quantile(times, 0.99).toFixed(2)),
  };
}

function get(path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`;
}

function post(path: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
process.env.HEADFRAME_REQUESTS_PER_MINUTE = '1000000';
await using stack = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'headframe-rest-'));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const many = await seed(folder, machines);
const few = await seed(folder, FEW);
const gateway = stack.use(await startGatewayProcess(folder));
const port = Number(new URL(gateway.http).port);
const auth = { Authorization: `Bearer ${OWNER_KEY}`, 'Project-ID': many.project };
const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: many.project });

// The peer holds what the gateway answers, byte for byte in each machine.
const file = join(folder, 'peer.db');
const db = new DatabaseSync(file);
db.exec(
  'CREATE TABLE equipment (project TEXT, id TEXT, created_at TEXT, body TEXT, PRIMARY KEY (project, id)) WITHOUT ROWID',
);
db.exec('CREATE INDEX by_time ON equipment (project, created_at, id)');
const insert = db.prepare('INSERT INTO equipment VALUES (?, ?, ?, ?)');
const sample = await client.call('equipment_get', { id: many.ids[0] ?? '' });
db.exec('BEGIN');
many.ids.forEach((id, i) => {
  const created_at = new Date(Date.parse(sample.created_at) + i).toISOString();
  const body = { ...sample, id, unit_number: `HT-${i}`, name: `Haul truck ${i}`, serial_number: `SN${i}`, created_at };
  insert.run(many.project, id, created_at, JSON.stringify(body));
});
db.exec('COMMIT');
db.close();
const peer = spawn(
  process.execPath,
  ['--input-type=module', '-', file, createHash('sha256').update(OWNER_KEY).digest('hex')],
  { stdio: ['pipe', 'pipe', 'inherit'], cwd: join(import.meta.dirname, '..', '..') },
);
stack.defer(() => void peer.kill());
peer.stdin.end(PEER);
const [handPort = 0, barePort = 0] = await new Promise<number[]>((resolve) =>
  createInterface({ input: peer.stdout }).once('line', (line) => resolve(JSON.parse(line))),
);
const id = many.ids[Math.floor(machines / 2)] ?? '';
const paths = { one: `/api/v1/equipment/${id}`, list: '/api/v1/equipment?limit=50' };
for (const [name, path] of Object.entries(paths)) {
  const text = await (await fetch(`${gateway.http}${path}`, { headers: auth })).text();
  await fetch(`http://127.0.0.1:${barePort}/set/${name}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'text/plain' },
  });
  say(`${name}: ${Buffer.byteLength(text)} bytes an answer`);
}

const best: Record<string, Load> = {};
for (let round = 0; round <= ROUNDS; round++)
  for (const [name, path] of Object.entries(paths))
    for (const [who, to, request] of [
      ['gateway', port, get(path, auth)],
      ['hand-written', handPort, get(path, auth)],
      ['bare', barePort, get(`/${name}`, {})],
    ] as const) {
      const now = await load(
        who === 'gateway' ? gateway.pid : (peer.pid ?? 0),
        to,
        request,
        round === 0 ? 1 : seconds,
        CONNECTIONS,
      );
      const key = `${name} ${who}`;
      // The first round only warms the code up.
      if (round > 0 && now.perSecond > (best[key]?.perSecond ?? 0)) best[key] = now;
    }
for (const name of Object.keys(paths)) {
  const of = (who: string): number => best[`${name} ${who}`]?.perSecond ?? Number.NaN;
  const cpu = (who: string): number => best[`${name} ${who}`]?.cpuUs ?? Number.NaN;
  say(
    `${name}: gateway ${of('gateway')}/s, hand-written ${of('hand-written')}/s, bare ${of('bare')}/s; ` +
      `ratio ${(of('gateway') / of('hand-written')).toFixed(2)} and ${(of('gateway') / of('bare')).toFixed(2)}; p95 ${best[`${name} gateway`]?.p95} ms; ` +
      `processor time ${cpu('gateway')}, ${cpu('hand-written')}, ${cpu('bare')} us an answer, ratio ${(cpu('hand-written') / cpu('gateway')).toFixed(2)} and ${(cpu('bare') / cpu('gateway')).toFixed(2)}`,
  );
}
const small = await load(
  gateway.pid,
  port,
  get(paths.list, { ...auth, 'Project-ID': few.project }),
  seconds,
  CONNECTIONS,
);
const large = best['list gateway'];
say(
  `list of 50 over ${FEW} machines: ${small.perSecond}/s; over ${machines}: ${large?.perSecond}/s (${(small.perSecond / (large?.perSecond ?? Number.NaN)).toFixed(2)} times)`,
);

const mcp = { ...auth, Accept: 'application/json, text/event-stream' };
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const tool = post('/mcp', mcp, rpc('tools/call', { name: 'equipment_get', arguments: { id } }));
await load(gateway.pid, port, tool, 1, CONNECTIONS);
const calls = await load(gateway.pid, port, tool, seconds, CONNECTIONS);
const [restAlone, toolAlone] = [
  await load(gateway.pid, port, get(paths.one, auth), seconds, 1),
  await load(gateway.pid, port, tool, seconds, 1),
];
say(
  `tools/call: ${calls.perSecond}/s, ${calls.cpuUs} us of processor time each; one at a time p95 ${toolAlone.p95} ms beside ${restAlone.p95} ms over REST: ${(toolAlone.p95 - restAlone.p95).toFixed(2)} ms more`,
);
const list = await (
  await fetch(`${gateway.http}/mcp`, {
    method: 'POST',
    headers: { ...mcp, 'content-type': 'application/json' },
    body: rpc('tools/list', {}),
  })
).text();
say(`tools/list: ${(Buffer.byteLength(list) / 1024).toFixed(0)} KB`);

// Messages of one frame, from four devices, at 2,000 a second, while 200 GETs a second are timed.
const devices = await Promise.all(Array.from({ length: 4 }, (_, i) => addMachine(client, `BUS-${i}`)));
const senders = await Promise.all(devices.map((device) => connectDevice(gateway.mqtt, device)));
let publishing = true;
let sent = 0;
const publishers = senders.map(async (sender, i) => {
  for (let at = performance.now(); publishing; at += 10) {
    for (let k = 0; k < 5; k++) {
      sent++;
      const frame = `(${(Date.now() / 1000).toFixed(6)}) can0 0CF00400#F07D8C${(8000 + (sent % 1000)).toString(16).padStart(4, '0').toUpperCase()}00FFFF`;
      sender.publish(`v1/devices/${devices[i]?.device_id}/can`, frame, { qos: 1 });
    }
    await sleep(Math.max(0, at + 10 - performance.now()));
  }
});
await sleep(2_000);
const sentBefore = sent;
const tail = await load(gateway.pid, port, get(paths.one, auth), seconds * 3, 8, 200);
const perSecond = Math.round((sent - sentBefore) / (seconds * 3));
publishing = false;
await Promise.all(publishers);
await Promise.all(senders.map((sender) => sender.endAsync()));
say(`GET one at ${tail.perSecond}/s while ${perSecond} messages/s come in: p50 ${tail.p50} ms, p99 ${tail.p99} ms`);
