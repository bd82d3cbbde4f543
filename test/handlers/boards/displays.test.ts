import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { type DisplayData, type DisplayReport, NAMED_S } from '#contract/site/display.ts';
import { type FeedListener, LIVE_MS, type LiveEvents } from '#contract/site/live.ts';
import { ConnectedDisplays } from '#screens/connected-displays.ts';
import { createFeeds } from '#screens/feeds.ts';
import { feedServices } from '#test/support/feed-services.ts';
import { eventually } from '#test/support/gateway.ts';
import { openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const REPORT: DisplayReport = { board_id: 'dash_1', page: 1, pages: 2, width: 1920, height: 1080, build: 'b1' };

/** Pairs a screen as a person and the screen do it; returns the token that the screen has. */
async function pair(rig: Rig, object_id: string, more: { name?: string; inches?: number; metres?: number } = {}) {
  const begun = await rig.call('display_pairings_create', {}, { project: null });
  await rig.call('display_pairings_approve', { user_code: begun.user_code, kind: 'dashboard', object_id, ...more });
  const poll = { device_code: begun.device_code ?? '' };
  const { share_url } = await rig.call('display_pairings_poll', poll, { project: null });
  return share_url?.split('/tv/')[1] ?? '';
}

function startFeeds(rig: Rig, displays = rig.displays) {
  return createFeeds({
    store: rig.store,
    live: { equipment: () => undefined, device: () => undefined, devicesOf: () => [] },
    watch: () => () => undefined,
    history: async () => ({ t: [], v: [] }),
    clock: rig.clock,
    build: 'b1',
    ...feedServices(rig),
    displays,
    sweepMs: 5,
  });
}

/** Opens the stream of a screen, and collects the names of its events. */
async function watch(feeds: ReturnType<typeof startFeeds>, token: string) {
  const feed = await feeds.open({ share: token });
  const events: Parameters<FeedListener>[0][] = [];
  const stop = feed?.subscribe((event) => events.push(event)) ?? (() => undefined);
  return { title: feed?.snapshot().title, events, names: () => events.map(({ name }) => name), stop };
}

const displays = async (rig: Rig) => (await rig.call('displays_list', { order: 'asc' })).data;

test('[A996] each paired screen has a name and a token of its own, and the store has only its hash', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('dashboards_create', { name: 'Pit' });
  const tokens = [await pair(rig, id), await pair(rig, id, { name: 'Gate', inches: 43, metres: 6 })];
  assert.ok(tokens.every((token) => /^scr_[A-Za-z0-9_-]{43}$/.test(token)));
  const [first, second] = await displays(rig);
  assert.deepEqual([first?.name, first?.inches, first?.metres], ['TV 1', null, null]);
  assert.deepEqual([second?.name, second?.inches, second?.metres, second?.state], ['Gate', 43, 6, 'never_heard']);
  const stored = await rig.store.find<DisplayData>('local', { object: 'display', order: 'asc', limit: 10 });
  assert.deepEqual(
    stored.map(({ data }) => data.token_hash),
    tokens.map((token) => sha256(token)),
  );
  for (const token of tokens) assert.ok(!JSON.stringify(stored).includes(token));
  assert.equal((await rig.call('dashboards_get', { id })).published_revision, 1);
});

test('[A996] a person changes what one screen shows; it connects again, and the other screens stay', async () => {
  await using rig = await openRig();
  await using feeds = startFeeds(rig);
  const pit = await rig.call('dashboards_create', { name: 'Pit' });
  const shop = await rig.call('dashboards_create', { name: 'Workshop' });
  const [mine = '', other = ''] = [await pair(rig, pit.id), await pair(rig, pit.id)];
  const before = await watch(feeds, mine);
  const neighbour = await watch(feeds, other);
  assert.equal(before.title, 'Pit');
  const [display] = await displays(rig);
  const id = display?.id ?? '';
  await assert.rejects(rig.call('displays_update', { id, object_id: shop.id }), code('parameter_missing'));
  await assert.rejects(rig.call('displays_update', { id, kind: 'dashboard', object_id: 'dash_0' }), code('not_found'));
  await rig.call('displays_update', { id, name: 'Shop TV' });
  assert.deepEqual(before.names(), []);
  await rig.call('display_report', { share: mine, ...REPORT }, { project: null });
  assert.deepEqual((await displays(rig))[0]?.shown, REPORT);
  await rig.call('displays_update', { id, kind: 'dashboard', object_id: shop.id });
  await eventually(
    async () => before.names(),
    (names) => names.join() === 'resync',
  );
  assert.equal((await displays(rig))[0]?.shown, null, 'the report was about the other board');
  assert.equal((await watch(feeds, mine)).title, 'Workshop');
  assert.deepEqual(neighbour.names(), []);
});

test('[A996] an unpaired screen goes dark, and so do the screens of a deleted board; a link changes no display', async () => {
  await using rig = await openRig();
  await using feeds = startFeeds(rig);
  const pit = await rig.call('dashboards_create', { name: 'Pit' });
  const shop = await rig.call('dashboards_create', { name: 'Workshop' });
  const [one = '', two = '', three = ''] = [await pair(rig, pit.id), await pair(rig, pit.id), await pair(rig, shop.id)];
  const screens = [await watch(feeds, one), await watch(feeds, two), await watch(feeds, three)];
  const share = (action: 'read-or-create' | 'rotate' | 'revoke') =>
    rig.call('display_shares', { kind: 'dashboard', object_id: pit.id, action });
  for (const action of ['read-or-create', 'rotate', 'revoke'] as const) await share(action);
  const [first] = await displays(rig);
  await rig.call('displays_unpair', { id: first?.id ?? '' });
  await eventually(
    async () => screens[0]?.names(),
    (names) => names?.join() === 'gone',
  );
  assert.deepEqual([screens[1]?.names(), screens[2]?.names()], [[], []]);
  await rig.call('dashboards_delete', { id: pit.id });
  await eventually(
    async () => screens[1]?.names().at(-1),
    (name) => name === 'gone',
  );
  assert.deepEqual(screens[2]?.names(), []);
  assert.equal(await feeds.open({ share: one }), undefined);
  assert.equal(await feeds.open({ share: two }), undefined);
  assert.equal((await displays(rig)).length, 1);
  const audit = (await rig.call('audit_list', { order: 'asc' })).data.filter(
    ({ subject }) => subject.object === 'display',
  );
  assert.deepEqual(
    audit.map(({ type }) => type),
    ['paired', 'paired', 'paired', 'unpaired', 'unpaired'],
  );
});

test('[A996] a display of another project is not found, and a site has at most 200', async () => {
  await using rig = await openRig();
  const { id: board } = await rig.call('dashboards_create', { name: 'Pit' });
  await pair(rig, board);
  const id = (await displays(rig))[0]?.id ?? '';
  const elsewhere = { project: rig.other };
  for (const call of [
    rig.call('displays_update', { id, name: 'Mine' }, elsewhere),
    rig.call('displays_identify', { id }, elsewhere),
    rig.call('displays_unpair', { id }, elsewhere),
  ])
    await assert.rejects(call, code('not_found'));
  assert.deepEqual((await rig.call('displays_list', {}, elsewhere)).data, []);
  for (let i = 1; i < 200; i++) await pair(rig, board);
  await assert.rejects(pair(rig, board), code('limit_reached'));
});

test('[A997] a screen is live while the gateway hears it, and the list has its last report', async () => {
  await using rig = await openRig();
  await using feeds = startFeeds(rig);
  const { id: board } = await rig.call('dashboards_create', { name: 'Pit' });
  const token = await pair(rig, board);
  const report = () => rig.call('display_report', { share: token, ...REPORT }, { project: null });
  const state = async () => (await displays(rig))[0];
  await assert.rejects(report(), code('not_found'));
  assert.deepEqual([(await state())?.state, (await state())?.last_seen_at], ['never_heard', null]);
  const screen = await watch(feeds, token);
  assert.equal((await state())?.state, 'live');
  await report();
  assert.deepEqual((await state())?.shown, REPORT);
  rig.now += LIVE_MS + 1_000;
  assert.equal((await state())?.state, 'not_heard');
  await report();
  assert.equal((await state())?.state, 'live');
  screen.stop();
  await eventually(
    async () => (await rig.store.find<DisplayData>('local', { object: 'display', limit: 1 }))[0]?.data.last_seen_at,
    (at) => at !== null,
  );
  await assert.rejects(report(), code('not_found'));
});

test('[A997] a process that shares its database writes a connected screen once a minute, any other every ten minutes', async () => {
  for (const [sharesStore, minutes] of [
    [true, 1],
    [false, 10],
  ] as const) {
    await using rig = await openRig();
    const displays = new ConnectedDisplays(rig.clock, sharesStore);
    await using feeds = startFeeds(rig, displays);
    const { id: board } = await rig.call('dashboards_create', { name: 'Pit' });
    await watch(feeds, await pair(rig, board));
    const written = async () =>
      (await rig.store.find<DisplayData>('local', { object: 'display', limit: 1 }))[0]?.data.last_seen_at ?? null;
    const first = await eventually(written, (at) => at !== null);
    rig.now += minutes * 60_000 - 5_000;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await written(), first);
    rig.now += 6_000;
    await eventually(written, (at) => at !== first);
  }
});

test('[A998] a person lets one screen show its name', async () => {
  await using rig = await openRig();
  await using feeds = startFeeds(rig);
  const { id: board } = await rig.call('dashboards_create', { name: 'Pit' });
  const [gate = '', shop = ''] = [await pair(rig, board, { name: 'Gate' }), await pair(rig, board, { name: 'Shop' })];
  const [at, other] = [await watch(feeds, gate), await watch(feeds, shop)];
  const id = (await displays(rig))[0]?.id ?? '';
  assert.equal((await rig.call('displays_identify', { id })).shown, true);
  assert.deepEqual(
    at.events.map(({ data }) => data as LiveEvents['identify']),
    [{ name: 'Gate', seconds: NAMED_S }],
  );
  assert.deepEqual(other.names(), []);
  at.stop();
  assert.equal((await rig.call('displays_identify', { id })).shown, false);
});
