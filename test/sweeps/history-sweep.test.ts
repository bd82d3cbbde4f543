/** Samples of history have an end, and what was deleted is counted in the same commit. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '#contract/base/limits.ts';
import type { HistoryRemoved } from '#contract/fleet/history.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import { createHistoryEnds } from '#handlers/base/history-ends.ts';
import { type FileStore, openStore, type Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { createHistorySweep } from '#sweeps/history-sweep.ts';
import { type Site, startSite } from '#test/ingest/support.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { addMachine, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { killsOf } from '#test/support/kills.ts';
import { daysOfSamples } from './days-of-samples.ts';

const DAY_MS = 86_400_000;
const DAYS = LIMITS.history_days.value;
/** A segment with so many samples is stored at once. */
const FULL = 4_096;
const CHILD = join(import.meta.dirname, 'history-sweep-child.ts');
const KILLS = killsOf(5);

type Options = Parameters<typeof createHistorySweep>[0];

const sweepOf = (site: Site, more: Partial<Options> = {}) =>
  createHistorySweep({
    store: site.store,
    clock: () => site.time.ms,
    agesKnown: () => true,
    days: DAYS,
    rollupDays: DAYS,
    percent: 60,
    rollupPercent: 10,
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

test('[Z25] segments are deleted 30 days after they were stored, 100 in a call, and never while ages are unknown', async () => {
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
  await (site.store as FileStore).database.collections.telemetry.insert({
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
  assert.deepEqual(await sweepAll(site, { bytes: used - 1 }), [100, 50, 0], 'the whole oldest day, of all machines');
  assert.deepEqual(await sweepAll(site, { bytes: 1, agesKnown: () => false }), [0]);
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
  assert.deepEqual([report.limit_bytes, report.days], [0.4e12, 30]);
  assert.deepEqual(
    [report.deleted.length, report.deleted[0]?.samples, report.deleted[0]?.early_samples],
    [1, 150, 150],
  );
  assert.equal((await sweepOf(site).report()).limit_bytes, null, 'the size of the disk is unknown');
});

const rangesOf = async (site: Site, unit: string) =>
  (
    await site.store.view(site.project).find<HistoryRemoved>('local', {
      object: 'history_removed',
      where: { 'data.equipment_id': site.machine(unit) },
      limit: 1,
    })
  )[0]?.data.ranges;
const bytesOf = (site: Site, kind: 'seg' | 'rlp') => site.store.bytesOf('telemetry', `${kind}_`);

test('[Z31] if samples use more than their share of the disk, all machines lose the same days, and a read names them', async () => {
  await using site = await startSite();
  const units = ['T-1', 'T-2', 'T-3'];
  const devices = await Promise.all(units.map((unit) => site.device(`of-${unit}`, unit)));
  // Six days are stored. The first machine stores ten times as much as the others.
  const starts: number[] = [];
  for (let day = 0; day < 6; day++) {
    site.time.ms = Math.ceil(site.time.ms / DAY_MS) * DAY_MS + 3_600_000;
    starts.push(site.time.ms);
    for (const [i, device] of devices.entries()) await store(site, device, i === 0 ? 40 : 4);
  }
  const all = await bytesOf(site, 'seg');
  // 60 % of the disk, of which half is for the backups.
  const disk = () => Math.ceil((all * 0.6) / 0.3);
  await sweepAll(site, { disk, bytes: 1e12, agesKnown: () => false });
  const left = await bytesOf(site, 'seg');
  assert.ok(left <= all * 0.6 && left > all * 0.4, `${left} of ${all}`);
  for (const unit of units) {
    const [oldest] = await site.store.view(site.project).find('telemetry', {
      object: 'segment',
      where: { 'data.equipment_id': site.machine(unit) },
      order: 'asc',
      limit: 1,
    });
    assert.equal(
      Math.floor(Date.parse(oldest?.created_at ?? '') / DAY_MS),
      Math.floor((starts[3] ?? 0) / DAY_MS),
      unit,
    );
    const ranges = await rangesOf(site, unit);
    assert.deepEqual(
      ranges?.map(({ what, because }) => [what, because]),
      [['samples', 'disk']],
    );
    const deleted_at = new Date(site.time.ms).toISOString();
    assert.deepEqual([ranges?.[0]?.first_deleted_at, ranges?.[0]?.deleted_at], [deleted_at, deleted_at]);
  }
  const ends = createHistoryEnds(site.store);
  assert.deepEqual(await ends.deleted(site.machine('T-2')), await rangesOf(site, 'T-2'));
  const { limits } = await sweepOf(site, { disk }).report();
  const [samples] = limits;
  assert.deepEqual([samples?.what, samples?.decides, samples?.days], ['samples', 'disk', 30]);
  assert.equal(samples?.note, 'History reaches back 2 days; the disk share is full.');
  const later = site.time.ms;
  site.time.pass(31 * DAY_MS);
  await sweepAll(site);
  assert.deepEqual(
    (await rangesOf(site, 'T-2'))?.map(({ because }) => because),
    ['disk', 'age'],
  );
  assert.ok(site.time.ms > later);
  assert.equal((await sweepOf(site, { disk }).report()).limits[0]?.note, null);
});

test('[Z31] after the clock is set back, samples that arrive now are kept, also if samples from the wrong time were deleted', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'T-1');
  const right = Math.ceil(site.time.ms / DAY_MS) * DAY_MS + 3_600_000;
  // The clock was nine days ahead for four days.
  for (let day = 0; day < 4; day++) {
    site.time.ms = right + (9 + day) * DAY_MS;
    await store(site, device, 40);
  }
  const all = await bytesOf(site, 'seg');
  const sweep = sweepOf(site, { disk: () => Math.ceil((all * 0.8) / 0.3), bytes: 1e12 });
  const before = await segmentsOf(site, 'T-1');
  while ((await sweep.run()) > 0);
  const kept = await segmentsOf(site, 'T-1');
  assert.ok(kept > 0 && kept < before, 'the oldest day was deleted');
  site.time.ms = right;
  await store(site, device, 10);
  const stored = await segmentsOf(site, 'T-1');
  assert.ok(stored > kept);
  /** The segments that were stored in the last 24 hours. */
  const freshOf = async () => {
    const since = new Date(site.time.ms - DAY_MS).toISOString();
    const until = new Date(site.time.ms).toISOString();
    const found = await site.store.view(site.project).find('telemetry', { object: 'segment', limit: 1_000 });
    return found.filter(({ created_at }) => created_at > since && created_at <= until).map(({ id }) => id);
  };
  const looks = async (times: number) => {
    for (let i = 0; i < times * 601; i++) await sweep.run();
  };
  await looks(2);
  assert.equal(await segmentsOf(site, 'T-1'), stored, 'the share is not exceeded');
  // Two days later these samples are not among those of the last 24 hours, and the share is still not exceeded.
  site.time.pass(2 * DAY_MS);
  await looks(2);
  assert.equal(await segmentsOf(site, 'T-1'), stored);
  // Now the share is exceeded.
  await store(site, device, 100);
  const now = await freshOf();
  assert.ok(now.length > 0);
  await looks(8);
  assert.deepEqual(await freshOf(), now);
});

test('[Z31] statistics of minutes have their own share of the disk, and their deletion is recorded', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'T-1');
  for (let day = 0; day < 4; day++) {
    site.time.ms = Math.ceil(site.time.ms / DAY_MS) * DAY_MS + 3_600_000;
    await store(site, device, 1);
    site.time.pass(3_600_000);
    const compaction = createHistoryCompaction({
      store: site.store,
      clock: () => site.time.ms,
      breathe: async () => {},
      log: () => {},
    });
    while ((await compaction.run()) > 0);
  }
  const rollups = await bytesOf(site, 'rlp');
  const samples = await bytesOf(site, 'seg');
  assert.ok(rollups > 0);
  await sweepAll(site, { disk: () => (rollups * 0.7) / 0.05, percent: 90, bytes: 1e12, agesKnown: () => false });
  assert.equal(await bytesOf(site, 'seg'), samples);
  const left = await bytesOf(site, 'rlp');
  assert.ok(left > 0 && left <= rollups * 0.7, `${left} of ${rollups}`);
  assert.deepEqual(
    (await rangesOf(site, 'T-1'))?.map(({ what, because }) => [what, because]),
    [['minutes', 'disk']],
  );
  assert.equal(await historyFrom(site, 'T-1'), null, 'no sample was deleted');
  assert.deepEqual((await sweepOf(site).report()).deleted, []);
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
  using undeleted = temporaryFolder();
  using folder = temporaryFolder();
  let project = '';
  {
    await using site = await startSite();
    project = site.project;
    for (const unit of ['T-1', 'T-2']) await store(site, await site.device(`of-${unit}`, unit), 1_000);
    await cp(site.folder, undeleted.path, { recursive: true });
  }
  const counts: number[] = [];
  for (let kills = 0, kill = 1; kills < KILLS; kill++) {
    if ((counts.at(-1) ?? 2_000) === 2_000) {
      await rm(folder.path, { recursive: true });
      await cp(undeleted.path, folder.path, { recursive: true });
    }
    const calls = 1 + (kill % 5);
    const child = spawn(process.execPath, [CHILD, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
      // The child prints "+" before each call, so the kill comes before, during or after the commit of the last call.
      if (told.length >= calls) setTimeout(() => child.kill('SIGKILL'), (2 * kill) % 11);
    });
    // If the child has deleted everything before the kill, it does not count as killed.
    if ((await once(child, 'exit'))[1] === 'SIGKILL') kills++;
    const random = (n: number) => new Uint8Array(randomBytes(n));
    await using opened = await openStore({ folder: folder.path, clock: Date.now, random });
    const { stored, deleted } = await countSamples(opened, project);
    assert.equal(stored + deleted, 2_000, `kill ${kill}: ${stored} stored, ${deleted} counted as deleted`);
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
    assert.deepEqual([history.days, history.deleted], [30, []]);
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
      percent: 60,
      rollupPercent: 10,
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
  const id = machine.equipment_id;
  const telemetry = await client.call('equipment_telemetry', {
    id,
    signals: ['engine.hours'],
    from: at(0),
    to: at(6_000),
  });
  assert.deepEqual(
    telemetry.deleted.map(({ what, because, to }) => [what, because, to]),
    [['samples', 'age', at(FULL - 1)]],
  );
  const after = await client.call('equipment_telemetry', {
    id,
    signals: ['engine.hours'],
    from: at(FULL),
    to: at(6_000),
  });
  assert.deepEqual(after.deleted, []);
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
