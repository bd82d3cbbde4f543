/** Secrets that callers give or get must stand nowhere else: not in logs, answers, errors, the data folder or backups. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import mqtt from 'mqtt';
import { type Client, createClient } from '#contract/client.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { readKeys } from '#gateway/sealer.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { provisionLogger } from '#test/support/bucket.ts';
import { headframe } from '#test/support/command.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const PASSPHRASE = 'planted quiet haul roads';
const WRONG_PASSPHRASE = 'planted but not the right one';
const PIN = '492716';
const WRONG_PIN = '492715';
const LOG_PASSWORD = 'planted-log-password';
const WIFI = 'planted-wifi-password';
const CONTROL = 'planted name of the site';

/** Starts `headframe start` with the log level debug, and collects all that it prints. */
async function startTalking(data: string) {
  const ports = [
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--bucket-port',
    '0',
    '--https-port',
    '0',
    '--mqtts-port',
    '0',
    '--bucket-tls-port',
    '0',
  ];
  const child = spawn(
    process.execPath,
    [CLI, 'start', ...ports, '--host', '127.0.0.1', '--log', 'debug', '--data', data],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HEADFRAME_API_KEY: OWNER_KEY } },
  );
  let printed = '';
  child.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const ready = await new Promise<{ http: string; mqtt: number; bucket: number }>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      printed += `${line}\n`;
      if (line.includes('"event":"ready"')) resolve(JSON.parse(line));
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${printed}`)));
  });
  return {
    ready,
    printed: () => printed,
    async stop() {
      const end = once(child, 'exit');
      child.kill('SIGTERM');
      await end;
    },
  };
}

/** The forms in which a secret could stand in a file or text. */
function formsOf(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  // Three alignments of base64: without the characters that depend on the bytes around the secret.
  const encoded = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(before === 0 ? 0 : before + 1, -2);
  });
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), ...encoded].map((text) => Buffer.from(text));
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Sends what a page sends to sign in, and returns the cookie and the rest of the answer. */
async function open(
  http: string,
  path: string,
  body: object,
  cookie = '',
): Promise<{ cookie: string; token: string; rest: string }> {
  const answer = await fetch(`${http}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'headframe-page': '1', origin: http, cookie },
    body: JSON.stringify(body),
  });
  const [line = ''] = answer.headers.getSetCookie();
  const [set = ''] = line.split(';');
  return { cookie: set, token: set.split('=')[1] ?? '', rest: `${answer.status} ${await answer.text()}` };
}

/** Returns the tokens of a link, a page or a file: everything after the last `=`, `/` or `#`. */
const tokenOf = (url: string) => url.split(/[=/#]/).at(-1) ?? '';

/** Names each secret that a text or file contains. */
function findings(secrets: Readonly<Record<string, string>>, where: string, content: Uint8Array): string[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).some((form) => bytes.includes(form)) ? [`${name} in ${where}`] : [],
  );
}

/** Makes one of each further secret of the gateway. `signed` has the answers that gave them, without the secrets. */
async function plantMore(of: {
  data: string;
  http: string;
  bucket: number;
  client: Client;
  site: Client;
  device: string;
  user: string;
}) {
  const { data, http, bucket, client, site, device, user } = of;
  const personal = await client.call('personal_tokens_create', { name: 'transcripts' });
  await site.call('devices_log_password', { id: device, password: LOG_PASSWORD });
  const logger = await provisionLogger(site, bucket, 'SN-2');
  const machine = await site.call('equipment_create', { unit_number: 'T-1' });
  const fault = await site.call('fault_links', { equipment_id: machine.id, action: 'read-or-create' });
  const tablet = await site.call('tablets_create', { name: 'Workshop', roles: ['operator'] });
  const openInvitation = await client.call('users_invite', {
    id: (await client.call('users_create', { name: 'Ben', role: 'viewer' })).id,
  });
  const session = await open(http, 'session', { name: 'Ana', passphrase: PASSPHRASE });
  const enrolled = await open(http, 'tablet-enrolments', { token: tokenOf(tablet.url) });
  const person = { user_id: user };
  const wrongPin = await open(http, 'tablet/session', { ...person, pin: WRONG_PIN }, enrolled.cookie);
  const byPin = await open(http, 'tablet/session', { ...person, pin: PIN }, enrolled.cookie);
  assert.match(wrongPin.rest, /This PIN is wrong/);
  const claim = await headframe(['claim-code', '--data', data]);
  const code = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(String(claim.stdout))?.[0] ?? '';
  const recovery = await headframe(['recovery-code', '--data', data]);
  const paper = [...String(recovery.stdout).matchAll(/^ {2}(\S+)$/gm)].map(([, groups]) => groups).join('-');
  const sealing = readKeys(data)[0]?.toString('base64url') ?? '';
  const token = JSON.parse(readFileSync(join(data, 'control.json'), 'utf8')).token as string;
  assert.match(code, /-/, String(claim.stderr));
  return {
    code,
    cookies: [session.cookie, `${session.cookie}x`, enrolled.cookie, byPin.cookie],
    signed: [session.rest, enrolled.rest, wrongPin.rest, byPin.rest],
    secrets: {
      'an open invitation': tokenOf(openInvitation.url),
      'a session': session.token,
      'the link of a tablet': tokenOf(tablet.url),
      'the credential of a tablet': enrolled.token,
      'a session by PIN': byPin.token,
      'a personal token': personal.secret,
      'the secret of a bucket': logger.secret,
      'the password of logs': LOG_PASSWORD,
      'the link of a machine': tokenOf(fault.url ?? ''),
      'a recovery code': paper,
      'the sealing key': sealing,
      'the control token': token,
    },
  };
}

test('[Z43] no planted secret stands in logs, answers, errors, the data folder or a backup', async () => {
  using place = temporaryFolder();
  const data = join(place.path, 'data');
  const gateway = await startTalking(data);
  const { http } = gateway.ready;
  const client = createClient({ base_url: http, key: OWNER_KEY });
  const { project } = await client.call('projects_create', { name: CONTROL });
  const site = createClient({ base_url: http, key: OWNER_KEY, project_id: project.id });

  const viewer = await site.call('keys_create', { name: 'office', role: 'viewer' });
  const made = await site.call('devices_provision', { serial: 'SN-1', kind: 'can_logger' });
  const hook = await site.call('webhook_endpoints_create', { url: 'https://example.com/hook', kinds: ['alert.*'] });
  await site.call('devices_config_put', {
    id: made.device.id,
    config: { connect: { wifi: { accesspoint: [{ ssid: 'pit', pwd: WIFI }] } } },
  });
  const user = await client.call('users_create', { name: 'Ana', role: 'operator' });
  const invitation = await client.call('users_invite', { id: user.id });
  const token = /invite=(.+)$/.exec(invitation.url)?.[1] ?? '';
  await client.call('invitation_accept', { token, passphrase: PASSPHRASE, pin: PIN });
  const board = await site.call('dashboards_create', { name: 'Wall' });
  const share = await site.call('display_shares', { kind: 'dashboard', object_id: board.id, action: 'read-or-create' });
  const more = await plantMore({
    data,
    http,
    bucket: gateway.ready.bucket,
    client,
    site,
    device: made.device.id,
    user: user.id,
  });

  const secrets = {
    'the owner key': OWNER_KEY,
    'a key': viewer.secret,
    'a device key': made.credential.key ?? '',
    'a webhook secret': hook.secret,
    'a Wi-Fi password': WIFI,
    'an invitation': token,
    'a passphrase': PASSPHRASE,
    'a wrong passphrase': WRONG_PASSPHRASE,
    'a display link': tokenOf(share.url ?? ''),
    ...more.secrets,
  };
  assert.ok(
    Object.values(secrets).every((secret) => secret.length >= 16),
    'each secret is long enough to be found by chance never',
  );

  // The secrets are used, well and badly, over HTTP and MQTT.
  const answers: string[] = [];
  const say = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${http}${path}`, init);
    answers.push(JSON.stringify([...answer.headers]), await answer.text());
  };
  const json = { 'content-type': 'application/json' };
  const signIn = (passphrase: string) => JSON.stringify({ name: 'Ana', passphrase });
  await say('/api/v1/session', { method: 'POST', headers: json, body: signIn(WRONG_PASSPHRASE) });
  assert.match(answers.at(-1) ?? '', /sign_in_failed/);
  await say('/api/v1/session', { method: 'POST', headers: json, body: `${signIn(PASSPHRASE)}}` });
  for (const cookie of more.cookies) await say('/api/v1/session', { headers: { cookie, 'headframe-page': '1' } });
  await say(`/api/v1/session?token=${more.secrets['a session']}`);
  await say('/api/v1/account-claims', { method: 'POST', headers: json, body: `{"code":"${more.code}","name":1}` });
  await say(new URL(share.url ?? '').pathname);
  answers.push(...more.signed, JSON.stringify(await client.call('health_get', {})));
  await say(`/api/v1/equipment?note=${viewer.secret}`, { headers: { authorization: `Bearer ${viewer.secret}` } });
  await say('/api/v1/equipment', { headers: { authorization: `Bearer ${viewer.secret}x` } });
  await say('/api/v1/keys', {
    headers: { authorization: `Basic ${Buffer.from(`a:${viewer.secret}`).toString('base64')}` },
  });
  await say('/metrics');
  await say('/api/v1/health', { headers: { authorization: `Bearer ${OWNER_KEY}` } });
  for (const [name, row] of Object.entries(operations)) {
    if (row.method !== 'GET' || row.path.includes('{') || name === 'project_live') continue;
    const url = row.scope === 'node' ? client : site;
    const address = url.url(name as OperationName, {} as never);
    const signal = AbortSignal.timeout(2_000);
    const answer = await fetch(address, { headers: url.headers(), signal }).catch(() => undefined);
    if (answer === undefined) continue;
    answers.push(await answer.text().catch(() => ''));
  }
  for (const path of [`devices/${made.device.id}/config`, `devices/${made.device.id}`, `users/${user.id}`])
    await say(`/api/v1/${path}`, { headers: { authorization: `Bearer ${OWNER_KEY}`, 'Project-ID': project.id } });
  const options = { protocolVersion: 4, username: 'SN-1', clientId: 'SN-1', reconnectPeriod: 0 } as const;
  const key = made.credential.key ?? '';
  await assert.rejects(
    mqtt.connectAsync(`mqtt://127.0.0.1:${gateway.ready.mqtt}`, { ...options, password: `${key}x` }),
  );
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${gateway.ready.mqtt}`, { ...options, password: key });
  await device.publishAsync('v1/devices/SN-1/telemetry', '{"values":{"engine.speed":900}}', { qos: 1 });
  await device.endAsync();

  const backup = join(place.path, 'backup');
  const copied = await headframe(['backup', backup, '--data', data]);
  assert.equal(copied.code, 0, copied.stderr);
  await gateway.stop();
  const verified = await headframe(['verify', data]);
  const audit = await headframe(['audit', '--data', data]);

  assert.match(gateway.printed(), /a wrong key or code/);
  assert.ok(answers.join('').includes('SN-1'), 'the answers have content');
  // Files may have these few characters by chance; answers and lines of the log do not have them between quotes.
  const short = { 'a claim code': more.code, 'a PIN': `"${PIN}"`, 'a wrong PIN': `"${WRONG_PIN}"` };
  const text = (where: string, content: string | Uint8Array) => findings(secrets, where, Buffer.from(content));
  const found = [
    ...text('the log', gateway.printed()),
    ...answers.flatMap((answer, i) => text(`answer ${i}`, answer)),
    ...answers.flatMap((answer, i) => findings(short, `answer ${i}`, Buffer.from(answer))),
    ...findings(short, 'the log', Buffer.from(gateway.printed())),
    ...[copied, verified, audit].flatMap(({ stdout, stderr }) => [
      ...text('a command', stdout),
      ...text('an error', stderr),
    ]),
    ...[data, backup].flatMap((folder) =>
      filesOf(folder).flatMap((file) => {
        const found = text(file.slice(place.path.length), readFileSync(file));
        // These two files exist to hold these two secrets. Only the user of the gateway may read them.
        if (file === join(data, 'secret.key')) return found.filter((one) => !one.startsWith('the sealing key'));
        if (file === join(data, 'control.json')) return found.filter((one) => !one.startsWith('the control token'));
        return found;
      }),
    ),
  ];
  assert.deepEqual(found, []);
  // No private key of TLS stands in a file in clear text.
  const clear = [data, backup].flatMap(filesOf).filter((file) => readFileSync(file).includes('PRIVATE KEY-----'));
  assert.deepEqual(clear, []);
  // The search finds what does stand in the files.
  const control = filesOf(data).flatMap((file) => findings({ CONTROL }, file, readFileSync(file)));
  assert.ok(control.length > 0);
});
