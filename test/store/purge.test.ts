import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device, temporaryStore } from './kit.ts';

test('[S25] purge removes what was deleted long enough ago from every collection, in steps, and nothing that is there', async () => {
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
