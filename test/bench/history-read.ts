/**
 * How long a read of stored history takes: a chart of one signal over 1, 7 and 30 days, beside a table of SQLite with one row a sample, and
 * beside DuckDB over Parquet files if it is installed (see `duckdb.ts`).
 * Run: node test/bench/history-read.ts [days] [signals] [folder]   (30 and 29 unless told)
 * With a folder, the store stays there, and the next run with this folder does not build it again.
 * The store has one machine whose samples the compaction has sealed: 1 Hz, values of a slow random walk. Eleven more machines have copies of
 * its statistics, for the chart of 12 machines. The table has the samples of one signal only, with an index on the time, and the query returns
 * the same steps (lowest, highest, mean). The Parquet files have the samples of all signals, one file a day.
 * At the end, a gateway starts on the store, to measure how long it takes until it serves.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { minutesOfSamples } from '#domain/history/minutes.ts';
import { NO_ORIGIN } from '#domain/history/origins.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { openSegmentData } from '#domain/history/stored-segment.ts';
import { readTelemetry } from '#history/read-telemetry.ts';
import { openStore } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { noMemory } from '#test/ingest/no-memory.ts';
import { openParquet } from './duckdb.ts';
import { startGatewayProcess } from './gateway-process.ts';

const DAYS = Number(process.argv[2] ?? 30);
const SIGNALS = SIGNAL_NAMES.slice(0, Number(process.argv[3] ?? 29));
const HOUR_S = 3_600;
const DAY_S = 86_400;
const PROJECT = 'prj_bench';
const MACHINE = 'eq_bench';
const END_S = Math.floor(Date.UTC(2026, 5, 1) / 1000);
const ROUNDS = 7;
/** The last value of each signal. */
const now = new Map(SIGNALS.map((signal) => [signal, 800]));

const kept = process.argv[4];
const folder = kept ?? (await mkdtemp(join(tmpdir(), 'headframe-bench-')));
const isBuilt = existsSync(join(folder, 'rows.db'));
const START_S = END_S - DAYS * DAY_S;
let now_ms = (isBuilt ? END_S : START_S) * 1000;
const random = (n: number) => new Uint8Array(randomBytes(n));
const store = await openStore({ folder, clock: () => now_ms, random });
const parquet = await openParquet(join(folder, 'parquet'));
if (parquet === undefined) console.log('DuckDB is not installed; test/bench/duckdb.ts says how to install it');
if (!isBuilt) await build();
const table = new DatabaseSync(join(folder, 'rows.db'));
const sizes = { samples: 0, sampleBytes: 0, rows: 0, rowBytes: 0 };
for await (const { data } of walk<SegmentData>(store.view(PROJECT), 'telemetry', { object: 'segment' }, 100)) {
  sizes.samples += data.samples;
  sizes.sampleBytes += data.body.length;
}
for await (const { data } of walk<RollupData>(store.view(PROJECT), 'telemetry', { object: 'rollup' }, 100)) {
  sizes.rows += data.rows;
  sizes.rowBytes += data.body.length;
}
console.log(
  `${DAYS} days, ${SIGNALS.length} signals: ${(sizes.sampleBytes / sizes.samples).toFixed(3)} B a sample, ${(sizes.rowBytes / sizes.rows).toFixed(2)} B a row of the statistics`,
);
if (parquet !== undefined) console.log(`Parquet with zstd: ${(parquet.bytes() / sizes.samples).toFixed(3)} B a sample`);
const source = {
  view: store.view(PROJECT),
  equipment_id: MACHINE,
  ...noMemory(),
};
const steps = table.prepare(
  'SELECT t / ? * ? AS step, min(v), max(v), avg(v), count(*) FROM samples WHERE signal=? AND t>=? AND t<? GROUP BY step',
);
const WINDOWS = [1, 7, 30].filter((days) => days <= DAYS);
const LONGEST = WINDOWS.at(-1) as number;
for (const days of WINDOWS) {
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
  const duck = parquet && (await median(async () => void (await parquet.steps(signal, from_s, END_S, step_s))));
  const peers = `table of rows ${rows.toFixed(0)} ms${duck === undefined ? '' : `; DuckDB over Parquet ${duck.toFixed(0)} ms`}`;
  console.log(`${days} days of one signal (${read} samples): ${ours.toFixed(0)} ms; ${peers}`);
}
const range = {
  project_id: PROJECT,
  from_ms: (END_S - LONGEST * 86_400) * 1000,
  to_ms: END_S * 1000,
  now_ms: END_S * 1000,
};
const twelve = await median(async () => {
  for (let machine = 1; machine <= 12; machine++) {
    const equipment_id = machine === 1 ? MACHINE : `${MACHINE}_${machine}`;
    const query = { ...range, equipment_id, signals: SIGNALS.slice(0, 1), step_s: HOUR_S };
    await readTelemetry({ ...source, equipment_id }, query, Number.POSITIVE_INFINITY);
  }
});
const twelveDuck =
  parquet &&
  (await median(async () => {
    for (let machine = 1; machine <= 12; machine++)
      await parquet.steps(SIGNALS[0] as string, END_S - LONGEST * 86_400, END_S, HOUR_S);
  }));
console.log(
  `${LONGEST} days of one signal of 12 machines: ${twelve.toFixed(0)} ms${twelveDuck === undefined ? '' : `; DuckDB over Parquet ${twelveDuck.toFixed(0)} ms`}`,
);
table.close();
parquet?.close();
await store[Symbol.asyncDispose]();
{
  await using gateway = await startGatewayProcess(folder);
  console.log(`a gateway on this store of ${DAYS} days serves ${gateway.startMs} ms after its start`);
}
if (kept === undefined) await rm(folder, { recursive: true });

/** Stores all days of the machines, and the same samples in the table and in the Parquet files. */
async function build(): Promise<void> {
  const compaction = createHistoryCompaction({ store, clock: () => now_ms, breathe: () => breathe(), log: () => {} });
  const draft = join(folder, 'rows.db.new');
  const rows = new DatabaseSync(draft);
  rows.exec('CREATE TABLE samples (signal TEXT, t INTEGER, v REAL, PRIMARY KEY (signal, t)) WITHOUT ROWID');
  const insert = rows.prepare('INSERT INTO samples VALUES (?, ?, ?)');
  const origins = [{ ...NO_ORIGIN, device: 'dev_bench', bus: 1, sa: 0, pgn: 61_444, spn: 190 }];
  for (let day = START_S / DAY_S; day < END_S / DAY_S; day++) {
    const t = Array.from({ length: DAY_S }, (_, i) => day * DAY_S + i);
    const o = t.map(() => 0);
    const series = SIGNALS.map((signal) => ({ signal, t, o, v: t.map(() => walkOf(signal)) }));
    const data = openSegmentData(MACHINE, { series, minutes: series.map(minutesOfSamples), origins, raw: [] });
    now_ms = (day + 1) * DAY_S * 1000;
    await store
      .view(PROJECT)
      .commit([{ collection: 'telemetry', id: `seg_${day}`, object: 'segment', data: { ...data } }]);
    now_ms += 700_000;
    while ((await compaction.run()) === 0);
    rows.exec('BEGIN');
    const [first] = series;
    first?.t.forEach((second, i) => {
      insert.run(first.signal, second, first.v[i] as number);
    });
    rows.exec('COMMIT');
    await parquet?.write(`${day}.parquet`, series);
    await copyStatistics(day);
  }
  rows.close();
  await rename(draft, join(folder, 'rows.db'));
}

/** Stores the statistics of a day for eleven more machines, for a chart of twelve machines. */
async function copyStatistics(day: number): Promise<void> {
  const view = store.view(PROJECT);
  const where = { 'data.slot': `${MACHINE}/${day}` };
  const [rollup] = await view.find<RollupData>('telemetry', { object: 'rollup', where, limit: 1 });
  if (rollup === undefined) throw new Error(`the compaction made no statistics of day ${day}`);
  for (let machine = 2; machine <= 12; machine++) {
    const equipment_id = `${MACHINE}_${machine}`;
    const data = { ...rollup.data, equipment_id, slot: `${equipment_id}/${day}` };
    await view.commit([{ collection: 'telemetry', id: `rlp_${machine}_${day}`, object: 'rollup', data }]);
  }
}

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
