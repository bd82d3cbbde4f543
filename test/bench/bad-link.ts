/**
 * A bad link for benches: a network namespace of Linux in which some ports have a rate, a delay and a loss of packets. Needs root, iproute2,
 * iptables, and the program `nfdelay QUEUE DELAY_MS JITTER_MS LOSS_PERCENT SEED`, which delays and drops packets of a queue of the kernel; its
 * path is in NFDELAY.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const NAMESPACE = `headframe-${process.pid}`;
const INSIDE = 'HEADFRAME_BENCH_INSIDE';

export interface Shape {
  readonly kbit: number;
  readonly rtt_ms: number;
  /** Of the packets in each direction. */
  readonly loss_percent: number;
  readonly seed: number;
}

/** Runs this program again inside a namespace and ends with its exit code. Returns only inside. */
export function enterNamespace(): void {
  if (process.env[INSIDE] !== undefined) return;
  if (process.env.NFDELAY === undefined) throw new Error('NFDELAY must be the path of the program that delays packets');
  execFileSync('ip', ['netns', 'add', NAMESPACE]);
  let code = 1;
  try {
    const [node, ...args] = process.argv;
    const command = ['netns', 'exec', NAMESPACE, node as string, ...process.execArgv, ...args];
    code = spawnSync('ip', command, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } }).status ?? 1;
  } finally {
    execFileSync('ip', ['netns', 'del', NAMESPACE]);
  }
  process.exit(code);
}

const run = (command: string): string => {
  const [program = '', ...args] = command.split(' ');
  return execFileSync(program, args, { encoding: 'utf8' });
};

/** The link of some ports of this namespace. */
export class BadLink implements AsyncDisposable {
  readonly #ports: readonly number[];
  #delays: ChildProcess[] = [];

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    // One packet of the loopback interface is one of 1,500 bytes, as on a real link.
    run('ip link set lo up');
    run('ip link set dev lo mtu 1500 gso_max_segs 1');
  }

  async shape({ kbit, rtt_ms, loss_percent, seed }: Shape): Promise<void> {
    run('tc qdisc add dev lo root handle 1: htb default 1');
    run('tc class add dev lo parent 1: classid 1:1 htb rate 10gbit quantum 1500');
    // A buffer of a second, as routers and modems have.
    const buffer = Math.max(16_000, (kbit * 1_000) / 8);
    for (const [way, place] of ['dport', 'sport'].entries()) {
      const id = `1:1${way}`;
      run(`tc class add dev lo parent 1: classid ${id} htb rate ${kbit}kbit burst 3k cburst 3k quantum 1500`);
      run(`tc qdisc add dev lo parent ${id} bfifo limit ${buffer}`);
      for (const port of this.#ports) {
        run(`tc filter add dev lo parent 1: protocol ip prio 1 u32 match ip ${place} ${port} 0xffff flowid ${id}`);
        run(`iptables -A INPUT -i lo -p tcp --${place} ${port} -j NFQUEUE --queue-num ${5 + way}`);
      }
      const args = [5 + way, rtt_ms / 2, 0, loss_percent, seed + way].map(String);
      const delay = spawn(process.env.NFDELAY as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      await once(delay.stderr, 'data');
      this.#delays.push(delay);
    }
  }

  /** Bytes of IP packets to and from a port since the shape began, what was dropped included. */
  counts(port: number): { readonly up: number; readonly down: number } {
    const lines = run('iptables -nvxL INPUT').split('\n');
    const of = (place: string): number =>
      Number(
        lines
          .find((line) => line.includes(`${place}:${port} `))
          ?.trim()
          .split(/\s+/)[1] ?? 0,
      );
    return { up: of('dpt'), down: of('spt') };
  }

  async clear(): Promise<void> {
    run('iptables -F INPUT');
    for (const delay of this.#delays) {
      const ended = once(delay, 'exit');
      delay.kill();
      await ended;
    }
    this.#delays = [];
    run('tc qdisc del dev lo root');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#delays.length > 0) await this.clear();
  }
}
