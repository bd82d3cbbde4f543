/** Where samples and events of a device go: over links, over a crash, and how soon. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import { dm1, running, speed } from './frames.ts';
import { type Site, startSite } from './support.ts';

const segmentsOf = async (site: Site, machine: string) => {
  const found = await site.store
    .view(site.project)
    .find<{ equipment_id?: string; from?: string; to?: string }>('telemetry', {
      object: 'segment',
      order: 'asc',
      limit: 100,
    });
  return found.filter(({ data }) => JSON.stringify(data).includes(machine)).length;
};

test('[I28] a link closes the segments of both machines, and each machine has the samples of its own time', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const begin = site.time.ms;
  const drive = async () => {
    await site.send(device, 'can', running(site.time.ms - 10_000, 9));
    await site.settle();
    site.time.pass(20_000);
  };
  await drive();
  await site.link(device, 'HT-2');
  await drive();
  await site.link(device, 'HT-1');
  await drive();
  await site.restart();
  const times = async (machine: string) =>
    (await site.ingest.history(machine, 'engine.speed', begin - 60_000, site.time.ms)).t.map((s) =>
      Math.round(s - begin / 1000),
    );
  const seconds = (from: number) => Array.from({ length: 10 }, (_, i) => from + i);
  assert.deepEqual(await times(site.machine('HT-1')), [...seconds(-10), ...seconds(30)]);
  assert.deepEqual(await times(site.machine('HT-2')), seconds(10));
  // What came since the last link is still open.
  assert.deepEqual(
    [await segmentsOf(site, site.machine('HT-1')), await segmentsOf(site, site.machine('HT-2'))],
    [1, 1],
  );
});

test('[I24] old data of a device without a machine is counted late', async () => {
  await using site = await startSite();
  const device = await site.device('a');
  const late = () => site.ingest.live.device(device.device)?.metrics.late_total;
  await site.send(device, 'can', speed(site.time.ms - 1_000, 900));
  await site.settle();
  assert.equal(late(), 0);
  await site.send(device, 'can', speed(site.time.ms - 60_000, 800));
  await site.settle();
  assert.equal(late(), 1);
});

test('[I28] samples in no segment when the process ended are restored from the journal, of the same control unit only', async () => {
  await using site = await startSite();
  const device = await site.device('a', 'HT-1');
  const begin = site.time.ms - 10_000;
  let text = '';
  for (let s = 0; s < 10; s++) text += speed(begin + s * 1000, 800, 0) + speed(begin + s * 1000 + 1, 1_500, 1);
  await site.send(device, 'can', text);
  await site.stored();
  const history = () => site.ingest.history(site.machine('HT-1'), 'engine.speed', begin - 1_000, begin + 20_000);
  const before = await history();
  assert.deepEqual(before.v, Array(10).fill(800));
  await site.restart({ crash: true });
  await site.settle();
  assert.deepEqual(await history(), before);
});

test('an event is stored long before the time of the next commit', async () => {
  await using site = await startSite({ commitMs: 3_600_000 });
  const device = await site.device('a', 'HT-1');
  await site.send(device, 'can', dm1(site.time.ms, 110, 3));
  await site.settle();
  const types = async () => (await site.events()).map(({ data }) => data.type);
  site.time.pass(1_000);
  await until(async () => (await types()).includes('dtc.activated'));
});
