/** Opens the store of a data folder: creates the folder, takes its lock, checks its format and opens the engine. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import {
  type CollectionName,
  type FindQuery,
  NODE_PROJECT,
  type ProjectWrite,
  type Stored,
  type View,
} from '#contract/base/view.ts';
import type { ChangeFeed, Incarnation, Listener, StorageEngine } from '#store/base/engine.ts';
import { ALWAYS_HELD, type Lease } from '#store/base/lease.ts';
import type { Problem } from '#store/base/problem.ts';
import { lockFolder } from '#store/file/folder-lock.ts';
import { type FileEngine, openFileEngine, type StoreOptions } from '#store/file/open-engine.ts';
import { openPostgres } from '#store/postgres/engine.ts';
import { checkFormat, raiseFormat } from './format.ts';
import { createView } from './view.ts';

export type { StoreOptions } from '#store/file/open-engine.ts';

export interface Store extends DocumentStore {
  /** The background work, which only one process of the database does at a time. */
  readonly background: Background;
  /**
   * Gives this gateway the identity of another one, from the next start on. Only a gateway without projects may take it. Absent if several
   * processes share the database.
   */
  takeIdentity?(id: string): Promise<void>;
}

/** What only one process of a database does at a time, such as sending webhooks and deleting what is old. */
export interface Background extends Lease {
  /** The store for this work. Its writes fail with `lease_lost` if another process does the work now. */
  readonly store: DocumentStore;
}

export interface DocumentStore extends AsyncDisposable {
  /** `gw_...`: the id of this gateway, created once and stored in the database. */
  readonly nodeId: string;
  /** The view of the documents that belong to the gateway itself and to no project, such as keys. */
  readonly node: View;
  /** The tables of the replication to head office. */
  readonly sync: FileEngine['sync'];
  view(project_id: string): View;
  /** Commits documents of several projects in one transaction: all are stored, or none. Throws `WriteConflict`. */
  commit(writes: readonly ProjectWrite[]): Promise<Stored[]>;
  /** Lists documents of all projects. Only for authentication and for the start of ingest. */
  find<T = Record<string, unknown>>(collection: CollectionName, query: FindQuery): Promise<Stored<T>[]>;
  /** Calls the listener once for each commit, before the promise of that commit resolves. Returns the unsubscribe function. */
  changes(listener: Listener): () => void;
  /** Reads the changes of a project in one collection after a number, in commit order; `limit` is 1 to 1,000. */
  feed(project_id: string, collection: CollectionName, after: number, limit: number): Promise<ChangeFeed>;
  /**
   * Removes tombstones (the rows that deleted documents leave) that are older than `older_ms`, at most 1,000 of each collection. Returns
   * true when all of them are removed.
   */
  purge(older_ms: number): Promise<boolean>;
  /**
   * Deletes log entries or history segments (documents with samples). It leaves no tombstones and calls no listeners. Pass at most a few
   * hundred ids in a call. `records` are documents that record the deletion; they are committed in the same transaction.
   */
  erase(collection: 'events' | 'telemetry', ids: readonly string[], records?: readonly ProjectWrite[]): Promise<void>;
  /**
   * Returns free pages of the database file to the disk, a few megabytes in a call. `more` is true when another call would return more
   * pages.
   */
  compact(): Promise<{ readonly bytes: number; readonly more: boolean }>;
  /** Returns the size of the database file in bytes: `used` for the pages in use, and `free` for the free pages, which later writes use. */
  size(): Promise<{ readonly used: number; readonly free: number }>;
  /** Returns the bytes of all documents of a collection whose id begins with this prefix, without their indexes. */
  bytesOf(collection: CollectionName, prefix: string): Promise<number>;
  /**
   * Returns false if this process may not know what other processes of the database committed, because it could not ask for 10 s. Then caches
   * that follow the changes may be old.
   */
  isCurrent(): boolean;
  stats(): ReturnType<FileEngine['stats']>;
  /**
   * The incarnation of the database: the number and the token change when commits are lost. A position in a change feed is valid in one
   * incarnation only.
   */
  readonly incarnation: Incarnation;
  /** Stops the store because other code found damage. The next open repairs the database or restores the newest intact backup. */
  markCorrupt(what: string): void;
  /** Returns the problems of the database that health reports now. */
  problems(): Problem[];
}

/** The store of a data folder whose documents are in a SQLite file in it. */
export interface FileStore extends Store {
  /**
   * The RxDB database over the same file, for replication. The store emits the changes that RxDB writes, and RxDB emits the changes that
   * the store writes.
   */
  readonly database: FileEngine['database'];
}

/** Opens the store of a data folder. Throws `StoreError`, whose message says what to do. */
export async function openStore(options: StoreOptions): Promise<FileStore> {
  await using opened = new AsyncDisposableStack();
  const { inner, format } = openFolder(options, opened);
  const engine = opened.use(await openFileEngine(options, inner, () => raiseFormat(options.folder, format)));
  const { database, compact, stats, markCorrupt, problems, takeIdentity } = engine;
  const own = { compact, stats, markCorrupt, problems, isCurrent: () => true };
  const store = { ...storeOf(engine, opened.move()), ...own };
  return { ...store, database, takeIdentity, background: { ...ALWAYS_HELD, store } };
}

/** Where the documents of head office are, if they are not in the data folder. */
export interface DatabaseOptions extends StoreOptions {
  /** Address of the PostgreSQL database. */
  readonly database: string;
}

/**
 * Opens the store whose documents are in a PostgreSQL database. Several processes may use the database; each of them has a data folder of
 * its own. Throws `StoreError`, whose message says what to do.
 */
export async function openDatabaseStore({ database: url, ...options }: DatabaseOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  openFolder(options, opened);
  const engine = opened.use(await openPostgres({ ...options, url }));
  const { stats, problems, isCurrent, lease } = engine;
  // PostgreSQL frees space and finds damage itself.
  const own = { stats, problems, isCurrent, compact: async () => ({ bytes: 0, more: false }), markCorrupt: () => {} };
  const resources = opened.move();
  const background: Background = {
    isHeld: () => lease.isHeld(),
    whileHeld: (start) => lease.whileHeld(start),
    store: { ...storeOf({ ...engine, ...engine.background }, resources), ...own },
  };
  return { ...storeOf(engine, resources), ...own, background };
}

/** Creates the data folder and takes its lock. */
function openFolder({ folder }: StoreOptions, opened: AsyncDisposableStack): { inner: string; format: string } {
  const inner = makeFolder(folder);
  opened.use(lockFolder(folder, join(inner, 'lock')));
  const format = join(inner, 'format.json');
  checkFormat(folder, format);
  return { inner, format };
}

type Engine = StorageEngine & Pick<FileEngine, 'sync' | 'size' | 'bytesOf'>;

function storeOf(
  engine: Engine,
  resources: AsyncDisposableStack,
): Omit<DocumentStore, 'compact' | 'stats' | 'markCorrupt' | 'problems' | 'isCurrent'> {
  return {
    nodeId: engine.nodeId,
    get incarnation() {
      return engine.incarnation;
    },
    sync: engine.sync,
    node: createView(engine, NODE_PROJECT),
    view: (project_id) => createView(engine, project_id),
    commit: engine.commit,
    find: (collection, query) => engine.find(null, collection, query),
    changes: engine.changes,
    feed: engine.changeFeed,
    purge: engine.purge,
    erase: engine.erase,
    size: engine.size,
    bytesOf: engine.bytesOf,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Creates a folder and its missing parents, one level at a time. Node's recursive mkdir cannot be used: in file systems such as /proc,
 * mkdir fails with ENOENT although the parent exists, and the recursive mkdir then never returns.
 */
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
