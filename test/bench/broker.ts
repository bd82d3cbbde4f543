/** How many QoS 1 messages a second the broker acknowledges, durable and bare, in one run: node test/bench/broker.ts [seconds] [clients] */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';
import type { IngestMessage } from '#contract/ingest.ts';
import { nodeDisk } from '#ingest/disk.ts';
import { openJournal } from '#ingest/journal.ts';
import { startBroker } from '#servers/broker.ts';

const seconds = Number(process.argv[2] ?? 3);
const clients = Number(process.argv[3] ?? 20);
const PAYLOAD = 150;

interface Load {
  port: number;
  clients: number;
  window: number;
  ms: number;
}

async function publish({ port, clients: count, window, ms }: Load): Promise<number> {
  const connected = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
        username: `truck-${i}`,
        password: 'key',
        protocolVersion: 4,
        reconnectPeriod: 0,
      }),
    ),
  );
  let acked = 0;
  const end = performance.now() + ms;
  const payload = randomBytes(PAYLOAD);
  await Promise.all(
    connected.flatMap((client, i) =>
      Array.from({ length: window }, async () => {
        while (performance.now() < end) {
          await client.publishAsync(`v1/devices/truck-${i}/can`, payload, { qos: 1 });
          acked++;
        }
      }),
    ),
  );
  await Promise.all(connected.map((client) => client.endAsync(true)));
  return acked;
}

if (!isMainThread) {
  parentPort?.postMessage(await publish(workerData as Load));
} else await main();

async function load(port: number, window: number): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { port, clients, window, ms: seconds * 1000 } satisfies Load,
  });
  return new Promise((done, fail) => {
    worker.once('message', (acked: number) => done(acked / seconds));
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
    const durable = await broker((message) => journal.append(message));
    const before = await written();
    const rate = await load(durable.port, window);
    const stats = journal.stats();
    rows.push({
      window,
      'bare aedes/s': Math.round(bare),
      'guard, no journal/s': Math.round(unstored),
      'durable/s': Math.round(rate),
      'messages a sync': Math.round(stats.messages / stats.groups),
      'sync ms': (stats.last_sync_ms ?? 0).toFixed(2),
      'bytes written a message': Math.round(((await written()) - before) / stats.messages),
    });
    await durable[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
  console.log(
    `${clients} clients, ${PAYLOAD} byte payloads, client in a thread of the same process, ${seconds} s each`,
  );
  console.table(rows);
}
