import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { backUpFolder, CustodyError, restoreDaily, restoreFolder, verifyFolder } from '#commands/custody.ts';
import { openSealer } from '#gateway/sealer.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { startBackups } from '#store/file/backup.ts';
import {
  DEVICE,
  drained,
  EPOCH_S,
  HOUR,
  linkDevice,
  MACHINE,
  message,
  openGateway,
  PROJECT,
} from '#test/faults/gateway-cut-parts.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');

function newFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'headframe-custody-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A folder that has everything, made by the parts of a gateway; what is sent at the end is in the journal only. */
async function fill(folder: string, from: number, count: number): Promise<void> {
  await using gateway = await openGateway(folder);
  openSealer(folder);
  const { store, ingest } = gateway;
  if (from === 1) await linkDevice(store);
  for (let n = from; n < from + count; n++) {
    await ingest.accept({ ...DEVICE, ...message(n) });
    await store.view(PROJECT).commit([{ collection: 'records', id: `r_${n}`, object: 'location', data: { n } }]);
  }
  await (await openArtifacts(folder)).put([Buffer.from(`artifact ${from}`)]);
  await drained(ingest);
}

function numbers(hours: readonly number[]): number[] {
  return hours.map((one) => Math.round(one / HOUR));
}

function flip(file: string, at: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(64, 0xa5), 0, 64, at);
  closeSync(handle);
}

/** Names and sizes of everything in a folder. */
function picture(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`)
    .sort();
}

test('a copy of a running gateway put back elsewhere has every message once, every document, and numbers of its own', async () => {
  using folder = newFolder();
  const [home, copy, place] = ['home', 'copy', 'place'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await fill(home, 1, 30);
  {
    await using running = await openGateway(home);
    await running.ingest.accept({ ...DEVICE, ...message(31) });
    await backUpFolder(home, copy);
    await running.store.view(PROJECT).commit([{ collection: 'records', id: 'later', object: 'location', data: {} }]);
  }
  await restoreFolder(copy, place);
  assert.ok(!existsSync(join(copy, 'secret.key')), 'the key stays out of the copy');
  assert.deepEqual((await verifyFolder(place)).damage, []);
  await using gateway = await openGateway(place);
  const { store, ingest } = gateway;
  await drained(ingest);
  const { v } = await ingest.history(MACHINE, 'engine.hours', EPOCH_S * 1000, (EPOCH_S + 1000) * 1000);
  assert.deepEqual(
    numbers(v),
    Array.from({ length: 31 }, (_, i) => i + 1),
  );
  assert.ok(await store.view(PROJECT).get('records', 'r_30'));
  assert.equal(await store.view(PROJECT).get('records', 'later'), undefined);
  // the next life is left to the original, which may still run
  assert.equal(store.incarnation.number, 3);
  const [written] = await store
    .view(PROJECT)
    .commit([{ collection: 'records', id: 'n', object: 'location', data: {} }]);
  assert.ok((written?.origin_seq ?? 0) > 2 ** 40);
});

test('[S59] a gateway on a restored daily backup, which has no journal, has its documents and takes new messages', async () => {
  using folder = newFolder();
  const [home, place] = [join(folder.path, 'home'), join(folder.path, 'place')];
  await fill(home, 1, 30);
  await fill(home, 31, 5);
  {
    await using backups = startBackups({ folder: home, clock: Date.now, log: () => {} });
    await backups.now();
  }
  assert.ok(await restoreDaily(join(home, 'backup'), place));
  const read = async (gateway: Awaited<ReturnType<typeof openGateway>>) =>
    numbers((await gateway.ingest.history(MACHINE, 'engine.hours', EPOCH_S * 1000, (EPOCH_S + 1000) * 1000)).v);
  for (const [from, count] of [
    [40, 5],
    [45, 5],
  ] as const) {
    await using gateway = await openGateway(place);
    for (let n = from; n < from + count; n++) await gateway.ingest.accept({ ...DEVICE, ...message(n) });
    await drained(gateway.ingest);
    const found = await read(gateway);
    assert.deepEqual(found.slice(-5), [from, from + 1, from + 2, from + 3, from + 4]);
    assert.ok(await gateway.store.view(PROJECT).get('records', 'r_30'));
  }
  await using gateway = await openGateway(place);
  assert.deepEqual((await read(gateway)).slice(-10), [40, 41, 42, 43, 44, 45, 46, 47, 48, 49]);
});

test('verify finds what is damaged, names it, and changes nothing', async () => {
  using folder = newFolder();
  const home = join(folder.path, 'home');
  await fill(home, 1, 200);
  await fill(home, 201, 5);
  const sound = await verifyFolder(home);
  assert.deepEqual(sound.damage, []);
  assert.ok(sound.journal.records >= 205 && sound.artifacts === 2);
  const artifact = readdirSync(join(home, 'artifacts'), { recursive: true, encoding: 'utf8' }).find((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  const segment = readdirSync(join(home, 'journal')).find((name) => name.endsWith('.journal')) ?? '';
  for (const [file, at, said] of [
    [join(home, 'artifacts', artifact ?? ''), 0, /artifact .* does not match its name/],
    [join(home, 'journal', segment), 40, /bytes of the journal .* cannot be read/],
    [join(home, 'store/headframe.db'), 8192, /database is damaged/],
  ] as const) {
    const before = readFileSync(file);
    flip(file, at);
    const changed = picture(home);
    assert.match((await verifyFolder(home)).damage.join(' '), said);
    assert.deepEqual(picture(home), changed);
    writeFileSync(file, before);
    assert.deepEqual((await verifyFolder(home)).damage, []);
  }
});

test('nothing is overwritten: copies and restores want a folder that is not there, and a damaged copy is refused', async () => {
  using folder = newFolder();
  const [home, copy] = [join(folder.path, 'home'), join(folder.path, 'copy')];
  await fill(home, 1, 60);
  await assert.rejects(backUpFolder(home, home), CustodyError);
  await assert.rejects(backUpFolder(join(folder.path, 'none'), copy), CustodyError);
  await backUpFolder(home, copy);
  await assert.rejects(restoreFolder(copy, home), CustodyError);
  flip(join(copy, 'store/headframe.db'), 8192);
  await assert.rejects(restoreFolder(copy, join(folder.path, 'place')), CustodyError);
  assert.deepEqual(readdirSync(folder.path).sort(), ['copy', 'home']);
});

test('a restore takes regular files of known names and bounded sizes; it follows no link, opens no pipe, and leaves the rest out', async () => {
  using folder = newFolder();
  const [home, copy, place, secret] = ['home', 'copy', 'place', 'secret'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
    string,
  ];
  await fill(home, 1, 60);
  await backUpFolder(home, copy, true);
  writeFileSync(secret, 'x'.repeat(43));
  const [segment = ''] = readdirSync(join(copy, 'journal'));
  const artifact = readdirSync(join(copy, 'artifacts'), { recursive: true, encoding: 'utf8' }).find((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  const kept = join(folder.path, 'kept');
  const refused = async (what: RegExp) => {
    await assert.rejects(
      restoreFolder(copy, place),
      (error) => error instanceof CustodyError && what.test(error.message),
    );
    assert.ok(!existsSync(place) && !existsSync(`${place}.partial`), 'nothing was made');
  };
  for (const name of [
    'secret.key',
    'store/format.json',
    `journal/${segment}`,
    `artifacts/${artifact}`,
    'journal',
    'store',
  ]) {
    renameSync(join(copy, name), kept);
    symlinkSync(name === 'secret.key' ? secret : kept, join(copy, name));
    await refused(/symbolic link/);
    rmSync(join(copy, name));
    if (name === 'secret.key' && process.platform === 'linux') {
      assert.equal(spawnSync('mkfifo', [join(copy, name)]).status, 0);
      await refused(/is no file/);
      rmSync(join(copy, name));
    }
    renameSync(kept, join(copy, name));
  }
  writeFileSync(kept, readFileSync(join(copy, 'secret.key')));
  truncateSync(join(copy, 'secret.key'), 2 ** 40);
  await refused(/has 1099511627776 bytes, but a file with this name has at most 1024 bytes/);
  writeFileSync(join(copy, 'secret.key'), readFileSync(kept));
  truncateSync(join(copy, 'journal', segment), 257 << 20);
  await refused(/at most 268435456 bytes/);
  truncateSync(join(copy, 'journal', segment), statSync(join(home, 'journal', segment)).size);
  mkdirSync(join(copy, '.ssh'));
  symlinkSync(secret, join(copy, '.ssh', 'authorized_keys'));
  symlinkSync(secret, join(copy, 'artifacts', 'more'));
  writeFileSync(join(copy, 'store', 'run.sh'), '#!/bin/sh');
  const { others } = await restoreFolder(copy, place);
  assert.equal(others, 3);
  assert.deepEqual((await verifyFolder(place)).damage, []);
  assert.ok(!existsSync(join(place, '.ssh')) && !existsSync(join(place, 'store', 'run.sh')));
  assert.equal(readFileSync(join(place, 'secret.key'), 'utf8'), readFileSync(join(home, 'secret.key'), 'utf8'));
});

test('the commands say it in sentences and exit codes', async () => {
  using folder = newFolder();
  const [home, copy, place] = ['home', 'copy', 'place'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await fill(home, 1, 60);
  const run = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  const verified = run('verify', '--data', home);
  assert.equal(verified.status, 0, verified.stderr);
  assert.match(verified.stdout, /Everything is sound\./);
  assert.equal(run('backup', copy, '--data', home).status, 0);
  const again = run('backup', copy, '--data', home);
  assert.equal(again.status, 3);
  assert.match(again.stderr, /is not empty/);
  assert.equal(run('restore', copy, '--data', place).status, 0);
  assert.ok(existsSync(join(place, 'store/headframe.db')));
  flip(join(place, 'store/headframe.db'), 8192);
  const damaged = run('verify', '--data', place, '--json');
  assert.equal(damaged.status, 1);
  assert.equal(JSON.parse(damaged.stdout).sound, false);
  const absent = run('verify', '--data', join(folder.path, 'absent'));
  assert.equal(absent.status, 1);
  assert.match(absent.stderr, /There is no folder .*absent\./, 'a wrong name is no damage');
});
