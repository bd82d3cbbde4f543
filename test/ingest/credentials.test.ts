import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceData } from '#contract/fleet/device.ts';
import { createRefusedLogins } from '#ingest/refused-logins.ts';
import { speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

const provision = (site: Site) => site.call('devices_provision', { serial: 'SN-1', device_id: 'truck' });
const revoke = (site: Site, device: string) => site.call('devices_key_revoke', { id: device });
const statusOf = (site: Site, device: string) => site.ingest.live.device(device)?.status;

test('[I25] a device whose keys are revoked is unassigned, and provisioned when it gets a new key', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await provision(site);
  site.ingest.connected(device, '192.0.2.7');
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  assert.equal(statusOf(site, device.device), 'transmitting');
  site.time.pass(1_000);
  await revoke(site, device.device);
  site.ingest.disconnected(device);
  await site.settle();
  assert.equal(statusOf(site, device.device), 'unassigned');
  const [change] = site.ingest.live.device(device.device)?.timeline_changes ?? [];
  assert.deepEqual([change?.from, change?.to, change?.reason], ['transmitting', 'unassigned', 'key revoked']);
  site.time.pass(400_000);
  await site.settle();
  assert.equal(statusOf(site, device.device), 'unassigned', 'silence is no news of one that may not speak');
  await provision(site);
  await site.settle();
  assert.equal(statusOf(site, device.device), 'provisioned');
});

test('[I25] a revocation survives a crash while earlier messages are not folded yet', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  await provision(site);
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  site.time.pass(1_000);
  await revoke(site, device.device);
  await site.restart({ crash: true });
  await site.settle();
  assert.equal(statusOf(site, device.device), 'unassigned');
  site.time.pass(1_000);
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  assert.equal(statusOf(site, device.device), 'transmitting', 'what is heard all the same is shown');
});

test('[I46] a refused login counts for the named device and for the address, and changes no status', async () => {
  await using site = await startSite();
  const device = await site.device('truck');
  const sources = async () =>
    (await site.ingest.health()).sources.map(({ source, refused, last_error }) => [source, refused, last_error]);
  assert.equal(site.ingest.refusedLogin(device.device), undefined);
  site.ingest.loginRefused('truck', '10.0.0.7', 'wrong key');
  site.time.pass(1_000);
  site.ingest.loginRefused('truck', '10.0.0.8', 'wrong key');
  site.ingest.loginRefused('no such truck', '10.0.0.8', 'wrong key');
  const last = { at_ms: site.time.ms, address: '10.0.0.8', reason: 'wrong key', count: 2 };
  assert.deepEqual(site.ingest.refusedLogin(device.device), last);
  assert.deepEqual((await sources()).toSorted(), [
    ['10.0.0.7', 1, 'wrong key'],
    ['10.0.0.8', 2, 'wrong key'],
    ['truck', 2, 'login from 10.0.0.8: wrong key'],
  ]);
  await site.round();
  assert.equal(site.ingest.live.device(device.device), undefined, 'a refused login is no sign of the device');
});

test('[I46] a refused login is counted for the device with this device_id now: after a rename by the new name, after a deletion for none', async () => {
  await using site = await startSite();
  const device = await site.device('truck');
  // No operation renames or deletes a device yet: what the store says counts.
  const view = site.store.view(site.project);
  const record = await view.get<DeviceData>('records', device.device);
  assert.ok(record !== undefined);
  const write = { collection: 'records', id: device.device, object: 'device' } as const;
  await view.commit([{ ...write, data: { ...record.data, device_id: 'digger' } }]);
  site.ingest.loginRefused('truck', '10.0.0.7', 'wrong key');
  assert.equal(site.ingest.refusedLogin(device.device), undefined);
  site.ingest.loginRefused('digger', '10.0.0.7', 'wrong key');
  assert.equal(site.ingest.refusedLogin(device.device)?.count, 1);
  await view.commit([{ ...write, data: { ...record.data, device_id: 'digger' }, deleted: true }]);
  site.ingest.loginRefused('digger', '10.0.0.7', 'wrong key');
  assert.equal(site.ingest.refusedLogin(device.device)?.count, 1);
});

test('[I46] the last refused login is stored for 1,000 devices; at the limit the oldest is removed', () => {
  const logins = createRefusedLogins();
  for (let i = 0; i < 1_000; i++) logins.note(`dev_${i}`, '10.0.0.7', 'wrong key', i);
  logins.note('dev_0', '10.0.0.7', 'wrong key', 1_000);
  logins.note('dev_new', '10.0.0.7', 'wrong key', 1_001);
  assert.deepEqual(
    [logins.last('dev_0')?.count, logins.last('dev_1'), logins.last('dev_2')?.count, logins.last('dev_new')?.count],
    [2, undefined, 1, 1],
  );
});
