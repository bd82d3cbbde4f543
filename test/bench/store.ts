/**
 * What the store costs over raw node:sqlite: documents a second of commit and of RxCollection.bulkInsert, reads of one
 * and of a page of 50.
 * Run: node test/bench/store.ts [documents]   (100000 unless told)
 * The raw side writes the same JSON into the same table with the same indexes, WAL and synchronous=FULL, without
 * looking what was there before, and parses what it reads.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { makeId } from '#contract/base/ids.ts';
import type { Stored, Write } from '#contract/base/view.ts';
import { openStore } from '#store/open-store.ts';

const TOTAL = Number(process.argv[2] ?? 100_000);
const READS = 2000;
/** Odd, for a median. */
const ROUNDS = 7;
const PROJECT = 'prj_bench';

const folder = await mkdtemp(join(tmpdir(), 'headframe-bench-'));
const random = (n: number): Uint8Array => randomBytes(n);
const store = await openStore({ folder, clock: Date.now, random });
const view = store.view(PROJECT);
const raw = openRaw(join(folder, 'raw.db'));
let rawRows = 0;

console.log(`node ${process.version}, sqlite ${process.versions.sqlite}, ${TOTAL} documents of about 500 bytes`);
for (const [batch, count] of [
  [1, 200],
  [100, TOTAL / 20],
  [1000, TOTAL / 10],
] as const) {
  const commitAll = async (writes: readonly Write[]): Promise<void> => {
    for (let i = 0; i < writes.length; i += batch) await view.commit(writes.slice(i, i + batch));
  };
  await compareWrites(`commit, ${batch} a batch`, count, batch, commitAll);
}
for (const batch of [100, 1000]) {
  const insertAll = async (writes: readonly Write[]): Promise<void> => {
    for (let i = 0; i < writes.length; i += batch) {
      await store.database.records.bulkInsert(writes.slice(i, i + batch).map((write) => envelopeOf(write, i)));
    }
  };
  await compareWrites(`RxCollection.bulkInsert, ${batch} a batch`, TOTAL / 10, batch, insertAll);
}
const together = Array.from({ length: 2000 }, (_, i) => makeWrite(i));
const before = store.stats().commits;
const groupTime = await time(() => Promise.all(together.map((write) => view.commit([write]))));
const transactions = store.stats().commits - before;
console.log(`commit, 2000 calls at once: ${rate(2000, groupTime)} documents/s in ${transactions} transactions`);

const ids = (await view.find('records', { object: 'device', limit: 1000 })).map(({ id }) => id);
const getRaw = raw.prepare('SELECT data FROM records_0 WHERE id=? AND del=0');
const listRaw = raw.prepare(
  'SELECT data FROM records_0 WHERE del=0 AND ".project_id"=? AND ".object"=? ORDER BY ".created_at" DESC, id DESC LIMIT 50',
);
const pick = (i: number): string => ids[(i * 7919) % ids.length] ?? '';
const rawIds = raw.prepare('SELECT id FROM records_0 ORDER BY seq DESC LIMIT 1000').all();
const pickRaw = (i: number): string => String(rawIds[(i * 7919) % rawIds.length]?.id);
for (let round = 0; round < 2; round++) {
  const getRawTime = await time(() => {
    for (let i = 0; i < READS; i++) JSON.parse(String(getRaw.get(pickRaw(i))?.data));
  });
  const getTime = await time(async () => {
    for (let i = 0; i < READS; i++) await view.get('records', pick(i));
  });
  const listRawTime = await time(() => {
    for (let i = 0; i < READS; i++) for (const row of listRaw.all(PROJECT, 'device')) JSON.parse(String(row.data));
  });
  const listTime = await time(async () => {
    for (let i = 0; i < READS; i++) await view.find('records', { object: 'device', limit: 50 });
  });
  const filterTime = await time(async () => {
    const where = { 'data.kind': 'kind-3' };
    for (let i = 0; i < READS; i++) await view.find('records', { object: 'device', where, limit: 50 });
  });
  if (round === 0) continue;
  print('get one', READS, getTime, getRawTime, 'reads/s');
  print('find 50', READS, listTime, listRawTime, 'pages/s');
  print('find 50 by an indexed field', READS, filterTime, listRawTime, 'pages/s');
}
raw.close();
await delays('200 commits of 100', async () => {
  const writes = Array.from({ length: 20_000 }, (_, i) => makeWrite(i));
  await Promise.all(Array.from({ length: 200 }, (_, i) => view.commit(writes.slice(i * 100, i * 100 + 100))));
});
await delays('5 commits of 1000', async () => {
  const writes = Array.from({ length: 5000 }, (_, i) => makeWrite(i));
  for (let i = 0; i < 5; i++) await view.commit(writes.slice(i * 1000, i * 1000 + 1000));
});
await delays('RxCollection.bulkInsert of 10000', async () => {
  const envelopes = Array.from({ length: 10_000 }, (_, i) => envelopeOf(makeWrite(i), i));
  await breathe();
  await store.database.records.bulkInsert(envelopes);
});
await delays('an RxDB query of all documents', async () => {
  await store.database.records.storageInstance.query(store.database.records.find().getPreparedQuery());
});
await delays('a find that filters all documents', async () => {
  await view.find('records', { object: 'device', where: { 'data.notes': 'none' }, limit: 10 });
});
await delays('2000 finds of 50 at once', async () => {
  await Promise.all(Array.from({ length: 2000 }, () => view.find('records', { object: 'device', limit: 50 })));
});
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true });

/** The store's own table of records, with all its indexes, in another file. */
function openRaw(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16384');
  database.exec('PRAGMA wal_autocheckpoint=4000');
  const source = new DatabaseSync(join(folder, 'store/headframe.db'), { readOnly: true });
  const sql = "SELECT sql FROM sqlite_schema WHERE tbl_name='records_0' AND sql IS NOT NULL ORDER BY type DESC";
  for (const row of source.prepare(sql).all()) database.exec(String(row.sql));
  source.close();
  return database;
}

function insertRaw(writes: readonly Write[], batch: number): void {
  const names =
    'id, seq, part_seq, rev, del, lwt, data, ".project_id", ".object", ".created_at", ".data.serial", ".data.device_id", ".data.kind"';
  const insert = raw.prepare(`INSERT INTO records_0 (${names}) VALUES (?, ?, ?, '1-x', 0, 1, ?, ?, ?, ?, ?, ?, ?)`);
  for (let i = 0; i < writes.length; i += batch) {
    raw.exec('BEGIN IMMEDIATE');
    for (const write of writes.slice(i, i + batch)) {
      const document = rowOf(write, ++rawRows);
      const { serial, device_id, kind } = document.data as Record<'serial' | 'device_id' | 'kind', string>;
      const { id, object, created_at } = document;
      insert.run(id, rawRows, rawRows, JSON.stringify(document), PROJECT, object, created_at, serial, device_id, kind);
    }
    raw.exec('COMMIT');
  }
}

/** A document with its envelope, as one gives it to RxDB. */
function envelopeOf({ id, object, data }: Write, seq: number): Stored {
  const time = new Date().toISOString();
  return {
    id,
    project_id: PROJECT,
    object,
    hlc: `019a1fc7c21ec000-${store.nodeId}`,
    origin: store.nodeId,
    origin_seq: seq,
    created_at: time,
    updated_at: time,
    revision: 1,
    data: data as Record<string, unknown>,
  };
}

/** And as it is kept, with the fields of RxDB. */
function rowOf(write: Write, seq: number) {
  const rx = { _deleted: false, _attachments: {}, _rev: '1-veplivxakk', _meta: { lwt: Date.now() } };
  return { ...envelopeOf(write, seq), ...rx };
}

/** Writes the same by turns on both sides and prints the median of the ratios, for what else the machine does hits both. */
async function compareWrites(
  what: string,
  count: number,
  batch: number,
  ours: (writes: readonly Write[]) => Promise<void>,
): Promise<void> {
  const rounds: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const writes = Array.from({ length: count }, (_, i) => makeWrite(i));
    const raw = (): Promise<number> => time(() => insertRaw(writes, batch));
    const first = round % 2 === 0 ? await raw() : 0;
    const own = await time(() => ours(writes));
    rounds.push({ ours: own, theirs: first || (await raw()) });
  }
  rounds.sort((a, b) => a.ours / a.theirs - b.ours / b.theirs);
  const { ours: own, theirs } = rounds[ROUNDS >> 1] ?? { ours: 0, theirs: 0 };
  print(what, count, own, theirs, 'documents/s');
}

function makeWrite(i: number): Write {
  const data = {
    serial: `SN-${i}`,
    device_id: `device-${i}`,
    equipment_id: null,
    kind: `kind-${i % 10}`,
    location_id: null,
    name: `Excavator ${i}`,
    notes: 'x'.repeat(120),
    tags: ['a', 'b'],
    limits: { idle_minutes: 10, speed_kph: 40.5 },
  };
  return { collection: 'records', id: makeId('device', Date.now(), random(10)), object: 'device', data, expected: 0 };
}

/** How long the event loop was kept, and how long the work took. */
async function delays(what: string, work: () => Promise<void>): Promise<void> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  const ms = await time(work);
  histogram.disable();
  const [p50, p99, max] = [histogram.percentile(50), histogram.percentile(99), histogram.max].map(
    (ns) => `${(ns / 1e6).toFixed(1)} ms`,
  );
  console.log(`event loop during ${what} (${ms.toFixed(0)} ms): p50 ${p50}, p99 ${p99}, max ${max}`);
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function rate(count: number, ms: number): string {
  return Math.round((count / ms) * 1000).toLocaleString('en');
}

function print(what: string, count: number, ours: number, theirs: number, unit: string): void {
  const ratio = (theirs / ours).toFixed(2);
  console.log(`${what}: store ${rate(count, ours)}, raw ${rate(count, theirs)} ${unit}; store at ${ratio} of raw`);
}
