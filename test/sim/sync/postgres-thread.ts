/**
 * A thread that runs statements in PostgreSQL for a thread that waits for each of them, because a history of the simulator runs step by step.
 * With `harm` the connection goes through a proxy that fails statements and cuts connections at COMMIT.
 */
import { type MessagePort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { startPostgresProxy } from '#test/support/postgres-proxy.ts';

export interface ThreadData {
  readonly port: MessagePort;
  readonly signal: Int32Array;
  readonly serverPort: number;
  readonly harm?: { readonly seed: number };
}

export interface Ask {
  readonly url: string;
  readonly text: string;
  readonly values?: unknown[];
  readonly rowMode?: 'array';
}

export type Told =
  | { readonly rows: unknown[]; readonly rowCount: number | null }
  | { readonly error: string; readonly code: string | undefined };

const { port, signal, serverPort, harm } = workerData as ThreadData;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const proxy = harm && (await startPostgresProxy(serverPort, harm.seed));
if (proxy !== undefined) proxy.harm = { login: 0.02, conflict: 0.02, before: 0.03, after: 0.03 };

let current: { readonly url: string; readonly client: pg.Client } | undefined;

/** The client of a database. There is one at a time, so that a database without a client can be copied. */
async function clientOf(url: string): Promise<pg.Client> {
  if (current?.url === url) return current.client;
  await current?.client.end().catch(() => {});
  current = undefined;
  // Statements about whole databases go to the server itself.
  const isData = new URL(url).pathname !== '/postgres';
  const client = new pg.Client({ connectionString: isData && proxy !== undefined ? proxy.through(url) : url });
  client.on('error', () => {});
  client.on('end', () => {
    if (current?.client === client) current = undefined;
  });
  await client.connect();
  current = { url, client };
  return client;
}

async function answer({ url, ...query }: Ask): Promise<Told> {
  try {
    const result = await (await clientOf(url)).query(query);
    // Several statements in one text have several results.
    const last = Array.isArray(result) ? (result as pg.QueryResult[]).at(-1) : result;
    return { rows: last?.rows ?? [], rowCount: last?.rowCount ?? null };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: message, code };
  }
}

port.on('message', async (ask: Ask) => {
  port.postMessage(await answer(ask));
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});
port.postMessage('ready');
