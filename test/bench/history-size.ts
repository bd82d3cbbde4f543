/**
 * What a stored sample of history takes on disk, before and after its hour is sealed, on the simulated site.
 * Run: node test/bench/history-size.ts [hours] [machines]   (2 and 6 unless told)
 * The frames of the site go through ingest into a real store. "On disk" are the pages of the table of segments and of its indexes, with
 * everything that is in them: ids, envelope, origins and checksums. The tables are measured with the dbstat table of SQLite.
 */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { encodeBinary } from '#codec/can-binary.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { createSite } from '#simulator/site.ts';
import { walk } from '#store/walk.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { startSite } from '#test/ingest/support.ts';

const HOURS = Number(process.argv[2] ?? 2);
const MACHINES = Number(process.argv[3] ?? 6);
const STEP_MS = 10_000;
const HOUR_MS = 3_600_000;

await using site = await startSite();
site.time.ms = Math.ceil(site.time.ms / HOUR_MS) * HOUR_MS;
const quarry = createSite({ seed: 7, start_ms: site.time.ms });
const units = quarry.roster.slice(0, MACHINES);
const devices = [];
for (const { unit } of units) devices.push(await site.device(`logger-${unit}`, unit));
const batches = quarry.roster.map(() => new FrameBatch(4096));
let seq = 0;
const end = site.time.ms + HOURS * HOUR_MS;
while (site.time.ms < end) {
  for (const batch of batches) batch.clear();
  quarry.advance(site.time.ms + STEP_MS, batches);
  site.time.pass(STEP_MS);
  for (const [i, device] of devices.entries()) {
    const batch = batches[i] as FrameBatch;
    if (batch.count > 0) await site.send(device, 'can', encodeBinary(batch, seq++));
  }
  await site.settle();
}
site.time.pass(120_000);
await site.stored();
await report('open');

site.time.pass(HOUR_MS);
const cpu = process.cpuUsage();
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const compaction = createHistoryCompaction({
  store: site.store,
  clock: () => site.time.ms,
  breathe: () => breathe(),
  log: () => {},
});
let replaced = 0;
for (let some = 1; some > 0; replaced += some) {
  some = await compaction.run();
  await breathe();
}
delay.disable();
const { user, system } = process.cpuUsage(cpu);
console.log(
  `${replaced} open segments sealed in ${((user + system) / 1e6).toFixed(1)} s of processor time; event loop p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, longest ${(delay.max / 1e6).toFixed(1)} ms`,
);
await report('sealed');

/** Prints what the segments take. */
async function report(what: string): Promise<void> {
  let segments = 0;
  let samples = 0;
  let body = 0;
  const found = walk<SegmentData>(site.store.view(site.project), 'telemetry', { object: 'segment' }, 100);
  for await (const { data } of found) {
    segments++;
    samples += data.samples;
    body += (data.body.length * 3) / 4;
  }
  let rows = 0;
  let rollups = 0;
  let rollupBytes = 0;
  for await (const { data } of walk<RollupData>(
    site.store.view(site.project),
    'telemetry',
    { object: 'rollup' },
    100,
  )) {
    rollups++;
    rows += data.rows;
    rollupBytes += (data.body.length * 3) / 4;
  }
  await site.store.compact();
  const db = new DatabaseSync(join(site.folder, 'store/headframe.db'), { readOnly: true });
  const row = db
    .prepare("SELECT sum(payload) AS payload, sum(pgsize) AS pages FROM dbstat WHERE name LIKE '%telemetry%'")
    .get();
  db.close();
  const per = (bytes: number) => `${(bytes / samples).toFixed(3)} B a sample`;
  if (rows > 0)
    console.log(`${what}: ${rollups} rollups, ${rows} rows; body ${(rollupBytes / rows).toFixed(2)} B a row`);
  console.log(
    `${what}: ${segments} segments, ${samples} samples; body ${per(body)}, on disk ${per(Number(row?.pages))} (rows and indexes ${per(Number(row?.payload))})`,
  );
}
