import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { BusHeard } from '#contract/fleet/bus.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const AT = '2026-11-21T13:59:59.000Z';
const code = (wanted: string) => (error: OperationError) => error.code === wanted;

function busOf(bus: number, more: Partial<BusHeard['buses'][number]> = {}): BusHeard['buses'][number] {
  return {
    bus,
    first_heard_at: AT,
    last_heard_at: AT,
    frames: 10,
    standard_frames: 0,
    remote_frames: 0,
    fd_frames: 0,
    error_frames: 0,
    last_error_at: null,
    bit_rate: null,
    bit_rate_source: null,
    frames_per_s: 100,
    bits_per_s: 50_000,
    load_pct: null,
    ...more,
  };
}

function ecuOf(source_address: number, more: Partial<BusHeard['ecus'][number]> = {}): BusHeard['ecus'][number] {
  return {
    bus: 0,
    source_address,
    usual_name: null,
    name: null,
    frames: 1,
    groups: 1,
    last_heard_at: AT,
    vin: null,
    component: null,
    software: null,
    active_codes: null,
    previous_codes: null,
    ...more,
  };
}

function heardOf(more: Partial<BusHeard>): BusHeard {
  return {
    heard_at: AT,
    rates_from: AT,
    rates_until: AT,
    buses: [busOf(0)],
    ecus: [],
    groups: [],
    transport: { completed: 0, aborted: 0, lost: 0, extended: 0 },
    not_counted: 0,
    ...more,
  };
}

const groupOf = (bus: number, pgn: number, frames: number, decoded: boolean) => ({
  bus,
  source_address: 0,
  pgn,
  acronym: null,
  decoded,
  frames,
  per_s: null,
  last_heard_at: AT,
});

test('[A320] the bus inventory is empty before the first frame, sorted by rate, and filtered by bus and decoding', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const empty = await rig.call('devices_bus_get', { id });
  assert.deepEqual([empty.heard_at, empty.buses, empty.groups_total], [null, [], 0]);
  const groups = [groupOf(0, 61444, 5, true), groupOf(0, 65300, 9, false), groupOf(1, 65226, 7, true)];
  rig.live.buses.set(id, heardOf({ buses: [busOf(0), busOf(1)], groups, ecus: [ecuOf(0), ecuOf(3, { bus: 1 })] }));
  const all = await rig.call('devices_bus_get', { id, limit: 2 });
  assert.deepEqual([all.groups.map(({ pgn }) => pgn), all.groups_total], [[65300, 65226], 3]);
  const unread = await rig.call('devices_bus_get', { id, bus: 0, decoded: false });
  assert.deepEqual(
    [unread.groups.map(({ pgn }) => pgn), unread.buses.length, unread.ecus.length, unread.groups_total],
    [[65300], 1, 1, 1],
  );
  await assert.rejects(rig.call('devices_bus_get', { id }, { project: rig.other }), code('not_found'));
});

test('[A321] the load of a bus is computed from a set bit rate, else an estimated one, else unknown', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const estimated = busOf(1, { bit_rate: 500_000, bit_rate_source: 'estimate' });
  rig.live.buses.set(id, heardOf({ buses: [busOf(0), estimated] }));
  const loads = async () =>
    (await rig.call('devices_bus_get', { id })).buses.map((one) => [one.bit_rate, one.bit_rate_source, one.load_pct]);
  assert.deepEqual(await loads(), [
    [null, null, null],
    [500_000, 'estimate', 10],
  ]);
  const bus_bit_rates = [0, 1].map((bus) => ({ bus, bit_rate: 250_000 }));
  await rig.call('devices_settings_update', { id, settings: { bus_bit_rates } });
  assert.deepEqual(await loads(), [
    [250_000, 'setting', 20],
    [250_000, 'setting', 20],
  ]);
});

test("[A322] a setting of the buses that cannot be read is refused by name; others are the sender's own", async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const update = (settings: Record<string, unknown>) => rig.call('devices_settings_update', { id, settings });
  await assert.rejects(update({ dtc_conversion: [{ method: 4 }] }), (error: OperationError) => {
    assert.equal(error.code, 'parameter_invalid');
    assert.match(JSON.stringify([error.message, error.details]), /dtc_conversion/);
    return true;
  });
  await assert.rejects(update({ bus_bit_rates: 'fast' }), code('parameter_invalid'));
  await assert.rejects(update({ gnss_channels: [{ bus: 9, frames: 'gps' }] }), code('parameter_invalid'));
  await assert.rejects(rig.call('devices_update', { id, settings: { dtc_conversion: 2 } }), code('parameter_invalid'));
  const wanted = { dtc_conversion: [{ source_address: 3, method: 2 }], colour: 'blue' };
  assert.deepEqual((await update(wanted)).settings.colour, 'blue');
  assert.deepEqual((await update({ dtc_conversion: null })).settings, { colour: 'blue' });
});

test('[A323] suggestions use VIN, serial and unit number of every control unit, not only the last received', async () => {
  await using rig = await openRig();
  const truck = await rig.call('equipment_create', { unit_number: 'HT-14', pin: '1HGBH41JXMN109186' });
  const loader = await rig.call('equipment_create', { unit_number: 'LD-1', serial_number: 'SN-77123' });
  const a = await rig.call('devices_create', { device_id: 'aa' });
  const b = await rig.call('devices_create', { device_id: 'bb' });
  const state = { bus: { component: 'ACME*GEARBOX*1*', vin: '1HGBH41JXMN109999' } };
  const live = { state, observation: null } as unknown as DeviceLive;
  rig.live.devices.set(a.id, live);
  rig.live.devices.set(b.id, { ...live, state: { bus: { component: 'ACME*GEARBOX*1*' } } });
  const component = { make: 'ACME', model: 'L', serial: 'SN-77123', unit: null };
  rig.live.buses.set(a.id, heardOf({ ecus: [ecuOf(0, { vin: '1HGBH41JXMN109186' })] }));
  rig.live.buses.set(b.id, heardOf({ ecus: [ecuOf(0, { component }), ecuOf(3)] }));
  const { data } = await rig.call('telemetry_devices_match', { device_ids: [a.id, b.id] });
  assert.deepEqual(
    data.map(({ suggestions }) => suggestions.map(({ equipment_id, reasons }) => [equipment_id, reasons[0]?.code])),
    [[[truck.id, 'vin_match']], [[loader.id, 'serial_match']]],
  );
  const dozer = await rig.call('equipment_create', { unit_number: 'DZ-7' });
  const c = await rig.call('devices_create', { device_id: 'cc' });
  const numbered = { make: null, model: null, serial: null, unit: 'DZ-7' };
  rig.live.buses.set(c.id, heardOf({ ecus: [ecuOf(0), ecuOf(3, { component: numbered })] }));
  const [third] = (await rig.call('telemetry_devices_match', { device_ids: [c.id] })).data;
  assert.deepEqual(
    third?.suggestions.map(({ equipment_id, reasons }) => [equipment_id, reasons[0]?.detail]),
    [[dozer.id, 'DZ-7 ~ DZ-7']],
  );
});

test('[A320] roles that read devices read the bus inventory; a device key cannot', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  assert.equal((await rig.call('devices_bus_get', { id }, as('viewer'))).device_id, id);
  const logger = as(null, { kind: 'device', device: id, device_project: rig.project });
  await assert.rejects(rig.call('devices_bus_get', { id }, logger), code('permission_denied'));
});

test('[A874] the diagnosis of a value describes the device that sent it, and says that a machine has no device', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const ask = (signal: string) => rig.call('equipment_diagnosis', { id, signal });
  const alone = await ask('engine.oil_pressure');
  assert.deepEqual([alone.device_id, alone.stopped_at, alone.as_of], [null, 'link', null]);
  assert.match(alone.steps[0]?.remedy ?? '', /Connect a logger/);
  const device = await rig.call('devices_create', { device_id: 'logger', serial: 'CL-1' });
  await rig.call('telemetry_devices_link', { links: [{ serial: 'CL-1', equipment_id: id }] });
  const linked = await ask('engine.oil_pressure');
  assert.deepEqual([linked.device_id, linked.stopped_at], [device.id, 'key']);
  await assert.rejects(ask('engine.happiness'), code('parameter_invalid'));
  await assert.rejects(
    rig.call('equipment_diagnosis', { id, signal: 'engine.speed' }, { project: rig.other }),
    code('not_found'),
  );
});
