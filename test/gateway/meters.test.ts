/** All readers of a meter, through the doors of the product: after a reset and a reading of a person they show the same total. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

test('[A810] after a reset, machine, meters, ticket and AEMP show the same total', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const id = machine.equipment_id;
  const start = Math.floor(Date.now() / 60_000) * 60_000 - 600_000;
  const send = async (values: readonly number[], from: number) => {
    const points = values.map((value, i) => ({
      observed_at: new Date(start + (from + i) * 60_000).toISOString(),
      values: { 'engine.hours': value },
    }));
    const sent = await fetch(`${gateway.node.http}/api/v1/devices/${machine.device}/telemetry`, {
      method: 'POST',
      headers: { authorization: `Bearer ${machine.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ points }),
    });
    assert.equal(sent.status, 202, await sent.text());
  };
  await send([9000, 9000.05, 12, 12.05], 0);
  await eventually(
    () => client.call('equipment_get', { id }),
    ({ engine_hours }) => engine_hours === 9000.1,
  );
  await client.call('equipment_meters_reconcile', { id, kind: 'engine_hours', value: 9100, reason: 'read in the cab' });
  await send([12.1], 9);
  const total = 9100.05;
  await eventually(
    () => client.call('equipment_get', { id }),
    ({ engine_hours }) => engine_hours === total,
  );
  const { data } = await client.call('equipment_meters', { id });
  assert.equal(data[0]?.value, total);
  const ticket = await client.call('repair_tickets_create', { title: 'Leak', equipment_id: id });
  assert.equal(ticket.meter_at_flag?.hours, total);
  const aemp = async (path: string) => {
    const response = await fetch(`${gateway.node.http}/aemp/v2/Fleet${path}`, {
      headers: { authorization: `Bearer ${OWNER_KEY}`, accept: 'application/json', 'project-id': project.id },
    });
    assert.equal(response.status, 200);
    return response.json();
  };
  const fleet = (await aemp('')) as { Equipment: { CumulativeOperatingHours: { Hour: number } }[] };
  assert.equal(fleet.Equipment[0]?.CumulativeOperatingHours.Hour, total);
  const [from, to] = [start - 60_000, start + 700_000].map((ms) => new Date(ms).toISOString());
  const series = await aemp(`/Equipment/ID/HT-01/CumulativeOperatingHours/${from}/${to}/1`);
  const { CumulativeOperatingHours: points } = series as { CumulativeOperatingHours: { Hour: number }[] };
  const hours = points.map(({ Hour }) => Hour);
  assert.deepEqual([hours[0], hours.at(-1)], [9000, total]);
  assert.ok(hours.every((hour, i) => hour >= (hours[i - 1] ?? 0)));
  const { series: stored } = await client.call('equipment_telemetry', {
    id,
    signals: ['engine.hours'],
    from,
    to,
    resolution: 'raw',
  });
  assert.deepEqual([stored[0]?.lowest?.value, stored[0]?.highest?.value], [12.05, 9000.05], 'history has the readings');
});
