import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { KeyData } from '#contract/site/node.ts';
import { mintKey } from '#handlers/access/keys.ts';
import { as, openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const control = { caller: { kind: 'control', id: 'control', name: 'command', role: 'owner' }, project: null } as const;

test('[A21] a key is returned once and stored as a hash', async () => {
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

test('[A21] a device key is not listed as a workspace key', async () => {
  await using rig = await openRig();
  const { credential } = await rig.call('devices_provision', { serial: 'CL-3' });
  assert.deepEqual((await rig.call('keys_list', {})).data, []);
  await assert.rejects(rig.call('keys_revoke', { id: credential.key_id }), code('not_found'));
});

test('[A21] only owners create and revoke owner keys', async () => {
  await using rig = await openRig();
  await assert.rejects(rig.call('keys_create', { role: 'owner' }, as('admin')), code('permission_denied'));
  const owners = [await rig.call('keys_create', { role: 'owner' }), await rig.call('keys_create', { role: 'owner' })];
  const [first] = owners;
  assert.ok(first);
  await assert.rejects(rig.call('keys_revoke', { id: first.key.id }, as('admin')), code('permission_denied'));
  assert.ok((await rig.call('keys_revoke', { id: first.key.id })).revoked_at);
  assert.ok((await rig.call('keys_revoke', { id: first.key.id })).revoked_at, 'revoking again says the same');
});

test('[A21] the last valid owner key cannot be revoked, also not by two concurrent calls', async () => {
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

test('[A21] a key never has more access than the key that created it', async () => {
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

test('[A21] a given secret is stored in the same form as a generated one', () => {
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

test('[A22] a claim code creates the first owner key, once', async () => {
  await using rig = await openRig();
  assert.equal(await rig.claim.claimed(), false);
  const printed = await rig.claim.renew();
  assert.match(printed.code, /^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/);
  assert.equal(Date.parse(printed.expires_at) - rig.now < 15 * 60_000, true);
  const { key, secret } = await open(rig, printed.code.toLowerCase().replace('-', ''));
  assert.deepEqual([key.role, key.name], ['owner', 'owner']);
  assert.match(secret, /^wk_/);
  assert.equal(await rig.claim.claimed(), true);
  await assert.rejects(open(rig, printed.code), code('already_claimed'));
});

test('[A22] of many concurrent claims with the right code one succeeds', async () => {
  await using rig = await openRig();
  const printed = await rig.claim.renew();
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => open(rig, printed.code)));
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of all) if (result.status === 'rejected') assert.equal(result.reason.code, 'already_claimed');
});

test('[A22] a code expires after 15 minutes, and wrong codes do not invalidate it', async () => {
  await using rig = await openRig();
  const first = await rig.claim.renew();
  rig.now += 15 * 60_000;
  await assert.rejects(open(rig, first.code), code('claim_code_invalid'));
  assert.equal(await rig.claim.current(), null);
  const second = await rig.claim.renew();
  for (let i = 0; i < 50; i++) await assert.rejects(open(rig, `WRONG-${i}`), code('claim_code_invalid'));
  assert.equal((await rig.claim.current())?.code, second.code);
  await open(rig, second.code);
});

test('[A22] only the command on the gateway prints a code', async () => {
  await using rig = await openRig();
  await assert.rejects(rig.call('claim_code', {}), code('permission_denied'));
  const printed = await rig.call('claim_code', {}, control);
  assert.equal(printed.code, (await rig.claim.current())?.code);
  await open(rig, printed.code);
  assert.equal(await rig.claim.current(), null, 'a code is valid once');
  const again = await rig.call('claim_code', {}, control);
  assert.equal(again.claimed, true);
  await assert.rejects(open(rig, again.code), code('already_claimed'));
});

test('[A117] a key restricted to scopes and addresses creates no key with fewer restrictions', async () => {
  await using rig = await openRig();
  const scopes = ['equipment:write', 'tasks:read', 'keys:write'];
  const allowed_cidrs = ['10.2.0.0/16', 'fd00::/8'];
  const { key } = await rig.call('keys_create', { scopes, allowed_cidrs });
  assert.deepEqual([key.scopes, key.allowed_cidrs, key.last_used_at], [scopes, allowed_cidrs, null]);
  assert.deepEqual((await rig.call('keys_create', {})).key.scopes, null);
  const bound = as('admin', { scopes, allowed_cidrs });
  const made = await rig.call('keys_create', { scopes: ['equipment:read'], allowed_cidrs: ['fd00::/8'] }, bound);
  assert.deepEqual([made.key.scopes, made.key.allowed_cidrs], [['equipment:read'], ['fd00::/8']]);
  const inherited = await rig.call('keys_create', {}, bound);
  assert.deepEqual([inherited.key.scopes, inherited.key.allowed_cidrs], [scopes, allowed_cidrs]);
  await assert.rejects(rig.call('keys_create', { scopes: ['*:read'] }, bound), code('permission_denied'));
  await assert.rejects(rig.call('keys_create', { scopes: ['tasks:write'] }, bound), code('permission_denied'));
  await assert.rejects(rig.call('keys_create', { allowed_cidrs: ['0.0.0.0/0'] }, bound), code('permission_denied'));
  for (const bad of [
    { scopes: ['cakes:read'] },
    { scopes: [] },
    { allowed_cidrs: ['10.2.0.0'] },
    { role: 'owner' as const, scopes: ['*:read'] },
    { role: 'owner' as const, allowed_cidrs },
  ])
    await assert.rejects(rig.call('keys_create', bad), code('parameter_invalid'), JSON.stringify(bad));
});

test('[A117] scopes restrict a role on every operation', async () => {
  await using rig = await openRig();
  const reader = as('admin', { scopes: ['equipment:read'] });
  await rig.call('equipment_list', {}, reader);
  await assert.rejects(rig.call('equipment_create', { unit_number: 'X' }, reader), code('permission_denied'));
  await assert.rejects(rig.call('locations_list', {}, reader), code('permission_denied'));
  await rig.call('equipment_list', {}, as('admin', { scopes: ['equipment:write'] }));
  await rig.call('locations_list', {}, as('admin', { scopes: ['*:read'] }));
  await rig.call('locations_create', { name: 'Pit' }, as('admin', { scopes: ['*:write'] }));
  await assert.rejects(
    rig.call('locations_create', { name: 'Pit' }, as('viewer', { scopes: ['*:write'] })),
    code('permission_denied'),
  );
});

test('[A118] a roll makes a key with the same restrictions, and the old key stays valid for a day', async () => {
  await using rig = await openRig();
  const { key } = await rig.call('keys_create', { name: 'office', expires_in_days: 30, scopes: ['*:read'] });
  rig.now += 10 * 86_400_000;
  const { key: fresh, previous, secret } = await rig.call('keys_roll', { id: key.id });
  assert.match(secret, /^wk_/);
  assert.deepEqual(
    [fresh.name, fresh.role, fresh.scopes, previous.replaced_by],
    ['office', 'admin', ['*:read'], fresh.id],
  );
  const days = (at: string | null) => Math.round((Date.parse(at ?? '') - rig.now) / 86_400_000);
  assert.deepEqual([days(fresh.expires_at), days(previous.expires_at)], [30, 1]);
  const stored = await rig.store.node.get<KeyData>('local', fresh.id);
  assert.equal(stored?.data.hash, sha256(secret));
  const { previous: ended } = await rig.call('keys_roll', { id: fresh.id, overlap_hours: 0 });
  assert.ok((ended.expires_at ?? '~') <= new Date(rig.now).toISOString());
  await assert.rejects(rig.call('keys_roll', { id: fresh.id }), code('not_found'));
  const log = await rig.call('audit_list', { of: 'gateway', subject: key.id, type: 'rolled' });
  assert.deepEqual(log.data[0]?.data, { replaced_by: fresh.id, overlap_hours: 24 });
});

test('[A118] a caller cannot roll a key that it could not create', async () => {
  await using rig = await openRig();
  const owner = await rig.call('keys_create', { role: 'owner' });
  await assert.rejects(rig.call('keys_roll', { id: owner.key.id }, as('admin')), code('permission_denied'));
  assert.equal((await rig.call('keys_roll', { id: owner.key.id })).key.role, 'owner');
  const wide = await rig.call('keys_create', {});
  const bound = as('admin', { scopes: ['keys:write'] });
  await assert.rejects(rig.call('keys_roll', { id: wide.key.id }, bound), code('permission_denied'));
  const restricted = as('admin', { project_ids: [rig.project] });
  await assert.rejects(rig.call('keys_roll', { id: wide.key.id }, restricted), code('not_found'));
});

test('[A119] a key issues, lists and revokes its personal tokens', async () => {
  await using rig = await openRig();
  const viewer = as('viewer');
  const { token, secret } = await rig.call('personal_tokens_create', { name: 'laptop' }, viewer);
  assert.match(secret, /^pat_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([token.key_id, token.scopes, token.revoked_at], ['key_viewer', ['transcript:read'], null]);
  const stored = JSON.stringify(await rig.store.node.get('local', token.id));
  assert.ok(stored.includes(sha256(secret)) && !stored.includes(secret));
  const own = await rig.call('personal_tokens_list', {}, viewer);
  assert.deepEqual(own.data, [token]);
  assert.deepEqual((await rig.call('personal_tokens_list', {}, as('mechanic'))).data, []);
  await assert.rejects(
    rig.call('personal_tokens_list', { key_id: 'key_viewer' }, as('mechanic')),
    code('permission_denied'),
  );
  assert.deepEqual((await rig.call('personal_tokens_list', { key_id: 'key_viewer' })).data, [token]);
  await assert.rejects(rig.call('personal_tokens_revoke', { id: token.id }, as('mechanic')), code('not_found'));
  assert.ok((await rig.call('personal_tokens_revoke', { id: token.id }, viewer)).revoked_at);
  assert.ok(!(await rig.call('keys_list', {})).data.some(({ id }) => id === token.id));
  await assert.rejects(rig.call('keys_revoke', { id: token.id }), code('not_found'));
  const blind = as('viewer', { scopes: ['personal-tokens:write', 'equipment:read'] });
  await assert.rejects(rig.call('personal_tokens_create', {}, blind), code('permission_denied'));
  await assert.rejects(
    rig.call('personal_tokens_create', {}, as('viewer', { kind: 'personal' })),
    code('permission_denied'),
  );
});

test('[A119] a key has at most 20 valid tokens; expired ones do not count', async () => {
  await using rig = await openRig();
  for (let i = 0; i < 20; i++) await rig.call('personal_tokens_create', { expires_in_days: i === 0 ? 1 : 30 });
  await assert.rejects(rig.call('personal_tokens_create', {}), code('limit_reached'));
  rig.now += 86_400_000;
  await rig.call('personal_tokens_create', {});
});

test('[A117] a key that a key creates or rolls never expires later than that key', async () => {
  await using rig = await openRig();
  const { key } = await rig.call('keys_create', { role: 'admin', expires_in_days: 1 });
  const caller = as('admin', { kind: 'workspace', id: key.id });
  const made = await rig.call('keys_create', { role: 'viewer' }, caller);
  assert.equal(made.key.expires_at, key.expires_at);
  const longer = await rig.call('keys_create', { role: 'viewer', expires_in_days: 30 }, caller);
  assert.equal(longer.key.expires_at, key.expires_at);
  const rolled = await rig.call('keys_roll', { id: key.id }, caller);
  assert.equal(rolled.key.expires_at, key.expires_at);
  const byOwner = await rig.call('keys_roll', { id: made.key.id });
  assert.equal(byOwner.key.revoked_at, null);
});
