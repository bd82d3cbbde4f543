/** Deleted boards and playlists that a person makes again, and drafts that become new boards, with a real gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { OWNER_KEY, startGateway, type TestGateway } from '#test/support/gateway.ts';
import type { Session } from '#ui/office/base/session.ts';
import { type Deleted, makeAgain, makeBoard, withBoard } from '#ui/office/screens/make-again.ts';

/** The id of a picture that no gateway has. */
const GONE = `art_${'0'.repeat(26)}`;

/** A session whose next change of a stored board does not reach the gateway, if `drops` is true. */
async function office(gateway: TestGateway) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const line = { drops: false };
  const client = createClient({
    base_url: gateway.node.http,
    key: OWNER_KEY,
    project_id: project.id,
    fetch: (url, init) => {
      if (!line.drops || init?.method !== 'PATCH') return fetch(url, init);
      line.drops = false;
      return Promise.reject(new TypeError('fetch failed'));
    },
  });
  return { client, line, session: { client } as unknown as Session };
}

const code = (id: string, x: number, share: { kind: string; object_id: string }): PlacedWidget => ({
  id,
  type: 'qr',
  title: id,
  query: {},
  thresholds: [],
  params: { share },
  position: { x, y: 0, w: 2, h: 3 },
});
const notice = (title: string): PlacedWidget => ({
  ...{ id: 'text', type: 'text', title, query: {}, thresholds: [] },
  params: { text: 'x' },
  position: { x: 6, y: 0, w: 3, h: 2 },
});

test('[U320] a deleted playlist is made again without what is gone, and says what it lacks', async () => {
  await using gateway = await startGateway();
  const { client, session } = await office(gateway);
  const boards = [];
  for (const name of ['Yard', 'Pit']) boards.push(await client.call('dashboards_create', { name }));
  const [yard, pit] = boards;
  assert.ok(yard && pit);
  const playlist = await client.call('playlists_create', {
    name: 'Gate',
    items: [yard, pit, pit].map(({ id }) => ({ dashboard_id: id })),
    display_group_ids: ['gate', 'yard'],
  });
  await client.call('playlists_delete', { id: playlist.id });
  await client.call('dashboards_delete', { id: pit.id });
  await client.call('playlists_create', { name: 'Other', display_group_ids: ['gate'] });
  const picture = { ...playlist.items[0], id: 'picture', dashboard_id: undefined, artifact_id: GONE } as never;
  const kept: Deleted = { name: 'Gate', playlist: { ...playlist, items: [...playlist.items, picture] } };
  const done = await makeAgain(session, kept, () => undefined);
  assert.deepEqual([done.playlist?.items, done.playlist?.groups, done.rest], [3, ['gate'], null]);
  const made = await client.call('playlists_get', { id: done.playlist?.id ?? '' });
  assert.deepEqual(
    [made.name, made.items.map(({ dashboard_id }) => dashboard_id), made.display_group_ids],
    ['Gate', [yard.id], ['yard']],
  );
});

test('[U320] a board that was made again is in the offers of deleted playlists that showed it', async () => {
  await using gateway = await startGateway();
  const { client, session } = await office(gateway);
  const board = await client.call('dashboards_create', { name: 'Yard' });
  const playlist = await client.call('playlists_create', { name: 'Gate', items: [{ dashboard_id: board.id }] });
  await client.call('playlists_delete', { id: playlist.id });
  await client.call('dashboards_delete', { id: board.id });
  const offers: readonly Deleted[] = [
    { name: 'Gate', playlist },
    { name: 'Yard', board, shownBy: [] },
  ];
  const [offer, other] = offers;
  assert.ok(offer && other);
  const again = await makeAgain(session, other, () => undefined);
  const [moved, same] = withBoard(offers, board.id, again.board?.id ?? '');
  assert.ok(moved);
  assert.equal(same, other);
  const done = await makeAgain(session, moved, () => undefined);
  const made = await client.call('playlists_get', { id: done.playlist?.id ?? '' });
  assert.deepEqual([made.items[0]?.dashboard_id, done.playlist?.items], [again.board?.id, 0]);
});

/** A deleted board with a code of itself, a code of a deleted playlist, and a notice. */
async function deletedBoard(client: Awaited<ReturnType<typeof office>>['client']) {
  const gate = await client.call('playlists_create', { name: 'Gate' });
  const { id } = await client.call('dashboards_create', { name: 'Yard' });
  const widgets = [
    code('self', 0, { kind: 'dashboard', object_id: id }),
    code('gate', 2, { kind: 'playlist', object_id: gate.id }),
    notice('Old'),
  ];
  const board = await client.call('dashboards_update', { id, widgets } as never);
  await client.call('dashboards_delete', { id });
  await client.call('playlists_delete', { id: gate.id });
  return { board, widgets };
}

test('[U320] a tile that a person mended since the first attempt is not added a second time', async () => {
  await using gateway = await startGateway();
  const { client, line, session } = await office(gateway);
  const { board } = await deletedBoard(client);
  let deleted: Deleted = { name: 'Yard', board, shownBy: [] };
  const onMade = (next: Deleted) => {
    deleted = next;
  };
  line.drops = true;
  await assert.rejects(makeAgain(session, deleted, onMade));
  const id = 'made' in deleted ? (deleted.made ?? '') : '';
  const half = await client.call('dashboards_get', { id });
  const ramp = await client.call('playlists_create', { name: 'Ramp' });
  const mended = [...half.widgets, code('gate', 2, { kind: 'playlist', object_id: ramp.id })];
  await client.call('dashboards_update', { id, name: 'Mended', widgets: mended } as never);
  const done = await makeAgain(session, deleted, onMade);
  assert.deepEqual([done.board?.id, done.board?.left], [id, []]);
  const made = await client.call('dashboards_get', { id });
  assert.equal(made.name, 'Mended', 'what a person changed in the new board stays');
  assert.deepEqual(made.widgets.map((one) => one.id).sort(), ['gate', 'self', 'text']);
  assert.deepEqual(made.widgets.find((one) => one.id === 'self')?.params.share, { kind: 'dashboard', object_id: id });
});

test('[U327] the second attempt to save a draft as a new board gives the new board the present content', async () => {
  await using gateway = await startGateway();
  const { client, line, session } = await office(gateway);
  const { board, widgets } = await deletedBoard(client);
  const content = { ...board, name: 'Yard, copy' };
  let first = '';
  line.drops = true;
  await assert.rejects(
    makeBoard(session, content, board.id, undefined, (id) => {
      first = id;
    }),
  );
  const now = { ...content, name: 'Wall', widgets: widgets.with(2, notice('New')) };
  const made = await makeBoard(session, now, board.id, { id: first, isStale: true }, assert.fail);
  assert.deepEqual(made, { id: first, left: ['gate'] });
  const stored = await client.call('dashboards_get', { id: first });
  assert.equal(stored.name, 'Wall');
  assert.deepEqual(
    stored.widgets.map(({ id, title }) => [id, title]),
    [
      ['text', 'New'],
      ['self', 'self'],
    ],
  );
});
