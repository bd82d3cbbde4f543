/** From a DM1 message over MQTT to an alert on its trouble code, in a running gateway. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeDm1 } from '#domain/j1939/encode.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

test('[A184] [A186] a DM1 raises one alert on its code and its lamp, and a DM1 without codes clears it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-codes-'));
  try {
    await using gateway = await startGateway(folder);
    const project = (await gateway.client.call('projects_create', { name: 'Pit' })).project.id;
    const client = gateway.project(project);
    const machine = await addMachine(client, 'HT-14');
    await client.call('alert_rules_create', { name: 'Oil', signal: 'dtc.active', spn: 100, fmi: 1 });
    const device = await connectDevice(gateway.node.mqttPort, machine);
    const send = (codes: Parameters<typeof encodeDm1>[1]) => {
      const data = Buffer.from(encodeDm1({ red: codes.length > 0 }, codes))
        .toString('hex')
        .toUpperCase();
      const line = `(${(Date.now() / 1000).toFixed(6)}) can0 18FECA03#${data}\n`;
      return device.publishAsync(`v1/devices/${machine.device_id}/can`, line, { qos: 1 });
    };
    await send([{ spn: 100, fmi: 1, count: 2 }]);
    const { data } = await eventually(
      () => client.call('alerts_list', { state: 'active' }),
      (list) => list.data[0]?.also !== undefined,
    );
    const [alert, ...others] = data;
    assert.deepEqual(
      [others, alert?.severity, alert?.also?.map(({ signal_name }) => signal_name)],
      [[], 'critical', ['dtc.red_stop']],
    );
    assert.deepEqual(
      [alert?.machine_id, alert?.condition, alert?.code?.meaning, alert?.code?.source_address, alert?.code?.device_id],
      [machine.equipment_id, 'code', 'Engine oil pressure 1: far too low', 3, machine.device],
    );
    await send([]);
    const cleared = await eventually(
      () => client.call('alerts_get', { id: alert?.id ?? '' }),
      ({ state }) => state === 'cleared',
    );
    assert.equal(cleared.cleared_because, 'back');
    assert.deepEqual((await client.call('alerts_list', { state: 'active' })).data, []);
    await device.endAsync();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
