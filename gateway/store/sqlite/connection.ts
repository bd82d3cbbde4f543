/**
 * One SQLite file: a connection that writes and one that only reads.
 *
 *   write() -> queue -> [ BEGIN | job | job | ... | COMMIT ] -> log to disk -> all emit -> all resolve
 *                                                               (by another thread)
 *
 * - Calls that wait at the same moment share one transaction, so one fsync. Jobs run in the order they were called and
 *   are never split over transactions. A job that fails takes nothing with it: when it had written already, the
 *   transaction is taken back and run again with a SAVEPOINT per job (which at other times would only copy pages).
 * - A transaction never yields: between BEGIN and COMMIT nothing else of this process runs. The disk is waited for after
 *   COMMIT and without blocking; meanwhile further transactions are made, which share the next sync.
 * - Nothing is shown that is not on disk: a read waits for the sync under way, and while reads wait no transaction begins.
 * - `seq` and the number of each part count written rows in commit order. `rx_meta` keeps them; they never go back.
 * - BUSY is waited out here. An error that makes the file doubtful latches the connection: every later call rejects.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { fileErrorCode, StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import { checksumOf } from './checksum.ts';
import { quote } from './columns.ts';
import { fatalCode, isBusy, isReadOnly } from './errors.ts';
import { META_PUT, metaChecksum, SCHEMA, SCHEMA_KEY, schemaChecksum } from './meta-table.ts';
import { type ConnectionOptions, openFile } from './open-file.ts';
import { type Checkpoints, createCheckpoints, type Log, type LogPages, openLog } from './wal.ts';

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
  /** Called once it is on disk and before any waiting promise resolves; must not throw. */
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
/** Rows committed and not yet on disk; at the bound no transaction begins. */
const MAX_UNSYNCED_ROWS = 2000;
const MAX_STATEMENTS = 300;
/** Free pages that stay for later writes: 1 MB. */
const SPARE_PAGES = 256;
/** Transactions of one call of `compact`: 16 MB. */
const COMPACT_STEPS = 16;
/** What is on disk can be read although nothing can be written. */
const READABLE: ReadonlySet<StoreErrorCode> = new Set(['disk_full', 'read_only']);
const META_GET = 'SELECT value, sum FROM rx_meta WHERE key=?';
const CHANGED = 'a stored value is not what was written';
/** Damaged documents that are told apart. */
const MAX_DAMAGED = 1000;
const BUSY_WAIT_MS = 50;
const BUSY_TRIES = 600;

export class Connection {
  readonly file: string;
  readonly stats: ConnectionStats = { commits: 0, statements: 0, rows: 0 };
  /** True after a stop without close when the file was too large to check its pages before serving. */
  unchecked: boolean;
  /** Documents that a check found damaged where there is no backup to take them from: a sentence per table. */
  damage: readonly string[];
  readonly #writer: DatabaseSync;
  readonly #reader: DatabaseSync;
  readonly #log: Log;
  readonly #checkpoints: Checkpoints;
  readonly #pages: StatementSync;
  readonly #options: ConnectionOptions;
  /** Numbers up to this one belong to an earlier life of the file. */
  readonly #floor: number;
  readonly #writeStatements = new Map<string, StatementSync>();
  readonly #readStatements = new Map<string, StatementSync>();
  #queue: Job[] = [];
  #queuedRows = 0;
  #scheduled = false;
  #busyTries = 0;
  #seq = 0;
  /** Committed, not known to be on disk. */
  #unsynced: Job[] = [];
  #unsyncedRows = 0;
  #syncing = false;
  /** A checkpoint wants the writer still. */
  #held = false;
  #waitingReads: (() => void)[] = [];
  /** Last numbers of the parts that the running transaction wrote to. */
  readonly #parts = new Map<string, number>();
  /** Checksums of what damaged documents are now. */
  readonly #damagedChecksums = new Set<number>();
  /** What the reads of this turn of the event loop cost so far, in rows. */
  #turnCost = 0;
  #writes = 0;
  #fatal: StoreError | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;
  /** The last call of `write`; they end in the order they were made. */
  #last: Promise<unknown> = Promise.resolve();

  /** Opens or creates the file. Throws `StoreError`. */
  constructor(file: string, options: ConnectionOptions = {}) {
    this.file = file;
    this.#options = options;
    const opened = openFile(file, options);
    this.#writer = opened.writer;
    this.#reader = opened.reader;
    this.unchecked = opened.unchecked;
    this.damage = opened.damage;
    this.#log = openLog(file);
    this.#pages = this.#writer.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#floor = Number(this.getMeta('floor') ?? 0);
    this.#checkpoints = createCheckpoints({
      file,
      pages: () => this.pages(),
      hold: (work) => this.#hold(work),
      failed: (error) => this.#checkpointFailed(error),
    });
  }

  /** Refuses all later calls, because somebody else found the file damaged. */
  markCorrupt(why: Error): void {
    this.#latch(why, 'corrupt');
  }

  /** A stored document by its text and checksum; one that is not what was written is damage, which SQLite does not see. */
  parse<T>(data: unknown, checksum: unknown): T {
    const text = String(data);
    // rows of older folders have none at first
    if (checksum !== null && checksum !== checksumOf(text)) throw this.#damaged(new Error(CHANGED), text);
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw this.#damaged(error as Error, text);
    }
  }

  /** How many documents were found that are not what was written; each counts once, up to a bound. */
  get damaged(): number {
    return this.#damagedChecksums.size;
  }

  /** True when there is a backup that could take the place of this file. */
  get canRecover(): boolean {
    return this.#options.canRecover?.() ?? false;
  }

  /** A damaged document was replaced. */
  mend(data: unknown): void {
    this.#damagedChecksums.delete(checksumOf(String(data)));
  }

  #damaged(why: Error, text: string): StoreError {
    if (this.#damagedChecksums.size < MAX_DAMAGED) this.#damagedChecksums.add(checksumOf(text));
    // outside of the transaction that may be running
    if (this.canRecover) setImmediate(() => this.markCorrupt(why));
    return new StoreError('corrupt', this.file, why);
  }

  /** Pages in the log now, and how many of them are in the file as well. */
  pages(): LogPages {
    const [, log, moved] = this.#pages.get() as unknown as number[];
    return { log: Number(log), moved: Number(moved) };
  }

  /** The next sequence number; only inside `run` of a write. */
  nextSeq(): number {
    return ++this.#seq;
  }

  /** The next number of one part of a table; only inside `run` of a write. A failed write may leave a gap. */
  nextOfPart(name: string, part: string): number {
    const key = headKey(name, part);
    const next = (this.#parts.get(key) ?? Math.max(this.#floor, Number(this.getMeta(key) ?? 0))) + 1;
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
    return this.#checkMeta(key, this.peek(META_GET, key));
  }

  /** A value kept beside the tables, as a reader sees it. */
  metaOf(read: Reader, key: string): Row[number] | undefined {
    return this.#checkMeta(key, read.get(META_GET, key));
  }

  #checkMeta(key: string, row: Row | undefined): Row[number] | undefined {
    const [value, checksum] = row ?? [];
    const changed = typeof checksum === 'number' && checksum !== metaChecksum(key, value);
    if (changed) throw this.#damaged(new Error(CHANGED), key);
    return value;
  }

  /** Keeps a value beside the tables; only inside `run` of a write. */
  setMeta(key: string, value: string | number): void {
    this.execute(META_PUT, key, value, metaChecksum(key, value));
  }

  /** Keeps the checksum of what our tables are now; only inside `run` of a write, after changing them. */
  sealSchema(): void {
    this.setMeta(SCHEMA_KEY, schemaChecksum(this.peekAll(SCHEMA)));
  }

  /** Queues a write and resolves with what `run` returned, once it is on disk and everybody was told. */
  write<T>(writing: Writing<T>): Promise<T> {
    if (this.#fatal) return Promise.reject(this.#fatal);
    if (this.#closing) return Promise.reject(new StoreError('closed', this.file));
    if (writing.bounded && this.#queuedRows >= MAX_QUEUED_ROWS) {
      return Promise.reject(new StoreError('overloaded', this.file));
    }
    const done = new Promise<T>((resolve, reject) => {
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
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Runs a read on the reading connection, in a later turn when this one had its share of reads. One call is one
   * piece of work that does not yield; a long read is many calls. `cost` is what it costs before its first row.
   */
  async read<T>(run: (read: Reader) => T, cost = READ_COST): Promise<T> {
    for (;;) {
      if (this.#unsynced.length > 0) await new Promise<void>((resolve) => this.#waitingReads.push(resolve));
      else if (this.#turnCost >= MAX_COST_PER_TURN) await new Promise(setImmediate);
      else break;
    }
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

  /**
   * Gives pages that no table uses back to the disk, a few megabytes a call; the bytes that went back, and whether there are more. Files of
   * earlier builds keep theirs for later writes.
   */
  async compact(): Promise<{ readonly bytes: number; readonly more: boolean }> {
    const pages = (): number => Number(this.peek('PRAGMA freelist_count')?.[0]);
    const size = Number(this.peek('PRAGMA page_size')?.[0]);
    const before = await this.write({ rows: 0, run: pages });
    let left = before;
    for (let i = 0; i < COMPACT_STEPS && left > SPARE_PAGES; i++) {
      const run = (): number => {
        this.peekAll(`PRAGMA incremental_vacuum(${MAX_ROWS_PER_TRANSACTION})`);
        return pages();
      };
      const now = await this.write({ rows: MAX_ROWS_PER_TRANSACTION, run });
      // The disk may be full: the log of one transaction is all that this takes.
      await this.#checkpoints.now();
      if (now === left) break;
      left = now;
    }
    if (left === before) await this.#checkpoints.now();
    return { bytes: (before - left) * size, more: left > SPARE_PAGES && left < before };
  }

  /** Resolves when everything called so far is on disk or refused. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Writes out what waits, marks the file as cleanly stopped and closes both connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.settled();
    this.#closed = true;
    await this.#checkpoints.stop();
    this.#reader.close();
    this.#log.close();
    try {
      if (!this.#fatal && !this.unchecked) this.#writer.exec("UPDATE rx_meta SET value=0 WHERE key='open'");
    } finally {
      // the last connection moves the log into the file, synced
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
    if (this.#held || this.#mustSync()) return;
    const batch = this.#nextBatch();
    if (batch.length === 0) return;
    const seq = this.#seq;
    try {
      this.#transact(batch);
    } catch (error) {
      this.#rollback();
      this.#seq = seq;
      if (isBusy(error) && ++this.#busyTries < BUSY_TRIES) this.#schedule(BUSY_WAIT_MS);
      else this.#latch(error);
      return;
    }
    this.#busyTries = 0;
    this.#queue.splice(0, batch.length);
    for (const job of batch) {
      this.#queuedRows -= job.rows;
      this.#unsyncedRows += job.rows;
      this.#unsynced.push(job);
    }
    if (!this.#syncing) void this.#sync();
    if (this.#queue.length > 0) this.#schedule();
  }

  /** True while what was committed has to reach the disk before more is. */
  #mustSync(): boolean {
    return this.#unsynced.length > 0 && (this.#waitingReads.length > 0 || this.#unsyncedRows >= MAX_UNSYNCED_ROWS);
  }

  /** Brings everything committed so far to disk, then tells everybody. */
  async #sync(): Promise<void> {
    this.#syncing = true;
    const seq = this.#seq;
    const batch = this.#unsynced.slice();
    try {
      await this.#log.sync();
    } catch (error) {
      // what is on disk is not known, and another sync may report success
      this.#syncing = false;
      this.#latch(error, fileErrorCode(error) === 'disk_full' ? 'disk_full' : 'io_error');
      return;
    }
    this.#syncing = false;
    this.#options.onDurable?.(seq);
    for (const job of batch) if (!job.failure) job.emit();
    this.#unsynced.splice(0, batch.length);
    for (const job of batch) {
      this.#unsyncedRows -= job.rows;
      if (job.failure) job.reject(job.failure.error);
      else job.resolve();
    }
    if (this.#unsynced.length > 0) void this.#sync();
    else this.#wakeReads();
    if (this.#queue.length > 0) this.#schedule();
    if (!this.#fatal) this.#checkpoints.consider();
  }

  #wakeReads(): void {
    for (const resolve of this.#waitingReads.splice(0)) resolve();
  }

  /** Runs work while no transaction does; what is called meanwhile waits. */
  async #hold(work: () => Promise<void>): Promise<void> {
    this.#held = true;
    try {
      await work();
    } finally {
      this.#held = false;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  #checkpointFailed(error: unknown): void {
    const code = fatalCode(error);
    // the log keeps what the file has no room for
    if (code !== undefined && code !== 'disk_full') this.#latch(error);
    else this.#options.log?.('a checkpoint of the database failed and is tried again later', { error: String(error) });
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
  #latch(error: unknown, otherwise: StoreErrorCode = 'io_error'): void {
    const fatal = this.#judge(error, otherwise);
    const waiting = this.#queue.splice(0);
    this.#queuedRows = 0;
    // a sync under way may still say that its commits are on disk
    if (!this.#syncing) waiting.unshift(...this.#unsynced.splice(0));
    for (const job of waiting) job.reject(fatal);
    if (!this.#syncing) this.#wakeReads();
  }

  #judge(error: unknown, otherwise?: StoreErrorCode): unknown {
    const code = isBusy(error) ? 'locked' : (fatalCode(error) ?? otherwise);
    if (!code) return error;
    if (!this.#fatal) {
      this.#fatal = new StoreError(isReadOnly(code, this.file) ? 'read_only' : code, this.file, error);
      this.#options.onFatal?.(this.#fatal);
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
