/** Intervals that people set for signals, over a real ingest with a clock that the tests move. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import { type Site, startSite } from '#test/ingest/support.ts';
import { as } from '#test/support/handler-rig.ts';

const refused = (code: string) => (error: OperationError) => error.code === code;

/** Sends one point as the device does, dated now. */
const sendPoint = (site: Site, device: DeviceIdentity, values: Record<string, number>) =>
  site.send(device, 'telemetry', JSON.stringify({ ts: site.time.ms, values }));

/** What the API says about the fuel level: of the machine, and of the device that sent it. */
async function fuel(site: Site, device: DeviceIdentity, unit: string) {
  const machine = await site.call('equipment_get', { id: site.machine(unit) });
  const { observation } = await site.call('devices_get', { id: device.device });
  const [ofMachine, ofDevice] = [machine.context.fields?.fuel_remaining_pct, observation?.signals['fuel.level']].map(
    (found) => [found?.freshness, found?.expected_interval_s, found?.interval_basis, found?.stale_after_s],
  );
  assert.deepEqual(ofDevice, ofMachine, 'the device and the machine say the same');
  return ofMachine;
}

test('[A844] a set interval replaces the learned one, that of a machine replaces that of its kind, and each can be removed', async () => {
  await using site = await startSite();
  const device = await site.device('L-1', 'HT-1');
  const id = site.machine('HT-1');
  await sendPoint(site, device, { 'fuel.level': 50 });
  await site.settle();
  assert.deepEqual(await fuel(site, device, 'HT-1'), ['fresh', 1, 'default', 60]);
  for (let i = 0; i < 8; i++) {
    site.time.pass(20_000);
    await sendPoint(site, device, { 'fuel.level': 50 - i });
    await site.settle();
  }
  assert.deepEqual(await fuel(site, device, 'HT-1'), ['fresh', 20, 'learned', 200]);

  await site.call('equipment_update', { id, kind: 'haul_truck' });
  const ofKind = await site.call('expected_intervals_set', {
    kind: 'haul_truck',
    signal: 'fuel.level',
    interval_s: 300,
  });
  assert.deepEqual(await fuel(site, device, 'HT-1'), ['fresh', 300, 'set', 3_000]);
  const own = await site.call('expected_intervals_set', { equipment_id: id, signal: 'fuel.level', interval_s: 2 });
  assert.deepEqual(await fuel(site, device, 'HT-1'), ['fresh', 2, 'set', 20]);
  const walk = [];
  for (const s of [6, 1, 13, 1]) {
    site.time.pass(s * 1_000);
    walk.push((await fuel(site, device, 'HT-1'))?.[0]);
  }
  assert.deepEqual(walk, ['fresh', 'ageing', 'ageing', 'stale'], 'after 6, 7, 20 and 21 s');

  const again = await site.call('expected_intervals_set', { equipment_id: id, signal: 'fuel.level', interval_s: 4 });
  assert.deepEqual([again.id, again.revision, again.interval_s], [own.id, 2, 4]);
  assert.deepEqual(await fuel(site, device, 'HT-1'), ['ageing', 4, 'set', 40]);
  const all = await site.call('expected_intervals_list', {});
  assert.deepEqual(all.data.map((one) => one.id).sort(), [own.id, ofKind.id].sort());
  const ofMachine = await site.call('expected_intervals_list', { equipment_id: id });
  assert.deepEqual(
    ofMachine.data.map((one) => one.interval_s),
    [4],
  );

  await site.restart();
  assert.deepEqual(await fuel(site, device, 'HT-1'), ['ageing', 4, 'set', 40]);
  await site.call('expected_intervals_delete', { id: own.id });
  assert.deepEqual(await fuel(site, device, 'HT-1'), ['fresh', 300, 'set', 3_000]);
  await site.call('expected_intervals_delete', { id: ofKind.id });
  assert.deepEqual((await fuel(site, device, 'HT-1'))?.slice(1), [20, 'learned', 200]);
  const { data } = await site.call('audit_list', {});
  const types = data.filter(({ subject }) => subject.object === 'expected_interval').map(({ type }) => type);
  assert.deepEqual(types.sort(), ['created', 'created', 'deleted', 'deleted', 'updated']);
});

test('[A844] an interval of a kind follows the kind of the machine, and applies in its own project only', async () => {
  await using site = await startSite();
  const device = await site.device('L-1', 'HT-1');
  const id = site.machine('HT-1');
  await sendPoint(site, device, { 'fuel.level': 50 });
  await site.settle();
  const basis = async () => (await fuel(site, device, 'HT-1'))?.[2];
  const other = (await site.call('projects_create', { name: 'South' })).project.id;
  const set = { kind: 'dozer', signal: 'fuel.level', interval_s: 7 } as const;
  await site.call('expected_intervals_set', set, { project: other });
  await site.call('equipment_update', { id, kind: 'dozer' });
  assert.equal(await basis(), 'default');
  await site.call('expected_intervals_set', set);
  assert.equal(await basis(), 'set');
  await site.call('equipment_update', { id, kind: 'grader' });
  assert.equal(await basis(), 'default');
  await site.call('equipment_update', { id, kind: 'dozer' });
  assert.equal(await basis(), 'set');
});

test('[A844] the watchers of live values hear of a set interval at once, without a new value', async () => {
  await using site = await startSite();
  const device = await site.device('L-1', 'HT-1');
  await sendPoint(site, device, { 'fuel.level': 50 });
  await site.settle();
  const heard: string[] = [];
  site.ingest.watch(({ equipment }) => heard.push(...equipment));
  const id = site.machine('HT-1');
  await site.call('expected_intervals_set', { equipment_id: id, signal: 'fuel.level', interval_s: 2 });
  assert.deepEqual(heard, [id]);
});

test('[A845] only people who plan the work set intervals; a wrong request says what to change', async () => {
  await using site = await startSite();
  const id = await site.addMachine('HT-1');
  const set = { equipment_id: id, signal: 'fuel.level', interval_s: 60 } as const;
  for (const role of ['operator', 'mechanic', 'viewer'] as const)
    await assert.rejects(site.call('expected_intervals_set', set, as(role)), refused('permission_denied'));
  const { signal } = set;
  for (const wrong of [
    { signal, interval_s: 60 },
    { ...set, kind: 'dozer' },
    { ...set, interval_s: 0.5 },
    { ...set, interval_s: 86_401 },
    { ...set, signal: 'engine.noise' as 'engine.speed' },
  ])
    await assert.rejects(site.call('expected_intervals_set', wrong), refused('parameter_invalid'));
  const unknown = { ...set, equipment_id: 'eq_00000000000000000000000000' };
  await assert.rejects(site.call('expected_intervals_set', unknown), refused('not_found'));
  await assert.rejects(site.call('expected_intervals_delete', { id }), refused('not_found'));
});

test('[A845] a project has at most 1,000 set intervals', async () => {
  await using site = await startSite();
  const set = (at: number, interval_s: number) =>
    site.call('expected_intervals_set', { kind: `kind ${at}`, signal: 'fuel.level', interval_s });
  for (let at = 0; at < 1_000; at++) await set(at, 60);
  await assert.rejects(set(1_000, 60), refused('limit_reached'));
  assert.equal((await set(999, 61)).interval_s, 61, 'a known one can still be changed');
});
