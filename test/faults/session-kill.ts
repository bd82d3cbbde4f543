/**
 * `kill -9` of the broker while a subscriber with a session receives: every message that was acknowledged to its sender arrives, one of
 * QoS 2 exactly once, one of QoS 1 at least once.
 *
 *   sender ── QoS q, numbered ──▶ broker (child, killed) ──▶ subscriber, QoS q, clean session 0
 *
 * Both ends are made of bytes and go by the book. `node test/faults/session-kill.ts [KILLS] [QOS] [MESSAGES_PER_S]`
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '#test/support/gateway.ts';
import { startRawDevice } from './raw-device.ts';

const kills = Number(process.argv[2] ?? 30);
const qos = process.argv[3] === '1' ? 1 : 2;
const perSecond = Number(process.argv[4] ?? 500);
const WINDOW = 200;
const SETTLE_S = 60;

async function start(folder: string, port: number): Promise<{ child: ChildProcess; port: number }> {
  const script = join(import.meta.dirname, 'session-child.ts');
  const child = spawn(process.execPath, [script, folder, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, port: Number(line) };
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-session-'));
let running = await start(folder, 0);
const { port } = running;
const acknowledged = new Set<number>();
const arrived = new Map<number, number>();
const subscriber = startRawDevice({
  port,
  device_id: 'subscriber',
  key: 'key',
  qos,
  subscribes: 'news',
  acknowledged: () => {},
  received: (payload) => {
    const n = Number(payload.toString('latin1', 0, payload.indexOf(32)));
    arrived.set(n, (arrived.get(n) ?? 0) + 1);
  },
});
await eventually(async () => subscriber.subscribed, Boolean);
const sender = startRawDevice({ port, device_id: 'sender', key: 'key', qos, acknowledged: (n) => acknowledged.add(n) });
let next = 1;
const timer = setInterval(() => {
  for (let i = 0; i < perSecond / 100 && sender.connected && sender.open < WINDOW; i++)
    sender.publish(next, 'news', `${next++} ${'x'.repeat(100)}`);
}, 10);
try {
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(50 + Math.random() * 700);
    running.child.kill('SIGKILL');
    await once(running.child, 'exit');
    running = await start(folder, port);
  }
  clearInterval(timer);
  await eventually(
    async () => next - 1 - acknowledged.size,
    (open) => open === 0,
    SETTLE_S,
  );
  await eventually(
    async () => [...acknowledged].filter((n) => !arrived.has(n)).length,
    (missing) => missing === 0,
    SETTLE_S,
  ).catch(() => {});
  // What comes twice may come last.
  await sleep(1_000);
  const lost = [...acknowledged].filter((n) => !arrived.has(n)).length;
  const twice = [...arrived.values()].filter((times) => times > 1).length;
  const result = {
    kills,
    qos,
    acknowledged: acknowledged.size,
    lost,
    twice,
    sessions_lost: subscriber.forgotten + sender.forgotten,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const failed = Number(lost > 0) + Number(qos === 2 && twice > 0) + Number(result.sessions_lost > 0);
  process.stdout.write(`${3 - failed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  clearInterval(timer);
  sender.end();
  subscriber.end();
  running.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
