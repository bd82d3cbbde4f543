/**
 * What TLS costs: `node test/bench/tls.ts [SECONDS [ROUNDS]]`. In turns, without and with TLS, against one gateway:
 *
 *   GET     one machine over 16 connections that stay open, as fast as the gateway answers
 *   QoS 1   messages of 20 devices with 100 unacknowledged messages each; the gateway stores a message before it acknowledges it
 *   new     connections one after the other, each with a full handshake and one GET
 *
 * Prints the medians of the rounds, their ratios, and the processor time of the gateway for one answer.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { createClient } from '#contract/client.ts';
import { connectPacket, publishPacket } from '#test/servers/mqtt/broker-rig.ts';
import { addMachine, OWNER_KEY, type TestMachine } from '#test/support/gateway.ts';
import { processorSeconds, quantile, startGatewayProcess } from './gateway-process.ts';
import { publishInWindow } from './publish-window.ts';

const seconds = Number(process.argv[2] ?? 4);
const rounds = Number(process.argv[3] ?? 3);
const CONNECTIONS = 16;
const DEVICES = 20;
const WINDOW = 100;
const PAYLOAD = 150;

interface Door {
  readonly secure: boolean;
  readonly http: number;
  readonly mqtt: number;
}

interface Figure {
  readonly perSecond: number;
  readonly cpuUs: number;
}

process.env.HEADFRAME_REQUESTS_PER_MINUTE = '1000000';
const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
await using gateway = await startGatewayProcess(folder);
const ca = readFileSync(join(folder, 'tls', 'ca.pem'));

function dial(secure: boolean, port: number): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = secure ? connectTls({ port, host: '127.0.0.1', ca }) : connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('error', fail);
    socket.once(secure ? 'secureConnect' : 'connect', () => done(socket));
  });
}

/** Counts answers for some seconds, after a second without counting. */
async function measure(count: () => number): Promise<Figure> {
  await sleep(1_000);
  const [before, cpu, from] = [count(), processorSeconds(gateway.pid), performance.now()];
  await sleep(seconds * 1_000);
  const answers = count() - before;
  return {
    perSecond: (answers / (performance.now() - from)) * 1_000,
    cpuUs: ((processorSeconds(gateway.pid) - cpu) * 1e6) / answers,
  };
}

async function gets({ secure, http }: Door, request: string): Promise<Figure> {
  let answers = 0;
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = await dial(secure, http);
      let left = 0;
      let head = '';
      socket.on('data', (chunk: Buffer) => {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        left = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
        if (head.length < left) return;
        if (!head.startsWith('HTTP/1.1 200')) throw new Error(head);
        head = '';
        answers++;
        socket.write(request);
      });
      socket.write(request);
      return socket;
    }),
  );
  const figure = await measure(() => answers);
  for (const socket of sockets) socket.destroy();
  return figure;
}

async function messages({ secure, mqtt }: Door, devices: readonly TestMachine[]): Promise<Figure> {
  let acked = 0;
  const sockets = await Promise.all(
    devices.map(async ({ device_id, key }) => {
      const socket = await dial(secure, mqtt);
      const packet = publishPacket(`v1/devices/${device_id}/can`, 0, randomBytes(PAYLOAD));
      const connected = publishInWindow(socket, {
        packet,
        idAt: packet.length - PAYLOAD - 2,
        window: WINDOW,
        acknowledged: (count) => {
          acked += count;
        },
      });
      socket.write(connectPacket(device_id, device_id, { key }));
      await connected;
      return socket;
    }),
  );
  const figure = await measure(() => acked);
  for (const socket of sockets) socket.destroy();
  return figure;
}

async function connections({ secure, http }: Door, request: string): Promise<Figure> {
  let answers = 0;
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      const socket = await dial(secure, http);
      socket.write(request);
      await new Promise((done) => socket.once('data', done));
      socket.destroy();
      answers++;
    }
  })();
  const figure = await measure(() => answers);
  stopped = true;
  await running;
  return figure;
}

const median = (figures: readonly Figure[], of: (figure: Figure) => number): number =>
  quantile(
    figures.map(of).sort((a, b) => a - b),
    0.5,
  );

try {
  const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
  const { project } = await owner.call('projects_create', { name: 'Bench' });
  const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
  const devices: TestMachine[] = [];
  for (let i = 0; i < DEVICES; i++) devices.push(await addMachine(client, `HT-${i}`));
  const request =
    `GET /api/v1/equipment/${devices[0]?.equipment_id} HTTP/1.1\r\nHost: localhost\r\n` +
    `Authorization: Bearer ${OWNER_KEY}\r\nProject-ID: ${project.id}\r\n\r\n`;
  const doors: readonly Door[] = [
    { secure: false, http: Number(new URL(gateway.http).port), mqtt: gateway.mqtt },
    { secure: true, http: gateway.https, mqtt: gateway.mqtts },
  ];
  const kinds = {
    GET: (door: Door) => gets(door, request),
    'QoS 1': (door: Door) => messages(door, devices),
    new: (door: Door) => connections(door, request),
  };
  const rows: Record<string, object> = {};
  for (const [name, run] of Object.entries(kinds)) {
    const found: readonly [Figure[], Figure[]] = [[], []];
    for (let round = 0; round < rounds; round++)
      for (const door of doors) found[door.secure ? 1 : 0].push(await run(door));
    const [plain, secure] = found;
    const rate = (figures: readonly Figure[]) => median(figures, ({ perSecond }) => perSecond);
    const cpu = (figures: readonly Figure[]) => median(figures, ({ cpuUs }) => cpuUs);
    rows[name] = {
      'plain/s': Math.round(rate(plain)),
      'TLS/s': Math.round(rate(secure)),
      ratio: (rate(secure) / rate(plain)).toFixed(2),
      'plain us': cpu(plain).toFixed(1),
      'TLS us': cpu(secure).toFixed(1),
    };
  }
  console.table(rows);
} finally {
  await gateway[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
