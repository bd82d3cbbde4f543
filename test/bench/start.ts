/**
 * How long a gateway with a past needs to be ready: `node test/bench/start.ts [MEGABYTES] [FOLDER]`, 1,000 unless told.
 *
 * Builds a folder of a site's documents through the store, with segments as ingest writes them, then starts a gateway on it: after a
 * clean stop and after kill -9, with the file in the page cache and without. A FOLDER stays: a run that finds less than MEGABYTES in
 * it builds them, for 5 minutes at most, the next one measures. Without one, what 5,000 MB would take is a line through an empty
 * folder and this one.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventData } from '#contract/base/event.ts';
import { makeId } from '#contract/base/ids.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Write } from '#contract/base/view.ts';
import { encodeSegment } from '#domain/history/segment-v1.ts';
import { openStore } from '#store/open-store.ts';
import { quantile, startGatewayProcess } from './gateway-process.ts';

const megabytes = Number(process.argv[2] ?? 1_000);
const kept = process.argv[3];
const BUILD_MS = 300_000;
const BAR_MB = 5_000;
const ROUNDS = 3;
const MACHINES = 50;
const PROJECT = 'prj_bench';
const SIGNALS: readonly SignalName[] = [
  'engine.speed',
  'engine.fuel_rate',
  'engine.coolant_temperature',
  'vehicle.speed',
  'fuel.level',
  'engine.hours',
];

const random = (n: number): Uint8Array => randomBytes(n);
const fileOf = (folder: string): string => join(folder, 'store', 'headframe.db');
const sizeOf = (folder: string): number => (existsSync(fileOf(folder)) ? statSync(fileOf(folder)).size : 0);

/** A minute of a machine, and the event that tells of it. */
function minute(machine: number, from_ms: number): Write[] {
  const t = Float64Array.from({ length: 60 }, (_, s) => (from_ms + s * 1000) * 1000);
  const series = SIGNALS.map((signal, k) => {
    let value = 100 * (k + 1);
    return { signal, t, v: Float64Array.from(t, () => (value += Math.round(Math.random() * 8 - 4) / 8)) };
  });
  const equipment_id = `eq_${machine}`;
  const segment = {
    equipment_id,
    device_id: null,
    from_ms,
    to_ms: from_ms + 59_000,
    samples: 60 * SIGNALS.length,
    body: encodeSegment(series),
  };
  const at = new Date(from_ms).toISOString();
  const event: EventData = {
    subject: { object: 'equipment', id: equipment_id },
    type: 'live_status_changed',
    occurred_at: at,
    source: 'gateway',
    source_event_id: null,
    actor: { type: 'device', id: `dev_${machine}`, name: null },
    data: { from: 'idle', to: 'running' },
    context: { run_id: null, device_id: `dev_${machine}`, media: [] },
  };
  return [
    { collection: 'telemetry', id: makeId('segment', from_ms, random(10)), object: 'segment', data: segment, at },
    { collection: 'events', id: makeId('event', from_ms, random(10)), object: 'event', data: { ...event }, at },
  ];
}

async function build(folder: string): Promise<{ documents: number; seconds: number }> {
  const from = performance.now();
  await using store = await openStore({ folder, clock: Date.now, random });
  const view = store.view(PROJECT);
  await view.commit(
    Array.from({ length: MACHINES }, (_, i) => ({
      collection: 'records' as const,
      id: `eq_${i}`,
      object: 'equipment',
      data: { unit_number: `HT-${i}`, name: '', status: 'available', kind: null },
    })),
  );
  let time = Date.parse('2026-01-01T00:00:00Z');
  let documents = 0;
  while (sizeOf(folder) < megabytes * 1e6 && performance.now() - from < BUILD_MS) {
    const writes: Write[] = [];
    for (let i = 0; i < 9; i++, time += 60_000)
      for (let machine = 0; machine < MACHINES; machine++) writes.push(...minute(machine, time));
    documents += (await view.commit(writes)).length;
  }
  return { documents, seconds: Math.round((performance.now() - from) / 1000) };
}

/** Forgets the pages of the file that the system keeps in memory; false where dd cannot. */
function forget(folder: string): boolean {
  return spawnSync('dd', [`if=${fileOf(folder)}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' }).status === 0;
}

/** Median time to readiness over some starts that all follow this kind of end. */
async function measure(folder: string, end: 'stop' | 'kill', cold: boolean): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    if (cold && !forget(folder)) return Number.NaN;
    const gateway = await startGatewayProcess(folder);
    // The first follows the end of another kind.
    if (round > 0) times.push(gateway.startMs);
    if (end === 'stop') await gateway[Symbol.asyncDispose]();
    else await gateway.kill();
  }
  return quantile(
    times.sort((a, b) => a - b),
    0.5,
  );
}

async function starts(folder: string) {
  return {
    'clean, cached': await measure(folder, 'stop', false),
    'clean, cold': await measure(folder, 'stop', true),
    'killed, cached': await measure(folder, 'kill', false),
    'killed, cold': await measure(folder, 'kill', true),
  };
}

const folder = kept ?? mkdtempSync(join(tmpdir(), 'headframe-bench-'));
const empty = mkdtempSync(join(tmpdir(), 'headframe-bench-'));
try {
  if (sizeOf(folder) < megabytes * 1e6) {
    const { documents, seconds } = await build(folder);
    process.stdout.write(`${documents} documents in ${seconds} s, now ${Math.round(sizeOf(folder) / 1e6)} MB\n`);
    if (kept !== undefined) process.exit(0);
  }
  const size = sizeOf(folder) / 1e6;
  process.stdout.write('milliseconds to readiness\n');
  const none = await starts(empty);
  const full = await starts(folder);
  console.table(
    Object.fromEntries(
      Object.entries(none).map(([how, before]) => {
        const now = full[how as keyof typeof full];
        const line = Math.round(before + Math.max(0, now - before) * (BAR_MB / size));
        return [how, { empty: before, [`${Math.round(size)} MB`]: now, [`${BAR_MB} MB (line)`]: line }];
      }),
    ),
  );
} finally {
  for (const one of kept === undefined ? [folder, empty] : [empty]) rmSync(one, { recursive: true, force: true });
}
