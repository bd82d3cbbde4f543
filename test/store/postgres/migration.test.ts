/** Databases that an earlier version of the program made. `test/fixtures/postgres` has dumps of them, made with its own statements. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { StoreError } from '#contract/base/store-error.ts';
import { hashOfTables, listedHash, VERSION } from '#store/postgres/migrations.ts';
import { startGateway } from '#test/support/gateway.ts';
import { killsOf } from '#test/support/kills.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { openAt } from './kit.ts';

const CHILD = join(import.meta.dirname, 'writer-child.ts');
const FIXTURE = readFileSync(join(import.meta.dirname, '../../fixtures/postgres/version-1.sql'), 'utf8');
/** The project of the dump, and an artifact in it. */
const PROJECT = /INSERT INTO headframe\.sync_projects VALUES \('(\w+)'/.exec(FIXTURE)?.[1] ?? '';
const ARTIFACT = 'art_01m8d0000000000000000000a';
const COLUMNS = `SELECT table_name, column_name, data_type, collation_name, is_nullable
  FROM information_schema.columns WHERE table_schema='headframe' ORDER BY 1, 2`;
const INDEXES = `SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname='headframe' ORDER BY 1, 2`;
const DOCUMENTS = 'SELECT project_id, id, seq, rev, data, part_seq FROM headframe.records ORDER BY 1, 2';

let server: PostgresServer;

const isVersionError = (error: unknown): boolean => error instanceof StoreError && error.code === 'database_version';

/** A database as version 1 left it. `more`: so many copies of each artifact, which make the change take longer. */
async function former(more = 0): Promise<string> {
  const url = await server.database();
  await server.query(url, FIXTURE);
  if (more > 0)
    await server.query(
      url,
      `INSERT INTO headframe.records SELECT r.project_id, r.id || '_' || i, r.seq, r.rev, r.del, r.lwt, r.data, r.sum, NULL,
         r.object, r.created_at FROM headframe.records r, generate_series(1, $1::int) i WHERE r.object='artifact'`,
      [more],
    );
  return url;
}

const versionOf = async (url: string): Promise<unknown> =>
  (await server.query(url, 'SELECT version FROM headframe.node'))[0]?.[0];

/** Asserts that a database has the tables of this version, with filled columns. */
async function assertChanged(url: string): Promise<void> {
  const empty = await server.database();
  await (await openAt(empty))[Symbol.asyncDispose]();
  for (const sql of [COLUMNS, INDEXES]) assert.deepEqual(await server.query(url, sql), await server.query(empty, sql));
  assert.equal(await versionOf(url), String(VERSION));
  const unfilled = `SELECT id FROM headframe.records WHERE data::jsonb #> '{data,replication}' IS NOT NULL AND "data.replication" IS NULL`;
  assert.deepEqual(await server.query(url, unfilled), []);
}

function spawnWriter(url: string, name: string, count: number): { child: ChildProcess; ended: Promise<unknown> } {
  const args = [CHILD, url, name, String(count), '1', PROJECT];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return { child, ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code))) };
}

if (noPostgres) test('databases of an earlier version', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test('[S112] whoever changes the tables adds a version with its step to `migrations.ts`', () => {
    assert.equal(listedHash(), hashOfTables());
  });

  test('[S112] a database of version 1 gets the tables of this version, its columns are filled, and no document changes', async () => {
    const url = await former();
    const documents = await server.query(url, DOCUMENTS);
    {
      await using engine = await openAt(url);
      const find = async (value: string) =>
        await engine.find(PROJECT, 'records', {
          ...({ object: 'artifact', order: 'asc', limit: 10 } as const),
          where: { 'data.replication': value },
        });
      assert.deepEqual(
        (await find('local_only')).map(({ id }) => id),
        [ARTIFACT],
      );
      assert.deepEqual(await find('elsewhere'), []);
    }
    assert.deepEqual(await server.query(url, DOCUMENTS), documents);
    await assertChanged(url);
    await (await openAt(url))[Symbol.asyncDispose]();
  });

  test('[S112] head office serves what a database of version 1 has', async () => {
    const settings = { HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: await former() };
    // The dump came without the key file of its data folder.
    await server.query(settings.HEADFRAME_DATABASE, "DELETE FROM headframe.local WHERE id='sealing_keys'");
    await using cloud = await startGateway(undefined, {}, settings);
    const { data } = await cloud.project(PROJECT).call('equipment_list', {});
    assert.deepEqual(
      data.map(({ name, unit_number }) => [name, unit_number]),
      [['Truck of head office', 'HT-14']],
    );
    assert.deepEqual(
      (await cloud.client.call('sync_status', {})).gateways.map(({ name, projects }) => [name, projects]),
      [['Quarry North', [PROJECT]]],
    );
  });

  test('[S112] of four processes that start at once one changes the tables, and all of them write', async () => {
    const url = await former(500);
    const writers = ['a', 'b', 'c', 'd'].map((name) => spawnWriter(url, name, 20));
    assert.deepEqual(await Promise.all(writers.map(({ ended }) => ended)), [0, 0, 0, 0]);
    await assertChanged(url);
    await using engine = await openAt(url);
    const ids = ['a', 'b', 'c', 'd'].flatMap((name) => Array.from({ length: 20 }, (_, i) => `${name}_${i}`));
    assert.equal((await engine.getMany(PROJECT, 'records', ids)).length, 80);
  });

  test('[S112] a process that is killed while it changes the tables has changed nothing, and the next start changes them', async () => {
    const url = await former(2_000);
    const columns = await server.query(url, COLUMNS);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type='Lock' AND query LIKE 'ALTER TABLE%'";
    const running = "SELECT 1 FROM pg_stat_activity WHERE application_name='headframe'";
    const gone = async () => (await server.query(url, `${running} AND datname=current_database()`)).length === 0;
    // The first process is killed at a known moment: in the transaction, while it waits for a reader of the table.
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('BEGIN; SELECT count(*) FROM headframe.records');
    const first = spawnWriter(url, 'a', 1);
    await until(async () => (await server.query(url, waiting)).length > 0, 'the tables are being changed');
    first.child.kill('SIGKILL');
    await first.ended;
    await reader.end();
    await until(gone, 'the server has ended the transaction');
    assert.deepEqual(await server.query(url, COLUMNS), columns);
    for (let kill = 0; kill < killsOf(4); kill++) {
      const { child, ended } = spawnWriter(url, 'a', 1);
      await until(async () => !(await gone()) || child.exitCode !== null, 'the process is connected');
      setTimeout(() => child.kill('SIGKILL'), kill * 13);
      await ended;
      await until(gone, 'the server has ended the transaction');
      if ((await versionOf(url)) === '1') assert.deepEqual(await server.query(url, COLUMNS), columns);
      else await assertChanged(url);
    }
    await (await openAt(url))[Symbol.asyncDispose]();
    await assertChanged(url);
  });

  test('[S113] a process whose tables a newer version changes writes nothing more, also not what was on its way', async () => {
    const url = await server.database();
    await using engine = await openAt(url);
    const write = (id: string) =>
      engine.commit([{ project_id: 'prj_a', collection: 'records', id, object: 'device', data: {} }]);
    await write('a');
    const newer = new pg.Client({ connectionString: url });
    await newer.connect();
    await newer.query(
      'BEGIN; SELECT 1 FROM headframe.node FOR UPDATE; ALTER TABLE headframe.records ADD COLUMN n bytea',
    );
    const late = write('b').then(() => 'written', isVersionError);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type='Lock' AND datname=current_database()";
    await until(async () => (await server.query(url, waiting)).length > 0, 'the commit waits for the change');
    await newer.query(`UPDATE headframe.node SET version=${VERSION + 1}; COMMIT`);
    await newer.end();
    assert.equal(await late, true);
    await assert.rejects(write('c'), isVersionError);
    assert.deepEqual(
      (await engine.getMany('prj_a', 'records', ['a', 'b', 'c'])).map(({ id }) => id),
      ['a'],
    );
    assert.deepEqual(
      engine.problems().map(({ code }) => code),
      ['database_version'],
    );
    assert.match(engine.problems()[0]?.message ?? '', /changed by a newer Headframe while this one ran/);
    await assert.rejects(openAt(url), isVersionError);
  });

  test('[S111] a database of version 1 with other columns than that version had is refused and not changed', async () => {
    const url = await former();
    await server.query(url, 'UPDATE headframe.node SET state=(state::jsonb || \'{"tables":"earlier"}\')::text');
    const columns = await server.query(url, COLUMNS);
    await assert.rejects(openAt(url), isVersionError);
    assert.deepEqual(await server.query(url, COLUMNS), columns);
    assert.equal(await versionOf(url), '1');
  });
}
