import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Kind, makeId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { createEventSweep } from '#sweeps/event-sweep.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const DAY_MS = 86_400_000;

test('[A482] log entries that a device caused are removed after 400 days and counted; no other entries are removed', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const other = await rig.call('devices_create', { device_id: 'second' });
  const machine = await rig.call('equipment_create', { unit_number: 'T-1' });
  const own = as('device', { kind: 'device', id, device: id, device_project: rig.project, project_ids: [rig.project] });
  const sweepWhen = (agesKnown: boolean) =>
    createEventSweep({
      store: rig.store,
      clock: rig.clock,
      newId: (kind: Kind, place?: number) => makeId(kind, rig.clock(), randomBytes(10), place),
      agesKnown: () => agesKnown,
    });
  const log = async (device: string) => (await rig.call('devices_events', { id: device, limit: 200 })).data;
  const types = async (device: string) => (await log(device)).map(({ type }) => type).sort();

  // More than a page of them.
  for (let i = 0; i < 250; i++) await rig.call('devices_append_event', { id, type: 'x.flood', data: { i } }, own);
  await rig.call('devices_append_event', { id, type: 'note', data: { text: 'of a person' } });
  await rig.call('devices_append_event', { id: other.id, type: 'x.of-a-person' });
  await rig.call('equipment_append_event', { id: machine.id, type: 'fuel.added', data: { liters: 100 } });
  const before = (await types(other.id)).join();
  rig.now += (LIMITS.device_event_days.value - 1) * DAY_MS;
  const sweep = sweepWhen(true);
  assert.equal(await sweep(), 0);
  await rig.call('devices_append_event', { id, type: 'x.young' }, own);
  rig.now += 2 * DAY_MS;
  assert.equal(await sweepWhen(false)(), 0, 'not while nobody knows how old anything is');
  assert.equal(await sweep(), 250);

  const left = await types(id);
  assert.deepEqual(
    left.filter((type) => ['x.flood', 'x.young', 'note', 'purged'].includes(type)),
    ['note', 'purged', 'x.young'],
  );
  const told = (await log(id)).find(({ type }) => type === 'purged');
  assert.deepEqual([told?.data.reason, told?.data.events, told?.actor.type], ['retention', 250, 'service']);
  assert.ok(String(told?.data.from) < String(told?.data.through));
  assert.equal((await types(other.id)).join(), before);
  const facts = (await rig.call('equipment_events', { id: machine.id })).data.map(({ type }) => type);
  assert.ok(facts.includes('fuel.added'));

  assert.equal(await sweep(), 0);
  rig.now += LIMITS.device_event_days.value * DAY_MS;
  assert.equal(await sweep(), 1, 'the young one in its time; what says so stays');
  assert.equal((await types(id)).filter((type) => type === 'purged').length, 2);
});
