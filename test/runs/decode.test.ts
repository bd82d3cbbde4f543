/** Files become numbers: once, for the right machine, and nothing lives by them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCanPayload } from '#codec/can-payload.ts';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';
import { dm1, hours, running, speed } from '#test/ingest/frames.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { openRuns, type RunsRig } from './rig.ts';

const at = (text: string) => Date.parse(text);
const MORNING = at('2026-11-20T06:00:00Z');
const bytes = (text: string) => Buffer.from(text);

/** Everything that could change: facts, the device, events, segments with their revisions. */
async function everything(rig: RunsRig, machine: string, device: string) {
  const view = rig.site.store.view(rig.site.project);
  const find = (collection: 'events' | 'telemetry', object: string) =>
    view.find(collection, { object, order: 'asc', limit: 1_000 });
  const { metrics: _, ...live } = rig.site.ingest.live.device(device) ?? { metrics: null };
  return structuredClone({
    machine: rig.site.ingest.live.equipment(machine),
    device: live,
    events: await find('events', 'event'),
    segments: await find('telemetry', 'segment'),
  });
}

async function history(rig: RunsRig, machine: string, from = 0, to = at('2030-01-01T00:00:00Z')) {
  const found: Partial<Record<SignalName, { t: number[]; v: number[] }>> = {};
  for (const signal of SIGNAL_NAMES) {
    const one = await rig.site.ingest.history(machine, signal, from, to);
    if (one.t.length > 0) found[signal] = one;
  }
  return found;
}

async function segmentsOf(rig: RunsRig): Promise<number> {
  return (await rig.site.store.view(rig.site.project).find('telemetry', { object: 'segment', limit: 1_000 })).length;
}

/** Ten minutes of a machine: two control units that tell of the engine, a meter, and a code that comes and goes. */
function tenMinutes(from: number): string {
  let text = '';
  for (let s = 0; s < 600; s++) {
    for (let tenth = 0; tenth < 10; tenth++) {
      const t = from + s * 1000 + tenth * 100;
      text += speed(t + 7, 700 + ((s * 13 + tenth) % 900), 1);
      if (s % 120 < 90) text += speed(t + 20, 800 + ((s * 7 + tenth) % 700), 0);
    }
    if (s % 60 === 5) text += hours(from + s * 1000 + 50, 1000 + s / 3600);
    text += dm1(from + s * 1000 + 60, s > 200 && s < 400 ? 110 : 0, s > 200 && s < 400 ? 3 : 0);
  }
  return text;
}

test('[Q8] a recording of 2021 sets meters as of then, and nothing becomes live; each number leads to its frame', {
  skip: withoutRecordings,
}, async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('jd', [['2026-01-01T00:00:00Z', machine]]);
  const file = recording('candump/FCBF0606-jd6130.candump.log');
  rig.start();
  const artifact = await rig.upload(device, 'FCBF0606.log', file);
  const run = await rig.ended(artifact);
  assert.equal(run.data.status, 'completed');
  assert.equal(run.data.seed_graph?.counts.frames, 1815);
  const live = rig.site.ingest.live.equipment(machine);
  assert.deepEqual([live?.live_status, live?.last_live_data_at], ['unknown', null]);
  const known = live?.values['engine.hours'];
  assert.deepEqual(
    [known?.value, known?.observed_at, known?.run_id, known?.device_id],
    [219.2, '2021-06-01T11:46:51.305Z', run.id, device.device],
  );
  const [file_id, frame = ''] = known?.ref?.split('#') ?? [];
  assert.equal(file_id, artifact);
  const frames = new FrameBatch();
  decodeCanPayload(file, 0, frames);
  assert.equal((frames.id[Number(frame)] as number) & 0xffff00, 0xfee500, 'the frame is HOURS');
  assert.equal(Buffer.from(frames.payload(Number(frame))).readUInt32LE(0), known?.raw);
  const speeds = await rig.site.ingest.history(machine, 'engine.speed', at('2021-06-01'), at('2021-06-02'));
  assert.ok(speeds.t.length > 50 && speeds.v.every((rpm) => rpm === 0));
  const bus = rig.site.ingest.live.device(device.device)?.state.bus as Record<string, unknown>;
  assert.deepEqual([bus.vin, bus.frames], ['1L06130RELP969468', 0], 'who it is, and no live traffic');
});

test('[Q7] the same file again, by the same task or another, changes nothing', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
  rig.start();
  const text = bytes(tenMinutes(MORNING));
  const artifact = await rig.upload(device, 'a.log', text);
  const first = await rig.ended(artifact);
  const made = first.data.seed_graph?.counts.samples ?? 0;
  assert.ok(made > 400);
  assert.deepEqual(first.data.seed_graph?.counts, {
    frames: first.data.seed_graph?.counts.frames,
    samples: made,
    samples_added: made,
    samples_known: 0,
  });
  const before = await everything(rig, machine, device.device);
  assert.deepEqual(
    before.events.filter(({ data }) => String(data.type).startsWith('dtc.')).map(({ data }) => data.type),
    ['dtc.activated', 'dtc.cleared'],
  );
  assert.ok(before.segments.length > 0);
  await rig.again(artifact);
  const second = await rig.ended(artifact);
  assert.notEqual(second.id, first.id);
  assert.deepEqual(second.data.seed_graph?.counts.samples_known, made);
  assert.deepEqual(await everything(rig, machine, device.device), before);
  const other = await rig.upload(device, 'b.log', text);
  assert.equal((await rig.ended(other)).data.seed_graph?.counts.samples_added, 0);
  assert.deepEqual(await everything(rig, machine, device.device), before);
});

for (const order of ['live, then the file', 'the file, then live'] as const) {
  test(`[Q7] [I39] what came both ways is in history once: ${order}`, async () => {
    await using rig = await openRuns();
    const machine = await rig.machine('TR-1');
    const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
    rig.start();
    const text = tenMinutes(MORNING);
    const live = async () => {
      const lines = text.split('\n');
      for (let i = 0; i < lines.length; i += 200)
        await rig.site.send(device, 'can', lines.slice(i, i + 200).join('\n'));
      await rig.site.settle();
      rig.site.time.pass(61_000);
      await rig.site.settle();
      await rig.site.ingest.settled();
    };
    const file = async () => (await rig.ended(await rig.upload(device, 'a.log', bytes(text)))).data.seed_graph?.counts;
    if (order === 'live, then the file') {
      await live();
      const before = { history: await history(rig, machine), segments: await segmentsOf(rig) };
      const counts = await file();
      assert.deepEqual(
        { history: await history(rig, machine), segments: await segmentsOf(rig) },
        before,
        'a file that says what was said',
      );
      assert.equal(counts?.samples_added, 0);
      assert.equal(counts?.samples_known, counts?.samples);
    } else {
      const counts = await file();
      const before = { history: await history(rig, machine), segments: await segmentsOf(rig) };
      await live();
      await rig.site.restart();
      assert.deepEqual({ history: await history(rig, machine), segments: await segmentsOf(rig) }, before);
      const stored = Object.values(before.history).reduce((sum, { t }) => sum + t.length, 0);
      assert.equal(counts?.samples_added, stored);
    }
  });
}

test('[D95] a file gives the history that it would have given live', async () => {
  await using rig = await openRuns();
  const [live, filed] = [await rig.machine('TR-1'), await rig.machine('TR-2')];
  const first = await rig.device('live', [['2026-01-01T00:00:00Z', live]]);
  const second = await rig.device('file', [['2026-01-01T00:00:00Z', filed]]);
  const text = tenMinutes(MORNING);
  rig.site.time.ms = MORNING;
  for (const line of text.split(/(?<=\n)(?=\([0-9]+\.[0-9]{6}\) can0 0CF00401)/)) {
    const t = Number(/\((\d+\.\d+)\)/.exec(line)?.[1] ?? 0) * 1000;
    rig.site.time.pass(Math.max(0, t - rig.site.time.ms + 100));
    void rig.site.send(first, 'can', line);
  }
  await rig.site.settle();
  rig.start();
  await rig.ended(await rig.upload(second, 'a.log', bytes(text)));
  const [one, other] = [await history(rig, live), await history(rig, filed)];
  assert.deepEqual(Object.keys(other).sort(), ['engine.hours', 'engine.speed']);
  assert.deepEqual(other, one);
  const { values, dtc_counts } = rig.site.ingest.live.equipment(filed) ?? {};
  const expected = rig.site.ingest.live.equipment(live);
  assert.equal(values?.['engine.hours']?.value, expected?.values['engine.hours']?.value);
  assert.equal(values?.['engine.speed']?.observed_at, expected?.values['engine.speed']?.observed_at);
  assert.deepEqual(dtc_counts, expected?.dtc_counts);
});

test('[Q6] each reading counts for the machine of its time; before the first link for the first; on none for none', async () => {
  await using rig = await openRuns();
  const [a, b] = [await rig.machine('TR-1'), await rig.machine('TR-2')];
  const hour = 3_600_000;
  const iso = (ms: number) => new Date(ms).toISOString();
  const device = await rig.device('logger', [
    [iso(MORNING), a],
    [iso(MORNING + hour), null],
    [iso(MORNING + 2 * hour), b],
  ]);
  rig.start();
  const text = [-hour / 2, hour / 2, 1.5 * hour, 2.5 * hour].map((ms) => running(MORNING + ms, 20)).join('');
  const run = await rig.ended(await rig.upload(device, 'a.log', bytes(text)));
  const times = async (machine: string) => (await history(rig, machine))['engine.speed']?.t ?? [];
  const seconds = (ms: number) => Array.from({ length: 21 }, (_, i) => (MORNING + ms) / 1000 + i);
  assert.deepEqual(await times(a), [...seconds(-hour / 2), ...seconds(hour / 2)]);
  assert.deepEqual(await times(b), seconds(2.5 * hour));
  assert.equal(
    rig.site.ingest.live.equipment(a)?.values['engine.speed']?.observed_at,
    iso(MORNING + hour / 2 + 20_000),
  );
  assert.deepEqual(
    run.data.gaps.map(({ code, resource }) => [code, resource]),
    [['no_equipment_match', 'device']],
  );
  assert.deepEqual([...(run.data.output?.updated.equipment ?? [])].sort(), [a, b].sort());
  assert.match(run.data.output?.summary ?? '', /84 samples of 1 signal for TR-1, TR-2; 63 new in history\.$/);
});

test('[Q6] a device that was never linked tells who the machine is, and its log can be decoded later', {
  skip: withoutRecordings,
}, async () => {
  await using rig = await openRuns();
  const device = await rig.device('jd');
  rig.start();
  const artifact = await rig.upload(device, 'a.log', recording('candump/FCBF0606-jd6130.candump.log'));
  const run = await rig.ended(artifact);
  assert.deepEqual(
    run.data.gaps.map(({ code }) => code),
    ['no_equipment_match'],
  );
  assert.equal(run.data.seed_graph?.counts.samples_added, 0);
  const { observation } = rig.site.ingest.live.device(device.device) ?? {};
  assert.equal(observation?.signals['engine.hours']?.value, 219.2);
  assert.equal(observation?.late, true);
  const machine = await rig.machine('TR-1', '1L0-OTHER');
  await rig.link(device, machine);
  await rig.again(artifact);
  const second = await rig.ended(artifact);
  assert.equal(second.data.seed_graph?.counts.samples_added, second.data.seed_graph?.counts.samples);
  assert.deepEqual(
    second.data.gaps.map(({ code, ref }) => [code, ref]),
    [['vin_differs', machine]],
  );
});

test('[Q9] frames without a date make no number, lines that are none are counted, and both are told', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
  rig.start();
  const undated = running(0, 5).replaceAll(/\((\d+\.\d+)\)/g, '($1)');
  const first = await rig.ended(await rig.upload(device, 'relative.log', bytes(undated)));
  assert.deepEqual([first.data.status, first.data.seed_graph?.counts.samples], ['completed', 0]);
  assert.deepEqual(
    first.data.gaps.map(({ code }) => code),
    ['recording_undated'],
  );
  assert.deepEqual(rig.site.ingest.live.equipment(machine)?.values ?? {}, {});
  const mixed = `${running(MORNING, 5)}this is no frame\nnor is this\n${running(MORNING + 10_000, 5)}`;
  const second = await rig.ended(await rig.upload(device, 'mixed.log', bytes(mixed)));
  assert.equal(second.data.seed_graph?.counts.samples_added, 12);
  assert.match(second.data.gaps[0]?.message ?? '', /^2 lines or records could not be read/);
});

test('[Q10] a file that gives nothing fails by name, and tells no path', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
  rig.start();
  const noise = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) % 251));
  const ended = await rig.ended(await rig.upload(device, 'noise.mf4', noise));
  assert.deepEqual([ended.data.status, ended.data.error?.code], ['failed', 'recording_unreadable']);
  assert.match(ended.data.error?.message ?? '', /noise\.mf4/);
  assert.ok(!JSON.stringify(ended.data).includes(rig.site.folder));
  const gone = await rig.upload(device, 'gone.log', bytes(running(MORNING, 5)));
  await rig.ended(gone);
  await rig.lose(gone);
  await rig.again(gone);
  assert.equal((await rig.ended(gone)).data.error?.code, 'recording_missing');
});

test('[I40] parts that were journalled and not committed when the process died are in history once', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
  await rig.site.restart({ ingest: { commitMs: 3_600_000 } });
  // Settled by nobody: what is accepted is in the journal alone.
  rig.start({ settled: async () => {} });
  const text = bytes(tenMinutes(MORNING));
  const artifact = await rig.upload(device, 'a.log', text);
  const run = await rig.ended(artifact);
  await rig.site.settle();
  const before = await history(rig, machine);
  await rig.stop();
  await rig.site.restart({ crash: true });
  await rig.site.settle();
  assert.deepEqual(await history(rig, machine), before);
  assert.equal(
    (await history(rig, machine))['engine.speed']?.t.length,
    run.data.output?.details?.signals?.['engine.speed' as never],
  );
  await rig.site.restart();
  const segments = await segmentsOf(rig);
  rig.start();
  await rig.again(artifact);
  assert.equal((await rig.ended(artifact)).data.seed_graph?.counts.samples_added, 0);
  assert.deepEqual([await history(rig, machine), await segmentsOf(rig)], [before, segments]);
});

test('[Q1] [Q9] every form of one log gives the same numbers: MF4, zipped, compressed, locked; a cut one gives its part and says so', {
  skip: withoutRecordings,
}, async () => {
  await using rig = await openRuns();
  const passwords = async () => ['wrong', 'test-password'];
  rig.start({ passwords });
  const forms = [
    'candump/FCBF0606-jd6130.candump.log',
    'mf4/FCBF0606_00003482_00000001-60B621D9.MF4',
    'mf4/FCBF0606.asammdf-sorted-c1.mf4',
    'mfc/FCBF0606.synthetic-w512.MFC',
    'mfc/FCBF0606.synthetic.MFE',
  ];
  const found: unknown[] = [];
  for (const [i, form] of forms.entries()) {
    const machine = await rig.machine(`TR-${i}`);
    const device = await rig.device(`jd-${i}`, [['2026-01-01T00:00:00Z', machine]]);
    const run = await rig.ended(await rig.upload(device, form.split('/')[1] ?? '', recording(form)));
    const { status, seed_graph, gaps } = run.data;
    const { values } = rig.site.ingest.live.equipment(machine) ?? {};
    const facts = Object.fromEntries(
      Object.entries(values ?? {}).map(([name, { value, observed_at, raw }]) => [name, [value, observed_at, raw]]),
    );
    found.push({ status, counts: seed_graph?.counts, gaps, facts, history: await history(rig, machine) });
  }
  for (const one of found) assert.deepEqual(one, found[0]);
  const machine = await rig.machine('TR-CUT');
  const device = await rig.device('cut', [['2026-01-01T00:00:00Z', machine]]);
  const cut = await rig.ended(await rig.upload(device, 'cut.MF4', recording('mf4/FCBF0606.truncated-mid-record.MF4')));
  assert.deepEqual([cut.data.status, cut.data.seed_graph?.counts.frames], ['completed', 903]);
  assert.deepEqual(
    cut.data.gaps.map(({ code }) => code),
    ['recording_cut'],
  );
});

test('[Q10] a locked log without its password fails by name; with it the same task is completed', {
  skip: withoutRecordings,
}, async () => {
  await using rig = await openRuns();
  const known: string[] = [];
  rig.start({ passwords: async () => known });
  const machine = await rig.machine('TR-1');
  const device = await rig.device('jd', [['2026-01-01T00:00:00Z', machine]]);
  const artifact = await rig.upload(device, 'a.MFE', recording('mfc/FCBF0606.synthetic.MFE'));
  for (const password of ['wrong', 'test-password']) {
    const { status, error } = (await rig.ended(artifact)).data;
    assert.deepEqual([status, error?.code], ['failed', 'recording_locked']);
    known.push(password);
    await rig.again(artifact);
  }
  assert.equal((await rig.ended(artifact)).data.seed_graph?.counts.frames, 1815);
});

test('[Q8] [Q9] trouble codes of an old recording are dated by it, and told in the log once', {
  skip: withoutRecordings,
}, async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('idle', [['2026-01-01T00:00:00Z', machine]]);
  rig.start();
  const artifact = await rig.upload(device, '1.MF4', recording('mf4/11111111_00000012_00000001.MF4'));
  const run = await rig.ended(artifact);
  assert.equal(run.data.seed_graph?.counts.frames, 57_849);
  const codes = run.data.output?.details?.trouble_codes as { spn: number; fmi: number }[];
  assert.deepEqual(codes.map(({ spn, fmi }) => [spn, fmi]).sort(), [
    [3216, 20],
    [609, 12],
    [609, 9],
    [980, 9],
  ]);
  const { from, to } = run.data.output?.details ?? {};
  const events = await rig.site.store
    .view(rig.site.project)
    .find<{ type: string; occurred_at: string; context: { run_id: string; media: string[] } }>('events', {
      object: 'event',
      where: { 'data.subject.id': machine, 'data.type': 'dtc.activated' },
      limit: 100,
    });
  assert.equal(events.length, 4);
  for (const { data } of events) {
    assert.ok(data.occurred_at >= String(from) && data.occurred_at <= String(to));
    assert.deepEqual([data.context.run_id, data.context.media], [run.id, [artifact]]);
  }
  const live = rig.site.ingest.live.equipment(machine);
  assert.deepEqual([live?.live_status, live?.dtc_counts?.active, live?.dtc_counts?.mil], ['unknown', 4, 1]);
  assert.deepEqual(
    [live?.values['vehicle.odometer']?.value, live?.values['engine.fuel_rate']?.value],
    [13_832.875, 2.65],
  );
});

test('[Q9] a log of another protocol is read, and says that it has no numbers', {
  skip: withoutRecordings,
}, async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('obd', [['2026-01-01T00:00:00Z', machine]]);
  rig.start();
  const run = await rig.ended(
    await rig.upload(device, '1.MF4', recording('mf4/17BD1DB7_00000006_00000170.obd2-11bit.MF4')),
  );
  assert.deepEqual([run.data.status, run.data.seed_graph?.counts.frames], ['completed', 2010]);
  assert.equal(run.data.seed_graph?.counts.samples, 0);
  assert.match(run.data.output?.summary ?? '', /0 samples of 0 signals for no machine/);
});

/** A message of a maker's own, mapped: hydraulic temperature in °C, 11-bit; and a fuel level by a J1939 group of its own. */
const DBC = `VERSION ""
BU_: ECU
BO_ 291 Body: 8 ECU
 SG_ OilTemp : 0|16@1- (0.1,0) [0|200] "degC" ECU
BO_ 2566848510 Tank: 8 ECU
 SG_ Level : 0|8@1+ (0.5,0) [0|100] "%" ECU
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_ "VFrameFormat" "StandardCAN";
BA_ "VFrameFormat" BO_ 2566848510 3;
`;

test('[Q11] a file is decoded by the DBC files that are active for its device, as live frames are', async () => {
  await using rig = await openRuns();
  const [live, filed, other] = [await rig.machine('TR-1'), await rig.machine('TR-2'), await rig.machine('TR-3')];
  const linked = (machine: string) => [['2026-01-01T00:00:00Z', machine]] as const;
  const first = await rig.device('live', linked(live));
  const second = await rig.device('file', linked(filed));
  const third = await rig.device('other', linked(other));
  const mapping = [
    { message: 'Body', signal: 'OilTemp', to: 'vehicle.hydraulic_temperature', unit: null, preferred: true },
    { message: 'Tank', signal: 'Level', to: 'fuel.level', unit: null, preferred: false },
  ];
  const { id: dbc } = await rig.site.call('dbc_import', { name: 'maker', text: DBC, mapping });
  await rig.site.call('dbc_activate', { id: dbc, device_ids: [first.device, second.device] });
  let text = '';
  for (let s = 0; s < 120; s++) {
    const t = MORNING + s * 1000;
    const heat =
      s === 60
        ? 'FF7F'
        : Buffer.from(Int16Array.of(400 + s).buffer)
            .toString('hex')
            .toUpperCase();
    text += `(${(t / 1000).toFixed(6)}) can1 123#${heat}000000000000\n`;
    text += `(${(t / 1000 + 0.01).toFixed(6)}) can0 18FEFF2A#${(200 - s).toString(16).padStart(2, '0').toUpperCase()}FFFFFFFFFFFFFF\n`;
  }
  rig.site.time.ms = MORNING + 120_000;
  await rig.site.send(first, 'can', text);
  await rig.site.settle();
  rig.start();
  const run = await rig.ended(await rig.upload(second, 'a.log', bytes(text)));
  const unmapped = await rig.ended(await rig.upload(third, 'b.log', bytes(text)));
  const [one, two] = [await history(rig, live), await history(rig, filed)];
  assert.deepEqual(Object.keys(two).sort(), ['fuel.level', 'vehicle.hydraulic_temperature']);
  assert.deepEqual(two, one);
  assert.deepEqual(await history(rig, other), {});
  assert.deepEqual(
    run.data.gaps.map(({ code }) => code),
    ['recording_implausible'],
  );
  assert.equal(unmapped.data.seed_graph?.counts.samples, 0);
  const values = (machine: string) => rig.site.ingest.live.equipment(machine)?.values ?? {};
  for (const signal of ['fuel.level', 'vehicle.hydraulic_temperature'] as const) {
    const {
      run_id: _,
      ref: __,
      received_at: ___,
      device_id: ____,
      ...expected
    } = values(live)[signal] ?? assert.fail();
    const { run_id, ref, received_at: _____, device_id: ______, ...found } = values(filed)[signal] ?? assert.fail();
    assert.deepEqual(found, expected);
    assert.equal(run_id, run.id);
    assert.match(ref ?? '', /^art_\w+#2\d\d$/);
  }
});

test('[Z29] live data beside a log file does not change the statistics of the file when its parts are sealed together', async () => {
  const counts: unknown[] = [];
  // The two hours before the clock of the site, so that file and live data share an hour.
  const start = at('2026-11-21T06:00:00Z');
  for (const isLive of [false, true]) {
    await using rig = await openRuns();
    const { site } = rig;
    const machine = await rig.machine('TR-1');
    const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
    // The first live message comes before the parts of the file in the journal, the last one after them.
    const live = async () => {
      if (!isLive) return;
      await site.send(
        device,
        'telemetry',
        JSON.stringify({ observed_at: '2026-11-21T07:59:00Z', values: { 'fuel.level': 50 } }),
      );
      await site.settle();
    };
    await live();
    rig.start();
    // Two hours are several parts, which begin in the middle of a minute.
    const text = Array.from({ length: 12 }, (_, i) => tenMinutes(start + i * 600_000)).join('');
    await rig.ended(await rig.upload(device, 'a.log', bytes(text)));
    await live();
    site.time.pass(120_000);
    await site.stored();
    site.time.pass(600_000);
    const compaction = createHistoryCompaction({
      store: site.store,
      clock: () => site.time.ms,
      breathe: async () => {},
      log: () => {},
    });
    const signals = ['engine.speed'] as const;
    const range = { from_ms: start, to_ms: start + 7_200_000, now_ms: start + 7_200_000 };
    const of = { project_id: site.project, equipment_id: machine, signals, ...range, step_s: 60 };
    const read = async () => (await site.ingest.readTelemetry(of)).series[0];
    const before = await read();
    while ((await compaction.run()) > 0);
    const after = await read();
    assert.ok((after?.samples ?? 0) > 50_000, `${after?.samples} values`);
    assert.deepEqual(after?.count, before?.count);
    counts.push(after?.count);
  }
  assert.deepEqual(counts[1], counts[0]);
});
