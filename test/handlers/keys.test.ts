import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/errors.ts';
import type { KeyData } from '#contract/node.ts';
import { mintKey } from '#handlers/keys.ts';
import { as, openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const control = { caller: { kind: 'control', id: 'control', name: 'command', role: 'owner' }, project: null } as const;

test('[A21] a key is shown once and kept as its hash', async () => {
  await using rig = await openRig();
  const { key, secret } = await rig.call('keys_create', { name: 'office', expires_in_days: 30 });
  assert.match(secret, /^wk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
  assert.equal(key.prefix, secret.slice(0, 11));
  assert.deepEqual([key.role, key.project_ids, key.revoked_at], ['admin', null, null]);
  assert.equal(Date.parse(key.expires_at ?? '') - Date.parse(key.created_at), 30 * 86_400_000);
  const stored = await rig.store.node.get<KeyData>('local', key.id);
  assert.deepEqual([stored?.data.prefix, stored?.data.hash], [secret.split('_')[1], sha256(secret)]);
  const listed = await rig.call('keys_list', {});
  assert.ok(!JSON.stringify([listed, stored]).includes(secret));
  assert.deepEqual(
    listed.data.map(({ id }) => id),
    [key.id],
  );
});

test('[A21] device keys are no workspace keys', async () => {
  await using rig = await openRig();
  const { credential } = await rig.call('devices_provision', { serial: 'CL-3' });
  assert.deepEqual((await rig.call('keys_list', {})).data, []);
  await assert.rejects(rig.call('keys_revoke', { id: credential.key_id }), code('not_found'));
});

test('[A21] only owners make and revoke owner keys', async () => {
  await using rig = await openRig();
  await assert.rejects(rig.call('keys_create', { role: 'owner' }, as('admin')), code('permission_denied'));
  const owners = [await rig.call('keys_create', { role: 'owner' }), await rig.call('keys_create', { role: 'owner' })];
  const [first] = owners;
  assert.ok(first);
  await assert.rejects(rig.call('keys_revoke', { id: first.key.id }, as('admin')), code('permission_denied'));
  assert.ok((await rig.call('keys_revoke', { id: first.key.id })).revoked_at);
  assert.ok((await rig.call('keys_revoke', { id: first.key.id })).revoked_at, 'revoking again says the same');
});

test('[A21] the last owner key that works stays, also when two are revoked at once', async () => {
  await using rig = await openRig();
  const make = (more: object = {}) => rig.call('keys_create', { role: 'owner', ...more });
  const a = await make();
  await assert.rejects(rig.call('keys_revoke', { id: a.key.id }), code('permission_denied'));
  const expired = await make({ expires_in_days: 1 });
  rig.now += 2 * 86_400_000;
  await assert.rejects(rig.call('keys_revoke', { id: a.key.id }), code('permission_denied'));
  assert.ok((await rig.call('keys_revoke', { id: expired.key.id })).revoked_at);
  const b = await make();
  const both = await Promise.allSettled([a, b].map(({ key }) => rig.call('keys_revoke', { id: key.id })));
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('[A21] a key never reaches further than the one that made it', async () => {
  await using rig = await openRig();
  const restricted = as('admin', { project_ids: [rig.project] });
  const inherited = await rig.call('keys_create', {}, restricted);
  assert.deepEqual(inherited.key.project_ids, [rig.project]);
  await assert.rejects(rig.call('keys_create', { project_ids: [rig.other] }, restricted), code('project_not_found'));
  await assert.rejects(rig.call('keys_create', { project_ids: ['prj_none'] }), code('project_not_found'));
  await assert.rejects(
    rig.call('keys_create', { role: 'owner', project_ids: [rig.project] }),
    code('parameter_invalid'),
  );
  const wide = await rig.call('keys_create', {});
  assert.deepEqual(
    (await rig.call('keys_list', {}, restricted)).data.map(({ id }) => id),
    [inherited.key.id],
  );
  await assert.rejects(rig.call('keys_revoke', { id: wide.key.id }, restricted), code('not_found'));
});

test('[A21] a key given from outside is stored as if it had been minted', () => {
  const secret = `wk_testtest_${'A'.repeat(43)}`;
  const tools = { secret: () => '', sha256 };
  const { data } = mintKey(tools, { name: 'unattended', role: 'owner' }, secret);
  assert.deepEqual(
    [data.prefix, data.hash, data.kind, data.project_ids],
    ['testtest', sha256(secret), 'workspace', null],
  );
});

const open = (rig: Rig, claimCode: string) =>
  rig.call('claim', { code: claimCode }, { ...as(null, { kind: 'open', id: null }), project: null });

test('[A22] the claim code makes the first owner, once', async () => {
  await using rig = await openRig();
  assert.equal(await rig.claim.claimed(), false);
  const printed = rig.claim.renew();
  assert.match(printed.code, /^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/);
  assert.equal(Date.parse(printed.expires_at) - rig.now < 15 * 60_000, true);
  const { key, secret } = await open(rig, printed.code.toLowerCase().replace('-', ''));
  assert.deepEqual([key.role, key.name], ['owner', 'owner']);
  assert.match(secret, /^wk_/);
  assert.equal(await rig.claim.claimed(), true);
  await assert.rejects(open(rig, printed.code), code('already_claimed'));
});

test('[A22] of many who claim at once with the right code one becomes the owner', async () => {
  await using rig = await openRig();
  const printed = rig.claim.renew();
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => open(rig, printed.code)));
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of all) if (result.status === 'rejected') assert.equal(result.reason.code, 'already_claimed');
});

test('[A22] a code ends after 15 minutes and after 10 wrong tries', async () => {
  await using rig = await openRig();
  const first = rig.claim.renew();
  rig.now += 15 * 60_000;
  await assert.rejects(open(rig, first.code), code('claim_code_invalid'));
  assert.equal(rig.claim.current(), null);
  const second = rig.claim.renew();
  for (let i = 0; i < 10; i++) await assert.rejects(open(rig, `WRONG-${i}`), code('claim_code_invalid'));
  await assert.rejects(open(rig, second.code), code('claim_code_invalid'));
});

test('[A22] only the command on the gateway prints a code', async () => {
  await using rig = await openRig();
  await assert.rejects(rig.call('claim_code', {}), code('permission_denied'));
  const printed = await rig.call('claim_code', {}, control);
  assert.equal(printed.code, rig.claim.current()?.code);
  await open(rig, printed.code ?? '');
  assert.deepEqual(await rig.call('claim_code', {}, control), {
    object: 'claim_code',
    claimed: true,
    code: null,
    expires_at: null,
  });
});
