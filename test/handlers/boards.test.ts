import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/errors.ts';
import { as, eventTypes, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const position = { x: 0, y: 0, w: 12, h: 6 };

test('[A17] a new project has three boards and a playlist that rotates them, in one commit with its events', async () => {
  await using rig = await openRig();
  const before = rig.store.stats().commits;
  const { project } = await rig.call(
    'projects_create',
    { name: 'Quarry', timezone: 'Europe/Berlin' },
    { project: null },
  );
  assert.equal(rig.store.stats().commits, before + 1);
  assert.deepEqual(
    [project.name, project.timezone, project.simulated, project.prompt],
    ['Quarry', 'Europe/Berlin', false, null],
  );
  const options = { project: project.id };
  const boards = (await rig.call('dashboards_list', {}, options)).data;
  const [playlist] = (await rig.call('playlists_list', {}, options)).data;
  assert.equal(playlist?.name, 'Office TV');
  const names = playlist?.items.map(({ dashboard_id }) => boards.find(({ id }) => id === dashboard_id)?.name);
  assert.deepEqual(names, ['Fleet now', 'Trends', 'Machine numbers']);
  assert.deepEqual(
    boards.map(({ name }) => name),
    names,
  );
  const log = await rig.call('playlists_events', { id: playlist?.id ?? '' }, options);
  assert.deepEqual(
    log.data.map(({ type }) => type),
    ['created'],
  );
});

test('[A17] setup and an unknown time zone are refused by name, and a restricted key adds no project', async () => {
  await using rig = await openRig();
  await assert.rejects(rig.call('projects_create', { setup: true }), code('setup_unavailable'));
  await assert.rejects(rig.call('projects_create', { timezone: 'Mars/Olympus' }), code('parameter_invalid'));
  await assert.rejects(
    rig.call('projects_create', {}, as('admin', { project_ids: [rig.project] })),
    code('permission_denied'),
  );
  assert.equal((await rig.call('projects_list', {})).data.length, 2);
});

test('[A1] a restricted key lists and reads its own projects alone', async () => {
  await using rig = await openRig();
  const restricted = as('viewer', { project_ids: [rig.project] });
  assert.deepEqual(
    (await rig.call('projects_list', {}, restricted)).data.map(({ id }) => id),
    [rig.project],
  );
  assert.equal((await rig.call('projects_get', { id: rig.project }, restricted)).name, 'North Pit');
  await assert.rejects(rig.call('projects_get', { id: rig.other }, restricted), code('project_not_found'));
});

test('[A2] a dashboard lives through its five verbs, each change with its event', async () => {
  await using rig = await openRig();
  const widgets = [{ type: 'status_board' as const, position }];
  const made = await rig.call('dashboards_create', { name: 'Pit', widgets });
  assert.match(made.widgets[0]?.id ?? '', /^wid_/);
  const renamed = await rig.call('dashboards_update', { id: made.id, name: 'Pit wall' }, { if_match: 1 });
  assert.deepEqual([renamed.name, renamed.revision, renamed.widgets], ['Pit wall', 2, made.widgets]);
  await assert.rejects(rig.call('dashboards_delete', { id: made.id }, { if_match: 1 }), code('revision_mismatch'));
  assert.deepEqual(await eventTypes(rig, 'dashboards_events', made.id), ['created', 'updated']);
  assert.deepEqual(await rig.call('dashboards_delete', { id: made.id }), {
    object: 'dashboard',
    id: made.id,
    deleted: true,
  });
  await assert.rejects(rig.call('dashboards_get', { id: made.id }), code('not_found'));
  await assert.rejects(rig.call('dashboards_delete', { id: made.id }), code('not_found'));
  const log = await rig.store
    .view(rig.project)
    .find('events', { object: 'event', where: { 'data.subject.id': made.id }, limit: 10 });
  assert.deepEqual(
    log.map(({ data }) => data.type),
    ['deleted', 'updated', 'created'],
  );
});

test('[A16] widgets and items name what the project has, or 404', async () => {
  await using rig = await openRig();
  const foreign = await rig.call('equipment_create', { unit_number: 'A' }, { project: rig.other });
  const board = await rig.call('dashboards_create', { name: 'theirs' }, { project: rig.other });
  const widget = { type: 'kpi' as const, position, query: { equipment_id: foreign.id } };
  await assert.rejects(rig.call('dashboards_create', { name: 'x', widgets: [widget] }), code('not_found'));
  const items = [{ dashboard_id: board.id }];
  await assert.rejects(rig.call('playlists_create', { name: 'x', items }), code('not_found'));
  const own = await rig.call('playlists_create', { name: 'own' });
  await assert.rejects(rig.call('playlists_update', { id: own.id, items }), code('not_found'));
  const twice = [
    { id: 'a', type: 'text' as const, position },
    { id: 'a', type: 'text' as const, position },
  ];
  await assert.rejects(rig.call('dashboards_create', { name: 'x', widgets: twice }), code('parameter_invalid'));
});

test('[A16] a deleted dashboard leaves every playlist and ends its link, in one commit', async () => {
  await using rig = await openRig();
  const board = await rig.call('dashboards_create', { name: 'Pit' });
  const kept = await rig.call('dashboards_create', { name: 'Kept' });
  const items = [{ dashboard_id: board.id }, { dashboard_id: kept.id, duration_s: 60 }];
  const playlist = await rig.call('playlists_create', { name: 'TV', items });
  await rig.call('display_shares', { kind: 'dashboard', object_id: board.id });
  const before = rig.store.stats().commits;
  await rig.call('dashboards_delete', { id: board.id });
  assert.equal(rig.store.stats().commits, before + 1);
  const left = await rig.call('playlists_get', { id: playlist.id });
  assert.deepEqual(
    left.items.map(({ dashboard_id }) => dashboard_id),
    [kept.id],
  );
  assert.equal(left.revision, 2);
  assert.deepEqual(await eventTypes(rig, 'playlists_events', playlist.id), ['created', 'item_removed']);
  const [share] = await rig.store.find<{ status: string; token: unknown }>('local', {
    object: 'display_share',
    limit: 2,
  });
  assert.deepEqual([share?.data.status, share?.data.token], ['revoked', null]);
});

test('[A2] a playlist lives through its five verbs', async () => {
  await using rig = await openRig();
  const made = await rig.call('playlists_create', { name: 'TV' });
  assert.equal(made.default_duration_s, 30);
  await rig.call('playlists_update', { id: made.id, default_duration_s: 15 });
  assert.deepEqual(await eventTypes(rig, 'playlists_events', made.id), ['created', 'updated']);
  await rig.call('playlists_delete', { id: made.id });
  await assert.rejects(rig.call('playlists_get', { id: made.id }), code('not_found'));
});

test('[A16] what came and went on a board or playlist is told item by item', async () => {
  await using rig = await openRig();
  const widget = (id: string) => ({ id, type: 'text' as const, position: { x: 0, y: 0, w: 1, h: 1 } });
  const board = await rig.call('dashboards_create', { name: 'Pit', widgets: [widget('a'), widget('b')] });
  await rig.call('dashboards_update', { id: board.id, widgets: [widget('b'), widget('c')] });
  const told = async (name: 'dashboards_events' | 'playlists_events', id: string, type: string) =>
    (await rig.call(name, { id, type })).data.map(({ data }) => data);
  assert.deepEqual(await told('dashboards_events', board.id, 'item_added'), [{ item_id: 'c', type: 'text' }]);
  assert.deepEqual(await told('dashboards_events', board.id, 'item_removed'), [{ item_id: 'a', type: 'text' }]);
  const { id: dashboard_id } = board;
  const { id } = await rig.call('playlists_create', { name: 'TV', items: [{ id: 'one', dashboard_id }] });
  await rig.call('playlists_update', { id, items: [{ id: 'one', dashboard_id, duration_s: 9 }] });
  await rig.call('playlists_update', { id, items: [{ id: 'two', dashboard_id }] });
  assert.deepEqual(await told('playlists_events', id, 'item_added'), [{ item_id: 'two', dashboard_id }]);
  assert.deepEqual(await told('playlists_events', id, 'item_removed'), [{ item_id: 'one', dashboard_id }]);
});

test('[A16] what no screen can draw or follow is refused', async () => {
  await using rig = await openRig();
  const position = { x: 0, y: 0, w: 1, h: 1 };
  for (const type of ['map', 'camera', 'ticket_board', 'qr'])
    await assert.rejects(
      rig.call('dashboards_create', { name: 'x', widgets: [{ type: type as 'text', position }] }),
      code('parameter_invalid'),
      type,
    );
  const { id: dashboard_id } = await rig.call('dashboards_create', { name: 'Pit' });
  for (const more of [{ takeover: { enabled: true } }, { shuffle: true }, { transition: 'cut' }])
    await assert.rejects(rig.call('playlists_create', { name: 'TV', ...more }), code('parameter_unknown'));
  for (const item of [{ url: 'https://example.org' }, { artifact_id: 'art_x' }])
    await assert.rejects(
      rig.call('playlists_create', { name: 'TV', items: [{ dashboard_id, ...item }] }),
      code('parameter_unknown'),
    );
});

test('[A113] an item waits for days and times, or for a shift that the project has', async () => {
  await using rig = await openRig();
  const { id: dashboard_id } = await rig.call('dashboards_create', { name: 'Pit' });
  const make = (when: object) => rig.call('playlists_create', { name: 'TV', items: [{ dashboard_id, when }] });
  const when = { days: ['mon' as const, 'sat' as const], from: '06:00', to: '18:00' };
  assert.deepEqual((await make(when)).items[0]?.when, when);
  assert.deepEqual((await make({ shift: 'night' })).items[0]?.when, { shift: 'night' });
  for (const bad of [
    { shift: 'swing' },
    { shift: 'day', from: '06:00' },
    { days: [] },
    { days: ['someday'] },
    { from: '24:00' },
  ])
    await assert.rejects(make(bad), code('parameter_invalid'), JSON.stringify(bad));
});
