/** Samples of history have an end, and what was deleted is counted in the same commit. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '#contract/base/limits.ts';
import type { HistoryRemoved } from '#contract/fleet/history.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { createHistorySweep } from '#sweeps/history-sweep.ts';
import { type Site, startSite } from '#test/ingest/support.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { addMachine, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { daysOfSamples } from './days-of-samples.ts';

const DAY_MS = 86_400_000;
const DAYS = LIMITS.history_days.value;
/** A segment with so many samples is stored at once. */
const FULL = 4_096;
const CHILD = join(import.meta.dirname, 'history-sweep-child.ts');

type Options = Parameters<typeof createHistorySweep>[0];

const sweepOf = (site: Site, more: Partial<Options> = {}) =>
  createHistorySweep({
    store: site.store,
    clock: () => site.time.ms,
    agesKnown: () => true,
    days: DAYS,
    rollupDays: DAYS,
    bytes: null,
    disk: () => null,
    ...more,
  });

/** Calls a sweep until it finds nothing to delete; the number of segments of each call. */
async function sweepAll(site: Site, more: Partial<Options> = {}): Promise<number[]> {
  const sweep = sweepOf(site, more);
  const removed: number[] = [];
  do removed.push(await sweep.run());
  while (removed.at(-1) !== 0);
  return removed;
}

/** Stores one sample a day of the `days` days before a time, each in a segment of its own. */
async function store(site: Site, device: DeviceIdentity, days: number, until = site.time.ms): Promise<void> {
  await site.send(device, 'telemetry', daysOfSamples(until, days));
  await site.settle();
  site.time.pass(120_000);
  await site.stored();
}

const segmentsOf = async (site: Site, unit: string) => {
  const where = { 'data.equipment_id': site.machine(unit) };
  return (await site.store.view(site.project).find('telemetry', { object: 'segment', where, limit: 1_000 })).length;
};
const historyFrom = async (site: Site, unit: string) =>
  (await site.call('equipment_get', { id: site.machine(unit) })).history_from;
const samplesOf = async (site: Site, unit: string) =>
  (await site.ingest.history(site.machine(unit), 'engine.hours', 0, site.time.ms)).t.length;

test('[Z25] segments are deleted 400 days after they were stored, 100 in a call, and never while ages are unknown', async () => {
  await using site = await startSite();
  const old = await site.device('old', 'T-1');
  const late = await site.device('late', 'T-2');
  const newest = site.time.ms;
  await store(site, old, 150);
  assert.equal(await segmentsOf(site, 'T-1'), 150);
  site.time.pass((DAYS - 1) * DAY_MS);
  assert.deepEqual(await sweepAll(site), [0]);
  assert.equal(await historyFrom(site, 'T-1'), null);

  // Samples that are older than all others, but that were stored today.
  await store(site, late, 30, newest - 200 * DAY_MS);
  site.time.pass(2 * DAY_MS);
  const head = async () => (await site.store.feed(site.project, 'telemetry', 0, 1_000)).entries.length;
  const before = await head();
  assert.deepEqual(await sweepAll(site, { agesKnown: () => false }), [0]);
  assert.deepEqual(await sweepAll(site), [100, 50, 0]);

  assert.equal(await samplesOf(site, 'T-1'), 0);
  assert.equal(await samplesOf(site, 'T-2'), 30);
  assert.equal(before - (await head()), 150, 'no tombstones');
  assert.equal(await historyFrom(site, 'T-1'), new Date(Math.floor(newest / 1000) * 1000).toISOString());
  assert.equal(await historyFrom(site, 'T-2'), null);
});

test('[Z25] a sweep with nothing to delete looks again after 600 calls', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'T-1');
  const sweep = sweepOf(site);
  assert.equal(await sweep.run(), 0);
  await store(site, device, 1);
  site.time.pass((DAYS + 1) * DAY_MS);
  for (let i = 0; i < 600; i++) assert.equal(await sweep.run(), 0);
  assert.equal(await sweep.run(), 1);
});

test('[Z25] a database that is too large loses the oldest segments, but none of the last 24 hours and none of other nodes', async () => {
  await using site = await startSite();
  const first = await site.device('first', 'T-1');
  const second = await site.device('second', 'T-2');
  await store(site, first, 150);
  await site.store.database.collections.telemetry.insert({
    id: 'seg_of_another_node',
    project_id: site.project,
    object: 'segment',
    hlc: '000000000000-0000-gw_other',
    origin: 'gw_other',
    origin_seq: 1,
    created_at: '2020-01-01T00:00:00.000Z',
    updated_at: '2020-01-01T00:00:00.000Z',
    revision: 1,
    data: { equipment_id: site.machine('T-1'), from_ms: 0, to_ms: 0, samples: 1, body: '' },
  });
  site.time.pass(2 * DAY_MS);
  await store(site, second, 20);

  const { used } = await site.store.size();
  assert.deepEqual(await sweepAll(site, { bytes: used }), [0], 'not larger than its limit');
  assert.deepEqual(await sweepAll(site, { bytes: used - 1 }), [100, 0], 'no more than needed');
  assert.deepEqual(await sweepAll(site, { bytes: 1, agesKnown: () => false }), [50, 0]);
  assert.equal(await segmentsOf(site, 'T-1'), 1, 'the segment of the other node');
  assert.equal(await segmentsOf(site, 'T-2'), 20);

  const full = sweepOf(site, { bytes: 1 });
  assert.deepEqual(full.problems(), []);
  assert.equal(await full.run(), 0);
  assert.deepEqual(
    full.problems().map(({ code, since }) => [code, since]),
    [['database_large', new Date(site.time.ms).toISOString()]],
  );

  const [record, ...more] = await site.store.view(site.project).find<HistoryRemoved>('local', {
    object: 'history_removed',
    limit: 10,
  });
  assert.deepEqual([record?.data.equipment_id, more.length], [site.machine('T-1'), 0]);
  assert.deepEqual(record?.data.early, { through: record?.data.through, samples: 150 });
  const report = await sweepOf(site, { disk: () => 1e12 }).report();
  assert.deepEqual([report.limit_bytes, report.days], [0.15e12, 400]);
  assert.deepEqual(
    [report.deleted.length, report.deleted[0]?.samples, report.deleted[0]?.early_samples],
    [1, 150, 150],
  );
  assert.equal((await sweepOf(site).report()).limit_bytes, null, 'the size of the disk is unknown');
});

/** Samples that are stored, and samples that were deleted according to the record of the machine. */
async function countSamples(opened: Store, project: string): Promise<{ stored: number; deleted: number }> {
  let stored = 0;
  for await (const { data } of walk<SegmentData>(opened.view(project), 'telemetry', { object: 'segment' }))
    stored += data.samples;
  const records = await opened.view(project).find<HistoryRemoved>('local', { object: 'history_removed', limit: 10 });
  return { stored, deleted: records.reduce((sum, { data }) => sum + data.samples, 0) };
}

test('[Z26] after kill -9 during the sweep each sample is stored or counted as deleted, never both or neither', async () => {
  using folder = temporaryFolder();
  let project = '';
  {
    await using site = await startSite();
    project = site.project;
    for (const unit of ['T-1', 'T-2']) await store(site, await site.device(`of-${unit}`, unit), 1_000);
    await cp(site.folder, folder.path, { recursive: true });
  }
  const counts: number[] = [];
  for (const calls of [1, 2, 3, 4, 5]) {
    const child = spawn(process.execPath, [CHILD, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
      // The child prints "+" before each call, so the kill comes before, during or after the commit of the last call.
      if (told.length >= calls) setTimeout(() => child.kill('SIGKILL'), 2 * calls);
    });
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
    const random = (n: number) => new Uint8Array(randomBytes(n));
    await using opened = await openStore({ folder: folder.path, clock: Date.now, random });
    const { stored, deleted } = await countSamples(opened, project);
    assert.equal(stored + deleted, 2_000);
    counts.push(deleted);
  }
  assert.ok(
    counts.some((deleted) => deleted > 0 && deleted < 2_000),
    `deleted: ${counts.join()}`,
  );
});

test('[Z26] a time series over deleted samples has no points there, and health and the machine name the deletion', async () => {
  using folder = temporaryFolder();
  const start = Math.floor(Date.now() / 60_000) * 60_000 - 3 * 3_600_000;
  const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
  const points = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      observed_at: at(from + i),
      values: { 'engine.hours': 1_000 + (from + i) / 3_600 },
    }));
  const read = async (http: string, project: string) => {
    const path = `Fleet/Equipment/ID/HT-1/CumulativeOperatingHours/${at(0)}/${at(6_000)}`;
    const headers = { authorization: `Bearer ${OWNER_KEY}`, accept: 'application/json', 'project-id': project };
    const answer = await fetch(`${http}/aemp/v2/${path}`, { headers });
    return ((await answer.json()) as { CumulativeOperatingHours: unknown[] }).CumulativeOperatingHours;
  };
  let project = '';
  let machine: Awaited<ReturnType<typeof addMachine>>;
  {
    await using gateway = await startGateway(folder.path);
    project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
    const client = gateway.project(project);
    machine = await addMachine(client, 'HT-1');
    await client.call('devices_telemetry', { id: machine.device, points: points(0, FULL) });
    await eventually(
      () => read(gateway.node.http, project),
      (found) => found.length === Math.ceil(FULL / 60),
    );
    const { history } = await client.call('health_get', {});
    assert.deepEqual([history.days, history.deleted], [400, []]);
    assert.ok(history.database_bytes > 0 && (history.limit_bytes ?? 0) > 0);
  }
  {
    const clock = () => Date.now() + 401 * DAY_MS;
    await using opened = await openStore({ folder: folder.path, clock, random: (n) => new Uint8Array(randomBytes(n)) });
    const sweep = createHistorySweep({
      store: opened,
      clock,
      agesKnown: () => true,
      days: 400,
      rollupDays: 400,
      bytes: null,
      disk: () => 1,
    });
    assert.ok((await sweep.run()) > 0);
  }
  await using gateway = await startGateway(folder.path);
  const client = gateway.project(project);
  assert.deepEqual(await read(gateway.node.http, project), []);
  await client.call('devices_telemetry', { id: machine.device, points: points(4_800, 600) });
  // Ten minutes have a point each. The hour before them has none.
  await eventually(
    () => read(gateway.node.http, project),
    (found) => found.length === 10,
  );
  assert.equal((await client.call('equipment_get', { id: machine.equipment_id })).history_from, at(FULL - 1));
  const { history } = await client.call('health_get', {});
  assert.deepEqual(history.deleted, [
    {
      project_id: project,
      equipment_id: machine.equipment_id,
      through: at(FULL - 1),
      samples: FULL,
      early_through: null,
      early_samples: 0,
    },
  ]);
});
