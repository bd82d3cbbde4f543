/** From a device's message to an alert and its webhook, in a running gateway, across a restart. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

test('[A177] [A178] [A192] a value over its limit reaches the log, the list and the queue of the webhook, and a restart raises no alert twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-push-'));
  try {
    let project = '';
    let machine = { equipment_id: '', device: '', device_id: '', key: '' };
    let endpoint = '';
    {
      await using gateway = await startGateway(folder);
      project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
      const client = gateway.project(project);
      machine = await addMachine(client, 'HT-14');
      // RFC 6761 6.4: a name that nobody has.
      const made = await client.call('webhook_endpoints_create', { url: 'https://gateway.invalid/in' });
      endpoint = made.endpoint.id;
      await client.call('alert_rules_create', {
        name: 'Hot',
        signal: 'engine.coolant_temperature',
        op: 'gt',
        value: 105,
        severity: 'critical',
      });
      const device = await connectDevice(gateway.node.mqttPort, machine);
      const point = { observed_at: new Date().toISOString(), values: { 'engine.coolant_temperature': 107 } };
      await device.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify(point), { qos: 1 });
      await device.endAsync();
      const { data } = await eventually(
        () => client.call('alerts_list', { state: 'active' }),
        (list) => list.data.length > 0,
      );
      assert.deepEqual(
        [data[0]?.machine_id, data[0]?.value, data[0]?.device_id],
        [machine.equipment_id, 107, machine.device],
      );
      const deliveries = await eventually(
        () => client.call('webhook_deliveries_list', { id: endpoint }),
        (list) => list.data[0]?.last_error != null,
      );
      assert.deepEqual([deliveries.data[0]?.type, deliveries.data[0]?.state], ['alert.raised', 'pending']);
      const seen = await client.call('alerts_acknowledge', { id: data[0]?.id ?? '' });
      assert.equal(seen.revision, 2);
    }
    await using gateway = await startGateway(folder);
    const client = gateway.project(project);
    const device = await connectDevice(gateway.node.mqttPort, machine);
    const point = { observed_at: new Date().toISOString(), values: { 'engine.coolant_temperature': 60 } };
    await device.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify(point), { qos: 1 });
    await device.endAsync();
    await eventually(
      () => client.call('alerts_list', { state: 'cleared' }),
      (list) => list.data.length > 0,
      30,
    );
    await eventually(
      () => client.call('webhook_deliveries_list', { id: endpoint }),
      (list) => list.data.length === 3,
    );
    const log = await client.call('equipment_events', { id: machine.equipment_id, order: 'asc' });
    assert.deepEqual(
      log.data.map(({ type }) => type).filter((type) => type.startsWith('alert.')),
      ['alert.raised', 'alert.acknowledged', 'alert.cleared'],
    );
    const queued = await client.call('webhook_deliveries_list', { id: endpoint, order: 'asc' });
    assert.deepEqual(
      queued.data.map(({ type }) => type),
      ['alert.raised', 'alert.acknowledged', 'alert.cleared'],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
