import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { checkAuditLog } from '#store/file/audit-check.ts';
import { openStore } from '#store/open-store.ts';
import { settings, temporaryFolder } from './kit.ts';

const CHILD = join(import.meta.dirname, 'crash-child.ts');

/** Lets a child commit until it has acknowledged `count` commits, kills it, and returns all it acknowledged. */
async function commitUntilKilled(folder: string, first: number, count: number): Promise<number[]> {
  const child = spawn(process.execPath, [CHILD, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > count) child.kill('SIGKILL');
  });
  const [[, signal]] = await Promise.all([once(child, 'exit'), once(child.stdout, 'close')]);
  assert.equal(signal, 'SIGKILL');
  // a number cut off by the kill was not acknowledged to anybody
  return text.split('\n').slice(0, -1).map(Number);
}

test('[S8] [S80] after kill -9 under load every acknowledged commit is stored completely, and the file is intact', async () => {
  using folder = temporaryFolder();
  const acknowledged: number[] = [];
  for (const [round, count] of [1, 17, 100, 300].entries()) {
    acknowledged.push(...(await commitUntilKilled(folder.path, round * 1_000_000, count)));
    const raw = new DatabaseSync(join(folder.path, 'store/headframe.db'));
    assert.deepEqual({ ...raw.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    raw.close();
    const { fault, entries } = checkAuditLog(folder.path);
    assert.equal(fault, null);
    assert.ok(entries > acknowledged.length);
    await using store = await openStore(settings(folder.path));
    const view = store.view('prj_crash');
    const records = await view.getMany(
      'records',
      acknowledged.map((n) => `r_${n}`),
    );
    assert.deepEqual(
      records.map(({ data }) => data.n),
      acknowledged,
    );
    // also of what nobody heard of: all of a commit or nothing
    const { records: left, live: right } = store.database.collections;
    const [a, b] = await Promise.all([left.find().exec(), right.find().exec()]);
    assert.deepEqual(a.map(({ id }) => id).sort(), b.map(({ id }) => id).sort());
    assert.ok(a.length >= acknowledged.length);
    const last = await view.get('local', 'last');
    assert.ok(a.some(({ data }) => data.n === last?.data.n));
  }
});
