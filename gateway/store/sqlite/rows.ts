/** Types of the rows that the store reads from SQLite. */
import type { SQLInputValue } from 'node:sqlite';

/** One row as an array of column values. */
export type Row = readonly (string | number | null | Uint8Array)[];

/** Runs SELECT statements on the connection that only reads. */
export interface Reader {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
}
