/**
 * A source for a SocketCAN interface that uses the programs of can-utils: `candump -L` listens, and `cansend` sends frames while sending
 * is allowed.
 */
import { execFile, spawn } from 'node:child_process';
import { type Connection, ConnectionRefused, openCandumpSource } from './candump-source.ts';
import type { CanSource, SourceOptions, SourceSpec } from './source.ts';

type SocketcanSpec = Extract<SourceSpec, { kind: 'socketcan' }>;

/** Options of candump. -d reports frames that the kernel dropped. -r sets a receive buffer of 1 MiB, enough for a second of a full bus. */
const LISTEN = ['-L', '-d', '-r', '1048576'];
/** Filter after the interface name of candump: it passes all data frames and all error frames. */
const ALL_AND_ERRORS = ',0:0,#FFFFFFFF';
const MOST_STDERR = 500;
/** The largest number of `cansend` processes that run at one time; `send` returns false for further frames. */
const MOST_SENDING = 4;
const STOP_MS = 2_000;

/**
 * Listens on the interface until the returned source is disposed. A person must have set the bit rate of the interface and brought it up.
 * The source continues after the interface goes down and comes up again.
 */
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
          failed(
            new ConnectionRefused('candump is not installed on this host; install it with apt-get install can-utils.'),
          );
        else failed(error);
      });
    });
    child.once('close', (code) => {
      const last = stderr.trim().split('\n').at(-1) ?? '';
      end(
        `candump ended with ${code}${last === '' ? '' : `: ${last}`}. Check that the interface ${spec.interface} exists and is up.`,
      );
    });
    return {
      ended,
      stop() {
        // Close the pipe here, because a child process of candump may otherwise keep it open.
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
