import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { KeyData } from '#contract/site/node.ts';
import { sweepClaims } from '#handlers/devices/secret-claims.ts';
import { createAuth } from '#servers/http/auth.ts';
import { eventTypes, openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const DAY_MS = 86_400_000;

async function provisioned(rig: Rig, serial = 'CL-3') {
  const { device, credential } = await rig.call('devices_provision', { serial });
  return { id: device.id, device_id: device.device_id, key: credential.key ?? '', key_id: credential.key_id };
}
const claimOf = (url: string | null) => url?.split('/').at(-1) ?? '';

test('[A220] a rolled key is fetched once, and is neither in the answer of the roll nor in the store', async () => {
  await using rig = await openRig();
  const device = await provisioned(rig);
  const roll = await rig.call('devices_api_key_roll', { id: device.id });
  assert.deepEqual([roll.previous_key_id, roll.key_id === device.key_id], [device.key_id, false]);
  assert.equal(roll.claim_url, `/api/v1/devices/${device.id}/key-claims/${claimOf(roll.claim_url)}`);
  assert.ok(!/dk_/.test(JSON.stringify(roll)));
  const claim = { id: device.id, claim_id: claimOf(roll.claim_url) };
  const taken = await rig.call('devices_key_claim', claim);
  assert.match(taken.key ?? '', /^dk_/);
  assert.deepEqual([taken.key_id, taken.previous.key_id], [roll.key_id, device.key_id]);
  await assert.rejects(rig.call('devices_key_claim', claim), code('not_found'));
  const stored = await rig.store.node.get<KeyData>('local', taken.key_id);
  assert.equal(stored?.data.hash, sha256(taken.key ?? ''));
  for (const object of ['secret_claim', 'key', 'device_name'])
    assert.ok(!JSON.stringify(await rig.store.find('local', { object, limit: 1_000 })).includes(taken.key ?? '-'));
  assert.deepEqual(await eventTypes(rig, 'devices_events', device.id), [
    'created',
    'provisioned',
    'key_rolled',
    'updated',
  ]);
});

test('[A220] the old key stays valid until the new one is fetched, and for a day after that', async () => {
  await using rig = await openRig();
  using auth = createAuth({ store: rig.store, clock: rig.clock, accessTime: rig.clock, controlToken: 'ctl_none' });
  const device = await provisioned(rig);
  const works = async (key: string) => (await auth.authenticateDevice(device.device_id, key)) !== undefined;
  const roll = await rig.call('devices_api_key_roll', { id: device.id });
  const rolling = await rig.call('devices_get', { id: device.id });
  assert.deepEqual(rolling.state.credential, { key_id: device.key_id, status: 'rolling', expires_at: null });
  rig.now += DAY_MS * 2;
  assert.ok(await works(device.key), 'a roll that nobody picked up cuts nobody off');
  await assert.rejects(
    rig.call('devices_key_claim', { id: device.id, claim_id: claimOf(roll.claim_url) }),
    code('not_found'),
  );
  const again = await rig.call('devices_api_key_roll', { id: device.id });
  assert.equal(await rig.store.node.get('local', roll.key_id ?? ''), undefined, 'the key that nobody has is forgotten');
  const { key, previous } = await rig.call('devices_key_claim', { id: device.id, claim_id: claimOf(again.claim_url) });
  assert.ok((await works(key ?? '')) && (await works(device.key)));
  assert.ok(Date.parse(previous.expires_at ?? '') - rig.now <= DAY_MS);
  rig.now += DAY_MS + 1;
  assert.deepEqual([await works(key ?? ''), await works(device.key)], [true, false]);
  assert.equal((await rig.call('devices_get', { id: device.id })).state.credential?.key_id, again.key_id);
});

test('[A220] a claim works only for its device and project, and the sweep deletes expired ones', async () => {
  await using rig = await openRig();
  const [a, b] = [await provisioned(rig, 'A1'), await provisioned(rig, 'B1')];
  const roll = await rig.call('devices_api_key_roll', { id: a.id });
  const claim_id = claimOf(roll.claim_url);
  await assert.rejects(rig.call('devices_key_claim', { id: b.id, claim_id }), code('not_found'));
  await assert.rejects(
    rig.call('devices_key_claim', { id: a.id, claim_id }, { project: rig.other }),
    code('not_found'),
  );
  await assert.rejects(rig.call('devices_hmac_claim', { id: a.id, claim_id }), code('not_found'));
  assert.equal(await sweepClaims(rig.store, rig.clock), 0);
  rig.now += 10 * 60_000 + 1;
  assert.equal(await sweepClaims(rig.store, rig.clock), 1);
  assert.equal(await rig.store.node.get('local', claim_id), undefined);
  const bare = await rig.call('devices_create', { name: 'bare' });
  await assert.rejects(rig.call('devices_api_key_roll', { id: bare.id }), code('not_provisioned'));
});

test('[A220] a dry run writes nothing', async () => {
  await using rig = await openRig();
  const device = await provisioned(rig);
  const before = rig.store.stats().commits;
  const roll = await rig.call('devices_api_key_roll', { id: device.id, dry_run: true });
  assert.deepEqual([roll.key_id, roll.claim_url], [null, null]);
  const made = await rig.call('devices_new', { name: 'Logger 9', dry_run: true });
  await assert.rejects(rig.call('devices_get', { id: made.device.id }), code('not_found'));
  assert.equal(rig.store.stats().commits, before);
});

test('[A221] a revoke ends every key and key pair at once, and the device is unassigned', async () => {
  await using rig = await openRig();
  using auth = createAuth({ store: rig.store, clock: rig.clock, accessTime: rig.clock, controlToken: 'ctl_none' });
  const device = await provisioned(rig);
  const roll = await rig.call('devices_api_key_roll', { id: device.id });
  const { key } = await rig.call('devices_key_claim', { id: device.id, claim_id: claimOf(roll.claim_url) });
  const waiting = await rig.call('devices_api_key_roll', { id: device.id });
  const info = await rig.call('devices_provision_info', { device_id: device.id });
  const before = rig.store.stats().commits;
  const revoked = await rig.call('devices_key_revoke', { id: device.id, reason: 'stolen' });
  assert.equal(rig.store.stats().commits, before + 1);
  assert.deepEqual([revoked.status, revoked.status_color, revoked.state.credential], ['unassigned', 'gray', null]);
  for (const one of [device.key, key ?? ''])
    assert.equal(await auth.authenticateDevice(device.device_id, one), undefined);
  await assert.rejects(
    rig.call('devices_key_claim', { id: device.id, claim_id: claimOf(waiting.claim_url) }),
    code('not_found'),
  );
  await assert.rejects(
    rig.call('devices_hmac_claim', { id: device.id, claim_id: claimOf(info.hmac.secret_ref) }),
    code('not_found'),
  );
  assert.equal((await rig.store.view(rig.project).get<DeviceLive>('live', device.id))?.data.status, 'unassigned');
  const log = await rig.call('devices_events', { id: device.id });
  assert.deepEqual([log.data[0]?.type, log.data[0]?.data.reason], ['key_revoked', 'stolen']);
  await assert.rejects(rig.call('devices_key_revoke', { id: device.id }), code('not_provisioned'));
  const fresh = await rig.call('devices_provision_info', { device_id: device.id });
  assert.notEqual(fresh.hmac.access_key_id, info.hmac.access_key_id);
  const back = await rig.call('devices_provision', { serial: 'CL-3' });
  assert.equal(back.device.status, 'provisioned');
});

test('[A221] provisioning again ends the old key of a roll too', async () => {
  await using rig = await openRig();
  const device = await provisioned(rig);
  const roll = await rig.call('devices_api_key_roll', { id: device.id });
  await rig.call('devices_key_claim', { id: device.id, claim_id: claimOf(roll.claim_url) });
  const again = await rig.call('devices_provision', { serial: 'CL-3' });
  const keys = await rig.store.find<KeyData>('local', { object: 'key', limit: 100 });
  assert.deepEqual(
    keys.filter(({ data }) => data.revoked_at === null).map(({ id }) => id),
    [again.credential.key_id],
  );
});

test('[A222] provision-info names bucket and key pair, and the secret is fetched once over HTTP', async () => {
  await using rig = await openRig();
  const device = await provisioned(rig, 'CL 3/7');
  const info = await rig.call('devices_provision_info', { serial: 'cl 3/7' });
  assert.deepEqual(
    [info.bucket, info.endpoint, info.port, info.region, info.prefix, info.status],
    ['headframe', 'http://gateway.test', 9480, 'us-east-1', 'CL-3-7/', 'not_listening'],
  );
  assert.match(info.hmac.access_key_id, /^[A-Z0-9]{20}$/);
  const claim = { id: device.id, claim_id: claimOf(info.hmac.secret_ref) };
  const { secret, access_key_id, config_patch } = await rig.call('devices_hmac_claim', claim);
  assert.equal(access_key_id, info.hmac.access_key_id);
  assert.match(secret ?? '', /^[\x21-\x7e]{40}$/);
  assert.ok(!JSON.stringify(info).includes(secret ?? '-'));
  const server = (config_patch as { connect: { s3: { server: object } } }).connect.s3.server;
  assert.deepEqual(Object.keys(server).sort(), [
    'accesskey',
    'bucket',
    'endpoint',
    'keyformat',
    'port',
    'region',
    'request_style',
    'secretkey',
    'signed_payload',
  ]);
  await assert.rejects(rig.call('devices_hmac_claim', claim), code('not_found'));
  const again = await rig.call('devices_provision_info', { device_id: 'CL-3-7' });
  assert.equal(again.hmac.access_key_id, access_key_id, 'one key pair per device');
  assert.equal(
    (await rig.call('devices_hmac_claim', { id: device.id, claim_id: claimOf(again.hmac.secret_ref) })).secret,
    secret,
  );
  await assert.rejects(rig.call('devices_provision_info', {}), code('parameter_missing'));
  await assert.rejects(
    rig.call('devices_provision_info', { serial: 'cl 3/7' }, { project: rig.other }),
    code('not_found'),
  );
});
