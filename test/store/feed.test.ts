import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CollectionName } from '#contract/base/view.ts';
import { type FileStore, openStore } from '#store/open-store.ts';
import { device, settings, temporaryFolder, temporaryStore } from './kit.ts';

const P = 'prj_a';
const Q = 'prj_b';

/** A project's feed from a number on: [number, id, deleted]. */
async function feed(store: FileStore, project: string, after = 0, collection: CollectionName = 'records') {
  const { entries, head } = await store.feed(project, collection, after, 1000);
  return { head, rows: entries.map(({ seq, document, deleted }) => [seq, document.id, deleted]) };
}

test('[S29] each project counts its own changes, collection by collection', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.view(P).commit([device('a1'), device('a2')]);
  await store.view(Q).commit([device('b1')]);
  await store.view(P).commit([{ ...device('a1'), collection: 'live' }, device('a3')]);
  assert.deepEqual(await feed(store, P), {
    head: 3,
    rows: [
      [1, 'a1', false],
      [2, 'a2', false],
      [3, 'a3', false],
    ],
  });
  assert.deepEqual(await feed(store, P, 0, 'live'), { head: 1, rows: [[1, 'a1', false]] });
  assert.deepEqual(await feed(store, Q), { head: 1, rows: [[1, 'b1', false]] });
  assert.deepEqual(await feed(store, 'prj_none'), { head: 0, rows: [] });
});

test('[S29] a changed or deleted document gets a new number, and the feed has it once in its current state', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const view = store.view(P);
  await view.commit([device('a', { name: 'old' }), device('b')]);
  await view.commit([device('a', { name: 'new' })]);
  await view.commit([{ ...device('b'), deleted: true }]);
  assert.deepEqual((await feed(store, P)).rows, [
    [3, 'a', false],
    [4, 'b', true],
  ]);
  const { entries } = await store.feed(P, 'records', 2, 1);
  assert.deepEqual(
    entries.map(({ document }) => document.data),
    [{ name: 'new' }],
  );
  await assert.rejects(async () => store.feed(P, 'records', 0, 0), RangeError);
  await assert.rejects(async () => store.feed(P, 'records', 0, 1001), RangeError);
});

test('[S29] after a clock that jumps back, a restart or a purge no change is hidden and no number is used twice', async () => {
  using folder = temporaryFolder();
  const options = settings(folder.path);
  let after = 0;
  for (const [id, step] of [
    ['a', 0],
    ['b', -365 * 86_400_000],
    ['c', 400 * 86_400_000],
    ['d', -1],
  ] as const) {
    options.time += step;
    await using store = await openStore(options);
    await store.view(P).commit([device(id)]);
    const { rows, head } = await feed(store, P, after);
    assert.deepEqual(rows, [[after + 1, id, false]]);
    after = head;
    await store.view(P).commit([{ ...device(id), deleted: true }]);
    after++;
    // tombstones carry the hybrid time, which may be far ahead of the clock by now
    assert.equal(await store.database.records.storageInstance.cleanup(-1000 * 86_400_000), true);
    assert.deepEqual(await feed(store, P), { head: after, rows: [] });
  }
});

test('[S29] a refused commit leaves no entry, and what RxDB writes is in the feed', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.view(P).commit([device('a')]);
  const [refused, written] = await Promise.allSettled([
    store.view(P).commit([device('b'), device('a', {}, 7)]),
    store.view(P).commit([device('c')]),
  ]);
  assert.deepEqual([refused.status, written.status], ['rejected', 'fulfilled']);
  const template = await store.view(P).get('records', 'c');
  assert.ok(template);
  await store.database.records.bulkInsert([{ ...template, id: 'd' }]);
  assert.deepEqual(
    (await feed(store, P)).rows.map(([, id]) => id),
    ['a', 'c', 'd'],
  );
});

test('[S29] a reader that stores its last number gets every change, in order', async () => {
  const write = fc.record({
    project: fc.constantFrom(P, Q),
    id: fc.integer({ min: 0, max: 6 }),
    deleted: fc.boolean(),
    read: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 40 }), async (writes) => {
      await using opened = await temporaryStore();
      const { store } = opened;
      const known = new Map<string, unknown>();
      let after = 0;
      const follow = async (): Promise<void> => {
        for (;;) {
          const { entries } = await store.feed(P, 'records', after, 2);
          for (const { seq, deleted, document } of entries) {
            assert.ok(seq > after);
            after = seq;
            if (deleted) known.delete(document.id);
            else known.set(document.id, document.data);
          }
          if (entries.length === 0) return;
        }
      };
      for (const [i, { project, id, deleted, read }] of writes.entries()) {
        const base = device(`${project}-${id}`, { i });
        await store.view(project).commit([deleted ? { ...base, deleted: true } : base]);
        if (read) await follow();
      }
      await follow();
      const all = await store.view(P).find('records', { object: 'device', limit: 1000 });
      assert.deepEqual(known, new Map(all.map(({ id, data }) => [id, data])));
      assert.equal((await store.feed(P, 'records', after, 1)).head, after);
    }),
    { numRuns: 15 },
  );
});

test('[S29] the feed uses its own index, however many documents other projects have', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await store.view(P).commit([device('a')]);
  using raw = new DatabaseSync(`${folder.path}/store/headframe.db`, { readOnly: true });
  const plan = raw
    .prepare(
      `EXPLAIN QUERY PLAN SELECT part_seq, del, data FROM records_0 INDEXED BY "records_0:feed" WHERE ".project_id"=? AND part_seq>? ORDER BY part_seq LIMIT ?`,
    )
    .all(P, 0, 10)
    .map(({ detail }) => String(detail));
  assert.deepEqual(plan, ['SEARCH records_0 USING INDEX records_0:feed (.project_id=? AND part_seq>?)']);
});

test('[S29] documents from a version without a feed are numbered in the order of their writes', async () => {
  using folder = temporaryFolder();
  const options = settings(folder.path);
  {
    await using store = await openStore(options);
    await store.view(P).commit([device('a'), device('b')]);
    await store.view(Q).commit([device('x')]);
    await store.view(P).commit([device('a', { name: 'later' })]);
  }
  {
    using raw = new DatabaseSync(`${folder.path}/store/headframe.db`);
    raw.exec(
      "DROP INDEX \"records_0:feed\"; ALTER TABLE records_0 DROP COLUMN part_seq; DELETE FROM rx_meta WHERE key='schema' OR key GLOB 'feed *'",
    );
  }
  await using store = await openStore(options);
  assert.deepEqual(await feed(store, P), {
    head: 2,
    rows: [
      [1, 'b', false],
      [2, 'a', false],
    ],
  });
  await store.view(P).commit([device('c')]);
  assert.deepEqual((await feed(store, P, 2)).rows, [[3, 'c', false]]);
  assert.deepEqual((await feed(store, Q)).rows, [[1, 'x', false]]);
});
