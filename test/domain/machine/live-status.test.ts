import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NONE } from '#domain/base/none.ts';
import { type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { applyValue, equipmentLive, tick } from '#domain/machine/machine.ts';
import { sent } from '#test/support/sent.ts';

const S = 1_000_000;
const T0 = 1.7e15;

/** A machine on a clock: seconds since the start of the test. */
function machine(facts: Facts = createFacts()) {
  const events: FactEvent[] = [];
  return {
    facts,
    events,
    /** Values observed at `s`, received `delay` seconds later. */
    report(s: number, values: Partial<Record<SignalName, number>>, delay = 0, device = 'dev_a') {
      const from = { device, run_id: null, ref: null, received_us: T0 + (s + delay) * S, events };
      for (const [signal, value] of Object.entries(values)) {
        applyValue(
          facts,
          from,
          sent(
            POINT_EVIDENCE[SIGNAL_NAMES.indexOf(signal as SignalName)] as Evidence,
            null,
            value,
            T0 + s * S,
            NONE,
            NONE,
            NONE,
          ),
        );
      }
    },
    /** The same values every second, from `from` up to and with `to`. */
    hold(from: number, to: number, values: Partial<Record<SignalName, number>>) {
      for (let s = from; s <= to; s++) this.report(s, values);
    },
    tick: (s: number) => tick(facts, T0 + s * S, events),
    get status() {
      return equipmentLive(facts).live_status;
    },
    get since() {
      const { live_status_since } = equipmentLive(facts);
      return live_status_since === null ? null : (Date.parse(live_status_since) * 1000 - T0) / S;
    },
    get changes() {
      return events.flatMap((event) =>
        event.type === 'live_status_changed' ? [[event.data.from, event.data.to, (event.occurred_us - T0) / S]] : [],
      );
    },
  };
}

test('[D22] a status is entered after ten seconds of its evidence and dates from their start', () => {
  const m = machine();
  m.hold(0, 9, { 'engine.speed': 1500 });
  assert.equal(m.status, 'unknown');
  m.report(10, { 'engine.speed': 1500 });
  assert.equal(m.status, 'running');
  m.hold(11, 20, { 'engine.speed': 650 });
  assert.equal(m.status, 'running');
  m.report(21, { 'engine.speed': 650 });
  assert.equal(m.status, 'idle');
  m.hold(22, 32, { 'engine.speed': 0 });
  assert.equal(m.status, 'off');
  assert.equal(m.since, 22);
  assert.deepEqual(m.changes, [
    ['unknown', 'running', 0],
    ['running', 'idle', 11],
    ['idle', 'off', 22],
  ]);
});

test('[D21] running by engine speed, by ground speed, or by load; the thresholds themselves', () => {
  for (const [values, status] of [
    [{ 'engine.speed': 950 }, 'running'],
    [{ 'engine.speed': 949.875 }, 'idle'],
    [{ 'engine.speed': 700, 'vehicle.speed': 1.1 }, 'running'],
    [{ 'engine.speed': 700, 'vehicle.speed': 1 }, 'idle'],
    [{ 'engine.speed': 700, 'engine.load': 26 }, 'running'],
    [{ 'engine.speed': 700, 'engine.load': 25 }, 'idle'],
    [{ 'engine.speed': 0, 'engine.load': 100 }, 'off'],
    [{ 'vehicle.speed': 12 }, 'running'],
    [{ 'vehicle.speed': 0 }, 'unknown'],
    [{ 'fuel.level': 50 }, 'unknown'],
  ] as const) {
    const m = machine();
    m.hold(0, 12, values);
    assert.equal(m.status, status, JSON.stringify(values));
  }
});

test('[D22] evidence that flickers enters nothing new; a turning engine is at least idle', () => {
  const m = machine();
  for (let s = 0; s < 60; s++) m.report(s, { 'engine.speed': s % 8 < 4 ? 1500 : 700 });
  assert.equal(m.status, 'idle');
  assert.equal(m.changes.length, 1);
  const off = machine();
  off.hold(0, 12, { 'engine.speed': 0 });
  for (let s = 13; s < 60; s++) off.report(s, { 'engine.speed': s % 3 === 0 ? 200 : 0 });
  assert.equal(off.status, 'off', 'an engine that cranks and does not start');
});

test('[D23] silence is unknown after five minutes, dated to that moment, and never off', () => {
  const m = machine();
  m.hold(0, 20, { 'engine.speed': 0 });
  assert.equal(m.status, 'off');
  assert.equal(m.tick(320), false);
  assert.equal(m.tick(321), true);
  assert.equal(m.status, 'unknown');
  assert.equal(m.since, 320);
  assert.equal(equipmentLive(m.facts).last_live_data_at, new Date((T0 + 20 * S) / 1000).toISOString());
  assert.equal(m.tick(400), false, 'once');
});

test('[D17] [D23] when the clock was set back silence begins anew, also for a status that no message follows', () => {
  const one = machine();
  one.hold(0, 20, { 'engine.speed': 700 });
  one.report(30, { 'fuel.level': 50 });
  // A second is within what doors hand over in another order.
  one.tick(29);
  const last = () => (Date.parse(equipmentLive(one.facts).last_live_data_at ?? '') * 1000 - T0) / S;
  assert.equal(last(), 30);
  one.tick(-3_600);
  assert.deepEqual([one.status, last()], ['idle', -3_600]);
  one.tick(-3_300);
  assert.equal(one.status, 'idle');
  one.tick(-3_299);
  assert.deepEqual([one.status, one.since], ['unknown', -3_300]);
});

test('[D23] silence between two messages is noticed without a tick', () => {
  const m = machine();
  m.hold(0, 20, { 'engine.speed': 1500 });
  m.hold(1000, 1005, { 'engine.speed': 1500 });
  assert.equal(m.status, 'unknown');
  m.hold(1006, 1010, { 'engine.speed': 1500 });
  assert.equal(m.status, 'running');
  assert.deepEqual(m.changes.slice(1), [
    ['running', 'unknown', 320],
    ['unknown', 'running', 1000],
  ]);
});

test('[D23] other data does not keep a status alive that has no evidence left', () => {
  const m = machine();
  m.hold(0, 20, { 'engine.speed': 1500 });
  for (let s = 21; s < 400; s += 10) m.report(s, { 'fuel.level': 60 });
  m.tick(400);
  assert.equal(m.status, 'unknown');
  assert.equal(equipmentLive(m.facts).last_live_data_at, new Date((T0 + 391 * S) / 1000).toISOString());
});

test('[D22] fresh data of before the silence was noticed does not put a status before the one it ends', () => {
  const m = machine();
  m.hold(0, 20, { 'engine.speed': 1500 });
  m.tick(330);
  for (let s = 100; s <= 115; s++) m.report(s, { 'engine.speed': 1500 }, 260);
  assert.deepEqual(m.changes.slice(1), [
    ['running', 'unknown', 320],
    ['unknown', 'running', 320],
  ]);
});

test('[D22] an engine that idles a moment and then works is never called idle', () => {
  const m = machine();
  m.hold(0, 4, { 'engine.speed': 700 });
  m.hold(5, 15, { 'engine.speed': 1500 });
  assert.deepEqual(m.changes, [['unknown', 'running', 5]]);
});

test('[D20] data older than the stale window at its receipt moves no live status and no last_live_data_at', () => {
  const m = machine();
  for (let s = 0; s < 60; s++) m.report(s, { 'engine.speed': 1500 }, 301);
  assert.equal(m.status, 'unknown');
  assert.equal(equipmentLive(m.facts).last_live_data_at, null);
  const fresh = machine();
  for (let s = 0; s < 60; s++) fresh.report(s, { 'engine.speed': 1500 }, 300);
  assert.equal(fresh.status, 'running');
});

test('[D20] late data of another device changes nothing', () => {
  const m = machine();
  m.hold(0, 30, { 'engine.speed': 1500 });
  for (let s = 5; s < 25; s++) m.report(s, { 'engine.speed': 0 }, 30, 'dev_b');
  assert.equal(m.status, 'running');
});

test('[D21] a ground speed that is no longer heard stops counting after a minute', () => {
  const m = machine();
  m.hold(0, 20, { 'engine.speed': 700, 'vehicle.speed': 20 });
  assert.equal(m.status, 'running');
  m.hold(21, 80, { 'engine.speed': 700 });
  assert.equal(m.status, 'running');
  m.hold(81, 91, { 'engine.speed': 700 });
  assert.equal(m.status, 'idle');
});

test('[D22] one point a minute is enough to tell', () => {
  const m = machine();
  for (let s = 0; s <= 180; s += 60) m.report(s, { 'engine.speed': 1500 });
  assert.equal(m.status, 'running');
});

test('[D23] off never comes without a reported engine speed of zero, whatever comes in', () => {
  const step = fc.record({
    gap: fc.nat(400),
    delay: fc.nat(400),
    signal: fc.constantFrom<SignalName>('engine.speed', 'engine.load', 'vehicle.speed', 'fuel.level'),
    value: fc.integer({ min: 1, max: 2000 }),
    tick: fc.nat(1000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const m = machine();
      let s = 0;
      for (const { gap, delay, signal, value, tick: wait } of steps) {
        s += gap;
        m.report(s, { [signal]: value }, delay);
        if (wait > 500) m.tick(s + wait);
        assert.notEqual(m.status, 'off');
      }
      m.tick(s + 1000);
      assert.equal(m.status, 'unknown');
      const times = m.changes.map(([, , at]) => at as number);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
        'statuses follow each other',
      );
      for (const [i, [from]] of m.changes.entries()) assert.equal(from, i === 0 ? 'unknown' : m.changes[i - 1]?.[1]);
    }),
  );
});
