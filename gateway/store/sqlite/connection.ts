/**
 * One SQLite file: a connection that writes and one that only reads.
 *
 *   write() -> queue -> [ BEGIN | job | job | ... | COMMIT ] -> all emit -> all resolve
 *
 * - Calls that wait at the same moment share one transaction, so one fsync. Jobs run in the order they were called and
 *   are never split over transactions. A job that fails takes nothing with it: when it had written already, the
 *   transaction is taken back and run again with a SAVEPOINT per job (which at other times would only copy pages).
 * - A transaction never yields: between BEGIN and the last emit nothing else of this process runs.
 * - seq counts rows written to this file, in commit order; it survives in `rx_meta` and never goes back. So does the
 *   count of each part of a table.
 * - BUSY is waited out here. An error that makes the file doubtful latches the connection: every later call rejects.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { StoreError, type StoreErrorCode } from '#store/store-error.ts';
import { quote } from './columns.ts';
import { fatalCode, isBusy, isReadOnly } from './errors.ts';
import { openFile } from './open-file.ts';

/** One row as an array of column values. */
export type Row = readonly (string | number | null | Uint8Array)[];

export interface ConnectionStats {
  /** Transactions committed. */
  commits: number;
  /** Statements run, reads included. */
  statements: number;
  /** Document rows written. */
  rows: number;
}

interface Job {
  readonly rows: number;
  ready: boolean;
  run(): void;
  emit(): void;
  resolve(): void;
  reject(error: unknown): void;
  failure: { error: unknown } | undefined;
}

interface Writing<T> {
  /** Documents it will write at most; transactions are filled by this. */
  readonly rows: number;
  /** Runs inside the transaction, perhaps again when the lock was lost; throws to undo what it did. */
  run(): T;
  /** Called after COMMIT and before any waiting promise resolves; must not throw. */
  emit?(result: T): void;
  /** What must be in memory before it can run; later calls wait behind it. */
  ready?: Promise<unknown> | undefined;
  /** Refuse with `overloaded` when the queue is at its bound. */
  bounded?: boolean;
}

/** Calls are packed up to this: about 10 ms, so that nothing else of the process waits longer. */
export const MAX_ROWS_PER_TRANSACTION = 250;
/** Reads of one turn of the event loop go on until they cost as much as so many rows: also about 10 ms. */
export const MAX_COST_PER_TURN = 1000;
const READ_COST = 16;
/** At the bound, bounded calls are refused; the others come from callers that wait for their own calls. */
const MAX_QUEUED_ROWS = 20_000;
const MAX_STATEMENTS = 300;
/** What is on disk can be read although nothing can be written. */
const READABLE: ReadonlySet<StoreErrorCode> = new Set(['disk_full', 'read_only']);
const BUSY_WAIT_MS = 50;
const BUSY_TRIES = 600;

export class Connection {
  readonly file: string;
  readonly stats: ConnectionStats = { commits: 0, statements: 0, rows: 0 };
  readonly #writer: DatabaseSync;
  readonly #reader: DatabaseSync;
  readonly #onFatal: ((error: StoreError) => void) | undefined;
  readonly #writeStatements = new Map<string, StatementSync>();
  readonly #readStatements = new Map<string, StatementSync>();
  #queue: Job[] = [];
  #queuedRows = 0;
  #scheduled = false;
  #busyTries = 0;
  #seq = 0;
  /** Last numbers of the parts that the running transaction wrote to. */
  readonly #parts = new Map<string, number>();
  /** What the reads of this turn of the event loop cost so far, in rows. */
  #turnCost = 0;
  #writes = 0;
  #fatal: StoreError | undefined;
  #closed = false;
  #idle: (() => void)[] = [];

  /** Opens or creates the file; `unclean` reports a stop without close, after the pages were checked. Throws `StoreError`. */
  constructor(file: string, onFatal?: (error: StoreError) => void, onUnclean?: () => void) {
    this.file = file;
    this.#onFatal = onFatal;
    ({ writer: this.#writer, reader: this.#reader } = openFile(file, onUnclean));
  }

  /** The next sequence number; only inside `run` of a write. */
  nextSeq(): number {
    return ++this.#seq;
  }

  /** The next number of one part of a table; only inside `run` of a write. A failed write may leave a gap. */
  nextOfPart(name: string, part: string): number {
    const key = headKey(name, part);
    const next = (this.#parts.get(key) ?? Number(this.getMeta(key) ?? 0)) + 1;
    this.#parts.set(key, next);
    return next;
  }

  /** Forgets the numbers of a table that is dropped; only inside `run` of a write. */
  dropParts(name: string): void {
    this.execute('DELETE FROM rx_meta WHERE key>=? AND key<?', headKey(name, ''), headKey(name, '\u{10ffff}'));
  }

  /** Runs one statement on the writing connection; only inside `run` of a write. Returns the rows changed. */
  execute(sql: string, ...values: SQLInputValue[]): number {
    this.stats.statements++;
    this.#writes++;
    return Number(statement(this.#writer, this.#writeStatements, sql).run(...values).changes);
  }

  /** Reads one row as the running transaction sees it; only inside `run` of a write. */
  peek(sql: string, ...values: SQLInputValue[]): Row | undefined {
    this.stats.statements++;
    return statement(this.#writer, this.#writeStatements, sql).get(...values) as unknown as Row | undefined;
  }

  /** Reads rows as the running transaction sees them; only inside `run` of a write. */
  peekAll(sql: string, ...values: SQLInputValue[]): Row[] {
    this.stats.statements++;
    return statement(this.#writer, this.#writeStatements, sql).all(...values) as unknown as Row[];
  }

  /** A value kept beside the tables; only inside `run` of a write. */
  getMeta(key: string): Row[number] | undefined {
    return this.peek('SELECT value FROM rx_meta WHERE key=?', key)?.[0];
  }

  /** Keeps a value beside the tables; only inside `run` of a write. */
  setMeta(key: string, value: string | number): void {
    this.execute('INSERT INTO rx_meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value=excluded.value', key, value);
  }

  /** Queues a write and resolves with what `run` returned, once it is on disk and everybody was told. */
  write<T>(writing: Writing<T>): Promise<T> {
    if (this.#fatal) return Promise.reject(this.#fatal);
    if (this.#closed) return Promise.reject(new StoreError('closed', this.file));
    if (writing.bounded && this.#queuedRows >= MAX_QUEUED_ROWS) {
      return Promise.reject(new StoreError('overloaded', this.file));
    }
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const job: Job = {
        rows: writing.rows,
        ready: writing.ready === undefined,
        failure: undefined,
        run: () => {
          result = writing.run();
        },
        emit: () => writing.emit?.(result),
        resolve: () => resolve(result),
        reject,
      };
      writing.ready?.then(
        () => {
          job.ready = true;
          this.#schedule();
        },
        (error: unknown) => {
          job.run = () => {
            throw error;
          };
          job.ready = true;
          this.#schedule();
        },
      );
      this.#queue.push(job);
      this.#queuedRows += job.rows;
      this.#schedule();
    });
  }

  /**
   * Runs a read on the reading connection, in a later turn when this one had its share of reads. One call is one
   * piece of work that does not yield; a long read is many calls. `cost` is what it costs before its first row.
   */
  async read<T>(run: (read: Reader) => T, cost = READ_COST): Promise<T> {
    while (this.#turnCost >= MAX_COST_PER_TURN) await new Promise(setImmediate);
    if (this.#turnCost === 0) setImmediate(() => this.#endTurn());
    this.#turnCost += cost;
    for (let tries = 0; ; tries++) {
      if (this.#fatal && !READABLE.has(this.#fatal.code)) throw this.#fatal;
      if (this.#closed) throw new StoreError('closed', this.file);
      try {
        return run(this.#read);
      } catch (error) {
        if (!isBusy(error) || tries === BUSY_TRIES) throw this.#judge(error);
        await new Promise((resolve) => setTimeout(resolve, BUSY_WAIT_MS));
      }
    }
  }

  /** Resolves when nothing waits to be written. */
  settled(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Writes out what waits, marks the file as cleanly stopped and closes both connections. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.settled();
    if (this.#closed) return;
    this.#closed = true;
    this.#reader.close();
    try {
      if (!this.#fatal) this.#writer.exec("UPDATE rx_meta SET value=0 WHERE key='open'");
    } finally {
      this.#writer.close();
    }
  }

  readonly #read: Reader = {
    all: (sql, ...values) => {
      this.stats.statements++;
      const rows = statement(this.#reader, this.#readStatements, sql).all(...values) as unknown as Row[];
      this.#turnCost += rows.length;
      return rows;
    },
    get: (sql, ...values) => {
      this.stats.statements++;
      return statement(this.#reader, this.#readStatements, sql).get(...values) as unknown as Row | undefined;
    },
  };

  #endTurn(): void {
    this.#turnCost = 0;
  }

  #schedule(delay?: number): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const flush = (): void => {
      this.#scheduled = false;
      this.#flush();
    };
    if (delay === undefined) setImmediate(flush);
    else setTimeout(flush, delay);
  }

  #flush(): void {
    const batch = this.#nextBatch();
    if (batch.length === 0) return;
    try {
      this.#transact(batch);
    } catch (error) {
      this.#rollback();
      if (isBusy(error) && ++this.#busyTries < BUSY_TRIES) this.#schedule(BUSY_WAIT_MS);
      else this.#latch(error);
      return;
    }
    this.#busyTries = 0;
    this.#queue.splice(0, batch.length);
    for (const job of batch) this.#queuedRows -= job.rows;
    for (const job of batch) if (!job.failure) job.emit();
    for (const job of batch) {
      if (job.failure) job.reject(job.failure.error);
      else job.resolve();
    }
    if (this.#queue.length > 0) this.#schedule();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }

  #nextBatch(): Job[] {
    const batch: Job[] = [];
    let rows = 0;
    for (const job of this.#queue) {
      if (!job.ready || (batch.length > 0 && rows + job.rows > MAX_ROWS_PER_TRANSACTION)) break;
      batch.push(job);
      rows += job.rows;
    }
    return batch;
  }

  #transact(batch: Job[]): void {
    if (this.#attempt(batch, false)) return;
    this.#rollback();
    this.#attempt(batch, true);
  }

  /** One transaction; false when a job failed that had written and no savepoint can take it back alone. */
  #attempt(batch: Job[], saved: boolean): boolean {
    this.execute('BEGIN IMMEDIATE');
    const before = Number(this.getMeta('seq') ?? 0);
    this.#seq = before;
    this.#parts.clear();
    for (const job of batch) if (!this.#runOne(job, saved)) return false;
    if (this.#seq !== before) this.setMeta('seq', this.#seq);
    for (const [key, seq] of this.#parts) this.setMeta(key, seq);
    this.execute('COMMIT');
    this.stats.commits++;
    this.stats.rows += this.#seq - before;
    return true;
  }

  #runOne(job: Job, saved: boolean): boolean {
    const seq = this.#seq;
    job.failure = undefined;
    if (saved) this.execute('SAVEPOINT job');
    const writes = this.#writes;
    try {
      job.run();
    } catch (error) {
      if (isBusy(error) || fatalCode(error)) throw error;
      if (!saved && this.#writes !== writes) return false;
      job.failure = { error };
      this.#seq = seq;
      if (saved) this.execute('ROLLBACK TO job');
    }
    if (saved) this.execute('RELEASE job');
    return true;
  }

  #rollback(): void {
    // after FULL, IOERR or NOMEM SQLite may have rolled back by itself
    if (this.#writer.isTransaction) this.#writer.exec('ROLLBACK');
  }

  /** An error outside a job: what the file is now is not known to us, so nothing may go on as if nothing happened. */
  #latch(error: unknown): void {
    const fatal = this.#judge(error, 'io_error');
    const waiting = this.#queue.splice(0);
    this.#queuedRows = 0;
    for (const job of waiting) job.reject(fatal);
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #judge(error: unknown, otherwise?: StoreErrorCode): unknown {
    const code = isBusy(error) ? 'locked' : (fatalCode(error) ?? otherwise);
    if (!code) return error;
    if (!this.#fatal) {
      this.#fatal = new StoreError(isReadOnly(code, this.file) ? 'read_only' : code, this.file, error);
      this.#onFatal?.(this.#fatal);
    }
    return this.#fatal;
  }
}

/** Reads on the reading connection. */
export interface Reader {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
}

/** Key in `rx_meta` of the last number of one part of a table. */
export function headKey(name: string, part: string): string {
  return `feed ${quote(name)} ${part}`;
}

function statement(database: DatabaseSync, cache: Map<string, StatementSync>, sql: string): StatementSync {
  let found = cache.get(sql);
  if (found) return found;
  found = database.prepare(sql);
  if (cache.size >= MAX_STATEMENTS) {
    const oldest = cache.keys().next().value;
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(sql, found);
  return found;
}
