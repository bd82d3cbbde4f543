/** From the door to the number: a log over tus and one over the bucket, through a whole gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisionLogger } from '#test/support/bucket.ts';
import { busLog, hoursAt } from '#test/support/bus-log.ts';
import { addMachine, eventually, startGateway, uploadFile } from '#test/support/gateway.ts';
import { OWN_START_MS, ownRecording, unfinishedMf4 } from '#test/support/own-recordings.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

test('[Q1] [Q9] a log that a device uploads becomes a task that can be followed, and numbers that lead back to it', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'T-1');
  const from = Date.parse('2026-01-05T06:00:00Z');
  const log = Buffer.from([...busLog(from, 300, 20)].join(''));
  const artifact = await uploadFile(gateway.node.http, machine, 'monday.log', log);
  const { decode_task_id, kind, content_type } = await client.call('artifacts_get', { id: artifact });
  assert.deepEqual([kind, content_type], ['file', 'text/x-candump']);
  const task_id = decode_task_id ?? '';
  const stream = await fetch(`${gateway.node.http}/api/v1/tasks/${task_id}/stream`, { headers: client.headers() });
  const told = await stream.text();
  assert.equal(told.match(/^event: terminal$/gm)?.length, 1, 'the stream ends with the run');
  const task = await client.call('tasks_get', { task_id });
  assert.deepEqual([task.title, task.run?.status, task.run?.progress_pct], ['Decode monday.log', 'completed', 100]);
  const { data: words } = await client.call('tasks_messages', { task_id });
  assert.deepEqual(
    words.map(({ text, final }) => [text, final]),
    [[task.run?.output?.summary, true]],
  );
  const shown = await client.call('equipment_get', { id: machine.equipment_id });
  assert.equal(shown.engine_hours, hoursAt(299));
  assert.equal(shown.live_status, 'unknown');
  const source = shown.context.fields?.engine_hours;
  assert.deepEqual([source?.run_id, source?.device_id], [task.run?.id, machine.device]);
  const [file, frame = ''] = source?.ref?.split('#') ?? [];
  assert.equal(file, artifact);
  assert.match(log.toString().split('\n')[Number(frame)] ?? '', /18FEE500#/);
  const { t } = await gateway.node.history(machine.equipment_id, 'engine.speed', from, from + 300_000);
  assert.equal(t.length, 300);
  const again = await client.call('artifacts_decode', { id: machine.device, artifact_id: artifact });
  const second = await eventually(
    () => client.call('tasks_get', { task_id: again.id }),
    ({ run }) => run?.status === 'completed',
  );
  assert.equal(second.run?.seed_graph?.counts.samples_added, 0);
  assert.deepEqual(await client.call('equipment_get', { id: machine.equipment_id }), shown);
});

test('[Q1] a simulated log that a logger puts into its bucket becomes numbers of its machine', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await client.call('equipment_create', { unit_number: 'T-1' });
  const logger = await provisionLogger(client, gateway.node.bucketPort, 'A0B1C2D3');
  await client.call('telemetry_devices_link', {
    links: [{ serial: 'A0B1C2D3', equipment_id: machine.id, source: 'api' }],
  });
  const key = `${logger.device_id}/00000007/00000001-${(OWN_START_MS / 1000).toString(16).toUpperCase()}.MF4`;
  const put = () => logger.send({ method: 'PUT', key, body: Buffer.from(unfinishedMf4()) });
  assert.equal((await put()).status, 200);
  assert.equal((await put()).status, 200, 'again, as a logger does that heard nothing');
  const shown = await eventually(
    () => client.call('equipment_get', { id: machine.id }),
    ({ engine_hours }) => engine_hours !== null,
  );
  const { truth } = ownRecording();
  assert.ok(Math.abs((shown.engine_hours ?? 0) - truth.engine_hours) <= 0.05 + 1 / 60, `${shown.engine_hours}`);
  assert.equal(shown.live_status, 'unknown');
  assert.equal((await client.call('tasks_list', { kind: 'decode' })).data.length, 1);
  assert.equal((await client.call('artifacts_list', {})).data.length, 1);
});

test('[Q1] a log that a logger puts into its bucket becomes numbers of its machine', {
  skip: withoutRecordings,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await client.call('equipment_create', { unit_number: 'T-1' });
  const logger = await provisionLogger(client, gateway.node.bucketPort, 'FCBF0606');
  await client.call('telemetry_devices_link', {
    links: [{ serial: 'FCBF0606', equipment_id: machine.id, source: 'api' }],
  });
  const put = () =>
    logger.send({
      method: 'PUT',
      key: `${logger.device_id}/00003482/00000001-60B621D9.MF4`,
      body: recording('mf4/FCBF0606_00003482_00000001-60B621D9.MF4'),
    });
  assert.equal((await put()).status, 200);
  assert.equal((await put()).status, 200, 'again, as a logger does that heard nothing');
  const shown = await eventually(
    () => client.call('equipment_get', { id: machine.id }),
    ({ engine_hours }) => engine_hours !== null,
  );
  assert.deepEqual([shown.engine_hours, shown.live_status], [219.2, 'unknown']);
  assert.equal((await client.call('tasks_list', { kind: 'decode' })).data.length, 1);
  assert.equal((await client.call('artifacts_list', {})).data.length, 1);
});

test('[Q12] dates that name no zone are read in the zone that the project has when the run begins, and the run says so', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit', timezone: 'Europe/Berlin' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'T-1');
  const decoded = async (name: string, text: string) => {
    const artifact = await uploadFile(gateway.node.http, machine, name, Buffer.from(text));
    const { decode_task_id } = await client.call('artifacts_get', { id: artifact });
    const { run } = await eventually(
      () => client.call('tasks_get', { task_id: decode_task_id ?? '' }),
      ({ run }) => run?.status === 'completed',
    );
    return {
      timezone: run?.output?.details?.timezone,
      from: run?.output?.details?.from,
      gaps: run?.gaps?.map(({ code }) => code).filter((code) => code.startsWith('recording_time')),
      summary: run?.output?.summary ?? '',
    };
  };
  const asc = (date: string) =>
    `date ${date}\nbase hex  timestamps absolute\n0.5 1 0CF00400x Rx d 8 F0 7D 84 B0 13 00 F0 84\n`;
  const summer = await decoded('a.asc', asc('Mon Jun 1 08:30:00.000 2026'));
  assert.match(summer.summary, /read as Europe\/Berlin, which is an assumption\.$/);
  assert.deepEqual(summer.timezone, { assumed: 'Europe/Berlin', doubt: null });
  assert.deepEqual([summer.from, summer.gaps], ['2026-06-01T06:30:00.500Z', []]);
  assert.deepEqual((await decoded('b.asc', asc('Sun Oct 26 02:30:00.000 2025'))).gaps, ['recording_time_twice']);
  assert.deepEqual((await decoded('c.asc', asc('Sun Mar 29 02:30:00.000 2026'))).gaps, ['recording_time_never']);
  const from = Date.parse('2026-01-05T06:00:00Z');
  const dated = await decoded('d.log', [...busLog(from, 2, 20)].join(''));
  assert.equal(dated.timezone, null);
  assert.doesNotMatch(dated.summary, /assumption/);
  await gateway.client.call('projects_update', { id: project.id, timezone: 'Asia/Tokyo' }, { project_id: project.id });
  const moved = await decoded('e.asc', asc('Mon Jun 1 08:30:00.000 2026').replace('0.5 1', '1.5 1'));
  assert.deepEqual([moved.timezone, moved.from], [{ assumed: 'Asia/Tokyo', doubt: null }, '2026-05-31T23:30:01.500Z']);
  const day = [Date.parse('2026-05-31T00:00:00Z'), Date.parse('2026-06-02T00:00:00Z')] as const;
  const { t } = await gateway.node.history(machine.equipment_id, 'engine.speed', ...day);
  assert.deepEqual(
    t.map((s) => new Date(s * 1000).toISOString()),
    ['2026-05-31T23:30:01.000Z', '2026-06-01T06:30:00.000Z'],
  );
});

test('[A608] [A609] live decoding, a file and its repetition have their times in order, and none replaces another', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'T-1');
  await client.call('devices_telemetry', { id: machine.device, points: [{ values: { 'engine.hours': 12 } }] });
  const text = [...busLog(Date.parse('2026-01-05T06:00:00Z'), 5, 20)].join('');
  const artifact_id = await uploadFile(gateway.node.http, machine, 'monday.log', Buffer.from(text));
  const { decode_task_id } = await client.call('artifacts_get', { id: artifact_id });
  const done = () =>
    eventually(
      () => client.call('tasks_get', { task_id: decode_task_id ?? '' }),
      ({ run }) => run?.status === 'completed',
    );
  await done();
  await client.call('artifacts_decode', { id: machine.device, artifact_id });
  await done();
  const { data: tasks } = await eventually(
    () => client.call('tasks_list', { kind: 'decode' }),
    ({ data }) => data.length === 2,
  );
  const runs = await Promise.all(tasks.map(({ id }) => client.call('tasks_runs', { task_id: id })));
  const all = runs.flatMap(({ data }) => data);
  assert.equal(all.length, 3);
  for (const { lifecycle, retry, created_at } of all) {
    const { queued_at, dequeued_at, started_at } = lifecycle;
    const times = [lifecycle.created_at, queued_at, dequeued_at, started_at].map((time) => Date.parse(time ?? ''));
    assert.ok(
      times.every((time, i) => time >= (times[i - 1] ?? 0)),
      JSON.stringify(lifecycle),
    );
    assert.equal(created_at, lifecycle.created_at);
    assert.deepEqual(retry, { retry_of: null, retry_count: 0 });
  }
});
