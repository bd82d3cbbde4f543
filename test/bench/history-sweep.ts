/**
 * What the deletion of old history costs: time of a call of the sweep, delay of the event loop, and size of the write-ahead log.
 * Run: node test/bench/history-sweep.ts [segments] [calls]   (200000 and 300 unless told)
 * The store has segments of 50 machines with 1,800 samples each, as 30 signals at 1 Hz make them in a minute. Their bytes are random: the
 * sweep does not decode them.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { makeId } from '#contract/base/ids.ts';
import { openStore } from '#store/open-store.ts';
import { createHistorySweep } from '#sweeps/history-sweep.ts';

const SEGMENTS = Number(process.argv[2] ?? 200_000);
const CALLS = Number(process.argv[3] ?? 300);
const MACHINES = 50;
const SAMPLES = 1_800;
/** Measured on a simulated site: bytes of one sample in a segment, before base64. */
const SAMPLE_BYTES = 3.5;
/** Pause between two calls; the gateway pauses for a second. */
const PAUSE_MS = 50;

const folder = await mkdtemp(join(tmpdir(), 'headframe-bench-'));
let now = Date.UTC(2026, 0, 1);
const random = (n: number): Uint8Array => randomBytes(n);
const store = await openStore({ folder, clock: () => now, random });
const view = store.view('prj_bench');
const logBytes = async (): Promise<number> => (await stat(join(folder, 'store', 'headframe.db-wal'))).size;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

for (let i = 0; i < SEGMENTS; i += MACHINES) {
  now += 60_000;
  await view.commit(Array.from({ length: MACHINES }, (_, machine) => segmentOf(machine)));
}
console.log(
  `${SEGMENTS} segments, database ${megabytes((await store.size()).used)}, log ${megabytes(await logBytes())}`,
);

now += 401 * 86_400_000;
const sweep = createHistorySweep({
  store,
  clock: () => now,
  agesKnown: () => true,
  days: 400,
  rollupDays: 400,
  percent: 60,
  rollupPercent: 10,
  bytes: null,
  disk: () => null,
});
const delay = monitorEventLoopDelay({ resolution: 1 });
const took: number[] = [];
let deleted = 0;
let largest = 0;
await pause(1_000);
delay.enable();
for (let i = 0; i < CALLS; i++) {
  const start = performance.now();
  deleted += await sweep.run();
  took.push(performance.now() - start);
  largest = Math.max(largest, await logBytes());
  await pause(PAUSE_MS);
}
delay.disable();
took.sort((a, b) => a - b);
const at = (share: number): string => `${took[Math.floor(share * (took.length - 1))]?.toFixed(1)} ms`;
console.log(`${deleted} segments deleted in ${CALLS} calls: p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`);
console.log(
  `event loop: p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, longest ${(delay.max / 1e6).toFixed(1)} ms`,
);
console.log(`log ${megabytes(largest)} at most, database ${megabytes((await store.size()).used)}`);
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true });

function segmentOf(machine: number) {
  const data = {
    equipment_id: `eq_${machine}`,
    device_id: null,
    from_ms: now - 60_000,
    to_ms: now,
    slot: `eq_${machine}/${Math.floor(now / 86_400_000)}`,
    samples: SAMPLES,
    body: new Uint8Array(randomBytes(SAMPLES * SAMPLE_BYTES)),
  };
  return { collection: 'telemetry', id: makeId('segment', now, random(10)), object: 'segment', data } as const;
}
