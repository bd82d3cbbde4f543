/** Case 39: two processes and one folder. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openStore } from '#store/open-store.ts';
import { settings, temporaryFolder } from './kit.ts';

const CHILD = join(import.meta.dirname, 'lock-child.ts');
const UNSHARE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const NO_UNSHARE =
  spawnSync('unshare', [...UNSHARE.slice(1), 'true']).status === 0 ? false : 'may not make a pid namespace';

/** Starts an opener and resolves with the first line that it says. */
async function open(folder: string, before: readonly string[] = []): Promise<{ said: string; child: ChildProcess }> {
  const [command = '', ...args] = [...before, process.execPath, CHILD, folder];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(createInterface({ input: child.stdout }), 'line');
  return { said: String(said), child };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

test('[S3] of several processes that open a folder at the same moment one succeeds and the others are refused', async () => {
  using folder = temporaryFolder();
  const all = await Promise.all(Array.from({ length: 4 }, () => open(folder.path)));
  assert.deepEqual(all.map(({ said }) => said).sort(), ['in_use', 'in_use', 'in_use', 'open']);
  await Promise.all(all.map(({ child }) => kill(child)));
});

test('[S3] a folder can be opened after the process that locked it was killed', async () => {
  using folder = temporaryFolder();
  for (let round = 0; round < 3; round++) {
    const { said, child } = await open(folder.path);
    assert.equal(said, 'open');
    await kill(child);
  }
  await (await openStore(settings(folder.path)))[Symbol.asyncDispose]();
});

test('[S3] the lock works between processes of different pid namespaces', { skip: NO_UNSHARE }, async () => {
  using folder = temporaryFolder();
  const inside = await open(folder.path, UNSHARE);
  assert.equal(inside.said, 'open');
  const outside = await open(folder.path);
  assert.equal(outside.said, 'in_use');
  await kill(inside.child);
  // the namespace ends a moment after its first process
  for (let tries = 0; ; tries++) {
    const { said, child } = await open(folder.path);
    await kill(child);
    if (said === 'open') break;
    assert.ok(tries < 50, 'the lock outlived its process');
  }
  const holder = await open(folder.path);
  const refused = await open(folder.path, UNSHARE);
  assert.deepEqual([holder.said, refused.said], ['open', 'in_use']);
  await kill(holder.child);
});
