/**
 * Head office of the simulator on a real PostgreSQL database: the tables, the transactions and the workspace of the store. Only its pool, its
 * feed and its timers are left out, so that a history runs step by step: a statement blocks this thread while another one runs it, and the
 * promises between two statements are settled at once. So node needs `--allow-natives-syntax`, and a history begins outside of a promise.
 */
import { randomBytes } from 'node:crypto';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ClientBase } from 'pg';
import type { CollectionName } from '#contract/base/view.ts';
import { OWNERSHIP } from '#contract/ownership/table.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import type { Doc } from '#domain/sync/registers/documents.ts';
import type { Data } from '#domain/sync/registers/paths.ts';
import { lifeText } from '#domain/sync/registers/registers.ts';
import type { Claim, CloudChannel, LogRow, SyncTx } from '#domain/sync/store.ts';
import { CurrentDb } from '#store/postgres/current-db.ts';
import { openIdentity } from '#store/postgres/identity.ts';
import type { ProjectNumbers } from '#store/postgres/loader.ts';
import type { Database } from '#store/postgres/pool.ts';
import { DOCUMENT_TABLES, SCHEMA } from '#store/postgres/tables.ts';
import { Transactions } from '#store/postgres/transactions.ts';
import { fromText } from '#store/postgres/values.ts';
import { type CommitterOptions, writeAll } from '#store/sqlite/commit.ts';
import { byCollection } from '#store/sqlite/database.ts';
import { MergedRows } from '#store/sqlite/merged-rows.ts';
import { newOutcome, type Outcome, type RowWriterOptions } from '#store/sqlite/row-writer.ts';
import { foldRows } from '#store/sync/fold.ts';
import { createFollower } from '#store/sync/local-commit.ts';
import { addProject, Projects } from '#store/sync/projects.ts';
import { readAhead } from '#store/sync/read-ahead.ts';
import type { PostgresServer } from '#test/support/postgres.ts';
import type { Ask, ThreadData, Told } from './postgres-thread.ts';
import { NotingTx, PROJECT, toWrite, withSameRegisters } from './sqlite-twin.ts';
import type { Twin } from './twin.ts';
import type { World } from './world.ts';

/** The thread is asked again after this time, in case its signal came before its answer. */
const LOOK_MS = 50;
/** What a proxy answers to a statement that it fails, without sending it to the server. */
const FAILED: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const MOST_READS = 20;

/** Settles the promises that wait. */
const settle = new Function('%PerformMicrotaskCheckpoint()') as () => void;

/** Runs asynchronous code to its end. It may wait for statements and for timers, which end at once, and for nothing else. */
function sync<T>(work: () => Promise<T>): T {
  const { setTimeout: later } = globalThis;
  let ended: { readonly value: T } | { readonly error: unknown } | undefined;
  globalThis.setTimeout = ((run: () => void) => queueMicrotask(run)) as unknown as typeof later;
  try {
    work().then(
      (value) => {
        ended = { value };
      },
      (error: unknown) => {
        ended = { error };
      },
    );
    settle();
  } finally {
    globalThis.setTimeout = later;
  }
  if (ended === undefined) throw new Error('a transaction waits for something else than a statement');
  if ('error' in ended) throw ended.error;
  return ended.value;
}

/** Bytes that came from another thread are buffers again. */
const revive = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (Array.isArray(value)) return value.map(revive);
  return value;
};

/** The thread with the connection, and the databases of one history. */
export class PostgresBase {
  readonly #server: PostgresServer;
  readonly #worker: Worker;
  readonly #signal: Int32Array<SharedArrayBuffer>;
  readonly #port: MessagePort;
  readonly #names = new Set<string>();

  private constructor(
    server: PostgresServer,
    worker: Worker,
    port: MessagePort,
    signal: Int32Array<SharedArrayBuffer>,
  ) {
    this.#server = server;
    this.#worker = worker;
    this.#port = port;
    this.#signal = signal;
  }

  static async open(server: PostgresServer, harm?: ThreadData['harm']): Promise<PostgresBase> {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ThreadData = { port: port2 as never, signal, serverPort: server.port, ...(harm && { harm }) };
    const file = new URL('./postgres-thread.ts', import.meta.url);
    const worker = new Worker(file, { workerData, transferList: [port2 as never] });
    await new Promise((resolve) => port1.once('message', resolve));
    return new PostgresBase(server, worker, port1 as unknown as MessagePort, signal);
  }

  ask(ask: Ask): { rows: unknown[]; rowCount: number | null } {
    Atomics.store(this.#signal, 0, 0);
    this.#port.postMessage(ask);
    let told: Told | undefined;
    while (told === undefined) {
      Atomics.wait(this.#signal, 0, 0, LOOK_MS);
      told = receiveMessageOnPort(this.#port as never)?.message as Told | undefined;
    }
    if ('error' in told) throw Object.assign(new Error(told.error), { code: told.code });
    const rows = told.rows.map((row) =>
      Array.isArray(row)
        ? revive(row)
        : Object.fromEntries(Object.entries(row as object).map(([k, v]) => [k, revive(v)])),
    );
    return { rows, rowCount: told.rowCount };
  }

  /** Creates a database, or a copy of one, and returns its address. */
  create(copyOf?: string): string {
    const name = `s${randomBytes(6).toString('hex')}`;
    const template = copyOf === undefined ? '' : ` TEMPLATE ${new URL(copyOf).pathname.slice(1)}`;
    for (let tries = 1; ; tries++) {
      try {
        this.ask({ url: this.#server.url, text: `CREATE DATABASE ${name}${template}` });
        break;
      } catch (error) {
        // The server has not noticed yet that the connection to the database ended.
        if ((error as { code?: string }).code !== '55006' || tries > 200) throw error;
        this.ask({ url: this.#server.url, text: 'SELECT pg_sleep(0.01)' });
      }
    }
    this.#names.add(name);
    return Object.assign(new URL(this.#server.url), { pathname: `/${name}` }).href;
  }

  /** Drops the databases of a history that has ended. */
  clear(): void {
    for (const name of this.#names) this.ask({ url: this.#server.url, text: `DROP DATABASE ${name} WITH (FORCE)` });
    this.#names.clear();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

type MessagePort = { postMessage(value: unknown): void };

/** A database of head office, and what the store has in memory for it. */
class OpenDatabase {
  readonly url: string;
  readonly db = new CurrentDb();
  readonly rows: RowWriterOptions;
  readonly projects = new Projects();
  readonly transactions: Transactions;
  readonly base: PostgresBase;

  constructor(base: PostgresBase, url: string, now: () => number) {
    this.base = base;
    this.url = url;
    const clock = (): number => Math.floor(now());
    const query = async (text: string | Omit<Ask, 'url'>, values?: unknown[]) =>
      base.ask({ url, ...(typeof text === 'string' ? { text, ...(values && { values }) } : text) });
    const client = { query } as unknown as ClientBase;
    const database = {
      name: 'the database of a history',
      use: async (work: (one: unknown) => Promise<unknown>) => await work(client),
      read: async (text: string, values: unknown[]) => (await query({ text, values, rowMode: 'array' })).rows,
    } as unknown as Database;
    const identity = sync(() => openIdentity(database, { clock, random: (n) => randomBytes(n) }));
    const numbers: ProjectNumbers = { idOf: () => PROJECT, numberOf: () => 1, note: () => 1 };
    this.projects.note(PROJECT, 1);
    const instances = byCollection((name) => ({ internals: { table: DOCUMENT_TABLES[name] } }));
    this.rows = {
      connection: this.db,
      instances: instances as unknown as RowWriterOptions['instances'],
      token: 'tokentoken',
    };
    this.transactions = new Transactions({
      ...{ database, numbers, clock },
      // The simulator begins the lives of a node itself.
      identity: () => identity,
      reidentify: async () => {},
      renew: () => [],
      enter: (workspace) => this.db.enter(workspace),
      publish: async () => {},
    });
  }

  run<T>(work: (outcome: Outcome) => T, ahead?: () => void): T {
    const run = (): T => work(newOutcome());
    return sync(() => this.transactions.run({ projects: [PROJECT], rows: 100, run, ahead }));
  }

  /** Reads a column for the simulator itself. If the proxy fails this statement, it is sent again: it is none of the product. */
  column(sql: string): string[] {
    for (let tries = 1; ; tries++)
      try {
        const { rows } = this.base.ask({ url: this.url, text: sql, rowMode: 'array' });
        return rows.map((row) => fromText(String((row as unknown[])[0])));
      } catch (error) {
        if (!FAILED.has((error as { code?: string }).code) || tries >= MOST_READS) throw error;
      }
  }
}

export class PostgresTwin implements Twin {
  readonly #base: PostgresBase;
  readonly #world: World;
  #open: OpenDatabase;
  readonly #docs = new Map<string, Doc>();
  readonly #changed = new Set<string>();
  /** Answers of the state on disk, until something is written. */
  readonly #answers = new Map<string, unknown>();
  /** The transaction that runs now, whose state the simulator may ask for. */
  #running: NotingTx | undefined;
  ownership: SyncEnv['ownership'] = OWNERSHIP;

  constructor(base: PostgresBase, world: World, id: string, token: string) {
    this.#base = base;
    this.#world = world;
    this.#open = new OpenDatabase(base, base.create(), () => world.now);
    this.#open.run(() =>
      addProject(this.#open.db, PROJECT, { id, life: { number: 1, token }, fresh: true, floors: {} }, 1),
    );
  }

  #tx(outcome: Outcome): NotingTx {
    return this.#opened(new MergedRows(this.#open.rows, outcome));
  }

  #opened(rows: MergedRows): NotingTx {
    const { db } = this.#open;
    const options = {
      db,
      rows,
      project: PROJECT,
      p: 1,
      env: { ownership: this.ownership, role: 'cloud' as const, now: 0 },
    };
    return new NotingTx(options, (key) => this.#changed.add(key));
  }

  /** Runs a transaction. Each attempt gets the same tokens. */
  #transact<T>(work: (outcome: Outcome) => T, ahead?: () => void): T {
    const { tokens } = this.#world;
    this.#answers.clear();
    try {
      return this.#open.run((outcome) => {
        this.#world.tokens = tokens;
        return work(outcome);
      }, ahead);
    } finally {
      this.#running = undefined;
    }
  }

  run<T>(work: (tx: SyncTx) => T, ahead?: Parameters<Twin['run']>[1]): T {
    const { rows } = this.#open;
    const read = (): void => {
      if (ahead === undefined) return;
      const tx = this.#tx(newOutcome());
      readAhead({ ...{ rows, project: PROJECT, p: 1, env: ahead.env }, tx }, ahead.brought);
    };
    const result = this.#transact((outcome) => {
      const tx = this.#tx(outcome);
      this.#running = tx;
      const done = work(tx);
      tx.finish();
      return done;
    }, read);
    this.#refresh();
    return result;
  }

  commit(env: SyncEnv, writes: readonly LocalWrite[]): LogRow | undefined {
    const before = this.tx.head().n;
    const { db, rows, projects } = this.#open;
    const follower = createFollower({ db, projects, env: () => env, open: (_, __, merged) => this.#opened(merged) });
    const options: CommitterOptions = {
      ...rows,
      nodeId: 'cloud',
      life: 1,
      clock: () => env.now,
      emit: () => {},
      follower,
    };
    this.#transact((outcome) => {
      writeAll(options, outcome, writes.map(toWrite));
      for (const collection of ['live', 'telemetry'] as const) this.#fold(env, collection, writes, outcome);
    });
    this.#refresh();
    return this.tx.head().n > before ? this.tx.row(before + 1) : undefined;
  }

  #fold(env: SyncEnv, collection: CollectionName, writes: readonly LocalWrite[], outcome: Outcome): void {
    const merged = new MergedRows(this.#open.rows, outcome);
    const written = writes.filter((write) => write.collection === collection);
    const found = written.map(({ id }) => merged.read(collection, id)).filter((row) => row !== undefined);
    foldRows(this.#tx(outcome), env, collection, 'cloud', found);
  }

  #readAll(): void {
    this.#docs.clear();
    const keys = `SELECT key FROM ${SCHEMA}.sync_docs WHERE state IS NULL OR state NOT IN ('gone', 'aged', 'replaced')`;
    for (const key of this.#open.column(keys)) this.#changed.add(key);
    this.#refresh();
  }

  /** Reads the changed documents again from the database. */
  #refresh(): void {
    const keys = [...this.#changed];
    if (keys.length === 0) return;
    const docs = this.#transact((outcome) => {
      const tx = this.#tx(outcome);
      return keys.map((key) => tx.get(key));
    });
    for (const [i, key] of keys.entries()) {
      const doc = docs[i];
      if (doc === undefined) this.#docs.delete(key);
      else this.#docs.set(key, withSameRegisters(this.#docs.get(key), doc));
    }
    this.#changed.clear();
  }

  backup(): () => void {
    const copy = this.#base.create(this.#open.url);
    return () => {
      this.#open = new OpenDatabase(this.#base, this.#base.create(copy), () => this.#world.now);
      this.#answers.clear();
      this.#readAll();
    };
  }

  clone(): Twin {
    throw new Error('the simulator clones only sites');
  }

  shown(_: SyncEnv, { collection, id }: Doc): Data {
    return this.#transact(
      (outcome) => new MergedRows(this.#open.rows, outcome).read(collection as CollectionName, id)?.data ?? {},
    );
  }

  get docs(): ReadonlyMap<string, Doc> {
    return this.#docs;
  }

  get log(): readonly LogRow[] {
    return this.tx.rows(0, 1_000_000);
  }

  get allClaims(): ReadonlyMap<string, readonly Claim[]> {
    const names = this.#open.column(`SELECT DISTINCT name FROM ${SCHEMA}.sync_claims ORDER BY name`);
    return new Map(names.map((name) => [name, this.tx.claims(name)]));
  }

  get channels(): ReadonlyMap<string, CloudChannel> {
    const names = this.#open.column(`SELECT name FROM ${SCHEMA}.sync_state WHERE kind='cloud' ORDER BY name`);
    return new Map(names.map((name) => [name, this.tx.cloudChannel(name)]));
  }

  get life(): string {
    const { id, life } = this.tx.node();
    return lifeText(id, life.number, life.token);
  }

  /** The state on disk, outside of a transaction of the protocol: each call is a transaction of its own. */
  get tx(): SyncTx {
    const owed = this.#asking('owed.', (tx) => tx.owed);
    return new Proxy(
      this.#asking('', (tx) => tx),
      {
        get: (asked, name, receiver) => (name === 'owed' ? owed : Reflect.get(asked, name, receiver)),
      },
    );
  }

  /** An object whose methods are those of a part of the state. An answer stays valid until something is written. */
  #asking<T extends object>(prefix: string, partOf: (tx: SyncTx) => T): T {
    type Methods = Readonly<Record<string, (...of: unknown[]) => unknown>>;
    const call = (tx: SyncTx, name: string, values: readonly unknown[]): unknown =>
      (partOf(tx) as Methods)[name]?.(...values);
    return new Proxy({} as T, {
      get:
        (_, name: string) =>
        (...values: unknown[]) => {
          if (this.#running !== undefined) return call(this.#running, name, values);
          const asked = `${prefix}${name} ${JSON.stringify(values)}`;
          if (!this.#answers.has(asked))
            this.#answers.set(
              asked,
              this.#transact((outcome) => call(this.#tx(outcome), name, values)),
            );
          return this.#answers.get(asked);
        },
    });
  }
}
