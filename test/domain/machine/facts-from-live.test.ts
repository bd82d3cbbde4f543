/** The trouble codes of a machine from its live document, as a box has them that takes the place of another one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { parseFaults } from '#domain/j1939/faults.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { factsFromLive } from '#domain/machine/facts-from-live.ts';
import { MAX_CODES, MAX_FAULT_SOURCES } from '#domain/machine/fault-table.ts';
import { applyFaults, applyValue, equipmentLive } from '#domain/machine/machine.ts';
import { sent } from '#test/support/sent.ts';

const S = 1_000_000;
const T0 = 1.7e15;
const SPEED = EVIDENCE.find((one) => one?.spn === 190) as Evidence;
const A = 'D4030901';
const B = '6102097F';
const AMBER = '04FF';
const RED_STOP = '10FF';
const NO_CODE = '00000000';

function hearing(facts: Facts) {
  const events: FactEvent[] = [];
  const arrival = { device: 'dev_a', run_id: null, ref: null, received_us: T0 + 1e6 * S, events };
  return {
    dm1(s: number, sa: number, ...codes: readonly string[]) {
      this.say(s, sa, AMBER, ...codes);
    },
    say(s: number, sa: number, lamps: string, ...codes: readonly string[]) {
      this.from(sa, s, sa, lamps, ...codes);
    },
    /** The message of a control unit with this number, from this address. */
    from(unit: number, s: number, sa: number, lamps: string, ...codes: readonly string[]) {
      const data = Uint8Array.from(Buffer.from(lamps + codes.join(''), 'hex'));
      const found = parseFaults(data, data.length, undefined) ?? assert.fail();
      applyFaults(facts, arrival, { t_us: T0 + s * S, bus: 1, sa, frame: 0, ...found }, false, unit);
    },
    /** Traffic of another unit on the bus, ten a second. */
    traffic(begin: number, end: number) {
      for (let s = begin; s <= end; s += 0.1) applyValue(facts, arrival, sent(SPEED, 800, 100, T0 + s * S, 1, 0, 0));
    },
    get log() {
      return events.flatMap(({ type, data }) =>
        type === 'dtc.activated' || type === 'dtc.cleared'
          ? [`${type} ${data.spn}${'reason' in data ? ` ${data.reason}` : ''}`]
          : [],
      );
    },
  };
}

/** The document of a machine, as the store has it, on which two units report and then these. */
function stored(more: (heard: ReturnType<typeof hearing>) => void = () => {}): EquipmentLive {
  const facts = createFacts();
  const heard = hearing(facts);
  heard.dm1(0, 0, A);
  heard.dm1(1, 0, A, B);
  heard.dm1(1, 3, B);
  more(heard);
  return JSON.parse(JSON.stringify(equipmentLive(facts))) as EquipmentLive;
}

test('[Y288] the codes of a live document are back with their times and lamps', () => {
  const before = stored();
  const after = equipmentLive(factsFromLive(before));
  assert.equal(before.dtcs?.length, 3);
  assert.deepEqual(after.dtcs, before.dtcs);
  assert.deepEqual(after.dtc_counts, before.dtc_counts);
  const none = createFacts();
  hearing(none).say(0, 0, '00FF', NO_CODE);
  const healthy = equipmentLive(none);
  assert.deepEqual(healthy.dtcs, []);
  assert.deepEqual(equipmentLive(factsFromLive(healthy)).dtcs, [], 'a unit said that there is none');
  assert.equal(equipmentLive(factsFromLive(equipmentLive(createFacts()))).dtcs, null, 'nobody said anything');
});

test('[Y288] the next message of a unit goes on from them: a code that stays is not new, and one that is missing ends', () => {
  const before = stored();
  const facts = factsFromLive(before);
  const heard = hearing(facts);
  heard.dm1(500, 0, A);
  assert.deepEqual(heard.log, ['dtc.cleared 609 reported']);
  const sinceOf = (live: EquipmentLive) => live.dtcs?.find(({ spn }) => spn === 980)?.since;
  assert.equal(sinceOf(equipmentLive(facts)), sinceOf(before));
  // The other unit is silent on a bus that is heard.
  heard.traffic(501, 504.5);
  assert.deepEqual(heard.log.slice(1), ['dtc.cleared 609 silent']);
});

test('[Y288] a document of another version has at most the bounds of this one, and no time that is none', () => {
  const before = stored();
  const [code] = before.dtcs ?? assert.fail();
  assert.ok(code !== undefined && before.dtc_counts !== null);
  const dtc_counts = { ...before.dtc_counts, amber: 1 };
  const units = Array.from({ length: MAX_FAULT_SOURCES + 5 }, (_, sa) => ({ ...code, source_address: sa }));
  assert.equal(factsFromLive({ ...before, dtcs: units }).faults.sources.length, MAX_FAULT_SOURCES);
  const codes = Array.from({ length: MAX_CODES + 5 }, (_, spn) => ({ ...code, spn }));
  assert.equal(factsFromLive({ ...before, dtc_counts, dtcs: codes }).faults.sources[0]?.codes.length, MAX_CODES);
  const wrong = [{ ...code, since: 'yesterday' }];
  assert.deepEqual(factsFromLive({ ...before, dtcs: wrong }).faults.sources, []);
});

test('[Y289] a lamp of a unit without a code does not count as off: codes and lamps are unknown until the next message', () => {
  const before = stored((heard) => heard.say(1, 5, RED_STOP, NO_CODE));
  assert.deepEqual([before.dtcs?.length, before.dtc_counts?.red_stop], [3, 1]);
  const facts = factsFromLive(before);
  const after = equipmentLive(facts);
  assert.deepEqual([after.dtcs, after.dtc_counts], [null, null]);
  hearing(facts).say(500, 5, RED_STOP, NO_CODE);
  assert.equal(equipmentLive(facts).dtc_counts?.red_stop, 1);
  // A unit without a code and without a lamp hides nothing.
  assert.equal(factsFromLive(stored((heard) => heard.say(1, 5, '00FF', NO_CODE))).faults.sources.length, 2);
});

test('[Y289] two units whose last messages had one address are not made one', () => {
  const nothing = (document: EquipmentLive) => assert.equal(equipmentLive(factsFromLive(document)).dtcs, null);
  nothing(stored((heard) => heard.from(300, 2, 3, AMBER, A)));
  nothing(stored((heard) => heard.from(300, 1, 3, RED_STOP, A)));
  nothing(stored((heard) => heard.from(300, 1, 3, AMBER, B)));
  // They cannot be told apart by their codes, but there are more units with a lamp than addresses.
  nothing(stored((heard) => heard.from(300, 1, 3, AMBER, A)));
});

test('[Y289] a document without trouble codes, or without their counts, gives none and is no error', () => {
  const { dtcs, dtc_counts, ...rest } = stored();
  for (const document of [rest, { ...rest, dtcs }, { ...rest, dtc_counts }, { ...rest, dtcs: null, dtc_counts }])
    assert.equal(equipmentLive(factsFromLive(document as EquipmentLive)).dtcs, null);
});

test('[Y289] three days later the first message of one unit ends no code of another one', () => {
  const facts = factsFromLive(stored());
  const heard = hearing(facts);
  const later = 3 * 86_400;
  heard.dm1(later, 0, A, B);
  heard.dm1(later + 1, 3, B);
  assert.deepEqual(heard.log, []);
});
