/**
 * Random traces, each sent to two machines: to one in the order of time, to the other in random order. Both must have the same
 * coverage, statistics and latest values, and late data must raise no live alert. `TEST_TRACES=1000` sends as many.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignalName } from '#contract/base/signals.ts';
import { random, type Stream, streamOf } from '#domain/base/random.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { type Site, startSite } from './support.ts';
import { watchSite } from './watch/site.ts';

const TRACES = Number.parseInt(process.env.TEST_TRACES ?? '50', 10);
/** Traces that are stored and compared together. */
const BATCH = 50;
const SIGNALS = ['engine.coolant_temperature', 'engine.speed', 'fuel.level'] as const satisfies readonly SignalName[];
/** The alert rule of the test: coolant above this. The newest value of each trace is below it, and most traces have earlier values above. */
const HOT = 105;
const TRACE_S = 3_600;
const HOUR_MS = 3_600_000;

interface Point {
  readonly ts: number;
  readonly values: Readonly<Partial<Record<SignalName, number>>>;
}

const whole = (stream: Stream, below: number): number => Math.floor(random(stream) * below);

/** A trace of an hour that begins at `start`: values with gaps, several values in some seconds, and a part whose clock jumped. */
function traceOf(stream: Stream, start: number): Point[] {
  const points: Point[] = [];
  const jump = random(stream) < 0.3 ? (whole(stream, 2) === 0 ? -1 : 1) * whole(stream, 1_800_000) : 0;
  const jumpFrom = whole(stream, TRACE_S);
  const every = 4_000 + whole(stream, 26_000);
  let silent = 0;
  for (let at = 0; at < TRACE_S * 1000; at += every + whole(stream, 900)) {
    if (random(stream) < 0.05) silent = at + whole(stream, 900_000);
    if (at < silent) continue;
    const ts = start + at + (at > jumpFrom * 1000 ? jump : 0);
    const values: Partial<Record<SignalName, number>> = {};
    for (const signal of SIGNALS) if (random(stream) < 0.8) values[signal] = 20 + whole(stream, 800) / 8;
    points.push({ ts, values });
    if (random(stream) < 0.05) points.push({ ts: ts + 10, values: { 'engine.speed': whole(stream, 2_000) } });
  }
  // One value in each moment, because the first value of a moment counts, whatever comes later.
  const unique = [...new Map(points.map((one) => [one.ts, one])).values()].sort((a, b) => a.ts - b.ts);
  const end = start + 2 * TRACE_S * 1000;
  return [...unique, { ts: end, values: Object.fromEntries(SIGNALS.map((signal) => [signal, 50])) }];
}

const shuffled = (stream: Stream, points: readonly Point[]): Point[] =>
  points
    .map((one) => [random(stream), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);

async function send(site: Site, device: Awaited<ReturnType<Site['device']>>, points: readonly Point[]): Promise<void> {
  for (let at = 0; at < points.length; at += 60)
    await site.send(device, 'telemetry', JSON.stringify({ points: points.slice(at, at + 60) }));
}

const minuteOf = (ms: number): number => Math.floor(ms / 60_000) * 60_000;
const inMinute = <T extends { readonly t: number }>(one: T | null): T | null => one && { ...one, t: minuteOf(one.t) };

/**
 * What the machine shows and what its history says. One thing may differ, and is left out: which value of a second is its sample. An
 * extreme has its second only if it is a sample, otherwise its minute, so the times of extremes are compared by the minute.
 */
async function stateOf(site: Site, unit: string, from_ms: number, to_ms: number) {
  const equipment_id = site.machine(unit);
  const query = { project_id: site.project, equipment_id, signals: [...SIGNALS], from_ms, to_ms };
  const read = async (step_s: number | null) => {
    const { series } = await site.ingest.readTelemetry({ ...query, step_s, now_ms: to_ms });
    return series.map((one) => ({
      ...one,
      lowest: inMinute(one.lowest),
      highest: inMinute(one.highest),
      min_t: one.min_t?.map(minuteOf),
      max_t: one.max_t?.map(minuteOf),
    }));
  };
  const live = site.ingest.live.equipment(equipment_id)?.values ?? {};
  return {
    latest: SIGNALS.map((signal) => [live[signal]?.value, live[signal]?.observed_at]),
    coverage: (await read(null)).map(({ t, gaps, gaps_total }) => ({ t, gaps, gaps_total })),
    minutes: await read(60),
    hours: await read(3_600),
  };
}

async function seal(site: Site): Promise<void> {
  site.time.pass(600_000);
  const { store } = site;
  const compaction = createHistoryCompaction({
    store,
    clock: () => site.time.ms,
    breathe: async () => {},
    log: () => {},
  });
  while ((await compaction.run()) > 0);
}

test(`[I28] [D195] [A172] ${TRACES} traces in any order give the same coverage, statistics and latest values, and late data no live alert`, async () => {
  await using site = await startSite();
  await site.call('alert_rules_create', { name: 'Hot', signal: SIGNALS[0], op: 'gt', value: HOT });
  await using alerts = await watchSite(site);
  let late = 0;
  for (let first = 0; first < TRACES; first += BATCH) {
    const count = Math.min(BATCH, TRACES - first);
    const start = Math.floor(site.time.ms / HOUR_MS) * HOUR_MS - 6 * HOUR_MS;
    for (let i = first; i < first + count; i++) {
      const stream = streamOf(TEST_SEED, 78, i);
      const trace = traceOf(stream, start);
      const repeats = trace.filter(() => random(stream) < 0.1);
      const newest = trace.at(-1) as Point;
      for (const [name, points] of [
        ['a', trace],
        ['b', [...shuffled(stream, trace), ...repeats]],
      ] as const) {
        const device = await site.device(`${name}-${i}`, `${name}-${i}`);
        // The newest values come first, so all others are late.
        if (name === 'b') await send(site, device, [newest]);
        await send(site, device, points);
      }
    }
    await site.settle();
    await alerts.tick();
    site.time.pass(120_000);
    await site.stored();
    await alerts.tick();
    const check = async (when: string) => {
      for (let i = first; i < first + count; i++) {
        const [a, b] = [
          await stateOf(site, `a-${i}`, start - HOUR_MS, start + 3 * HOUR_MS),
          await stateOf(site, `b-${i}`, start - HOUR_MS, start + 3 * HOUR_MS),
        ];
        assert.deepEqual(b, a, `trace ${i}, ${when}`);
        assert.ok((a.minutes[0]?.samples ?? 0) > 0, `trace ${i} has values`);
      }
    };
    await check('in open segments');
    await seal(site);
    await check('sealed');
  }
  for (let cursor: string | undefined; ; ) {
    const page = await site.call('alerts_list', {
      order: 'asc',
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const alert of page.data.filter(({ signal_name }) => signal_name === SIGNALS[0])) {
      assert.equal(alert.late, true, `a live alert on ${alert.observed_at}`);
      late++;
    }
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  assert.ok(late > TRACES / 4, `${late} late alerts`);
});
