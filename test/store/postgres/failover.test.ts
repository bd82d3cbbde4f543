/** Another server takes the place of the database while processes run. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { StoreError } from '#contract/base/store-error.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import { openPostgres } from '#store/postgres/engine.ts';
import { noPostgres, startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

const write = (n: number): ProjectWrite => ({
  ...{ project_id: 'prj_a', collection: 'records', id: `d${n}`, object: 'device', data: { n } },
});

/** Opens an engine that notes why it ends. */
async function open(url: string) {
  const fatal: StoreError[] = [];
  const onFatal = (error: StoreError): void => void fatal.push(error);
  const engine = await openPostgres({ url, clock: Date.now, random: (n) => randomBytes(n), role: 'cloud', onFatal });
  return { engine, fatal, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

test('[S119] processes go on when another server with all commits takes over: a new incarnation, and a new life of each project, once', {
  skip: noPostgres,
}, async () => {
  await using server = await startPostgres({ durable: true });
  const url = await server.database();
  await using one = await open(url);
  await using other = await open(url);
  await one.engine.sync.join('prj_a');
  await one.engine.commit([write(0)]);
  const lifeAt = (from: typeof one) => from.engine.sync.run('prj_a', (tx) => tx.node().life);
  assert.equal((await lifeAt(one)).number, 1);
  const heard: unknown[] = [];
  other.engine.changes((changes) => heard.push(...changes.map(({ document }) => document.data.n)));
  await server.failOver({ late: false });
  await one.engine.commit([write(1)]);
  await other.engine.commit([write(2)]);
  assert.deepEqual([one.engine.incarnation.number, one.engine.incarnation], [2, other.engine.incarnation]);
  const life = await lifeAt(one);
  assert.deepEqual([life.number, life], [2, await lifeAt(other)]);
  await until(() => heard.includes(2), 'the other process hears both');
  await server.failOver({ late: false });
  await one.engine.commit([write(3)]);
  assert.deepEqual([one.engine.incarnation.number, (await lifeAt(other)).number], [3, 3]);
  await until(() => heard.includes(3), 'the other process hears the third');
  // It may hear the first write, too, because it may have read it later than it was asked to listen.
  assert.deepEqual(
    heard.filter((n) => n !== 0),
    [1, 2, 3],
  );
  // A start changes neither.
  await using third = await open(url);
  assert.deepEqual([third.engine.incarnation.number, (await lifeAt(third)).number], [3, 3]);
  assert.deepEqual([one.fatal, other.fatal], [[], []]);
});

test('[S119] a process ends, to be started again, when the server that takes over lacks commits that the process knows', {
  skip: noPostgres,
}, async () => {
  await using server = await startPostgres({ durable: true });
  const url = await server.database();
  await using one = await open(url);
  await using idle = await open(url);
  await one.engine.commit([write(0)]);
  await server.copy();
  const heard: unknown[] = [];
  idle.engine.changes((changes) => heard.push(...changes.map(({ document }) => document.data.n)));
  await one.engine.commit([write(1)]);
  await until(() => heard.includes(1), 'the other process hears the commit');
  await server.failOver({ late: true });
  for (const { fatal } of [one, idle]) {
    await until(() => fatal.length > 0, 'a process notices');
    assert.equal(fatal[0]?.code, 'commits_lost');
  }
  await using again = await open(url);
  assert.equal(again.engine.incarnation.number, 2);
  const left = await again.engine.getMany('prj_a', 'records', ['d0', 'd1']);
  assert.deepEqual(
    left.map(({ id }) => id),
    ['d0'],
  );
});
