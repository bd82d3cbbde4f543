/** A disk that takes no writes: how it is noticed, and that it takes them again. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openResources, type Refusing } from '#host/resources.ts';

function newFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'headframe-box-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const GIB = 2 ** 30;
const parts = { sync_ms: () => null, owing: () => 0, apply: () => {} };

test('[Z5] the error code of the journal decides whether the disk counts as full or read-only', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  using folder = newFolder();
  let code: string | null = null;
  await using resources = await openResources({
    folder: folder.path,
    clock: Date.now,
    log: () => {},
    // Small, so that the reserve on the real disk is small too.
    readDisk: async () => ({ free: 5 << 20, total: 10 << 20 }),
  });
  resources.follow({ ...parts, refusing: () => code });
  for (const [refused, problem] of [
    ['EROFS', 'disk_read_only'],
    ['ENOSPC', 'disk_full'],
    ['EDQUOT', 'disk_full'],
    ['EMFILE', undefined],
    [null, undefined],
  ] as const) {
    code = refused;
    // One that was under way may have asked before.
    await resources.look();
    await resources.look();
    const found = [...resources.pressure.since.keys()].filter((one) => one === 'disk_read_only' || one === 'disk_full');
    assert.deepEqual(found, problem === undefined ? [] : [problem], String(refused));
  }
});

for (const [why, free, ends] of [
  ['read_only', 5 * GIB, true],
  // A read-only disk may be as good as full; that is no reason to wait.
  ['read_only', 0, true],
  ['full', 5 * GIB, true],
  ['full', 0, false],
] as const satisfies readonly (readonly [Refusing, number, boolean])[])
  test(`[Z5] a process held because the disk is ${why} with ${free / GIB} GiB free ${ends ? 'ends after two writes in a row' : 'goes on waiting'}`, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    using folder = newFolder();
    await using resources = await openResources({
      folder: folder.path,
      clock: Date.now,
      log: () => {},
      readDisk: async () => ({ free, total: 10 * GIB }),
    });
    let ended = 0;
    resources.hold(why, () => ended++);
    // A folder in the place of the file that is tried: no write works.
    const inTheWay = join(folder.path, 'write-test');
    const block = () => mkdirSync(join(inTheWay, 'x'), { recursive: true });
    const clear = () => rmSync(inTheWay, { recursive: true });
    block();
    await resources.look();
    await resources.look();
    clear();
    await resources.look();
    assert.equal(ended, 0, 'once may be chance');
    block();
    await resources.look();
    clear();
    await resources.look();
    assert.equal(ended, 0, 'not in a row');
    await resources.look();
    assert.equal(ended, ends ? 1 : 0);
  });
