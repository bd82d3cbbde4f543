/**
 * Damage that costs nothing: documents whose very version a backup has, and indexes, which can be made again.
 *
 *   structure sound? -> each damaged row: the same document and number in the backup -> its row -> indexes -> all sound? -> COMMIT
 *
 * One transaction: where anything cannot be mended the database is left as it is, and the backup takes its place instead.
 */
import { DatabaseSync } from 'node:sqlite';
import { quote } from '#store/sqlite/columns.ts';
import { damagedDocuments, damagedRows, rowsOf, tablesOf } from '#store/sqlite/find-damage.ts';
import { damagedMeta, META_PUT, metaChecksum } from '#store/sqlite/meta-table.ts';
import { type Repair, readDatabaseState } from './incarnation.ts';

/** More than these are no few bytes that rotted. */
const MOST_ROWS = 1000;

/** Mends the database in a file from a sound backup; undefined when it cannot be, and nothing is changed. */
export function repairFile(file: string, backup: string, now: string): Repair | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 5000 });
    database.exec('PRAGMA synchronous=FULL');
    database.prepare('ATTACH ? AS backup').run(backup);
    database.exec('BEGIN IMMEDIATE');
    const mended = mend(database, now);
    database.exec(mended === undefined ? 'ROLLBACK' : 'COMMIT');
    return mended;
  } catch {
    // damaged beyond that
    return undefined;
  } finally {
    database?.close();
  }
}

function mend(database: DatabaseSync, now: string): Repair | undefined {
  if (!isOk(database, 'PRAGMA main.quick_check(1)') || damagedMeta(database).length > 0) return undefined;
  if (!isSameLife(database)) return undefined;
  let rows = 0;
  for (const table of tablesOf(database)) {
    for (const row of damagedRows(database, table, { columns: true })) {
      if (++rows > MOST_ROWS || !putBack(database, table, row)) return undefined;
    }
  }
  const indexed = isOk(database, 'PRAGMA main.integrity_check(1)');
  if (rows === 0 && indexed) return undefined;
  if (!indexed) {
    for (const table of tablesOf(database)) database.exec(`REINDEX main.${quote(table)}`);
    if (!isOk(database, 'PRAGMA main.integrity_check(1)')) return undefined;
  }
  if (damagedDocuments(database, { columns: true }).length > 0) return undefined;
  const mended: Repair = { at: now, rows };
  const value = JSON.stringify(mended);
  database.prepare(META_PUT).run('mended', value, metaChecksum('mended', value));
  return mended;
}

function isOk(database: DatabaseSync, sql: string): boolean {
  return rowsOf(database, sql)[0]?.[0] === 'ok';
}

/** Numbers of rows mean the same in both. */
function isSameLife(database: DatabaseSync): boolean {
  const { token } = readDatabaseState(database).incarnation;
  const [row] = rowsOf(database, "SELECT value FROM backup.rx_meta WHERE key='token'");
  return token !== '' && row?.[0] === token;
}

/** Replaces a row by that of the same write in the backup; false when it has another. */
function putBack(database: DatabaseSync, table: string, row: number): boolean {
  const columns = (schema: string) =>
    rowsOf(database, `SELECT name FROM pragma_table_info(?, '${schema}')`, table).map(([name]) => quote(String(name)));
  const names = columns('main').join(', ');
  if (names !== columns('backup').join(', ')) return false;
  const source = `FROM backup.${quote(table)} AS b, main.${quote(table)} AS m WHERE m.rowid=? AND b.seq=m.seq AND b.id=m.id`;
  if (rowsOf(database, `SELECT 1 ${source}`, row).length !== 1) return false;
  const list = columns('backup').map((name) => `b.${name}`);
  const values = database.prepare(`SELECT ${list.join(', ')} ${source}`);
  values.setReturnArrays(true);
  const found = values.get(row) as unknown as (string | number | null)[];
  const marks = found.map(() => '?').join(', ');
  database.prepare(`UPDATE main.${quote(table)} SET (${names}) = (${marks}) WHERE rowid=?`).run(...found, row);
  return true;
}
