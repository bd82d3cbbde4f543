/** Opens a data folder: lock, format, database, five collections; and what the rest of the house sees of it. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createRxDatabase, type RxCollection, type RxDatabase } from 'rxdb/plugins/core';
import { makeId } from '#contract/ids.ts';
import {
  type Change,
  COLLECTIONS,
  type CollectionName,
  type FindQuery,
  NODE_PROJECT,
  type Stored,
  type View,
} from '#contract/view.ts';
import { COMMIT_CONTEXT, createCommitter, type ProjectWrite, toStored } from './commit.ts';
import { type Feed, readFeed } from './feed.ts';
import { indexSpecs } from './find.ts';
import { lockFolder } from './folder-lock.ts';
import { checkFormat } from './format.ts';
import { ENVELOPE } from './rx-schema.ts';
import type { Connection, ConnectionStats } from './sqlite/connection.ts';
import type { SqliteInstance, SqliteInternals, SqliteOptions } from './sqlite/instance.ts';
import { createSqliteStorage, type SqliteStorage } from './sqlite/storage.ts';
import { fileErrorCode, StoreError } from './store-error.ts';
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
  feed(project_id: string, collection: CollectionName, after: number, limit: number): Promise<Feed>;
  stats(): ConnectionStats;
}

/** Opens the store of a data folder; throws `StoreError` with a sentence that says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const folder = makeFolder(options.folder);
  opened.use(lockFolder(options.folder, join(folder, 'lock')));
  checkFormat(options.folder, join(folder, 'format.json'));
  const storage = openStorage(options, join(folder, 'headframe.db'));
  const database = await createDatabase(storage, folder, opened);
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
  const held = opened.move();
  return {
    nodeId,
    database,
    node: createView(source, NODE_PROJECT),
    view: (project_id) => createView(source, project_id),
    commit: source.commit,
    find: (collection, query) => findIn(source, collection, null, query),
    changes: source.changes,
    feed: (project_id, collection, after, limit) => readFeed(source, project_id, collection, after, limit),
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

function openStorage(options: StoreOptions, file: string): SqliteStorage {
  return createSqliteStorage({
    file: () => file,
    clock: options.clock,
    indexes: (collection) => (isCollection(collection) ? indexSpecs(collection) : []),
    partBy: (collection) => (isCollection(collection) ? 'project_id' : undefined),
    connection: {
      onUnclean: () =>
        options.log?.('warn', 'the gateway did not stop cleanly last time; checking the database', { file }),
      onFatal: (error) => {
        options.log?.('error', error.message, { code: error.code });
        options.onFatal?.(error);
      },
    },
  });
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
