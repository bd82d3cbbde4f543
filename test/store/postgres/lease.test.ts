/** The lease of the background work. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import type { PostgresEngine } from '#store/postgres/engine.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { NO_POSTGRES_HARM, startPostgresProxy } from '#test/support/postgres-proxy.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';
import { openAt } from './kit.ts';

let server: PostgresServer;

const write = (id: string, n = 0): ProjectWrite => ({
  ...{ project_id: 'prj_a', collection: 'records', id, object: 'device', data: { n } },
});
const isLost = (error: unknown): boolean => error instanceof StoreError && error.code === 'lease_lost';

/** What another process does when the holder was silent for 10 s. */
const TAKEN = "UPDATE headframe.leases SET token=token+1, beats=beats+1, holder='another'";

/** Notes when a work begins and ends. */
function follow(engine: PostgresEngine, name: string, log: string[]): Promise<AsyncDisposable> {
  return engine.lease.whileHeld(async () => {
    log.push(`${name} begins`);
    return { [Symbol.asyncDispose]: async () => void log.push(`${name} ends`) };
  });
}

if (noPostgres) test('the lease of the background work', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test('[S115] one of two processes does the background work; when it stops, the other one begins', async () => {
    const url = await server.database();
    await using one = await openAt(url);
    await using other = await openAt(url);
    const log: string[] = [];
    await follow(one, 'one', log);
    await follow(other, 'other', log);
    assert.deepEqual([one.lease.isHeld(), other.lease.isHeld()], [true, false]);
    await assert.rejects(other.background.commit([write('a')]), isLost);
    await one.background.commit([write('a')]);
    await one[Symbol.asyncDispose]();
    await until(() => other.lease.isHeld(), 'the other process has the lease');
    await until(() => log.includes('other begins'), 'its work begins');
    await other.background.commit([write('a', 1)]);
    assert.deepEqual(log, ['one begins', 'other begins']);
  });

  test('[S115] a process that lost the lease writes nothing for it, although it does not know yet, and its other commits succeed', async () => {
    const url = await server.database();
    await using engine = await openAt(url);
    const log: string[] = [];
    const work = await follow(engine, 'work', log);
    await engine.background.commit([write('a')]);
    await server.query(url, TAKEN);
    assert.equal(engine.lease.isHeld(), true, 'it did not ask since');
    // Both arrive at the same time for one project, and only one of them fails.
    const [fenced, plain] = await Promise.allSettled([
      engine.background.commit([write('b')]),
      engine.commit([write('c')]),
    ]);
    assert.ok(fenced.status === 'rejected' && isLost(fenced.reason));
    assert.equal(plain.status, 'fulfilled');
    await assert.rejects(engine.background.erase('events', ['x'], [write('d')]), isLost);
    assert.deepEqual(
      (await engine.getMany('prj_a', 'records', ['a', 'b', 'c', 'd'])).map(({ id }) => id),
      ['a', 'c'],
    );
    await until(() => log.includes('work ends'), 'the work ends');
    // The other process beats no more, so the lease comes back after 10 s, and the work begins again.
    await until(() => log.length === 3, 'the work begins again');
    await engine.background.commit([write('b')]);
    await work[Symbol.asyncDispose]();
    assert.deepEqual(log, ['work begins', 'work ends', 'work begins', 'work ends']);
  });

  test('[S115] work that cannot start is tried again', async () => {
    await using engine = await openAt(await server.database());
    let tries = 0;
    const start = async (): Promise<AsyncDisposable> => {
      if (++tries < 3) throw new Error('not yet');
      return { [Symbol.asyncDispose]: async () => {} };
    };
    await assert.rejects(engine.lease.whileHeld(start), /not yet/);
    await until(() => tries === 3, 'the third try');
  });

  test('[S115] the holder keeps the lease over cut connections and lost answers', async () => {
    await using proxy = await startPostgresProxy(server.port, TEST_SEED);
    const url = proxy.through(await server.database());
    await using one = await openAt(url);
    await using other = await openAt(url);
    proxy.harm = { ...NO_POSTGRES_HARM, login: 0.2, before: 0.1, after: 0.1 };
    for (let n = 0; n < 60; n++) {
      await one.background.commit([write('a', n)]);
      if (n % 20 === 10) proxy.cut();
    }
    assert.deepEqual([one.lease.isHeld(), other.lease.isHeld()], [true, false]);
    assert.equal((await one.get('prj_a', 'records', 'a'))?.revision, 60);
    assert.deepEqual(proxy.refused, []);
  });
}
