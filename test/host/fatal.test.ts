import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch } from '#test/faults/rig.ts';
import { canCut } from '#test/faults/store-cut.ts';
import { addMachine, connectDevice } from '#test/support/gateway.ts';

test('[Z5] a failed sync ends the process, the supervisor restarts it on the same ports, and acknowledged data is stored', {
  skip: canCut() ? false : 'needs strace and the right to trace',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-fatal-'));
  try {
    const calls = 'fsync,fdatasync';
    // Far enough for a start; each process counts anew.
    const rule = `inject=${calls}:error=EIO:when=60`;
    const strace = ['strace', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', rule];
    await using gateway = launch(join(folder, 'data'), strace);
    await gateway.event('ready');
    const { project } = await gateway.client().call('projects_create', { name: 'Pit' });
    const machine = await addMachine(gateway.client(project.id), 'T-1');
    const [http, mqtt, pid] = [gateway.http, gateway.mqtt, gateway.pid()];
    const device = await connectDevice(mqtt, machine);
    const lines = gateway.said.length;
    let acknowledged = 0;
    const gone = new Promise<void>((resolve) => device.once('close', () => resolve()));
    while (device.connected) {
      const note = JSON.stringify({ type: 'note', id: `n${acknowledged}`, data: {} });
      const sent = device.publishAsync(`v1/devices/${machine.device_id}/events`, note, { qos: 1 });
      await Promise.race([
        sent.then(
          () => acknowledged++,
          () => {},
        ),
        gone,
      ]);
    }
    assert.ok(acknowledged > 0);
    const { code } = await gateway.event('gateway_crashed', lines);
    assert.equal(code, 1);
    await gateway.event('ready', lines);
    assert.deepEqual([gateway.http, gateway.mqtt], [http, mqtt]);
    assert.notEqual(gateway.pid(), pid);
    const { metrics } = await gateway.client(project.id).call('devices_get', { id: machine.device });
    assert.ok(metrics.messages_total >= acknowledged, `${metrics.messages_total} of ${acknowledged}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
