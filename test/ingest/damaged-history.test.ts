/** Bytes of sealed history that change on the disk, with no backup that could repair them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { SignalName } from '#contract/base/signals.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { createHistorySweep } from '#sweeps/history-sweep.ts';
import { type Site, startSite } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Changes a byte in the middle of the bytes of a stored document. */
function damage(site: Site, id: string): void {
  using raw = new DatabaseSync(join(site.folder, 'store/headframe.db'));
  const found = raw.prepare('SELECT body FROM telemetry_0 WHERE id = ?').get(id) as { body: Uint8Array };
  const body = found.body.slice();
  const middle = body.length >> 1;
  body[middle] = (body[middle] as number) ^ 0xff;
  raw.prepare('UPDATE telemetry_0 SET body = ? WHERE id = ?').run(body, id);
}

const sealAll = async (site: Site) => {
  const options = { store: site.store, clock: () => site.time.ms, breathe: async () => {}, log: () => {} };
  const compaction = createHistoryCompaction(options);
  while ((await compaction.run()) > 0);
};

test('[S55] [A800] damaged sealed history is a gap of the read and is never shown; health, the other hours and the deletion by age go on', async () => {
  await using site = await startSite();
  const device = await site.device('logger', 'T-1');
  const start = Math.floor(site.time.ms / DAY_MS) * DAY_MS;
  site.time.ms = start + 6 * HOUR_MS;
  const send = async (hour: number) => {
    const points = Array.from({ length: 600 }, (_, i) => ({
      observed_at: new Date(start + hour * HOUR_MS + i * 1_000).toISOString(),
      values: { 'engine.speed': 1_000 + hour },
    }));
    await site.send(device, 'telemetry', JSON.stringify({ points }));
    await site.settle();
    site.time.pass(120_000);
    await site.stored();
    site.time.pass(600_000);
    await sealAll(site);
  };
  for (const hour of [1, 2, 3]) await send(hour);
  const listed = (object: 'segment' | 'rollup') =>
    site.store.view(site.project).find('telemetry', { object, order: 'asc', limit: 10 });
  const segments = await listed('segment');
  assert.equal(segments.length, 3);
  const read = async (step_s: number | null) => {
    const signals: SignalName[] = ['engine.speed'];
    const range = { equipment_id: site.machine('T-1'), from_ms: start, to_ms: start + 5 * HOUR_MS };
    const of = { project_id: site.project, ...range, signals, step_s, now_ms: site.time.ms };
    const { unreadable, series } = await site.ingest.readTelemetry(of);
    return { unreadable, samples: series[0]?.samples, gaps: series[0]?.gaps ?? [], values: series[0]?.value ?? [] };
  };
  const before = await read(null);
  assert.deepEqual([before.unreadable, before.samples], [0, 1_800]);

  damage(site, segments[1]?.id ?? '');
  const raw = await read(null);
  assert.deepEqual([raw.unreadable, raw.samples], [1, 1_200]);
  assert.deepEqual([...new Set(raw.values)], [1_001, 1_003], 'nothing of the damaged hour');
  const damaged = start + 2 * HOUR_MS;
  assert.ok(!before.gaps.some(({ from, to }) => from <= damaged && to > damaged));
  assert.ok(
    raw.gaps.some(({ from, to }) => from <= damaged && to >= damaged + 600_000),
    'the damaged hour is a gap',
  );
  assert.equal((await read(60)).samples, 1_800, 'the statistics of minutes are intact');

  // Without the statistics, minutes come from the samples.
  damage(site, (await listed('rollup'))[0]?.id ?? '');
  const minutes = await read(60);
  assert.ok(minutes.unreadable > 0);
  assert.equal(minutes.samples, 1_200);

  assert.deepEqual(
    site.store.problems().map(({ code }) => code),
    ['documents_damaged'],
  );
  await send(2);
  assert.ok(
    (await listed('segment')).some(({ id }) => id === segments[1]?.id),
    'the damaged segment stays',
  );

  const sweep = createHistorySweep({
    store: site.store,
    clock: () => site.time.ms,
    agesKnown: () => true,
    days: 30,
    rollupDays: 30,
    percent: 60,
    rollupPercent: 10,
    bytes: null,
    disk: () => null,
  });
  assert.equal((await sweep.report()).limits.length, 2);
  site.time.pass(31 * DAY_MS);
  while ((await sweep.run()) > 0);
  assert.deepEqual([await listed('segment'), await listed('rollup')], [[], []]);
});
