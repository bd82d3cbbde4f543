/** A gateway among people and devices that do not mean well: what one sends is nobody else's trouble. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

test('a poisonous event, impossible numbers and a clock ahead: told in health, stored nowhere, and the rest goes on', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'T-1');
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const send = (topic: string, text: string) =>
    mqtt.publishAsync(`v1/devices/${machine.device_id}/${topic}`, text, { qos: 1 });
  const deep = `${'['.repeat(7900)}${']'.repeat(7900)}`;
  await send('events', `{"type":"x.deep","data":{"a":${deep}}}`);
  await send('status', `{"status":"online","a":${'['.repeat(1900)}${']'.repeat(1900)}}`);
  await send('telemetry', '{"values":{"engine.hours":-5,"vehicle.speed":99999,"fuel.level":61.5}}');
  await send('can', `(${(Date.now() / 1000 + 86_400).toFixed(6)}) can0 18FEE500#E803000000000000`);
  await send('events', '{"type":"note","data":{"text":"still here"}}');
  await eventually(
    () => client.call('devices_events', { id: machine.device, type: 'note' }),
    (log) => log.data.length === 1,
  );
  const equipment = await client.call('equipment_get', { id: machine.equipment_id });
  assert.equal(equipment.fuel_remaining_pct, 61.5);
  assert.equal(equipment.speed_kmh, null);
  assert.notEqual(equipment.engine_hours, -5);
  const { problems, sources, status } = await gateway.client.call('health_get', {});
  // That the disk under the test is slow may be true.
  const told = problems.map(({ code }) => code).filter((code) => code !== 'disk_slow');
  assert.deepEqual([status, told], ['degraded', ['device_clock_ahead']]);
  assert.ok((sources.find(({ source }) => source === machine.device_id)?.unparsable ?? 0) >= 4);
  const answer = await client.call('devices_telemetry', {
    id: machine.device,
    points: [{ values: { 'engine.hours': -1 } }],
  });
  assert.deepEqual(answer.refused_signals, ['engine.hours']);
  await mqtt.endAsync();
});

test('a key of one project learns of its own sources only', async () => {
  await using gateway = await startGateway();
  const [a, b] = await Promise.all(['A', 'B'].map((name) => gateway.client.call('projects_create', { name })));
  const [inA, inB] = [
    await addMachine(gateway.project(a?.project.id ?? ''), 'A-1'),
    await addMachine(gateway.project(b?.project.id ?? ''), 'B-1'),
  ];
  for (const machine of [inA, inB]) {
    const mqtt = await connectDevice(gateway.node.mqttPort, machine);
    await mqtt.publishAsync(`v1/devices/${machine.device_id}/can`, 'garbage', { qos: 1 });
    await mqtt.endAsync();
  }
  const all = await eventually(
    () => gateway.client.call('health_get', {}),
    ({ sources }) => sources.length === 2,
  );
  assert.deepEqual(all.sources.map(({ source }) => source).sort(), [inA.device_id, inB.device_id].sort());
  const { secret } = await gateway.client.call('keys_create', { role: 'viewer', project_ids: [a?.project.id ?? ''] });
  const seen = await createClient({ base_url: gateway.node.http, key: secret }).call('health_get', {});
  assert.deepEqual(
    seen.sources.map(({ source }) => source),
    [inA.device_id],
  );
  // What devices had stored is theirs as well.
  for (const machine of [inA, inB])
    await gateway
      .project((machine === inA ? a : b)?.project.id ?? '')
      .call('devices_telemetry', { id: machine.device, points: [{ values: { 'engine.hours': 12 } }] });
  await eventually(
    () => gateway.client.call('health_get', {}),
    ({ writers }) => [inA, inB].every(({ device }) => writers.some(({ id }) => id === device)),
  );
  const own = await createClient({ base_url: gateway.node.http, key: secret }).call('health_get', {});
  assert.ok(own.writers.some(({ id }) => id === inA.device));
  const text = JSON.stringify(own);
  for (const foreign of [inB.device, inB.device_id, inB.equipment_id]) assert.ok(!text.includes(foreign), foreign);
});
