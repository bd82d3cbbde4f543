import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeviceData } from '#contract/fleet/device.ts';
import { artifactHandlers, mediaHandlers } from '#handlers/files/artifacts.ts';
import { type Rig, type RigOptions, startRig } from '#test/servers/rig.ts';
import { eventually } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(5_000)]);
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(900)]);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function makeDevice(rig: Rig, id: string, project = rig.project) {
  const data: DeviceData = {
    device_id: `hw-${id}`,
    name: id,
    serial: null,
    kind: 'camera',
    equipment_id: 'eq_1',
    linked_at: null,
    location_id: null,
    expected_interval_s: null,
    labels: {},
    settings: {},
  };
  await rig.store.view(project).commit([{ collection: 'records', id, object: 'device', data: { ...data } }]);
  const { secret } = await rig.mint({ kind: 'device', device: id, device_id: data.device_id, project_ids: [project] });
  return { id, key: secret };
}

async function start(options: RigOptions = {}) {
  const rig = await startRig({ groups: [artifactHandlers, mediaHandlers], ...options });
  return { rig, camera: await makeDevice(rig, 'dev_cam') };
}

interface Sent {
  status: number;
  headers: Headers;
  body: { error?: { code: string }; [name: string]: unknown };
}

async function send(rig: Rig, key: string, method: string, path: string, init: RequestInit = {}): Promise<Sent> {
  const response = await fetch(`${rig.base}/api/v1${path}`, {
    method,
    ...init,
    headers: { authorization: `Bearer ${key}`, ...init.headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

let keys = 0;
const raw = (rig: Rig, key: string, bytes: Uint8Array, headers: Record<string, string> = {}) =>
  send(rig, key, 'POST', '/devices/stream', {
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'image/jpeg', 'idempotency-key': `k${keys++}`, ...headers },
  });
function form(rig: Rig, key: string, parts: Record<string, Blob | string>, idempotency = `k${keys++}`) {
  const body = new FormData();
  for (const [name, part] of Object.entries(parts)) body.append(name, part);
  return send(rig, key, 'POST', '/devices/stream', { body, headers: { 'idempotency-key': idempotency } });
}
const read = (rig: Rig, id: unknown, headers: Record<string, string> = {}, method = 'GET') =>
  rig.request(method, `/api/v1/artifacts/${id}/content`, { headers });
const codeOf = ({ status, body }: Sent) => [status, body.error?.code];

test('[W241] an acknowledged frame is an artifact on disk, sent as a form or as a bare image', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const bare = await raw(rig, camera.key, JPEG, { 'x-captured-at': '2026-11-21T08:00:00Z', 'x-sequence': '7' });
  assert.equal(bare.status, 202);
  assert.deepEqual([bare.body.sha256, bare.body.duplicate], [sha256(JPEG), false]);
  const meta = { captured_at: '2026-11-21T08:00:01Z', sequence: 8, width: 640, detections: [{ class: 'truck' }] };
  const posted = await form(rig, camera.key, { meta: JSON.stringify(meta), frame: new Blob([PNG]) });
  assert.equal(posted.status, 202);
  const artifact = await rig.client().call('artifacts_get', { id: String(posted.body.artifact_id) });
  assert.deepEqual(
    [artifact.kind, artifact.content_type, artifact.bytes, artifact.sha256, artifact.captured_at],
    ['frame', 'image/png', PNG.length, sha256(PNG), '2026-11-21T08:00:01.000Z'],
  );
  assert.deepEqual([artifact.subject, artifact.device_id], [{ object: 'equipment', id: 'eq_1' }, camera.id]);
  assert.deepEqual([artifact.media?.sequence, artifact.media?.detections], [8, [{ class: 'truck' }]]);
  const content = Buffer.from(await (await read(rig, artifact.id)).arrayBuffer());
  assert.ok(content.equals(PNG));
  const list = await rig.client().call('artifacts_list', { device_id: camera.id, kind: 'frame' });
  assert.deepEqual(
    list.data.map(({ id }) => id),
    [artifact.id, bare.body.artifact_id],
  );
  assert.equal((await rig.client().call('artifacts_list', { sha256: sha256(PNG) })).data.length, 1);
});

test('[W241] a repeated frame is one artifact: the same answer for the same key, duplicate for another key', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const headers = { 'x-sequence': '1', 'idempotency-key': 'one' };
  const first = await raw(rig, camera.key, JPEG, headers);
  const again = await raw(rig, camera.key, JPEG, headers);
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [202, 'true']);
  assert.deepEqual(again.body, first.body);
  const other = await raw(rig, camera.key, JPEG, { 'x-sequence': '1' });
  assert.deepEqual([other.body.artifact_id, other.body.duplicate], [first.body.artifact_id, true]);
  const next = await raw(rig, camera.key, JPEG, { 'x-sequence': '2' });
  assert.equal(next.body.duplicate, false, 'the same picture at another place in the stream is another frame');
  assert.deepEqual(codeOf(await raw(rig, camera.key, PNG, { ...headers, 'content-type': 'image/png' })), [
    409,
    'idempotency_key_reused',
  ]);
  const forms = await Promise.all(
    [1, 2].map(() => form(rig, camera.key, { meta: '{"sequence":3}', frame: new Blob([PNG]) }, 'form')),
  );
  assert.ok(forms.every(({ status }) => status === 202 || status === 409));
  const repeat = await form(rig, camera.key, { frame: new Blob([PNG]), meta: '{"sequence":3}' }, 'form');
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [202, 'true']);
});

test('[H9] receipts of a camera do not remove receipts of people', async () => {
  const { rig, camera } = await start({ maxReceipts: 3 });
  await using _ = rig;
  const slot = () => {
    const call = { id: camera.id, bytes: 4 };
    return rig.client().call('devices_upload_media', call, { idempotency_key: 'mine' });
  };
  const first = await slot();
  for (let i = 0; i < 6; i++) await raw(rig, camera.key, JPEG, { 'x-sequence': String(i), 'idempotency-key': `f${i}` });
  await rig.invoke.sweep();
  const kept = (object: string) => rig.store.node.find('local', { object, limit: 100 });
  assert.deepEqual([(await kept('receipt')).length, (await kept('ingest_receipt')).length], [1, 3]);
  assert.deepEqual(await slot(), first);
  rig.pass(73 * 3_600_000);
  await rig.invoke.sweep();
  assert.equal((await kept('ingest_receipt')).length, 0);
});

test('[W242] a body that is not a frame is refused with the reason, and nothing is stored', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const html = Buffer.from('<html><script>alert(1)</script></html>'.repeat(9));
  const meta = (text: string) => form(rig, camera.key, { meta: text, frame: new Blob([PNG]) });
  const cases: [string, Sent, [number, string]][] = [
    ['a page called an image', await raw(rig, camera.key, html), [415, 'unsupported_media_type']],
    ['another image', await raw(rig, camera.key, PNG), [415, 'unsupported_media_type']],
    ['JSON', await raw(rig, camera.key, JPEG, { 'content-type': 'application/json' }), [415, 'unsupported_media_type']],
    ['SVG', await raw(rig, camera.key, html, { 'content-type': 'image/svg+xml' }), [415, 'unsupported_media_type']],
    ['nothing', await raw(rig, camera.key, new Uint8Array()), [415, 'unsupported_media_type']],
    ['no frame', await form(rig, camera.key, { meta: '{}' }), [400, 'body_malformed']],
    ['a page in a form', await form(rig, camera.key, { frame: new Blob([html]) }), [415, 'unsupported_media_type']],
    ['meta that is no JSON', await meta('{'), [400, 'body_malformed']],
    ['meta that is no object', await meta('[]'), [400, 'body_malformed']],
    ['meta with a trap', await meta('{"__proto__":{}}'), [400, 'body_malformed']],
    ['meta that lies', await meta('{"content_type":"image/jpeg"}'), [415, 'unsupported_media_type']],
    ['an unknown name', await meta('{"colour":1}'), [400, 'parameter_unknown']],
    ['a wrong value', await meta('{"width":-1}'), [400, 'parameter_invalid']],
    ['a foreign part', await form(rig, camera.key, { other: 'x', frame: new Blob([PNG]) }), [400, 'body_malformed']],
    ['a foreign run', await meta('{"run_id":"run_x"}'), [404, 'not_found']],
    ['a wrong number', await raw(rig, camera.key, JPEG, { 'x-sequence': '-1' }), [400, 'parameter_invalid']],
  ];
  for (const [what, sent, expected] of cases) assert.deepEqual(codeOf(sent), expected, what);
  const big = Buffer.concat([JPEG, Buffer.alloc(16 * 1024 * 1024)]);
  assert.deepEqual(codeOf(await raw(rig, camera.key, big)), [413, 'payload_too_large']);
  const damaged = await send(rig, camera.key, 'POST', '/devices/stream', {
    body: '--x\r\ncontent-disposition: form-data; name="frame"; filename="a"\r\n\r\nabc',
    headers: { 'content-type': 'multipart/form-data; boundary=x', 'idempotency-key': 'd' },
  });
  assert.equal(damaged.status >= 400 && damaged.status < 500, true);
  const boundless = await send(rig, camera.key, 'POST', '/devices/stream', {
    body: 'x',
    headers: { 'content-type': 'multipart/form-data', 'idempotency-key': 'e' },
  });
  assert.deepEqual(codeOf(boundless), [400, 'body_malformed']);
  assert.deepEqual((await rig.client().call('artifacts_list', {})).data, []);
  assert.equal((await raw(rig, camera.key, JPEG)).status, 202, 'the connection and the camera go on');
});

test('[W242] a frame needs the key of a device, an Idempotency-Key, and room on the disk', async () => {
  let room = 10;
  const { rig, camera } = await start();
  await using _ = rig;
  assert.deepEqual(codeOf(await raw(rig, rig.key, JPEG)), [403, 'permission_denied']);
  const bare = await send(rig, camera.key, 'POST', '/devices/stream', {
    body: new Uint8Array(JPEG),
    headers: { 'content-type': 'image/jpeg' },
  });
  assert.deepEqual(codeOf(bare), [400, 'idempotency_key_required']);
  const { rig: full, camera: blind } = await start({ http: { files: { ...rig.files, room: () => room } } });
  await using __ = full;
  room = 0;
  assert.deepEqual(codeOf(await raw(full, blind.key, JPEG)), [507, 'storage_full']);
  const upload = { 'tus-resumable': '1.0.0', 'upload-length': '11' };
  room = 10;
  assert.deepEqual(codeOf(await send(full, blind.key, 'POST', `/devices/${blind.id}/media`, { headers: upload })), [
    507,
    'storage_full',
  ]);
});

test('[W242] a frame that ends early leaves no record, and the next frame is accepted', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  for (const type of ['image/jpeg', 'multipart/form-data; boundary=x']) {
    const socket = connect(rig.http.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /api/v1/devices/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${camera.key}\r\nIdempotency-Key: gone\r\nContent-Type: ${type}\r\nContent-Length: 5004\r\nExpect: 100-continue\r\n\r\n`,
    );
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 100 /, 'the server waits for the frame');
    if (type !== 'image/jpeg')
      socket.write('--x\r\ncontent-disposition: form-data; name="frame"; filename="a"\r\n\r\n');
    const { sockets } = rig.http;
    await new Promise((done) => socket.write(JPEG.subarray(0, 2_000), done));
    socket.destroy();
    await until(() => rig.http.sockets < sockets);
  }
  assert.equal((await raw(rig, camera.key, JPEG)).status, 202);
  assert.equal((await rig.client().call('artifacts_list', {})).data.length, 1);
  assert.ok(!rig.log.some((line) => line.startsWith('error')), rig.log.join('\n'));
});

test('[W243] content is sent as a whole or one range, with headers that stop browsers from executing it', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const { body } = await raw(rig, camera.key, JPEG);
  const id = body.artifact_id;
  const whole = await read(rig, id);
  const etag = `"${sha256(JPEG)}"`;
  assert.deepEqual(
    ['etag', 'accept-ranges', 'content-length', 'content-type', 'x-content-type-options', 'cache-control'].map((name) =>
      whole.headers.get(name),
    ),
    [etag, 'bytes', String(JPEG.length), 'image/jpeg', 'nosniff', 'no-store'],
  );
  assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename="art_/);
  assert.equal(whole.headers.get('content-security-policy'), "sandbox; default-src 'none'");
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(JPEG));
  const size = JPEG.length;
  const ranges: [string, number, number, number][] = [
    ['bytes=0-0', 206, 0, 1],
    ['bytes=10-19', 206, 10, 20],
    ['bytes=4000-', 206, 4000, size],
    ['bytes=-5', 206, size - 5, size],
    ['bytes=-999999', 206, 0, size],
    ['bytes=10-999999', 206, 10, size],
    ['bytes=5-4', 200, 0, size],
    ['bytes=0-1,5-6', 200, 0, size],
    ['lines=1-2', 200, 0, size],
  ];
  for (const [range, status, from, to] of ranges) {
    const part = await read(rig, id, { range });
    assert.equal(part.status, status, range);
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(JPEG.subarray(from, to)), range);
    if (status === 206) assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${size}`);
  }
  for (const range of [`bytes=${size}-`, 'bytes=-0']) {
    const none = await read(rig, id, { range });
    assert.deepEqual([none.status, none.headers.get('content-range')], [416, `bytes */${size}`]);
    await none.body?.cancel();
  }
  const same = await read(rig, id, { range: 'bytes=0-9', 'if-range': etag });
  const changed = await read(rig, id, { range: 'bytes=0-9', 'if-range': '"other"' });
  assert.deepEqual([same.status, changed.status], [206, 200]);
  await Promise.all([same.body?.cancel(), changed.body?.cancel()]);
  const head = await read(rig, id, {}, 'HEAD');
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(size)]);
  assert.equal((await read(rig, id, { 'project-id': rig.other })).status, 404);
  assert.equal((await read(rig, 'art_none')).status, 404);
});

const TUS = { 'tus-resumable': '1.0.0' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
async function begin(rig: Rig, camera: { id: string; key: string }, bytes: number, metadata = '') {
  const headers = { ...TUS, 'upload-length': String(bytes), ...(metadata ? { 'upload-metadata': metadata } : {}) };
  const made = await send(rig, camera.key, 'POST', `/devices/${camera.id}/media`, { headers });
  return { ...made, path: (made.headers.get('location') ?? '').replace(`${rig.base}/api/v1`, '') };
}
const patch = (rig: Rig, key: string, path: string, offset: number, bytes: Uint8Array, headers = {}) =>
  send(rig, key, 'PATCH', path, {
    body: new Uint8Array(bytes),
    headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset), ...headers },
  });
/** Bytes that somebody calls this; the type that they are read with. */
async function servedAs(rig: Rig, camera: { id: string; key: string }, type: string, name: string, bytes: Uint8Array) {
  const made = await begin(rig, camera, bytes.length, `filename ${base64(name)},filetype ${base64(type)}`);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const done = await patch(rig, camera.key, made.path, 0, bytes);
  const id = done.headers.get('artifact-id') ?? assert.fail(JSON.stringify(done.body));
  const content = await read(rig, id);
  assert.ok(Buffer.from(await content.arrayBuffer()).equals(Buffer.from(bytes)), name);
  for (const [field, value] of [
    ['x-content-type-options', 'nosniff'],
    ['content-security-policy', "sandbox; default-src 'none'"],
  ] as const)
    assert.equal(content.headers.get(field), value, name);
  assert.match(content.headers.get('content-disposition') ?? '', /^attachment;/, name);
  const part = await read(rig, id, { range: 'bytes=3-' });
  await part.body?.cancel();
  assert.equal(part.headers.get('content-type'), content.headers.get('content-type'), `${name}, a range of it`);
  const { content_type, kind } = await rig.client().call('artifacts_get', { id });
  return { served: content.headers.get('content-type'), content_type, kind };
}

test('[W246] content is served as a picture or film only by its bytes; HTML, SVG and scripts are octet-stream', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const page = Buffer.from('<!doctype html><title>Sign in</title><script>alert(1)</script>');
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const none = 'application/octet-stream';
  for (const [type, name, bytes] of [
    ['text/html', 'a.html', page],
    ['TEXT/HTML', 'b.png', page],
    ['image/png', 'c.png', page],
    ['video/mp4', 'd.mp4', page],
    ['image/svg+xml', 'e.svg', drawing],
    ['application/xhtml+xml', 'f', page],
    ['text/xml', 'g', drawing],
    ['text/javascript', 'h.js', page],
    ['multipart/related', 'i.mht', page],
  ] as const)
    assert.equal((await servedAs(rig, camera, type, name, bytes)).served, none, name);
  for (const claimed of ['image/png', 'video/mp4', 'image/svg+xml'])
    assert.equal((await servedAs(rig, camera, claimed, 'claim', page)).content_type, none, 'a claim is not recorded');
  const picture = await servedAs(rig, camera, 'text/html', 'l.html', PNG);
  assert.deepEqual([picture.served, picture.content_type, picture.kind], ['image/png', 'image/png', 'image']);
  const film = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom', 'latin1'), randomBytes(100)]);
  assert.equal((await servedAs(rig, camera, 'text/plain', 'm', film)).served, 'video/mp4');
  assert.equal((await servedAs(rig, camera, 'text/plain', 'n.txt', Buffer.from('words'))).served, 'text/plain');
  const fake = await servedAs(rig, camera, 'image/webp', 'o.webp', Buffer.from('<script>WEBP</script>'));
  assert.equal(fake.served, none);
});

const head = (rig: Rig, key: string, path: string) => send(rig, key, 'HEAD', path, { headers: TUS });

test('[W243] a file with characters in its name that a header cannot have can be read', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const input = { id: camera.id, name: '钻机 1.txt', bytes: 4 };
  const { upload } = await rig.client().call('devices_upload_media', input);
  const path = `/devices/${camera.id}/media/${upload?.id}`;
  const done = await patch(rig, camera.key, path, 0, Buffer.from('text'));
  const content = await read(rig, done.headers.get('artifact-id') ?? '');
  assert.deepEqual([content.status, await content.text()], [200, 'text']);
  assert.match(content.headers.get('content-disposition') ?? '', /filename\*=UTF-8''%E9%92%BB%E6%9C%BA%201\.txt$/);
});

test('[W244] an upload continues at its offset, and its last byte creates the artifact', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const file = randomBytes(300_000);
  const metadata = `filename ${base64('run 1.MF4')},filetype ${base64('application/x-mf4')},captured_at ${base64('2026-11-20T01:00:00Z')}`;
  const options = await fetch(`${rig.base}/api/v1/devices/${camera.id}/media`, { method: 'OPTIONS' });
  assert.deepEqual(
    [options.status, options.headers.get('tus-version'), options.headers.get('tus-extension')],
    [204, '1.0.0', 'creation,checksum,expiration,termination'],
  );
  const made = await begin(rig, camera, file.length, metadata);
  assert.deepEqual([made.status, made.headers.get('tus-resumable')], [201, '1.0.0']);
  assert.ok(Date.parse(made.headers.get('upload-expires') ?? '') > Date.now());
  const first = await patch(rig, camera.key, made.path, 0, file.subarray(0, 100_000));
  assert.deepEqual([first.status, first.headers.get('upload-offset')], [204, '100000']);
  const far = await head(rig, camera.key, made.path);
  assert.deepEqual([far.headers.get('upload-offset'), far.headers.get('upload-length')], ['100000', '300000']);
  assert.deepEqual(codeOf(await patch(rig, camera.key, made.path, 5, file)), [409, 'upload_offset_mismatch']);
  assert.deepEqual(codeOf(await patch(rig, camera.key, made.path, 200_000, file)), [409, 'upload_offset_mismatch']);
  const last = await patch(rig, camera.key, made.path, 100_000, file.subarray(100_000));
  const id = last.headers.get('artifact-id');
  assert.deepEqual([last.status, last.headers.get('upload-offset')], [204, '300000']);
  const artifact = await rig.client().call('artifacts_get', { id: id ?? '' });
  assert.deepEqual(
    [artifact.kind, artifact.name, artifact.content_type, artifact.sha256, artifact.captured_at],
    ['mf4', 'run 1.MF4', 'application/x-mf4', sha256(file), '2026-11-20T01:00:00.000Z'],
  );
  assert.match(
    (await read(rig, id)).headers.get('content-disposition') ?? '',
    /filename="run_1\.MF4"; filename\*=UTF-8''run%201\.MF4/,
  );
  const over = await head(rig, camera.key, made.path);
  assert.deepEqual([over.status, over.headers.get('upload-offset')], [200, '300000']);
  const late = await patch(rig, camera.key, made.path, 300_000, new Uint8Array());
  assert.deepEqual([late.status, late.headers.get('artifact-id')], [204, id]);
  const status = await send(rig, camera.key, 'GET', made.path);
  assert.deepEqual([status.body.received, status.body.artifact_id], [300_000, id]);

  const twin = await begin(rig, camera, file.length);
  const again = await patch(rig, camera.key, twin.path, 0, file);
  assert.notEqual(again.headers.get('artifact-id'), id);
  const both = await rig.client().call('artifacts_list', { sha256: sha256(file) });
  assert.equal(both.data.length, 2, 'two records');
  assert.equal((await read(rig, again.headers.get('artifact-id'))).status, 200, 'of one content');
});

test('[W244] a PATCH may take longer than other requests', async () => {
  const { rig, camera } = await start({ http: { requestMs: 300 } });
  await using _ = rig;
  const file = randomBytes(80_000);
  const made = await begin(rig, camera, file.length);
  async function* slowly() {
    for (let at = 0; at < file.length; at += 10_000) {
      yield file.subarray(at, at + 10_000);
      await sleep(150);
    }
  }
  const done = await send(rig, camera.key, 'PATCH', made.path, {
    body: ReadableStream.from(slowly()),
    duplex: 'half',
    headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  } as RequestInit);
  assert.equal(done.status, 204, JSON.stringify(done.body));
  const content = await read(rig, done.headers.get('artifact-id') ?? '');
  assert.equal(sha256(Buffer.from(await content.arrayBuffer())), sha256(file));
});

test('[W244] the first bytes of an upload decide its type, not the type that its sender states', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const shown = async (file: Uint8Array, metadata: string) => {
    const made = await begin(rig, camera, file.length, metadata);
    const done = await patch(rig, camera.key, made.path, 0, file);
    const { kind, content_type } = await rig.client().call('artifacts_get', {
      id: done.headers.get('artifact-id') ?? '',
    });
    return [kind, content_type];
  };
  const log = Buffer.concat([Buffer.from('MDF     4.11    ', 'latin1'), randomBytes(200)]);
  assert.deepEqual(await shown(PNG, `filename ${base64('a')},filetype ${base64('text/html')}`), ['image', 'image/png']);
  assert.deepEqual(await shown(log, `filename ${base64('a.bin')}`), ['mf4', 'application/x-mf4']);
});

test('[W244] a chunk or file with a wrong checksum stores nothing', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const file = randomBytes(9_000);
  const made = await begin(rig, camera, file.length, `sha256 ${base64(sha256(file))}`);
  const sum = (algorithm: string, bytes: Uint8Array) => ({
    'upload-checksum': `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`,
  });
  const half = file.subarray(0, 4_000);
  assert.deepEqual(codeOf(await patch(rig, camera.key, made.path, 0, half, sum('sha1', file))), [
    460,
    'checksum_mismatch',
  ]);
  assert.equal((await head(rig, camera.key, made.path)).headers.get('upload-offset'), '0');
  assert.equal((await patch(rig, camera.key, made.path, 0, half, sum('md5', half))).status, 204);
  assert.deepEqual(codeOf(await patch(rig, camera.key, made.path, 4_000, half, sum('sha512', half))), [
    400,
    'parameter_invalid',
  ]);
  const rest = file.subarray(4_000);
  const done = await patch(rig, camera.key, made.path, 4_000, rest, sum('sha256', rest));
  assert.ok(done.headers.get('artifact-id'));
  const liar = await begin(rig, camera, 4, `sha256 ${base64(sha256(file))}`);
  assert.deepEqual(codeOf(await patch(rig, camera.key, liar.path, 0, Buffer.from('abcd'))), [460, 'checksum_mismatch']);
  assert.equal((await head(rig, camera.key, liar.path)).headers.get('upload-offset'), '0', 'it may begin again');
});

test('[W245] uploads have limits for number, length and time, and end when they are terminated', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const made = await begin(rig, camera, 4);
  assert.deepEqual(codeOf(await patch(rig, camera.key, made.path, 0, Buffer.from('abcde'))), [
    413,
    'payload_too_large',
  ]);
  assert.equal((await head(rig, camera.key, made.path)).headers.get('upload-offset'), '0');
  const old = await send(rig, camera.key, 'PATCH', made.path, { body: 'ab', headers: { 'tus-resumable': '0.2.2' } });
  assert.deepEqual([...codeOf(old), old.headers.get('tus-version')], [412, 'tus_version_unsupported', '1.0.0']);
  const plain = await patch(rig, camera.key, made.path, 0, Buffer.from('ab'), { 'content-type': 'text/plain' });
  assert.deepEqual(codeOf(plain), [415, 'unsupported_media_type']);
  assert.deepEqual(codeOf(await begin(rig, camera, 5 * 2 ** 30 + 1)), [413, 'payload_too_large']);
  assert.deepEqual(codeOf(await begin(rig, camera, 0)), [400, 'parameter_invalid']);
  assert.deepEqual(codeOf(await begin(rig, camera, 4, 'colour cmVk')), [400, 'parameter_unknown']);
  const deferred = await send(rig, camera.key, 'POST', `/devices/${camera.id}/media`, {
    headers: { ...TUS, 'upload-defer-length': '1' },
  });
  assert.deepEqual(codeOf(deferred), [400, 'parameter_missing']);
  for (let i = 1; i < 16; i++) assert.equal((await begin(rig, camera, 4)).status, 201);
  assert.deepEqual(codeOf(await begin(rig, camera, 4)), [409, 'limit_reached']);
  assert.equal((await send(rig, camera.key, 'DELETE', made.path, { headers: TUS })).status, 204);
  assert.equal((await head(rig, camera.key, made.path)).status, 404);
  const last = await begin(rig, camera, 4);
  assert.equal(last.status, 201);
  rig.pass(73 * 3_600_000);
  assert.equal((await head(rig, camera.key, last.path)).status, 404);
  assert.equal((await begin(rig, camera, 4)).status, 201);
});

test('[W245] an upload belongs to its device; people may append to uploads that devices_upload_media created', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const other = await makeDevice(rig, 'dev_other');
  const made = await begin(rig, camera, 4);
  const elsewhere = made.path.replace(camera.id, other.id);
  for (const path of [made.path, elsewhere]) {
    assert.equal((await head(rig, other.key, path)).status, 404);
    assert.equal((await patch(rig, other.key, path, 0, Buffer.from('abcd'))).status, 404);
    assert.equal((await send(rig, other.key, 'DELETE', path, { headers: TUS })).status, 404);
  }
  const stranger = await send(rig, other.key, 'POST', `/devices/${camera.id}/media`, {
    headers: { ...TUS, 'upload-length': '4' },
  });
  assert.equal(stranger.status, 404);
  const client = rig.client();
  const person = await client.call('devices_upload_media', { id: camera.id, bytes: 4, name: 'shot.jpg' });
  const path = (person.upload?.upload_url ?? '').replace(`${rig.base}/api/v1`, '');
  const inProject = { 'project-id': rig.project };
  const done = await patch(rig, rig.key, path, 0, Buffer.from('abcd'), inProject);
  const artifact = await client.call('artifacts_get', { id: done.headers.get('artifact-id') ?? '' });
  assert.deepEqual([artifact.kind, artifact.name, artifact.device_id], ['image', 'shot.jpg', camera.id]);
  assert.equal((await patch(rig, rig.key, path, 0, Buffer.from('abcd'), { 'project-id': rig.other })).status, 404);
  const { secret } = await rig.mint({ role: 'viewer' });
  assert.equal((await patch(rig, secret, path, 0, Buffer.from('abcd'), inProject)).status, 403);
});

test('[W245] of two concurrent appends one succeeds; after a disconnect the upload continues at its offset', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const file = randomBytes(400_000);
  const made = await begin(rig, camera, file.length);
  const socket = connect(rig.http.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `PATCH /api/v1${made.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${camera.key}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 400000\r\n\r\n`,
  );
  socket.write(file.subarray(0, 150_000));
  const offsetNow = async () => Number((await head(rig, camera.key, made.path)).headers.get('upload-offset'));
  await eventually(offsetNow, (bytes) => bytes >= 150_000);
  socket.destroy();
  await once(socket, 'close');
  const offset = await offsetNow();
  assert.equal(offset, 150_000);
  const all = () => Promise.all([1, 2, 3].map(() => patch(rig, camera.key, made.path, offset, file.subarray(offset))));
  // The one that went away may still be held for present; whoever comes then comes again.
  const tries = await eventually(all, (answers) => answers.some(({ status }) => status !== 409));
  assert.equal(tries.filter(({ status }) => status === 204).length, 1);
  assert.ok(tries.every(({ status }) => status === 204 || status === 409));
  assert.equal((await rig.client().call('artifacts_list', { sha256: sha256(file) })).data.length, 1);
});

/** Sends the head of a request and a little of its body, and waits for its refusal, if one comes before `until` does. */
async function halfSent(rig: Rig, lines: readonly string[], until: Promise<unknown>) {
  const socket = connect(rig.http.port, '127.0.0.1');
  socket.on('error', () => {});
  const refusal = new Promise<number>((resolve) => {
    socket.once('data', (text) => resolve(Number(text.toString('latin1').slice(9, 12))));
  });
  socket.write(`${[...lines, 'Host: 127.0.0.1', 'Content-Length: 90000'].join('\r\n')}\r\n\r\n`);
  socket.write(JPEG.subarray(0, 100));
  const status = await Promise.race([refusal, until.then(() => 'waits' as const)]);
  return { status, end: () => socket.destroy() };
}

test('[W21] incomplete uploads and frames of one device do not block another device', async () => {
  const { rig, camera } = await start();
  await using _ = rig;
  const honest = await makeDevice(rig, 'dev_honest');
  const uploads = await Promise.all(Array.from({ length: 12 }, () => begin(rig, camera, 90_000)));
  const auth = `Authorization: Bearer ${camera.key}`;
  let go = () => {};
  const over = new Promise<void>((resolve) => {
    go = resolve;
  });
  const tus = ['Tus-Resumable: 1.0.0', 'Upload-Offset: 0', 'Content-Type: application/offset+octet-stream'];
  const appends = uploads.map(({ path }) => halfSent(rig, [`PATCH /api/v1${path} HTTP/1.1`, auth, ...tus], over));
  const stream = (i: number) => ['POST /api/v1/devices/stream HTTP/1.1', auth, `Idempotency-Key: half${i}`];
  const frames = Array.from({ length: 40 }, (_one, i) =>
    halfSent(rig, [...stream(i), 'Content-Type: image/jpeg'], over),
  );
  // Those that are over the share of the device are refused at once; the others hold their places.
  const first = async (all: readonly Promise<unknown>[], count: number) => {
    let done = 0;
    await new Promise<void>((resolve) => {
      for (const one of all) void one.then(() => ++done === count && resolve());
    });
  };
  await Promise.all([first(appends, 8), first(frames, 32)]);
  const made = await begin(rig, honest, 4);
  const sent = await patch(rig, honest.key, made.path, 0, Buffer.from('abcd'));
  const frame = await raw(rig, honest.key, JPEG, {});
  go();
  assert.deepEqual([sent.status, frame.status], [204, 202]);
  const ends = await Promise.all([...appends, ...frames]);
  assert.equal(ends.filter(({ status }) => status === 429).length, 8 + 32);
  assert.equal(ends.filter(({ status }) => status === 'waits').length, 4 + 8);
  for (const { end } of ends) end();
});
