/**
 * Finds lost commits when a database opens. While the database is open, updates the high-water mark: a small file with the last sequence
 * number on disk.
 */
import type { DatabaseSync } from 'node:sqlite';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import type { AuditHead } from '#store/base/audit-chain.ts';
import type { Log } from './background-work.ts';
import {
  type HighWaterMarkWriter,
  openHighWaterMark,
  readHighWaterMark,
  writeHighWaterMark,
} from './high-water-mark.ts';
import { type DatabaseState, readDatabaseState, settleIncarnation } from './incarnation.ts';
import { hasFurtherBackup, type Recovery } from './recover.ts';
import { lossMessage } from './store-problems.ts';

export interface LostCommitsOptions {
  /** The data folder. */
  readonly folder: string;
  /** The file of the high-water mark. */
  readonly file: string;
  readonly recovery: Recovery | undefined;
  /** Returns the present time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log | undefined;
}

export class LostCommits implements Disposable {
  readonly #options: LostCommitsOptions;
  #state: DatabaseState | undefined;
  #writer: HighWaterMarkWriter | undefined;
  #seq = 0;
  #audit: AuditHead | undefined;

  constructor(options: LostCommitsOptions) {
    this.#options = options;
  }

  /**
   * Compares an opened database with the high-water mark. If commits were lost, it logs them, and the database gets a new incarnation (a
   * new number and token, see `incarnation.ts`). Throws `StoreError` `corrupt` if a backup has the lost commits, so that the caller
   * restores the backup.
   */
  check(database: DatabaseSync): void {
    const { folder, file, recovery, random, log } = this.#options;
    const now = this.#now();
    const mark = readHighWaterMark(file);
    const kept = recovery?.kept ?? null;
    const { seq: reached } = readDatabaseState(database);
    if (kept === null && mark && mark.seq > reached && hasFurtherBackup(folder, reached))
      throw new StoreError(
        'corrupt',
        database.location() ?? '',
        new Error('the database lost commits that a backup has'),
      );
    const { state, loss } = settleIncarnation(database, {
      mark,
      kept,
      missing: recovery?.missing ?? null,
      now,
      random,
    });
    this.#state = state;
    this.#seq = state.seq;
    this.#audit = mark?.audit;
    if (loss) log?.('error', lossMessage(loss), { ...loss });
    const { incarnation, seq } = state;
    asStoreErrors(folder, () => {
      if (mark === undefined || loss)
        writeHighWaterMark(file, { incarnation: incarnation.number, seq, at: now, audit: this.#audit });
      this.#writer = openHighWaterMark(file);
    });
  }

  /** Writes to the high-water mark that all writes up to this sequence number are on disk. */
  note(seq: number): void {
    if (this.#state === undefined) return;
    this.#seq = seq;
    const { number } = this.#state.incarnation;
    this.#writer?.note({ incarnation: number, seq, at: this.#now(), audit: this.#audit });
  }

  /** Writes to the high-water mark that the audit log up to this entry is on disk. */
  noteAudit(head: AuditHead): void {
    this.#audit = head;
    this.note(this.#seq);
  }

  /** The last entry of the audit log that is known to have been on disk. */
  get audit(): AuditHead | undefined {
    return this.#audit;
  }

  /** The state of the database after `check`. */
  get state(): DatabaseState {
    if (this.#state === undefined) throw new Error('the database is open, but nothing has checked it for lost commits');
    return this.#state;
  }

  [Symbol.dispose](): void {
    this.#writer?.[Symbol.dispose]();
  }

  #now(): string {
    return new Date(this.#options.clock()).toISOString();
  }
}

/** Runs work on files of a data folder and throws its errors as `StoreError`. */
export function asStoreErrors<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(fileErrorCode(error), folder, error);
  }
}
