/** A source that uses the programs of can-utils on a SocketCAN interface: `candump -L` to listen, and `cansend` to send when that is allowed. */
import { execFile, spawn } from 'node:child_process';
import { type Connection, ConnectionRefused, openCandumpSource } from './candump-source.ts';
import type { CanSource, SourceOptions, SourceSpec } from './source.ts';

type SocketcanSpec = Extract<SourceSpec, { kind: 'socketcan' }>;

/** -d reports frames that the kernel dropped. -r asks for a receive buffer of 1 MiB, which holds a second of a full bus. */
const LISTEN = ['-L', '-d', '-r', '1048576'];
/** Filter: all data frames, and all error frames. */
const ALL_AND_ERRORS = ',0:0,#FFFFFFFF';
const MOST_STDERR = 500;
/** Most `cansend` processes at one time; further frames are refused. */
const MOST_SENDING = 4;
const STOP_MS = 2_000;

/** Listens on the interface until disposed. The interface must be up and have its bit rate; it may go down and come up again. */
export function openSocketcanSource(spec: SocketcanSpec, options: SourceOptions): CanSource {
  let allowed = false;
  let sending = 0;

  async function connect(push: (chunk: Buffer) => void): Promise<Connection> {
    const child = spawn('candump', [...LISTEN, `${spec.interface}${ALL_AND_ERRORS}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    child.stdout.on('data', push);
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-MOST_STDERR);
    });
    await new Promise<void>((done, failed) => {
      child.once('spawn', done);
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT')
          failed(new ConnectionRefused('candump is not installed here (apt-get install can-utils).'));
        else failed(error);
      });
    });
    child.once('close', (code) => {
      const last = stderr.trim().split('\n').at(-1) ?? '';
      end(`candump ended with ${code}${last === '' ? '' : `: ${last}`}. Is ${spec.interface} there, and up?`);
    });
    return {
      ended,
      stop() {
        // A child process of candump may keep the pipe open.
        child.stdout.destroy();
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
      },
    };
  }

  const source = openCandumpSource(spec, options, connect);
  const isOpen = () => allowed && source.report().state === 'listening';
  return {
    canSend: true,
    report: () => ({ ...source.report(), sending: isOpen() }),
    allowSending(allow) {
      allowed = allow;
    },
    send(id, data) {
      if (!isOpen() || sending >= MOST_SENDING) return false;
      sending++;
      const frame = `${id.toString(16).padStart(8, '0')}#${Buffer.from(data).toString('hex')}`.toUpperCase();
      execFile('cansend', [spec.interface, frame], { timeout: STOP_MS }, (error) => {
        sending--;
        if (error) options.log('warn', 'a frame could not be sent', { error: error.message });
      });
      return true;
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}
