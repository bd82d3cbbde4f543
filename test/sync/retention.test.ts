/** Deletion by age beside the replication: what head office has is no gap, and what it does not have waits. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { restoreDaily } from '#commands/custody.ts';
import { PREFIXES } from '#contract/base/ids.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { askRepair } from '#domain/sync/apply.ts';
import { startBackups } from '#store/file/backup.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { createHistorySweep } from '#sweeps/history-sweep.ts';
import { followBackups } from '#sync/office-backups.ts';
import { type Site, startSite } from '#test/ingest/support.ts';
import { settings, temporaryFolder } from '#test/store/kit.ts';
import { countAll, talk, verdictOf } from '#test/store/sync-kit.ts';

const DAY_MS = 86_400_000;
const DAYS = 10;

/** A site whose project takes part, and the store of head office. */
interface Ends extends AsyncDisposable {
  readonly site: Site;
  readonly cloud: Store;
  readonly device: DeviceIdentity;
  /** The data folder of head office. */
  readonly folder: string;
  /** Opens a data folder of head office. */
  readonly open: (folder: string) => Promise<Store>;
}

async function startEnds(): Promise<Ends> {
  await using opened = new AsyncDisposableStack();
  const site = opened.use(await startSite());
  const folder = opened.use(temporaryFolder()).path;
  const open = (of: string) =>
    openStore({ ...settings(of), role: 'cloud', random: randomBytes, clock: () => site.time.ms });
  const cloud = opened.use(await open(folder));
  for (const store of [site.store, cloud]) await store.sync.join(site.project);
  const device = await site.device('dev-1', 'EX-1');
  const resources = opened.move();
  return { site, cloud, device, folder, open, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** A machine works for a part of an hour, and its history is sealed; then some hours pass. */
async function work(site: Site, device: DeviceIdentity, hours: number): Promise<void> {
  const points = Array.from({ length: 5 }, (_, i) => ({
    observed_at: new Date(site.time.ms + i * 1_000).toISOString(),
    values: { 'engine.speed': 800 + i },
  }));
  await site.send(device, 'telemetry', JSON.stringify({ points }));
  await site.settle();
  site.time.pass(120_000);
  await site.stored();
  site.time.pass(600_000);
  const { store } = site;
  const compaction = createHistoryCompaction({
    ...{ store, clock: () => site.time.ms, breathe: async () => {}, log: () => {} },
  });
  while ((await compaction.run()) > 0) {
    // Each call seals some segments.
  }
  await countAll(store, site.project);
  site.time.pass(hours * 3_600_000 - 720_000);
}

/** Removes history that is older than 10 days; with `disk`, all but the last day. */
async function sweep(site: Site, disk: number | null = null): Promise<number> {
  const history = createHistorySweep({
    ...{ store: site.store, clock: () => site.time.ms, agesKnown: () => true },
    ...{ days: DAYS, rollupDays: 2 * DAYS, percent: 60, rollupPercent: 10, bytes: null, disk: () => disk },
  });
  let removed = 0;
  for (let some = -1; some !== 0; removed += some) some = await history.run();
  return removed;
}

async function historyOf(store: Store, project: string): Promise<{ hours: number[]; slots: string[] }> {
  const view = store.view(project);
  const hours: number[] = [];
  const slots: string[] = [];
  for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment' }, 100))
    if (data.sealed_hour !== undefined) hours.push(data.sealed_hour);
  for await (const { data } of walk<RollupData>(view, 'telemetry', { object: 'rollup' }, 100)) slots.push(data.slot);
  return { hours: hours.sort(), slots: slots.sort() };
}

const gapsOf = ({ store, project }: Site) => store.sync.run(project, (tx) => tx.gaps());

test('[Y30] [Y33] [Y35] a site that stores each day anew and removes old history is complete, and nothing comes back', async () => {
  await using ends = await startEnds();
  const { site, cloud, device } = ends;
  const { project } = site;
  let removed = 0;
  for (let day = 0; day < 40; day++) {
    for (let part = 0; part < 2; part++) {
      await work(site, device, 12);
      if (part === 1) await talk(site.store, cloud, project);
    }
    removed += await sweep(site);
  }
  await talk(site.store, cloud, project);
  assert.ok(removed > 0);
  assert.deepEqual(await gapsOf(site), []);
  assert.equal(await verdictOf(site.store, cloud, project), 'complete');
  const [here, there] = [await historyOf(site.store, project), await historyOf(cloud, project)];
  assert.equal(there.hours.length, 40 * 2);
  assert.ok(here.hours.length < 40 * 2);
  // Head office has the statistics of each day once, so it does not count them twice.
  assert.deepEqual(there.slots, [...new Set(there.slots)]);
  await site.store.sync.run(project, askRepair);
  await talk(site.store, cloud, project);
  assert.deepEqual(await historyOf(site.store, project), here);
  assert.deepEqual(await historyOf(cloud, project), there);
  assert.equal(await verdictOf(site.store, cloud, project), 'complete');
});

test('[Y33] [Y34] history waits for head office; what a full disk removes before is named with its times', async () => {
  await using ends = await startEnds();
  const { site, cloud, device } = ends;
  const { project } = site;
  await work(site, device, 24);
  await talk(site.store, cloud, project);
  for (let day = 0; day < 40; day++) await work(site, device, 24);
  // Only the first day is at head office.
  assert.equal(await sweep(site), 2);
  assert.equal((await historyOf(site.store, project)).hours.length, 40);
  const from = site.time.ms;
  await sweep(site, 1_000);
  assert.ok((await historyOf(site.store, project)).hours.length <= 2);
  await talk(site.store, cloud, project);
  assert.equal(await verdictOf(site.store, cloud, project), 'declared_gap');
  const gaps = await gapsOf(site);
  const times = gaps.flatMap((gap) => [gap.from, gap.to].map((hlc) => Number.parseInt(hlc.slice(0, 12), 16))).sort();
  assert.ok((times[0] ?? 0) > from - 41 * DAY_MS && (times.at(-1) ?? 0) < from - DAY_MS / 2);
  const named = gaps.flatMap(({ items }) => Object.keys(items));
  const segments = named.filter((key) => key.startsWith(`telemetry/${PREFIXES.segment}_`));
  assert.equal(segments.length + (await historyOf(site.store, project)).hours.length, 40);
});

test('[Y33] [Y170] a site removes history that both backups of head office have, and an older one that is restored is noticed', async () => {
  await using ends = await startEnds();
  const { site, cloud, device, folder, open } = ends;
  const { project } = site;
  await using backups = startBackups({ folder, clock: () => site.time.ms, log: () => {}, isDaily: false });
  followBackups(backups, cloud.sync, () => site.store.nodeId);
  await talk(site.store, cloud, project);
  await backups.now();
  using older = temporaryFolder();
  cpSync(join(folder, 'backup'), join(older.path, 'backup'), { recursive: true });
  for (let day = 0; day < 12; day++) {
    await work(site, device, 24);
    await talk(site.store, cloud, project);
  }
  // The backup from before is one of the two that may be restored.
  await backups.now();
  await talk(site.store, cloud, project);
  assert.equal(await sweep(site), 0);
  await work(site, device, 24);
  await talk(site.store, cloud, project);
  await backups.now();
  await talk(site.store, cloud, project);
  const removed = await sweep(site);
  assert.ok(removed > 0);
  const here = (await historyOf(site.store, project)).hours;
  assert.equal(here.length, 13 - removed);
  await talk(site.store, cloud, project);
  assert.equal(await verdictOf(site.store, cloud, project), 'complete');
  assert.equal((await historyOf(cloud, project)).hours.length, 13);

  await backups[Symbol.asyncDispose]();
  await cloud[Symbol.asyncDispose]();
  const target = join(older.path, 'restored');
  await restoreDaily(join(older.path, 'backup'), target);
  await using restored = await open(target);
  for (let i = 0; i < 2; i++) await talk(site.store, restored, project);
  assert.deepEqual((await historyOf(restored, project)).hours, here);
  assert.equal(await verdictOf(site.store, restored, project), 'declared_gap');
  assert.ok((await gapsOf(site)).length > 0);
});
