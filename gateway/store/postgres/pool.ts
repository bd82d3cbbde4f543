/** The connections of one process to PostgreSQL. */
import { Socket } from 'node:net';
import pg from 'pg';
import { StoreError } from '#contract/base/store-error.ts';
import type { Problem } from '#store/base/problem.ts';
import { isAway } from './errors.ts';

/** Connections of one process. A transaction takes one, and a read takes one for one statement. */
const MOST_CONNECTIONS = 10;
/** For this time a call waits for a server that does not answer, such as while another server takes its place. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 200;
/** The server ends a transaction whose process does nothing for this time, so that its locks do not stay. */
const IDLE_MS = 15_000;
const STATEMENT_MS = 60_000;

/** For a statement that may take as long as it needs. Its transaction also sets `statement_timeout`. */
export const UNHURRIED = { query_timeout: 2 ** 31 - 1 };

const INT8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? (value: string) => Number(value)
      : (pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown),
} as pg.CustomTypesConfig;

export type Log = (level: 'info' | 'warn' | 'error', message: string, data?: Record<string, unknown>) => void;

export interface Database extends AsyncDisposable {
  /** The address without its password. */
  readonly name: string;
  /** Runs `work` with a connection of its own. Tries again for some time if the server does not answer. */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /** Runs one statement that reads. */
  read(sql: string, values: readonly unknown[]): Promise<unknown[][]>;
  /** How often the server has answered. Statements that share a round trip count once. */
  statements(): number;
  /** Returns a problem while the server does not answer. */
  problems(): Problem[];
  /** Opens a connection that stays. */
  connect(): Promise<pg.Client>;
}

/** Returns the address of a database without its password. */
function nameOf(url: string): string {
  if (!URL.canParse(url)) return 'postgres://...';
  const { protocol, hostname, port, pathname } = new URL(url);
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}

/**
 * A connection whose end is no uncaught error at any moment. The server can end it right after the login, when neither the pool nor its
 * user listens yet. The next statement on it fails.
 */
class Connection extends pg.Client {
  constructor(settings?: pg.ClientConfig) {
    super(settings);
    this.on('error', () => {});
  }
}

/** Statements that are given to a connection one after the other, without a wait between them, leave in one write. */
class GatheringSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork());
  }
}

/** Opens the connections. `greet`: called with each new connection before it is used; if it fails, so does the call that needed it. */
export function openPool(url: string, greet?: (client: pg.ClientBase) => Promise<void>): Database {
  const settings: pg.ClientConfig = {
    connectionString: url,
    application_name: 'headframe',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    query_timeout: STATEMENT_MS + 5_000,
    // Statements that do not wait for each other share a round trip. The server runs them in their order.
    pipeline: true,
    stream: () => new GatheringSocket(),
    types,
  };
  const begin = async (client: pg.ClientBase): Promise<void> => {
    // The server would compile a statement over many sites, which takes longer than the statement. A server that cannot compile refuses this.
    await client.query('SET jit = off').catch(() => {});
    await greet?.(client);
  };
  const verify: pg.PoolConfig['verify'] = (client, done) =>
    void begin(client).then(
      () => done(),
      (error: unknown) => done(error as Error),
    );
  const pool = new pg.Pool({ ...settings, max: MOST_CONNECTIONS, Client: Connection, verify });
  // A connection that breaks while nobody uses it is opened anew by the next call.
  pool.on('error', () => {});
  let statements = 0;
  // A connection is drained when all statements are answered that were sent at once.
  pool.on('connect', (client) => client.on('drain', () => statements++));
  const name = nameOf(url);
  let isOut = false;

  async function use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await patiently(() => pool.connect());
    let failed: unknown;
    const broke = (error: unknown): void => {
      failed = error;
    };
    client.on('error', broke);
    try {
      return await work(client);
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      client.off('error', broke);
      client.release(isAway(failed));
    }
  }

  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const result = await work();
        isOut = false;
        return result;
      } catch (error) {
        if (!isAway(error)) throw error;
        isOut = true;
        if (performance.now() > until) throw new StoreError('database_away', name, error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  return {
    name,
    use,
    statements: () => statements,
    problems: () => (isOut ? [{ code: 'database_away', message: new StoreError('database_away', name).message }] : []),
    read: (text, values) =>
      patiently(() =>
        use(
          async (client) => (await client.query({ text, values: [...values], rowMode: 'array' })).rows as unknown[][],
        ),
      ),
    async connect() {
      const client = new Connection(settings);
      await client.connect();
      return client;
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
