import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import { openStore } from '#store/open-store.ts';
import type { SqliteInternals } from '#store/sqlite/instance.ts';
import { device, settings, temporaryFolder, temporaryStore } from './kit.ts';

test('[S22] writes wait in order while another program holds the lock, without blocking the process', async () => {
  await using t = await temporaryStore();
  const other = new DatabaseSync(join(t.options.folder, 'store/headframe.db'));
  other.exec('BEGIN IMMEDIATE');
  const written: string[] = [];
  const view = t.store.view('prj_a');
  const first = view.commit([device('a')]).then(() => written.push('first'));
  const second = view.commit([device('a')]).then(() => written.push('second'));
  assert.equal(await view.get('records', 'a'), undefined);
  for (let i = 0; i < 200; i++) assert.equal(await view.get('records', 'a'), undefined);
  assert.deepEqual(written, []);
  other.exec('ROLLBACK');
  other.close();
  await Promise.all([first, second]);
  assert.deepEqual(written, ['first', 'second']);
  assert.equal((await view.get('records', 'a'))?.revision, 2);
});

test('[S23] a damaged page found while the store runs stops it: onFatal fires once, and every later call rejects', async () => {
  using folder = temporaryFolder();
  {
    await using store = await openStore(settings(folder.path));
    for (let i = 0; i < 20; i++) {
      await store.node.commit(Array.from({ length: 50 }, (_, n) => device(`dev_${i}_${n}`, { pad: 'x'.repeat(200) })));
    }
  }
  const alarms: StoreError[] = [];
  const store = await openStore({ ...settings(folder.path), onFatal: (error) => alarms.push(error) });
  damage(join(folder.path, 'store/headframe.db'));
  const corrupt = (error: unknown): boolean => error instanceof StoreError && error.code === 'corrupt';
  await assert.rejects(store.node.find('records', { object: 'device', limit: 1000 }), corrupt);
  await assert.rejects(store.node.get('events', 'anything'), corrupt);
  await assert.rejects(store.node.commit([{ ...device('new'), collection: 'events' }]), corrupt);
  await assert.rejects(store.database.collections.local.find().exec(), corrupt);
  assert.deepEqual(
    alarms.map(({ code }) => code),
    ['corrupt'],
  );
  await store[Symbol.asyncDispose]();
});

/** Overwrites every page but the first few, which hold the schema. */
function damage(file: string): void {
  const handle = openSync(file, 'r+');
  const size = statSync(file).size;
  for (let at = 16 * 4096; at < size; at += 4096) writeSync(handle, Buffer.alloc(64, 0xa5), 0, 64, at);
  closeSync(handle);
}

test('[S23] a full disk rejects the waiting and all later calls, and no acknowledged commit is lost', async (t) => {
  using folder = temporaryFolder();
  const script = join(import.meta.dirname, 'full-child.ts');
  // a limit on file size, in blocks of 512 bytes, stands in for the full disk
  const limited = ['-c', 'ulimit -f 3000 && exec "$0" "$@"', process.execPath, script, folder.path];
  const child = spawnSync('/bin/sh', limited, { encoding: 'utf8' });
  if (child.error) return t.skip('needs a POSIX shell');
  const report = JSON.parse(child.stdout);
  assert.deepEqual(report.alarms.length, 1, child.stderr);
  assert.ok(['disk_full', 'io_error'].includes(report.alarms[0]));
  const [code] = report.alarms;
  assert.deepEqual(report.later, code === 'disk_full' ? [code, 'r_0', 0] : [code, code, code]);
  assert.ok(report.acknowledged > 0);
  await using store = await openStore(settings(folder.path));
  const found = await store.node.getMany(
    'records',
    Array.from({ length: report.acknowledged }, (_, i) => `r_${i}`),
  );
  assert.equal(found.length, report.acknowledged);
});

test('[S24] the change feed of RxDB is in commit order, and has each document once in its last state, with tombstones', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const feed = t.store.database.collections.records.storageInstance;
  await view.commit([device('a'), device('b'), device('c')]);
  const first = await feed.getChangedDocumentsSince?.(2);
  assert.deepEqual(
    first?.documents.map(({ id }) => id),
    ['a', 'b'],
  );
  t.options.time -= 1_000_000;
  await view.commit([device('b'), { ...device('a'), deleted: true }]);
  const rest = await feed.getChangedDocumentsSince?.(10, first?.checkpoint);
  assert.deepEqual(
    rest?.documents.map(({ id, _deleted }) => [id, _deleted]),
    [
      ['c', false],
      ['b', false],
      ['a', true],
    ],
  );
  const end = await feed.getChangedDocumentsSince?.(10, rest?.checkpoint);
  assert.deepEqual(end, { documents: [], checkpoint: rest?.checkpoint });
});

test('[S24] the feed continues after an emitted change from the checkpoint of that change', async () => {
  await using t = await temporaryStore();
  const { records } = t.store.database.collections;
  const feed = records.storageInstance;
  const checkpoints: unknown[] = [];
  feed.changeStream().subscribe(({ checkpoint }) => checkpoints.push(checkpoint));
  await t.store.node.commit([device('a'), device('b')]);
  await records.bulkInsert([{ ...(await t.store.node.get('records', 'a')), id: 'c' } as never]);
  await t.store.node.commit([device('d')]);
  const after = await Promise.all(checkpoints.map((checkpoint) => feed.getChangedDocumentsSince?.(10, checkpoint)));
  assert.deepEqual(
    after.map((one) => one?.documents.map(({ id }) => id)),
    [['c', 'd'], ['d'], []],
  );
});

test('[S25] cleanup removes only tombstones that are old enough, at most 1,000 in a call', async () => {
  await using t = await temporaryStore();
  const view = t.store.view('prj_a');
  const { internals } = t.store.database.collections.records.storageInstance;
  const { connection, table } = internals as SqliteInternals;
  const count = (): Promise<unknown> => connection.read((read) => read.get(`SELECT count(*) FROM ${table.name}`)?.[0]);
  const ids = Array.from({ length: 900 }, (_, i) => `dev_${i}`);
  for (const name of ['x', 'y']) {
    await view.commit(ids.map((id) => ({ ...device(`${name}_${id}`), deleted: true as const })));
  }
  await view.commit([device('alive')]);
  t.options.time += 10_000;
  await view.commit([{ ...device('young'), deleted: true }]);
  const feed = t.store.database.collections.records.storageInstance;
  assert.equal(await feed.cleanup(5_000), false);
  assert.equal(await count(), 802);
  assert.equal(await feed.cleanup(5_000), true);
  assert.equal(await count(), 2);
  assert.equal(await feed.cleanup(0), true);
  assert.equal(await count(), 1);
  assert.ok(await view.get('records', 'alive'));
  // a purged number is not given again
  const before = (await feed.getChangedDocumentsSince?.(10))?.checkpoint as { seq: number };
  await view.commit([device('later')]);
  const after = (await feed.getChangedDocumentsSince?.(10))?.checkpoint as { seq: number };
  assert.ok(after.seq > before.seq + 1);
});

test('[S42] a checkpoint copies the WAL into the file while commits continue, and the WAL restarts', async () => {
  await using t = await temporaryStore();
  const { connection } = t.store.database.collections.records.storageInstance.internals as SqliteInternals;
  const file = join(t.options.folder, 'store/headframe.db');
  const lengths: number[] = [];
  for (let i = 0; i < 60; i++) {
    const pad = String(i).repeat(2000);
    await t.store.node.commit(Array.from({ length: 100 }, (_, n) => device(`dev_${n % 50}_${i}`, { pad })));
    lengths.push(connection.pages().log);
  }
  const begun = lengths.filter((log, i) => log < (lengths[i - 1] ?? 0)).length;
  assert.ok(begun >= 1, `lengths of the log: ${lengths}`);
  assert.ok(statSync(file).size > 1 << 20);
});

test('[S42] while a reader holds an old state the WAL grows, and is copied into the file when the reader has ended', async () => {
  await using t = await temporaryStore();
  const { connection } = t.store.database.collections.records.storageInstance.internals as SqliteInternals;
  const reader = new DatabaseSync(join(t.options.folder, 'store/headframe.db'), { readOnly: true });
  const fill = async (rounds: number): Promise<number> => {
    const before = connection.pages().log;
    for (let i = 0; i < rounds; i++) {
      const pad = 'x'.repeat(4000);
      await t.store.node.commit(Array.from({ length: 250 }, (_, n) => device(`dev_${n}`, { pad, i })));
    }
    return connection.pages().log - before;
  };
  await t.store.node.commit([device('first')]);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM rx_meta').get();
  assert.ok((await fill(25)) > 6000);
  reader.close();
  // the next try is due when the log has grown by another threshold
  for (let round = 0; round < 10 && connection.pages().log > 6000; round++) await fill(10);
  assert.ok(connection.pages().log < 6000, `${connection.pages().log} pages in the log`);
});
