import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Health } from '#contract/site/node.ts';
import { reserveFor } from '#host/ballast.ts';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';

const TOTAL = 10 * 2 ** 30;

/** A disk whose free share is in the hand of a test; the reserve is on the real one. */
function fakeDisk() {
  const state = { share: 0.5 };
  return { state, outside: { readDisk: async () => ({ free: state.share * TOTAL, total: TOTAL }) } };
}

const codes = (health: Health) => health.problems.map(({ code }) => code);

/** One HOURS frame (PGN 65253) of a machine whose meter stands at n steps of 0.05 h, n seconds into the last minute. */
function frame(n: number): string {
  const raw = Buffer.alloc(4);
  raw.writeUInt32LE(n);
  const at = (Date.now() / 1000 - 60 + n).toFixed(6);
  return `(${at}) can0 18FEE500#${raw.toString('hex').toUpperCase()}FFFFFFFF\n`;
}

test('[Z1] each level begins and ends at different limits, and is reported with what is limited and what to do', async () => {
  const { state, outside } = fakeDisk();
  await using gateway = await startGateway(undefined, outside);
  const health = () => gateway.client.call('health_get', {});
  for (const [share, level] of [
    [0.5, 'ok'],
    [0.099, 'low'],
    [0.12, 'low'],
    [0.049, 'scarce'],
    [0.06, 'scarce'],
    [0.03, 'scarce'],
    [0.019, 'critical'],
    [0.024, 'critical'],
    [0.2, 'ok'],
  ] as const) {
    // The reserve counts as if it stood: given back, the same room is there without it.
    const { reserve_bytes } = (await health()).disk;
    const missing = reserve_bytes === 0 && level === 'critical' ? reserveFor(TOTAL) / TOTAL : 0;
    state.share = share + missing;
    const told = await eventually(health, ({ disk }) => disk.level === level);
    // That the disk under the test is slow may be true.
    const said = told.problems.filter(({ code }) => code !== 'disk_slow');
    if (level === 'ok') assert.deepEqual([said, told.status === 'ok'], [[], told.problems.length === 0]);
    else {
      const [problem] = said;
      assert.equal(problem?.code, `disk_${level}`);
      assert.ok(problem.given_up && problem.remedy && Date.parse(problem.since ?? '') > 0);
    }
  }
});

test('[Z2] the reserve is created while there is space, released at the critical level, and created again', async () => {
  const { state, outside } = fakeDisk();
  await using gateway = await startGateway(undefined, outside);
  const path = join(gateway.folder, 'reserve');
  const health = () => gateway.client.call('health_get', {});
  const full = await eventually(health, ({ disk }) => disk.reserve_bytes >= reserveFor(TOTAL), 60);
  assert.equal(full.disk.reserve_bytes, 128 << 20);
  const { blocks } = statSync(path);
  assert.ok(blocks * 512 >= 128 << 20, 'its blocks are really taken');
  state.share = 0.019;
  await eventually(health, ({ disk }) => disk.level === 'critical' && disk.reserve_bytes === 0);
  assert.equal(existsSync(path), false);
  state.share = 0.5;
  await eventually(health, ({ disk }) => disk.reserve_bytes >= reserveFor(TOTAL), 60);
});

test('[Z3] at the critical level measurements are not acknowledged, but events and writes of people are stored; later all arrives, and the gap is reported', async () => {
  const { state, outside } = fakeDisk();
  await using gateway = await startGateway(undefined, outside);
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'T-1');
  const device = await connectDevice(gateway.node.mqttPort, machine, 50);
  const topic = (name: string) => `v1/devices/${machine.device_id}/${name}`;
  await device.publishAsync(topic('can'), frame(1), { qos: 1 });

  // Critical with the reserve and without it: the reserve is given back a second later, and this disk does not grow by it.
  state.share = 0.017;
  const health = () => gateway.client.call('health_get', {});
  await eventually(health, ({ disk }) => disk.level === 'critical' && disk.reserve_bytes === 0);
  // The reserve is given back: on a real disk its bytes are free from then on.
  state.share += reserveFor(TOTAL) / TOTAL;
  await eventually(health, ({ disk }) => disk.free_bytes === state.share * TOTAL);
  let acknowledged = 0;
  const later = [2, 3, 4].map((n) =>
    device.publishAsync(topic('can'), frame(n), { qos: 1 }).then(() => {
      acknowledged++;
    }),
  );
  await device.publishAsync(topic('events'), JSON.stringify({ type: 'note', data: { text: 'brakes' } }), { qos: 1 });
  await client.call('equipment_update', { id: machine.equipment_id, status: 'down' });
  await assert.rejects(
    client.call('devices_telemetry', { id: machine.device, points: [{ values: { 'fuel.level': 50 } }] }),
    (error: Error & { code?: string }) => error.code === 'storage_full',
  );
  const told = await eventually(health, (one) => codes(one).includes('messages_wait'));
  assert.deepEqual(
    told.gaps.map(({ what, id }) => [what, id]),
    [['messages', machine.device]],
  );
  assert.equal(acknowledged, 0);

  state.share = 0.5;
  await Promise.all(later);
  await device.endAsync();
  const events = await eventually(
    () => client.call('devices_events', { id: machine.device }),
    ({ data }) => data.some(({ type }) => type === 'gap_declared'),
  );
  const gap = events.data.find(({ type }) => type === 'gap_declared');
  assert.equal(gap?.data.what, 'messages');
  assert.ok(Number(gap.data.count) >= 3 && Date.parse(String(gap.data.to)) >= Date.parse(String(gap.data.from)));
  assert.ok(events.data.some(({ type, data }) => type === 'note' && data.text === 'brakes'));
  await eventually(
    () => gateway.node.history(machine.equipment_id, 'engine.hours', Date.now() - 600_000, Date.now()),
    ({ v }) => v.join() === '0.05,0.1,0.15,0.2',
  );
  assert.deepEqual((await health()).gaps, []);
});

test('[Z4] when disk space is low no history is stored, live values continue, and the log of the machine has the gap', async () => {
  const { state, outside } = fakeDisk();
  state.share = 0.04;
  await using gateway = await startGateway(undefined, outside);
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'T-1');
  const health = () => gateway.client.call('health_get', {});
  await eventually(health, ({ disk }) => disk.level === 'scarce');
  const points = Array.from({ length: 4_200 }, (_, i) => ({
    observed_at: new Date(Date.now() - (4_200 - i) * 1_000).toISOString(),
    values: { 'engine.coolant_temperature': 80 + (i % 5) },
  }));
  await client.call('devices_telemetry', { id: machine.device, points });
  const { gaps } = await eventually(health, (one) => one.gaps.length > 0);
  assert.deepEqual([gaps[0]?.what, gaps[0]?.id], ['history', machine.equipment_id]);
  state.share = 0.5;
  const events = await eventually(
    () => client.call('equipment_events', { id: machine.equipment_id }),
    ({ data }) => data.some(({ type }) => type === 'gap_declared'),
  );
  const gap = events.data.find(({ type }) => type === 'gap_declared');
  assert.equal(gap?.data.what, 'history');
  const [from, to] = [Date.parse(String(gap.data.from)), Date.parse(String(gap.data.to))];
  const { t } = await gateway.node.history(machine.equipment_id, 'engine.coolant_temperature', from, to);
  assert.equal(t.length, 0);
});
