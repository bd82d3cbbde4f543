/**
 * `kill -9` at random instants under load of QoS 1 or 2: every acknowledged message must be there after the restart, once.
 *
 *   device n ── numbered HOURS frames, one second of machine time apart ──▶ gateway (child, killed) ──▶ history: each number once
 *
 * Devices keep their sessions, come back by themselves and send again what was not answered, by the book. In the end all is answered; then the gateway must have taken exactly what was sent: not one message more that is no repeat.
 *
 * `node test/faults/kill-loop.ts [KILLS] [QOS] [MESSAGES_PER_S] [SEED]` prints one line per kill and `N passed, N failed` at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '#contract/client.ts';
import { addMachine, eventually, OWNER_KEY, startGateway, type TestMachine } from '#test/support/gateway.ts';
import { randomOf } from '#test/support/random-of.ts';
import { type RawDevice, startRawDevice } from './raw-device.ts';

/** Machine time of message 1, far enough back that no clock calls it the future. */
const EPOCH_S = 1_700_000_000;
const DEVICES = 4;
/** Messages of a device that are not answered; beyond, it waits. */
const WINDOW = 1_000;
const STEP_MS = 10;
/** All that is open must be answered so long after the last kill. */
const SETTLE_S = 60;

interface KillResult {
  readonly kills: number;
  readonly qos: number;
  readonly sent: number;
  readonly acknowledged: number;
  /** Over the time that the gateway was there. */
  readonly acknowledged_per_s: number;
  readonly lost: number;
  readonly twice: number;
  readonly corrupt: boolean;
}

interface Sender {
  readonly machine: TestMachine;
  readonly device: RawDevice;
  /** Numbers that the gateway has acknowledged, ever. */
  readonly acknowledged: Set<number>;
  next: number;
}

/** HOURS (PGN 65253) with the number as raw engine hours: 0.05 h a step. */
function message(n: number): string {
  const raw = Buffer.alloc(4);
  raw.writeUInt32LE(n);
  return `(${EPOCH_S + n}.000000) can0 18FEE500#${raw.toString('hex').toUpperCase()}FFFFFFFF\n`;
}

function start(folder: string, port: number): Promise<{ child: ChildProcess; http: string; mqtt: number }> {
  const script = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');
  const child = spawn(process.execPath, [script, folder, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line) as { event?: string; http: string; mqtt: number };
      if (said.event === 'ready') resolve({ child, http: said.http, mqtt: said.mqtt });
    });
  });
}

function createSender(machine: TestMachine, port: number, qos: 1 | 2): Sender {
  const acknowledged = new Set<number>();
  const { device_id, key } = machine;
  const device = startRawDevice({ port, device_id, key, qos, acknowledged: (n) => acknowledged.add(n) });
  return { machine, device, acknowledged, next: 1 };
}

/** Sends numbered messages at an even rate, as far as windows allow; returns what stops it. */
function load(senders: readonly Sender[], perSecond: number): () => void {
  let due = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    due = Math.min(due + ((now - last) / 1_000) * perSecond, perSecond / 10);
    last = now;
    for (; due >= 1; due--) {
      const sender = senders[Math.floor(due) % senders.length] as Sender;
      const { device, machine } = sender;
      if (!device.connected || device.open >= WINDOW) continue;
      const n = sender.next++;
      device.publish(n, `v1/devices/${machine.device_id}/can`, message(n));
    }
  }, STEP_MS);
  return () => clearInterval(timer);
}

interface Plan {
  readonly kills: number;
  readonly qos: 1 | 2;
  readonly perSecond: number;
  readonly random: () => number;
  readonly report: (line: string) => void;
}

/** Runs the loop and judges what is left. */
async function killLoop({ kills, qos, perSecond, random, report }: Plan): Promise<KillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-kill-'));
  let running = await start(folder, 0);
  const port = running.mqtt;
  const senders: Sender[] = [];
  const sum = (): number => senders.reduce((n, sender) => n + sender.acknowledged.size, 0);
  let up = 0;
  try {
    const owner = createClient({ base_url: running.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'Kill' });
    const client = createClient({ base_url: running.http, key: OWNER_KEY, project_id: project.id });
    for (let i = 0; i < DEVICES; i++) senders.push(createSender(await addMachine(client, `K-${i}`), port, qos));
    const stop = load(senders, perSecond);
    for (let kill = 1; kill <= kills; kill++) {
      const after = Math.round(100 + random() * 1900);
      await new Promise((resolve) => setTimeout(resolve, after));
      running.child.kill('SIGKILL');
      await new Promise((resolve) => running.child.once('exit', resolve));
      up += after;
      report(`kill ${kill} after ${after} ms: ${sum()} acknowledged so far`);
      running = await start(folder, port);
    }
    stop();
    await eventually(
      async () => senders.filter(({ next, acknowledged }) => acknowledged.size < next - 1).length,
      (waiting) => waiting === 0,
      SETTLE_S,
    );
    for (const { device } of senders) device.end();
    running.child.kill('SIGKILL');
    await new Promise((resolve) => running.child.once('exit', resolve));
    const { lost, twice, corrupt } = await judge(folder, senders, project.id);
    const sent = senders.reduce((n, { next }) => n + next - 1, 0);
    const acknowledged_per_s = Math.round(sum() / (up / 1_000));
    return { kills, qos, sent, acknowledged: sum(), acknowledged_per_s, lost, twice, corrupt };
  } finally {
    for (const { device } of senders) device.end();
    running.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judge(folder: string, senders: Sender[], projectId: string) {
  let lost = 0;
  let twice = 0;
  {
    await using gateway = await startGateway(folder);
    const client = gateway.project(projectId);
    await eventually(
      () => gateway.client.call('health_get', {}),
      (health) => health.journal.unfolded_messages === 0,
      60,
    );
    for (const sender of senders) {
      const { t, v } = await gateway.node.history(
        sender.machine.equipment_id,
        'engine.hours',
        (EPOCH_S - 1) * 1000,
        (EPOCH_S + sender.next + 1) * 1000,
      );
      const seen = new Map<number, number>();
      for (let i = 0; i < t.length; i++) {
        const n = Math.round((v[i] as number) / 0.05);
        seen.set(n, (seen.get(n) ?? 0) + 1);
      }
      for (const n of sender.acknowledged) if (!seen.has(n)) lost++;
      for (const count of seen.values()) if (count > 1) twice++;
      const device = await client.call('devices_get', { id: sender.machine.device });
      const once = device.metrics.messages_total - device.metrics.duplicates_total;
      if (once < sender.next - 1) lost++;
      if (once > sender.next - 1) twice++;
    }
  }
  const database = new DatabaseSync(join(folder, 'store', 'headframe.db'), { readOnly: true });
  const verdict = database.prepare('PRAGMA integrity_check').get() as { integrity_check: string };
  database.close();
  return { lost, twice, corrupt: verdict.integrity_check !== 'ok' };
}

const [kills = '20', level = '1', perSecond = '2000', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
const result = await killLoop({
  kills: Number(kills),
  qos: level === '2' ? 2 : 1,
  perSecond: Number(perSecond),
  random: randomOf(Number(seed)),
  report: say,
});
say(JSON.stringify(result));
const failed = Number(result.lost > 0) + Number(result.twice > 0) + Number(result.corrupt);
say(`${3 - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
