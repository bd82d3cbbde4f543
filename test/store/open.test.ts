import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate as breathe } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isId } from '#contract/base/ids.ts';
import { StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import { COLLECTIONS, NODE_PROJECT } from '#contract/base/view.ts';
import { openStore } from '#store/open-store.ts';
import { device, settings, temporaryFolder, temporaryStore } from './kit.ts';

/** Passes for a StoreError with this code whose message names the path and says what to do. */
function named(code: StoreErrorCode, path: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.code, code);
    assert.ok(error.message.includes(path), error.message);
    assert.match(error.message, /Check|Stop|Install|Put|Restore|Close|Free|put it back/);
    return true;
  };
}

test('[S1] a new folder gets five collections and a node id, which stay the same', async () => {
  using folder = temporaryFolder();
  const options = { ...settings(join(folder.path, 'new', 'deep')) };
  let id: string;
  {
    await using store = await openStore(options);
    id = store.nodeId;
    assert.ok(isId('gateway', id), id);
    assert.equal(store.node.project_id, NODE_PROJECT);
    assert.deepEqual(Object.keys(store.database.collections).sort(), [...COLLECTIONS].sort());
    await store.view('prj_a').commit([device('dev_1', { serial: 'S' })]);
  }
  await using store = await openStore(options);
  assert.equal(store.nodeId, id);
  assert.deepEqual((await store.view('prj_a').get('records', 'dev_1'))?.data, { serial: 'S' });
});

test('[S1] one process can open two stores in different folders', async () => {
  await using one = await temporaryStore();
  await using two = await temporaryStore();
  await one.store.node.commit([device('dev_1')]);
  assert.equal(await two.store.node.get('records', 'dev_1'), undefined);
});

test('[S2] the file is a WAL database that is synced at every checkpoint and never checkpointed by a commit', async () => {
  await using t = await temporaryStore();
  await using raw = new AsyncDisposableStack();
  const database = raw.adopt(new DatabaseSync(join(t.options.folder, 'store/headframe.db')), (one) => one.close());
  assert.deepEqual({ ...database.prepare('PRAGMA journal_mode').get() }, { journal_mode: 'wal' });
  const { connection } = t.store.database.collections.records.storageInstance.internals;
  const of = (name: string) => connection.write({ rows: 0, run: () => connection.peek(`PRAGMA ${name}`)?.[0] });
  assert.deepEqual([await of('synchronous'), await of('wal_autocheckpoint')], [1, 0]);
});

test('[S3] a second open is refused with a message, in this process and in another', async () => {
  await using t = await temporaryStore();
  await assert.rejects(openStore(settings(t.options.folder)), named('in_use', t.options.folder));
  const script = join(import.meta.dirname, 'crash-child.ts');
  const child = promisify(execFile)(process.execPath, [script, t.options.folder, '0']);
  await assert.rejects(child, (error) => {
    assert.ok(error instanceof Error && 'stderr' in error);
    assert.equal(String(error.stderr).trim(), new StoreError('in_use', t.options.folder).message);
    return true;
  });
  await t.store.node.commit([device('dev_1')]);
});

test('[S4] a folder of a newer format is refused, and nothing in it changes', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'store'));
  const file = join(folder.path, 'store/format.json');
  writeFileSync(file, '{"format":6}\n');
  await assert.rejects(openStore(settings(folder.path)), named('format_newer', folder.path));
  assert.equal(readFileSync(file, 'utf8'), '{"format":6}\n');
  assert.equal(existsSync(join(folder.path, 'store/headframe.db')), false);
});

test('[S4] a folder of the current format opens, and its format file does not change', async () => {
  using folder = temporaryFolder();
  await (await openStore(settings(folder.path)))[Symbol.asyncDispose]();
  const file = join(folder.path, 'store/format.json');
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { format: 4 });
  const { mtimeMs } = statSync(file);
  await (await openStore(settings(folder.path)))[Symbol.asyncDispose]();
  assert.equal(statSync(file).mtimeMs, mtimeMs);
});

test('[S4] a damaged format file is refused with its path', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'store'));
  const file = join(folder.path, 'store/format.json');
  for (const text of ['', 'x', '{}', '{"format":"1"}', '{"format":0}', 'null']) {
    writeFileSync(file, text);
    await assert.rejects(openStore(settings(folder.path)), named('format_unreadable', file));
  }
});

test('[S5] an unusable folder is refused with its path', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  await assert.rejects(openStore(settings(file)), named('folder_unusable', file));
  await assert.rejects(openStore(settings(join(file, 'below'))), named('folder_unusable', file));
  assert.deepEqual(readdirSync(folder.path), ['file']);
});

test('[S5] a folder without write permission is refused with its path', async (t) => {
  // root may write everywhere
  if (process.getuid?.() === 0) return t.skip('needs a user other than root');
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o500);
  await assert.rejects(openStore(settings(folder.path)), named('folder_unusable', folder.path));
});

test('[S5] a file that is no database is refused and not changed', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'store'));
  const file = join(folder.path, 'store/headframe.db');
  const garbage = Buffer.alloc(20_000, 'garbage');
  writeFileSync(file, garbage);
  await assert.rejects(openStore(settings(folder.path)), named('corrupt', file));
  assert.deepEqual(readFileSync(file), garbage);
});

test('[S5] a database that another program has locked is refused with its path', async () => {
  using folder = temporaryFolder();
  await (await openStore(settings(folder.path)))[Symbol.asyncDispose]();
  const file = join(folder.path, 'store/headframe.db');
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await assert.rejects(openStore(settings(folder.path)), named('locked', file));
  other.close();
  await (await openStore(settings(folder.path)))[Symbol.asyncDispose]();
});

test('[S6] after an unclean stop the pages are checked, and a damaged database is refused', async () => {
  using folder = temporaryFolder();
  const warnings: string[] = [];
  const options = { ...settings(folder.path), log: (_level: string, message: string) => warnings.push(message) };
  {
    await using store = await openStore(options);
    for (let i = 0; i < 20; i++) {
      await store.node.commit(Array.from({ length: 50 }, (_, n) => device(`dev_${i}_${n}`, { pad: 'x'.repeat(200) })));
    }
  }
  assert.deepEqual(warnings, []);
  const file = join(folder.path, 'store/headframe.db');
  markUnclean(file);
  await (await openStore(options))[Symbol.asyncDispose]();
  assert.equal(warnings.length, 1);
  damage(file);
  await (await openStore(options))[Symbol.asyncDispose]();
  markUnclean(file);
  await assert.rejects(openStore(options), named('corrupt', file));
});

function markUnclean(file: string): void {
  const raw = new DatabaseSync(file);
  raw.exec("UPDATE rx_meta SET value=1 WHERE key='open'");
  raw.close();
}

/** Overwrites the start of the last pages, which only a check of all pages reads at open. */
function damage(file: string): void {
  const handle = openSync(file, 'r+');
  const size = statSync(file).size;
  for (let at = size - 20 * 4096; at < size; at += 4096) writeSync(handle, Buffer.alloc(64, 0xa5), 0, 64, at);
  closeSync(handle);
}

test('[S7] a failed open releases everything: the folder opens when the cause is removed', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'store'));
  const file = join(folder.path, 'store/headframe.db');
  writeFileSync(file, 'no database at all, but long enough to be read as one'.repeat(50));
  await assert.rejects(openStore(settings(folder.path)), named('corrupt', file));
  writeFileSync(file, '');
  await (await openStore(settings(folder.path)))[Symbol.asyncDispose]();
});

test('[S7] a closed store rejects calls and can be closed twice', async () => {
  const t = await temporaryStore();
  await t.store[Symbol.asyncDispose]();
  await assert.rejects(
    t.store.node.get('records', 'x'),
    (error) => error instanceof StoreError && error.code === 'closed',
  );
  await assert.rejects(
    t.store.node.commit([device('x')]),
    (error) => error instanceof StoreError && error.code === 'closed',
  );
  await t[Symbol.asyncDispose]();
});

test('[S7] a commit that was called before the close is written', async () => {
  using folder = temporaryFolder();
  const store = await openStore(settings(folder.path));
  const writing = store.node.commit([device('dev_1')]);
  await Promise.all([store[Symbol.asyncDispose](), writing]);
  await using again = await openStore(settings(folder.path));
  assert.ok(await again.node.get('records', 'dev_1'));
});

test('[S7] a commit that is called while the store closes is written or rejected, and never pending', async () => {
  using folder = temporaryFolder();
  const store = await openStore(settings(folder.path));
  let closed = false;
  const closing = store[Symbol.asyncDispose]().then(() => {
    closed = true;
  });
  const commits: Promise<boolean>[] = [];
  while (!closed) {
    const commit = store.node.commit([device(`dev_${commits.length}`)]);
    commits.push(
      commit.then(
        () => true,
        (error) => !(error instanceof StoreError && error.code === 'closed'),
      ),
    );
    await breathe();
  }
  await closing;
  const written = await Promise.all(commits);
  assert.ok(written.includes(true));
  await using again = await openStore(settings(folder.path));
  const there = await Promise.all(written.map((_, i) => again.node.get('records', `dev_${i}`)));
  assert.deepEqual(
    there.map((one) => one !== undefined),
    written,
  );
});
