/** The storage engine over SQLite. Reads parse the stored JSON directly, without RxDB. */
import {
  COLLECTIONS,
  type CollectionName,
  type FindQuery,
  type ProjectWrite,
  type Stored,
} from '#contract/base/view.ts';
import type { ChangeFeed, Incarnation, StorageEngine } from '#store/base/engine.ts';
import { checkLimit, toStored } from '#store/base/envelope.ts';
import { createListeners } from '#store/base/listeners.ts';
import { createCommitter } from './commit.ts';
import type { Connection } from './connection.ts';
import { byCollection, followReplication, instancesOf, type StoreDatabase } from './database.ts';
import { type FindContext, runFind } from './find.ts';
import type { Reader, Row } from './rows.ts';
import type { SqliteStorage } from './storage.ts';
import type { Table } from './table.ts';
import { textKey } from './text-key.ts';
import type { ConnectionStats } from './transaction-writer.ts';

/** The largest number of ids that one statement reads. */
const MAX_IDS = 500;

/** The storage engine, with the functions that only an engine over SQLite has. */
export interface SqliteEngine extends StorageEngine {
  /** The RxDB database over the same file. */
  readonly database: StoreDatabase;
  /** Returns free pages to the disk; see `Connection.compact`. */
  compact(): Promise<{ readonly bytes: number; readonly more: boolean }>;
  /** Returns the size of the database file; see `Connection.size`. */
  size(): Promise<{ readonly used: number; readonly free: number }>;
  stats(): ConnectionStats;
}

export interface SqliteEngineOptions {
  readonly storage: SqliteStorage;
  readonly database: StoreDatabase;
  readonly connection: Connection;
  readonly nodeId: string;
  readonly incarnation: Incarnation;
  /** Returns the present time in milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates the engine of an open database. The caller closes the database itself. */
export function createSqliteEngine(options: SqliteEngineOptions): {
  readonly engine: Omit<SqliteEngine, typeof Symbol.asyncDispose>;
  readonly tables: Readonly<Record<CollectionName, Table>>;
} {
  const { storage, database, connection, nodeId, incarnation, clock } = options;
  const listeners = createListeners();
  const { emit } = listeners;
  const instances = instancesOf(storage, database.name);
  followReplication(instances, emit);
  const tables = byCollection((name) => instances[name].internals.table);
  const source: ReadSource = { connection, tables };
  const commit = createCommitter({ connection, instances, nodeId, token: database.token, clock, emit });
  const engine = {
    nodeId,
    incarnation,
    database,
    get: <T>(project_id: string, collection: CollectionName, id: string) => get<T>(source, project_id, collection, id),
    getMany: <T>(project_id: string, collection: CollectionName, ids: readonly string[]) =>
      getMany<T>(source, project_id, collection, ids),
    find: <T>(project_id: string | null, collection: CollectionName, query: FindQuery) =>
      find<T>(source, project_id, collection, query),
    commit: (writes: readonly ProjectWrite[]) => commit(writes),
    changes: listeners.add,
    changeFeed: (project_id: string, collection: CollectionName, after: number, limit: number) =>
      readChangeFeed(source, { project_id, collection, after, limit }),
    async purge(older_ms: number) {
      let done = true;
      for (const name of COLLECTIONS) done = (await instances[name].cleanup(older_ms)) && done;
      return done;
    },
    async erase(collection: 'events' | 'telemetry', ids: readonly string[], records: readonly ProjectWrite[] = []) {
      const instance = instances[collection];
      if (records.length === 0) await instance.erase(ids);
      else await commit(records, { rows: ids.length, run: () => instance.eraseRows(ids) });
    },
    compact: () => connection.compact(),
    size: () => connection.size(),
    stats: () => ({ ...connection.stats }),
  };
  return { engine, tables };
}

interface ReadSource {
  readonly connection: Connection;
  readonly tables: Readonly<Record<CollectionName, Table>>;
}

function get<T>(
  { connection, tables }: ReadSource,
  project_id: string,
  collection: CollectionName,
  id: string,
): Promise<Stored<T> | undefined> {
  const sql = `SELECT data, sum FROM ${tables[collection].name} WHERE id=? AND del=0`;
  return connection.read((read) => {
    const row = read.get(sql, textKey(id));
    const document = row && parse<T>(connection, row[0], row[1]);
    return document?.project_id === project_id ? document : undefined;
  });
}

async function getMany<T>(
  { connection, tables }: ReadSource,
  project_id: string,
  collection: CollectionName,
  ids: readonly string[],
): Promise<Stored<T>[]> {
  const found = new Map<string, Stored<T>>();
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const some = ids.slice(from, from + MAX_IDS);
    for (const [data, checksum] of await connection.read((read) => readMany(read, tables[collection], some))) {
      const document = parse<T>(connection, data, checksum);
      if (document.project_id === project_id) found.set(document.id, document);
    }
  }
  return ids.map((id) => found.get(id)).filter((document) => document !== undefined);
}

function readMany(read: Reader, table: Table, ids: readonly string[]): Row[] {
  const sql = `SELECT data, sum FROM ${table.name} WHERE id IN (SELECT value FROM json_each(?)) AND del=0`;
  return read.all(sql, JSON.stringify(ids.map(textKey)));
}

async function find<T>(
  { connection, tables }: ReadSource,
  project: string | null,
  collection: CollectionName,
  query: FindQuery,
): Promise<Stored<T>[]> {
  const read: FindContext['read'] = (run, cost) => connection.read(run, cost);
  const found = await runFind({ read, collection, table: tables[collection], live: tables.live, project }, query);
  return found.map(([data, checksum]) => parse<T>(connection, data, checksum));
}

interface FeedPosition {
  readonly project_id: string;
  readonly collection: CollectionName;
  readonly after: number;
  readonly limit: number;
}

function readChangeFeed({ connection, tables }: ReadSource, from: FeedPosition): Promise<ChangeFeed> {
  const { project_id, collection, after, limit } = from;
  checkLimit(limit);
  const table = tables[collection];
  return connection.read((read) => ({
    entries: table.feed(read, project_id, after, limit).map(([seq, data, checksum]) => {
      const document = connection.parse<Stored & { readonly _deleted: boolean }>(data, checksum);
      return { seq: Number(seq), deleted: document._deleted, document: toStored(document) };
    }),
    head: table.head(connection, read, project_id),
  }));
}

function parse<T>(connection: Connection, data: unknown, checksum: unknown): Stored<T> {
  return toStored<T>(connection.parse(data, checksum));
}
