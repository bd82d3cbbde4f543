/** The compaction of history: one sealed segment for each machine and hour, with the same samples as before. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { SignalName } from '#contract/base/signals.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { MinuteSeries } from '#domain/history/minutes.ts';
import { openRollup } from '#domain/history/rollup.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { encodeSegment } from '#domain/history/segment-v1.ts';
import { readHistory } from '#history/history.ts';
import { readTelemetry } from '#history/read-telemetry.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { noMemory } from '#test/ingest/no-memory.ts';
import { type Site, startSite } from '#test/ingest/support.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { makeOld } from '#test/store/old-layout.ts';
import { killsOf } from '#test/support/kills.ts';

const HOUR_MS = 3_600_000;
const CHILD = join(import.meta.dirname, 'history-compaction-child.ts');
const KILLS = killsOf(6);

type Options = Parameters<typeof createHistoryCompaction>[0];

const compactionOf = (site: Site, more: Partial<Options> = {}) =>
  createHistoryCompaction({
    store: site.store,
    clock: () => site.time.ms,
    breathe: async () => {},
    log: (level, message, data) => site.logged.push(`${level} ${message} ${JSON.stringify(data ?? {})}`),
    ...more,
  });

/** Seals everything that may be sealed now; returns the number of replaced segments. */
async function sealAll(site: Site, more: Partial<Options> = {}): Promise<number> {
  const compaction = compactionOf(site, more);
  let replaced = 0;
  for (;;) {
    const some = await compaction.run();
    if (some === 0) return replaced;
    replaced += some;
  }
}

/** Sends one value a second of engine speed and load for `seconds` seconds, and stores them. */
async function drive(site: Site, device: DeviceIdentity, from_ms: number, seconds: number, plus = 0): Promise<void> {
  for (let at = 0; at < seconds; at += 100) {
    const points = Array.from({ length: Math.min(100, seconds - at) }, (_, i) => ({
      observed_at: new Date(from_ms + (at + i) * 1000).toISOString(),
      values: { 'engine.speed': 800 + ((at + i) % 200) + plus, 'engine.load': (at + i) % 100 },
    }));
    await site.send(device, 'telemetry', JSON.stringify({ points }));
  }
  await site.settle();
  site.time.pass(120_000);
  await site.stored();
}

type Stored = Pick<Site, 'store' | 'project'>;

const segments = ({ store, project }: Stored) =>
  store.view(project).find<SegmentData>('telemetry', { object: 'segment', order: 'asc', limit: 1_000 });

/** All samples of a signal as the segments have them. */
async function samples(site: Stored, signal: SignalName): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const { data } of await segments(site)) {
    const series = openSegment(data.body)?.read(signal);
    series?.t.forEach((t, i) => {
      if (!found.has(t)) found.set(t, series.v[i] as number);
    });
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

test('[Z27] the open segments of an hour become one sealed segment with the same samples and their origins', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 3 * HOUR_MS;
  await drive(site, device, start, 2_000);
  await drive(site, device, start + 2_000_000, 1_600);
  const before = await samples(site, 'engine.speed');
  assert.equal(before.size, 3_600);
  const open = await segments(site);
  assert.ok(open.length > 1 && open.every(({ data }) => data.sealed_hour === undefined));
  assert.equal(await sealAll(site), 0, 'nothing is sealed within ten minutes');
  site.time.pass(600_000);
  assert.equal(await sealAll(site), open.length);
  const sealed = await segments(site);
  assert.deepEqual(
    sealed.map(({ data }) => [data.sealed_hour, data.seal?.generation, data.seal?.supersedes, data.samples]),
    [[start / HOUR_MS, 1, null, 7_200]],
  );
  assert.deepEqual(await samples(site, 'engine.speed'), before);
  const segment = openSegment(sealed[0]?.data.body ?? new Uint8Array());
  assert.equal(segment?.origins.length, 1);
  assert.equal(segment?.origins[0]?.device, device.device);
  assert.equal(segment?.raw.length, 1, 'one range of the journal');
});

test('[Z27] [I28] an hour is sealed ten minutes after its end while the machine keeps sending', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'EX-1');
  const end = Math.ceil(site.time.ms / HOUR_MS) * HOUR_MS;
  // So that a segment begins before the end of the hour and would end after it.
  site.time.ms = end - 200_000;
  while (site.time.ms < end + 720_000) {
    const points = Array.from({ length: 10 }, (_, i) => ({
      observed_at: new Date(site.time.ms + i * 1000).toISOString(),
      values: { 'engine.speed': 800 + i },
    }));
    site.time.pass(10_000);
    await site.send(device, 'telemetry', JSON.stringify({ points }));
    await site.settle();
  }
  assert.ok((await segments(site)).length > 10, 'the machine has open segments in two hours');
  assert.ok((await sealAll(site)) > 0);
  const all = await segments(site);
  const sealed = all.filter(({ data }) => data.sealed_hour !== undefined);
  const open = all.filter(({ data }) => data.sealed_hour === undefined);
  assert.deepEqual(
    sealed.map(({ data }) => [data.from_ms, data.samples]),
    [[end - 200_000, 200]],
  );
  assert.ok(open.length > 0);
  for (const { data } of open) assert.ok(data.from_ms >= end, 'the open segments are of the next hour');
});

test('[Z27] one commit seals several machines, up to a number of documents', async () => {
  await using site = await startSite();
  const start = site.time.ms - 3 * HOUR_MS;
  const devices = await Promise.all(Array.from({ length: 90 }, (_, i) => site.device(`dev-${i}`, `EX-${i}`)));
  const point = JSON.stringify({ points: [{ ts: start, values: { 'engine.speed': 800 } }] });
  for (const device of devices) await site.send(device, 'telemetry', point);
  await site.settle();
  site.time.pass(120_000);
  await site.stored();
  site.time.pass(600_000);
  const compaction = compactionOf(site);
  // Each machine needs 3 documents: a sealed segment and a rollup are written, an open segment is erased.
  assert.deepEqual([await compaction.run(), await compaction.run(), await compaction.run()], [80, 10, 0]);
});

test('[Z27] later data for a sealed hour makes a new segment, which supersedes the earlier one', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 3 * HOUR_MS;
  await drive(site, device, start, 1_000);
  site.time.pass(600_000);
  await sealAll(site);
  const [first] = await segments(site);
  await drive(site, device, start + 500_000, 1_000, 7);
  site.time.pass(600_000);
  await sealAll(site);
  const [second, ...more] = await segments(site);
  assert.deepEqual(more, []);
  assert.notEqual(second?.id, first?.id);
  assert.deepEqual([second?.data.seal?.generation, second?.data.seal?.supersedes], [2, first?.id]);
  const found = await samples(site, 'engine.speed');
  assert.equal(found.size, 1_500);
  assert.equal(found.get(start / 1000 + 600), 800 + (600 % 200), 'the first sample of a second stays');
  assert.equal(found.get(start / 1000 + 1_200), 800 + (700 % 200) + 7);
});

test('[Z27] a crash between two steps loses and doubles nothing: the commit replaces all segments or none', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 5 * HOUR_MS;
  await drive(site, device, start, 9_000);
  site.time.pass(600_000);
  const before = await samples(site, 'engine.load');
  const open = (await segments(site)).length;
  let fails = true;
  const store = { ...site.store, find: site.store.find, view: site.store.view, nodeId: site.store.nodeId };
  const erase: Options['store']['erase'] = async (...of) => {
    if (fails) throw new Error('the disk refuses writes');
    return site.store.erase(...of);
  };
  await assert.rejects(sealAll(site, { store: { ...store, erase } }), /refuses/);
  assert.equal((await segments(site)).length, open);
  fails = false;
  assert.equal(await sealAll(site, { store: { ...store, erase } }), open);
  assert.deepEqual(await samples(site, 'engine.load'), before);
  assert.equal((await segments(site)).length, 3, 'one segment for each of three hours');
});

test('[Z27] the read of telemetry gives the same answer before and after the sealing', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 3 * HOUR_MS;
  await drive(site, device, start, 1_000);
  const view = site.store.view(site.project);
  const of = { project_id: site.project, equipment_id: site.machine('EX-1') };
  const source = { view, ...of, ...noMemory() };
  const signals: SignalName[] = ['engine.speed', 'engine.load'];
  const range = { from_ms: start - HOUR_MS, to_ms: start + HOUR_MS };
  const read = async () => [
    await readTelemetry(source, { ...of, signals, ...range, step_s: 60, now_ms: start + HOUR_MS }),
    await readTelemetry(source, { ...of, signals, ...range, step_s: null, now_ms: start + HOUR_MS }),
    await readHistory(source, 'engine.speed', range.from_ms, range.to_ms),
  ];
  const before = await read();
  site.time.pass(600_000);
  assert.ok((await sealAll(site)) > 0);
  assert.deepEqual(await read(), before);
});

test('[Z28] a damaged segment stays where it is, and the others are sealed', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 3 * HOUR_MS;
  await drive(site, device, start, 1_000);
  await drive(site, device, start + 1_000_000, 1_000);
  const [damaged, ...others] = await segments(site);
  assert.ok(damaged !== undefined && others.length > 0);
  const body = damaged.data.body.slice();
  body.fill(0xff, body.length - 20);
  const write = { collection: 'telemetry', id: damaged.id, object: 'segment' } as const;
  await site.store.view(site.project).commit([{ ...write, data: { ...damaged.data, body } }]);
  site.time.pass(600_000);
  await sealAll(site);
  const left = await segments(site);
  assert.deepEqual(left.map(({ id, data }) => [id === damaged.id, data.sealed_hour !== undefined]).sort(), [
    [false, true],
    [true, false],
  ]);
  assert.ok(site.logged.some((line) => line.includes('cannot be read') && line.includes(damaged.id)));
});

/** The number of values of each minute, from the rollups and the open segments together. */
async function valuesOfMinutes({ store, project }: Stored, signal: SignalName): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  const add = (series: MinuteSeries | undefined): void => {
    series?.m.forEach((minute, i) => {
      found.set(minute, (found.get(minute) ?? 0) + (series.n[i] as number));
    });
  };
  const rollups = await store.view(project).find<RollupData>('telemetry', { object: 'rollup', limit: 1_000 });
  for (const { data } of rollups) add(openRollup(data.body)?.read(signal));
  for (const { data } of await segments({ store, project })) {
    if (data.sealed_hour !== undefined) continue;
    add(
      openSegment(data.body)
        ?.minutes()
        .find((one) => one.signal === signal),
    );
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

/**
 * Kills a child that seals the history of a folder, and checks the folder after each kill. `check` returns the number of open segments.
 * When there are none, the next child begins with the folder `from` again. Returns the numbers of open segments.
 */
async function killAndCheck(from: string, folder: string, check: (of: { store: Store }) => Promise<number>) {
  const left: number[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    if ((left.at(-1) ?? 0) === 0) {
      await rm(folder, { recursive: true, force: true });
      await cp(from, folder, { recursive: true });
    }
    const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const calls = 1 + (kill % 3);
    let printed = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.length;
      // The child prints "+" before each call, so the kill comes before, during or after the commit of the last call.
      if (printed >= calls) setTimeout(() => child.kill('SIGKILL'), (kill * 7) % 40);
    });
    await once(child, 'exit');
    const random = (n: number) => new Uint8Array(randomBytes(n));
    await using store = await openStore({ folder, clock: Date.now, random });
    left.push(await check({ store }));
  }
  return left;
}

test('[Z27] [Z29] after kill -9 during the sealing each sample and each row of the statistics is stored once', async () => {
  using unsealed = temporaryFolder();
  using folder = temporaryFolder();
  let project = '';
  let before: readonly Map<number, number>[] = [];
  let rowsBefore: readonly Map<number, number>[] = [];
  const signals = ['engine.speed', 'engine.load'] as const;
  const all = (of: Stored) => Promise.all(signals.map((signal) => samples(of, signal)));
  const allRows = (of: Stored) => Promise.all(signals.map((signal) => valuesOfMinutes(of, signal)));
  {
    await using site = await startSite();
    project = site.project;
    const device = await site.device('dev-1', 'EX-1');
    for (let hour = 1; hour <= 8; hour++) await drive(site, device, site.time.ms - (20 - hour) * HOUR_MS, 1_200);
    before = await all(site);
    rowsBefore = await allRows(site);
    assert.equal(
      [...(rowsBefore[0]?.values() ?? [])].reduce((sum, n) => sum + n, 0),
      8 * 1_200,
    );
    await cp(site.folder, unsealed.path, { recursive: true });
  }
  const left = await killAndCheck(unsealed.path, folder.path, async (of) => {
    assert.deepEqual(await all({ ...of, project }), before);
    assert.deepEqual(await allRows({ ...of, project }), rowsBefore);
    const stored = await segments({ ...of, project });
    assert.equal(
      stored.reduce((sum, { data }) => sum + data.samples, 0),
      8 * 1_200 * 2,
      'no sample is stored twice',
    );
    return stored.filter(({ data }) => data.sealed_hour === undefined).length;
  });
  assert.ok(new Set(left).size > 1, `open segments after each kill: ${left.join()}`);
});

/** Takes the history of a stopped store back to layout 2: segments of a minute in their first format, as base64 text, without origins. */
function makeSegmentsOld(folder: string): void {
  using raw = new DatabaseSync(join(folder, 'store/headframe.db'));
  const rows = raw.prepare('SELECT id, data, body FROM telemetry_0').all() as {
    id: string;
    data: string;
    body: Uint8Array;
  }[];
  const write = raw.prepare('UPDATE telemetry_0 SET data = ?, body = NULL WHERE id = ?');
  for (const { id, data, body } of rows) {
    const segment = openSegment(body);
    const columns = (segment?.signals ?? []).map((signal) => {
      const { t, v } = segment?.read(signal) ?? { t: [], v: [] };
      return { signal, t: Float64Array.from(t, (second) => second * 1_000_000), v: Float64Array.from(v) };
    });
    const document = JSON.parse(data) as { data: Record<string, unknown> };
    document.data.body = Buffer.from(encodeSegment(columns)).toString('base64');
    write.run(JSON.stringify(document), id);
  }
  raw.close();
  makeOld(folder);
}

test('[Z27] [S56] after kill -9 during the conversion of a folder of layout 2 each sample is stored once', async () => {
  using old = temporaryFolder();
  using folder = temporaryFolder();
  let project = '';
  const signals = ['engine.speed', 'engine.load'] as const;
  const all = (of: Stored) => Promise.all(signals.map((signal) => samples(of, signal)));
  let before: readonly Map<number, number>[] = [];
  {
    await using site = await startSite();
    project = site.project;
    const device = await site.device('dev-1', 'EX-1');
    for (let hour = 1; hour <= 8; hour++) await drive(site, device, site.time.ms - (20 - hour) * HOUR_MS, 1_200);
    before = await all(site);
    await cp(site.folder, old.path, { recursive: true });
  }
  makeSegmentsOld(old.path);
  const left = await killAndCheck(old.path, folder.path, async (of) => {
    assert.deepEqual(await all({ ...of, project }), before);
    const stored = await segments({ ...of, project });
    assert.equal(
      stored.reduce((sum, { data }) => sum + data.samples, 0),
      8 * 1_200 * 2,
      'no sample is stored twice',
    );
    return stored.filter(({ data }) => data.sealed_hour === undefined).length;
  });
  assert.ok(new Set(left).size > 1, `open segments after each kill: ${left.join()}`);
});
