/** A source that reads candump text from another host over TCP, for example from `candump -L can0 | nc -lk 29536`. It sends no frames. */
import { createConnection } from 'node:net';
import { type Connection, openCandumpSource } from './candump-source.ts';
import type { CanSource, SourceOptions, SourceSpec } from './source.ts';

type TcpSpec = Extract<SourceSpec, { kind: 'candump-tcp' }>;

const CONNECT_MS = 10_000;
/** Milliseconds without data after which TCP keepalive probes begin. They detect that the other host has lost its power. */
const PROBE_MS = 15_000;

/** Connects to the host, and reconnects until the returned source is disposed. */
export function openTcpSource(spec: TcpSpec, options: SourceOptions): CanSource {
  const name = `${spec.host}:${spec.port}`;

  async function connect(push: (chunk: Buffer) => void): Promise<Connection> {
    const socket = createConnection({
      host: spec.host,
      port: spec.port,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    let why = `${name} closed the connection.`;
    socket.on('data', push);
    socket.on('error', (error) => {
      why = `${name}: ${error.message}`;
    });
    socket.once('close', () => end(why));
    // Without this timer, the operating system would try for minutes to reach a host that does not answer.
    const timer = setTimeout(() => socket.destroy(new Error('the host does not answer')), CONNECT_MS);
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
