/**
 * Proves that stored numbers come from their frames, over a simulated week of three machines with one logger each.
 * Run: node test/proof/lineage-week.ts [days] [values] [seed]   (7, 10000 and 1 unless told)
 *
 *   machine "live"   all frames arrive live
 *   machine "late"   in each hour the frames of ten minutes arrive forty minutes late
 *   machine "file"   in each sixth hour no frame arrives live; these frames come in a log file at the end of the day
 *
 * The compaction seals the history as in production. Then the script does two things:
 *   - It draws stored samples at random and follows each to its frame. The value decoded from this frame must equal the sample, bit for bit.
 *   - It compares each stored row of statistics (one signal, minute and origin) with statistics that it has computed itself from all frames.
 * It exits with 1 if a number differs.
 */
import { encodeBinary } from '#codec/can-binary.ts';
import { formatCandump } from '#codec/candump.ts';
import type { SignalName } from '#contract/base/signals.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { type MinuteRow, type MinuteSeries, partsOf, rowAt } from '#domain/history/minutes.ts';
import { openRollup } from '#domain/history/rollup.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { EVIDENCE } from '#domain/machine/evidence.ts';
import { logOpener } from '#gateway/log-opener.ts';
import { openSealer } from '#gateway/sealer.ts';
import { ROSTER } from '#simulator/machines.ts';
import { createSite } from '#simulator/site.ts';
import { walk } from '#store/walk.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { openRuns } from '#test/runs/rig.ts';
import { Random } from '#test/sim/random.ts';

const [DAYS = 7, VALUES = 10_000, SEED = 1] = process.argv.slice(2).map(Number);
const STEP_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KINDS = ['live', 'late', 'file'] as const;
type Kind = (typeof KINDS)[number];

/** What the script computes itself for one signal, minute and control unit. */
type Wanted = Pick<MinuteRow, 'n' | 'min' | 'max' | 'sum' | 'last'> & { at: number };

const rig = await openRuns({ rawBytes: 64 * 2 ** 30 });
const { site } = rig;
const began = performance.now();
const START_MS = Math.ceil(site.time.ms / DAY_MS) * DAY_MS;
site.time.pass(START_MS - site.time.ms);
const quarry = createSite({ seed: SEED, start_ms: START_MS, roster: ROSTER.slice(0, KINDS.length) });
const machines = new Map<Kind, string>();
const devices = new Map<Kind, DeviceIdentity>();
for (const kind of KINDS) {
  const machine = await rig.machine(kind);
  machines.set(kind, machine);
  devices.set(kind, await rig.device(`logger-${kind}`, [[new Date(START_MS - 1000).toISOString(), machine]]));
}
rig.start();
const compaction = createHistoryCompaction({
  store: site.store,
  clock: () => site.time.ms,
  breathe: async () => {},
  log: (_level, message, data) => console.log(message, data),
});
/** After each pass over the store the compaction waits for this many calls. */
const MOST_IDLE = 200;

async function sealAll(): Promise<void> {
  for (let idle = 0; idle < MOST_IDLE; ) idle = (await compaction.run()) > 0 ? 0 : idle + 1;
}

const decoders = KINDS.map(() => createDecoder());
const wanted = KINDS.map(() => new Map<string, Wanted>());
const batches = quarry.roster.map(() => new FrameBatch(4096));
const held: Record<'late' | 'file', Uint8Array[]> = { late: [], file: [] };
let seq = 0;
let frames = 0;

/** Adds the values of a batch to the statistics of the script. */
function count(machine: number, batch: FrameBatch): void {
  const rows = wanted[machine] as Map<string, Wanted>;
  decoders[machine]?.decode(batch, {
    signal(parameter, { t_us, bus, sa, value }) {
      const evidence = EVIDENCE[parameter];
      if (evidence === undefined) return;
      const key = `${evidence.signal} ${Math.floor(t_us / 60e6)} ${bus} ${sa} ${evidence.spn}`;
      const row = rows.get(key);
      const part = Math.round(value * partsOf(evidence.signal));
      if (row === undefined) rows.set(key, { n: 1, min: value, max: value, sum: part, last: value, at: t_us });
      else {
        row.n++;
        row.min = Math.min(row.min, value);
        row.max = Math.max(row.max, value);
        row.sum += part;
        if (t_us > row.at || (t_us === row.at && value > row.last)) {
          row.at = t_us;
          row.last = value;
        }
      }
    },
    faults() {},
  });
}

/** Messages that the gateway has not acknowledged yet. */
const sending: Promise<void>[] = [];
const send = (kind: Kind, payload: Uint8Array): void => {
  sending.push(site.send(devices.get(kind) as DeviceIdentity, 'can', payload));
};

async function settle(): Promise<void> {
  await Promise.all(sending.splice(0));
  await site.settle();
}

function sendLate(): void {
  for (const payload of held.late.splice(0)) send('late', payload);
}

async function uploadFile(): Promise<void> {
  if (held.file.length === 0) return;
  const bytes = Buffer.concat(held.file.splice(0));
  const artifact = await rig.upload(
    devices.get('file') as DeviceIdentity,
    `day-${Math.floor(site.time.ms / DAY_MS)}.log`,
    bytes,
  );
  const { data } = await rig.ended(artifact);
  if (data.status !== 'completed') throw new Error(`the log file was not decoded: ${JSON.stringify(data.error)}`);
}

for (let ms = START_MS; ms < START_MS + DAYS * DAY_MS; ms += STEP_MS) {
  for (const batch of batches) batch.clear();
  quarry.advance(ms + STEP_MS, batches);
  site.time.pass(STEP_MS);
  const next = ms + STEP_MS;
  const minute = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const hour = Math.floor((ms - START_MS) / HOUR_MS);
  for (const [i, kind] of KINDS.entries()) {
    const batch = batches[i] as FrameBatch;
    if (batch.count === 0) continue;
    frames += batch.count;
    count(i, batch);
    if (kind === 'file' && hour % 6 === 3) held.file.push(formatCandump(batch).slice());
    else if (kind === 'late' && minute >= 10 && minute < 20) held.late.push(encodeBinary(batch, seq++));
    else send(kind, encodeBinary(batch, seq++));
  }
  if (minute === 50) sendLate();
  if (next % MINUTE_MS === 0) await settle();
  if (next % HOUR_MS === 0) {
    await site.stored();
    await sealAll();
  }
  if ((next - START_MS) % DAY_MS === 0) {
    await uploadFile();
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    console.log(`day ${(next - START_MS) / DAY_MS}: ${frames} frames after ${minutes} minutes`);
  }
}
sendLate();
await settle();
site.time.pass(2 * MINUTE_MS);
await site.stored();
site.time.pass(10 * MINUTE_MS);
await sealAll();

interface Drawn {
  readonly equipment_id: string;
  readonly signal: SignalName;
  readonly second: number;
  readonly value: number;
  readonly isFile: boolean;
}

const segments = () => walk<SegmentData>(site.store.view(site.project), 'telemetry', { object: 'segment' }, 50);

/** Draws samples, each with the same probability. */
async function draw(): Promise<{ readonly drawn: Drawn[]; readonly total: number }> {
  let total = 0;
  for await (const { data } of segments()) total += data.samples;
  const random = new Random(SEED);
  const places = new Set<number>();
  while (places.size < Math.min(VALUES, total)) places.add(random.int(total));
  const drawn: Drawn[] = [];
  let at = 0;
  for await (const { data } of segments()) {
    const segment = openSegment(data.body);
    for (const signal of segment?.signals ?? []) {
      const { t, v, o } = segment?.read(signal) ?? { t: [], v: [], o: [] };
      t.forEach((second, i) => {
        if (!places.has(at + i)) return;
        const isFile = segment?.origins[o[i] as number]?.artifact !== null;
        drawn.push({ equipment_id: data.equipment_id, signal, second, value: v[i] as number, isFile });
      });
      at += t.length;
    }
  }
  return { drawn, total };
}

let failed = 0;
const fail = (...what: unknown[]): void => {
  if (failed++ < 20) console.error('DIFFERENT', ...what);
};

function kindOf({ isFile, equipment_id, second }: Drawn): Kind {
  if (isFile) return 'file';
  const minute = Math.floor((second % 3_600) / 60);
  return equipment_id === machines.get('late') && minute >= 10 && minute < 20 ? 'late' : 'live';
}

const sealer = await openSealer(site.folder);

/** Follows samples to their frames, one request after the other, and prints the time of a request. */
async function follow(samples: readonly Drawn[], order: string): Promise<void> {
  const openLog = logOpener({ store: site.store, artifacts: site.artifacts, sealer }, site.project);
  const times: Record<Kind, number[]> = { live: [], late: [], file: [] };
  for (const [i, sample] of samples.entries()) {
    const { equipment_id, signal, second } = sample;
    const start = performance.now();
    const found = await site.ingest.lineage({ project_id: site.project, equipment_id, signal, second }, openLog);
    times[kindOf(sample)].push(performance.now() - start);
    if (found?.status !== 'found' || !Object.is(found.values[0]?.value, sample.value))
      fail(sample, found?.status, found?.values[0]?.value);
    if (i % 1_000 === 999)
      console.log(`${i + 1} values after ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
  }
  for (const kind of KINDS) {
    const sorted = times[kind].sort((a, b) => a - b);
    const at = (share: number) => `${sorted[Math.ceil(sorted.length * share) - 1]?.toFixed(1) ?? '-'} ms`;
    console.log(`${order}, ${sorted.length} ${kind}: median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`);
  }
}

const { drawn, total } = await draw();
const order = new Random(SEED + 1);
const shuffled = drawn
  .map((sample) => ({ sample, place: order.int(2 ** 31) }))
  .sort((a, b) => a.place - b.place)
  .map(({ sample }) => sample);
await rig.stop();
await site.restart();
// The first request for a part of the journal, or for a log file, computes the index of this part.
await follow(
  KINDS.flatMap((kind) => shuffled.find((sample) => kindOf(sample) === kind) ?? []),
  'first request after a restart',
);
await follow(shuffled, 'in random order');
await follow(drawn.slice(0, drawn.length / 10), 'in the order of the store');
console.log(`${drawn.length} of ${total} stored samples were decoded again from their frames; ${failed} differ`);

let rows = 0;
let switched = 0;
const covered = KINDS.map(() => new Set<string>());
for await (const { data } of walk<RollupData>(site.store.view(site.project), 'telemetry', { object: 'rollup' }, 20)) {
  const machine = KINDS.findIndex((kind) => machines.get(kind) === data.equipment_id);
  const rollup = openRollup(data.body);
  for (const signal of rollup?.signals ?? []) {
    const series = rollup?.read(signal) ?? { m: [] };
    const found = series.m.map((_, i) => rowAt(series as MinuteSeries, i));
    rows += found.length;
    for (const [minute, own] of Map.groupBy(found, ({ m }) => m)) {
      covered[machine]?.add(`${signal} ${minute}`);
      const [row, ...others] = own as [MinuteRow, ...MinuteRow[]];
      // Only the values of the parameter that provides the signal count. If another parameter took over within the minute, both have a row
      // with a part of their values.
      if (others.length > 0) {
        switched++;
        continue;
      }
      const { bus, sa, spn } = rollup?.origins[row.o] ?? {};
      const expected = wanted[machine]?.get(`${signal} ${minute} ${bus} ${sa} ${spn}`);
      const same = (['n', 'min', 'max', 'sum', 'last'] as const).every((field) => expected?.[field] === row[field]);
      if (!same) fail(KINDS[machine], signal, new Date(minute * MINUTE_MS).toISOString(), expected, row);
    }
  }
}
let missing = 0;
for (const [machine, all] of wanted.entries())
  for (const key of all.keys()) if (!covered[machine]?.has(key.split(' ', 2).join(' '))) missing++;
console.log(
  `${rows} rows of statistics compared with all ${frames} frames, without ${switched} minutes in which the source changed; ${missing} minutes of a signal have no row`,
);
console.log(`${failed} numbers differ; ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
await rig[Symbol.asyncDispose]();
process.exitCode = failed === 0 && missing === 0 ? 0 : 1;
