import assert from 'node:assert/strict';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import { startBackups } from '#store/file/backup.ts';
import { readHighWaterMark } from '#store/file/high-water-mark.ts';
import { openStore } from '#store/open-store.ts';
import { eventually } from '#test/support/gateway.ts';
import { device, settings, temporaryFolder } from './kit.ts';

const quiet = { log: () => {} };

/** The mark follows the last sync at once, not before its promise. */
async function marked(folder: string): Promise<void> {
  using database = new DatabaseSync(join(folder, 'store/headframe.db'), { readOnly: true });
  await eventually(
    async () => [
      Number(database.prepare("SELECT value FROM rx_meta WHERE key='seq'").get()?.value),
      readHighWaterMark(join(folder, 'store/mark'))?.seq,
    ],
    ([reached, told]) => reached === told,
  );
}

/** Opens a store, commits `count` documents, and copies the folder while it is open: what kill -9 leaves. */
async function killed(folder: string, count: number, first = 0): Promise<string> {
  const copy = `${folder}-${first}-killed`;
  await using store = await openStore(settings(folder));
  const view = store.view('prj_a');
  for (let i = first; i < first + count; i++) await view.commit([device(`dev_${i}`, { pad: 'x'.repeat(300) })]);
  await marked(folder);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Overwrites the start of every page but the first few, which hold the schema. */
function damage(file: string): void {
  const handle = openSync(file, 'r+');
  for (let at = 16 * 4096; at < statSync(file).size; at += 4096) writeSync(handle, Buffer.alloc(64, 0xa5), 0, 64, at);
  closeSync(handle);
}

async function backUp(folder: string, time = Date.UTC(2026, 0, 2)): Promise<string> {
  await using backups = startBackups({ folder, clock: () => time, ...quiet });
  return await backups.now();
}

test('[S50] a store that lost nothing keeps its incarnation, token and numbers after stops and kills', async () => {
  using folder = temporaryFolder();
  const copy = await killed(join(folder.path, 'a'), 5);
  await using store = await openStore(settings(copy));
  assert.equal(store.incarnation.number, 1);
  assert.deepEqual(store.problems(), []);
  const again = await killed(join(folder.path, 'a'), 5, 5);
  await using later = await openStore(settings(again));
  assert.deepEqual(later.incarnation, store.incarnation);
});

for (const [how, lose] of [
  ['deleted', (wal: string) => rmSync(wal)],
  ['cut short', (wal: string) => truncateSync(wal, Math.floor(statSync(wal).size / 2 / 4120) * 4120 + 32)],
  ['overwritten', (wal: string) => writeFileSync(wal, Buffer.alloc(statSync(wal).size, 0x5a))],
] as const) {
  test(`[S50] a log that was ${how} is reported as a loss with the number of rows, and begins an incarnation with unused numbers`, async () => {
    using folder = temporaryFolder();
    const base = join(folder.path, 'a');
    await (await openStore(settings(base)))[Symbol.asyncDispose]();
    const copy = await killed(base, 40);
    lose(join(copy, 'store/headframe.db-wal'));
    rmSync(join(copy, 'store/headframe.db-shm'));
    await using store = await openStore(settings(copy));
    const left = (await store.feed('prj_a', 'records', 0, 1000)).entries.length;
    assert.ok(left < 40, `${left}`);
    assert.equal(store.incarnation.number, 2);
    const [problem, ...others] = store.problems();
    assert.equal(problem?.code, 'records_lost');
    assert.match(problem?.message ?? '', new RegExp(`Commits of ${40 - left} rows`));
    assert.deepEqual(others, []);
    const [written] = await store.view('prj_a').commit([device('new')]);
    assert.ok((written?.origin_seq ?? 0) > 2 ** 40);
    assert.ok((await store.feed('prj_a', 'records', 0, 1000)).head > 2 ** 40);
    // a part that the database has never heard of begins above, too
    await store.view('prj_new').commit([device('other')]);
    assert.ok((await store.feed('prj_new', 'records', 0, 1000)).head > 2 ** 40);
  });
}

test('[S50] a damaged or missing index of the WAL (-shm) loses nothing', async () => {
  using folder = temporaryFolder();
  const copy = await killed(join(folder.path, 'a'), 20);
  writeFileSync(join(copy, 'store/headframe.db-shm'), Buffer.alloc(32768, 0x77));
  await using store = await openStore(settings(copy));
  assert.equal((await store.feed('prj_a', 'records', 0, 1000)).entries.length, 20);
  assert.equal(store.incarnation.number, 1);
});

test('[S50] each time an older database is restored by hand a new incarnation begins', async () => {
  using folder = temporaryFolder();
  const base = join(folder.path, 'a');
  await (await openStore(settings(base)))[Symbol.asyncDispose]();
  cpSync(join(base, 'store/headframe.db'), join(folder.path, 'old.db'));
  const tokens = new Set<string>();
  for (const expected of [2, 3]) {
    {
      await using store = await openStore(settings(base));
      await store.node.commit([device(`dev_${expected}`)]);
    }
    cpSync(join(folder.path, 'old.db'), join(base, 'store/headframe.db'));
    await using store = await openStore({ ...settings(base), random: (n) => new Uint8Array(n).fill(100 + expected) });
    assert.equal(store.incarnation.number, expected);
    tokens.add(store.incarnation.token);
  }
  assert.equal(tokens.size, 2);
});

test('[S51] a backup is one intact state of a store under load, and the last two are kept', async () => {
  using folder = temporaryFolder();
  const made: string[] = [];
  await using store = await openStore(settings(folder.path));
  let busy = true;
  let commits = 0;
  const load = (async () => {
    for (; busy; commits++)
      await store.view('prj_a').commit([device(`dev_${commits}`), { ...device(`dev_${commits}`), collection: 'live' }]);
  })();
  for (let i = 1; i <= 3; i++) made.push(await backUp(folder.path, Date.UTC(2026, 0, i)));
  busy = false;
  await load;
  assert.deepEqual(
    readdirSync(join(folder.path, 'backup')).map((name) => join(folder.path, 'backup', name)),
    made.slice(1),
  );
  const copy = new DatabaseSync(made[2] ?? '', { readOnly: true });
  const count = (table: string): number => Number(copy.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  assert.equal(count('records_0'), count('live_0'));
  assert.ok(count('records_0') > 0 && count('records_0') <= commits);
  copy.close();
});

test('[S51] a failed backup is reported, and harms neither the store nor the earlier backup', async () => {
  using folder = temporaryFolder();
  await using store = await openStore(settings(folder.path));
  writeFileSync(join(folder.path, 'backup'), '');
  await using backups = startBackups({ folder: folder.path, clock: Date.now, ...quiet });
  await assert.rejects(backups.now());
  assert.deepEqual(
    backups.problems().map(({ code }) => code),
    ['backup_failed'],
  );
  await store.node.commit([device('dev_1')]);
  rmSync(join(folder.path, 'backup'));
  await backups.now();
  assert.deepEqual(backups.problems(), []);
});

test('[S52] a damaged database is moved away, the backup replaces it, and the loss is reported', async () => {
  using folder = temporaryFolder();
  const base = join(folder.path, 'a');
  await killed(base, 200);
  await backUp(base);
  const copy = await killed(base, 30, 200);
  damage(join(copy, 'store/headframe.db'));
  const said: string[] = [];
  await using store = await openStore({ ...settings(copy), log: (_level, message) => said.push(message) });
  assert.equal((await store.view('prj_a').getMany('records', ['dev_0', 'dev_199', 'dev_200'])).length, 2);
  assert.equal(store.incarnation.number, 2);
  const [problem] = store.problems();
  assert.equal(problem?.code, 'records_lost');
  const kept = readdirSync(join(copy, 'store')).filter((name) => name.startsWith('damaged-'));
  assert.equal(kept.length, 1);
  assert.ok(problem?.message.includes(kept[0] ?? '?'), problem?.message);
  assert.ok(existsSync(join(copy, 'store', kept[0] ?? '', 'headframe.db')));
  assert.ok(said.some((message) => message.includes('restored a backup in its place')));
  await store.view('prj_a').commit([device('dev_new')]);
});

test('[S52] damage found while the store runs ends it, and the next start restores the backup', async () => {
  using folder = temporaryFolder();
  await killed(folder.path.concat('/a'), 400);
  const base = join(folder.path, 'a');
  await backUp(base);
  const alarms: StoreError[] = [];
  {
    await using store = await openStore({ ...settings(base), ...quiet, onFatal: (error) => alarms.push(error) });
    damage(join(base, 'store/headframe.db'));
    await assert.rejects(store.view('prj_a').find('records', { object: 'device', limit: 1000 }));
  }
  assert.deepEqual(
    alarms.map(({ code }) => code),
    ['corrupt'],
  );
  assert.ok(existsSync(join(base, 'store/damage.json')));
  await using store = await openStore({ ...settings(base), ...quiet });
  assert.equal((await store.feed('prj_a', 'records', 0, 1000)).entries.length, 400);
  assert.equal(existsSync(join(base, 'store/damage.json')), false);
});

test('[S52] without a backup a damaged database is refused and not changed', async () => {
  using folder = temporaryFolder();
  const copy = await killed(join(folder.path, 'a'), 200);
  const file = join(copy, 'store/headframe.db');
  rmSync(`${file}-wal`);
  writeFileSync(file, Buffer.alloc(200_000, 'garbage'));
  for (let start = 0; start < 2; start++) {
    await assert.rejects(openStore(settings(copy)), (error) => error instanceof StoreError && error.code === 'corrupt');
    assert.equal(statSync(file).size, 200_000);
  }
});

test('[S52] a damaged backup is skipped, and the one before it is used', async () => {
  using folder = temporaryFolder();
  const base = join(folder.path, 'a');
  await killed(base, 100);
  await backUp(base, Date.UTC(2026, 0, 2));
  damage(await backUp(base, Date.UTC(2026, 0, 3)));
  damage(join(base, 'store/headframe.db'));
  writeFileSync(join(base, 'store/damage.json'), '{"what":"test","kept":null}');
  await using store = await openStore({ ...settings(base), ...quiet });
  assert.equal((await store.feed('prj_a', 'records', 0, 1000)).entries.length, 100);
});

test('[S53] after an unclean stop a large file is served while it is checked, and an interrupted check is repeated', async () => {
  using folder = temporaryFolder();
  const base = join(folder.path, 'a');
  {
    await using store = await openStore(settings(base));
    const pad = 'x'.repeat(1 << 20);
    for (let i = 0; i < 70; i++) await store.node.commit([device(`dev_${i}`, { pad })]);
  }
  const file = join(base, 'store/headframe.db');
  const markUnclean = (): void => {
    const raw = new DatabaseSync(file);
    raw.exec("UPDATE rx_meta SET value=1 WHERE key='open'");
    raw.close();
  };
  markUnclean();
  {
    await using store = await openStore({ ...settings(base), ...quiet });
    assert.deepEqual(
      store.problems().map(({ code }) => code),
      ['database_unchecked'],
    );
  }
  {
    // closed before the check was done: it is due still
    await using store = await openStore({ ...settings(base), ...quiet });
    await eventually(
      () => Promise.resolve(store.problems()),
      (problems) => problems.length === 0,
      60,
    );
  }
  await using store = await openStore({ ...settings(base), ...quiet });
  assert.deepEqual(store.problems(), []);
});

test('[S52] if the WAL is deleted, only commits after the backup are lost', async () => {
  using folder = temporaryFolder();
  const base = join(folder.path, 'a');
  {
    await using store = await openStore(settings(base));
    for (let i = 0; i < 20; i++) await store.view('prj_a').commit([device(`dev_${i}`)]);
    await backUp(base);
    await store.view('prj_a').commit([device('dev_later')]);
    await marked(base);
    cpSync(base, `${base}-killed`, { recursive: true });
  }
  const copy = `${base}-killed`;
  rmSync(join(copy, 'store/headframe.db-wal'));
  rmSync(join(copy, 'store/headframe.db-shm'));
  await using store = await openStore({ ...settings(copy), ...quiet });
  assert.equal((await store.feed('prj_a', 'records', 0, 1000)).entries.length, 20);
  assert.equal(store.incarnation.number, 2);
  assert.match(store.problems()[0]?.message ?? '', /Commits of 1 rows/);
});

/** Breaks the JSON of one document, which SQLite does not notice. */
function garble(file: string): void {
  const raw = new DatabaseSync(file);
  raw.exec("UPDATE records_0 SET data='{\"id\":' WHERE id='dev_3'");
  raw.close();
}

test('[S54] an unreadable document is damage, found at open after an unclean stop, else when it is read', async () => {
  using folder = temporaryFolder();
  const base = join(folder.path, 'a');
  await killed(base, 10);
  await backUp(base);
  const alarms: string[] = [];
  const options = { ...settings(base), ...quiet, onFatal: (error: StoreError) => alarms.push(error.code) };
  garble(join(base, 'store/headframe.db'));
  {
    await using store = await openStore(options);
    await assert.rejects(store.view('prj_a').get('records', 'dev_3'), StoreError);
    await eventually(
      () => Promise.resolve(alarms),
      (list) => list.length === 1,
      30,
    );
  }
  await using store = await openStore(options);
  assert.equal((await store.feed('prj_a', 'records', 0, 1000)).entries.length, 10);
});

test('[S54] without a backup only reads of the damaged document fail', async () => {
  using folder = temporaryFolder();
  const base = join(folder.path, 'a');
  await killed(base, 10);
  garble(join(base, 'store/headframe.db'));
  await using store = await openStore({ ...settings(base), ...quiet });
  await assert.rejects(store.view('prj_a').get('records', 'dev_3'), StoreError);
  assert.ok(await store.view('prj_a').get('records', 'dev_4'));
});
