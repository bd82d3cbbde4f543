import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { restoreDaily, verifyFolder } from '#commands/custody.ts';
import type { Change, Stored } from '#contract/base/view.ts';
import { startBackups } from '#store/file/backup.ts';
import { listBackups } from '#store/file/backup-files.ts';
import { inspectFile } from '#store/file/inspect.ts';
import { type FileStore, openStore } from '#store/open-store.ts';
import { checksumOf } from '#store/sqlite/checksum.ts';
import { rowsOf } from '#store/sqlite/find-damage.ts';
import { bodyOf, numbersOf, open, sealed } from './history-documents.ts';
import { settings, temporaryFolder, temporaryStore } from './kit.ts';

const PROJECT = 'prj_a';
const quiet = { log: () => {} };
const DOCUMENTS = 30;

interface Data {
  readonly body: Uint8Array;
}

const fileOf = (folder: string): string => join(folder, 'store/headframe.db');

async function backUp(folder: string): Promise<void> {
  await using backups = startBackups({ folder, clock: Date.now, ...quiet });
  await backups.now();
}

async function fill(folder: string): Promise<void> {
  await using store = await openStore(settings(folder));
  await store.commit([...Array.from({ length: DOCUMENTS }, (_, i) => sealed(i)), open(1)]);
}

/** Stores the bodies as an earlier version did: as base64 text in the JSON, without a column for bytes. */
function makeOld(file: string): void {
  using raw = new DatabaseSync(file);
  const update = raw.prepare('UPDATE telemetry_0 SET data=?, sum=? WHERE rowid=?');
  for (const [row, text, body] of rowsOf(raw, 'SELECT rowid, data, body FROM telemetry_0')) {
    const document = JSON.parse(String(text));
    document.data.body = Buffer.from(body as Uint8Array).toString('base64');
    const old = JSON.stringify(document);
    update.run(old, checksumOf(old), row as number);
  }
  raw.exec("ALTER TABLE telemetry_0 DROP COLUMN body; DELETE FROM rx_meta WHERE key='schema'");
}

/** Takes the folder back to an earlier version, and makes a backup as that version did. */
async function backUpOld(folder: string): Promise<void> {
  makeOld(fileOf(folder));
  await backUp(folder);
  const backup = join(folder, 'backup');
  const packs = readdirSync(backup).filter((name) => name.endsWith('.pack'));
  assert.equal(packs.length, 2);
  for (const name of packs) {
    using pack = new DatabaseSync(join(backup, name));
    pack.exec('ALTER TABLE sealed DROP COLUMN body');
  }
}

/** Changes one byte of the bytes of a document. */
function rot(file: string, id: string): void {
  using raw = new DatabaseSync(file);
  const [row] = rowsOf(raw, 'SELECT body FROM telemetry_0 WHERE id=?', id);
  const body = Buffer.from(row?.[0] as Uint8Array);
  body[100] = (body[100] ?? 0) ^ 1;
  raw.prepare('UPDATE telemetry_0 SET body=? WHERE id=?').run(body, id);
}

async function bodiesOf(store: FileStore): Promise<Map<string, Uint8Array>> {
  const all: Stored<Data>[] = [];
  for (const object of ['segment', 'rollup'])
    all.push(...(await store.view(PROJECT).find<Data>('telemetry', { object, limit: 1000 })));
  return new Map(all.map(({ id, data }) => [id, data.body]));
}

async function checkBodies(store: FileStore): Promise<void> {
  const bodies = await bodiesOf(store);
  assert.equal(bodies.size, DOCUMENTS + 1);
  for (const n of await numbersOf(store))
    assert.deepEqual(bodies.get(sealed(n).id), bodyOf(n, 3000), `the body of document ${n}`);
  assert.deepEqual(bodies.get('open_1'), bodyOf(1, 300));
}

test('[S17] the bytes are in a column, and the JSON text does not have them', async () => {
  using folder = temporaryFolder();
  await fill(folder.path);
  using raw = new DatabaseSync(fileOf(folder.path));
  const rows = rowsOf(raw, 'SELECT typeof(body), octet_length(body), data FROM telemetry_0 WHERE id=?', 'segment_3');
  assert.deepEqual(rows[0]?.slice(0, 2), ['blob', 3000]);
  assert.equal('body' in JSON.parse(String(rows[0]?.[2])).data, false);
  assert.deepEqual(inspectFile(fileOf(folder.path)).damage, []);
});

test('[S17] RxDB reads and writes the bytes as base64 text', async () => {
  await using subject = await temporaryStore();
  const { store } = subject;
  const { telemetry } = store.database.collections;
  const body = bodyOf(1, 100);
  const base64 = Buffer.from(body).toString('base64');
  const heard: Change[] = [];
  store.changes((changes) => heard.push(...changes));
  const shown: unknown[] = [];
  const watched = telemetry.find().$.subscribe((found) => {
    shown.push(found.map(({ id, data }) => [id, data.body]));
  });
  await store.commit([open(1)]);
  const text = Buffer.from(bodyOf(1, 300)).toString('base64');
  const [document] = await telemetry.find().exec();
  assert.deepEqual([document?.id, document?.data.body], ['open_1', text]);
  await document?.incrementalPatch({ data: { ...document.data, body: base64 } });
  watched.unsubscribe();
  assert.deepEqual(shown.at(-1), [['open_1', base64]]);
  const view = store.view(PROJECT);
  assert.deepEqual((await view.get<Data>('telemetry', 'open_1'))?.data.body, new Uint8Array(body));
  assert.deepEqual(
    heard.map(({ operation, document: { data } }) => [operation, data.body]),
    [
      ['INSERT', bodyOf(1, 300)],
      ['UPDATE', new Uint8Array(body)],
    ],
  );
  assert.deepEqual((await telemetry.storageInstance.findDocumentsById(['open_1'], true))[0]?.data.body, base64);
});

test('[S17] text that is not base64 stays as RxDB wrote it', async () => {
  await using subject = await temporaryStore();
  const { telemetry } = subject.store.database.collections;
  await subject.store.commit([open(1)]);
  for (const body of ['not base64', 'AA', 'AB==', '']) {
    const document = await telemetry.findOne('open_1').exec();
    await document?.incrementalPatch({ data: { ...document.data, body } });
    const [stored] = await telemetry.storageInstance.findDocumentsById(['open_1'], true);
    assert.equal(stored?.data.body, body);
  }
});

test('[S17] a folder of an earlier version is read with its base64 text, and a write stores bytes', async () => {
  using folder = temporaryFolder();
  await fill(folder.path);
  makeOld(fileOf(folder.path));
  writeFileSync(join(folder.path, 'store/format.json'), '{"format":3}\n');
  {
    await using store = await openStore(settings(folder.path));
    await checkBodies(store);
    const view = store.view(PROJECT);
    const [old] = await view.getMany('telemetry', ['open_1']);
    assert.ok(old);
    await view.commit([{ collection: 'telemetry', id: 'open_1', object: 'segment', data: old.data }]);
    await checkBodies(store);
    await backUp(folder.path);
  }
  const { damage } = inspectFile(fileOf(folder.path));
  assert.deepEqual(damage, []);
  using raw = new DatabaseSync(fileOf(folder.path));
  const rows = rowsOf(raw, 'SELECT id, body FROM telemetry_0 WHERE body IS NOT NULL');
  assert.deepEqual(rows, [['open_1', new Uint8Array(bodyOf(1, 300))]]);
});

test('[S55] no read returns bytes that changed, a list has the document without its bytes, and verify finds it', async () => {
  using folder = temporaryFolder();
  await fill(folder.path);
  rot(fileOf(folder.path), 'segment_3');
  assert.match(inspectFile(fileOf(folder.path)).damage.join(), /segment_3 cannot be read or differs/);
  assert.match((await verifyFolder(folder.path)).damage.join(), /segment_3/);
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  const { storageInstance } = store.database.collections.telemetry;
  const view = store.view(PROJECT);
  for (const read of [
    () => view.get('telemetry', 'segment_3'),
    () => view.getMany('telemetry', ['segment_2', 'segment_3']),
    () => store.feed(PROJECT, 'telemetry', 0, 100),
    () => storageInstance.findDocumentsById(['segment_3'], true),
  ])
    await assert.rejects(async () => read(), { code: 'corrupt' });
  const listed = await view.find<{ body: Uint8Array }>('telemetry', { object: 'segment', limit: 100 });
  const without = listed.filter(({ data }) => data.body.length === 0).map(({ id }) => id);
  assert.deepEqual(without, ['segment_3']);
  assert.ok(listed.some(({ id }) => id === 'segment_4'));
  assert.ok(await view.get('telemetry', 'segment_4'));
});

test('[S57] changed bytes are repaired from a backup, also from one of an earlier version', async () => {
  for (const isOld of [false, true]) {
    using folder = temporaryFolder();
    await fill(folder.path);
    if (isOld) await backUpOld(folder.path);
    else await backUp(folder.path);
    {
      await using store = await openStore(settings(folder.path));
      await store.commit([sealed(DOCUMENTS)]);
      await store.erase('telemetry', [sealed(DOCUMENTS).id]);
    }
    if (isOld) damageText(fileOf(folder.path), 'segment_3');
    else rot(fileOf(folder.path), 'segment_3');
    {
      await using store = await openStore({ ...settings(folder.path), ...quiet });
      await assert.rejects(store.view(PROJECT).get('telemetry', 'segment_3'), { code: 'corrupt' });
    }
    await using store = await openStore({ ...settings(folder.path), ...quiet });
    assert.deepEqual(
      store.problems().map(({ code }) => code),
      ['database_mended'],
      isOld ? 'an old backup' : 'a new backup',
    );
    await checkBodies(store);
  }
});

test('[S59] a backup of an earlier version is restored, and the next backup keeps its packs', async () => {
  using folder = temporaryFolder();
  const home = join(folder.path, 'home');
  await fill(home);
  await backUpOld(home);
  const packs = readdirSync(join(home, 'backup')).filter((name) => name.endsWith('.pack'));
  {
    await using store = await openStore(settings(home));
    await store.commit([sealed(DOCUMENTS)]);
    await store.erase('telemetry', [sealed(DOCUMENTS).id]);
    await backUp(home);
  }
  assert.deepEqual(
    readdirSync(join(home, 'backup')).filter((name) => name.endsWith('.pack')),
    packs,
  );
  for (const [i, file] of listBackups(home).entries()) {
    const place = join(folder.path, `place${i}`);
    assert.ok(await restoreDaily(file, place));
    await using restored = await openStore(settings(place));
    await checkBodies(restored);
  }
});

/** Changes the base64 text of a document of an earlier version. */
function damageText(file: string, id: string): void {
  using raw = new DatabaseSync(file);
  const [row] = rowsOf(raw, 'SELECT data FROM telemetry_0 WHERE id=?', id);
  const text = String(row?.[0]);
  const at = text.indexOf('"body":"') + 50;
  const other = text[at] === 'A' ? 'B' : 'A';
  raw.prepare('UPDATE telemetry_0 SET data=? WHERE id=?').run(`${text.slice(0, at)}${other}${text.slice(at + 1)}`, id);
}
