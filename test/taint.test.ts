/** Secrets of every kind, made and used through a gateway that logs all it can: none may come out where it was not asked for. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import mqtt from 'mqtt';
import { type Client as ApiClient, createClient } from '#contract/client.ts';
import type { OperationName } from '#contract/operations.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';
import { startBackups } from '#store/file/backup.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const cli = join(import.meta.dirname, '..', 'gateway', 'commands', 'cli.ts');

/** The end of a secret: what stands before it may be a name that finds it, and is no secret. */
const core = (secret: string): string => secret.slice(-24);

/** Plants words that a person or a logger chose: a password of log files, and one of a Wi-Fi network. */
async function plantWords(client: ApiClient, id: string, secrets: Map<string, string>): Promise<void> {
  const word = () => randomBytes(24).toString('base64url');
  const [password, pwd] = [word(), word()];
  await client.call('devices_log_password', { id, password });
  const wifi = { keyformat: 0, accesspoint: [{ ssid: 'pit', pwd }] };
  await client.call('devices_config_put', { id, config: { connect: { wifi } } });
  secrets.set('log password', core(password)).set('Wi-Fi password', core(pwd));
}

/** Plants what a person has: an invitation, a passphrase and a session. */
async function plantPerson(client: ApiClient, http: string, secrets: Map<string, string>): Promise<void> {
  const user = await client.call('users_create', { name: 'Mia', role: 'viewer' });
  const { url } = await client.call('users_invite', { id: user.id });
  const token = url.split(/[=#/]/).at(-1) ?? '';
  const passphrase = randomBytes(24).toString('base64url');
  const response = await fetch(`${http}/api/v1/invitation-acceptances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-headframe-page': '1', origin: http },
    body: JSON.stringify({ token, passphrase }),
  });
  const [cookie = ''] = response.headers.getSetCookie();
  const session = /=(ses_[^;]+)/.exec(cookie)?.[1] ?? '';
  secrets.set('invitation', core(token)).set('passphrase', core(passphrase)).set('session', core(session));
}

test('no secret comes out in a log, a tool result, a document, an error, an event or a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-taint-'));
  const free = [
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--bucket-port',
    '0',
    '--host',
    '127.0.0.1',
    '--data',
    folder,
    '--log',
    'debug',
  ];
  const gateway = spawn(process.execPath, [cli, 'start', ...free], {
    env: { PATH: process.env.PATH ?? '', HEADFRAME_API_KEY: OWNER_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  gateway.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  try {
    const ready = await new Promise<{ http: string; mqtt: number }>((resolve) => {
      createInterface({ input: gateway.stdout }).on('line', (line) => {
        const said = line.startsWith('{')
          ? (JSON.parse(line) as { event?: string; http: string; mqtt: number })
          : undefined;
        // What the start prints for its owner is asked for; the rest is a log.
        if (said?.event === 'ready') resolve(said);
        else printed += `${line}\n`;
      });
    });
    const owner = createClient({ base_url: ready.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'Pit' });
    const client = createClient({ base_url: ready.http, key: OWNER_KEY, project_id: project.id });
    const machine = await client.call('equipment_create', { unit_number: 'HT-1' });
    const board = await client.call('dashboards_create', { name: 'Board' });
    const secrets = new Map<string, string>([['owner key', core(OWNER_KEY)]]);
    const provisioned = await client.call(
      'devices_provision',
      { serial: 'SN-1', kind: 'can_logger', equipment_id: machine.id },
      { idempotency_key: 'provision' },
    );
    const deviceKey = provisioned.credential.key ?? '';
    secrets.set('device key', core(deviceKey));
    secrets.set('workspace key', core((await client.call('keys_create', { role: 'admin' })).secret));
    secrets.set('personal token', core((await client.call('personal_tokens_create', { name: 'me' })).secret));
    const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
    secrets.set('share', core(share.url?.split('/').at(-1) ?? ''));
    const hook = await client.call('webhook_endpoints_create', {
      url: 'https://hooks.invalid/x',
      enabled: false,
      kinds: ['note'],
    });
    secrets.set('webhook secret', core(hook.secret));
    const id = provisioned.device.id;
    const pickUp = async (name: string, ref: string | null) => {
      const claim_id = ref?.split('/').at(-1) ?? '';
      secrets.set(name, core((await client.call('devices_hmac_claim', { id, claim_id })).secret ?? ''));
    };
    await pickUp('bucket secret', (await client.call('devices_provision_info', { device_id: id })).hmac.secret_ref);
    await plantWords(client, id, secrets);
    const link = await client.call('fault_links', { equipment_id: machine.id });
    secrets.set('fault link', core(link.url?.split('/').at(-1) ?? ''));
    await plantPerson(client, ready.http, secrets);
    for (const [name, secret] of secrets) assert.ok(secret.length >= 20, `${name} has a core`);

    // Used rightly and wrongly, through every door.
    await client.call('equipment_append_event', { id: machine.id, type: 'note', data: { text: 'x' } });
    const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${ready.mqtt}`, {
      protocolVersion: 4,
      username: provisioned.device.device_id,
      password: deviceKey,
      clientId: 'a',
      reconnectPeriod: 0,
    });
    await device.publishAsync(`v1/devices/${provisioned.device.device_id}/can`, 'no frame at all', { qos: 1 });
    await device.endAsync();
    await mqtt
      .connectAsync(`mqtt://127.0.0.1:${ready.mqtt}`, {
        protocolVersion: 4,
        username: 'somebody-else',
        password: deviceKey,
        reconnectPeriod: 0,
      })
      .then(
        () => assert.fail('a key signs in its own device alone'),
        () => undefined,
      );
    const outside: string[] = [];
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${ready.http}${path}`, init);
      outside.push(`${path}: ${await response.text()} ${JSON.stringify([...response.headers])}`);
    };
    for (const bearer of [deviceKey, `${OWNER_KEY}x`, hook.secret])
      for (const path of ['/api/v1/equipment', '/api/v1/nothing', '/mcp'])
        await ask(path, { headers: { authorization: `Bearer ${bearer}`, 'project-id': project.id } });
    for (const body of ['{', JSON.stringify({ unit_number: 'HT-1' }), JSON.stringify({ unit: 1 })])
      await ask('/api/v1/equipment', {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id, 'content-type': 'application/json' },
      });
    await client.call('devices_api_key_roll', { id: provisioned.device.id });
    for (const path of [
      '/api/v1/openapi.json',
      '/api/v1/operations',
      '/metrics',
      '/docs',
      '/docs/keys',
      '/docs/devices',
      '/healthz',
    ])
      await ask(path);

    const agent = new Client({ name: 'test', version: '0' });
    const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id };
    const transport = new StreamableHTTPClientTransport(new URL(`${ready.http}/mcp`), { requestInit: { headers } });
    await agent.connect(transport as Parameters<Client['connect']>[0]);
    const { tools } = await agent.listTools();
    outside.push(JSON.stringify(tools));
    const ids = [provisioned.device.id, machine.id, board.id, project.id, hook.endpoint.id];
    for (const { name } of tools) {
      if (!operationRow(name as OperationName).hints.readOnly) continue;
      for (const id of ids)
        outside.push(JSON.stringify(await agent.callTool({ name, arguments: { id, task_id: id } })));
    }
    const rolled = await agent.callTool({ name: 'devices_bucket_key_roll', arguments: { id } });
    outside.push(JSON.stringify(rolled));
    await pickUp('rolled bucket secret', (rolled.structuredContent as { secret_ref: string }).secret_ref);
    outside.push(JSON.stringify(await agent.callTool({ name: 'devices_bucket_key_get', arguments: { id } })));
    await agent.close();
    gateway.kill('SIGTERM');
    await new Promise((resolve) => gateway.once('exit', resolve));

    {
      await using backups = startBackups({ folder, clock: Date.now, log: () => {} });
      await backups.now();
    }
    // The copy lies in the data folder, so that one search finds the files of both.
    const copy = join(folder, 'copy');
    const made = spawnSync(process.execPath, [cli, 'backup', copy, '--data', folder], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    printed += made.stdout + made.stderr;
    const sealing = readFileSync(join(folder, 'secret.key'), 'utf8').trim();
    secrets.set('sealing key', sealing);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const keys = entries.filter(({ name }) => name === 'secret.key');
    assert.deepEqual(
      keys.map(({ parentPath }) => parentPath),
      [folder],
      'a backup holds the sealing key',
    );
    const files = entries
      .filter(({ name }) => name !== 'secret.key')
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
    assert.ok(entries.some(({ name }) => name.endsWith('.base.db')) && existsSync(join(copy, 'store', 'headframe.db')));
    assert.ok(printed.length > 0 && outside.length > 100 && files.length > 2);
    assert.ok(!files.some((text) => text.includes('PRIVATE KEY')), 'a file holds a private key of TLS');
    for (const [name, secret] of secrets) {
      assert.ok(!printed.includes(secret), `the log holds the ${name}`);
      const said = outside.find((text) => text.includes(secret));
      assert.equal(said, undefined, `an answer holds the ${name}`);
      assert.ok(!files.some((text) => text.includes(secret)), `a file holds the ${name}`);
    }
  } finally {
    gateway.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
