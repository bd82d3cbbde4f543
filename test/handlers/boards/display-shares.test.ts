import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { ShareData } from '#contract/site/display.ts';
import { qrSvg } from '#gateway/qr.ts';
import { as, eventTypes, openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

async function board(rig: Rig) {
  const { id } = await rig.call('dashboards_create', { name: 'Pit' });
  const act = (action?: 'read' | 'read-or-create' | 'create' | 'rotate' | 'revoke' | 'pause' | 'resume') =>
    rig.call('display_shares', { kind: 'dashboard', object_id: id, ...(action === undefined ? {} : { action }) });
  return { id, act };
}

function tokenOf(url: string | null): string {
  return url?.split('/tv/')[1] ?? '';
}

async function tokens(rig: Rig): Promise<string[]> {
  const shares = await rig.store.find<ShareData>('local', { object: 'display_share', limit: 10 });
  return shares.map(({ data }) => data.token_hash);
}

test('[A18] read-or-create gives the same address again and again', async () => {
  await using rig = await openRig();
  const { id, act } = await board(rig);
  const first = await act();
  assert.match(first.url ?? '', /^http:\/\/gateway\.test\/tv\/dsp_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([first.status, first.scope, first.object_id], ['active', ['display:read'], id]);
  assert.deepEqual(await act('read-or-create'), first);
  assert.deepEqual(await tokens(rig), [sha256(tokenOf(first.url))]);
  const stored = JSON.stringify(await rig.store.find('local', { object: 'display_share', limit: 10 }));
  assert.ok(!stored.includes(tokenOf(first.url)), 'the token is sealed at rest');
  await assert.rejects(act('create'), code('already_exists'));
});

test('[A18] concurrent calls create one link', async () => {
  await using rig = await openRig();
  const { act } = await board(rig);
  const all = await Promise.all(Array.from({ length: 6 }, () => act()));
  assert.equal(new Set(all.map(({ url }) => url)).size, 1);
  assert.equal((await tokens(rig)).length, 1);
});

test('[A18] a link is paused, resumed, rotated and revoked, and each change is logged', async () => {
  await using rig = await openRig();
  const { id, act } = await board(rig);
  const first = await act('create');
  const paused = await act('pause');
  assert.deepEqual([paused.status, paused.url], ['paused', first.url]);
  assert.equal((await act('read-or-create')).status, 'paused');
  assert.equal((await act('resume')).status, 'active');
  const rotated = await act('rotate');
  assert.notEqual(rotated.url, first.url);
  assert.ok(rotated.rotated_at);
  assert.equal(rotated.id, first.id);
  const revoked = await act('revoke');
  assert.deepEqual([revoked.status, revoked.url], ['revoked', null]);
  assert.deepEqual(await act('revoke'), revoked);
  for (const action of ['rotate', 'pause', 'resume'] as const) await assert.rejects(act(action), code('not_found'));
  const again = await act();
  assert.equal(again.status, 'active');
  assert.ok(again.url !== first.url && again.url !== rotated.url);
  const log = await eventTypes(rig, 'dashboards_events', id);
  assert.deepEqual(log, ['created', 'published', 'updated', 'updated', 'updated', 'updated', 'published']);
});

test('[A18] changing a link that does not exist answers 404', async () => {
  await using rig = await openRig();
  const { act } = await board(rig);
  for (const action of ['rotate', 'revoke', 'pause', 'resume'] as const)
    await assert.rejects(act(action), code('not_found'));
});

test('[A31] a screen is paired: code, approval, its own address, as the screen itself reaches the gateway', async () => {
  await using rig = await openRig();
  const { id } = await board(rig);
  const screen = as(null, { kind: 'open', id: null, base_url: 'http://192.0.2.9:8480' });
  const begun = await rig.call('display_pairings_create', {}, { ...screen, project: null });
  assert.match(begun.user_code, /^[A-HJKMNP-Z2-9]{3}-[A-HJKMNP-Z2-9]{3}$/);
  assert.deepEqual([begun.status, begun.expires_in > 590, begun.interval], ['authorization_pending', true, 5]);
  const poll = () =>
    rig.call('display_pairings_poll', { device_code: begun.device_code ?? '' }, { ...screen, project: null });
  assert.deepEqual([(await poll()).status, (await poll()).share_url], ['authorization_pending', null]);
  assert.equal((await poll()).device_code, undefined);
  const typed = begun.user_code.toLowerCase().replace('-', ' ');
  const approved = await rig.call('display_pairings_approve', { user_code: typed, kind: 'dashboard', object_id: id });
  assert.equal(approved.status, 'approved');
  const paired = await poll();
  assert.equal(paired.status, 'approved');
  assert.equal(tokenOf(paired.share_url), tokenOf(approved.share_url));
  assert.ok(paired.share_url?.startsWith('http://192.0.2.9:8480/tv/scr_'));
  const [display] = (await rig.call('displays_list', {})).data;
  await rig.call('displays_unpair', { id: display?.id ?? '' });
  assert.equal((await poll()).share_url, null);
});

test('[A30] a code pairs one screen with one board, in its own project', async () => {
  await using rig = await openRig();
  const { id } = await board(rig);
  const second = await board(rig);
  const { user_code } = await rig.call('display_pairings_create', {}, { project: null });
  const approve = (object_id: string, project = rig.project) =>
    rig.call('display_pairings_approve', { user_code, kind: 'dashboard', object_id }, { project });
  await assert.rejects(approve(id, rig.other), code('not_found'));
  await approve(id);
  await approve(id);
  await assert.rejects(approve(second.id), code('not_found'));
});

test('[A30] a code expires after ten minutes for people and for the screen', async () => {
  await using rig = await openRig();
  const { id } = await board(rig);
  const begun = await rig.call('display_pairings_create', {}, { project: null });
  const poll = () => rig.call('display_pairings_poll', { device_code: begun.device_code ?? '' }, { project: null });
  rig.now += 600_000;
  assert.equal((await poll()).status, 'expired_token');
  const approval = { user_code: begun.user_code, kind: 'dashboard' as const, object_id: id };
  await assert.rejects(rig.call('display_pairings_approve', approval), code('not_found'));
  rig.now += 600_000;
  await assert.rejects(poll(), code('not_found'));
});

test('[A30] after ten wrong codes of a caller even the right code is refused', async () => {
  await using rig = await openRig();
  const { id } = await board(rig);
  const { user_code } = await rig.call('display_pairings_create', {}, { project: null });
  const wanted = { kind: 'dashboard' as const, object_id: id };
  for (let i = 0; i < 10; i++)
    await assert.rejects(
      rig.call('display_pairings_approve', { user_code: `WRONG${i}`, ...wanted }),
      code('not_found'),
    );
  await assert.rejects(rig.call('display_pairings_approve', { user_code, ...wanted }), code('rate_limited'));
  const colleague = as('supervisor');
  assert.equal((await rig.call('display_pairings_approve', { user_code, ...wanted }, colleague)).status, 'approved');
  rig.now += 600_001;
  const fresh = await rig.call('display_pairings_create', {}, { project: null });
  await rig.call('display_pairings_approve', { user_code: fresh.user_code, ...wanted });
});

test('[A30] the number of waiting screens is limited per address and in all', async () => {
  await using rig = await openRig();
  const begin = (address: string) => rig.call('display_pairings_create', {}, { project: null, caller: { address } });
  const poll = (device_code = '') => rig.call('display_pairings_poll', { device_code }, { project: null });
  const first = await begin('192.0.2.1');
  for (let i = 0; i < 7; i++) await begin('192.0.2.1');
  assert.equal((await poll(first.device_code)).status, 'authorization_pending');
  const last = await begin('192.0.2.1');
  await assert.rejects(poll(first.device_code), code('not_found'));
  for (let i = 1; i < 32; i++) for (let j = 0; j < 8; j++) await begin(`198.51.100.${i}`);
  await assert.rejects(begin('203.0.113.1'), code('rate_limited'));
  assert.equal((await poll(last.device_code)).status, 'authorization_pending');
  rig.now += 1_200_000;
  await begin('203.0.113.1');
});

test('[A114] published_revision is the revision that the link shows while it is active, and link_status says if it is paused', async () => {
  await using rig = await openRig();
  const { id, act } = await board(rig);
  const published = async () => {
    const { published_revision, link_status } = await rig.call('dashboards_get', { id });
    return [published_revision, link_status];
  };
  assert.deepEqual(await published(), [null, null]);
  await act();
  assert.deepEqual(await published(), [1, 'active']);
  await rig.call('dashboards_update', { id, name: 'Pit 2' });
  assert.deepEqual(await published(), [2, 'active']);
  const listed = (await rig.call('dashboards_list', {})).data.map(({ published_revision }) => published_revision);
  assert.deepEqual(listed.sort(), [2, null, null, null, null, null]);
  await act('pause');
  assert.deepEqual(await published(), [null, 'paused']);
  await act('resume');
  assert.deepEqual(await published(), [2, 'active']);
  await act('revoke');
  assert.deepEqual(await published(), [null, null]);
});

test('[A115] a link with a lifetime expires, and a new one can be created', async () => {
  await using rig = await openRig();
  const { id } = await board(rig);
  const act = (action: 'read-or-create' | 'rotate' | 'resume', expires_in_days?: number) =>
    rig.call('display_shares', {
      kind: 'dashboard',
      object_id: id,
      action,
      ...(expires_in_days === undefined ? {} : { expires_in_days }),
    });
  const first = await act('read-or-create', 2);
  assert.equal(Math.round((Date.parse(first.expires_at ?? '') - rig.now) / 86_400_000), 2);
  assert.equal((await act('read-or-create')).url, first.url);
  assert.match(first.short_code, /^[0-9A-Z]{3}-[0-9A-Z]{3}$/);
  rig.now += 3 * 86_400_000;
  await assert.rejects(act('resume'), code('not_found'));
  assert.equal((await rig.call('dashboards_get', { id })).published_revision, null);
  const second = await act('read-or-create');
  assert.deepEqual([second.id, second.expires_at, second.status], [first.id, null, 'active']);
  assert.notEqual(second.url, first.url);
  assert.ok((await act('rotate', 1)).expires_at);
});

test('[A131] a screen that is paired into a group shows the playlist of that group', async () => {
  await using rig = await openRig();
  const playlist = await rig.call('playlists_create', { name: 'Workshop', display_group_ids: ['workshop'] });
  const begin = () => rig.call('display_pairings_create', {}, { project: null });
  const screen = await begin();
  const approve = (input: object) => rig.call('display_pairings_approve', { user_code: screen.user_code, ...input });
  await assert.rejects(approve({ display_group_id: 'gate' }), code('not_found'));
  await assert.rejects(approve({}), code('parameter_missing'));
  await approve({ display_group_id: 'workshop' });
  const displays = (await rig.call('displays_list', {})).data;
  assert.deepEqual(
    displays.map(({ kind, object_id }) => [kind, object_id]),
    [['playlist', playlist.id]],
  );
});

test('[A18] a link has a QR code as a picture, and a revoked link has none', async () => {
  await using rig = await openRig();
  const { id: object_id } = await rig.call('playlists_create', { name: 'TV' });
  const share = await rig.call('display_shares', { kind: 'playlist', object_id });
  assert.equal(share.qr, qrSvg(share.url ?? ''));
  assert.match(share.qr ?? '', /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+"/);
  const ended = await rig.call('display_shares', { kind: 'playlist', object_id, action: 'revoke' });
  assert.deepEqual([ended.url, ended.qr], [null, null]);
});

test('[U321] reading a link creates none, and changes none', async () => {
  await using rig = await openRig();
  const { id, act } = await board(rig);
  await assert.rejects(act('read'), code('not_found'));
  assert.deepEqual(await tokens(rig), []);
  const made = await act();
  assert.deepEqual(await act('read'), made);
  await act('pause');
  assert.equal((await act('read')).status, 'paused');
  await act('revoke');
  assert.equal((await act('read')).url, null);
  assert.deepEqual(await eventTypes(rig, 'dashboards_events', id), ['created', 'published', 'updated', 'updated']);
});
