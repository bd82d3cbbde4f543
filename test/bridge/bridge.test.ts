import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBridge } from '#bridge/bridge.ts';
import { parseCandump } from '#codec/candump.ts';
import { formatSlcan } from '#codec/slcan.ts';
import { FrameBatch } from '#contract/frame.ts';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { startAdapter } from '#test/support/slcan-adapter.ts';

test('[F90] a real machine over a serial line, the bridge and MQTT: its numbers are right in the API', {
  skip: withoutRecordings,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'T-1');
  await using adapter = await startAdapter();
  const folder = mkdtempSync(join(tmpdir(), 'headframe-bridge-'));
  try {
    await using bridge = await startBridge({
      source: `slcan:${adapter.path}?bitrate=250000`,
      url: `mqtt://127.0.0.1:${gateway.node.mqttPort}`,
      device_id: machine.device_id,
      key: machine.key,
      folder,
      clock: Date.now,
      log() {},
      firmware: 'test',
    });
    await eventually(
      async () => bridge.report().bus.state,
      (state) => state === 'listening',
    );
    const batch = new FrameBatch();
    parseCandump(recording('candump/FCBF0606-jd6130.candump.log'), batch, 0);
    assert.equal(batch.count, 1815);
    await adapter.send(formatSlcan(batch, 0, batch.count, true));
    const device = await eventually(
      () => client.call('devices_get', { id: machine.device }),
      ({ metrics }) => metrics.frames_total === 1815,
    );
    assert.equal(device.metrics.duplicates_total, 0);
    const { engine_hours, fuel_remaining_pct } = await client.call('equipment_get', { id: machine.equipment_id });
    assert.deepEqual([engine_hours, fuel_remaining_pct], [219.2, null]);
    const reported = await eventually(
      () => client.call('devices_get', { id: machine.device }),
      ({ state }) => (state.reported as { bridge?: { frames?: number } } | undefined)?.bridge?.frames === 1815,
    );
    const { bridge: told } = reported.state.reported as { bridge: Record<string, unknown> };
    assert.deepEqual([told.state, told.bitrate, told.sending, told.malformed], ['listening', 250_000, false, 0]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
