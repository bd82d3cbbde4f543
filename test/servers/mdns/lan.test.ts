/**
 * Gateways in a real network: network namespaces on one bridge, each with its own gateway process, and Avahi as the client. The test needs
 * the rights of root and the packages iproute2, avahi-daemon, avahi-utils and curl.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '#test/support/until.ts';

const execute = promisify(execFile);
const START = join(import.meta.dirname, '../../../gateway/bin/headframe.js');
const HOSTS = ['one', 'two', 'client'] as const;
type Host = (typeof HOSTS)[number];
const space = (host: Host | 'switch') => `hf${process.pid}${host}`;

/** Says why the test cannot run here; false if it can. */
function why(): string | false {
  const absent = ['ip', 'avahi-daemon', 'avahi-resolve', 'avahi-browse', 'dbus-daemon', 'curl', 'unshare'].find(
    (name) => spawnSync('which', [name]).status !== 0,
  );
  if (absent !== undefined) return `${absent} is not installed`;
  const made = spawnSync('ip', ['netns', 'add', space('switch')]);
  return made.status === 0 ? false : 'no right to make a network namespace';
}

const skip = why();
const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
const inside = (host: Host | 'switch', ...args: string[]) => ip('netns', 'exec', space(host), ...args);
const run = async (host: Host, ...args: string[]) =>
  (await execute('ip', ['netns', 'exec', space(host), ...args], { env: { ...process.env, ...bus() } })).stdout;

let folder = '';
const children = new Set<ChildProcess>();
const bus = () => ({ DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${join(folder, 'bus')}` });

before(async () => {
  if (skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'headframe-lan-'));
  inside('switch', 'ip', 'link', 'add', 'br0', 'type', 'bridge');
  inside('switch', 'ip', 'link', 'set', 'br0', 'up');
  for (const [i, host] of HOSTS.entries()) {
    ip('netns', 'add', space(host));
    ip(
      'link',
      'add',
      `port${i}`,
      'netns',
      space('switch'),
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      space(host),
    );
    inside(host, 'ip', 'address', 'add', `10.77.0.${i + 1}/24`, 'dev', 'eth0');
    for (const name of ['eth0', 'lo']) inside(host, 'ip', 'link', 'set', name, 'up');
    inside('switch', 'ip', 'link', 'set', `port${i}`, 'master', 'br0', 'up');
  }
  await startAvahi();
});
after(async () => {
  for (const child of children) await end(child, 'SIGKILL');
  for (const host of [...HOSTS, 'switch'] as const) spawnSync('ip', ['netns', 'delete', space(host)]);
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** Starts Avahi with a message bus of its own, because the network of the client is not the network of this computer. */
async function startAvahi(): Promise<void> {
  writeFileSync(
    join(folder, 'bus.conf'),
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=${join(folder, 'bus')}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
  );
  writeFileSync(
    join(folder, 'avahi.conf'),
    '[server]\nhost-name=client\nuse-ipv6=no\n[publish]\npublish-workstation=no\n',
  );
  children.add(spawn('dbus-daemon', ['--config-file', join(folder, 'bus.conf'), '--nofork'], { stdio: 'ignore' }));
  const avahi = 'mount -t tmpfs tmpfs /run && exec avahi-daemon --no-drop-root --no-chroot -f "$0"';
  await until(() => spawnSync('test', ['-S', join(folder, 'bus')]).status === 0);
  children.add(
    spawn('ip', ['netns', 'exec', space('client'), 'unshare', '-m', 'sh', '-c', avahi, join(folder, 'avahi.conf')], {
      stdio: 'ignore',
      env: { ...process.env, ...bus() },
    }),
  );
  await until(() =>
    run('client', 'avahi-browse', '-a', '-t').then(
      () => true,
      () => false,
    ),
  );
}

interface Gateway {
  readonly child: ChildProcess;
  /** Events of the process, such as `ready` and `names`. */
  readonly lines: Record<string, unknown>[];
  /** The names that the process told last. */
  names(): string[];
}

/** Starts a gateway as a person does, in the network of a host. */
async function startGateway(host: Host, env: Record<string, string> = {}): Promise<Gateway> {
  const child = spawn(
    'ip',
    ['netns', 'exec', space(host), process.execPath, START, 'start', '--data', join(folder, host)],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } },
  );
  children.add(child);
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    const parts = (rest + bytes).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) lines.push(JSON.parse(line));
  });
  await until(() => lines.some(({ event }) => event === 'ready'), `${host} is ready`);
  return { child, lines, names: () => (lines.findLast(({ event }) => event === 'names')?.names as string[]) ?? [] };
}

const resolve = (name: string) =>
  run('client', 'avahi-resolve', '-4', '-n', name).then(
    (text) => text.trim().split(/\s+/)[1] ?? null,
    () => null,
  );
/** Asks the network like a client that keeps nothing and does not follow multicast DNS; null if nobody answers within a second. */
async function askOnce(name: string): Promise<string | null> {
  const program = `
    const { encode, decode } = require('dns-packet');
    const socket = require('node:dgram').createSocket('udp4');
    socket.on('message', (bytes) => { console.log(decode(bytes).answers[0].data); process.exit(); });
    socket.bind(0, () => {
      socket.setMulticastInterface(Object.values(require('node:os').networkInterfaces()).flat().find((one) => !one.internal).address);
      socket.send(encode({ type: 'query', id: 7, questions: [{ name: '${name}', type: 'A' }] }), 5353, '224.0.0.251');
    });
    setTimeout(() => process.exit(), 1000);`;
  return (await run('client', process.execPath, '-e', program)).trim() || null;
}
/** Asks a gateway with curl in the network of the client, by its name. */
const curl = (name: string, address: string, path: string, ...more: string[]) =>
  run(
    'client',
    'curl',
    '-s',
    '--resolve',
    `${name}:8480:${address}`,
    '--resolve',
    `${name}:8443:${address}`,
    ...more,
    path,
  );

test('[N1] [N4] [N7] Avahi finds the gateway and its ports by the name, and TLS and HTTP accept the name', {
  skip,
}, async () => {
  const one = await startGateway('one');
  await until(async () => (await resolve('headframe.local')) === '10.77.0.1');
  await until(() => one.names().includes('http://headframe.local:8480/'));
  const found = await run('client', 'avahi-browse', '-a', '-r', '-t', '-p');
  for (const [type, port] of [
    ['_headframe._tcp', 8480],
    ['_http._tcp', 8480],
    ['_https._tcp', 8443],
    ['_mqtt._tcp', 1883],
    ['_secure-mqtt._tcp', 8883],
  ])
    assert.match(
      found,
      new RegExp(`^=;eth0;IPv4;headframe;[^;]*;local;headframe.local;10.77.0.1;${port};`, 'm'),
      String(type),
    );
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, await curl('headframe.local', '10.77.0.1', 'http://headframe.local:8480/trust/ca.pem'));
  const { stdout: print } = await execute('openssl', ['x509', '-in', ca, '-noout', '-fingerprint', '-sha256']);
  assert.ok(found.includes(`fp=${print.trim().split('=')[1]?.replaceAll(':', '').toLowerCase()}`));
  const health = JSON.parse(
    await curl('headframe.local', '10.77.0.1', 'https://headframe.local:8443/healthz', '--cacert', ca),
  );
  assert.deepEqual(health.names, ['headframe.local']);
  assert.match(
    await curl('headframe.local', '10.77.0.1', 'http://10.77.0.1:8480/trust'),
    /https:\/\/headframe\.local:8443\//,
  );
  assert.match(await curl('evil.local', '10.77.0.1', 'http://evil.local:8480/healthz'), /misdirected_request/);
});

test('[N2] a second gateway gets another name, which it keeps after a restart', {
  skip,
}, async () => {
  let two = await startGateway('two');
  await until(() => two.names().includes('http://headframe-2.local:8480/'));
  await until(async () => (await resolve('headframe-2.local')) === '10.77.0.2');
  assert.equal(await resolve('headframe.local'), '10.77.0.1');
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'two', 'local-names.json'), 'utf8')), { headframe: 2 });
  await end(two.child, 'SIGTERM');
  // [N3] At the stop it told everybody that its name is gone.
  await until(async () => !(await run('client', 'avahi-browse', '-a', '-t', '-p')).includes(';headframe-2;'));
  two = await startGateway('two');
  await until(() => two.names().includes('http://headframe-2.local:8480/'));
  await end(two.child, 'SIGTERM');
});

test('[N2] a name that a person chose is asked for without a suffix', { skip }, async () => {
  const two = await startGateway('two', { HEADFRAME_MDNS: 'quarry-north' });
  await until(() => two.names().includes('http://quarry-north.local:8480/'));
  await until(async () => (await resolve('quarry-north.local')) === '10.77.0.2');
  await end(two.child, 'SIGTERM');
});

test('[N3] a changed address is announced, and the certificate has it', { skip }, async () => {
  inside('one', 'ip', 'address', 'add', '10.77.0.50/24', 'dev', 'eth0');
  inside('one', 'ip', 'address', 'delete', '10.77.0.1/24', 'dev', 'eth0');
  inside('one', 'ip', 'address', 'replace', '10.77.0.50/24', 'dev', 'eth0');
  await until(async () => (await resolve('headframe.local')) === '10.77.0.50');
  const ca = join(folder, 'ca.pem');
  await until(() =>
    run('client', 'curl', '-s', '--cacert', ca, 'https://10.77.0.50:8443/healthz').then(
      (text) => text.includes('headframe.local'),
      () => false,
    ),
  );
});

test('[N5] an interface that goes down and comes back is announced again', { skip }, async () => {
  inside('one', 'ip', 'link', 'set', 'eth0', 'down');
  inside('one', 'ip', 'link', 'set', 'eth0', 'up');
  await until(async () => (await askOnce('headframe.local')) === '10.77.0.50');
});

test('[N7] a gateway with the setting off announces nothing, and one without a network starts', { skip }, async () => {
  const two = await startGateway('two', { HEADFRAME_MDNS: 'off' });
  const health = JSON.parse(await run('two', 'curl', '-s', 'http://127.0.0.1:8480/healthz'));
  assert.equal(health.names, undefined);
  assert.ok(!(await run('client', 'avahi-browse', '-a', '-t', '-p')).includes('headframe-2'));
  await end(two.child, 'SIGTERM');
  inside('two', 'ip', 'link', 'set', 'eth0', 'down');
  inside('two', 'ip', 'address', 'flush', 'dev', 'eth0');
  const alone = await startGateway('two');
  assert.match(await run('two', 'curl', '-s', 'http://127.0.0.1:8480/healthz'), /"status":"ok"/);
  assert.deepEqual(alone.names(), []);
  // The network comes while the gateway runs.
  inside('two', 'ip', 'address', 'add', '10.77.0.2/24', 'dev', 'eth0');
  inside('two', 'ip', 'link', 'set', 'eth0', 'up');
  await until(() => alone.names().includes('http://headframe-2.local:8480/'));
  await end(alone.child, 'SIGTERM');
});
