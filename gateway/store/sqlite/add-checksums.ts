/**
 * Adds checksums to the rows of a data folder of an earlier version, which wrote no checksums. Each transaction adds checksums to some rows
 * and stores the last row number, so that a restart continues there. A row that is written in the meantime gets its checksum by that write.
 */

import { ALL_CHECKSUMS, checksumOf, checksumsKey } from './checksum.ts';
import { quote } from './columns.ts';
import type { Connection } from './connection.ts';

/** The number of rows that get their checksum in one transaction. */
const CHUNK = 250;
/**
 * Adds checksums to the next rows. Returns true if all rows of the table have a checksum. Call it only inside the callback of a write
 * (`Writing.run`).
 */
export function addChecksums(connection: Connection, table: string, hasBodies: boolean): boolean {
  const reached = connection.getMeta(checksumsKey(table));
  if (reached === ALL_CHECKSUMS) return true;
  const name = quote(table);
  const columns = `rowid, data, ${hasBodies ? 'body' : 'NULL'}, sum, json_valid(data)`;
  const sql = `SELECT ${columns} FROM ${name} WHERE rowid>? ORDER BY rowid LIMIT ${CHUNK}`;
  const rows = connection.peekAll(sql, Number(reached ?? 0));
  for (const [row, data, body, checksum, valid] of rows) {
    // A row that is not valid JSON is damaged already. It gets no checksum, because a checksum would make it look intact.
    if (checksum !== null || valid !== 1) continue;
    const sum = checksumOf(String(data), body instanceof Uint8Array ? body : null);
    connection.execute(`UPDATE ${name} SET sum=? WHERE rowid=?`, sum, row ?? null);
  }
  const done = rows.length < CHUNK;
  connection.setMeta(checksumsKey(table), done ? ALL_CHECKSUMS : Number(rows.at(-1)?.[0]));
  return done;
}
