/** A box that broke is replaced by a new one, which gets the data of the site back from head office. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import { dm1 } from '#test/ingest/frames.ts';
import { addMachine, connectDevice } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { ASK_MS, End, twoEnds } from './ends.ts';

/** A code for a box that takes the place of the gateway of a site. */
async function codeFor(cloud: End, gateway_id: string): Promise<{ cloud_url: string; code: string }> {
  const { code } = await cloud.client().call('sync_enrolments_create', { name: 'Quarry North', gateway_id });
  return { cloud_url: `http://127.0.0.1:${cloud.port}`, code };
}

/** Waits until a box has this identity, and is in step. A box that gets another identity starts again meanwhile. */
async function becomes(box: End, gateway_id: string): Promise<void> {
  const status = () => box.status().catch(() => undefined);
  await until(async () => (await status())?.gateway_id === gateway_id, 'the box has the identity', 50);
  await until(async () => (await status())?.takeover?.given_back === null, 'everything has come back', 50);
  await until(async () => (await status())?.state === 'in_step', 'the box is in step', 50);
}

const unitsOf = async (client: Client): Promise<string[]> => {
  const { data } = await client.call('equipment_list', { limit: 200 });
  return data.map(({ unit_number, name }) => `${unit_number} ${name}`).sort();
};

test('[Y160] [Y161] [Y163] [S163] a new box takes the place of one that broke, gets the site back, and says what did not come back', async () => {
  await using ends = await twoEnds();
  const { cloud, site, project, here, there } = ends;
  const { gateway_id } = await site.status();
  const machine = await addMachine(here, 'HT-1');
  await here.call('devices_telemetry', { id: machine.device, points: [{ values: { 'engine.hours': 1_234.5 } }] });
  await here.call('equipment_create', { unit_number: 'HT-2', name: 'Second' });
  const flagged = { title: 'Leak', equipment_id: machine.equipment_id, priority: 'high' } as const;
  const { number: first } = await here.call('repair_tickets_create', flagged);
  const config = { id: machine.device, config: { log: { rate: 5 } } };
  await here.call('devices_config_put', config);
  const hours = async (client: Client) =>
    (await client.call('equipment_get', { id: machine.equipment_id })).meters[0]?.value;
  await until(
    async () => (await unitsOf(there)).length === 2 && (await hours(there)) === 1_234.5,
    'it is at head office',
  );
  await site.inStep();
  await site.kill();

  await using box = await new End({}).start();
  await box.client().call('sync_link_set', await codeFor(cloud, gateway_id));
  await becomes(box, gateway_id);
  const back = box.client(project);
  assert.deepEqual(await unitsOf(back), await unitsOf(there));
  const { data: boards } = await back.call('dashboards_list', { limit: 200 });
  const names = (list: typeof boards) => list.map(({ name }) => name).sort();
  assert.deepEqual(names(boards), names((await there.call('dashboards_list', { limit: 200 })).data));
  assert.ok(boards.length > 0);

  const { takeover } = await box.status();
  assert.equal(takeover?.given_back, null);
  const lost = new Map(takeover?.not_returned.map((one) => [one.what, one]));
  assert.deepEqual(
    [...lost.keys()],
    ['unsent', 'device_keys', 'live_values', 'device_settings', 'access', 'secrets', 'raw_traffic', 'files'],
  );
  assert.deepEqual([lost.get('device_keys')?.names, lost.get('device_keys')?.total], [['SN-HT-1'], 1]);
  const { data: receipts } = await box.client().call('sync_verify', {});
  assert.deepEqual(
    receipts.map(({ verdict }) => verdict),
    ['declared_gap'],
  );

  // What must never come from head office did not come, and the device can get it again.
  const { id: device } = config;
  assert.deepEqual((await back.call('devices_config_get', { id: device })).config, {});
  assert.deepEqual((await back.call('devices_config_put', config)).config, config.config);
  assert.equal((await back.call('devices_get', { id: device })).last_seen_at, null);
  assert.equal((await there.call('devices_get', { id: device })).device_id, machine.device_id);

  // The device gets a new key, and reports to the new box. Nothing is counted as missing any more.
  const again = await back.call('devices_provision', { serial: 'SN-HT-1', kind: 'can_logger' });
  assert.equal(again.device.id, machine.device);
  const key = again.credential.key ?? '';
  const logger = await connectDevice(box.mqtt, { device_id: machine.device_id, key });
  await logger.endAsync();
  await back.call('devices_telemetry', { id: machine.device, points: [{ values: { 'engine.hours': 1_235 } }] });
  await until(async () => (await hours(there)) === 1_235, 'the hours of the new box are at head office');
  const { takeover: later } = await box.status();
  assert.ok(later?.not_returned.every(({ what }) => what !== 'device_keys'));
  const { number: second } = await back.call('repair_tickets_create', flagged);
  assert.deepEqual([first.slice(0, 5), second.slice(0, 5)], ['RT-1-', 'RT-2-']);
  assert.equal(second.slice(4), first.slice(4));
});

test('[Y220] a new box shows the newest values with their times, and a corrected meter goes on from its total', async () => {
  await using ends = await twoEnds();
  const { cloud, site, project, here, there } = ends;
  const { gateway_id } = await site.status();
  const { device: id, equipment_id } = await addMachine(here, 'HT-1');
  const send = (client: Client, hours: number) =>
    client.call('devices_telemetry', { id, points: [{ values: { 'engine.hours': hours, 'fuel.level': 61 } }] });
  await send(here, 200);
  const get = (client: Client) => client.call('equipment_get', { id: equipment_id });
  const total = async (client: Client) => (await get(client)).meters.find(({ kind }) => kind === 'engine_hours');
  await until(async () => (await total(here))?.value === 200, 'the site has the reading');
  const corrected = { id: equipment_id, kind: 'engine_hours', value: 4_511.5, reason: 'New control unit' };
  await here.call('equipment_meters_reconcile', corrected);
  await until(async () => (await total(there))?.value === 4_511.5, 'head office has the corrected total', ASK_MS);
  await site.inStep();
  const before = await total(there);
  const fuel = async (client: Client) => (await get(client)).fuel_remaining_pct;
  const wanted = await fuel(there);
  await site.kill();

  await using box = await new End({}).start();
  await box.client().call('sync_link_set', await codeFor(cloud, gateway_id));
  await becomes(box, gateway_id);
  const back = box.client(project);
  await until(async () => (await total(back)) !== undefined, 'the new box has the meter', ASK_MS);
  assert.deepEqual(await total(back), before);
  assert.deepEqual(await fuel(back), wanted);
  await send(back, 201);
  await until(async () => (await total(back))?.value === 4_512.5, 'the meter goes on from the corrected total', ASK_MS);
  await box.kill();
  await box.start();
  assert.equal((await total(back))?.value, 4_512.5);
});

test('[Y288] a new box shows the trouble codes that head office had, with their times, and goes on from them', async () => {
  await using ends = await twoEnds();
  const { cloud, site, project, here, there } = ends;
  const { gateway_id } = await site.status();
  const machine = await addMachine(here, 'HT-1');
  const say = async (end: End, key: string, frames: string) => {
    const logger = await connectDevice(end.mqtt, { device_id: machine.device_id, key });
    await logger.publishAsync(`v1/devices/${machine.device_id}/can`, frames, { qos: 1 });
    await logger.endAsync();
  };
  const codes = async (client: Client) => (await client.call('equipment_get', { id: machine.equipment_id })).dtcs ?? [];
  // The machine may not have arrived yet.
  const spns = async (client: Client) => String((await codes(client).catch(() => [])).map(({ spn }) => spn));
  await say(site, machine.key, dm1(Date.now(), 100, 1));
  await until(async () => (await spns(there)) === '100', 'head office has the code', ASK_MS);
  await site.inStep();
  const before = await codes(there);
  await site.kill();

  await using box = await new End({}).start();
  await box.client().call('sync_link_set', await codeFor(cloud, gateway_id));
  await becomes(box, gateway_id);
  const back = box.client(project);
  await until(async () => (await spns(back)) === '100', 'the new box has the code', ASK_MS);
  assert.deepEqual(await codes(back), before);
  assert.equal(await spns(there), '100', 'head office keeps it');
  const activated = async () => {
    const { data } = await back.call('equipment_events', { id: machine.equipment_id, limit: 200 });
    return data.filter(({ type }) => type === 'dtc.activated').length;
  };
  const { credential } = await back.call('devices_provision', { serial: 'SN-HT-1', kind: 'can_logger' });
  await say(box, credential.key ?? '', `${dm1(Date.now(), 100, 1)}${dm1(Date.now() + 1, 110, 0)}`);
  await until(async () => (await spns(back)) === '110', 'the new message counts', ASK_MS);
  await until(async () => (await activated()) === 2, 'only the second code is new', ASK_MS);
  await until(async () => (await spns(there)) === '110', 'head office follows the new box', ASK_MS);
});

test('[Y162] the box before that comes back says that another one has its place, and a person can give it back', async () => {
  await using ends = await twoEnds();
  const { cloud, site, project, here, there } = ends;
  const { gateway_id } = await site.status();
  await here.call('equipment_create', { unit_number: 'HT-1', name: 'Truck' });
  await until(async () => (await unitsOf(there)).length === 1, 'head office has the machine');
  await site.inStep();
  await site.kill();
  await using box = await new End({}).start();
  await box.client().call('sync_link_set', await codeFor(cloud, gateway_id));
  await becomes(box, gateway_id);
  await box.client(project).call('equipment_create', { unit_number: 'HT-2', name: 'Made by the new box' });
  await until(async () => (await unitsOf(there)).length === 2, 'head office has the machine of the new box');

  await site.start();
  await until(async () => (await site.status()).state === 'revoked', 'the box before is refused');
  const { sentence, error } = await site.status();
  assert.equal(error?.code, 'gateway_replaced');
  assert.match(sentence, /^Another box has taken the place of this one at head office, at 20.* Stop it\./);
  const health = await site.client().call('health_get', {});
  assert.ok(health.problems.some(({ code, message }) => code === 'head_office_revoked' && message === sentence));
  await here.call('equipment_create', { unit_number: 'HT-3', name: 'Made by the box before' });

  await site.client().call('sync_link_set', await codeFor(cloud, gateway_id));
  await site.inStep();
  await until(async () => (await unitsOf(there)).length === 3, 'head office has what only the box before had');
  await box.client(project).call('equipment_create', { unit_number: 'HT-4', name: 'Made too late' });
  await until(async () => (await box.status()).state === 'revoked', 'the new box is refused now');
  assert.deepEqual(await unitsOf(here), await unitsOf(there));
});

test('[Y164] a box with a project of its own cannot take the place of another, and the code is not used up', async () => {
  await using ends = await twoEnds();
  const { gateway_id } = await ends.site.status();
  await using box = await new End({}).start();
  const code = await codeFor(ends.cloud, gateway_id);
  const { project } = await box.client().call('projects_create', { name: 'Own site', timezone: 'UTC' });
  const refused = box.client().call('sync_link_set', code);
  await assert.rejects(refused, { code: 'head_office_refused', message: /has a project of its own/ });
  assert.equal((await box.client(project.id).call('projects_get', { id: project.id })).name, 'Own site');
  await until(async () => (await ends.site.status()).state === 'in_step', 'the site has its credential');
  await using empty = await new End({}).start();
  await empty.client().call('sync_link_set', code);
  await becomes(empty, gateway_id);
});
