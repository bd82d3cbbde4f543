/** What a box that takes the place of another one tells of its state: its progress, devices without a key, and the numbers of new tickets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GivingBack } from '#sync/boxes/giving-back.ts';
import { Progress } from '#sync/boxes/progress.ts';
import { DevicesWithoutKey } from '#sync/boxes/takeover.ts';
import { openRig } from '#test/support/handler-rig.ts';

test('[Y221] the progress of several projects never falls, when one of them is complete or its repair begins again', () => {
  const progress = new Progress();
  const seen: number[] = [];
  const note = (a: number | undefined, b: number | undefined) => {
    progress.note('a', a === undefined ? undefined : { documents: a, of: 100 });
    progress.note('b', b === undefined ? undefined : { documents: b, of: 50 });
    seen.push(progress.of(['a', 'b'])?.documents ?? -1);
  };
  note(undefined, undefined);
  note(0, undefined);
  note(60, 10);
  note(0, 20);
  note(undefined, 30);
  note(undefined, undefined);
  assert.deepEqual(seen, [-1, 0, 70, 80, 130, 150]);
  assert.deepEqual(progress.of(['a', 'b']), { documents: 150, of: 150 });
});

test('[Y221] head office counts a project that is complete until all projects of the site are', () => {
  const giving = new GivingBack();
  const life = { number: 2, token: 't' };
  const begin = { type: 'begin', gateway: 'gw_a', life, fresh: true, step: 's.0' } as const;
  const end = {
    ...begin,
    type: 'end',
    token: 't',
    head: { n: 1, chain: '' },
    cloud: life,
    known: 1,
    verdict: 'first',
  } as const;
  const begun = (documents: number) =>
    ({ type: 'begin', head: { n: 1, chain: '' }, life, floors: {}, documents }) as const;
  const ok = { type: 'ok', place: 1, quarantined: [] } as const;
  giving.note('a', begin, begun(100));
  giving.note('b', begin, begun(50));
  giving.note('a', end, ok);
  assert.deepEqual(giving.of(['a', 'b']), { documents: 100, of: 150 });
  giving.note('b', end, ok);
  assert.equal(giving.of(['a', 'b']), null);
});

test('[Y222] devices without a key are counted again only after a key or a device changed, and all of them are', async () => {
  await using rig = await openRig();
  const { store, project } = rig;
  const projects = [project];
  let counted = 0;
  const view = (id: string) => {
    counted++;
    return store.view(id);
  };
  using without = new DevicesWithoutKey({ node: store.node, view, changes: (listener) => store.changes(listener) });
  assert.deepEqual(await without.of(projects), []);
  const made = await rig.call('devices_provision', { serial: 'SN-1', kind: 'can_logger' });
  assert.deepEqual(await without.of(projects), [], 'a device that was provisioned has a key');
  const before = counted;
  await without.of(projects);
  await rig.call('equipment_create', { unit_number: 'HT-1' });
  await without.of(projects);
  assert.equal(counted, before);
  await rig.call('devices_key_revoke', { id: made.device.id });
  const [list] = await without.of(projects);
  assert.deepEqual([list?.total, list?.names], [1, [made.device.name || 'SN-1']]);
});

test('[Y223] a ticket that is made while data comes back has a number that the box before cannot have given', async () => {
  await using rig = await openRig();
  const { store } = rig;
  const { id: equipment_id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const flag = async (title: string) =>
    (await rig.call('repair_tickets_create', { title, equipment_id, priority: 'low' })).number;
  const grant = { gateway_id: store.nodeId, projects: [rig.project], heard_at: null, at: '2026-11-21T14:00:00.000Z' };
  const link = (more: object) => ({
    ...{ cloud_url: 'https://cloud.example.com', cloud_id: 'gw_c', enrolment_id: 'enr_01k9zzq7', name: 'Quarry North' },
    ...{ credential: '', code_hash: '', enrolled_at: grant.at, takeover: { ...grant, ...more } },
  });
  const write = (data: object) =>
    store.node.commit([{ collection: 'local', id: 'sync_link', object: 'sync_link', data: { ...data } }]);
  await write(link({}));
  assert.equal(await flag('Leak'), 'RT-1-zzq7');
  await write(link({ done_at: grant.at }));
  assert.equal(await flag('Noise'), `RT-2-${store.nodeId.slice(-4)}`);
});
