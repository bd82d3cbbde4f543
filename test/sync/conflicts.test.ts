/** Conflicts between two real processes: both values are shown, a choice at one end counts at the other, and it can be undone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import { until } from '#test/support/until.ts';
import { apart, type TwoEnds, twoEnds } from './ends.ts';

const listed = async (client: Client) => (await client.call('sync_conflicts_list', {})).data;

const name = async (client: Client, id: string) => (await client.call('equipment_get', { id })).name;

/** Makes the machine HT-14, which each end then gives another name while they are apart. Returns its id. */
async function renamedAtBothEnds(ends: TwoEnds): Promise<string> {
  const { site, here, there } = ends;
  const { id } = await here.call('equipment_create', { unit_number: 'HT-14', name: 'Old name' });
  await site.inStep();
  await until(async () => (await name(there, id)) === 'Old name', 'the machine is at head office');
  await apart(
    ends,
    () => here.call('equipment_update', { id, name: 'North truck' }),
    () => there.call('equipment_update', { id, name: 'Truck 14' }),
  );
  return id;
}

test('[Y91] a choice at one end counts at the other, which does not ask again; the value that lost stays readable; undo brings it back', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const id = await renamedAtBothEnds(ends);
  const atSite = { 'North truck': 'this site', 'Truck 14': 'head office' };
  const atOffice = { 'North truck': 'Quarry North', 'Truck 14': 'head office' };
  for (const [client, places] of [
    [here, atSite],
    [there, atOffice],
  ] as const) {
    const [conflict, ...more] = await listed(client);
    assert.deepEqual(
      [more.length, conflict?.kind, conflict?.label, conflict?.record.name],
      [0, 'conflict', 'Name', 'HT-14'],
    );
    const values = conflict?.values ?? [];
    assert.deepEqual(Object.fromEntries(values.map(({ text, place }) => [text, place])), places);
    assert.equal(values[0]?.text, await name(client, id), 'the shown value is the first');
    for (const { by, at } of values) assert.ok(by !== null && Date.parse(at) > 0, 'who and when');
  }
  const [conflict] = await listed(here);
  const lost = conflict?.values[1];
  const won = conflict?.values[0];
  const chosen = await here.call('sync_conflicts_choose', { record_id: id, path: 'name', value_id: lost?.id ?? '' });
  assert.deepEqual([chosen.chosen.text, chosen.others.map(({ text }) => text)], [lost?.text, [won?.text]]);
  await site.inStep();
  for (const client of [here, there]) {
    await until(async () => (await name(client, id)) === lost?.text, 'the chosen name is shown');
    assert.deepEqual(await listed(client), []);
    const { data } = await client.call('sync_choices_list', {});
    assert.deepEqual(
      data.map(({ others }) => others.map(({ text }) => text)),
      [[won?.text]],
      'the losing value is readable',
    );
    const given = [data[0]?.chosen, ...(data[0]?.others ?? [])].map((value) => [value?.text, value?.place]);
    assert.deepEqual(
      Object.fromEntries(given),
      client === here ? atSite : atOffice,
      'each end names the places as its own',
    );
  }
  // Head office undoes what the site chose.
  await there.call('sync_choices_undo', { id: chosen.id });
  await until(async () => (await name(here, id)) === won?.text, 'the undo arrives at the site');
  assert.deepEqual([await listed(here), await listed(there)], [[], []]);
  await assert.rejects(here.call('sync_choices_undo', { id: chosen.id }), { code: 'conflict_moved' });
  const again = here.call('sync_conflicts_choose', { record_id: id, path: 'name', value_id: lost?.id ?? '' });
  await assert.rejects(again, { code: 'conflict_moved' });
});

test('[Y13] an edit of a field in conflict takes the place of the shown value, and the other value stays until a person chooses', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const id = await renamedAtBothEnds(ends);
  const shown = await name(here, id);
  const hidden = shown === 'Truck 14' ? 'North truck' : 'Truck 14';
  // The form shows one value only, so its author did not see the other one.
  await here.call('equipment_update', { id, name: 'New name' });
  await site.inStep();
  await until(async () => (await name(there, id)) === 'New name', 'the edit is at head office');
  for (const client of [here, there]) {
    const [conflict, ...more] = await listed(client);
    assert.equal(more.length, 0);
    assert.deepEqual(conflict?.values.map(({ text }) => text).toSorted(), ['New name', hidden].toSorted());
  }
  const [conflict] = await listed(there);
  const kept = conflict?.values.find(({ text }) => text === hidden);
  await there.call('sync_conflicts_choose', { record_id: id, path: 'name', value_id: kept?.id ?? '' });
  await until(async () => (await name(here, id)) === hidden, 'the choice arrives at the site');
  assert.deepEqual([await listed(here), await listed(there)], [[], []]);
});

test('[Y92] a board that one end deleted and the other edited stays, and a person keeps or deletes it', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const board = async (title: string) => (await here.call('dashboards_create', { name: title })).id;
  const [kept, gone] = [await board('Pit'), await board('Workshop')];
  await site.inStep();
  /** The boards of this test, in the order of their making. */
  const boards = async (client: Client) =>
    (await client.call('dashboards_list', { order: 'asc' })).data.filter(({ id }) => [kept, gone].includes(id));
  await until(async () => (await boards(there)).length === 2, 'both boards are at head office');
  const both = async (act: (id: string) => Promise<unknown>) => {
    await act(kept);
    await act(gone);
  };
  await apart(
    ends,
    () => both((id) => here.call('dashboards_update', { id, description: 'For the crew' })),
    () => both((id) => there.call('dashboards_delete', { id })),
  );
  const found = await listed(there);
  assert.deepEqual(
    found.map(({ kind, record }) => [kind, record.id]).sort(),
    [
      ['deletion', kept],
      ['deletion', gone],
    ].sort(),
  );
  await there.call('sync_conflicts_choose', { record_id: kept, path: '_deleted', value_id: 'keep' });
  const [deletion] = found.find(({ record }) => record.id === gone)?.values.filter(({ id }) => id !== 'keep') ?? [];
  const choice = await there.call('sync_conflicts_choose', {
    ...{ record_id: gone, path: '_deleted' },
    value_id: deletion?.id ?? '',
  });
  await until(
    async () => (await boards(here)).map(({ id }) => id).join() === kept,
    'only the kept board is at the site',
  );
  assert.deepEqual([await listed(here), await listed(there)], [[], []]);
  // The choice was made at head office; the site has the values of the deleted board too.
  await here.call('sync_choices_undo', { id: choice.id });
  await until(async () => (await boards(there)).length === 2, 'the board is back at head office');
  assert.deepEqual(
    (await boards(there)).map(({ description }) => description),
    ['For the crew', 'For the crew'],
  );
});

test('[Y93] a move of a ticket that did not fit any more is shown until a person puts it aside', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const machine = await here.call('equipment_create', { unit_number: 'EX-02' });
  const ticket = await here.call('repair_tickets_create', { equipment_id: machine.id, title: 'Oil leak' });
  const { id } = ticket;
  await here.call('repair_tickets_update', { id, status: 'in_progress' });
  await site.inStep();
  await until(
    async () => (await there.call('repair_tickets_get', { id })).status === 'in_progress',
    'head office has it',
  );
  await apart(
    ends,
    () => here.call('repair_tickets_update', { id, status: 'canceled' }),
    () => there.call('repair_tickets_update', { id, status: 'fixed' }),
  );
  const [conflict, ...more] = await listed(there);
  assert.deepEqual([more.length, conflict?.kind, conflict?.label], [0, 'step', 'Status']);
  assert.deepEqual(
    conflict?.values.map(({ id, text }) => [id === 'seen', text]),
    [
      [true, 'Put it aside'],
      [false, 'fixed'],
    ],
  );
  const path = conflict?.path ?? '';
  await there.call('sync_conflicts_choose', { record_id: id, path, value_id: 'seen' });
  assert.deepEqual(await listed(there), []);
  await until(async () => (await listed(here)).length === 0, 'the site does not ask again');
  assert.equal((await here.call('repair_tickets_get', { id })).status, 'canceled');
});
