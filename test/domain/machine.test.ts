import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SIGNAL_NAMES, signalRow } from '#contract/signals.ts';
import type { FactEvent } from '#domain/fact-events.ts';
import { createFacts, type Facts } from '#domain/facts.ts';
import { PARAMETERS } from '#domain/j1939-parameters.ts';
import { MAX_SOURCES, OUTCOME } from '#domain/latest-known.ts';
import { type Arrival, applyPoint, applySignal, equipmentLive, liveValues } from '#domain/machine.ts';

const S = 1_000_000;
const T0 = 1.7e15;
/** Received a year later: a recording, not live. */
const LATER = T0 + 365 * 86_400 * S;

const parameterOf = (spn: number) => PARAMETERS.findIndex((row) => row.spn === spn);

function arrival(received_us = LATER, device = 'dev_a'): Arrival & { events: FactEvent[] } {
  return { device, run_id: 'run_1', ref: '00000001:64', received_us, events: [] };
}

interface Sample {
  readonly spn: number;
  readonly value: number;
  readonly t_us: number;
  readonly sa?: number;
  readonly device?: string;
}

function feed(facts: Facts, samples: readonly Sample[]): FactEvent[] {
  return samples.flatMap(({ spn, value, t_us, sa = 0, device = 'dev_a' }) => {
    const from = arrival(LATER, device);
    applySignal(facts, from, parameterOf(spn), value, value, t_us, 1, sa, 7);
    return from.events;
  });
}

const latest = (facts: Facts, signal: keyof ReturnType<typeof liveValues>) => liveValues(facts)[signal]?.value;

test('[D10] the latest observation stands, whatever the order of arrival; an older one is late', () => {
  const facts = createFacts();
  const at = (t_us: number, value: number) =>
    applySignal(facts, arrival(), parameterOf(96), value, value, t_us, 1, 0, 0);
  assert.equal(at(T0, 50), OUTCOME.moved);
  assert.equal(at(T0 - S, 60), OUTCOME.late);
  assert.equal(latest(facts, 'fuel.level'), 50);
  assert.equal(at(T0 + S, 49), OUTCOME.moved);
  assert.equal(latest(facts, 'fuel.level'), 49);
});

test('[D10] a recording of years ago sets meters and levels of an empty machine, and leaves its live status unknown (R30)', () => {
  const facts = createFacts();
  feed(facts, [
    { spn: 247, value: 219.2, t_us: 1.6e15 },
    { spn: 96, value: 74.8, t_us: 1.6e15 },
    { spn: 190, value: 649, t_us: 1.6e15 },
    { spn: 190, value: 649, t_us: 1.6e15 + 60 * S },
  ]);
  const live = equipmentLive(facts);
  assert.equal(live.values['engine.hours']?.value, 219.2);
  assert.equal(live.values['engine.hours']?.observed_at, new Date(1.6e12).toISOString());
  assert.equal(live.values['fuel.level']?.value, 74.8);
  assert.deepEqual([live.live_status, live.live_status_since, live.last_live_data_at], ['unknown', null, null]);
});

test('[D10] latest known values do not depend on the order of arrival', () => {
  const sample = fc.record({
    spn: fc.constantFrom(190, 96, 168, 158, 167, 917, 245, 247),
    // Long enough to outlast the stale window of gauges and of meters.
    second: fc.oneof(fc.nat(100), fc.nat(3000)),
    sa: fc.nat(3),
    device: fc.constantFrom('dev_a', 'dev_b'),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(sample, { selector: (s) => `${s.spn} ${s.second} ${s.sa} ${s.device}`, maxLength: 60 }),
      fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
      (picks, keys) => {
        const samples = picks.map(({ second, ...rest }, i) => ({ ...rest, t_us: T0 + second * S, value: i }));
        const shuffled = samples
          .map((s, i) => ({ s, key: keys[i] as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ s }) => s);
        const ordered = createFacts();
        const other = createFacts();
        feed(ordered, samples);
        feed(other, shuffled);
        assert.deepEqual(liveValues(other), liveValues(ordered));
      },
    ),
  );
});

test('[D11] a time ahead of the receiver, or no time at all, counts as the time of receipt', () => {
  for (const t_us of [LATER + 86_400 * S, Number.NaN, -5, Number.POSITIVE_INFINITY]) {
    const facts = createFacts();
    applySignal(facts, arrival(), parameterOf(96), 100, 40, t_us, 1, 0, 0);
    assert.equal(liveValues(facts)['fuel.level']?.observed_at, new Date(LATER / 1000).toISOString());
    applySignal(facts, arrival(LATER + S), parameterOf(96), 100, 39, LATER + S, 1, 0, 0);
    assert.equal(latest(facts, 'fuel.level'), 39, 'a wrong clock does not hold the value for ever');
  }
});

test('[D12] the preferred parameter holds while it is heard; a fallback stands in once it is stale', () => {
  const facts = createFacts();
  feed(facts, [
    { spn: 158, value: 24, t_us: T0 },
    { spn: 168, value: 27, t_us: T0 + S },
    { spn: 158, value: 24, t_us: T0 + 61 * S },
  ]);
  assert.equal(latest(facts, 'electrical.battery'), 27, 'sixty seconds old: still the better source');
  feed(facts, [{ spn: 158, value: 23, t_us: T0 + 62 * S }]);
  assert.equal(latest(facts, 'electrical.battery'), 23);
  feed(facts, [{ spn: 168, value: 28, t_us: T0 + 63 * S }]);
  assert.equal(latest(facts, 'electrical.battery'), 28);
});

test('[D12] engine signals prefer source address 0; others whoever was observed first', () => {
  const facts = createFacts();
  feed(facts, [
    { spn: 190, value: 1000, t_us: T0, sa: 1 },
    { spn: 190, value: 800, t_us: T0 + S, sa: 0 },
    { spn: 190, value: 1001, t_us: T0 + 2 * S, sa: 1 },
    { spn: 84, value: 20, t_us: T0, sa: 71 },
    { spn: 84, value: 19, t_us: T0 + S, sa: 0 },
  ]);
  assert.equal(latest(facts, 'engine.speed'), 800);
  assert.equal(latest(facts, 'vehicle.speed'), 20);
  feed(facts, [{ spn: 84, value: 18, t_us: T0 - S, sa: 0 }]);
  assert.equal(latest(facts, 'vehicle.speed'), 19, 'the other turns out to have been first');
});

test('[D12] telemetry points come through the same door and rank after what the bus says', () => {
  const facts = createFacts();
  assert.equal(applyPoint(facts, arrival(), 'fuel.level', 55, T0), OUTCOME.moved);
  assert.equal(latest(facts, 'fuel.level'), 55);
  feed(facts, [{ spn: 96, value: 54, t_us: T0 + S }]);
  assert.equal(applyPoint(facts, arrival(), 'fuel.level', 56, T0 + 2 * S), OUTCOME.kept);
  assert.equal(latest(facts, 'fuel.level'), 54);
  assert.equal(applyPoint(facts, arrival(), 'fuel.level', Number.NaN, T0 + 3 * S), OUTCOME.late);
  const { bus, spn, raw } = liveValues(facts)['fuel.level'] ?? {};
  assert.deepEqual([bus, spn, raw], [1, 96, 54]);
});

test('[D12] sixteen sources per signal at most: the longest silent gives way, one older than all is not taken in', () => {
  const facts = createFacts();
  feed(
    facts,
    Array.from({ length: 40 }, (_, i) => ({ spn: 84, value: i, t_us: T0 + i * S, sa: i })),
  );
  const sources = facts.signals['vehicle.speed']?.sources ?? [];
  assert.equal(sources.length, MAX_SOURCES);
  assert.deepEqual(Math.min(...sources.map(({ sa }) => sa)), 40 - MAX_SOURCES);
  assert.equal(applySignal(facts, arrival(), parameterOf(84), 1, 1, T0, 1, 200, 0), OUTCOME.late);
  assert.equal(sources.length, MAX_SOURCES);
});

test('[D13] a meter that decreases is reported as reset, and then the new value stands', () => {
  const facts = createFacts();
  const events = feed(facts, [
    { spn: 247, value: 9000, t_us: T0 },
    { spn: 247, value: 9000.05, t_us: T0 + 60 * S },
    { spn: 247, value: 12, t_us: T0 + 120 * S },
    { spn: 247, value: 12.05, t_us: T0 + 180 * S },
  ]);
  assert.deepEqual(events, [
    {
      type: 'meter.reset',
      occurred_us: T0 + 120 * S,
      data: {
        signal: 'engine.hours',
        from: 9000.05,
        to: 12,
        reason: 'decreased',
        bus: 1,
        source_address: 0,
        spn: 247,
        device_id: 'dev_a',
      },
    },
  ]);
  assert.equal(latest(facts, 'engine.hours'), 12.05);
});

test('[D13] the finer counter taking over within the coarser step is no reset; a real fall by another source is', () => {
  const facts = createFacts();
  const close = feed(facts, [
    { spn: 250, value: 19_945, t_us: T0 },
    { spn: 5054, value: 19_944.812, t_us: T0 + S },
  ]);
  assert.deepEqual(close, []);
  assert.equal(latest(facts, 'engine.fuel_used'), 19_944.812);
  const [reset, ...more] = feed(facts, [{ spn: 250, value: 100, t_us: T0 + 700 * S }]);
  assert.deepEqual(more, []);
  assert.equal(reset?.type === 'meter.reset' && reset.data.reason, 'source_changed');
});

test('[D13] no meter ever falls in silence, whatever comes in', () => {
  const meters = SIGNAL_NAMES.filter((name) => signalRow(name).kind === 'meter');
  const rows = PARAMETERS.filter((row) => row.signal !== null && meters.includes(row.signal));
  const sample = fc.record({
    row: fc.constantFrom(...rows),
    value: fc.double({ min: 0, max: 1e6, noNaN: true }),
    second: fc.nat(5000),
    sa: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 60 }), (samples) => {
      const facts = createFacts();
      for (const { row, value, second, sa } of samples) {
        const before = row.signal && latest(facts, row.signal);
        const events = feed(facts, [{ spn: row.spn, value, t_us: T0 + second * S, sa }]);
        const after = row.signal && latest(facts, row.signal);
        // Half a litre and an eighth of a kilometre are the coarsest steps.
        if (before != null && after != null && after < before - 0.5) assert.equal(events.length, 1);
        if (before != null && after != null && after >= before) assert.deepEqual(events, []);
      }
    }),
  );
});

test('[D14] provenance reaches down to the frame, and state goes through JSON unharmed', () => {
  const facts = createFacts();
  feed(facts, [{ spn: 247, value: 219.2, t_us: T0 }]);
  assert.deepEqual(liveValues(facts)['engine.hours'], {
    value: 219.2,
    observed_at: new Date(T0 / 1000).toISOString(),
    received_at: new Date(LATER / 1000).toISOString(),
    device_id: 'dev_a',
    run_id: 'run_1',
    ref: '00000001:64#7',
    bus: 1,
    source_address: 0,
    pgn: 65253,
    spn: 247,
    raw: 219.2,
  });
  const restored = JSON.parse(JSON.stringify(facts)) as Facts;
  assert.deepEqual(restored, facts);
  const events = feed(restored, [{ spn: 247, value: 100, t_us: T0 + 60 * S }]);
  assert.equal(events.length, 1);
});
