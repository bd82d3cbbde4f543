import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseFaults } from '#domain/j1939/faults.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { MAX_CODES, MAX_FAULT_SOURCES } from '#domain/machine/fault-table.ts';
import { applyFaults, applyValue, equipmentLive } from '#domain/machine/machine.ts';
import { sent } from '#test/support/sent.ts';

const S = 1_000_000;
const T0 = 1.7e15;
const SPEED = EVIDENCE.find((one) => one?.spn === 190) as Evidence;
const A = 'D4030901';
const B = '6102097F';
const UNKNOWN = '97000385';

interface Heard {
  readonly sa?: number;
  readonly bus?: number;
  readonly device?: string;
  readonly lamps?: string;
}

function machine() {
  const facts = createFacts();
  const events: FactEvent[] = [];
  const from = (device: string) => ({ device, run_id: null, ref: null, received_us: T0 + 1e6 * S, events });
  return {
    facts,
    events,
    dm1(s: number, codes: readonly string[], { sa = 0, bus = 1, device = 'dev_a', lamps = '00FF' }: Heard = {}) {
      const data = Uint8Array.from(Buffer.from(lamps + codes.join(''), 'hex'));
      const found = parseFaults(data, data.length, undefined);
      assert.ok(found);
      return applyFaults(facts, from(device), { t_us: T0 + s * S, bus, sa, frame: 0, ...found });
    },
    /** Traffic of another unit on the bus, ten a second. */
    traffic(begin: number, end: number, bus = 1, device = 'dev_a') {
      for (let s = begin; s <= end; s += 0.1)
        applyValue(facts, from(device), sent(SPEED, 800, 100, T0 + s * S, bus, 0, 0));
    },
    get log() {
      return events.flatMap((event) =>
        event.type === 'dtc.activated'
          ? [`+${event.data.spn}/${event.data.fmi}`]
          : event.type === 'dtc.cleared'
            ? [`-${event.data.spn}/${event.data.fmi} ${event.data.reason}`]
            : [],
      );
    },
  };
}
const codesOf = (facts: Facts) => equipmentLive(facts).dtcs?.map(({ spn, fmi }) => `${spn}/${fmi}`);
const countsOf = (facts: Facts) => equipmentLive(facts).dtc_counts;

test('[D30] no DM1 is null; a DM1 without codes is zero', () => {
  const m = machine();
  m.traffic(0, 3);
  assert.equal(equipmentLive(m.facts).dtcs, null);
  assert.equal(countsOf(m.facts), null);
  m.dm1(4, []);
  assert.deepEqual(equipmentLive(m.facts).dtcs, []);
  assert.deepEqual(countsOf(m.facts), {
    active: 0,
    previously_active: null,
    previously_observed_at: null,
    red_stop: 0,
    amber: 0,
    protect: 0,
    mil: 0,
    observed_at: new Date(T0 / 1000 + 4000).toISOString(),
  });
});

test('[D33] a code activates once, clears once, and keeps its first time', () => {
  const m = machine();
  m.dm1(0, [A]);
  m.dm1(1, [A, B]);
  m.dm1(2, [A, B]);
  m.dm1(3, [B]);
  assert.deepEqual(m.log, ['+980/9', '+609/9', '-980/9 reported']);
  assert.equal(equipmentLive(m.facts).dtcs?.[0]?.since, new Date(T0 / 1000 + 1000).toISOString());
});

test('[D30] an older DM1 of the same unit is late and changes nothing', () => {
  const m = machine();
  m.dm1(10, [A]);
  assert.equal(m.dm1(9, []), false);
  assert.deepEqual(codesOf(m.facts), ['980/9']);
});

test('[D31] a unit silent for more than five seconds of bus time leaves with its codes', () => {
  const m = machine();
  m.dm1(0, [A], { sa: 3 });
  for (let s = 1; s <= 5; s++) m.traffic(s, s);
  assert.deepEqual(codesOf(m.facts), ['980/9']);
  m.traffic(5.1, 5.1);
  assert.deepEqual(codesOf(m.facts), []);
  assert.deepEqual(m.log, ['+980/9', '-980/9 silent']);
  assert.equal(countsOf(m.facts)?.active, 0);
});

test('[D31] a gap in the data, or a bus that sleeps, is not a silent unit', () => {
  const m = machine();
  m.dm1(0, [A], { sa: 3 });
  m.traffic(600, 603);
  assert.deepEqual(codesOf(m.facts), ['980/9']);
  m.dm1(603.5, [A], { sa: 3 });
  m.traffic(700, 800, 2);
  assert.deepEqual(codesOf(m.facts), ['980/9']);
  assert.deepEqual(m.log, ['+980/9']);
});

test('[D31] an entry a day older than the newest leaves, and one that old is not taken in', () => {
  const m = machine();
  m.dm1(0, [A], { device: 'dev_old' });
  for (const s of [40_000, 80_000, 86_400]) m.dm1(s, [B]);
  assert.deepEqual(codesOf(m.facts), ['609/9', '980/9']);
  m.dm1(86_401, [B]);
  assert.deepEqual(codesOf(m.facts), ['609/9']);
  assert.equal(m.dm1(0, [A], { sa: 9 }), false);
});

test('[D31] after three days without any DM1 the other units have a day to send again, and their codes are not new', () => {
  const day = 86_400;
  const m = machine();
  m.dm1(0, [A], { sa: 0 });
  m.dm1(0, [A], { sa: 3 });
  m.dm1(0, [B], { sa: 3, bus: 2 });
  m.dm1(0, [UNKNOWN], { device: 'dev_old' });
  for (const [s, sa, bus, code] of [
    [3 * day, 0, 1, A],
    [3 * day + 1, 3, 1, A],
    [3 * day + 2, 3, 2, B],
  ] as const)
    m.dm1(s, [code], { sa, bus });
  assert.deepEqual(m.log, ['+980/9', '+980/9', '+609/9', '+null/3']);
  assert.equal(equipmentLive(m.facts).dtcs?.find(({ spn }) => spn === 609)?.since, new Date(T0 / 1000).toISOString());
  m.dm1(4 * day - 1, [A], { sa: 0 });
  assert.equal(m.log.length, 4);
  // The unit that never sends again leaves.
  m.dm1(4 * day, [A], { sa: 0 });
  assert.deepEqual(m.log.slice(4), ['-null/3 silent']);
});

test('[D31] at a machine that works each second day, a unit that sent nothing in a whole time of work leaves', () => {
  const twoDays = 2 * 86_400;
  const m = machine();
  m.dm1(0, [A], { sa: 0 });
  m.dm1(0, [UNKNOWN], { device: 'dev_old' });
  // A short time of work: the other units may not have sent yet.
  m.dm1(twoDays, [A], { sa: 0 });
  m.dm1(twoDays + 30, [A], { sa: 0 });
  m.dm1(2 * twoDays, [A], { sa: 0 });
  assert.equal(m.log.length, 2);
  for (const s of [61, 3_600]) m.dm1(2 * twoDays + s, [A], { sa: 0 });
  m.dm1(3 * twoDays, [A], { sa: 0 });
  assert.deepEqual(m.log.slice(2), ['-null/3 silent']);
});

test('[D32] the same fault on two buses or from two devices counts once; two units with it count twice', () => {
  const m = machine();
  m.dm1(0, [A], { lamps: '44FF' });
  m.dm1(0, [A], { bus: 2, lamps: '44FF' });
  m.dm1(0, [A], { device: 'dev_b', lamps: '44FF' });
  assert.equal(countsOf(m.facts)?.active, 1);
  assert.deepEqual([countsOf(m.facts)?.mil, countsOf(m.facts)?.amber], [1, 1]);
  m.dm1(0, [A], { sa: 3, lamps: '11FF' });
  assert.equal(countsOf(m.facts)?.active, 2);
  assert.deepEqual([countsOf(m.facts)?.red_stop, countsOf(m.facts)?.protect], [1, 1]);
  assert.equal(m.log.length, 2);
  m.dm1(1, []);
  assert.equal(m.log.length, 2, 'still heard on the other bus');
});

test('[D32] a code whose SPN is ambiguous still counts, and its growing count is not another code', () => {
  const m = machine();
  m.dm1(0, [UNKNOWN]);
  m.dm1(1, ['97000386']);
  assert.deepEqual(m.log, ['+null/3']);
  assert.deepEqual(
    equipmentLive(m.facts).dtcs?.map(({ raw, occurrence_count }) => [raw, occurrence_count]),
    [['97000386', 6]],
  );
});

test('[D32] units and codes are bounded', () => {
  const m = machine();
  for (let sa = 0; sa < 100; sa++) m.dm1(sa / 1000, [A], { sa });
  assert.equal(m.facts.faults.sources.length, MAX_FAULT_SOURCES);
  assert.equal(countsOf(m.facts)?.active, MAX_FAULT_SOURCES);
  assert.equal(m.log.filter((line) => line.startsWith('-')).length, 100 - MAX_FAULT_SOURCES);
  const many = Array.from({ length: 400 }, (_, i) => `${(i & 255).toString(16).padStart(2, '0')}0${i >> 8}0401`);
  m.dm1(1, many, { sa: 99 });
  assert.equal(m.facts.faults.sources.find(({ sa }) => sa === 99)?.codes.length, MAX_CODES);
});

test('[D33] activations minus clearances are what is active, whatever is heard', () => {
  const step = fc.record({
    dt: fc.integer({ min: -3, max: 8 }),
    sa: fc.nat(2),
    bus: fc.nat(1),
    codes: fc.subarray([A, B, UNKNOWN, 'B804030A']),
    traffic: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const m = machine();
      let s = 0;
      for (const { dt, sa, bus, codes, traffic } of steps) {
        s = Math.max(0, s + dt);
        m.dm1(s, codes, { sa, bus });
        if (traffic > 6) m.traffic(s, s + traffic, bus);
      }
      const active = new Set<string>();
      for (const { type, data } of m.events) {
        if (type !== 'dtc.activated' && type !== 'dtc.cleared') continue;
        const key = `${data.source_address} ${data.raw.slice(0, 6)}`;
        assert.equal(active.has(key), type === 'dtc.cleared');
        if (type === 'dtc.cleared') active.delete(key);
        else active.add(key);
      }
      assert.equal(active.size, countsOf(m.facts)?.active ?? 0);
      assert.deepEqual(JSON.parse(JSON.stringify(m.facts)), m.facts);
    }),
  );
});

test('[D30] a code names the lamps that its control unit switches on in its last DM1', () => {
  const m = machine();
  const lampsOf = () => equipmentLive(m.facts).dtcs?.map(({ source_address, lamps }) => [source_address, lamps]);
  m.dm1(0, [A], { sa: 0, lamps: '44FF' });
  m.dm1(0, [B], { sa: 3, lamps: '11FF' });
  assert.deepEqual(lampsOf(), [
    [0, ['amber', 'mil']],
    [3, ['red_stop', 'protect']],
  ]);
  m.dm1(1, [A], { sa: 0, lamps: '00FF' });
  assert.deepEqual(lampsOf()?.[0], [0, []]);
});
