/** The interval that the gateway learns from the readings of a source. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SignalName } from '#contract/base/signals.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { applyValue, equipmentLive, setBack } from '#domain/machine/machine.ts';
import { MAX_GAPS } from '#domain/machine/pace.ts';
import { sent } from '#test/support/sent.ts';

const S = 1_000_000;
const T0 = 1.7e15;
const FUEL: SignalName = 'fuel.level';
const SPNS = { 'engine.coolant_temperature': 110, 'fuel.level': 96 } as const;

type Read = readonly [observed_s: number, received_s: number];

function send(facts: Facts, signal: keyof typeof SPNS, reads: readonly Read[], undated = false): Facts {
  const evidence = EVIDENCE.find((one) => one?.spn === SPNS[signal]) as Evidence;
  for (const [observed_s, received_s] of reads) {
    const arrival = { device: 'dev_a', run_id: null, ref: null, received_us: T0 + received_s * S, events: [] };
    applyValue(facts, arrival, sent(evidence, 40, 40, T0 + observed_s * S, 1, 0, 0, undated));
  }
  return facts;
}

const every = (interval_s: number, count: number, from_s = 0, delay_s = 0.1): Read[] =>
  Array.from({ length: count }, (_, i) => [from_s + i * interval_s, from_s + i * interval_s + delay_s]);

/** Returns the interval that the gateway learned from the only source of the signal; null if it has learned none. */
const learned = (facts: Facts, signal: SignalName): number | null =>
  facts.signals[signal]?.sources[0]?.pace?.interval_s ?? null;

test('[D280] the interval of the table applies until five times between deliveries were counted', () => {
  for (const count of [1, 5]) assert.equal(learned(send(createFacts(), FUEL, every(10, count)), FUEL), null);
  assert.equal(learned(send(createFacts(), FUEL, every(10, 6)), FUEL), 10);
});

test('[D280] a learned interval is at least 1 s, at most 60 s for a gauge and 600 s for a level', () => {
  const of = (signal: keyof typeof SPNS, interval_s: number) =>
    learned(send(createFacts(), signal, every(interval_s, 30)), signal);
  assert.equal(learned(send(createFacts(), FUEL, every(0.1, 200)), FUEL), 1);
  assert.equal(of(FUEL, 600), 600);
  assert.equal(of(FUEL, 3_600), 600);
  assert.equal(of('engine.coolant_temperature', 3_600), 60);
});

test('[D280] readings that arrive together count as one delivery', () => {
  const burst: Read[] = [];
  for (let batch = 0; batch < 8; batch++)
    for (let i = 0; i < 30; i++) burst.push([batch * 30 + i, batch * 30 + 30 + i * 0.05]);
  assert.equal(learned(send(createFacts(), 'engine.coolant_temperature', burst), 'engine.coolant_temperature'), 30);
});

test('[D280] a backlog, a log file, readings without a time and a clock that was set teach nothing', () => {
  const backlog: Read[] = Array.from({ length: 600 }, (_, i) => [i, 10_000 + i * 0.02]);
  const file: Read[] = Array.from({ length: 600 }, (_, i) => [i, 10_000]);
  const jumps: Read[] = Array.from({ length: 40 }, (_, i) => [i * 300, 20_000 + i]);
  for (const reads of [backlog, file, jumps]) assert.equal(learned(send(createFacts(), FUEL, reads), FUEL), null);
  assert.equal(learned(send(createFacts(), FUEL, every(2, 50), true), FUEL), null);
});

test('[D280] outages do not change the learned interval', () => {
  const facts = createFacts();
  let at = 0;
  for (const count of [12, 4, 5, 4]) {
    send(facts, FUEL, every(20, count, at));
    at += count * 20 + 7_200;
  }
  assert.equal(learned(facts, FUEL), 20);
});

test('[D280] the interval follows a source that becomes slower or faster', () => {
  const facts = send(createFacts(), FUEL, every(5, 20));
  assert.equal(learned(facts, FUEL), 5);
  send(facts, FUEL, every(50, 12, 150));
  assert.equal(learned(facts, FUEL), 50);
  send(facts, FUEL, every(5, 14, 800));
  assert.equal(learned(facts, FUEL), 5);
});

test('[D280] learning goes on after the clock of the gateway was set back', () => {
  const facts = send(createFacts(), FUEL, every(20, 10, 50_000));
  setBack(facts, T0 + 1_000 * S);
  send(facts, FUEL, every(20, 10, 1_020));
  assert.equal(learned(facts, FUEL), 20);
});

test('[D280] a snapshot in the middle of a trace, also one without a pace, leads to a valid state with at most nine gaps', () => {
  const step = fc.record({
    gap_s: fc.double({ min: 0.2, max: 40, noNaN: true }),
    delay_s: fc.double({ min: 0, max: 30, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), fc.nat(79), (steps, cut) => {
      let observed = 0;
      let received = 0;
      const reads = steps.map(({ gap_s, delay_s }): Read => {
        observed += gap_s;
        received = Math.max(received, observed + delay_s);
        return [observed, received];
      });
      const whole = send(createFacts(), FUEL, reads);
      const half = JSON.parse(JSON.stringify(send(createFacts(), FUEL, reads.slice(0, cut)))) as Facts;
      assert.deepEqual(send(half, FUEL, reads.slice(cut)), whole);
      const old = send(createFacts(), FUEL, reads.slice(0, cut));
      for (const source of old.signals[FUEL]?.sources ?? []) delete source.pace;
      send(old, FUEL, reads.slice(cut));
      for (const { signals } of [whole, old]) {
        const pace = signals[FUEL]?.sources[0]?.pace;
        assert.ok(pace === undefined || pace.gaps.length <= MAX_GAPS);
        assert.ok(pace?.interval_s === undefined || (pace.interval_s >= 1 && pace.interval_s <= 600));
      }
    }),
    { seed: 12, numRuns: 300 },
  );
});

test('[D280] jitter of a tenth leaves the learned interval within a fifth of the truth', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 60 }),
      fc.array(fc.double({ min: -0.1, max: 0.1, noNaN: true }), { minLength: 20, maxLength: 60 }),
      (interval_s, jitter) => {
        const reads = jitter.map((share, i): Read => {
          const at = (i + share / 2) * interval_s;
          return [at, at + 0.2];
        });
        const found = learned(send(createFacts(), FUEL, reads), FUEL) ?? 60;
        assert.ok(Math.abs(found - interval_s) <= Math.max(1, 0.3 * interval_s), `${found} for ${interval_s}`);
      },
    ),
    { seed: 7, numRuns: 200 },
  );
});

test('[D281] an interval that a person set for the devices lengthens the interval of a value and replaces that of the machine', () => {
  const facts = send(createFacts(), FUEL, every(10, 20));
  const of = (set_s: number) => {
    const live = equipmentLive(facts, undefined, { messages_s: set_s, signals: {} });
    return [live.values[FUEL]?.expected_interval_s, live.expected_interval_s ?? 5];
  };
  assert.deepEqual(of(0), [10, 10]);
  assert.deepEqual(of(4), [10, 4]);
  assert.deepEqual(of(300), [300, 300]);
});

test('[D283] an interval that a person set for a signal replaces each other interval of this signal only', () => {
  const facts = send(createFacts(), FUEL, every(10, 20));
  const of = (messages_s: number, own?: number) => {
    const { values } = equipmentLive(facts, undefined, {
      messages_s,
      signals: own === undefined ? {} : { [FUEL]: own },
    });
    const { expected_interval_s, interval_basis, stale_after_s } = values[FUEL] ?? {};
    return [expected_interval_s, interval_basis, stale_after_s];
  };
  assert.deepEqual(of(0), [10, 'learned', undefined]);
  assert.deepEqual(of(300), [300, 'set', undefined]);
  assert.deepEqual(of(300, 2), [2, 'set', 20]);
  assert.deepEqual(of(0, 60), [60, 'set', 600]);
  const first = send(createFacts(), FUEL, every(10, 1));
  assert.equal(equipmentLive(first).values[FUEL]?.interval_basis, undefined);
  assert.equal(equipmentLive(facts, undefined, { messages_s: 0, signals: { [FUEL]: 600 } }).expected_interval_s, 10);
});
