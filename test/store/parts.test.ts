import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openParts, type Parts } from '#store/parts.ts';
import { temporaryFolder } from './kit.ts';

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 1_000) yield bytes.subarray(from, from + 1_000);
}
const put = (parts: Parts, upload: string, number: number, bytes: Uint8Array, checksum: string | null = null) =>
  parts.put(upload, number, pieces(bytes), ({ bytes: count, sha256 }) => {
    assert.equal(count, bytes.length);
    assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
    return { md5: md5(bytes), checksum };
  });

async function contentOf(parts: Parts, upload: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (const part of await parts.list(upload)) for await (const chunk of parts.read(upload, part)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('[S73] parts are listed by number, also after a restart, and a part that is sent again replaces the earlier one', async () => {
  using folder = temporaryFolder();
  const parts = await openParts(folder.path);
  const [a, b, c] = [randomBytes(5_000), randomBytes(10), randomBytes(2_500)];
  await put(parts, 'upl_1', 10_000, c, 'cbf43926');
  await put(parts, 'upl_1', 2, b);
  await put(parts, 'upl_1', 2, a);
  await put(parts, 'upl_1', 2, a);
  const next = await openParts(folder.path);
  const told = (await next.list('upl_1')).map(({ number, bytes, checksum }) => [number, bytes, checksum]);
  assert.deepEqual(told, [
    [2, 5_000, null],
    [10_000, 2_500, 'cbf43926'],
  ]);
  assert.deepEqual(await contentOf(next, 'upl_1'), Buffer.concat([a, c]));
  assert.equal(readdirSync(join(folder.path, 'parts', 'upl_1')).length, 2);
  await next.remove('upl_1');
  assert.deepEqual(await next.list('upl_1'), []);
});

test('[S73] an interrupted or refused part leaves no file, and parts of unknown uploads are swept', async () => {
  using folder = temporaryFolder();
  const parts = await openParts(folder.path);
  await put(parts, 'upl_1', 1, randomBytes(100));
  async function* broken() {
    yield randomBytes(100);
    throw new Error('gone');
  }
  await assert.rejects(
    parts.put('upl_1', 2, broken(), () => ({ md5: '', checksum: null })),
    /gone/,
  );
  const refuse = () => {
    throw new Error('refused');
  };
  await assert.rejects(parts.put('upl_1', 2, pieces(randomBytes(100)), refuse), /refused/);
  assert.equal(readdirSync(join(folder.path, 'parts', 'upl_1')).length, 1);
  await put(parts, 'upl_2', 1, randomBytes(100));
  assert.equal(await parts.sweep(async (upload) => upload === 'upl_2'), 1);
  assert.deepEqual(await parts.list('upl_1'), []);
  assert.equal((await parts.list('upl_2')).length, 1);
  await assert.rejects(parts.list('../x'), RangeError);
});

test('[S73] of a part that is sent twice at the same time the one that ends last stays, whichever began first', async () => {
  using folder = temporaryFolder();
  const parts = await openParts(folder.path);
  const [slow, fast] = [randomBytes(5_000), randomBytes(4_000)];
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  async function* waits(bytes: Uint8Array) {
    yield bytes;
    started.resolve();
    await release.promise;
  }
  const first = parts.put('upl_1', 1, waits(slow), () => ({ md5: md5(slow), checksum: null }));
  await started.promise;
  await put(parts, 'upl_1', 1, fast);
  assert.deepEqual(await contentOf(parts, 'upl_1'), fast);
  release.resolve();
  await first;
  assert.deepEqual(await contentOf(parts, 'upl_1'), slow);
  assert.equal(readdirSync(join(folder.path, 'parts', 'upl_1')).length, 1);
});

test('[S73] of a part that is sent many times at the same time only the one that is acknowledged last stays', async () => {
  using folder = temporaryFolder();
  const parts = await openParts(folder.path);
  for (let round = 0; round < 20; round++) {
    const answered: Buffer[] = [];
    const sent = Array.from({ length: 8 }, () => randomBytes(3_000));
    await Promise.all(sent.map(async (bytes) => put(parts, 'upl_1', 1, bytes).then(() => answered.push(bytes))));
    assert.deepEqual(await contentOf(parts, 'upl_1'), answered.at(-1));
    assert.equal(readdirSync(join(folder.path, 'parts', 'upl_1')).length, 1);
  }
});
