/** Several processes with one PostgreSQL database. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import { WriteConflict } from '#contract/base/view.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { openAt } from './kit.ts';

const CHILD = join(import.meta.dirname, 'writer-child.ts');
const COUNT = 1_500;
const PROJECTS = ['prj_a', 'prj_b'];

let server: PostgresServer;

async function writer(url: string, name: string): Promise<string> {
  const child = spawn(process.execPath, [CHILD, url, name, String(COUNT), '7', PROJECTS.join()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines = await text(child.stdout);
  assert.equal(await ended, 0);
  return lines;
}

if (noPostgres) test('several processes with one PostgreSQL database', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test('[S105] a process hears each change of two other processes once, and a reader of the feed misses none', async () => {
    const url = await server.database();
    await using engine = await openAt(url);
    const heard: string[] = [];
    engine.changes((changes) => heard.push(...changes.map(({ document }) => document.id)));
    const read = new Map<string, number>(PROJECTS.map((project) => [project, 0]));
    const seen: string[] = [];
    let writing = true;
    const reader = (async () => {
      for (let more = true; more || writing; ) {
        more = false;
        for (const [project, from] of read) {
          const { entries } = await engine.changeFeed(project, 'records', from, 1000);
          seen.push(...entries.map(({ document }) => document.id));
          read.set(project, entries.at(-1)?.seq ?? from);
          more ||= entries.length > 0;
        }
      }
    })();
    const own = Array.from({ length: 300 }, (_, i) =>
      engine.commit([
        { project_id: PROJECTS[i % 2] as string, collection: 'records', id: `own_${i}`, object: 'device', data: { i } },
      ]),
    );
    await Promise.all([writer(url, 'x'), writer(url, 'y'), ...own]);
    writing = false;
    await reader;
    const all = 2 * COUNT + own.length;
    await until(async () => heard.length >= all, 'all changes are heard');
    assert.deepEqual([heard.length, new Set(heard).size], [all, all]);
    assert.deepEqual([seen.length, new Set(seen).size], [all, all]);
  });

  test('[S106] of two processes that write one new document at the same time one succeeds: 300 documents', async () => {
    const url = await server.database();
    await using one = await openAt(url);
    await using other = await openAt(url);
    const write = (engine: typeof one, i: number) =>
      engine
        .commit([{ project_id: 'prj_a', collection: 'local', id: `r_${i}`, object: 'receipt', data: {}, expected: 0 }])
        .then(
          () => 1,
          (error: unknown) => {
            assert.ok(error instanceof WriteConflict);
            return 0;
          },
        );
    const results = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => (await Promise.all([write(one, i), write(other, i)])).join('')),
    );
    assert.deepEqual(
      results.filter((result) => result !== '10' && result !== '01'),
      [],
    );
  });

  test('[S107] a server that is killed and comes back is used again, and no acknowledged commit is lost', async () => {
    await using own = await startPostgres({ durable: true });
    await using engine = await openAt(await own.database());
    let acknowledged = 0;
    let stop = false;
    const writing = (async () => {
      for (let i = 0; !stop; i++) {
        await engine.commit([{ project_id: 'prj_a', collection: 'records', id: 'a', object: 'device', data: { i } }]);
        acknowledged = i + 1;
      }
    })();
    for (let kills = 0; kills < 3; kills++) {
      const before_ = acknowledged;
      await until(async () => acknowledged > before_ + 5, 'commits go on');
      await own.crash();
    }
    stop = true;
    await writing;
    assert.equal((await engine.get('prj_a', 'records', 'a'))?.revision, acknowledged);
  });

  test('[S117] a process that cannot ask the server says that its caches may be old, until it can ask again', async () => {
    await using own = await startPostgres();
    await using engine = await openAt(await own.database());
    assert.equal(engine.isCurrent(), true);
    await own.crash(() => until(() => !engine.isCurrent(), 'the process notices'));
    await until(() => engine.isCurrent(), 'the process is current again');
  });

  test('[S110] a copy of a database begins a new incarnation, and a database that stays does not', async () => {
    const url = await server.database();
    const incarnationOf = async (address: string) => {
      await using engine = await openAt(address);
      return engine.incarnation;
    };
    const first = await incarnationOf(url);
    assert.deepEqual(await incarnationOf(url), first);
    const copied = await incarnationOf(await server.database(url));
    assert.deepEqual([first.number, copied.number, copied.token === first.token], [1, 2, false]);
  });

  test('[S111] a database that does not exist is refused by name', async () => {
    const url = Object.assign(new URL(server.url), { pathname: '/nothing' }).href;
    await assert.rejects(openAt(url), (error) => error instanceof StoreError && error.code === 'database_refused');
  });

  test('[S111] a database with tables of another version is refused by name, and the message has no password', async () => {
    const url = await server.database();
    await (await openAt(url))[Symbol.asyncDispose]();
    await server.query(url, 'UPDATE headframe.node SET version=99');
    const secret = Object.assign(new URL(url), { password: 'secret' }).href;
    await assert.rejects(openAt(secret), (error) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.code, 'database_version');
      assert.match(error.message, /version 99, which a newer Headframe made/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });

  test('[S111] a database with other columns than this version writes is refused by name', async () => {
    const url = await server.database();
    await (await openAt(url))[Symbol.asyncDispose]();
    await server.query(url, 'UPDATE headframe.node SET state=(state::jsonb || \'{"tables":"earlier"}\')::text');
    await assert.rejects(openAt(url), (error) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.code, 'database_version');
      assert.match(error.message, /tables with other columns or indexes/);
      return true;
    });
  });
}
