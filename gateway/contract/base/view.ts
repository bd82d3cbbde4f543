/** What the rest of the house sees of the store: frozen envelopes, always scoped to a project. Shapes only. */

/** Documents are sorted into collections by who writes them, whether they change, and where they replicate to. */
export const COLLECTIONS = ['records', 'live', 'events', 'telemetry', 'local'] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

/** The frozen envelope around every payload; RxDB schema version 0 for good. */
export interface Stored<T = Record<string, unknown>> {
  /** Primary key; for `live` the same id as its record. */
  readonly id: string;
  /** The tenant; `node` for what belongs to the gateway itself. */
  readonly project_id: string;
  /** Kind of the document, the wire's `object`. */
  readonly object: string;
  /** Hybrid logical clock of the last write: 12 hex digits of ms, 4 of counter, the node id. */
  readonly hlc: string;
  /** The node that wrote it last. */
  readonly origin: string;
  /** That node's write counter. */
  readonly origin_seq: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Counts writes; 1 at creation. */
  readonly revision: number;
  readonly data: T;
}

/** The project id of what belongs to the gateway itself (keys, projects' own index, sync bookkeeping). */
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
  /** In ascending order of this indexed field instead; `where` must bound it, and `after` does not apply. */
  readonly by?: string;
  /** Keyset: only what comes after this document in the order. */
  readonly after?: { readonly created_at: string; readonly id: string };
  /** Unbounded reads do not exist; at most 1,000. */
  readonly limit: number;
}

/** One document to write. `expected` is the revision that must be current, 0 for a new document, absent for whatever is there. */
export interface Write<T = Record<string, unknown>> {
  readonly collection: CollectionName;
  readonly id: string;
  readonly object: string;
  /** Absent: the view's project. */
  readonly project_id?: string;
  readonly data: T;
  readonly expected?: number;
  readonly deleted?: true;
  /** When it happened (ISO 8601, UTC, milliseconds), for times that were told before the commit; absent: the commit's time. */
  readonly at?: string;
}

/** A write that names its project. */
export type ProjectWrite = Write & { readonly project_id: string };

export interface Change {
  readonly collection: CollectionName;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly document: Stored;
}

/** A project's documents: reads never see another project's, writes land in this one. */
export interface View {
  readonly project_id: string;
  get<T = Record<string, unknown>>(collection: CollectionName, id: string): Promise<Stored<T> | undefined>;
  /** Those that exist, in the order of the ids. */
  getMany<T = Record<string, unknown>>(collection: CollectionName, ids: readonly string[]): Promise<Stored<T>[]>;
  find<T = Record<string, unknown>>(collection: CollectionName, query: FindQuery): Promise<Stored<T>[]>;
  /** All or none, in one storage transaction; throws `WriteConflict` and writes nothing when an expectation fails. */
  commit(writes: readonly Write[]): Promise<Stored[]>;
  /** Calls back after each commit that touched this project; returns the unsubscribe. */
  changes(listener: (changes: readonly Change[]) => void): () => void;
}

/** A document was not at the revision that the writer expected. */
export class WriteConflict extends Error {
  readonly collection: CollectionName;
  readonly id: string;
  /** What is there now; undefined when nothing is. */
  readonly current: Stored | undefined;
  constructor(collection: CollectionName, id: string, current: Stored | undefined) {
    super(`${collection}/${id} is at revision ${current?.revision ?? 'none'}, another was expected`);
    this.name = 'WriteConflict';
    this.collection = collection;
    this.id = id;
    this.current = current;
  }
}
