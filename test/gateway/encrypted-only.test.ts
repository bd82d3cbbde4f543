/** "Encrypted only": an admin allows other computers to use a listener with TLS only. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import mqtt from 'mqtt';
import { WebSocket } from 'ws';
import type { Output } from '#contract/operations.ts';
import { lanAddresses } from '#settings/addresses.ts';
import { addLogger } from '#test/support/bucket.ts';
import { headframe } from '#test/support/command.ts';
import { addMachine, OWNER_KEY, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { soon, until } from '#test/support/until.ts';

/** A loopback address that counts as another computer in these tests. */
const ELSEWHERE = '127.0.0.9';
const isExposed = (socket: Socket) => !(socket instanceof TLSSocket) && socket.remoteAddress === ELSEWHERE;
const start = (folder?: string) => startGateway(folder, { isExposed });

type Listener = Output<'listeners_update'>;

/** Calls an operation over HTTPS, as an admin in a browser does. */
async function overTls(
  gateway: TestGateway,
  name: string,
  encrypted_only: boolean,
): Promise<{ status: number; body: Listener }> {
  const body = JSON.stringify({ encrypted_only });
  const request = requestTls(`https://127.0.0.1:${gateway.node.httpsPort}/api/v1/listeners/${name}`, {
    method: 'PATCH',
    ca: readFileSync(join(gateway.folder, 'tls', 'ca.pem')),
    headers: { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' },
  });
  request.end(body);
  const [answer] = await soon(once(request, 'response'), 'the answer');
  const chunks = await answer.setEncoding('utf8').toArray();
  return { status: answer.statusCode, body: JSON.parse(chunks.join('')) };
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** Sends a request without TLS from another computer. */
async function fromElsewhere(gateway: TestGateway, path: string, headers = {}, method = 'GET'): Promise<Answer> {
  const request = get({
    port: gateway.node.httpPort,
    host: '127.0.0.1',
    localAddress: ELSEWHERE,
    path,
    headers,
    method,
    // The gateway closes open sockets of other computers, so none is used twice.
    agent: false,
  });
  const [answer] = await soon(once(request, 'response'), `an answer to ${path}`);
  const chunks = await answer.setEncoding('utf8').toArray();
  return { status: answer.statusCode, location: answer.headers.location, body: chunks.join('') };
}

async function listener(gateway: TestGateway, name: Listener['name']): Promise<Listener> {
  const { data } = await gateway.client.call('listeners_list', {});
  return data.find((one) => one.name === name) as Listener;
}

const KEY = { authorization: `Bearer ${OWNER_KEY}` };

test('[E11] while HTTP is encrypted only, other computers get the pages of /trust, a redirect of pages, and nothing else', async () => {
  await using gateway = await start();
  const { httpsPort } = gateway.node;
  assert.equal((await fromElsewhere(gateway, '/api/v1/projects', KEY)).status, 200);
  assert.equal((await overTls(gateway, 'http', true)).status, 200);
  for (const path of ['/trust', '/trust/ca.pem', '/trust/ca.crl', '/docs/reference.css'])
    assert.equal((await fromElsewhere(gateway, path)).status, 200, path);
  for (const path of ['/', '/tv/abc?x=1', '/docs', '/report/abc']) {
    const { status, location } = await fromElsewhere(gateway, path);
    assert.deepEqual([status, location], [308, `https://127.0.0.1:${httpsPort}${path}`]);
  }
  for (const path of ['/api/v1/projects', '/mcp', '/metrics', '/healthz', '/aemp/Fleet', '/api/v1/openapi.json']) {
    const { status, body } = await fromElsewhere(gateway, path, KEY);
    assert.deepEqual([status, JSON.parse(body).error.code], [403, 'encryption_required'], path);
  }
  assert.equal((await fromElsewhere(gateway, '/', KEY)).status, 403);
  assert.equal((await fromElsewhere(gateway, '/', {}, 'POST')).status, 403);
  // Programs on this computer go on.
  assert.equal((await listener(gateway, 'http')).encrypted_only, true);
  await gateway.client.call('listeners_update', { name: 'http', encrypted_only: false });
  assert.equal((await fromElsewhere(gateway, '/api/v1/projects', KEY)).status, 200);
});

test('[E11] the setting closes open sockets without TLS of other computers at once, and no others', async () => {
  await using gateway = await start();
  const open = async (localAddress: string, port: number) => {
    const socket = dial({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const { httpPort, bucketPort } = gateway.node;
  const far = [await open(ELSEWHERE, httpPort), await open(ELSEWHERE, bucketPort)] as const;
  const near = [await open('127.0.0.1', httpPort), await open('127.0.0.1', bucketPort)] as const;
  for (const socket of [...far, ...near]) socket.write('GET /trust HTTP/1.1\r\nHost: localhost\r\n\r\n');
  for (const socket of [...far, ...near]) await soon(once(socket, 'data'), 'an answer');
  const closed = far.map((socket) => once(socket, 'close'));
  await overTls(gateway, 'http', true);
  await soon(closed[0] as Promise<unknown>, 'the close of the HTTP socket');
  await overTls(gateway, 'bucket', true);
  await soon(closed[1] as Promise<unknown>, 'the close of the socket of the bucket');
  for (const socket of near) {
    assert.equal(socket.destroyed, false);
    socket.destroy();
  }
});

test('[E11] MQTT that is encrypted only ends connections of other computers and names their devices, also over WebSocket', async () => {
  await using gateway = await start();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const client = gateway.project(project.id);
  const login = ({ device_id, key }: { device_id: string; key: string }) => ({
    username: device_id,
    password: key,
    clientId: device_id,
    reconnectPeriod: 0,
  });
  const [tcp, web, local] = [
    await addMachine(client, 'HT-1'),
    await addMachine(client, 'HT-2'),
    await addMachine(client, 'HT-3'),
  ] as const;
  const { mqttPort, httpPort, mqttsPort } = gateway.node;
  const url = `mqtt://127.0.0.1:${mqttPort}`;
  const fromFar = (options: mqtt.IClientOptions) =>
    new mqtt.MqttClient(() => dial({ port: mqttPort, host: '127.0.0.1', localAddress: ELSEWHERE }), options);
  const over = fromFar(login(tcp));
  await soon(new Promise((done) => over.once('connect', done)), 'the login');
  const socket = { wsOptions: { localAddress: ELSEWHERE } };
  const overWeb = await mqtt.connectAsync(`ws://127.0.0.1:${httpPort}/mqtt`, { ...login(web), ...socket });
  const near = await mqtt.connectAsync(url, login(local));
  const before = await listener(gateway, 'mqtt');
  assert.deepEqual(before.plain_users.map(({ name, is_connected }) => [name, is_connected]).sort(), [
    [tcp.device_id, true],
    [web.device_id, true],
  ]);
  const { status, body } = await overTls(gateway, 'mqtt', true);
  assert.deepEqual([status, body.encrypted_only], [200, true]);
  await until(() => !over.connected && !overWeb.connected);
  assert.equal(near.connected, true);
  const { data } = await client.call('audit_list', { of: 'gateway', subject: 'mqtt' });
  const [entry] = data.map((one) => one.data as { disconnected: string[] });
  assert.deepEqual(entry?.disconnected.toSorted(), [tcp.device_id, web.device_id].toSorted());

  const again = fromFar(login(tcp));
  await soon(new Promise((done) => again.once('close', () => done(null))), 'the refusal');
  const refused = new WebSocket(`ws://127.0.0.1:${httpPort}/mqtt`, 'mqtt', { localAddress: ELSEWHERE });
  const [, answer] = await soon(once(refused, 'unexpected-response'), 'the refusal');
  assert.equal(answer.statusCode, 403);
  const ca = readFileSync(join(gateway.folder, 'tls', 'ca.pem'));
  const secure = await mqtt.connectAsync(`mqtts://127.0.0.1:${mqttsPort}`, { ...login(tcp), ca });
  assert.deepEqual(
    (await listener(gateway, 'mqtt')).plain_users.map(({ is_connected }) => is_connected),
    [false, false],
  );
  for (const one of [over, overWeb, near, secure, again]) await one.endAsync(true);
});

test('[E11] who used a listener without TLS is known by name, also after a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  {
    await using gateway = await start(folder);
    const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
    await fromElsewhere(gateway, '/api/v1/projects', KEY);
    await fromElsewhere(gateway, '/tv/some-link');
    const logger = await addLogger(gateway, project.id, 'CL-1');
    const { path, headers } = logger.prepare({ key: 'CL-1/a.log' });
    const asked = get({ port: gateway.node.bucketPort, host: '127.0.0.1', localAddress: ELSEWHERE, path, headers });
    const [answer] = await soon(once(asked, 'response'), 'an answer of the bucket');
    assert.equal(answer.statusCode, 404);
    answer.resume();
    await gateway.client.call('projects_list', {});
  }
  await using gateway = await start(folder);
  const http = await listener(gateway, 'http');
  assert.deepEqual(
    http.plain_users.map(({ kind, name }) => `${kind} ${name}`),
    [`screen Screen at ${ELSEWHERE}`, 'key HEADFRAME_API_KEY'],
  );
  assert.equal(http.plain_users_total, 2);
  const bucket = await listener(gateway, 'bucket');
  assert.deepEqual(
    bucket.plain_users.map(({ kind, name, address }) => [kind, name, address]),
    [['device', 'CL-1', ELSEWHERE]],
  );
});

test('[E11] the setting survives a restart, and `headframe listeners` ends it with and without a running gateway', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  {
    await using gateway = await start(folder);
    for (const name of ['http', 'mqtt', 'bucket']) assert.equal((await overTls(gateway, name, true)).status, 200);
  }
  {
    await using gateway = await start(folder);
    assert.equal((await fromElsewhere(gateway, '/api/v1/projects', KEY)).status, 403);
    assert.match(String((await headframe(['listeners', '--data', folder])).stdout), /mqtt +encrypted only/);
    const { stdout } = await headframe(['listeners', 'http', '--plain', 'on', '--data', folder]);
    assert.match(String(stdout), /http accepts connections without TLS/);
    assert.equal((await fromElsewhere(gateway, '/api/v1/projects', KEY)).status, 200);
    assert.match(
      (await headframe(['listeners', 'http', '--plain', 'off', '--data', folder])).stderr,
      /First open https/,
    );
  }
  await headframe(['listeners', 'mqtt', '--plain', 'on', '--data', folder]);
  await using gateway = await start(folder);
  assert.equal((await listener(gateway, 'mqtt')).encrypted_only, false);
  assert.equal((await listener(gateway, 'bucket')).encrypted_only, true);
});

test('[E11] plain HTTP is not turned off by a call that came over it, nor by a key of one project', async () => {
  await using gateway = await start();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  await assert.rejects(gateway.client.call('listeners_update', { name: 'http', encrypted_only: true }), {
    code: 'lockout_refused',
  });
  await gateway.client.call('listeners_update', { name: 'mqtt', encrypted_only: true });
  const { secret } = await gateway.client.call('keys_create', { role: 'admin', project_ids: [project.id] });
  const headers = { authorization: `Bearer ${secret}` };
  const { status, body } = await fromElsewhere(gateway, '/api/v1/listeners', headers);
  assert.deepEqual([status, JSON.parse(body).error.code], [403, 'permission_denied']);
});

test('[E11] new devices and loggers get the port with TLS while the listener is encrypted only', async () => {
  await using gateway = await start();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const client = gateway.project(project.id);
  const { mqttsPort, bucketTlsPort } = gateway.node;
  for (const name of ['mqtt', 'bucket'] as const)
    await gateway.client.call('listeners_update', { name, encrypted_only: true });
  const made = await client.call('devices_provision', { serial: 'SN-1', kind: 'can_logger' });
  assert.deepEqual([made.mqtt.encrypted_only, made.mqtt.tls_port], [true, mqttsPort]);
  const info = await client.call('devices_provision_info', { serial: 'SN-1' });
  assert.match(info.endpoint, /^https:/);
  assert.equal(info.port, bucketTlsPort);
});

test('[E11] a port on all addresses is closed for the network, and stays open for this computer', {
  skip: lanAddresses().length === 0 ? 'this computer has no address in a network' : false,
}, async (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const address = lanAddresses()[0] as string;
  const reach = async (host: string, port: number): Promise<string> => {
    const socket = dial(port, host);
    const answer = await soon(
      new Promise<string>((done) => {
        socket.once('connect', () => done('open'));
        socket.once('error', (error: NodeJS.ErrnoException) => done(String(error.code)));
      }),
      'a connection',
    );
    socket.destroy();
    return answer;
  };
  {
    await using gateway = await startGateway(folder, {}, {}, '0.0.0.0');
    const { mqttPort, bucketPort } = gateway.node;
    for (const [name, port] of [
      ['mqtt', mqttPort],
      ['bucket', bucketPort],
    ] as const) {
      assert.equal(await reach(address, port), 'open');
      await gateway.client.call('listeners_update', { name, encrypted_only: true });
      await until(async () => (await reach(address, port)) === 'ECONNREFUSED');
      await until(async () => (await reach('127.0.0.1', port)) === 'open');
      await gateway.client.call('listeners_update', { name, encrypted_only: false });
      await until(async () => (await reach(address, port)) === 'open');
      await gateway.client.call('listeners_update', { name, encrypted_only: true });
    }
  }
  await using gateway = await startGateway(folder, {}, {}, '0.0.0.0');
  for (const port of [gateway.node.mqttPort, gateway.node.bucketPort]) {
    assert.equal(await reach(address, port), 'ECONNREFUSED');
    assert.equal(await reach('127.0.0.1', port), 'open');
  }
});
