/** What is found in a log, frame by frame. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCandump } from '#codec/candump.ts';
import { createRelativeTimes } from '#codec/times.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { encodeGroup, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { extractRaw, physicalOf, valueState } from '#domain/j1939/signals.ts';
import { ParameterSurvey } from '#domain/logs/log-parameters.ts';
import { MAX_BINS, Series } from '#domain/logs/log-series.ts';
import { createLogSurvey } from '#domain/logs/log-survey.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

const START = Date.UTC(2026, 5, 1, 6, 30) * 1000;

test('[D160] first, last, least and most value and the states of every parameter are those of the slow way', () => {
  const groups = [...new Set(PARAMETERS.map((row) => row.pgn))];
  const frame = fc.record({
    pgn: fc.constantFrom(...groups),
    sa: fc.constantFrom(0, 3),
    data: fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc
        .array(fc.constantFrom(0, 0x7f, 0xfa, 0xfb, 0xfe, 0xff), { minLength: 8, maxLength: 8 })
        .map((bytes) => Uint8Array.from(bytes)),
    ),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 30 }), (frames) => {
      const survey = new ParameterSurvey();
      for (const [i, { pgn, sa, data }] of frames.entries()) survey.take(pgn, sa, 1, START + i, data, 0, data.length);
      const found = survey.found();
      const said = new Map(found.map((one) => [`${one.row.pgn} ${one.row.spn} ${one.sa}`, one]));
      for (const row of PARAMETERS)
        for (const sa of [0, 3]) {
          const heard = frames.flatMap(({ pgn, sa: from, data }, i) => {
            const raw = pgn === row.pgn && from === sa ? extractRaw(row, data, data.length) : undefined;
            return raw === undefined
              ? []
              : [{ t_us: START + i, state: valueState(raw, row.bits), value: physicalOf(row, raw) }];
          });
          const valid = heard.filter(({ state }) => state === 'valid');
          const one = said.get(`${row.pgn} ${row.spn} ${sa}`);
          const errors = heard.filter(({ state }) => state === 'error').length;
          if (valid.length === 0 && errors === 0) {
            assert.equal(one, undefined);
            continue;
          }
          assert.ok(one);
          assert.deepEqual([one.valid, one.error], [valid.length, errors], `SPN ${row.spn}`);
          assert.equal(one.unavailable, heard.filter(({ state }) => state === 'unavailable').length);
          assert.equal(one.first?.value, valid[0]?.value);
          assert.deepEqual([one.last?.value, one.last?.t_us], [valid.at(-1)?.value, valid.at(-1)?.t_us]);
          assert.equal(one.min, valid.length === 0 ? null : Math.min(...valid.map(({ value }) => value)));
          assert.equal(one.max, valid.length === 0 ? null : Math.max(...valid.map(({ value }) => value)));
        }
    }),
  );
});

test('[D161] a course of any length has at most 512 bins, and loses neither a count nor an extreme', () => {
  const value = fc.record({ gap: fc.integer({ min: 0, max: 5_000_000 }), value: fc.integer({ min: -50, max: 50 }) });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 2_000 }), (values) => {
      const series = new Series(1_000);
      let t = START;
      for (const one of values) {
        t += one.gap;
        series.add(t, one.value);
      }
      const course = series.course();
      assert.ok(course && course.count.length <= MAX_BINS);
      assert.equal(
        course.count.reduce((sum, n) => sum + n, 0),
        values.length,
      );
      const heard = course.count.flatMap((n, i) => (n > 0 ? [[course.min[i], course.max[i]] as [number, number]] : []));
      assert.equal(Math.min(...heard.map(([low]) => low)), Math.min(...values.map((one) => one.value)));
      assert.equal(Math.max(...heard.map(([, high]) => high)), Math.max(...values.map((one) => one.value)));
      assert.ok(course.bin_us * course.count.length >= t - course.from_us);
    }),
    { numRuns: 50 },
  );
});

test('[D162] buses, pauses, short identifiers and engine speed of a log that is made by hand', () => {
  const batch = new FrameBatch();
  const speed = (rpm: number | null) => encodeGroup(61_444, { 190: rpm });
  for (let i = 0; i < 100; i++) pushFrame(batch, START + i * 10_000, 1, identifier(3, 61_444, 0), speed(800 + i));
  pushFrame(batch, START + 60e6, 1, identifier(3, 61_444, 0), speed(null));
  batch.push(START + 60e6 + 1, 2, 0x7e8, 0, Uint8Array.of(1, 2), 0, 2);
  batch.push(START + 60e6 + 2, 2, 0x80, FRAME.error, Uint8Array.of(), 0, 0);
  batch.push(START + 60e6 + 3, 2, 5, FRAME.fd, new Uint8Array(12), 0, 12);
  batch.push(START + 60e6 + 4, 2, 5, FRAME.remote | FRAME.transmitted, Uint8Array.of(), 0, 0);
  const survey = createLogSurvey();
  survey.take(batch);
  const found = survey.result();
  assert.deepEqual([found.frames, found.first_us, found.last_us, found.undated], [105, START, START + 60e6 + 4, 0]);
  assert.deepEqual(found.pauses, { count: 1, longest: { from_us: START + 990_000, length_us: 59_010_000 } });
  const [engine, other] = found.buses;
  assert.deepEqual([engine?.bus, engine?.frames, engine?.extended], [1, 101, 101]);
  // 100 of the 101 full frames lie in one second; a full frame of traffic has some 143.5 bits.
  assert.ok(Math.abs((engine?.busiest_bits ?? 0) / 100 - 143.5) < 1, String(engine?.busiest_bits));
  const { standard, errors, fd, remote, transmitted } = other ?? {};
  assert.deepEqual([standard, errors, fd, remote, transmitted], [1, 1, 1, 1, 1]);
  assert.deepEqual(found.standard, [{ bus: 2, id: 0x7e8, frames: 1 }]);
  assert.deepEqual(found.groups, [{ bus: 1, sa: 0, pgn: 61_444, frames: 101, decoded: true }]);
  assert.deepEqual(
    [found.speed_course?.bus, found.speed_course?.sa, Math.max(...(found.speed_course?.max ?? []))],
    [1, 0, 899],
  );
  assert.equal(found.frame_course?.from_us, found.speed_course?.from_us);
});

test('[D163] a log without dates is told from its first frame on, and one that has some tells of those', () => {
  const batch = new FrameBatch();
  const times = createRelativeTimes();
  parseCandump(
    Buffer.from('(0.5) can0 0CF00400#FFFFFF0019FFFFFF\n(20.5) can0 0CF00400#FFFFFF0032FFFFFF\n'),
    batch,
    null,
  );
  times.settle(batch);
  const survey = createLogSurvey();
  survey.take(batch);
  const { first_us, last_us, undated, parameters, pauses, frame_course } = survey.result();
  assert.deepEqual([first_us, last_us, undated, frame_course?.from_us], [500_000, 20_500_000, 2, 500_000]);
  assert.deepEqual(
    [parameters[0]?.first, parameters[0]?.last],
    [
      { value: 800, t_us: 500_000 },
      { value: 1600, t_us: 20_500_000 },
    ],
  );
  assert.deepEqual(pauses.longest, { from_us: 500_000, length_us: 20_000_000 });

  const mixed = new FrameBatch();
  parseCandump(Buffer.from('(0.5) can0 123#\n(1780295401.0) can0 123#\n(1780295402.0) can0 123#\n'), mixed, null);
  createRelativeTimes().settle(mixed);
  const other = createLogSurvey();
  other.take(mixed);
  const told = other.result();
  assert.deepEqual(
    [told.undated, told.first_us, told.last_us, told.frame_course],
    [1, 1780295401e6, 1780295402e6, null],
  );
});

test('[D164] a log with more kinds of everything than any machine has stays bounded and says so', () => {
  const survey = createLogSurvey();
  const batch = new FrameBatch();
  const code = (i: number) => Uint8Array.of(0, 0xff, i & 255, i >> 8, 1, 1, 0xff, 0xff);
  for (let i = 0; i < 2_000; i++) pushFrame(batch, START + i * 1000, 1, identifier(6, 0xfeca, i & 255), code(i + 1));
  for (let i = 0; i < 9_000; i++)
    pushFrame(batch, START + 3e6 + i, i % 40, identifier(6, 0xff00 + (i % 251), i & 255), new Uint8Array(8));
  survey.take(batch);
  const found = survey.result();
  assert.equal(found.codes.length, 500);
  assert.ok(found.groups.length <= 1_024);
  assert.ok(found.not_counted > 1_000);
  assert.equal(found.buses.length, 40);
});

test('[D162] the idling engine: codes, speed and buses as independent tools read them', {
  skip: withoutRecordings,
}, () => {
  const batch = new FrameBatch();
  parseCandump(recording('candump/11111111-dm1-4dtc.candump.log.gz'), batch, null);
  const survey = createLogSurvey();
  survey.take(batch);
  const { codes, buses, parameters, lamps, standard } = survey.result();
  assert.deepEqual(
    codes.map(({ spn, fmi, occurrence_count, messages }) => [spn, fmi, occurrence_count, messages]),
    [
      [980, 9, 126, 127],
      [3216, 20, 2, 127],
      [609, 9, 1, 127],
      [609, 12, 3, 127],
    ],
  );
  assert.equal(lamps[0]?.lamps.mil.state, 'on');
  assert.deepEqual(
    buses.map(({ bus, extended, standard: short }) => [bus, extended, short]),
    [
      [1, 45_571, 0],
      [2, 0, 12_278],
    ],
  );
  assert.equal(
    standard.reduce((sum, { frames }) => sum + frames, 0),
    12_278,
  );
  const speed = parameters.find(({ row }) => row.spn === 190);
  assert.deepEqual([speed?.min, speed?.max, speed?.last?.value, speed?.valid], [646.5, 653.75, 649, 12_719]);
});
