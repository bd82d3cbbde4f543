import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, promises, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ArtifactTooLarge, openArtifacts } from '#store/artifacts.ts';
import { DigestMismatch, OffsetMismatch, openUploads, UploadBusy } from '#store/uploads.ts';
import { temporaryFolder } from './kit.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
async function* parts(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}
async function* broken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error('gone');
}

test('[S70] an upload continues at the end of its file, also after a restart, and becomes an artifact', async () => {
  using folder = temporaryFolder();
  const file = randomBytes(10_000);
  const first = await openUploads(folder.path, await openArtifacts(folder.path));
  assert.equal(await first.size('upl_1'), 0);
  assert.equal(await first.append('upl_1', 0, parts(file.subarray(0, 4_000)), { limit: 10_000 }), 4_000);
  await assert.rejects(first.append('upl_1', 0, parts(file), { limit: 10_000 }), OffsetMismatch);
  await assert.rejects(first.append('upl_1', 4_000, broken(file.subarray(4_000, 5_000)), { limit: 10_000 }), /gone/);
  const artifacts = await openArtifacts(folder.path);
  const next = await openUploads(folder.path, artifacts);
  assert.equal(await next.size('upl_1'), 5_000, 'what came before the break is kept');
  await next.append('upl_1', 5_000, parts(file.subarray(5_000)), { limit: 10_000 });
  assert.equal(await next.digest('upl_1'), sha256(file));
  const made = await next.finish('upl_1');
  assert.deepEqual(made, { sha256: sha256(file), bytes: 10_000 });
  assert.ok(await artifacts.verify(made.sha256));
  assert.equal(existsSync(join(folder.path, 'uploads', 'upl_1')), false);
});

test('[S70] if the disk writes only some bytes of a chunk, the rest is written after them', async (t) => {
  using folder = temporaryFolder();
  const file = randomBytes(5_000);
  const artifacts = await openArtifacts(folder.path);
  const uploads = await openUploads(folder.path, artifacts);
  await using any = await promises.open(join(folder.path, 'any'), 'w');
  const handles = Object.getPrototypeOf(any) as typeof any;
  type Write = (bytes: Uint8Array, from: number, length: number, at: number) => Promise<{ bytesWritten: number }>;
  const write = handles.write as Write;
  const part: Write = function (this: unknown, bytes, from, length, at) {
    return write.call(this, bytes, from, Math.ceil(length / 2), at);
  };
  t.mock.method(handles, 'write', part as never);
  await uploads.append('upl_1', 0, parts(file), { limit: 5_000 });
  const made = await uploads.finish('upl_1');
  assert.deepEqual(made, { sha256: sha256(file), bytes: 5_000 });
  assert.ok(await artifacts.verify(made.sha256));
});

test('[S71] an append that is too long or has a wrong digest leaves no bytes; one append runs at a time', async () => {
  using folder = temporaryFolder();
  const file = randomBytes(5_000);
  const uploads = await openUploads(folder.path, await openArtifacts(folder.path));
  await uploads.append('upl_1', 0, parts(file.subarray(0, 1_000)), { limit: 3_000 });
  await assert.rejects(uploads.append('upl_1', 1_000, parts(file), { limit: 3_000 }), ArtifactTooLarge);
  const value = createHash('sha1').update('other').digest();
  const digest = { algorithm: 'sha1', value } as const;
  const rest = file.subarray(1_000, 3_000);
  await assert.rejects(uploads.append('upl_1', 1_000, parts(rest), { limit: 3_000, digest }), DigestMismatch);
  await assert.rejects(uploads.append('upl_1', 1_000, broken(rest), { limit: 3_000, digest }), /gone/);
  assert.equal(await uploads.size('upl_1'), 1_000);
  const running = uploads.append('upl_1', 1_000, parts(rest), { limit: 3_000 });
  await assert.rejects(uploads.append('upl_1', 1_000, parts(rest), { limit: 3_000 }), UploadBusy);
  await assert.rejects(uploads.remove('upl_1'), UploadBusy);
  assert.equal(await running, 3_000);
  assert.equal(await uploads.digest('upl_1'), sha256(file.subarray(0, 3_000)));
  for (const id of ['../x', 'a/b', '', 'A']) await assert.rejects(uploads.size(id), RangeError);
});

test('[S72] equal content is stored once; files of unknown uploads are swept', async () => {
  using folder = temporaryFolder();
  const file = randomBytes(2_000);
  const artifacts = await openArtifacts(folder.path);
  const uploads = await openUploads(folder.path, artifacts);
  for (const id of ['upl_1', 'upl_2']) {
    await uploads.append(id, 0, parts(file), { limit: 2_000 });
    assert.equal((await uploads.finish(id)).sha256, sha256(file));
  }
  assert.ok(await artifacts.verify(sha256(file)));
  const path = join(folder.path, 'artifacts', sha256(file).slice(0, 2), sha256(file));
  utimesSync(path, 1, 1);
  await artifacts.put([file]);
  assert.deepEqual(await artifacts.sweep(() => false, Date.now()), [], 'what came again is young again');
  utimesSync(path, 1, 1);
  assert.equal((await artifacts.sweep(() => false, Date.now())).length, 1);
  await uploads.append('upl_3', 0, parts(file), { limit: 2_000 });
  await uploads.append('upl_4', 0, parts(file), { limit: 2_000 });
  assert.equal(await uploads.sweep(async (id) => id === 'upl_4'), 1);
  assert.deepEqual([await uploads.size('upl_3'), await uploads.size('upl_4')], [0, 2_000]);
});
