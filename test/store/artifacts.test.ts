import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import { ArtifactTooLarge, openArtifacts } from '#store/artifacts.ts';
import { temporaryFolder } from './kit.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

async function textOf(stream: Readable | undefined): Promise<string | undefined> {
  if (stream === undefined) return undefined;
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

/** Everything in the folder but its folders. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

test('[S60] a stored content can be read by its SHA-256, completely and in ranges, also after a restart', async () => {
  using folder = temporaryFolder();
  const made = await (await openArtifacts(folder.path)).put([bytes('hello '), bytes('world')]);
  assert.deepEqual(made, { sha256: hashOf('hello world'), bytes: 11 });
  const artifacts = await openArtifacts(folder.path);
  assert.deepEqual(await artifacts.find(made.sha256), made);
  assert.equal(await textOf(await artifacts.read(made.sha256)), 'hello world');
  assert.equal(await textOf(await artifacts.read(made.sha256, 6)), 'world');
  assert.equal(await textOf(await artifacts.read(made.sha256, 0, 5)), 'hello');
  assert.equal(await textOf(await artifacts.read(made.sha256, 5, 5)), '');
  for (const [from, to] of [
    [-1, 2],
    [3, 2],
    [0, 12],
    [0.5, 2],
  ] as const)
    await assert.rejects(artifacts.read(made.sha256, from, to), RangeError);
  assert.equal(await artifacts.verify(made.sha256), true);
});

test('[S60] an empty content can be stored, and a name that is no SHA-256 finds nothing', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path);
  const { sha256 } = await artifacts.put([]);
  assert.equal(await textOf(await artifacts.read(sha256)), '');
  for (const name of [
    '',
    '..',
    '../store/headframe.db',
    'tmp',
    sha256.toUpperCase(),
    `${sha256}/..`,
    hashOf('absent'),
  ]) {
    assert.equal(await artifacts.find(name), undefined);
    assert.equal(await artifacts.read(name), undefined);
    assert.equal(await artifacts.verify(name), false);
  }
});

test('[S60] equal content is stored once, also for concurrent puts', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path);
  const all = await Promise.all(Array.from({ length: 20 }, () => artifacts.put([bytes('same')])));
  assert.equal(new Set(all.map(({ sha256 }) => sha256)).size, 1);
  assert.equal(filesOf(join(folder.path, 'artifacts')).length, 1);
});

test('[S61] a put that is too large or ends with an error leaves no file', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path, { maxBytes: 10 });
  await artifacts.put([bytes('0123456789')]);
  await assert.rejects(artifacts.put([bytes('0123456789'), bytes('x')]), ArtifactTooLarge);
  const broken = (async function* () {
    yield bytes('half');
    throw new Error('the sender went away');
  })();
  await assert.rejects(artifacts.put(broken), /went away/);
  assert.equal(filesOf(join(folder.path, 'artifacts')).length, 1);
});

test('[S61] the next open deletes the draft of an interrupted put', async () => {
  using folder = temporaryFolder();
  await openArtifacts(folder.path);
  writeFileSync(join(folder.path, 'artifacts/tmp/half'), 'half');
  await openArtifacts(folder.path);
  assert.deepEqual(filesOf(join(folder.path, 'artifacts')), []);
});

test('[S61] an unusable folder is refused with a message', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'artifacts'), '');
  await assert.rejects(openArtifacts(folder.path), (error) => error instanceof StoreError);
});

test('[S62] verify detects a content that changed on the disk', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path);
  const { sha256 } = await artifacts.put([bytes('hello')]);
  writeFileSync(join(folder.path, 'artifacts', sha256.slice(0, 2), sha256), 'hellO');
  assert.equal(await artifacts.verify(sha256), false);
});

test('[S63] the sweep deletes only contents that no record refers to and that are older than a day', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path);
  const now = Date.now();
  const put = async (text: string, ageMs: number): Promise<string> => {
    const { sha256 } = await artifacts.put([bytes(text)]);
    const at = (now - ageMs) / 1000;
    utimesSync(join(folder.path, 'artifacts', sha256.slice(0, 2), sha256), at, at);
    return sha256;
  };
  const [named, orphan, young] = [await put('named', 2e8), await put('orphan', 2e8), await put('young', 1000)];
  const gone = await artifacts.sweep((sha256) => sha256 === named, now);
  assert.deepEqual(
    gone.map(({ sha256 }) => sha256),
    [orphan],
  );
  assert.ok((await artifacts.find(named)) && (await artifacts.find(young)));
  assert.equal(await artifacts.find(orphan), undefined);
});

test('[S60] a put whose check throws leaves no file; readAll reads a small content', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path);
  let told = '';
  const refuse = ({ sha256: digest }: { sha256: string }) => {
    told = digest;
    throw new Error('not what was promised');
  };
  await assert.rejects(artifacts.put([Buffer.from('content')], refuse), /not what was promised/);
  assert.equal(await artifacts.find(told), undefined);
  const { sha256: kept } = await artifacts.put([Buffer.from('content')], () => undefined);
  assert.equal(kept, told);
  assert.equal(String(await artifacts.readAll(kept, 7)), 'content');
  assert.equal(await artifacts.readAll(kept, 6), undefined);
  assert.equal(await artifacts.readAll('0'.repeat(64), 7), undefined);
});
