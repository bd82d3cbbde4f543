/** Two clients that people have, unchanged, against the bucket of a real gateway. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Client as Minio } from 'minio';
import { addLogger, type TestLogger } from '#test/support/bucket.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';

const Bucket = 'headframe';
let gateway: TestGateway;
let logger: TestLogger;

before(async () => {
  gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  logger = await addLogger(gateway, project.id, 'FCBF0606');
});
after(() => gateway[Symbol.asyncDispose]());

const own = (key: string) => `${logger.device_id}/${key}`;
const digest = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

function aws(more: object = {}): S3Client {
  return new S3Client({
    endpoint: `http://127.0.0.1:${gateway.node.bucketPort}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: logger.access, secretAccessKey: logger.secret },
    ...more,
  });
}

async function bytesOf(client: S3Client, Key: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

test('[W221] @aws-sdk/client-s3 uploads a buffer, a stream and parts, lists, copies, reads and deletes', async () => {
  const client = aws();
  await client.send(new HeadBucketCommand({ Bucket }));
  const body = randomBytes(300_000);
  const log = own('00000001/00000001-655EA0B1.MF4');
  await client.send(new PutObjectCommand({ Bucket, Key: log, Body: body, Metadata: { fw: '01.09.01' } }));
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: log }));
  assert.equal(head.ContentLength, body.length);
  assert.deepEqual(head.Metadata, { fw: '01.09.01' });
  assert.equal(digest(await bytesOf(client, log)), digest(body));
  const stream = new PutObjectCommand({
    Bucket,
    Key: own('stream ä+1.bin'),
    Body: Readable.from([body.subarray(0, 100_001), body.subarray(100_001)]),
    ContentLength: body.length,
  });
  await client.send(stream);
  assert.equal(digest(await bytesOf(client, own('stream ä+1.bin'))), digest(body));
  for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const) {
    const Key = own(`checksum-${ChecksumAlgorithm}`);
    const said = await client
      .send(new PutObjectCommand({ Bucket, Key, Body: body, ChecksumAlgorithm }))
      .catch((error: unknown) => error as Error);
    // The package has some of them only with a module of machine code beside it.
    if (said instanceof Error)
      assert.match(said.message, /[Pp]lease check whether you have installed/, ChecksumAlgorithm);
    else assert.equal(digest(await bytesOf(client, Key)), digest(body));
  }
  const Key = own('parts.MF4');
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const pieces = [randomBytes(5 << 20), randomBytes(1_000)];
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
  for (const [i, Body] of pieces.entries()) {
    const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: i + 1, Body }));
    Parts.push({ PartNumber: i + 1, ETag });
  }
  await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
  assert.equal(digest(await bytesOf(client, Key)), digest(Buffer.concat(pieces)));
  await client.send(new CopyObjectCommand({ Bucket, Key: own('copy.MF4'), CopySource: `${Bucket}/${Key}` }));
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: own('') }));
  const names = Contents.map((one) => one.Key ?? '');
  assert.ok(
    [log, Key, own('copy.MF4'), own('stream ä+1.bin')].every((name) => names.includes(name)),
    names.join(),
  );
  const { Deleted = [] } = await client.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: names.map((name) => ({ Key: name })) } }),
  );
  assert.equal(Deleted.length, names.length);
  await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key })), { name: 'NoSuchKey' });
  client.destroy();
});

test('[W221] @aws-sdk/client-s3 corrects its clock from the error, and its next request succeeds', async () => {
  const client = aws({ systemClockOffset: -3 * 3_600_000 });
  const put = () => client.send(new PutObjectCommand({ Bucket, Key: own('late'), Body: 'late' }));
  await assert.rejects(put(), { name: 'RequestTimeTooSkewed' });
  await put();
  assert.equal(String(await bytesOf(client, own('late'))), 'late');
  client.destroy();
});

test('[W221] minio uploads a buffer and parts, lists, reads, presigns and deletes', async () => {
  const client = new Minio({
    endPoint: '127.0.0.1',
    port: gateway.node.bucketPort,
    useSSL: false,
    accessKey: logger.access,
    secretKey: logger.secret,
  });
  assert.equal(await client.bucketExists(Bucket), true);
  const body = randomBytes(200_000);
  await client.putObject(Bucket, own('m/one.bin'), body, body.length, { 'X-Amz-Meta-Fw': '1' });
  const large = randomBytes(12 << 20);
  const small = new Minio({
    endPoint: '127.0.0.1',
    port: gateway.node.bucketPort,
    useSSL: false,
    accessKey: logger.access,
    secretKey: logger.secret,
    partSize: 5 << 20,
  });
  await small.putObject(Bucket, own('m/large.bin'), Readable.from([large]), large.length);
  for (const [name, wanted] of [
    ['m/one.bin', body],
    ['m/large.bin', large],
  ] as const) {
    const chunks: Buffer[] = [];
    for await (const chunk of await client.getObject(Bucket, own(name))) chunks.push(chunk as Buffer);
    assert.equal(digest(Buffer.concat(chunks)), digest(wanted));
  }
  const names: (string | undefined)[] = [];
  for await (const one of client.listObjectsV2(Bucket, own('m/'), true)) names.push((one as { name?: string }).name);
  assert.deepEqual(names, [own('m/large.bin'), own('m/one.bin')]);
  const link = await client.presignedGetObject(Bucket, own('m/one.bin'), 60);
  assert.equal(digest(Buffer.from(await (await fetch(link)).arrayBuffer())), digest(body));
  const up = await client.presignedPutObject(Bucket, own('m/up.bin'), 60);
  assert.equal((await fetch(up, { method: 'PUT', body: 'by link' })).status, 200);
  assert.equal((await client.statObject(Bucket, own('m/up.bin'))).size, 7);
  await client.removeObjects(Bucket, [own('m/one.bin'), own('m/large.bin'), own('m/up.bin')]);
  await assert.rejects(client.statObject(Bucket, own('m/one.bin')), { code: 'NotFound' });
});

test('[W223] @aws-sdk/client-s3 gets NotImplemented with the name of the missing feature, and does not retry', async () => {
  const client = aws();
  const Key = own('not here');
  await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const CopySource = `${Bucket}/${encodeURIComponent(Key)}`;
  const calls: (readonly [RegExp, () => Promise<unknown>])[] = [
    [
      /UploadPartCopy/,
      () => client.send(new UploadPartCopyCommand({ Bucket, Key, UploadId, PartNumber: 1, CopySource })),
    ],
    [
      /GetObjectAttributes/,
      () => client.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['ETag', 'ObjectSize'] })),
    ],
    [/versions/, () => client.send(new ListObjectVersionsCommand({ Bucket }))],
    [
      /versions/,
      () => client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } })),
    ],
    [/access control/, () => client.send(new GetObjectAclCommand({ Bucket, Key }))],
    [/access control/, () => client.send(new PutObjectAclCommand({ Bucket, Key, ACL: 'public-read' }))],
    [/access control/, () => client.send(new PutObjectCommand({ Bucket, Key, Body: 'y', ACL: 'public-read' }))],
    [/by part number/, () => client.send(new GetObjectCommand({ Bucket, Key, PartNumber: 1 }))],
  ];
  for (const [word, call] of calls)
    await assert.rejects(call, (error: S3ServiceException) => {
      assert.equal(error.name, 'NotImplemented', String(error));
      assert.match(error.message, word);
      assert.equal(error.$metadata.attempts, 1);
      return true;
    });
  assert.equal((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status, undefined);
  assert.equal(String(await bytesOf(client, Key)), 'x');
});
