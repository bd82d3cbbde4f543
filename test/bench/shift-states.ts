/**
 * How long it takes to compute the run states of a shift of twelve hours from history, beside the live status events of the log.
 * Run: node test/bench/shift-states.ts [machines]   (50 unless told)
 * Each machine has eleven sealed hours and one hour of open segments, with 29 signals at 1 Hz, and an event log with 300 changes of the live
 * status. The machines work in cycles of four minutes (work, idle), with a stop of ten minutes each hour.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import { minutesOfSamples } from '#domain/history/minutes.ts';
import { NO_ORIGIN } from '#domain/history/origins.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import { openSegmentData } from '#domain/history/stored-segment.ts';
import { RUN_SIGNALS } from '#domain/machine/run-states.ts';
import { withRunStates } from '#domain/work/run-facts.ts';
import { partSpent } from '#domain/work/shift-tally.ts';
import { shiftStretches } from '#domain/work/shift-time.ts';
import { factsOf } from '#handlers/work/shift-facts.ts';
import { createRunStates, type UnstoredSamples } from '#history/run-states.ts';
import { openStore } from '#store/open-store.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';

const MACHINES = Number(process.argv[2] ?? 50);
const PROJECT = 'prj_bench';
const START_S = Date.UTC(2026, 5, 1, 6) / 1000;
const HOUR_S = 3_600;
const END_S = START_S + 12 * HOUR_S;
const ROUNDS = 7;

const folder = await mkdtemp(join(tmpdir(), 'headframe-bench-'));
let now_ms = START_S * 1000;
const random = (n: number) => new Uint8Array(randomBytes(n));
const store = await openStore({ folder, clock: () => now_ms, random });
const view = store.view(PROJECT);
const origins = [{ ...NO_ORIGIN, device: 'dev_bench', bus: 1, sa: 0, pgn: 61_444, spn: 190 }];
const idOf = (machine: number) => `eq_${machine}`;

function sampleOf(signal: string, second: number): number {
  const isOff = second % HOUR_S < 600;
  const works = second % 240 < 150;
  const noise = (second * 7_919) % 97;
  if (signal === 'engine.speed') return isOff ? 0 : works ? 1_400 + noise : 720 + noise / 10;
  if (signal === 'vehicle.speed') return isOff || !works ? 0 : 10 + noise / 10;
  return isOff ? 0 : works ? 60 + noise / 4 : 10;
}

function content(from: number, to: number) {
  const t = Array.from({ length: to - from }, (_, i) => from + i);
  const o = t.map(() => 0);
  const series = SIGNAL_NAMES.slice(0, 29).map((signal) => ({ signal, t, o, v: t.map((s) => sampleOf(signal, s)) }));
  for (const signal of RUN_SIGNALS)
    if (!series.some((one) => one.signal === signal)) throw new Error(`${signal} is missing`);
  return { series, minutes: series.map(minutesOfSamples), origins, raw: [] };
}

const commit = (id: string, data: SegmentData) =>
  view.commit([{ collection: 'telemetry', id, object: 'segment', data: { ...data } }]);
const compaction = createHistoryCompaction({ store, clock: () => now_ms, breathe: () => breathe(), log: () => {} });
for (let hour = 0; hour < 11; hour++) {
  const from = START_S + hour * HOUR_S;
  now_ms = (from + HOUR_S) * 1000;
  await commit(`seg_${hour}`, openSegmentData(idOf(1), content(from, from + HOUR_S)));
  now_ms += 700_000;
  while ((await compaction.run()) === 0);
}
const sealed = await view.find<SegmentData>('telemetry', { object: 'segment', order: 'asc', limit: 100 });
const copied = (data: SegmentData, id: string): SegmentData => ({
  ...data,
  equipment_id: id,
  slot: (data.slot ?? '').replace(idOf(1), id),
  ...(data.open_slot === undefined ? {} : { open_slot: data.open_slot.replace(idOf(1), id) }),
});
const open = Array.from({ length: 59 }, (_, minute) => {
  const from = START_S + 11 * HOUR_S + minute * 60;
  return openSegmentData(idOf(1), content(from, from + 60));
});
for (let machine = 1; machine <= MACHINES; machine++) {
  const id = idOf(machine);
  if (machine > 1) for (const [i, { data }] of sealed.entries()) await commit(`seg_${machine}_${i}`, copied(data, id));
  for (const [i, data] of open.entries()) await commit(`open_${machine}_${i}`, copied(data, id));
  await view.commit(
    Array.from({ length: 300 }, (_, i) => ({
      collection: 'events' as const,
      id: `evt_${machine}_${i}`,
      object: 'event',
      at: new Date((START_S + i * 144) * 1000).toISOString(),
      data: {
        type: 'live_status_changed',
        subject: { object: 'equipment', id },
        occurred_at: new Date((START_S + i * 144) * 1000).toISOString(),
        data: { from: i % 2 ? 'running' : 'idle', to: i % 2 ? 'idle' : 'running' },
      },
    })),
  );
}
now_ms = END_S * 1000;
const memory = content(END_S - 60, END_S);
const unstored: UnstoredSamples = {
  series: memory.series.filter(({ signal }) => (RUN_SIGNALS as readonly string[]).includes(signal)),
  origins,
};
const ids = Array.from({ length: MACHINES }, (_, i) => idOf(i + 1));
const live = { equipment: () => undefined, device: () => undefined };
const machineOf = (id: string) => ({
  id,
  created_at: new Date((START_S - HOUR_S) * 1000).toISOString(),
  data: { status: 'in_use' as const },
});

async function median(run: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const begin = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(begin);
    times.push((user + system) / 1_000);
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
}

const window = [START_S * 1000, END_S * 1000] as const;
using states = createRunStates({ store, unstored: () => [unstored] });
const readAll = async () => {
  for (const id of ids) await states.read(PROJECT, id, ...window);
};
const logs = new Map<string, Awaited<ReturnType<typeof factsOf>>>();
const readLogs = async () => {
  for (const id of ids) logs.set(id, await factsOf({ view, live, now_ms }, machineOf(id), ...window));
};
const cold = await median(async () => {
  states.forget();
  await readAll();
});
const log = await median(readLogs);
const warm = await median(readAll);
const tally = await median(async () => {
  for (const id of ids) {
    const runs = await states.read(PROJECT, id, ...window);
    const { before, facts } = withRunStates(logs.get(id) as Awaited<ReturnType<typeof factsOf>>, runs);
    partSpent(shiftStretches(before, facts, ...window));
  }
});
let late = 0;
const lateRead = await median(async () => {
  const from = START_S + 2 * HOUR_S + 60 * late;
  await commit(`late_${late++}`, openSegmentData(idOf(1), content(from, from + 60)));
  await readAll();
});
console.log(`${MACHINES} machines, a shift of 12 h, ${ROUNDS} rounds (median); milliseconds of processor time`);
console.log(`run states from history, empty cache: ${cold.toFixed(0)} ms`);
console.log(`the log of events (300 changes a machine): ${log.toFixed(0)} ms`);
console.log(`run states from history, cached, a minute of samples in memory: ${warm.toFixed(1)} ms`);
console.log(`the same with log facts and sums, as screens do each minute: ${tally.toFixed(1)} ms`);
console.log(`cached, after one commit of late data: ${lateRead.toFixed(1)} ms`);
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });
