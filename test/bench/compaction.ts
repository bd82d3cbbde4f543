/**
 * What the compaction of one hour of history writes to the disk: `node test/bench/compaction.ts [MACHINES] [MINUTES]` (50 and 60 unless told)
 *
 * The frames of the simulated site go through ingest into a real store, with a clock of its own. Then the hour ends, and the compaction runs
 * until nothing is left to seal. The bench prints the bytes that this process wrote meanwhile, checkpoints included, and the delay of the
 * event loop. The gateway seals at most once a second; the bench does not wait between two commits.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as breathe } from 'node:timers/promises';
import { encodeBinary } from '#codec/can-binary.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { fleetOf } from '#simulator/fleet.ts';
import { createSite } from '#simulator/site.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { startSite } from '#test/ingest/support.ts';
import { writtenBytes } from './gateway-process.ts';

const MACHINES = Number(process.argv[2] ?? 50);
const MINUTES = Number(process.argv[3] ?? 60);
const STEP_MS = 10_000;
const HOUR_MS = 3_600_000;

await using site = await startSite();
site.time.ms = Math.ceil(site.time.ms / HOUR_MS) * HOUR_MS + HOUR_MS - MINUTES * 60_000;
const roster = fleetOf(1, MACHINES);
const quarry = createSite({
  seed: 1,
  start_ms: site.time.ms,
  roster,
  zone_ms: 10 * HOUR_MS - (site.time.ms % (24 * HOUR_MS)),
});
const devices = [];
for (const { unit } of roster) devices.push(await site.device(`logger-${unit}`, unit));
const batches = roster.map(() => new FrameBatch(4096));
const MB = (bytes: number): string => (bytes / 1e6).toFixed(1);

let seq = 0;
let before = writtenBytes(process.pid);
const end = site.time.ms + MINUTES * 60_000;
while (site.time.ms < end) {
  const sent: Promise<unknown>[] = [];
  for (const batch of batches) batch.clear();
  quarry.advance(site.time.ms + STEP_MS, batches, 1000);
  site.time.pass(STEP_MS);
  for (const [k, device] of devices.entries()) {
    const batch = batches[k] as FrameBatch;
    if (batch.count > 0) sent.push(site.send(device, 'can', encodeBinary(batch, seq++)));
  }
  await Promise.all(sent);
  await site.settle();
}
site.time.pass(120_000);
await site.stored();
console.log(`${MINUTES} minutes of ${MACHINES} machines: ${MB(writtenBytes(process.pid) - before)} MB written`);

site.time.pass(HOUR_MS);
await site.store.compact();
before = writtenBytes(process.pid);
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
let calls = 0;
for (let some = 1; some > 0; replaced += some) {
  some = await compaction.run();
  calls++;
  await breathe();
}
delay.disable();
const written = writtenBytes(process.pid) - before;
const { user, system } = process.cpuUsage(cpu);
console.log(
  `${replaced} open segments sealed in ${calls} calls and ${((user + system) / 1e6).toFixed(1)} s of processor time: ${MB(written)} MB written, ${MB(written * 24)} MB in 24 such hours; event loop p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, longest ${(delay.max / 1e6).toFixed(1)} ms`,
);
