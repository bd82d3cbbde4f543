/**
 * The store's face to ingest, in memory: a commit is there once its promise resolves; at a crash one without an answer is there
 * whole or not at all, and none after one that is not.
 */

import { StoreError } from '#contract/base/store-error.ts';
import {
  type Change,
  type CollectionName,
  type Condition,
  type FindQuery,
  NODE_PROJECT,
  type Stored,
  type View,
  type Write,
  WriteConflict,
} from '#contract/base/view.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import { isUnstorable } from './messages.ts';
import type { Process } from './process.ts';

const UNSTORABLE = 'the simulated store does not take this document';

type ProjectWrite = Write & { readonly project_id: string };
type Listener = (changes: readonly Change[]) => void;
/** Documents by id; nobody changes one. */
type Table = Map<string, Stored>;

export class SimStore {
  private readonly tables = new Map<CollectionName, Table>();
  private seq = 0;
  /** Milliseconds since 1970, by the gateway's clock. */
  private readonly clock: () => number;
  private readonly forgetting: boolean;
  /** Hears of every commit when it is durable, before anybody else. */
  onCommit: (changes: readonly Change[]) => void = () => {};

  /** `forgetting`: gap records, on purpose. */
  constructor(clock: () => number, forgetting = false) {
    this.clock = clock;
    this.forgetting = forgetting;
  }

  get<T>(collection: CollectionName, id: string): Stored<T> | undefined {
    return this.table(collection).get(id) as Stored<T> | undefined;
  }

  all<T>(collection: CollectionName): Stored<T>[] {
    return [...this.table(collection).values()] as Stored<T>[];
  }

  /** The store as one process sees it. */
  for(process: Process): IngestStore {
    const listeners = new Set<Listener>();
    const { weather, random } = process;
    const read = <T>(what: () => T) => process.call('read store', random.between(0, 2), 'reads', what);
    // One after the other, as the transactions of one file are.
    let last: Promise<unknown> = Promise.resolve();
    const commit = (writes: readonly ProjectWrite[]): Promise<Stored[]> => {
      const copies = writes.map(
        (write) => ({ ...write, data: JSON.parse(JSON.stringify(write.data)) }) as ProjectWrite,
      );
      const answer = last.then(async () => {
        const ms = weather.slow ? random.between(100, 3_000) : random.between(1, 15);
        const changes = await process.call(`commit ${copies.length}`, ms, 'store', () => {
          if (weather.full) throw new StoreError('disk_full', 'the simulated store');
          if (weather.storeError) throw new StoreError('overloaded', 'the simulated store');
          if (copies.some(({ data }) => 'type' in data && isUnstorable(data))) throw new Error(UNSTORABLE);
          const made = this.apply(copies);
          this.onCommit(made);
          if (process.alive) for (const listener of listeners) listener(made);
          return made;
        });
        return changes.map(({ document }) => document);
      });
      last = answer.catch(() => {});
      return answer;
    };
    const view = (project_id: string): View => ({
      project_id,
      get: <T>(collection: CollectionName, id: string) =>
        read(() => {
          const found = this.get<T>(collection, id);
          return found?.project_id === project_id ? found : undefined;
        }),
      getMany: <T>(collection: CollectionName, ids: readonly string[]) =>
        read(() =>
          ids
            .map((id) => this.get<T>(collection, id))
            .filter((found) => found !== undefined)
            .filter((found) => found.project_id === project_id),
        ),
      find: <T>(collection: CollectionName, query: FindQuery) =>
        read(() => this.find<T>(collection, query, project_id)),
      commit: (writes) => commit(writes.map((write) => ({ ...write, project_id }))),
      changes: () => () => {},
    });
    return {
      nodeId: 'gw_sim',
      node: view(NODE_PROJECT),
      view,
      commit,
      find: (collection, query) => read(() => this.find(collection, query, null)),
      changes(listener) {
        const entry: Listener = (changes) => listener(changes);
        listeners.add(entry);
        return () => listeners.delete(entry);
      },
    };
  }

  /** All of them or, when an expectation fails, none. */
  private apply(writes: readonly ProjectWrite[]): Change[] {
    const befores = writes.map((write) => this.get<Stored['data']>(write.collection, write.id));
    writes.forEach(({ collection, id, expected }, i) => {
      const before = befores[i];
      if (expected !== undefined && expected !== (before?.revision ?? 0))
        throw new WriteConflict(collection, id, before);
    });
    const now = new Date(this.clock()).toISOString();
    return writes.map((write, i) => {
      const before = befores[i];
      const document: Stored = {
        id: write.id,
        project_id: write.project_id,
        object: write.object,
        hlc: String(++this.seq).padStart(16, '0'),
        origin: 'gw_sim',
        origin_seq: this.seq,
        created_at: before?.created_at ?? write.at ?? now,
        updated_at: write.at ?? now,
        revision: (before?.revision ?? 0) + 1,
        data: write.data,
      };
      const forgotten = this.forgetting && document.data.type === 'gap_declared';
      if (!forgotten) this.table(write.collection).set(write.id, document);
      return { collection: write.collection, operation: before === undefined ? 'INSERT' : 'UPDATE', document };
    });
  }

  private find<T>(collection: CollectionName, query: FindQuery, project: string | null): Stored<T>[] {
    const sign = query.order === 'asc' ? 1 : -1;
    const { after } = query;
    return this.all<T>(collection)
      .filter((one) => one.object === query.object && (project === null || one.project_id === project))
      .filter((one) => Object.entries(query.where ?? {}).every(([path, condition]) => holds(at(one, path), condition)))
      .sort((a, b) => sign * compare(a, b))
      .filter((one) => after === undefined || sign * compare(one, after) > 0)
      .slice(0, query.limit);
  }

  private table(collection: CollectionName): Table {
    let known = this.tables.get(collection);
    if (known === undefined) {
      known = new Map();
      this.tables.set(collection, known);
    }
    return known;
  }
}

type Place = { readonly created_at: string; readonly id: string };

function compare(a: Place, b: Place): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function at(document: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], document);
}

/** Values and ranges of numbers: what ingest asks for. */
function holds(value: unknown, condition: Condition): boolean {
  if (condition === null || typeof condition !== 'object') return value === condition;
  const { gte, lte } = condition as { gte?: number; lte?: number };
  return typeof value === 'number' && value >= (gte ?? -Infinity) && value <= (lte ?? Infinity);
}
