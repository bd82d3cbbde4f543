/** candump text from another machine over TCP, such as `candump -L can0 | nc -lk 29536`: read, never written to. */
import { createConnection } from 'node:net';
import { openCandumpSource, type Way } from './candump-source.ts';
import type { CanSource, SourceOptions, SourceSpec } from './source.ts';

type TcpSpec = Extract<SourceSpec, { kind: 'candump-tcp' }>;

const CONNECT_MS = 10_000;
/** A peer that lost its power is found out after this. */
const PROBE_MS = 15_000;

/** Connects, and again, until disposed. */
export function openTcpSource(spec: TcpSpec, options: SourceOptions): CanSource {
  const name = `${spec.host}:${spec.port}`;

  async function connect(push: (chunk: Buffer) => void): Promise<Way> {
    const socket = createConnection({
      host: spec.host,
      port: spec.port,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    let why = `${name} hung up.`;
    socket.on('data', push);
    socket.on('error', (error) => {
      why = `${name}: ${error.message}`;
    });
    socket.once('close', () => end(why));
    // What cannot be connected would else be tried for minutes.
    const timer = setTimeout(() => socket.destroy(new Error('no answer')), CONNECT_MS);
    await new Promise<void>((done, failed) => {
      socket.once('connect', done);
      socket.once('close', () => failed(new Error(why)));
    }).finally(() => clearTimeout(timer));
    return { ended, stop: () => socket.destroy() };
  }

  const source = openCandumpSource(spec, options, connect);
  return {
    canSend: false,
    report: () => ({ ...source.report(), sending: false }),
    allowSending() {},
    send: () => false,
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}
