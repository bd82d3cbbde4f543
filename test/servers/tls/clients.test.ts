/** Real clients that connect over TLS with the certificate of the site authority. */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import mqtt from 'mqtt';
import { chromium } from 'playwright';
import { backUpFolder } from '#commands/custody.ts';
import type { Client } from '#contract/client.ts';
import { qrSvg } from '#gateway/qr.ts';
import { connectPacket } from '#test/servers/mqtt/broker-rig.ts';
import { addLogger } from '#test/support/bucket.ts';
import { addMachine, eventually, OWNER_KEY, startGateway, type TestGateway } from '#test/support/gateway.ts';

const CLI = join(import.meta.dirname, '../../../gateway/commands/cli.ts');
const EXAMPLES = join(import.meta.dirname, '../../../examples');
const CHROMIUM = process.env.HEADFRAME_CHROMIUM ?? '/usr/bin/chromium';
const execute = promisify(execFile);
const without = (...programs: string[]) => {
  const absent = programs.find((name) => spawnSync('which', [name]).status !== 0);
  return absent === undefined ? false : `${absent} is not installed`;
};

let gateway: TestGateway;
let client: Client;
let project: string;
let folder: string;
let ca: string;

before(async () => {
  gateway = await startGateway();
  project = (await gateway.client.call('projects_create', { name: 'Quarry' })).project.id;
  client = gateway.project(project);
  folder = mkdtempSync(join(tmpdir(), 'headframe-tls-'));
  ca = join(folder, 'ca.pem');
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs an example program that trusts the site authority. */
async function example(name: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const { stdout } = await execute(process.execPath, [join(EXAMPLES, name), ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_EXTRA_CA_CERTS: ca, ...env },
  });
  return stdout;
}

test('[E6] the certificate of the site authority is served without a key, over HTTP and over HTTPS', async () => {
  const answer = await fetch(`${gateway.node.http}/trust/ca.pem`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/x-x509-ca-cert');
  writeFileSync(ca, await answer.text());
  assert.equal(readFileSync(ca, 'utf8'), readFileSync(join(gateway.folder, 'tls', 'ca.pem'), 'utf8'));
});

test('[E6] the page /trust shows the fingerprint, a QR code and the steps of each system without a key', async () => {
  const answer = await fetch(`${gateway.node.http}/trust`);
  assert.equal(answer.status, 200);
  const html = await answer.text();
  const { fingerprint256 } = new X509Certificate(readFileSync(join(gateway.folder, 'tls', 'ca.pem')));
  assert.ok(html.includes(fingerprint256));
  const { httpsPort, mqttsPort, bucketTlsPort } = gateway.node;
  for (const shown of [`https://127.0.0.1:${httpsPort}/`, `-p ${mqttsPort} `, `<code>${bucketTlsPort}</code>`])
    assert.ok(html.includes(shown), shown);
  const code = qrSvg(`${gateway.node.http}/trust/ca.pem`);
  assert.ok(code !== null && html.includes(code));
  for (const system of ['Windows', 'Android', 'iPhone', 'macOS', 'Linux', 'mosquitto', 'CANedge'])
    assert.match(html, new RegExp(`<h2>[^<]*${system}`));
  assert.doesNotMatch(html, /uses a certificate from files/);
});

test('[E5] curl reads over HTTPS with the site authority, and refuses the gateway without it', {
  skip: without('curl'),
}, async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = `https://${host}:${gateway.node.httpsPort}/api/v1/projects`;
    const { stdout } = await execute('curl', ['-sS', '--cacert', ca, '-H', `authorization: Bearer ${OWNER_KEY}`, url]);
    assert.equal(JSON.parse(stdout).data[0].id, project);
    await assert.rejects(execute('curl', ['-sS', url]), /self-signed certificate|unable to get local issuer/);
  }
  const old = ['-sS', '--cacert', ca, '--tls-max', '1.1', `https://localhost:${gateway.node.httpsPort}/healthz`];
  await assert.rejects(execute('curl', old), /alert protocol version|unsupported protocol|no protocols available/);
});

test('[E5] a link in an answer over HTTPS begins with https', { skip: without('curl') }, async () => {
  const { data } = await client.call('playlists_list', {});
  const base = `https://localhost:${gateway.node.httpsPort}`;
  const headers = ['-H', `authorization: Bearer ${OWNER_KEY}`, '-H', `project-id: ${project}`];
  const body = [
    '-H',
    'content-type: application/json',
    '-d',
    JSON.stringify({ kind: 'playlist', object_id: data[0]?.id, action: 'read-or-create' }),
  ];
  const { stdout } = await execute('curl', [
    '-sS',
    '--cacert',
    ca,
    ...headers,
    ...body,
    `${base}/api/v1/display-shares`,
  ]);
  assert.match(stdout, /"https:\/\/[\d.]+:\d+\/tv\//);
});

test('[E5] mosquitto_pub publishes over TLS with the site authority, and refuses the gateway without it', {
  skip: without('mosquitto_pub'),
}, async () => {
  const { device_id, key, equipment_id } = await addMachine(client, 'HT-1');
  const to = ['-h', 'localhost', '-p', String(gateway.node.mqttsPort), '-u', device_id, '-P', key, '-i', device_id];
  const frame = `(${(Date.now() / 1000).toFixed(6)}) can0 18FEE500#20480100FFFFFFFF`;
  const message = ['-q', '1', '-t', `v1/devices/${device_id}/can`, '-m', frame];
  await execute('mosquitto_pub', ['--cafile', ca, ...to, ...message]);
  const machine = await eventually(
    () => client.call('equipment_get', { id: equipment_id }),
    ({ engine_hours }) => engine_hours !== null,
  );
  assert.equal(machine.engine_hours, 4200);
  await assert.rejects(execute('mosquitto_pub', ['--capath', folder, ...to, ...message]), /certificate|TLS/);
});

test('[E5] Node fetch, MQTT.js, the MCP client and the AWS SDK connect with the site authority', async () => {
  const { httpsPort, mqttsPort, bucketTlsPort } = gateway.node;
  const web = { GATEWAY_URL: `https://localhost:${httpsPort}`, GATEWAY_KEY: OWNER_KEY, PROJECT_ID: project };
  assert.match(await example('rest.ts', web, 'HT-2'), /^created eq_/);
  assert.match(await example('mcp-client.ts', web), /^\d{2,} tools\n/);
  const { device_id, key } = await addMachine(client, 'HT-3');
  const device = { GATEWAY_MQTT: `mqtts://localhost:${mqttsPort}`, DEVICE_ID: device_id, DEVICE_KEY: key };
  assert.equal(await example('mqtt-device.ts', device), 'frame acknowledged\nvalue acknowledged\n');
  const logger = await addLogger(gateway, project, 'CL-1');
  const pair = { DEVICE_ID: 'CL-1', ACCESS_KEY: logger.access, SECRET_KEY: logger.secret };
  const file = join(folder, 'drive.log');
  writeFileSync(file, '(1760000000.000000) can0 18FEE500#20480100FFFFFFFF\n');
  const stored = await example(
    'bucket-upload.ts',
    { GATEWAY_BUCKET: `https://localhost:${bucketTlsPort}`, ...pair },
    file,
  );
  assert.match(stored, /^stored CL-1\//);
  await assert.rejects(example('rest.ts', { ...web, NODE_EXTRA_CA_CERTS: '' }, 'HT-4'), /SELF_SIGNED|UNABLE_TO/);
});

test('[E5] `headframe bridge` sends frames over TLS with the site authority', async () => {
  const { device_id, key, equipment_id } = await addMachine(client, 'HT-7');
  const frame = `(${(Date.now() / 1000).toFixed(6)}) can0 18FEE500#20480100FFFFFFFF\n`;
  const bus = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(frame);
  });
  await once(bus.listen(0, '127.0.0.1'), 'listening');
  const { port } = bus.address() as AddressInfo;
  const to = ['--source', `candump-tcp:127.0.0.1:${port}`, '--gateway', `mqtts://localhost:${gateway.node.mqttsPort}`];
  const bridge = spawn(process.execPath, [CLI, 'bridge', ...to, '--device', device_id, '--data', folder], {
    env: { PATH: process.env.PATH ?? '', NODE_EXTRA_CA_CERTS: ca, HEADFRAME_BRIDGE_KEY: key },
    stdio: 'ignore',
  });
  const machine = await eventually(
    () => client.call('equipment_get', { id: equipment_id }),
    ({ engine_hours }) => engine_hours !== null,
  );
  assert.equal(machine.engine_hours, 4200);
  const ended = once(bridge, 'exit');
  bridge.kill();
  await ended;
  bus.close();
});

test('[B27] MQTT.js connects over a WebSocket with TLS, with the site authority only', async () => {
  const { device_id, key } = await addMachine(client, 'HT-5');
  const url = `wss://localhost:${gateway.node.httpsPort}/mqtt`;
  const login = { username: device_id, password: key, clientId: device_id, reconnectPeriod: 0 };
  await assert.rejects(mqtt.connectAsync(url, login), /self-signed|unable to verify/);
  const device = await mqtt.connectAsync(url, { ...login, ca: readFileSync(ca) });
  const payload = JSON.stringify({ t: new Date().toISOString(), values: { 'engine.speed': 1_234 } });
  await device.publishAsync(`v1/devices/${device_id}/telemetry`, payload, { qos: 1 });
  await device.endAsync();
});

test('[E5] s3cmd uploads over TLS with the site authority, and refuses the gateway without it', {
  skip: without('s3cmd'),
}, async () => {
  const logger = await addLogger(gateway, project, 'CL-2');
  const at = `localhost:${gateway.node.bucketTlsPort}`;
  const file = join(folder, 'route.log');
  writeFileSync(file, '(1760000000.000000) can0 18FEE500#20480100FFFFFFFF\n');
  const pair = [`--access_key=${logger.access}`, `--secret_key=${logger.secret}`];
  const config = join(folder, 's3cfg');
  writeFileSync(config, '[default]\n');
  const call = ['-c', config, ...pair, `--host=${at}`, `--host-bucket=${at}`, '--region=us-east-1', '--ssl'];
  const put = ['put', file, 's3://headframe/CL-2/route.log'];
  const { stdout } = await execute('s3cmd', [...call, `--ca-certs=${ca}`, ...put]);
  assert.match(stdout, /upload:/);
  // s3cmd repeats a failed request for a long time, so end it after the first failure.
  const refused = spawn('s3cmd', [...call, ...put], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const chunk of refused.stderr) {
    said += chunk;
    if (/certificate verify failed/i.test(said)) break;
  }
  refused.kill();
  assert.match(said, /certificate verify failed/i);
});

test('[E5] [B27] Chromium opens the office page and an MQTT WebSocket over HTTPS with the site authority as a root of the user', {
  skip: without(CHROMIUM, 'certutil'),
}, async () => {
  const database = join(folder, '.pki', 'nssdb');
  await execute('mkdir', ['-p', database]);
  await execute('certutil', ['-d', `sql:${database}`, '-N', '--empty-password']);
  const url = `https://localhost:${gateway.node.httpsPort}/`;
  const { device_id, key } = await addMachine(client, 'HT-6');
  const hello = connectPacket(device_id, device_id, { key });
  const open = async () => {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox'],
      env: { ...process.env, HOME: folder },
    });
    try {
      const page = await browser.newPage();
      const answer = await page.goto(url);
      const connack = await page.evaluate(
        ([at, bytes]) =>
          new Promise<string>((done) => {
            const socket = new WebSocket(at, 'mqtt');
            socket.binaryType = 'arraybuffer';
            socket.onopen = () => socket.send(Uint8Array.from(bytes));
            socket.onmessage = ({ data }) => done(new Uint8Array(data).join(' '));
            socket.onclose = ({ code }) => done(`closed with ${code}`);
          }),
        [`${url.replace('https:', 'wss:')}mqtt`, [...hello]] as const,
      );
      return `${answer?.status()} ${await page.evaluate('isSecureContext')} ${connack}`;
    } finally {
      await browser.close();
    }
  };
  await assert.rejects(open(), /ERR_CERT_AUTHORITY_INVALID/);
  await execute('certutil', ['-d', `sql:${database}`, '-A', '-t', 'C,,', '-n', 'site', '-i', ca]);
  assert.equal(await open(), '200 true 32 2 0 0');
});

test('[E4] a backup has no key of the site authority or of the certificate', async () => {
  const secrets = ['ca-key.pem', 'key.pem'].map(
    (name) => readFileSync(join(gateway.folder, 'tls', name), 'utf8').split('\n')[1] as string,
  );
  const copy = join(folder, 'copy');
  await backUpFolder(gateway.folder, copy);
  const files = readdirSync(copy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length >= 3);
  for (const { parentPath, name } of files) {
    const content = readFileSync(join(parentPath, name), 'latin1');
    for (const secret of secrets) assert.ok(!content.includes(secret), name);
  }
});
