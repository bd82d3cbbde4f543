/** Users, invitations, and the ways back in for a person who forgot the passphrase. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { Caller } from '#contract/context.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const PASSPHRASE = 'seven quiet haul roads';
const OPEN = { ...as(null, { kind: 'open', id: null }), project: null };
const control = { ...as('owner', { kind: 'control', id: 'control' }), project: null };
const user = (id: string, more: Partial<Caller> = {}) => ({ caller: { kind: 'user' as const, id, ...more } });

async function invite(rig: Rig, id: string): Promise<string> {
  return (await rig.call('users_invite', { id })).url.split('#invite=')[1] ?? '';
}

const accept = (rig: Rig, token: string, passphrase = PASSPHRASE) =>
  rig.call('invitation_accept', { token, passphrase }, OPEN);
const signIn = (rig: Rig, name: string, passphrase = PASSPHRASE) =>
  rig.call('session_create', { name, passphrase }, OPEN);

test('[A121] a claim code makes an owner, and lets an owner who forgot the passphrase back in', async () => {
  await using rig = await openRig();
  const claim = (name: string, passphrase: string, given: string) =>
    rig.call('account_claim', { code: given, name, passphrase }, OPEN);
  const { code: first } = await rig.call('claim_code', {}, control);
  const made = await claim('Maria', PASSPHRASE, first);
  assert.deepEqual([made.role, made.user?.name], ['owner', 'Maria']);
  assert.equal(await rig.claim.claimed(), true);
  await assert.rejects(claim('Maria', PASSPHRASE, first), code('claim_code_invalid'), 'a code is valid once');
  await signIn(rig, 'Maria');
  const { code: second } = await rig.call('claim_code', {}, control);
  const back = await claim('maria', 'another four word phrase', second);
  assert.equal(back.user?.id, made.user?.id);
  await assert.rejects(signIn(rig, 'Maria'), code('sign_in_failed'));
  await signIn(rig, 'Maria', 'another four word phrase');
  const sessions = await rig.call('sessions_list', {}, user(made.user?.id ?? ''));
  assert.equal(sessions.data.length, 2, 'the sessions before the claim have ended');
  await rig.call('users_create', { name: 'Olaf', role: 'operator' });
  const { code: third } = await rig.call('claim_code', {}, control);
  await assert.rejects(
    claim('Olaf', PASSPHRASE, third),
    code('already_exists'),
    'an operator does not become an owner',
  );
});

test('[A122] names are unique, and an admin neither makes nor changes an owner', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Olaf Berg', role: 'operator' });
  await assert.rejects(rig.call('users_create', { name: ' olaf  BERG', role: 'viewer' }), code('already_exists'));
  const owner = await rig.call('users_create', { name: 'Maria', role: 'owner' });
  const admin = as('admin');
  await assert.rejects(rig.call('users_create', { name: 'x', role: 'owner' }, admin), code('permission_denied'));
  await assert.rejects(rig.call('users_update', { id, role: 'owner' }, admin), code('permission_denied'));
  await assert.rejects(rig.call('users_update', { id: owner.id, role: 'viewer' }, admin), code('permission_denied'));
  await assert.rejects(rig.call('users_invite', { id: owner.id }, admin), code('permission_denied'));
  const north = as('admin', { project_ids: [rig.project] });
  await assert.rejects(rig.call('users_get', { id }, north), code('not_found'), 'Olaf works at all projects');
  const made = await rig.call('users_create', { name: 'Nora', role: 'mechanic' }, north);
  assert.deepEqual(made.project_ids, [rig.project]);
  const there = { id: made.id, project_ids: [rig.other] };
  await assert.rejects(rig.call('users_update', there, north), code('project_not_found'));
  assert.deepEqual(
    (await rig.call('users_list', {}, north)).data.map(({ name }) => name),
    ['Nora'],
  );
});

test('[A122] a user is linked to an operator or mechanic of a project', async () => {
  await using rig = await openRig();
  const olaf = await rig.call('operators_create', { name: 'Olaf Berg' });
  const person = { project_id: rig.project, object: 'operator' as const, id: olaf.id };
  const made = await rig.call('users_create', { name: 'Olaf Berg', role: 'operator', person });
  assert.deepEqual((await rig.call('users_get', { id: made.id })).person, person);
  const wrong = { ...person, object: 'mechanic' as const };
  await assert.rejects(rig.call('users_update', { id: made.id, person: wrong }), code('not_found'));
});

test('[A122] the last owner stays', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Maria', role: 'owner' });
  await accept(rig, await invite(rig, id));
  await assert.rejects(rig.call('users_update', { id, disabled: true }), code('permission_denied'));
  await assert.rejects(rig.call('users_update', { id, role: 'admin' }), code('permission_denied'));
  const { key } = await rig.call('keys_create', { role: 'owner' });
  await rig.call('keys_revoke', { id: key.id });
  const other = await rig.call('keys_create', { role: 'owner' });
  await rig.call('users_update', { id, role: 'admin' });
  await assert.rejects(rig.call('keys_revoke', { id: other.key.id }), code('permission_denied'));
});

test('[A123] an invitation is valid once, until it is replaced or expires, and the admin never sees a passphrase', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Olaf', role: 'operator' });
  await assert.rejects(signIn(rig, 'Olaf'), code('sign_in_failed'), 'nobody has chosen a passphrase');
  const replaced = await invite(rig, id);
  const token = await invite(rig, id);
  await assert.rejects(accept(rig, replaced), code('invitation_invalid'));
  assert.equal((await rig.call('invitation_get', { token }, OPEN)).name, 'Olaf');
  const begun = await accept(rig, token);
  assert.deepEqual([begun.name, begun.role], ['Olaf', 'operator']);
  await assert.rejects(accept(rig, token), code('invitation_invalid'), 'it was used');
  const expiring = await invite(rig, id);
  rig.now += 48 * 3_600_000;
  await assert.rejects(rig.call('invitation_get', { token: expiring }, OPEN), code('invitation_invalid'));
  await assert.rejects(accept(rig, expiring), code('invitation_invalid'));
  const reset = await invite(rig, id);
  await accept(rig, reset, 'another four word phrase');
  assert.equal((await rig.call('sessions_list', { user_id: id })).data.length, 1, 'earlier sessions have ended');
  const last = await invite(rig, id);
  await rig.call('users_update', { id, disabled: true });
  await assert.rejects(accept(rig, last), code('invitation_invalid'));
  const stored = JSON.stringify(await rig.store.find('local', { object: 'user', limit: 10 }));
  assert.match(stored, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.ok(!stored.includes('another four'));
  const invitations = JSON.stringify(await rig.store.find('local', { object: 'invitation', limit: 10 }));
  assert.ok(!invitations.includes(last));
});

test('[A124] a passphrase that is easy to guess is refused', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Olaf Berg', role: 'operator' });
  const token = await invite(rig, id);
  for (const easy of ['Password123', 'aaaaaaaaaaaa', 'abababababab', 'olaf berg1', 'Olaf BergOlaf Berg'])
    await assert.rejects(accept(rig, token, easy), code('parameter_invalid'), easy);
  await assert.rejects(accept(rig, token, 'too short'), code('parameter_invalid'));
  await accept(rig, token);
});

test('[A126] a user changes the own passphrase with the current one, and has at most 20 sessions', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Olaf', role: 'operator' });
  await accept(rig, await invite(rig, id));
  const change = (current: string, options: object) =>
    rig.call('users_passphrase', { id, current, passphrase: 'another four word phrase' }, options);
  await assert.rejects(change(PASSPHRASE, as('owner')), code('permission_denied'), 'not even an owner');
  await assert.rejects(change('wrong passphrase', user(id)), code('sign_in_failed'));
  for (let i = 0; i < 20; i++) await signIn(rig, 'Olaf');
  const { data } = await rig.call('sessions_list', {}, user(id));
  assert.equal(data.length, 20);
  const session = data[0]?.id ?? '';
  await change(PASSPHRASE, user(id, { session }));
  const left = (await rig.call('sessions_list', {}, user(id, { session }))).data;
  assert.deepEqual(
    left.map((one) => [one.id, one.current]),
    [[session, true]],
  );
  await rig.call('sessions_revoke', { id: session }, user(id));
  assert.equal((await rig.call('sessions_list', { user_id: id })).data.length, 0);
});

test('[A126] nobody sees or ends the session of another user, except admins of all projects of the user', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Olaf', role: 'operator' });
  await accept(rig, await invite(rig, id));
  const [session] = (await rig.call('sessions_list', { user_id: id })).data;
  const other = user('usr_other', { role: 'supervisor' });
  await assert.rejects(rig.call('sessions_list', { user_id: id }, other), code('permission_denied'));
  await assert.rejects(rig.call('sessions_revoke', { id: session?.id ?? '' }, other), code('not_found'));
  const north = as('admin', { project_ids: [rig.project] });
  await assert.rejects(rig.call('sessions_revoke', { id: session?.id ?? '' }, north), code('not_found'));
  await rig.call('sessions_revoke', { id: session?.id ?? '' }, as('admin'));
});
