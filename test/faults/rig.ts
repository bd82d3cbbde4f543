/** What the fault cases stand on: a supervised gateway as customers start it, devices that keep what is not acknowledged, small disks. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt, { type MqttClient } from 'mqtt';
import { type Client, createClient } from '#contract/client.ts';
import { addMachine, eventually, OWNER_KEY, startGateway, type TestMachine } from '#test/support/gateway.ts';

const LAUNCHER = join(import.meta.dirname, '..', '..', 'gateway', 'bin', 'headframe.js');

/** Runs a command to its end; throws when it fails. */
export function sh(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A supervised gateway; `pid` is that of the process that serves now. */
export interface Gateway extends AsyncDisposable {
  readonly data: string;
  readonly http: string;
  readonly mqtt: number;
  /** Everything it said. */
  readonly said: Record<string, unknown>[];
  readonly pid: () => number;
  readonly exited: Promise<number | null>;
  readonly stderr: () => string;
  /** Resolves with what it said first of this name, from the n-th line on. */
  event(name: string, from?: number, seconds?: number): Promise<Record<string, unknown>>;
  client(project_id?: string): Client;
  stop(): Promise<void>;
}

/** Starts one with `npm start`'s launcher, behind a prefix such as strace; does not wait until it serves. */
export function launch(data: string, prefix: readonly string[] = []): Gateway {
  const [command = '', ...args] = [
    ...prefix,
    process.execPath,
    LAUNCHER,
    ...[
      'start',
      '--data',
      data,
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--mqtt-port',
      '0',
      '--bucket-port',
      '0',
      '--log',
      'warn',
    ],
  ];
  const child: ChildProcess = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HEADFRAME_API_KEY: OWNER_KEY },
  });
  const said: Record<string, unknown>[] = [];
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (line.startsWith('{')) said.push(JSON.parse(line));
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = () => said.findLast((line) => line.event === 'ready') ?? {};
  const pid = (): number => JSON.parse(readFileSync(join(data, 'control.json'), 'utf8')).pid;

  /** Asks the supervisor: a tracer in front of it would not hand the signal on. */
  function end(): void {
    let parent = child.pid ?? 0;
    try {
      parent = Number(readFileSync(`/proc/${pid()}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
    } catch {
      // No gateway runs at this moment.
    }
    if (child.exitCode === null && child.signalCode === null) process.kill(parent, 'SIGTERM');
  }
  return {
    data,
    get http() {
      return String(ready().http);
    },
    get mqtt() {
      return Number(ready().mqtt);
    },
    said,
    pid,
    exited,
    stderr: () => stderr,
    event: (name, from = 0, seconds = 60) =>
      eventually(
        async () => said.slice(from).find((line) => line.event === name),
        (found) => found !== undefined,
        seconds,
      ).then(
        (found) => found ?? {},
        (error: Error) => Promise.reject(new Error(`${name}: ${error.message} ${stderr}`)),
      ),
    client: (project_id) =>
      createClient({
        base_url: String(ready().http),
        key: OWNER_KEY,
        ...(project_id === undefined ? {} : { project_id }),
      }),
    async stop() {
      end();
      await exited;
    },
    async [Symbol.asyncDispose]() {
      end();
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await exited;
      clearTimeout(late);
    },
  };
}

/** A gateway that serves, with a project. */
export async function serving(data: string, prefix: readonly string[] = []) {
  const gateway = launch(data, prefix);
  await gateway.event('ready', 0, 120);
  const { project } = await gateway.client().call('projects_create', { name: 'Faults' });
  return { gateway, project: project.id };
}

/** A device that numbers its messages, one second of machine time apart, and counts what is acknowledged. */
export interface Sender extends Disposable {
  readonly machine: TestMachine;
  readonly client: MqttClient;
  readonly acknowledged: Set<number>;
  /** Numbers given to messages so far. */
  readonly sent: () => number;
  readonly connects: () => number;
  /** 1 when its messages have a frame that is in all of them. */
  readonly padding: number;
}

const EPOCH_S = 1_700_000_000;

/** HOURS (PGN 65253) with the number as raw engine hours: 0.05 h a step. */
function frame(n: number): string {
  const raw = Buffer.alloc(4);
  raw.writeUInt32LE(n);
  return `(${EPOCH_S + n}.000000) can0 18FEE500#${raw.toString('hex').toUpperCase()}FFFFFFFF\n`;
}

/** Connects a new device; it sends so many messages a second, at most `window` unanswered, and comes back by itself. */
export async function startSender(
  client: Client,
  port: number,
  unit: string,
  { rate = 20, window = 50, pad = 0 } = {},
): Promise<Sender> {
  const machine = await addMachine(client, unit);
  const device = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 4,
    username: machine.device_id,
    password: machine.key,
    clientId: machine.device_id,
    clean: false,
    reconnectPeriod: 500,
    keepalive: 10,
  });
  device.on('error', () => {});
  const acknowledged = new Set<number>();
  let next = 1;
  let open = 0;
  let connects = 0;
  device.on('connect', () => {
    connects++;
  });
  const padding = pad === 0 ? '' : frame(0).repeat(Math.ceil(pad / frame(0).length));
  const publish = (): void => {
    // What mqtt.js is given while it is away it sends one by one, each after the answer to the one before.
    if (open >= window || !device.connected) return;
    const n = next++;
    open++;
    device.publish(`v1/devices/${machine.device_id}/can`, padding + frame(n), { qos: 1 }, (error) => {
      open--;
      if (!error) acknowledged.add(n);
    });
  };
  const timer = setInterval(
    () => {
      for (let i = 0; i < Math.max(1, rate / 20); i++) publish();
    },
    Math.max(50, 1_000 / rate),
  );
  return {
    machine,
    client: device,
    acknowledged,
    sent: () => next - 1,
    connects: () => connects,
    padding: pad === 0 ? 0 : 1,
    [Symbol.dispose]() {
      clearInterval(timer);
      device.end(true);
    },
  };
}

/**
 * Acknowledged messages that the gateway does not have, and counts that are more than was sent; asked of the gateway when it has folded
 * all.
 */
export async function judge(gateway: Gateway, project: string, senders: readonly Sender[]): Promise<string[]> {
  const client = gateway.client(project);
  // They go on sending: what is acknowledged from here on may be counted a moment later.
  const claims = new Map(senders.map((one) => [one, one.acknowledged.size]));
  await eventually(
    () => gateway.client().call('health_get', {}),
    (health) => health.journal.unfolded_messages === 0,
    60,
  );
  const wrong: string[] = [];
  for (const [{ machine, sent, padding }, claimed] of claims) {
    // One frame a message is new; what pads it is always the same, and counted once.
    const { metrics } = await client.call('devices_get', { id: machine.device });
    const once = metrics.frames_total - padding;
    if (once < claimed) wrong.push(`${machine.device_id}: ${claimed} acknowledged, ${once} there`);
    if (once > sent()) wrong.push(`${machine.device_id}: ${sent()} sent, ${once} counted`);
  }
  return wrong;
}

/** Numbers that were acknowledged and that the history of a stopped gateway does not hold. */
export async function missing(data: string, senders: readonly Sender[]): Promise<number> {
  await using gateway = await startGateway(data);
  let lost = 0;
  for (const { machine, acknowledged, sent } of senders) {
    const [from, to] = [(EPOCH_S - 1) * 1_000, (EPOCH_S + sent() + 1) * 1_000];
    const { t } = await gateway.node.history(machine.equipment_id, 'engine.hours', from, to);
    const seen = new Set(t.map((second) => second - EPOCH_S));
    for (const n of acknowledged) if (!seen.has(n)) lost++;
  }
  return lost;
}

/** Says what held, or did not. */
export type Check = (holds: boolean, says: string, detail?: unknown) => void;

/** A small ext4 disk in a file, mounted; needs root. */
export interface SmallDisk extends Disposable {
  readonly mount: string;
  readonly data: string;
  /** Takes room until so many bytes are free. */
  fill(leave: number): void;
  clear(): void;
  free(): number;
  total(): number;
  /** The file system stops itself as after a disk error. */
  abort(): void;
  /** Checked and mounted again, where it was. */
  mend(): void;
}

export function smallDisk(mib: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-disk-'));
  const image = join(folder, 'image');
  const mount = join(folder, 'mount');
  mkdirSync(mount);
  sh('truncate', '-s', `${mib}M`, image);
  sh('mkfs.ext4', '-q', '-m', '0', image);
  const loops: string[] = [];
  // A loop device of its own each time: the file system on the one before lives as long as a process has files open on it.
  const attach = (): void => {
    const loop = sh('losetup', '--find', '--show', image).trim();
    loops.push(loop);
    sh('mount', loop, mount);
  };
  attach();
  const size = (column: 'avail' | 'size') =>
    Number(sh('df', '-B1', `--output=${column}`, mount).trim().split('\n').at(-1));
  let filler = 0;
  return {
    mount,
    data: join(mount, 'data'),
    fill(leave) {
      // In pieces: a reserve that is given back meanwhile is taken as well.
      const take = size('avail') - leave;
      const at = (): string => join(mount, `filler-${filler++}`);
      try {
        if (take > 0) sh('fallocate', '-l', String(take), at());
      } catch (error) {
        if (leave > 0) throw error;
        // ext4 keeps some blocks from a large request: what is left is written full.
        for (const block of ['1M', '4096'])
          spawnSync('dd', ['if=/dev/zero', `of=${at()}`, `bs=${block}`], { stdio: 'ignore' });
      }
    },
    clear() {
      for (let i = 0; i < filler; i++) rmSync(join(mount, `filler-${i}`), { force: true });
      filler = 0;
    },
    free: () => size('avail'),
    total: () => size('size'),
    abort: () => void sh('mount', '-o', 'remount,abort', mount),
    mend() {
      sh('umount', '-l', mount);
      try {
        sh('e2fsck', '-p', '-f', image);
      } catch (error) {
        // 1: errors were mended.
        if ((error as { status?: number }).status !== 1) throw error;
      }
      attach();
    },
    [Symbol.dispose]() {
      sh('umount', '-l', mount);
      for (const loop of loops) sh('losetup', '--detach', loop);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits; for what must not happen meanwhile. */
export const wait = (seconds: number): Promise<void> => sleep(seconds * 1_000);
