import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '#contract/base/limits.ts';
import { createRate } from '#servers/base/rate.ts';
import { sendRaw, startRig } from '#test/servers/rig.ts';

const DOCUMENTS = ['/api/v1/openapi.json', '/api/v1/operations', '/docs', '/docs/equipment', '/docs/errors'];

test('[W20] a document is built once, compressed, and answered with 304 for its ETag', async () => {
  await using rig = await startRig();
  for (const path of DOCUMENTS) {
    const get = (headers: Record<string, string>, method = 'GET') => fetch(`${rig.base}${path}`, { method, headers });
    const plain = await get({ 'accept-encoding': 'identity' });
    const text = await plain.text();
    const tag = plain.headers.get('etag') ?? '';
    assert.match(tag, /^"[\w-]{22}"$/);
    assert.deepEqual([plain.status, plain.headers.get('cache-control')], [200, 'no-cache'], path);
    const known = await get({ 'accept-encoding': 'identity', 'if-none-match': `"other", W/${tag}` });
    assert.deepEqual([known.status, await known.text()], [304, ''], path);
    const zipped = await get({ 'accept-encoding': 'gzip' });
    assert.equal(zipped.headers.get('content-encoding'), 'gzip');
    assert.notEqual(zipped.headers.get('etag'), tag);
    assert.equal(await zipped.text(), text);
    assert.ok(Number(zipped.headers.get('content-length')) < text.length / 2);
    const head = await get({ 'accept-encoding': 'identity' }, 'HEAD');
    assert.deepEqual([head.headers.get('content-length'), await head.text()], [String(Buffer.byteLength(text)), '']);
  }
});

test('[W20] requests without a key are limited per address, and a document counts more', async () => {
  await using rig = await startRig();
  const most = LIMITS.open_requests.value / 20;
  const ask = (path: string) => fetch(`${rig.base}${path}`, { headers: { 'if-none-match': '*' } });
  let served = 0;
  while ((await ask('/api/v1/openapi.json')).status === 304) served++;
  assert.ok(served >= most && served <= most + 10, `${served} documents`);
  // A key has a bucket of its own.
  assert.equal((await rig.request('GET', '/api/v1/dashboards')).status, 200);
  rig.pass(60_000);
  assert.equal((await ask('/api/v1/openapi.json')).status, 304);
});

test('[W20] a caller that repeats a request right after a 429 gets a delayed answer', async () => {
  await using rig = await startRig();
  const wrong = { authorization: `Bearer wk_aaaaaaaa_${'A'.repeat(43)}` };
  const ask = () => fetch(`${rig.base}/api/v1/dashboards`, { headers: wrong }).then(({ status }) => status);
  const timed = async () => {
    const began = performance.now();
    return { status: await ask(), ms: performance.now() - began };
  };
  let held: { status: number; ms: number }[] = [];
  for (let round = 0; round < 200 && held.length === 0; round++) {
    const all = await Promise.all(Array.from({ length: 20 }, timed));
    held = all.filter(({ status, ms }) => status === 429 && ms >= 900);
  }
  assert.ok(held.length > 0);
});

test('[W20] /metrics answers callers on this machine and keys of people and agents', async () => {
  await using rig = await startRig({ http: { host: '0.0.0.0' } });
  assert.equal((await fetch(`${rig.base}/metrics`)).status, 200);
  const outside = Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  if (outside === undefined) return;
  const at = `http://${outside.address}:${rig.http.port}/metrics`;
  const as = async (key?: string) =>
    (await fetch(at, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })).status;
  const device = await rig.mint({ kind: 'device', device: 'dev_1', device_id: 'x', project_ids: [rig.project] });
  assert.deepEqual([await as(), await as(rig.key), await as(device.secret)], [401, 200, 401]);
  await rig.store
    .view(rig.project)
    .commit([{ collection: 'records', id: 'dev_2', object: 'device', data: { device_id: 'y' } }]);
  const known = await rig.mint({ kind: 'device', device: 'dev_2', device_id: 'y', project_ids: [rig.project] });
  assert.equal(await as(known.secret), 403);
});

test('[W7] a bucket counts the taken tokens and refills evenly', () => {
  let now = 0;
  const rate = createRate(60, () => now);
  assert.deepEqual(rate.take('a', 50), { allowed: true, limit: 60, remaining: 10, retry_after_s: 0 });
  assert.deepEqual(rate.take('a', 20), { allowed: false, limit: 60, remaining: 10, retry_after_s: 10 });
  now += 10_000;
  assert.equal(rate.take('a', 20).allowed, true);
  // More than a bucket holds is taken from a full one, and paid for afterwards.
  assert.equal(rate.take('b', 90).allowed, true);
  now += 30_000;
  assert.equal(rate.take('b').allowed, false);
  now += 1_000;
  assert.equal(rate.take('b').allowed, true);
});

test('[W23] wrong keys are counted for a limited number of addresses and shown in health', async () => {
  const refused: string[] = [];
  await using rig = await startRig({ http: { refused: (source, reason) => void refused.push(`${source} ${reason}`) } });
  const wrong = { authorization: `Bearer wk_bbbbbbbb_${'B'.repeat(43)}` };
  assert.deepEqual(rig.http.problems(), []);
  for (let i = 0; i < 19; i++) await rig.request('GET', '/api/v1/dashboards', { headers: wrong });
  assert.deepEqual(rig.http.problems(), [], 'a person with a wrong key is no problem');
  await rig.request('GET', '/mcp', { headers: wrong });
  await rig.request('POST', '/mcp', { headers: wrong });
  assert.deepEqual(
    refused,
    Array.from({ length: 20 }, () => '127.0.0.1 an unknown, revoked or expired key'),
  );
  const [problem] = rig.http.problems();
  assert.equal(problem?.code, 'keys_tried');
  assert.match(problem?.message ?? '', /^127\.0\.0\.1 sent a wrong key or code 20 times since /);
  assert.match(await (await fetch(`${rig.base}/metrics`)).text(), /^headframe_http_wrong_keys_total 20$/m);
  const logged = rig.log.filter((line) => line.includes('a wrong key or code'));
  assert.equal(logged.length, 1, 'an address is logged once a minute');
  assert.ok(!rig.log.join().includes('BBBB'));
  rig.pass(3_700_000);
  assert.deepEqual(rig.http.problems(), []);
});

test('[W24] a fault of the client is never logged as an error of the gateway', async () => {
  const webRoot = await mkdtemp(join(tmpdir(), 'headframe-pages-'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html>');
  await using rig = await startRig({ http: { webRoot } });
  const auth = `Host: 127.0.0.1\r\nAuthorization: Bearer ${rig.key}\r\nProject-ID: ${rig.project}\r\n`;
  const post = (path: string) => `POST ${path} HTTP/1.1\r\n${auth}Content-Type: application/json\r\n`;
  const bodies = [
    'Transfer-Encoding: chunked\r\n\r\nzz\r\nabc',
    'Transfer-Encoding: chunked\r\n\r\n5\r\nabcdefghij\r\n',
    `Transfer-Encoding: chunked\r\n\r\n3;${'a'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`,
    'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nbad trailer\0: x\r\n\r\n',
    'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n',
    'Content-Length: 2\r\n\r\n{}GARBAGE\0\u0001\r\n\r\n',
  ];
  for (const path of ['/api/v1/dashboards', '/mcp', '/aemp/v2/Fleet/1', '/'])
    for (const body of bodies) await sendRaw(rig.http.port, `${post(path)}${body}`);
  for (const first of ['\0\u0001\u0002\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'HELLO\r\n\r\n'])
    assert.match(await sendRaw(rig.http.port, first), /^HTTP\/1\.1 400 /);
  const long = `GET / HTTP/1.1\r\n${auth}X: ${'a'.repeat(20_000)}\r\n\r\n`;
  assert.match(await sendRaw(rig.http.port, long), /^HTTP\/1\.1 431 /);
  const paths = ['/%', '/%00', '/..%2f..%2fetc', '/docs/%ff', '/api/v1/dashboards/%', '/aemp/v2/Fleet/%E0/x'];
  for (const path of paths)
    assert.match(await sendRaw(rig.http.port, `GET ${path} HTTP/1.1\r\n${auth}\r\n`), /^HTTP\/1\.1 4\d\d /, path);
  const wishes = ['Range: bytes=99999-', 'If-Match: "other"', 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'];
  const answers = [];
  for (const wish of wishes)
    answers.push((await sendRaw(rig.http.port, `GET / HTTP/1.1\r\n${auth}${wish}\r\n\r\n`)).slice(9, 12));
  assert.deepEqual(answers, ['416', '412', '412']);
  assert.deepEqual(
    rig.log.filter((line) => !line.startsWith('debug')),
    [],
  );
  assert.match(
    await (await fetch(`${rig.base}/metrics`)).text(),
    /^headframe_http_refused_total\{reason="malformed"\} [1-9]/m,
  );
  await rm(webRoot, { recursive: true });
});
