/** How many QoS 1 messages a second the broker acknowledges, durable and bare, in one run: node test/bench/broker.ts [seconds] [clients] */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Aedes } from 'aedes';
import type { IngestMessage } from '#contract/fleet/ingest.ts';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { openJournal } from '#ingest/journal/journal.ts';
import { startBroker } from '#servers/mqtt/broker.ts';
import { publishInWindow } from './publish-window.ts';

const seconds = Number(process.argv[2] ?? 3);
const clients = Number(process.argv[3] ?? 20);
const PAYLOAD = 150;

interface Load {
  port: number;
  clients: number;
  window: number;
  ms: number;
}

/** A client of bytes, so that what is measured is the broker: `window` messages unanswered, each answer sends the next. */
function device(port: number, name: string, window: number): { acked: number; end(): void; ready: Promise<void> } {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)]);
  const framed = (first: number, body: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(body.length > 127 ? [first, (body.length & 127) | 128, body.length >> 7] : [first, body.length]),
      body,
    ]);
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc2, 0, 60])]);
  socket.write(framed(0x10, Buffer.concat([head, text(name), text(name), text('key')])));
  const topic = text(`v1/devices/${name}/can`);
  const packet = framed(0x32, Buffer.concat([topic, Buffer.from([0, 0]), randomBytes(PAYLOAD)]));
  const state = { acked: 0, end: () => void socket.destroy(), ready: Promise.resolve() };
  state.ready = publishInWindow(socket, {
    packet,
    idAt: packet.length - PAYLOAD - 2,
    window,
    acknowledged: (count) => {
      state.acked += count;
    },
  });
  return state;
}

async function publish({ port, clients: count, window, ms }: Load): Promise<number> {
  const devices = Array.from({ length: count }, (_, i) => device(port, `truck-${i}`, window));
  await Promise.all(devices.map((one) => one.ready));
  const total = (): number => devices.reduce((sum, one) => sum + one.acked, 0);
  const before = total();
  await new Promise((done) => setTimeout(done, ms));
  const acked = total() - before;
  for (const one of devices) one.end();
  return acked;
}

if (!isMainThread) {
  parentPort?.postMessage(await publish(workerData as Load));
} else await main();

/** Messages a second, and microseconds of this thread for each. */
async function load(port: number, window: number): Promise<{ rate: number; cpu: number }> {
  const from = process.threadCpuUsage();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { port, clients, window, ms: seconds * 1000 } satisfies Load,
  });
  return new Promise((done, fail) => {
    worker.once('message', (acked: number) => {
      const { user, system } = process.threadCpuUsage(from);
      done({ rate: acked / seconds, cpu: (user + system) / acked });
    });
    worker.once('error', fail);
  });
}

async function written(): Promise<number> {
  const io = await readFile('/proc/self/io', 'utf8').catch(() => '');
  return Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? Number.NaN);
}

function broker(accept: (message: IngestMessage) => Promise<void>) {
  return startBroker({
    host: '127.0.0.1',
    port: 0,
    authenticate: async (username) => ({ device: `dev_${username}`, device_id: username, project_id: 'prj_1' }),
    accept,
    connected: () => {},
    disconnected: () => {},
    refused: () => {},
    loginRefused: () => {},
    clock: Date.now,
    log: () => {},
  });
}

async function main(): Promise<void> {
  const rows: Record<string, number | string>[] = [];
  for (const window of [1, 20, 100]) {
    const aedes = await Aedes.createBroker();
    const server: Server = createServer((socket) => void aedes.handle(socket));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const bare = await load(typeof address === 'object' && address !== null ? address.port : 0, window);
    await new Promise<void>((done) => aedes.close(() => server.close(() => done())));

    const now = Promise.resolve();
    const guarded = await broker(() => now);
    const unstored = await load(guarded.port, window);
    await guarded[Symbol.asyncDispose]();

    const folder = await mkdtemp(join(tmpdir(), 'headframe-bench-'));
    const journal = await openJournal({
      folder,
      disk: nodeDisk(),
      clock: Date.now,
      monotonic: () => performance.now(),
      random: (n) => randomBytes(n),
      onGroup: () => {},
      onFatal: (error) => console.error(error),
    });
    const real = await broker((message) => journal.append(message));
    const before = await written();
    const durable = await load(real.port, window);
    const stats = journal.stats();
    rows.push({
      window,
      'bare aedes/s': Math.round(bare.rate),
      'no journal/s': Math.round(unstored.rate),
      'durable/s': Math.round(durable.rate),
      'bare us': bare.cpu.toFixed(1),
      'no journal us': unstored.cpu.toFixed(1),
      'durable us': durable.cpu.toFixed(1),
      'messages a sync': Math.round(stats.messages / stats.groups),
      'sync ms': (stats.last_sync_ms ?? 0).toFixed(2),
      'bytes written a message': Math.round(((await written()) - before) / stats.messages),
    });
    await real[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
  console.log(
    `${clients} clients, ${PAYLOAD} byte payloads, client in a thread of the same process, ${seconds} s each`,
  );
  console.table(rows);
}
