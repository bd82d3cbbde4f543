import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '#store/open-store.ts';
import { canCut, cutStore } from '#test/faults/store-cut.ts';
import { settings, temporaryFolder } from './kit.ts';

const CHILD = join(import.meta.dirname, 'full-child.ts');
const NO_STRACE = canCut() ? false : 'needs strace and the right to trace';

interface Report {
  readonly acknowledged: number;
  readonly alarms: readonly string[];
  readonly later: readonly (string | number)[];
  readonly closed: string;
}

/** Every call from `when` on fails, or only that one; the child commits until it is refused. */
const FAULTS = [
  { calls: 'fsync,fdatasync', error: 'EIO', when: '40+', code: 'io_error' },
  { calls: 'fsync,fdatasync', error: 'EIO', when: '40', code: 'io_error' },
  { calls: 'pwrite64', error: 'ENOSPC', when: '400+', code: 'disk_full' },
  { calls: 'pwrite64', error: 'ENOSPC', when: '401', code: 'disk_full' },
  { calls: 'pwrite64', error: 'EIO', when: '402', code: 'io_error' },
] as const;

for (const { calls, error, when, code } of FAULTS) {
  const title = `[S23] ${error} of ${calls} (${when}) latches the store, alarms once, and loses nothing acknowledged`;
  test(title, { skip: NO_STRACE }, async () => {
    using folder = temporaryFolder();
    const inject = `inject=${calls}:error=${error}:when=${when}`;
    const strace = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject];
    const child = spawnSync('strace', [...strace, process.execPath, CHILD, folder.path], { encoding: 'utf8' });
    const report: Report = JSON.parse(child.stdout || `"${child.stderr}"`);
    assert.deepEqual(report.alarms, [code]);
    // also where only one call failed: what the disk then holds is not known
    assert.deepEqual(report.later, code === 'disk_full' ? [code, 'r_0', 0] : [code, code, code]);
    assert.equal(report.closed, 'closed');
    assert.ok(report.acknowledged > 0);
    await using store = await openStore(settings(folder.path));
    const ids = Array.from({ length: report.acknowledged }, (_, i) => `r_${i}`);
    assert.equal((await store.node.getMany('records', ids)).length, report.acknowledged);
    await store.node.commit([{ collection: 'records', id: 'again', object: 'device', data: {} }]);
  });
}

/** Runs the child with files of at most 2 MiB, and openat of these paths refused with an error. */
function onLimited(folder: string, paths: readonly string[], error = 'EROFS'): { stdout: string; stderr: string } {
  const strace = ['strace', '-f', '-qq', '-o', '/dev/null', ...paths.flatMap((path) => ['-P', path])];
  const inject = paths.length === 0 ? [] : [...strace, '-e', 'trace=openat', '-e', `inject=openat:error=${error}`];
  const limited = ['-c', 'ulimit -f 4096 && exec "$0" "$@"', ...inject, process.execPath, CHILD, folder];
  return spawnSync('sh', limited, { encoding: 'utf8' });
}

// ext4 that has stopped itself after an error still says that its files may be written, and fails every write.
test('[S23] a failed write is read_only if no new file can be created, else an I/O error', {
  skip: NO_STRACE,
}, () => {
  for (const [error, code] of [
    ['EROFS', 'read_only'],
    ['EIO', 'io_error'],
    [undefined, 'io_error'],
  ] as const) {
    using folder = temporaryFolder();
    const probe = join(folder.path, 'store', 'headframe.db-test');
    const { stdout, stderr } = onLimited(folder.path, error === undefined ? [] : [probe], error);
    const report: Report = JSON.parse(stdout || `"${stderr}"`);
    assert.deepEqual(report.alarms, [code]);
    // What is there is still read from a disk that is only not written.
    assert.deepEqual(report.later, code === 'read_only' ? [code, 'r_0', 0] : [code, code, code]);
    assert.ok(report.acknowledged > 0);
    assert.equal(existsSync(probe), false, 'the file that was made to find out is gone');
  }
});

test('[S23] a start on a read-only disk fails with read_only', { skip: NO_STRACE }, async () => {
  using folder = temporaryFolder();
  await (await openStore(settings(folder.path)))[Symbol.asyncDispose]();
  const lock = join(folder.path, 'store', 'lock');
  assert.ok(existsSync(lock));
  const { stderr } = onLimited(folder.path, [lock, `${lock}-test`]);
  assert.match(stderr, /code: 'read_only'/);
});

test('[S8] after a power cut at any moment no acknowledged commit is lost and none is stored partly', {
  skip: NO_STRACE,
}, async () => {
  const { failures, operations } = await cutStore(40, 1);
  assert.deepEqual(failures, []);
  // a log that was read wrongly would hold next to nothing
  assert.ok(operations > 500, `${operations} operations`);
});

test('[S2] a slow sync does not block the process, and reads do not return what is not synced', {
  skip: NO_STRACE,
}, () => {
  using folder = temporaryFolder();
  const slow = ['-e', 'trace=fdatasync', '-e', 'inject=fdatasync:delay_enter=600000'];
  const child = [join(import.meta.dirname, 'slow-child.ts'), folder.path];
  const strace = ['-f', '-qq', '-o', '/dev/null', ...slow, process.execPath, ...child];
  const { stdout, stderr } = spawnSync('strace', strace, { encoding: 'utf8' });
  const { order, turns }: { order: string[]; turns: number } = JSON.parse(stdout || `"${stderr}"`);
  assert.deepEqual(order, ['on disk', 'seen']);
  // a loop that waited for the disk would have turned a few times
  assert.ok(turns > 50, `${turns} turns`);
});
