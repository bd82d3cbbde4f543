import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { heapMiB, memoryLimit } from '#host/memory.ts';
import { type Crash, EXIT, type Ready, type Supervisor, supervise } from '#process/supervisor.ts';
import { type Config, readConfig } from '#settings/config.ts';

const config = readConfig({ port: '0', 'mqtt-port': '0', 'bucket-port': '0' }, {});
const backoff = { first_ms: 1, longest_ms: 4, good_ms: 60_000 };

interface Watched extends Disposable {
  readonly supervisor: Supervisor;
  readonly ready: Ready[];
  readonly crashes: Crash[];
}

/**
 * Supervises a program made of one expression per life; `ready(port)`, `refuse(text)` and `config` are at hand there, and the
 * last expression is used for all lives after it.
 */
function watch(
  lives: readonly string[],
  more: { stop_ms?: number; role?: Config['role']; onReady?: (ready: Ready) => void } = {},
): Watched {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-supervisor-'));
  const entry = join(folder, 'gateway.mjs');
  writeFileSync(join(folder, 'life'), '0');
  writeFileSync(
    entry,
    `import { readFileSync, writeFileSync } from 'node:fs';
     const life = Number(readFileSync(${JSON.stringify(join(folder, 'life'))}, 'utf8'));
     writeFileSync(${JSON.stringify(join(folder, 'life'))}, String(life + 1));
     const ready = (port) => process.send({ ready: { httpPort: port, mqttPort: port + 1, claim: null } });
     const refuse = (text, passing = false) => process.send({ refused: text, passing });
     const lives = [${lives.map((life) => `(config) => { ${life} }`).join(', ')}];
     process.on('message', (message) => {
       if ('stop' in message) { if (!globalThis.deaf) process.exit(0); }
       else lives[Math.min(life, lives.length - 1)](message.start);
     });`,
  );
  const ready: Ready[] = [];
  const crashes: Crash[] = [];
  const supervisor = supervise({
    config: { ...config, role: more.role ?? config.role },
    entry: pathToFileURL(entry),
    backoff,
    onReady(one) {
      ready.push(one);
      more.onReady?.(one);
    },
    onCrash: (crash) => crashes.push(crash),
    ...(more.stop_ms === undefined ? {} : { stop_ms: more.stop_ms }),
  });
  return { supervisor, ready, crashes, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

const DIE = 'process.exit(1);';

test('a crashed gateway is restarted on the same ports, and not after a clean end', async () => {
  using watched = watch([
    'ready(4100); setTimeout(() => process.exit(9), 20);',
    'ready(config.port); process.send({ ready: { httpPort: config.port, mqttPort: config.mqttPort, claim: null } }, () => process.exit(0));',
  ]);
  assert.deepEqual(await watched.supervisor.ended, { exit: EXIT.ok, message: null });
  assert.deepEqual(watched.crashes, [{ code: 9, signal: null, restart_in_ms: 1, reason: null }]);
  const last = watched.ready.at(-1);
  assert.deepEqual([last?.httpPort, last?.mqttPort], [4100, 4101]);
});

test('[Y164] a gateway that asks for a new start gets it at once, on the same ports, and this is no crash', async () => {
  using watched = watch([
    `ready(4100); setTimeout(() => process.exit(${EXIT.again}), 20);`,
    'process.send({ ready: { httpPort: config.port, mqttPort: config.mqttPort, claim: null } }, () => process.exit(0));',
  ]);
  assert.deepEqual(await watched.supervisor.ended, { exit: EXIT.ok, message: null });
  assert.deepEqual(watched.crashes, []);
  assert.deepEqual(
    watched.ready.map(({ httpPort }) => httpPort),
    [4100, 4100],
  );
});

test('the wait between restarts doubles up to its limit', async () => {
  using watched = watch(['ready(1); setTimeout(() => process.exit(1), 20);', DIE, DIE, DIE, 'process.exit(0);']);
  await watched.supervisor.ended;
  assert.deepEqual(
    watched.crashes.map((crash) => crash.restart_in_ms),
    [1, 2, 4, 4],
  );
});

test('a refused start is not repeated: the supervisor ends with its message and exit code', async () => {
  using watched = watch(["refuse('the port is in use'); setTimeout(() => process.exit(3), 20);"]);
  assert.deepEqual(await watched.supervisor.ended, { exit: EXIT.refused, message: 'the port is in use' });
  assert.deepEqual(watched.crashes, []);
});

test('[Z6] a start that is refused for a temporary reason is repeated without end, with the reason', async () => {
  const full = "refuse('the disk is full', true); setTimeout(() => process.exit(3), 20);";
  using watched = watch([full, full, full, full, full, full, full, 'process.exit(0);']);
  assert.equal((await watched.supervisor.ended).exit, EXIT.ok);
  assert.equal(watched.crashes.length, 7);
  assert.ok(watched.crashes.every(({ reason }) => reason === 'the disk is full'));
});

test('[Z7] the memory of the machine limits the heap of the gateway', async () => {
  using watched = watch([
    "import('node:v8').then(({ getHeapStatistics }) => refuse(String(getHeapStatistics().heap_size_limit))).then(() => setTimeout(() => process.exit(3), 20));",
  ]);
  const { message } = await watched.supervisor.ended;
  const limit = Number(message) / 2 ** 20;
  const wanted = heapMiB(memoryLimit());
  // V8 adds its young generation.
  assert.ok(limit >= wanted && limit < wanted + 256, `${limit} MiB instead of ${wanted}`);
  assert.deepEqual([heapMiB(2 ** 28), heapMiB(2 ** 31), heapMiB(2 ** 36)], [160, 819, 1024]);
});

test('head office has larger semi-spaces than the gateway of a site', async () => {
  const tell = "refuse(process.execArgv.join(' '), false); setTimeout(() => process.exit(3), 20);";
  const flagsOf = async (role: Config['role']) => {
    using watched = watch([tell], { role });
    return (await watched.supervisor.ended).message ?? '';
  };
  assert.match(await flagsOf('gateway'), /--max-semi-space-size=8 /);
  assert.match(await flagsOf('cloud'), /--max-semi-space-size=32 /);
});

test('a gateway that was ready before is started again, even after a refused start', async () => {
  using watched = watch([
    'ready(1); setTimeout(() => process.exit(1), 20);',
    "refuse('the port is in use'); setTimeout(() => process.exit(3), 20);",
    'process.exit(0);',
  ]);
  assert.equal((await watched.supervisor.ended).exit, EXIT.ok);
  assert.equal(watched.crashes.length, 2);
});

test('a gateway that was never ready is not started again after five crashes', async () => {
  using watched = watch([DIE]);
  const { exit, message } = await watched.supervisor.ended;
  assert.equal(exit, EXIT.fault);
  assert.match(message ?? '', /crashed 5 times before it was ready/);
});

test('stop ends the gateway cleanly, also during the wait before a restart, and when it is called twice', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  using watched = watch(['ready(1);'], { onReady: () => resolve() });
  await promise;
  watched.supervisor.stop();
  watched.supervisor.stop();
  assert.deepEqual(await watched.supervisor.ended, { exit: EXIT.ok, message: null });
  assert.deepEqual(watched.crashes, []);
});

test('a gateway that does not stop is killed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  using watched = watch(['globalThis.deaf = true; ready(1);'], { onReady: () => resolve(), stop_ms: 50 });
  await promise;
  watched.supervisor.stop();
  assert.equal((await watched.supervisor.ended).exit, EXIT.ok);
});
