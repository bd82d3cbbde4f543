/**
 * The types of the store for the other folders of the gateway. The store keeps JSON documents. Each document belongs to one project and has
 * some fields that all documents have (the envelope).
 */

/**
 * The collections of documents. The collection of a document depends on who writes it, whether it changes, and to which other gateways it
 * is copied. For example, documents in `events` never change.
 */
export const COLLECTIONS = ['records', 'live', 'events', 'telemetry', 'local'] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

/** A stored document: fields that all documents have, and `data`. These fields never change, so the RxDB schema version stays 0. */
export interface Stored<T = Record<string, unknown>> {
  /** Primary key. A document of the collection `live` has the id of the record that it belongs to. */
  readonly id: string;
  /** Id of the project, or `node` for documents of the gateway itself. */
  readonly project_id: string;
  /** Kind of the document, such as `equipment`. */
  readonly object: string;
  /** Hybrid logical clock of the last write: the time in ms (12 hex digits), a counter (4 hex digits) and the id of the gateway. */
  readonly hlc: string;
  /** Id of the gateway that made the last write of the document. */
  readonly origin: string;
  /** Number of that write: each gateway counts its writes. */
  readonly origin_seq: number;
  /** Time of creation, ISO 8601 in UTC with milliseconds. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Number of writes of the document, 1 at creation. */
  readonly revision: number;
  readonly data: T;
}

/** Project id of documents of the gateway itself (keys, projects, sync state). */
export const NODE_PROJECT = 'node';

export type Scalar = string | number | boolean | null;

/** A text that is none of these: also one that only a newer version knows. A value that is no text does not match. */
export interface OtherThan {
  readonly otherThan: readonly string[];
}

/** A condition on one field: it equals a value, it equals one value of an array, it is in a range, or it is another text than some. */
export type Condition =
  | Scalar
  | readonly Scalar[]
  | { gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar }
  | OtherThan;

export interface FindQuery {
  readonly object: string;
  /** Conditions on fields of the document: `created_at` and others, or dotted paths such as `data.serial`. All of them must be true. */
  readonly where?: Readonly<Record<string, Condition>>;
  /** Conditions on dotted paths, such as `data.status`, of the `live` document with the same id. The store uses one indexed join. */
  readonly live?: Readonly<Record<string, Condition>>;
  /** Order by (created_at, id). Default: `desc`, the newest first. */
  readonly order?: 'asc' | 'desc';
  /** Sorts by this indexed field, ascending, instead of `order`. `where` must have a condition on the field. `after` is ignored. */
  readonly by?: string;
  /** Returns only documents that follow this position in the order (keyset paging). */
  readonly after?: { readonly created_at: string; readonly id: string };
  /** Largest number of documents to return, up to 1,000. */
  readonly limit: number;
}

/** One document to write. `expected` is the revision that the stored document must have, or 0 if no document may exist. Absent: any. */
export interface Write<T = Record<string, unknown>> {
  readonly collection: CollectionName;
  readonly id: string;
  readonly object: string;
  /** Project of the document. Default: the project of the view. */
  readonly project_id?: string;
  readonly data: T;
  readonly expected?: number;
  readonly deleted?: true;
  /** Time of the change (ISO 8601, UTC, milliseconds); default: the time of the commit. */
  readonly at?: string;
  /** Fields with several values of people (a conflict) that the author of this write has decided. */
  readonly chosen?: readonly string[];
}

/** A write that names its project. */
export type ProjectWrite = Write & { readonly project_id: string };

export interface Change {
  readonly collection: CollectionName;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly document: Stored;
}

/** Reads and writes the documents of one project, and no others. */
export interface View {
  readonly project_id: string;
  get<T = Record<string, unknown>>(collection: CollectionName, id: string): Promise<Stored<T> | undefined>;
  /** Returns the documents with these ids, in the order of `ids`. Ids without a document are left out. */
  getMany<T = Record<string, unknown>>(collection: CollectionName, ids: readonly string[]): Promise<Stored<T>[]>;
  find<T = Record<string, unknown>>(collection: CollectionName, query: FindQuery): Promise<Stored<T>[]>;
  /** Writes all documents in one transaction. Throws `WriteConflict` and writes nothing if an expected revision is not current. */
  commit(writes: readonly Write[]): Promise<Stored[]>;
  /** Calls the listener after each commit in this project. Returns the unsubscribe function. */
  changes(listener: (changes: readonly Change[]) => void): () => void;
}

/** The error if the revision of a document is not the expected revision. */
export class WriteConflict extends Error {
  readonly collection: CollectionName;
  readonly id: string;
  /** The stored document; undefined if none has this id. */
  readonly current: Stored | undefined;
  constructor(collection: CollectionName, id: string, current: Stored | undefined) {
    super(`${collection}/${id} is at revision ${current?.revision ?? 'none'}, another was expected`);
    this.name = 'WriteConflict';
    this.collection = collection;
    this.id = id;
    this.current = current;
  }
}
