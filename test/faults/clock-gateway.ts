/** A gateway process whose system clock a fault program moves, with libfaketime. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, createClient } from '#contract/client.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((arch) => `/usr/lib/${arch}/faketime/libfaketime.so.1`);
const LIBRARY = LIBRARIES.find((path) => existsSync(path));

/** A gateway on a folder of its own, and the clock of its machine. */
export class Gateway {
  readonly folder = mkdtempSync(join(tmpdir(), 'headframe-clock-'));
  /** The data folder of the gateway. */
  readonly data = join(this.folder, 'data');
  /** The gateway's system clock minus the true time. */
  offset_ms = 0;
  http = '';
  mqtt = 0;
  private child: ChildProcess | undefined;
  private readonly clockFile = join(this.folder, 'system-clock');

  /** Moves the system clock. */
  setClock(offset_ms: number): void {
    this.offset_ms = offset_ms;
    writeFileSync(this.clockFile, `${offset_ms < 0 ? '' : '+'}${(offset_ms / 1000).toFixed(3)}`);
  }

  async start(): Promise<void> {
    if (LIBRARY === undefined) throw new Error('libfaketime is not there: apt-get install faketime');
    this.setClock(this.offset_ms);
    const script = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');
    const child = spawn(process.execPath, [script, this.data], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: this.clockFile,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready`)));
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        const said = JSON.parse(line) as { event?: string; http: string; mqtt: number };
        if (said.event !== 'ready') return;
        this.http = said.http;
        this.mqtt = said.mqtt;
        resolve();
      });
    });
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null) return;
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }

  get isAlive(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** Resident bytes of the process. */
  get resident(): number {
    const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child?.pid}/status`, 'utf8')) ?? [];
    return Number(kb) * 1024;
  }

  client(project_id?: string, key = OWNER_KEY): Client {
    return createClient({ base_url: this.http, key, ...(project_id === undefined ? {} : { project_id }) });
  }

  get rawFiles(): string[] {
    return readdirSync(join(this.data, 'journal')).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
