/** Photos and logs in bundles: two real processes, real files, no network between them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import { bundlesOf, endsWithoutNetwork, writeBundle } from '#test/sync/courier-kit.ts';
import { carry, contentOf, lastMade, loseContent, photo, pictureOf, replication, sha } from './photo-kit.ts';

test('[Y261] [Y263] photos of both ends travel in bundles, and the site learns that head office has them', async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, there, gateway_id } = ends;
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const ours = [pictureOf(3_000), pictureOf(200_000)];
  const ids = [await photo(here, machine, ours[0] as Buffer), await photo(here, machine, ours[1] as Buffer)];
  const up = await carry(cloud, await writeBundle(site));
  assert.deepEqual([up.files, up.files_left, up.state], [2, 0, 'taken']);
  assert.match(up.sentence, /2 photos and logs\. Everything was taken/);
  for (const [i, id] of ids.entries()) assert.equal(await contentOf(cloud, project, id), sha(ours[i] as Buffer));
  assert.equal((await lastMade(site)).state, 'on_its_way');
  assert.equal(await replication(here, ids[0] as string), 'local');

  // Head office made a photo of this machine meanwhile; its record and its content are in the same file.
  const theirs = pictureOf(50_000);
  const down = await photo(there, machine, theirs);
  const answer = await writeBundle(cloud, { gateway_id });
  const taken = await carry(site, answer);
  assert.deepEqual([taken.files, taken.files_left], [1, 0]);
  assert.equal(await contentOf(site, project, down), sha(theirs));
  for (const id of ids) assert.equal(await replication(here, id), 'cloud');
  assert.equal((await bundlesOf(site)).find(({ way }) => way === 'made')?.state, 'confirmed');
  // Nothing is sent twice, and head office learns that its photo has arrived.
  const next = await carry(cloud, await writeBundle(site));
  assert.deepEqual([next.files, next.file_bytes], [0, 0]);
  assert.equal((await bundlesOf(cloud)).find(({ way }) => way === 'made')?.state, 'confirmed');
  await writeBundle(cloud, { gateway_id });
  assert.equal((await lastMade(cloud)).file_bytes, 0);
});

test('[Y261] [Y262] a photo larger than a stick arrives on several, small ones come first, and a lost stick is made good', async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, gateway_id } = ends;
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const [large, small] = [pictureOf(640_000), pictureOf(20_000)];
  const largeId = await photo(here, machine, large);
  const smallId = await photo(here, machine, small);
  const size = { most_bytes: 180_000 };
  const files: Buffer[] = [];
  for (let after: string | undefined; ; ) {
    files.push(await writeBundle(site, { ...size, ...(after !== undefined && { after }) }));
    const made = await lastMade(site);
    assert.ok((files.at(-1)?.length ?? 0) <= size.most_bytes);
    if (made.files_left === 0) break;
    assert.match(made.sentence, /wait/);
    after = made.id;
  }
  assert.ok(files.length >= 4, `${files.length} files`);
  const [first, second, third, ...rest] = files as [Buffer, Buffer, Buffer, ...Buffer[]];
  await carry(cloud, first);
  assert.equal(await contentOf(cloud, project, smallId), sha(small));
  // The second stick is lost: the third one says so, and changes nothing.
  const early = await carry(cloud, third);
  assert.deepEqual([early.files, early.files_left], [0, 1]);
  assert.match(early.sentence, /earlier parts are not here/);
  assert.equal(await contentOf(cloud, project, largeId), 'content_not_here');
  await carry(cloud, second);
  await carry(cloud, first);
  // Head office tells how much it has, and the next export goes on there.
  await carry(site, await writeBundle(cloud, { gateway_id }));
  const again = await writeBundle(site);
  const more = await lastMade(site);
  assert.ok(more.file_bytes > 0 && more.file_bytes < large.length - 200_000, `${more.file_bytes} bytes`);
  const last = await carry(cloud, again);
  assert.deepEqual([last.files, last.files_left], [1, 0]);
  assert.equal(await contentOf(cloud, project, largeId), sha(large));
  for (const file of rest) await carry(cloud, file);
  assert.equal(await contentOf(cloud, project, largeId), sha(large));
});

test('[Y262] a person may leave photos out, the network and a stick may bring the same, and what head office lost is sent again', async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, gateway_id, proxy } = ends;
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const [one, two] = [pictureOf(600_000), pictureOf(500_000)];
  const first = await photo(here, machine, one);
  const none = await writeBundle(site, { file_bytes: 0 });
  // An earlier version of head office reads it.
  assert.equal(none[4], 1);
  assert.deepEqual((await carry(cloud, none)).files, 0);
  const part = await writeBundle(site, { file_bytes: 100_000 });
  assert.equal(part[4], 2);
  await carry(cloud, part);
  const whole = await writeBundle(site);
  // The network goes on at the byte where the stick ended.
  const { up } = proxy.counts;
  proxy.open();
  await until(async () => (await replication(here, first)) === 'cloud', 'the network brings the rest');
  assert.ok(proxy.counts.up - up < one.length, `${proxy.counts.up - up} bytes`);
  assert.equal(await contentOf(cloud, project, first), sha(one));
  assert.deepEqual((await carry(cloud, whole)).files_left, 0);
  // Both bring a photo at the same time: the stick joins it, or says that the network brings it.
  proxy.cut();
  const second = await photo(here, machine, two);
  const both = await writeBundle(site);
  proxy.open();
  const joined = await carry(cloud, both);
  assert.equal(joined.files + joined.files_left, 1);
  if (joined.files_left > 0) assert.match(joined.sentence, /arriving over the network now/);
  await until(async () => (await contentOf(cloud, project, second)) === sha(two), 'the photo is at head office');
  await until(async () => (await replication(here, second)) === 'cloud', 'the site knows it');
  proxy.cut();
  // The disk of head office loses the content.
  await loseContent(cloud, one);
  assert.equal(await contentOf(cloud, project, first), 'content_not_here');
  await carry(cloud, await writeBundle(site));
  await carry(site, await writeBundle(cloud, { gateway_id }));
  assert.equal(await replication(here, first), 'local');
  await carry(cloud, await writeBundle(site));
  assert.equal(await contentOf(cloud, project, first), sha(one));
});
