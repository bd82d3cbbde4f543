/**
 * Runs transactions. Those of different projects run at the same time; those of one project run one after another, in all processes of the
 * database, because each of them locks the row of its project. Calls that wait for the same projects share a transaction.
 *
 *   BEGIN -> lock the rows of the projects -> attempts in a workspace -> write the changed rows -> COMMIT -> publish -> resolve
 *
 * A transaction that runs into another one is run again. If the answer to COMMIT is lost, the token of the transaction in the table
 * `commits` tells whether it succeeded; if not, it is run again.
 */
import { randomUUID } from 'node:crypto';
import type { ClientBase, PoolClient } from 'pg';
import { StoreError } from '#contract/base/store-error.ts';
import type { Change } from '#contract/base/view.ts';
import type { Fence } from '#store/base/lease.ts';
import { CLOCK_KEY, NO_TIME } from '#store/sqlite/commit.ts';
import { AHEAD_KEY } from '#store/sync/sync-tx.ts';
import type { RowChange } from './changeset.ts';
import { isAway, isConflict, isUnknown, SERIALIZATION } from './errors.ts';
import { flushChanges } from './flush.ts';
import type { Identity } from './identity.ts';
import { checkFence } from './lease.ts';
import { loadMisses, type ProjectNumbers } from './loader.ts';
import { VERSION } from './migrations.ts';
import { type Database, MOST_CONNECTIONS } from './pool.ts';
import {
  isCommitted,
  type LockedProject,
  lockProjects,
  type ProjectState,
  saveProjects,
  stateAfter,
  tablesVersion,
  valuesOf,
} from './project-state.ts';
import { DOCUMENT_TABLES } from './tables.ts';
import { type Call, Workspace } from './workspace.ts';

/** The most rows of calls that share a transaction. */
const MOST_ROWS = 250;
/** When this many rows wait, bounded calls are refused. */
const MOST_WAITING = 20_000;
/** Transactions of this process at the same time. The other connections serve reads. */
const MOST_TRANSACTIONS = MOST_CONNECTIONS - 3;
const MOST_TRIES = 10;
const MOST_ATTEMPTS = 40;
/** For this time a transaction is tried again while the server does not answer. */
const PATIENCE_MS = 30_000;

export interface TransactionStats {
  /** Number of committed transactions. */
  commits: number;
  /** Written rows. */
  rows: number;
  /** Runs of the code of transactions in a workspace. */
  attempts: number;
  /** Transactions that were run again, because they ran into another one or the server did not answer. */
  retries: number;
  /** Transactions whose COMMIT had succeeded although its answer was lost. */
  recovered: number;
}

/** What a transaction did: the states of its projects before and after it. */
export interface Committed {
  readonly before: ReadonlyMap<string, LockedProject>;
  readonly after: ReadonlyMap<string, ProjectState>;
  readonly rows: number;
}

export interface TransactionOptions {
  readonly database: Database;
  readonly numbers: ProjectNumbers;
  readonly clock: () => number;
  /** The identity of the database that this process knows. */
  readonly identity: () => Pick<Identity, 'floor' | 'incarnation' | 'text'>;
  /** Reads the identity again, because another process has changed it. */
  readonly reidentify: (client: ClientBase) => Promise<void>;
  /** Begins a new life of this node in a project, as a part of the transaction that runs. */
  readonly renew: (project: string, isRecorded: boolean) => readonly Change[];
  /** Makes the workspace that the code of transactions uses next. */
  readonly enter: (workspace: Workspace) => void;
  /** Called when the transaction is on disk, before the promises of its calls resolve. */
  readonly publish: (committed: Committed, changes: readonly (readonly Change[])[]) => Promise<void>;
}

export interface Request<T> {
  readonly projects: readonly string[];
  readonly rows: number;
  /** Runs on a workspace, several times if rows are missing there. */
  run(): T;
  /** Returns what listeners learn when the result is on disk. */
  changes?(result: T): readonly Change[];
  readonly bounded?: boolean;
  /** For background work: the transaction fails with `lease_lost` if another process does this work now. */
  readonly fence?: Fence | undefined;
}

interface Job extends Call {
  readonly projects: ReadonlySet<string>;
  readonly rows: number;
  readonly fence: Fence | undefined;
  changes(): readonly Change[];
  settle(): void;
  fail(error: unknown): void;
}

export class Transactions {
  readonly #options: TransactionOptions;
  readonly #free: Workspace[] = [];
  readonly #busy = new Set<string>();
  #queue: Job[] = [];
  #waiting = 0;
  #running = 0;
  #clock = NO_TIME;
  #closed = false;
  #idle: (() => void)[] = [];
  /** Set when another process has changed the tables to a newer version. Then this process can write nothing more. */
  refused: StoreError | undefined;
  readonly stats: TransactionStats = { commits: 0, rows: 0, attempts: 0, retries: 0, recovered: 0 };

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  run<T>({ projects, rows, run, changes, bounded, fence }: Request<T>): Promise<T> {
    const { name } = this.#options.database;
    if (this.#closed) return Promise.reject(new StoreError('closed', name));
    if (bounded && this.#waiting >= MOST_WAITING) return Promise.reject(new StoreError('overloaded', name));
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        projects: new Set(projects),
        rows,
        fence,
        run,
        outcome: { error: undefined },
        changes: () => ('result' in job.outcome ? (changes?.(job.outcome.result as T) ?? []) : []),
        settle: () => ('result' in job.outcome ? resolve(job.outcome.result as T) : reject(job.outcome.error)),
        fail: reject,
      };
      this.#queue.push(job);
      this.#waiting += rows;
      this.#next();
    });
  }

  /** Resolves when no transaction runs or waits, and refuses later ones. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running > 0 || this.#queue.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    for (const workspace of this.#free.splice(0)) workspace.close();
  }

  #next(): void {
    while (this.#running < MOST_TRANSACTIONS) {
      const batch = this.#takeBatch();
      if (batch === undefined) break;
      void this.#runBatch(batch);
    }
    if (this.#running === 0 && this.#queue.length === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Takes the first call whose projects are free, and later ones of the same projects. Calls of one project keep their order. */
  #takeBatch(): Job[] | undefined {
    const blocked = new Set(this.#busy);
    const batch: Job[] = [];
    const left: Job[] = [];
    let rows = 0;
    for (const job of this.#queue) {
      const [first] = batch;
      const isFree = [...job.projects].every((project) => !blocked.has(project));
      const fits =
        first === undefined ||
        (job.fence?.token === first.fence?.token &&
          rows + job.rows <= MOST_ROWS &&
          [...job.projects].every((one) => first.projects.has(one)));
      if (isFree && fits) {
        batch.push(job);
        rows += job.rows;
      } else {
        left.push(job);
        for (const project of job.projects) blocked.add(project);
      }
    }
    if (batch.length === 0) return undefined;
    this.#queue = left;
    for (const job of batch) this.#waiting -= job.rows;
    for (const project of (batch[0] as Job).projects) this.#busy.add(project);
    return batch;
  }

  async #runBatch(batch: readonly Job[]): Promise<void> {
    this.#running++;
    const projects = new Set(batch.flatMap((job) => [...job.projects]));
    const workspace = this.#free.pop() ?? new Workspace();
    try {
      const committed = await this.#untilDone(batch, workspace, projects);
      if (committed !== undefined)
        await this.#options.publish(
          committed,
          batch.map((job) => job.changes()),
        );
      for (const job of batch) job.settle();
    } catch (error) {
      for (const job of batch) job.fail(error);
    } finally {
      for (const project of (batch[0] as Job).projects) this.#busy.delete(project);
      this.#free.push(workspace);
      this.#running--;
      this.#next();
    }
  }

  /** Returns what the transaction did; undefined if no call changed anything. */
  async #untilDone(batch: readonly Job[], workspace: Workspace, projects: Set<string>): Promise<Committed | undefined> {
    const until = performance.now() + PATIENCE_MS;
    for (let tries = 1; ; tries++) {
      const trial: Trial = { token: randomUUID(), isSent: false, committed: undefined, missing: [] };
      try {
        await this.#options.database.use((client) => this.#once(client, batch, workspace, [...projects].sort(), trial));
        if (trial.missing.length === 0) return this.#done(trial);
        for (const project of trial.missing) projects.add(project);
      } catch (error) {
        if (trial.isSent && isUnknown(error) && (await this.#isDone([...projects].sort(), trial, until, error))) {
          this.stats.recovered++;
          return this.#done(trial);
        }
        await this.#pause(error, tries, until);
      } finally {
        workspace.end();
      }
    }
  }

  #done({ committed }: Trial): Committed | undefined {
    if (committed !== undefined) {
      this.stats.commits++;
      this.stats.rows += committed.rows;
    }
    return committed;
  }

  /** Waits before the next try. Throws if there is none. */
  async #pause(error: unknown, tries: number, until: number): Promise<void> {
    const { name } = this.#options.database;
    if (isUnknown(error)) {
      if (performance.now() > until) throw new StoreError('database_away', name, error);
    } else if (!isConflict(error) || tries >= MOST_TRIES) throw error;
    this.stats.retries++;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(1000, 5 * 2 ** tries)));
  }

  async #once(
    client: PoolClient,
    batch: readonly Job[],
    workspace: Workspace,
    projects: readonly string[],
    trial: Trial,
  ): Promise<void> {
    const { numbers, clock } = this.#options;
    const { floor, incarnation, text } = this.#options.identity();
    await client.query('BEGIN');
    try {
      const before = await lockProjects(client, projects);
      const own = projects.filter((project) => before.get(project)?.state.joined === true);
      for (const project of own) numbers.note(project);
      const values = valuesOf(before, this.#clock, floor);
      workspace.begin(new Set(projects), values);
      const stale = own.filter((project) => before.get(project)?.state.incarnation !== incarnation.token);
      const calls = [...stale.map((project) => this.#renewal(project, before.get(project))), ...batch];
      const changes = await this.#attempts(client, calls, workspace, projects, trial);
      for (const { outcome } of calls.slice(0, stale.length)) if ('error' in outcome) throw outcome.error;
      if (changes === undefined || !isChanged(changes, values, workspace)) {
        await client.query('ROLLBACK');
        return;
      }
      await flushChanges(client, changes, own, numbers);
      const joins = new Set(changes.flatMap((change) => (isJoin(change) ? [String(change.values[1])] : [])));
      const after = new Map<string, ProjectState>();
      for (const [project, locked] of before) {
        const state = stateAfter(project, locked, workspace.values, DOCUMENT_NAMES, incarnation.token);
        after.set(project, joins.has(project) ? { ...state, joined: true } : state);
      }
      if (!(await saveProjects(client, after, trial.token, clock(), text))) await this.#refuse(client);
      const [{ fence }] = batch as [Job];
      if (fence !== undefined) await checkFence(client, fence, this.#options.database.name);
      this.#clock = String(workspace.values.get(CLOCK_KEY));
      trial.committed = { before, after, rows: changes.length };
      trial.isSent = true;
      await client.query('COMMIT');
    } catch (error) {
      if (!trial.isSent) await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** The call that begins a new life in a project whose last transaction was in an earlier incarnation. */
  #renewal(project: string, locked: LockedProject | undefined): Call {
    const run = () => this.#options.renew(project, locked?.state.incarnation !== undefined);
    return { run, outcome: { error: undefined } };
  }

  /** Throws the reason why a transaction must not be committed. */
  async #refuse(client: PoolClient): Promise<never> {
    if ((await tablesVersion(client)) !== VERSION) {
      this.refused = new StoreError('database_version', `${this.#options.database.name} ${CHANGED}`);
      throw this.refused;
    }
    await client.query('ROLLBACK');
    await this.#options.reidentify(client);
    throw Object.assign(new Error('another process began a new incarnation'), { code: SERIALIZATION });
  }

  /** Returns the changes of the first attempt that finds all rows; undefined if it needs more projects. */
  async #attempts(
    client: PoolClient,
    batch: readonly Call[],
    workspace: Workspace,
    projects: readonly string[],
    trial: Trial,
  ): Promise<readonly RowChange[] | undefined> {
    const { enter, numbers } = this.#options;
    for (let attempts = 1; ; attempts++) {
      enter(workspace);
      this.stats.attempts++;
      const attempt = workspace.attempt(batch);
      if ('changes' in attempt) return attempt.changes;
      if (attempt.projects.length > 0) {
        trial.missing = attempt.projects;
        return undefined;
      }
      if (attempts >= MOST_ATTEMPTS)
        throw new Error(`a transaction reads rows without an end: ${attempt.misses[0]?.sql}`);
      await loadMisses(client, workspace, attempt.misses, projects, numbers);
    }
  }

  /** True if the transaction of the trial is committed. */
  async #isDone(projects: readonly string[], { token }: Trial, until: number, cause: unknown): Promise<boolean> {
    const { database } = this.#options;
    for (;;) {
      try {
        return await database.use((client) => isCommitted(client, projects[0] as string, token));
      } catch (error) {
        if (!isAway(error) && !isConflict(error)) throw error;
        // The caller must not think that nothing was written.
        if (performance.now() > until) throw new StoreError('outcome_unknown', database.name, cause);
      }
    }
  }
}

const CHANGED = 'was changed by a newer Headframe while this one ran: start that version here, too';

/** One try of a transaction. */
interface Trial {
  readonly token: string;
  /** True when COMMIT was sent. */
  isSent: boolean;
  committed: Committed | undefined;
  /** Projects that the next try must lock, too. */
  missing: readonly string[];
}

const DOCUMENT_NAMES = Object.values(DOCUMENT_TABLES).map(({ plainName }) => plainName);

const isJoin = ({ table, operation }: RowChange): boolean => table === 'sync_projects' && operation === 'insert';

/** True if there is something to write. */
function isChanged(
  changes: readonly RowChange[],
  before: ReadonlyMap<string, string | number>,
  workspace: Workspace,
): boolean {
  if (changes.length > 0) return true;
  return [CLOCK_KEY, AHEAD_KEY].some((key) => workspace.values.get(key) !== before.get(key));
}
