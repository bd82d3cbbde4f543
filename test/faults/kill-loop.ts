/**
 * `kill -9` at random instants under QoS 1 load: every acknowledged message must be there after the restart, once.
 *
 *   device n ── numbered HOURS frames, one second of machine time apart ──▶ gateway (child, killed) ──▶ history: each number once
 *
 * `node test/faults/kill-loop.ts [KILLS] [SEED]` prints one line per kill and `N passed, N failed` at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { MqttClient } from 'mqtt';
import { createClient } from '#contract/client.ts';
import {
  addMachine,
  connectDevice,
  eventually,
  OWNER_KEY,
  startGateway,
  type TestMachine,
} from '#test/support/gateway.ts';

/** Machine time of message 1, far enough back that no clock calls it the future. */
const EPOCH_S = 1_700_000_000;
const DEVICES = 4;
const WINDOW = 200;

export interface KillResult {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly twice: number;
  readonly corrupt: boolean;
}

interface Sender {
  readonly machine: TestMachine;
  /** Numbers that the gateway has acknowledged, ever. */
  readonly acknowledged: Set<number>;
  /** Sent, not yet acknowledged: sent again after a reconnect, as a device would. */
  readonly open: Set<number>;
  next: number;
}

/** HOURS (PGN 65253) with the number as raw engine hours: 0.05 h a step. */
function message(n: number): string {
  const raw = Buffer.alloc(4);
  raw.writeUInt32LE(n);
  return `(${EPOCH_S + n}.000000) can0 18FEE500#${raw.toString('hex').toUpperCase()}FFFFFFFF\n`;
}

function start(folder: string): Promise<{ child: ChildProcess; http: string; mqtt: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'support', 'gateway-child.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line) as { event?: string; http: string; mqtt: number };
      if (said.event === 'ready') resolve({ child, http: said.http, mqtt: said.mqtt });
    });
  });
}

/** Keeps a window of numbered messages in flight until the connection dies. */
function load(client: MqttClient, sender: Sender): void {
  const publish = (n: number): void => {
    sender.open.add(n);
    client.publish(`v1/devices/${sender.machine.device_id}/can`, message(n), { qos: 1 }, (error) => {
      if (error) return;
      sender.open.delete(n);
      sender.acknowledged.add(n);
      if (client.connected) publish(sender.next++);
    });
  };
  const again = [...sender.open];
  for (const n of again) publish(n);
  for (let i = again.length; i < WINDOW; i++) publish(sender.next++);
}

/** Runs the loop and judges what is left. */
export async function killLoop(
  kills: number,
  random: () => number,
  report: (line: string) => void,
): Promise<KillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-kill-'));
  try {
    let running = await start(folder);
    const owner = createClient({ base_url: running.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'Kill' });
    const client = createClient({ base_url: running.http, key: OWNER_KEY, project_id: project.id });
    const senders: Sender[] = [];
    for (let i = 0; i < DEVICES; i++)
      senders.push({ machine: await addMachine(client, `K-${i}`), acknowledged: new Set(), open: new Set(), next: 1 });
    for (let kill = 1; kill <= kills; kill++) {
      const clients = await Promise.all(senders.map((sender) => connectDevice(running.mqtt, sender.machine)));
      clients.forEach((mqtt, i) => {
        mqtt.on('error', () => {});
        load(mqtt, senders[i] as Sender);
      });
      const after = Math.round(100 + random() * 1900);
      await new Promise((resolve) => setTimeout(resolve, after));
      running.child.kill('SIGKILL');
      await new Promise((resolve) => running.child.once('exit', resolve));
      for (const mqtt of clients) mqtt.end(true);
      const sum = senders.reduce((n, sender) => n + sender.acknowledged.size, 0);
      report(`kill ${kill} after ${after} ms: ${sum} acknowledged so far`);
      if (kill < kills) running = await start(folder);
    }
    return await judge(folder, senders, project.id, kills);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judge(folder: string, senders: Sender[], projectId: string, kills: number): Promise<KillResult> {
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
      if (once < sender.acknowledged.size || once > sender.next) lost++;
    }
  }
  const database = new DatabaseSync(join(folder, 'store', 'headframe.db'), { readOnly: true });
  const verdict = database.prepare('PRAGMA integrity_check').get() as { integrity_check: string };
  database.close();
  const acknowledged = senders.reduce((n, sender) => n + sender.acknowledged.size, 0);
  return { kills, acknowledged, lost, twice, corrupt: verdict.integrity_check !== 'ok' };
}

/** A small generator with a seed (mulberry32), so that a failing run can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

if (import.meta.main) {
  const kills = Number(process.argv[2] ?? 20);
  const seed = Number(process.argv[3] ?? Date.now() % 1e9);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`seed ${seed}`);
  const result = await killLoop(kills, seeded(seed), say);
  say(JSON.stringify(result));
  const failed = Number(result.lost > 0) + Number(result.twice > 0) + Number(result.corrupt);
  say(`${3 - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
