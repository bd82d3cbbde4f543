/** What reads and writes of the store cost in SQL statements and transactions; a transaction is an fsync, pages of flash and a wait. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Write } from '#contract/base/view.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { costOf } from './cost.ts';

const PROJECT = 'prj_cost';
/** Of the WAL: a page and its frame header (https://www.sqlite.org/fileformat2.html#the_write_ahead_log). */
const FRAME = 4096 + 24;
/** BEGIN, the sequence before, the hybrid clock read and written, the project's number read, both numbers written, COMMIT. */
const FRAMEWORK = 8;
/** What was there, and the write. */
const EACH = 2;

async function openAlone(): Promise<{ store: Store; folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-cost-'));
  const store = await openStore({ folder, clock: Date.now, random: (n) => randomBytes(n) });
  return {
    store,
    folder,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

const id = (i: number): string => `dev_${String(i).padStart(4, '0')}`;

function device(i: number, name = 'x'): Write {
  const data = {
    device_id: `d${i}`,
    serial: `S${i}`,
    kind: i % 2 === 0 ? 'can_logger' : 'modem',
    name: name.repeat(100),
  };
  return { collection: 'records', id: id(i), object: 'device', data };
}

test('[S10] a commit of one document is ten statements in one transaction, new or not', async () => {
  await using opened = await openAlone();
  const view = opened.store.view(PROJECT);
  await view.commit([device(0)]);
  const cost = { statements: FRAMEWORK + EACH, commits: 1, rows: 1 };
  assert.deepEqual(await costOf(opened.store, () => view.commit([device(1)])), cost);
  assert.deepEqual(await costOf(opened.store, () => view.commit([device(1, 'y')])), cost);
});

test('[S11] each further document of a commit is two statements', async () => {
  await using opened = await openAlone();
  const view = opened.store.view(PROJECT);
  const fifty = Array.from({ length: 50 }, (_, i) => device(i));
  const cost = await costOf(opened.store, () => view.commit(fifty));
  assert.deepEqual(cost, { statements: FRAMEWORK + 50 * EACH, commits: 1, rows: 50 });
});

test('[S12] commits that wait at the same moment share a transaction', async () => {
  await using opened = await openAlone();
  const view = opened.store.view(PROJECT);
  const cost = await costOf(opened.store, () =>
    Promise.all(Array.from({ length: 50 }, (_, i) => view.commit([device(i)]))),
  );
  assert.deepEqual([cost.commits, cost.rows], [1, 50]);
  // Besides the document itself each has the hybrid clock's two.
  assert.equal(cost.statements, FRAMEWORK - 2 + 50 * (EACH + 2));
});

test('a document that changes where no index looks is four pages of the log, a new one a page for each index', async () => {
  await using opened = await openAlone();
  const view = opened.store.view(PROJECT);
  const wal = async () => (await stat(join(opened.folder, 'store', 'headframe.db-wal'))).size;
  const pages = async (from: number, to: number, name: string): Promise<number> => {
    const before = await wal();
    for (let i = from; i < to; i++) await view.commit([device(i, name)]);
    return ((await wal()) - before) / FRAME / (to - from);
  };
  await pages(0, 20, 'x');
  const changed = await pages(0, 20, 'y');
  const made = await pages(20, 40, 'x');
  // Data, two feeds and the numbers; where a page splits it is one more.
  assert.ok(changed <= 4.5, `${changed} pages for a change`);
  assert.ok(made <= 12, `${made} pages for a new device`);
});

test('[S32] a read is one statement: one document, many by id, a page, a page of an indexed field', async () => {
  await using opened = await openAlone();
  const { store } = opened;
  const view = store.view(PROJECT);
  await view.commit(Array.from({ length: 200 }, (_, i) => device(i)));
  const list = { object: 'device', limit: 50 } as const;
  const [after] = await view.find('records', list);
  assert.ok(after);
  const statements = async (work: () => Promise<unknown>): Promise<number> => {
    const cost = await costOf(store, work);
    assert.deepEqual([cost.commits, cost.rows], [0, 0]);
    return cost.statements;
  };
  const ids = Array.from({ length: 50 }, (_, i) => id(i));
  assert.equal(await statements(() => view.get('records', id(7))), 1);
  assert.equal(await statements(() => view.getMany('records', ids)), 1);
  assert.equal(await statements(() => view.find('records', list)), 1);
  assert.equal(await statements(() => view.find('records', { ...list, after })), 1);
  assert.equal(await statements(() => view.find('records', { ...list, where: { 'data.kind': 'modem' } })), 1);
});

test('[S32] [S40] values, windows, joins and feeds are one statement more each', async () => {
  await using opened = await openAlone();
  const { store } = opened;
  const view = store.view(PROJECT);
  await view.commit(Array.from({ length: 200 }, (_, i) => device(i)));
  const list = { object: 'device', limit: 50 } as const;
  const statements = async (work: () => Promise<unknown>): Promise<number> => (await costOf(store, work)).statements;
  const three = ['modem', 'a', 'b'];
  assert.equal(await statements(() => view.find('records', { ...list, where: { 'data.kind': three } })), 3);
  assert.equal(await statements(() => view.find('records', { ...list, where: { 'data.name': 'none' } })), 2);
  assert.equal(await statements(() => view.find('records', { ...list, live: { 'data.status': 'online' } })), 2);
  assert.equal(await statements(() => store.feed(PROJECT, 'records', 0, 100)), 2);
});
