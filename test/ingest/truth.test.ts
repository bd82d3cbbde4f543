/** What must not be lost, shown or kept silent: readings that cannot be, documents that the store refuses, raw messages that give way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventData } from '#contract/base/event.ts';
import { StoreError } from '#contract/base/store-error.ts';
import type { Stored } from '#contract/base/view.ts';
import { dm1, hours, speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

const eventsOf = (site: Site, type: string): Promise<Stored<EventData>[]> =>
  site.store
    .view(site.project)
    .find<EventData>('events', { object: 'event', where: { 'data.type': type }, order: 'asc', limit: 500 });

/** Lets time pass until everything is folded and stored. */
async function stored(site: Site): Promise<void> {
  for (let i = 0; i < 3; i++) await site.stored();
}

const hoursOf = (site: Site) => site.ingest.live.equipment(site.machine('HT-1'))?.values['engine.hours']?.value;

test('[I37] an impossible reading is not shown and not in history, but in the log, also after restarts', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const start = site.time.ms - 600_000;
  await site.send(device, 'can', hours(start, 9000));
  await site.send(device, 'can', hours(start + 1000, 14_000));
  await site.settle();
  assert.equal(hoursOf(site), 9000);
  await site.restart({ crash: true });
  await site.settle();
  assert.equal(hoursOf(site), 9000);
  await site.send(device, 'can', hours(start + 2000, 9000.05));
  await stored(site);
  await site.restart({ crash: true });
  await site.settle();
  const history = await site.ingest.history(site.machine('HT-1'), 'engine.hours', 0, 8e12);
  assert.deepEqual(history.v, [9000, 9000.05]);
  const [held] = await eventsOf(site, 'meter.held');
  const [rejected] = await eventsOf(site, 'meter.rejected');
  assert.deepEqual([held?.data.data.value, held?.data.data.known], [14_000, 9000]);
  assert.match(String(held?.data.data.ref), /^1:\d+#0$/);
  assert.deepEqual([rejected?.data.data.value, rejected?.data.subject.id], [14_000, site.machine('HT-1')]);
  assert.deepEqual(await eventsOf(site, 'meter.reset'), []);
});

test('[I37] the second reading of a replaced control unit is accepted, and the change is logged', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const start = site.time.ms - 600_000;
  for (const [i, h] of [9000, 12, 12.05, 12.1].entries()) await site.send(device, 'can', hours(start + i * 1000, h));
  await stored(site);
  assert.equal(hoursOf(site), 9000.1, 'the total continues');
  const [reset, ...more] = await eventsOf(site, 'meter.reset');
  assert.deepEqual([reset?.data.data.from, reset?.data.data.to, reset?.data.data.reason], [9000, 12.05, 'decreased']);
  assert.deepEqual(more, []);
});

test('[I38] documents that the store refuses are found and set aside; all others are stored once', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const real = site.store.commit;
  let calls = 0;
  Object.assign(site.store, {
    commit: (writes: Parameters<typeof real>[0]) => {
      calls++;
      if (JSON.stringify(writes).includes('"bad"')) return Promise.reject(new RangeError('cannot be stored'));
      return real.call(site.store, writes);
    },
  });
  for (let i = 0; i < 40; i++) {
    const data = i % 20 === 7 ? { bad: i } : { good: i };
    await site.send(device, 'events', JSON.stringify({ type: 'x.test', id: `own-${i}`, data }));
    await site.send(device, 'can', `${speed(site.time.ms, 700 + i)}${dm1(site.time.ms, 100 + i, 3)}`);
    site.time.pass(100);
  }
  await site.settle();
  const { journal } = await site.ingest.health();
  assert.deepEqual([journal.unfolded_messages, journal.uncommitted_messages], [0, 80]);
  for (let i = 0; i < 4; i++) await stored(site);
  const { refused, refused_total } = site.ingest.stats();
  assert.equal(refused_total, 2);
  assert.deepEqual(
    refused.map(({ collection, object, error }) => [collection, object, error]),
    Array.from({ length: 2 }, () => ['events', 'event', 'cannot be stored']),
  );
  const { problems, journal: after } = await site.ingest.health();
  assert.ok(problems.some(({ code }) => code === 'documents_set_aside'));
  assert.equal(after.uncommitted_messages, 0);
  assert.equal(site.logged.filter((line) => line.includes('the store refused a document')).length, 2);
  assert.equal((await eventsOf(site, 'x.test')).length, 38);
  assert.equal((await eventsOf(site, 'dtc.activated')).length, 40);
  // The search is over: commits are whole again.
  const before = calls;
  await site.send(device, 'can', speed(site.time.ms, 900));
  await stored(site);
  assert.ok(calls - before <= 4, `${calls - before} commits`);
  await site.restart();
  assert.equal(site.ingest.stats().refused_total, 2);
});

test('[I38] after a failure of the disk or the database nothing is set aside', async () => {
  await using site = await startSite();
  const device = await site.device('truck', 'HT-1');
  const real = site.store.commit;
  let failures = 0;
  Object.assign(site.store, {
    commit: () => {
      failures++;
      return Promise.reject(new StoreError('overloaded', 'the test'));
    },
  });
  await site.send(device, 'can', dm1(site.time.ms, 100, 3));
  for (let i = 0; i < 4; i++) await stored(site);
  assert.ok(failures > 5, `${failures} failures`);
  Object.assign(site.store, { commit: real });
  await stored(site);
  assert.equal(site.ingest.stats().refused_total, 0);
  assert.equal((await eventsOf(site, 'dtc.activated')).length, 1);
});

test('[I36] raw messages that reached no machine are reported before they are removed; messages that are in facts are not reported', async () => {
  await using site = await startSite({ rawBytes: 20_000, segmentBytes: 4_096 });
  const linked = await site.device('truck', 'HT-1');
  const loose = await site.device('loose');
  const start = site.time.ms;
  // 800 bytes that no compression makes fewer, as one line that is no frame, so that segments fill.
  const ballast = () => crypto.getRandomValues(new Uint8Array(800)).map((byte) => (byte === 10 ? 11 : byte));
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 10; i++) {
      site.time.pass(1_000);
      await site.send(linked, 'can', ballast());
      if (round < 2) await site.send(loose, 'can', ballast());
    }
    if (round === 0) await site.link(loose, 'HT-2');
    if (round === 1) await site.link(loose, null);
    await site.settle();
    site.time.pass(61_000);
    await stored(site);
  }
  const { journal } = site.ingest.stats();
  assert.ok(journal.removed_segments >= 5, `${journal.removed_segments} removed`);
  const gaps = await eventsOf(site, 'gap_declared');
  assert.ok(gaps.length > 0);
  for (const { data } of gaps) {
    assert.deepEqual(data.subject, { object: 'device', id: loose.device });
    assert.equal(data.data.what, 'unlinked');
    assert.ok(Date.parse(String(data.data.from)) > start && Date.parse(String(data.data.to)) < start + 60_000);
    assert.equal(data.data.bytes, Number(data.data.count) * 800);
  }
  // Ten before the link; the ten behind it reached a machine.
  assert.equal(
    gaps.reduce((sum, { data }) => sum + Number(data.data.count), 0),
    10,
  );
  await site.restart({ crash: true });
  site.time.pass(61_000);
  await stored(site);
  assert.equal((await eventsOf(site, 'gap_declared')).length, gaps.length);
});

test('[I24] health shows a device whose clock stays behind, and not a device that catches up', async () => {
  await using site = await startSite();
  const zone = await site.device('zone', 'HT-1');
  const backlog = await site.device('backlog', 'HT-2');
  const start = site.time.ms - 7 * 3_600_000;
  for (let i = 0; i < 8; i++) {
    await site.send(zone, 'can', speed(site.time.ms - 7 * 3_600_000, 700));
    await site.send(backlog, 'can', speed(start + i * 1_800_000, 700));
    site.time.pass(30_000);
  }
  await site.settle();
  const { problems } = await site.ingest.health();
  const told = problems.find(({ code }) => code === 'device_clock_behind');
  assert.match(told?.message ?? '', /^1 device has a clock/);
});

test('[I6] while the age of segments is unknown, no segment is removed because of its age', async () => {
  let agesKnown = false;
  await using site = await startSite({ segmentBytes: 100, agesKnown: () => agesKnown });
  const device = await site.device('truck', 'HT-1');
  const grow = async () => {
    for (let i = 0; i < 3; i++) {
      await site.send(device, 'can', speed(site.time.ms, 700 + i));
      site.time.pass(1_000);
    }
    await stored(site);
  };
  await grow();
  site.time.pass(40 * 86_400_000);
  await grow();
  site.time.pass(61_000);
  await stored(site);
  assert.equal(site.ingest.stats().journal.removed_segments, 0);
  agesKnown = true;
  site.time.pass(61_000);
  await stored(site);
  assert.ok(site.ingest.stats().journal.removed_segments > 0);
});
