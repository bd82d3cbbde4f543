/**
 * `kill -9` of the gateway under a bridge, at random instants: every frame that the bridge heard must be in the gateway, once.
 *
 *   numbered frames ─TCP▶ headframe bridge (child) ─MQTT▶ gateway (child, killed) ──▶ history: each number once
 *
 * `node test/faults/bridge-kill.ts [KILLS] [FRAMES_PER_S] [SEED]` prints one line per kill and `N passed, N failed` at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readRecord } from '#bridge/spool-record.ts';
import { createClient } from '#contract/client.ts';
import { Random } from '#test/sim/random.ts';
import { numberedAt, numbersKept, startTextBus } from '#test/support/bus-text.ts';
import { addMachine, eventually, lastingPort, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

export interface KillPlan {
  readonly kills: number;
  /** Every so many kills of the gateway the bridge is killed too. */
  readonly bridgeEvery: number;
  readonly perSecond: number;
  readonly random: Random;
  /** Milliseconds between two kills, at least and at most. */
  readonly between: readonly [number, number];
  readonly report: (line: string) => void;
}

export interface KillResult {
  readonly kills: number;
  readonly heard: number;
  readonly lost: number;
  readonly twice: number;
  /** Messages that the gateway knew for repeats. */
  readonly repeats: number;
}

const GATEWAY = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');
const COMMAND = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const SETTLE_S = 60;

function startChild(folder: string, port: number): Promise<{ child: ChildProcess; http: string; mqtt: number }> {
  const child = spawn(process.execPath, [GATEWAY, folder, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line) as { event?: string; http: string; mqtt: number };
      if (said.event === 'ready') resolve({ child, http: said.http, mqtt: said.mqtt });
    });
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill(signal);
  await ended;
}

/** Machine time of the newest frame in a spool somewhere under the folder; 0 when there is none. */
function newestSpooled(folder: string): number {
  let newest = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.spool')) continue;
    const file = readFileSync(join(folder, name));
    for (let record = readRecord(file, 0); record !== undefined; record = readRecord(file, record.end))
      if (record.kind === 'can') newest = Math.max(newest, record.last_us);
  }
  return newest;
}

/** Kills the gateway, and now and then the bridge, and judges what is left. */
export async function killUnderBridge({
  kills,
  bridgeEvery,
  perSecond,
  random,
  between,
  report,
}: KillPlan): Promise<KillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-bridge-kill-'));
  const data = join(folder, 'gateway');
  await using bus = await startTextBus();
  const port = await lastingPort();
  let gateway = await startChild(data, port);
  let bridge: ChildProcess | undefined;
  try {
    const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'Kill' });
    const machine = await addMachine(
      createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id }),
      'B-1',
    );
    /** Frames that were said before this life of the bridge. */
    let before = 0;
    const startBridge = () => {
      before = bus.said();
      return spawn(
        process.execPath,
        [
          COMMAND,
          'bridge',
          ...['--source', `candump-tcp:127.0.0.1:${bus.port}`, '--gateway', `mqtt://127.0.0.1:${port}`],
          ...['--device', machine.device_id, '--data', folder, '--log', 'error'],
        ],
        { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, HEADFRAME_BRIDGE_KEY: machine.key } },
      );
    };
    bridge = startBridge();
    bus.rate(perSecond);
    await eventually(
      async () => bus.said(),
      (n) => n > 0,
      SETTLE_S,
    );
    for (let kill = 1; kill <= kills; kill++) {
      await new Promise((done) => setTimeout(done, random.between(between[0], between[1])));
      await end(gateway.child, 'SIGKILL');
      report(`kill ${kill}: ${bus.said()} frames so far`);
      if (kill % bridgeEvery === 0) {
        // What a socket holds when its reader is killed is nobody's: the bus is quiet until all lies in the spool, where now nothing is
        // acknowledged.
        const already = bus.said();
        await eventually(
          async () => bus.said(),
          (n) => n > already,
          SETTLE_S,
        );
        bus.rate(0);
        await eventually(
          async () => newestSpooled(folder),
          (us) => us >= numberedAt(bus.said() - 1),
          SETTLE_S,
        );
        await end(bridge, 'SIGKILL');
        await eventually(
          async () => bus.connected(),
          (connected) => !connected,
        );
        bridge = startBridge();
        bus.rate(perSecond);
      }
      gateway = await startChild(data, port);
    }
    bus.rate(0);
    const heard = bus.said();
    const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
    await eventually(
      () => client.call('devices_get', { id: machine.device }),
      ({ metrics, state }) => {
        const told = state.reported as { bridge?: { frames: number } } | undefined;
        return told?.bridge?.frames === heard - before && metrics.buffer_depth === 0;
      },
      SETTLE_S,
    );
    await end(bridge, 'SIGTERM');
    await end(gateway.child, 'SIGKILL');
    await using last = await startGateway(data);
    await eventually(
      () => last.client.call('health_get', {}),
      (health) => health.journal.unfolded_messages === 0,
      SETTLE_S,
    );
    const kept = await numbersKept(last.node, machine.equipment_id, heard);
    const there = new Set(kept);
    let lost = 0;
    for (let n = 0; n < heard; n++) if (!there.has(n)) lost++;
    const { metrics } = await last.project(project.id).call('devices_get', { id: machine.device });
    return { kills, heard, lost, twice: kept.length - there.size, repeats: metrics.duplicates_total };
  } finally {
    if (bridge !== undefined) await end(bridge, 'SIGKILL');
    await end(gateway.child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [kills = '20', perSecond = '1750', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`seed ${seed}`);
  const result = await killUnderBridge({
    kills: Number(kills),
    bridgeEvery: 3,
    perSecond: Number(perSecond),
    random: new Random(Number(seed)),
    between: [100, 2_000],
    report: say,
  });
  say(JSON.stringify(result));
  const failed = Number(result.lost > 0) + Number(result.twice > 0);
  say(`${2 - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
