/** The bucket of a real gateway, over raw HTTP with a signer of our own. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { LIMITS } from '#contract/base/limits.ts';
import { addLogger, type TestLogger } from '#test/support/bucket.ts';
import { eventually, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { type S3Answer, signedChunks } from '#test/support/s3.ts';

let gateway: TestGateway;
let project: string;
let one: TestLogger;
let two: TestLogger;

before(async () => {
  gateway = await startGateway();
  project = (await gateway.client.call('projects_create', { name: 'Quarry' })).project.id;
  one = await addLogger(gateway, project, 'FCBF0606');
  two = await addLogger(gateway, project, '5BC57FEC');
});
after(() => gateway[Symbol.asyncDispose]());

const client = () => gateway.project(project);
const md5 = (data: Uint8Array | string, encoding: 'hex' | 'base64' = 'hex') =>
  createHash('md5').update(data).digest(encoding);
const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');
const crc = (data: Uint8Array) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(data));
  return bytes.toString('base64');
};
const own = (key: string, logger = one) => `${logger.device_id}/${key}`;
const put = (key: string, body: Uint8Array | string, logger = one, headers: Record<string, string> = {}) =>
  logger.send({ method: 'PUT', key: own(key, logger), body, headers });

function is(answer: S3Answer, status: number, code?: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.code, code, answer.text);
}

/** What lies among the artifacts, and what is half written there. */
function filesOf(): { whole: number; half: number } {
  const root = join(gateway.folder, 'artifacts');
  const groups = readdirSync(root).filter((name) => name !== 'tmp');
  return {
    whole: groups.reduce((sum, group) => sum + readdirSync(join(root, group)).length, 0),
    half: readdirSync(join(root, 'tmp')).length,
  };
}

const keysOf = ({ text }: S3Answer) => [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key);
const prefixesOf = ({ text }: S3Answer) =>
  [...text.matchAll(/<CommonPrefixes><Prefix>([^<]*)<\/Prefix>/g)].map(([, prefix]) => prefix);
const elementOf = ({ text }: S3Answer, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];

test('[W212] GET and HEAD return the stored bytes, ETag, type, time and metadata, also for a range', async () => {
  const body = Buffer.from('0123456789');
  const meta = { 'x-amz-meta-fw': '01.09.01', 'x-amz-meta-timestamp': '20261121T140000', 'content-type': 'text/plain' };
  const stored = await put('a/file.txt', body, one, { ...meta, 'cache-control': 'no-cache' });
  is(stored, 200);
  assert.equal(stored.headers.etag, `"${md5(body)}"`);
  assert.ok(Math.abs(Date.parse(stored.headers.date ?? '') - Date.now()) < 10_000);
  const read = await one.send({ key: own('a/file.txt') });
  is(read, 200);
  assert.deepEqual(read.body, body);
  assert.equal(read.headers.etag, `"${md5(body)}"`);
  assert.equal(read.headers['content-type'], 'text/plain');
  assert.equal(read.headers['cache-control'], 'no-cache');
  assert.equal(read.headers['x-amz-meta-fw'], '01.09.01');
  assert.ok(Number.isFinite(Date.parse(read.headers['last-modified'] ?? '')));
  const head = await one.send({ method: 'HEAD', key: own('a/file.txt') });
  is(head, 200);
  assert.equal(head.headers['content-length'], '10');
  for (const [range, status, text] of [
    ['bytes=2-4', 206, '234'],
    ['bytes=7-', 206, '789'],
    ['bytes=-3', 206, '789'],
    ['bytes=5-99', 206, '56789'],
    ['bytes=9-1', 200, '0123456789'],
  ] as const) {
    const part = await one.send({ key: own('a/file.txt'), headers: { range } });
    assert.equal(part.status, status);
    assert.equal(part.text, text);
  }
  is(await one.send({ key: own('a/file.txt'), headers: { range: 'bytes=10-' } }), 416, 'InvalidRange');
  is(await one.send({ key: own('a/none.txt') }), 404, 'NoSuchKey');
  is(await one.send({ method: 'HEAD', key: own('a/none.txt') }), 404);
});

test('[W212] conditions: 304 for a known ETag, 412 if the object does not meet the condition', async () => {
  const { headers } = await put('conditions', 'first');
  const etag = headers.etag ?? '';
  const get = (more: Record<string, string>) => one.send({ key: own('conditions'), headers: more });
  is(await get({ 'if-none-match': etag }), 304);
  is(await get({ 'if-none-match': '"x"' }), 200);
  is(await get({ 'if-match': '"x"' }), 412, 'PreconditionFailed');
  is(await get({ 'if-match': etag }), 200);
  is(await get({ 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() }), 304);
  is(await get({ 'if-unmodified-since': new Date(0).toUTCString() }), 412, 'PreconditionFailed');
  is(await put('conditions', 'second', one, { 'if-none-match': '*' }), 412, 'PreconditionFailed');
  is(await put('conditions', 'second', one, { 'if-match': '"x"' }), 412, 'PreconditionFailed');
  assert.equal((await get({})).text, 'first');
  is(await put('conditions', 'second', one, { 'if-match': etag }), 200);
  assert.equal((await get({})).text, 'second');
  is(await put('fresh', 'x', one, { 'if-none-match': '*' }), 200);
  is(await put('none yet', 'x', one, { 'if-match': '"x"' }), 404, 'NoSuchKey');
  const remove = (more: Record<string, string>) => one.send({ method: 'DELETE', key: own('fresh'), headers: more });
  is(await remove({ 'if-match': '"x"' }), 412, 'PreconditionFailed');
  is(await remove({ 'x-amz-if-match-size': '9' }), 501, 'NotImplemented');
  is(await remove({ 'if-match': `"${md5('x')}"` }), 204);
  is(await remove({ 'if-match': '"x"' }), 204);
});

test('[W210] another device cannot read or list an object, and gets the same answer as for an unknown key', async () => {
  await put('secret', 'of one');
  const there = own('secret');
  const absent = own('absent');
  for (const method of ['GET', 'HEAD', 'DELETE']) {
    const [a, b] = [await two.send({ method, key: there }), await two.send({ method, key: absent })];
    assert.equal(a.status, b.status, method);
    assert.equal(a.code, b.code);
    assert.equal(
      a.text.replace(there, absent).replace(/<(RequestId|HostId)>\w+/g, ''),
      b.text.replace(/<(RequestId|HostId)>\w+/g, ''),
    );
  }
  for (const key of [there, absent]) is(await two.send({ method: 'PUT', key, body: 'x' }), 403, 'AccessDenied');
  for (const query of [
    { 'list-type': '2' },
    { prefix: own('') },
    { prefix: 'F' },
    { 'start-after': 'A', 'list-type': '2' },
  ])
    assert.deepEqual(
      keysOf(await two.send({ query })).filter((key) => key?.startsWith(one.device_id)),
      [],
    );
  const remove = `<Delete><Object><Key>${there}</Key></Object></Delete>`;
  is(await two.send({ method: 'POST', query: { delete: '' }, body: remove }), 200);
  assert.equal((await one.send({ key: there })).text, 'of one');
  is(
    await two.send({ method: 'PUT', key: own('copy', two), headers: { 'x-amz-copy-source': `/headframe/${there}` } }),
    404,
    'NoSuchKey',
  );
});

test('[W210] a request with an unknown or revoked key pair, or without one, is refused', async () => {
  const stranger = { access: 'HF0000000000000000', secret: 'x' };
  is(await one.send({ key: own('secret'), credentials: stranger }), 403, 'InvalidAccessKeyId');
  is(await one.send({ key: own('secret'), credentials: { ...one, secret: 'wrong' } }), 403, 'SignatureDoesNotMatch');
  is(await one.send({ key: own('secret'), credentials: null }), 403, 'AccessDenied');
  const gone = await addLogger(gateway, project, '00C0FFEE');
  is(await put('x', 'x', gone), 200);
  await client().call('devices_key_revoke', { id: gone.device });
  is(await put('x', 'x', gone), 403, 'InvalidAccessKeyId');
});

test('[W211] keys with `..`, control characters or invalid UTF-8, and long keys, are refused', async () => {
  const paths = ['../x', 'a/../x', '..', './x', 'a/..%5Cx', '%2e%2e/x', 'a/%2E%2E'];
  for (const path of paths) {
    const answer = await one.send({ method: 'PUT', path: `/headframe/${one.device_id}/${path}`, body: 'x' });
    assert.ok(answer.code === 'InvalidArgument' || answer.code === 'SignatureDoesNotMatch', `${path}: ${answer.text}`);
  }
  is(await one.send({ method: 'PUT', key: own('a/../x'), body: 'x' }), 400, 'InvalidArgument');
  is(await one.send({ method: 'PUT', key: own('a\\..\\x'), body: 'x' }), 400, 'InvalidArgument');
  is(await one.send({ method: 'PUT', key: own('a\nb'), body: 'x' }), 400, 'InvalidArgument');
  is(await one.send({ method: 'PUT', path: `/headframe/${own('%FF')}`, body: 'x' }), 400, 'InvalidURI');
  is(await one.send({ method: 'PUT', path: `/headframe/${own('%')}`, body: 'x' }), 400, 'InvalidURI');
  is(await put('k'.repeat(1_024), 'x'), 400, 'KeyTooLongError');
  for (const key of ['ä/ö ü', 'a+b', "it's (1)!*", 'a//b', '%41', '日本/🚜.MF4', 'a=b&c', '~', '...']) {
    is(await put(key, key), 200);
    assert.equal((await one.send({ key: own(key) })).text, key);
  }
});

test('[W207] a body that differs from its signature or is incomplete stores nothing', async () => {
  const files = filesOf();
  const body = Buffer.from('what the logger recorded');
  const tampered = Buffer.from('what the logger recordeD');
  is(
    await one.send({ method: 'PUT', key: own('t'), body, tamper: { body: tampered } }),
    400,
    'XAmzContentSHA256Mismatch',
  );
  is(
    await one.send({ method: 'PUT', key: own('t'), body, tamper: { path: `/headframe/${own('u')}` } }),
    403,
    'SignatureDoesNotMatch',
  );
  is(await one.send({ method: 'PUT', key: own('t'), body, unsigned: { 'x-amz-meta-a': '1' } }), 403, 'AccessDenied');
  is(
    await one.send({
      method: 'PUT',
      key: own('t'),
      body,
      headers: { 'x-amz-meta-a': '1' },
      tamper: { headers: { 'x-amz-meta-a': '2' } },
    }),
    403,
    'SignatureDoesNotMatch',
  );
  is(
    await one.send({
      method: 'PUT',
      key: own('t'),
      body,
      payload: 'UNSIGNED-PAYLOAD',
      headers: { 'content-md5': md5(tampered, 'base64') },
    }),
    400,
    'BadDigest',
  );
  is(
    await one.send({ method: 'PUT', key: own('t'), body, headers: { 'content-md5': 'nonsense' } }),
    400,
    'InvalidDigest',
  );
  is(
    await one.send({ method: 'PUT', key: own('t'), body, headers: { 'x-amz-checksum-crc32': crc(tampered) } }),
    400,
    'BadDigest',
  );
  is(
    await one.send({ method: 'PUT', key: own('t'), body, headers: { 'x-amz-checksum-crc32': 'AA==' } }),
    400,
    'InvalidRequest',
  );
  // announced longer than it is: the connection ends within the body
  const { method, path, headers } = one.prepare({ method: 'PUT', key: own('t'), body });
  const socket = connect(gateway.node.bucketPort, '127.0.0.1');
  const lines = Object.entries({ ...headers, 'content-length': '1000000' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\nhalf`);
  await eventually(
    async () => filesOf(),
    ({ half }) => half === 1,
  );
  socket.destroy();
  await eventually(
    async () => filesOf(),
    ({ half }) => half === 0,
  );
  is(await one.send({ key: own('t') }), 404, 'NoSuchKey');
  assert.deepEqual(filesOf(), files);
  is(
    await one.send({
      method: 'PUT',
      key: own('t'),
      body,
      headers: { 'content-md5': md5(body, 'base64'), 'x-amz-checksum-crc32': crc(body) },
    }),
    200,
  );
});

test('[W208] chunked bodies, signed and with trailers, are verified; a wrong one stores nothing', async () => {
  const body = Buffer.alloc(200_000, 'chunk');
  const headers = { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': String(body.length) };
  const trailer = { name: 'x-amz-checksum-crc32', value: crc(body) };
  const chunked = (payload: string, frame: (seed: Parameters<typeof signedChunks>[1]) => Uint8Array, more = {}) =>
    one.send({ method: 'PUT', key: own('chunked'), payload, headers: { ...headers, ...more }, frame });
  const plain = (value = trailer.value) =>
    Buffer.concat([
      Buffer.from(`${body.length.toString(16)}\r\n`),
      body,
      Buffer.from(`\r\n0\r\n${trailer.name}:${value}\r\n\r\n`),
    ]);
  const SIGNED = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
  const UNSIGNED = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  const named = { 'x-amz-trailer': trailer.name };
  const files = filesOf();
  const flip = (at: number) => (seed: Parameters<typeof signedChunks>[1]) => {
    const sent = signedChunks(body, seed, 65_536);
    // A digit, so that what was a digit of a signature still is one.
    sent[at] = sent[at] === 0x30 ? 0x31 : 0x30;
    return sent;
  };
  is(await chunked(SIGNED, flip(100_000)), 403, 'SignatureDoesNotMatch');
  is(await chunked(SIGNED, flip(40)), 403, 'SignatureDoesNotMatch');
  is(await chunked(SIGNED, (seed) => signedChunks(body.subarray(0, 9_999), seed, 65_536)), 400, 'IncompleteBody');
  is(await chunked(SIGNED, (seed) => signedChunks(Buffer.concat([body, body]), seed, 65_536)), 400, 'IncompleteBody');
  is(
    await chunked(
      `${SIGNED}-TRAILER`,
      (seed) => signedChunks(body, seed, 65_536, { ...trailer, value: 'AAAAAA==' }),
      named,
    ),
    400,
    'BadDigest',
  );
  is(await chunked(UNSIGNED, () => plain('AAAAAA=='), named), 400, 'BadDigest');
  is(await chunked(UNSIGNED, () => Buffer.from('zz\r\n'), named), 400, 'IncompleteBody');
  is(await chunked(UNSIGNED, () => plain(), { ...named, 'x-amz-trailer': 'x-amz-checksum-sha1' }), 400, 'BadDigest');
  is(await chunked('STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', () => plain()), 501, 'NotImplemented');
  assert.deepEqual(filesOf(), files);
  for (const send of [
    () => chunked(SIGNED, (seed) => signedChunks(body, seed, 65_536)),
    () => chunked(`${SIGNED}-TRAILER`, (seed) => signedChunks(body, seed, 8_192, trailer), named),
    () => chunked(UNSIGNED, () => plain(), named),
  ]) {
    is(await send(), 200);
    const read = await one.send({ key: own('chunked') });
    assert.equal(sha256(read.body), sha256(body));
    assert.equal(read.headers['content-encoding'], undefined);
    is(await one.send({ method: 'DELETE', key: own('chunked') }), 204);
  }
});

test('[W205] a request with a wrong clock gets the right time, and health lists the logger', async () => {
  const late = await addLogger(gateway, project, '0C10C000');
  const off = (ms: number) => late.send({ method: 'PUT', key: own('x', late), body: 'x', at_ms: Date.now() + ms });
  is(await off(14 * 60_000), 200);
  is(await off(-14 * 60_000), 200);
  const files = filesOf();
  for (const ms of [-3 * 3_600_000, 16 * 60_000, -3 * 3_600_000]) {
    const answer = await off(ms);
    is(answer, 403, 'RequestTimeTooSkewed');
    assert.ok(Math.abs(Date.parse(answer.headers.date ?? '') - Date.now()) < 10_000);
    assert.equal(elementOf(answer, 'MaxAllowedSkewMilliseconds'), '900000');
  }
  assert.deepEqual(filesOf(), files);
  const health = await gateway.client.call('health_get', {});
  const problem = health.problems.find(({ code, message }) => code === 'logger_clock' && message.includes('0C10C000'));
  assert.match(problem?.message ?? '', /3 hours behind/);
  assert.ok(health.sources.some(({ source, last_error }) => source === '0C10C000' && last_error?.includes('clock')));
  const told = () => client().call('devices_events', { id: late.device, type: 'clock_refused' });
  const events = await eventually(told, ({ data }) => data.length > 0);
  assert.ok(Math.abs(Number(events.data[0]?.data.offset_s) + 10_800) < 60);
  is(await off(0), 200);
  // once an hour, whatever comes: what else were told was so by the commit of this upload
  assert.equal((await told()).data.length, 1);
  const after = await gateway.client.call('health_get', {});
  assert.ok(!after.problems.some(({ message }) => message.includes('0C10C000')));
});

test('[W231] every object is an attachment with a sandbox policy, whatever type or disposition is stored or requested', async () => {
  const page = '<!doctype html><script>alert(1)</script>';
  const guards = (answer: S3Answer) => [
    answer.headers['x-content-type-options'],
    answer.headers['content-security-policy'],
    answer.headers['content-disposition'],
  ];
  const attached = (disposition: string) => ['nosniff', "sandbox; default-src 'none'", disposition];
  is(await put('page.html', page, one, { 'content-type': 'text/html' }), 200);
  is(
    await put('named.html', page, one, {
      'content-type': 'text/html',
      'content-disposition': 'inline; filename="a b.html"',
    }),
    200,
  );
  const key = own('page.html');
  assert.deepEqual(guards(await one.send({ key })), attached('attachment'));
  assert.deepEqual(guards(await one.send({ method: 'HEAD', key })), attached('attachment'));
  assert.deepEqual(guards(await one.send({ key: own('named.html') })), attached('attachment; filename="a b.html"'));
  for (const [asked, given] of [
    ['inline', 'attachment'],
    ['', 'attachment'],
    ['INLINE;filename=x', 'attachment;filename=x'],
    ['attachment, inline', 'attachment'],
    ['attachment; filename="x.html"', 'attachment; filename="x.html"'],
  ] as const) {
    const query = { 'response-content-type': 'text/html', 'response-content-disposition': asked };
    const answer = await one.send({ key, query, expires_s: 60 });
    is(answer, 200);
    assert.deepEqual(guards(answer), attached(given), asked);
  }
  for (const refused of [await one.send({ key: own('<html>') }), await one.send({ key, credentials: null })])
    assert.deepEqual(guards(refused).slice(0, 2), attached('').slice(0, 2), refused.code);
});

test('[W206] a presigned request is valid only in its time and for its method and path', async () => {
  await put('presigned', 'content');
  const key = own('presigned');
  assert.equal((await one.send({ key, expires_s: 60 })).text, 'content');
  is(await one.send({ key, expires_s: 60, at_ms: Date.now() - 61_000 }), 403, 'AccessDenied');
  is(await one.send({ key, expires_s: 60, at_ms: Date.now() + 16 * 60_000 }), 403, 'AccessDenied');
  is(await one.send({ key, expires_s: 604_801 }), 400, 'AuthorizationQueryParametersError');
  is(
    await one.send({ key, expires_s: 60, tamper: { path: `/headframe/${own('secret')}` } }),
    403,
    'SignatureDoesNotMatch',
  );
  is(await one.send({ key, expires_s: 60, credentials: { ...one, secret: 'wrong' } }), 403, 'SignatureDoesNotMatch');
  is(await one.send({ method: 'PUT', key, expires_s: 60, body: 'by link' }), 200);
  assert.equal((await one.send({ key })).text, 'by link');
  // replayed after it has ended
  const ask = (link: ReturnType<typeof one.prepare>) =>
    fetch(`http://127.0.0.1:${gateway.node.bucketPort}${link.path}?${link.query}`);
  let made = one.prepare({ key, expires_s: 4 });
  // On a machine that is slow it may have ended by then.
  for (let expires_s = 8; (await ask(made)).status !== 200; expires_s *= 2) made = one.prepare({ key, expires_s });
  const again = () => ask(made);
  await eventually(
    async () => (await again()).status,
    (status) => status === 403,
  );
});

test('[W213] both list versions support prefix, delimiter, pages, start and encoding', async () => {
  const lister = await addLogger(gateway, project, 'AAAA0001');
  const keys = ['a', 'b/1', 'b/2', 'b/c/3', 'd', 'e/1', 'ä', 'z z', '日'];
  for (const key of keys) is(await put(key, key, lister), 200);
  const root = `${lister.device_id}/`;
  const all = keys.map((key) => root + key).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const list = (query: Record<string, string>) => lister.send({ query });
  assert.deepEqual(keysOf(await list({})), all);
  assert.deepEqual(keysOf(await list({ 'list-type': '2' })), all);
  assert.deepEqual(prefixesOf(await list({ delimiter: '/' })), [root]);
  const page = await list({ prefix: root, delimiter: '/', 'list-type': '2' });
  assert.deepEqual(prefixesOf(page), [`${root}b/`, `${root}e/`]);
  assert.deepEqual(keysOf(page), [`${root}a`, `${root}d`, `${root}z z`, `${root}ä`, `${root}日`]);
  assert.equal(elementOf(page, 'KeyCount'), '7');
  assert.deepEqual(keysOf(await list({ prefix: `${root}b/`, delimiter: '/' })), [`${root}b/1`, `${root}b/2`]);
  assert.deepEqual(keysOf(await list({ marker: `${root}b/2` })), all.slice(3));
  assert.deepEqual(keysOf(await list({ 'start-after': `${root}e/1`, 'list-type': '2' })), all.slice(6));
  assert.deepEqual(keysOf(await list({ 'max-keys': '0' })), []);
  assert.deepEqual(keysOf(await list({ prefix: 'nothing' })), []);
  assert.ok(keysOf(await list({ 'encoding-type': 'url' })).includes(`${root}z%20z`));
  for (const [second, delimiter] of [
    [true, ''],
    [false, ''],
    [true, '/'],
    [false, '/'],
  ] as const) {
    for (const max of ['1', '2', '3']) {
      const found: (string | undefined)[] = [];
      let from: string | undefined;
      for (let i = 0; i < 20; i++) {
        const parameter = second ? 'continuation-token' : 'marker';
        const query = {
          prefix: root,
          'max-keys': max,
          ...(delimiter && { delimiter }),
          ...(second && { 'list-type': '2' }),
          ...(from && { [parameter]: from }),
        };
        const answer = await list(query);
        is(answer, 200);
        const shown = [...keysOf(answer), ...prefixesOf(answer)];
        found.push(...shown);
        if (elementOf(answer, 'IsTruncated') !== 'true') break;
        assert.equal(shown.length, Number(max));
        from = second ? elementOf(answer, 'NextContinuationToken') : (elementOf(answer, 'NextMarker') ?? shown.at(-1));
      }
      const wanted =
        delimiter === ''
          ? all
          : [`${root}a`, `${root}b/`, `${root}d`, `${root}e/`, `${root}z z`, `${root}ä`, `${root}日`];
      assert.deepEqual([...found].sort(), [...wanted].sort(), `${second} ${delimiter} ${max}`);
    }
  }
  is(await list({ 'max-keys': 'many' }), 400, 'InvalidArgument');
  is(await list({ 'list-type': '2', 'continuation-token': '???' }), 400, 'InvalidArgument');
});

test('[W214] DELETE and DeleteObjects delete keys, and unknown keys count as deleted', async () => {
  for (const key of ['del/1', 'del/2', 'del/3 &<>']) is(await put(key, key), 200);
  is(await one.send({ method: 'DELETE', key: own('del/1') }), 204);
  is(await one.send({ method: 'DELETE', key: own('del/1') }), 204);
  is(await one.send({ key: own('del/1') }), 404, 'NoSuchKey');
  const remove = (body: string) => one.send({ method: 'POST', query: { delete: '' }, body });
  const many = await remove(
    `<?xml version="1.0"?><Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Object><Key>${own('del/2')}</Key></Object><Object><Key>${own('del/3 &amp;&lt;&gt;')}</Key></Object><Object><Key>${own('none')}</Key></Object></Delete>`,
  );
  assert.equal(keysOf(many).length, 3);
  assert.deepEqual(keysOf(await one.send({ query: { prefix: own('del/') } })), []);
  for (const body of [
    '',
    '<Delete/>',
    '<Delete><Object></Object></Delete>',
    '<!DOCTYPE x [<!ENTITY a "b">]><Delete/>',
    '<Delete><Object><Key>a</Object></Delete>',
    `<Delete>${'<Object><Key>a</Key></Object>'.repeat(1_001)}</Delete>`,
    `${'<a>'.repeat(100)}`,
  ])
    is(await remove(body), 400, 'MalformedXML');
});

test('[W215] a multipart upload becomes one object; parts may come in any order and repeatedly, and are verified at the end', async () => {
  const key = own('parts/log.MF4');
  const piece = (fill: string, size = 5 << 20) => Buffer.alloc(size, fill);
  const begun = await one.send({
    method: 'POST',
    key,
    query: { uploads: '' },
    headers: { 'x-amz-meta-a': '1', 'content-type': 'x/y' },
  });
  const uploadId = elementOf(begun, 'UploadId') ?? '';
  const part = (partNumber: number, body: Uint8Array, id = uploadId) =>
    one.send({ method: 'PUT', key, query: { partNumber: String(partNumber), uploadId: id }, body });
  const contents = [piece('a'), piece('b'), piece('c', 7)];
  for (const i of [2, 0, 1])
    assert.equal((await part(i + 1, contents[i] as Buffer)).headers.etag, `"${md5(contents[i] as Buffer)}"`);
  is(await part(1, piece('x')), 200);
  is(await part(1, contents[0] as Buffer), 200);
  is(await part(0, contents[0] as Buffer), 400, 'InvalidArgument');
  is(await part(10_001, contents[2] as Buffer), 400, 'InvalidArgument');
  is(await part(1, contents[2] as Buffer, 'upl_none'), 404, 'NoSuchUpload');
  is(
    await two.send({ method: 'PUT', key: own('parts/log.MF4', two), query: { partNumber: '1', uploadId }, body: 'x' }),
    404,
    'NoSuchUpload',
  );
  const told = await one.send({ key, query: { uploadId } });
  assert.deepEqual(
    [...told.text.matchAll(/<PartNumber>(\d+)</g)].map(([, n]) => n),
    ['1', '2', '3'],
  );
  assert.ok((await one.send({ query: { uploads: '' } })).text.includes(uploadId));
  assert.ok(!(await two.send({ query: { uploads: '' } })).text.includes(uploadId));
  const complete = (parts: readonly (readonly [number, string])[]) =>
    one.send({
      method: 'POST',
      key,
      query: { uploadId },
      body: `<CompleteMultipartUpload>${parts.map(([n, tag]) => `<Part><PartNumber>${n}</PartNumber><ETag>"${tag}"</ETag></Part>`).join('')}</CompleteMultipartUpload>`,
    });
  const tags = contents.map((content) => md5(content));
  const [a = '', b = '', c = ''] = tags;
  is(
    await complete([
      [2, b],
      [1, a],
    ]),
    400,
    'InvalidPartOrder',
  );
  is(await complete([[1, b]]), 400, 'InvalidPart');
  is(
    await complete([
      [1, a],
      [9, b],
    ]),
    400,
    'InvalidPart',
  );
  is(await complete([]), 400, 'MalformedXML');
  is(await one.send({ key }), 404, 'NoSuchKey');
  const done = await complete([
    [1, a],
    [2, b],
    [3, c],
  ]);
  is(done, 200);
  const etag = `${md5(Buffer.from(tags.join(''), 'hex'))}-3`;
  assert.equal(elementOf(done, 'ETag'), `&quot;${etag}&quot;`);
  // the answer was lost: the same again is told the same
  is(
    await complete([
      [1, a],
      [2, b],
      [3, c],
    ]),
    200,
  );
  const read = await one.send({ key });
  assert.equal(sha256(read.body), sha256(Buffer.concat(contents)));
  assert.equal(read.headers.etag, `"${etag}"`);
  assert.equal(read.headers['x-amz-meta-a'], '1');
  assert.deepEqual(readdirSync(join(gateway.folder, 'parts')), []);
  // the checksum that comes with the end is that of the whole, not of the list of parts
  const proved = await one.send({
    method: 'POST',
    key,
    query: { uploads: '' },
    headers: { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' },
  });
  const provedId = elementOf(proved, 'UploadId') ?? '';
  is(await part(1, contents[2] as Buffer, provedId), 200);
  const finish = (value: string) =>
    one.send({
      method: 'POST',
      key,
      query: { uploadId: provedId },
      headers: { 'x-amz-checksum-crc32': value },
      body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${c}</ETag></Part></CompleteMultipartUpload>`,
    });
  is(await finish('AAAAAA=='), 400, 'BadDigest');
  assert.equal(elementOf(await finish(crc(contents[2] as Buffer)), 'ChecksumType'), 'FULL_OBJECT');
  const checked = await one.send({ key, headers: { 'x-amz-checksum-mode': 'ENABLED' } });
  assert.equal(checked.headers['x-amz-checksum-crc32'], crc(contents[2] as Buffer));
  const small = elementOf(await one.send({ method: 'POST', key, query: { uploads: '' } }), 'UploadId') ?? '';
  for (const n of [1, 2]) await part(n, contents[2] as Buffer, small);
  const early = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${c}</ETag></Part><Part><PartNumber>2</PartNumber><ETag>${c}</ETag></Part></CompleteMultipartUpload>`;
  is(await one.send({ method: 'POST', key, query: { uploadId: small }, body: early }), 400, 'EntityTooSmall');
  is(await one.send({ method: 'DELETE', key, query: { uploadId: small } }), 204);
  is(await one.send({ method: 'DELETE', key, query: { uploadId: small } }), 404, 'NoSuchUpload');
  assert.deepEqual(readdirSync(join(gateway.folder, 'parts')), []);
});

test('[W216] the bucket may be in the path or the host name; requests for the bucket itself are answered', async () => {
  await put('host', 'by host');
  const host = `headframe.gateway.test:${gateway.node.bucketPort}`;
  assert.equal((await one.send({ host, path: `/${own('host')}` })).text, 'by host');
  assert.ok(keysOf(await one.send({ host, path: '/' })).includes(own('host')));
  is(await one.send({ method: 'HEAD' }), 200);
  is(await one.send({ method: 'PUT' }), 200);
  is(await one.send({ method: 'DELETE' }), 405, 'MethodNotAllowed');
  assert.ok((await one.send({ query: { location: '' } })).text.includes('LocationConstraint'));
  assert.ok((await one.send({ path: '/' })).text.includes('<Bucket><Name>headframe</Name>'));
  is(await one.send({ path: '/other/x' }), 404, 'NoSuchBucket');
  is(await one.send({ method: 'HEAD', path: '/other' }), 404);
  is(await one.send({ method: 'PATCH', key: own('host') }), 405, 'MethodNotAllowed');
  is(
    await one.send({ method: 'PUT', key: own('copied'), headers: { 'x-amz-copy-source': `headframe/${own('host')}` } }),
    200,
  );
  assert.equal((await one.send({ key: own('copied') })).text, 'by host');
});

test('[W223] a request for a missing feature gets NotImplemented with its name, and changes nothing', async () => {
  await put('plain', 'as it was');
  const begun = await one.send({ method: 'POST', key: own('parts'), query: { uploads: '' } });
  const uploadId = elementOf(begun, 'UploadId') ?? '';
  const source = { 'x-amz-copy-source': `headframe/${own('plain')}` };
  const acl = '<AccessControlPolicy/>';
  const requests: readonly (readonly [RegExp, Parameters<TestLogger['send']>[0]])[] = [
    [/UploadPartCopy/, { method: 'PUT', key: own('parts'), query: { partNumber: '1', uploadId }, headers: source }],
    [
      /UploadPartCopy/,
      { method: 'PUT', key: own('c'), headers: { ...source, 'x-amz-copy-source-range': 'bytes=0-1' } },
    ],
    [/by part number/, { key: own('plain'), query: { partNumber: '1' } }],
    [
      /GetObjectAttributes/,
      { key: own('plain'), query: { attributes: '' }, headers: { 'x-amz-object-attributes': 'ETag' } },
    ],
    [/versions/, { query: { versions: '' } }],
    [/versions/, { key: own('plain'), query: { versionId: 'null' } }],
    [/versions/, { method: 'DELETE', key: own('plain'), query: { versionId: '3' } }],
    [/versions/, { method: 'PUT', query: { versioning: '' }, body: '<VersioningConfiguration/>' }],
    [
      /versions/,
      { method: 'PUT', key: own('c'), headers: { 'x-amz-copy-source': `headframe/${own('plain')}?versionId=1` } },
    ],
    [/access control/, { query: { acl: '' } }],
    [/access control/, { method: 'PUT', query: { acl: '' }, body: acl }],
    [/access control/, { key: own('plain'), query: { acl: '' } }],
    [/access control/, { method: 'PUT', key: own('plain'), query: { acl: '' }, body: acl }],
    [/access control/, { method: 'PUT', key: own('plain'), body: 'x', headers: { 'x-amz-acl': 'public-read' } }],
    [/access control/, { method: 'PUT', key: own('plain'), body: 'x', headers: { 'x-amz-grant-read': 'id="1"' } }],
    [
      /encryption/,
      { method: 'PUT', key: own('plain'), body: 'x', headers: { 'x-amz-server-side-encryption': 'AES256' } },
    ],
    [
      /object lock/,
      { method: 'PUT', key: own('plain'), body: 'x', headers: { 'x-amz-object-lock-mode': 'COMPLIANCE' } },
    ],
    [/tags/, { method: 'PUT', key: own('plain'), body: 'x', headers: { 'x-amz-tagging': 'a=b' } }],
    [/tags/, { key: own('plain'), query: { tagging: '' } }],
  ];
  for (const [word, request] of requests) {
    const answer = await one.send(request);
    const what = JSON.stringify(request);
    assert.deepEqual([answer.status, answer.code], [501, 'NotImplemented'], `${what}: ${answer.text}`);
    assert.match(elementOf(answer, 'Message') ?? '', word, what);
  }
  is(await one.send({ method: 'HEAD', key: own('plain'), query: { partNumber: '1' } }), 501);
  assert.equal((await one.send({ key: own('plain') })).text, 'as it was');
  is(await one.send({ key: own('c') }), 404, 'NoSuchKey');
  assert.ok(!(await one.send({ key: own('parts'), query: { uploadId } })).text.includes('<PartNumber>'));
  const versioning = await one.send({ query: { versioning: '' } });
  is(versioning, 200);
  assert.equal(elementOf(versioning, 'Status'), undefined, 'never enabled');
  is(await put('plain', 'own', one, { 'x-amz-acl': 'private' }), 200);
  is(await one.send({ method: 'DELETE', key: own('parts'), query: { uploadId } }), 204);
});

test('[W217] 100 Continue is sent only after the signature is verified; otherwise the body is not read', async () => {
  is(await one.send({ method: 'PUT', key: own('waits'), body: 'waited', headers: { expect: '100-continue' } }), 200);
  const wrong = { ...one, secret: 'wrong' };
  const refused = await one.send({
    method: 'PUT',
    key: own('waits'),
    body: 'x',
    headers: { expect: '100-continue' },
    credentials: wrong,
  });
  is(refused, 403, 'SignatureDoesNotMatch');
  assert.equal(refused.headers.connection, 'close');
  assert.equal((await one.send({ key: own('waits') })).text, 'waited');
});

test('[W218] a body over a size or rate limit is refused before it is read', async () => {
  const announced = (length: string, key = own('large')) =>
    one.send({
      method: 'PUT',
      key,
      payload: 'UNSIGNED-PAYLOAD',
      headers: { expect: '100-continue', 'content-length': length },
    });
  is(await announced(String(5 * 2 ** 30 + 1)), 400, 'EntityTooLarge');
  is(await announced('65537', own('device.json')), 400, 'EntityTooLarge');
  is(await put('meta', 'x', one, { 'x-amz-meta-long': 'm'.repeat(2_100) }), 400, 'MetadataTooLarge');
  const { method, path, headers } = one.prepare({ method: 'PUT', key: own('nolength'), body: 'x' });
  const socket = connect(gateway.node.bucketPort, '127.0.0.1');
  const lines = Object.entries({ ...headers, 'transfer-encoding': 'chunked' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n1\r\nx\r\n0\r\n\r\n`);
  const [answer] = (await new Promise<Buffer[]>((resolve) => socket.once('data', (chunk) => resolve([chunk])))) as [
    Buffer,
  ];
  assert.match(String(answer), /^HTTP\/1\.1 411 /);
  socket.destroy();
});

test('[A360] a log is stored unchanged as a file of the device with session and split, and the device log has an event', async () => {
  const body = Buffer.from('MDF     4.11    a log');
  const key = own('00000007/00000001-655EA0B1.MF4');
  is(await one.send({ method: 'PUT', key, body, headers: { 'x-amz-meta-fw': '01.09.01' } }), 200);
  const { data } = await client().call('artifacts_list', { sha256: sha256(body) });
  const [artifact] = data;
  assert.equal(data.length, 1);
  assert.equal(artifact?.kind, 'mf4');
  assert.equal(artifact.device_id, one.device);
  assert.equal(artifact.name, '00000001-655EA0B1.MF4');
  assert.deepEqual(artifact.origin, { session: '00000007', split: '00000001', object_key: key });
  assert.deepEqual(artifact.media, { fw: '01.09.01' });
  const events = await client().call('devices_events', { id: one.device, type: 'artifact.stored' });
  assert.ok(
    events.data.some((event) => event.data.artifact_id === artifact.id && event.context.media[0] === artifact.id),
  );
  const bytes = await fetch(`${gateway.node.http}${artifact.download_url}`, {
    headers: { authorization: `Bearer wk_testtest_${'A'.repeat(43)}`, 'project-id': project },
  });
  assert.deepEqual(Buffer.from(await bytes.arrayBuffer()), body);
});

test('[A361] the same log uploaded again, later or concurrently, is one file', async () => {
  const body = Buffer.from('a log that is sent again, for its answer was lost');
  for (const epoch of ['655EA0B1', '655EA0C2', '655EA0B1']) is(await put(`00000008/00000001-${epoch}.MF4`, body), 200);
  await Promise.all(['A1', 'A2', 'A3', 'A4'].map((epoch) => put(`00000008/00000001-655EA0${epoch}.MF4`, body)));
  const { data } = await client().call('artifacts_list', { sha256: sha256(body) });
  assert.equal(data.length, 1);
  const events = await client().call('devices_events', { id: one.device, type: 'artifact.stored' });
  assert.equal(events.data.filter((event) => event.data.artifact_id === data[0]?.id).length, 1);
  // another split, or another device, with the same content is another log
  is(await put('00000008/00000002-655EA0B1.MF4', body), 200);
  is(await put('00000008/00000001-655EA0B1.MF4', body, two), 200);
  assert.equal((await client().call('artifacts_list', { sha256: sha256(body) })).data.length, 3);
});

test('[A362] a second content for the same session and split is kept too, and the log has artifact.differs', async () => {
  const key = (epoch: string) => `00000009/00000001-${epoch}.MFC`;
  is(await put(key('655EA0B1'), 'first content'), 200);
  is(await put(key('655EA0C2'), 'other content'), 200);
  const [first] = (await client().call('artifacts_list', { sha256: sha256('first content') })).data;
  const [other] = (await client().call('artifacts_list', { sha256: sha256('other content') })).data;
  assert.ok(first && other && first.id !== other.id);
  const { data } = await client().call('devices_events', { id: one.device, type: 'artifact.differs' });
  assert.deepEqual(
    data.map((event) => [event.data.artifact_id, event.data.others]),
    [[other.id, [first.id]]],
  );
  // deleting the name leaves the file
  is(await one.send({ method: 'DELETE', key: own(key('655EA0B1')) }), 204);
  assert.equal((await client().call('artifacts_list', { sha256: sha256('first content') })).data.length, 1);
});

test('[A363] a heartbeat sets last seen and the reported state, and creates no file', async () => {
  // An upload before was one, as soon as the fold has seen it.
  const before = await eventually(
    () => client().call('devices_get', { id: two.device }),
    ({ status }) => status === 'online',
  );
  assert.equal(before.status, 'online');
  const heartbeat = {
    id: '5BC57FEC',
    type: '0000001F',
    fw_ver: '01.09.01',
    hw_ver: '00.03',
    cfg_crc32: '9ABCDEF0',
    kpub: 'a2V5',
    space_used_mb: '2/7572',
    status: 'hacked',
    nested: { a: 1 },
    long: 'x'.repeat(10_000),
  };
  is(await put('device.json', JSON.stringify(heartbeat), two), 200);
  const device = await eventually(
    () => client().call('devices_get', { id: two.device }),
    ({ state }) => state.firmware !== null,
  );
  assert.equal(device.status, 'online');
  assert.equal(device.state.firmware, '01.09.01');
  assert.equal(device.state.hardware, '00.03');
  const reported = (device.state as { reported?: Record<string, unknown> }).reported ?? {};
  assert.equal(reported.cfg_crc32, '9ABCDEF0');
  assert.equal(reported.kpub, 'a2V5');
  assert.equal(String(reported.long).length, 256);
  assert.ok(!('nested' in reported) && !('status' in reported));
  assert.ok(Date.parse(device.last_seen_at ?? '') > Date.now() - 60_000);
  // a log after it says nothing new of the device
  is(await put('00000001/00000001-655EA0B1.MF4', 'log', two), 200);
  await eventually(
    () => client().call('devices_get', { id: two.device }),
    ({ metrics }) => metrics.messages_total > device.metrics.messages_total,
  );
  assert.equal((await client().call('devices_get', { id: two.device })).state.firmware, '01.09.01');
  assert.equal((await client().call('artifacts_list', { device_id: two.device, kind: 'file' })).data.length, 0);
  is(await put('device.json', 'no json', two), 200);
  await eventually(
    () => gateway.client.call('health_get', {}),
    ({ sources }) =>
      sources.some(({ source, last_error }) => source === two.device_id && last_error?.includes('device.json')),
  );
});

test('[A364] a logger can read its configuration, schema, firmware and certificates from the bucket', async () => {
  for (const name of ['config-01.09.json', 'schema-01.09.json', 'firmware.bin', 'certs_server.p7b']) {
    const body = `the ${name}`;
    is(await put(name, body), 200);
    const read = await one.send({ key: own(name) });
    assert.equal(read.text, body);
    is(await one.send({ key: own(name), headers: { 'if-none-match': read.headers.etag ?? '' } }), 304);
    assert.equal((await client().call('artifacts_list', { sha256: sha256(body) })).data.length, 0);
  }
  // the id that is burnt into the device may be written in either case
  assert.equal((await one.send({ key: `${one.device_id.toLowerCase()}/firmware.bin` })).text, 'the firmware.bin');
});

test('[A365] provision-info and /healthz contain the address of the bucket', async () => {
  const info = await client().call('devices_provision_info', { device_id: one.device });
  assert.equal(info.status, 'listening');
  assert.equal(info.port, gateway.node.bucketPort);
  const healthz = (await (await fetch(`${gateway.node.http}/healthz`)).json()) as { bucket?: string };
  assert.match(healthz.bucket ?? '', new RegExp(`:${gateway.node.bucketPort}$`));
});

test('[W215] the oldest open upload of a logger is removed at the limit', async () => {
  const many = await addLogger(gateway, project, 'AAAA0002');
  const begin = async () =>
    elementOf(await many.send({ method: 'POST', key: own('many', many), query: { uploads: '' } }), 'UploadId') ?? '';
  const ids: string[] = [];
  for (let i = 0; i < LIMITS.bucket_uploads.value + 2; i++) ids.push(await begin());
  const parts = (uploadId: string | undefined) =>
    many.send({ key: own('many', many), query: { uploadId: uploadId ?? '' } });
  is(await parts(ids[1]), 404, 'NoSuchUpload');
  is(await parts(ids[2]), 200);
  is(await parts(ids.at(-1)), 200);
});

test('[W219] with a full disk uploads are refused and store nothing, and objects can still be read', async () => {
  const TOTAL = 10 * 2 ** 30;
  const disk = { share: 0.5 };
  await using full = await startGateway(undefined, {
    readDisk: async () => ({ free: disk.share * TOTAL, total: TOTAL }),
  });
  const { id } = (await full.client.call('projects_create', { name: 'Full' })).project;
  const logger = await addLogger(full, id, 'F0110000');
  const key = own('00000001/00000001-655EA0B1.MF4', logger);
  const send = () => logger.send({ method: 'PUT', key, body: 'a log' });
  disk.share = 0.05;
  const refused = await eventually(send, ({ status }) => status === 503);
  is(refused, 503, 'SlowDown');
  assert.ok(Number(refused.headers['retry-after']) > 0);
  is(await logger.send({ method: 'DELETE', key }), 204);
  is(await send(), 503, 'SlowDown');
  is(await logger.send({ key }), 404, 'NoSuchKey');
  // that it lives is told still
  is(await logger.send({ method: 'PUT', key: own('device.json', logger), body: '{"fw_ver":"1"}' }), 200);
  disk.share = 0.5;
  await eventually(send, ({ status }) => status === 200);
  disk.share = 0.05;
  await eventually(
    () => logger.send({ method: 'PUT', key: own('x', logger), body: 'x' }),
    ({ status }) => status === 503,
  );
  assert.equal((await logger.send({ key })).text, 'a log');
});
