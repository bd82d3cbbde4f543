import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { AuditLink } from '#contract/base/audit-entry.ts';
import { NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import { checkAuditLog } from '#store/file/audit-check.ts';
import { startBackups } from '#store/file/backup.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { checksumOf } from '#store/sqlite/checksum.ts';
import { metaChecksum } from '#store/sqlite/meta-table.ts';
import { settings, temporaryFolder } from './kit.ts';

const PROJECT = 'prj_a';

async function add(store: Store, ...ids: string[]): Promise<void> {
  for (const id of ids)
    await store
      .view(PROJECT)
      .commit([{ collection: 'events', id, object: 'audit', data: { type: 'created', data: {} }, expected: 0 }]);
}

/** Opens a folder, adds entries and closes it. */
async function run(folder: string, ...ids: string[]): Promise<void> {
  await using store = await openStore({
    ...settings(folder),
    random: (n) => crypto.getRandomValues(new Uint8Array(n)),
  });
  await add(store, ...ids);
}

interface AboutChain {
  readonly type: string;
  readonly chain: AuditLink;
  readonly data: { readonly lost: unknown; readonly earlier?: { readonly entries: number } };
}

async function aboutChain(folder: string): Promise<Stored<AboutChain>[]> {
  await using store = await openStore(settings(folder));
  return await store.node.find<AboutChain>('events', { object: 'audit', order: 'asc', limit: 100 });
}

const database = (folder: string): string => join(folder, 'store', 'headframe.db');

/** Makes the folder like one of a version before the chain. */
function makeUnchained(folder: string): void {
  using raw = new DatabaseSync(database(folder));
  raw.function('checksum', checksumOf as (text: unknown) => number);
  raw.exec(`DELETE FROM events_0 WHERE ".project_id"='${NODE_PROJECT}'; DELETE FROM rx_meta WHERE key='audit';
    UPDATE events_0 SET ".data.chain.number"=NULL, data=json_remove(data, '$.data.chain');
    UPDATE events_0 SET sum=checksum(data)`);
  rmSync(join(folder, 'store', 'mark'));
}

test('[S81] a new store begins its chain with an entry, and the mark has the last entry', async () => {
  using folder = temporaryFolder();
  await run(folder.path, 'a', 'b');
  const [started] = await aboutChain(folder.path);
  assert.deepEqual([started?.data.type, started?.data.chain.number], ['chain_started', 1]);
  const { entries, head, fault } = checkAuditLog(folder.path);
  assert.deepEqual([entries, head?.number, fault], [3, 3, null]);
});

test('[S81] the first entry of the chain covers the entries of versions before the chain', async () => {
  using folder = temporaryFolder();
  await run(folder.path, 'a', 'b', 'c');
  makeUnchained(folder.path);
  assert.deepEqual(checkAuditLog(folder.path), { entries: 0, earlier: 3, head: null, fault: null, losses: [] });
  await run(folder.path, 'd');
  const [started] = await aboutChain(folder.path);
  assert.equal(started?.data.data.earlier?.entries, 3);
  assert.deepEqual([checkAuditLog(folder.path).earlier, checkAuditLog(folder.path).fault], [3, null]);
  for (const [n, sql] of [
    `UPDATE events_0 SET data=replace(data, 'created"', 'deleted"') WHERE id='b'`,
    `DELETE FROM events_0 WHERE id='b'`,
    `UPDATE events_0 SET ".data.chain.number"=NULL, data=json_remove(data, '$.data.chain') WHERE id='d'`,
  ].entries()) {
    const copy = join(folder.path, `copy ${n}`);
    cpSync(join(folder.path, 'store'), join(copy, 'store'), { recursive: true });
    using raw = new DatabaseSync(database(copy));
    raw.exec(sql);
    assert.ok(checkAuditLog(copy).fault, sql);
  }
});

test('[S82] after a loss of commits an entry names the lost entries, and the chain goes on from the entry before them', async () => {
  using folder = temporaryFolder();
  const [home, old] = [join(folder.path, 'home'), join(folder.path, 'old.db')];
  await run(home, 'a', 'b');
  cpSync(database(home), old);
  await run(home, 'c', 'd');
  cpSync(old, database(home));
  assert.match(checkAuditLog(home).fault?.what ?? '', /missing, but the high-water mark has its hash/);
  await run(home, 'e');
  const resumed = (await aboutChain(home)).find(({ data }) => data.type === 'chain_resumed');
  assert.deepEqual([resumed?.data.type, resumed?.data.chain.number, resumed?.data.chain.life], ['chain_resumed', 4, 2]);
  const { entries, fault, losses } = checkAuditLog(home);
  assert.deepEqual([entries, fault], [5, null]);
  assert.deepEqual(
    losses.map(({ from, through }) => [from, through]),
    [[4, 5]],
  );
  // The next open records the same loss no second time.
  await run(home, 'f');
  assert.equal(checkAuditLog(home).losses.length, 1);
});

test('[S82] a tail that was cut off in the database alone is found, and the next start records it', async () => {
  using folder = temporaryFolder();
  await run(folder.path, 'a', 'b', 'c');
  cutTail(folder.path, 2);
  assert.equal(checkAuditLog(folder.path).fault?.number, 4);
  await run(folder.path);
  const { fault, losses } = checkAuditLog(folder.path);
  assert.equal(fault, null);
  assert.deepEqual(
    losses.map(({ from, through }) => [from, through]),
    [[3, 4]],
  );
});

/** Removes the entries after this number as a person would who knows how the store writes its values. */
function cutTail(folder: string, last: number): void {
  using raw = new DatabaseSync(database(folder));
  const row = raw.prepare('SELECT data FROM events_0 WHERE ".data.chain.number"=?').get(last);
  const { life, number, hash } = JSON.parse(String(row?.data)).data.chain as AuditLink;
  const head = JSON.stringify({ life, number, hash });
  raw.prepare('DELETE FROM events_0 WHERE ".data.chain.number">?').run(last);
  raw.prepare("UPDATE rx_meta SET value=?, sum=? WHERE key='audit'").run(head, metaChecksum('audit', head));
}

test('[S83] a backup knows the chain up to its time, so a log that was cut and begun again is found', async () => {
  using folder = temporaryFolder();
  {
    await using store = await openStore(settings(folder.path));
    await add(store, 'a', 'b', 'c');
    await using backups = startBackups({ folder: folder.path, clock: Date.now, log: () => {} });
    await backups.now();
    assert.deepEqual(backups.problems(), []);
    await add(store, 'd');
  }
  assert.equal(checkAuditLog(folder.path).fault, null);
  cutTail(folder.path, 2);
  rmSync(join(folder.path, 'store', 'mark'));
  await run(folder.path, 'x', 'y');
  const { fault } = checkAuditLog(folder.path);
  assert.equal(fault?.number, 4);
  assert.match(fault?.what ?? '', /another content, but the backup .* has its hash/);
  await using backups = startBackups({ folder: folder.path, clock: Date.now, log: () => {} });
  await backups.now();
  assert.deepEqual(
    backups.problems().map(({ code }) => code),
    ['audit_log_changed'],
  );
});
