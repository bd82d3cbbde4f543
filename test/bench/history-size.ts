/**
 * What a stored sample of history takes on disk, before and after its hour is sealed, beside other ways to store the same samples.
 * Run: node test/bench/history-size.ts [hours] [machines]    the simulated site (2 and 6 unless told)
 *      node test/bench/history-size.ts [hours] recording     one machine; the recording 11111111, repeated
 * The frames go through ingest into a real store. "On disk" are the pages of the table of segments and rollups and of its indexes, with
 * everything that is in them: ids, envelope, origins and checksums. They are measured with the dbstat table of SQLite: all pages, and the
 * pages that stay when the rollups are deleted from a copy of the file. The peers store the same samples: JSON lines with machine, signal,
 * time and value; a table of SQLite with one row a sample; Parquet with zstd if DuckDB is installed (see `duckdb.ts`).
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { backup, DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { encodeBinary } from '#codec/can-binary.ts';
import { parseCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { createSite } from '#simulator/site.ts';
import { walk } from '#store/walk.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { startSite } from '#test/ingest/support.ts';
import { recording } from '#test/support/recordings.ts';
import { openParquet } from './duckdb.ts';

/** Where the frames come from: one batch for each machine. */
interface Source {
  readonly units: readonly string[];
  /** Fills the batches with the frames up to this time. The batches are empty before. */
  advance(to_ms: number, batches: FrameBatch[]): void;
}

const HOURS = Number(process.argv[2] ?? 2);
const STEP_MS = 10_000;
const SENDER_WINDOW = 8;
const HOUR_MS = 3_600_000;

await using site = await startSite();
site.time.ms = Math.ceil(site.time.ms / HOUR_MS) * HOUR_MS;
const view = site.store.view(site.project);
const source =
  process.argv[3] === 'recording' ? repeated(site.time.ms) : simulated(site.time.ms, Number(process.argv[3] ?? 6));
const devices = [];
for (const unit of source.units) devices.push(await site.device(`logger-${unit}`, unit));
const batches: FrameBatch[] = [];
let seq = 0;
const end = site.time.ms + HOURS * HOUR_MS;
while (site.time.ms < end) {
  const sent: Promise<unknown>[] = [];
  // The journal waits up to 80 ms for more messages. It does not wait once a sender has this many unacknowledged ones.
  for (let i = 0; i < SENDER_WINDOW && site.time.ms < end; i++) {
    for (const batch of batches) batch.clear();
    source.advance(site.time.ms + STEP_MS, batches);
    site.time.pass(STEP_MS);
    for (const [k, device] of devices.entries()) {
      const batch = batches[k] as FrameBatch;
      if (batch.count > 0) sent.push(site.send(device, 'can', encodeBinary(batch, seq++)));
    }
  }
  await Promise.all(sent);
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
await peers();

/** Prints what the segments and rollups take. */
async function report(what: string): Promise<void> {
  const segments = { documents: 0, units: 0, body: 0 };
  for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment' }, 100)) {
    segments.documents++;
    segments.units += data.samples;
    segments.body += data.body.length;
  }
  const rollups = { documents: 0, units: 0, body: 0 };
  for await (const { data } of walk<RollupData>(view, 'telemetry', { object: 'rollup' }, 100)) {
    rollups.documents++;
    rollups.units += data.rows;
    rollups.body += data.body.length;
  }
  const { all, rest } = await pages();
  const line = (name: string, unit: string, { documents, units, body }: typeof segments, onDisk: number): void =>
    console.log(
      `${what}: ${documents} ${name}, ${units} ${unit}s; bytes ${(body / units).toFixed(3)} B a ${unit}, on disk ${(onDisk / units).toFixed(3)} B a ${unit}`,
    );
  line('segments', 'sample', segments, rest);
  if (rollups.documents > 0) {
    line('rollups', 'row', rollups, all - rest);
    console.log(`${what}: segments and rollups together ${(all / segments.units).toFixed(3)} B a sample`);
  }
}

/** Returns the bytes of the pages of the table and its indexes, with the rollups and without them. */
async function pages(): Promise<{ readonly all: number; readonly rest: number }> {
  await site.store.compact();
  const copy = join(site.folder, 'copy.db');
  {
    using db = new DatabaseSync(join(site.folder, 'store/headframe.db'), { readOnly: true });
    await backup(db, copy);
  }
  using db = new DatabaseSync(copy);
  const used = () => Number(db.prepare("SELECT sum(pgsize) AS n FROM dbstat WHERE name LIKE '%telemetry%'").get()?.n);
  const all = used();
  db.exec(`DELETE FROM telemetry_0 WHERE ".object"='rollup'`);
  return { all, rest: used() };
}

/** The first machines of the simulated site. */
function simulated(start_ms: number, machines: number): Source {
  const quarry = createSite({ seed: 7, start_ms });
  return {
    units: quarry.roster.slice(0, machines).map(({ unit }) => unit),
    advance(to_ms, into) {
      while (into.length < quarry.roster.length) into.push(new FrameBatch(4096));
      quarry.advance(to_ms, into);
    },
  };
}

/** A recording of a real logger, repeated without a pause. */
function repeated(start_ms: number): Source {
  const frames = new FrameBatch(65_536);
  parseCandump(recording('candump/11111111-dm1-4dtc.candump.log.gz'), frames, null);
  const first = frames.t[0] as number;
  const length = (frames.t[frames.count - 1] as number) - first + 1_000;
  let next = 0;
  let offset = start_ms * 1000 - first;
  return {
    units: ['11111111'],
    advance(to_ms, into) {
      if (into.length === 0) into.push(new FrameBatch(65_536));
      const batch = into[0] as FrameBatch;
      while ((frames.t[next] as number) + offset < to_ms * 1000) {
        const [bus, id, flags] = [frames.bus[next], frames.id[next], frames.flags[next]] as [number, number, number];
        batch.push(
          (frames.t[next] as number) + offset,
          bus,
          id,
          flags,
          frames.data,
          next * 8,
          frames.len[next] as number,
        );
        next = (next + 1) % frames.count;
        if (next === 0) offset += length;
      }
    },
  };
}

/** Prints what the sealed samples take in other formats. */
async function peers(): Promise<void> {
  const file = join(site.folder, 'rows.db');
  const table = new DatabaseSync(file);
  table.exec('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF');
  table.exec('CREATE TABLE samples (series INTEGER, t INTEGER, v REAL, PRIMARY KEY (series, t)) WITHOUT ROWID');
  const insert = table.prepare('INSERT INTO samples VALUES (?, ?, ?)');
  const columns = new Map<string, { t: number[]; v: number[] }>();
  let samples = 0;
  let json = 0;
  const found = walk<SegmentData>(view, 'telemetry', { object: 'segment' }, 100);
  for await (const { data } of found) {
    const segment = openSegment(data.body);
    for (const signal of segment?.signals ?? []) {
      const series = segment?.read(signal);
      if (series === undefined) continue;
      const name = `${data.equipment_id} ${signal}`;
      const column = columns.get(name) ?? { t: [], v: [] };
      columns.set(name, column);
      for (const [i, t] of series.t.entries()) {
        const v = series.v[i] as number;
        column.t.push(t);
        column.v.push(v);
        json += JSON.stringify({ machine: data.equipment_id, signal, t, v }).length + 1;
        samples++;
      }
    }
  }
  table.exec('BEGIN');
  for (const [number, { t, v }] of [...columns.values()].entries())
    for (const [i, second] of t.entries()) insert.run(number, second, v[i] as number);
  table.exec('COMMIT');
  table.close();
  const per = (bytes: number): string => `${(bytes / samples).toFixed(3)} B a sample`;
  console.log(`peers: JSON lines ${per(json)}; SQLite with one row a sample ${per(statSync(file).size)}`);
  const parquet = await openParquet(join(site.folder, 'parquet'));
  if (parquet === undefined) return console.log('DuckDB is not installed; test/bench/duckdb.ts says how to install it');
  await parquet.write(
    'all.parquet',
    [...columns].map(([signal, series]) => ({ signal, ...series })),
  );
  console.log(`peers: Parquet with zstd ${per(parquet.bytes())}`);
  parquet.close();
}
