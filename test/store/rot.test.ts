import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import { inspectInBackground } from '#store/file/background.ts';
import { startBackups } from '#store/file/backup.ts';
import { inspectFile } from '#store/file/inspect.ts';
import { type FileStore, openStore } from '#store/open-store.ts';
import { checksumOf } from '#store/sqlite/checksum.ts';
import { eventually } from '#test/support/gateway.ts';
import { device, settings, temporaryFolder } from './kit.ts';
import { change, makeOld, rowsWithoutChecksum } from './old-layout.ts';

const quiet = { log: () => {} };
const PROJECT = 'prj_a';

/** Bytes of one document become others, and its JSON stays JSON: what SQLite does not notice. */
function rot(folder: string, id = 'dev_3'): void {
  change(folder, `UPDATE records_0 SET data=replace(data, '"hours":7', '"hours":9') WHERE id='${id}'`);
}

async function fill(folder: string, count: number): Promise<void> {
  await using store = await openStore(settings(folder));
  const writes = Array.from({ length: count }, (_, i) => device(`dev_${i}`, { hours: 7, serial: `S-${i}` }));
  await store.view(PROJECT).commit(writes);
}

function isCorrupt(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'corrupt';
}

const codes = (store: FileStore): string[] => store.problems().map(({ code }) => code);

async function backUp(folder: string, onDamage?: (what: string) => void): Promise<void> {
  await using backups = startBackups({ folder, clock: Date.now, ...quiet, ...(onDamage ? { onDamage } : {}) });
  await backups.now();
}

test('[S55] the checksum is XXH32: known values, texts of all lengths modulo 16, and bytes beyond ASCII', () => {
  const known: [text: string, sum: number][] = [
    ['', 0x02cc5d05],
    ['a', 0x550d7456],
    ['abc', 0x32d153ff],
    ['Nobody inspects the spammish repetition', 0xe2293b2f],
  ];
  for (const [text, sum] of known) assert.equal(checksumOf(text) >>> 0, sum, text);
  // one changed character of any, at any length, and of texts too long for the buffer that most share
  for (const length of [1, 3, 4, 15, 16, 17, 63, 64, 637, 100_000, 300_000]) {
    const text = 'ü'.repeat(length);
    for (const at of [0, length >> 1, length - 1])
      assert.notEqual(checksumOf(text), checksumOf(`${text.slice(0, at)}ý${text.slice(at + 1)}`), `${length} ${at}`);
  }
});

test('[S55] no read returns a document whose bytes changed; the others are served, and health reports it', async () => {
  using folder = temporaryFolder();
  await fill(folder.path, 10);
  rot(folder.path);
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  const view = store.view(PROJECT);
  const { storageInstance } = store.database.collections.records;
  assert.deepEqual(store.problems(), []);
  for (const read of [
    () => view.get('records', 'dev_3'),
    () => view.getMany('records', ['dev_2', 'dev_3']),
    () => view.find('records', { object: 'device', limit: 10 }),
    () => view.find('records', { object: 'device', where: { 'data.serial': ['S-2', 'S-3'] }, limit: 10 }),
    () => store.find('records', { object: 'device', limit: 10 }),
    () => store.feed(PROJECT, 'records', 0, 10),
    () => storageInstance.findDocumentsById(['dev_3'], true),
    () => storageInstance.findDocumentsById(['dev_3', 'dev_4'], true),
    () => storageInstance.query(store.database.records.find().getPreparedQuery()),
    () => storageInstance.getChangedDocumentsSince?.(10) ?? Promise.resolve(),
    // the writer says that it knows what is there
    () => view.commit([device('dev_3', { hours: 8 }, 1)]),
  ])
    await assert.rejects(read, isCorrupt, String(read));
  assert.equal((await view.get<{ hours: number }>('records', 'dev_4'))?.data.hours, 7);
  assert.deepEqual(codes(store), ['documents_damaged']);
  // and one that does not care takes its place: without a backup nothing else will
  const created_at = (await view.get('records', 'dev_4'))?.created_at;
  const [written] = await view.commit([device('dev_3', { serial: 'new' })]);
  assert.deepEqual(await view.get('records', 'dev_3'), written);
  assert.deepEqual([written?.revision, written?.created_at, written?.data], [2, created_at, { serial: 'new' }]);
  const byOld = await view.find('records', { object: 'device', where: { 'data.serial': 'S-3' }, limit: 10 });
  const byNew = await view.find('records', { object: 'device', where: { 'data.serial': 'new' }, limit: 10 });
  assert.deepEqual([byOld.length, byNew.length], [0, 1]);
  assert.equal((await store.feed(PROJECT, 'records', 0, 20)).entries.at(-1)?.document.id, 'dev_3');
  assert.equal(await view.get('records', 'dev_3').then((one) => one?.revision), 2);
  assert.deepEqual(store.problems(), []);
});

test('[S55] with a backup a changed document ends the store when it is read, and the next open returns what was written', async () => {
  using folder = temporaryFolder();
  await fill(folder.path, 10);
  await backUp(folder.path);
  rot(folder.path);
  const alarms: string[] = [];
  {
    const onFatal = (error: StoreError): void => void alarms.push(error.code);
    await using store = await openStore({ ...settings(folder.path), ...quiet, onFatal });
    await assert.rejects(store.view(PROJECT).get('records', 'dev_3'), isCorrupt);
    await eventually(
      () => Promise.resolve(alarms),
      (list) => list.length === 1,
      30,
    );
  }
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  assert.equal((await store.view(PROJECT).get<{ hours: number }>('records', 'dev_3'))?.data.hours, 7);
  assert.deepEqual(codes(store), ['database_mended']);
});

/** A folder with a backup, and a commit after it. */
async function withBackup(folder: string): Promise<void> {
  await fill(folder, 10);
  await backUp(folder);
  await using store = await openStore(settings(folder));
  await store.view(PROJECT).commit([device('dev_5', { hours: 8 }), device('dev_later')]);
}

/** Opens a folder whose damage was noted, as one that a process found while it ran. */
function openNoted(folder: string): Promise<FileStore> {
  writeFileSync(join(folder, 'store/damage.json'), '{"what":"test","kept":null}');
  return openStore({ ...settings(folder), ...quiet });
}

test('[S57] a changed document whose version is in the backup is repaired, and no later commit is lost', async () => {
  using folder = temporaryFolder();
  await withBackup(folder.path);
  rot(folder.path);
  change(folder.path, "UPDATE records_0 SET del=1 WHERE id='dev_4'");
  const kept = ['dev_3', 'dev_4', 'dev_5', 'dev_later'];
  {
    await using store = await openNoted(folder.path);
    const found = await store.view(PROJECT).getMany<{ hours?: number }>('records', kept);
    assert.deepEqual(
      found.map(({ id, data }) => [id, data.hours]),
      [
        ['dev_3', 7],
        ['dev_4', 7],
        ['dev_5', 8],
        ['dev_later', undefined],
      ],
    );
    assert.equal(store.incarnation.number, 1);
    assert.match(store.problems()[0]?.message ?? '', /^2 stored documents were damaged.*Nothing was lost/);
  }
  assert.deepEqual(inspectFile(join(folder.path, 'store/headframe.db')).damage, []);
  assert.deepEqual(
    readdirSync(join(folder.path, 'store')).filter((name) => /damage|copy/.test(name)),
    [],
  );
  const options = settings(folder.path);
  options.time += 8 * 86_400_000;
  await using store = await openStore({ ...options, ...quiet });
  assert.deepEqual(store.problems(), []);
});

test('[S57] without an intact backup the other documents are served, and reading a damaged one does not end the store', async () => {
  using folder = temporaryFolder();
  await withBackup(folder.path);
  rot(folder.path);
  const [backup = ''] = readdirSync(join(folder.path, 'backup'));
  writeFileSync(join(folder.path, 'backup', backup), 'rot');
  const alarms: string[] = [];
  writeFileSync(join(folder.path, 'store/damage.json'), '{"what":"test","kept":null}');
  const onFatal = (error: StoreError): void => void alarms.push(error.code);
  await using store = await openStore({ ...settings(folder.path), ...quiet, onFatal });
  await assert.rejects(store.view(PROJECT).get('records', 'dev_3'), isCorrupt);
  // what ends a store comes in a later turn
  await new Promise(setImmediate);
  assert.ok(await store.view(PROJECT).get('records', 'dev_later'));
  assert.deepEqual([alarms, codes(store)], [[], ['documents_damaged']]);
});

/** Bytes of one entry of an index become others. */
function rotIndex(file: string): void {
  using raw = new DatabaseSync(file);
  const root = raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name='records_0:device:data.serial'").get();
  const { page_size } = raw.prepare('PRAGMA page_size').get() as { page_size: number };
  raw.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = readFileSync(file);
  const at = bytes.indexOf('S-6', (Number(root?.rootpage) - 1) * page_size);
  assert.ok(at > 0 && at < Number(root?.rootpage) * page_size);
  bytes.write('S-z', at);
  writeFileSync(file, bytes);
}

test('[S57] an index that lacks an entry is built again, and nothing is lost', async () => {
  using folder = temporaryFolder();
  await withBackup(folder.path);
  rotIndex(join(folder.path, 'store/headframe.db'));
  assert.match(inspectFile(join(folder.path, 'store/headframe.db')).damage.join(), /index/);
  await using store = await openNoted(folder.path);
  assert.ok(await store.view(PROJECT).get('records', 'dev_later'));
  assert.match(store.problems()[0]?.message ?? '', /^An index of the database/);
  const where = { 'data.serial': 'S-6' };
  assert.equal((await store.view(PROJECT).find('records', { object: 'device', where, limit: 10 }))[0]?.id, 'dev_6');
});

test('[S57] if a changed document was written after the backup, the backup replaces the database, and the loss is reported', async () => {
  using folder = temporaryFolder();
  await withBackup(folder.path);
  rot(folder.path);
  change(folder.path, `UPDATE records_0 SET data=replace(data, '"hours":8', '"hours":9') WHERE id='dev_5'`);
  await using store = await openNoted(folder.path);
  const found = await store.view(PROJECT).getMany<{ hours: number }>('records', ['dev_3', 'dev_5', 'dev_later']);
  assert.deepEqual(
    found.map(({ data }) => data.hours),
    [7, 7],
  );
  assert.deepEqual(codes(store), ['records_lost']);
});

test('[S55] an open after an unclean stop finds changed documents: a backup is restored, or without one the others are served', async () => {
  using folder = temporaryFolder();
  const unclean = "UPDATE rx_meta SET value=1 WHERE key='open'";
  await fill(folder.path, 10);
  rot(folder.path);
  change(folder.path, unclean);
  {
    await using store = await openStore({ ...settings(folder.path), ...quiet });
    assert.match(store.problems()[0]?.message ?? '', /dev_3/);
    assert.ok(await store.view(PROJECT).get('records', 'dev_4'));
  }
  change(folder.path, `UPDATE records_0 SET data=replace(data, '"hours":9', '"hours":7')`);
  await backUp(folder.path);
  rot(folder.path);
  change(folder.path, unclean);
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  assert.equal((await store.view(PROJECT).get<{ hours: number }>('records', 'dev_3'))?.data.hours, 7);
});

test('[S55] a changed value in rx_meta is damage at the next open', async () => {
  using folder = temporaryFolder();
  await fill(folder.path, 10);
  change(folder.path, "UPDATE rx_meta SET value=value-3 WHERE key='seq'");
  await assert.rejects(openStore({ ...settings(folder.path), ...quiet }), isCorrupt);
  assert.match(
    inspectFile(join(folder.path, 'store/headframe.db')).damage[0] ?? '',
    /"seq" differs from what was written/,
  );
});

test('[S55] a changed table definition is damage at the next open, and the backup replaces the database', async () => {
  using folder = temporaryFolder();
  await withBackup(folder.path);
  change(folder.path, 'ALTER TABLE records_0 RENAME COLUMN ".data.serial" TO ".data.seriaI"');
  assert.match(inspectFile(join(folder.path, 'store/headframe.db')).damage[0] ?? '', /^sqlite_schema/);
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  assert.deepEqual(codes(store), ['records_lost']);
  const where = { 'data.serial': 'S-6' };
  assert.equal((await store.view(PROJECT).find('records', { object: 'device', where, limit: 10 }))[0]?.id, 'dev_6');
});

test('[S55] an inspection finds a changed document, a column that differs from its document, and a missing checksum', async () => {
  using folder = temporaryFolder();
  const cases: [sql: string, said: RegExp][] = [
    [
      `UPDATE records_0 SET data=replace(data, '"hours":7', '"hours":9') WHERE id IN ('dev_3', 'dev_4')`,
      /dev_3 and 1 more/,
    ],
    ["UPDATE live_0 SET rev='7-x' WHERE id='dev_1'", /live_0: dev_1/],
    [`UPDATE records_0 SET ".data.serial"='S-3' WHERE id='dev_7'`, /records_0: dev_7/],
    ["UPDATE records_0 SET sum=NULL WHERE id='dev_2'", /records_0: dev_2/],
  ];
  for (const [i, [sql, said]] of cases.entries()) {
    const base = join(folder.path, String(i));
    await fill(base, 10);
    {
      await using store = await openStore(settings(base));
      await store.view(PROJECT).commit([{ ...device('dev_1'), collection: 'live' }]);
    }
    assert.deepEqual(inspectFile(join(base, 'store/headframe.db')).damage, []);
    change(base, sql);
    const found = await inspectInBackground(join(base, 'store/headframe.db'), false);
    assert.match(found.damage.join(), said);
    assert.equal(found.onlyDocuments, true);
  }
});

test('[S55] a backup fails if the database has changed, and ends the store if an older backup is intact', async () => {
  using folder = temporaryFolder();
  await fill(folder.path, 10);
  const told: string[] = [];
  const onDamage = (what: string): void => void told.push(what);
  rot(folder.path);
  await assert.rejects(backUp(folder.path, onDamage), /differs from what was written/);
  assert.deepEqual(told, []);
  change(folder.path, `UPDATE records_0 SET data=replace(data, '"hours":9', '"hours":7')`);
  await backUp(folder.path, onDamage);
  rot(folder.path);
  {
    const alarms: string[] = [];
    const onFatal = (error: StoreError): void => void alarms.push(error.code);
    await using store = await openStore({ ...settings(folder.path), ...quiet, onFatal });
    await assert.rejects(backUp(folder.path, store.markCorrupt), /differs from what was written/);
    assert.deepEqual(alarms, ['corrupt']);
  }
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  assert.equal((await store.view(PROJECT).get<{ hours: number }>('records', 'dev_3'))?.data.hours, 7);
});

test('[S56] a folder of layout 1 opens without delay, and its rows get checksums in steps, also over a stop', async () => {
  using folder = temporaryFolder();
  const count = 900;
  await fill(folder.path, count);
  makeOld(folder.path);
  {
    await using store = await openStore({ ...settings(folder.path), ...quiet });
    assert.equal((await store.view(PROJECT).find('records', { object: 'device', limit: 1000 })).length, count);
    await store.view(PROJECT).commit([device(`dev_${count - 1}`, { hours: 8 })]);
  }
  assert.ok((rowsWithoutChecksum(folder.path)[0] ?? 0) > 0, 'the stop came first');
  {
    await using _store = await openStore({ ...settings(folder.path), ...quiet });
    await eventually(
      () => Promise.resolve(rowsWithoutChecksum(folder.path)),
      (left) => left.every((n) => n === 0),
      60,
    );
  }
  assert.deepEqual(inspectFile(join(folder.path, 'store/headframe.db')).damage, []);
  rot(folder.path);
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  await assert.rejects(store.view(PROJECT).get('records', 'dev_3'), isCorrupt);
});

test('[S56] an unreadable row of an older folder gets no checksum', async () => {
  using folder = temporaryFolder();
  await fill(folder.path, 10);
  makeOld(folder.path);
  change(folder.path, "UPDATE records_0 SET data='{' WHERE id='dev_3'");
  {
    await using store = await openStore({ ...settings(folder.path), ...quiet });
    await assert.rejects(store.view(PROJECT).get('records', 'dev_3'), isCorrupt);
  }
  assert.equal(rowsWithoutChecksum(folder.path)[0], 1);
  assert.match(inspectFile(join(folder.path, 'store/headframe.db')).damage.join(), /dev_3/);
});
