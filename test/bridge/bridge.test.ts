import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBridge } from '#bridge/bridge.ts';
import { parseCandump } from '#codec/candump.ts';
import { formatSlcan } from '#codec/slcan.ts';
import { createClient } from '#contract/client.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { killUnderBridge } from '#test/faults/bridge-kill.ts';
import { Random } from '#test/sim/random.ts';
import { numbersKept, startTextBus } from '#test/support/bus-text.ts';
import {
  addMachine,
  eventually,
  lastingPort,
  OWNER_KEY,
  startGateway,
  type TestMachine,
} from '#test/support/gateway.ts';
import { ownRecording } from '#test/support/own-recordings.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { startAdapter } from '#test/support/slcan-adapter.ts';

function tempFolder() {
  const path = mkdtempSync(join(tmpdir(), 'headframe-bridge-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const carry = (source: string, mqttPort: number, machine: TestMachine, folder: string, maxBytes = 64 << 20) =>
  startBridge({
    source,
    url: `mqtt://127.0.0.1:${mqttPort}`,
    device_id: machine.device_id,
    key: machine.key,
    folder,
    maxBytes,
    clock: Date.now,
    log() {},
    firmware: 'test',
  });

const LAST_US = 5_000_000;
const PAUSE_MS = 1_500;

async function site() {
  const gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  return { gateway, project: project.id, client: gateway.project(project.id) };
}

test('[F90] a simulated machine over a serial line, the bridge and MQTT: its numbers in the API are what is true', async () => {
  const { gateway, client } = await site();
  await using _ = gateway;
  using folder = tempFolder();
  const machine = await addMachine(client, 'T-1');
  await using adapter = await startAdapter();
  const source = `slcan:${adapter.path}?bitrate=250000`;
  await using bridge = await carry(source, gateway.node.mqttPort, machine, folder.path);
  await eventually(
    async () => bridge.report().bus.state,
    (state) => state === 'listening',
  );
  const { batch, truth } = ownRecording();
  // Minutes of frames arrive within a second, so frames of two reads get overlapping times. Send the end apart, after a pause that is
  // longer than the interval of DM1: then the last DM1 is newer than all before.
  const end_us = batch.t[batch.count - 1] as number;
  const cut = batch.t.subarray(0, batch.count).findIndex((t) => t > end_us - LAST_US);
  await adapter.send(formatSlcan(batch, 0, cut, true));
  await eventually(
    async () => bridge.report().bus.frames,
    (frames) => frames === cut,
  );
  await sleep(PAUSE_MS);
  await adapter.send(formatSlcan(batch, cut, batch.count, true));
  const device = await eventually(
    () => client.call('devices_get', { id: machine.device }),
    ({ metrics }) => metrics.frames_total === batch.count,
  );
  assert.equal(device.metrics.duplicates_total, 0);
  const shown = await client.call('equipment_get', { id: machine.equipment_id });
  near(shown.engine_hours, truth.engine_hours, 0.05);
  near(shown.fuel_remaining_pct, truth.fuel_level, 0.4);
  assert.equal(shown.dtc_counts?.active, truth.codes.length);
});

/** The bus tells a meter once a minute and in steps. */
function near(value: unknown, truth: number, step: number): void {
  assert.ok(typeof value === 'number' && Math.abs(value - truth) <= step + 1 / 60, `${value} is not near ${truth}`);
}

test('[F90] a real machine over a serial line, the bridge and MQTT: its numbers are right in the API', {
  skip: withoutRecordings,
}, async () => {
  const { gateway, client } = await site();
  await using _ = gateway;
  using folder = tempFolder();
  const machine = await addMachine(client, 'T-1');
  await using adapter = await startAdapter();
  const source = `slcan:${adapter.path}?bitrate=250000`;
  await using bridge = await carry(source, gateway.node.mqttPort, machine, folder.path);
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
  assert.equal(reported.status === 'online' || reported.status === 'transmitting', true);
});

test('[F92] a gateway killed under the bridge, and the bridge too: every frame arrives, none twice', async () => {
  const plan = {
    kills: 2,
    bridgeEvery: 2,
    perSecond: 500,
    random: new Random(1),
    between: [200, 500] as const,
    report() {},
  };
  const { heard, lost, twice } = await killUnderBridge(plan);
  assert.ok(heard > 0);
  assert.deepEqual({ lost, twice }, { lost: 0, twice: 0 });
});

test('[F91] what had to be given up while the gateway was away is told in the log of the device', async () => {
  using at = tempFolder();
  using folder = tempFolder();
  const config = (port: string) =>
    readConfig(
      { data: at.path, host: '127.0.0.1', port: '0', 'mqtt-port': port, log: 'error' },
      { HEADFRAME_API_KEY: OWNER_KEY, HEADFRAME_BUCKET_PORT: '0', HEADFRAME_MQTTS_PORT: '0' },
    );
  const port = await lastingPort();
  let machine: TestMachine;
  let project: string;
  {
    await using gateway = await startNode(config(String(port)));
    const made = await createClient({ base_url: gateway.http, key: OWNER_KEY }).call('projects_create', {
      name: 'Quarry',
    });
    project = made.project.id;
    machine = await addMachine(createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project }), 'T-1');
  }
  await using bus = await startTextBus();
  await using bridge = await carry(`candump-tcp:127.0.0.1:${bus.port}`, port, machine, folder.path, 40_000);
  bus.rate(2_000);
  await eventually(
    async () => bridge.report(),
    ({ lost_frames, gateway }) => lost_frames > 1_000 && gateway.state === 'away',
  );
  bus.rate(0);
  await using node = await startNode(config(String(port)));
  assert.equal(node.mqttPort, port);
  await eventually(
    async () => bridge.report(),
    ({ gateway, waiting }) => gateway.state === 'connected' && waiting.messages === 0,
  );
  const lost = bridge.report().lost_frames;
  const kept = new Set(
    await eventually(
      () => numbersKept(node, machine.equipment_id, bus.said()),
      (numbers) => numbers.length === bus.said() - lost,
    ),
  );
  for (let n = lost; n < bus.said(); n++) assert.ok(kept.has(n), `the newest are kept: ${n}`);
  const client = createClient({ base_url: node.http, key: OWNER_KEY, project_id: project });
  const told = async () => {
    const { data } = await client.call('devices_events', { id: machine.device, type: 'x.frames.lost' });
    return data.reduce((sum, { data: { frames } }) => sum + (frames as number), 0);
  };
  // What gave way for the news of it comes with the next.
  assert.equal(await eventually(told, (frames) => frames >= lost), lost);
});

test('[F94] armed for its machine, the bridge takes part; before and after, not one byte of it leaves', async () => {
  const { gateway, client } = await site();
  await using _ = gateway;
  using folder = tempFolder();
  const machine = await addMachine(client, 'T-1');
  const sent: string[] = [];
  await using adapter = await startAdapter({ onFrame: (text) => sent.push(text) });
  const source = `slcan:${adapter.path}?bitrate=250000`;
  await using bridge = await carry(source, gateway.node.mqttPort, machine, folder.path);
  const channel = (wanted: string) =>
    eventually(
      async () => adapter.channel(),
      (now) => now === wanted,
    );
  await channel('listening');
  await eventually(
    async () => bridge.report().gateway.state,
    (state) => state === 'connected',
  );
  await client.call('devices_config_put', { id: machine.device, config: { bus_requests: { armed: true } } });
  await client.call('devices_update', { id: machine.device, settings: { bus_requests: { armed: true } } });
  assert.doesNotMatch(adapter.written(), /[tTrRdDbBxXO]/, 'neither its configuration nor its settings arm it');

  const asked_at = Date.now();
  await client.call('devices_bus_requests', { id: machine.device, armed: true });
  await channel('open');
  const claim = await eventually(
    async () => sent,
    (frames) => frames.some((frame) => frame.startsWith('T18EEFFF7')),
  );
  assert.equal(claim[0], 'T18EAFFFE300EE00', 'who is there?');
  await client.call('devices_bus_requests', { id: machine.device, armed: false });
  await channel('listening');
  const { length } = adapter.written();
  const { data } = await eventually(
    () => client.call('devices_events', { id: machine.device }),
    (page) => page.data.some(({ type }) => type === 'x.bus.sending_ended'),
  );
  const types = data.map(({ type }) => type).filter((type) => type.startsWith('x.bus'));
  assert.deepEqual(types.sort(), ['x.bus.requests', 'x.bus.sending_began', 'x.bus.sending_ended']);
  const began = data.find(({ type }) => type === 'x.bus.sending_began');
  assert.ok(Date.parse(began?.occurred_at ?? '') >= asked_at, 'it began with the call, not with its configuration');
  const ended = data.find(({ type }) => type === 'x.bus.sending_ended');
  assert.equal(ended?.data.frames, sent.length, 'all that left is on record');
  await bridge[Symbol.asyncDispose]();
  assert.doesNotMatch(adapter.written().slice(length), /[tTrRdDbBxXO]/);
});

test("[F90] a bus of the gateway's own machine: told in health, kept until its device is there, and read like any other", async () => {
  await using bus = await startTextBus();
  const source = `candump-tcp:127.0.0.1:${bus.port}?bitrate=250000`;
  await using gateway = await startGateway(undefined, {}, { HEADFRAME_CAN: `truck-1=${source}` });
  bus.rate(200);
  const problems = async () => (await gateway.client.call('health_get', {})).problems.map(({ code }) => code);
  await eventually(problems, (codes) => codes.includes('bus_without_device'));
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const client = gateway.project(project.id);
  const { id } = await client.call('devices_create', { device_id: 'truck-1', kind: 'can_logger' });
  await eventually(
    async () => bus.said(),
    (n) => n >= 100,
  );
  bus.rate(0);
  await eventually(
    () => client.call('devices_get', { id }),
    ({ metrics }) => metrics.frames_total === bus.said(),
  );
  const { buses, problems: left } = await gateway.client.call('health_get', {});
  assert.deepEqual(
    buses.map(({ device_id, state, frames, requests }) => ({ device_id, state, frames, requests })),
    [{ device_id: 'truck-1', state: 'listening', frames: bus.said(), requests: 'never' }],
  );
  assert.ok((buses[0]?.load_pct ?? -1) >= 0);
  assert.deepEqual(
    left.filter(({ code }) => code.startsWith('bus_')),
    [],
  );
  await bus[Symbol.asyncDispose]();
  await eventually(problems, (codes) => codes.includes('bus_away'));
});

test('[F90] a bus whose folder cannot be used does not stop the gateway: it is told, and heard once it can', async () => {
  using at = tempFolder();
  await using bus = await startTextBus();
  writeFileSync(join(at.path, 'bridge'), 'in the way');
  const can = `truck-1=candump-tcp:127.0.0.1:${bus.port}`;
  await using gateway = await startGateway(at.path, {}, { HEADFRAME_CAN: can });
  const health = () => gateway.client.call('health_get', {});
  assert.ok((await health()).problems.some(({ code, message }) => code === 'bus_away' && /truck-1/.test(message)));
  rmSync(join(at.path, 'bridge'));
  await eventually(health, ({ buses }) => buses[0]?.state === 'listening');
});
