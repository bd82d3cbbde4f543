/** Meters as ordered segments: the total against the truth of random machines, and each cause of a new segment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import type { MeterReconciliation } from '#contract/fleet/meter.ts';
import { NONE } from '#domain/base/none.ts';
import { random, type Stream, streamOf } from '#domain/base/random.ts';
import { EVIDENCE, type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { applyValue, liveValues, setBack } from '#domain/machine/machine.ts';
import { reconcileMeter } from '#domain/machine/meter-people.ts';
import { meterSegments } from '#domain/machine/meter-view.ts';
import { MAX_SEGMENTS } from '#domain/machine/meters.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { sent } from '#test/support/sent.ts';

const S = 1_000_000;
const T0 = 1_700_000_040 * S;
const H = 3600;
const by = (spn: number) => EVIDENCE.find((one) => one?.spn === spn) as Evidence;

interface Sent {
  readonly spn?: number;
  readonly value: number;
  /** Seconds after T0 by the clock of the sender, and by the clock of the gateway. */
  readonly at: number;
  readonly received?: number;
  readonly sa?: number;
  readonly unit?: number;
  readonly device?: string;
}

function feed(facts: Facts, ...all: readonly Sent[]): FactEvent[] {
  const events: FactEvent[] = [];
  for (const { spn = 247, value, at, received = at, sa = 0, unit = sa, device = 'dev_a' } of all) {
    const arrival = { device, run_id: null, ref: '00000001:64', received_us: T0 + received * S, events };
    applyValue(facts, arrival, sent(by(spn), value, value, T0 + at * S, 1, sa, 7, false, unit));
  }
  return events;
}

function point(facts: Facts, signal: SignalName, value: number, at: number): void {
  const arrival = { device: 'dev_a', run_id: null, ref: '00000001:64', received_us: T0 + at * S, events: [] };
  const evidence = POINT_EVIDENCE[SIGNAL_NAMES.indexOf(signal)] as Evidence;
  applyValue(facts, arrival, sent(evidence, null, value, T0 + at * S, NONE, NONE, NONE));
}

function reconcile(facts: Facts, value: number, at: number, more: Partial<MeterReconciliation> = {}): FactEvent[] {
  const events: FactEvent[] = [];
  const person = { type: 'workspace', id: 'key_1', name: 'Ana' };
  const reading = {
    signal: 'engine.hours' as const,
    value,
    observed_ms: (T0 + at * S) / 1000,
    reason: 'read in the cab',
    by: person,
    ...more,
  };
  reconcileMeter(facts, reading, { received_us: T0 + at * S, ref: '00000001:96' }, events);
  return events;
}

function hours(facts: Facts) {
  const { value = Number.NaN, meter } = liveValues(facts)['engine.hours'] ?? {};
  return {
    value,
    reading: meter?.reading,
    offset: meter?.offset,
    basis: meter?.basis,
    review: meter?.needs_review ?? null,
  };
}

const causes = (facts: Facts, kind = 'engine_hours') =>
  meterSegments(facts)
    .find((one) => one.kind === kind)
    ?.segments.map(({ opened_because }) => opened_because);

test('[D262] a control unit that begins again at a lower number: the total continues, and a person must look', () => {
  const facts = createFacts();
  feed(facts, { value: 9000, at: 0 }, { value: 12, at: 60 }, { value: 12.05, at: 240 });
  assert.deepEqual(causes(facts), ['first', 'rolled_back']);
  const { review, ...rest } = hours(facts);
  assert.deepEqual(rest, { value: 9000.05, reading: 12.05, offset: 8988, basis: 'control_unit' });
  assert.match(review ?? '', /^The meter fell: the source sent 12\.0 h when the total was 9000\.0 h/);
  feed(facts, { value: 13.05, at: 3900 });
  assert.equal(hours(facts).value, 9001.05);
});

test('[D262] a meter that returns to its old numbers gets its old offset, and nobody must look', () => {
  const facts = createFacts();
  feed(facts, { value: 9000, at: 0 }, { value: 50_000, at: 60 }, { value: 50_000.05, at: 240 });
  assert.equal(hours(facts).value, 9000.05);
  assert.notEqual(hours(facts).review, null);
  feed(facts, { value: 9000.1, at: 420 }, { value: 9000.15, at: 600 });
  assert.deepEqual(hours(facts), { value: 9000.15, reading: 9000.15, offset: 0, basis: 'control_unit', review: null });
  assert.deepEqual(causes(facts), ['first', 'jumped', 'rolled_back']);
});

test('[D262] another control unit at the same address is a swap; another logger on the same bus is none', () => {
  const facts = createFacts();
  feed(facts, { value: 9000, at: 0, unit: 300 }, { value: 9000.05, at: 180, unit: 300 });
  feed(facts, { value: 40, at: 1000, unit: 301 }, { value: 40, at: 1060, unit: 301 });
  assert.deepEqual(causes(facts), ['first', 'swapped']);
  assert.equal(hours(facts).value, 9000.05);
  assert.match(hours(facts).review ?? '', /^Another control unit took the place/);
  const other = createFacts();
  feed(other, { value: 9000, at: 0 }, { value: 9000.25, at: 1000, device: 'dev_b' });
  assert.deepEqual(causes(other), ['first', 'source_changed']);
  assert.deepEqual([hours(other).value, hours(other).review], [9000.25, null]);
});

test('[D262] a new logger at a machine with a swapped control unit keeps the offset', () => {
  const facts = createFacts();
  feed(facts, { value: 9000, at: 0 }, { value: 12, at: 60 }, { value: 12.05, at: 240 });
  reconcile(facts, 9002, 300);
  feed(facts, { value: 12.3, at: 1140, device: 'dev_b' });
  assert.deepEqual([hours(facts).value, hours(facts).review], [9002.25, null]);
});

test('[D263] a 32-bit counter that ends continues without a question: fine fuel after 4.2 million litres', () => {
  for (const range of [0xfb000000 * 0.001, 2 ** 32 * 0.001]) {
    const facts = createFacts();
    const end = range - 0.4;
    feed(facts, { spn: 5054, value: end, at: 0 }, { spn: 5054, value: 0.5, at: 60 }, { spn: 5054, value: 1, at: 120 });
    const { value, meter } = liveValues(facts)['engine.fuel_used'] ?? {};
    assert.deepEqual([value?.toFixed(1), meter?.needs_review], [(range + 1).toFixed(1), null]);
    assert.deepEqual(causes(facts, 'fuel_used_l'), ['first', 'rolled_over']);
  }
  const facts = createFacts();
  feed(facts, { spn: 5054, value: 4e6, at: 0 }, { spn: 5054, value: 0.5, at: 60 }, { spn: 5054, value: 1, at: 120 });
  assert.deepEqual(
    causes(facts, 'fuel_used_l'),
    ['first', 'rolled_back'],
    'far from the end of the counter it is a fall',
  );
});

test('[D264] a meter has at most 64 segments: the two oldest are merged, and the row says how many it holds', () => {
  const facts = createFacts();
  for (let i = 0; i < 100; i++)
    feed(facts, { value: 1000 + 7 * i, at: i * 120 }, { value: 1000 + 7 * i, at: i * 120 + 60 });
  const meter = meterSegments(facts)[0] ?? assert.fail();
  assert.equal(meter.segments.length, MAX_SEGMENTS);
  const [merged, ...rest] = meter.segments;
  assert.equal((merged?.merged ?? 0) + rest.length, 100);
  assert.equal(merged?.first.value, 1000);
  assert.ok(rest.every((one) => one.merged === 1));
  const last = rest.at(-1);
  assert.equal(meter.value, Math.round(((last?.last.value ?? 0) + (last?.offset ?? 0)) * 1e6) / 1e6);
});

test('[D265] a reading of a person becomes the total; the control unit continues from it, and the event names who and why', () => {
  const facts = createFacts();
  feed(facts, { value: 9000, at: 0 }, { value: 12, at: 60 }, { value: 12.05, at: 240 });
  assert.deepEqual(reconcile(facts, 9003.4, 300), [
    {
      type: 'meter.reconciled',
      occurred_us: T0 + 300 * S,
      data: { signal: 'engine.hours', from: 9000.05, to: 9003.4, unit: 'h', reason: 'read in the cab', segment: 3 },
    },
  ]);
  assert.deepEqual(hours(facts), {
    value: 9003.4,
    reading: 12.05,
    offset: 8991.35,
    basis: 'control_unit',
    review: null,
  });
  feed(facts, { value: 13.05, at: 3900 });
  assert.equal(hours(facts).value, 9004.4);
  const [, , segment] = meterSegments(facts)[0]?.segments ?? [];
  assert.deepEqual(
    [segment?.by, segment?.reason, segment?.opened_because],
    [{ id: 'key_1', name: 'Ana' }, 'read in the cab', 'reconciled'],
  );
});

test('[D265] a reading lower than the total corrects it downwards, because a person says so', () => {
  const facts = createFacts();
  feed(facts, { value: 9000, at: 0 });
  reconcile(facts, 8500, 60);
  feed(facts, { value: 9001, at: 3600 });
  assert.equal(hours(facts).value, 8501);
});

test('[D265] a reading during silence stands alone; the control unit that returns in step keeps its own numbers', () => {
  const facts = createFacts();
  feed(facts, { value: 5000, at: 0 });
  reconcile(facts, 6000, 2000 * H);
  assert.deepEqual([hours(facts).value, hours(facts).basis], [6000, 'manual']);
  feed(facts, { value: 6000.3, at: 2000 * H + 600 });
  assert.deepEqual(
    [hours(facts).value, hours(facts).offset, hours(facts).review],
    [6000.3, 0, null],
    'no hour counts twice',
  );
});

test('[D265] a machine without telemetry has a meter by hand, and a control unit that comes later takes over', () => {
  const facts = createFacts();
  reconcile(facts, 4500, 0);
  reconcile(facts, 4600, 1000 * H);
  assert.deepEqual(hours(facts), { value: 4600, reading: 4600, offset: 0, basis: 'manual', review: null });
  feed(facts, { value: 4690.2, at: 1100 * H });
  assert.deepEqual([hours(facts).value, hours(facts).basis, hours(facts).review], [4690.2, 'control_unit', null]);
  assert.deepEqual(causes(facts), ['first', 'reconciled', 'source_changed']);
  const other = createFacts();
  reconcile(other, 4500, 0);
  feed(other, { value: 20, at: 100 * H });
  assert.equal(hours(other).value, 4500);
  assert.notEqual(hours(other).review, null, 'the control unit counts something else');
});

/** Sends engine speed each second. */
function run(facts: Facts, from: number, to: number, rpm: number, step = 1): void {
  for (let at = from; at < to; at += step) feed(facts, { spn: 190, value: rpm, at });
}

test('[D261] a machine without an hour meter gets counted hours after ten minutes, and they ask for the real reading', () => {
  const facts = createFacts();
  run(facts, 0, 600, 900);
  assert.equal(liveValues(facts)['engine.hours'], undefined);
  run(facts, 600, 3601, 900);
  const { value, basis, review } = hours(facts);
  assert.deepEqual([value, basis], [1, 'counted']);
  assert.match(review ?? '', /counts engine hours since it first heard the machine/);
  run(facts, 3601, 7200, 0);
  assert.ok(Math.abs(hours(facts).value - 1) < 0.001);
  reconcile(facts, 7777, 7200);
  run(facts, 7200, 9001, 900);
  assert.deepEqual([hours(facts).value.toFixed(2), hours(facts).review], ['7777.50', null]);
});

test('[D261] when the meter of a control unit appears, it replaces the count, and the segments say so', () => {
  const facts = createFacts();
  run(facts, 0, 3601, 900);
  feed(facts, { value: 8123.4, at: 3605 });
  assert.deepEqual(hours(facts), { value: 8123.4, reading: 8123.4, offset: 0, basis: 'control_unit', review: null });
  assert.deepEqual(
    meterSegments(facts)[0]?.segments.map((one) => [one.basis, one.opened_because, one.last.value]),
    [
      ['counted', 'first', 1],
      ['control_unit', 'source_changed', 8123.4],
    ],
  );
  const based = createFacts();
  run(based, 0, 3601, 900);
  reconcile(based, 5000, 3600);
  feed(based, { value: 8123.4, at: 3605 });
  assert.equal(hours(based).value.toFixed(1), '5000.0', 'a person has said 5000 h a moment ago');
  assert.notEqual(hours(based).review, null);
});

test('[D261] after a reading by hand the gateway counts on from it', () => {
  const facts = createFacts();
  reconcile(facts, 300, 0);
  run(facts, 60, 1861, 900);
  assert.deepEqual([hours(facts).value, hours(facts).basis, hours(facts).review], [300.5, 'counted', null]);
});

test('[D262] telemetry points are a feed, and a decoded meter takes over', () => {
  const facts = createFacts();
  point(facts, 'engine.hours', 100, 0);
  assert.equal(hours(facts).basis, 'feed');
  feed(facts, { value: 100.05, at: 60 });
  assert.deepEqual([hours(facts).basis, hours(facts).value, hours(facts).review], ['control_unit', 100.05, null]);
});

/** One random machine with an hour meter: its deliveries in order of arrival, and the true hours at each observation. */
interface Machine {
  readonly deliveries: readonly (Sent & { readonly truth: number })[];
  readonly disturbed: boolean;
}

const whole = (stream: Stream, below: number) => Math.floor(random(stream) * below);

function machineOf(stream: Stream): Machine {
  const readings: (Sent & { truth: number })[] = [];
  let truth = 100 + whole(stream, 20_000);
  let base = truth - Math.floor(truth);
  // One machine in ten has a counter that is near its largest number, and begins again at 0. Nobody could tell a reset from that.
  const counts = 0xfb00_0000;
  const rolls = random(stream) < 0.1;
  if (rolls) base = truth - (counts * 0.05 - random(stream) * 6);
  let unit = 0;
  let skew = 0;
  let disturbed = false;
  let on = true;
  const readingEvery = 30 + whole(stream, 60);
  const end = 4 * H + whole(stream, 8 * H);
  let silentUntil = 0;
  for (let at = 0; at < end; at += readingEvery) {
    if (random(stream) < 0.01) on = !on;
    if (on) truth += readingEvery / H;
    if (random(stream) < 0.004) silentUntil = at + whole(stream, 2 * H);
    if (random(stream) < 0.002 && !rolls) {
      base = truth - whole(stream, 3) * 10;
      disturbed = true;
    }
    if (random(stream) < 0.001) {
      unit++;
      base = truth - whole(stream, 8000);
      disturbed = true;
    }
    if (random(stream) < 0.001) {
      skew = whole(stream, 1200) - 1200;
      disturbed = true;
    }
    if (at < silentUntil) continue;
    const value = (Math.floor((truth - base) / 0.05 + 1e-9) % counts) * 0.05;
    readings.push({ value, at: at + skew, received: at, unit, truth });
    if (random(stream) < 0.05) readings.push({ value, at: at + skew, received: at + 1, unit, truth });
  }
  // A part of the readings arrives in another order.
  const deliveries = readings
    .map((one, i) => ({ one, key: i + (random(stream) < 0.05 ? whole(stream, 6) : 0) }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }, i) => ({ ...one, received: Math.max(one.received ?? 0, readings[i]?.received ?? 0) }));
  return { deliveries, disturbed };
}

test('[D266] 1,000 random machines: the total is within 0.05 h of the truth or asks for a review, and it never falls', () => {
  let reviews = 0;
  let rolled = 0;
  let worst = 0;
  for (let i = 0; i < 1000; i++) {
    const stream = streamOf(TEST_SEED, 77, i);
    const { deliveries, disturbed } = machineOf(stream);
    const facts = createFacts();
    // The truth begins at the first reading: nobody knows the hours before.
    const [start] = deliveries;
    const shift = (start?.value ?? 0) - (start?.truth ?? 0);
    let before = 0;
    const truthAt = new Map<number, number>();
    for (const one of deliveries) {
      if (one.received !== undefined) setBack(facts, T0 + one.received * S);
      feed(facts, one);
      truthAt.set(Math.round(one.value * 100) + one.at * 1e7, one.truth);
      const { value, review, reading = 0 } = hours(facts);
      assert.ok(value >= before, `machine ${i}: the total fell from ${before} to ${value}`);
      before = value;
      if (review !== null) continue;
      const observed = (Date.parse(liveValues(facts)['engine.hours']?.observed_at ?? '') * 1000 - T0) / S;
      const truth = truthAt.get(Math.round(reading * 100) + Math.round(observed) * 1e7);
      if (truth === undefined) continue;
      const wrong = Math.abs(value - (truth + shift));
      worst = Math.max(worst, wrong);
      assert.ok(wrong <= 0.05 + 1e-6, `machine ${i}: ${value} h instead of ${truth + shift} h, without a review`);
    }
    if (hours(facts).review !== null) reviews++;
    if (causes(facts)?.includes('rolled_over')) rolled++;
    if (!disturbed) assert.equal(hours(facts).review, null, `machine ${i}: nothing happened that needs a person`);
  }
  assert.ok(reviews > 100 && reviews < 900, `${reviews} machines ask for a review`);
  assert.ok(rolled > 20, `the counters of ${rolled} machines began again at 0`);
  assert.ok(worst > 0.04, 'the traces reach the resolution of the meter');
});
