import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { restoreDaily, verifyBackupFolder, verifyFolder } from '#commands/custody.ts';
import { assembleBackup, inspectBackup } from '#store/file/assemble.ts';
import { startBackups } from '#store/file/backup.ts';
import { listBackups } from '#store/file/backup-files.ts';
import { copyDatabase } from '#store/file/copy-database.ts';
import { inspectFile } from '#store/file/inspect.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { rowsOf, tablesOf } from '#store/sqlite/find-damage.ts';
import { killsOf } from '#test/support/kills.ts';
import { numbersOf, open, sealed } from './history-documents.ts';
import { device, settings, temporaryFolder } from './kit.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 2);
const KILLS = killsOf(8);
const quiet = { log: () => {} };

/** All rows and definitions of a database, as one comparable value. */
function dump(file: string): unknown {
  using database = new DatabaseSync(file, { readOnly: true });
  const rows = tablesOf(database).map((name) => {
    const id = name === 'rx_meta' ? 'key' : 'rowid';
    return [name, rowsOf(database, `SELECT ${id}, * FROM "${name}" ORDER BY ${id}`)];
  });
  return [rows, rowsOf(database, 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name')];
}

async function backUp(folder: string, day: number, problems: string[] = []): Promise<string> {
  const clock = () => START + day * DAY_MS;
  await using backups = startBackups({ folder, clock, ...quiet });
  const file = await backups.now();
  problems.push(...backups.problems().map(({ code, message }) => `${code}: ${message}`));
  return file;
}

const packsOf = (folder: string): string[] =>
  readdirSync(join(folder, 'backup'))
    .filter((name) => name.endsWith('.pack'))
    .sort();
const sizeOf = (folder: string, name: string): number => statSync(join(folder, 'backup', name)).size;

/** Stores the documents with these numbers. */
const put = (store: Store, from: number, to: number): Promise<unknown> =>
  store.commit(Array.from({ length: to - from }, (_, i) => sealed(from + i)));

/** Overwrites bytes in the middle of a file. */
function rot(file: string): void {
  using database = new DatabaseSync(file);
  const blob = database.prepare('SELECT rowid, data FROM sealed ORDER BY rowid LIMIT 1').get();
  const data = Buffer.from(blob?.data as Uint8Array);
  data[data.length - 20] = (data[data.length - 20] ?? 0) ^ 0xff;
  database.prepare('UPDATE sealed SET data=? WHERE rowid=?').run(data, blob?.rowid as number);
}

test('[S58] each backup writes only the sealed history that no earlier pack has, and is complete', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await put(store, 0, 60);
  await store.commit([open(1), open(2), { ...device('dev_1'), project_id: 'prj_a' }]);
  const first = await backUp(folder.path, 0);
  const [rollups, segments] = packsOf(folder.path);
  assert.deepEqual(
    [rollups, segments],
    ['history-rollups-000001-2026-01-02T00-00-00-000Z.pack', 'history-segments-000001-2026-01-02T00-00-00-000Z.pack'],
  );
  assert.ok(sizeOf(folder.path, segments ?? '') > 57 * 3000);
  assert.ok(statSync(first).size < 57 * 3000, 'the base has no sealed body');
  await put(store, 60, 62);
  await store.erase('telemetry', ['open_1']);
  const second = await backUp(folder.path, 1);
  const added = packsOf(folder.path).filter((name) => name.includes('01-03'));
  assert.deepEqual(added, ['history-segments-000002-2026-01-03T00-00-00-000Z.pack']);
  assert.ok(sizeOf(folder.path, added[0] ?? '') < 32_768);
  assert.deepEqual(listBackups(folder.path), [second, first]);
  const whole = join(folder.path, 'whole.db');
  assert.equal(assembleBackup(second, whole), null);
  assert.deepEqual(inspectFile(whole).damage, []);
  const direct = join(folder.path, 'direct.db');
  await copyDatabase(join(folder.path, 'store/headframe.db'), direct);
  assert.deepEqual(dump(whole), dump(direct));
});

test('[S58] after random commits, deletions and backups each kept backup has the state of its time, and packs do not grow', async () => {
  using folder = temporaryFolder();
  const options = settings(folder.path);
  await using store = await openStore(options);
  let random = 12345;
  const below = (n: number): number => {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    return Math.floor((random / 2 ** 32) * n);
  };
  const states = new Map<string, unknown>();
  let next = 0;
  for (let day = 0; day < 25; day++) {
    const count = below(40);
    await put(store, next, next + count);
    next += count;
    const all = await numbersOf(store);
    const gone = all.filter((n) => n < next - 100 || below(30) === 0).map((n) => sealed(n).id);
    if (gone.length > 0) await store.erase('telemetry', gone);
    const direct = join(folder.path, `${day}.direct`);
    await copyDatabase(join(folder.path, 'store/headframe.db'), direct);
    states.set(await backUp(folder.path, day), dump(direct));
    rmSync(direct);
    const kept = listBackups(folder.path);
    assert.equal(kept.length, Math.min(day + 1, 2));
    for (const file of kept) {
      assert.equal(assembleBackup(file, direct), null);
      assert.deepEqual(dump(direct), states.get(file));
    }
    const bytes = packsOf(folder.path).reduce((sum, name) => sum + sizeOf(folder.path, name), 0);
    assert.ok(bytes < 3 * 140 * 4096 + packsOf(folder.path).length * 16_384, `day ${day}: ${bytes} bytes`);
  }
  assert.ok(next > 300);
});

test('[S58] a damaged pack is named in health, and the next backup has its rows again', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await put(store, 1, 20);
  const first = await backUp(folder.path, 0);
  const [pack = ''] = packsOf(folder.path);
  rot(join(folder.path, 'backup', pack));
  assert.match(inspectBackup(first).damage.join(), new RegExp(`1 documents of ${pack}, which is damaged`));
  assert.match(
    (await verifyFolder(folder.path)).damage.join('\n'),
    new RegExp(`backup .* is damaged[^]*pack .*${pack}`),
  );
  const problems: string[] = [];
  const second = await backUp(folder.path, 1, problems);
  assert.match(problems.join(), new RegExp(`backup_history_damaged: .*${pack}`));
  for (const file of [first, second]) assert.deepEqual(inspectBackup(file).damage, [], file);
  const later: string[] = [];
  await backUp(folder.path, 2, later);
  assert.deepEqual(later, []);
  assert.deepEqual((await verifyFolder(folder.path)).damage, []);
});

test('[S58] a missing pack is named by verify and by a restore, and the next backup has its rows again', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await put(store, 1, 5);
  const first = await backUp(folder.path, 0);
  const [pack = ''] = packsOf(folder.path);
  rmSync(join(folder.path, 'backup', pack));
  const missing = new RegExp(`4 documents of ${pack}, which is missing`);
  assert.match((await verifyFolder(folder.path)).damage.join(), missing);
  await assert.rejects(restoreDaily(first, join(folder.path, 'new')), missing);
  assert.equal(existsSync(join(folder.path, 'new')), false);
  await backUp(folder.path, 1);
  assert.deepEqual(inspectBackup(first).damage, []);
});

test('[S59] one command restores any kept backup, also from a copy of the folder, and a backup of an earlier version', async () => {
  using folder = temporaryFolder();
  const home = join(folder.path, 'home');
  {
    await using store = await openStore(settings(home));
    await put(store, 1, 30);
    await backUp(home, 0);
    await store.erase('telemetry', [sealed(1).id]);
    await put(store, 30, 40);
    await backUp(home, 1);
  }
  const stick = join(folder.path, 'stick');
  cpSync(join(home, 'backup'), stick, { recursive: true });
  assert.deepEqual(verifyBackupFolder(stick)?.damage, []);
  const [newest = '', older = ''] = listBackups(home);
  const from1 = Array.from({ length: 29 }, (_, i) => i + 1);
  const from2 = Array.from({ length: 38 }, (_, i) => i + 2);
  for (const [i, [source, expected]] of (
    [
      [stick, from2],
      [newest, from2],
      [older, from1],
      [join(stick, older.split('/').at(-1) ?? ''), from1],
    ] as const
  ).entries()) {
    const place = join(folder.path, `place${i}`);
    assert.ok(await restoreDaily(source, place));
    await using restored = await openStore(settings(place));
    assert.deepEqual(await numbersOf(restored), expected);
    assert.equal(restored.incarnation.number, 3);
  }
  const old = join(folder.path, 'old');
  mkdirSync(old);
  await copyDatabase(join(home, 'store/headframe.db'), join(old, 'headframe-2025-12-01T00-00-00-000Z.db'));
  const place = join(folder.path, 'place-old');
  assert.ok(await restoreDaily(old, place));
  await using restored = await openStore(settings(place));
  assert.deepEqual(await numbersOf(restored), from2);
});

test('[S57] a damaged sealed segment is repaired from its pack, and no later commit is lost', async () => {
  using folder = temporaryFolder();
  {
    await using store = await openStore(settings(folder.path));
    await put(store, 1, 10);
    await backUp(folder.path, 0);
    await store.commit([{ ...device('later'), project_id: 'prj_a' }]);
  }
  const file = join(folder.path, 'store/headframe.db');
  {
    using raw = new DatabaseSync(file);
    raw.exec(`UPDATE telemetry_0 SET data=replace(data, 'eq_1', 'eq_2') WHERE id='segment_5'`);
  }
  assert.match(inspectFile(file).damage.join(), /segment_5/);
  writeFileSync(join(folder.path, 'store/damage.json'), '{"what":"test","kept":null}');
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  assert.ok(await store.view('prj_a').get('records', 'later'));
  const [found] = await store.view('prj_a').getMany<{ equipment_id: string }>('telemetry', ['segment_5']);
  assert.equal(found?.data.equipment_id, 'eq_1');
  assert.deepEqual(
    store.problems().map(({ code }) => code),
    ['database_mended'],
  );
});

test('[S59] if every backup lacks a pack, a damaged database is replaced without that history, and health names the pack', async () => {
  using folder = temporaryFolder();
  {
    await using store = await openStore(settings(folder.path));
    await put(store, 1, 10);
    await store.commit([{ ...device('dev_1'), project_id: 'prj_a' }]);
    await backUp(folder.path, 0);
  }
  const [pack = ''] = packsOf(folder.path);
  rot(join(folder.path, 'backup', pack));
  writeFileSync(join(folder.path, 'store/headframe.db'), Buffer.alloc(200_000, 'garbage'));
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  assert.ok(await store.view('prj_a').get('records', 'dev_1'));
  assert.deepEqual(await numbersOf(store), [2, 3, 4, 5, 6, 7, 8, 9]);
  const [problem] = store.problems();
  assert.equal(problem?.code, 'records_lost');
  assert.match(problem?.message ?? '', new RegExp(`1 documents of ${pack}`));
});

test('[S58] after kill -9 during a backup every backup of the folder is complete, and the next backup succeeds', async () => {
  using folder = temporaryFolder();
  const home = join(folder.path, 'home');
  let drafts = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'packs-child.ts'), home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.length;
      if (printed > kill % 3) setTimeout(() => child.kill('SIGKILL'), (kill * 37) % 400);
    });
    await once(child, 'exit');
    const inner = join(home, 'backup');
    if (existsSync(inner) && readdirSync(inner).some((name) => name.includes('.new'))) drafts++;
    for (const file of listBackups(home)) {
      const whole = join(folder.path, 'whole');
      assert.deepEqual(inspectBackup(file).damage, []);
      await restoreDaily(file, whole);
      {
        await using store = await openStore(settings(whole));
        const n = (await store.view('prj_a').get<{ n: number }>('records', 'last'))?.data.n ?? 0;
        const first = Math.max(1, n - 40 + 1);
        const expected = Array.from({ length: n - first + 1 }, (_, i) => first + i);
        assert.deepEqual(await numbersOf(store), expected, `kill ${kill}, ${file}`);
      }
      rmSync(whole, { recursive: true });
    }
  }
  assert.ok(KILLS < 20 || drafts > 0, 'some kills left drafts');
  {
    await using store = await openStore({ ...settings(home), ...quiet });
    assert.ok(store);
  }
  await backUp(home, 400);
  assert.deepEqual((await verifyFolder(home)).damage, []);
  assert.deepEqual(
    readdirSync(join(home, 'backup')).filter((name) => name.includes('.new')),
    [],
  );
});
