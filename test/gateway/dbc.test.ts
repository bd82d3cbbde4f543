import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

const TEXT = `VERSION ""
BO_ 291 Body: 8 X
 SG_ Load : 7|16@0+ (10,0) [0|0] "kg" X
`;

test('[A303] [A304] [D140] a file imported and activated over HTTP decodes frames that a device sends over MQTT, and is tested on them', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const mapping = [{ message: 'Body', signal: 'Load', to: 'vehicle.payload' }];
  const file = await client.call('dbc_import', { name: 'body', text: TEXT, mapping });
  await client.call('dbc_activate', { id: file.id, device_ids: [machine.device] });
  const device = await connectDevice(gateway.node.mqttPort, machine);
  const frame = `(${(Date.now() / 1_000).toFixed(6)}) can0 123#0096000000000000`;
  await device.publishAsync(`v1/devices/${machine.device_id}/can`, frame, { qos: 1 });
  const found = await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    ({ payload_t }) => payload_t !== null,
  );
  assert.equal(found.payload_t, 1.5);
  assert.equal(found.context.fields?.payload_t?.dbc, `${file.id} Body.Load`);
  const tried = await client.call('dbc_test', { id: file.id, device_id: machine.device, minutes: 5 });
  assert.deepEqual([tried.frames, tried.matched, tried.signals[0]?.last], [1, 1, 1_500]);
  await device.endAsync();
});
