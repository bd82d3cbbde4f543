import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { checkAuditLog } from '#store/file/audit-check.ts';
import { openStore } from '#store/open-store.ts';
import { commitUntilKilled } from './commit-until-killed.ts';
import { settings, temporaryFolder } from './kit.ts';

const CHILD = join(import.meta.dirname, 'crash-child.ts');

test('[S8] [S80] after kill -9 under load every acknowledged commit is stored completely, and the file is intact', async () => {
  using folder = temporaryFolder();
  const acknowledged: number[] = [];
  for (const [round, count] of [1, 17, 100, 300].entries()) {
    acknowledged.push(...(await commitUntilKilled(CHILD, { folder: folder.path, first: round * 1_000_000, count })));
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
