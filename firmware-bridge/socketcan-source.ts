/** A SocketCAN interface, by the programs of can-utils: `candump -L` listens, `cansend` sends when that is allowed. */
import { execFile, spawn } from 'node:child_process';
import { openCandumpSource, type Way, WayRefused } from './candump-source.ts';
import type { CanSource, SourceOptions, SourceSpec } from './source.ts';

type SocketcanSpec = Extract<SourceSpec, { kind: 'socketcan' }>;

/** Errors of the bus too, and what the kernel dropped because we were slow; it holds a second of a full bus for us, where it may. */
const LISTEN = ['-L', '-d', '-r', '1048576'];
const ALL_AND_ERRORS = ',0:0,#FFFFFFFF';
const MOST_SAID = 500;
/** Frames on their way out. */
const MOST_SENDING = 4;
const STOP_MS = 2_000;

/** Listens on the interface until disposed; it has to be up, with its bit rate, and may go down and up. */
export function openSocketcanSource(spec: SocketcanSpec, options: SourceOptions): CanSource {
  let allowed = false;
  let sending = 0;

  async function connect(push: (chunk: Buffer) => void): Promise<Way> {
    const child = spawn('candump', [...LISTEN, `${spec.interface}${ALL_AND_ERRORS}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    child.stdout.on('data', push);
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-MOST_SAID);
    });
    await new Promise<void>((done, failed) => {
      child.once('spawn', done);
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT')
          failed(new WayRefused('candump is not installed here (apt-get install can-utils).'));
        else failed(error);
      });
    });
    child.once('close', (code) => {
      const last = said.trim().split('\n').at(-1) ?? '';
      end(`candump ended with ${code}${last === '' ? '' : `: ${last}`}. Is ${spec.interface} there, and up?`);
    });
    return {
      ended,
      stop() {
        // A child of its own may hold the pipe.
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
