import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

/** What handlers write when the last key goes, or a new one comes. */
async function revoke(site: Site, device: string, revoked: boolean): Promise<void> {
  const revoked_at = revoked ? new Date(site.time.ms).toISOString() : null;
  const data = { device, device_id: 'truck', key_id: revoked ? null : 'key_1', revoked_at };
  await site.store.node.commit([{ collection: 'local', id: 'device_name_truck', object: 'device_name', data }]);
}
const statusOf = (site: Site, device: string) => site.ingest.live.device(device)?.status;

test('[I25] a device whose keys were revoked is unassigned, and provisioned when it has one again', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'eq_1');
  await revoke(site, device.device, false);
  site.ingest.connected(device, '192.0.2.7');
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  assert.equal(statusOf(site, device.device), 'transmitting');
  site.time.pass(1_000);
  await revoke(site, device.device, true);
  site.ingest.disconnected(device);
  await site.settle();
  assert.equal(statusOf(site, device.device), 'unassigned');
  const [change] = site.ingest.live.device(device.device)?.timeline_changes ?? [];
  assert.deepEqual([change?.from, change?.to, change?.reason], ['transmitting', 'unassigned', 'key revoked']);
  site.time.pass(400_000);
  await site.settle();
  assert.equal(statusOf(site, device.device), 'unassigned', 'silence is no news of one that may not speak');
  await revoke(site, device.device, false);
  await site.settle();
  assert.equal(statusOf(site, device.device), 'provisioned');
});

test('[I25] a revoke holds over a crash, with messages from before it still to be folded', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'eq_1');
  await revoke(site, device.device, false);
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  site.time.pass(1_000);
  await revoke(site, device.device, true);
  await site.restart({ crash: true });
  await site.settle();
  assert.equal(statusOf(site, device.device), 'unassigned');
  site.time.pass(1_000);
  await site.send(device, 'can', speed(site.time.ms, 700));
  await site.settle();
  assert.equal(statusOf(site, device.device), 'transmitting', 'what is heard all the same is shown');
});
