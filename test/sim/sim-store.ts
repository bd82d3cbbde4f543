/**
 * A storage engine in memory, for the simulator. A commit takes effect when its simulated call does. At a crash each commit without
 * an answer has taken effect as a whole or not at all, and none takes effect after one that did not.
 */
import { StoreError } from '#contract/base/store-error.ts';
import {
  type Change,
  COLLECTIONS,
  type CollectionName,
  type FindQuery,
  NODE_PROJECT,
  type ProjectWrite,
  type Stored,
} from '#contract/base/view.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import { type AuditHead, headOf, isChained, linkEntry } from '#store/base/audit-chain.ts';
import { copyData } from '#store/base/body.ts';
import type { ChangeFeed, Incarnation, StorageEngine } from '#store/base/engine.ts';
import { checkExpectation, checkLimit, checkWrites } from '#store/base/envelope.ts';
import { formatTime, type HybridTime, nextTime } from '#store/base/hlc.ts';
import { createListeners } from '#store/base/listeners.ts';
import { createView } from '#store/view.ts';
import { isUnstorable } from './messages.ts';
import type { Process } from './process.ts';
import { findDocuments } from './sim-find.ts';

const UNSTORABLE = 'the simulated store does not take this document';
const NODE_ID = 'gw_sim';
/** Sequence numbers of one incarnation. */
const INCARNATION_SPAN = 2 ** 40;

/** A document or a tombstone. Rows are never changed, only replaced. */
interface Row {
  readonly document: Stored;
  readonly deleted: boolean;
  /** Number within (project, collection), in commit order. */
  readonly partSeq: number;
  /** Milliseconds of the hybrid time of the write. */
  readonly written_ms: number;
}

/** How a process reaches the store. Each call runs its effect later, once, or never. */
export interface SimCalls {
  read<T>(effect: () => T): Promise<T>;
  commit<T>(writes: readonly ProjectWrite[], effect: () => T): Promise<T>;
  /** False once the process has ended; its listeners are not called then. */
  alive(): boolean;
}

interface Applied {
  readonly stored: Stored[];
  readonly changes: Change[];
}

export class SimStore {
  private readonly tables = new Map<CollectionName, Map<string, Row>>();
  private readonly partSeqs = new Map<string, number>();
  private seq = 0;
  private audit: AuditHead | undefined;
  private time: HybridTime = { ms: 0, counter: 0 };
  private incarnation: Incarnation = { number: 1, token: 'sim-1' };
  /** Milliseconds since 1970, by the clock of the gateway. */
  private readonly clock: () => number;
  private readonly forgetting: boolean;
  /** Called with every commit when it is durable, before all listeners. */
  onCommit: (changes: readonly Change[]) => void = () => {};

  /** With `forgetting`, the store loses gap records on purpose. */
  constructor(clock: () => number, forgetting = false) {
    this.clock = clock;
    this.forgetting = forgetting;
    for (const name of COLLECTIONS) this.tables.set(name, new Map());
  }

  get<T>(collection: CollectionName, id: string): Stored<T> | undefined {
    const row = this.table(collection).get(id);
    return row === undefined || row.deleted ? undefined : (row.document as Stored<T>);
  }

  all<T>(collection: CollectionName): Stored<T>[] {
    return [...this.table(collection).values()]
      .filter(({ deleted }) => !deleted)
      .map(({ document }) => document) as Stored<T>[];
  }

  /** Begins a new incarnation, as the store of a gateway does after it lost commits. Engines that open later report it. */
  beginIncarnation(): void {
    const number = this.incarnation.number + 1;
    this.incarnation = { number, token: `sim-${number}` };
    this.seq = (number - 1) * INCARNATION_SPAN;
  }

  /** The store as one process uses it. */
  for(process: Process): IngestStore {
    const { weather, random } = process;
    // Commits take effect in call order, as the transactions of one file do.
    let last: Promise<unknown> = Promise.resolve();
    const engine = this.engine({
      alive: () => process.alive,
      read: (effect) => process.call('read store', random.between(0, 2), 'reads', effect),
      commit: (writes, effect) => {
        const answer = last.then(() => {
          const ms = weather.slow ? random.between(100, 3_000) : random.between(1, 15);
          return process.call(`commit ${writes.length}`, ms, 'store', () => {
            if (weather.full) throw new StoreError('disk_full', 'the simulated store');
            if (weather.storeError) throw new StoreError('overloaded', 'the simulated store');
            if (writes.some(({ data }) => 'type' in data && isUnstorable(data))) throw new Error(UNSTORABLE);
            return effect();
          });
        });
        last = answer.catch(() => {});
        return answer;
      },
    });
    return {
      nodeId: engine.nodeId,
      node: createView(engine, NODE_PROJECT),
      view: (project_id) => createView(engine, project_id),
      commit: engine.commit,
      find: (collection, query) => engine.find(null, collection, query),
      changes: engine.changes,
    };
  }

  /** The engine of one process. Each engine has its own listeners. */
  engine(calls: SimCalls): StorageEngine {
    const listeners = createListeners();
    const self = this;
    return {
      nodeId: NODE_ID,
      incarnation: this.incarnation,
      get: <T>(project_id: string, collection: CollectionName, id: string) =>
        calls.read(() => this.getOf<T>(project_id, collection, id)),
      getMany: <T>(project_id: string, collection: CollectionName, ids: readonly string[]) =>
        calls.read(() =>
          ids.map((id) => this.getOf<T>(project_id, collection, id)).filter((found) => found !== undefined),
        ),
      async find<T>(project_id: string | null, collection: CollectionName, query: FindQuery) {
        checkLimit(query.limit);
        return calls.read(() => self.find<T>(project_id, collection, query));
      },
      commit: async (writes) => {
        checkWrites(writes);
        if (writes.length === 0) return [];
        const copies = writes.map((write) => ({ ...write, data: copyData(write.data) }));
        return calls.commit(copies, () => {
          const { stored, changes } = this.apply(copies);
          this.onCommit(changes);
          if (calls.alive()) listeners.emit(changes);
          return stored;
        });
      },
      changes: listeners.add,
      changeFeed: async (project_id, collection, after, limit) => {
        checkLimit(limit);
        return calls.read(() => this.changeFeed(project_id, collection, after, limit));
      },
      purge: (older_ms) => calls.read(() => this.purge(older_ms)),
      erase: async (collection, ids, records = []) => {
        const copies = records.map((write) => ({ ...write, data: copyData(write.data) }));
        await calls.commit(copies, () => {
          const { changes } = this.apply(copies);
          for (const id of ids) this.table(collection).delete(id);
          this.onCommit(changes);
          if (calls.alive()) listeners.emit(changes);
        });
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }

  private getOf<T>(project_id: string, collection: CollectionName, id: string): Stored<T> | undefined {
    const found = this.get<T>(collection, id);
    return found?.project_id === project_id ? found : undefined;
  }

  private find<T>(project: string | null, collection: CollectionName, query: FindQuery): Stored<T>[] {
    const liveOf = (id: string) => this.get<Record<string, unknown>>('live', id);
    return findDocuments(this.all(collection), project, query, liveOf) as Stored<T>[];
  }

  /** Stores all writes, or none when an expected revision is not current. Each write sees the writes before it. */
  private apply(writes: readonly ProjectWrite[]): Applied {
    const now = this.clock();
    const time = nextTime(this.time, now);
    const stamp = { hlc: `${formatTime(time)}-${NODE_ID}`, at: new Date(now).toISOString(), written_ms: time.ms };
    const rows = new Map<string, { readonly collection: CollectionName; readonly row: Row }>();
    const partSeqs = new Map<string, number>();
    const applied: Applied = { stored: [], changes: [] };
    let { seq, audit } = this;
    for (const write of writes) {
      const { collection, id } = write;
      const key = `${collection}/${id}`;
      const previous = rows.get(key)?.row ?? this.table(collection).get(id);
      const current = previous?.deleted === false ? previous.document : undefined;
      checkExpectation(write, previous?.document, current);
      const part = partKey(write.project_id, collection);
      const partSeq = (partSeqs.get(part) ?? this.headOf(part)) + 1;
      partSeqs.set(part, partSeq);
      const created_at = current?.created_at ?? write.at ?? stamp.at;
      let { data } = write;
      if (isChained(write)) {
        if (previous !== undefined || write.deleted) throw new RangeError(`${id} is an entry of the audit log`);
        const entry = { id, project_id: write.project_id, created_at, data };
        const link = linkEntry(entry, audit, {
          gateway_id: NODE_ID,
          life: this.incarnation.number,
          clock: formatTime(time),
        });
        audit = headOf(link);
        data = { ...data, chain: link };
      }
      const document: Stored = {
        id,
        project_id: write.project_id,
        object: write.object,
        hlc: stamp.hlc,
        origin: NODE_ID,
        origin_seq: ++seq,
        created_at,
        updated_at: write.at ?? stamp.at,
        revision: (previous?.document.revision ?? 0) + 1,
        data,
      };
      const deleted = write.deleted === true;
      rows.set(key, { collection, row: { document, deleted, partSeq, written_ms: stamp.written_ms } });
      applied.stored.push(document);
      const operation = deleted ? 'DELETE' : current === undefined ? 'INSERT' : 'UPDATE';
      // A tombstone for an unknown document changes nothing that a reader can see.
      if (operation !== 'DELETE' || current !== undefined) applied.changes.push({ collection, operation, document });
    }
    this.seq = seq;
    this.audit = audit;
    this.time = time;
    for (const [part, partSeq] of partSeqs) this.partSeqs.set(part, partSeq);
    for (const { collection, row } of rows.values()) {
      const forgotten = this.forgetting && row.document.data.type === 'gap_declared';
      if (!forgotten) this.table(collection).set(row.document.id, row);
    }
    return applied;
  }

  /** The last number of a part. A new incarnation starts a range of its own. */
  private headOf(part: string): number {
    return Math.max(this.partSeqs.get(part) ?? 0, (this.incarnation.number - 1) * INCARNATION_SPAN);
  }

  private changeFeed(project_id: string, collection: CollectionName, after: number, limit: number): ChangeFeed {
    const entries = [...this.table(collection).values()]
      .filter(({ document, partSeq }) => document.project_id === project_id && partSeq > after)
      .sort((a, b) => a.partSeq - b.partSeq)
      .slice(0, limit)
      .map(({ document, deleted, partSeq }) => ({ seq: partSeq, deleted, document }));
    return { entries, head: this.partSeqs.get(partKey(project_id, collection)) ?? 0 };
  }

  private purge(older_ms: number): boolean {
    for (const table of this.tables.values()) {
      for (const [id, { deleted, written_ms }] of table) {
        if (deleted && written_ms <= this.clock() - older_ms) table.delete(id);
      }
    }
    return true;
  }

  private table(collection: CollectionName): Map<string, Row> {
    return this.tables.get(collection) as Map<string, Row>;
  }
}

function partKey(project_id: string, collection: CollectionName): string {
  return `${project_id}/${collection}`;
}
