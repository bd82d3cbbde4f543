/** Reads of the stored samples of a machine, over a real gateway, compared with a plain computation over the points that were sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import type { Client, ClientError } from '#contract/client.ts';
import { MAX_GAPS_LISTED, STEP_LADDER, type TelemetrySeries } from '#contract/fleet/telemetry.ts';
import type { Input } from '#contract/operations.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';
import { createReadQueue, MAX_WAITING_READS } from '#history/read-queue.ts';
import { addMachine, connectDevice, eventually, startGateway, type TestMachine } from '#test/support/gateway.ts';
import { openRig } from '#test/support/handler-rig.ts';

const SPEED = 'engine.speed';
const DAY_MS = 86_400_000;
/** Noon of a day in the past, so that days before and after it are whole. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS + DAY_MS / 2;

interface Point {
  readonly t: number;
  readonly value: number;
}

const iso = (ms: number) => new Date(ms).toISOString();

async function send(client: Client, { device }: TestMachine, points: readonly Point[]): Promise<void> {
  for (let i = 0; i < points.length; i += 2_000) {
    const some = points.slice(i, i + 2_000).map(({ t, value }) => ({ ts: t, values: { [SPEED]: value } }));
    const { accepted } = await client.call('devices_telemetry', { id: device, points: some });
    assert.equal(accepted, some.length);
  }
}

type Query = Omit<Input<'equipment_telemetry'>, 'id' | 'signals'>;

async function readSpeed(client: Client, { equipment_id }: TestMachine, query: Query) {
  const answer = await client.call('equipment_telemetry', { id: equipment_id, signals: [SPEED], ...query });
  return { ...answer, speed: answer.series[0] as TelemetrySeries };
}

/** Waits until the gateway has folded as many samples. */
const readAll = (client: Client, machine: TestMachine, query: Query, samples: number) =>
  eventually(
    () => readSpeed(client, machine, query),
    ({ speed }) => speed.samples === samples,
  );

/** The freshness of an engine speed, which is expected every second, at this age. */
const speedFreshness = (age_s: number) =>
  age_s <= 5 ? 'fresh' : age_s <= 60 ? 'ageing' : age_s <= 600 ? 'stale' : 'none';

/** What a spreadsheet would compute from the points, step by step. */
function stepsOf(points: readonly Point[], step_ms: number) {
  const groups = Map.groupBy(points, ({ t }) => Math.floor(t / step_ms) * step_ms);
  const rows = [...groups].sort(([a], [b]) => a - b);
  const values = (group: readonly Point[]) => group.map(({ value }) => value);
  const find = (group: readonly Point[], value: number) => group.find((one) => one.value === value)?.t as number;
  const low = (group: readonly Point[]) => Math.min(...values(group));
  const high = (group: readonly Point[]) => Math.max(...values(group));
  return {
    t: rows.map(([t]) => t),
    min: rows.map(([, group]) => low(group)),
    min_t: rows.map(([, group]) => find(group, low(group))),
    max: rows.map(([, group]) => high(group)),
    max_t: rows.map(([, group]) => find(group, high(group))),
    mean: rows.map(([, group]) => values(group).reduce((sum, value) => sum + value, 0) / group.length),
    last: rows.map(([, group]) => group.at(-1)?.value),
    count: rows.map(([, group]) => group.length),
  };
}

function gapsOf(points: readonly Point[], from: number, to: number) {
  const times = [from, ...points.map(({ t }) => t), to];
  return times.slice(1).flatMap((t, i) => {
    const before = times[i] as number;
    return t - before > staleAfterUs(SPEED) / 1000 ? [{ from: before, to: t }] : [];
  });
}

/** Bursts of samples with gaps between them, each in a second of its own, in ascending order. */
const traces = fc
  .array(
    fc.record({ pause: fc.integer({ min: 1, max: 4_000 }), values: fc.array(fc.nat(8_000), { maxLength: 150 }) }),
    { minLength: 1, maxLength: 30 },
  )
  .map((bursts) => {
    let t = NOON;
    return bursts.flatMap(({ pause, values }) => {
      t += pause * 1000;
      return values.map((value) => {
        t += 1000;
        return { t, value };
      });
    });
  });

test('[A800] steps, gaps and extremes equal a plain computation over the same points, whatever the order of arrival', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      traces,
      fc.constantFrom(1, 30, 60, 3_600, 21_600),
      fc.integer({ min: 0, max: 7_200 }),
      fc.infiniteStream(fc.nat()),
      async (points, step, offset, order) => {
        const machine = await addMachine(client, `HT-${number++}`);
        const keys = new Map(points.map((point) => [point, order.next().value as number]));
        await send(
          client,
          machine,
          [...points].sort((a, b) => (keys.get(a) as number) - (keys.get(b) as number)),
        );
        const from = NOON + offset * 1000 + 500;
        const end = Math.max(points.at(-1)?.t ?? 0, from) + 1;
        const to = Math.min(end, step === 1 ? from + 1_900_000 : end);
        await readAll(client, machine, { from: iso(NOON), to: iso(end + DAY_MS), resolution: '3600' }, points.length);
        const inside = points.filter(({ t }) => t >= from && t < to);
        const query = { from: iso(from), to: iso(to) };
        const { speed, truncated } = await readSpeed(client, machine, { ...query, resolution: String(step) });
        assert.equal(truncated, false);
        const { t, min, min_t, max, max_t, mean, last, count } = speed;
        const wanted = stepsOf(inside, step * 1000);
        assert.deepEqual(
          { t, min, max, mean, last, count },
          { t: wanted.t, min: wanted.min, max: wanted.max, mean: wanted.mean, last: wanted.last, count: wanted.count },
        );
        // Steps of whole minutes name the minute of an extreme, shorter steps its second ([A807]).
        const precision = step % 60 === 0 ? 60_000 : 1_000;
        const toPrecision = (times: readonly number[] | undefined) =>
          times?.map((time) => Math.floor(time / precision));
        assert.deepEqual(toPrecision(min_t), toPrecision(wanted.min_t));
        assert.deepEqual(toPrecision(max_t), toPrecision(wanted.max_t));
        const gaps = gapsOf(inside, from, to);
        assert.deepEqual([speed.gaps, speed.gaps_total], [gaps.slice(0, MAX_GAPS_LISTED), gaps.length]);
        const [lowest] = [...inside].sort((a, b) => a.value - b.value || a.t - b.t);
        const [highest] = [...inside].sort((a, b) => b.value - a.value || a.t - b.t);
        assert.deepEqual([speed.lowest, speed.highest], [lowest ?? null, highest ?? null]);
        const last_before = points.findLast((point) => point.t < from);
        const before = last_before && { ...last_before, freshness: speedFreshness((from - last_before.t) / 1000) };
        assert.deepEqual(speed.latest_before, before ?? null);
        const summary = await readSpeed(client, machine, { ...query, points: 0 });
        const { samples, gaps_total, latest_before } = summary.speed;
        assert.deepEqual([samples, gaps_total, latest_before], [inside.length, gaps.length, before ?? null]);
        assert.deepEqual([summary.speed.t, summary.speed.mean, summary.history_from], [[], undefined, null]);
        const raw = await readSpeed(client, machine, { ...query, resolution: 'raw' });
        assert.deepEqual(
          raw.speed.t,
          inside.map((point) => point.t),
        );
        assert.deepEqual(
          raw.speed.value,
          inside.map(({ value }) => value),
        );
      },
    ),
    { numRuns: 12 },
  );
});

test('[A801] auto takes the smallest step of the ladder that gives at most the wanted number of points', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 366 * 86_400 }),
      fc.integer({ min: 1, max: LIMITS.telemetry_steps.value }),
      async (seconds, points) => {
        const from = iso(NOON);
        const { step_s } = await readSpeed(client, machine, { from, to: iso(NOON + seconds * 1000), points });
        const touched = (step: number) =>
          Math.floor((NOON + seconds * 1000 - 1) / 1000 / step) - Math.floor(NOON / 1000 / step) + 1;
        assert.equal(step_s, STEP_LADDER.find((step) => touched(step) <= points) ?? 86_400);
      },
    ),
    { numRuns: 20 },
  );
});

test('[A802] a read that cannot be answered is refused with what to do instead, and so is an unknown signal', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const refused = async (input: object, param: string, words: RegExp, code = 'parameter_invalid') =>
    assert.rejects(
      rig.call('equipment_telemetry', { id, signals: [SPEED], ...input }),
      (error: OperationError) =>
        error.code === code && error.param?.startsWith(param) === true && words.test(error.message),
    );
  await refused({ from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' }, 'from', /must be before `to`/);
  await refused({ from: '1926-11-02T00:00:00Z' }, 'from', /1970/);
  await refused({ resolution: '7' }, 'resolution', /does not divide a day/);
  for (const resolution of ['1ms', '0', '-1', '']) await refused({ resolution }, 'resolution', /`auto`, `raw`/);
  await refused({ signals: ['engine.sped'] }, 'signals', /engine\.speed/);
  await refused({ signals: [] }, 'signals', /./);
  await refused({ signals: Array.from({ length: 1_001 }, () => SPEED) }, 'signals', /1000/);
  await refused({ points: LIMITS.telemetry_steps.value + 1 }, 'points', /2000/);
  await refused({ cursor: 'nonsense' }, 'cursor', /Start again/, 'invalid_cursor');
  await assert.rejects(
    rig.call('equipment_telemetry', { id: 'eqp_none', signals: [SPEED] }),
    (error: OperationError) => error.code === 'not_found',
  );
});

test('[A802] an answer has at most a year, 2,000 steps, 100,000 samples and 10 signals, and its cursor leads to the rest', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machines = [await addMachine(client, 'HT-1'), await addMachine(client, 'HT-2')] as const;
  const [machine] = machines;
  const points = Array.from({ length: 400 }, (_, i) => ({ t: NOON - i * 600_000, value: i })).reverse();
  await send(client, machine, points);
  await readAll(client, machine, { from: iso(NOON - 4 * DAY_MS), to: iso(NOON + 1_000) }, 400);
  /** Reads all parts; returns the answers. */
  const parts = async (query: Partial<Input<'equipment_telemetry'>>) => {
    const id = machine.equipment_id;
    const input = { id, signals: [SPEED], points: 0, ...query } as Input<'equipment_telemetry'>;
    const all = [await client.call('equipment_telemetry', input)];
    for (let cursor = all[0]?.next_cursor ?? null; cursor !== null; ) {
      const answer = await client.call('equipment_telemetry', { ...input, cursor });
      assert.equal(answer.from, all.at(-1)?.next_from ?? all[0]?.from, 'no second is missing, and none is read twice');
      all.push(answer);
      cursor = answer.next_cursor;
    }
    return all;
  };
  const samplesOf = (answers: Awaited<ReturnType<typeof parts>>, signal: string) =>
    answers.flatMap(({ series }) => series).reduce((sum, one) => sum + (one.signal === signal ? one.samples : 0), 0);

  const century = await parts({ from: '1970-01-01T00:00:00Z', to: '2070-01-01T00:00:00Z' });
  assert.equal(century.length, 100);
  assert.equal(samplesOf(century, SPEED), 400);
  assert.ok(century.every(({ to, step_s }) => to === '2070-01-01T00:00:00.000Z' && step_s === 86_400));

  const range = { from: iso(NOON - 4 * DAY_MS), to: iso(NOON + 1_000) };
  for (const resolution of ['raw', '0.001', '60']) {
    const answers = await parts({ ...range, resolution, points: 500 });
    assert.equal(answers.length, resolution === '60' ? 3 : 4, resolution);
    assert.equal(answers[0]?.step_s, resolution === '60' ? 60 : null);
    assert.deepEqual(
      answers.flatMap(({ series }) => series[0]?.t ?? []),
      points.map(({ t }) => t),
    );
  }

  const all = SIGNAL_NAMES.slice();
  const signals = Array.from({ length: 400 }, (_, i) => all[i % all.length] as (typeof all)[number]);
  const answers = await parts({ ...range, signals });
  assert.equal(answers.length, Math.ceil(all.length / 10));
  assert.deepEqual(
    answers.flatMap(({ series }) => series.map(({ signal }) => signal)),
    all,
  );
  assert.equal(samplesOf(answers, SPEED), 400);

  // Several machines: the series of all machines and signals, each once.
  const ids = machines.map(({ equipment_id }) => equipment_id);
  const many = { equipment_ids: ids, signals, ...range, points: 0 };
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await client.call('telemetry_read', { ...many, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...answer.series.map(({ equipment_id, signal }) => `${equipment_id} ${signal}`));
    cursor = answer.next_cursor;
  }
  assert.deepEqual(found.sort(), ids.flatMap((id) => all.map((signal) => `${id} ${signal}`)).sort());

  // A table has the address of the next part in its header.
  const url = client.url('equipment_telemetry', {
    id: machine.equipment_id,
    signals: [SPEED],
    ...range,
    resolution: 'raw',
    as: 'csv',
  });
  let rows = 0;
  for (let next: string | undefined = url; next !== undefined; ) {
    const table: Response = await fetch(new URL(next, url), { headers: client.headers() });
    rows += (await table.text()).trim().split('\r\n').length - 1;
    next = /^<(.+)>; rel="next"$/.exec(table.headers.get('link') ?? '')?.[1];
  }
  assert.equal(rows, 400);
});

test('[A803] a read finds samples over MQTT before they are stored, takes signals with commas, and hides other projects', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const { project: other } = await gateway.client.call('projects_create', { name: 'Other' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const device = await connectDevice(gateway.node.mqttPort, machine);
  const from = Math.floor(Date.now() / 1000) * 1000 - 60_000;
  const points = Array.from({ length: 50 }, (_, i) => ({
    ts: from + i * 1000,
    values: { [SPEED]: 900 + i, 'fuel.level': 50 },
  }));
  await device.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ points }), { qos: 1 });
  const { speed } = await readAll(client, machine, { resolution: '3600' }, 50);
  assert.deepEqual(
    [speed.lowest, speed.highest],
    [
      { t: from, value: 900 },
      { t: from + 49_000, value: 949 },
    ],
  );
  const path = `${gateway.node.http}/api/v1/equipment/${machine.equipment_id}/telemetry?signals=engine.speed,fuel.level`;
  const asked = (project_id: string) =>
    fetch(path, { headers: { authorization: `Bearer wk_testtest_${'A'.repeat(43)}`, 'project-id': project_id } });
  const answer = (await (await asked(project.id)).json()) as { series: TelemetrySeries[] };
  assert.deepEqual(
    answer.series.map(({ signal, unit, samples }) => [signal, unit, samples]),
    [
      ['engine.speed', 'rpm', 50],
      ['fuel.level', '%', 50],
    ],
  );
  assert.equal((await asked(other.id)).status, 404);
  await device.endAsync();
});

test('[A804] four reads run at once, 32 wait, and a further one is refused until one ends', async () => {
  const queue = createReadQueue();
  const ends: (() => void)[] = [];
  const read = () => queue(() => new Promise<void>((resolve) => ends.push(resolve)));
  const all = Array.from({ length: LIMITS.telemetry_reads.value + MAX_WAITING_READS }, read);
  await assert.rejects(read(), (error: OperationError) => error.code === 'rate_limited');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(ends.length, LIMITS.telemetry_reads.value);
  for (let ended = 0; ended < all.length; ended++) {
    ends[ended]?.();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(ends.length, Math.min(all.length, LIMITS.telemetry_reads.value + ended + 1));
  }
  await Promise.all(all);
});

test('[A820] one read of several machines has the same series as a read of each, and names the machine that it does not know', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machines = [await addMachine(client, 'HT-1'), await addMachine(client, 'HT-2')];
  const [first, second] = machines as [TestMachine, TestMachine];
  await send(
    client,
    first,
    Array.from({ length: 300 }, (_, i) => ({ t: NOON + i * 1000, value: i })),
  );
  await send(client, second, [{ t: NOON, value: 700 }]);
  const range = { from: iso(NOON), to: iso(NOON + 3_600_000) };
  await readAll(client, first, { ...range, resolution: '3600' }, 300);
  await readAll(client, second, { ...range, resolution: '3600' }, 1);
  const ids = machines.map(({ equipment_id }) => equipment_id);
  const signals = [SPEED, 'fuel.level'] as const;
  for (const resolution of ['60', 'raw', 'auto']) {
    const query = { ...range, resolution, signals: [...signals] };
    const each = await Promise.all(ids.map((id) => client.call('equipment_telemetry', { id, ...query })));
    const { series, ...answer } = await client.call('telemetry_read', {
      equipment_ids: [...ids, ids[0] as string],
      ...query,
    });
    assert.deepEqual(
      series.map(({ equipment_id, unit_number, history_from: _, ...one }) => [equipment_id, unit_number, one]),
      each.flatMap((one, i) => one.series.map((own) => [ids[i], `HT-${i + 1}`, own])),
    );
    const { series: _s, equipment_id: _e, history_from: _h, ...same } = each[0] as (typeof each)[0];
    assert.deepEqual(answer, same);
  }
  const table = await fetch(
    client.url('telemetry_read', { equipment_ids: ids, signals: [SPEED], ...range, resolution: '3600', as: 'csv' }),
    {
      headers: client.headers(),
    },
  );
  assert.equal(
    await table.text(),
    `time,machine,signal,unit,min,max,mean,last,count\r\n${iso(NOON)},HT-1,${SPEED},rpm,0,299,149.5,299,300\r\n${iso(NOON)},HT-2,${SPEED},rpm,700,700,700,700,1\r\n`,
  );
  const refused = (input: Partial<Input<'telemetry_read'>>, code: string, words: RegExp) =>
    assert.rejects(
      client.call('telemetry_read', { equipment_ids: ids, signals: [SPEED], ...range, ...input }),
      (error: ClientError) => error.code === code && words.test(error.message),
    );
  await refused({ equipment_ids: [...ids, 'eqp_none'] }, 'not_found', /eqp_none/);
  await refused({ equipment_ids: Array.from({ length: 61 }, (_, i) => `eq_${i}`) }, 'parameter_invalid', /60/);
});
