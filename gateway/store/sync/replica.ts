/**
 * What the store keeps for the replication to head office: which projects take part, and transactions over the tables of `SyncTx`.
 *
 *   commit of this node ──▶ commit.ts ──▶ local-commit.ts ──▶ registers, digest items, log row      (same transaction)
 *   commit of another node ──▶ run ──▶ SyncTx ──▶ rows of documents, registers, items, log row
 *
 * A project takes part from `join` on. Before that, its documents cost nothing, and a database without such a project has no table for it.
 */
import { NODE_PROJECT } from '#contract/base/view.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import { dropFacts } from '#domain/sync/ledger.ts';
import { beginLife } from '#domain/sync/lives.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import type { Incarnation } from '#store/base/engine.ts';
import type { CommitFollower, Transact } from '#store/sqlite/commit.ts';
import { MergedRows } from '#store/sqlite/merged-rows.ts';
import type { RowWriterOptions } from '#store/sqlite/row-writer.ts';
import { countRow, countStep, STEP_ROWS } from './counting.ts';
import { createFollower } from './local-commit.ts';
import { addProject, Projects } from './projects.ts';
import { SqliteSyncTx } from './sync-tx.ts';
import { TABLES } from './tables.ts';

/** The most documents that a transaction of the replication may write. */
const MOST_ROWS = 1_000;

/** The incarnation of the database that the lives of this node belong to. */
const INCARNATION_KEY = 'sync_incarnation';

/** The tables of the replication, as the services of a node use them. */
export interface SyncStore {
  /** The projects that take part. */
  projects(): string[];
  /** Makes a project take part. Calling it again has no effect. */
  join(project: string): Promise<void>;
  /** Counts documents that the replication does not know yet, in one short transaction. Returns true if there may be more. */
  count(project: string): Promise<boolean>;
  /** Runs a transaction of a project. If `work` throws, nothing of it stays. Throws if the project does not take part. */
  run<T>(project: string, work: (tx: SyncTx, env: SyncEnv) => T): Promise<T>;
}

export interface ReplicaOptions {
  readonly rows: RowWriterOptions;
  readonly transact: () => Transact;
  readonly env: (now: number) => SyncEnv;
  readonly clock: () => number;
  readonly nodeId: string;
  /** Called when a project takes part, before the database has tables for it. */
  readonly beforeFirst: () => void;
  readonly incarnation: Incarnation;
}

export class Replica implements SyncStore {
  readonly follower: CommitFollower;
  readonly #projects = new Projects();
  readonly #options: ReplicaOptions;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.follower = {
      ...createFollower({
        db: options.rows.connection,
        projects: this.#projects,
        env: options.env,
        open: (project, env, rows) => this.#open(project, env, rows),
      }),
      erase: (collection, ids, rows) => this.#erase(collection, ids, rows),
    };
  }

  /** Reads which projects take part. If commits were lost since the last time, a new life begins in each of them. */
  async prepare(): Promise<void> {
    const { rows, incarnation } = this.#options;
    const { connection } = rows;
    const sql = "SELECT 1 FROM sqlite_schema WHERE type='table' AND name='sync_projects'";
    if ((await connection.read((read) => read.get(sql))) === undefined) return;
    this.#options.beforeFirst();
    await this.#transact(0, (merged, env) => {
      for (const sql of TABLES) connection.execute(sql);
      this.#projects.load(connection);
      if (connection.getMeta(INCARNATION_KEY) === incarnation.token) return;
      for (const project of this.#projects.names) {
        const tx = this.#open(project, env, merged);
        const { life, clock } = tx.node();
        beginLife(tx, env, Math.max(life.number + 1, incarnation.number), clock);
      }
      connection.setMeta(INCARNATION_KEY, incarnation.token);
    });
  }

  projects(): string[] {
    return this.#projects.names;
  }

  async join(project: string): Promise<void> {
    if (project === NODE_PROJECT) throw new RangeError('the documents of the gateway itself are not copied');
    const { rows, nodeId: id, incarnation } = this.#options;
    const { number, token } = incarnation;
    this.#options.beforeFirst();
    const { connection } = rows;
    const no = await this.#transact(1, () => {
      for (const sql of TABLES) connection.execute(sql);
      connection.setMeta(INCARNATION_KEY, token);
      return addProject(connection, project, { id, life: { number, token }, fresh: true, floors: {} });
    });
    this.#projects.note(project, no);
    await this.#transact(1, (merged, env) => {
      const record = merged.read('records', project);
      if (record !== undefined) countRow(this.#open(project, env, merged), env, 'records', record);
    });
  }

  async count(project: string): Promise<boolean> {
    const { rows, nodeId: self } = this.#options;
    const p = this.#numberOf(project);
    return await this.#transact(STEP_ROWS, (merged, env) => {
      const tx = this.#open(project, env, merged);
      const table = (collection: keyof RowWriterOptions['instances']) => rows.instances[collection].internals.table;
      return countStep({ connection: rows.connection, table, self, project, p }, tx, env);
    });
  }

  async run<T>(project: string, work: (tx: SyncTx, env: SyncEnv) => T): Promise<T> {
    return await this.#transact(MOST_ROWS, (merged, env) => {
      const tx = this.#open(project, env, merged);
      const result = work(tx, env);
      tx.finish();
      return result;
    });
  }

  #transact<T>(rows: number, work: (merged: MergedRows, env: SyncEnv) => T): Promise<T> {
    const { transact, env, clock, rows: options } = this.#options;
    return transact()(rows, (outcome) => work(new MergedRows(options, outcome), env(clock())), false);
  }

  #numberOf(project: string): number {
    const p = this.#projects.number(project);
    if (p === undefined) throw new Error(`${project} does not take part in the replication`);
    return p;
  }

  #open(project: string, env: SyncEnv, rows: MergedRows): SqliteSyncTx {
    const p = this.#numberOf(project);
    return new SqliteSyncTx({ db: this.#options.rows.connection, rows, project, p, env });
  }

  /** Facts that this node erases are named in a gap record, so that a check of custody does not miss them in silence. */
  #erase(collection: string, ids: readonly string[], rows: MergedRows): void {
    const env = this.#options.env(this.#options.clock());
    for (const project of this.#projects.names) {
      const tx = this.#open(project, env, rows);
      const known = ids.map((id) => `${collection}/${id}`).filter((key) => tx.baseOf(key) !== undefined);
      dropFacts(tx, env, known);
      for (const key of known) tx.remove(key);
    }
  }
}
