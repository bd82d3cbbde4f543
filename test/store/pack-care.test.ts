import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { inspectBackup } from '#store/file/assemble.ts';
import { startBackups } from '#store/file/backup.ts';
import { listBackups } from '#store/file/backup-files.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { numbersOf, sealed } from './history-documents.ts';
import { settings, temporaryFolder } from './kit.ts';
import { change } from './old-layout.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 2);

type Report = ReturnType<ReturnType<typeof startBackups>['report']>;
interface Turn {
  readonly report: Report;
  /** Code and message of each problem. */
  readonly problems: readonly string[];
  readonly failed: string | null;
}

/** Makes a backup on a day, or tries to. */
async function turn(folder: string, day: number): Promise<Turn> {
  await using backups = startBackups({ folder, clock: () => START + day * DAY_MS, log: () => {} });
  const failed = await backups.now().then(
    () => null,
    (error: Error) => error.message,
  );
  const problems = backups.problems().map(({ code, message }) => `${code}: ${message}`);
  return { report: backups.report(), problems, failed };
}

const packsOf = (folder: string): string[] =>
  readdirSync(join(folder, 'backup'))
    .filter((name) => name.endsWith('.pack'))
    .sort();
const pathOf = (folder: string, name: string): string => join(folder, 'backup', name);
const put = (store: Store, from: number, to: number): Promise<unknown> =>
  store.commit(Array.from({ length: to - from }, (_, i) => sealed(from + i)));
const drop = (store: Store, from: number, to: number): Promise<unknown> =>
  store.erase(
    'telemetry',
    Array.from({ length: to - from }, (_, i) => sealed(from + i).id),
  );

/** Changes some bytes of the first row of a pack, as a disk that fails does. */
function rot(file: string): void {
  using database = new DatabaseSync(file);
  const row = database.prepare('SELECT rowid, data FROM sealed ORDER BY rowid LIMIT 1').get();
  const data = Buffer.from(row?.data as Uint8Array);
  data[data.length - 20] = (data[data.length - 20] ?? 0) ^ 0xff;
  database.prepare('UPDATE sealed SET data=? WHERE rowid=?').run(data, row?.rowid as number);
}

/** A table that another program adds, and that a backup cannot copy. */
const FOREIGN_TABLE = 'CREATE VIRTUAL TABLE notes USING fts5(text)';

test('[S58] packs that no backup needs are deleted also if backups fail, and a failed backup leaves no file', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await put(store, 1, 20);
  assert.equal((await turn(folder.path, 0)).failed, null);
  await put(store, 25, 40);
  assert.equal((await turn(folder.path, 1)).failed, null);
  change(folder.path, FOREIGN_TABLE);
  const both = packsOf(folder.path);
  assert.equal(both.length, 2);
  await put(store, 50, 60);
  for (const day of [2, 3, 4]) {
    const { failed, report } = await turn(folder.path, day);
    assert.ok(failed !== null);
    assert.deepEqual([packsOf(folder.path), report.packs, report.count], [both, 2, 2]);
  }
  // A person deletes a backup to free disk space.
  const [newest = '', older = ''] = listBackups(folder.path);
  rmSync(newest);
  const { report } = await turn(folder.path, 5);
  assert.deepEqual(packsOf(folder.path), [both[0]]);
  assert.equal(report.pack_bytes, statSync(pathOf(folder.path, both[0] ?? '')).size);
  assert.deepEqual(inspectBackup(older).damage, []);
  rmSync(older);
  const last = await turn(folder.path, 6);
  assert.match(last.problems.join(), /backup_failed: .*There is no older backup/);
  assert.deepEqual([packsOf(folder.path), last.report.pack_bytes, last.report.newest_at], [[], 0, null]);
  assert.deepEqual(readdirSync(join(folder.path, 'backup')), []);
  change(folder.path, 'DROP TABLE notes');
  assert.equal((await turn(folder.path, 7)).failed, null);
  assert.deepEqual(inspectBackup(listBackups(folder.path)[0] ?? '').damage, []);
});

test('[S58] a large pack is written again at most once in 7 backups, and health counts its rows that no backup needs', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  const first = 1;
  await put(store, first, 24);
  const names: string[] = [];
  const unneeded: number[] = [];
  for (let day = 0; day < 16; day++) {
    const { report } = await turn(folder.path, day);
    const [large = ''] = packsOf(folder.path).filter((name) => name.includes('2026-01-02T'));
    names.push(large);
    unneeded.push(report.unneeded_bytes ?? -1);
    assert.ok((report.unneeded_bytes ?? 0) * 2 <= report.pack_bytes, 'at most half of a pack');
    for (const file of listBackups(folder.path)) assert.deepEqual(inspectBackup(file).damage, []);
    if (day % 2 === 0) await drop(store, first + day / 2, first + day / 2 + 1);
  }
  const numbers = names.map((name) => Number(/-(\d{6})-/.exec(name)?.[1]));
  assert.deepEqual(numbers, [1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 8, 8, 8, 8, 15, 15]);
  assert.deepEqual([unneeded[0], unneeded[7], unneeded[14]], [0, 0, 0]);
  assert.ok((unneeded[6] ?? 0) > (unneeded[3] ?? 0) && (unneeded[3] ?? 0) > 0, unneeded.join());
});

test('[S58] each pack is read completely within 7 backups; rot in an old pack is named and repaired', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  for (let day = 0; day < 14; day++) {
    await put(store, day * 24 + 1, day * 24 + 3);
    assert.equal((await turn(folder.path, day)).failed, null);
  }
  const packs = packsOf(folder.path);
  assert.equal(packs.length, 14);
  const rotten = packs[4] ?? '';
  rot(pathOf(folder.path, rotten));
  const told: number[] = [];
  for (let day = 14; day < 22; day++) {
    const { problems, report, failed } = await turn(folder.path, day);
    assert.equal(failed, null);
    if (problems.length > 0) told.push(day);
    for (const problem of problems)
      assert.match(problem, new RegExp(`backup_history_damaged: .*${rotten}.*has this history again`));
    const age = (START + day * DAY_MS - Date.parse(report.checked_from ?? '')) / DAY_MS;
    assert.ok(day < 20 || age <= 7, `day ${day}: a pack was last checked ${age} days ago`);
  }
  assert.equal(told.length, 1, `told on the days ${told.join()}`);
  for (const file of listBackups(folder.path)) assert.deepEqual(inspectBackup(file).damage, []);
  assert.equal((await numbersOf(store)).length, 28);
});

test('[S58] rot in a row that only a backup has stays in health until no backup needs the row, also after a restart', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await put(store, 1, 10);
  await turn(folder.path, 0);
  const [pack = ''] = packsOf(folder.path);
  await drop(store, 1, 2);
  rot(pathOf(folder.path, pack));
  const problem = new RegExp(`backup_history_damaged: .*${pack} \\(1 of its 9 rows cannot be read\\)`);
  assert.match((await turn(folder.path, 1)).problems.join(), problem);
  {
    await using backups = startBackups({ folder: folder.path, clock: () => START, log: () => {} });
    assert.match(
      backups
        .problems()
        .map(({ code, message }) => `${code}: ${message}`)
        .join(),
      problem,
    );
  }
  // The backup of day 0 still needs the row.
  assert.match((await turn(folder.path, 2)).problems.join(), problem);
  assert.deepEqual((await turn(folder.path, 3)).problems, []);
  assert.deepEqual(packsOf(folder.path).length, 1);
});

test('[S58] a damaged record of the checks only means that all packs are checked again', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await put(store, 1, 5);
  await turn(folder.path, 0);
  const file = pathOf(folder.path, 'checked.json');
  const good = readFileSync(file, 'utf8');
  for (const text of ['', '{', '{"a":1}', '[1,["x"],["x",{"turn":"1"}]]', '[["x",null]]']) {
    writeFileSync(file, text);
    const { failed, report } = await turn(folder.path, 1);
    assert.deepEqual([failed, report.checked_from?.slice(0, 10)], [null, '2026-01-03']);
  }
  assert.notEqual(readFileSync(file, 'utf8'), good);
});
