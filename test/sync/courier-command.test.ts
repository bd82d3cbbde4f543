/** `headframe courier`, with gateways that run and with one that does not. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { headframe } from '#test/support/command.ts';
import { endsWithoutNetwork } from './courier-kit.ts';

function newStick(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'headframe-stick-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test('[Y94] [Y95] headframe courier carries changes both ways, whether a gateway runs or not', async () => {
  await using ends = await endsWithoutNetwork();
  using stick = newStick();
  const { cloud, site, here, there, project } = ends;
  await here.call('equipment_create', { unit_number: 'HT-1' });
  const files = () => readdirSync(stick.path).map((name) => join(stick.path, name));

  const none = await headframe(['courier', 'export', join(stick.path, 'absent'), '--data', site.folder]);
  assert.deepEqual([none.code, /There is no folder/.test(none.stderr)], [3, true], none.stderr);
  const written = await headframe(['courier', 'export', stick.path, '--data', site.folder]);
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout.toString(), /Head office has not confirmed it yet[\s\S]*Carry this file/);
  const [up] = files();
  assert.match(up ?? '', /headframe-from-Quarry-North-.*\.hfbundle$/);
  assert.equal(files().length, 1);
  const wrong = await headframe(['courier', 'import', up ?? '', '--data', site.folder]);
  assert.deepEqual([wrong.code, /made at a site, for head office/.test(wrong.stderr)], [1, true], wrong.stderr);
  const read = await headframe(['courier', 'import', up ?? '', '--data', cloud.folder]);
  assert.deepEqual([read.code, /Everything was taken/.test(read.stdout.toString())], [0, true], read.stderr);
  rmSync(up ?? '');

  await site.kill();
  const { id } = await there.call('equipment_create', { unit_number: 'HT-2' });
  const other = await headframe(['courier', 'export', stick.path, '--site', 'Nowhere', '--data', cloud.folder]);
  assert.deepEqual([other.code, /No site has this name/.test(other.stderr)], [2, true], other.stderr);
  const back = await headframe(['courier', 'export', stick.path, '--json', '--data', cloud.folder]);
  assert.equal(back.code, 0, back.stderr);
  assert.equal(JSON.parse(back.stdout.toString()).files.length, 1);
  await cloud.kill();
  const [down] = files();
  const taken = await headframe(['courier', 'import', down ?? '', '--data', site.folder]);
  assert.equal(taken.code, 0, taken.stderr);
  const listed = await headframe(['courier', 'list', '--data', site.folder]);
  assert.match(listed.stdout.toString(), /taken {2}taken[\s\S]*made {2}confirmed/, listed.stderr);
  truncateSync(down ?? '', 500);
  const cut = await headframe(['courier', 'import', down ?? '', '--data', site.folder]);
  assert.deepEqual([cut.code, /ends before its end/.test(cut.stderr)], [1, true], cut.stderr);
  await site.start();
  assert.equal((await site.client(project).call('equipment_get', { id })).unit_number, 'HT-2');
});
