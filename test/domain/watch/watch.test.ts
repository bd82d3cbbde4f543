/** Random traces of values: however the watcher's looks divide a trace, the rules find the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random as draw, streamOf } from '#domain/base/random.ts';
import { ChangeWindow } from '#domain/watch/change-window.ts';
import type { WatchedPoint } from '#domain/watch/point.ts';
import { MAX_RUNS, Runs } from '#domain/watch/runs.ts';
import { CALM, judgeAll, type Measured, type Standing } from '#domain/work/alerts.ts';

const SECOND = 1_000_000;
const START = Date.parse('2026-11-21T08:00:00Z') * 1000;

const pointOf = (value: number, observed_us: number, received_us = observed_us): WatchedPoint => ({
  value,
  level: value,
  observed_us,
  received_us,
  device: 'dev_1',
  ref: '1:2',
  frame: 0,
  from: null,
  place: null,
  codes: null,
});

const measuredOf = (point: WatchedPoint): Measured => ({
  value: point.value,
  observed_ms: Math.floor(point.observed_us / 1000),
  received_ms: Math.floor(point.received_us / 1000),
  device_id: point.device,
});

const seeded = (seed: number) => {
  const stream = streamOf(seed);
  return () => draw(stream);
};

type Rule = Parameters<typeof judgeAll>[0];
const RULE: Rule = {
  signal: 'engine.coolant_temperature',
  op: 'gt',
  value: 100,
  for_seconds: 0,
  clear_value: 95,
  no_data_seconds: null,
};

/** A trace with several values a second, some of them exactly at a limit, with pauses and late values. */
function traceOf(random: () => number, length: number): WatchedPoint[] {
  let at = START;
  let value = 90 + Math.floor(random() * 20);
  return Array.from({ length }, () => {
    at += random() < 0.02 ? 400 * SECOND : Math.floor(random() * 0.3 * SECOND);
    if (random() < 0.4) value = 90 + Math.floor(random() * 20);
    return pointOf(value, at, random() < 0.02 ? at + 400 * SECOND : at);
  });
}

/**
 * Judges the trace in looks after each index of `looks`, and when the rule has asked for a look; returns what was raised and the standing
 * at the end. The watcher looks at least before each pause, as it does in a running gateway.
 */
function watch(rule: Rule, trace: readonly WatchedPoint[], looks: ReadonlySet<number>, limits: readonly number[]) {
  const runs = new Runs();
  runs.setLimits(limits);
  let standing: Standing = CALM;
  let newest: WatchedPoint | undefined;
  let wake_ms: number | null = null;
  const raised: number[] = [];
  function look(now_ms: number): void {
    const taken = runs.take();
    const values = (taken.length > 0 ? taken : newest === undefined ? [] : [newest]).map(measuredOf);
    const verdict = judgeAll(rule, standing, values, now_ms, null, 0);
    ({ standing, wake_ms } = verdict);
    runs.settle();
    if (verdict.raise === null) return;
    const { measured, late } = verdict.raise;
    raised.push(measured.observed_ms);
    standing = { ...standing, open: { alert_id: 'alr_1', condition: 'threshold', late, raised_ms: Number.MAX_VALUE } };
  }
  trace.forEach((point, i) => {
    const now_ms = Math.floor(point.received_us / 1000);
    const paused = newest !== undefined && point.observed_us - newest.observed_us > 10 * SECOND;
    if (newest !== undefined && paused) look(Math.floor(newest.received_us / 1000));
    if (wake_ms !== null && now_ms >= wake_ms) look(Math.min(now_ms, wake_ms));
    runs.add(point);
    newest = point;
    if (looks.has(i) || i + 1 === trace.length) look(now_ms);
  });
  return { raised, since_ms: standing.since_ms };
}

test('[D270] however looks divide a trace, a rule without a duration raises its alert for the same value', () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = seeded(seed);
    const trace = traceOf(random, 60).filter(({ observed_us, received_us }) => observed_us === received_us);
    const each = watch(RULE, trace, new Set(trace.keys()), [95, 100]);
    const few = new Set([...trace.keys()].filter(() => random() < 0.3));
    for (const limits of [[95, 100], [95, 97, 100, 103, 105], [100]])
      assert.deepEqual(watch(RULE, trace, few, limits), each, `seed ${seed}, limits ${limits}`);
  }
});

test('[D270] however looks divide a trace, a value below the limit interrupts the duration of a rule', () => {
  let held = 0;
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = seeded(seed);
    const rule = { ...RULE, for_seconds: 1 + Math.floor(random() * 3) };
    const trace = traceOf(random, 60).filter(({ observed_us, received_us }) => observed_us === received_us);
    const each = watch(rule, trace, new Set(trace.keys()), [95, 100]);
    const few = new Set([...trace.keys()].filter(() => random() < 0.2));
    const some = watch(rule, trace, few, [95, 100]);
    assert.equal(some.raised.length, each.raised.length, `seed ${seed}`);
    assert.equal(some.since_ms, each.since_ms, `seed ${seed}`);
    held += each.raised.length;
  }
  assert.ok(held > 100 && held < 900, `${held} of the traces hold, so the test compares both outcomes`);
});

test('[D270] with more runs than the limit, no crossing of any rule and no interruption is lost', () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = seeded(seed);
    const limits = [92, 95, 97, 100, 103, 106, 140];
    const runs = new Runs();
    runs.setLimits(limits);
    const trace = Array.from({ length: 400 }, (_, i) => pointOf(90 + Math.floor(random() * 20), START + i * 10_000));
    // The highest value comes late, when there are too many runs.
    trace[300] = pointOf(150, START + 3_000_000);
    for (const point of trace) runs.add(point);
    const points = runs.take();
    assert.ok(points.length <= 2 * MAX_RUNS, `${points.length} points`);
    for (const limit of limits)
      assert.equal(
        points.some(({ value }) => value > limit),
        trace.some(({ value }) => value > limit),
      );
    assert.equal(points.at(-1)?.value, trace.at(-1)?.value);
    const times = points.map(({ observed_us }) => observed_us);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  }
});

test('[D270] values that were taken stay until they are settled, also through a snapshot', () => {
  const runs = new Runs();
  runs.setLimits([100]);
  for (const value of [90, 101, 90]) runs.add(pointOf(value, START));
  assert.equal(runs.take().length, 3);
  runs.add(pointOf(102, START + SECOND));
  assert.deepEqual(
    runs.take().map(({ value }) => value),
    [90, 101, 90, 102],
  );
  const saved = runs.snapshot(false);
  assert.ok(saved !== null);
  const restored = new Runs();
  restored.restore(JSON.parse(JSON.stringify(saved)));
  assert.deepEqual(restored.take(), runs.take());
  runs.settle();
  assert.equal(runs.isWaiting, false);
  assert.deepEqual(runs.take(), []);
  assert.equal(runs.snapshot(false), null);
});

/** Largest change of all pairs of values at most `window_us` apart that end at the last value. */
function truth(values: readonly WatchedPoint[], window_us: number, sign: 1 | -1): number {
  const last = values.at(-1) as WatchedPoint;
  return values
    .filter(({ observed_us }) => observed_us >= last.observed_us - window_us)
    .reduce((most, { level }) => Math.max(most, sign * (last.level - level)), 0);
}

test('[D271] a change within a window is real, and at least the change within 59/60 of the window', () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = seeded(seed);
    const direction = seed % 2 === 0 ? ('rise' as const) : ('fall' as const);
    const within_seconds = 1 + Math.floor(random() * 120);
    const window = new ChangeWindow({ direction, within_seconds, across_gaps: false }, 60 * SECOND);
    let other = new ChangeWindow({ direction, within_seconds, across_gaps: false }, 60 * SECOND);
    const seen: WatchedPoint[] = [];
    let at = START;
    let value = 50;
    for (let i = 0; i < 150; i++) {
      at += Math.floor(random() * 2 * SECOND);
      value += (random() - 0.5) * 4;
      const point = pointOf(value, at);
      seen.push(pointOf(value, at));
      window.add(point, 'a');
      const sign = direction === 'rise' ? 1 : -1;
      const [most, least] = [within_seconds, (within_seconds * 59) / 60].map((s) => truth(seen, s * SECOND, sign));
      assert.ok(point.value <= (most as number) && point.value >= (least as number), `seed ${seed}: ${point.value}`);
      assert.equal(point.value, sign * (value - (point.from?.value as number)) + 0);
      const from = seen.find(({ observed_us }) => observed_us === point.from?.observed_us);
      assert.equal(from?.level, point.from?.value);
      // A restart in the middle changes nothing.
      if (i === 75) {
        const saved = JSON.parse(JSON.stringify(other.snapshot()));
        other = new ChangeWindow({ direction, within_seconds, across_gaps: false }, 60 * SECOND);
        other.restore(saved);
      }
      const again = pointOf(value, at);
      other.add(again, 'a');
      assert.equal(again.value, point.value);
    }
    assert.ok(window.snapshot().values.length <= 61);
  }
});

test('[D271] values of two sources, and values across a pause, are not compared unless the rule says so', () => {
  const changeOf = (across_gaps: boolean, source: string, pause_s: number) => {
    const window = new ChangeWindow({ direction: 'fall', within_seconds: 3_600, across_gaps }, 60 * SECOND);
    window.add(pointOf(80, START), 'a');
    const point = pointOf(60, START + pause_s * SECOND);
    window.add(point, source);
    return point.value;
  };
  assert.equal(changeOf(false, 'a', 59), 20);
  assert.equal(changeOf(false, 'a', 61), 0);
  assert.equal(changeOf(true, 'a', 61), 20);
  assert.equal(changeOf(true, 'a', 3_601), 0);
  assert.equal(changeOf(true, 'b', 1), 0);
  assert.equal(changeOf(true, 'a', -1), 0);
});
