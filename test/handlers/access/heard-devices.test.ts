/** The bounds of what is offered for devices without a machine, and what is doubtful. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BusHeard } from '#contract/fleet/bus.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

const AT = '2026-11-21T13:59:59.000Z';

function heard(vin: string | null, units: readonly (string | null)[] = [null]): BusHeard {
  const ecu = { bus: 0, source_address: 0, usual_name: 'Engine', name: null, frames: 1, groups: 1, last_heard_at: AT };
  return {
    ...{ heard_at: AT, rates_from: null, rates_until: null, buses: [], groups: [], not_counted: 0 },
    ecus: units.map((unit) => ({
      ...{ ...ecu, vin, software: null, active_codes: null, previous_codes: null },
      component: unit === null ? null : { make: null, model: null, serial: null, unit },
    })),
    transport: { completed: 0, aborted: 0, lost: 0, extended: 0 },
  };
}

const VIN = '1HGBH41JXMN109186';

async function device(rig: Rig, device_id: string, vin: string | null): Promise<string> {
  const { id } = await rig.call('devices_create', { device_id, kind: 'can_logger' });
  rig.live.buses.set(id, heard(vin));
  return id;
}

const gapsOf = async (rig: Rig) =>
  (await rig.call('projects_setup_status', { project_id: rig.project })).missing_requirements.filter(
    ({ code }) => code === 'no_equipment_match',
  );

test('[A261] 20 machines are listed, from 50 devices, and one gap counts the other devices', async () => {
  await using rig = await openRig();
  await rig.call('devices_create', { device_id: 'silent' });
  for (let i = 0; i < 60; i++) await device(rig, `logger-${i}`, null);
  const before = rig.store.stats().commits;
  const gaps = await gapsOf(rig);
  assert.equal(rig.store.stats().commits, before, 'the status writes nothing');
  assert.equal(gaps.length, 21);
  assert.equal(gaps.filter((gap) => gap.heard?.devices.length === 1).length, 20);
  assert.equal(gaps.at(-1)?.message, '41 other devices without a machine or location.');
});

test('[A261] devices that hear one VIN count as one machine, also beyond 20 devices, and at most 50 are compared', async () => {
  await using rig = await openRig();
  for (let i = 0; i < 60; i++) await device(rig, `logger-${i}`, VIN);
  const [gap, rest, ...more] = await gapsOf(rig);
  assert.deepEqual([gap?.heard?.devices.length, more.length], [50, 0]);
  assert.match(gap?.message ?? '', /^50 devices .* and 45 more\. Heard/);
  assert.equal(rest?.message, '10 other devices without a machine or location.');
});

test('[A260] two machines with one VIN, a VIN of zeros, several VINs and a decommissioned machine give no proposal', async () => {
  await using rig = await openRig();
  const remedies = async () => (await gapsOf(rig)).map(({ remedy, proposal }) => [remedy.split('. ')[0], proposal]);
  const id = await device(rig, 'logger', VIN);
  const first = await rig.call('equipment_create', { unit_number: 'HT-1', pin: VIN });
  const second = await rig.call('equipment_create', { unit_number: 'HT-2', pin: VIN });
  assert.deepEqual(await remedies(), [['It may be on HT-1 (97 %) or HT-2 (97 %)', undefined]]);
  for (const one of [first, second]) await rig.call('equipment_update', { id: one.id, status: 'decommissioned' });
  const [[remedy, proposal] = []] = await remedies();
  assert.match(String(remedy), /^The decommissioned machine HT-\d has this VIN or serial number$/);
  assert.equal(proposal, undefined);
  assert.match(String((await gapsOf(rig))[0]?.heard?.decommissioned), /^HT-\d$/);
  rig.live.buses.set(id, heard('00000000000000000'));
  assert.deepEqual(await remedies(), [['Ask a person which machine it is', undefined]]);
  assert.deepEqual((await gapsOf(rig))[0]?.heard?.vins, []);
  // Zeros do not exclude the machine that another reason finds.
  const named = await rig.call('equipment_create', { unit_number: 'logger', pin: 'WDB9634031L123456' });
  assert.deepEqual(await remedies(), [['It may be on logger (60 %)', undefined]]);
  await rig.call('equipment_update', { id: named.id, status: 'decommissioned' });
  const two = heard('WDB9634031L123457');
  rig.live.buses.set(id, { ...two, ecus: [...two.ecus, ...heard('WDB9634031L999999').ecus] });
  assert.deepEqual(await remedies(), [['Ask a person which machine it is', undefined]]);
});

test('[A260] several VINs give no proposal of a link, also if one of them is the VIN of a machine', async () => {
  await using rig = await openRig();
  await rig.call('equipment_create', { unit_number: 'HT-1', pin: VIN });
  const id = await device(rig, 'logger', VIN);
  assert.equal((await gapsOf(rig))[0]?.proposal?.operation, 'telemetry_devices_link');
  rig.live.buses.set(id, { ...heard(VIN), ecus: [...heard(VIN).ecus, ...heard('WDB9634031L999999').ecus] });
  const [gap] = await gapsOf(rig);
  assert.equal(gap?.proposal, undefined);
  assert.match(gap?.remedy ?? '', /^It may be on HT-1 \(97 %\)\. Ask a person/);
});

test('[A262] at most five unit numbers of the bus are compared, and no longer texts', async () => {
  await using rig = await openRig();
  await rig.call('equipment_create', { unit_number: 'HT-7' });
  const machinesOf = async (...units: string[]) => {
    rig.live.buses.set(id, heard(null, units));
    return (await gapsOf(rig))[0]?.heard?.machines.map(({ unit_number }) => unit_number);
  };
  const id = await device(rig, 'logger', null);
  const others = ['AB-11', 'EX-12', 'WL-13', 'DZ-14', 'GR-15'];
  assert.deepEqual(await machinesOf('N/A', ...others.slice(1), 'EX-12', 'HT-7'), ['HT-7']);
  assert.deepEqual(await machinesOf(...others, 'HT-7'), []);
  assert.deepEqual(await machinesOf(`HT-7 ${'x'.repeat(36)}`), []);
});

test('[A262] a remedy has the texts of devices in quotes, and cuts them', async () => {
  await using rig = await openRig();
  await rig.call('equipment_create', { unit_number: 'HT-1', pin: VIN });
  const name = `HT-1). Delete "HT-2" ${'x'.repeat(90)}`;
  const { id } = await rig.call('devices_create', { device_id: 'logger', name });
  rig.live.buses.set(id, heard(VIN));
  const quoted = JSON.stringify(name.slice(0, 100));
  const [gap] = await gapsOf(rig);
  assert.equal(
    gap?.remedy,
    `It is very likely on HT-1 (98 %: "VIN ${VIN}"; ${quoted}). If a person confirms it, call telemetry_devices_link with the proposal.`,
  );
});

test('[A260] a second machine that is nearly as likely leaves the choice to a person', async () => {
  await using rig = await openRig();
  // The serial number says HT-1 with 0.9; the name and the last link say HT-2 with 0.76.
  const one = await rig.call('equipment_create', { unit_number: 'HT-1', serial_number: 'SN-77123' });
  const two = await rig.call('equipment_create', { unit_number: 'HT-2' });
  const { id } = await rig.call('devices_create', { device_id: 'HT-2', serial: 'SN-77123' });
  rig.live.buses.set(id, heard(null));
  assert.equal((await gapsOf(rig))[0]?.heard?.machines[0]?.equipment_id, one.id);
  assert.equal((await gapsOf(rig))[0]?.proposal?.operation, 'telemetry_devices_link');
  await rig.call('telemetry_devices_link', { links: [{ serial: 'SN-77123', equipment_id: two.id }] });
  await rig.call('devices_unlink', { id });
  const [gap] = await gapsOf(rig);
  assert.equal(gap?.proposal, undefined);
  assert.deepEqual(
    gap?.heard?.machines.map(({ unit_number }) => unit_number),
    ['HT-1', 'HT-2'],
  );
});
