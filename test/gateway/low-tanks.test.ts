/** A low tank needs somebody soon, also on a site without a rule about it, and a rule of the site replaces the built-in limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignalName } from '#contract/base/signals.ts';
import { createClient } from '#contract/client.ts';
import { addMachine, eventually, startGateway, type TestGateway } from '#test/support/gateway.ts';

const MINUTE_MS = 60_000;
/** One shift that lasts the whole day, so that the time of the test does not matter. */
const ALL_DAY = [{ name: 'all day', starts: '00:00', ends: '00:00' }];

async function site(gateway: TestGateway) {
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    timezone: 'UTC',
    shift_pattern: ALL_DAY,
  });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const device = createClient({ base_url: gateway.node.http, key: machine.key });
  // History keeps whole seconds.
  const now_ms = Math.floor(Date.now() / 1000) * 1000;
  const iso = (ago_ms: number) => new Date(now_ms - ago_ms).toISOString();
  const send = (points: readonly (readonly [ago_ms: number, values: Partial<Record<SignalName, number>>])[]) =>
    device.call('devices_telemetry', {
      id: machine.device,
      points: points.map(([ago_ms, values]) => ({ observed_at: iso(ago_ms), values })),
    });
  const attention = async () => {
    const found = (await client.call('equipment_get', { id: machine.equipment_id, include: 'attention' })).attention;
    assert.ok(found);
    return found;
  };
  return { client, machine, send, attention, iso };
}

test('[V36] a tank at 10 % is a reason to look soon, with its sentence, and since when the history says', async () => {
  await using gateway = await startGateway();
  const { send, attention, iso, client } = await site(gateway);
  const run = { 'engine.speed': 1_500 };
  await send([
    [40 * MINUTE_MS, { ...run, 'def.level': 9 }],
    [35 * MINUTE_MS, { ...run, 'def.level': 60 }],
    [20 * MINUTE_MS, { ...run, 'def.level': 10 }],
    [10 * MINUTE_MS, { ...run, 'def.level': 12 }],
    [0, { ...run, 'def.level': 3, 'fuel.level': 11 }],
  ]);
  const found = await eventually(attention, ({ reasons }) => reasons[0]?.since === iso(20 * MINUTE_MS));
  assert.deepEqual([found.grade, found.parts.base, found.reasons.length], ['look', 25, 1]);
  const [reason] = found.reasons;
  assert.deepEqual(
    [reason?.cause, reason?.says.code, reason?.says.params],
    ['level', 'level', { signal: 'def.level', label: 'DEF', value: '3', unit: '%', limit: '10' }],
  );
  assert.equal((await client.call('alerts_list', {})).data.length, 0, 'no rule of the site says so');

  // The machine is in trouble, so it has a place on every screen.
  await eventually(attention, ({ place, in_trouble }) => place === 1 && in_trouble === 1);
});

test('[V37] a low tank stays low until 13 %, and a rule of the site replaces the limit while it is enabled', async () => {
  await using gateway = await startGateway();
  const { send, attention, client, machine } = await site(gateway);
  const level = async (percent: number) => {
    await send([[-(await sentAfter()), { 'fuel.level': percent }]]);
    await eventually(
      () => client.call('equipment_get', { id: machine.equipment_id }),
      ({ fuel_remaining_pct }) => fuel_remaining_pct === percent,
    );
    return (await attention()).reasons.map(({ cause }) => cause);
  };
  let sent = 0;
  const sentAfter = async () => (sent += 10);
  assert.deepEqual(await level(11), []);
  assert.deepEqual(await level(10), ['level']);
  assert.deepEqual(await level(12.6), ['level']);
  assert.deepEqual(await level(13), []);
  assert.deepEqual(await level(6), ['level']);

  const rule = await client.call('alert_rules_create', {
    name: 'Fuel low',
    signal: 'fuel.level',
    op: 'lt',
    value: 5,
    scope: { equipment_ids: [machine.equipment_id], kinds: [], location_ids: [] },
  });
  assert.deepEqual(await level(6), []);
  assert.deepEqual(await level(7), []);
  await level(4);
  await eventually(attention, ({ reasons }) => reasons.map(({ cause }) => cause).join() === 'alert');
  const off = await client.call('alert_rules_update', { id: rule.id, enabled: false }, { if_match: rule.revision });
  await eventually(attention, ({ reasons }) => reasons.map(({ cause }) => cause).join() === 'level');
  const scope = { equipment_ids: [], kinds: ['dozer'], location_ids: [] };
  await client.call('alert_rules_update', { id: rule.id, enabled: true, scope }, { if_match: off.revision });
  assert.deepEqual(await level(6), ['level']);
});
