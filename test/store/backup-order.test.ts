import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { restoreDaily } from '#commands/custody.ts';
import { startBackups } from '#store/file/backup.ts';
import { listBackups } from '#store/file/backup-files.ts';
import { copyDatabase } from '#store/file/copy-database.ts';
import { listPacks } from '#store/file/packs.ts';
import { openStore } from '#store/open-store.ts';
import { until } from '#test/support/until.ts';
import { numbersOf, sealed } from './history-documents.ts';
import { settings, temporaryFolder } from './kit.ts';
import { change } from './old-layout.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const START = Date.UTC(2026, 0, 2);
const quiet = { log: () => {} };

test('[S51] the newest two backups stay, also if the clock jumps by years forward and back', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  // The file of an earlier version, which has no number in its name.
  const old = join(folder.path, 'backup/headframe-2030-06-01T00-00-00-000Z.db');
  mkdirSync(join(folder.path, 'backup'));
  await copyDatabase(join(folder.path, 'store/headframe.db'), old);
  const made = [old];
  const jumps = [0, 10 * YEAR_MS, 0, -30 * YEAR_MS, 9_000 * YEAR_MS, 0, 1];
  for (const [i, jump] of jumps.entries()) {
    await store.commit([sealed(i + 1)]);
    const clock = () => START + i * DAY_MS + jump;
    await using backups = startBackups({ folder: folder.path, clock, ...quiet });
    made.unshift(await backups.now());
    assert.deepEqual(listBackups(folder.path), made.slice(0, 2), `backup ${i}`);
  }
  const [newest = ''] = made;
  assert.match(basename(newest), /^headframe-000007-2026-01-08T/);
  const target = join(folder.path, 'restored');
  assert.equal((await restoreDaily(join(folder.path, 'backup'), target))?.file, newest);
  await using restored = await openStore(settings(target));
  assert.deepEqual(
    await numbersOf(restored),
    jumps.map((_, i) => i + 1),
  );
});

test('[S51] a backup is made each day of elapsed time, and a jump of the clock makes none', {
  timeout: 300_000,
}, async (t) => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await store.commit([sealed(1)]);
  let ms = START;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // The store needs its timers to close.
  using _timers = { [Symbol.dispose]: () => t.mock.timers.reset() };
  const count = () => listBackups(folder.path).map((file) => Number(/-(\d{6})-/.exec(file)?.[1]))[0] ?? 0;
  let finished = 0;
  const log = (_: string, message: string) => void (message === 'a backup was made and inspected' && finished++);
  const pass = async (elapsed: number) => {
    t.mock.timers.tick(elapsed);
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  };
  {
    await using _backups = startBackups({ folder: folder.path, clock: () => ms, log });
    await pass(600_000);
    await until(() => finished === 1, 'the first backup');
    ms += 10 * YEAR_MS;
    for (let hour = 0; hour < 23; hour++) await pass(3_600_000);
    ms -= 20 * YEAR_MS;
    await pass(3_599_999);
    assert.deepEqual([finished, count()], [1, 1]);
    await pass(1);
    await until(() => finished === 2, 'the second backup');
  }
  // After a start the age of the newest backup decides. The time is in its name, because the clock of the file system may be wrong.
  assert.equal(count(), 2);
  ms += DAY_MS - 3_600_000;
  await using _backups = startBackups({ folder: folder.path, clock: () => ms, log });
  await pass(600_000);
  await pass(3_599_999);
  assert.equal(finished, 2);
  await pass(1);
  await until(() => finished === 3, 'the third backup');
});

test('[S51] who follows the backups hears of one only when it is made and checked', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await store.commit([sealed(1)]);
  await using backups = startBackups({ folder: folder.path, clock: () => START, isDaily: false, ...quiet });
  const inner = join(folder.path, 'backup');
  const heard: string[] = [];
  let breaks = true;
  backups.follow(async () => {
    heard.push(`before ${listBackups(folder.path).length}`);
    if (breaks) {
      // A file in the place of the folder: the backup cannot be written.
      rmSync(inner, { recursive: true });
      writeFileSync(inner, '');
    }
    return async (end) => void heard.push(`after ${listBackups(folder.path).length} ${end}`);
  });
  await assert.rejects(backups.now());
  assert.deepEqual(heard.splice(0), ['before 0']);
  rmSync(inner);
  breaks = false;
  await backups.now();
  assert.deepEqual(heard, ['before 0', 'after 1 sound']);
  backups.follow(async () => {
    throw new Error('the replication does not answer');
  });
  await backups.now();
  assert.equal(listBackups(folder.path).length, 2);
});

test('[S51] who follows the backups hears of a backup that failed if it found that the older ones are damaged', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  await store.commit([sealed(1)]);
  await using backups = startBackups({ folder: folder.path, clock: () => START, isDaily: false, ...quiet });
  await backups.now();
  const inner = join(folder.path, 'backup');
  const [pack = ''] = listPacks(inner);
  writeFileSync(pack, Buffer.alloc(16_384, 7));
  const heard: string[] = [];
  backups.follow(async () => {
    // A record of the database is damaged, too, so the new backup fails.
    change(folder.path, 'UPDATE telemetry_0 SET sum=sum+1');
    return async (end) => void heard.push(end);
  });
  await assert.rejects(backups.now());
  assert.deepEqual(heard, ['damaged']);
});
