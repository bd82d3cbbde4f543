import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeviceClues, type MachineClues, matchReasons, suggestMachines } from '#domain/device/match.ts';

const DEVICE: DeviceClues = {
  names: ['Logger'],
  vins: [],
  serials: [],
  location_id: null,
  engine_hours: null,
  linked: [],
};
const MACHINE: MachineClues = {
  id: 'eq_1',
  unit_number: 'HT-14',
  names: ['HT-14', 'Truck 14', 'Haul truck 14'],
  pin: null,
  serial_number: null,
  location_id: null,
  engine_hours: null,
};
const codes = (device: Partial<DeviceClues>, machine: Partial<MachineClues> = {}) =>
  matchReasons({ ...DEVICE, ...device }, { ...MACHINE, ...machine })?.map(({ code }) => code);

test('[D70] each reason needs the same data on the device and on the machine', () => {
  const vin = '1HGBH41JXMN109186';
  assert.deepEqual(codes({}), []);
  assert.deepEqual(codes({ vins: [' 1hgbh41jxmn109186 '] }, { pin: vin }), ['vin_match']);
  assert.deepEqual(codes({ vins: ['CAT0777GJTNM00416X'] }, { pin: 'CAT0777GJTNM00416X' }), ['pin_match']);
  assert.deepEqual(codes({ serials: ['JRP-01234'] }, { serial_number: 'jrp 01234' }), ['serial_match']);
  assert.deepEqual(codes({ serials: ['12'] }, { serial_number: '12' }), [], 'short serials are everywhere');
  assert.deepEqual(codes({ names: ['ht14 logger'] }), ['name_similarity']);
  assert.deepEqual(codes({ engine_hours: 4510 }, { engine_hours: 4520 }), ['hours_proximity']);
  assert.deepEqual(codes({ engine_hours: 4510 }, { engine_hours: 4600 }), []);
  assert.deepEqual(codes({ engine_hours: 1 }, { engine_hours: 2 }), [], 'new machines are all alike');
  assert.deepEqual(codes({ location_id: 'loc_1' }, { location_id: 'loc_1' }), ['location_proximity']);
  assert.deepEqual(codes({ linked: ['eq_9', 'eq_1'] }), ['previous_link']);
  assert.deepEqual(codes({ location_id: null }, { location_id: null }), []);
});

test('[D71] a VIN from the bus that differs from the machine outweighs all names', () => {
  const other = { vins: ['1HGBH41JXMN109186'], names: ['HT-14'], linked: ['eq_1'] };
  assert.equal(codes(other, { pin: '1HGBH41JXMN109187' }), undefined);
  assert.deepEqual(
    codes(other, { pin: 'HT14' }),
    ['name_similarity', 'previous_link'],
    'a PIN that is no VIN proves nothing',
  );
  const two = { vins: ['1HGBH41JXMN109186', '1HGBH41JXMN109187'] };
  assert.deepEqual(codes(two, { pin: '1HGBH41JXMN109187' }), ['vin_match'], 'an engine of another machine is in it');
  assert.equal(codes(two, { pin: '1HGBH41JXMN109188' }), undefined);
});

test('[D72] suggestions are the best first, above the least confidence, with reasons that add up', () => {
  const machines = Array.from({ length: 200 }, (_, i) => ({
    ...MACHINE,
    id: `eq_${i}`,
    unit_number: `HT-${i}`,
    names: [`HT-${i}`],
    engine_hours: 1000 + i * 100,
  }));
  const device = { ...DEVICE, names: ['HT-14'], engine_hours: 2400 };
  const found = suggestMachines(device, machines, { min_confidence: 0.3, limit: 3 });
  assert.deepEqual(found.map(({ unit_number }) => unit_number)[0], 'HT-14');
  assert.ok(found.length <= 3 && found.every(({ confidence }) => confidence >= 0.3));
  const [best] = found;
  const doubt = best?.reasons.reduce((left, { weight }) => left * (1 - weight), 1) ?? 1;
  assert.ok(Math.abs((best?.confidence ?? 0) - (1 - doubt)) < 0.002);
  assert.ok(found.every(({ confidence }) => confidence < 1));
  assert.deepEqual(suggestMachines(DEVICE, machines, { min_confidence: 0, limit: 3 }), []);
});
