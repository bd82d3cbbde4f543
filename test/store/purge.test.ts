import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { device, temporaryStore } from './kit.ts';

test('[S25] purge removes old tombstones from every collection, in steps, and no existing document', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const ids = Array.from({ length: 700 }, (_, i) => `dev_${i}`);
  const message = (id: string) => ({ collection: 'events', id, object: 'message', data: {} }) as const;
  for (const half of ['a', 'b']) {
    await view.commit(ids.map((id) => device(`${half}_${id}`)));
    await view.commit(ids.map((id) => ({ ...device(`${half}_${id}`), deleted: true as const })));
  }
  await view.commit([device('stays'), message('goes'), message('stays')]);
  await view.commit([{ ...message('goes'), deleted: true }]);
  t.options.time += 10_000;
  await view.commit([device('young')]);
  await view.commit([{ ...device('young'), deleted: true }]);
  const known = async () =>
    (await t.store.feed('prj_a', 'records', 0, 1_000)).entries.length +
    (await t.store.feed('prj_a', 'events', 0, 1_000)).entries.length;
  assert.ok((await known()) > 1_000);
  assert.equal(await t.store.purge(5_000), false, 'a step is bounded');
  assert.equal(await t.store.purge(5_000), true);
  assert.equal(await known(), 3, 'what stays, and the young tombstone');
  assert.ok(await view.get('records', 'stays'));
  assert.ok(await view.get('events', 'stays'));
  const [again] = await view.commit([device('a_dev_1')]);
  assert.equal(again?.revision, 1);
});

const MB = 1_000_000;
const entry = (id: string, bytes: number) =>
  ({ collection: 'events', id, object: 'event', data: { text: 'x'.repeat(bytes) } }) as const;

test('[S74] a call of compact returns some megabytes to the disk, and reports more until one megabyte is left', async () => {
  await using t = await temporaryStore();
  const file = join(t.options.folder, 'store', 'headframe.db');
  const ids = Array.from({ length: 24 }, (_, i) => `evt_${i}`);
  await t.store.view('prj_a').commit(ids.map((id) => entry(id, MB)));
  assert.deepEqual(await t.store.compact(), { bytes: 0, more: false });
  const full = statSync(file).size;
  assert.ok(full > 24 * MB);
  await t.store.erase('events', ids);
  const first = await t.store.compact();
  assert.equal(first.more, true);
  assert.ok(first.bytes >= 16 * MB && first.bytes < 18 * MB, `${first.bytes} bytes`);
  const some = statSync(file).size;
  assert.ok(full - some >= first.bytes, `${full - some} bytes went back`);
  const second = await t.store.compact();
  assert.equal(second.more, false);
  assert.ok(some - statSync(file).size >= second.bytes && second.bytes > 5 * MB, `${second.bytes} bytes`);
  assert.deepEqual(await t.store.compact(), { bytes: 0, more: false });
});

test('[S74] compact leaves one megabyte of free pages for later writes, and no more', async () => {
  await using t = await temporaryStore();
  using other = new DatabaseSync(join(t.options.folder, 'store', 'headframe.db'), { returnArrays: true });
  const free = () => Number((other.prepare('PRAGMA freelist_count').get() as unknown as number[])[0]);
  const ids = Array.from({ length: 400 }, (_, i) => `evt_${i}`);
  await t.store.view('prj_a').commit(ids.map((id) => entry(id, 5_000)));
  await t.store.erase('events', ids);
  other.exec(`PRAGMA incremental_vacuum(${free() - 257})`);
  assert.equal(free(), 257);
  const { bytes, more } = await t.store.compact();
  assert.deepEqual([bytes > 0, more, free() < 256], [true, false, true]);
  await t.store.view('prj_a').commit(ids.map((id) => entry(`again_${id}`, 5_000)));
  await t.store.erase(
    'events',
    ids.map((id) => `again_${id}`),
  );
  other.exec(`PRAGMA incremental_vacuum(${free() - 256})`);
  assert.equal(free(), 256);
  assert.deepEqual(await t.store.compact(), { bytes: 0, more: false });
});
