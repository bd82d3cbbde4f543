/** The actions of alerts in a running gateway: repair tickets, and messages to devices. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Input } from '#contract/operations.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

test('[A835] [A836] alerts of one cause make one ticket, and devices of the machine get each change of an alert', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-actions-'));
  try {
    await using gateway = await startGateway(folder);
    const project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
    const client = gateway.project(project);
    const machine = await addMachine(client, 'HT-14');
    const hot = {
      name: 'Hot',
      signal: 'engine.coolant_temperature',
      op: 'gt',
      actions: ['ticket', 'mqtt'],
    } satisfies Partial<Input<'alert_rules_create'>>;
    const rule = await client.call('alert_rules_create', { ...hot, value: 105 });
    const device = await connectDevice(gateway.node.mqttPort, machine);
    const horn = `v1/devices/${machine.device_id}/alerts`;
    const heard: { state: string; rule_name: string; severity: string }[] = [];
    device.on('message', (topic, payload, { retain }) => {
      assert.deepEqual([topic, retain], [horn, false]);
      heard.push(JSON.parse(payload.toString()));
    });
    await device.subscribeAsync(horn, { qos: 1 });
    const send = (celsius: number) =>
      device.publishAsync(
        `v1/devices/${machine.device_id}/telemetry`,
        JSON.stringify({ ts: Date.now(), values: { 'engine.coolant_temperature': celsius } }),
        { qos: 1 },
      );
    const alerts = async () => (await client.call('alerts_list', { order: 'asc' })).data;
    const tickets = async () => (await client.call('repair_tickets_list', {})).data;
    await send(107);
    const [first] = await eventually(
      alerts,
      ([one]) => one?.actions.every(({ status }) => status === 'executed') === true,
    );
    const [ticket, ...others] = await tickets();
    assert.deepEqual(
      [ticket?.status, ticket?.equipment_id, ticket?.title, ticket?.source.kind, ticket?.source.ref, others],
      ['flagged', machine.equipment_id, 'Hot', 'alert', first?.id, []],
    );
    assert.match(ticket?.description ?? '', /^Hot: engine\.coolant_temperature 107 °C at .*, limit 105 °C\.$/);
    assert.deepEqual(first?.actions, [
      { action: 'ticket', status: 'executed', reason: null, ticket_id: ticket?.id },
      { action: 'mqtt', status: 'executed', reason: null },
    ]);
    await client.call('alert_rules_create', { ...hot, name: 'Very hot', value: 110, severity: 'critical' });
    await send(112);
    const [, second] = await eventually(
      alerts,
      ([, two]) => two?.actions.every(({ status }) => status === 'executed') === true,
    );
    const [joined, ...more] = await tickets();
    assert.deepEqual([joined?.alerts?.map(({ alert_id }) => alert_id), more], [[first?.id, second?.id], []]);
    assert.equal(second?.actions[0]?.ticket_id, ticket?.id);
    const log = await client.call('repair_tickets_events', { id: ticket?.id ?? '', order: 'asc' });
    assert.deepEqual(
      log.data.map(({ type }) => type),
      ['flagged', 'alert.added'],
    );
    await client.call('alert_rules_update', { id: rule.id, enabled: false }, { if_match: rule.revision });
    await eventually(
      async () => heard.map(({ rule_name, severity, state }) => `${rule_name} ${severity} ${state}`),
      (all) => all.length === 3,
    );
    assert.deepEqual(
      heard.map(({ rule_name, state }) => `${rule_name} ${state}`),
      ['Hot active', 'Very hot active', 'Hot cleared'],
    );
    await device.endAsync();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
