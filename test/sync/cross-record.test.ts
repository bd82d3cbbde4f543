/** Rules over several records: what two ends made without seeing each other, and which only a person can put right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import type { SyncConflict } from '#contract/site/sync-conflicts.ts';
import { until } from '#test/support/until.ts';
import { apart, twoEnds } from './ends.ts';

const REPORT = {
  location_id: '',
  shift: {
    date: '2026-11-01',
    name: 'Day',
    starts_at: '2026-11-01T06:00:00.000Z',
    ends_at: '2026-11-01T14:00:00.000Z',
    timezone: 'UTC',
  },
  crew: [],
};

test('[Y110] what two ends made of several records breaks no list, is the same at both, and a person decides it with one tap', async () => {
  await using ends = await twoEnds();
  const { site, here, there } = ends;
  const [north, south] = [
    await here.call('locations_create', { name: 'North', kind: 'pit' }),
    await here.call('locations_create', { name: 'South', kind: 'pit' }),
  ];
  const board = await here.call('dashboards_create', { name: 'Board', widgets: [] });
  const kept = await here.call('dashboards_create', { name: 'Kept', widgets: [] });
  const playlist = await here.call('playlists_create', { name: 'Shift', items: [{ dashboard_id: kept.id }] });
  const one = await here.call('equipment_create', { unit_number: 'HT-1', location_id: north.id });
  const two = await here.call('equipment_create', { unit_number: 'HT-2', location_id: south.id });
  const ana = await here.call('operators_create', { name: 'Ana' });
  await site.inStep();
  const made: string[] = [];
  const report = { ...REPORT, location_id: north.id };
  await apart(
    ends,
    async () => {
      made.push((await here.call('equipment_create', { unit_number: 'HT-9', serial_number: 'S1' })).id);
      await here.call('operators_create', { name: 'Ben', badge_id: 'B1', employee_number: 'E1' });
      await here.call('locations_update', { id: north.id, parent_id: south.id });
      await here.call('playlists_update', {
        id: playlist.id,
        items: [{ dashboard_id: kept.id }, { dashboard_id: board.id }],
      });
      await here.call('equipment_update', { id: one.id, operator_id: ana.id });
      await here.call('shift_reports_create', report as never);
    },
    async () => {
      made.push((await there.call('equipment_create', { unit_number: 'ht-9', serial_number: 'S1' })).id);
      await there.call('operators_create', { name: 'Cid', badge_id: 'B1', employee_number: 'E1' });
      await there.call('locations_update', { id: south.id, parent_id: north.id });
      await there.call('dashboards_delete', { id: board.id });
      await there.call('equipment_update', { id: two.id, operator_id: ana.id });
      await there.call('shift_reports_create', report as never);
    },
  );
  const own = new Set([board.id, kept.id]);
  const shown = async (client: Client) => ({
    machines: (await client.call('equipment_list', { order: 'asc' })).data.map((m) => [
      m.id,
      m.unit_number,
      m.operator_id,
      m.location_id,
    ]),
    locations: (await client.call('locations_list', { order: 'asc' })).data.map((l) => [l.id, l.parent_id]),
    people: (await client.call('operators_list', { order: 'asc' })).data.map((p) => [
      p.id,
      p.name,
      p.badge_id,
      p.current_equipment_id,
    ]),
    boards: (await client.call('dashboards_list', { order: 'asc' })).data.flatMap((b) => (own.has(b.id) ? b.id : [])),
    playlist: (await client.call('playlists_get', { id: playlist.id })).items.map((i) => i.dashboard_id),
    reports: (await client.call('shift_reports_list', { order: 'asc' })).data.map((r) => r.id),
    named: (await client.call('equipment_list', { unit_number: 'HT-9' })).data.map((m) => m.id),
    conflicts: (await client.call('sync_conflicts_list', {})).data,
  });
  const [a, b] = [await shown(here), await shown(there)];
  assert.deepEqual({ ...a, conflicts: [] }, { ...b, conflicts: [] });
  assert.deepEqual(
    [a.machines.length, a.locations.length, a.people.length, a.boards, a.playlist, a.reports.length],
    [4, 2, 3, [kept.id], [kept.id, board.id], 2],
  );
  // The number finds the machine that had it first. Both are in the list.
  assert.deepEqual(a.named, [made[0]]);
  assert.equal(a.people.find(([id]) => id === ana.id)?.[3], two.id);
  // Both ends show the same contradictions and remedies.
  const remedies = (of: readonly SyncConflict[]) =>
    of.map(({ kind, record, path, label, values }) => [
      ...[kind, record.id, path, label],
      values.map(({ id, text, at }) => [id, text, at]),
    ]);
  assert.deepEqual(remedies(a.conflicts), remedies(b.conflicts));
  assert.deepEqual(
    a.conflicts.map(({ kind, label }) => [kind, label.replace(/ of 2026.*/, '')]),
    [
      'Unit number HT-9 is given 2 times',
      'Serial number S1 is given 2 times',
      'Employee number E1 is given 2 times',
      'Badge B1 is given 2 times',
      'Locations lie in each other',
      'Ana is on 2 machines',
      'Shift plays a board that was deleted',
      'Shift Day',
    ].map((label) => ['records', label.replace(/ of 2026.*/, '')]),
  );
  const places = a.conflicts.map(({ values }) => values.map(({ place }) => place).sort());
  const both = ['head office', 'this site'];
  assert.deepEqual(places, [both, both, both, both, both, both, ['this site'], both]);

  // One tap at head office decides each, and all are gone at both ends.
  const choices: string[] = [];
  for (const { record, path, values } of b.conflicts) {
    const value = values.at(-1);
    const input = { record_id: record.id, path, value_id: value?.id ?? '' };
    choices.push((await there.call('sync_conflicts_choose', input)).id);
  }
  const open = async (client: Client) => (await client.call('sync_conflicts_list', {})).data.map(({ label }) => label);
  assert.deepEqual(await open(there), []);
  await until(async () => (await open(here)).length === 0, 'the site has the choices');
  await site.inStep();
  const [c, d] = [await shown(here), await shown(there)];
  assert.deepEqual(c, d);
  assert.deepEqual(
    c.machines.map(([, unit, operator]) => [unit, operator]).sort(),
    [
      ['HT-1', ana.id],
      ['HT-2', null],
      ['HT-9', null],
      ['ht-9 (2)', null],
    ].sort(),
  );
  assert.deepEqual(c.playlist, [kept.id]);
  assert.equal(c.locations.filter(([, parent]) => parent !== null).length, 1);
  assert.equal(c.people.filter(([, , badge]) => badge === 'B1').length, 1);
  const renamed = await here.call('equipment_list', { unit_number: 'HT-9 (2)' });
  assert.deepEqual(
    renamed.data.map(({ id }) => id),
    [made[1]],
  );

  // Each choice can be undone, and then the contradiction is there again.
  for (const id of choices.toReversed()) await there.call('sync_choices_undo', { id });
  assert.deepEqual(
    remedies((await shown(there)).conflicts).map(([, id, path]) => [id, path]),
    remedies(b.conflicts).map(([, id, path]) => [id, path]),
  );
  await until(async () => (await open(here)).length === choices.length, 'the site has the contradictions again');
  await site.inStep();
  assert.deepEqual({ ...(await shown(here)), conflicts: [] }, { ...b, conflicts: [] });
});
