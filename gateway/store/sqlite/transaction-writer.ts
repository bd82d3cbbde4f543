/** Writes to a SQLite file inside transactions: statements, sequence numbers and the values of `rx_meta`. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { StoreError } from '#contract/base/store-error.ts';
import { quote } from './columns.ts';
import { CHANGED } from './damaged-documents.ts';
import { fatalCode, isBusy } from './errors.ts';
import { META_PUT, metaChecksum, SCHEMA, SCHEMA_KEY, schemaChecksum } from './meta-table.ts';
import type { Reader, Row } from './rows.ts';
import { StatementCache } from './statement-cache.ts';
import type { Job } from './write-queue.ts';

export interface ConnectionStats {
  /** Number of committed transactions. */
  commits: number;
  /** Number of executed statements, including reads. */
  statements: number;
  /** Number of written document rows. */
  rows: number;
}

const META_GET = 'SELECT value, sum FROM rx_meta WHERE key=?';

/** The base class of `Connection`, which adds the queue of writes, the syncs and the reads. */
export abstract class TransactionWriter {
  readonly stats: ConnectionStats = { commits: 0, statements: 0, rows: 0 };
  /** The last sequence number. */
  protected seq = 0;
  protected readonly writer: DatabaseSync;
  readonly #statements: StatementCache;
  /** Lost commits may have used the sequence numbers up to this number, so they are not used again. */
  #floor = 0;
  /** The last numbers of the parts (such as projects) to which the running transaction writes. */
  readonly #parts = new Map<string, number>();
  /** Number of statements that may have changed rows. */
  #writes = 0;

  protected constructor(writer: DatabaseSync) {
    this.writer = writer;
    this.#statements = new StatementCache(writer);
  }

  /** Records that the file is damaged, and returns the error that the caller must throw. */
  protected abstract reportDamage(why: Error, text: string): StoreError;

  protected readFloor(): void {
    this.#floor = Number(this.getMeta('floor') ?? 0);
  }

  /** Returns the next sequence number. Call it only inside the callback of a write (`Writing.run`). */
  nextSeq(): number {
    return ++this.seq;
  }

  /**
   * Returns the next number in the change feed of one part of a table. Call it only inside the callback of a write (`Writing.run`). If the
   * write fails, the number may stay unused.
   */
  nextOfPart(name: string, part: string): number {
    const key = headKey(name, part);
    const next = (this.#parts.get(key) ?? Math.max(this.#floor, Number(this.getMeta(key) ?? 0))) + 1;
    this.#parts.set(key, next);
    return next;
  }

  /** Removes the last numbers of all parts of a table that is dropped. Call it only inside the callback of a write (`Writing.run`). */
  dropParts(name: string): void {
    this.execute('DELETE FROM rx_meta WHERE key>=? AND key<?', headKey(name, ''), headKey(name, '\u{10ffff}'));
  }

  /**
   * Runs one statement on the writing connection. Returns the number of changed rows. Call it only inside the callback of a write
   * (`Writing.run`).
   */
  execute(sql: string, ...values: SQLInputValue[]): number {
    this.stats.statements++;
    this.#writes++;
    return Number(this.#statements.prepare(sql).run(...values).changes);
  }

  /** Reads one row, including changes of the running transaction. Call it only inside the callback of a write (`Writing.run`). */
  peek(sql: string, ...values: SQLInputValue[]): Row | undefined {
    this.stats.statements++;
    return this.#statements.prepare(sql).get(...values) as unknown as Row | undefined;
  }

  /** Reads rows, including changes of the running transaction. Call it only inside the callback of a write (`Writing.run`). */
  peekAll(sql: string, ...values: SQLInputValue[]): Row[] {
    this.stats.statements++;
    return this.#statements.prepare(sql).all(...values) as unknown as Row[];
  }

  /** Reads a value from `rx_meta`. Call it only inside the callback of a write (`Writing.run`). */
  getMeta(key: string): Row[number] | undefined {
    return this.#checkMeta(key, this.peek(META_GET, key));
  }

  /** Reads a value from `rx_meta` through a reader. */
  metaOf(read: Reader, key: string): Row[number] | undefined {
    return this.#checkMeta(key, read.get(META_GET, key));
  }

  #checkMeta(key: string, row: Row | undefined): Row[number] | undefined {
    const [value, checksum] = row ?? [];
    const changed = typeof checksum === 'number' && checksum !== metaChecksum(key, value);
    if (changed) throw this.reportDamage(new Error(CHANGED), key);
    return value;
  }

  /** Writes a value to `rx_meta`. Call it only inside the callback of a write (`Writing.run`). */
  setMeta(key: string, value: string | number): void {
    this.execute(META_PUT, key, value, metaChecksum(key, value));
  }

  /**
   * Stores the checksum of the table definitions. Call it inside the callback of a write (`Writing.run`), after a change of the
   * definitions.
   */
  sealSchema(): void {
    this.setMeta(SCHEMA_KEY, schemaChecksum(this.peekAll(SCHEMA)));
  }

  protected transact(batch: Job[]): void {
    if (this.#attempt(batch, false)) return;
    this.rollback();
    this.#attempt(batch, true);
  }

  /**
   * Runs one transaction. If `saved` is true, each job has a savepoint. Returns false if a job without a savepoint failed after it had
   * changed rows.
   */
  #attempt(batch: Job[], saved: boolean): boolean {
    this.execute('BEGIN IMMEDIATE');
    const before = Number(this.getMeta('seq') ?? 0);
    this.seq = before;
    this.#parts.clear();
    for (const job of batch) if (!this.#runOne(job, saved)) return false;
    if (this.seq !== before) this.setMeta('seq', this.seq);
    for (const [key, seq] of this.#parts) this.setMeta(key, seq);
    this.execute('COMMIT');
    this.stats.commits++;
    this.stats.rows += this.seq - before;
    return true;
  }

  #runOne(job: Job, saved: boolean): boolean {
    const seq = this.seq;
    job.failure = undefined;
    if (saved) this.execute('SAVEPOINT job');
    const writes = this.#writes;
    try {
      job.run();
    } catch (error) {
      if (isBusy(error) || fatalCode(error)) throw error;
      if (!saved && this.#writes !== writes) return false;
      job.failure = { error };
      this.seq = seq;
      if (saved) this.execute('ROLLBACK TO job');
    }
    if (saved) this.execute('RELEASE job');
    return true;
  }

  protected rollback(): void {
    // After the errors FULL, IOERR and NOMEM SQLite may have rolled back the transaction already.
    if (this.writer.isTransaction) this.writer.exec('ROLLBACK');
  }
}

/** Returns the key in `rx_meta` of the last number in the change feed of one part of a table. */
export function headKey(name: string, part: string): string {
  return `feed ${quote(name)} ${part}`;
}
