/** The storage suite through a proxy that fails statements, cuts connections at COMMIT and refuses what only PostgreSQL has. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProjectWrite } from '#contract/base/view.ts';
import { openPostgres } from '#store/postgres/engine.ts';
import { testEngine } from '#test/store/engine-suite.ts';
import { settings } from '#test/store/kit.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { NO_POSTGRES_HARM, type PostgresProxy, startPostgresProxy } from '#test/support/postgres-proxy.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { openSubject } from './kit.ts';

let server: PostgresServer;
let proxy: PostgresProxy;

if (noPostgres) test('the storage engine over a harmed PostgreSQL', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
    proxy = await startPostgresProxy(server.port, TEST_SEED);
    proxy.harm = { conflict: 0.03, before: 0.05, after: 0.05 };
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  testEngine('harmed PostgreSQL', () => openSubject(server, proxy.through));

  test('[S103] the engine uses nothing that only PostgreSQL has', () => {
    const { counts, refused } = proxy;
    assert.ok(counts.conflicts > 10 && counts.before > 3 && counts.after > 3, JSON.stringify(counts));
    assert.deepEqual(refused, []);
  });

  test('[S104] a COMMIT without an answer takes effect once: 300 writes to one document, a third of them cut', async () => {
    await using harmed = await startPostgresProxy(server.port, TEST_SEED + 1);
    const options = settings('');
    const url = harmed.through(await server.database());
    await using engine = await openPostgres({ ...options, url });
    harmed.harm = { conflict: 0, before: 0.15, after: 0.2 };
    const write = (n: number): ProjectWrite => ({
      ...{ project_id: 'prj_a', collection: 'records', id: 'a', object: 'device' },
      data: { n },
      expected: n,
    });
    for (let n = 0; n < 300; n++) await engine.commit([write(n)]);
    harmed.harm = NO_POSTGRES_HARM;
    assert.equal((await engine.get('prj_a', 'records', 'a'))?.revision, 300);
    const { head } = await engine.changeFeed('prj_a', 'records', 0, 10);
    assert.equal(head, 300);
    assert.ok(harmed.counts.after > 20, JSON.stringify(harmed.counts));
    assert.deepEqual([engine.stats().recovered, engine.stats().commits], [harmed.counts.after, 300]);
  });
}
