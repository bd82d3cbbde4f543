/** Files of two processes of head office in one bucket. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type CutProxy, NO_HARM, startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine, uploadFile } from '#test/support/gateway.ts';
import { noPostgres, startPostgres } from '#test/support/postgres.ts';
import { noService, S3_KEYS, startS3Service } from '#test/support/s3-service.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from './ends.ts';
import { startOffices } from './offices.ts';

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const skip = noPostgres || noService;

/** Two processes of head office with files in a bucket behind a proxy, and a site that reaches them in turn. */
async function start() {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startPostgres());
  const service = opened.use(await startS3Service());
  const proxy: CutProxy = opened.use(await startCutProxy(service.port, 1));
  const settings = {
    ...S3_KEYS,
    HEADFRAME_FILES: `s3://${await service.bucket()}/head-office`,
    HEADFRAME_FILES_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
  };
  const offices = opened.use(await startOffices(server, settings));
  const site = opened.use(await new End({}).start());
  const project = await enrol(offices.one, site, `http://127.0.0.1:${offices.balancer.port}`);
  const machine = await addMachine(site.client(project), 'HT-1');
  await site.inStep();
  const parts = opened.move();
  return { ...offices, proxy, site, project, machine, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** The content of a file, or the code of the error. */
async function contentOf(end: End, project: string, id: string, range?: string): Promise<Buffer | string> {
  const headers = { authorization: `Bearer ${end.key}`, 'project-id': project, ...(range !== undefined && { range }) };
  const response = await fetch(`http://127.0.0.1:${end.port}/api/v1/artifacts/${id}/content`, { headers });
  if (response.ok) return Buffer.from(await response.arrayBuffer());
  return ((await response.json()) as { error: { code: string } }).error.code;
}

async function arrives(end: End, project: string, id: string, content: Uint8Array): Promise<void> {
  await until(async () => {
    const found = await contentOf(end, project, id).catch(() => '');
    return typeof found !== 'string' && sha(found) === sha(content);
  }, `the file ${id} is at head office`);
}

const problemsOf = async (end: End): Promise<string[]> =>
  (await end.client().call('health_get', {})).problems.map(({ code }) => code);

test('[S138] a file whose ranges reach two processes is whole at both, also if each of them is killed in the middle', {
  skip,
}, async () => {
  await using all = await start();
  const { one, other, proxy, site, project, machine } = all;
  const content = randomBytes(6_000_000);
  const before = proxy.counts.up;
  proxy.harm = { ...NO_HARM, delay_ms: 20 };
  const id = await uploadFile(`http://127.0.0.1:${site.port}`, machine, 'log.bin', content);
  await until(() => proxy.counts.up - before > 1_500_000, 'a part of the file is in the bucket');
  await other.kill();
  await other.start();
  await until(() => proxy.counts.up - before > 4_000_000, 'more of the file is in the bucket');
  await one.kill();
  await one.start();
  await arrives(other, project, id, content);
  await arrives(one, project, id, content);
  const part = await contentOf(one, project, id, 'bytes=5999990-');
  assert.ok(Buffer.isBuffer(part) && part.equals(content.subarray(-10)));
  const { data } = await other.client(project).call('artifacts_list', { sha256: sha(content) });
  assert.equal(data.length, 1);
  await until(async () => (await site.status()).files?.waiting === 0, 'the site knows that the file arrived');
  const [receipt] = (await site.client().call('sync_verify', {})).data;
  assert.equal(receipt?.verdict, 'complete');
});

test('[S135] while the bucket is away, files wait and say so, all else goes on, and afterwards nothing is missing', {
  skip,
}, async () => {
  await using all = await start();
  const { one, other, proxy, site, project, machine } = all;
  const photo = randomBytes(100_000);
  const first = await uploadFile(`http://127.0.0.1:${site.port}`, machine, 'one.bin', photo);
  await arrives(other, project, first, photo);
  proxy.cut();
  const late = randomBytes(200_000);
  const second = await uploadFile(`http://127.0.0.1:${site.port}`, machine, 'two.bin', late);
  await until(
    async () => (await site.status()).files?.error?.code === 'storage_unavailable',
    'the site says why files wait',
  );
  assert.equal(await contentOf(one, project, first), 'storage_unavailable');
  assert.ok((await problemsOf(one)).includes('files_away'));
  await site.client(project).call('equipment_create', { unit_number: 'EX-7' });
  await until(
    async () =>
      (await other.client(project).call('equipment_list', {})).data.some((each) => each.unit_number === 'EX-7'),
    'the machine is at head office',
  );
  // A person at head office is told, and nothing is stored in part.
  const input = { id: machine.equipment_id, content_base64: PIXEL };
  await assert.rejects(one.client(project).call('equipment_upload_photo', input), /does not answer/);
  proxy.open();
  await arrives(one, project, second, late);
  await arrives(other, project, first, photo);
  const { id } = await one.client(project).call('equipment_upload_photo', input);
  await arrives(other, project, id, Buffer.from(PIXEL, 'base64'));
  await until(async () => (await problemsOf(one)).length === 0, 'health of head office is well again');
  await until(async () => (await site.status()).files?.waiting === 0, 'the site knows that the files arrived');
  const [receipt] = (await site.client().call('sync_verify', {})).data;
  assert.equal(receipt?.verdict, 'complete');
});

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
