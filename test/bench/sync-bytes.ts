/**
 * `node test/bench/sync-bytes.ts [changes]`: bytes on the network for each change between a site and head office, with the headers of HTTP, as
 * a proxy between two real processes counts them. A change is the new name of a machine and its event.
 */
import { startCutProxy } from '#test/support/cut-proxy.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from '#test/sync/ends.ts';

const [changes = '100'] = process.argv.slice(2);
const n = Number(changes);

await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
await using site = await new End({}).start();
await using proxy = await startCutProxy(cloud.port, 1);
const project = await enrol(cloud, site, `http://127.0.0.1:${proxy.port}`);
const client = site.client(project);
const ids: string[] = [];
for (let i = 0; i < n; i++) {
  const made = await client.call('equipment_create', {
    unit_number: `HT-${i}`,
    name: `Haul truck ${i}`,
    oem_name: 'Caterpillar',
    model: '777G',
    serial_number: `CAT0777G${1_000 + i}`,
  });
  ids.push(made.id);
}
await site.inStep();

const measure = async (what: string, count: number, work: () => Promise<void>): Promise<void> => {
  const before = { ...proxy.counts };
  await work();
  await site.inStep();
  const [up, down] = [proxy.counts.up - before.up, proxy.counts.down - before.down];
  process.stdout.write(`${what}: ${Math.round(up / count)} bytes up and ${Math.round(down / count)} down a change\n`);
};

await measure(`${n} changes after a time without a connection`, n, async () => {
  proxy.cut();
  await until(async () => (await site.status()).state === 'offline', 'the site is offline');
  for (const [i, id] of ids.entries()) await client.call('equipment_update', { id, name: `Truck of crew ${i}` });
  proxy.open();
});
for (let i = 0; i < 3; i++)
  await measure('a single change', 1, async () => {
    await client.call('equipment_update', { id: ids[i] ?? '', name: `Single ${i}` });
    await until(async () => (await site.status()).projects.every(({ waiting }) => waiting === 0), 'it was sent');
  });
