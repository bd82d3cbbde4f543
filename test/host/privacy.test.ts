/** What a gateway keeps is readable by its user alone. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';

/** Everything in a folder that others than its user may read, write or enter. */
const open = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
  );

test('[Z12] other users cannot read a data folder, and a start removes the permissions that an earlier version left', async () => {
  const before = process.umask(0o022);
  const folder = mkdtempSync(join(tmpdir(), 'headframe-private-'));
  try {
    {
      await using _ = await startGateway(folder);
      assert.deepEqual(open(folder), []);
      assert.ok(readdirSync(join(folder, 'mqtt')).includes('sessions.log'));
    }
    for (const name of ['journal', 'mqtt', 'store']) chmodSync(join(folder, name), 0o755);
    for (const name of ['mqtt/sessions.log', 'store/headframe.db']) chmodSync(join(folder, name), 0o644);
    for (const name of readdirSync(join(folder, 'journal'))) chmodSync(join(folder, 'journal', name), 0o644);
    process.umask(0o022);
    const notes = join(folder, 'notes.txt');
    writeFileSync(notes, 'not ours', { mode: 0o644 });
    const outside = join(folder, 'outside');
    writeFileSync(outside, 'not ours', { mode: 0o644 });
    symlinkSync(outside, join(folder, 'mqtt', 'link'));
    await using _ = await startGateway(folder);
    assert.deepEqual(
      open(folder).sort(),
      ['mqtt/link', 'notes.txt', 'outside'],
      'a file of somebody else keeps its rights, also behind a link',
    );
  } finally {
    process.umask(before);
    rmSync(folder, { recursive: true, force: true });
  }
});
