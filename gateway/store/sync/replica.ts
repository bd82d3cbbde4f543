/**
 * What the store keeps for the replication to head office: which projects take part, and transactions over the tables of `SyncTx`.
 *
 *   commit of this node ──▶ commit.ts ──▶ local-commit.ts ──▶ registers, digest items, log row      (same transaction)
 *   commit of another node ──▶ run ──▶ SyncTx ──▶ rows of documents, registers, items, log row
 *
 * A project takes part from `join` on. Before that, its documents cost nothing. `sqlite-replica.ts` and `store/postgres/replica.ts` create
 * the tables and read which projects take part.
 */

import { NODE_PROJECT } from '#contract/base/view.ts';
import type { Brought } from '#domain/sync/cloud.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import { dropFacts, removableFacts, removeForGood, replacedKeys } from '#domain/sync/ledger.ts';
import { beginLife, unknownLife } from '#domain/sync/lives.ts';
import { owedBy } from '#domain/sync/owed.ts';
import { keyOf } from '#domain/sync/registers/documents.ts';
import { nodeOf } from '#domain/sync/registers/registers.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import type { Incarnation } from '#store/base/engine.ts';
import type { CommitFollower } from '#store/sqlite/commit.ts';
import { MergedRows } from '#store/sqlite/merged-rows.ts';
import type { Outcome, RowWriterOptions } from '#store/sqlite/row-writer.ts';
import { countRow, countStep, STEP_ROWS } from './counting.ts';
import { createFollower } from './local-commit.ts';
import { addProject, Projects } from './projects.ts';
import { readAhead } from './read-ahead.ts';
import { SqliteSyncTx } from './sync-tx.ts';

/** A process looks at the orders of lists again after this time. So the first look after a restart reads few changes. */
const LOOK_MS = 3_600_000;

/** The most documents that a transaction of the replication may write. */
const MOST_ROWS = 1_000;

/** Commits of other nodes that are counted for one project. More are shown as this number. */
export const MOST_COUNTED = 1_000;

/** A project of which head office counts what waits. */
export interface CountedProject {
  readonly project: string;
  /** The gateway of the project, and the number in the log up to which it has everything. */
  readonly gateway: string;
  readonly after: number;
}

export interface ProjectCounts {
  /** Commits in quarantine. */
  readonly quarantined: number;
  /** Documents that other nodes owe this one. */
  readonly owed: number;
  /** Documents with entries in the inbox. */
  readonly conflicts: number;
  /** Commits that the gateway does not have yet: those that it did not make, and those of its bundles of a life that was not confirmed. */
  readonly waiting: number;
}

/** The tables of the replication, as the services of a node use them. */
export interface SyncStore {
  /** The projects that take part. */
  projects(): string[];
  /** Makes a project take part. Calling it again has no effect. */
  join(project: string): Promise<void>;
  /** Counts documents that the replication does not know yet, in one short transaction. Returns true if there may be more. */
  count(project: string): Promise<boolean>;
  /**
   * Runs a transaction of a project. If `work` throws, nothing of it stays. Throws if the project does not take part. The store may call
   * `work` several times, so it changes nothing but `tx`. `brought`: the commits that `work` takes, so that the store can read
   * their rows before it.
   */
  run<T>(project: string, work: (tx: SyncTx, env: SyncEnv) => T, brought?: Brought): Promise<T>;
  /**
   * Returns those of these facts that a deletion by age may remove now. The others wait until head office has them, for a bounded time. All
   * facts of a project that does not take part may be removed.
   */
  removable(project: string, collection: 'events' | 'telemetry', ids: readonly string[]): Promise<string[]>;
  /** Counts what waits in each of these projects, which take part. */
  counts(projects: readonly CountedProject[]): Promise<ProjectCounts[]>;
}

export interface ReplicaOptions {
  readonly rows: RowWriterOptions;
  /** Runs a transaction that reads and writes documents of a project. */
  readonly transact: <T>(
    project: string,
    rows: number,
    run: (outcome: Outcome) => T,
    /** Reads rows that `run` will need. A store that reads at once does not call it. */
    ahead?: (outcome: Outcome) => void,
  ) => Promise<T>;
  readonly env: (now: number) => SyncEnv;
  readonly clock: () => number;
  readonly nodeId: string;
  readonly incarnation: Incarnation;
}

/** A transaction of the replication. */
type Work<T> = (merged: MergedRows, env: SyncEnv) => T;

export abstract class Replica<Options extends ReplicaOptions = ReplicaOptions> implements SyncStore {
  readonly follower: CommitFollower;
  protected readonly known = new Projects();
  protected readonly options: Options;
  /** When this process last looked at the orders of all lists of a project. */
  readonly #looked = new Map<number, number>();

  constructor(options: Options) {
    this.options = options;
    this.follower = {
      ...createFollower({
        db: options.rows.connection,
        projects: this.known,
        env: options.env,
        open: (project, env, rows) => this.open(project, env, rows),
      }),
      erase: (...erased) => this.#erase(...erased),
    };
  }

  /** Prepares the tables of a project that joins. Call it only inside the callback of a write (`Writing.run`). */
  protected abstract addTables(): void;

  /** The number of a project that joins; null if the database counts. */
  protected newNumber(_project: string): number | null {
    return null;
  }

  projects(): string[] {
    return this.known.names;
  }

  async join(project: string): Promise<void> {
    if (project === NODE_PROJECT) throw new RangeError('the documents of the gateway itself are not copied');
    const { rows, nodeId: id, incarnation } = this.options;
    const { number, token } = incarnation;
    const no = await this.transact(project, 1, () => {
      this.addTables();
      return addProject(
        rows.connection,
        project,
        { id, life: { number, token }, fresh: true, floors: {} },
        this.newNumber(project),
      );
    });
    this.known.note(project, no);
    await this.transact(project, 1, (merged, env) => {
      const record = merged.read('records', project);
      if (record !== undefined) countRow(this.open(project, env, merged), env, 'records', record);
    });
  }

  async count(project: string): Promise<boolean> {
    const { rows, nodeId: self, clock } = this.options;
    const p = this.#numberOf(project);
    const now = clock();
    // The clock may be set back.
    const isLooked = Math.abs(now - (this.#looked.get(p) ?? Number.NEGATIVE_INFINITY)) < LOOK_MS;
    const more = await this.transact(project, STEP_ROWS, (merged, env) => {
      const tx = this.open(project, env, merged);
      const table = (collection: keyof RowWriterOptions['instances']) => rows.instances[collection].internals.table;
      return countStep({ connection: rows.connection, table, self, project, p, isLooked }, tx, env);
    });
    // Only now: the store may run the transaction several times.
    if (!more && !isLooked) this.#looked.set(p, now);
    return more;
  }

  async run<T>(project: string, work: (tx: SyncTx, env: SyncEnv) => T, brought?: Brought): Promise<T> {
    const p = this.#numberOf(project);
    const { rows } = this.options;
    const run: Work<T> = (merged, env) => {
      const tx = this.open(project, env, merged);
      const result = work(tx, env);
      tx.finish();
      return result;
    };
    const ahead: Work<void> = (merged, env) => {
      if (brought !== undefined)
        readAhead({ ...{ project, p, env, rows }, tx: this.open(project, env, merged) }, brought);
    };
    return await this.transact(project, MOST_ROWS, run, brought && ahead);
  }

  async removable(project: string, collection: 'events' | 'telemetry', ids: readonly string[]): Promise<string[]> {
    if (this.known.number(project) === undefined) return [...ids];
    const keys = ids.map((id) => keyOf({ collection, id }));
    const found = new Set(await this.run(project, (tx, env) => removableFacts(tx, env, keys)));
    return ids.filter((id) => found.has(keyOf({ collection, id })));
  }

  async counts(projects: readonly CountedProject[]): Promise<ProjectCounts[]> {
    const counts: ProjectCounts[] = [];
    for (const { project, gateway, after } of projects)
      counts.push(
        await this.run(project, (tx) => ({
          quarantined: tx.quarantined().length,
          owed: owedBy(tx, gateway),
          conflicts: tx.conflicted().length,
          waiting: tx
            .rows(after, MOST_COUNTED)
            .filter(({ from }) => nodeOf(from) !== gateway || from === unknownLife(gateway)).length,
        })),
      );
    return counts;
  }

  /** Begins a new life of this node in a project, because the database lost commits. */
  protected beginNewLife(project: string, env: SyncEnv, merged: MergedRows): void {
    const tx = this.open(project, env, merged);
    const { life, clock } = tx.node();
    beginLife(tx, env, Math.max(life.number + 1, this.options.incarnation.number), clock);
  }

  protected transact<T>(project: string, rows: number, work: Work<T>, ahead?: Work<void>): Promise<T> {
    const { transact, env, clock, rows: options } = this.options;
    const begin =
      <R>(of: Work<R>) =>
      (outcome: Outcome): R =>
        of(new MergedRows(options, outcome), env(clock()));
    return transact(project, rows, begin(work), ahead && begin(ahead));
  }

  #numberOf(project: string): number {
    const p = this.known.number(project);
    if (p === undefined) throw new Error(`${project} does not take part in the replication`);
    return p;
  }

  protected open(project: string, env: SyncEnv, rows: MergedRows): SqliteSyncTx {
    const p = this.#numberOf(project);
    return new SqliteSyncTx({ db: this.options.rows.connection, rows, project, p, env });
  }

  /**
   * Facts that this node erases before head office has them are named in a gap record, so that a check of custody does not miss them in
   * silence. A fact whose content is in another fact of the same commit is not lost.
   */
  #erase(...[collection, ids, rows, writes]: Parameters<NonNullable<CommitFollower['erase']>>): void {
    if (this.known.names.length === 0) return;
    const env = this.options.env(this.options.clock());
    const byProject = new Map<string, string[]>();
    for (const id of ids) {
      // The text of the document may be damaged, and it is not needed.
      const project = rows.projectOf(collection, id);
      if (project !== undefined && this.known.number(project) !== undefined)
        byProject.set(project, [...(byProject.get(project) ?? []), `${collection}/${id}`]);
    }
    const replaced = new Set(writes.flatMap(replacedKeys));
    for (const [project, keys] of byProject) {
      const tx = this.open(project, env, rows);
      const known = keys.filter((key) => tx.baseOf(key) !== undefined);
      for (const key of known) if (replaced.has(key)) removeForGood(tx, key, 'replaced');
      dropFacts(
        tx,
        env,
        known.filter((key) => !replaced.has(key)),
      );
    }
  }
}
