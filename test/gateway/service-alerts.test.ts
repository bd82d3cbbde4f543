/** An alert on a service in a running gateway: a meter that rolls back, a restart, and a person who corrects the meter. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

test('[A860] [D244] one occurrence is one alert, over a rolled back meter and a restart, until a person corrects the meter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-service-'));
  try {
    let project = '';
    let equipment_id = '';
    let device: Awaited<ReturnType<typeof addMachine>> | undefined;
    {
      await using gateway = await startGateway(folder);
      project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
      const client = gateway.project(project);
      device = await addMachine(client, 'HT-14');
      equipment_id = device.equipment_id;
      const plan = await client.call('maintenance_plans_create', {
        name: 'Engine oil',
        equipment_id,
        every_hours: 100,
        action: 'none',
      });
      await client.call('alert_rules_create', { name: 'Due', signal: 'maintenance.service', service: {} });
      const link = await connectDevice(gateway.node.mqttPort, device);
      const send = (hours: number) =>
        link.publishAsync(
          `v1/devices/${device?.device_id}/telemetry`,
          JSON.stringify({ ts: Date.now(), values: { 'engine.hours': hours } }),
          { qos: 1 },
        );
      const hours = (value: number) =>
        eventually(
          () => client.call('equipment_get', { id: equipment_id }),
          ({ engine_hours }) => engine_hours === value,
        );
      await send(1_000);
      await hours(1_000);
      await client.call('maintenance_plans_record', { id: plan.id, equipment_id, hours: 900 });
      const [alert] = await eventually(
        async () => (await client.call('alerts_list', {})).data,
        ({ length }) => length === 1,
      );
      assert.deepEqual([alert?.value, alert?.threshold, alert?.service?.basis], [1_000, 1_000, 'feed']);
      // Another control unit counts from 5 h. Two readings agree, and the total continues.
      await send(5);
      await send(5.05);
      await eventually(
        () => client.call('equipment_meters', { id: equipment_id }),
        ({ data }) => data[0]?.segments.length === 2,
      );
      await link.endAsync();
    }
    await using gateway = await startGateway(folder);
    const client = gateway.project(project);
    await client.call('equipment_meters_reconcile', {
      id: equipment_id,
      kind: 'engine_hours',
      value: 950,
      reason: 'read in the cab',
    });
    const all = await eventually(
      async () => (await client.call('alerts_list', {})).data,
      ([one]) => one?.state === 'cleared',
    );
    assert.deepEqual(
      all.map(({ cleared_because }) => cleared_because),
      ['meter_corrected'],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
