/**
 * The two connections to one SQLite file: one writes, and the other only reads.
 *
 *   write() -> queue -> [ BEGIN | job | job | ... | COMMIT ] -> sync of the log -> emit all -> resolve all
 *                                                               (in another thread)
 *
 * Writes that wait at the same moment share one transaction, and so one sync. They run in the order in which they were called. A write is
 * never split.
 *
 * If a write fails, the other writes of its transaction succeed. If the failed write had changed rows already, the transaction is rolled
 * back and runs again with a SAVEPOINT for each write. The first try has no SAVEPOINTs, because SQLite copies pages for each SAVEPOINT.
 *
 * A transaction runs synchronously: between BEGIN and COMMIT no other code of this process runs. The sync runs in another thread.
 * Transactions that commit during a sync share the next one.
 *
 * Reads see only what is on disk. A read waits for the running sync, and while reads wait no transaction begins.
 *
 * `seq` numbers the written rows in commit order. Each part (such as a project) also numbers its own rows. `rx_meta` stores the last
 * numbers, which never decrease.
 *
 * While another program has locked the file (BUSY), the connection retries. If an error leaves the state of the file unknown, the
 * connection rejects all later calls.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { fileErrorCode, StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import { DamagedDocuments, parseDocument } from './damaged-documents.ts';
import { fatalCode, isBusy, isReadOnly } from './errors.ts';
import { type ConnectionOptions, openFile } from './open-file.ts';
import type { Reader, Row } from './rows.ts';
import { StatementCache } from './statement-cache.ts';
import { TransactionWriter } from './transaction-writer.ts';
import { TurnBudget } from './turn-budget.ts';
import { type Checkpoints, createCheckpoints, type Log, type LogPages, openLog } from './wal.ts';
import { type Job, MAX_ROWS_PER_TRANSACTION, WriteQueue, type Writing } from './write-queue.ts';

/** The default cost of starting a read, in rows: preparing and starting the statement takes as long as reading this many rows. */
const READ_COST = 16;
/** When this many rows are committed and not yet on disk, the next transaction waits for the sync. */
const MAX_UNSYNCED_ROWS = 2000;
/** The number of free pages (1 MB) that `compact` leaves for later writes. */
const SPARE_PAGES = 256;
/** The largest number of transactions in one call of `compact`. Together they return 16 MB. */
const COMPACT_STEPS = 16;
/** After these errors the connection still reads, because the disk can still be read. */
const READABLE: ReadonlySet<StoreErrorCode> = new Set(['disk_full', 'read_only']);
const BUSY_WAIT_MS = 50;
const BUSY_TRIES = 600;

export class Connection extends TransactionWriter {
  readonly file: string;
  /** True if the last process did not close the file and the file is too large to check all its pages at the start. */
  unchecked: boolean;
  /** Damaged documents that the check at open found and no backup can replace: one text for each table. */
  damage: readonly string[];
  readonly #reader: DatabaseSync;
  readonly #log: Log;
  readonly #checkpoints: Checkpoints;
  readonly #pages: StatementSync;
  readonly #options: ConnectionOptions;
  readonly #readStatements: StatementCache;
  readonly #damagedDocuments = new DamagedDocuments();
  readonly #turn = new TurnBudget();
  readonly #queue = new WriteQueue();
  #scheduled = false;
  #busyTries = 0;
  /** The writes that are committed but may not be on disk yet. */
  #unsynced: Job[] = [];
  #unsyncedRows = 0;
  #syncing = false;
  /** True while a checkpoint runs that allows no transaction to begin. */
  #held = false;
  #waitingReads: (() => void)[] = [];
  #fatal: StoreError | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;
  /** The promise of the last call of `write`. Calls end in call order, so all calls have ended when this promise settles. */
  #last: Promise<unknown> = Promise.resolve();

  /** Opens or creates the file. Throws `StoreError`. */
  constructor(file: string, options: ConnectionOptions = {}) {
    const opened = openFile(file, options);
    super(opened.writer);
    this.file = file;
    this.#options = options;
    this.#reader = opened.reader;
    this.#readStatements = new StatementCache(opened.reader);
    this.unchecked = opened.unchecked;
    this.damage = opened.damage;
    this.#log = openLog(file);
    this.#pages = this.writer.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.readFloor();
    this.#checkpoints = createCheckpoints({
      file,
      pages: () => this.pages(),
      hold: (work) => this.#hold(work),
      failed: (error) => this.#checkpointFailed(error),
    });
  }

  /** Marks the file as damaged, because other code found damage in it. From then on the connection rejects all calls. */
  markCorrupt(why: Error): void {
    this.#latch(why, 'corrupt');
  }

  /**
   * Parses a stored document; `body` are the bytes of its row. Throws `StoreError` `corrupt` when text and bytes differ from the checksum,
   * or when the text is not JSON.
   */
  parse<T>(data: unknown, checksum: unknown, body: unknown): T {
    const text = String(data);
    try {
      return parseDocument<T>(text, checksum, body instanceof Uint8Array ? body : null);
    } catch (error) {
      throw this.reportDamage(error as Error, text);
    }
  }

  /** The number of distinct damaged documents that reads found, up to a limit. */
  get damaged(): number {
    return this.#damagedDocuments.count;
  }

  /** True if a backup can replace this file. */
  get canRecover(): boolean {
    return this.#options.canRecover?.() ?? false;
  }

  /** Removes a document from the count of damaged ones, after a write has replaced it. */
  forgetDamaged(data: unknown): void {
    this.#damagedDocuments.delete(String(data));
  }

  protected reportDamage(why: Error, text: string): StoreError {
    this.#damagedDocuments.add(text);
    // Mark the file as damaged in a later turn of the event loop, because a transaction may be running now.
    if (this.canRecover) setImmediate(() => this.markCorrupt(why));
    return new StoreError('corrupt', this.file, why);
  }

  /** Returns the number of pages in the WAL, and how many of them a checkpoint has copied into the file. */
  pages(): LogPages {
    const [, log, moved] = this.#pages.get() as unknown as number[];
    return { log: Number(log), moved: Number(moved) };
  }

  /** Queues a write. Resolves with the result of `run` when the change is on disk and has been emitted. */
  write<T>(writing: Writing<T>): Promise<T> {
    if (this.#fatal) return Promise.reject(this.#fatal);
    if (this.#closing) return Promise.reject(new StoreError('closed', this.file));
    if (writing.bounded && this.#queue.isFull) return Promise.reject(new StoreError('overloaded', this.file));
    const done = this.#queue.add(writing, () => this.#schedule());
    this.#schedule();
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Runs a read on the connection that only reads. If earlier reads have used the time budget of this turn of the event loop, the read
   * waits for a later turn. `run` is not interrupted, so a long read must be split into many calls. `cost` is the cost of starting the
   * read, counted in rows.
   */
  async read<T>(run: (read: Reader) => T, cost = READ_COST): Promise<T> {
    for (;;) {
      if (this.#unsynced.length > 0) await new Promise<void>((resolve) => this.#waitingReads.push(resolve));
      else if (this.#turn.isSpent) await new Promise(setImmediate);
      else break;
    }
    this.#turn.spend(cost);
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
   * Returns free pages to the disk, a few megabytes in a call. `more` is true if another call would return more. A file of an earlier
   * version was created without `auto_vacuum` and keeps its free pages.
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
      // Runs a checkpoint after each transaction, because on a full disk the WAL must not grow by more than one transaction.
      await this.#checkpoints.now();
      if (now === left) break;
      left = now;
    }
    if (left === before) await this.#checkpoints.now();
    return { bytes: (before - left) * size, more: left > SPARE_PAGES && left < before };
  }

  /** Returns the size of the file in bytes: the pages in use, and the free pages. Reads only the header of the file. */
  size(): Promise<{ readonly used: number; readonly free: number }> {
    return this.read((read) => {
      const pragma = (name: string): number => Number(read.get(`PRAGMA ${name}`)?.[0]);
      const page = pragma('page_size');
      const free = pragma('freelist_count');
      return { used: (pragma('page_count') - free) * page, free: free * page };
    });
  }

  /** Resolves when every write called so far is on disk or rejected. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Completes the waiting writes, stores in the file that it was closed cleanly, and closes both connections. */
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
      if (!this.#fatal && !this.unchecked) this.writer.exec("UPDATE rx_meta SET value=0 WHERE key='open'");
    } finally {
      // When the last connection closes, SQLite copies the WAL into the file and syncs it.
      this.writer.close();
    }
  }

  readonly #read: Reader = {
    all: (sql, ...values) => {
      this.stats.statements++;
      const rows = this.#readStatements.prepare(sql).all(...values) as unknown as Row[];
      this.#turn.spend(rows.length);
      return rows;
    },
    get: (sql, ...values) => {
      this.stats.statements++;
      return this.#readStatements.prepare(sql).get(...values) as unknown as Row | undefined;
    },
  };

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
    const batch = this.#queue.nextBatch();
    if (batch.length === 0) return;
    const seq = this.seq;
    try {
      this.transact(batch);
    } catch (error) {
      this.rollback();
      this.seq = seq;
      if (isBusy(error) && ++this.#busyTries < BUSY_TRIES) this.#schedule(BUSY_WAIT_MS);
      else this.#latch(error);
      return;
    }
    this.#busyTries = 0;
    this.#queue.remove(batch.length);
    for (const job of batch) {
      this.#unsyncedRows += job.rows;
      this.#unsynced.push(job);
    }
    if (!this.#syncing) void this.#sync();
    if (!this.#queue.isEmpty) this.#schedule();
  }

  /** True while a sync must end before another transaction begins. */
  #mustSync(): boolean {
    return this.#unsynced.length > 0 && (this.#waitingReads.length > 0 || this.#unsyncedRows >= MAX_UNSYNCED_ROWS);
  }

  /** Syncs everything committed so far, then emits the changes and settles the promises. */
  async #sync(): Promise<void> {
    this.#syncing = true;
    const seq = this.seq;
    const batch = this.#unsynced.slice();
    try {
      await this.#log.sync();
    } catch (error) {
      // The state of the file on disk is unknown now. A second sync could report success although the kernel has dropped the pages.
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
    if (!this.#queue.isEmpty) this.#schedule();
    if (!this.#fatal) this.#checkpoints.consider();
  }

  #wakeReads(): void {
    for (const resolve of this.#waitingReads.splice(0)) resolve();
  }

  /** Runs `work` while no transaction runs. Writes that are called during the work wait. */
  async #hold(work: () => Promise<void>): Promise<void> {
    this.#held = true;
    try {
      await work();
    } finally {
      this.#held = false;
      if (!this.#queue.isEmpty) this.#schedule();
    }
  }

  #checkpointFailed(error: unknown): void {
    const code = fatalCode(error);
    // On a full disk the failed checkpoint loses no data, because the pages stay in the WAL.
    if (code !== undefined && code !== 'disk_full') this.#latch(error);
    else this.#options.log?.('a checkpoint of the database failed and is tried again later', { error: String(error) });
  }

  /** Rejects all waiting and later calls, because after this error the state of the file is unknown. */
  #latch(error: unknown, otherwise: StoreErrorCode = 'io_error'): void {
    const fatal = this.#judge(error, otherwise);
    const waiting = this.#queue.clear();
    // While a sync runs, its writes may still reach the disk. Their promises are settled at the end of the sync.
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
