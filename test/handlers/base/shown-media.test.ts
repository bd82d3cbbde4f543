import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_SHOWN } from '#handlers/base/shown-media.ts';
import { addMachine, connectDevice, eventually, startGateway, type TestGateway } from '#test/support/gateway.ts';

const PNG = Buffer.from('iVBORw0KGgo=', 'base64');
let posted = 0;

/** Posts a frame as a camera does; its artifact id. */
async function post({ node }: TestGateway, key: string, run_id?: string): Promise<string> {
  const form = new FormData();
  form.set('meta', JSON.stringify({ sequence: ++posted, ...(run_id === undefined ? {} : { run_id }) }));
  form.set('frame', new Blob([PNG, `picture ${posted}`], { type: 'image/png' }), 'frame.png');
  const answer = await fetch(`${node.http}/api/v1/devices/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': `frame-${posted}` },
    body: form,
  });
  assert.equal(answer.status, 202, await answer.clone().text());
  return ((await answer.json()) as { artifact_id: string }).artifact_id;
}

test('[A605] a machine, location, device and task name their files', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const { id: location_id } = await client.call('locations_create', { name: 'Gate' });
  const gate = await client.call('devices_provision', { serial: 'CAM-2', kind: 'camera', location_id });
  const bare = await client.call('equipment_create', { unit_number: 'HT-2' });
  // Asked once before: what comes later is added to what is remembered.
  assert.deepEqual((await client.call('equipment_get', { id: machine.equipment_id })).context.media, []);
  const first = await post(gateway, machine.key);
  const second = await post(gateway, machine.key);
  const shown = await client.call('equipment_get', { id: machine.equipment_id });
  assert.deepEqual(shown.context.media, [second, first]);
  const at = await post(gateway, gate.credential.key ?? '');
  assert.deepEqual((await client.call('locations_get', { id: location_id })).context.media, [at]);
  assert.deepEqual((await client.call('devices_get', { id: gate.device.id })).context.media, [at]);
  assert.deepEqual((await client.call('devices_get', { id: machine.device })).context.media, [second, first]);
  const worker = { id: machine.device, name: 'counter', version: '1', capabilities: [] };
  await client.call('devices_worker_register', worker);
  const task = await client.call('devices_worker_run', { id: machine.device, title: 'Count' });
  await client.call('devices_worker_take', { id: machine.device });
  const seen = await post(gateway, machine.key, task.run?.id ?? '');
  assert.deepEqual((await client.call('tasks_get', { task_id: task.id })).context.media, [seen]);
  const lists = {
    [machine.equipment_id]: (await client.call('equipment_list', {})).data,
    [location_id]: (await client.call('locations_list', {})).data,
    [machine.device]: (await client.call('devices_list', {})).data,
    [task.id]: (await client.call('tasks_list', { kind: 'worker' })).data,
  };
  const wanted = [[seen, second, first], [at], [seen, second, first], [seen]];
  assert.deepEqual(
    Object.entries(lists).map(([id, items]) => items.find((item) => item.id === id)?.context.media),
    wanted,
  );
  assert.deepEqual((await client.call('equipment_get', { id: bare.id })).context.media, []);
  // Attached ones stand first, and are named once.
  const attached = await client.call('equipment_update', { id: machine.equipment_id, context: { media: [first] } });
  assert.deepEqual(attached.context.media, [first, seen, second]);
});

test('[A605] the newest files up to the limit are named, also at the first request for a machine', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const all: string[] = [];
  for (let i = 0; i < MOST_SHOWN + 3; i++) all.unshift(await post(gateway, machine.key));
  const media = async () => (await client.call('equipment_get', { id: machine.equipment_id })).context.media;
  assert.deepEqual(await media(), all.slice(0, MOST_SHOWN));
  all.unshift(await post(gateway, machine.key));
  assert.deepEqual(await media(), all.slice(0, MOST_SHOWN));
});

test('[A606] every run id in an answer can be read, with its task', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  await mqtt.publishAsync(
    `v1/devices/${machine.device_id}/telemetry`,
    JSON.stringify({ values: { 'engine.hours': 12, 'fuel.level': 50 } }),
    { qos: 1 },
  );
  const shown = await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    ({ engine_hours, fuel_remaining_pct }) => engine_hours === 12 && fuel_remaining_pct === 50,
  );
  const runs = new Set([shown.context.run_id, ...Object.values(shown.context.fields ?? {}).map((one) => one.run_id)]);
  for (const run_id of runs) {
    // The facts are live before the commit that makes their run.
    const run = await eventually(
      () => client.call('runs_get', { run_id: run_id ?? '' }).catch(() => undefined),
      (found) => found !== undefined,
    );
    assert.equal(run?.id, run_id);
    const task = await client.call('tasks_get', { task_id: run?.task_id ?? '' });
    assert.deepEqual([task.kind, task.run?.id], ['decode', run_id]);
  }
  const other = await gateway.client.call('projects_create', { name: 'Other' });
  await assert.rejects(
    gateway.project(other.project.id).call('runs_get', { run_id: shown.context.run_id ?? '' }),
    ({ code }: { code: string }) => code === 'not_found',
  );
  await mqtt.endAsync();
});
