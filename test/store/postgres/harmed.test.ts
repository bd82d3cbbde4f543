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
import { until } from '#test/support/until.ts';
import { openSubject } from './kit.ts';

let server: PostgresServer;
let proxy: PostgresProxy;

if (noPostgres) test('the storage engine over a harmed PostgreSQL', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
    proxy = await startPostgresProxy(server.port, TEST_SEED);
    proxy.harm = { login: 0.1, conflict: 0.04, before: 0.08, after: 0.08 };
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  testEngine('harmed PostgreSQL', () => openSubject(server, proxy.through));

  test('[S103] the engine uses nothing that only PostgreSQL has', () => {
    const { counts, refused } = proxy;
    assert.ok(
      counts.conflicts > 0 && counts.before > 0 && counts.after > 0 && counts.logins > 0,
      JSON.stringify(counts),
    );
    assert.deepEqual(refused, []);
  });

  test('[S104] a COMMIT without an answer takes effect once: 300 writes to one document, a third of them cut', async () => {
    await using harmed = await startPostgresProxy(server.port, TEST_SEED + 1);
    const options = settings('');
    const url = harmed.through(await server.database());
    await using engine = await openPostgres({ ...options, url });
    harmed.harm = { ...NO_POSTGRES_HARM, before: 0.15, after: 0.2 };
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

  test('[S107] a commit fails with outcome_unknown if its answer is lost and the server refuses to say what became of it', async () => {
    await using harmed = await startPostgresProxy(server.port, TEST_SEED + 3);
    const url = await server.database();
    await using engine = await openPostgres({ ...settings(''), url: harmed.through(url) });
    const write: ProjectWrite = {
      ...{ project_id: 'prj_a', collection: 'records', id: 'a', object: 'device' },
      data: {},
    };
    harmed.harm = { ...NO_POSTGRES_HARM, after: 1, denied: 1 };
    await assert.rejects(engine.commit([write]), { code: 'outcome_unknown' });
    harmed.harm = NO_POSTGRES_HARM;
    assert.equal((await engine.get('prj_a', 'records', 'a'))?.revision, 1, 'it was committed, once');
  });

  test('[S107] a connection that the server ends at its login is replaced, also the one that listens', async () => {
    await using harmed = await startPostgresProxy(server.port, TEST_SEED + 2);
    const url = await server.database();
    await using engine = await openPostgres({ ...settings(''), url: harmed.through(url) });
    const { logins } = harmed.counts;
    harmed.harm = { ...NO_POSTGRES_HARM, login: 0.7 };
    harmed.cut();
    const write = (id: string): ProjectWrite => ({
      ...{ project_id: 'prj_a', collection: 'records', object: 'device' },
      ...{ id, data: {} },
    });
    for (let i = 0; harmed.counts.logins < logins + 30; i++) {
      await engine.commit([write(`a${i}`)]);
      harmed.cut();
    }
    harmed.harm = NO_POSTGRES_HARM;
    await using other = await openPostgres({ ...settings(''), url });
    const heard = new Set<string>();
    engine.changes((changes) => changes.forEach(({ document }) => void heard.add(document.id)));
    await other.commit([write('b')]);
    await until(() => heard.has('b'), 'the engine hears the other process');
  });
}
