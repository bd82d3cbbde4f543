/** Types of the store as the other rooms use it: documents in an envelope, always within one project. */

/** Documents are sorted into collections by who writes them, whether they change, and where they replicate to. */
export const COLLECTIONS = ['records', 'live', 'events', 'telemetry', 'local'] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

/** The envelope of every document. It never changes: the RxDB schema version stays 0. */
export interface Stored<T = Record<string, unknown>> {
  /** Primary key; for `live` the same id as its record. */
  readonly id: string;
  /** The project; `node` for documents of the gateway itself. */
  readonly project_id: string;
  /** Kind of the document; `object` in the API. */
  readonly object: string;
  /** Hybrid logical clock of the last write: 12 hex digits of ms, 4 of counter, the node id. */
  readonly hlc: string;
  /** Id of the node that wrote it last. */
  readonly origin: string;
  /** Write counter of that node. */
  readonly origin_seq: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Counts writes; 1 at creation. */
  readonly revision: number;
  readonly data: T;
}

/** Project id of documents of the gateway itself (keys, projects, sync state). */
export const NODE_PROJECT = 'node';

export type Scalar = string | number | boolean | null;

/** A condition on one field of `data`, dotted: a value, a set of values, or a range. */
export type Condition = Scalar | readonly Scalar[] | { gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar };

export interface FindQuery {
  readonly object: string;
  /** Conditions on envelope fields (`created_at`, ...) or on dotted paths of `data` (`data.serial`). All must hold. */
  readonly where?: Readonly<Record<string, Condition>>;
  /** Conditions on dotted paths of the `live` document with the same id (`data.status`); one indexed join. */
  readonly live?: Readonly<Record<string, Condition>>;
  /** Newest first unless `asc`; the order is (created_at, id). */
  readonly order?: 'asc' | 'desc';
  /** Sorts by this indexed field in ascending order instead. `where` must limit the field, and `after` is ignored. */
  readonly by?: string;
  /** Returns only documents after this one in the order (keyset paging). */
  readonly after?: { readonly created_at: string; readonly id: string };
  /** Largest number of documents; at most 1,000. */
  readonly limit: number;
}

/** One document to write. `expected` is the required current revision, 0 for a new document; absent means any. */
export interface Write<T = Record<string, unknown>> {
  readonly collection: CollectionName;
  readonly id: string;
  readonly object: string;
  /** Default: the project of the view. */
  readonly project_id?: string;
  readonly data: T;
  readonly expected?: number;
  readonly deleted?: true;
  /** Time of the change (ISO 8601, UTC, milliseconds); default: the time of the commit. */
  readonly at?: string;
}

/** A write that names its project. */
export type ProjectWrite = Write & { readonly project_id: string };

export interface Change {
  readonly collection: CollectionName;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly document: Stored;
}

/** The documents of one project. Reads and writes are limited to it. */
export interface View {
  readonly project_id: string;
  get<T = Record<string, unknown>>(collection: CollectionName, id: string): Promise<Stored<T> | undefined>;
  /** The existing documents, in the order of `ids`. */
  getMany<T = Record<string, unknown>>(collection: CollectionName, ids: readonly string[]): Promise<Stored<T>[]>;
  find<T = Record<string, unknown>>(collection: CollectionName, query: FindQuery): Promise<Stored<T>[]>;
  /** Writes all documents in one transaction. Throws `WriteConflict` and writes nothing if an expected revision is not current. */
  commit(writes: readonly Write[]): Promise<Stored[]>;
  /** Calls the listener after each commit in this project. Returns the unsubscribe function. */
  changes(listener: (changes: readonly Change[]) => void): () => void;
}

/** The error for a document whose revision is not the expected one. */
export class WriteConflict extends Error {
  readonly collection: CollectionName;
  readonly id: string;
  /** The current document; undefined if there is none. */
  readonly current: Stored | undefined;
  constructor(collection: CollectionName, id: string, current: Stored | undefined) {
    super(`${collection}/${id} is at revision ${current?.revision ?? 'none'}, another was expected`);
    this.name = 'WriteConflict';
    this.collection = collection;
    this.id = id;
    this.current = current;
  }
}
