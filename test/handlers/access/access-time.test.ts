/** The sweep of sessions, invitations and tablets, and the time by which they end after a restart. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { backUpFolder } from '#commands/custody.ts';
import type { TabletData } from '#contract/site/tablet.ts';
import { createAccessSweep, latestAccess } from '#handlers/access/access-time.ts';
import { createForwardClock } from '#host/forward-clock.ts';
import { createAuth } from '#servers/http/auth.ts';
import { openStore } from '#store/open-store.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const OPEN = { ...as(null, { kind: 'open', id: null }), project: null };
const CONTROL = `ctl_${'c'.repeat(43)}`;

/** Makes a user with a passphrase; returns the token of the user's session. */
async function signedIn(rig: Rig, name: string, remember: boolean): Promise<string> {
  const { id } = await rig.call('users_create', { name, role: 'viewer' });
  const token = (await rig.call('users_invite', { id })).url.split('#invite=')[1] ?? '';
  const passphrase = 'seven quiet haul roads';
  return (await rig.call('invitation_accept', { token, passphrase, remember }, OPEN)).token ?? '';
}

const counts = async ({ store }: Rig) => {
  const of = async (object: string, where: Record<string, string> = {}) =>
    (await store.node.find('local', { object, where, limit: 100 })).length;
  return {
    sessions: await of('key', { 'data.kind': 'session' }),
    invitations: await of('invitation'),
    links: await of('tablet_link'),
    tablets: await of('tablet'),
    credentials: await of('key', { 'data.kind': 'tablet' }),
  };
};

test('[K32] [K44] the sweep deletes what has ended and nothing else, and stores the time while a session is left', async () => {
  await using rig = await openRig();
  let now = rig.now;
  const sweep = createAccessSweep({ store: rig.store, now: () => now });
  await sweep();
  assert.equal(await latestAccess(rig.store), 0, 'no time without a session');
  await signedIn(rig, 'Olaf', false);
  await signedIn(rig, 'Maria', true);
  const { id } = await rig.call('users_create', { name: 'Ada', role: 'viewer' });
  await rig.call('users_invite', { id });
  const { url, tablet } = await rig.call('tablets_create', { name: 'Gate', roles: ['viewer'] });
  await rig.call('tablet_enrol', { token: url.split('#tablet=')[1] ?? '' }, OPEN);
  await rig.call('tablets_create', { name: 'Workshop', roles: ['viewer'] });
  await rig.call('tablets_revoke', { id: tablet.id });
  const all = { sessions: 2, invitations: 1, links: 1, tablets: 2, credentials: 1 };
  now = rig.now + MINUTE_MS;
  await sweep();
  assert.deepEqual(await counts(rig), all, 'nothing has ended');
  assert.equal(await latestAccess(rig.store), now);
  const stored = now;
  now += 4 * MINUTE_MS;
  await sweep();
  assert.equal(await latestAccess(rig.store), stored, 'at most once in five minutes');
  now += 12 * MINUTE_MS;
  await sweep();
  assert.deepEqual(await counts(rig), { ...all, links: 0 }, 'a link ends after 15 minutes');
  now += 3 * HOUR_MS;
  await sweep();
  assert.deepEqual(await counts(rig), { ...all, links: 0, sessions: 1 }, 'a short session ends without use');
  now += 2 * DAY_MS;
  await sweep();
  assert.deepEqual(await counts(rig), { ...all, links: 0, sessions: 1, invitations: 0 });
  now += 6 * DAY_MS;
  await sweep();
  assert.equal((await counts(rig)).sessions, 0, 'a kept session ends after 7 days without use');
  assert.equal((await counts(rig)).tablets, 2, 'a revoked tablet shows the reason for 30 days');
  now += 30 * DAY_MS;
  await sweep();
  const left = await rig.store.node.find<TabletData>('local', { object: 'tablet', limit: 10 });
  assert.deepEqual(
    left.map(({ data }) => data.name),
    ['Workshop'],
  );
  assert.equal((await counts(rig)).credentials, 0);
});

test('[K32] after a restart with a clock that was set back, a session ends as if the clock were right', async () => {
  await using rig = await openRig();
  const began = rig.now;
  const token = await signedIn(rig, 'Olaf', false);
  const almost = began + 2 * HOUR_MS - 2 * MINUTE_MS;
  await createAccessSweep({ store: rig.store, now: () => almost })();
  const parent = await mkdtemp(join(tmpdir(), 'headframe-restart-'));
  try {
    // A copy of the data folder stands for the folder after a power cut.
    const folder = join(parent, 'data');
    await backUpFolder(rig.folder, folder);
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
    const clock = () => began;
    await using store = await openStore({ folder, clock, random });
    let monotonic = 0;
    const started = (floor_ms: number) => createForwardClock({ clock, floor_ms, monotonic: () => monotonic });
    const accessTime = started(await latestAccess(store));
    monotonic = 3 * MINUTE_MS;
    using auth = createAuth({ store, clock, accessTime, controlToken: CONTROL });
    await assert.rejects(auth.authenticate(`Session ${token}`), { code: 'credential_invalid' });
    using wrong = createAuth({ store, clock, accessTime: started(0), controlToken: CONTROL });
    assert.equal((await wrong.authenticate(`Session ${token}`)).name, 'Olaf', 'the test can fail');
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});
