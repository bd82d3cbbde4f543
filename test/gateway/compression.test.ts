/** What leaves compressed, and for whom: asked with plain HTTP, because `fetch` takes gzip by itself. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { buildUi, uiIsStale } from '#ui/build.ts';

interface Answer {
  readonly encoding: string | undefined;
  readonly type: string | undefined;
  readonly vary: string | undefined;
  readonly etag: string | undefined;
  readonly bytes: Buffer;
}

function get(url: string, project: string, accept?: string): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${OWNER_KEY}`,
    'project-id': project,
    ...(accept === undefined ? {} : { 'accept-encoding': accept }),
  };
  return new Promise((resolve, reject) => {
    request(url, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { 'content-encoding': encoding, 'content-type': type, vary, etag } = answer.headers;
        const { 'content-length': length } = answer.headers;
        const bytes = Buffer.concat(chunks);
        assert.equal(Number(length), bytes.length);
        resolve({ encoding, type, vary, etag, bytes });
      });
    })
      .on('error', reject)
      .end();
  });
}

test('[W70] a long list is compressed only for a client that accepts gzip', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  for (let i = 0; i < 12; i++) await client.call('equipment_create', { unit_number: `HT-${i}` });
  const url = `${gateway.node.http}/api/v1/equipment`;
  const plain = await get(url, project.id);
  assert.equal(plain.encoding, undefined);
  assert.match(plain.vary ?? '', /accept-encoding/i, 'a cache must keep the two forms apart');
  for (const accept of ['gzip', 'deflate, gzip;q=0.5', 'br, *']) {
    const short = await get(url, project.id, accept);
    assert.equal(short.encoding, 'gzip', accept);
    assert.deepEqual(gunzipSync(short.bytes), plain.bytes, accept);
    assert.ok(short.bytes.length * 5 < plain.bytes.length, `${short.bytes.length} of ${plain.bytes.length} bytes`);
  }
  for (const accept of ['identity', 'gzip;q=0', 'br', 'x-gzip-not']) {
    const answer = await get(url, project.id, accept);
    assert.equal(answer.encoding, undefined, accept);
    assert.deepEqual(answer.bytes, plain.bytes, accept);
  }
});

test('[W70] an object with an ETag and a short answer are not compressed', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', prompt: 'x'.repeat(8_000) });
  const one = await get(`${gateway.node.http}/api/v1/projects/${project.id}`, project.id, 'gzip');
  assert.deepEqual([one.encoding, one.etag], [undefined, '"1"']);
  const short = await get(`${gateway.node.http}/api/v1/equipment`, project.id, 'gzip');
  assert.equal(short.encoding, undefined);
});

test('[W70] the scripts and styles of the pages are served as the build compressed them', async () => {
  if (await uiIsStale()) await buildUi();
  await using gateway = await startGateway();
  const page = (await get(`${gateway.node.http}/`, 'none')).bytes.toString();
  const paths = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path ?? '');
  assert.ok(paths.length >= 2, page);
  for (const path of paths) {
    const plain = await get(gateway.node.http + path, 'none');
    const short = await get(gateway.node.http + path, 'none', 'gzip, br');
    assert.deepEqual([plain.encoding, short.encoding], [undefined, 'gzip'], path);
    assert.match(`${plain.vary} ${short.vary}`, /accept-encoding.*accept-encoding/i);
    assert.equal(plain.type, short.type);
    assert.deepEqual(gunzipSync(short.bytes), plain.bytes, path);
    // A file of a few lines becomes shorter, but not by half.
    const most = plain.bytes.length > 4_096 ? plain.bytes.length / 2 : plain.bytes.length;
    assert.ok(short.bytes.length < most, `${path}: ${short.bytes.length} of ${plain.bytes.length}`);
  }
});
