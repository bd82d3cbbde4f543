import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');

function headframe(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('[A480] [A481] quarantine and purge-device work on a folder whose gateway is stopped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-quarantine-'));
  try {
    let project = '';
    let machine: Awaited<ReturnType<typeof addMachine>>;
    {
      await using gateway = await startGateway(folder);
      project = (await gateway.client.call('projects_create', { name: 'Quarry' })).project.id;
      const client = gateway.project(project);
      machine = await addMachine(client, 'T-1');
      const device = await connectDevice(gateway.node.mqttPort, machine);
      const events = JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ type: 'x.flood', data: { i } })));
      await device.publishAsync(`v1/devices/${machine.device_id}/events`, events, { qos: 1 });
      await device.endAsync();
      await eventually(
        () => client.call('devices_events', { id: machine.device, type: 'x.flood', limit: 200 }),
        ({ data }) => data.length === 100,
      );
    }
    const unknown = headframe('purge-device', 'nobody', '--data', folder);
    assert.deepEqual([unknown.status, unknown.stderr.includes('There is no device nobody')], [1, true]);
    const shut = headframe('quarantine', machine.device_id, '--data', folder);
    assert.deepEqual([shut.status, shut.stderr], [0, '']);
    assert.match(shut.stdout, /is in quarantine/);
    const purged = headframe('purge-device', machine.device_id, '--data', folder, '--json');
    assert.equal(purged.status, 0, purged.stderr);
    assert.ok(JSON.parse(purged.stdout).events >= 100);

    await using gateway = await startGateway(folder);
    const client = gateway.project(project);
    const { data } = await client.call('devices_events', { id: machine.device, type: 'x.flood', limit: 200 });
    assert.deepEqual(data, []);
    assert.ok((await client.call('devices_get', { id: machine.device })).quarantine !== null);
    await assert.rejects(connectDevice(gateway.node.mqttPort, machine));
    const audit = await client.call('audit_list', { subject: machine.device });
    assert.deepEqual(
      audit.data.map(({ type, actor }) => [type, actor.type]),
      [
        ['purged', 'control'],
        ['quarantined', 'control'],
      ],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
