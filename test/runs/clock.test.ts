/** Log files of loggers with a wrong clock: what a trusted clock in the file corrects, and what says so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogFile, type LogPlace, openLogFile } from '#bridge/log-file.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { LineageQuery } from '#contract/context.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { RunData } from '#contract/work/task.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { gnssFrame } from '#test/domain/gnss/gnss-kit.ts';
import { recording, recordingPath, withoutRecordings } from '#test/support/recordings.ts';
import { openRuns, type RunsRig } from './rig.ts';

const GNSS_FILE = 'mf4/7512BE4D_00000427_00000001.fw0108-gnss.MF4';
const EPOCH_S = 1_577_840_400;
const TRUE_S = Date.parse('2026-11-21T06:00:00Z') / 1000;
const CHANNELS = [{ bus: 9, frames: 'canedge_internal' }];

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
const line = (t_s: number, can: string, id: string, data: Uint8Array) =>
  `(${t_s.toFixed(6)}) ${can} ${id}#${hex(data)}\n`;

/** EEC1 with this engine speed. */
function speedFrame(rpm: number): Uint8Array {
  const raw = rpm * 8;
  return Uint8Array.of(0xff, 0xff, 0xff, raw & 0xff, raw >> 8, 0xff, 0xff, 0xff);
}

const timeFrame = (true_s: number): Uint8Array =>
  gnssFrame(1, { timeValid: 1, timeConfirmed: 1, epoch: Math.round((true_s - EPOCH_S) * 1000) });

/** Time/Date of a control unit, with these two bytes for the offset to local time. */
function timeDate(true_s: number, offsets: readonly [number, number] = [125, 125]): Uint8Array {
  const at = new Date(true_s * 1000);
  return Uint8Array.of(
    at.getUTCSeconds() * 4,
    at.getUTCMinutes(),
    at.getUTCHours(),
    at.getUTCMonth() + 1,
    at.getUTCDate() * 4 - 2,
    at.getUTCFullYear() - 1985,
    ...offsets,
  );
}

/** How the clocks of a log run: what the logger writes, and what the trusted clocks send, at a true second of the log. */
interface Clocks {
  readonly logger: (second: number) => number;
  readonly gnss?: (second: number) => number | null;
  readonly units?: Readonly<Record<string, (second: number) => Uint8Array>>;
}

/** A log with the engine speed 800 + s each second, and the frames of the trusted clocks. */
function logOf(seconds: number, { logger, gnss, units = {} }: Clocks, from = 0): Buffer {
  let text = '';
  for (let s = from; s < from + seconds; s++) {
    const at = logger(s);
    text += line(at, 'can1', '0CF00400', speedFrame(800 + s));
    const time = gnss?.(s) ?? null;
    if (time !== null) text += line(at, 'can9', '066', timeFrame(time));
    for (const [sa, unit] of Object.entries(units)) text += line(at, 'can1', `18FEE6${sa}`, unit(s));
  }
  return Buffer.from(text);
}

async function loggerOf(rig: RunsRig, name: string): Promise<{ machine: string; device: DeviceIdentity }> {
  const machine = await rig.machine(`M-${name}`);
  const device = await rig.device(name, [['2015-01-01T00:00:00Z', machine]]);
  await rig.site.call('devices_settings_update', { id: device.device, settings: { gnss_channels: CHANNELS } });
  return { machine, device };
}

const historyOf = (rig: RunsRig, machine: string, signal: SignalName = 'engine.speed') =>
  rig.site.ingest.history(machine, signal, Date.parse('2015-01-01'), Date.parse('2030-01-01'));

interface Correction {
  readonly clock: string | null;
  readonly not_used_because: string | null;
  readonly corrected_samples: number;
  readonly control_unit: unknown;
}
const correctionOf = ({ data }: { readonly data: RunData }) =>
  (data.output?.details?.clock_correction ?? null) as Correction | null;

/** The lineage of a stored sample, with the files of the rig. */
const lineageOf = (rig: RunsRig, equipment_id: string, signal: SignalName, second: number) =>
  rig.site.ingest.lineage({ project_id: rig.site.project, equipment_id, signal, second }, async (id) => {
    const { sha256 } = await rig.site.call('artifacts_get', { id });
    const path = await rig.site.artifacts.locate(sha256);
    if (path === undefined) return undefined;
    const device = (await rig.task(id)).data.links?.device_id ?? null;
    return { log: await openLogFile(path, {}), device, received_ms: rig.site.time.ms };
  });

test('[Q19] a logger years behind: its file is in history at the true time, and each sample leads back to its frame', async () => {
  await using rig = await openRuns();
  const { machine, device } = await loggerOf(rig, 'dead-battery');
  rig.start();
  const reset_s = Date.parse('2016-01-01T00:00:00Z') / 1000;
  // The receiver finds the time only after 40 s.
  const clocks = {
    logger: (s: number) => reset_s + s + 0.25,
    gnss: (s: number) => (s < 40 ? null : TRUE_S + s + 0.25),
  };
  const artifact = await rig.upload(device, 'a.log', logOf(120, clocks));
  const run = await rig.ended(artifact);
  const { t, v } = await historyOf(rig, machine);
  assert.deepEqual(
    t.map((second, i) => [second - TRUE_S, v[i]]),
    Array.from({ length: 120 }, (_, s) => [s, 800 + s]),
  );
  assert.deepEqual([correctionOf(run)?.clock, correctionOf(run)?.corrected_samples], ['gnss', 120]);
  assert.match(
    run.data.output?.summary ?? '',
    /The clock of the logger was 3977\.3 days behind GNSS time; 120 samples have corrected times/,
  );
  for (const s of [0, 39, 40, 77, 119]) {
    const found = await lineageOf(rig, machine, 'engine.speed', TRUE_S + s);
    assert.deepEqual([found?.status, found?.values[0]?.value], ['found', 800 + s]);
    assert.equal(found?.frame?.observed_at, new Date((reset_s + s) * 1000 + 250).toISOString());
    const { clock, correction_ms = 0, uncertainty_ms } = found?.sample?.origin ?? {};
    assert.deepEqual([clock, uncertainty_ms], ['gnss', 500]);
    assert.ok(Math.abs(correction_ms - (TRUE_S - reset_s) * 1000) <= 250);
    assert.match(found?.values[0]?.steps.at(-1) ?? '', /^The clock of the logger was 3977\.3 days behind GNSS time\./);
  }
  const before = await historyOf(rig, machine);
  await rig.again(artifact);
  const counts = (await rig.ended(artifact)).data.seed_graph?.counts;
  assert.deepEqual([counts?.samples_added, counts?.samples_known], [0, 120], 'nothing is new the second time');
  assert.deepEqual(await historyOf(rig, machine), before);
});

test('[I77] the second search of a log judges its clock only once, and begins near the second of the sample', async () => {
  await using rig = await openRuns();
  const { machine, device } = await loggerOf(rig, 'long');
  rig.start();
  const seconds = 7_000;
  const clocks = { logger: (s: number) => TRUE_S - 40 + s, gnss: (s: number) => TRUE_S + s };
  const artifact = await rig.upload(device, 'a.log', logOf(seconds, clocks));
  await rig.ended(artifact);
  let starts: number[] = [];
  /** The lineage; `starts` gets the number of frames before the start of each reading of the file. */
  const follow = (query: LineageQuery) => {
    starts = [];
    return rig.site.ingest.lineage(query, async (id) => {
      const { sha256 } = await rig.site.call('artifacts_get', { id });
      const log = await openLogFile((await rig.site.artifacts.locate(sha256)) ?? '', {});
      const batches = (from?: LogPlace) => {
        starts.push(from?.frames ?? 0);
        return log.batches(from);
      };
      return {
        log: Object.create(log, { batches: { value: batches } }) as LogFile,
        device: device.device,
        received_ms: rig.site.time.ms,
      };
    });
  };
  const project_id = rig.site.project;
  const sample = (s: number) =>
    ({ project_id, equipment_id: machine, signal: 'engine.speed', second: TRUE_S + s }) as const;
  const first = await follow(sample(seconds - 1));
  assert.deepEqual([first?.status, first?.values[0]?.value], ['found', 800 + seconds - 1]);
  assert.deepEqual(starts, [0, 0], 'one reading judges the clock, one searches');
  for (const s of [0, 1, 3_000, 6_000, seconds - 1]) {
    const found = await follow(sample(s));
    assert.deepEqual([found?.status, found?.values[0]?.value], ['found', 800 + s]);
    assert.equal(found?.source?.ref, `${artifact}#${2 * s}`);
    assert.equal(found?.frame?.observed_at, new Date((TRUE_S - 40 + s) * 1_000).toISOString());
    const [from = Number.NaN, ...others] = starts;
    assert.deepEqual(others, []);
    assert.ok(s < 3_000 ? from === 0 : from > 0 && from <= 2 * s, `${s}: ${from}`);
    const place = { project_id, artifact, frame: 2 * s } as const;
    const asFrame = await follow(place);
    assert.deepEqual([asFrame?.source?.ref, asFrame?.frame], [found?.source?.ref, found?.frame]);
  }
  assert.equal((await follow({ project_id, artifact, frame: 2 * seconds }))?.status, undefined);
});

test('[A822] a read says how many of its values have corrected times, from open and sealed segments and from rollups', async () => {
  await using rig = await openRuns();
  const { site } = rig;
  const { machine, device } = await loggerOf(rig, 'late');
  rig.start();
  const start_s = TRUE_S - 86_400;
  // An hour without a trusted clock in one file, and an hour with one in another file.
  const plain = { logger: (s: number) => start_s + s };
  const corrected = { logger: (s: number) => start_s + s - 8.2, gnss: (s: number) => start_s + s };
  await rig.ended(await rig.upload(device, 'a.log', logOf(600, plain)));
  await rig.ended(await rig.upload(device, 'b.log', logOf(600, corrected, 600)));
  const read = async (step_s: number | null) => {
    const { series } = await site.ingest.readTelemetry({
      project_id: site.project,
      equipment_id: machine,
      signals: ['engine.speed'],
      from_ms: start_s * 1000,
      to_ms: (start_s + 3_600) * 1000,
      step_s,
      now_ms: site.time.ms,
    });
    return { samples: series[0]?.samples, corrected: series[0]?.corrected };
  };
  const row = {
    clock: 'gnss',
    from: (start_s + 600) * 1000,
    values: 600,
    least_ms: 8_200,
    most_ms: 8_200,
    uncertainty_ms: 500,
  };
  for (const when of ['open', 'sealed']) {
    if (when === 'sealed') {
      site.time.pass(3_600_000);
      const of = { store: site.store, clock: () => site.time.ms, breathe: async () => {}, log: () => {} };
      const compaction = createHistoryCompaction(of);
      while ((await compaction.run()) > 0);
    }
    for (const step_s of [null, 10, 60]) {
      const to = (start_s + (step_s === 60 ? 1_140 : 1_199)) * 1000;
      assert.deepEqual(await read(step_s), { samples: 1_200, corrected: [{ ...row, to }] }, `${when}, ${step_s}`);
    }
  }
  const found = await lineageOf(rig, machine, 'engine.speed', start_s + 900);
  assert.deepEqual([found?.status, found?.values[0]?.value], ['found', 1_700]);
});

test('[Q19] a clock that is set in the middle of a log: each part has its own correction', async () => {
  await using rig = await openRuns();
  const { machine, device } = await loggerOf(rig, 'set');
  rig.start();
  // One hour behind, then an hour ahead of the true time, then set back to 8 s ahead.
  const ahead = (s: number) => (s < 100 ? -3_600 : s < 200 ? 3_600 : 8);
  const clocks = { logger: (s: number) => TRUE_S + s + 0.5 + ahead(s), gnss: (s: number) => TRUE_S + s + 0.5 };
  const run = await rig.ended(await rig.upload(device, 'a.log', logOf(300, clocks)));
  const { t, v } = await historyOf(rig, machine);
  assert.deepEqual(
    t.map((second, i) => [second - TRUE_S, v[i]]),
    Array.from({ length: 300 }, (_, s) => [s, 800 + s]),
  );
  assert.equal(correctionOf(run)?.corrected_samples, 300);
});

test('[Q19] a log without a trusted clock, and one whose clock is right, keep their times', async () => {
  await using rig = await openRuns();
  const { machine, device } = await loggerOf(rig, 'right');
  rig.start();
  const none = await rig.ended(await rig.upload(device, 'a.log', logOf(60, { logger: (s) => TRUE_S - 1_000 + s })));
  assert.equal(correctionOf(none), null);
  const right = { logger: (s: number) => TRUE_S + s + 0.3, gnss: (s: number) => TRUE_S + s };
  const run = await rig.ended(await rig.upload(device, 'b.log', logOf(60, right)));
  assert.deepEqual([correctionOf(run)?.clock, correctionOf(run)?.corrected_samples], ['gnss', 0]);
  assert.deepEqual(run.data.gaps, []);
  const { t } = await historyOf(rig, machine);
  assert.deepEqual(
    t,
    [-1_000, 0].flatMap((start) => Array.from({ length: 60 }, (_, s) => TRUE_S + start + s)),
  );
  const found = await lineageOf(rig, machine, 'engine.speed', TRUE_S);
  assert.deepEqual(
    [found?.sample?.origin.clock, found?.sample?.origin.correction_ms, found?.sample?.origin.uncertainty_ms],
    ['device', 0, null],
  );
});

test('[Q20] the Time/Date of a control unit corrects a log only if it is possible, steady and agreed', async () => {
  await using rig = await openRuns();
  rig.start();
  let n = 0;
  const judge = async (units: Clocks['units'], off_s = 7_200) => {
    const { machine, device } = await loggerOf(rig, `unit-${n++}`);
    const log = logOf(60, { logger: (s) => TRUE_S + s - off_s, ...(units === undefined ? {} : { units }) });
    const run = await rig.ended(await rig.upload(device, `${n}.log`, log));
    const { t } = await historyOf(rig, machine);
    return { run, correction: correctionOf(run), first_s: (t[0] ?? 0) - TRUE_S, seconds: t.length };
  };
  const right = (s: number) => timeDate(TRUE_S + s);
  const used = await judge({ '00': right });
  assert.deepEqual([used.correction?.clock, used.correction?.control_unit], ['j1939', { bus: 1, source_address: 0 }]);
  assert.deepEqual([used.first_s, used.seconds], [0, 60]);
  assert.match(
    used.run.data.gaps[0]?.message ?? '',
    /7200 s behind the time of the control unit at address 0 on bus 1 .* Nobody has checked/,
  );
  const withOffset = await judge({ '00': (s) => timeDate(TRUE_S + s, [125 + 30, 125 + 5]) });
  assert.deepEqual(
    [withOffset.correction?.clock, withOffset.first_s],
    ['j1939', 0],
    'the time is UTC beside an offset',
  );

  const local = await judge({ '00': (s) => timeDate(TRUE_S + s, [255, 255]) });
  assert.deepEqual([local.correction?.not_used_because, local.first_s], ['local_time', -7_200]);
  const isLocal = await judge({ '00': (s) => timeDate(TRUE_S + s, [125, 250]) });
  assert.deepEqual([isLocal.correction, isLocal.first_s], [null, -7_200]);
  const unset = await judge({ '00': (s) => timeDate(Date.parse('2000-01-01T00:00:00Z') / 1000 + s) });
  assert.deepEqual([unset.correction, unset.first_s], [null, -7_200], 'an impossible date is no reading');
  const old = await judge({ '00': (s) => timeDate(Date.parse('2020-06-01T00:00:00Z') / 1000 + s) });
  assert.deepEqual([old.correction?.not_used_because, old.first_s], ['not_set', -7_200]);
  const stopped = await judge({ '00': () => timeDate(TRUE_S) });
  assert.deepEqual([stopped.correction?.not_used_because, stopped.first_s], ['unstable', -7_200]);
  const two = await judge({ '00': right, '0B': (s) => timeDate(TRUE_S + s - 900) });
  assert.deepEqual([two.correction?.not_used_because, two.first_s], ['disagree', -7_200]);
  const near = await judge({ '00': right }, 19);
  assert.deepEqual([near.correction?.corrected_samples, near.first_s], [0, -19], 'a small difference shows nothing');
});

test('[I57] a moment that arrived live and in a file whose clock was corrected is in history once', async () => {
  await using rig = await openRuns();
  const { machine, device } = await loggerOf(rig, 'both');
  rig.start();
  const { site } = rig;
  const behind = { logger: (s: number) => TRUE_S + s - 19, gnss: (s: number) => TRUE_S + s };
  // Live: the first and the last 100 s of 300 s; nothing in between.
  for (const from of [0, 200])
    for (let s = from; s < from + 100; s += 10) {
      await site.at((TRUE_S + s + 10) * 1000, async () => {
        const payload = logOf(10, behind, s).toString();
        await site.send(device, 'can', payload, { received_at_ms: (TRUE_S + s + 10) * 1000 });
      });
    }
  await site.settle();
  site.time.pass(120_000);
  await site.stored();
  const live = await historyOf(rig, machine);
  assert.equal(live.t.length, 200);
  const run = await rig.ended(await rig.upload(device, 'a.log', logOf(300, behind)));
  const { t, v } = await historyOf(rig, machine);
  const seen = new Map<number, number>();
  for (const value of v) seen.set(value, (seen.get(value) ?? 0) + 1);
  assert.deepEqual(
    [...seen.values()].filter((count) => count > 1),
    [],
    'no moment is there twice',
  );
  // The live data after the outage occupies the last 19 s of the outage, and the slack of the comparison takes 2 s.
  assert.ok(t.length >= 300 - 19 - 2 && t.length <= 300, `${t.length} samples`);
  const counts = run.data.seed_graph?.counts;
  assert.equal((counts?.samples_added ?? 0) + (counts?.samples_known ?? 0), 300);
  assert.equal(counts?.samples_added, t.length - 200);
  const read = await site.ingest.readTelemetry({
    project_id: site.project,
    equipment_id: machine,
    signals: ['engine.speed'],
    from_ms: (TRUE_S - 60) * 1000,
    to_ms: (TRUE_S + 420) * 1000,
    step_s: 60,
    now_ms: site.time.ms,
  });
  const values = read.series[0]?.samples ?? 0;
  assert.ok(values > 250 && values <= 300, `${values} values in the minutes`);
});

test('[I57] a file that is decoded again, now with a trusted clock, adds no moment a second time, and the run says so', async () => {
  await using rig = await openRuns();
  rig.start();
  for (const behind_s of [19, -19]) {
    const { machine, device } = await loggerOf(rig, `again-${behind_s}`);
    await rig.site.call('devices_settings_update', { id: device.device, settings: { gnss_channels: null } });
    const clocks = { logger: (s: number) => TRUE_S + s - behind_s, gnss: (s: number) => TRUE_S + s };
    const artifact = await rig.upload(device, `${behind_s}.log`, logOf(120, clocks));
    assert.equal(correctionOf(await rig.ended(artifact)), null);
    const before = await historyOf(rig, machine);
    await rig.site.call('devices_settings_update', { id: device.device, settings: { gnss_channels: CHANNELS } });
    await rig.again(artifact);
    const run = await rig.ended(artifact);
    const { samples_added, samples_known } = run.data.seed_graph?.counts ?? {};
    assert.deepEqual([samples_added, samples_known], [0, 120]);
    assert.match(
      run.data.gaps[0]?.message ?? '',
      /Samples that history had already keep the times that they have there\.$/,
    );
    assert.deepEqual(await historyOf(rig, machine), before);
  }
});

test('[I57] parts of one file with and without a trusted clock do not hide each other', async () => {
  await using rig = await openRuns();
  const { machine, device } = await loggerOf(rig, 'parts');
  rig.start();
  // 100 s without GNSS time, then the clock is set back by 50 s, and the receiver finds the time: the logger is 19 s behind.
  const clocks = {
    logger: (s: number) => TRUE_S + s + (s < 100 ? 31 : -19),
    gnss: (s: number) => (s < 100 ? null : TRUE_S + s),
  };
  const run = await rig.ended(await rig.upload(device, 'a.log', logOf(200, clocks)));
  // The last second of the first part is the newest second, so it has no second sample.
  assert.equal(correctionOf(run)?.corrected_samples, 99);
  const { t, v } = await historyOf(rig, machine);
  const corrected = t.filter((_, i) => (v[i] as number) >= 900);
  // The first 31 s after the setting are seconds that the part before it has, by its wrong times.
  assert.deepEqual([corrected[0], corrected.length], [TRUE_S + 131, 69]);
});

test('[Q19] each sample of a real logger with GNSS is decoded again from its frame to the same number', {
  skip: withoutRecordings,
}, async (t) => {
  await using rig = await openRuns();
  const machine = await rig.machine('CAR-1');
  const device = await rig.device('7512BE4D', [['2024-01-01T00:00:00Z', machine]]);
  rig.start();
  await rig.ended(await rig.upload(device, '1.MF4', recording(GNSS_FILE)));
  let checked = 0;
  for (const signal of ['position.latitude', 'vehicle.speed'] as const) {
    const { t: seconds, v } = await historyOf(rig, machine, signal);
    assert.ok(seconds.length > 1_500);
    for (let i = 3; i < seconds.length; i += 300) {
      const found = await lineageOf(rig, machine, signal, seconds[i] as number);
      assert.equal(found?.status, 'found');
      assert.ok(Object.is(found?.values[0]?.value, v[i]), `${signal} ${seconds[i]}`);
      assert.equal(found?.sample?.origin.clock, 'gnss');
      const ahead_s = Date.parse(found?.frame?.observed_at ?? '') / 1000 - (seconds[i] as number);
      assert.ok(ahead_s > 7.5 && ahead_s < 9.9, `the frame is ${ahead_s} s ahead`);
      checked++;
    }
  }
  t.diagnostic(`${checked} samples of ${recordingPath(GNSS_FILE)} decoded again`);
});
