import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BusHeard } from '#contract/fleet/bus.ts';
import { heardFrom, identifies, joinClues, offerFor } from '#domain/device/heard.ts';
import type { DeviceClues, MachineClues } from '#domain/device/match.ts';

type Ecu = BusHeard['ecus'][number];
const ECU: Ecu = {
  bus: 0,
  source_address: 0,
  usual_name: 'Engine',
  name: null,
  frames: 1,
  groups: 1,
  last_heard_at: null,
  vin: null,
  component: null,
  software: null,
  active_codes: null,
  previous_codes: null,
};
const component = (text: string): Ecu['component'] => {
  const [make = '', model = '', serial = '', unit = ''] = text.split('*');
  return { make: make || null, model: model || null, serial: serial || null, unit: unit || null };
};
const CLUES: DeviceClues = {
  names: ['Logger'],
  vins: [],
  serials: [],
  location_id: null,
  engine_hours: null,
  linked: [],
};
const machine = (unit_number: string, more: Partial<MachineClues> = {}): MachineClues => ({
  ...{ id: `eq_${unit_number}`, unit_number, names: [unit_number] },
  ...{ pin: null, serial_number: null, location_id: null, engine_hours: null },
  ...more,
});
const VIN = '1HGBH41JXMN109186';

test('[D661] only a text with some different characters and a digit identifies a machine', () => {
  for (const text of [VIN, 'A10342', 'CAT0777GKJRP01234']) assert.ok(identifies(text), text);
  for (const text of ['', '0000000000', 'FFFFFFFFFFFFFFFFF', 'N/A', '1111', 'UNKNOWN', '00000000000000010', '12'])
    assert.ok(!identifies(text), text);
});

test('[D661] make, model and serial number come only from a control unit of the whole machine', () => {
  const form = (...ecus: readonly Partial<Ecu>[]) => heardFrom(ecus.map((one) => ({ ...ECU, ...one }))).form;
  assert.deepEqual(form({ component: component('CMMNS*QSK19*37201455*') }), {});
  assert.deepEqual(form({ source_address: 39, component: component('KMTSU*HD785*A10342*') }), {
    ...{ serial_number: 'A10342', oem_name: 'KMTSU', model: 'HD785' },
  });
  // Two of them that contradict each other say nothing.
  assert.deepEqual(
    form(
      { source_address: 39, component: component('KMTSU*HD785*A10342*') },
      { source_address: 49, component: component('KMTSU*HD785*A10343*') },
    ),
    { oem_name: 'KMTSU', model: 'HD785' },
  );
  assert.deepEqual(form({ component: component('X***HT-7') }, { component: component('Y***HT-7') }), {
    unit_number: 'HT-7',
  });
  assert.deepEqual(form({ component: component('X***HT-7') }, { component: component('Y***HT-8') }), {});
  assert.deepEqual(form({ component: component('X***0000') }), {});
  assert.deepEqual(form({ vin: VIN }, { vin: VIN.toLowerCase() }), { pin: VIN.toLowerCase() });
  assert.deepEqual(form({ vin: VIN }, { vin: 'WDB9634031L123456' }), {});
});

test('[D661] at most five control units are told, those with the most data first, with short texts', () => {
  const many = Array.from({ length: 9 }, (_, i) => ({ ...ECU, source_address: i, usual_name: `Unit ${i}` }));
  const told = heardFrom([...many, { ...ECU, component: component(`${'M'.repeat(200)}*X*S1*`) }, many[3] as Ecu]);
  assert.deepEqual([told.units.length, told.unit_count], [5, 10]);
  // Two loggers hear one control unit, and only one of them has heard its component identification.
  const name = {
    raw: '60000000014012A7',
    function: 0,
    function_name: 'Engine',
    manufacturer: 'Cummins',
  } as Ecu['name'];
  const twice = heardFrom([
    { ...ECU, name },
    { ...ECU, name, component: component('CMMNS*QSK19*1*') },
    { ...ECU, name },
  ]);
  assert.deepEqual(twice.units, [{ unit: 'Engine', maker: 'CMMNS', model: 'QSK19', serial: '1' }]);
  assert.deepEqual(told.units[0], { unit: 'Engine', maker: 'M'.repeat(60), model: 'X', serial: 'S1' });
});

test('[D660] one machine must be clear; a possible one is told; a new one must be like no other', () => {
  const heard = { vins: [VIN], form: { pin: VIN, unit_number: 'HT-1' } };
  const device = { ...CLUES, vins: [VIN] };
  const offer = (machines: MachineClues[], decommissioned: MachineClues[] = [], complete = true) => {
    const { kind, machines: found, form } = offerFor(heard, device, { machines, decommissioned, complete });
    return [kind, found.map(({ unit_number }) => unit_number).join(), form.unit_number];
  };
  assert.deepEqual(offer([machine('EX-5')]), ['create', '', 'HT-1']);
  assert.deepEqual(offer([machine('EX-5', { pin: VIN })]), ['link', 'EX-5', 'HT-1']);
  assert.deepEqual(offer([machine('EX-5', { pin: VIN }), machine('EX-6', { pin: VIN })]), ['ask', 'EX-5,EX-6', 'HT-1']);
  assert.deepEqual(offer([machine('EX-5')], [machine('EX-6', { pin: VIN })]), ['ask', '', 'HT-1']);
  assert.deepEqual(offer([machine('EX-5')], [], false), ['ask', '', 'HT-1']);
  // The VIN of HT-1 is another one. The number is taken, and is not offered again.
  assert.deepEqual(offer([machine('HT-1', { pin: 'WDB9634031L123456' })]), ['create', '', undefined]);
  const twoVins = { vins: [VIN, 'WDB9634031L999999'], form: { unit_number: 'HT-1' } };
  assert.equal(offerFor(twoVins, CLUES, { machines: [], decommissioned: [], complete: true }).kind, 'ask');
  // One of the VINs is the VIN of a machine, and nobody knows the other one.
  const known = { ...CLUES, vins: twoVins.vins };
  const both = offerFor(twoVins, known, {
    ...{ machines: [machine('EX-5', { pin: VIN })], decommissioned: [], complete: true },
  });
  assert.deepEqual([both.kind, both.machines.map(({ unit_number }) => unit_number)], ['ask', ['EX-5']]);
  const named = { ...device, names: ['EX-5'] };
  assert.equal(
    offerFor(heard, named, { machines: [machine('EX-5')], decommissioned: [], complete: true }).kind,
    'ask',
    'a machine with the same name may be the one',
  );
});

test('[A260] what several devices on one machine know is joined', () => {
  const joined = joinClues([
    { ...CLUES, names: ['a'], engine_hours: null, location_id: 'loc_1' },
    { ...CLUES, names: ['b'], engine_hours: 12, serials: ['S1'], location_id: 'loc_2' },
  ]);
  assert.deepEqual(
    [joined.names, joined.serials, joined.engine_hours, joined.location_id],
    [['a', 'b'], ['S1'], 12, null],
  );
});
