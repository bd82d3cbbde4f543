/**
 * How long a read of stored history takes: a chart of one signal over 1, 7 and 30 days, beside a table of SQLite with one row a sample.
 * Run: node test/bench/history-read.ts [days] [signals]   (30 and 29 unless told)
 * The store has one machine with all samples in sealed segments, as the compaction makes them: 1 Hz, values of a slow random walk. The table
 * has the samples of one signal only, with an index on the time, and the query returns the same steps (lowest, highest, mean).
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NO_ORIGIN } from '#domain/history/origins.ts';
import { sealSegment } from '#domain/history/segment.ts';
import { sealedSegmentData } from '#domain/history/stored-segment.ts';
import { readTelemetry } from '#history/read-telemetry.ts';
import { openStore } from '#store/open-store.ts';
import { noMemory } from '#test/ingest/no-memory.ts';

const DAYS = Number(process.argv[2] ?? 30);
const SIGNALS = SIGNAL_NAMES.slice(0, Number(process.argv[3] ?? 29));
const HOUR_S = 3_600;
const PROJECT = 'prj_bench';
const MACHINE = 'eq_bench';
const END_S = Math.floor(Date.UTC(2026, 5, 1) / 1000);
const ROUNDS = 7;

const folder = await mkdtemp(join(tmpdir(), 'headframe-bench-'));
const store = await openStore({ folder, clock: Date.now, random: (n) => new Uint8Array(randomBytes(n)) });
const table = new DatabaseSync(join(folder, 'rows.db'));
table.exec(
  'PRAGMA journal_mode=WAL; CREATE TABLE samples (signal TEXT, t INTEGER, v REAL, PRIMARY KEY (signal, t)) WITHOUT ROWID',
);
const insert = table.prepare('INSERT INTO samples VALUES (?, ?, ?)');
const origins = [{ ...NO_ORIGIN, device: 'dev_bench', bus: 1, sa: 0, pgn: 61_444, spn: 190 }];
const now = new Map(SIGNALS.map((signal) => [signal, 800]));
let bytes = 0;
for (let hour = END_S / HOUR_S - DAYS * 24; hour < END_S / HOUR_S; hour++) {
  const t = Array.from({ length: HOUR_S }, (_, i) => hour * HOUR_S + i);
  const o = t.map(() => 0);
  const series = SIGNALS.map((signal) => ({ signal, t, o, v: t.map(() => walkOf(signal)) }));
  const body = await sealSegment({ series, origins, raw: [] }, async () => {});
  bytes += body.length;
  const of = { equipment_id: MACHINE, hour, generation: 1, supersedes: null };
  const { id, data } = sealedSegmentData(of, series, body);
  await store.view(PROJECT).commit([{ collection: 'telemetry', id, object: 'segment', data: { ...data } }]);
  table.exec('BEGIN');
  const [first] = series;
  first?.t.forEach((second, i) => {
    insert.run(first.signal, second, first.v[i] as number);
  });
  table.exec('COMMIT');
}
console.log(
  `${DAYS} days, ${SIGNALS.length} signals, ${(bytes / (DAYS * 86_400 * SIGNALS.length)).toFixed(3)} B a sample`,
);

const source = {
  view: store.view(PROJECT),
  equipment_id: MACHINE,
  ...noMemory(),
};
const steps = table.prepare(
  'SELECT t / ? * ? AS step, min(v), max(v), avg(v), count(*) FROM samples WHERE signal=? AND t>=? AND t<? GROUP BY step',
);
for (const days of [1, 7, DAYS]) {
  const step_s = days > 7 ? HOUR_S : days > 1 ? 900 : 300;
  const from_s = END_S - days * 86_400;
  const query = { project_id: PROJECT, equipment_id: MACHINE, from_ms: from_s * 1000, to_ms: END_S * 1000 };
  const signals = SIGNALS.slice(0, 1);
  const signal = signals[0] as SignalName;
  let read = 0;
  const ours = await median(async () => {
    const found = await readTelemetry(
      source,
      { ...query, signals, step_s, now_ms: END_S * 1000 },
      Number.POSITIVE_INFINITY,
    );
    read = found.series[0]?.samples ?? 0;
  });
  const rows = await median(async () => void steps.all(step_s, step_s, signal, from_s, END_S));
  console.log(
    `${days} days of one signal (${read} samples): ${ours.toFixed(0)} ms; table of rows ${rows.toFixed(0)} ms`,
  );
}
table.close();
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true });

function walkOf(signal: SignalName): number {
  const next = (now.get(signal) as number) + Math.round((Math.random() - 0.5) * 4) / 8;
  now.set(signal, next);
  return next;
}

async function median(run: () => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    await breathe();
    const start = performance.now();
    await run();
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b)[ROUNDS >> 1] as number;
}
