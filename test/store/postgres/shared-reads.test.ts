/** Reads of single documents that share a statement. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import { SharedReads } from '#store/postgres/shared-reads.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { openAt } from './kit.ts';

/** Reads whose statements the test answers. */
function openReads() {
  const asked: { ids: readonly string[]; answer: PromiseWithResolvers<ReadonlyMap<string, string>> }[] = [];
  const reads = new SharedReads<string>((_project, _collection, ids) => {
    const answer = Promise.withResolvers<ReadonlyMap<string, string>>();
    asked.push({ ids, answer });
    return answer.promise;
  });
  return { asked, get: (id: string) => reads.get('prj_1', 'records', id) };
}

test('[S181] a read that comes while a statement runs is in the next one, also of the same document', async () => {
  const { asked, get } = openReads();
  const first = get('a');
  const later = [get('a'), get('b'), get('b')];
  assert.deepEqual(
    asked.map(({ ids }) => ids),
    [['a']],
  );
  asked[0]?.answer.resolve(new Map([['a', 'old']]));
  assert.equal(await first, 'old');
  assert.deepEqual(asked[1]?.ids, ['a', 'b']);
  asked[1]?.answer.resolve(new Map([['a', 'new']]));
  assert.deepEqual(await Promise.all(later), ['new', undefined, undefined]);
});

test('[S181] a statement that fails fails its own reads only, and the next read asks again', async () => {
  const { asked, get } = openReads();
  const [first, second] = [get('a'), get('b')];
  asked[0]?.answer.reject(new Error('no answer'));
  await assert.rejects(first, /no answer/);
  asked[1]?.answer.resolve(new Map([['b', 'here']]));
  assert.equal(await second, 'here');
  const third = get('a');
  asked[2]?.answer.resolve(new Map([['a', 'here']]));
  assert.equal(await third, 'here');
});

test('[S184] if the database is away, the reads that wait behind the statement fail with it, and the next read asks again', async () => {
  const { asked, get } = openReads();
  const settled = Promise.allSettled(['a', 'b', 'a'].map((id) => get(id)));
  const away = new StoreError('database_away', 'postgres://...');
  asked[0]?.answer.reject(away);
  await new Promise((resolve) => setImmediate(resolve));
  // There is no second statement; if there were one, it would fail in another way.
  asked[1]?.answer.reject(new Error('asked again'));
  const found = await settled;
  assert.deepEqual(
    found.map((one) => one.status === 'rejected' && one.reason),
    [away, away, away],
  );
  assert.equal(asked.length, 1);
  const next = get('a');
  asked[1]?.answer.resolve(new Map([['a', 'here']]));
  assert.equal(await next, 'here');
});

test('[S181] a statement has at most 50 documents', async () => {
  const { asked, get } = openReads();
  const all = Array.from({ length: 102 }, (_, i) => get(`id_${i}`));
  for (let i = 0; i < 4; i++) {
    asked[i]?.answer.resolve(new Map());
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  assert.deepEqual(
    asked.map(({ ids }) => ids.length),
    [1, 50, 50, 1],
  );
});

if (noPostgres) test('reads share a statement of PostgreSQL', { skip: noPostgres }, () => {});
else {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test('[S181] 200 reads at the same time need few statements, and a damaged document fails its own read only', async () => {
    const url = await server.database();
    await using engine = await openAt(url);
    const ids = Array.from({ length: 200 }, (_, i) => `id_${i}`);
    const of = { project_id: 'prj_1', collection: 'records' as const, object: 'device' };
    await engine.commit(ids.map((id, n) => ({ ...of, id, data: { n } })));
    await server.query(url, "UPDATE headframe.records SET data='{}' WHERE id='id_7'");
    const { statements } = engine.stats();
    const found = await Promise.allSettled(ids.map((id) => engine.get('prj_1', 'records', id)));
    const used = engine.stats().statements - statements;
    // The process also asks every second what the others wrote.
    assert.ok(used <= 10, `${used} statements`);
    assert.deepEqual(
      found.map((one) => (one.status === 'fulfilled' ? one.value?.data.n : 'damaged')),
      ids.map((_, n) => (n === 7 ? 'damaged' : n)),
    );
    assert.equal(await engine.get('prj_2', 'records', 'id_1'), undefined);
  });
}
