/** Lineage over a real gateway: from the context of a machine and from a stored sample to the raw data, over REST. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { addMachine, connectDevice, eventually, OWNER_KEY, startGateway, uploadFile } from '#test/support/gateway.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

test('[A808] a number of a machine leads to the message of its device, and a replay gives the same number', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const device = await connectDevice(gateway.node.mqttPort, machine);
  const ms = Math.floor(Date.now() / 1000) * 1000 - 4_000;
  // J1939: HOURS with 1234.5 h, EEC1 with 900 rpm, in the text form of candump.
  const frames = [
    `(${(ms / 1000).toFixed(6)}) can0 18FEE500#72600000FFFFFFFF`,
    `(${(ms / 1000 + 0.25).toFixed(6)}) can0 0CF00400#FFFFFF201CFFFFFF`,
  ];
  await device.publishAsync(`v1/devices/${machine.device_id}/can`, frames.join('\n'), { qos: 1 });
  const equipment = await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    // The gateway stores the run of the device a moment after it shows the first value.
    ({ engine_hours, context }) => engine_hours !== null && context.lineage?.[0]?.task_id != null,
  );
  assert.equal(equipment.engine_hours, 1_234.5);
  const ref = equipment.context.fields?.engine_hours?.ref ?? '';
  const hours = await client.call('lineage_get', { ref });
  assert.deepEqual(
    [hours.status, hours.equipment_id, hours.frame?.identifier],
    ['found', machine.equipment_id, '18FEE500'],
  );
  assert.deepEqual(
    hours.values.map(({ signal, value, raw }) => [signal, value, raw]),
    [['engine.hours', 1_234.5, 24_690]],
  );
  assert.ok(
    hours.values[0]?.steps.some((step) => step.includes('72 60 00 00')),
    JSON.stringify(hours.values),
  );
  const [source, ...others] = equipment.context.lineage ?? [];
  assert.deepEqual([source?.device_id, source?.values, others], [machine.device, 2, []]);
  const task = await client.call('tasks_get', { task_id: source?.task_id ?? '' });
  assert.deepEqual([task.kind, task.latest_run_id], ['decode', source?.run_id]);
  assert.equal((await client.call('lineage_get', { ref: source?.ref ?? '' })).status, 'found');
  const sample = `${machine.equipment_id}:engine.speed:${ms / 1000}`;
  const speed = await client.call('lineage_get', { ref: sample });
  assert.deepEqual([speed.status, speed.sample?.value, speed.values[0]?.value], ['found', 900, 900]);
  assert.equal(speed.source?.device_id, machine.device);
  assert.deepEqual([speed.sample?.origin.run_id, speed.sample?.origin.task_id], [source?.run_id, task.id]);
  const replay = await client.call('lineage_replay', { ref: sample });
  assert.deepEqual(replay, {
    object: 'lineage_replay',
    ref: sample,
    status: 'found',
    message: 'The raw message was found and decoded again.',
    gap: null,
    stored: 900,
    recomputed: 900,
    equal: true,
  });
  const url = `${gateway.node.http}/api/v1/lineage/${encodeURIComponent(ref)}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id } });
  assert.deepEqual(await response.json(), hours);
  const { project: other } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const stranger = gateway.project(other.id);
  await assert.rejects(stranger.call('lineage_get', { ref }), code('not_found'));
  await assert.rejects(stranger.call('lineage_get', { ref: sample }), code('not_found'));
  await assert.rejects(
    client.call('lineage_get', { ref: `${machine.equipment_id}:engine.speed:1` }),
    code('not_found'),
  );
  await assert.rejects(
    client.call('lineage_get', { ref: `${machine.equipment_id}:engine.none:1` }),
    code('parameter_invalid'),
  );
  await assert.rejects(client.call('lineage_get', { ref: '999:0' }), code('not_found'));
  await assert.rejects(client.call('lineage_get', { ref: 'everything' }), code('parameter_invalid'));
  await device.endAsync();
});

test('[A808] a number from a log file leads to its frame in the file', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const start = Math.floor(Date.now() / 1000) - 3_600;
  // 300 seconds of EEC1 in the text form of candump, 700 rpm and more.
  const lines = Array.from({ length: 300 }, (_, i) => {
    const raw = (700 + (i % 50)) * 8;
    const bytes = `${(raw & 0xff).toString(16).padStart(2, '0')}${(raw >> 8).toString(16).padStart(2, '0')}`;
    return `(${start + i}.500000) can0 0CF00400#FFFFFF${bytes.toUpperCase()}FFFFFF`;
  });
  const artifact = await uploadFile(gateway.node.http, machine, 'morning.log', Buffer.from(`${lines.join('\n')}\n`));
  const ref = `${machine.equipment_id}:engine.speed:${start + 123}`;
  const found = await eventually(
    () => client.call('lineage_get', { ref }).catch(() => undefined),
    (answer) => answer !== undefined,
  );
  assert.equal(found?.status, 'found');
  assert.deepEqual(
    [found.sample?.origin.artifact_id, found.source?.ref, found.source?.topic],
    [artifact, `${artifact}#123`, 'file'],
  );
  assert.deepEqual([found.sample?.value, found.values[0]?.value], [723, 723]);
  assert.equal((await client.call('lineage_replay', { ref })).equal, true);
  const frame = await client.call('lineage_get', { ref: `${artifact}#7` });
  assert.deepEqual([frame.status, frame.values[0]?.value, frame.sample], ['found', 707, null]);
  await assert.rejects(client.call('lineage_get', { ref: `${artifact}#300` }), code('not_found'));
  const { project: other } = await gateway.client.call('projects_create', { name: 'Quarry' });
  await assert.rejects(gateway.project(other.id).call('lineage_get', { ref: `${artifact}#7` }), code('not_found'));
});
