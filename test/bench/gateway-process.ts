/** A gateway as a process of its own, and what its benches read of it from outside: memory, bytes written, event loop. Linux only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { GATEWAY_ENVIRONMENT, gatewayFlags } from '#host/memory.ts';

const root = join(import.meta.dirname, '..', '..');
/** What the supervisor and the launcher give the gateway. */
const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile') };

export interface GatewayProcess extends AsyncDisposable {
  readonly http: string;
  readonly mqtt: number;
  readonly bucket: number;
  /** Ports with TLS. */
  readonly https: number;
  readonly mqtts: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to its ready line. */
  readonly startMs: number;
  /** Ends it at once, as a power cut would end the process. */
  kill(): Promise<void>;
}

/**
 * Starts a gateway on a folder with the flags of the product. Those given to this node go to it too, so that
 * `node --cpu-prof test/bench/line.ts` profiles both.
 */
export async function startGatewayProcess(folder: string, mqttPort = 0, mqttsPort = 0): Promise<GatewayProcess> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...gatewayFlags('gateway'),
      ...process.execArgv,
      join(root, 'test', 'support', 'gateway-child.ts'),
      folder,
      String(mqttPort),
      String(mqttsPort),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...GATEWAY_ENVIRONMENT, ...compileCache } },
  );
  const ready = await new Promise<Pick<GatewayProcess, 'http' | 'mqtt' | 'bucket' | 'https' | 'mqtts'>>(
    (resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
      child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready`)));
    },
  );
  return {
    ...ready,
    pid: child.pid as number,
    startMs: Math.round(performance.now() - started),
    kill: () => ended(child, 'SIGKILL'),
    [Symbol.asyncDispose]: () => ended(child, 'SIGTERM'),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await end;
}

/** Bytes that a process has caused to be written to disk, checkpoints of its database included. */
export function writtenBytes(pid: number | 'self'): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? Number.NaN);
}

/** Resident memory now and its peak since `resetPeak`, in MB of 10^6 bytes. */
export function memoryMb(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number =>
    Math.round((Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) * 1024) / 1e6);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** Begins a new peak (proc(5), clear_refs: 5). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Processor seconds that a process has used. */
export function processorSeconds(pid: number): number {
  // The name in brackets may hold spaces (proc(5), stat); user and system time are the 14th and 15th field, in ticks of 10 ms.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** What a gateway tells of itself at `/metrics`. */
export interface Told {
  /**
   * Event-loop delay since the last call, in ms, as perf_hooks counts it: the time between two firings of a 10 ms timer, so 10 ms
   * of it are no delay. Reading begins a new window.
   */
  readonly event_loop_p50_ms: number;
  readonly event_loop_p99_ms: number;
  readonly event_loop_max_ms: number;
  /** Parts of the resident memory, in MB of 10^6 bytes: JavaScript objects, the heap around them, buffers outside it. */
  readonly heap_used_mb: number;
  readonly heap_mb: number;
  readonly external_mb: number;
}

/** Asks a gateway for its own figures. */
export async function askFigures(http: string): Promise<Told> {
  const text = await (await fetch(`${http}/metrics`)).text();
  const of = (name: string, scale: number): number => {
    const value = new RegExp(`^nodejs_${name} (\\S+)`, 'm').exec(text)?.[1];
    return Number((Number(value ?? Number.NaN) * scale).toFixed(1));
  };
  return {
    event_loop_p50_ms: of('eventloop_lag_p50_seconds', 1000),
    event_loop_p99_ms: of('eventloop_lag_p99_seconds', 1000),
    event_loop_max_ms: of('eventloop_lag_max_seconds', 1000),
    heap_used_mb: of('heap_size_used_bytes', 1e-6),
    heap_mb: of('heap_size_total_bytes', 1e-6),
    external_mb: of('external_memory_bytes', 1e-6),
  };
}

/** Writes the log of the store's database back into it, as SQLite would do later; returns the bytes this took. */
export function checkpoint(folder: string): number {
  const before = writtenBytes('self');
  const database = new DatabaseSync(join(folder, 'store', 'headframe.db'), { timeout: 5_000 });
  try {
    database.exec('PRAGMA wal_checkpoint(RESTART)');
  } finally {
    database.close();
  }
  return writtenBytes('self') - before;
}

/** The value below which this share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
