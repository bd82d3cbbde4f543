import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBallast } from '#host/ballast.ts';
import { keepTail, makeRoomToStart } from '#host/start-room.ts';
import { inspectBackup } from '#store/file/assemble.ts';
import { startBackups } from '#store/file/backup.ts';
import { PackFolder } from '#store/file/packs.ts';
import { openStore } from '#store/open-store.ts';
import { sealed } from '#test/store/history-documents.ts';
import { settings, temporaryFolder } from '#test/store/kit.ts';
import { startGateway } from '#test/support/gateway.ts';

const SIZE = 1 << 20;
const TOTAL = 1000 * SIZE;

/** A data folder with reserves, three backups and six files of raw messages; what it takes is what a disk of its own would lack. */
async function folderOf() {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-start-'));
  await using gateway = await startGateway(folder);
  assert.ok(gateway.node.httpPort > 0);
  await gateway[Symbol.asyncDispose]();
  mkdirSync(join(folder, 'backup'), { recursive: true });
  for (const name of readdirSync(join(folder, 'journal'))) rmSync(join(folder, 'journal', name));
  const old = Date.now() / 1000 - 86_400;
  for (let i = 1; i <= 6; i++) {
    const path = join(folder, 'journal', `${String(i).padStart(10, '0')}.journal`);
    writeFileSync(path, Buffer.alloc(SIZE, 1));
    utimesSync(path, old + i, old + i);
  }
  for (const day of ['01', '02', '03'])
    writeFileSync(join(folder, 'backup', `headframe-2026-11-${day}T00-00-00Z.db`), Buffer.alloc(SIZE, 1));
  writeFileSync(join(folder, 'reserve'), Buffer.alloc(SIZE, 1));
  writeFileSync(join(folder, 'reserve-start'), Buffer.alloc(SIZE, 1));
  return folder;
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (one) => one.isFile() && /(journal|headframe-.*\.db|reserve.*)$/.test(one.name) && one.name !== 'headframe.db',
    )
    .filter(({ name }) => !name.startsWith('headframe.db')).length;
}

for (const [free, left] of [
  [4, { reserves: 1, backups: 3, raw: 6 }],
  [3, { reserves: 0, backups: 3, raw: 6 }],
  [1, { reserves: 0, backups: 1, raw: 6 }],
  [-1, { reserves: 0, backups: 1, raw: 4 }],
  [-50, { reserves: 0, backups: 1, raw: 3 }],
] as const)
  test(`[Z20] a start that has ${free} of 5 MB frees space in the order of the rule, and no more than it needs`, async () => {
    const folder = await folderOf();
    try {
      await keepTail(folder, 4);
      const all = bytesOf(folder);
      const gone = await makeRoomToStart({
        folder,
        reserves: [await openBallast(folder), await openBallast(folder, 'start')],
        read: async () => ({ free: Math.max(0, (free + all - bytesOf(folder)) * SIZE), total: TOTAL }),
        log: () => undefined,
      });
      const there = {
        reserves: ['reserve', 'reserve-start'].filter((name) => existsSync(join(folder, name))).length,
        backups: readdirSync(join(folder, 'backup')).length,
        raw: readdirSync(join(folder, 'journal')).length,
      };
      assert.deepEqual(there, left);
      assert.equal(gone?.segments ?? 0, 6 - left.raw);
      if (gone !== null) assert.ok(gone.bytes === gone.segments * SIZE && gone.from_ms <= gone.to_ms);
      assert.ok(existsSync(join(folder, 'backup', 'headframe-2026-11-03T00-00-00Z.db')), 'the newest backup stays');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

test('[Z20] with an older backup a start also deletes the history that only this backup needs', async () => {
  using folder = temporaryFolder();
  const start = Date.UTC(2026, 0, 2);
  const inner = join(folder.path, 'backup');
  const packs = () => readdirSync(inner).filter((name) => name.endsWith('.pack')).length;
  const backUp = async (day: number) => {
    await using backups = startBackups({ folder: folder.path, clock: () => start + day * 86_400_000, log: () => {} });
    return await backups.now();
  };
  let older = '';
  let newest = '';
  {
    await using store = await openStore(settings(folder.path));
    const write = (from: number) => store.commit(Array.from({ length: 30 }, (_, i) => sealed(from + i)));
    await write(0);
    older = await backUp(0);
    await store.erase(
      'telemetry',
      Array.from({ length: 30 }, (_, i) => sealed(i).id),
    );
    await write(30);
    newest = await backUp(1);
  }
  assert.equal(packs(), 4);
  const logged: string[] = [];
  await makeRoomToStart({
    folder: folder.path,
    reserves: [],
    read: async () => ({ free: 0, total: TOTAL }),
    log: (_, message) => logged.push(message),
  });
  assert.deepEqual([existsSync(older), existsSync(newest), packs()], [false, true, 2], logged.join('; '));
  assert.deepEqual(inspectBackup(newest, true, new PackFolder(inner)).damage, []);
});
