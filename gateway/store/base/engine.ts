/**
 * The interface between the store and a storage engine. Views (access to one project), walks (reads of long lists) and the code that uses
 * them call only this interface, so that another engine can replace SQLite.
 *
 *   handlers, ingest -> View (view.ts), walk (walk.ts) -> StorageEngine -> SQLite (sqlite/engine.ts)
 *
 * test/store/engine-suite.ts tests the behaviour that every engine must have.
 */
import type { Change, CollectionName, FindQuery, ProjectWrite, Stored } from '#contract/base/view.ts';

/**
 * An incarnation is the time between two losses of commits. A position in a change feed is valid in one incarnation only, because after a
 * loss a reader may have read changes that the database no longer has.
 */
export interface Incarnation {
  /** The number of the incarnation: 1 for a new database. It rises by one each time that commits are lost. */
  readonly number: number;
  /**
   * A random text that differs for each incarnation. Two databases that are restored from the same copy have the same number, but different
   * tokens.
   */
  readonly token: string;
}

/** One change in a change feed: the last write of one document. */
export interface ChangeFeedEntry {
  /** Number of the change within its project and collection, in commit order. The next write of the document gets a new number. */
  readonly seq: number;
  readonly deleted: boolean;
  /** The current document, or the tombstone (the row of a deleted document). */
  readonly document: Stored;
}

export interface ChangeFeed {
  /** The changes, the oldest first. The next call continues after the `seq` of the last entry. */
  readonly entries: readonly ChangeFeedEntry[];
  /** The last number of the project in this collection. A reader that has reached it has read all changes. */
  readonly head: number;
}

export type Listener = (changes: readonly Change[]) => void;

export interface StorageEngine extends AsyncDisposable {
  /** `gw_...`: the id of this gateway. The engine creates it once and stores it. */
  readonly nodeId: string;
  readonly incarnation: Incarnation;
  /** Returns undefined for an unknown or deleted document, and for a document of another project. */
  get<T = Record<string, unknown>>(
    project_id: string,
    collection: CollectionName,
    id: string,
  ): Promise<Stored<T> | undefined>;
  /** Returns the documents that exist in this project, in the order of `ids`. */
  getMany<T = Record<string, unknown>>(
    project_id: string,
    collection: CollectionName,
    ids: readonly string[],
  ): Promise<Stored<T>[]>;
  /** Lists documents of one project, or of all projects when `project_id` is null. Throws `RangeError` for a bad limit. */
  find<T = Record<string, unknown>>(
    project_id: string | null,
    collection: CollectionName,
    query: FindQuery,
  ): Promise<Stored<T>[]>;
  /**
   * Stores all writes or none. The promise resolves when they are on disk. Each document gets the time of a hybrid logical clock, which
   * follows the wall clock but never goes back. Throws `WriteConflict` when an expected revision is not current.
   */
  commit(writes: readonly ProjectWrite[]): Promise<Stored[]>;
  /** Calls the listener once for each commit, before the promise of that commit resolves. Returns the unsubscribe function. */
  changes(listener: Listener): () => void;
  /** Reads the changes after a number, tombstones included; `limit` is 1 to 1,000. */
  changeFeed(project_id: string, collection: CollectionName, after: number, limit: number): Promise<ChangeFeed>;
  /** Removes tombstones that are older than `older_ms`, at most 1,000 of each collection. Returns true when all of them are removed. */
  purge(older_ms: number): Promise<boolean>;
  /**
   * Deletes documents. It leaves no tombstones and calls no listeners. `records` are documents that record the deletion. They are committed
   * in the same transaction, so the deletion is on disk if and only if its records are on disk.
   */
  erase(collection: 'events' | 'telemetry', ids: readonly string[], records?: readonly ProjectWrite[]): Promise<void>;
}
