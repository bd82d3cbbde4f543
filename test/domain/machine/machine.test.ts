import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';
import { NONE } from '#domain/base/none.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { EVIDENCE, type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { MAX_SOURCES, OUTCOME } from '#domain/machine/latest-known.ts';
import { type Arrival, applyValue, equipmentLive, liveValues, setBack, tick } from '#domain/machine/machine.ts';
import { sent } from '#test/support/sent.ts';

const S = 1_000_000;
const T0 = 1.7e15;
/** Received a year later: a recording, not live. */
const LATER = T0 + 365 * 86_400 * S;

const by = (spn: number) => EVIDENCE.find((one) => one?.spn === spn) as Evidence;
const point = (signal: SignalName) => POINT_EVIDENCE[SIGNAL_NAMES.indexOf(signal)] as Evidence;

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
    applyValue(facts, from, sent(by(spn), value, value, t_us, 1, sa, 7));
    return from.events;
  });
}

const latest = (facts: Facts, signal: keyof ReturnType<typeof liveValues>) => liveValues(facts)[signal]?.value;

test('[D10] the latest observation stands, whatever the order of arrival; an older one is late', () => {
  const facts = createFacts();
  const at = (t_us: number, value: number) => applyValue(facts, arrival(), sent(by(96), value, value, t_us, 1, 0, 0));
  assert.equal(at(T0, 50), OUTCOME.moved);
  assert.equal(at(T0 - S, 60), OUTCOME.late);
  assert.equal(latest(facts, 'fuel.level'), 50);
  assert.equal(at(T0 + S, 49), OUTCOME.moved);
  assert.equal(latest(facts, 'fuel.level'), 49);
});

test('[D10] a recording of years ago sets meters and levels of an empty machine, and leaves its live status unknown', () => {
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

/** The live values without the segments of the meters, which record the order of arrival. */
function withoutSegments(facts: Facts) {
  return Object.fromEntries(
    Object.entries(liveValues(facts)).map(([name, { meter, ...value }]) => [
      name,
      { ...value, reading: meter?.reading, offset: meter?.offset, needs_review: meter?.needs_review },
    ]),
  );
}

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
        // Meters grow as their hour does: what cannot be is held, and then the order counts.
        const samples = picks.map(({ second, ...rest }, i) => ({
          ...rest,
          t_us: T0 + second * S,
          value: [917, 245, 247].includes(rest.spn) ? 100 + second / 3600 : i,
        }));
        const shuffled = samples
          .map((s, i) => ({ s, key: keys[i] as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ s }) => s);
        const ordered = createFacts();
        const other = createFacts();
        feed(ordered, samples);
        feed(other, shuffled);
        assert.deepEqual(withoutSegments(other), withoutSegments(ordered));
      },
    ),
  );
});

test('[D11] a time ahead of the receiver, or no time at all, counts as the time of receipt', () => {
  for (const t_us of [LATER + 86_400 * S, Number.NaN, -5, Number.POSITIVE_INFINITY]) {
    const facts = createFacts();
    applyValue(facts, arrival(), sent(by(96), 100, 40, t_us, 1, 0, 0));
    assert.equal(liveValues(facts)['fuel.level']?.observed_at, new Date(LATER / 1000).toISOString());
    applyValue(facts, arrival(LATER + S), sent(by(96), 100, 39, LATER + S, 1, 0, 0));
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
  assert.equal(applyValue(facts, arrival(), sent(point('fuel.level'), null, 55, T0, NONE, NONE, NONE)), OUTCOME.moved);
  assert.equal(latest(facts, 'fuel.level'), 55);
  feed(facts, [{ spn: 96, value: 54, t_us: T0 + S }]);
  assert.equal(
    applyValue(facts, arrival(), sent(point('fuel.level'), null, 56, T0 + 2 * S, NONE, NONE, NONE)),
    OUTCOME.kept,
  );
  assert.equal(latest(facts, 'fuel.level'), 54);
  assert.equal(
    applyValue(facts, arrival(), sent(point('fuel.level'), null, Number.NaN, T0 + 3 * S, NONE, NONE, NONE)),
    OUTCOME.late,
  );
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
  assert.equal(applyValue(facts, arrival(), sent(by(84), 1, 1, T0, 1, 200, 0)), OUTCOME.late);
  assert.equal(sources.length, MAX_SOURCES);
});

const bySource = { bus: 1, source_address: 0, spn: 247, device_id: 'dev_a' };

/** Engine hours of one source: value and second. */
const hours = (facts: Facts, ...readings: readonly (readonly [second: number, value: number])[]) =>
  feed(
    facts,
    readings.map(([second, value]) => ({ spn: 247, value, t_us: T0 + second * S })),
  );

test('[D13] a meter that decreases is held; once the next reading agrees, the total continues and a reset is told', () => {
  const facts = createFacts();
  const [held, ...none] = hours(facts, [0, 9000], [60, 9000.05], [120, 12]);
  assert.deepEqual(none, []);
  assert.deepEqual(held, {
    type: 'meter.held',
    occurred_us: T0 + 120 * S,
    data: { signal: 'engine.hours', value: 12, known: 9000.05, ref: '00000001:64#7', ...bySource },
  });
  const { value, observed_at } = liveValues(facts)['engine.hours'] ?? {};
  assert.deepEqual([value, observed_at], [9000.05, new Date(T0 / 1000 + 60_000).toISOString()]);
  assert.deepEqual(hours(facts, [180, 12.05], [240, 12.05]), [
    {
      type: 'meter.reset',
      occurred_us: T0 + 180 * S,
      data: {
        signal: 'engine.hours',
        from: 9000.05,
        to: 12.05,
        reason: 'decreased',
        total: 9000.1,
        offset: 8988.05,
        segment: 2,
        ...bySource,
      },
    },
  ]);
  assert.equal(latest(facts, 'engine.hours'), 9000.1);
});

test('[D15] one wrong frame, up or down, is never shown: the next reading rejects it, told once an hour at most', () => {
  const facts = createFacts();
  const events: FactEvent[] = [];
  for (let minute = 0; minute < 150; minute++) {
    const true_h = 9000 + minute / 60;
    events.push(...hours(facts, [minute * 60, true_h]));
    events.push(...hours(facts, [minute * 60 + 30, minute % 2 === 0 ? true_h + 5000 : 3]));
    assert.equal(latest(facts, 'engine.hours'), true_h);
  }
  // The arrival is the same for all: one hour by the receiver's clock.
  assert.deepEqual(
    events.map(({ type }) => type),
    ['meter.held', 'meter.rejected'],
  );
});

test('[D15] a control unit that was replaced is believed at its second reading; what fits neither is held anew', () => {
  const facts = createFacts();
  const events = hours(facts, [0, 9000], [60, 14_000], [120, 3], [180, 14_000.05], [240, 14_000.05]);
  assert.deepEqual(
    events.map(({ type, data }) => [type, type === 'meter.reset' && data.reason]),
    [
      ['meter.held', false],
      ['meter.reset', 'jumped'],
    ],
  );
  const { value, meter } = liveValues(facts)['engine.hours'] ?? {};
  assert.deepEqual([value, meter?.reading, meter?.offset], [9000, 14_000.05, -5000.05]);
});

test('[D15] what time allows is no jump: by the sender that was away, or by the receiver where dates were wrong', () => {
  const facts = createFacts();
  assert.deepEqual(hours(facts, [0, 9000], [60, 9001], [60 + 100 * 3600, 9101.9]), []);
  assert.equal(latest(facts, 'engine.hours'), 9101.9);
  // Dates stand still, the receipt went on.
  const late: Arrival & { events: FactEvent[] } = arrival(LATER + 10 * 3600 * S);
  applyValue(facts, late, sent(by(247), 0, 9111, T0 + (61 + 100 * 3600) * S, 1, 0, 7));
  assert.deepEqual([late.events, latest(facts, 'engine.hours')], [[], 9111]);
});

test('[D15] a new source that contradicts the meter holds it only once a second reading agrees', () => {
  const facts = createFacts();
  feed(facts, [{ spn: 247, value: 9000, t_us: T0, sa: 17 }]);
  // Address 0 is preferred; one frame with that address is not believed.
  feed(facts, [{ spn: 247, value: 77_777, t_us: T0 + S }]);
  assert.equal(latest(facts, 'engine.hours'), 9000);
  const [reset, ...more] = feed(facts, [{ spn: 247, value: 77_777, t_us: T0 + 61 * S }]);
  assert.deepEqual(more, []);
  assert.equal(reset?.type === 'meter.reset' && reset.data.reason, 'source_changed');
  const { value, meter } = liveValues(facts)['engine.hours'] ?? {};
  assert.deepEqual([value, meter?.reading, meter?.needs_review !== null], [9000, 77_777, true]);
});

test('[D13] the finer counter taking over within the coarser step is no reset; a real fall by another source is', () => {
  const facts = createFacts();
  const close = feed(facts, [
    { spn: 250, value: 19_945, t_us: T0 },
    { spn: 5054, value: 19_944.812, t_us: T0 + S },
  ]);
  assert.deepEqual(close, []);
  const { value, meter } = liveValues(facts)['engine.fuel_used'] ?? {};
  assert.deepEqual([value, meter?.reading, meter?.offset], [19_945, 19_944.812, 0], 'the total does not fall');
  const [reset, ...more] = feed(facts, [
    { spn: 250, value: 100, t_us: T0 + 700 * S },
    { spn: 250, value: 100.5, t_us: T0 + 760 * S },
  ]);
  assert.deepEqual(more, []);
  assert.equal(reset?.type === 'meter.reset' && reset.data.reason, 'source_changed');
});

test('[D13] [D15] no meter ever falls or jumps in silence, whatever comes in', () => {
  const meters = SIGNAL_NAMES.filter((name) => signalRow(name).kind === 'meter');
  const rows = PARAMETERS.filter((row) => row.signal !== null && meters.includes(row.signal));
  const sample = fc.record({
    row: fc.constantFrom(...rows),
    value: fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.double({ min: 500, max: 501, noNaN: true })),
    second: fc.nat(5000),
    sa: fc.nat(2),
    undated: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 60 }), (samples) => {
      const facts = createFacts();
      for (const { row, value, second, sa, undated } of samples) {
        const before = row.signal && liveValues(facts)[row.signal];
        const from = arrival();
        applyValue(facts, from, sent(by(row.spn), value, value, T0 + second * S, 1, sa, 7, undated));
        const after = row.signal && liveValues(facts)[row.signal];
        if (!before?.meter || !after?.meter) continue;
        // Totals are rounded to a millionth of the unit.
        const isLower = after.value < before.value - 1e-6;
        assert.ok(!isLower || after.observed_at < before.observed_at, 'the total never falls');
        const step = after.meter.reading - before.meter.reading;
        const resets = from.events.filter(({ type }) => type === 'meter.reset');
        // Half a litre and an eighth of a kilometre are the coarsest steps; an hour and 1.4 more are what any hour meter may rise.
        if (step < -0.5 || step > 2000) assert.equal(resets.length, 1);
        if (step >= 0 && step <= 1 && after.meter.offset === before.meter.offset) assert.deepEqual(resets, []);
        assert.ok(Object.values(facts.signals).every((state) => (state.sources[state.holder]?.observed_us ?? -1) > 0));
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
    meter: {
      basis: 'control_unit',
      reading: 219.2,
      offset: 0,
      since: new Date(T0 / 1000).toISOString(),
      segment: 1,
      opened_because: 'first',
      needs_review: null,
    },
  });
  feed(facts, [{ spn: 247, value: 100, t_us: T0 + 60 * S }]);
  const restored = JSON.parse(JSON.stringify(facts)) as Facts;
  assert.deepEqual(restored, facts);
  const events = feed(restored, [{ spn: 247, value: 100, t_us: T0 + 120 * S }]);
  assert.equal(events.length, 1);
});

/** Engine hours as a logger without a date sends them: counted as of receipt. */
const undated = (facts: Facts, value: number, received_us: number, t_us = received_us) =>
  applyValue(facts, arrival(received_us), sent(by(247), value, value, t_us, 1, 0, 0, true));
const dated = (facts: Facts, value: number, received_us: number, t_us: number) =>
  applyValue(facts, arrival(received_us), sent(by(247), value, value, t_us, 1, 0, 0));
const hoursNow = (facts: Facts) => {
  const { value, observed_at } = liveValues(facts)['engine.hours'] ?? {};
  return [value, (Date.parse(observed_at ?? '') * 1000 - T0) / S];
};

test('[D16] a clock that was set late: the dated backlog supersedes what came undated before it', () => {
  const facts = createFacts();
  const R = T0 + 36_000 * S;
  assert.equal(undated(facts, 100, R), OUTCOME.moved);
  assert.equal(undated(facts, 100.05, R), OUTCOME.moved);
  assert.deepEqual(hoursNow(facts), [100.05, 36_000]);
  // Eight hours of backlog, all received within a second.
  assert.equal(dated(facts, 100.1, R + S, T0 + 7_200 * S), OUTCOME.moved);
  assert.deepEqual(hoursNow(facts), [100.1, 7_200]);
  assert.equal(dated(facts, 105, R + S, T0 + 25_000 * S), OUTCOME.moved);
  // Power goes and comes again, without a date.
  assert.equal(undated(facts, 105.05, R + S), OUTCOME.moved);
  assert.deepEqual(hoursNow(facts), [105.05, 36_001]);
  // Older than the newest date of this source: late, whatever came undated since.
  assert.equal(dated(facts, 101, R + S, T0 + 10_000 * S), OUTCOME.late);
  assert.equal(dated(facts, 105.1, R + S, T0 + 26_000 * S), OUTCOME.moved);
  assert.deepEqual(hoursNow(facts), [105.1, 26_000]);
});

test('[D16] times since something that overlap, as a buffer is emptied, count in the order of arrival and never go back', () => {
  const facts = createFacts();
  const R = T0 + 36_000 * S;
  undated(facts, 100, R);
  // Each message ends at its receipt; its first frames lie before the end of the message before.
  assert.equal(undated(facts, 100.05, R + 20_000, R - 5 * S), OUTCOME.moved);
  assert.deepEqual(hoursNow(facts), [100.05, 36_000]);
  assert.equal(undated(facts, 100.1, R + 40_000, R + 30_000), OUTCOME.moved);
  assert.equal(hoursNow(facts)[0], 100.1);
});

test('[D16] a clock far ahead is no date: once it is right, what it says counts; a little ahead is one', () => {
  const facts = createFacts();
  const R = T0 + 36_000 * S;
  dated(facts, 100, R, R + 3_650 * 86_400 * S);
  assert.equal(dated(facts, 100.05, R + S, R - 3_600 * S), OUTCOME.moved);
  const near = createFacts();
  dated(near, 100, R, R + S);
  assert.equal(dated(near, 99.95, R + S, R - 3_600 * S), OUTCOME.late);
});

test('[D16] among several sources the one that went back in time does not hold what is news elsewhere', () => {
  const facts = createFacts();
  const R = T0 + 36_000 * S;
  applyValue(facts, arrival(R), sent(by(84), 20, 20, R, 1, 0, 0, true));
  applyValue(facts, arrival(R), sent(by(84), 21, 21, R - 10 * S, 1, 3, 0));
  assert.equal(latest(facts, 'vehicle.speed'), 21);
  applyValue(facts, arrival(R), sent(by(84), 5, 5, T0, 1, 3, 0));
  applyValue(facts, arrival(R), sent(by(84), 9, 9, T0, 1, 0, 0));
  assert.equal(latest(facts, 'vehicle.speed'), 21);
});

test('[D17] a receiver whose clock is set back takes what it knows along: nothing is frozen, nothing is from the future', () => {
  const facts = createFacts();
  const events: FactEvent[] = [];
  const at = (received_us: number, rpm: number) => {
    setBack(facts, received_us);
    applyValue(facts, { ...arrival(received_us), events }, sent(by(190), rpm, rpm, received_us, 1, 0, 0));
  };
  for (let s = 0; s <= 15; s++) at(LATER + s * S, 1500);
  assert.equal(equipmentLive(facts).live_status, 'running');
  const back = LATER - 365 * 86_400 * S;
  for (let s = 0; s <= 15; s++) at(back + s * S, 650);
  const live = equipmentLive(facts);
  assert.deepEqual([live.live_status, live.values['engine.speed']?.value], ['idle', 650]);
  assert.equal(live.last_live_data_at, new Date(back / 1000 + 15_000).toISOString());
  assert.ok(Date.parse(live.live_status_since ?? '') <= back / 1000 + 15_000);
  // Silence counts from where the clock is now.
  assert.equal(tick(facts, back - 86_400 * S, events), false);
  assert.equal(tick(facts, back - 86_400 * S + 301 * S, events), true);
  assert.equal(equipmentLive(facts).live_status, 'unknown');
});
