/**
 * The sealed rows of a database: the rows of sealed segments and rollups of history. The gateway inserts and deletes these rows, and never
 * changes them. So a backup needs each of them once, see `store/file/base-copy.ts`.
 */
import type { DatabaseSync } from 'node:sqlite';
import { pathOf, quote, readerOf } from './columns.ts';
import { rowsOf } from './find-damage.ts';
import type { Content } from './table.ts';
import { textKey } from './text-key.ts';

/** The table with the sealed rows: the table of the collection `telemetry`. */
export const SEALED_TABLE = 'telemetry_0';

/** The kinds of sealed rows. They are stored in separate packs, because the gateway keeps rollups longer than segments. */
export const SEALED_KINDS = ['segments', 'rollups'] as const;
export type SealedKind = (typeof SEALED_KINDS)[number];

/** An SQL expression that is the kind of a sealed row, and NULL for other rows. */
const KIND_SQL = `CASE WHEN del=1 OR sum IS NULL THEN NULL
  WHEN ".object"='${textKey('rollup')}' THEN 'rollups'
  WHEN ".object"='${textKey('segment')}' AND ".data.sealed_hour" IS NOT NULL THEN 'segments' END`;

/** Returns an SQL expression for the kind of a row of a table; `NULL` if the table has no sealed rows. */
export function sealedKindSql(database: DatabaseSync, schema: string, table: string): string {
  if (table !== SEALED_TABLE) return 'NULL';
  const names = columnsOfTable(database, schema, table);
  return names.includes('.object') && names.includes('.data.sealed_hour') && names.includes('sum') ? KIND_SQL : 'NULL';
}

/** Returns the names of the columns of a table, without quotes. */
export function columnsOfTable(database: DatabaseSync, schema: string, table: string): string[] {
  return rowsOf(database, 'SELECT name FROM pragma_table_info(?, ?)', table, schema).map(([name]) => String(name));
}

/** Those fields of a sealed row that its document does not have. */
export interface SealedRow {
  readonly row: number;
  /** The text key of the id of the document. */
  readonly id: string;
  readonly seq: number;
  /** The number of the row in the change feed of its project; null in a table without these feeds. */
  readonly part: number | null;
  /** The checksum of the document. */
  readonly sum: number;
}

/**
 * Returns a function that inserts sealed rows into the table of a database. It computes the columns of fields from the document. The table
 * of a backup of an earlier version has no column for bytes, and its rows have none.
 */
export function sealedInserter(database: DatabaseSync): (row: SealedRow, content: Content) => void {
  const names = columnsOfTable(database, 'main', SEALED_TABLE);
  const list = ['rowid', ...names].map(quote).join(', ');
  const insert = database.prepare(
    `INSERT INTO main.${quote(SEALED_TABLE)} (${list}) VALUES (?${', ?'.repeat(names.length)})`,
  );
  const readers = names.map((name) => {
    const path = pathOf(name);
    return path === undefined ? undefined : readerOf(path);
  });
  return ({ row, id, seq, part, sum }, { text, body }) => {
    const document = JSON.parse(text) as { readonly _rev: string; readonly _meta: { readonly lwt: number } };
    const own = { id, seq, rev: document._rev, del: 0, lwt: document._meta.lwt, data: text, sum, part_seq: part, body };
    const values = names.map(
      (name, i) =>
        readers[i]?.(document) ?? (own as Readonly<Record<string, string | number | Uint8Array | null>>)[name] ?? null,
    );
    insert.run(row, ...values);
  };
}
