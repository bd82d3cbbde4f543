/** What goes wrong with photos in bundles: old lists, damaged disks, and questions between two files. Two real processes, real files. */
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { endsWithoutNetwork, writeBundle } from '#test/sync/courier-kit.ts';
import { carry, contentOf, lastMade, loseContent, photo, pictureOf, placeOf, replication, sha } from './photo-kit.ts';

test('[Y275] only the newest list of head office says where a photo is, in whatever order the files are read', async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, gateway_id } = ends;
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const content = pictureOf(20_000);
  const id = await photo(here, machine, content);
  await carry(cloud, await writeBundle(site, { file_bytes: 0 }));
  const { id: after } = await lastMade(site);
  const without = await writeBundle(cloud, { gateway_id });
  // A file with only photos confirms no bundle, so head office counts no more bundles than before.
  await carry(cloud, await writeBundle(site, { after }));
  assert.equal(await contentOf(cloud, project, id), sha(content));
  const named = await writeBundle(cloud, { gateway_id });
  await carry(site, named);
  assert.equal(await replication(here, id), 'cloud');
  await carry(site, without);
  assert.equal(await replication(here, id), 'cloud');
  // Head office loses the photo, and says so. The file that named it is read again.
  await loseContent(cloud, content);
  await carry(site, await writeBundle(cloud, { gateway_id }));
  assert.equal(await replication(here, id), 'local');
  await carry(site, named);
  assert.equal(await replication(here, id), 'local');
  const again = await carry(cloud, await writeBundle(site));
  assert.deepEqual([again.files, again.files_left], [1, 0]);
  assert.equal(await contentOf(cloud, project, id), sha(content));
});

// Linux has files that are shorter than their size says.
const SHORT = '/sys/kernel/uevent_seqnum';

test('[Y276] a photo that cannot be read, stored or proven stops no other, and the sentence says why and what to do', {
  skip: process.platform !== 'linux',
}, async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, there } = ends;
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const [wrong, refused, unread, good] = [pictureOf(9_000), pictureOf(8_000), pictureOf(0), pictureOf(7_000)];
  const short = Buffer.concat([unread, pictureOf(4_096 - 2 * unread.length)]);
  const ids = new Map<Buffer, string>();
  for (const content of [wrong, refused, short, good]) ids.set(content, await photo(here, machine, content));
  const has = (content: Buffer) => contentOf(cloud, project, ids.get(content) as string);
  rmSync(placeOf(site, short));
  symlinkSync(SHORT, placeOf(site, short));
  writeFileSync(placeOf(site, wrong), Buffer.alloc(wrong.length, 7));
  const blocked = join(cloud.folder, 'uploads', sha(refused));
  mkdirSync(blocked);

  const file = await writeBundle(site);
  const made = await lastMade(site);
  assert.deepEqual([made.files, made.files_left], [3, 1]);
  assert.match(made.sentence, /1 photo or log could not be read here, and is not in it: check the disk/);
  assert.doesNotMatch(made.sentence, /wait/);
  // The next file goes on after it.
  await writeBundle(site, { after: made.id });
  assert.equal((await lastMade(site)).files_left, 0);

  const taken = await carry(cloud, file);
  assert.deepEqual([taken.files, taken.files_left, taken.state], [1, 2, 'taken']);
  assert.match(taken.sentence, /The disk refused 1 photo or log with an error: check the disk of this end/);
  assert.match(taken.sentence, /1 photo or log is damaged, on the disk of the other end or on the way/);
  assert.doesNotMatch(taken.sentence, /earlier parts/);
  assert.equal((await there.call('equipment_get', { id: machine })).unit_number, 'HT-1');
  assert.equal(await has(good), sha(good));
  for (const content of [wrong, refused, short]) assert.equal(await has(content), 'content_not_here');

  rmdirSync(blocked);
  rmSync(placeOf(site, short));
  for (const content of [wrong, short]) writeFileSync(placeOf(site, content), content);
  const again = await carry(cloud, await writeBundle(site));
  assert.equal(again.files_left, 0);
  for (const content of [wrong, refused, short, good]) assert.equal(await has(content), sha(content));
});

test('[Y277] what somebody asks for between two files is in the next one, and nothing is in two', async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, there, gateway_id } = ends;
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const contents = [60_000, 100_000, 100_000, 100_000].map(pictureOf);
  const ids: string[] = [];
  for (const content of contents) ids.push(await photo(here, machine, content));
  const oldest = ids[0] as string;
  const size = { most_bytes: 180_000 };
  await carry(cloud, await writeBundle(site, size));
  let made = await lastMade(site);
  let sum = made.file_bytes;
  assert.equal(await contentOf(cloud, project, oldest), 'content_not_here');
  await there.call('artifacts_fetch', { id: oldest });
  await carry(site, await writeBundle(cloud, { gateway_id }));
  assert.notEqual((await here.call('artifacts_get', { id: oldest })).wanted_at, null);
  await carry(cloud, await writeBundle(site, { ...size, after: made.id }));
  assert.equal(await contentOf(cloud, project, oldest), sha(contents[0] as Buffer));
  for (made = await lastMade(site), sum += made.file_bytes; made.files_left > 0; sum += made.file_bytes) {
    await carry(cloud, await writeBundle(site, { ...size, after: made.id }));
    made = await lastMade(site);
  }
  for (const [i, id] of ids.entries()) assert.equal(await contentOf(cloud, project, id), sha(contents[i] as Buffer));
  assert.equal(
    sum,
    contents.reduce((all, { length }) => all + length, 0),
  );
});

test('[Y278] an old file of a site does not make head office send again what the site has', async () => {
  await using ends = await endsWithoutNetwork();
  const { cloud, site, project, here, there, gateway_id } = ends;
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  await carry(cloud, await writeBundle(site));
  const content = pictureOf(20_000);
  const id = await photo(there, machine, content);
  await carry(site, await writeBundle(cloud, { gateway_id, file_bytes: 0 }));
  const lacking = await writeBundle(site);
  await carry(cloud, lacking);
  await carry(site, await writeBundle(cloud, { gateway_id }));
  assert.equal(await contentOf(site, project, id), sha(content));
  await carry(cloud, await writeBundle(site));
  await carry(cloud, lacking);
  await writeBundle(cloud, { gateway_id });
  assert.deepEqual([(await lastMade(cloud)).files, (await lastMade(cloud)).files_left], [0, 0]);
});
