import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createClient } from '#contract/client.ts';
import { eventually } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const cli = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const folders: string[] = [];
const started = new Set<ChildProcess>();

after(() => {
  for (const child of started) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-cli-'));
  folders.push(folder);
  return folder;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** JSON lines of standard output as they come. */
  readonly lines: Record<string, unknown>[];
  event(name: string): Promise<Record<string, unknown>>;
}

/** The environment of the tests without settings of the gateway. */
const unset = () => Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('HEADFRAME_')));

/** Runs the command as a process of its own, in an environment without settings. */
function run(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...unset(), ...env },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  const lines: Record<string, unknown>[] = [];
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout += `${line}\n`;
    if (line.startsWith('{')) lines.push(JSON.parse(line));
  });
  const ended = once(child, 'close').then(([code]): Ended => {
    started.delete(child);
    return { code, stdout, stderr };
  });
  return {
    child,
    ended,
    lines,
    async event(name) {
      let found: Record<string, unknown> | undefined;
      await until(async () => {
        found = lines.find((line) => line.event === name);
        if (found !== undefined) return true;
        const over = await Promise.race([ended, sleep(20)]);
        if (over !== undefined) throw new Error(`ended before ${name}: ${over.code} ${over.stderr}`);
        return false;
      }, `the line of ${name}`);
      return found as Record<string, unknown>;
    },
  };
}

const FREE = ['--port', '0', '--mqtt-port', '0', '--bucket-port', '0', '--host', '127.0.0.1'];
const start = (data: string, env?: Record<string, string>) => run(['start', ...FREE, '--data', data], env);

/** One sentence or two for people: no stack, nothing on standard output. */
function isSentence({ stdout, stderr }: Ended, says: RegExp): void {
  assert.match(stderr, says);
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  assert.doesNotMatch(stderr, /^\s+at |Error:/m);
  assert.equal(stdout, '');
}

let shared: { readonly data: string; readonly gateway: Running; readonly ready: Record<string, unknown> };
before(async () => {
  const data = newFolder();
  const gateway = start(data);
  shared = { data, gateway, ready: await gateway.event('ready') };
});

test('every command explains itself, and the version is the one of the package', async () => {
  const commands = [
    '',
    'start',
    'demo',
    'keys',
    'keys create',
    'keys list',
    'keys revoke',
    'claim-code',
    'inspect',
    'convert',
    'replay',
    'simulate',
  ];
  const answers = await Promise.all(commands.map((name) => run([...name.split(' ').filter(Boolean), '--help']).ended));
  for (const [i, { code, stdout, stderr }] of answers.entries()) {
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.match(stdout, new RegExp(`USAGE headframe ${commands[i]}`.trimEnd()));
    assert.ok(!stdout.includes('\u001b'), 'no colours where nobody looks');
  }
  const { stdout } = await run(['--version']).ended;
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
  assert.equal(stdout, `${version}\n`);
});

test('what a command does not take is refused in one sentence, with exit code 2', async () => {
  const wrong: readonly [string[], RegExp][] = [
    [['start', '--prot', '1'], /--prot is not a flag of `headframe start`/],
    [['--prot', '1'], /--prot is not a flag/],
    [['strat'], /headframe strat is not a command; there are start, demo/],
    [['keys', 'make'], /headframe keys make is not a command; there are create, list, revoke/],
    [['start', 'now'], /`now` is one argument too many/],
    [['start', '--port'], /--port needs a value/],
    [['start', '--port', '99999'], /--port must be a whole number from 0 to 65535/],
    [['keys', 'revoke'], /ID is missing/],
    [['replay', 'x.log'], /--device is missing/],
    [['replay', 'x.log', '--device', 'a', '--speed', 'fast'], /--speed must be a number/],
    [['replay', 'no-such.log', '--device', 'a'], /There is no file no-such\.log/],
    [['replay', 'x.log', '--device', 'a', '--speed', '0', '--now'], /--now needs a --speed above 0/],
    [['replay', cli, '--device', 'a/b'], /--device must be a device_id/],
    [
      ['replay', cli, '--device', 'a', '--timezone', 'Berlin'],
      /--timezone must be the name of a time zone, such as Europe\/Berlin/,
    ],
    [['keys', 'create', '--role', 'boss'], /--role must be one of owner, admin/],
  ];
  const answers = await Promise.all(wrong.map(([args]) => run(args).ended));
  for (const [i, [, says]] of wrong.entries()) {
    const answer = answers[i] as Ended;
    isSentence(answer, says);
    assert.equal(answer.code, 2);
  }
});

test('a bad or unknown variable is refused before anything starts', async () => {
  const data = join(newFolder(), 'never-made');
  for (const [env, says] of [
    [{ HEADFRAME_PORT: 'http' }, /^HEADFRAME_PORT must be a whole number/],
    [
      { HEADFRAME_MQTT_PROT: '1' },
      /^HEADFRAME_MQTT_PROT is not a setting of Headframe\. Did you mean HEADFRAME_MQTT_PORT\?/,
    ],
    [{ HEADFRAME_API_KEY: 'wk_nope' }, /^HEADFRAME_API_KEY must be wk_/],
  ] as const) {
    const answer = await run(['start', '--data', data], env).ended;
    isSentence(answer, says);
    assert.equal(answer.code, 2);
  }
  assert.ok(!existsSync(data));
});

test('the ready line names ports that answer, and everything a program reads is a JSON line', async () => {
  const { ready, gateway } = shared;
  assert.equal((await fetch(`${ready.http}/healthz`)).status, 200);
  assert.equal(typeof ready.mqtt, 'number');
  assert.equal(ready.claimed, false);
  assert.match(String(ready.claim_code), /^[0-9A-Z]{4}-?[0-9A-Z]{4}$/);
  for (const line of gateway.lines) assert.equal(typeof line.time, 'string');
});

/** The same command as `run`, on a terminal: `script` (util-linux) gives it one. */
test('a person at a terminal reads sentences: no JSON line, and every QR code says what it opens', {
  skip: existsSync('/usr/bin/script') ? false : 'no /usr/bin/script',
}, async () => {
  const command = [process.execPath, cli, 'start', ...FREE, '--data', newFolder()].map((word) => `'${word}'`).join(' ');
  const child = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
    env: unset(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.add(child);
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  await eventually(
    async () => shown,
    (text) => text.includes('Stop with Ctrl-C.'),
  );
  // The terminal turns this byte into SIGINT.
  child.stdin.write('\x03');
  await once(child, 'close');
  started.delete(child);
  const lines = stripVTControlCharacters(shown).split(/\r?\n/);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('{')),
    [],
  );
  const code = lines.findIndex((line) => /[█▀▄]/.test(line));
  assert.ok(code > 0, shown);
  assert.match(lines.slice(0, code).join('\n'), /Scan this code with a phone to open the office page:\s*$/);
});

// One that took longer than 4.5 s would be killed, and leave its control file behind.
test('SIGTERM ends the gateway cleanly within 5 s, and the folder can be used again', async () => {
  const data = newFolder();
  for (let round = 0; round < 2; round++) {
    const gateway = start(data);
    await gateway.event('ready');
    gateway.child.kill('SIGTERM');
    const { code, stderr } = await gateway.ended;
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.ok(!existsSync(join(data, 'control.json')));
  }
});

test('a killed gateway process comes back on its ports, by itself', async () => {
  const data = newFolder();
  const gateway = start(data);
  const { http } = await gateway.event('ready');
  const { pid } = JSON.parse(readFileSync(join(data, 'control.json'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  const crash = await gateway.event('gateway_crashed');
  assert.equal(crash.signal, 'SIGKILL');
  await eventually(
    () =>
      fetch(`${http}/healthz`).then(
        (answer) => answer.status,
        () => 0,
      ),
    (status) => status === 200,
  );
  gateway.child.kill('SIGTERM');
  assert.equal((await gateway.ended).code, 0);
});

test('a killed supervisor leaves no gateway behind', async () => {
  const data = newFolder();
  const gateway = start(data);
  const { http } = await gateway.event('ready');
  gateway.child.kill('SIGKILL');
  await eventually(
    () =>
      fetch(`${http}/healthz`).then(
        () => 'up',
        () => 'down',
      ),
    (state) => state === 'down',
  );
  const again = start(data);
  await again.event('ready');
  again.child.kill('SIGTERM');
  await again.ended;
});

test('a port in use is one sentence that names the flag, HTTP, MQTT and bucket alike', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = String(typeof address === 'object' && address !== null ? address.port : 0);
  const names = {
    '--port': 'HTTP',
    '--mqtt-port': 'MQTT',
    '--bucket-port': 'Bucket',
    '--https-port': 'HTTPS',
    '--mqtts-port': 'MQTT over TLS',
    '--bucket-tls-port': 'Bucket TLS',
  };
  for (const [flag, name] of Object.entries(names)) {
    const free = Object.keys(names).filter((one) => one !== flag);
    const ports = [flag, port, ...free.flatMap((one) => [one, '0'])];
    const args = ['start', '--host', '127.0.0.1', '--data', newFolder(), ...ports];
    const answer = await run(args).ended;
    isSentence(answer, new RegExp(`^${name} port ${port} is in use.*${flag} PORT`));
    assert.equal(answer.code, 3);
  }
  server.close();
});

test('a data folder that is in use, a file, or damaged is one sentence, and nothing in it changes', async () => {
  const inUse = await run(['start', ...FREE, '--data', shared.data]).ended;
  isSentence(inUse, /in use by another Headframe/);
  assert.equal(inUse.code, 3);

  const file = join(newFolder(), 'file');
  writeFileSync(file, 'not a folder');
  const answer = await run(['start', ...FREE, '--data', file]).ended;
  isSentence(answer, new RegExp(`${file} cannot be used`));
  assert.notEqual(answer.code, 0);
  assert.equal(readFileSync(file, 'utf8'), 'not a folder');
});

test('a data folder that may not be read is one sentence', {
  skip: process.getuid?.() === 0 ? 'root may read every folder' : false,
}, async () => {
  const { chmodSync } = await import('node:fs');
  const data = newFolder();
  chmodSync(data, 0o000);
  const answer = await run(['start', ...FREE, '--data', data]).ended;
  chmodSync(data, 0o700);
  isSentence(answer, /cannot be used/);
  assert.notEqual(answer.code, 0);
});

test('an owner key from the environment claims the gateway', async () => {
  const key = `wk_Unattend_${'k'.repeat(43)}`;
  const gateway = start(newFolder(), { HEADFRAME_API_KEY: key });
  const ready = await gateway.event('ready');
  assert.deepEqual([ready.claimed, ready.claim_code], [true, null]);
  const { data } = await createClient({ base_url: String(ready.http), key }).call('projects_list', {});
  assert.deepEqual(data, []);
  gateway.child.kill('SIGTERM');
  const { stdout } = await gateway.ended;
  assert.ok(!stdout.includes(key));
});

test('keys are made, listed and revoked on a running gateway', async () => {
  const data = ['--data', shared.data];
  const made = JSON.parse((await run(['keys', 'create', '--name', 'crew', '--json', ...data]).ended).stdout);
  const client = createClient({ base_url: String(shared.ready.http), key: made.secret });
  assert.equal((await client.call('keys_list', {})).data.length, 1);
  const listed = await run(['keys', 'list', ...data]).ended;
  assert.match(listed.stdout, new RegExp(`${made.key.id}\\s+crew\\s+admin`));
  assert.ok(!listed.stdout.includes(made.secret));
  await run(['keys', 'create', '--role', 'owner', '--name', 'boss', ...data]).ended;
  const revoked = await run(['keys', 'revoke', made.key.id, ...data]).ended;
  assert.equal(revoked.code, 0, revoked.stderr);
  await assert.rejects(client.call('keys_list', {}), { code: 'credential_invalid' });
  isSentence(await run(['keys', 'revoke', 'key_nobody', ...data]).ended, /./);
});

test('keys are made with no gateway running, and are good once it runs', async () => {
  const data = newFolder();
  const answer = await run(['keys', 'create', '--role', 'owner', '--json', '--data', data]).ended;
  assert.equal(answer.code, 0, answer.stderr);
  const { secret } = JSON.parse(answer.stdout);
  const gateway = start(data);
  const ready = await gateway.event('ready');
  assert.equal(ready.claimed, true);
  await createClient({ base_url: String(ready.http), key: secret }).call('projects_list', {});
  gateway.child.kill('SIGTERM');
  await gateway.ended;
});

test('a claim code is printed by a running gateway only; with an owner it lets an owner back in', async () => {
  const data = newFolder();
  const nobody = await run(['claim-code', '--data', data]).ended;
  isSentence(nobody, /^No gateway runs on the data folder .*headframe start/);
  assert.equal(nobody.code, 3);
  const gateway = start(data);
  const ready = await gateway.event('ready');
  const { code } = JSON.parse((await run(['claim-code', '--json', '--data', data]).ended).stdout);
  assert.notEqual(code, ready.claim_code);
  await createClient({ base_url: String(ready.http) }).call('claim', { code });
  const again = JSON.parse((await run(['claim-code', '--json', '--data', data]).ended).stdout);
  assert.deepEqual([again.claimed, typeof again.code], [true, 'string']);
  assert.match((await run(['claim-code', '--data', data]).ended).stdout, /lets an owner choose a new passphrase/);
  gateway.child.kill('SIGTERM');
  await gateway.ended;
});

test('replay plays a recording into a device, zipped or not, and leaves its key alone', async () => {
  const data = ['--data', shared.data];
  const owner = JSON.parse((await run(['keys', 'create', '--role', 'owner', '--json', ...data]).ended).stdout).secret;
  const base_url = String(shared.ready.http);
  const { project } = await createClient({ base_url, key: owner }).call('projects_create', { name: 'Replay' });
  const client = createClient({ base_url, key: owner, project_id: project.id });
  const machine = await client.call('equipment_create', { unit_number: 'R-1' });
  const made = await client.call('devices_provision', {
    serial: 'r1',
    device_id: 'logger-r1',
    equipment_id: machine.id,
  });

  // HOURS of 219.20 h and 219.25 h, an hour of recording apart, and a line that is none.
  const text =
    '(1622547830.000000) can1 18FEE500#20110000FFFFFFFF\nnonsense\n(1622551430.000000) can1 18FEE500#21110000FFFFFFFF\n';
  const file = join(newFolder(), 'hours.log.gz');
  writeFileSync(file, gzipSync(text));
  const args = ['replay', file, '--device', 'logger-r1', '--speed', '0', '--json', ...data];
  const answer = await run(args).ended;
  assert.equal(answer.code, 0, answer.stderr);
  const said = JSON.parse(answer.stdout);
  assert.deepEqual([said.frames, said.unparsable, said.acked, said.dropped_frames], [2, 1, said.messages, 0]);
  assert.equal(said.first_us, 1622547830e6);
  const equipment = await eventually(
    () => client.call('equipment_get', { id: machine.id }),
    (now) => now.engine_hours === 219.25,
  );
  assert.equal(equipment.context.fields?.engine_hours?.observed_at, '2021-06-01T12:43:50.000Z');
  assert.equal((await client.call('devices_get', { id: made.device.id })).metrics.messages_total, said.messages);

  const other = join(newFolder(), 'plain.log');
  writeFileSync(other, text);
  const fresh = await run(['replay', other, '--device', 'found-in-the-yard', '--speed', '1e5', ...data]).ended;
  assert.equal(fresh.code, 0, fresh.stderr);
  assert.match(fresh.stdout, /2 frames in \d messages, \d acknowledged/);
  assert.match(fresh.stdout, /1 line could not be read as a frame\./);
  assert.match(fresh.stdout, /nothing becomes live\. Add --now to play it as if it were now\./);
  const { data: devices } = await client.call('devices_list', { limit: 10 });
  assert.ok(devices.some((device) => device.device_id === 'found-in-the-yard'));
  const laptop = join(newFolder(), 'laptop.asc');
  writeFileSync(laptop, 'date Mon Jun 1 08:30:00.000 2026\nbase hex  timestamps absolute\n0.5 1 64 Rx d 0\n');
  const named = ['replay', laptop, '--device', 'logger-r1', '--speed', '0', '--timezone', 'Europe/Berlin', ...data];
  const zoned = await run([...named, '--json']).ended;
  assert.equal(JSON.parse(zoned.stdout).first_us, Date.parse('2026-06-01T06:30:00.5Z') * 1000, zoned.stderr);
  assert.match((await run(named).ended).stdout, /read as Europe\/Berlin\. To assume another zone/);
});

test('replay without a gateway says where to start one', async () => {
  const file = join(newFolder(), 'one.log');
  writeFileSync(file, '(1622547830.000000) can1 18FEE500#20110000FFFFFFFF\n');
  const answer = await run(['replay', file, '--device', 'x', '--data', newFolder()]).ended;
  isSentence(answer, /^No gateway runs on the data folder/);
});
