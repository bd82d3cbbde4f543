/**
 * Repairs damage without losing data: replaces each damaged document by the same version from a backup, and builds damaged indexes again.
 *
 *   structure intact? -> each damaged row: copy the row with the same document id and sequence number from the backup
 *   -> build the indexes again -> no damage left? -> COMMIT
 *
 * All steps are one transaction. If any damage remains, the transaction is rolled back, and the backup replaces the database.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { quote } from '#store/sqlite/columns.ts';
import { damagedDocuments, damagedRows, rowsOf, tablesOf } from '#store/sqlite/find-damage.ts';
import { damagedMeta, META_PUT, metaChecksum } from '#store/sqlite/meta-table.ts';
import { columnsOfTable } from '#store/sqlite/sealed-rows.ts';
import { type Repair, readDatabaseState } from './incarnation.ts';

/** The largest number of rows that are repaired. If more rows are damaged, the backup replaces the database. */
const MOST_ROWS = 1000;

/** Repairs the database in a file from an intact backup. If that is not possible, it returns undefined and changes nothing. */
export function repairFile(file: string, backup: string, now: string): Repair | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 5000 });
    database.exec('PRAGMA synchronous=FULL');
    database.prepare('ATTACH ? AS backup').run(backup);
    database.exec('BEGIN IMMEDIATE');
    const repair = repairDatabase(database, now);
    database.exec(repair === undefined ? 'ROLLBACK' : 'COMMIT');
    return repair;
  } catch {
    // The file is too damaged for SQLite to open or read.
    return undefined;
  } finally {
    database?.close();
  }
}

function repairDatabase(database: DatabaseSync, now: string): Repair | undefined {
  if (!isOk(database, 'PRAGMA main.quick_check(1)') || damagedMeta(database).length > 0) return undefined;
  if (!isSameIncarnation(database)) return undefined;
  let rows = 0;
  for (const table of tablesOf(database)) {
    for (const row of damagedRows(database, table, { columns: true })) {
      if (++rows > MOST_ROWS || !restoreRow(database, table, row)) return undefined;
    }
  }
  const indexed = isOk(database, 'PRAGMA main.integrity_check(1)');
  if (rows === 0 && indexed) return undefined;
  if (!indexed) {
    for (const table of tablesOf(database)) database.exec(`REINDEX main.${quote(table)}`);
    if (!isOk(database, 'PRAGMA main.integrity_check(1)')) return undefined;
  }
  if (damagedDocuments(database, { columns: true }).length > 0) return undefined;
  const repair: Repair = { at: now, rows };
  const value = JSON.stringify(repair);
  database.prepare(META_PUT).run('mended', value, metaChecksum('mended', value));
  return repair;
}

function isOk(database: DatabaseSync, sql: string): boolean {
  return rowsOf(database, sql)[0]?.[0] === 'ok';
}

/**
 * Returns true if the database and the backup have the same incarnation (the time between two losses of commits, which a random token
 * identifies). Only then do equal sequence numbers mean the same write.
 */
function isSameIncarnation(database: DatabaseSync): boolean {
  const { token } = readDatabaseState(database).incarnation;
  const [row] = rowsOf(database, "SELECT value FROM backup.rx_meta WHERE key='token'");
  return token !== '' && row?.[0] === token;
}

/** Replaces a row by the row of the same write in the backup. Returns false if the backup does not have that write. */
function restoreRow(database: DatabaseSync, table: string, row: number): boolean {
  const columns = columnsOfTable(database, 'main', table);
  const saved = columnsOfTable(database, 'backup', table);
  // A backup of an earlier version has no column for bytes, and its rows have none.
  if (columns.filter((name) => name !== 'body').join() !== saved.filter((name) => name !== 'body').join()) return false;
  const source = `FROM backup.${quote(table)} AS b, main.${quote(table)} AS m WHERE m.rowid=? AND b.seq=m.seq AND b.id=m.id`;
  if (rowsOf(database, `SELECT 1 ${source}`, row).length !== 1) return false;
  const names = columns.map(quote).join(', ');
  const list = columns.map((name) => (saved.includes(name) ? `b.${quote(name)}` : 'NULL'));
  const values = database.prepare(`SELECT ${list.join(', ')} ${source}`);
  values.setReturnArrays(true);
  const found = values.get(row) as unknown as SQLInputValue[];
  const marks = found.map(() => '?').join(', ');
  database.prepare(`UPDATE main.${quote(table)} SET (${names}) = (${marks}) WHERE rowid=?`).run(...found, row);
  return true;
}
