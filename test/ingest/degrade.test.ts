import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventData } from '#contract/base/event.ts';
import { type DeviceIdentity, NotTaken } from '#contract/fleet/ingest.ts';
import type { DiskLevel } from '#contract/site/node.ts';
import { rawBudget } from '#ingest/headroom.ts';
import { hours } from './frames.ts';
import { type Site, startSite } from './support.ts';

const MIB = 1 << 20;
const headroom = (disk: DiskLevel, spare_bytes = 0) => ({ disk, spare_bytes, memory: true });

async function gapsOf(site: Site, id: string): Promise<Record<string, unknown>[]> {
  const found = await site.store.view(site.project).find<EventData>('events', {
    object: 'event',
    where: { 'data.subject.id': id, 'data.type': 'gap_declared' },
    limit: 10,
  });
  return found.map(({ data }) => data.data);
}

/** Lets the trim come by, and what it made be stored: a device goes on talking, so that a restart begins to read further on. */
async function trimmed(site: Site, device: DeviceIdentity): Promise<void> {
  for (let i = 0; i < 4; i++) {
    site.time.pass(61_000);
    await site.send(device, 'can', hours(site.time.ms, 10));
    await site.settle();
  }
}

/** Messages that do not compress, so many bytes in all. */
async function fill(site: Site, device: DeviceIdentity, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; sent += MIB) await site.send(device, 'can', randomBytes(MIB));
  await site.settle();
}

test('[I34] at low the raw ring frees the missing space, the oldest segment first; at scarce it keeps only segments that a restart needs', async () => {
  await using site = await startSite({ segmentBytes: 2 * MIB, rawBytes: 400 * MIB });
  const device = await site.device('truck', 'HT-1');
  await fill(site, device, 12 * MIB);
  await trimmed(site, device);
  const held = async () => (await site.ingest.health()).journal.bytes;
  const before = await held();
  // Under the small ring nothing is asked of it.
  site.ingest.setHeadroom(headroom('low', -5 * MIB));
  await trimmed(site, device);
  assert.ok((await held()) >= before);
  site.ingest.setHeadroom(headroom('scarce', -5 * MIB));
  await trimmed(site, device);
  await site.settle();
  const left = await readdir(join(site.folder, 'journal'));
  assert.ok((await held()) < before / 2, `${left}`);
  const { gaps } = await site.ingest.health();
  assert.deepEqual(gaps.map(({ what, id }) => `${what} ${id}`).sort(), [
    `history ${site.machine('HT-1')}`,
    `raw ${site.store.nodeId}`,
  ]);
  // Told when it is over, in the log of everybody whose messages they were.
  assert.deepEqual(await gapsOf(site, device.device), []);
  site.ingest.setHeadroom(headroom('ok'));
  await trimmed(site, device);
  const [gap] = await gapsOf(site, device.device);
  assert.equal(gap?.what, 'raw');
  assert.ok(Number(gap.bytes) > MIB && Date.parse(String(gap.to)) >= Date.parse(String(gap.from)));
  assert.deepEqual((await site.ingest.health()).gaps, []);
});

test('[I34] a low disk shrinks the ring step by step: only the missing bytes, and not below 128 MB', () => {
  const usual = 4_096 * MIB;
  const budget = (disk: DiskLevel, spare: number, held = 2_000 * MIB) =>
    rawBudget(headroom(disk, spare * MIB), usual, held);
  assert.equal(rawBudget(undefined, usual, 2_000 * MIB), usual);
  assert.equal(budget('ok', -500), usual);
  assert.equal(budget('low', -500), 1_500 * MIB);
  assert.equal(budget('low', 500), 2_500 * MIB);
  assert.equal(budget('low', 9_000), usual);
  assert.equal(budget('low', -1_990), 128 * MIB);
  assert.deepEqual([budget('scarce', 500), budget('critical', 500)], [0, 0]);
});

test('[I34] with a critical disk or without memory measurements are refused; events and status continue', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  for (const short of [headroom('critical'), { ...headroom('ok'), memory: false }]) {
    site.ingest.setHeadroom(short);
    assert.equal(site.ingest.accepting, false);
    await assert.rejects(site.send(device, 'can', hours(site.time.ms, 10)), NotTaken);
    await assert.rejects(site.send(device, 'telemetry', '{}'), NotTaken);
    await site.send(device, 'events', JSON.stringify({ type: 'note', data: {} }));
    await site.send(device, 'status', JSON.stringify({ status: 'online' }));
    site.ingest.setHeadroom(headroom('scarce'));
    assert.equal(site.ingest.accepting, true);
    await site.send(device, 'can', hours(site.time.ms, 11));
  }
});

test('[I35] a gap survives a crash, keeps growing, and is reported once', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const sample = async (value: number): Promise<number> => {
    const { ms } = site.time;
    await site.send(device, 'can', hours(ms, value));
    await site.settle();
    site.time.pass(61_000);
    await site.settle();
    await site.settle();
    return Math.floor(ms / 1_000) * 1_000;
  };
  site.ingest.setHeadroom(headroom('scarce'));
  await site.settle();
  const first = await sample(10);
  site.time.pass(10_000);
  await site.settle();
  await site.settle();
  await site.restart({ crash: true });
  site.ingest.setHeadroom(headroom('scarce'));
  const last = await sample(11);
  const { gaps } = await site.ingest.health();
  assert.deepEqual(
    gaps.map(({ what, id, from, to, count }) => [what, id, Date.parse(from), Date.parse(to), count]),
    [['history', site.machine('HT-1'), first, last, 2]],
  );
  site.ingest.setHeadroom(headroom('low'));
  await trimmed(site, device);
  await site.restart();
  site.ingest.setHeadroom(headroom('ok'));
  await trimmed(site, device);
  const told = await gapsOf(site, site.machine('HT-1'));
  assert.deepEqual(
    told.map(({ what, from, to, count }) => [what, Date.parse(String(from)), Date.parse(String(to)), count]),
    [['history', first, last, 2]],
  );
  const { t } = await site.ingest.history(site.machine('HT-1'), 'engine.hours', first, last);
  assert.deepEqual(t, []);
});
