/** The process of the gateway under the desktop app: real gateways, killed, refused and stopped. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEvent } from '#electron/core/gateway-events.ts';
import { createGatewayRunner, type GatewayRunner, type GatewayState } from '#electron/core/gateway-runner.ts';
import { stateView } from '#electron/core/problems.ts';
import { readControl } from '#settings/control-file.ts';
import { killsOf } from '#test/support/kills.ts';
import { until } from '#test/support/until.ts';
import { compileCache, freePorts } from './desktop.ts';

const launcher = join(import.meta.dirname, '..', '..', 'gateway', 'bin', 'headframe.js');
const backoff = { first_ms: 20, longest_ms: 200, good_ms: 60_000 };

interface Run extends AsyncDisposable {
  readonly runner: GatewayRunner;
  readonly states: GatewayState[];
  readonly folder: string;
  readonly data: string;
  readonly args: readonly string[];
  /** The text of the window in the present state. */
  says(): string;
}

async function open(more: { node?: string; launcher?: string } = {}): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-runner-'));
  const data = join(folder, 'data');
  const states: GatewayState[] = [];
  const runner = createGatewayRunner({
    program: {
      node: process.execPath,
      launcher,
      cache: compileCache(),
      log: join(folder, 'gateway.log'),
      ...more,
    },
    backoff,
    onState: (state) => states.push(state),
  });
  const ports = Object.entries(await freePorts()).flatMap(([flag, port]) => [`--${flag}`, String(port)]);
  return {
    runner,
    states,
    folder,
    data,
    args: ['--data', data, '--host', '127.0.0.1', ...ports],
    says() {
      const view = stateView(runner.state, { data, freePort: null });
      return [view?.title, ...(view?.text ?? [])].join(' ');
    },
    async [Symbol.asyncDispose]() {
      await runner.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const running = (run: Run) => until(() => run.runner.state.is === 'running', 'the gateway runs');

test('[X2] a gateway whose process or supervisor is killed is started again on the same ports, and stops cleanly', async () => {
  await using run = await open();
  await run.runner.start(run.args);
  await running(run);
  const { state } = run.runner;
  const first = state.is === 'running' ? state.ready.http : '';
  const kills = killsOf(2);
  for (let kill = 1; kill <= kills; kill++) {
    const control = await readControl(run.data);
    const seen = run.states.length;
    const pid = control?.pid ?? 0;
    // Even numbers kill the supervisor, which is the parent of the gateway.
    const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    process.kill(kill % 2 === 1 ? pid : parent, 'SIGKILL');
    await until(() => run.states.slice(seen).some(({ is }) => is === 'restarting'), 'the window says that it restarts');
    await running(run);
    const now = run.runner.state;
    assert.equal(now.is === 'running' ? now.ready.http : '', first);
    assert.equal((await fetch(`${first}/healthz`)).status, 200);
  }
  assert.equal(run.runner.restarts, kills);
  await run.runner.stop();
  assert.equal(run.runner.state.is, 'stopped');
  assert.equal(await readControl(run.data), undefined, 'a clean stop removes the control file');
  await assert.rejects(fetch(`${first}/healthz`));
});

test('[X3] a port in use is named with its number, and the gateway runs after it is free', async () => {
  await using run = await open();
  const port = Number(run.args[run.args.indexOf('--mqtt-port') + 1]);
  const other = createServer().listen(port, '127.0.0.1');
  await run.runner.start(run.args);
  await until(() => run.runner.state.is === 'refused', 'the start is refused');
  const { state } = run.runner;
  assert.deepEqual(state.is === 'refused' && state.cause, {
    code: 'EADDRINUSE',
    port: { flag: 'mqtt-port', number: port },
  });
  assert.match(run.says(), new RegExp(`Another program uses port ${port} .*Stop the other program`));
  assert.doesNotMatch(run.says(), /--|HEADFRAME_/);
  await new Promise((resolve) => other.close(resolve));
  await run.runner.start(run.args);
  await running(run);
});

test('[X3] a data folder that another gateway uses, or that is a file, is said in words that need no command line', async () => {
  await using run = await open();
  await using second = await open();
  await run.runner.start(run.args);
  await running(run);
  const ports = second.args.slice(2);
  await second.runner.start(['--data', run.data, ...ports]);
  await until(() => second.runner.state.is === 'refused', 'the second gateway is refused');
  assert.match(second.says(), /Another gateway uses this data folder/);
  await second.runner.stop();
  await second.runner.start(['--data', join(run.folder, 'gateway.log'), ...ports]);
  await until(() => second.runner.state.is === 'refused', 'a file is refused');
  assert.match(second.says(), /cannot use the data folder .*Choose another data folder/);
  assert.doesNotMatch(second.says(), /--data|HEADFRAME_/);
});

test('[X3] a missing Node.js, and a program that ends before it is ready, are said; nothing is tried without end', async () => {
  await using missing = await open({ node: '/nowhere/node' });
  await missing.runner.start(missing.args);
  await until(() => missing.runner.state.is === 'refused', 'node is missing');
  assert.match(missing.says(), /A part of Headframe is missing .*Install Headframe again/);
  await using broken = await open({ launcher: '/nowhere/headframe.js' });
  await broken.runner.start(broken.args);
  await until(() => broken.runner.state.is === 'refused', 'the launcher is missing');
  assert.match(broken.says(), /does not start .* Error: Cannot find module .*headframe.js/);
  assert.equal(broken.states.filter(({ is }) => is === 'restarting').length, 4);
  assert.match(readFileSync(join(broken.folder, 'gateway.log'), 'utf8'), /Cannot find module/);
});

test('[X4] messages that are not events of the gateway are ignored', () => {
  for (const message of [null, 'ready', {}, { event: 'ready' }, { event: 'ready', http: 'javascript:1' }, { event: 7 }])
    assert.equal(readEvent(message), undefined);
  assert.deepEqual(readEvent({ event: 'gateway_waits', reason: 'full', more: 1 }), {
    event: 'gateway_waits',
    reason: 'full',
  });
});
