/** Opens a data folder: lock, format, database, five collections; and what the rest of the house sees of it. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createRxDatabase, type RxCollection, type RxDatabase } from 'rxdb/plugins/core';
import { makeId } from '#contract/base/ids.ts';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import {
  type Change,
  COLLECTIONS,
  type CollectionName,
  type FindQuery,
  NODE_PROJECT,
  type Stored,
  type View,
} from '#contract/base/view.ts';
import { type Connection, type ConnectionStats, MAX_ROWS_PER_TRANSACTION } from '#store/sqlite/connection.ts';
import type { SqliteInstance, SqliteInternals, SqliteOptions } from '#store/sqlite/instance.ts';
import { createSqliteStorage, type SqliteStorage } from '#store/sqlite/storage.ts';
import type { Table } from '#store/sqlite/table.ts';
import { inspectInBackground } from './background.ts';
import { listBackups } from './backup.ts';
import { type ChangeFeed, readChangeFeed } from './change-feed.ts';
import { COMMIT_CONTEXT, createCommitter, type ProjectWrite, toStored } from './commit.ts';
import { indexSpecs } from './find.ts';
import { lockFolder } from './folder-lock.ts';
import { checkFormat } from './format.ts';
import {
  type HighWaterMarkWriter,
  openHighWaterMark,
  readHighWaterMark,
  writeHighWaterMark,
} from './high-water-mark.ts';
import { type DatabaseState, type Incarnation, readDatabaseState, settleIncarnation } from './incarnation.ts';
import type { Problem } from './problem.ts';
import { hasFurtherBackup, noteDamage, type Recovery, recover, recoverNoted } from './recover.ts';
import { ENVELOPE } from './rx-schema.ts';
import { lossMessage, storeProblems } from './store-problems.ts';
import { createView, findIn, type Listener, type ViewSource } from './view.ts';

export interface StoreOptions {
  /** The data folder; made when absent. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** So many random bytes. */
  readonly random: (n: number) => Uint8Array;
  readonly log?: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Called once when the disk or the file failed; the store answers nothing more and the process should end. */
  readonly onFatal?: (error: StoreError) => void;
}

type StoreCollections = Record<CollectionName, RxCollection<Stored>>;
type StoreDatabase = RxDatabase<StoreCollections, SqliteInternals, SqliteOptions>;

export interface Store extends AsyncDisposable {
  /** `gw_...`, minted once and kept in the database. */
  readonly nodeId: string;
  /** The view of what belongs to the gateway itself. */
  readonly node: View;
  /** The RxDatabase beneath, for replication; what it writes shows here and the other way round. */
  readonly database: StoreDatabase;
  view(project_id: string): View;
  /** Documents of several projects in one transaction, all or none; throws `WriteConflict`. */
  commit(writes: readonly ProjectWrite[]): Promise<Stored[]>;
  /** Over all projects: for authentication and for the start of ingest only. */
  find<T = Record<string, unknown>>(collection: CollectionName, query: FindQuery): Promise<Stored<T>[]>;
  /** Calls back once per commit, before its promise resolves; returns the unsubscribe. */
  changes(listener: Listener): () => void;
  /** What changed in a project's collection after a number, in commit order; `limit` is 1 to 1,000. */
  feed(project_id: string, collection: CollectionName, after: number, limit: number): Promise<ChangeFeed>;
  /** Removes what was deleted longer ago than that, at most 1,000 rows of each collection; true when nothing is left of it. */
  purge(older_ms: number): Promise<boolean>;
  /** Removes entries of logs, or segments of history, for good, a few hundred a call: no tombstone stays, and no listener hears of it. */
  erase(collection: 'events' | 'telemetry', ids: readonly string[]): Promise<void>;
  /** Gives room that nothing uses back to the disk, some megabytes a call: how many bytes, and whether there are more. */
  compact(): Promise<{ readonly bytes: number; readonly more: boolean }>;
  stats(): ConnectionStats;
  /** Which life of the database this is: positions in feeds hold within one. */
  readonly incarnation: Incarnation;
  /** Gives the database up for damage that was found elsewhere: the next open puts the newest sound backup in its place. */
  markCorrupt(what: string): void;
  /** What a person should know of the database now. */
  problems(): Problem[];
}

/** A transaction that adds checksums is as long as others, and leaves room between. */
const SUM_COST = MAX_ROWS_PER_TRANSACTION;
const SUM_PAUSE_MS = 20;

/** Opens the store of a data folder; throws `StoreError` with a sentence that says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const folder = makeFolder(options.folder);
  opened.use(lockFolder(options.folder, join(folder, 'lock')));
  checkFormat(options.folder, join(folder, 'format.json'));
  const { storage, database, settled } = await openSound(options, folder, opened);
  const connection = storage.connection(database.name);
  if (!connection) throw new Error('the database is open, its file is not');
  const nodeId = await readNode(connection, options);
  const listeners = new Set<Listener>();
  const emit = (changes: readonly Change[]): void => {
    if (changes.length > 0) for (const listener of listeners) callListener(listener, changes);
  };
  const instances = byCollection((name) => instanceOf(storage, database.name, name));
  for (const name of COLLECTIONS) followReplication(instances[name], name, emit);
  const source: ViewSource = {
    connection,
    tables: byCollection((name) => instances[name].internals.table),
    commit: createCommitter({ connection, instances, nodeId, token: database.token, clock: options.clock, emit }),
    changes(listener) {
      // a function of its own, so that one listener given twice counts twice
      const entry: Listener = (changes) => listener(changes);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
  const checking = opened.use(checkInBackground(options, connection));
  opened.use(addMissingChecksums(options, connection, Object.values(source.tables)));
  const held = opened.move();
  return {
    nodeId,
    incarnation: settled.incarnation,
    problems: () => storeProblems({ settled, connection, checking: checking.running(), now: options.clock() }),
    markCorrupt: (what) => connection.markCorrupt(new Error(what)),
    database,
    node: createView(source, NODE_PROJECT),
    view: (project_id) => createView(source, project_id),
    commit: source.commit,
    find: (collection, query) => findIn(source, collection, null, query),
    changes: source.changes,
    feed: (project_id, collection, after, limit) => readChangeFeed(source, project_id, collection, after, limit),
    async purge(older_ms) {
      let done = true;
      for (const name of COLLECTIONS) done = (await instances[name].cleanup(older_ms)) && done;
      return done;
    },
    erase: (collection, ids) => instances[collection].erase(ids),
    compact: () => connection.compact(),
    stats: () => ({ ...connection.stats }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** One level at a time: the recursive form of mkdir never ends where a parent exists and yet refuses with ENOENT (pseudo file systems). */
function makeLevels(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeLevels(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

function makeFolder(folder: string): string {
  const inner = resolve(folder, 'store');
  try {
    makeLevels(inner);
  } catch (error) {
    throw new StoreError(fileErrorCode(error), folder, error);
  }
  return inner;
}

interface Opened {
  readonly storage: SqliteStorage;
  readonly database: StoreDatabase;
  readonly settled: DatabaseState;
}

/** Opens the database; a damaged one is kept aside and the newest backup opened in its place, once. */
async function openSound(options: StoreOptions, folder: string, opened: AsyncDisposableStack): Promise<Opened> {
  const now = new Date(options.clock()).toISOString();
  const { recovery: noted, hopeless } = asStoreErrors(options.folder, () => recoverNoted(options.folder, now));
  tellRecovery(options, noted);
  try {
    return await openFiles(options, folder, opened, { recovery: noted, hopeless });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'corrupt') throw error;
    const what = error.cause instanceof Error ? error.cause.message : error.message;
    // one that was mended may have lost commits besides
    const replaced = noted !== undefined && noted.kept !== null;
    const recovery = replaced ? undefined : asStoreErrors(options.folder, () => recover(options.folder, what, now));
    // where only documents are damaged the others are served, though no backup is sound
    if (recovery === undefined && (replaced || listBackups(options.folder).length === 0)) throw error;
    tellRecovery(options, recovery);
    return await openFiles(options, folder, opened, { recovery, hopeless: recovery === undefined });
  }
}

function tellRecovery(options: StoreOptions, recovery: Recovery | undefined): void {
  if (recovery === undefined) return;
  const how = recovery.kept === null ? 'it was mended from a backup and nothing was lost' : 'a backup is in its place';
  options.log?.('error', `the database was damaged; ${how}`, { ...recovery });
}

function asStoreErrors<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(fileErrorCode(error), folder, error);
  }
}

async function openFiles(
  options: StoreOptions,
  folder: string,
  opened: AsyncDisposableStack,
  { recovery, hopeless }: { readonly recovery: Recovery | undefined; readonly hopeless: boolean },
): Promise<Opened> {
  const file = join(folder, 'headframe.db');
  await using own = new AsyncDisposableStack();
  const marks = own.use(createMarks(options, join(folder, 'mark'), recovery));
  const storage = createSqliteStorage({
    file: () => file,
    clock: options.clock,
    indexes: (collection) => (isCollection(collection) ? indexSpecs(collection) : []),
    partBy: (collection) => (isCollection(collection) ? 'project_id' : undefined),
    connection: {
      onUnclean: () =>
        options.log?.('warn', 'the gateway did not stop cleanly last time; checking the database', { file }),
      onOpen: (database) => marks.settle(database),
      onDurable: (seq) => marks.note(seq),
      canRecover: () => !hopeless && listBackups(options.folder).length > 0,
      log: (message, data) => options.log?.('warn', message, data),
      onFatal: (error) => {
        options.log?.('error', error.message, { code: error.code, cause: String(error.cause) });
        if (error.code === 'corrupt') noteQuietly(options, String(error.cause));
        options.onFatal?.(error);
      },
    },
  });
  const database = await createDatabase(storage, folder, own);
  opened.use(own.move());
  return { storage, database, settled: marks.standing() };
}

/** The next start acts on it; where it cannot be written the next start finds the damage as this one did. */
function noteQuietly(options: StoreOptions, what: string): void {
  try {
    noteDamage(options.folder, what);
  } catch (error) {
    options.log?.('error', 'the damage could not be written down', { error: String(error) });
  }
}

/** The mark beside the database: compared when it is opened, noted after each sync. */
function createMarks(options: StoreOptions, file: string, recovery: Recovery | undefined) {
  let standing: DatabaseState | undefined;
  let writer: HighWaterMarkWriter | undefined;
  return {
    settle(database: DatabaseSync): void {
      const now = new Date(options.clock()).toISOString();
      const mark = readHighWaterMark(file);
      const kept = recovery?.kept ?? null;
      const { seq: reached } = readDatabaseState(database);
      if (kept === null && mark && mark.seq > reached && hasFurtherBackup(options.folder, reached))
        throw new StoreError('corrupt', database.location() ?? '', new Error('it lost commits that a backup has'));
      const settled = settleIncarnation(database, { mark, kept, now, random: options.random });
      standing = settled.standing;
      if (settled.loss) options.log?.('error', lossMessage(settled.loss), { ...settled.loss });
      const { incarnation, seq } = settled.standing;
      if (mark === undefined || settled.loss)
        asStoreErrors(options.folder, () =>
          writeHighWaterMark(file, { incarnation: incarnation.number, seq, at: now }),
        );
      writer = asStoreErrors(options.folder, () => openHighWaterMark(file));
    },
    note(seq: number): void {
      if (standing === undefined) return;
      const at = new Date(options.clock()).toISOString();
      writer?.note({ incarnation: standing.incarnation.number, seq, at });
    },
    standing(): DatabaseState {
      if (standing === undefined) throw new Error('the database is open and was not settled');
      return standing;
    },
    [Symbol.dispose]: () => writer?.[Symbol.dispose](),
  };
}

/** Checks all pages of a file that was too large for a check at open. Damage ends the process; the next start recovers. */
function checkInBackground(
  options: StoreOptions,
  connection: Connection,
): AsyncDisposable & { readonly running: () => boolean } {
  const stopping = new AbortController();
  let running = connection.unchecked;
  const work = async (): Promise<void> => {
    try {
      const { damage, onlyDocuments } = await inspectInBackground(connection.file, true, stopping.signal);
      if (damage[0] !== undefined && (!onlyDocuments || connection.canRecover)) {
        connection.markCorrupt(new Error(damage[0]));
        return;
      }
      connection.damage = damage;
      connection.unchecked = false;
      options.log?.('info', 'the database was checked', { file: connection.file, damage });
    } catch (error) {
      if (!stopping.signal.aborted)
        options.log?.('warn', 'the database could not be checked; the next start tries again', {
          error: String(error),
        });
    } finally {
      running = false;
    }
  };
  const done = running ? work() : Promise.resolve();
  return {
    running: () => running,
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the store closes'));
      await done;
    },
  };
}

/** Gives the rows of an older folder their checksums while the store is used. */
function addMissingChecksums(options: StoreOptions, connection: Connection, tables: readonly Table[]): AsyncDisposable {
  let stopped = false;
  const work = async (): Promise<void> => {
    for (const table of tables) {
      while (!stopped && !table.hasAllChecksums) {
        await connection.write({ rows: SUM_COST, run: () => table.addChecksums(connection) });
        await new Promise((resolve) => setTimeout(resolve, SUM_PAUSE_MS));
      }
    }
  };
  const done = work().catch((error: unknown) =>
    options.log?.('warn', 'older rows have no checksums yet; the next start goes on', { error: String(error) }),
  );
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      await done;
    },
  };
}

async function createDatabase(
  storage: SqliteStorage,
  folder: string,
  opened: AsyncDisposableStack,
): Promise<StoreDatabase> {
  const database: StoreDatabase = await createRxDatabase<StoreCollections, SqliteInternals, SqliteOptions>({
    // unique in the process, so that two nodes fit into one
    name: `headframe ${folder}`,
    storage,
    multiInstance: false,
    eventReduce: true,
  });
  opened.defer(async () => {
    await database.close();
  });
  await database.addCollections(byCollection(() => ({ schema: ENVELOPE })));
  return database;
}

function instanceOf(storage: SqliteStorage, databaseName: string, name: CollectionName): SqliteInstance<Stored> {
  const instance = storage.instance(databaseName, name);
  if (!instance) throw new Error(`collection ${name} is not open`);
  return instance as SqliteInstance<Stored>;
}

/** Tells listeners of what RxDB itself wrote, through replication for one. */
function followReplication(
  instance: SqliteInstance<Stored>,
  collection: CollectionName,
  emit: (changes: readonly Change[]) => void,
): void {
  instance.changeStream().subscribe(({ context, events }) => {
    if (context === COMMIT_CONTEXT) return;
    emit(
      events.map(({ operation, documentData }) => ({
        collection,
        operation,
        document: toStored(documentData as Stored),
      })),
    );
  });
}

/** Mints the node's identity at the first start. */
function readNode(connection: Connection, { clock, random }: StoreOptions): Promise<string> {
  return connection.write({
    rows: 0,
    run: () => {
      const known = connection.getMeta('node');
      if (typeof known === 'string') return known;
      const minted = makeId('gateway', clock(), random(10));
      connection.setMeta('node', minted);
      return minted;
    },
  });
}

/** A listener that throws is a fault of ours, but not of the commit that it heard of. */
function callListener(listener: Listener, changes: readonly Change[]): void {
  try {
    listener(changes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function byCollection<T>(make: (name: CollectionName) => T): Record<CollectionName, T> {
  return {
    records: make('records'),
    live: make('live'),
    events: make('events'),
    telemetry: make('telemetry'),
    local: make('local'),
  };
}

function isCollection(name: string): name is CollectionName {
  return (COLLECTIONS as readonly string[]).includes(name);
}
