import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspectFile } from '#store/file/inspect.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { eventually } from '#test/support/gateway.ts';
import { killsOf } from '#test/support/kills.ts';
import { numbersOf, sealed } from './history-documents.ts';
import { device, settings, temporaryFolder } from './kit.ts';
import { makeOld, rowsWithoutChecksum } from './old-layout.ts';

const KILLS = killsOf(6);
const CHILD = join(import.meta.dirname, 'migration-child.ts');
const DOCUMENTS = 2_500;
const SEGMENTS = 400;
const PROJECT = 'prj_a';
const quiet = { log: () => {} };

/** Fills a folder with documents and history, and takes it back to layout 1. */
async function fillOld(folder: string): Promise<void> {
  {
    await using store = await openStore(settings(folder));
    const view = store.view(PROJECT);
    for (let from = 0; from < DOCUMENTS; from += 500)
      await view.commit(Array.from({ length: 500 }, (_, i) => device(`old_${from + i}`, { n: -1 })));
    await store.commit(Array.from({ length: SEGMENTS }, (_, i) => sealed(i, 300)));
  }
  makeOld(folder);
}

/** Checks that a folder has every document once, each as it was last written. `last` is the last acknowledged commit. */
async function checkAll(store: Store, last: number): Promise<void> {
  const found = new Map<string, number>();
  for await (const { id, data } of walk<{ n: number }>(store.view(PROJECT), 'records', { object: 'device' })) {
    assert.equal(found.has(id), false, `${id} is there twice`);
    found.set(id, data.n);
  }
  // The commit after the last acknowledged one may be stored too, but only as a whole.
  const reached = found.has(`new_${last + 1}`) ? last + 1 : last;
  for (let n = 0; n < DOCUMENTS; n++) assert.equal(found.get(`old_${n}`), n <= reached ? n : -1, `old_${n}`);
  for (let n = 0; n <= reached; n++) assert.equal(found.get(`new_${n}`), n, `new_${n}`);
  assert.equal(found.size, DOCUMENTS + reached + 1);
  assert.deepEqual(
    await numbersOf(store),
    Array.from({ length: SEGMENTS }, (_, i) => i),
  );
}

/**
 * Kills a child after it has printed `lines` lines: while it opens the folder (one line), or while it migrates the rows. Returns the last
 * commit that it acknowledged.
 */
async function killChild(folder: string, last: number, lines: number, ms: number): Promise<number> {
  const child = spawn(process.execPath, [CHILD, folder, String(last + 1)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > lines) setTimeout(() => child.kill('SIGKILL'), ms);
  });
  const [[, signal]] = await Promise.all([once(child, 'exit'), once(child.stdout, 'close')]);
  assert.equal(signal, 'SIGKILL');
  // A number that the kill cut off was not acknowledged.
  const numbers = text.split('\n').slice(1, -1).map(Number);
  return Math.max(last, ...numbers);
}

test('[S56] after kill -9 during the migration of a folder of layout 1 every document is stored once, as last written', async () => {
  using old = temporaryFolder();
  using folder = temporaryFolder();
  await fillOld(old.path);
  const left: number[] = [];
  let last = -1;
  for (let kill = 1; kill <= KILLS; kill++) {
    if ((left.at(-1) ?? 0) === 0) {
      rmSync(folder.path, { recursive: true });
      cpSync(old.path, folder.path, { recursive: true });
      last = -1;
    }
    const lines = kill % 3 === 0 ? 1 : 2 + ((kill * 7) % 30);
    last = await killChild(folder.path, last, lines, lines === 1 ? (kill * 61) % 400 : kill % 10);
    // Check a copy, so that only the next child continues the migration.
    const copy = join(folder.path, 'copy');
    cpSync(join(folder.path, 'store'), join(copy, 'store'), { recursive: true });
    assert.deepEqual(inspectFile(join(copy, 'store/headframe.db')).damage, [], `kill ${kill}`);
    left.push(rowsWithoutChecksum(copy).reduce((sum, n) => sum + n, 0));
    {
      await using store = await openStore({ ...settings(copy), ...quiet });
      await checkAll(store, last).catch((error: Error) => {
        throw new Error(`kill ${kill}: ${error.message}`, { cause: error });
      });
    }
    rmSync(copy, { recursive: true });
  }
  const total = DOCUMENTS + SEGMENTS;
  assert.ok(
    left.some((rows) => rows > 0 && rows < total),
    `rows without a checksum after each kill: ${left.join()}`,
  );
  await using store = await openStore({ ...settings(folder.path), ...quiet });
  await eventually(
    () => Promise.resolve(rowsWithoutChecksum(folder.path)),
    (rows) => rows.every((n) => n === 0),
    60,
  );
  await checkAll(store, last);
  assert.deepEqual(inspectFile(join(folder.path, 'store/headframe.db')).damage, []);
});
