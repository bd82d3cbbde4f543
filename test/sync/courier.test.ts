/** Bundles between a site and head office as two real processes on SQLite, without a network between them and beside one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import { Random } from '#test/sim/random.ts';
import { NO_HARM } from '#test/support/cut-proxy.ts';
import { killsOf } from '#test/support/kills.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';
import { askBundle, bundlesOf, endsWithoutNetwork, journey, readBundle, writeAll, writeBundle } from './courier-kit.ts';
import { End, enrol } from './ends.ts';

async function unitsOf(client: Client): Promise<string[]> {
  const { data } = await client.call('equipment_list', { limit: 200 });
  return data.map(({ unit_number }) => unit_number).sort();
}

const waitingOf = async (site: End): Promise<number> =>
  (await site.status()).projects.reduce((sum, { waiting }) => sum + waiting, 0);

test('[Y94] [Y95] a bundle brings what waits to head office, and the one back confirms it and brings its changes', async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, here, there, gateway_id } = ends;
  const { id } = await here.call('equipment_create', { unit_number: 'HT-1', name: 'Truck' });
  const { id: other } = await there.call('equipment_create', { unit_number: 'HT-2', name: 'Loader' });
  const up = await readBundle(cloud, await writeBundle(site));
  assert.deepEqual([up.status, up.bundle?.state, up.bundle?.more], [201, 'taken', false]);
  assert.equal((await there.call('equipment_get', { id })).name, 'Truck');
  // The site does not know yet that it arrived.
  assert.ok((await waitingOf(site)) > 0);
  assert.deepEqual(
    (await bundlesOf(site)).map(({ state }) => state),
    ['on_its_way'],
  );
  const down = await readBundle(site, await writeBundle(cloud, { gateway_id }));
  assert.deepEqual([down.status, down.bundle?.state], [201, 'taken']);
  assert.equal((await here.call('equipment_get', { id: other })).name, 'Loader');
  assert.equal(await waitingOf(site), 0);
  assert.deepEqual(
    (await bundlesOf(site)).map(({ way, state }) => [way, state]),
    [
      ['taken', 'taken'],
      ['made', 'confirmed'],
    ],
  );
  // The next bundle of the site tells head office that its bundle has arrived.
  assert.equal((await bundlesOf(cloud)).find(({ way }) => way === 'made')?.state, 'on_its_way');
  await journey(site, cloud);
  assert.ok((await bundlesOf(cloud)).some(({ way, state }) => way === 'made' && state === 'confirmed'));
  ends.proxy.open();
  await site.inStep();
  const { data } = await site.client().call('sync_verify', {});
  assert.deepEqual(
    data.map(({ verdict }) => verdict),
    ['complete'],
  );
});

test('[Y96] files of one export may be imported in any order and twice, also beside the network', async () => {
  const random = new Random(TEST_SEED);
  await using ends = await endsWithoutNetwork();
  const { cloud, site, here, there } = ends;
  const { id: equipment_id } = await here.call('equipment_create', { unit_number: 'HT-1' });
  for (let i = 0; i < 60; i++) {
    // Random text, because other text would become too small for several files.
    const description = Array.from({ length: 300 }, () => random.int(1_000_000_000).toString(36)).join(' ');
    await here.call('repair_tickets_create', { equipment_id, title: `Ticket ${i}`, description });
  }
  const early = await writeBundle(site);
  const files = await writeAll(site, { most_bytes: 64 << 10 });
  assert.ok(files.length > 1, `${files.length} files`);
  for (const file of files) assert.ok(file.length <= 64 << 10, `a file has ${file.length} bytes`);
  const carried = [...files, ...files, early].sort(() => random.next() - 0.5);
  for (const [i, file] of carried.entries()) {
    if (i === 3) ends.proxy.open();
    const read = await readBundle(cloud, file);
    assert.equal(read.status, 201, read.message);
  }
  const count = async (client: Client) => (await client.call('repair_tickets_list', { limit: 200 })).data.length;
  assert.deepEqual([await count(here), await count(there)], [60, 60]);
  await site.inStep();
  await journey(site, cloud);
  await site.inStep();
  const { data } = await site.client().call('sync_verify', {});
  assert.deepEqual(
    data.map(({ verdict }) => verdict),
    ['complete'],
  );
});

test('[Y97] kill -9 of either end while it writes or reads a bundle loses nothing', async () => {
  const random = new Random(TEST_SEED);
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, proxy, gateway_id } = ends;
  const machines = new Set<string>();
  for (let round = 0; round < killsOf(4); round++) {
    for (let i = 0; i < 12; i++) {
      const end = random.chance(0.5) ? site : cloud;
      const { unit_number } = await end.client(project).call('equipment_create', { unit_number: `U-${round}-${i}` });
      machines.add(unit_number);
    }
    const [writer, reader] = random.chance(0.5) ? [site, cloud] : [cloud, site];
    const wanted = writer === cloud ? { gateway_id } : {};
    if (random.chance(0.5)) {
      // The file ends in the middle, or the process that reads it.
      const writing = writeBundle(writer, wanted).catch(() => undefined);
      await writer.kill();
      const file = await writing;
      await writer.start();
      if (file !== undefined) await readBundle(reader, file);
    }
    const file = await writeBundle(writer, wanted);
    const reading = readBundle(reader, file).catch(() => undefined);
    if (random.chance(0.7)) await reader.kill();
    await reading;
    await reader.kill();
    await reader.start();
    if (random.chance(0.5)) await readBundle(reader, file);
  }
  await journey(site, cloud);
  await journey(site, cloud);
  const expected = [...machines].sort();
  assert.deepEqual(await unitsOf(site.client(project)), expected);
  assert.deepEqual(await unitsOf(cloud.client(project)), expected);
  proxy.harm = NO_HARM;
  proxy.open();
  await site.inStep();
  const { data } = await site.client().call('sync_verify', {});
  assert.deepEqual(
    data.map(({ verdict }) => verdict),
    ['complete'],
  );
});

test('[Y99] a bundle that is not for this end, or must not count, is refused by a name that says what to do', async () => {
  const random = new Random(TEST_SEED);
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, there, gateway_id } = ends;
  await here.call('equipment_create', { unit_number: 'HT-1' });
  const up = await writeBundle(site);
  const codeAt = async (end: End, file: Uint8Array) => (await readBundle(end, file)).code;
  assert.equal(await codeAt(site, up), 'bundle_wrong_end');
  assert.equal(await codeAt(cloud, Buffer.from('PK and other bytes')), 'bundle_unknown');
  const newer = Buffer.from(up);
  newer[4] = 3;
  assert.equal(await codeAt(cloud, newer), 'bundle_unsupported');
  assert.equal(await codeAt(cloud, up.subarray(0, up.length - 1)), 'bundle_incomplete');

  // Of two files for the site, the second one is not taken before the first one.
  const { id: equipment_id } = await there.call('equipment_create', { unit_number: 'HT-2' });
  for (let i = 0; i < 60; i++) {
    const description = Array.from({ length: 300 }, () => random.int(1_000_000_000).toString(36)).join(' ');
    await there.call('repair_tickets_create', { equipment_id, title: `Ticket ${i}`, description });
  }
  const [first, second] = await writeAll(cloud, { gateway_id, most_bytes: 64 << 10 });
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(await codeAt(cloud, first), 'bundle_wrong_end');
  assert.equal(await codeAt(site, second), 'bundle_gap');
  assert.equal((await readBundle(site, first)).status, 201);
  assert.equal((await readBundle(site, second)).status, 201);

  await using other = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  assert.equal(await codeAt(other, up), 'bundle_other_site');
  await using neighbour = await new End({}).start();
  await enrol(cloud, neighbour, `http://127.0.0.1:${cloud.port}`);
  assert.equal(await codeAt(neighbour, first), 'bundle_other_site');

  // The site is put back from a copy of its disk, and head office finds that out.
  await site.kill();
  await using copy = site.clone();
  await site.start();
  await site.client(project).call('equipment_create', { unit_number: 'HT-3' });
  const lost = await writeBundle(site);
  await here.call('equipment_create', { unit_number: 'HT-4' });
  ends.proxy.open();
  await site.inStep();
  await site.kill();
  await copy.start();
  await copy.inStep();
  assert.equal(await codeAt(cloud, lost), 'bundle_earlier_life');
  const taken = await readBundle(cloud, lost, { 'earlier-life': 'take' });
  assert.deepEqual([taken.status, taken.bundle?.state], [201, 'not_confirmed']);
  await site.start();
  await until(async () => (await site.status()).state === 'fenced', 'the other box is fenced');
  assert.match(await (await askBundle(site.client())).text(), /sync_fenced/);

  const { code } = await cloud.client().call('sync_enrolments_create', { name: 'Quarry North' });
  const before = await writeBundle(copy);
  await copy.client().call('sync_link_set', { cloud_url: `http://127.0.0.1:${cloud.port}`, code });
  assert.equal(await codeAt(cloud, before), 'bundle_replaced');
  const last = await writeBundle(copy);
  const { data } = await cloud.client().call('sync_enrolments_list', {});
  const current = data.find((one) => one.gateway_id === gateway_id && one.state === 'enrolled');
  await cloud.client().call('sync_enrolments_revoke', { id: current?.id ?? '' });
  assert.equal(await codeAt(cloud, last), 'bundle_revoked');
  assert.match(await (await askBundle(cloud.client(), { gateway_id })).text(), /bundle_revoked/);
});

test('[Y98] changed bytes of a bundle give an error with a name over the API, and the process goes on', async () => {
  const random = new Random(TEST_SEED);
  await using ends = await endsWithoutNetwork();
  const { cloud, site, here } = ends;
  await here.call('equipment_create', { unit_number: 'HT-1' });
  const file = await writeBundle(site);
  for (let i = 0; i < 60; i++) {
    const changed = Buffer.from(file);
    const at = random.int(file.length);
    changed[at] = (changed[at] ?? 0) ^ (1 + random.int(255));
    const { status, code } = await readBundle(cloud, random.chance(0.3) ? changed.subarray(0, at) : changed);
    assert.ok(status === 400 && code?.startsWith('bundle_'), `byte ${at}: ${status} ${code}`);
  }
  assert.equal((await readBundle(cloud, file)).status, 201);
});
