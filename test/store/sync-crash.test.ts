import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '#store/open-store.ts';
import { killsOf } from '#test/support/kills.ts';
import { commitUntilKilled } from './commit-until-killed.ts';
import { settings, temporaryFolder } from './kit.ts';
import { PROJECT, unsoundOf } from './sync-kit.ts';

const CHILD = join(import.meta.dirname, 'sync-crash-child.ts');
const KILLS = killsOf(6);

test('[S90] [S91] [S92] after kill -9 while a project joins, the replication knows every document as it is stored', async () => {
  using folder = temporaryFolder();
  const options = { ...settings(folder.path), clock: Date.now };
  {
    await using before = await openStore(options);
    const view = before.view(PROJECT);
    for (let i = 0; i < 400; i++)
      await view.commit([
        { collection: 'records', id: `eq_${i}`, object: 'equipment', data: { name: `old ${i}`, unit_number: `u${i}` } },
        { collection: 'events', id: `old_${i}`, object: 'event', data: { type: 'note' } },
      ]);
  }
  const acknowledged: number[] = [];
  for (let round = 0; round < KILLS; round++)
    acknowledged.push(
      ...(await commitUntilKilled(CHILD, {
        folder: folder.path,
        first: (round + 1) * 1_000_000,
        count: 1 + round * 29,
      })),
    );
  await using store = await openStore(options);
  await store.sync.join(PROJECT);
  assert.deepEqual(await unsoundOf(store), []);
  const ids = [...Array.from({ length: 400 }, (_, i) => `eq_${i}`), ...acknowledged.map((n) => `eq_${n}`)];
  const missing = await store.sync.run(PROJECT, (tx) => ids.filter((id) => tx.get(`records/${id}`) === undefined));
  assert.deepEqual(missing, []);
  assert.ok(acknowledged.length >= KILLS);
});
