/** Loggers without a machine, over a real gateway: what their buses say of themselves is offered, and a person carries it out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import { connectDevice, eventually, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { hello } from '#test/support/machine-hello.ts';

const KNOWN = '1HGBH41JXMN109186';
const NEW = 'CAT0777GKJRP01234';

/** Provisions a logger without a machine, which sends frames over MQTT. */
async function logger(
  gateway: TestGateway,
  client: Client,
  serial: string,
  says: Parameters<typeof hello>[1],
): Promise<string> {
  const { device, credential } = await client.call('devices_provision', { serial, kind: 'can_logger' });
  const { device_id, id } = device;
  const mqtt = await connectDevice(gateway.node.mqttPort, { device_id, key: credential.key ?? '' });
  await mqtt.publishAsync(`v1/devices/${device_id}/can`, hello(Date.now() - 5_000, says), { qos: 1 });
  await mqtt.endAsync();
  return id;
}

async function open() {
  const gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const gaps = async () => {
    const { missing_requirements } = await client.call('projects_setup_status', { project_id: project.id });
    return missing_requirements.filter(({ code }) => code === 'no_equipment_match');
  };
  return { gateway, client, gaps };
}

test('[A260] a logger whose VIN a machine has is offered as a link, and the proposal is the input that links it', async () => {
  const { gateway, client, gaps } = await open();
  await using _ = gateway;
  const truck = await client.call('equipment_create', { unit_number: 'HT-01', pin: KNOWN });
  await client.call('equipment_create', { unit_number: 'HT-02' });
  await client.call('devices_create', { serial: 'CL-0', kind: 'can_logger' });
  const device = await logger(gateway, client, 'CL-1', { vin: KNOWN, components: { 0: 'CMMNS*QSK19*37201455**' } });
  const [gap, silent, ...more] = await eventually(gaps, (all) => all[0]?.heard?.units[0]?.serial === '37201455');
  assert.deepEqual(more, []);
  assert.equal(silent?.message, '1 other device without a machine or location.');
  assert.equal(silent?.heard, undefined);
  assert.match(
    gap?.message ?? '',
    /^Device "CL-1" \(serial CL-1\) is on no machine\. Heard on the bus: VIN 1HGBH41JXMN109186; Engine \(CMMNS QSK19, serial 37201455\)\. Last heard at 20\d\d-/,
  );
  assert.match(gap?.remedy ?? '', /HT-01 \(97 %: "VIN 1HGBH41JXMN109186"\)/);
  assert.deepEqual(
    gap?.heard?.machines.map(({ equipment_id }) => equipment_id),
    [truck.id],
  );
  assert.equal(gap?.proposal?.operation, 'telemetry_devices_link');
  assert.equal((await client.call('devices_get', { id: device })).equipment_id, null, 'the status links nothing');
  const [input] = gap?.proposal?.objects ?? [];
  await client.call('telemetry_devices_link', input as Input<'telemetry_devices_link'>);
  assert.equal((await client.call('devices_get', { id: device })).equipment_id, truck.id);
  assert.deepEqual(
    (await gaps()).map(({ message }) => message),
    ['1 device without a machine or location.'],
  );
});

test('[A260] two loggers that hear a VIN that no machine has are one offer of a new machine, with only what was heard', async () => {
  const { gateway, client, gaps } = await open();
  await using _ = gateway;
  await client.call('equipment_create', { unit_number: 'HT-01', pin: KNOWN });
  await logger(gateway, client, 'CL-1', { vin: NEW, components: { 0: 'CMMNS*QSK19*37201455**' } });
  await logger(gateway, client, 'CL-2', { vin: NEW });
  const [gap, ...more] = await eventually(gaps, (all) => all[0]?.heard?.devices.length === 2);
  assert.deepEqual(more, []);
  assert.match(gap?.message ?? '', /^2 devices heard the same VIN and are on no machine: "CL-\d" .*"CL-\d" /);
  // The engine has a maker, a model and a serial number. They are not those of the machine.
  assert.deepEqual(gap?.proposal, { operation: 'equipment_create', objects: [{ pin: NEW }] });
  assert.match(gap?.remedy ?? '', /add the unit number that the crew uses/);
  assert.equal((await client.call('equipment_list', {})).data.length, 1, 'the status makes nothing');
  const [form] = gap?.proposal?.objects ?? [];
  const made = await client.call('equipment_create', { unit_number: 'HT-09', ...form });
  assert.equal(made.pin, NEW);
  const [next] = await gaps();
  assert.equal(next?.proposal?.operation, 'telemetry_devices_link');
  const [input] = next?.proposal?.objects ?? [];
  await client.call('telemetry_devices_link', input as Input<'telemetry_devices_link'>);
  assert.deepEqual(await gaps(), []);
  assert.equal((await client.call('equipment_get', { id: made.id })).device_ids.length, 2);
});

test('[A260] the identification of an engine alone makes no machine; that of the cab controller and a unit number do', async () => {
  const { gateway, client, gaps } = await open();
  await using _ = gateway;
  const engine = await logger(gateway, client, 'CL-1', { components: { 0: 'CMMNS*QSK19*37201455**' } });
  const cab = await logger(gateway, client, 'CL-2', {
    components: { 0: 'CMMNS*QSK19*99*HT-31*', 49: 'KMTSU*HD785*A10342*HT-31*' },
  });
  const all = await eventually(
    gaps,
    (found) => found.length === 2 && found.every(({ message }) => message.includes('CMMNS')),
  );
  const of = (id: string) => all.find(({ heard }) => heard?.devices[0]?.id === id);
  assert.equal(of(engine)?.proposal, undefined);
  assert.match(of(engine)?.message ?? '', /Engine \(CMMNS QSK19, serial 37201455\)/);
  assert.match(of(engine)?.remedy ?? '', /Ask a person which machine it is/);
  assert.deepEqual(of(cab)?.proposal?.objects, [
    { unit_number: 'HT-31', serial_number: 'A10342', oem_name: 'KMTSU', model: 'HD785' },
  ]);
  assert.match(of(cab)?.message ?? '', /unit number HT-31/);
  // A machine with this number and another VIN is not made a second time.
  await client.call('equipment_create', { unit_number: 'ht 31' });
  const now = (await gaps()).find(({ heard }) => heard?.devices[0]?.id === cab);
  assert.equal(now?.proposal, undefined);
  assert.match(now?.remedy ?? '', /^It may be on ht 31 \(60 %\)\. /);
});
