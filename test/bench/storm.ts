/**
 * Everybody comes back at once: `node test/bench/storm.ts [CLIENTS [tls]]`, 2,000 unless told; with `tls` over TLS, each client with a full
 * handshake.
 *
 *   1. the network: all connections break, all connect again at the same moment
 *   2. the power: the gateway is killed while all are connected and started again; each client tries again every 250 ms
 *
 * Clients keep sessions (clean session 0) with a QoS 1 subscription. Back is who has its CONNACK; a session is kept when the gateway
 * says so in it (MQTT 3.1.1, 3.2.2.2). In the first storm one more device goes on sending; how long its messages wait for their answers
 * is told, and how long a GET of the API took meanwhile. Exit code 1 when not all are back with their sessions in five seconds (30 s over
 * TLS), a message waited for more than one, or 1 of 100 GETs took more than 250 ms.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createClient } from '#contract/client.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';
import { askFigures, memoryMb, quantile, startGatewayProcess } from './gateway-process.ts';

const clients = Number(process.argv[2] ?? 2_000);
/** Devices are provisioned so many at a time; they are no part of the figures. */
const LANES = 32;
const RETRY_MS = 250;
const GIVE_UP_MS = 60_000;
const overTls = process.argv[3] === 'tls';
const GOAL_MS = overTls ? 30_000 : 5_000;
const GOAL_GET_MS = 250;
const GOAL_ANSWER_MS = 1_000;
const PROBE_MS = 20;

const text = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)]);
/** A packet whose length fits two bytes (MQTT 3.1.1, 2.2.3). */
const framed = (first: number, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(body.length > 127 ? [first, (body.length & 127) | 128, body.length >> 7] : [first, body.length]),
    body,
  ]);

interface Device {
  readonly device_id: string;
  readonly key: string;
  readonly hello: Buffer;
  readonly subscribe: Buffer;
  socket: Socket | undefined;
}

function device(device_id: string, key: string): Device {
  // User name, password and keepalive of a minute; clean session 0 (3.1.2).
  const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc0, 0, 60])]);
  const topics = Buffer.concat([text(`v1/devices/${device_id}/commands`), Buffer.from([1])]);
  return {
    device_id,
    key,
    hello: framed(0x10, Buffer.concat([head, text(device_id), text(device_id), text(key)])),
    subscribe: framed(0x82, Buffer.concat([Buffer.from([0, 1]), topics])),
    socket: undefined,
  };
}

interface Back {
  readonly ms: number;
  readonly kept: boolean;
  readonly tries: number;
}

/** Connects until it is let in; resolves when the CONNACK is there, and when `subscribes` also the SUBACK. */
async function comeBack(one: Device, port: number, from: number, subscribes = false): Promise<Back> {
  for (let tries = 1; performance.now() - from < GIVE_UP_MS; tries++) {
    const kept = await attempt(one, port, subscribes);
    if (kept !== undefined) return { ms: performance.now() - from, kept, tries };
    await sleep(RETRY_MS);
  }
  throw new Error('a client did not come back within a minute');
}

/** The certificate of the site authority, which the gateway makes at its first start. */
let ca: Buffer | undefined;

function dial(port: number): Socket {
  if (!overTls) return connect(port, '127.0.0.1');
  ca ??= readFileSync(join(folder, 'tls', 'ca.pem'));
  return connectTls({ port, host: '127.0.0.1', ca });
}

/** Whether a session was there; undefined when the connection was refused or broke. */
function attempt(one: Device, port: number, subscribes: boolean): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = dial(port).setNoDelay(true);
    let got = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => resolve(undefined));
    socket.on(overTls ? 'secureConnect' : 'connect', () => socket.write(one.hello));
    socket.on('data', (chunk) => {
      if (got.length > 9) return;
      got = Buffer.concat([got, chunk]);
      if (got.length < 4) return;
      if (got[3] !== 0) socket.destroy();
      else if (!subscribes) resolve(got[2] === 1);
      else if (got.length === 4) socket.write(one.subscribe);
      else if (got.length >= 9) resolve(got[2] === 1);
    });
    one.socket = socket;
  });
}

async function provision(http: string): Promise<Device[]> {
  const owner = createClient({ base_url: http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Storm' });
  const client = createClient({ base_url: http, key: OWNER_KEY, project_id: project.id });
  const devices: Device[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      while (next <= clients) {
        const made = await client.call('devices_provision', { serial: `SN-${next++}`, kind: 'can_logger' });
        devices.push(device(made.device.device_id, made.credential.key ?? ''));
      }
    }),
  );
  return devices;
}

function summary(storm: string, backs: readonly Back[], more: object) {
  const times = backs.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    storm,
    clients: backs.length,
    p50_ms: Math.round(quantile(times, 0.5)),
    all_back_ms: Math.round(times.at(-1) ?? Number.NaN),
    sessions_kept: backs.filter(({ kept }) => kept).length,
    connections_tried: backs.reduce((sum, { tries }) => sum + tries, 0),
    ...more,
  };
}

/** Sends one message after the other over a connection that stays, and tells how long answers took. */
async function probeDevice({ socket, device_id }: Device, running: () => boolean): Promise<number[]> {
  if (socket === undefined) throw new Error('the device is not connected');
  const waited: number[] = [];
  for (let n = 1; running(); n++) {
    const id = Buffer.from([(n >> 8) & 255, n & 255]);
    const payload = Buffer.from(
      JSON.stringify({ t: new Date().toISOString(), values: { 'engine.speed': 800 + (n % 500) } }),
    );
    const sent = performance.now();
    socket.write(framed(0x32, Buffer.concat([text(`v1/devices/${device_id}/telemetry`), id, payload])));
    await new Promise((done) => socket.once('data', done));
    waited.push(performance.now() - sent);
    await sleep(PROBE_MS);
  }
  return waited.sort((a, b) => a - b);
}

/** Asks the API for one object again and again over plain HTTP, and tells how long answers took. */
async function probeApi(http: string, running: () => boolean): Promise<number[]> {
  const owner = createClient({ base_url: http, key: OWNER_KEY });
  const took: number[] = [];
  while (running()) {
    const asked = performance.now();
    await owner.call('projects_list', { limit: 1 });
    took.push(performance.now() - asked);
    await sleep(PROBE_MS);
  }
  return took.sort((a, b) => a - b);
}

/** What the thread gets that measures answers. It is a thread of its own, because the clients of the storm keep this one busy. */
interface Measured {
  readonly folder: string;
  readonly http: string;
  readonly port: number;
  readonly device: { readonly device_id: string; readonly key: string };
}

interface Answers {
  readonly waited: number[];
  readonly took: number[];
}

/** Runs in the thread: connects the device, says so, and measures until it is told to stop. */
async function measureAnswers({ http, port, device: { device_id, key } }: Measured): Promise<void> {
  const steady = device(device_id, key);
  await comeBack(steady, port, performance.now());
  let on = true;
  parentPort?.once('message', () => {
    on = false;
  });
  parentPort?.postMessage('connected');
  const [waited, took] = await Promise.all([probeDevice(steady, () => on), probeApi(http, () => on)]);
  parentPort?.postMessage({ waited, took } satisfies Answers);
  steady.socket?.destroy();
}

/** Starts the thread; resolves with what ends it when its device is connected. */
async function startMeasuring(of: Measured): Promise<() => Promise<Answers>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: of, argv: process.argv.slice(2) });
  await once(worker, 'message');
  return async () => {
    const answers = once(worker, 'message');
    worker.postMessage('stop');
    return (await answers)[0] as Answers;
  };
}

const verdicts: [string, boolean][] = [];

function judge(storm: string, backs: readonly Back[]): void {
  const kept = backs.filter((one) => one.kept).length;
  verdicts.push([
    `${storm}: all ${backs.length} are back within ${GOAL_MS / 1_000} s`,
    backs.every(({ ms }) => ms <= GOAL_MS),
  ]);
  verdicts.push([`${storm}: all have their sessions`, kept === backs.length]);
}

async function drop(devices: readonly Device[]): Promise<void> {
  for (const { socket } of devices) {
    if (socket === undefined || socket.closed) continue;
    const closed = new Promise((done) => socket.once('close', done));
    socket.destroy();
    await closed;
  }
}

/** The data folder of the gateway. */
const folder = isMainThread ? mkdtempSync(join(tmpdir(), 'headframe-bench-')) : (workerData as Measured).folder;

async function main(): Promise<void> {
  let port: number;
  let devices: Device[];
  {
    const gateway = await startGatewayProcess(folder);
    port = overTls ? gateway.mqtts : gateway.mqtt;
    devices = await provision(gateway.http);
    const first = performance.now();
    // In groups, as a site fills over time.
    for (let i = 0; i < devices.length; i += LANES)
      await Promise.all(devices.slice(i, i + LANES).map((one) => comeBack(one, port, first, true)));
    await drop(devices);
    const [steady] = devices.splice(0, 1) as [Device];
    const stop = await startMeasuring({
      folder,
      http: gateway.http,
      port,
      device: { device_id: steady.device_id, key: steady.key },
    });
    await sleep(2_000);
    await askFigures(gateway.http);
    const from = performance.now();
    const backs = await Promise.all(devices.map((one) => comeBack(one, port, from)));
    const { event_loop_p99_ms, event_loop_max_ms } = await askFigures(gateway.http);
    const rss_mb = memoryMb(gateway.pid).now;
    const { waited, took } = await stop();
    const answers = {
      answer_p99_ms: Math.round(quantile(waited, 0.99)),
      answer_max_ms: Math.round(waited.at(-1) ?? 0),
      get_p99_ms: Math.round(quantile(took, 0.99)),
      get_max_ms: Math.round(took.at(-1) ?? 0),
      gets: took.length,
    };
    const line = summary('network', backs, { ...answers, event_loop_p99_ms, event_loop_max_ms, rss_mb });
    judge('network', backs);
    verdicts.push([
      `network: another's messages are answered within ${GOAL_ANSWER_MS / 1_000} s`,
      answers.answer_p99_ms <= GOAL_ANSWER_MS,
    ]);
    verdicts.push([`network: p99 of a GET is within ${GOAL_GET_MS} ms`, answers.get_p99_ms <= GOAL_GET_MS]);
    process.stdout.write(`${JSON.stringify(line, null, 2)}\n`);
    await sleep(2_000);
    await gateway.kill();
    await drop(devices);
  }
  const trying = performance.now();
  const returning = Promise.all(devices.map((one) => comeBack(one, port, trying)));
  await using again = await startGatewayProcess(folder, overTls ? 0 : port, overTls ? port : 0);
  const ready = performance.now() - trying;
  const backs = (await returning).map((back) => ({ ...back, ms: back.ms - ready }));
  const { event_loop_p99_ms, event_loop_max_ms } = await askFigures(again.http);
  const rss_mb = memoryMb(again.pid).now;
  const line = summary('power', backs, { start_ms: again.startMs, event_loop_p99_ms, event_loop_max_ms, rss_mb });
  process.stdout.write(`${JSON.stringify(line, null, 2)}\n`);
  judge('power', backs);
  await drop(devices);
}

if (!isMainThread) await measureAnswers(workerData as Measured);
else {
  try {
    await main();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const [what, holds] of verdicts) process.stdout.write(`${holds ? 'ok' : 'NOT'}: ${what}\n`);
  process.exitCode = verdicts.every(([, holds]) => holds) ? 0 : 1;
}
