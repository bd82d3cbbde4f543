import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { Input } from '#contract/operations.ts';
import { as, eventTypes, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const position = { x: 0, y: 0, w: 12, h: 6 };

test('[A17] a new project has five boards and a playlist that rotates them, in one commit with its events', async () => {
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
  assert.deepEqual(names, ['Fleet now', 'Trends', 'Machine numbers', 'This shift', 'Alerts and repairs']);
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

test('[U384] the boards of a new project have names in its language; their titles stay in English, because screens translate them', async () => {
  await using rig = await openRig();
  const { project } = await rig.call('projects_create', { name: 'Mina', language: 'pt-BR' }, { project: null });
  const options = { project: project.id };
  const { data: boards } = await rig.call('dashboards_list', {}, options);
  assert.deepEqual(
    boards.map(({ name }) => name),
    ['Frota agora', 'Tendências', 'Números das máquinas', 'Este turno', 'Alertas e reparos'],
  );
  assert.ok(boards[1]?.widgets.some(({ title }) => title === 'Fuel rate, whole site'));
  assert.equal((await rig.call('playlists_list', {}, options)).data[0]?.name, 'TV do escritório');
});

test('[A17] an unknown time zone is refused by name, and a restricted key adds no project', async () => {
  await using rig = await openRig();
  await assert.rejects(rig.call('projects_create', { timezone: 'Mars/Olympus' }), code('parameter_invalid'));
  await assert.rejects(
    rig.call('projects_create', {}, as('admin', { project_ids: [rig.project] })),
    code('permission_denied'),
  );
  assert.equal((await rig.call('projects_list', {})).data.length, 2);
});

test('[A1] a restricted key lists and reads only its own projects', async () => {
  await using rig = await openRig();
  const restricted = as('viewer', { project_ids: [rig.project] });
  assert.deepEqual(
    (await rig.call('projects_list', {}, restricted)).data.map(({ id }) => id),
    [rig.project],
  );
  assert.equal((await rig.call('projects_get', { id: rig.project }, restricted)).name, 'North Pit');
  await assert.rejects(rig.call('projects_get', { id: rig.other }, restricted), code('project_not_found'));
});

test('[A2] a dashboard is created, read, listed, changed and deleted, and each change writes an event', async () => {
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
});

test('[A847] the log of a deleted dashboard or playlist stays readable in its project, and in no other', async () => {
  await using rig = await openRig();
  const board = await rig.call('dashboards_create', { name: 'Pit' });
  const playlist = await rig.call('playlists_create', { name: 'TV', items: [{ dashboard_id: board.id }] });
  await rig.call('playlists_delete', { id: playlist.id });
  await rig.call('dashboards_delete', { id: board.id });
  for (const [name, other, id] of [
    ['dashboards_events', 'playlists_events', board.id],
    ['playlists_events', 'dashboards_events', playlist.id],
  ] as const) {
    assert.deepEqual(await eventTypes(rig, name, id), ['created', 'deleted']);
    await assert.rejects(rig.call(name, { id }, { project: rig.other }), code('not_found'));
    await assert.rejects(rig.call(other, { id }), code('not_found'));
    await assert.rejects(rig.call(name, { id: `${id.slice(0, -1)}!` }), code('not_found'));
  }
});

test('[A16] a widget or item that names an object outside the project answers 404', async () => {
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

test('[A2] a playlist is created, read, listed, changed and deleted', async () => {
  await using rig = await openRig();
  const made = await rig.call('playlists_create', { name: 'TV' });
  assert.equal(made.default_duration_s, 30);
  await rig.call('playlists_update', { id: made.id, default_duration_s: 15 });
  assert.deepEqual(await eventTypes(rig, 'playlists_events', made.id), ['created', 'updated']);
  await rig.call('playlists_delete', { id: made.id });
  await assert.rejects(rig.call('playlists_get', { id: made.id }), code('not_found'));
});

test('[A16] each widget or item that is added or removed writes an event', async () => {
  await using rig = await openRig();
  const widget = (id: string) => ({
    id,
    type: 'text' as const,
    position: { x: id.charCodeAt(0) - 'a'.charCodeAt(0), y: 0, w: 1, h: 1 },
  });
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

test('[A130] every kind of widget is accepted, and a widget that no screen can draw is refused', async () => {
  await using rig = await openRig();
  const position = { x: 0, y: 0, w: 1, h: 1 };
  const placed = <W extends object>(widget: W, i: number) => ({
    ...widget,
    position: { ...position, x: i % 12, y: Math.floor(i / 12) },
  });
  const { id: device_id } = await rig.call('devices_create', { name: 'Gate', serial: 'CAM-1' });
  const foreign = await rig.call('devices_create', { name: 'Theirs', serial: 'CAM-2' }, { project: rig.other });
  const { id: shared } = await rig.call('playlists_create', { name: 'Shared' });
  const share = { kind: 'playlist' as const, object_id: shared };
  const widgets: Input<'dashboards_create'>['widgets'] = [
    ...(['status_board', 'machine_list', 'kpi', 'timeseries', 'map'] as const).map((type) => {
      return { type, position, max_age_s: 90 };
    }),
    ...(['ticket_board', 'alert_feed', 'shift_progress', 'text'] as const).map((type) => ({ type, position })),
    { type: 'bar', position, query: { signal: 'fuel.level' } },
    { type: 'camera', position, query: { device_id }, max_age_s: 30 },
    { type: 'qr', position, params: { text: 'https://example.org' } },
    { type: 'qr', position, params: { share, caption: 'On your phone' } },
  ];
  const made = await rig.call('dashboards_create', { name: 'All', widgets: widgets.map(placed) });
  assert.deepEqual(
    made.widgets.map(({ type, max_age_s }) => [type, max_age_s]),
    widgets.map(({ type, max_age_s }) => [type, max_age_s]),
  );
  assert.doesNotMatch(JSON.stringify(made), /dsp_/, 'R18: an answer names what is shared, not its link');
  const refuse = (widget: object, wanted: string) =>
    assert.rejects(
      rig.call('dashboards_create', { name: 'x', widgets: [{ type: 'text', position, ...widget }] }),
      code(wanted),
      JSON.stringify(widget),
    );
  await refuse({ type: 'camera' }, 'parameter_invalid');
  await refuse({ type: 'camera', query: { device_id: foreign.id } }, 'not_found');
  await refuse({ type: 'qr', params: { share: { kind: 'playlist', object_id: made.id } } }, 'not_found');
  await refuse({ type: 'qr', params: {} }, 'parameter_invalid');
  await refuse({ type: 'qr', params: { text: `http://10.0.0.1/tv/dsp_${'a'.repeat(43)}` } }, 'parameter_invalid');
  await refuse({ type: 'gauge' as 'text' }, 'parameter_invalid');
  await refuse({ max_age_s: 60 }, 'parameter_invalid');
});

test('[A131] a playlist has transition, takeover and groups; an old one gets the defaults', async () => {
  await using rig = await openRig();
  const { id: dashboard_id } = await rig.call('dashboards_create', { name: 'Pit' });
  const plain = await rig.call('playlists_create', { name: 'TV', items: [{ dashboard_id }] });
  const { transition, shuffle, takeover, display_group_ids } = plain;
  const usual = { transition: 'fade', shuffle: false, takeover: { enabled: false, min_severity: 'critical' } };
  assert.deepEqual({ transition, shuffle, takeover, display_group_ids }, { ...usual, display_group_ids: [] });
  const view = rig.store.view(rig.project);
  const stored = await view.get('records', plain.id);
  const { name, items, default_duration_s } = plain;
  await view.commit([
    { collection: 'records', id: plain.id, object: 'playlist', data: { name, items, default_duration_s }, expected: 1 },
  ]);
  assert.ok(stored);
  const old = await rig.call('playlists_get', { id: plain.id });
  assert.deepEqual([old.transition, old.takeover.enabled, old.display_group_ids], ['fade', false, []]);
  const own = {
    transition: 'none' as const,
    shuffle: true,
    takeover: { enabled: true, min_severity: 'warning' as const },
    display_group_ids: ['workshop', 'gate-2'],
  };
  const changed = await rig.call('playlists_update', { id: plain.id, ...own });
  assert.deepEqual({ ...changed, ...own }, changed);
  const second = { name: 'Other', display_group_ids: ['gate-2'] };
  await assert.rejects(rig.call('playlists_create', second), code('already_exists'));
  await rig.call('playlists_create', second, { project: rig.other });
  await assert.rejects(
    rig.call('playlists_create', { name: 'x', display_group_ids: ['a', 'a'] }),
    code('parameter_invalid'),
  );
  await rig.call('playlists_update', { id: plain.id, display_group_ids: [] });
  await rig.call('playlists_create', second);
  for (const bad of [{ transition: 'cut' }, { display_group_ids: ['Gate 2'] }, { takeover: { enabled: true } }])
    await assert.rejects(rig.call('playlists_create', { name: 'x', ...(bad as object) }));
});

test('[A131] an item shows a dashboard or a picture; other files and external addresses are refused', async () => {
  await using rig = await openRig();
  const { id: dashboard_id } = await rig.call('dashboards_create', { name: 'Pit' });
  const device = await rig.call('devices_create', { name: 'Gate', serial: 'CAM-1' });
  const keep = async (content: string, name: string) => {
    const { artifact } = await rig.call('devices_upload_media', { id: device.id, content_base64: content, name });
    return artifact?.id ?? '';
  };
  const artifact_id = await keep('iVBORw0KGgo=', 'plan.png');
  const file = await keep('aGVsbG8=', 'notes.txt');
  const items = [{ artifact_id, params: { fit: 'cover' as const, title: 'Site plan' } }, { dashboard_id }];
  const made = await rig.call('playlists_create', { name: 'TV', items });
  assert.deepEqual([made.items[0]?.artifact_id, made.items[0]?.params], [artifact_id, items[0]?.params]);
  await rig.call('playlists_update', { id: made.id, items: [{ dashboard_id }] });
  const gone = (await rig.call('playlists_events', { id: made.id, type: 'item_removed' })).data.map(({ data }) => data);
  assert.ok(gone.some((data) => data.artifact_id === artifact_id));
  for (const [item, wanted] of [
    [{ artifact_id: file }, 'parameter_invalid'],
    [{ artifact_id: 'art_x' }, 'not_found'],
    [{ url: 'https://example.org' }, 'parameter_invalid'],
    [{ dashboard_id, artifact_id }, 'parameter_invalid'],
    [{}, 'parameter_invalid'],
    [{ dashboard_id, params: { fit: 'cover' as const } }, 'parameter_invalid'],
  ] as const)
    await assert.rejects(
      rig.call('playlists_create', { name: 'x', items: [item] }),
      code(wanted),
      JSON.stringify(item),
    );
});

test('[A113] an item has days and times, or names a shift of the project', async () => {
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
