/** The storage engine over PostgreSQL. Several processes may use one database. */
import { StoreError } from '#contract/base/store-error.ts';
import {
  type Change,
  COLLECTIONS,
  type CollectionName,
  type FindQuery,
  type ProjectWrite,
  type Stored,
} from '#contract/base/view.ts';
import { isChained } from '#store/base/audit-chain.ts';
import { hasBodies, withBytes } from '#store/base/body.ts';
import type { ChangeFeed, StorageEngine } from '#store/base/engine.ts';
import { checkLimit, checkWrites, toStored } from '#store/base/envelope.ts';
import type { Fence, Lease } from '#store/base/lease.ts';
import { createListeners } from '#store/base/listeners.ts';
import type { Problem } from '#store/base/problem.ts';
import { type CommitterOptions, writeAll } from '#store/sqlite/commit.ts';
import { parseDocument } from '#store/sqlite/damaged-documents.ts';
import { MergedRows } from '#store/sqlite/merged-rows.ts';
import { newOutcome, type Outcome } from '#store/sqlite/row-writer.ts';
import { textKey } from '#store/sqlite/text-key.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { syncEnv } from '#store/sync/sync-env.ts';
import { CurrentDb } from './current-db.ts';
import { CurrentIdentity } from './current-identity.ts';
import { runFind } from './find.ts';
import { PostgresLease } from './lease.ts';
import { type Database, type Log, openPool } from './pool.ts';
import type { ProjectState } from './project-state.ts';
import { Publisher } from './publisher.ts';
import { PostgresReplica } from './replica.ts';
import { SharedReads } from './shared-reads.ts';
import { DOCUMENT_TABLES, PROJECT, SCHEMA } from './tables.ts';
import { type TransactionStats, Transactions } from './transactions.ts';
import { fromText, toText } from './values.ts';
import { AUDIT_ROW } from './workspace.ts';

/** The most tombstones of a collection that one call of `purge` deletes. */
const MOST_PURGED = 1_000;
/** The largest number of ids that one statement reads. */
const MOST_IDS = 500;
/** A token of a transaction is needed for as long as a process may ask for it. */
const TOKEN_MS = 86_400_000;

export interface PostgresOptions {
  /** Address of the database, `postgres://user:password@host:port/name`. */
  readonly url: string;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly role?: 'site' | 'cloud';
  readonly log?: Log;
  /** Called when the database has lost commits that this process knows, so what it has in memory may be wrong. */
  readonly onFatal?: (error: StoreError) => void;
}

export interface PostgresEngine extends StorageEngine {
  /** The tables of the replication to head office. */
  readonly sync: SyncStore;
  /** Returns the size of the database in bytes. */
  size(): Promise<{ readonly used: number; readonly free: number }>;
  /** Returns the bytes of all documents of a collection whose id begins with this prefix. */
  bytesOf(collection: CollectionName, prefix: string): Promise<number>;
  /** Reads what other processes wrote, and calls the listeners. It also happens by itself every second. */
  poll(): Promise<void>;
  stats(): TransactionStats & { readonly statements: number; readonly foreign: number };
  /** Returns the problems of the database that health reports now. */
  problems(): Problem[];
  /** Returns false if this process could not ask for the commits of other processes for 10 s. */
  isCurrent(): boolean;
  /** The right to do the background work of the database. */
  readonly lease: Lease;
  /** The writes of the background work. They fail with `lease_lost` if another process does it now. */
  readonly background: Pick<StorageEngine, 'commit' | 'erase'>;
}

/** Opens the engine. Throws `StoreError`. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresEngine> {
  await using opened = new AsyncDisposableStack();
  const { clock, url, log } = options;
  const identity = new CurrentIdentity(options);
  const database = opened.use(openPool(url, (client) => identity.look(client)));
  const { nodeId, rxToken: token } = await identity.open(database);
  const { add: changes, emit } = createListeners();
  const db = new CurrentDb();
  const instances = instancesOf();
  const rows = { connection: db, instances, token };
  const replica = new PostgresReplica({
    ...{ rows, clock, nodeId, database },
    get incarnation() {
      return identity.now.incarnation;
    },
    env: (at) => syncEnv({ ...options, random: (count) => db.random(count, options.random) }, at),
    transact: (project, count, run, ahead) =>
      transact([project], count, run, { ahead: ahead && (() => ahead(newOutcome())) }),
  });
  const { numbers, follower } = replica;
  const committing: CommitterOptions = {
    ...{ ...rows, nodeId, clock, emit, follower },
    get life() {
      return identity.now.incarnation.number;
    },
  };
  const feed = async (project: string, collection: CollectionName, after: number, limit: number) =>
    await readFeed(database, project, collection, after, limit);
  const publisher = new Publisher({ database, emit, feed, log, joined: (project) => numbers.note(project) });
  const transactions = new Transactions({
    ...{ database, numbers, clock },
    identity: () => identity.now,
    reidentify: (client) => identity.look(client, true),
    renew: (project, isRecorded) => replica.renew(project, isRecorded),
    enter: (workspace) => db.enter(workspace),
    publish: (committed, emissions) => publisher.publish(committed, emissions),
  });

  /** Runs a transaction. `run` writes the changes into an outcome, and the engine sends them to its listeners. */
  async function transact<T>(
    projects: readonly string[],
    count: number,
    run: (outcome: Outcome) => T,
    more: { readonly fence?: Fence | undefined; readonly ahead?: (() => void) | undefined } = {},
  ): Promise<T> {
    const { result } = await transactions.run({
      ...{ projects, rows: count, ...more },
      run: () => {
        const outcome = newOutcome();
        return { result: run(outcome), outcome };
      },
      changes: ({ outcome }): readonly Change[] => outcome.changes,
    });
    return result;
  }

  const reads = new SharedReads((project, collection, ids) => readRows(database, project, collection, ids));
  const lease = new PostgresLease(database, log);
  const writing = { database, db, committing, follower, transact };
  opened.use(publisher);
  opened.defer(() => transactions.close());
  await publisher.start();
  identity.onMove = () => void endIfLost(publisher, database.name, options.onFatal);
  opened.use(lease);
  await lease.start();
  const resources = opened.move();
  return {
    nodeId,
    get incarnation() {
      return identity.now.incarnation;
    },
    sync: replica,
    changes,
    get: async <T>(project: string, collection: CollectionName, id: string) => {
      const row = await reads.get(project, collection, id);
      return row && parseStored<T>(collection, row);
    },
    getMany: (project, collection, ids) => readMany(database, project, collection, ids),
    find: (project, collection, query: FindQuery) =>
      runFind(database, project, collection, query, (row) => parseStored(collection, row)),
    ...createWrites(writing),
    async changeFeed(project, collection, after, limit): Promise<ChangeFeed> {
      checkLimit(limit);
      // The head is read first, so that no change up to it is missing in the entries.
      const head = await readHead(database, project, collection);
      return { entries: await feed(project, collection, after, limit), head };
    },
    purge: (older_ms) => purge(database, clock() - older_ms, clock() - TOKEN_MS),
    async size() {
      const [row] = await database.read('SELECT pg_database_size(current_database())', []);
      return { used: Number(row?.[0]), free: 0 };
    },
    bytesOf: (collection, prefix) => bytesOf(database, collection, prefix),
    poll: () => publisher.poll(),
    isCurrent: () => publisher.isCurrent(),
    lease,
    background: createWrites(writing, () => lease.fence()),
    problems: () => [...database.problems(), ...problemsOf(transactions.refused)],
    stats: () => ({ ...transactions.stats, statements: database.statements(), foreign: publisher.foreign }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Calls `onFatal` if the database has lost commits that this process knows. */
async function endIfLost(publisher: Publisher, name: string, onFatal: PostgresOptions['onFatal']): Promise<void> {
  const project = await publisher.findLoss().catch(() => undefined);
  if (project !== undefined) onFatal?.(new StoreError('commits_lost', `${name} (${project})`));
}

interface Writing {
  readonly database: Database;
  readonly db: CurrentDb;
  readonly committing: CommitterOptions;
  readonly follower: PostgresReplica['follower'];
  readonly transact: <T>(
    projects: readonly string[],
    count: number,
    run: (outcome: Outcome) => T,
    more?: { readonly fence?: Fence | undefined },
  ) => Promise<T>;
}

/** Creates the writes of an engine. `fence`: makes the proof that this process may still do the background work. */
function createWrites(
  { database, db, committing, follower, transact }: Writing,
  fence?: () => Fence,
): PostgresEngine['background'] {
  return {
    async commit(writes) {
      checkWrites(writes);
      if (writes.length === 0) return [];
      const run = (outcome: Outcome): Stored[] => {
        writeAll(committing, outcome, writes);
        return outcome.stored;
      };
      return await transact(projectsOf(writes), writes.length, run, { fence: fence?.() });
    },
    async erase(collection, ids, records = []) {
      const held = await projectsOfIds(database, collection, ids);
      const run = (outcome: Outcome): void => {
        follower.erase?.(collection, ids, new MergedRows(committing, outcome), records);
        for (const id of ids) DOCUMENT_TABLES[collection].erase(db, id);
        if (records.length > 0) writeAll(committing, outcome, records);
      };
      const projects = [...new Set([...held, ...projectsOf(records)])];
      await transact(projects, ids.length + records.length, run, { fence: fence?.() });
    },
  };
}

const problemsOf = (error: StoreError | undefined): Problem[] =>
  error === undefined ? [] : [{ code: error.code, message: error.message }];

function instancesOf(): CommitterOptions['instances'] {
  const entries = COLLECTIONS.map((name) => [name, { internals: { table: DOCUMENT_TABLES[name] } }] as const);
  return Object.fromEntries(entries) as unknown as CommitterOptions['instances'];
}

/** The rows of `projects` that a commit locks. */
function projectsOf(writes: readonly ProjectWrite[]): string[] {
  const projects = new Set(writes.map(({ project_id }) => project_id));
  for (const write of writes) {
    if (isChained(write)) projects.add(AUDIT_ROW);
    // The record of a project belongs to the node, and its replication to the project.
    if (write.collection === 'records' && write.object === 'project') projects.add(write.id);
  }
  return [...projects];
}

const tableOf = (collection: CollectionName): string => `${SCHEMA}."${collection}"`;
const bodyOf = (collection: CollectionName): string => (hasBodies(collection) ? 'body' : 'NULL');

function parse<T extends Stored<unknown>>(collection: CollectionName, [data, sum, body]: readonly unknown[]): T {
  const bytes = body === null || body === undefined ? null : new Uint8Array(body as Buffer);
  const document = parseDocument<T>(fromText(String(data)), sum, bytes);
  return hasBodies(collection) ? withBytes(document) : document;
}

function parseStored<T>(collection: CollectionName, row: readonly unknown[]): Stored<T> {
  return toStored<T>(parse<Stored<T>>(collection, row));
}

/** Reads the rows of documents. Returns them by id, without the ids that no document has. */
async function readRows(
  database: Database,
  project: string,
  collection: CollectionName,
  ids: readonly string[],
): Promise<Map<string, unknown[]>> {
  const sql = `SELECT data, sum, ${bodyOf(collection)}, id FROM ${tableOf(collection)} WHERE ${PROJECT}=$1 AND id = ANY($2) AND del=0`;
  const keys = ids.map((id) => toText(textKey(id)));
  const rows = await database.read(sql, [toText(project), keys]);
  const byKey = new Map(rows.map((row) => [String(row[3]), row]));
  const found = new Map<string, unknown[]>();
  for (const [i, id] of ids.entries()) {
    const row = byKey.get(keys[i] as string);
    if (row !== undefined) found.set(id, row);
  }
  return found;
}

async function readMany<T>(
  database: Database,
  project: string,
  collection: CollectionName,
  ids: readonly string[],
): Promise<Stored<T>[]> {
  const found: Stored<T>[] = [];
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    const some = ids.slice(from, from + MOST_IDS);
    const rows = await readRows(database, project, collection, some);
    for (const id of some) {
      const row = rows.get(id);
      if (row !== undefined) found.push(parseStored<T>(collection, row));
    }
  }
  return found;
}

async function readFeed(
  database: Database,
  project: string,
  collection: CollectionName,
  after: number,
  limit: number,
): Promise<ChangeFeed['entries']> {
  const sql = `SELECT data, sum, ${bodyOf(collection)}, part_seq FROM ${tableOf(collection)}
    WHERE ${PROJECT}=$1 AND part_seq>$2 ORDER BY part_seq LIMIT $3`;
  const rows = await database.read(sql, [toText(project), after, limit]);
  return rows.map((row) => {
    const document = parse<Stored & { readonly _deleted: boolean }>(collection, row);
    return { seq: Number(row[3]), deleted: document._deleted, document: toStored(document) };
  });
}

async function readHead(database: Database, project: string, collection: CollectionName): Promise<number> {
  const sql = `SELECT state FROM ${SCHEMA}.projects WHERE ${PROJECT}=$1`;
  const [row] = await database.read(sql, [toText(project)]);
  if (row === undefined) return 0;
  return (JSON.parse(String(row[0])) as ProjectState).feeds[DOCUMENT_TABLES[collection].plainName] ?? 0;
}

async function projectsOfIds(
  database: Database,
  collection: CollectionName,
  ids: readonly string[],
): Promise<string[]> {
  const sql = `SELECT DISTINCT ${PROJECT} FROM ${tableOf(collection)} WHERE id = ANY($1)`;
  return (await database.read(sql, [ids.map((id) => toText(textKey(id)))])).map(([project]) =>
    fromText(String(project)),
  );
}

async function purge(database: Database, before_ms: number, tokensBefore_ms: number): Promise<boolean> {
  let isDone = true;
  for (const collection of COLLECTIONS) {
    const table = tableOf(collection);
    // `lwt` has fractions of a millisecond and the clock has whole milliseconds, so add 1 ms.
    const sql = `DELETE FROM ${table} t USING (SELECT ${PROJECT} AS p, id AS i FROM ${table} WHERE del=1 AND lwt<=$1 ORDER BY lwt LIMIT ${MOST_PURGED}) old
      WHERE t.${PROJECT}=old.p AND t.id=old.i RETURNING 1`;
    isDone = (await database.read(sql, [before_ms + 1])).length < MOST_PURGED && isDone;
  }
  await database.read(`DELETE FROM ${SCHEMA}.commits WHERE at_ms<$1`, [tokensBefore_ms]);
  return isDone;
}

async function bytesOf(database: Database, collection: CollectionName, prefix: string): Promise<number> {
  const body = hasBodies(collection) ? ' + coalesce(octet_length(body), 0)' : '';
  const sql = `SELECT coalesce(sum(octet_length(data)${body}), 0) FROM ${tableOf(collection)} WHERE id>=$1 AND id<$2 AND del=0`;
  return Number((await database.read(sql, [toText(prefix), `${toText(prefix)}\uffff`]))[0]?.[0]);
}
