/** The correction of a logger's clock, on simulated clocks whose true time is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { between, random, type Stream, streamOf } from '#domain/base/random.ts';
import { ClockCorrector, UNCORRECTED } from '#domain/clock/clock-corrector.ts';
import { ClockEstimator, GNSS_RULES, type Stretch } from '#domain/clock/clock-estimator.ts';

const S = 1_000_000;
const START_US = Date.UTC(2026, 3, 1) * 1000;
const TRACES = 1_000;

/** A frame of a trace: its true time, the time that the logger wrote, and the GNSS time in it; `epoch` counts the settings of the clock. */
interface Moment {
  readonly true_us: number;
  readonly device_us: number;
  readonly trusted_us: number | null;
  readonly epoch: number;
}

interface Trace {
  readonly moments: readonly Moment[];
  /** True if a reading of the trace has the right time. */
  readonly hasFix: boolean;
}

const pick = <T>(of: Stream, list: readonly T[]): T => list[Math.floor(random(of) * list.length)] as T;

/** A logger for some minutes to an hour: its clock drifts and is set, its receiver loses the fix and shows wrong times. */
function traceOf(seed: number): Trace {
  const of = streamOf(seed);
  const length_us = between(of, [400, 3_600]) * S;
  const period_us = Math.round(between(of, [0.05, 0.4]) * S);
  const reading_us = Math.round(between(of, [0.2, 2]) * S);
  const latency_us = between(of, [0, 0.25]) * S;
  const neverFixes = random(of) < 0.1;
  /**
   * A receiver that does not know the leap seconds yet shows a time that is too late by some seconds. In a trace it then shows the right
   * time: nobody can recognise a receiver that is never right.
   */
  const leap_us = random(of) < 0.2 ? Math.floor(between(of, [1, 19])) * S : 0;
  const leapUntil_us = START_US + between(of, [5, 300]) * S;
  const settled_us = leap_us === 0 ? START_US : leapUntil_us + 30 * S;
  let ahead_us = pick(of, [0, 0.3, 8.2, -19.5, 3_600, -20 * 366 * 86_400, 40 * 86_400]) * S;
  let drift = between(of, [-4e-4, 4e-4]);
  let fix = !neverFixes && (leap_us !== 0 || random(of) < 0.6);
  let nextReading = START_US;
  let epoch = 0;
  const moments: Moment[] = [];
  let hasFix = false;
  let quiet = 0;
  let fixes = 0;
  for (let true_us = START_US; true_us < START_US + length_us; ) {
    const passed = random(of) < 0.0003 ? Math.round(between(of, [1, 120]) * S) : period_us;
    true_us += passed;
    ahead_us += drift * passed;
    if (random(of) < 0.0005) drift = between(of, [-4e-4, 4e-4]);
    if (!neverFixes && true_us > settled_us && random(of) < (fix ? 0.0006 : 0.002)) fix = !fix;
    // A clock is set by more than it drifts, and far enough from the time before that the frames show it.
    if (random(of) < 0.0002 && quiet > 20 && true_us > settled_us) {
      ahead_us += pick(of, [-1, 1]) * between(of, [15, 1e8]) * S;
      epoch++;
      quiet = 0;
    } else quiet = passed === period_us ? quiet + 1 : 0;
    const device_us = Math.round(true_us + ahead_us);
    let trusted_us: number | null = null;
    if (true_us >= nextReading) {
      nextReading = true_us + reading_us;
      if (fix) {
        const glitch = random(of) < 0.002;
        const late = leap_us !== 0 && true_us < leapUntil_us ? leap_us : 0;
        trusted_us = Math.round(true_us - random(of) * latency_us + late);
        if (glitch) trusted_us += pick(of, [-1024 * 7 * 86_400, 3, -5, 1e6]) * S;
        else if (late === 0) fixes++;
      }
    }
    hasFix ||= fixes > 0;
    moments.push({ true_us, device_us, trusted_us, epoch });
  }
  return { moments, hasFix };
}

function stretchesOf({ moments }: Trace): readonly Stretch[] {
  const estimator = new ClockEstimator(GNSS_RULES);
  moments.forEach(({ device_us, trusted_us }, frame) => {
    estimator.jump(frame, device_us - (moments[frame - 1]?.device_us ?? device_us));
    if (trusted_us !== null) estimator.read(frame, device_us, trusted_us);
  });
  return estimator.finish();
}

test('[D200] 1,000 traces: corrected times rise with the clock of the logger, and are within the stated uncertainty of the truth', (t) => {
  let frames = 0;
  let corrected = 0;
  let worst = 0;
  for (let seed = 1; seed <= TRACES; seed++) {
    const trace = traceOf(seed);
    const corrector = new ClockCorrector('gnss', stretchesOf(trace));
    let before: { readonly t_us: number; readonly device_us: number; readonly epoch: number } | undefined;
    trace.moments.forEach(({ true_us, device_us, epoch }, frame) => {
      const { t_us, label } = corrector.at(frame, device_us);
      frames++;
      if (label === UNCORRECTED) {
        assert.equal(t_us, device_us, `seed ${seed}`);
        before = undefined;
        return;
      }
      corrected++;
      const { uncertainty_ms = 0, correction_ms = 0 } = corrector.labels[label] ?? {};
      const off_us = Math.abs(t_us - true_us);
      worst = Math.max(worst, off_us / (uncertainty_ms * 1000));
      assert.ok(
        off_us <= uncertainty_ms * 1000,
        `seed ${seed}, frame ${frame}: ${off_us} us from the truth, ${uncertainty_ms} ms stated`,
      );
      assert.ok(Math.abs(t_us - device_us - correction_ms * 1000) <= uncertainty_ms * 1000);
      if (before !== undefined && before.epoch === epoch && device_us >= before.device_us)
        assert.ok(t_us >= before.t_us, `seed ${seed}, frame ${frame}: a corrected time goes back`);
      before = { t_us, device_us, epoch };
    });
  }
  assert.ok(corrected > frames / 2);
  t.diagnostic(
    `${frames} frames, ${corrected} corrected; the largest error is ${worst.toFixed(2)} of the stated uncertainty`,
  );
});

test('[D200] 1,000 traces: a trace without a right GNSS time is never corrected', () => {
  let without = 0;
  for (let seed = 1; seed <= TRACES; seed++) {
    const { moments, hasFix } = traceOf(seed);
    if (hasFix) continue;
    without++;
    const silent = moments.map((one) => ({ ...one, trusted_us: null }));
    assert.deepEqual(stretchesOf({ moments: silent, hasFix }), []);
  }
  assert.ok(without >= 20, `${without} traces`);
});
