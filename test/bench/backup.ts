/**
 * The bytes that the daily backup writes, and what a copy of the whole database would write.
 * Run: node test/bench/backup.ts [days] [machines]   (30 and 10 unless told)
 * The store has the sealed segments and rollups of all days, with bodies of random bytes in the size that the simulated site has
 * (test/bench/history-size.ts), and 2,000 other documents for each machine. On each of the next three days the store gets a day of history,
 * the segments that are 30 days old are deleted, and a backup is made. One more backup follows at once, with nothing new.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeId } from '#contract/base/ids.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import { startBackups } from '#store/file/backup.ts';
import { openStore } from '#store/open-store.ts';

const DAYS = Number(process.argv[2] ?? 30);
const MACHINES = Number(process.argv[3] ?? 10);
const DAY_MS = 86_400_000;
const HOURS = 24;
/** Bytes of the body of a segment of an hour and of a rollup of a day. */
const SEGMENT_BYTES = 31_000;
const ROLLUP_BYTES = 120_000;
const OTHERS = 2_000;

const folder = await mkdtemp(join(tmpdir(), 'headframe-bench-'));
let now = Date.UTC(2026, 0, 1);
const store = await openStore({ folder, clock: () => now, random: (n) => randomBytes(n) });
const project_id = 'prj_bench';
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const machines = Array.from({ length: MACHINES }, (_, i) => makeId('equipment', now, randomBytes(10).fill(i)));
const days: string[][] = [];

function documentOf(equipment_id: string, hour: number | undefined): ProjectWrite {
  const object = hour === undefined ? 'rollup' : 'segment';
  const body = new Uint8Array(randomBytes(hour === undefined ? ROLLUP_BYTES : SEGMENT_BYTES));
  const seal = { generation: 1, supersedes: null, sha256: randomBytes(32).toString('hex') };
  const slot = `${equipment_id}/${Math.floor(now / DAY_MS)}`;
  const common = { equipment_id, device_id: null, from_ms: now, to_ms: now + 3_599_000, slot, body, seal };
  const data = { ...common, ...(hour === undefined ? { rows: 41_000 } : { sealed_hour: hour, samples: 86_700 }) };
  return { collection: 'telemetry', id: `${object}_${randomBytes(16).toString('hex')}`, object, project_id, data };
}

async function addDay(): Promise<void> {
  const segments: string[] = [];
  for (const machine of machines) {
    const hours = Array.from({ length: HOURS }, (_, i) => documentOf(machine, Math.floor(now / 3_600_000) + i));
    segments.push(...hours.map(({ id }) => id));
    await store.commit([...hours, documentOf(machine, undefined)]);
  }
  days.push(segments);
  now += DAY_MS;
}

for (let day = 0; day < DAYS; day++) await addDay();
for (let i = 0; i < MACHINES * OTHERS; i += 500)
  await store.commit(
    Array.from({ length: 500 }, (_, n) => ({
      collection: 'events' as const,
      id: `event_${i + n}`,
      object: 'event',
      project_id,
      data: { type: 'note', subject: { id: machines[0] }, text: 'x'.repeat(200) },
    })),
  );
let made = { bytes: 0, sealed: 0, written: 0 };
await using backups = startBackups({
  folder,
  clock: () => now,
  log: (_level, message, data) => {
    if (message === 'a backup was made and inspected') made = data as typeof made;
  },
});

async function backUp(what: string): Promise<void> {
  const start = performance.now();
  await backups.now();
  const whole = (await store.size()).used;
  console.log(
    `${what}: ${megabytes(made.bytes)} written (${made.written} of ${made.sealed} sealed documents) in ${((performance.now() - start) / 1000).toFixed(1)} s; the whole database has ${megabytes(whole)}: ${(whole / made.bytes).toFixed(0)} times as much`,
  );
}

await backUp(`first backup, ${DAYS} days of ${MACHINES} machines`);
for (let day = 1; day <= 3; day++) {
  await addDay();
  const gone = days.shift() ?? [];
  for (let i = 0; i < gone.length; i += 100) await store.erase('telemetry', gone.slice(i, i + 100));
  await backUp(`day ${day}`);
}
now += 1_000;
await backUp('nothing new');
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });
