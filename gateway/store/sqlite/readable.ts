/** Documents whose text is not JSON any more: SQLite checks its own structure, not what we keep in it. */
import type { DatabaseSync } from 'node:sqlite';
import { quote } from './columns.ts';

/** Names of a database's tables, without SQLite's own. */
export function tablesOf(database: DatabaseSync): string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return database.prepare(sql).all().map(firstOf).map(String);
}

/** A sentence per table with unreadable documents; tables of more rows than `most` are left out. */
export function unreadable(database: DatabaseSync, most = Number.POSITIVE_INFINITY): string[] {
  const columns = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name='data' AND type='TEXT'");
  const numberOf = (sql: string): number => Number(firstOf(database.prepare(sql).get()));
  return tablesOf(database)
    .filter((name) => columns.get(name) !== undefined)
    .filter(
      (name) =>
        !Number.isFinite(most) ||
        numberOf(`SELECT count(*) FROM (SELECT 1 FROM ${quote(name)} LIMIT ${most + 1})`) <= most,
    )
    .flatMap((name) => {
      const n = numberOf(`SELECT count(*) FROM ${quote(name)} WHERE NOT json_valid(data)`);
      return n === 0 ? [] : [`${name}: ${n} documents cannot be read`];
    });
}

/** The first value of a row, which is an object or an array as the connection was opened. */
function firstOf(row: unknown): unknown {
  return Object.values((row ?? {}) as object)[0];
}
