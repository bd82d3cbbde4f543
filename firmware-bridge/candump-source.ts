/** A live source of candump text: it keeps one connection open, reads frames from its text, and reconnects when the connection ends. */
import { CandumpReader } from './candump-reader.ts';
import { createBackoff, type SourceOptions, type SourceReport, type SourceSpec } from './source.ts';

/** An open connection (a candump process or a socket); `ended` resolves with the reason when the connection closes. */
export interface Connection {
  readonly ended: Promise<string>;
  stop(): void;
}

interface CandumpSource extends AsyncDisposable {
  report(): Omit<SourceReport, 'sending'>;
}

/**
 * Thrown when a connection fails and only a person can help, for example by installing a missing program. The source nevertheless tries to
 * connect again.
 */
export class ConnectionRefused extends Error {}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;
/**
 * Milliseconds after which an open connection counts as `listening` even if no bytes have arrived. A program that exits at once does not
 * reach this time, so the source then never reports `listening`.
 */
const SETTLED_MS = 500;
/** If a connection lasted longer than this number of milliseconds, the next wait before a reconnect is short again. */
const STABLE_MS = 5_000;

/** Creates the source. It calls `connect` for each new connection, and `connect` passes each chunk of text to `push`. */
export function openCandumpSource(
  spec: Pick<SourceSpec, 'bus' | 'bitrate'>,
  { sink, clock, log }: SourceOptions,
  connect: (push: (chunk: Buffer) => void) => Promise<Connection>,
): CandumpSource {
  const backoff = createBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  const reader = new CandumpReader(sink, clock, spec.bus);
  let state: SourceReport['state'] = 'opening';
  let detail: string | null = null;
  let lostConnections = 0;
  let connection: Connection | undefined;
  let closed = false;

  function setListening(): void {
    state = 'listening';
    detail = null;
  }

  function push(chunk: Buffer): void {
    if (state !== 'listening') setListening();
    reader.read(chunk);
  }

  /** Opens one connection; resolves when the connection has ended. */
  async function runConnection(): Promise<void> {
    connection = await connect(push);
    if (closed) connection.stop();
    const since = performance.now();
    reader.busState = null;
    const settled = setTimeout(setListening, SETTLED_MS);
    const why = await connection.ended.finally(() => clearTimeout(settled));
    if (state !== 'listening' && !closed) throw new Error(why);
    const stable = performance.now() - since > STABLE_MS;
    if (stable) backoff.reset();
    if (closed) return;
    lostConnections++;
    if (stable) log('warn', 'the connection to the bus ended', { why });
    state = 'away';
    detail = why;
  }

  async function run(): Promise<void> {
    while (!closed) {
      try {
        await runConnection();
      } catch (error) {
        state = error instanceof ConnectionRefused ? 'refused' : 'away';
        detail = (error as Error).message;
      }
      connection = undefined;
      reader.startConnection();
      if (!closed) await backoff.wait();
    }
  }

  const running = run();
  return {
    report: () => ({
      state,
      detail,
      bitrate: typeof spec.bitrate === 'number' ? spec.bitrate : null,
      bus_state: reader.busState,
      bytes: reader.bytes,
      malformed: reader.malformed,
      bus_errors: reader.busErrors,
      overruns: reader.overruns,
      disconnects: lostConnections,
    }),
    async [Symbol.asyncDispose]() {
      closed = true;
      backoff.stop();
      connection?.stop();
      await running;
    },
  };
}
