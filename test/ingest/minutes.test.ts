/** Statistics of minutes from the doors of the gateway to the reader: live data, late data, log files, and sealing between reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignalName } from '#contract/base/signals.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { RollupData, SegmentData } from '#domain/history/samples.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { randomOf } from '#test/support/random-of.ts';
import { speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Sends values of engine speed with their times, in the order of the list. */
async function send(site: Site, device: DeviceIdentity, values: readonly (readonly [ms: number, value: number])[]) {
  for (let at = 0; at < values.length; at += 200) {
    const points = values.slice(at, at + 200).map(([ms, value]) => ({
      observed_at: new Date(ms).toISOString(),
      values: { 'engine.speed': value },
    }));
    await site.send(device, 'telemetry', JSON.stringify({ points }));
  }
  await site.settle();
}

async function store(site: Site): Promise<void> {
  site.time.pass(120_000);
  await site.stored();
}

async function seal(site: Site): Promise<void> {
  site.time.pass(600_000);
  const compaction = createHistoryCompaction({
    store: site.store,
    clock: () => site.time.ms,
    breathe: async () => {},
    log: () => {},
  });
  while ((await compaction.run()) > 0);
}

async function read(site: Site, from_ms: number, to_ms: number, step_s = 60) {
  const signals: SignalName[] = ['engine.speed'];
  const query = { project_id: site.project, equipment_id: site.machine('EX-1'), signals, from_ms, to_ms, step_s };
  const { series, unreadable } = await site.ingest.readTelemetry({ ...query, now_ms: to_ms });
  assert.equal(unreadable, 0);
  const [one] = series;
  assert.ok(one !== undefined);
  return one;
}

const rollups = (site: Site) =>
  site.store.view(site.project).find<RollupData>('telemetry', { object: 'rollup', order: 'asc', limit: 100 });

test('[I55] a value between two samples is in the statistics of its minute: in memory, in open segments and in the rollup', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 2 * HOUR_MS;
  // Ten values a second for two minutes. One of them, which is no sample, is 300.
  const values = Array.from({ length: 1_200 }, (_, i) => [start + i * 100, i === 725 ? 300 : 1_000 + (i % 7)] as const);
  await send(site, device, values);
  const wanted = {
    t: [start, start + MINUTE_MS],
    count: [600, 600],
    min: [1_000, 300],
    max: [1_006, 1_006],
    last: [1_000 + (599 % 7), 1_000 + (1_199 % 7)],
  };
  const check = async (where: string) => {
    const { t, count, min, max, last, mean, lowest, samples, gaps } = await read(site, start, start + 2 * MINUTE_MS);
    assert.deepEqual({ t, count, min, max, last }, wanted, where);
    const sum = values.slice(600).reduce((all, [, value]) => all + value, 0);
    assert.equal(mean?.[1], sum / 600, where);
    assert.deepEqual([lowest, samples, gaps], [{ t: start + MINUTE_MS, value: 300 }, 1_200, []], where);
  };
  await check('in memory');
  await store(site);
  assert.deepEqual(await rollups(site), []);
  await check('in open segments');
  await seal(site);
  assert.equal((await rollups(site)).length, 1);
  await check('in the rollup');
  await site.restart();
  await check('after a restart');
  const raw = await read(site, start, start + 2 * MINUTE_MS, 30);
  assert.deepEqual([raw.samples, raw.min], [120, [1_000, 1_000, 1_000, 1_000]], 'shorter steps have the samples only');
});

test('[I55] after a crash the statistics have each value once', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - HOUR_MS;
  const values = Array.from({ length: 600 }, (_, i) => [start + i * 500, 900 + (i % 11)] as const);
  await send(site, device, values.slice(0, 250));
  await store(site);
  await send(site, device, values.slice(250));
  const before = await read(site, start, start + 5 * MINUTE_MS);
  assert.deepEqual(before.count, [120, 120, 120, 120, 120]);
  await site.restart({ crash: true });
  await site.settle();
  assert.deepEqual(await read(site, start, start + 5 * MINUTE_MS), before);
  await store(site);
  await seal(site);
  assert.deepEqual(await read(site, start, start + 5 * MINUTE_MS), before);
});

test('[I55] values that arrive in any order, before and after the sealing, give the same statistics', async () => {
  const all: unknown[] = [];
  for (const seed of [0, 1, 2, 3]) {
    await using site = await startSite();
    const device = await site.device('dev-1', 'EX-1');
    const start = Math.floor(site.time.ms / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
    const random = randomOf(seed);
    const values = Array.from(
      { length: 900 },
      (_, i) => [start + i * 4_000 + 250, 700 + ((i * 37) % 501) / 8] as const,
    );
    const order =
      seed === 0
        ? values
        : values
            .map((one) => [random(), one] as const)
            .sort(([a], [b]) => a - b)
            .map(([, one]) => one);
    for (const part of [0, 300, 600]) {
      await send(site, device, order.slice(part, part + 300));
      await store(site);
      if (seed % 2 === 1) await seal(site);
    }
    await seal(site);
    const { t, count, min, max, mean, last, gaps_total, lowest, highest } = await read(site, start, start + HOUR_MS);
    all.push({
      count,
      min,
      max,
      mean,
      last,
      gaps_total,
      lowest: lowest?.value,
      highest: highest?.value,
      steps: t.length,
    });
  }
  for (const one of all) assert.deepEqual(one, all[0]);
});

test('[Z29] late data changes only the rows of its minutes', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = Math.floor(site.time.ms / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
  const values = Array.from({ length: 600 }, (_, i) => [start + i * 1_000, 800 + (i % 50)] as const);
  await send(
    site,
    device,
    values.filter(([ms]) => Math.floor((ms - start) / MINUTE_MS) !== 4),
  );
  await store(site);
  await seal(site);
  const before = await read(site, start, start + 10 * MINUTE_MS);
  assert.deepEqual([before.t.length, before.gaps], [9, [{ from: start + 239_000, to: start + 300_000 }]]);
  const [first] = await rollups(site);
  await send(
    site,
    device,
    values.filter(([ms]) => Math.floor((ms - start) / MINUTE_MS) === 4),
  );
  await store(site);
  await seal(site);
  const after = await read(site, start, start + 10 * MINUTE_MS);
  const [second, ...more] = await rollups(site);
  assert.deepEqual(more, []);
  assert.deepEqual([second?.data.seal.generation, second?.data.seal.supersedes], [2, first?.id]);
  assert.deepEqual([after.t.length, after.gaps, after.count?.[4]], [10, [], 60]);
  const others = (of: readonly number[] | undefined) => of?.filter((_, i) => i !== 4);
  for (const field of ['min', 'max', 'mean', 'last', 'count'] as const)
    assert.deepEqual(others(after[field]), before[field]);
});

test('[Z29] reads beside the sealing see each value once', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = Math.floor(site.time.ms / HOUR_MS) * HOUR_MS - 9 * HOUR_MS;
  for (let hour = 0; hour < 8; hour++) {
    await send(
      site,
      device,
      Array.from({ length: 1_800 }, (_, i) => [start + hour * HOUR_MS + i * 2_000, 800 + (i % 50)] as const),
    );
    await store(site);
  }
  site.time.pass(600_000);
  const compaction = createHistoryCompaction({
    store: site.store,
    clock: () => site.time.ms,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    log: () => {},
  });
  let isSealed = false;
  const sealing = (async () => {
    while ((await compaction.run()) > 0);
    isSealed = true;
  })();
  let reads = 0;
  for (; !isSealed; reads++) {
    const { samples, count } = await read(site, start, start + 8 * HOUR_MS, 3_600);
    assert.deepEqual([samples, count], [14_400, Array(8).fill(1_800)]);
  }
  await sealing;
  assert.ok(reads > 3, `${reads} reads`);
  assert.equal((await read(site, start, start + 8 * HOUR_MS, 3_600)).samples, 14_400);
});

test('[A807] a day whose rollup is damaged or deleted is read from its samples', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = Math.floor(site.time.ms / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
  await send(
    site,
    device,
    Array.from({ length: 600 }, (_, i) => [start + i * 500, 800 + (i % 50)] as const),
  );
  await store(site);
  await seal(site);
  const [rollup] = await rollups(site);
  assert.ok(rollup !== undefined);
  assert.equal((await read(site, start, start + HOUR_MS)).samples, 600);
  await site.store.erase('telemetry', [rollup.id]);
  assert.equal((await read(site, start, start + HOUR_MS)).samples, 300, 'one sample a second');
  const segments = await site.store.view(site.project).find<SegmentData>('telemetry', { object: 'segment', limit: 9 });
  assert.equal(segments.length, 1);
});

test('[I28] late values are stored although a segment of their hour is damaged', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 2 * HOUR_MS;
  // Values without a pattern, so that the column of the signal is longer than the bytes that this test damages.
  const even = Array.from({ length: 300 }, (_, i) => [start + i * 2_000, 1_000 + ((i * i * i * 31) % 997)] as const);
  await send(site, device, even);
  await store(site);
  const view = site.store.view(site.project);
  const [segment] = await view.find<SegmentData>('telemetry', { object: 'segment', limit: 10 });
  assert.ok(segment !== undefined);
  const body = segment.data.body.slice();
  body.fill(0xff, body.length - 300);
  const write = { collection: 'telemetry', id: segment.id, object: 'segment' } as const;
  await view.commit([{ ...write, data: { ...segment.data, body } }]);
  await send(
    site,
    device,
    even.map(([ms]) => [ms + 1_000, 2_000] as const),
  );
  await store(site);
  const stored = await view.find<SegmentData>('telemetry', { object: 'segment', limit: 10 });
  assert.equal(stored.length, 2);
  const signals: SignalName[] = ['engine.speed'];
  const range = {
    project_id: site.project,
    equipment_id: site.machine('EX-1'),
    from_ms: start,
    to_ms: start + 600_000,
  };
  const read = await site.ingest.readTelemetry({ ...range, signals, step_s: null, now_ms: site.time.ms });
  assert.equal(read.unreadable, 1);
  assert.deepEqual([read.series[0]?.samples, new Set(read.series[0]?.value)], [300, new Set([2_000])]);
});

test('[I59] the states that a control unit reports instead of values are in history: in memory, stored, after a restart, and sealed', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 2 * HOUR_MS;
  const [ERROR, UNAVAILABLE] = [0xfe00 * 0.125, 0xffff * 0.125];
  let text = '';
  // Two minutes of values, then one minute of error, 30 seconds of values, and 30 seconds without a value. A second control unit never
  // measures the engine speed; its reports do not count.
  for (let second = 0; second < 240; second++) {
    const rpm = second < 120 ? 900 : second < 180 ? ERROR : second < 210 ? 950 : UNAVAILABLE;
    text += speed(start + second * 1_000, rpm) + speed(start + second * 1_000 + 500, UNAVAILABLE, 3);
  }
  await site.send(device, 'can', text);
  await site.settle();
  const wanted = [
    { state: 'error', from: start + 120_000, to: start + 179_000 },
    { state: 'unavailable', from: start + 210_000, to: start + 239_000 },
  ];
  const check = async (where: string) => {
    for (const step of [60, 10]) {
      const { states, states_total, samples } = await read(site, start, start + 2 * HOUR_MS, step);
      assert.deepEqual([states, states_total, samples], [wanted, 2, 150], `${where}, steps of ${step} s`);
    }
    const { states } = await read(site, start + 150_000, start + 220_000);
    assert.deepEqual(
      states.map(({ from, to }) => [from - start, to - start]),
      [
        [150_000, 179_000],
        [210_000, 219_000],
      ],
      where,
    );
  };
  await check('in memory');
  await site.restart({ crash: true });
  await check('after a crash');
  await store(site);
  await check('in open segments');
  await seal(site);
  await check('in the rollup');
  // The same minutes again, late, and one more report of the error before them.
  await site.send(device, 'can', speed(start + 119_500, ERROR) + text.slice(0, text.length / 2));
  await site.settle();
  await store(site);
  await seal(site);
  const { states } = await read(site, start, start + 2 * HOUR_MS);
  assert.deepEqual(states, [{ ...wanted[0], from: start + 119_000 }, wanted[1]]);
});

test('[I59] a signal of which no value has come yet has the states of each source', async () => {
  await using site = await startSite();
  const device = await site.device('dev-1', 'EX-1');
  const start = site.time.ms - 600_000;
  await site.send(device, 'can', speed(start, 0xffff * 0.125) + speed(start + 1_000, 0xffff * 0.125));
  await store(site);
  const { states, samples } = await read(site, start, start + 60_000);
  assert.deepEqual([states, samples], [[{ state: 'unavailable', from: start, to: start + 1_000 }], 0]);
});
