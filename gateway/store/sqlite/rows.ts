/** Rows as the store reads them from SQLite. */
import type { SQLInputValue } from 'node:sqlite';

/** One row as an array of column values. */
export type Row = readonly (string | number | null | Uint8Array)[];

/** Reads on the reading connection. */
export interface Reader {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
}
