/** The other end of a serial line: an SLCAN adapter on a bus of its own, over a pair of ptys that socat joins. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SerialPort } from 'serialport';
import { SLCAN_RATES } from '#codec/slcan.ts';
import { eventually } from './gateway.ts';

export interface SlcanAdapter extends AsyncDisposable {
  /** What the host opens. */
  readonly path: string;
  /** Every byte that the host wrote. */
  readonly written: () => string;
  /** The channel: closed, listening, or taking part. */
  readonly channel: () => 'closed' | 'listening' | 'open';
  /** Frames, as an adapter sends them, when the channel is open; resolves when the line took them. */
  send(bytes: Uint8Array): Promise<void>;
  /** Takes nothing from the line any more, and gives nothing, until it is unplugged. */
  hang(): void;
  /** Pulls the plug, and puts it back. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
}

export interface AdapterOptions {
  /** Of its bus; at another rate nothing but errors is heard. */
  readonly bitrate?: number;
  /** False: answers L with no, like firmware that cannot listen only. */
  readonly listens?: boolean;
  /** A frame was sent on the bus. */
  readonly onFrame?: (text: string) => void;
}

/** Plugs in an adapter. */
export async function startAdapter(options: AdapterOptions = {}): Promise<SlcanAdapter> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-slcan-'));
  const path = join(folder, 'host');
  const far = join(folder, 'adapter');
  const bitrate = options.bitrate ?? 250_000;
  let written = '';
  let channel: 'closed' | 'listening' | 'open' = 'closed';
  let rate: string | undefined;
  let socat: ChildProcess;
  let port: SerialPort;
  let pending = '';
  let errors: ReturnType<typeof setInterval> | undefined;

  function obey(command: string): string {
    if (/^S\d$/.test(command)) {
      if (channel !== 'closed') return '\x07';
      rate = command;
      return '\r';
    }
    switch (command) {
      case '':
        return '\r';
      case 'C': {
        const was = channel;
        channel = 'closed';
        return was === 'closed' ? '\x07' : '\r';
      }
      case 'L':
        if (options.listens === false) return '\x07';
        channel = 'listening';
        return '\r';
      case 'O':
        channel = 'open';
        return '\r';
      case 'Z1':
        return '\r';
      case 'F':
        return channel === 'closed' ? '\x07' : 'F00\r';
      case 'V':
        return 'V1013\r';
    }
    if (!/^[tTrR]/.test(command) || channel !== 'open') return '\x07';
    options.onFrame?.(command);
    return command.startsWith('T') ? 'Z\r' : 'z\r';
  }

  async function plug(): Promise<void> {
    socat = spawn('socat', [`pty,raw,echo=0,link=${path}`, `pty,raw,echo=0,link=${far}`], { stdio: 'ignore' });
    await eventually(
      async () => existsSync(path) && existsSync(far),
      (there) => there,
    );
    channel = 'closed';
    pending = '';
    const fresh = new SerialPort({ path: far, baudRate: 115_200, autoOpen: false });
    await new Promise<void>((done, failed) => fresh.open((error) => (error ? failed(error) : done())));
    fresh.on('error', () => {});
    fresh.on('data', (chunk: Buffer) => {
      written += chunk.toString('latin1');
      pending += chunk.toString('latin1');
      const commands = pending.split('\r');
      pending = commands.pop() ?? '';
      for (const command of commands) fresh.write(obey(command), 'latin1');
    });
    port = fresh;
    errors = setInterval(() => {
      if (channel !== 'closed' && rate !== SLCAN_RATES.get(bitrate)) fresh.write('e2bf\r');
    }, 100);
  }

  async function unplug(): Promise<void> {
    clearInterval(errors);
    if (port.isOpen) await new Promise<void>((done) => port.close(() => done()));
    if (socat.exitCode !== null || socat.signalCode !== null) return;
    const ended = new Promise((done) => socat.once('exit', done));
    socat.kill('SIGKILL');
    await ended;
    // A killed socat leaves its links, which point nowhere.
    rmSync(path, { force: true });
    rmSync(far, { force: true });
  }

  await plug();
  return {
    path,
    written: () => written,
    channel: () => channel,
    async send(bytes) {
      if (channel === 'closed' || rate !== SLCAN_RATES.get(bitrate)) return;
      if (!port.write(bytes as Buffer)) await new Promise<void>((done) => port.drain(() => done()));
    },
    hang: () => void socat.kill('SIGSTOP'),
    unplug,
    plug,
    async [Symbol.asyncDispose]() {
      await unplug();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
