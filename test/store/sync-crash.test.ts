import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '#store/open-store.ts';
import { killsOf } from '#test/support/kills.ts';
import { settings, temporaryFolder } from './kit.ts';
import { PROJECT, unsoundOf } from './sync-kit.ts';

const CHILD = join(import.meta.dirname, 'sync-crash-child.ts');
const KILLS = killsOf(6);

/** Lets a child commit until it has acknowledged `count` commits, and kills it. Returns the numbers of the acknowledged commits. */
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
  return text.split('\n').slice(0, -1).map(Number);
}

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
    acknowledged.push(...(await commitUntilKilled(folder.path, (round + 1) * 1_000_000, 1 + round * 29)));
  await using store = await openStore(options);
  await store.sync.join(PROJECT);
  assert.deepEqual(await unsoundOf(store), []);
  const ids = [...Array.from({ length: 400 }, (_, i) => `eq_${i}`), ...acknowledged.map((n) => `eq_${n}`)];
  const missing = await store.sync.run(PROJECT, (tx) => ids.filter((id) => tx.get(`records/${id}`) === undefined));
  assert.deepEqual(missing, []);
  assert.ok(acknowledged.length >= KILLS);
});
