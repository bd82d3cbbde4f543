/** Two versions of the program exchange data as real processes. The other version is the source of this one with some changes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Client } from '#contract/client.ts';
import { until } from '#test/support/until.ts';
import { apart, End, enrol, twoEnds } from './ends.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, '..', 'support', 'other-version.ts')).href;
const version = (name: 'newer' | 'older') => ({ NODE_OPTIONS: `--import=${HOOK}`, TEST_VERSION: name });

/** What the API answers, with fields that this version does not know. */
const machineOf = async (client: Client, id: string) =>
  (await client.call('equipment_get', { id })) as unknown as Record<string, unknown>;

/** Sends fields that this version of the contract does not have. */
const update = (client: Client, id: string, fields: Record<string, unknown>) =>
  client.call('equipment_update', { id, ...fields } as { id: string });

test('[Y43] an older head office keeps a field and a status that it does not know, shows unknown, and gives them back to a site that lost them', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start(version('newer'));
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { id: tinted } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const { id: parked } = await here.call('equipment_create', { unit_number: 'HT-2' });
  await site.inStep();
  await site.kill();
  await using replaced = site.clone();
  await site.start(version('newer'));
  await update(here, tinted, { tint: 'yellow', name: 'Tinted' });
  await update(here, parked, { status: 'parked' });
  await here.call('equipment_create', { unit_number: 'HT-3' });
  const { id: pad } = await here.call('locations_create', { name: 'Pad', kind: 'helipad' as 'zone' });
  const { id: away } = await here.call('operators_create', { name: 'Ana', status: 'on_leave' as 'active' });
  // The older end shows the status that it does not know as unknown, and names it.
  const listed = () => there.call('equipment_list', { limit: 10, order: 'asc' });
  await until(async () => (await listed()).data.length === 3, 'head office has the new machine');
  await until(async () => (await there.call('operators_list', {})).data.length === 1, 'head office has the person');
  const { data, warnings } = await listed();
  assert.deepEqual(
    data.map(({ unit_number, name, status }) => [unit_number, name, status]),
    [
      ['HT-1', 'Tinted', 'available'],
      ['HT-2', 'HT-2', 'unknown'],
      ['HT-3', 'HT-3', 'available'],
    ],
  );
  assert.deepEqual(
    warnings?.map(({ code, id }) => [code, id]),
    [['values_unknown', parked]],
  );
  assert.match(warnings?.[0]?.message ?? '', /status is parked/);
  assert.equal((await there.call('equipment_get', { id: parked })).status, 'unknown');
  assert.equal((await there.call('locations_get', { id: pad })).kind, 'unknown');
  assert.equal((await there.call('operators_list', {})).data[0]?.status, 'unknown');
  const { problems } = await cloud.client().call('health_get', {});
  assert.match(problems.find(({ code }) => code === 'values_unknown')?.message ?? '', /status is parked/);
  // An edit of another field keeps the values.
  assert.equal((await there.call('equipment_update', { id: parked, name: 'Parked' })).status, 'unknown');
  await there.call('locations_update', { id: pad, name: 'Landing' });
  await there.call('operators_update', { id: away, name: 'Ana B' });
  const stored = async () => [
    (await here.call('equipment_get', { id: parked })).name,
    (await here.call('locations_get', { id: pad })).name,
    (await here.call('operators_get', { id: away })).name,
  ];
  await until(async () => String(await stored()) === 'Parked,Landing,Ana B', 'the edits are at the site');
  assert.equal((await here.call('locations_get', { id: pad })).kind, 'helipad');
  assert.equal((await here.call('operators_get', { id: away })).status, 'on_leave');
  assert.equal('tint' in (await machineOf(there, tinted)), false);
  await there.call('equipment_update', { id: tinted, name: 'Renamed at head office' });
  await until(async () => (await machineOf(here, tinted)).name === 'Renamed at head office', 'the name is at the site');
  assert.deepEqual(
    [(await machineOf(here, tinted)).tint, (await machineOf(here, parked)).status],
    ['yellow', 'parked'],
  );
  // The disk of the site is put back to the time before its changes.
  await site.kill();
  await replaced.start(version('newer'));
  const again = replaced.client(project);
  await until(async () => (await machineOf(again, tinted)).tint === 'yellow', 'the field is back');
  await until(async () => (await machineOf(again, parked)).status === 'parked', 'the status is back');
  assert.equal((await machineOf(again, tinted)).name, 'Renamed at head office');
  // After its update head office shows what it kept.
  await cloud.kill();
  await cloud.start(version('newer'));
  assert.deepEqual(
    [(await machineOf(there, tinted)).tint, (await machineOf(there, parked)).status],
    ['yellow', 'parked'],
  );
});

test('[Y24] [Y43] [Y62] an older head office keeps kinds that it does not know, and what it cannot take waits there by name until its update', async () => {
  await using ends = await twoEnds();
  const { cloud, site, here, there } = ends;
  await cloud.kill();
  await cloud.start(version('older'));
  const board = await here.call('dashboards_create', { name: 'Board', widgets: [] });
  const playlist = await here.call('playlists_create', { name: 'Shift', items: [{ dashboard_id: board.id }] });
  const { id } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const ticket = await here.call('repair_tickets_create', {
    equipment_id: id,
    title: 'Leak',
    description: 'Oil '.repeat(900),
  });
  const later = await here.call('equipment_create', { unit_number: 'HT-2' });
  await until(async () => (await there.call('equipment_list', { limit: 10 })).data.length === 2, 'both machines');
  await site.inStep();
  const gateway = async () => (await cloud.status()).gateways[0];
  await until(async () => (await gateway())?.not_taken === 1, 'head office could not take the ticket');
  assert.equal((await there.call('repair_tickets_list', { limit: 10 })).data.length, 0);
  const [receipt] = (await site.client().call('sync_verify', {})).data;
  assert.equal(receipt?.verdict, 'incomplete');
  await there.call('equipment_update', { id: later.id, name: 'Goes on' });
  await until(
    async () => (await here.call('equipment_get', { id: later.id })).name === 'Goes on',
    'the exchange goes on',
  );
  await apart(
    ends,
    () => here.call('playlists_update', { id: playlist.id, name: 'Night shift' }),
    () => Promise.resolve(),
  );
  await until(async () => (await gateway())?.not_taken === 0, 'head office took the ticket after its update');
  assert.equal((await there.call('repair_tickets_get', { id: ticket.id })).title, 'Leak');
  assert.equal((await there.call('playlists_get', { id: playlist.id })).name, 'Night shift');
  await site.inStep();
  const [after] = (await site.client().call('sync_verify', {})).data;
  assert.equal(after?.verdict, 'complete', after?.sentence);
});
