/** Local sign-in: the codes with which the desktop app signs its user in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const from = (address: string) => ({ ...as(null, { kind: 'open', id: null, address }), project: null });
const HERE = from('127.0.0.1');
const control = { ...as('owner', { kind: 'control', id: 'control' }), project: null };
const make = (rig: Rig, user_id: string) => rig.call('local_code', { user_id }, control);

test('[A127] a code of local sign-in is valid once, for 30 seconds, and only on the computer of the gateway', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Nora', role: 'mechanic' });
  const first = await make(rig, id);
  await assert.rejects(rig.call('local_sign_in', { code: first.code }, from('10.0.0.7')), code('sign_in_failed'));
  const began = await rig.call('local_sign_in', { code: first.code }, HERE);
  assert.deepEqual([began.kind, began.name, began.role, began.remembered], ['user', 'Nora', 'mechanic', false]);
  await assert.rejects(rig.call('local_sign_in', { code: first.code }, HERE), code('sign_in_failed'), 'used');
  const late = await make(rig, id);
  rig.now += 31_000;
  await assert.rejects(rig.call('local_sign_in', { code: late.code }, HERE), code('sign_in_failed'), 'expired');
  const audit = await rig.call('audit_list', { of: 'gateway', subject: id });
  const entry = audit.data.find(({ type }) => type === 'signed_in');
  assert.deepEqual(entry?.data, { address: '127.0.0.1', with: 'local_code' });
  const sessions = await rig.call('sessions_list', { user_id: id }, { project: null });
  const [session] = sessions.data;
  const hours = (Date.parse(session?.ends_at ?? '') - Date.parse(session?.created_at ?? '')) / 3_600_000;
  assert.equal(Math.round(hours), 16);
});

test('[A127] of two uses of one code at the same time only one signs in', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Nora', role: 'mechanic' });
  const made = await make(rig, id);
  const tries = await Promise.allSettled([1, 2, 3].map(() => rig.call('local_sign_in', { code: made.code }, HERE)));
  assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('[A127] only the control token makes a code, only for an active user, and old codes leave the list of 20', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('users_create', { name: 'Nora', role: 'mechanic' });
  await assert.rejects(rig.call('local_code', { user_id: id }), code('permission_denied'), 'an owner key');
  await assert.rejects(make(rig, rig.project), code('not_found'));
  const oldest = await make(rig, id);
  const second = await make(rig, id);
  for (let i = 0; i < 19; i++) await make(rig, id);
  await assert.rejects(rig.call('local_sign_in', { code: oldest.code }, HERE), code('sign_in_failed'));
  await rig.call('local_sign_in', { code: second.code }, HERE);
  const before = await make(rig, id);
  await rig.call('users_update', { id, disabled: true });
  await assert.rejects(rig.call('local_sign_in', { code: before.code }, HERE), code('sign_in_failed'));
  await assert.rejects(make(rig, id), code('permission_denied'));
});
