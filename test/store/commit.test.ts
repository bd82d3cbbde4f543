import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as breathe } from 'node:timers/promises';
import fc from 'fast-check';
import { StoreError } from '#contract/base/store-error.ts';
import { type Change, type Stored, WriteConflict } from '#contract/base/view.ts';
import { formatTime, type HybridTime, nextTime, parseTime } from '#store/base/hlc.ts';
import { openStore } from '#store/open-store.ts';
import { device, settings, temporaryFolder, temporaryStore } from './kit.ts';

test('[S10] a new document gets its envelope', async () => {
  await using t = await temporaryStore();
  const [stored] = await t.store.view('prj_a').commit([device('dev_1', { serial: 'S' }, 0)]);
  assert.deepEqual(stored, {
    id: 'dev_1',
    project_id: 'prj_a',
    object: 'device',
    // The first commit of the millisecond is the entry with which the audit log begins.
    hlc: `${t.options.time.toString(16).padStart(12, '0')}0001-${t.store.nodeId}`,
    origin: t.store.nodeId,
    origin_seq: stored?.origin_seq,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    revision: 1,
    data: { serial: 'S' },
  });
  assert.deepEqual(await t.store.view('prj_a').get('records', 'dev_1'), stored);
});

test('[S10] a later write keeps created_at, sets updated_at and raises the revision', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const [first] = await view.commit([device('dev_1', { serial: 'S' }, 0)]);
  t.options.time += 1500;
  const [second] = await view.commit([device('dev_1', { serial: 'T' }, 1)]);
  assert.ok(first && second);
  assert.equal(second.created_at, first.created_at);
  assert.equal(second.updated_at, '2026-01-01T00:00:01.500Z');
  assert.equal(second.revision, 2);
  assert.ok(second.origin_seq > first.origin_seq);
});

test('[S10] a write with `at` has this time in created_at and updated_at, and hlc follows the clock', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const at = '2025-06-01T10:00:00.000Z';
  const [first] = await view.commit([{ ...device('dev_1'), at }]);
  const [second] = await view.commit([{ ...device('dev_1'), at: '2025-06-02T10:00:00.000Z' }]);
  assert.deepEqual([first?.created_at, first?.updated_at], [at, at]);
  assert.deepEqual([second?.created_at, second?.updated_at], [at, '2025-06-02T10:00:00.000Z']);
  assert.equal(parseTime(String(first?.hlc)).ms, t.options.time);
});

test("[S10] a later change of the caller's data does not change the committed document", async () => {
  await using t = await temporaryStore();
  const data = { list: [1] };
  const seen: Change[] = [];
  t.store.changes((changes) => seen.push(...changes));
  const [stored] = await t.store.view('prj_a').commit([device('dev_1', data)]);
  data.list.push(2);
  assert.deepEqual(stored?.data, { list: [1] });
  assert.deepEqual(seen[0]?.document.data, { list: [1] });
});

test('[S11] a conflict of one write stores nothing, emits nothing and reports the current document', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const [there] = await view.commit([device('dev_1', { serial: 'S' }, 0)]);
  const seen: Change[] = [];
  t.store.changes((changes) => seen.push(...changes));
  let emitted = 0;
  const { records, live } = t.store.database.collections;
  for (const { eventBulks$ } of [records, live]) eventBulks$.subscribe(() => emitted++);
  const commit = view.commit([
    device('dev_2', {}, 0),
    { collection: 'live', id: 'dev_2', object: 'device', data: {} },
    device('dev_1', { serial: 'T' }, 7),
  ]);
  await assert.rejects(commit, (error) => {
    assert.ok(error instanceof WriteConflict);
    assert.equal(error.collection, 'records');
    assert.equal(error.id, 'dev_1');
    assert.deepEqual(error.current, there);
    return true;
  });
  assert.equal(await view.get('records', 'dev_2'), undefined);
  assert.equal(await view.get('live', 'dev_2'), undefined);
  assert.deepEqual(await view.get('records', 'dev_1'), there);
  assert.deepEqual(seen, []);
  assert.equal(emitted, 0);
});

test('[S24] each collection of a commit emits its own changes, with the checkpoint of its last row', async () => {
  await using t = await temporaryStore();
  const { records, live } = t.store.database.collections;
  const bulks: { name: string; id: string; ids: string[]; checkpoint: unknown }[] = [];
  for (const { name, storageInstance } of [records, live])
    storageInstance.changeStream().subscribe(({ id, events, checkpoint }) => {
      bulks.push({ name, id, ids: events.map(({ documentId }) => documentId), checkpoint });
    });
  await t.store.view('prj_a').commit([
    device('a'),
    { collection: 'live', id: 'a', object: 'device', data: {} },
    device('b'),
    // Nobody saw this document: its tombstone is a row and no change.
    { ...device('c'), deleted: true },
    { collection: 'live', id: 'c', object: 'device', data: {}, deleted: true },
  ]);
  assert.deepEqual(
    bulks.map(({ name, ids }) => [name, ids]),
    [
      ['records', ['a', 'b']],
      ['live', ['a']],
    ],
  );
  assert.equal(new Set(bulks.map(({ id }) => id)).size, 2, 'each bulk has an id of its own');
  for (const [i, { storageInstance }] of [records, live].entries()) {
    const rest = await storageInstance.getChangedDocumentsSince?.(10, bulks[i]?.checkpoint);
    assert.deepEqual(rest?.documents, []);
    assert.deepEqual(rest?.checkpoint, bulks[i]?.checkpoint);
  }
});

test('[S10] a commit accepts 1,000 documents, and refuses 1,001, an empty or long id, and a document without a project', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const many = Array.from({ length: 1001 }, (_, i) => device(`d${i}`));
  await assert.rejects(view.commit(many), RangeError);
  assert.equal((await view.commit(many.slice(1))).length, 1000);
  assert.deepEqual(await view.commit([]), []);
  for (const id of ['', 'x'.repeat(201)]) await assert.rejects(view.commit([device(id)]), RangeError);
  assert.equal((await view.commit([device('x'.repeat(200))])).length, 1);
  await assert.rejects(t.store.view('').commit([device('d')]), RangeError);
});

test('[S16] within a millisecond, and while the wall clock is behind, the hybrid clock raises only its counter', () => {
  assert.deepEqual(nextTime({ ms: 5, counter: 0 }, 5), { ms: 5, counter: 1 });
  assert.deepEqual(nextTime({ ms: 5, counter: 7 }, 4), { ms: 5, counter: 8 });
  assert.deepEqual(nextTime({ ms: 5, counter: 7 }, 5.5), { ms: 5, counter: 8 });
  assert.deepEqual(nextTime({ ms: 5, counter: 7 }, 6), { ms: 6, counter: 0 });
});

test('[S11] expected 0 requires that no document exists, and another number that it is the current revision', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  await assert.rejects(view.commit([device('dev_1', {}, 1)]), WriteConflict);
  await view.commit([device('dev_1', {}, 0)]);
  await assert.rejects(view.commit([device('dev_1', {}, 0)]), WriteConflict);
  await view.commit([device('dev_1', {}, 1)]);
  await view.commit([device('dev_1')]);
  assert.equal((await view.get('records', 'dev_1'))?.revision, 3);
});

test('[S11] of concurrent writers that expect the same revision exactly one succeeds, and no increment is lost', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  await view.commit([device('dev_1', { n: 0 }, 0)]);
  async function increment(): Promise<void> {
    for (;;) {
      const current: Stored<{ n?: number }> | undefined = await view.get('records', 'dev_1');
      try {
        await view.commit([device('dev_1', { n: (current?.data.n ?? 0) + 1 }, current?.revision ?? 0)]);
        return;
      } catch (error) {
        if (!(error instanceof WriteConflict)) throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: 25 }, increment));
  const last = await view.get('records', 'dev_1');
  assert.deepEqual(last?.data, { n: 25 });
  assert.equal(last?.revision, 26);
});

test('[S12] a conflict of one commit does not affect other commits of the same transaction', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const before = t.store.stats();
  const results = await Promise.allSettled([
    view.commit([device('a', {}, 0)]),
    // conflicts after it has written
    view.commit([device('b', {}, 0), device('a', {}, 0)]),
    view.commit([device('c', {}, 0)]),
    view.commit([device('a', { again: true }, 1)]),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  const there = await view.getMany('records', ['a', 'b', 'c']);
  assert.deepEqual(
    there.map(({ id, revision }) => [id, revision]),
    [
      ['a', 2],
      ['c', 1],
    ],
  );
  assert.equal(t.store.stats().commits - before.commits, 1);
  assert.equal(t.store.stats().rows - before.rows, 3);
});

test('[S12] commits that wait at the same moment share one transaction', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const before = t.store.stats();
  await Promise.all(Array.from({ length: 200 }, (_, i) => view.commit([device(`dev_${i}`, {}, 0)])));
  const after = t.store.stats();
  assert.equal(after.rows - before.rows, 200);
  assert.equal(after.commits - before.commits, 1);
});

test('[S12] the rows of several calls in a transaction are limited, and a call is never split', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const before = t.store.stats().commits;
  const batch = (name: string): Promise<Stored[]> =>
    view.commit(Array.from({ length: 600 }, (_, i) => device(`${name}_${i}`, {}, 0)));
  await Promise.all([batch('a'), batch('b'), batch('c')]);
  assert.equal(t.store.stats().commits - before, 3);
  await assert.rejects(view.commit(Array.from({ length: 1001 }, (_, i) => device(`d_${i}`))), RangeError);
});

test('[S12] with 20,000 waiting rows a commit is refused, and the waiting commits are written', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const batch = Array.from({ length: 1000 }, () => device('dev_1'));
  const waiting = Array.from({ length: 20 }, () => view.commit(batch));
  await assert.rejects(view.commit(batch), (error) => error instanceof StoreError && error.code === 'overloaded');
  await Promise.all(waiting);
  assert.equal((await view.get('records', 'dev_1'))?.revision, 20_000);
});

test('[S13] reads do not return a deleted document, and its revision continues when it is created again', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const seen: Change[] = [];
  view.changes((changes) => seen.push(...changes));
  await view.commit([device('dev_1', { serial: 'S' }, 0)]);
  const [gone] = await view.commit([{ ...device('dev_1', { serial: 'S' }, 1), deleted: true }]);
  assert.equal(gone?.revision, 2);
  assert.equal(await view.get('records', 'dev_1'), undefined);
  assert.deepEqual(await view.getMany('records', ['dev_1']), []);
  assert.deepEqual(await view.find('records', { object: 'device', limit: 10 }), []);
  await assert.rejects(view.commit([device('dev_1', {}, 2)]), WriteConflict);
  t.options.time += 1000;
  const [again] = await view.commit([device('dev_1', {}, 0)]);
  assert.equal(again?.revision, 3);
  assert.equal(again?.created_at, '2026-01-01T00:00:01.000Z');
  assert.deepEqual(
    seen.map(({ operation }) => operation),
    ['INSERT', 'DELETE', 'INSERT'],
  );
});

test('[S14] one commit writes to several projects and collections, and calls the listener of each view once with its changes', async () => {
  await using t = await temporaryStore();
  const heard: { a: string[][]; b: string[][]; all: string[][] } = { a: [], b: [], all: [] };
  const ids = (changes: readonly Change[]): string[] => changes.map(({ document }) => document.id);
  t.store.view('prj_a').changes((changes) => heard.a.push(ids(changes)));
  t.store.view('prj_b').changes((changes) => heard.b.push(ids(changes)));
  const stop = t.store.changes((changes) => heard.all.push(ids(changes)));
  await t.store.commit([
    { ...device('one'), project_id: 'prj_a' },
    { ...device('one'), collection: 'live', project_id: 'prj_a' },
    { ...device('two'), collection: 'events', project_id: 'prj_b' },
  ]);
  assert.deepEqual(heard, { a: [['one', 'one']], b: [['two']], all: [['one', 'one', 'two']] });
  stop();
  await t.store.commit([{ ...device('three'), project_id: 'prj_a' }]);
  assert.deepEqual(heard.all.length, 1);
});

test('[S14] a view neither shows nor overwrites a document of another project', async () => {
  await using t = await temporaryStore();
  await t.store.view('prj_a').commit([device('dev_1', { serial: 'S' }, 0)]);
  const other = t.store.view('prj_b');
  assert.equal(await other.get('records', 'dev_1'), undefined);
  assert.deepEqual(await other.getMany('records', ['dev_1']), []);
  assert.deepEqual(await other.find('records', { object: 'device', limit: 10 }), []);
  for (const expected of [0, 1, undefined]) {
    await assert.rejects(other.commit([device('dev_1', {}, expected)]), (error) => {
      assert.ok(error instanceof WriteConflict);
      assert.equal(error.current, undefined);
      return true;
    });
  }
  await assert.rejects(other.commit([{ ...device('dev_2'), project_id: 'prj_a' }]), RangeError);
});

test('[S15] a live query and a document of RxDB show a commit before it resolves', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const { records } = t.store.database.collections;
  const seen: string[][] = [];
  const query = records.find({ selector: { object: 'device' }, sort: [{ id: 'asc' }] });
  query.$.subscribe((documents) => seen.push(documents.map(({ id, revision }) => `${id}@${revision}`)));
  await query.exec();
  await view.commit([device('a', { n: 1 }, 0), device('b', {}, 0)]);
  const held = await records.findOne('a').exec();
  await view.commit([device('a', { n: 2 }, 1), device('a', { n: 3 }, 2)]);
  assert.deepEqual(held?.getLatest().data, { n: 3 });
  assert.deepEqual(
    (await query.exec()).map(({ id, revision }) => `${id}@${revision}`),
    ['a@3', 'b@1'],
  );
  await view.commit([{ ...device('b'), deleted: true }]);
  assert.deepEqual(
    (await query.exec()).map(({ id }) => id),
    ['a'],
  );
  await breathe();
  assert.deepEqual(seen.at(-1), ['a@3']);
});

test('[S15] a write through RxDB raises the revision for the next commit, and calls the listeners of views', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  await view.commit([device('a', { n: 1 }, 0)]);
  const heard: Change[] = [];
  view.changes((changes) => heard.push(...changes));
  const held = await t.store.database.collections.records.findOne('a').exec();
  await held?.incrementalPatch({ data: { n: 2 }, revision: 2 });
  await view.commit([device('a', { n: 3 }, 2)]);
  assert.deepEqual(held?.getLatest().data, { n: 3 });
  assert.deepEqual(
    heard.map(({ operation, document }) => [operation, document.data]),
    [
      ['UPDATE', { n: 2 }],
      ['UPDATE', { n: 3 }],
    ],
  );
});

test('[S15] RxDB queries and views return the same documents after any sequence of commits', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const { records } = t.store.database.collections;
  const query = records.find({
    selector: { object: 'device', revision: { $gt: 1 } },
    sort: [{ id: 'desc' }],
    limit: 3,
  });
  query.$.subscribe(() => {});
  const write = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), deleted: fc.boolean(), n: fc.nat(5) });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 4 }), async (writes) => {
      await view.commit(
        writes.map(({ id, deleted, n }) => ({ ...device(id, { n }), ...(deleted && { deleted: true as const }) })),
      );
      const all = await view.find('records', { object: 'device', limit: 100 });
      const expected = all
        .filter(({ revision }) => revision > 1)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, 3);
      assert.deepEqual(
        (await query.exec()).map((one) => one.toJSON()),
        expected,
      );
    }),
    { numRuns: 150 },
  );
});

test('[S16] hlc and seq never go back when the clock does, also after a restart', async () => {
  using folder = temporaryFolder();
  const options = settings(folder.path);
  const hlcs: string[] = [];
  async function write(id: string): Promise<void> {
    await using store = await openStore(options);
    for (const n of [1, 2]) {
      const [stored] = await store.view('prj_a').commit([device(`${id}_${n}`)]);
      hlcs.push(String(stored?.hlc));
    }
    const changed = await store.database.collections.records.storageInstance.getChangedDocumentsSince?.(100);
    assert.deepEqual(
      changed?.documents.map(({ hlc }) => hlc),
      hlcs,
    );
  }
  await write('a');
  options.time -= 365 * 86_400_000;
  await write('b');
  options.time += 2 * 365 * 86_400_000;
  await write('c');
  assert.deepEqual(hlcs, [...hlcs].sort());
  assert.equal(new Set(hlcs).size, hlcs.length);
  assert.equal(parseTime(hlcs.at(-2) ?? '').ms, options.time);
});

test('[S16] the hybrid clock keeps its order when a millisecond has more times than the counter can count', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(5, 6, 7, 1e12), { minLength: 2 }),
      fc.constantFrom(0, 0xfffe),
      (clock, counter) => {
        let time: HybridTime = { ms: 5, counter };
        for (const now of clock) {
          const next = nextTime(time, now);
          assert.ok(formatTime(next) > formatTime(time));
          assert.deepEqual(parseTime(formatTime(next)), next);
          time = next;
        }
      },
    ),
  );
});
