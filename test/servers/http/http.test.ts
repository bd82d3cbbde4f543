import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Rig, sendRaw, startRig } from '#test/servers/rig.ts';
import { eventually } from '#test/support/gateway.ts';
import { soon, until } from '#test/support/until.ts';

interface Seen {
  status: number;
  code: string | undefined;
}

function seen(text: string): Seen {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), code: /"code":"(\w+)"/.exec(body)?.[1] };
}

/** Raw bytes of a POST with the key of the rig. */
function post(rig: Rig, body: string | Buffer, extra = '', path = '/api/v1/dashboards'): Buffer {
  return Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.key}\r\nProject-ID: ${rig.project}\r\n` +
        `${/content-type/i.test(extra) ? '' : 'Content-Type: application/json\r\n'}Content-Length: ${Buffer.byteLength(body)}\r\n${extra}\r\n`,
    ),
    Buffer.from(body),
  ]);
}

test('[W1] [W9] malformed and misdirected requests are refused, and the next one is served', async () => {
  await using rig = await startRig();
  const { port } = rig.http;
  const auth = `Authorization: Bearer ${rig.key}\r\nProject-ID: ${rig.project}\r\n`;
  const get = (lines: string, target = '/api/v1/dashboards') => `GET ${target} HTTP/1.1\r\n${lines}\r\n`;
  const cases: [string, string | Buffer, number, string?][] = [
    ['good', get(`Host: localhost\r\n${auth}`), 200],
    ['address as host', get(`Host: 192.168.7.20:8480\r\n${auth}`), 200],
    ['IPv6 address as host', get(`Host: [fe80::1]:8480\r\n${auth}`), 200],
    ['foreign host', get(`Host: evil.example\r\n${auth}`), 421, 'misdirected_request'],
    ['rebound host', get(`Host: 127.0.0.1.evil.example\r\n${auth}`), 421, 'misdirected_request'],
    ['host with a path', get(`Host: localhost/evil\r\n${auth}`), 421, 'misdirected_request'],
    ['host with a user', get(`Host: a@localhost\r\n${auth}`), 421, 'misdirected_request'],
    ['two hosts', get(`Host: localhost\r\nHost: evil\r\n${auth}`), 421, 'misdirected_request'],
    ['same host twice', get(`Host: localhost\r\nhost: localhost\r\n${auth}`), 421, 'misdirected_request'],
    ['no host', get(auth), 400],
    ['absolute form', get(`Host: localhost\r\n${auth}`, 'http://evil/api/v1/dashboards'), 421, 'misdirected_request'],
    ['absolute form of ours', get(`Host: localhost\r\n${auth}`, 'http://localhost/api/v1/dashboards'), 421],
    ['options star', `OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n`, 421],
    ['trace', `TRACE /api/v1/dashboards HTTP/1.1\r\nHost: localhost\r\n${auth}\r\n`, 405, 'method_not_allowed'],
    ['header of 20 KB', get(`Host: localhost\r\nX: ${'a'.repeat(20_000)}\r\n`), 431],
    ['address of 20 KB', get('Host: localhost\r\n', `/${'a'.repeat(20_000)}`), 431],
    [
      '1,500 headers',
      get(`Host: localhost\r\n${Array.from({ length: 3_000 }, (_, i) => `a${i}: b\r\n`).join('')}`),
      431,
    ],
    [
      'length and chunked',
      `POST /api/v1/dashboards HTTP/1.1\r\nHost: localhost\r\n${auth}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'two lengths',
      `POST /api/v1/dashboards HTTP/1.1\r\nHost: localhost\r\n${auth}Content-Length: 5\r\nContent-Length: 6\r\n\r\naaaaaa`,
      400,
    ],
    ['bare line feeds', 'GET /api/v1/dashboards HTTP/1.1\nHost: localhost\n\n', 400],
    ['folded header', get(`Host: localhost\r\nX: a\r\n b\r\n`), 400],
    ['NUL in header', get('Host: localhost\r\nX: a\0b\r\n'), 400],
    ['TLS hello', Buffer.concat([Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(180)]), 400],
    ['bad percent path', get(`Host: localhost\r\n${auth}`, '/api/v1/dashboards/%E0%A4%A'), 400, 'parameter_invalid'],
    ['path climbs', get(`Host: localhost\r\n${auth}`, '/api/v1/dashboards/..%2f..%2fetc%2fpasswd'), 404],
    ['pages climb', get('Host: localhost\r\n', '/..%2f..%2fetc%2fpasswd'), 404, 'route_not_found'],
    [
      'query bomb',
      get(
        `Host: localhost\r\n${auth}`,
        `/api/v1/dashboards?${Array.from({ length: 1_000 }, (_, i) => `a[${i}]=1`).join('&')}`,
      ),
      400,
      'parameter_unknown',
    ],
    [
      '__proto__ in the query',
      get(`Host: localhost\r\n${auth}`, '/api/v1/dashboards?__proto__=1'),
      400,
      'parameter_unknown',
    ],
    ['__proto__ as id', get(`Host: localhost\r\n${auth}`, '/api/v1/dashboards/__proto__'), 404, 'not_found'],
  ];
  for (const [what, bytes, status, code] of cases) {
    const answer = seen(await sendRaw(port, bytes));
    assert.equal(answer.status, status, what);
    if (code !== undefined) assert.equal(answer.code, code, what);
  }
  assert.equal((await rig.request('GET', '/api/v1/dashboards')).status, 200);
});

test('[W3] a body must be JSON in valid UTF-8 within the limits of size and levels', async () => {
  await using rig = await startRig();
  const { port } = rig.http;
  const deep = (n: number) => `{"name":"a","params":${'['.repeat(n)}${']'.repeat(n)}}`;
  const bomb = gzipSync(`{"name":"${'a'.repeat(20_000_000)}"}`);
  const cases: [string, Buffer, number, string?][] = [
    ['good', post(rig, '{"name":"a"}'), 201],
    ['good with charset', post(rig, '{"name":"ä"}', 'Content-Type: application/json; charset=UTF-8\r\n'), 201],
    ['invalid UTF-8', post(rig, Buffer.from('{"name":"\xff\xfe"}', 'latin1')), 400, 'body_malformed'],
    ['UTF-16', post(rig, Buffer.from('{"name":"a"}', 'utf16le')), 400, 'body_malformed'],
    [
      'UTF-16 declared',
      post(rig, Buffer.from('{"name":"a"}', 'utf16le'), 'Content-Type: application/json;charset=utf-16\r\n'),
      415,
    ],
    ['form', post(rig, 'name=a', 'Content-Type: application/x-www-form-urlencoded\r\n'), 415, 'unsupported_media_type'],
    ['text', post(rig, '{"name":"a"}', 'Content-Type: text/plain\r\n'), 415, 'unsupported_media_type'],
    ['gzip bomb', post(rig, bomb, 'Content-Encoding: gzip\r\n'), 415, 'unsupported_media_type'],
    ['brotli', post(rig, 'xxxx', 'Content-Encoding: br\r\n'), 415],
    ['half', post(rig, '{"name":"a"'), 400, 'body_malformed'],
    ['array', post(rig, '[]'), 400, 'parameter_invalid'],
    ['a number', post(rig, '7'), 400, 'parameter_invalid'],
    ['null', post(rig, 'null'), 400, 'parameter_invalid'],
    ['90 KB deep', post(rig, `${'['.repeat(45_000)}${']'.repeat(45_000)}`), 400, 'body_malformed'],
    ['33 deep', post(rig, deep(33)), 400, 'body_malformed'],
    ['__proto__', post(rig, '{"__proto__":{"x":1},"name":"a"}'), 400, 'body_malformed'],
    ['__proto__ within', post(rig, '{"name":"a","widgets":[{"params":{"__proto__":{}}}]}'), 400, 'body_malformed'],
    ['too large by length', post(rig, `{"name":"${'a'.repeat(1_100_000)}"}`), 413, 'payload_too_large'],
    [
      '4 MB for telemetry',
      post(rig, `{"x":"${'a'.repeat(2_000_000)}"}`, '', '/api/v1/devices/dev_1/telemetry'),
      400,
      'parameter_unknown',
    ],
  ];
  for (const [what, bytes, status, code] of cases) {
    const answer = seen(await sendRaw(port, bytes));
    assert.equal(answer.status, status, what);
    if (code !== undefined) assert.equal(answer.code, code, what);
  }
  const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`;
  const chunked = `POST /api/v1/dashboards HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.key}\r\nProject-ID: ${rig.project}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`;
  assert.deepEqual(seen(await sendRaw(port, chunked)), { status: 413, code: 'payload_too_large' });
  assert.equal((await rig.request('GET', '/api/v1/dashboards', {})).status, 200);
  assert.equal(({} as { x?: number }).x, undefined);
});

test('[W3] a body without a valid key is not read, and only a request with a body needs a Content-Type', async () => {
  await using rig = await startRig();
  // Announces ten megabytes and sends none: the refusal must come at once all the same.
  const head =
    'POST /api/v1/dashboards HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n';
  assert.equal(seen(await sendRaw(rig.http.port, head)).status, 401);
  const none = await rig.request('POST', '/api/v1/dashboards');
  assert.equal(none.status, 400);
  assert.equal(((await none.json()) as { error: { code: string } }).error.code, 'parameter_missing');
});

test('[W3] a client that disconnects within its body causes no error in the log', async () => {
  await using rig = await startRig();
  const socket = connect(rig.http.port, '127.0.0.1');
  socket.write(post(rig, '{"name":"half', 'Expect: 100-continue\r\n').subarray(0, -4));
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1.1 100 /, 'the server waits for the body');
  const { sockets } = rig.http;
  socket.destroy();
  await once(socket, 'close');
  await until(() => rig.http.sockets < sockets);
  assert.equal((await rig.request('GET', '/api/v1/dashboards')).status, 200);
  assert.deepEqual(
    rig.log.filter((line) => line.startsWith('error')),
    [],
  );
});

/** Everything that the server sends until it closes. */
async function readAll(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString('latin1');
  return text;
}

test('[W17] many concurrent and pipelined requests are answered completely and in order', async () => {
  await using rig = await startRig();
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, i) => rig.client().call('dashboards_create', { name: `board ${i}` })),
  );
  const get = (path: string, last = false) =>
    `GET /api/v1/dashboards${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.key}\r\nProject-ID: ${rig.project}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  const asked = [...made.map(({ id }) => `/${id}`), '?limit=200', '/dash_none'];
  // A turn with several answers first, so that those of the next ones wait for its end.
  for (let round = 0; round < 3; round++) {
    const texts = await Promise.all(
      Array.from({ length: 6 }, () => readAll(rig.http.port, asked.map((path) => get(path)).join('') + get('', true))),
    );
    for (const text of texts) {
      const bodies = text.split(/HTTP\/1\.1 \d+ [\w ]+\r\n/).slice(1);
      const parsed = bodies.map((answer) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)));
      assert.deepEqual(
        parsed.slice(0, 12).map(({ id }) => id),
        made.map(({ id }) => id),
      );
      assert.equal(parsed[12].data.length, 12);
      assert.equal(parsed[13].error.code, 'not_found');
      assert.equal(parsed[14].object, 'list');
      assert.equal(parsed.length, 15);
    }
  }
});

test('[W2] requests from pages of other sites are refused; own pages and programs are accepted', async () => {
  await using rig = await startRig();
  const get = async (headers: Record<string, string>, path = '/api/v1/dashboards') => {
    const lines = Object.entries({ Host: `localhost:${rig.http.port}`, ...headers }).map(([k, v]) => `${k}: ${v}\r\n`);
    const auth = `Authorization: Bearer ${rig.key}\r\nProject-ID: ${rig.project}\r\n`;
    const text = await sendRaw(rig.http.port, `GET ${path} HTTP/1.1\r\n${lines.join('')}${auth}\r\n`);
    assert.ok(!/access-control-/i.test(text));
    return seen(text);
  };
  assert.equal((await get({})).status, 200);
  assert.equal((await get({ Origin: `http://localhost:${rig.http.port}` })).status, 200);
  assert.equal((await get({ 'Sec-Fetch-Site': 'same-origin' })).status, 200);
  for (const headers of [
    { Origin: 'http://evil.example' },
    { Origin: 'null' },
    { Origin: 'file://' },
    { Origin: `http://localhost:${rig.http.port + 1}` },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' },
  ])
    for (const path of ['/api/v1/dashboards', '/mcp', '/metrics', '/api/v1/claim'])
      assert.deepEqual(await get(headers, path), { status: 403, code: 'permission_denied' });
  // A link on another site may lead to our pages.
  assert.notEqual((await get({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }, '/')).status, 403);
});

test('[W5] [W6] revisions are strong ETags in quotes; API answers are not cached and never 304', async () => {
  await using rig = await startRig();
  const made = await rig.client().call('dashboards_create', { name: 'A' });
  const path = `/api/v1/dashboards/${made.id}`;
  const read = await rig.request('GET', path, { headers: { 'if-none-match': '"1"' } });
  assert.deepEqual(
    [read.status, read.headers.get('etag'), read.headers.get('cache-control')],
    [200, '"1"', 'no-store'],
  );
  assert.match(read.headers.get('x-contract-hash') ?? '', /^sha256:[0-9a-f]{64}$/);
  assert.match(read.headers.get('x-request-id') ?? '', /^req_/);
  const head = await rig.request('HEAD', path);
  assert.deepEqual([head.status, await head.text(), head.headers.get('etag')], [200, '', '"1"']);
  const patch = async (ifMatch: string | undefined, name: string) =>
    (
      await rig.request('PATCH', path, {
        headers: { 'content-type': 'application/json', ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
        body: JSON.stringify({ name }),
      })
    ).status;
  assert.equal(await patch('"1"', 'B'), 200);
  assert.equal(await patch('"1"', 'C'), 412);
  assert.equal(await patch('"x"', 'C'), 412);
  assert.equal(await patch('W/"2"', 'C'), 400);
  assert.equal(await patch('2', 'C'), 400);
  assert.equal(await patch('"1", "2"', 'C'), 400);
  assert.equal(await patch('*', 'C'), 200);
  assert.equal(await patch(undefined, 'D'), 200);
  const create = await rig.request('POST', '/api/v1/dashboards', {
    headers: { 'content-type': 'application/json', 'if-match': '"1"' },
    body: '{"name":"x"}',
  });
  assert.equal(create.status, 400);
});

test('[W7] a key has a rate limit with RateLimit headers; codes are limited per address', async () => {
  // Time that does not pass by itself: a budget grows with it.
  let now = Date.now();
  await using rig = await startRig({ http: { requestsPerMinute: 5, clock: () => now } });
  const { secret } = await rig.mint({ role: 'viewer' });
  const get = () => rig.request('GET', '/api/v1/dashboards', { headers: { authorization: `Bearer ${secret}` } });
  for (let i = 0; i < 5; i++) {
    const response = await get();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('ratelimit-policy'), '"default";q=5;w=60');
  }
  const over = await get();
  assert.equal(over.status, 429);
  assert.ok(Number(over.headers.get('retry-after')) >= 1);
  assert.equal((await rig.request('GET', '/api/v1/dashboards')).status, 200, 'another key is not affected');
  now += 60_000;
  assert.equal((await get()).status, 200);
  const claims = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(`${rig.base}/api/v1/claim`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"code":"AAAA-0000"}',
      }),
    ),
  );
  assert.equal(claims.filter(({ status }) => status === 429).length, 2);
});

test('[W8] sockets above the limit of an address are closed at once, until others are closed', async () => {
  await using rig = await startRig({ http: { socketsPerAddress: 4 } });
  const held = Array.from({ length: 4 }, () => connect(rig.http.port, '127.0.0.1'));
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  const fifth = connect(rig.http.port, '127.0.0.1');
  fifth.on('error', () => {});
  let told = '';
  fifth.on('data', (chunk) => {
    told += chunk;
  });
  await once(fifth, 'close');
  // One that sends nothing in time is told so, and the others had sent nothing for longer.
  assert.equal(told, '');
  assert.deepEqual(
    held.map(({ closed }) => closed),
    [false, false, false, false],
  );
  for (const socket of held) socket.destroy();
  await Promise.all(held.map((socket) => socket.closed || once(socket, 'close')));
  // Until the server has seen them leave, a new one is closed.
  const status = () =>
    rig.request('GET', '/api/v1/dashboards').then(
      (answer) => answer.status,
      () => 'closed',
    );
  await eventually(status, (answer) => answer === 200);
});

test('[W10] closing ends streams, incomplete requests and idle sockets at once, and running requests after the grace time', async (t) => {
  let running = false;
  const graceMs = 300;
  const rig = await startRig({
    http: { graceMs },
    handlers: {
      dashboards_list() {
        running = true;
        return new Promise(() => {});
      },
    },
  });
  const headers = { authorization: `Bearer ${rig.key}`, 'project-id': rig.project };
  const stream = await fetch(`${rig.base}/api/v1/live?kind=dashboard&object_id=dash_1`, { headers });
  const half = connect(rig.http.port, '127.0.0.1');
  half.on('error', () => {});
  half.write('GET /healthz HTTP/1.1\r\nHost: loc');
  const idle = connect(rig.http.port, '127.0.0.1');
  idle.on('error', () => {});
  const ends = [half, idle].map((socket) => once(socket, 'close'));
  const stuck = rig.request('GET', '/api/v1/dashboards').catch(() => 'closed');
  await until(() => running && rig.http.sockets >= 4);
  // The grace does not end by itself: what ends before it does so because of the closing.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closed = rig[Symbol.asyncDispose]();
  assert.match(await soon(stream.text(), 'the end of the stream'), /^event: snapshot/);
  await soon(Promise.all(ends), 'the end of sockets without a request');
  t.mock.timers.tick(graceMs - 1);
  assert.equal(await Promise.race([stuck, new Promise((done) => setImmediate(done, 'runs'))]), 'runs');
  t.mock.timers.tick(1);
  t.mock.timers.reset();
  assert.equal(await soon(stuck, 'the end of what still ran'), 'closed');
  await closed;
});

test('[W11] pages have a strict content policy, and a page explains when they are not built', async () => {
  await using rig = await startRig();
  const page = await fetch(`${rig.base}/`);
  assert.equal(page.status, 503);
  assert.match(await page.text(), /npm run build/);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.ok(!policy.includes('unsafe') && !policy.includes('upgrade-insecure-requests'));
  assert.equal(page.headers.get('strict-transport-security'), null);
  assert.equal(page.headers.get('x-powered-by'), null);
  const tv = await fetch(`${rig.base}/tv/${'s'.repeat(43)}`);
  assert.equal(tv.headers.get('referrer-policy'), 'no-referrer');
  assert.match(tv.headers.get('x-robots-tag') ?? '', /noindex/);
  const errors = await fetch(`${rig.base}/docs/errors`);
  assert.match(await errors.text(), /id="idempotency_key_reused"/);
});

test('/healthz and /metrics answer right after the start', async () => {
  let ready = false;
  await using rig = await startRig({
    http: {
      ready: () => ready,
      measures: [
        { name: 'test_answer', help: 'x', read: () => 42 },
        { name: 'test_rows', help: 'x', labels: ['kind'], read: () => [{ labels: { kind: 'a' }, value: 7 }] },
      ],
    },
  });
  assert.equal((await fetch(`${rig.base}/healthz`)).status, 503);
  ready = true;
  const health = await fetch(`${rig.base}/healthz`);
  assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }]);
  await rig.request('GET', '/api/v1/dashboards');
  const text = await (await fetch(`${rig.base}/metrics`)).text();
  assert.match(text, /^test_answer 42$/m);
  assert.match(text, /^test_rows\{kind="a"\} 7$/m);
  assert.match(text, /headframe_http_request_seconds_count\{operation="dashboards_list",status="200"\} 1/);
});
