/** The expected date of a service, from values that a device sent to a real gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

test('[A510] [D243] the use comes from stored history: the known hours count, and growth in a gap does not', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const plan = await client.call('maintenance_plans_create', {
    name: 'Engine oil',
    equipment_id: machine.equipment_id,
    every_hours: 250,
  });
  // 80 hours with half an engine hour each; from hour 40 to hour 50 the gateway gets nothing, and the machine works all the time.
  const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const start = end - 80 * HOUR_MS;
  const points: { observed_at: string; values: Record<string, number> }[] = [];
  let hours = 1_000;
  for (let minute = 0; minute < 80 * 60; minute += 10) {
    const at = start + minute * MINUTE_MS;
    const isGap = minute >= 40 * 60 && minute < 50 * 60;
    hours += isGap ? 1 / 6 : 1 / 12;
    if (isGap) continue;
    points.push({ observed_at: new Date(at).toISOString(), values: { 'engine.hours': Math.round(hours * 100) / 100 } });
  }
  const sent = await fetch(`${gateway.node.http}/api/v1/devices/${machine.device}/telemetry`, {
    method: 'POST',
    headers: { authorization: `Bearer ${machine.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ points }),
  });
  assert.ok(sent.ok, await sent.text());
  const last = points.at(-1)?.values['engine.hours'];
  await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    ({ engine_hours }) => engine_hours === last,
  );
  const done = await client.call('maintenance_plans_record', { id: plan.id, equipment_id: machine.equipment_id });
  const [limit] = done.plans[0]?.limits ?? [];
  assert.equal(done.plans[0]?.state, 'ok');
  // 12 h a day; with the growth in the gap it would be 13.5 h a day.
  assert.ok(Math.abs((limit?.per_day ?? Number.NaN) - 12) < 0.4, `${limit?.per_day}`);
  const days = (Date.parse(done.plans[0]?.expected_on ?? '') - Date.now()) / (24 * HOUR_MS);
  assert.ok(Math.abs(days - 250 / 12) < 2, `${days}`);
});
