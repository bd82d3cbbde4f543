/** What `machine/machine.ts` does to everything that a machine has: the clock set back, values of recordings, places of values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NONE } from '#domain/base/none.ts';
import { isoTime } from '#domain/base/times.ts';
import { type FaultMessage, parseFaults } from '#domain/j1939/faults.ts';
import { EVIDENCE, type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import {
  type Arrival,
  applyFaults,
  applyPrevious,
  applyValue,
  equipmentLive,
  liveValues,
  setBack,
} from '#domain/machine/machine.ts';
import { sent } from '#test/support/sent.ts';

const S = 1_000_000;
const T0 = 1.7e15;
const by = (spn: number) => EVIDENCE.find((one) => one?.spn === spn) as Evidence;
const point = (signal: SignalName) => POINT_EVIDENCE[SIGNAL_NAMES.indexOf(signal)] as Evidence;

function arrival(received_us: number, more: Partial<Arrival> = {}): Arrival & { events: FactEvent[] } {
  return { device: 'dev_a', run_id: null, ref: '00000001:64', received_us, ...more, events: [] };
}

function faults(t_us: number, codes: string, sa = 0): FaultMessage {
  const data = Uint8Array.from(Buffer.from(`04FF${codes}`, 'hex'));
  const found = parseFaults(data, data.length, undefined);
  assert.ok(found);
  return { t_us, bus: 1, sa, frame: 0, ...found };
}

/** A machine with a value, a held meter that was reported, trouble codes of both kinds and a status, all at `t_us`. */
function everything(t_us: number, rpm = 1500): Facts {
  const facts = createFacts();
  const at = (s: number, spn: number, value: number, undated = false) =>
    applyValue(facts, arrival(t_us + s * S), sent(by(spn), value, value, t_us + s * S, 1, 0, 0, undated));
  for (let s = 0; s <= 20; s++) at(s, 190, rpm);
  at(20, 247, 5_000);
  at(21, 247, 12);
  at(22, 96, 40, true);
  applyFaults(facts, arrival(t_us + 20 * S), faults(t_us + 20 * S, '64000101'));
  applyPrevious(facts, arrival(t_us + 20 * S), faults(t_us + 20 * S, '65000101'));
  return facts;
}

/** Every time in the state by its path, but those of receipt and of listening, which are no observations. */
function timesOf(state: unknown, path = ''): [path: string, t_us: number][] {
  if (typeof state !== 'object' || state === null) return [];
  return Object.entries(state).flatMap(([key, value]): [string, number][] => {
    const here = `${path}/${key}`;
    if (key === 'received_us' || key === 'heard_us') return [];
    if (/_us$/.test(key) && typeof value === 'number') return [[here, value]];
    return timesOf(value, here);
  });
}

test('[D17] a clock set back leaves no time of anything beyond it, and a clock that was not leaves every time alone', () => {
  const back = T0 - 86_400 * S;
  const facts = everything(T0);
  const times = new Map(timesOf(facts));
  // What the state must hold for this test to mean something.
  for (const name of ['held/observed_us', 'told_us', 'dated_us', 'since_us', 't_us', 'running_us', 'evidence_us'])
    assert.ok(
      [...times].some(([path, t_us]) => path.endsWith(name) && t_us > back),
      `${name} is there`,
    );
  assert.equal(setBack(facts, back), true);
  for (const [path, t_us] of timesOf(facts)) assert.ok(t_us <= back, `${path} is ${(t_us - back) / S} s beyond`);
  for (const [path, t_us] of timesOf(facts)) assert.equal(t_us, Math.min(times.get(path) as number, back), path);

  const other = everything(T0);
  const kept = structuredClone(other);
  assert.equal(setBack(other, T0 + 22 * S), false);
  assert.equal(setBack(other, T0 + 21 * S), false, 'a second is no step');
  assert.deepEqual(other, kept);
  assert.equal(setBack(other, T0 + 21 * S - 1), true, 'more than a second is one');
});

test('[D17] a clock set back takes the timers of every status along: running, idle, off', () => {
  const back = T0 - 86_400 * S;
  for (const [rpm, status, timers] of [
    [1500, 'running', ['running_us', 'turning_us']],
    [650, 'idle', ['idle_us', 'turning_us']],
    [0, 'off', ['off_us']],
  ] as const) {
    const facts = everything(T0, rpm);
    assert.equal(facts.live.status, status);
    setBack(facts, back);
    const { status: _, ...times } = facts.live;
    for (const name of [...timers, 'since_us', 'last_us', 'evidence_us'] as const)
      assert.equal(times[name], back, name);
    for (const [name, t_us] of Object.entries(times)) assert.ok((t_us ?? 0) <= back, name);
  }
});

test('[D32] codes without a known SPN are told apart by their bytes, and stand in a fixed order', () => {
  const facts = createFacts();
  const codes = () => equipmentLive(facts).dtcs?.map(({ spn, fmi, raw }) => [spn, fmi, raw]);
  // SPN 609 twice, the higher FMI first; two codes with the conversion bit, alike but for their bytes.
  applyFaults(facts, arrival(T0), faults(T0, '61020C0361020901970003859800038597000385'));
  assert.deepEqual(codes(), [
    [null, 3, '97000385'],
    [null, 3, '98000385'],
    [609, 9, '61020901'],
    [609, 12, '61020C03'],
  ]);
});

test('[D16] the time of a table of codes does not go back by a message without a date', () => {
  const facts = createFacts();
  const observed = () => equipmentLive(facts).dtc_counts?.observed_at;
  applyFaults(facts, arrival(T0 + 100 * S), faults(T0 + 100 * S, '64000101'), true);
  applyFaults(facts, arrival(T0 + 100 * S), faults(T0 + 50 * S, '65000101'), true);
  assert.equal(observed(), isoTime(T0 + 100 * S));
});

test('[D17] a clock set back adds no field that was not there', () => {
  const facts = createFacts();
  applyValue(facts, arrival(T0), sent(by(96), 40, 40, T0, 1, 0, 0));
  const source = facts.signals['fuel.level']?.sources[0];
  assert.ok(source);
  delete source.dated_us;
  setBack(facts, T0 - 3_600 * S);
  assert.deepEqual(
    Object.keys(source).filter((key) => ['dated_us', 'told_us', 'held'].includes(key)),
    [],
  );
});

test('[D15] a held reading is reported again within the hour of the clock as it is, after that clock was set back', () => {
  const facts = everything(T0);
  const now = T0 - 365 * 86_400 * S;
  setBack(facts, now);
  const at = (s: number, value: number) => {
    const from = arrival(now + s * S);
    applyValue(facts, from, sent(by(247), value, value, now + s * S, 1, 0, 0));
    return from.events.map(({ type }) => type);
  };
  assert.deepEqual(at(1, 700), [], 'the one before was reported less than an hour ago');
  assert.deepEqual(at(3_602, 900), ['meter.held'], 'an hour on it is reported');
});

test('[D10] a machine known by recordings alone shows all its values; one heard live only those asked for', () => {
  const facts = createFacts();
  const old = T0 - 365 * 86_400 * S;
  applyValue(facts, arrival(T0), sent(by(247), 219, 219, old, 1, 0, 0));
  applyValue(facts, arrival(T0), sent(by(96), 74, 74, old, 1, 0, 0));
  const shown = () => Object.keys(equipmentLive(facts, ['fuel.level']).values).sort();
  assert.deepEqual(shown(), ['engine.hours', 'fuel.level']);
  assert.equal(equipmentLive(facts).last_live_data_at, null);
  applyValue(facts, arrival(T0), sent(by(190), 800, 800, T0, 1, 0, 0));
  assert.deepEqual(shown(), ['fuel.level']);
  assert.deepEqual(Object.keys(equipmentLive(facts).values).sort(), ['engine.hours', 'engine.speed', 'fuel.level']);
});

test('[D20] a trouble code, a DM2 and a value of another kind: each is fresh data or not as the rules say', () => {
  const facts = createFacts();
  const heard = () => equipmentLive(facts).last_live_data_at;
  applyPrevious(facts, arrival(T0), faults(T0, '65000101'));
  assert.equal(heard(), null, 'DM2 lists what was');
  applyFaults(facts, arrival(T0), faults(T0, '64000101'));
  assert.equal(heard(), new Date(T0 / 1000).toISOString());
  applyFaults(facts, arrival(T0 + 9_000 * S), faults(T0 + S, '64000101'));
  assert.equal(heard(), new Date(T0 / 1000).toISOString(), 'late data is not fresh');
  const rules = { idle_rpm: 300, above_idle_rpm: 200, speed_kmh: 1, load_pct: 20, hold_s: 10, stale_s: 10_000 };
  applyFaults(facts, arrival(T0 + 9_000 * S, { rules }), faults(T0 + 2 * S, '64000101'));
  assert.equal(heard(), new Date(T0 / 1000 + 2_000).toISOString(), 'the rules of the arrival count');
});

test('[D16] an undated DM1 is newer than what was heard; a dated one of the source supersedes it', () => {
  const facts = createFacts();
  const codes = () => equipmentLive(facts).dtcs?.map(({ spn }) => spn);
  applyFaults(facts, arrival(T0 + 100 * S), faults(T0 + 100 * S, '64000101'));
  assert.equal(applyFaults(facts, arrival(T0 + 200 * S), faults(T0 + 50 * S, '65000101')), false);
  assert.equal(applyFaults(facts, arrival(T0 + 200 * S), faults(T0 + 50 * S, '65000101'), true), true);
  assert.deepEqual(codes(), [101]);
});

test('[D10] the place of a value names message and frame; a point names the message, a value of nowhere names nothing', () => {
  const place = (ref: string | null, frame: number, bus: number, sa: number) => {
    const facts = createFacts();
    const from = { ...arrival(T0), ref };
    applyValue(facts, from, sent(bus === NONE ? point('fuel.level') : by(96), null, 40, T0, bus, sa, frame));
    const value = liveValues(facts)['fuel.level'];
    return [value?.ref, value?.bus, value?.source_address, value?.pgn, value?.spn];
  };
  assert.deepEqual(place('00000001:64', 7, 1, 3), ['00000001:64#7', 1, 3, 65276, 96]);
  assert.deepEqual(place('00000001:64', 0, 0, 0), ['00000001:64#0', 0, 0, 65276, 96]);
  assert.deepEqual(place('00000001:64', NONE, NONE, NONE), ['00000001:64', null, null, null, null]);
  assert.deepEqual(place(null, 7, 1, 3), [null, 1, 3, 65276, 96]);
  assert.deepEqual(place(null, NONE, NONE, NONE), [null, null, null, null, null]);
});

test('[D15] the event of a held reading names the place of that reading, also where there is no frame or no message', () => {
  const place = (ref: string | null, frame: number) => {
    const facts = createFacts();
    const hours = (value: number, s: number) => {
      const from = { ...arrival(T0 + s * S), ref };
      applyValue(facts, from, sent(by(247), value, value, T0 + s * S, 1, 0, frame));
      return from.events;
    };
    hours(5_000, 0);
    const [event] = hours(12, 60);
    assert.equal(event?.type, 'meter.held');
    return event.data.ref;
  };
  assert.equal(place('00000001:64', 7), '00000001:64#7');
  assert.equal(place('00000001:64', NONE), '00000001:64');
  assert.equal(place(null, 7), null);
});

test('[D16] a dated DM1 that supersedes an undated one takes table and bus clock back to its own time', () => {
  const facts = createFacts();
  const R = T0 + 36_000 * S;
  const at = (t_us: number, codes: string, undated: boolean, sa = 0) =>
    applyFaults(facts, arrival(R + 10 * S), faults(t_us, codes, sa), undated);
  const observed = () => equipmentLive(facts).dtc_counts?.observed_at;
  at(R, '64000101', true, 0);
  assert.equal(observed(), isoTime(R));
  facts.faults.buses.push(
    { device: 'dev_b', bus: 1, t_us: R, heard_us: 0 },
    { device: 'dev_a', bus: 2, t_us: R, heard_us: 0 },
  );
  // The unit itself has a date now, an hour after the first of its backlog.
  const source = facts.faults.sources[0];
  assert.ok(source);
  source.dated_us = T0;
  assert.equal(at(T0 + 3_600 * S, '65000101', false, 0), true);
  assert.equal(observed(), isoTime(T0 + 3_600 * S));
  assert.deepEqual(
    facts.faults.buses.map(({ device, bus, t_us }) => [device, bus, t_us]),
    [
      ['dev_a', 1, T0 + 3_600 * S],
      ['dev_b', 1, R],
      ['dev_a', 2, R],
    ],
  );
  // So the silence of the unit counts from there.
  for (let s = 1; s <= 8; s++)
    applyValue(facts, arrival(R + 10 * S), sent(by(190), 1, 800, T0 + (3_600 + s) * S, 1, 5, 0));
  assert.deepEqual(equipmentLive(facts).dtcs, []);
});

test('[D16] with two units the table is as new as the newest of them when one goes back in time', () => {
  const facts = createFacts();
  const R = T0 + 36_000 * S;
  const at = (t_us: number, undated: boolean, sa: number) =>
    applyFaults(facts, arrival(R + 10 * S), faults(t_us, '64000101', sa), undated);
  at(R - 60 * S, false, 3);
  at(R, true, 0);
  const source = facts.faults.sources.find(({ sa }) => sa === 0);
  assert.ok(source);
  source.dated_us = T0;
  at(R - 7_200 * S, false, 0);
  assert.equal(equipmentLive(facts).dtc_counts?.observed_at, isoTime(R - 60 * S));
});

test('[D102] a DM2 replaces the one of its own unit, bus and device, and no other; an older one changes nothing', () => {
  const facts = createFacts();
  const at = (t_us: number, codes: string, sa: number, device: string, bus = 1) =>
    applyPrevious(facts, arrival(T0 + 100 * S, { device }), { ...faults(t_us, codes, sa), bus });
  applyFaults(facts, arrival(T0), faults(T0, '00000000'));
  const counted = () => equipmentLive(facts).dtc_counts?.previously_active;
  at(T0, '64000101', 0, 'dev_a');
  at(T0, '65000101', 3, 'dev_a');
  at(T0, '66000101', 4, 'dev_a', 2);
  at(T0, '67000101', 5, 'dev_b');
  assert.equal(counted(), 4);
  at(T0 + S, '00000000', 3, 'dev_a');
  assert.equal(counted(), 3);
  at(T0 - S, '65000101', 3, 'dev_a');
  assert.equal(counted(), 3, 'an older DM2 is late');
  assert.equal(facts.faults.previous?.length, 4);
  at(T0 + 2 * S, '68000101', 0, 'dev_b');
  assert.deepEqual([counted(), facts.faults.previous?.length], [4, 5]);
});

test('[D31] a value moves the clock of its bus, so that a silent control unit leaves; a point has no bus', () => {
  const facts = createFacts();
  applyFaults(facts, arrival(T0), faults(T0, '64000101', 3));
  for (let s = 0.5; s < 8; s += 0.5)
    applyValue(facts, arrival(T0 + s * S), sent(point('fuel.level'), null, 40, T0 + s * S, NONE, NONE, NONE));
  assert.equal(equipmentLive(facts).dtcs?.length, 1);
  for (let s = 8; s < 16; s += 0.5) applyValue(facts, arrival(T0 + s * S), sent(by(190), 1, 800, T0 + s * S, 1, 0, 0));
  assert.equal(equipmentLive(facts).dtcs?.length, 0);
});

test('[D31] a clock that is set back takes back the begin of the day in which no unit leaves by its age', () => {
  const facts = createFacts();
  const day = 86_400;
  const at = (s: number, sa: number) =>
    applyFaults(facts, arrival(T0 + s * S), faults(T0 + s * S, '64000101', sa), false);
  at(0, 3);
  at(20 * day, 0);
  assert.equal(setBack(facts, T0 + 10 * S), true);
  for (const s of [20, day / 2, day + 10]) at(s, 0);
  assert.deepEqual(
    equipmentLive(facts).dtcs?.map(({ source_address }) => source_address),
    [0],
  );
});
