/** The storage engine over SQLite. Reads parse the stored JSON directly, without RxDB. */
import {
  COLLECTIONS,
  type CollectionName,
  type FindQuery,
  type ProjectWrite,
  type Stored,
} from '#contract/base/view.ts';
import type { AuditHead } from '#store/base/audit-chain.ts';
import { withBytes } from '#store/base/body.ts';
import type { ChangeFeed, Incarnation, StorageEngine } from '#store/base/engine.ts';
import { checkLimit, toStored } from '#store/base/envelope.ts';
import { createListeners } from '#store/base/listeners.ts';
import {
  type CommitFollower,
  type CommitterOptions,
  createCommitter,
  createTransact,
  type Transact,
} from './commit.ts';
import type { Connection } from './connection.ts';
import { byCollection, followReplication, instancesOf, type StoreDatabase } from './database.ts';
import { type FindContext, runFind } from './find.ts';
import { MergedRows } from './merged-rows.ts';
import type { Outcome, RowWriterOptions } from './row-writer.ts';
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
  /** Returns the bytes of all documents of a collection whose id begins with this prefix, as JSON text and bytes. */
  bytesOf(collection: CollectionName, prefix: string): Promise<number>;
  stats(): ConnectionStats;
}

/** The number of documents that one read of `bytesOf` measures. */
const MEASURED = 200;

export interface SqliteEngineOptions {
  readonly storage: SqliteStorage;
  readonly database: StoreDatabase;
  readonly connection: Connection;
  readonly nodeId: string;
  readonly incarnation: Incarnation;
  /** Returns the present time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Called with the last entry of the audit log when a commit with audit entries is on disk. */
  readonly onAudit?: (head: AuditHead) => void;
  /** Returns what follows the commits of this node. */
  readonly follow?: (options: RowWriterOptions) => CommitFollower;
}

/** Creates the engine of an open database. The caller closes the database itself. */
export function createSqliteEngine(options: SqliteEngineOptions): {
  readonly engine: Omit<SqliteEngine, typeof Symbol.asyncDispose>;
  readonly tables: Readonly<Record<CollectionName, Table>>;
  readonly transact: Transact;
} {
  const { storage, database, connection, nodeId, incarnation, clock, onAudit, follow } = options;
  const listeners = createListeners();
  const { emit } = listeners;
  const instances = instancesOf(storage, database.name);
  followReplication(instances, emit);
  const tables = byCollection((name) => instances[name].internals.table);
  const source: ReadSource = { connection, tables };
  const { token } = database;
  const life = incarnation.number;
  const follower = follow?.({ connection, instances, token });
  const committing: CommitterOptions = { connection, instances, nodeId, life, token, clock, emit, onAudit, follower };
  const transact = createTransact(connection, { instances, emit, onAudit });
  const commit = createCommitter(committing, transact);
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
      const erase = (outcome: Outcome): void => {
        follower?.erase?.(collection, ids, new MergedRows(committing, outcome), records);
        instances[collection].eraseRows(ids);
      };
      if (records.length === 0) await transact(ids.length, erase, false);
      else await commit(records, { rows: ids.length, run: erase });
    },
    compact: () => connection.compact(),
    size: () => connection.size(),
    bytesOf: (collection: CollectionName, prefix: string) => bytesOf(source, tables[collection], prefix),
    stats: () => ({ ...connection.stats }),
  };
  return { engine, tables, transact };
}

interface ReadSource {
  readonly connection: Connection;
  readonly tables: Readonly<Record<CollectionName, Table>>;
}

/** Adds up the lengths of documents, 200 in a read. SQLite knows a length without reading the text or the bytes. */
async function bytesOf({ connection }: ReadSource, { name, hasBodies }: Table, prefix: string): Promise<number> {
  const body = hasBodies ? ' + ifnull(octet_length(body), 0)' : '';
  const sql = `SELECT id, octet_length(data)${body} FROM ${name} WHERE id>? AND id<? AND del=0 ORDER BY id LIMIT ${MEASURED}`;
  let sum = 0;
  for (let after = prefix; ; ) {
    const rows = await connection.read((read) => read.all(sql, after, `${prefix}\uffff`), MEASURED);
    for (const [, bytes] of rows) sum += Number(bytes);
    const last = rows.at(-1);
    if (last === undefined || rows.length < MEASURED) return sum;
    after = String(last[0]);
  }
}

function get<T>(
  { connection, tables }: ReadSource,
  project_id: string,
  collection: CollectionName,
  id: string,
): Promise<Stored<T> | undefined> {
  const table = tables[collection];
  const sql = `SELECT ${table.content} FROM ${table.name} WHERE id=? AND del=0`;
  return connection.read((read) => {
    const row = read.get(sql, textKey(id));
    const document = row && parse<T>(connection, table, row);
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
    for (const row of await connection.read((read) => readMany(read, tables[collection], some))) {
      const document = parse<T>(connection, tables[collection], row);
      if (document.project_id === project_id) found.set(document.id, document);
    }
  }
  return ids.map((id) => found.get(id)).filter((document) => document !== undefined);
}

function readMany(read: Reader, table: Table, ids: readonly string[]): Row[] {
  const sql = `SELECT ${table.content} FROM ${table.name} WHERE id IN (SELECT value FROM json_each(?)) AND del=0`;
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
  return found.map((row) => parseListed<T>(connection, tables[collection], row));
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
    entries: table.feed(read, project_id, after, limit).map(([seq, ...row]) => {
      const document = parseRow<Stored & { readonly _deleted: boolean }>(connection, table, row);
      return { seq: Number(seq), deleted: document._deleted, document: toStored(document) };
    }),
    head: table.head(connection, read, project_id),
  }));
}

/** Parses a row of the columns `Table.content`. */
function parse<T>(connection: Connection, table: Table, row: readonly unknown[]): Stored<T> {
  return toStored<T>(parseRow(connection, table, row));
}

/**
 * Parses a row of a list. If a document with bytes is damaged and no backup can repair it, the list has the document with empty bytes. So
 * the damage of one segment does not prevent the read of the others, and its reader counts it as unreadable.
 */
function parseListed<T>(connection: Connection, table: Table, row: readonly unknown[]): Stored<T> {
  try {
    return parse<T>(connection, table, row);
  } catch (error) {
    const document = table.hasBodies && !connection.canRecover ? withoutBytes<T>(String(row[0])) : undefined;
    if (document === undefined) throw error;
    return document;
  }
}

/** Returns a damaged document with empty bytes; undefined if its text is not JSON. */
function withoutBytes<T>(text: string): Stored<T> | undefined {
  try {
    const document = JSON.parse(text) as Stored<Record<string, unknown>>;
    return toStored<T>({ ...document, data: { ...document.data, body: new Uint8Array() } } as Stored<T>);
  } catch {
    return undefined;
  }
}

function parseRow<T extends Stored<unknown>>(connection: Connection, table: Table, row: readonly unknown[]): T {
  const document = connection.parse<T>(row[0], row[1], row[2]);
  return table.hasBodies ? withBytes(document) : document;
}
