/** A site on SQLite and head office on PostgreSQL: what the store keeps for the replication is the same in both engines. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { foldText, nameId } from '#contract/base/names.ts';
import type { Change, Write } from '#contract/base/view.ts';
import { broughtBy, handleRequest } from '#domain/sync/cloud.ts';
import { unknownLife } from '#domain/sync/lives.ts';
import { appendRow } from '#domain/sync/node.ts';
import { beginOwed, endOwed, noteOwed } from '#domain/sync/owed.ts';
import { SiteLink } from '#domain/sync/site.ts';
import { openDatabaseStore, type Store } from '#store/open-store.ts';
import { retryAll } from '#sync/quarantine.ts';
import { settings, temporaryFolder } from '#test/store/kit.ts';
import {
  checkLooks,
  checkTrimmedLog,
  countAll,
  type Ends,
  openEnds,
  PROJECT,
  talk,
  unsoundOf,
  verdictOf,
} from '#test/store/sync-kit.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { checkGraves } from '#test/sweeps/graves.ts';
import { openAt } from './kit.ts';

const machine = (id: string, data: object = {}): Write => ({
  collection: 'records',
  id,
  object: 'equipment',
  data: { name: id, unit_number: id, aliases: [], status: 'available', labels: { crew: 'a' }, ...data },
});
const event = (id: string, subject: string): Write => ({
  collection: 'events',
  id,
  object: 'event',
  data: { type: 'note', subject: { object: 'equipment', id: subject }, data: {} },
});

const numberId = (folded: string): string =>
  nameId((text) => hash('sha256', text, 'hex'), PROJECT, 'unit_number', folded);

let server: PostgresServer;

async function open(url?: string): Promise<Ends<Store>> {
  const database = url ?? (await server.database());
  return await openEnds((options) => openDatabaseStore({ ...options, database }));
}

/** Asserts that both ends are in step. */
async function inStep({ site, cloud }: Ends<Store>): Promise<void> {
  await talk(site, cloud);
  assert.equal(await verdictOf(site, cloud), 'complete');
  assert.deepEqual([await unsoundOf(site), await unsoundOf(cloud)], [[], []]);
}

if (noPostgres) test('the replication with head office on PostgreSQL', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test('[S94] a document keeps its author and its times, and edits at both ends are merged (PostgreSQL)', async () => {
    await using ends = await open();
    const { site, cloud, options } = ends;
    const seen: Change[] = [];
    cloud.changes((changes) => seen.push(...changes));
    const [here] = await site.view(PROJECT).commit([machine('eq_1'), event('evt_1', 'eq_1')]);
    options.cloud.time += 3_600_000;
    await talk(site, cloud);
    const there = await cloud.view(PROJECT).get('records', 'eq_1');
    for (const field of ['hlc', 'origin', 'created_at', 'object', 'project_id', 'data'] as const)
      assert.deepEqual(there?.[field], here?.[field]);
    const changed = seen.filter(({ collection }) => collection === 'records' || collection === 'events');
    assert.deepEqual(changed.map(({ operation, document }) => [operation, document.id]).sort(), [
      ['INSERT', 'eq_1'],
      ['INSERT', 'evt_1'],
    ]);
    await cloud.view(PROJECT).commit([machine('eq_1', { name: 'renamed' })]);
    await site.view(PROJECT).commit([machine('eq_1', { labels: { crew: 'b' } })]);
    await inStep(ends);
    for (const store of [site, cloud]) {
      const { data } = (await store.view(PROJECT).get('records', 'eq_1')) ?? {};
      assert.deepEqual([data?.name, data?.labels], ['renamed', { crew: 'b' }]);
    }
  });

  test('[S121] the code of a transaction runs once for a page whose rows are read before it', async () => {
    await using engine = await openAt(await server.database());
    await using ends = await open();
    const { site } = ends;
    const cloud = { ...engine, view: ends.cloud.view } as unknown as Store;
    await cloud.sync.join(PROJECT);
    const write = (n: number) =>
      site
        .view(PROJECT)
        .commit(
          [1, 2, 3].flatMap((i) => [
            machine(`eq_${i}`, { name: `${n}`, unit_number: `N${i}${n}` }),
            event(`evt_${i}_${n}`, `eq_${i}`),
          ]),
        );
    await write(0);
    await talk(site, cloud);
    const link = new SiteLink({ page: 20, bytes: 64_000, give: 20, flight: 1, urgent: { page: 5, bytes: 4_000 } });
    const seen: string[] = [];
    for (let n = 1; n < 4; ) {
      const request = await site.sync.run(PROJECT, (tx, env) => link.next(tx, env));
      if (request === undefined) {
        await write(n++);
        continue;
      }
      const { attempts } = engine.stats();
      const answer = await cloud.sync.run(PROJECT, (tx, env) => handleRequest(tx, env, request), broughtBy(request));
      if (request.type === 'push') seen.push(`${answer.type} ${engine.stats().attempts - attempts}`);
      await site.sync.run(PROJECT, (tx, env) => link.take(tx, env, request, answer));
    }
    assert.deepEqual(seen, ['ok 1', 'ok 1']);
  });

  test('[S122] commits in quarantine keep the order in which they arrived, whatever their keys are', async () => {
    await using engine = await openAt(await server.database());
    await engine.sync.join(PROJECT);
    const put = (key: string, reason: string) =>
      engine.sync.run(PROJECT, (tx) =>
        tx.setQuarantined({
          ...{ key, from: 'gw_a', life: 'gw_a.1.t', reason },
          commit: { key, life: 'gw_a.1.t', hlc: '0000000000010000', lane: 2, docs: [] },
        }),
      );
    for (const key of ['c', 'a', 'd', 'b']) await put(key, 'too_large');
    await put('c', 'needs_whole');
    const keys = await engine.sync.run(PROJECT, (tx) => tx.quarantined().map(({ key }) => key));
    assert.deepEqual(keys, ['c', 'a', 'd', 'b']);
  });

  test('[Y141] a start tries the commits in quarantine again, and runs no transaction for projects that have none', async () => {
    await using engine = await openAt(await server.database());
    const others = Array.from({ length: 20 }, (_, i) => `${PROJECT}_${i}`);
    for (const project of [PROJECT, ...others]) await engine.sync.join(project);
    const commit = { key: 'a', life: 'gw_a.1.t', hlc: '0000000000010000', lane: 2, docs: [] };
    const entry = { key: 'a', from: 'gw_a', life: 'gw_a.1.t', reason: 'too_large', commit };
    await engine.sync.run(PROJECT, (tx) => tx.setQuarantined(entry));
    const { attempts } = engine.stats();
    await retryAll(engine.sync);
    const tried = engine.stats().attempts - attempts;
    assert.ok(tried > 0 && tried < others.length, `${tried} runs`);
    assert.deepEqual(await engine.sync.run(PROJECT, (tx) => tx.quarantined()), []);
  });

  test('[Y201] head office counts the documents of which it has only the names, for each gateway', async () => {
    await using engine = await openAt(await server.database());
    await engine.sync.join(PROJECT);
    const keys = Array.from({ length: 300 }, (_, i) => `records/eq_${i}`);
    await engine.sync.run(PROJECT, (tx, env) => noteOwed(tx, env, 'gw_a', keys, true));
    await engine.sync.run(PROJECT, (tx, env) => noteOwed(tx, env, 'gw_a', keys.slice(0, 9), false));
    const counts = await engine.sync.counts(
      ['gw_a', 'gw_b'].map((gateway) => ({ project: PROJECT, gateway, after: 0 })),
    );
    assert.deepEqual(
      counts.map(({ owed }) => owed),
      [300, 0],
    );
    await engine.sync.run(PROJECT, (tx) => beginOwed(tx, 'gw_a'));
    await engine.sync.run(PROJECT, (tx, env) => endOwed(tx, env, 'gw_a'));
    assert.deepEqual(await engine.sync.run(PROJECT, (tx) => tx.owed.owings()), []);
  });

  test('[S92] documents from before the join, and many pages, arrive complete (PostgreSQL)', async () => {
    await using ends = await open();
    const { site, cloud } = ends;
    for (let from = 0; from < 300; from += 50)
      await site
        .view(PROJECT)
        .commit(
          Array.from({ length: 50 }, (_, i) => [machine(`eq_${from + i}`), event(`evt_${from + i}`, 'x')]).flat(),
        );
    for (let i = 0; i < 60; i++) await cloud.view(PROJECT).commit([machine(`eq_c${i}`)]);
    await cloud.view(PROJECT).commit([{ ...machine('eq_c7'), deleted: true }]);
    await inStep(ends);
    const all = await cloud.view(PROJECT).find('records', { object: 'equipment', limit: 1000 });
    assert.equal(all.length, 359);
  });

  test('[Y291] one process of head office looks at the orders of lists each hour, and another one has nothing to look at (PostgreSQL)', async () => {
    using first = temporaryFolder();
    using second = temporaryFolder();
    const options = settings(first.path);
    const database = await server.database();
    await using one = await openDatabaseStore({ ...options, database });
    await checkLooks(one, machine, (ms) => {
      options.time += ms;
    });
    await using other = await openDatabaseStore({ ...options, folder: second.path, database });
    assert.equal(await other.sync.count(PROJECT), false);
  });

  test('[Y285] head office counts what waits for a site, with the changes of a bundle that it did not confirm', async () => {
    await using ends = await open();
    for (const { sync } of [ends.site, ends.cloud]) {
      for (const from of ['gw_a.1.t', unknownLife('gw_a'), 'gw_b.1.t', unknownLife('gw_b')])
        await sync.run(PROJECT, (tx, env) =>
          appendRow(tx, env, { life: 'gw_a.1.t', hlc: env.now.toString(16).padStart(16, '0'), lane: 0, from }, []),
        );
      const counts = await sync.counts(
        ['gw_a', 'gw_b', 'gw_c'].map((gateway) => ({ project: PROJECT, gateway, after: 0 })),
      );
      assert.deepEqual(
        counts.map(({ waiting }) => waiting),
        [3, 3, 4],
      );
    }
  });

  test('[S98] a number that was given at both ends has one holder, and its record is the same at both (PostgreSQL)', async () => {
    await using ends = await open();
    const { site, cloud, options } = ends;
    await cloud.view(PROJECT).commit([machine('eq_cloud', { unit_number: 'N1' })]);
    options.site.time += 1_000;
    await site.view(PROJECT).commit([machine('eq_site', { unit_number: 'n1' })]);
    await talk(site, cloud);
    await talk(site, cloud);
    const holders = () =>
      Promise.all(
        [site, cloud].map(async (store) => (await store.view(PROJECT).get('local', numberId('n1')))?.data.holder),
      );
    assert.deepEqual(await holders(), ['eq_cloud', 'eq_cloud']);
    await cloud.view(PROJECT).commit([machine('eq_cloud', { unit_number: 'N2' })]);
    await talk(site, cloud);
    assert.deepEqual(await holders(), ['eq_site', 'eq_site']);
    await inStep(ends);
  });

  test('[S182] a number with half of a surrogate pair has its claims, and can be given up and taken again (PostgreSQL)', async () => {
    await using ends = await open();
    const { site, cloud, options } = ends;
    const half = 'N\ud800';
    const claims = async () => {
      const found = await cloud.sync.run(PROJECT, (tx) => tx.claims(`unit_number/${foldText(half)}`));
      return found.map(({ id }) => id);
    };
    await cloud.view(PROJECT).commit([machine('eq_1', { unit_number: half })]);
    assert.deepEqual(await claims(), ['eq_1']);
    options.site.time += 1_000;
    await site.view(PROJECT).commit([machine('eq_2', { unit_number: half })]);
    await talk(site, cloud);
    assert.deepEqual(await claims(), ['eq_1', 'eq_2']);
    await cloud.view(PROJECT).commit([machine('eq_1', { unit_number: 'N2' })]);
    assert.deepEqual(await claims(), ['eq_2']);
    await cloud.view(PROJECT).commit([machine('eq_1', { unit_number: half })]);
    await inStep(ends);
    assert.deepEqual((await claims()).sort(), ['eq_1', 'eq_2']);
  });

  test('[S183] a transaction over two projects gives each of them the words that its rows name (PostgreSQL)', async () => {
    const url = await server.database();
    await using engine = await openAt(url);
    const purged = (project_id: string, id: string) => ({ ...event(id, 'x'), project_id });
    for (const project of ['prj_a', 'prj_b']) await engine.sync.join(project);
    await engine.commit([purged('prj_a', 'evt_1')]);
    await engine.commit([purged('prj_a', 'evt_2'), purged('prj_b', 'evt_3')]);
    const ofLog = (project: string) =>
      engine.sync.run(project, (tx) => tx.rows(0, 10).map(({ life, from }) => [life !== '', from !== '']));
    assert.deepEqual(await ofLog('prj_a'), [
      [true, true],
      [true, true],
    ]);
    assert.deepEqual(await ofLog('prj_b'), [[true, true]]);
    const lost = `SELECT d.project_id FROM headframe.sync_docs d LEFT JOIN headframe.sync_words w
      ON w.project_id=d.project_id AND w.no=d.life WHERE w.no IS NULL`;
    assert.deepEqual(await server.query(url, lost), []);
  });

  test('[S183] a transaction over two projects keeps who gave the values of a document, also if only one of them knows this life (PostgreSQL)', async () => {
    await using ends = await open();
    const { site, cloud } = ends;
    await cloud.sync.join('project_2');
    await site.view(PROJECT).commit([machine('eq_1')]);
    await talk(site, cloud);
    await cloud.view(PROJECT).commit([machine('eq_1', { status: 'down' })]);
    const givers = () =>
      cloud.sync.run(PROJECT, (tx) =>
        Object.fromEntries(
          [...(tx.get('records/eq_1')?.registers ?? [])].map(([path, [value]]) => [path, value?.life]),
        ),
      );
    const before = await givers();
    const record = (project_id: string, id: string) => ({ ...machine(id, { name: 'renamed' }), project_id });
    await cloud.commit([record(PROJECT, 'eq_1'), record('project_2', 'eq_2')]);
    const after = await givers();
    const changed = Object.keys(before).filter((path) => before[path] !== after[path]);
    assert.deepEqual(changed, ['name']);
    assert.equal(new Set(Object.values(after)).size, 2);
    assert.ok(!Object.values(after).includes(''), JSON.stringify(after));
  });

  test('[S96] a fact that head office erases is no gap, and its digest item stays (PostgreSQL)', async () => {
    await using ends = await open();
    const { cloud } = ends;
    await cloud.view(PROJECT).commit([event('evt_1', 'x'), event('evt_2', 'x')]);
    await cloud.erase('events', ['evt_1', 'unknown']);
    const found = await cloud.sync.run(PROJECT, (tx) => [tx.gaps(), tx.removal('events/evt_1')?.as]);
    assert.deepEqual(found, [[], 'aged']);
    assert.equal(await cloud.view(PROJECT).get('events', 'evt_1'), undefined);
    assert.deepEqual(await unsoundOf(cloud), []);
  });

  test('[Y64] the oldest rows of the log go, and the head stays (PostgreSQL)', async () => {
    await using ends = await open();
    await checkTrimmedLog(ends.cloud, machine);
  });

  test('[S109] a process follows the replication of a project that another process made take part', async () => {
    const database = await server.database();
    await using ends = await open(database);
    const { site, cloud, options } = ends;
    using folder = temporaryFolder();
    await using other = await openDatabaseStore({ ...options.cloud, folder: folder.path, database });
    assert.deepEqual(other.sync.projects(), [PROJECT]);
    await cloud.sync.join('project_2');
    await other.view('project_2').commit([machine('eq_9')]);
    assert.equal(await cloud.sync.run('project_2', (tx) => tx.head().n), 1);
    await site.view(PROJECT).commit([machine('eq_1')]);
    await talk(site, cloud);
    await other.view(PROJECT).commit([machine('eq_1', { name: 'renamed by the other process' })]);
    await talk(site, other);
    assert.equal((await site.view(PROJECT).get('records', 'eq_1'))?.data.name, 'renamed by the other process');
    await inStep(ends);
    await countAll(other);
    assert.deepEqual(await unsoundOf(other), []);
  });

  test('[Y54] both ends keep the fields of deleted records for 400 days, and then only what keeps them deleted (PostgreSQL)', async () => {
    await using ends = await open();
    await checkGraves(ends);
  });
}
