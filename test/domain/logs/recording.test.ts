import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { ClockCorrector } from '#domain/clock/clock-corrector.ts';
import { minutesOfSamples } from '#domain/history/minutes.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { encodeGroup, identifier } from '#domain/j1939/encode.ts';
import { createRecording, type RecordingSpan } from '#domain/logs/recording.ts';
import { decodeRecording, encodeRecording } from '#domain/logs/recording-message.ts';
import type { RecordingPart } from '#domain/logs/recording-share.ts';
import { gnssFrame, positionFrame } from '#test/domain/gnss/gnss-kit.ts';

const DAY = Date.parse('2026-11-20T06:00:00Z') * 1000;
const SECOND = 1_000_000;
const EVER: RecordingSpan = { from_us: Number.NEGATIVE_INFINITY, machine: 'eq_1' };

const open = (spans: readonly RecordingSpan[] = [EVER], received_us = DAY + 86_400 * SECOND) =>
  createRecording({ decoder: createDecoder(), device: 'dev_1', received_us, spans });

/** EEC1 with this raw engine speed. */
function speed(batch: FrameBatch, t: number, raw: number, sa = 0, bus = 1, flags = 0): void {
  const data = Uint8Array.of(0xff, 0xff, 0xff, raw & 0xff, raw >> 8, 0xff, 0xff, 0xff);
  batch.push(t, bus, 0x0cf00400 | sa, FRAME.extended | flags, data, 0, 8);
}

/** HOURS with this raw number. */
function hours(batch: FrameBatch, t: number, raw: number): void {
  const data = new Uint8Array(8).fill(0xff);
  new DataView(data.buffer).setUint32(0, raw, true);
  batch.push(t, 1, 0x18fee500, FRAME.extended, data, 0, 8);
}

const samplesOf = (parts: readonly RecordingPart[], signal: string) =>
  parts.flatMap(({ samples }) =>
    samples.filter((one) => one.signal === signal).flatMap(({ t, v }) => Array.from(t, (at, i) => [at * SECOND, v[i]])),
  );
const factsOf = (parts: readonly RecordingPart[], kind: string) =>
  parts.flatMap(({ facts }) => facts.filter(([one]) => one === kind));

test('[D95] the first value of each second is a sample; the newest of each source is a fact, with its place in the file', () => {
  const recording = open();
  const batch = new FrameBatch();
  for (let i = 0; i < 35; i++) speed(batch, DAY + i * 100_000, 8_000 + i);
  recording.decode(batch);
  batch.clear();
  for (let i = 35; i < 50; i++) speed(batch, DAY + i * 100_000, 8_000 + i);
  recording.decode(batch);
  const parts = recording.take(true);
  assert.deepEqual(
    samplesOf(parts, 'engine.speed'),
    [0, 1, 2, 3, 4].map((s) => [DAY + s * SECOND, (8_000 + s * 10) / 8]),
  );
  assert.deepEqual(
    factsOf(parts, 'value').map(([, , raw, value, t_us, bus, sa, frame]) => [raw, value, t_us, bus, sa, frame]),
    [[8_049, 8_049 / 8, DAY + 4_900_000, 1, 0, 49]],
  );
  assert.deepEqual(
    [recording.summary.frames, recording.summary.from_us, recording.summary.to_us],
    [50, DAY, DAY + 4_900_000],
  );
  assert.deepEqual(recording.take(true), [], 'nothing is handed over twice');
});

test('[D95] each change of a meter is a fact; a reading that is held is no sample', () => {
  const recording = open();
  const batch = new FrameBatch();
  [20_000, 20_000, 20_020, 900_000, 20_020, 20_040].forEach((raw, i) => {
    hours(batch, DAY + i * 60 * SECOND, raw);
  });
  recording.decode(batch);
  const parts = recording.take(true);
  assert.deepEqual(
    samplesOf(parts, 'engine.hours').map(([, value]) => value),
    [1_000, 1_000, 1_001, 1_001, 1_002],
  );
  assert.deepEqual(
    factsOf(parts, 'value').map(([, , raw]) => raw),
    [20_000, 20_020, 900_000, 20_020, 20_040, 20_040],
  );
});

test('[D96] what has no date, or one ahead of the receiver, is counted and becomes nothing', () => {
  const recording = open([EVER], DAY);
  const batch = new FrameBatch();
  speed(batch, 5 * SECOND, 8_000, 0, 1, FRAME.noTime);
  speed(batch, 6 * SECOND, 8_000);
  speed(batch, DAY + 3_600 * SECOND, 8_000);
  speed(batch, DAY - SECOND, 8_000);
  recording.decode(batch);
  assert.equal(samplesOf(recording.take(true), 'engine.speed').length, 1);
  assert.equal(recording.summary.undated, 3);
});

test('[D97] each reading belongs to the machine of its time, and parts come in the order of the recording', () => {
  const spans = [
    { from_us: Number.NEGATIVE_INFINITY, machine: 'eq_1' },
    { from_us: DAY + 10 * SECOND, machine: null },
    { from_us: DAY + 20 * SECOND, machine: 'eq_2' },
  ];
  const recording = open(spans);
  const parts: RecordingPart[] = [];
  for (let s = 0; s < 30; s++) {
    const batch = new FrameBatch();
    speed(batch, DAY + s * SECOND, 8_000);
    recording.decode(batch);
    parts.push(...recording.take());
  }
  parts.push(...recording.take(true));
  assert.deepEqual(
    parts.map((part) => [part.machine, samplesOf([part], 'engine.speed').length]),
    [
      ['eq_1', 10],
      [null, 10],
      ['eq_2', 10],
    ],
  );
  assert.deepEqual(Object.fromEntries(recording.summary.machines), { eq_1: 10, null: 10, eq_2: 10 });
});

test('[D97] parts are bounded whatever the frames: all buses and addresses, times that go to and fro, a code for each', () => {
  const recording = open([EVER, { from_us: DAY + 50 * SECOND, machine: 'eq_2' }]);
  const batch = new FrameBatch(4096);
  let largest = 0;
  let samples = 0;
  for (let round = 0; round < 30; round++) {
    batch.clear();
    for (let i = 0; i < 4096; i++)
      speed(batch, DAY + ((round * 7919 + i * 31) % 100) * SECOND, i % 60_000, i % 256, (round * 16 + (i >> 8)) % 256);
    recording.decode(batch);
    for (const part of recording.take(round === 29)) {
      largest = Math.max(largest, part.facts.length);
      samples += part.samples.reduce((sum, { t }) => sum + t.length, 0);
      for (const { t } of part.samples)
        for (let i = 1; i < t.length; i++) assert.ok((t[i] as number) > (t[i - 1] as number));
    }
  }
  assert.ok(largest <= 20_000 + 2_000 + 4_096, `${largest} facts in a part`);
  assert.ok(samples > 0 && samples <= 30 * 100);
});

test('[D95] a part is read as it was written, and what is none is undefined', () => {
  const sample = fc.record({
    t: fc.integer({ min: 0, max: 4_000_000_000 }),
    v: fc.double({ noNaN: true, noDefaultInfinity: true }),
  });
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 20 }), fc.string(), fc.option(fc.string()), (list, artifact, machine) => {
      const columns = { t: list.map(({ t }) => t), v: list.map(({ v }) => v), o: list.map((_, i) => i % 2) };
      const samples = [{ signal: 'engine.speed' as const, ...columns }];
      const origin = { bus: 1, sa: 0, pgn: 61_444, spn: 190, dbc: null };
      const origins = [origin, { ...origin, sa: null, dbc: 'dbc_1 EEC1.EngineSpeed' }];
      const facts = list.map(({ t: at, v }) => ['value', 1, 2, v, at, 1, 0, 7] as const);
      const message = {
        artifact,
        run: 'run_1',
        machine,
        facts: facts.filter(([, , , v]) => Number.isFinite(v) && !Object.is(v, -0)),
        samples,
        minutes: samples.map(({ v, ...rest }) => minutesOfSamples({ ...rest, v: v.map((value) => value % 1e6) })),
        states: [{ signal: 'engine.speed' as const, from: [5], to: [9], state: [1], o: [0] }],
        origins,
      };
      assert.deepEqual(decodeRecording(encodeRecording(message)), message);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.equal(decodeRecording(bytes), undefined);
    }),
  );
  const good = encodeRecording({
    artifact: 'a',
    run: 'r',
    machine: null,
    states: [],
    facts: [],
    samples: [],
    minutes: [],
    origins: [],
  });
  for (let cut = 0; cut < good.length; cut++) assert.equal(decodeRecording(good.subarray(0, cut)), undefined);
});

test('[D184] in a recording with both, samples come from the position of the machine and facts from both sources', () => {
  const received_us = DAY + 86_400 * SECOND;
  const gnss = [{ bus: 9, frames: 'canedge_internal' as const }];
  const recording = createRecording({ decoder: createDecoder(), gnss, device: 'dev_1', received_us, spans: [EVER] });
  const batch = new FrameBatch();
  const payload = positionFrame(20.5, 30.5);
  for (let s = 0; s < 200; s++) {
    batch.push(DAY + s * SECOND, 9, 0x067, 0, payload, 0, 8);
    const own = encodeGroup(65267, { 584: 40.25, 585: 50.25 });
    // The machine stops to send its position after a minute.
    if (s < 60) batch.push(DAY + s * SECOND + 1, 1, identifier(6, 65267, 3), FRAME.extended, own, 0, own.length);
  }
  recording.decode(batch);
  const parts = recording.take(true);
  const latitudes = samplesOf(parts, 'position.latitude').map(([, value]) => value);
  assert.equal(latitudes[0], 20.5, 'the only source so far');
  assert.deepEqual(latitudes.slice(1, 60), new Array(59).fill(40.25));
  assert.deepEqual(latitudes.slice(-70), new Array(70).fill(20.5), 'the machine has sent none for 60 s');
  const told = factsOf(parts, 'value').map(([, , , value, , bus, sa]) => [value, bus, sa]);
  assert.deepEqual(
    told.sort(([a], [b]) => Number(a) - Number(b)),
    [
      [20.5, 9, -1],
      [30.5, 9, -1],
      [40.25, 1, 3],
      [50.25, 1, 3],
    ],
  );
  assert.equal(recording.summary.gnss?.positions, 200);
});

test('[D184] GNSS frames without a date give no value, and their clock is not compared', () => {
  const received_us = DAY + 86_400 * SECOND;
  const gnss = [{ bus: 9, frames: 'canedge_internal' as const }];
  const recording = createRecording({ decoder: createDecoder(), gnss, device: 'dev_1', received_us, spans: [EVER] });
  const batch = new FrameBatch();
  batch.push(SECOND, 9, 0x067, FRAME.noTime, positionFrame(20.5, 30.5), 0, 8);
  batch.push(SECOND, 9, 0x066, FRAME.noTime, gnssFrame(1, { timeValid: 1, timeConfirmed: 1, epoch: 1 }), 0, 6);
  recording.decode(batch);
  assert.deepEqual(recording.take(true), []);
  assert.deepEqual([recording.summary.gnss?.positions, recording.summary.gnss?.clock], [1, null]);
});

test('[D201] the times of a recording are corrected before anything else, and the origins of its samples say so', () => {
  const stretch = {
    ...{ from: 2, to: 6, readings: 9, window_us: 60 * SECOND, drift: 0, uncertainty_us: 400_000, doubts: [] },
    knots: [{ t_us: DAY + 3_600 * SECOND, ahead_us: 3_600 * SECOND }],
  };
  const clock = new ClockCorrector('gnss', [stretch]);
  const recording = createRecording({
    ...{ decoder: createDecoder(), device: 'dev_1', clock, received_us: DAY + 1_800 * SECOND },
    spans: [EVER, { from_us: DAY + 3 * SECOND, machine: 'eq_2' }],
  });
  const batch = new FrameBatch();
  // Two frames before the clock was set ahead by an hour, and four after it; their reported times are in the future.
  for (let s = 0; s < 6; s++) speed(batch, DAY + (s < 2 ? s : s + 3_600) * SECOND, 8_000 + s);
  recording.decode(batch);
  const parts = recording.take(true).map((part) => {
    const message = decodeRecording(encodeRecording({ artifact: 'art_1', run: 'run_1', ...part }));
    assert.ok(message !== undefined);
    return message;
  });
  assert.deepEqual(
    samplesOf(parts, 'engine.speed'),
    [0, 1, 2, 3, 4, 5].map((s) => [DAY + s * SECOND, 1_000 + s / 8]),
  );
  const corrected = { clock: 'gnss', correction_ms: -3_600_000, uncertainty_ms: 500 };
  const clocks = parts.map(({ machine, samples, origins }) => [
    machine,
    ...(samples[0]?.o.map((o) => origins[o]?.clock ?? null) ?? []),
  ]);
  assert.deepEqual(
    clocks.sort(),
    [
      ['eq_1', null, null, corrected],
      ['eq_2', corrected, corrected, corrected],
    ],
    'the link of the device counts by the corrected time',
  );
  assert.deepEqual([recording.summary.corrected, recording.summary.undated], [4, 0]);
});
