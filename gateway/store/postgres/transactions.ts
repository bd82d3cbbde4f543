/**
 * Runs transactions. Those of different projects run at the same time; those of one project run one after another, in all processes of the
 * database, because each of them locks the row of its project. Calls that wait share a transaction: those of the same projects share a
 * workspace, and together they are a part of the transaction; the parts of other projects have workspaces of their own, and share the
 * statements that go to the server. So fifty sites that send at the same time cost little more statements than one.
 *
 *   BEGIN -> lock the rows of the projects -> attempts in the workspaces -> write the changed rows -> COMMIT -> publish -> resolve
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
import { runAttempts } from './attempts.ts';
import { isAway, isConflict, isUnknown, SERIALIZATION } from './errors.ts';
import { flushChanges } from './flush.ts';
import type { Identity } from './identity.ts';
import { checkFence } from './lease.ts';
import type { ProjectNumbers } from './loader.ts';
import { VERSION } from './migrations.ts';
import { type BegunPart, isChanged, type Job, lockedOf, type Part, statesAfter, takeParts } from './parts.ts';
import type { Database } from './pool.ts';
import {
  isCommitted,
  type LockedProject,
  lockProjects,
  type ProjectState,
  saveProjects,
  tablesVersion,
  valuesOf,
} from './project-state.ts';
import type { Call, Workspace } from './workspace.ts';

/** When this many rows wait, bounded calls are refused. */
const MOST_WAITING = 20_000;
/** Transactions of this process at the same time. More of them would have fewer parts each, and so need more statements for the same work. */
const MOST_TRANSACTIONS = 2;
const MOST_TRIES = 10;
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
  /** Reads rows that `run` will need, so that it finds them in its first attempt. */
  readonly ahead?: (() => void) | undefined;
  /** Returns what listeners learn when the result is on disk. */
  changes?(result: T): readonly Change[];
  readonly bounded?: boolean;
  /** For background work: the transaction fails with `lease_lost` if another process does this work now. */
  readonly fence?: Fence | undefined;
}

export class Transactions {
  readonly #options: TransactionOptions;
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

  run<T>({ projects, rows, run, ahead, changes, bounded, fence }: Request<T>): Promise<T> {
    const { name } = this.#options.database;
    if (this.#closed) return Promise.reject(new StoreError('closed', name));
    if (bounded && this.#waiting >= MOST_WAITING) return Promise.reject(new StoreError('overloaded', name));
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        projects: new Set(projects),
        rows,
        fence,
        run,
        ahead,
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
  }

  #next(): void {
    while (this.#running < MOST_TRANSACTIONS) {
      const { parts, left } = takeParts(this.#queue, this.#busy);
      if (parts.length === 0) break;
      this.#queue = left;
      for (const { jobs, own } of parts) {
        for (const { rows } of jobs) this.#waiting -= rows;
        for (const project of own) this.#busy.add(project);
      }
      void this.#runBatch(parts);
    }
    if (this.#running === 0 && this.#queue.length === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #runBatch(parts: readonly Part[]): Promise<void> {
    this.#running++;
    try {
      await this.#settle(parts);
    } finally {
      for (const { own } of parts) for (const project of own) this.#busy.delete(project);
      this.#running--;
      this.#next();
    }
  }

  /** Runs the calls of the parts, and resolves or rejects their promises. */
  async #settle(parts: readonly Part[]): Promise<void> {
    const jobs = (of: readonly Part[]): Job[] => of.flatMap((part) => part.jobs);
    let done: Batch;
    try {
      done = await this.#untilDone(parts);
    } catch (error) {
      // One part may be the reason, and the others must not fail with it. If the server does not answer, none can succeed.
      if (parts.length > 1 && !(error instanceof StoreError)) for (const part of parts) await this.#settle([part]);
      else for (const job of jobs(parts)) job.fail(error);
      return;
    }
    const settled = jobs(done.parts);
    try {
      if (done.committed !== undefined)
        await this.#options.publish(
          done.committed,
          settled.map((job) => job.changes()),
        );
      for (const job of settled) job.settle();
    } catch (error) {
      for (const job of settled) job.fail(error);
    }
    // They wait before all others, so that the calls of a project keep their order.
    for (const { jobs: again, projects } of done.apart)
      for (const job of again) for (const one of projects) job.projects.add(one);
    const waiting = jobs(done.apart);
    for (const { rows } of waiting) this.#waiting += rows;
    this.#queue.unshift(...waiting);
  }

  /** Tries until the parts are committed, or some of them. */
  async #untilDone(all: readonly Part[]): Promise<Batch> {
    const until = performance.now() + PATIENCE_MS;
    let parts = all;
    for (let tries = 1; ; tries++) {
      const projects = [...new Set(parts.flatMap((part) => [...part.projects]))].sort();
      const trial: Trial = { token: randomUUID(), isSent: false, committed: undefined, missing: new Map() };
      const done = (): Batch => ({
        committed: this.#done(trial),
        parts,
        apart: all.filter((part) => !parts.includes(part)),
      });
      try {
        await this.#options.database.use((client) => this.#once(client, parts, projects, trial));
        if (trial.missing.size === 0) return done();
        for (const [part, missing] of trial.missing) for (const project of missing) part.projects.add(project);
        // A part that needs more projects may need those of another part. So it leaves this transaction.
        if (parts.length > 1) parts = parts.filter((part) => !trial.missing.has(part));
        if (parts.length === 0) return { committed: undefined, parts, apart: all };
      } catch (error) {
        if (trial.isSent && isUnknown(error) && (await this.#isDone(projects, trial, until, error))) {
          this.stats.recovered++;
          return done();
        }
        await this.#pause(error, tries, until);
      } finally {
        for (const { workspace } of all) workspace.end();
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

  async #once(client: PoolClient, parts: readonly Part[], projects: readonly string[], trial: Trial): Promise<void> {
    const { clock, identity } = this.#options;
    const { incarnation, text } = identity();
    try {
      const [, before] = await Promise.all([client.query('BEGIN'), lockProjects(client, projects)]);
      const begun = parts.map((part) => this.#begin(part, before));
      const { enter, numbers } = this.#options;
      const counted = (): void => {
        this.stats.attempts++;
      };
      const changed = (await runAttempts(client, begun, { enter, numbers, counted }, trial.missing)).filter(isChanged);
      for (const { renewals } of begun) for (const { outcome } of renewals) if ('error' in outcome) throw outcome.error;
      if (trial.missing.size > 0 || changed.length === 0) {
        await client.query('ROLLBACK');
        return;
      }
      const after = statesAfter(changed, before, incarnation.token);
      const [, saved] = await Promise.all([
        flushChanges(client, changed, numbers),
        saveProjects(client, after, projects[0] as string, trial.token, clock(), text),
      ]);
      if (!saved) await this.#refuse(client);
      const fence = parts[0]?.jobs[0]?.fence;
      if (fence !== undefined) await checkFence(client, fence, this.#options.database.name);
      for (const { part } of changed) {
        const time = String(part.workspace.values.get(CLOCK_KEY));
        if (time > this.#clock) this.#clock = time;
      }
      const written = new Map([...before].filter(([project]) => after.has(project)));
      trial.committed = { before: written, after, rows: changed.reduce((sum, { changes }) => sum + changes.length, 0) };
      trial.isSent = true;
      await client.query('COMMIT');
    } catch (error) {
      if (!trial.isSent) await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** Begins a part in its workspace, after its projects were locked. */
  #begin(part: Part, before: ReadonlyMap<string, LockedProject>): BegunPart {
    const { numbers, identity } = this.#options;
    const { floor, incarnation } = identity();
    const locked = lockedOf(part, before);
    const own = [...locked].flatMap(([project, { state }]) => (state.joined === true ? [project] : []));
    for (const project of own) numbers.note(project);
    const values = valuesOf(locked, this.#clock, floor);
    part.workspace.begin(part.projects, values);
    const stale = own.filter((project) => locked.get(project)?.state.incarnation !== incarnation.token);
    return { part, own, values, renewals: stale.map((project) => this.#renewal(project, locked.get(project))) };
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

  /** True if the transaction of the trial is committed. */
  async #isDone(projects: readonly string[], { token }: Trial, until: number, cause: unknown): Promise<boolean> {
    const { database } = this.#options;
    for (;;) {
      try {
        return await database.use((client) => isCommitted(client, projects[0] as string, token));
      } catch (error) {
        // The caller must not think that nothing was written, whatever keeps the engine from looking.
        const isTried = (isAway(error) || isConflict(error)) && performance.now() <= until;
        if (!isTried) throw new StoreError('outcome_unknown', database.name, cause);
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
  /** Projects that the next try of a part must lock, too. */
  readonly missing: Map<Part, readonly string[]>;
}

/** What became of the parts of a transaction. */
interface Batch {
  /** Undefined if no call changed anything. */
  readonly committed: Committed | undefined;
  /** The parts whose calls have an outcome. */
  readonly parts: readonly Part[];
  /** The parts that must be run again, each in a transaction of its own. */
  readonly apart: readonly Part[];
}
