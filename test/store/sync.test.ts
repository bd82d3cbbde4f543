/** What the store keeps for the replication to head office, on real stores. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { nameId } from '#contract/base/names.ts';
import type { Change, Write } from '#contract/base/view.ts';
import { WriteConflict } from '#contract/base/view.ts';
import { askRepair } from '#domain/sync/apply.ts';
import { assembleBackup } from '#store/file/assemble.ts';
import { startBackups } from '#store/file/backup.ts';
import { openStore, type Store, type StoreOptions } from '#store/open-store.ts';
import { settings, temporaryFolder, temporaryStore } from './kit.ts';
import { checkLooks, checkTrimmedLog, countAll, openEnds, PROJECT, talk, unsoundOf, verdictOf } from './sync-kit.ts';

const machine = (id: string, data: object = {}, expected?: number): Write => ({
  collection: 'records',
  id,
  object: 'equipment',
  data: { name: id, unit_number: id, aliases: [], status: 'available', labels: { crew: 'a' }, ...data },
  ...(expected !== undefined && { expected }),
});
const event = (id: string, subject: string, at?: string): Write => ({
  collection: 'events',
  id,
  object: 'event',
  data: { type: 'note', subject: { object: 'equipment', id: subject }, data: {} },
  ...(at !== undefined && { at }),
});
const live = (id: string, n: number): Write => ({ collection: 'live', id, object: 'equipment', data: { n } });

const formatOf = (folder: string): unknown => JSON.parse(readFileSync(join(folder, 'store/format.json'), 'utf8'));

/** Number of rows in the log of the project. */
const logged = (store: Store): Promise<number> => store.sync.run(PROJECT, (tx) => tx.head().n);

/** Makes a backup of a store that is open. Returns its folder. */
async function backUp({ folder, clock }: Pick<StoreOptions, 'folder' | 'clock'>): Promise<string> {
  await using backups = startBackups({ folder, clock, log: () => {} });
  return await backups.now();
}

/** Id of the document of a unit number. */
const numberId = (folded: string): string =>
  nameId((text) => hash('sha256', text, 'hex'), PROJECT, 'unit_number', folded);

const nameOf = async (store: Store, id: string): Promise<unknown> =>
  (await store.view(PROJECT).get('records', id))?.data.name;

test('[S90] a folder changes its layout when a project takes part, and a folder without one has no table for it', async () => {
  await using t = await temporaryStore();
  const { folder } = t.options;
  await t.store.view(PROJECT).commit([machine('eq_1')]);
  const tables = () => {
    using database = new DatabaseSync(join(folder, 'store/headframe.db'), { readOnly: true });
    return database.prepare("SELECT name FROM sqlite_schema WHERE name GLOB 'sync_*'").all().length;
  };
  assert.deepEqual([tables(), formatOf(folder)], [0, { format: 4 }]);
  await t.store.sync.join(PROJECT);
  await t.store.sync.join(PROJECT);
  assert.ok(tables() > 0);
  assert.deepEqual([formatOf(folder), t.store.sync.projects()], [{ format: 5 }, [PROJECT]]);
  await assert.rejects(t.store.sync.join('node'), RangeError);
  await assert.rejects(
    t.store.sync.run('project_2', () => 0),
    /project_2 does not take part/,
  );
});

test('[S91] a commit writes registers and a row of the log, or nothing at all', async () => {
  await using t = await temporaryStore();
  const { store } = t;
  await store.sync.join(PROJECT);
  const view = store.view(PROJECT);
  const [first] = await view.commit([machine('eq_1'), event('evt_1', 'eq_1')]);
  await view.commit([machine('eq_1', { name: 'Truck' })]);
  await assert.rejects(view.commit([machine('eq_1', { name: 'other' }, 1), event('evt_2', 'eq_1')]), WriteConflict);
  await view.commit([{ collection: 'local', id: 'l_1', object: 'name', data: {} }]);
  await store.view('project_2').commit([machine('eq_2')]);
  const [rows, doc] = await store.sync.run(PROJECT, (tx) => [tx.rows(0, 10), tx.get('records/eq_1')] as const);
  assert.deepEqual(
    rows.map(({ n, members }) => [n, members]),
    [
      [
        1,
        [
          { collection: 'records', id: 'eq_1' },
          { collection: 'events', id: 'evt_1' },
        ],
      ],
      [2, [{ collection: 'records', id: 'eq_1', paths: ['name'] }]],
    ],
  );
  assert.equal(first?.hlc, `${rows[0]?.hlc}-${store.nodeId}`);
  assert.equal(doc?.rev, 2);
  const [value] = doc?.registers.get('name') ?? [];
  assert.deepEqual([value?.v, value?.hlc, value?.anc.length], ['Truck', rows[1]?.hlc, 1]);
});

test('[S92] documents from before are counted in steps, also over a restart, and commits meanwhile are not counted twice', async () => {
  using folder = temporaryFolder();
  const options = settings(folder.path);
  const first = await openStore(options);
  for (let i = 0; i < 250; i++) await first.view(PROJECT).commit([machine(`eq_${i}`), event(`evt_${i}`, `eq_${i}`)]);
  await first.sync.join(PROJECT);
  assert.equal(await first.sync.count(PROJECT), true);
  await first.view(PROJECT).commit([machine('eq_249', { name: 'edited before it was counted' })]);
  await first.view(PROJECT).commit([machine('eq_new')]);
  await first[Symbol.asyncDispose]();
  await using store = await openStore(options);
  await countAll(store);
  const sums = await store.sync.run(PROJECT, (tx) =>
    ['records', 'events'].map((scope) => tx.leaves(scope, 0).reduce((n, [, sum]) => n + sum.n, 0)),
  );
  assert.deepEqual(sums, [251, 250]);
  assert.equal(await logged(store), 2);
  const edited = await store.sync.run(PROJECT, (tx) => tx.get('records/eq_249')?.registers.get('name'));
  assert.deepEqual(
    edited?.map(({ v, anc }) => [v, anc.length]),
    [['edited before it was counted', 1]],
  );
});

test('[Y291] a process looks at the orders of lists each hour, so a restart has nothing to look at again', async () => {
  using folder = temporaryFolder();
  const options = settings(folder.path);
  {
    await using store = await openStore(options);
    await checkLooks(store, machine, (ms) => {
      options.time += ms;
    });
  }
  await using store = await openStore(options);
  assert.equal(await store.sync.count(PROJECT), false, 'nothing was changed since the last look');
});

test('[S93] live documents cost their commits nothing: they are counted later, each in its last state', async () => {
  await using t = await temporaryStore();
  const { store } = t;
  await store.sync.join(PROJECT);
  await countAll(store);
  for (let n = 1; n <= 30; n++) await store.view(PROJECT).commit([live('eq_1', n), live('eq_2', n)]);
  assert.equal(await logged(store), 0);
  await countAll(store);
  assert.equal(await logged(store), 1);
  const docs = await store.sync.run(PROJECT, (tx) => ['eq_1', 'eq_2'].map((id) => tx.get(`live/${id}`)));
  assert.deepEqual(
    docs.map((doc) => doc?.registers.get('!')?.[0]?.v),
    [{ n: 30 }, { n: 30 }],
  );
});

test('[S94] a document from another node keeps its author and its times, and gets a revision of this node', async () => {
  await using ends = await openEnds();
  const { site, cloud, options } = ends;
  const seen: Change[] = [];
  cloud.changes((changes) => seen.push(...changes));
  const [machineHere, eventHere] = await site
    .view(PROJECT)
    .commit([machine('eq_1'), event('evt_1', 'eq_1', '2025-12-31T23:00:00.000Z')]);
  options.cloud.time += 3_600_000;
  await talk(site, cloud);
  const [machineThere, eventThere] = [
    await cloud.view(PROJECT).get('records', 'eq_1'),
    await cloud.view(PROJECT).get('events', 'evt_1'),
  ];
  for (const [here, there] of [
    [machineHere, machineThere],
    [eventHere, eventThere],
  ])
    for (const field of ['hlc', 'origin', 'created_at', 'object', 'project_id', 'data'] as const)
      assert.deepEqual(there?.[field], here?.[field]);
  assert.equal(eventThere?.origin, site.nodeId);
  assert.equal(eventThere?.created_at, '2025-12-31T23:00:00.000Z');
  const changed = seen.filter(({ collection }) => collection === 'records' || collection === 'events');
  assert.deepEqual(changed.map(({ operation, document }) => [operation, document.id]).sort(), [
    ['INSERT', 'eq_1'],
    ['INSERT', 'evt_1'],
  ]);
  const record = await cloud.database.records.findOne('eq_1').exec();
  assert.equal(record?.data.name, 'eq_1');
  await cloud.view(PROJECT).commit([machine('eq_1', { name: 'renamed' })]);
  await site.view(PROJECT).commit([machine('eq_1', { labels: { crew: 'b' } })]);
  await talk(site, cloud);
  for (const store of [site, cloud]) {
    const { data, revision } = (await store.view(PROJECT).get('records', 'eq_1')) ?? {};
    assert.deepEqual([data?.name, data?.labels, Number(revision) >= 3], ['renamed', { crew: 'b' }, true]);
  }
  await talk(site, cloud);
  assert.equal(await verdictOf(site, cloud), 'complete');
});

test('[S95] a write of a document from a clock that is ahead is later than the document, and the clock stays', async () => {
  await using ends = await openEnds();
  const { site, cloud, options } = ends;
  options.cloud.time += 86_400_000;
  await cloud.view(PROJECT).commit([machine('eq_1')]);
  await talk(site, cloud);
  const [later] = await site.view(PROJECT).commit([machine('eq_1', { name: 'on site' })]);
  const [other] = await site.view(PROJECT).commit([machine('eq_2')]);
  const msOf = (hlc = '') => Number.parseInt(hlc.slice(0, 12), 16);
  assert.ok(msOf(later?.hlc) >= options.cloud.time);
  assert.equal(msOf(other?.hlc), options.site.time);
  await talk(site, cloud);
  assert.equal(await nameOf(cloud, 'eq_1'), 'on site');
});

test('[S95] live state from a clock that was ahead comes back with a restore, and what is measured next is copied at once', async () => {
  await using ends = await openEnds();
  const { site, cloud, options } = ends;
  await site.view(PROJECT).commit([machine('eq_1'), live('eq_1', 1)]);
  await talk(site, cloud);
  const backup = await backUp(options.site);
  // The clock of the box is wrong by a day, and head office gets what is measured then.
  options.site.time += 86_400_000;
  await site.view(PROJECT).commit([live('eq_1', 2), live('eq_2', 2)]);
  await talk(site, cloud);
  await site[Symbol.asyncDispose]();
  using target = temporaryFolder();
  mkdirSync(join(target.path, 'store'));
  assert.equal(assembleBackup(backup, join(target.path, 'store/headframe.db')), null);
  options.site.time -= 86_400_000;
  await using restored = await openStore({ ...options.site, folder: target.path });
  await talk(restored, cloud);
  await restored.view(PROJECT).commit([live('eq_1', 3), live('eq_2', 3)]);
  await talk(restored, cloud);
  for (const id of ['eq_1', 'eq_2'])
    for (const store of [restored, cloud])
      assert.deepEqual((await store.view(PROJECT).get('live', id))?.data, { n: 3 }, id);
  assert.equal(await verdictOf(restored, cloud), 'declared_gap');
  assert.deepEqual(await unsoundOf(restored), []);
});

test('[S96] facts that are erased before head office has them are named in a gap record', async () => {
  await using ends = await openEnds();
  const { site, cloud } = ends;
  await site.view(PROJECT).commit([event('evt_1', 'x'), event('evt_2', 'x')]);
  await site.erase('events', ['evt_1', 'unknown']);
  await talk(site, cloud);
  await talk(site, cloud);
  const gaps = await site.sync.run(PROJECT, (tx) => tx.gaps());
  assert.deepEqual(
    gaps.map(({ reason, items }) => [reason, Object.keys(items)]),
    [['bound', ['events/evt_1']]],
  );
  assert.equal(await verdictOf(site, cloud), 'declared_gap');
  assert.equal(await cloud.view(PROJECT).get('events', 'evt_1'), undefined);
  assert.notEqual(await cloud.view(PROJECT).get('events', 'evt_2'), undefined);
});

test('[S96] facts that are erased after head office confirmed them are no gap, and do not come back', async () => {
  await using ends = await openEnds();
  const { site, cloud } = ends;
  await site.view(PROJECT).commit([event('evt_1', 'x'), event('evt_2', 'x')]);
  await talk(site, cloud);
  assert.deepEqual(await site.sync.removable(PROJECT, 'events', ['evt_1']), []);
  ends.options.site.time += 31 * 86_400_000;
  assert.deepEqual(await site.sync.removable(PROJECT, 'events', ['evt_1']), ['evt_1']);
  await site.erase('events', ['evt_1']);
  assert.deepEqual(await site.sync.run(PROJECT, (tx) => tx.gaps()), []);
  assert.equal(await verdictOf(site, cloud), 'complete');
  await site.sync.run(PROJECT, askRepair);
  await talk(site, cloud);
  assert.equal(await site.view(PROJECT).get('events', 'evt_1'), undefined);
  assert.notEqual(await cloud.view(PROJECT).get('events', 'evt_1'), undefined);
  assert.equal(await verdictOf(site, cloud), 'complete');
  // Head office removes it too, because of its age there.
  await cloud.erase('events', ['evt_1']);
  assert.equal(await verdictOf(site, cloud), 'complete');
  await site.sync.run(PROJECT, askRepair);
  await talk(site, cloud);
  assert.equal(await cloud.view(PROJECT).get('events', 'evt_1'), undefined);
});

test('[Y64] the oldest rows of the log go, and the head stays', async () => {
  await using ends = await openEnds();
  await checkTrimmedLog(ends.cloud, machine);
});

test('[S97] a database that lost commits begins a new life in each project', async () => {
  using folder = temporaryFolder();
  const options = settings(folder.path);
  const before = await openStore(options);
  await before.sync.join(PROJECT);
  await before.view(PROJECT).commit([machine('eq_1')]);
  const old = await before.sync.run(PROJECT, (tx) => tx.node().life);
  await before[Symbol.asyncDispose]();
  // The mark says that more commits were on disk than the database has.
  {
    using raw = new DatabaseSync(join(folder.path, 'store/headframe.db'));
    raw.exec("UPDATE rx_meta SET value=0, sum=NULL WHERE key='seq'");
  }
  await using store = await openStore({ ...options, log: () => {} });
  const { life, fresh } = await store.sync.run(PROJECT, (tx) => tx.node());
  assert.deepEqual([life.number > old.number, life.token !== old.token, fresh], [true, true, true]);
  const gaps = await store.sync.run(PROJECT, (tx) => tx.gaps().map(({ reason }) => reason));
  assert.deepEqual(gaps, ['restore']);
});

test('[S98] a machine made in head office is found by its number on site, and its number cannot be taken twice', async () => {
  await using ends = await openEnds();
  const { site, cloud } = ends;
  await cloud.view(PROJECT).commit([machine('eq_1', { unit_number: 'HT 14', aliases: ['Fourteen'] })]);
  await talk(site, cloud);
  const holder = async (name: string): Promise<unknown> =>
    (await site.view(PROJECT).get('local', numberId(name)))?.data;
  assert.deepEqual(await holder('ht 14'), { kind: 'unit_number', name: 'ht 14', holder: 'eq_1' });
  assert.deepEqual(await holder('fourteen'), { kind: 'unit_number', name: 'fourteen', holder: 'eq_1' });
  const found = await site
    .view(PROJECT)
    .find('records', { object: 'equipment', where: { 'data.unit_number': 'HT 14' }, limit: 2 });
  assert.deepEqual(
    found.map(({ id }) => id),
    ['eq_1'],
  );
  assert.equal((await site.view(PROJECT).get('live', 'eq_1'))?.data.live_status, 'unknown');
  assert.equal(await verdictOf(site, cloud), 'complete');
  await cloud.view(PROJECT).commit([machine('eq_1', { unit_number: 'HT 15' })]);
  await talk(site, cloud);
  assert.deepEqual([await holder('ht 14'), await holder('fourteen')], [undefined, undefined]);
});

test('[S98] of two machines with one number the earlier claim has it, and the other gets it when that one is renamed', async () => {
  await using ends = await openEnds();
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
});

test('[S99] backups have what the replication knows, and a folder that is restored from one has its layout', async () => {
  using folder = temporaryFolder();
  using target = temporaryFolder();
  const options = settings(folder.path);
  const store = await openStore(options);
  await store.sync.join(PROJECT);
  for (let i = 0; i < 450; i++) await store.view(PROJECT).commit([machine(`eq_${i}`), event(`evt_${i}`, `eq_${i}`)]);
  await countAll(store);
  const backup = await backUp(options);
  await store[Symbol.asyncDispose]();
  mkdirSync(join(target.path, 'store'));
  assert.equal(assembleBackup(backup, join(target.path, 'store/headframe.db')), null);
  await using restored = await openStore({ ...options, folder: target.path });
  assert.deepEqual([restored.sync.projects(), formatOf(target.path)], [[PROJECT], { format: 5 }]);
  assert.equal(await logged(restored), 450);
  assert.deepEqual(await unsoundOf(restored), []);
});

test('[Y56] a field that was written 300 times without a link shows no conflict that nobody made', async () => {
  await using ends = await openEnds();
  const { site, cloud } = ends;
  await site.view(PROJECT).commit([machine('eq_1')]);
  await talk(site, cloud);
  for (let i = 0; i < 300; i++)
    await site.view(PROJECT).commit([machine('eq_1', { status: i % 2 === 0 ? 'in_use' : 'down' })]);
  await talk(site, cloud);
  const values = await cloud.sync.run(PROJECT, (tx) => tx.get('records/eq_1')?.registers.get('status'));
  assert.equal(values?.length, 1);
  assert.equal((await cloud.view(PROJECT).get('records', 'eq_1'))?.data.status, 'down');
  assert.deepEqual(await unsoundOf(site), []);
  assert.deepEqual(await unsoundOf(cloud), []);
});
