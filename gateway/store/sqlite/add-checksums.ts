/**
 * Checksums for the rows of folders that were written before rows had any: some rows a transaction, and where it has come is kept,
 * so that a stop in between costs nothing. A row that is written meanwhile brings its own.
 */

import { ALL_CHECKSUMS, checksumOf, checksumsKey } from './checksum.ts';
import { quote } from './columns.ts';
import type { Connection } from './connection.ts';

/** Rows that get their checksum in one transaction. */
const CHUNK = 250;
/** Gives some rows their checksums; true when all have theirs. Inside a write. */
export function addChecksums(connection: Connection, table: string): boolean {
  const reached = connection.getMeta(checksumsKey(table));
  if (reached === ALL_CHECKSUMS) return true;
  const name = quote(table);
  const sql = `SELECT rowid, data, sum, json_valid(data) FROM ${name} WHERE rowid>? ORDER BY rowid LIMIT ${CHUNK}`;
  const rows = connection.peekAll(sql, Number(reached ?? 0));
  for (const [row, data, checksum, valid] of rows) {
    // what cannot be read any more stays without: no checksum makes it true again
    if (checksum === null && valid === 1)
      connection.execute(`UPDATE ${name} SET sum=? WHERE rowid=?`, checksumOf(String(data)), row ?? null);
  }
  const done = rows.length < CHUNK;
  connection.setMeta(checksumsKey(table), done ? ALL_CHECKSUMS : Number(rows.at(-1)?.[0]));
  return done;
}
