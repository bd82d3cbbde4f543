/**
 * Ingest alone, on a real disk: node test/bench/ingest.ts [SECONDS] [MACHINES]
 *
 * 1. frames a second through journal and fold, as fast as they are taken: batches of 500 candump lines, and binary batches
 * 2. bytes written a day at ten messages of ten frames a second and machine, by part, and processor time
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeBinary } from '#codec/can-binary.ts';
import { formatCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { type Disk, nodeDisk } from '#ingest/journal/disk.ts';
import { openStore, type Store } from '#store/open-store.ts';

const seconds = Number(process.argv[2] ?? 60);
const machines = Number(process.argv[3] ?? 50);
const DAY_S = 86_400;
const PROJECT = 'prj_bench';

async function written(): Promise<number> {
  const io = await readFile('/proc/self/io', 'utf8').catch(() => '');
  return Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? Number.NaN);
}

interface Frame {
  readonly id: number;
  readonly data: (t: number, k: number) => number[];
}

const le = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);

/** What a machine says ten times a second; values move a little from message to message, differently on each machine. */
const FRAMES: readonly Frame[] = [
  {
    id: 0x0cf00400,
    data: (t, k) => [0xf0, 125 + (k % 9), 140, ...le(8 * (1200 + 300 * Math.sin(t / 7000 + k)), 2), 0, 255, 255],
  },
  { id: 0x0cf00300, data: (t, k) => [0xff, 100 + (t % 9), 40 + ((t >> 8) % 20) + (k % 5), 255, 255, 255, 255, 255] },
  { id: 0x18fef200, data: (t) => [...le(820 + (t % 50), 2), 255, 255, 255, 255, 255, 255] },
  { id: 0x18feee00, data: (_, k) => [125 + (k % 3), 80, 255, 255, 255, 255, 255, 255] },
  { id: 0x18feef00, data: () => [255, 255, 255, 100, 255, 255, 255, 255] },
  { id: 0x18fef100, data: (t, k) => [255, ...le(256 * (20 + 8 * Math.sin(t / 9000 + k)), 2), 255, 255, 255, 255, 255] },
  { id: 0x18fef700, data: (t) => [255, 255, 255, 255, ...le(560 + (t % 3), 2), 255, 255] },
  { id: 0x18fefc00, data: () => [255, 150, 255, 255, 255, 255, 255, 255] },
  { id: 0x18fef500, data: () => [255, ...le(9000, 2), 255, 255, 255, 255, 255] },
  { id: 0x18fef600, data: (t) => [255, 60 + (t % 4), 80, 255, 255, 255, 255, 255] },
];

function fill(batch: FrameBatch, from: number, count: number, machine: number): void {
  batch.clear();
  for (let i = 0; i < count; i++) {
    const frame = FRAMES[i % FRAMES.length] as Frame;
    const t = from + Math.floor(i / FRAMES.length) * 10;
    batch.push(
      t * 1000 + (i % FRAMES.length) * 600,
      0,
      frame.id,
      FRAME.extended,
      Uint8Array.from(frame.data(t, machine)),
      0,
      8,
    );
  }
}

async function withIngest<T>(
  disk: Disk,
  run: (ingest: Ingest, store: Store, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-bench-'));
  const common = { folder, clock: Date.now, random: (n: number) => new Uint8Array(randomBytes(n)) };
  try {
    await using store = await openStore(common);
    for (let i = 0; i < machines; i++) {
      const data = {
        device_id: `truck-${i}`,
        equipment_id: `eq_${i}`,
        linked_at: new Date(0).toISOString(),
        expected_interval_s: null,
      };
      await store.view(PROJECT).commit([{ collection: 'records', id: `dev_${i}`, object: 'device', data }]);
    }
    await using ingest = await startIngest({
      ...common,
      store,
      disk,
      log: (level, message) => console.error(level, message),
    });
    return await run(ingest, store, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function send(ingest: Ingest, machine: number, payload: Uint8Array): Promise<void> {
  const device = { device: `dev_${machine}`, device_id: `truck-${machine}`, project_id: PROJECT };
  return ingest.accept({ ...device, topic: 'can', payload, received_at_ms: Date.now() });
}

async function settled(ingest: Ingest): Promise<void> {
  while ((await ingest.health()).journal.unfolded_messages > 0) await sleep(5);
}

async function throughput(form: string, encode: (batch: FrameBatch, seq: number) => Uint8Array): Promise<object> {
  return withIngest(nodeDisk(), async (ingest) => {
    const batch = new FrameBatch(1024);
    const start = Date.now() - 600_000;
    const payloads = Array.from({ length: 2000 }, (_, i) => {
      fill(batch, start + Math.floor(i / machines) * 1000, 500, i % machines);
      return encode(batch, i);
    });
    const frames = payloads.length * 500;
    const from = performance.now();
    const cpu = process.threadCpuUsage();
    await Promise.all(payloads.map((payload, i) => send(ingest, i % machines, payload)));
    const accepted = performance.now() - from;
    await settled(ingest);
    const { user, system } = process.threadCpuUsage(cpu);
    const total = performance.now() - from;
    return {
      form,
      'frames/s': Math.round((frames / total) * 1000),
      'accepted frames/s': Math.round((frames / accepted) * 1000),
      'us a frame': ((user + system) / frames).toFixed(2),
    };
  });
}

async function daily(): Promise<object> {
  let journal = 0;
  const real = nodeDisk();
  const counting: Disk = {
    ...real,
    async open(folder, name, mode) {
      const file = await real.open(folder, name, mode);
      return {
        ...file,
        async write(bytes, position) {
          // Whole pages are written, however little of one is new.
          journal += (Math.ceil((position + bytes.length) / 4096) - Math.floor(position / 4096)) * 4096;
          await file.write(bytes, position);
        },
      };
    },
  };
  return withIngest(counting, async (ingest, store, folder) => {
    const batch = new FrameBatch(64);
    const before = await written();
    const cpu = process.threadCpuUsage();
    journal = 0;
    const rows = store.stats();
    let sent = 0;
    const start = performance.now();
    const waiting = new Set<Promise<void>>();
    // Machines send in turn, evenly over each tenth of a second.
    for (let turn = 0; turn < seconds * 10 * machines; turn++) {
      const due = start + (turn * 100) / machines;
      if (due > performance.now() + 1) await sleep(due - performance.now());
      fill(batch, Date.now() - 50, 10, turn % machines);
      const one = send(ingest, turn % machines, formatCandump(batch)).finally(() => waiting.delete(one));
      waiting.add(one);
      sent++;
    }
    await Promise.all(waiting);
    const all = (await written()) - before;
    const { user, system } = process.threadCpuUsage(cpu);
    const elapsed = (performance.now() - start) / 1000;
    const perDay = (bytes: number): string => (((bytes / elapsed) * DAY_S) / 1e9).toFixed(2);
    const now = store.stats();
    const stats = ingest.stats().journal;
    return {
      'messages/s': Math.round(sent / elapsed),
      'GB a day': perDay(all),
      'journal GB a day (pages)': perDay(journal),
      'journal GB a day (bytes)': perDay(stats.bytes),
      'syncs/s': (stats.groups / elapsed).toFixed(1),
      'commits/s': ((now.commits - rows.commits) / elapsed).toFixed(2),
      'rows/s': ((now.rows - rows.rows) / elapsed).toFixed(1),
      'database MB': ((await stat(join(folder, 'store', 'headframe.db'))).size / 1e6).toFixed(1),
      'processor %': ((user + system) / 1e4 / elapsed).toFixed(1),
    };
  });
}

console.table([
  await throughput('candump', (batch) => formatCandump(batch)),
  await throughput('binary', (batch, seq) => encodeBinary(batch, seq)),
]);
console.table([await daily()]);
