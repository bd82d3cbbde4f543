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

function hearing(facts: Facts) {
  const events: FactEvent[] = [];
  const arrival = { device: 'dev_a', run_id: null, ref: null, received_us: T0 + 1e6 * S, events };
  return {
    dm1(s: number, sa: number, ...codes: readonly string[]) {
      const data = Uint8Array.from(Buffer.from(AMBER + codes.join(''), 'hex'));
      const found = parseFaults(data, data.length, undefined) ?? assert.fail();
      applyFaults(facts, arrival, { t_us: T0 + s * S, bus: 1, sa, frame: 0, ...found });
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

/** The document of a machine on which two units report, as the store has it. */
function stored(): EquipmentLive {
  const facts = createFacts();
  const heard = hearing(facts);
  heard.dm1(0, 0, A);
  heard.dm1(1, 0, A, B);
  heard.dm1(1, 3, B);
  return JSON.parse(JSON.stringify(equipmentLive(facts))) as EquipmentLive;
}

test('[Y288] the codes of a live document are back with their times and lamps', () => {
  const before = stored();
  const after = equipmentLive(factsFromLive(before));
  assert.equal(before.dtcs?.length, 3);
  assert.deepEqual(after.dtcs, before.dtcs);
  assert.deepEqual(after.dtc_counts, before.dtc_counts);
  const none = createFacts();
  hearing(none).dm1(0, 0, '00000000');
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
  assert.ok(code !== undefined);
  const units = Array.from({ length: MAX_FAULT_SOURCES + 5 }, (_, sa) => ({ ...code, source_address: sa }));
  assert.equal(factsFromLive({ ...before, dtcs: units }).faults.sources.length, MAX_FAULT_SOURCES);
  const codes = Array.from({ length: MAX_CODES + 5 }, (_, spn) => ({ ...code, spn }));
  assert.equal(factsFromLive({ ...before, dtcs: codes }).faults.sources[0]?.codes.length, MAX_CODES);
  const wrong = [{ ...code, since: 'yesterday' }];
  assert.deepEqual(factsFromLive({ ...before, dtcs: wrong }).faults.sources, []);
});
