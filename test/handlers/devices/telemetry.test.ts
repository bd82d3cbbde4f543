import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_REFUSED, refusalOf } from '#contract/fleet/telemetry.ts';
import { parsePoints } from '#ingest/fold/payloads.ts';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';
import { openRig } from '#test/support/handler-rig.ts';

const values = { 'engine.speed': 900 };

test('[A600] points with an impossible time are refused with index and code, and the others are accepted', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const answer = await client.call('devices_telemetry', {
    id: machine.device,
    points: [
      { ts: 1e300, values },
      { ts: -1, values },
      { observed_at: '0001-01-01T00:00:00Z', values },
      { observed_at: '1969-12-31T23:59:59.999Z', values },
      { observed_at: 'yesterday', values },
      { observed_at: '2026-11-21T06:00:00', values },
      { ts: 0, values: {} },
      { values: { 'engine.speed': 1450 } },
    ],
  });
  assert.equal(answer.accepted, 2);
  assert.equal(answer.refused_total, 6);
  assert.deepEqual(
    answer.refused.map(({ index, code }) => [index, code]),
    [0, 1, 2, 3, 4, 5].map((index) => [index, 'time_invalid']),
  );
  assert.ok(answer.refused.every(({ message }) => message.includes('ts')));
  const device = await eventually(
    () => client.call('devices_get', { id: machine.device }),
    ({ metrics, observation }) => metrics.decode_errors_total === 6 && observation !== null,
  );
  assert.equal(device.observation?.signals['engine.speed']?.value, 1450);
});

test('[A600] exactly the points that the fold can read are accepted', async () => {
  const times: object[] = [{}, { ts: 0 }, { ts: -0 }, { ts: -0.5 }, { ts: 8.64e15 }, { ts: 8.65e15 }, { ts: 5e-324 }];
  for (const year of ['0000', '0099', '1900', '1969', '1970', '2026', '9999'])
    for (const zone of ['Z', '+14:00', '-12:00']) times.push({ observed_at: `${year}-01-01T00:00:00${zone}` });
  for (const text of ['2026-11-21T06:00', '2026-11-21 06:00:00', '2026-11-21T06:00Z', '2026-11-21', 'Nov 21 2026', ''])
    times.push({ observed_at: text });
  const points: unknown[] = times.map((time) => ({ ...time, values }));
  points.push(null, 7, [], {}, { values: null }, { values: [] }, { ts: 1, values: 'x' }, { ts: '2026', values });
  for (const point of points) {
    const read = parsePoints(new TextEncoder().encode(JSON.stringify([point])));
    assert.equal(read?.points.length, refusalOf(point) === undefined ? 1 : 0, JSON.stringify(point));
  }
});

test('[A600] an answer lists 100 refused points and counts all', async () => {
  await using rig = await openRig();
  const { device } = await rig.call('devices_provision', { serial: 'CL-3' });
  for (const count of [MAX_REFUSED, MAX_REFUSED + 1, 5_000]) {
    const points = Array.from({ length: count }, () => ({ ts: -1, values }));
    const answer = await rig.call('devices_telemetry', { id: device.id, points });
    assert.deepEqual([answer.accepted, answer.refused.length, answer.refused_total], [0, MAX_REFUSED, count]);
  }
});
