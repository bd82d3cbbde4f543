import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');

function headframe(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('[A806] history prints samples and steps of a machine as CSV and JSON, and names what it does not know', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-history-'));
  try {
    {
      await using gateway = await startGateway(folder);
      const project = (await gateway.client.call('projects_create', { name: 'Quarry' })).project.id;
      const client = gateway.project(project);
      const machine = await addMachine(client, 'T-1');
      const points = [1, 2, 3].map((i) => ({
        observed_at: `2026-01-05T06:00:0${i}Z`,
        values: { 'engine.speed': 1000 + i },
      }));
      await client.call('devices_telemetry', { id: machine.device, points });
      await eventually(
        () =>
          client.call('equipment_telemetry', {
            id: machine.equipment_id,
            signals: ['engine.speed'],
            from: '2026-01-05T00:00:00Z',
            to: '2026-01-06T00:00:00Z',
          }),
        ({ series }) => series[0]?.samples === 3,
      );
    }
    const range = ['--from', '2026-01-05T06:00:00Z', '--to', '2026-01-05T07:00:00Z', '--data', folder];
    const raw = headframe('history', 'T-1', 'engine.speed', ...range, '--resolution', 'raw');
    assert.deepEqual([raw.status, raw.stderr], [0, '']);
    assert.equal(
      raw.stdout,
      'time,engine.speed [rpm]\r\n2026-01-05T06:00:01.000Z,1001\r\n2026-01-05T06:00:02.000Z,1002\r\n2026-01-05T06:00:03.000Z,1003\r\n',
    );
    const steps = headframe('history', 'T-1', 'engine.speed', ...range, '--resolution', '3600');
    assert.match(steps.stdout, /\r\n2026-01-05T06:00:00\.000Z,1001,1003,1002,1003,3\r\n$/);
    const json = headframe('history', 'T-1', 'engine.speed', ...range, '--as', 'json');
    assert.equal(JSON.parse(json.stdout).series[0].samples, 3);
    const arrow = spawnSync(process.execPath, [
      CLI,
      ...['history', 'T-1', 'engine.speed', ...range, '--resolution', 'raw', '--as', 'arrow'],
    ]);
    assert.deepEqual(
      tableFromIPC(arrow.stdout)
        .toArray()
        .map((row) => [Number(row?.time), row?.signal, row?.value]),
      [1, 2, 3].map((i) => [Date.parse(`2026-01-05T06:00:0${i}Z`), 'engine.speed', 1000 + i]),
    );
    assert.match(
      headframe('history', 'T-1', 'engine.speed', ...range, '--as', 'arrow', '--resolution', '7').stderr,
      /divide a day/,
    );
    assert.match(headframe('history', 'T-9', 'engine.speed', ...range).stderr, /There is no machine T-9/);
    assert.match(headframe('history', 'T-1', 'speed', ...range).stderr, /There is no signal speed/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
