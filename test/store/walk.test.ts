import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { View } from '#contract/base/view.ts';
import { walk, walkChunks } from '#store/walk.ts';
import { device, temporaryStore } from './kit.ts';

/** A view that counts what it is asked. */
function counted(view: View): { source: Pick<View, 'find'>; asked: number[] } {
  const asked: number[] = [];
  const source: Pick<View, 'find'> = {
    find: (collection, query) => {
      asked.push(query.limit);
      return view.find(collection, query);
    },
  };
  return { source, asked };
}

test('[S34] a walk returns every document once in list order, for any size of the last chunk', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const ids: string[] = [];
  for (let n = 0; n <= 7; n++) {
    // two at a time have the same created_at
    if (n % 2 === 0) t.options.time += 1000;
    for (const [order, expected] of [
      ['asc', ids],
      ['desc', ids.toReversed()],
    ] as const) {
      const seen: string[] = [];
      for await (const { id } of walk(view, 'records', { object: 'device', order }, 3)) seen.push(id);
      assert.deepEqual(seen, expected, `${n} ${order}`);
    }
    await view.commit([device(`dev_${n}`)]);
    ids.push(`dev_${n}`);
  }
});

test('[S34] chunks have the requested size, none is empty, and none is read before it is needed', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  await view.commit(Array.from({ length: 6 }, (_, i) => device(`dev_${i}`, { kind: i < 4 ? 'a' : 'b' })));
  const { source, asked } = counted(view);
  const sizes: number[] = [];
  for await (const some of walkChunks(source, 'records', { object: 'device' }, 3)) sizes.push(some.length);
  assert.deepEqual(sizes, [3, 3]);
  asked.length = 0;
  for await (const { id } of walk(source, 'records', { object: 'device' }, 2)) if (id === 'dev_1') break;
  assert.deepEqual(asked, [2]);
  const where = { 'data.kind': 'b' };
  const found: string[] = [];
  for await (const { id } of walk(source, 'records', { object: 'device', where })) found.push(id);
  assert.deepEqual(found, ['dev_4', 'dev_5']);
});

test('[S34] a document that is written during a walk is returned in its state when its chunk is read', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  await view.commit(Array.from({ length: 4 }, (_, i) => device(`dev_${i}`, { n: 0 })));
  const seen: [string, number][] = [];
  for await (const { id, data } of walk<{ n: number }>(view, 'records', { object: 'device' }, 2)) {
    seen.push([id, data.n]);
    if (id !== 'dev_1') continue;
    t.options.time += 1000;
    await view.commit([
      device('dev_0', { n: 1 }),
      device('dev_2', { n: 1 }),
      { ...device('dev_3'), deleted: true },
      device('dev_9', { n: 1 }),
    ]);
  }
  assert.deepEqual(seen, [
    ['dev_0', 0],
    ['dev_1', 0],
    ['dev_2', 1],
    ['dev_9', 1],
  ]);
});
