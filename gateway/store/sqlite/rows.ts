/** Types of the rows that the store reads from SQLite, and of the connections that read and write them. */
import type { SQLInputValue } from 'node:sqlite';

/** One row as an array of column values. */
export type Row = readonly (string | number | null | Uint8Array)[];

/** Runs SELECT statements on the connection that only reads. */
export interface Reader {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
}

/**
 * What the code of a transaction uses of a database connection. The connection to a SQLite file has it, and the workspace of a transaction
 * in PostgreSQL, so both engines write documents with the same code. All calls are inside the callback of a write (`Writing.run`).
 */
export interface RowDb {
  /** Runs one statement. Returns the number of changed rows. */
  execute(sql: string, ...values: SQLInputValue[]): number;
  /** Reads one row, including changes of the running transaction. */
  peek(sql: string, ...values: SQLInputValue[]): Row | undefined;
  /** Reads rows, including changes of the running transaction. */
  peekAll(sql: string, ...values: SQLInputValue[]): Row[];
  /** Reads a single value, such as the last time of the clock. */
  getMeta(key: string): Row[number] | undefined;
  setMeta(key: string, value: string | number): void;
  /** Returns the next sequence number. */
  nextSeq(): number;
  /** Returns the next number in the change feed of one part of a table. */
  nextOfPart(name: string, part: string): number;
  /** Parses a stored document; throws if it is damaged. */
  parse<T>(data: unknown, checksum: unknown, body: unknown): T;
  /** True if a backup can replace damaged documents. */
  readonly canRecover: boolean;
  /** Removes a document from the count of damaged ones, after a write has replaced it. */
  forgetDamaged(data: unknown): void;
}
