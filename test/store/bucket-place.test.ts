/** Artifacts in a bucket: against a service that is not ours, and against the bucket of a gateway, which checks what is signed. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { DeleteObjectCommand, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { StoreError } from '#contract/base/store-error.ts';
import { type Artifacts, ArtifactTooLarge, openArtifacts } from '#store/artifacts.ts';
import { openBucketUploads } from '#store/bucket-uploads.ts';
import { type Bucket, type BucketOptions, openBucket } from '#store/s3/bucket.ts';
import { DigestMismatch, OffsetMismatch, type Uploads } from '#store/uploads.ts';
import { addLogger } from '#test/support/bucket.ts';
import { startCutProxy } from '#test/support/cut-proxy.ts';
import { startGateway } from '#test/support/gateway.ts';
import { noService, S3_KEYS, type S3Service, startS3Service } from '#test/support/s3-service.ts';
import { until } from '#test/support/until.ts';
import { temporaryFolder } from './kit.ts';

const hashOf = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');
const DAY_MS = 86_400_000;
const OWNER = 'gw_head_office';

const placeOf = (endpoint: string, bucket: string, more: Partial<BucketOptions> = {}): BucketOptions => ({
  ...{ endpoint, bucket, prefix: 'files/of/us', region: 'us-east-1', owner: OWNER, log: () => {}, ...more },
});

/** The files of a head office process: its data folder, and a bucket. */
async function opened(
  { path }: { path: string },
  options: BucketOptions,
): Promise<{ bucket: Bucket; artifacts: Artifacts; uploads: Uploads } & AsyncDisposable> {
  const bucket = await openBucket(options);
  const artifacts = await openArtifacts(path, { bucket: { bucket, log: options.log } });
  const uploads = openBucketUploads(bucket, artifacts);
  const close = async () => {
    await artifacts[Symbol.asyncDispose]();
    await bucket[Symbol.asyncDispose]();
  };
  return { bucket, artifacts, uploads, [Symbol.asyncDispose]: close };
}

let service: S3Service | undefined;
const ours = (): S3Service => {
  if (service === undefined) throw new Error('there is no service');
  return service;
};
before(async () => {
  Object.assign(process.env, S3_KEYS);
  if (noService === false) service = await startS3Service();
});
after(() => service?.[Symbol.asyncDispose]());

/** The keys of the objects of a bucket. */
async function keysOf(Bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: ours().client }, { Bucket }))
    keys.push(...Contents.map(({ Key = '' }) => Key));
  return keys;
}

const refusedAs = (code: string) => (error: unknown) => error instanceof StoreError && error.code === code;

async function storesReadsAndRemoves(options: BucketOptions): Promise<void> {
  using first = temporaryFolder();
  using second = temporaryFolder();
  await using one = await opened(first, options);
  await using two = await opened(second, options);
  const { artifacts } = one;
  const { artifacts: other } = two;
  const content = randomBytes(3_000_000);
  const made = await artifacts.put([content.subarray(0, 1_000_000), content.subarray(1_000_000)]);
  assert.deepEqual(made, { sha256: hashOf(content), bytes: content.length });
  // Nothing of it is in the data folder.
  assert.deepEqual(readdirSync(join(first.path, 'artifacts'), { recursive: true }), ['tmp']);
  // The other process has it.
  assert.deepEqual(await other.find(made.sha256), made);
  const read = async (from?: number, to?: number) => {
    const stream = await other.read(made.sha256, from, to);
    return stream === undefined ? undefined : await buffer(stream);
  };
  assert.ok((await read())?.equals(content));
  assert.ok((await read(1_000_000, 1_000_010))?.equals(content.subarray(1_000_000, 1_000_010)));
  assert.ok((await read(2_999_999))?.equals(content.subarray(2_999_999)));
  assert.equal((await read(5, 5))?.length, 0);
  await assert.rejects(other.read(made.sha256, 0, content.length + 1), RangeError);
  assert.ok(Buffer.from((await other.readAll(made.sha256, 3_000_000)) ?? []).equals(content));
  assert.equal(await other.readAll(made.sha256, 2_999_999), undefined);
  assert.equal(await other.verify(made.sha256), true);
  const empty = await artifacts.put([]);
  assert.equal((await other.readAll(empty.sha256, 10))?.length, 0);
  await using draft = await artifacts.draft();
  await draft.write(Buffer.from('head body'));
  await draft.patch(0, Buffer.from('HEAD'));
  assert.equal(String(await other.readAll((await draft.finish()).sha256, 100)), 'HEAD body');
  for (const unknown of [hashOf('absent'), 'tmp', '..', made.sha256.toUpperCase()]) {
    assert.equal(await other.find(unknown), undefined);
    assert.equal(await other.read(unknown), undefined);
    assert.equal(await other.verify(unknown), false);
  }
  // A record that refers to a recent content may not be committed yet.
  assert.equal(await other.remove(made.sha256, Date.now()), 0);
  assert.equal(await other.remove(made.sha256, Date.now() + DAY_MS), content.length);
  assert.equal(await artifacts.find(made.sha256), undefined);
}

test('[S133] artifacts in a bucket are stored, read in ranges, checked and removed by two processes', {
  skip: noService,
}, async () => {
  await storesReadsAndRemoves(placeOf(ours().endpoint, await ours().bucket()));
});

test('[S133] the bucket of a gateway, which checks each signature and content, has the artifacts of a head office', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const logger = await addLogger(gateway, project.id, 'FCBF0606');
  const keys = { AWS_ACCESS_KEY_ID: logger.access, AWS_SECRET_ACCESS_KEY: logger.secret };
  Object.assign(process.env, keys);
  try {
    const endpoint = `http://127.0.0.1:${gateway.node.bucketPort}`;
    await storesReadsAndRemoves(placeOf(endpoint, 'headframe', { prefix: `${logger.device_id}/files` }));
  } finally {
    Object.assign(process.env, S3_KEYS);
  }
});

test('[S133] the sweep of a bucket deletes only contents without a record that are older than a day', {
  skip: noService,
}, async () => {
  using folder = temporaryFolder();
  const Bucket = await ours().bucket();
  await using place = await opened(folder, placeOf(ours().endpoint, Bucket, { prefix: '' }));
  const { artifacts } = place;
  // A list has at most 1,000 objects in an answer.
  const others = Array.from({ length: 1_050 }, (_, i) => `00/of-somebody-${i}`);
  for (let i = 0; i < others.length; i += 50)
    await Promise.all(
      others.slice(i, i + 50).map((Key) => ours().client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))),
    );
  const named = await artifacts.put([Buffer.from('named')]);
  const unnamed: string[] = [];
  for (let i = 0; i < 3; i++) unnamed.push((await artifacts.put([Buffer.from(`content ${i}`)])).sha256);
  assert.deepEqual(await artifacts.sweep((sha256) => sha256 === named.sha256, Date.now()), []);
  const gone = await artifacts.sweep((sha256) => sha256 === named.sha256, Date.now() + 2 * DAY_MS);
  assert.deepEqual(gone.map(({ sha256 }) => sha256).sort(), unnamed.sort());
  const left = await keysOf(Bucket);
  assert.equal(left.length, others.length + 2);
  assert.ok(left.includes('headframe.json') && left.includes(`${named.sha256.slice(0, 2)}/${named.sha256}`));
});

test('[S134] a bucket belongs to one head office, and another one is refused by name', {
  skip: noService,
}, async () => {
  using folder = temporaryFolder();
  const Bucket = await ours().bucket();
  await using place = await opened(folder, placeOf(ours().endpoint, Bucket));
  const { artifacts } = place;
  await artifacts.put([Buffer.from('x')]);
  using second = temporaryFolder();
  const foreign = placeOf(ours().endpoint, Bucket, { owner: 'gw_another' });
  await assert.rejects(opened(second, foreign), refusedAs('files_foreign'));
  await using beside = await opened(second, { ...foreign, prefix: 'other' });
  assert.equal(await beside.artifacts.find(hashOf('x')), undefined);
  await assert.rejects(opened(second, placeOf(ours().endpoint, 'no-such-bucket')), refusedAs('files_refused'));
});

test('[S135] while the service does not answer no content counts as lost, health says so, and it goes on by itself', {
  skip: noService,
}, async () => {
  using folder = temporaryFolder();
  await using proxy = await startCutProxy(ours().port, 1);
  const Bucket = await ours().bucket();
  const bucket = placeOf(`http://127.0.0.1:${proxy.port}`, Bucket);
  proxy.cut();
  // It starts without the service.
  await using place = await opened(folder, bucket);
  const { artifacts, bucket: asked } = place;
  const [problem] = asked.problems();
  assert.equal(problem?.code, 'files_away');
  await assert.rejects(artifacts.put([Buffer.from('early')]), refusedAs('files_away'));
  proxy.open();
  const { sha256 } = await artifacts.put([Buffer.from('hello')]);
  assert.deepEqual(asked.problems(), []);
  proxy.cut();
  const calls = [
    () => artifacts.find(sha256),
    () => artifacts.find(hashOf('absent')),
    () => artifacts.read(sha256),
    () => artifacts.verify(sha256),
    () => artifacts.remove(sha256, Date.now() + DAY_MS),
    () => artifacts.put([Buffer.from('late')]),
    () => artifacts.sweep(() => false, Date.now() + 2 * DAY_MS),
  ];
  for (const call of calls) await assert.rejects(call(), refusedAs('files_away'));
  assert.equal(asked.problems()[0]?.code, 'files_away');
  // A put that failed left nothing in the data folder.
  assert.deepEqual(readdirSync(join(folder.path, 'artifacts', 'tmp')), []);
  proxy.open();
  assert.equal(String(await artifacts.readAll(sha256, 10)), 'hello');
  assert.deepEqual(asked.problems(), []);
});

test('[S136] a content that changed in the bucket is found, and a reader does not get its end', {
  skip: noService,
}, async () => {
  using folder = temporaryFolder();
  const Bucket = await ours().bucket();
  await using place = await opened(folder, placeOf(ours().endpoint, Bucket));
  const { artifacts } = place;
  const { sha256 } = await artifacts.put([Buffer.from('hello')]);
  const Key = `files/of/us/${sha256.slice(0, 2)}/${sha256}`;
  await ours().client.send(new PutObjectCommand({ Bucket, Key, Body: 'jello' }));
  assert.equal(await artifacts.verify(sha256), false);
  await assert.rejects(artifacts.readAll(sha256, 10), /another SHA-256/);
  // The same content, stored again, mends it.
  await artifacts.put([Buffer.from('hello')]);
  assert.equal(await artifacts.verify(sha256), true);
  await ours().client.send(new DeleteObjectCommand({ Bucket, Key }));
  assert.equal(await artifacts.find(sha256), undefined);
});

test('[S137] the files of a data folder are moved into the bucket, and are read in the meantime', {
  skip: noService,
}, async () => {
  using folder = temporaryFolder();
  const before = await openArtifacts(folder.path);
  const contents = Array.from({ length: 12 }, (_, i) => Buffer.from(`file ${i}`));
  for (const content of contents) await before.put([content]);
  const Bucket = await ours().bucket();
  await using place = await opened(folder, placeOf(ours().endpoint, Bucket));
  const { artifacts } = place;
  for (const content of contents) assert.deepEqual(await artifacts.readAll(hashOf(content), 100), content);
  await until(async () => (await keysOf(Bucket)).length === contents.length + 1, 'all files are in the bucket');
  await until(
    () =>
      readdirSync(join(folder.path, 'artifacts'), { recursive: true, withFileTypes: true }).every((entry) =>
        entry.isDirectory(),
      ),
    'the folder is empty',
  );
  for (const content of contents) assert.deepEqual(await artifacts.readAll(hashOf(content), 100), content);
  // Programs that need a file of this disk get a copy.
  const path = await artifacts.locate(hashOf('file 3'));
  assert.equal(path?.startsWith(folder.path), true);
});

test('[S138] each append of an upload may reach another process, and the last one makes the artifact', {
  skip: noService,
}, async () => {
  using first = temporaryFolder();
  using second = temporaryFolder();
  const Bucket = await ours().bucket();
  await using one = await opened(first, placeOf(ours().endpoint, Bucket));
  await using two = await opened(second, placeOf(ours().endpoint, Bucket));
  const content = randomBytes(20_000_000);
  const sha256 = hashOf(content);
  const from = async function* (at: number, to: number) {
    for (; at < to; at += 1_000_000) yield content.subarray(at, Math.min(to, at + 1_000_000));
  };
  const limit = content.length;
  const { uploads } = one;
  assert.equal(await uploads.append(sha256, 0, from(0, 300_000), { limit }), 300_000);
  assert.equal(await two.uploads.size(sha256), 300_000);
  await assert.rejects(two.uploads.append(sha256, 0, from(0, 5), { limit }), OffsetMismatch);
  // A sender that breaks off: what arrived stays.
  const broken = async function* () {
    yield* from(300_000, 17_000_000);
    throw new Error('the sender is gone');
  };
  await assert.rejects(two.uploads.append(sha256, 300_000, broken(), { limit }), /the sender is gone/);
  assert.equal(await uploads.size(sha256), 17_000_000);
  const at = 17_000_000;
  const digest = { algorithm: 'sha256', value: Buffer.alloc(32) } as const;
  await assert.rejects(uploads.append(sha256, at, from(at, at + 10), { limit, digest }), DigestMismatch);
  await assert.rejects(uploads.append(sha256, at, from(0, limit), { limit }), ArtifactTooLarge);
  assert.equal(await uploads.size(sha256), at);
  assert.equal(await uploads.append(sha256, at, from(at, limit), { limit }), limit);
  assert.ok(content.subarray(0, 400_000).equals(await two.uploads.head(sha256, 400_000)));
  assert.equal(await two.uploads.digest(sha256), sha256);
  assert.deepEqual(await two.uploads.finish(sha256), { sha256, bytes: limit });
  assert.equal(await one.artifacts.verify(sha256), true);
  assert.equal(await uploads.size(sha256), 0);
  // Pieces of an upload that nobody knows, and those that a killed process left after the end, are swept.
  await uploads.append('upl_1', 0, from(0, 10), { limit });
  await uploads.append('upl_2', 0, from(0, 10), { limit });
  await uploads.append(sha256, 0, from(0, 10), { limit });
  assert.equal(await uploads.sweep(async (id) => id !== 'upl_1'), 2);
  assert.deepEqual([await uploads.size('upl_1'), await uploads.size('upl_2'), await uploads.size(sha256)], [0, 10, 0]);
  assert.deepEqual((await keysOf(Bucket)).length, 3);
});
