import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { backUpFolder, restoreFolder } from '#commands/custody.ts';
import type { Client } from '#contract/client.ts';
import { recoveryCode } from '#gateway/recovery-code.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { addMachine, connectDevice, startGateway, type TestMachine } from '#test/support/gateway.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
let machine: TestMachine;
let board: string;
let project: string;
let secret: string;
let code: string;

const command = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, [CLI, ...args], { input, encoding: 'utf8' });

async function pairOf(client: Client): Promise<string | null> {
  const { hmac } = await client.call('devices_provision_info', { device_id: machine.device });
  const claim_id = hmac.secret_ref.split('/').at(-1) ?? '';
  return (await client.call('devices_hmac_claim', { id: machine.device, claim_id })).secret;
}

before(async () => {
  folder = temporaryFolder();
  home = join(folder.path, 'home');
  {
    await using gateway = await startGateway(home);
    project = (await gateway.client.call('projects_create', { name: 'North Pit' })).project.id;
    const client = gateway.project(project);
    machine = await addMachine(client, 'HT-14');
    secret = (await pairOf(client)) ?? '';
    board = (await client.call('dashboards_create', { name: 'Pit' })).id;
    await client.call('display_shares', { kind: 'dashboard', object_id: board });
    await client.call('fault_links', { equipment_id: machine.equipment_id });
    const hook = { url: 'https://hooks.invalid/x', enabled: false, kinds: ['note'] };
    await client.call('webhook_endpoints_create', hook);
    await client.call('devices_log_password', { id: machine.device, password: 'blasting-at-noon' });
    const wifi = { keyformat: 0, accesspoint: [{ ssid: 'pit', pwd: 'blasting-at-noon' }] };
    await client.call('devices_config_put', { id: machine.device, config: { connect: { wifi } } });
  }
  const printed = command('', 'recovery-code', '--data', home);
  assert.equal(printed.status, 0, printed.stderr);
  code = printed.stdout.match(/^ {2}([0-9A-Z-]+)$/gm)?.join('\n') ?? '';
});
after(() => folder[Symbol.dispose]());

/** Restores a copy of the gateway without its key, as on another machine. */
async function restored(name: string): Promise<string> {
  const [copy, place] = [join(folder.path, `copy ${name}`), join(folder.path, name)];
  await backUpFolder(home, copy);
  await restoreFolder(copy, place);
  assert.ok(!existsSync(join(copy, 'secret.key')) && !existsSync(join(place, 'secret.key')));
  return place;
}

test('[Z42] a gateway restored without its key names what must be set again, and works otherwise', async () => {
  const place = await restored('without');
  await using gateway = await startGateway(place);
  const client = gateway.project(project);
  const lost = async () => (await client.call('health_get', {})).problems.find((one) => one.code === 'secrets_lost');
  const problem = await lost();
  for (const words of [
    '1 key pair of a logger (roll it)',
    '1 secret in a logger configuration',
    '1 password of log files',
    '1 secret of a webhook',
    '1 address of a display link',
    '1 QR code of a machine',
  ])
    assert.ok(problem?.message.includes(words), `${words}: ${problem?.message}`);
  assert.match(problem?.remedy ?? '', /headframe recovery-code --enter/);
  await (await connectDevice(gateway.node.mqttPort, machine)).endAsync();
  await assert.rejects(pairOf(client), /restored without its key/);
  assert.equal((await client.call('display_shares', { kind: 'dashboard', object_id: board })).url, null);
  assert.equal((await client.call('webhook_endpoints_list', {})).data.length, 1);
  const { access_key_id } = await client.call('devices_bucket_key_roll', { id: machine.device });
  assert.ok(access_key_id);
  assert.notEqual(await pairOf(client), secret);
});

test('[Z42] the recovery code brings every secret back; a code with a typing error or of another gateway changes nothing', async () => {
  const place = await restored('with');
  const enter = (typed: string) => command(typed, 'recovery-code', '--enter', '--data', place);
  const wrong = enter(code.replace(/^( *)(.)/, (_all, space, first) => `${space}${first === '0' ? '1' : '0'}`));
  assert.match(wrong.stderr, /Group 1 of the recovery code has a typing error/);
  assert.notEqual(wrong.status, 0);
  assert.match(enter(recoveryCode(randomBytes(32))).stderr, /of another gateway. Nothing was changed/);
  assert.ok(!existsSync(join(place, 'secret.key')));
  const right = enter(`${code.toLowerCase()}\n\n`);
  assert.equal(right.status, 0, right.stderr);
  await using gateway = await startGateway(place);
  const client = gateway.project(project);
  const { problems } = await client.call('health_get', {});
  assert.deepEqual(
    problems.filter((one) => one.code === 'secrets_lost'),
    [],
  );
  assert.equal(await pairOf(client), secret);
  assert.ok((await client.call('display_shares', { kind: 'dashboard', object_id: board })).url);
});

test('[Z42] the code can still be entered after the gateway has started without it', async () => {
  const place = await restored('late');
  {
    await using gateway = await startGateway(place);
    await gateway.project(project).call('webhook_endpoints_create', {
      url: 'https://hooks.invalid/y',
      enabled: false,
      kinds: ['note'],
    });
    assert.match(command(code, 'recovery-code', '--enter', '--data', place).stderr, /A gateway runs on/);
  }
  assert.equal(command(code, 'recovery-code', '--enter', '--data', place).status, 0);
  await using gateway = await startGateway(place);
  const { problems } = await gateway.client.call('health_get', {});
  assert.ok(!problems.some((one) => one.code === 'secrets_lost'), JSON.stringify(problems));
  assert.equal(await pairOf(gateway.project(project)), secret);
});

test('[Z42] a copy has the key only on request, and restore says what is missing', () => {
  const [copy, whole] = [join(folder.path, 'plain'), join(folder.path, 'whole')];
  assert.match(command('', 'backup', copy, '--data', home).stdout, /A restore needs the recovery code/);
  assert.ok(!existsSync(join(copy, 'secret.key')));
  const place = join(folder.path, 'said');
  assert.match(command('', 'restore', copy, '--data', place).stdout, /headframe recovery-code --enter --data/);
  assert.match(command('', 'backup', whole, '--with-key', '--data', home).stdout, /store the copy as safely as a key/);
  const again = join(folder.path, 'again');
  assert.doesNotMatch(command('', 'restore', whole, '--data', again).stdout, /recovery-code/);
  assert.ok(existsSync(join(again, 'secret.key')));
});
