import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';
import { NONE } from '#domain/base/none.ts';
import { NO_ORIGIN } from '#domain/history/origins.ts';
import { type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts } from '#domain/machine/facts.ts';
import { applyValue, tick } from '#domain/machine/machine.ts';
import { isEvidence, stretchesOf } from '#domain/machine/run-states.ts';
import { randomOf } from '#test/support/random-of.ts';
import { randomTrace, runsOfTrace, shuffled, TRACES, type TraceValue } from '#test/support/run-trace.ts';
import { sent } from '#test/support/sent.ts';

const HOUR_S = 3_600;
/** The start of an hour. */
const T0_S = 1_699_999_200;

const byHistory = (trace: readonly TraceValue[], length_s: number) => runsOfTrace(trace, T0_S, 0, length_s);

/** The run states of the same trace, by the live status: each value arrives at its time, and the clock ticks each second. */
function byLive(trace: readonly TraceValue[], length_s: number) {
  const facts = createFacts();
  const events: FactEvent[] = [];
  let next = 0;
  for (let second = 0; second <= length_s; second++) {
    for (; next < trace.length && (trace[next] as TraceValue).t_us < (second + 1) * 1_000_000; next++) {
      const { signal, t_us, value } = trace[next] as TraceValue;
      const at = T0_S * 1e6 + t_us;
      const evidence = POINT_EVIDENCE[SIGNAL_NAMES.indexOf(signal)] as Evidence;
      const arrival = { device: 'dev', run_id: null, ref: null, received_us: at, events };
      applyValue(facts, arrival, sent(evidence, null, value, at, NONE, NONE, NONE));
    }
    tick(facts, (T0_S + second + 1) * 1e6, events);
  }
  const changes = events.flatMap((event) =>
    event.type === 'live_status_changed' ? [{ at_ms: event.occurred_us / 1000, live: event.data.to }] : [],
  );
  return stretchesOf(changes, T0_S * 1000, (T0_S + length_s) * 1000);
}

/** Milliseconds in which two lists of stretches differ. */
function difference(
  a: readonly { from_ms: number; to_ms: number; live: LiveStatus }[],
  b: readonly { from_ms: number; to_ms: number; live: LiveStatus }[],
): number {
  let sum = 0;
  for (const one of a)
    for (const other of b)
      if (one.live !== other.live)
        sum += Math.max(0, Math.min(one.to_ms, other.to_ms) - Math.max(one.from_ms, other.from_ms));
  return sum;
}

test('[D215] run states of history equal the live status of data that arrives on time, within 2 s for each change', () => {
  let changes = 0;
  for (let seed = 1; seed <= TRACES; seed++) {
    const length = 2 * HOUR_S;
    const trace = randomTrace(seed, length);
    const live = byLive(trace, length);
    const history = byHistory(trace, length);
    const off = difference(live, history);
    changes += live.length;
    assert.ok(
      off <= 2_000 * live.length,
      `seed ${seed}: ${off} ms in ${live.length} stretches: ${JSON.stringify({ live, history })}`,
    );
  }
  assert.ok(changes > 10 * TRACES, `${changes} changes`);
});

test('[D216] shuffled samples, repeated samples and any window give identical run states that cover the window', () => {
  for (let seed = 1; seed <= TRACES; seed++) {
    const random = randomOf(seed);
    const length = 1.2 * HOUR_S;
    // History has one sample a second of each signal.
    const seen = new Set<string>();
    const samples = randomTrace(seed + TRACES, length).filter(({ signal, t_us }) => {
      const key = `${signal} ${Math.floor(t_us / 1e6)}`;
      return !seen.has(key) && seen.add(key);
    });
    const ordered = byHistory(samples, length);
    const repeated = samples.filter(() => random() < 0.2);
    assert.deepEqual(byHistory(shuffled([...samples, ...repeated], random), length), ordered);
    let at = T0_S * 1000;
    for (const { from_ms, to_ms } of ordered) {
      assert.equal(from_ms, at);
      assert.ok(to_ms > from_ms);
      at = to_ms;
    }
    assert.equal(at, (T0_S + length) * 1000);
  }
});

test('[D217] time without samples is unknown and never off; the last state lasts five minutes', () => {
  const trace: TraceValue[] = [];
  const add = (from: number, to: number, signal: SignalName, value: number) => {
    for (let s = from; s < to; s++) trace.push({ signal, t_us: s * 1e6, value });
  };
  add(0, 600, 'engine.speed', 0);
  add(3_000, 3_590, 'engine.speed', 1_500);
  add(3_590, 3_700, 'engine.speed', 700);
  const states = byHistory(trace, 3 * HOUR_S).map(({ from_ms, live }) => [from_ms / 1000 - T0_S, live]);
  assert.deepEqual(states, [
    [0, 'off'],
    [899, 'unknown'],
    [3_000, 'running'],
    [3_590, 'idle'],
    [3_999, 'unknown'],
  ]);
  assert.deepEqual(
    byHistory([], HOUR_S).map(({ live }) => live),
    ['unknown'],
  );
});

test('[D217] a change that is decided in the next hour is dated from its first sample', () => {
  const trace: TraceValue[] = [];
  for (let s = 3_000; s < 3_595; s++) trace.push({ signal: 'engine.speed', t_us: s * 1e6, value: 1_500 });
  for (let s = 3_595; s < 3_700; s++) trace.push({ signal: 'engine.speed', t_us: s * 1e6, value: 0 });
  const states = byHistory(trace, 3_700).map(({ from_ms, live }) => [from_ms / 1000 - T0_S, live]);
  assert.deepEqual(states, [
    [0, 'unknown'],
    [3_000, 'running'],
    [3_595, 'off'],
  ]);
});

test('[D215] a speed from a GNSS receiver is no evidence; telemetry points, parameters and DBC signals are', () => {
  assert.equal(isEvidence({ ...NO_ORIGIN, device: 'dev', bus: 9 }), false);
  assert.equal(isEvidence({ ...NO_ORIGIN, device: 'dev' }), true);
  assert.equal(isEvidence({ ...NO_ORIGIN, device: 'dev', bus: 1, pgn: 65265, spn: 84 }), true);
  assert.equal(isEvidence({ ...NO_ORIGIN, device: 'dev', bus: 1, dbc: 'dbc_1:1:Speed' }), true);
});
