/**
 * Opens a backup: inspects it together with the packs that it needs, and makes one complete database file from them. A pack is a file with
 * sealed rows, see `packs.ts`. A backup of an earlier version is one file with all rows and needs no packs.
 */
import { rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { copyDurably, syncFile } from '#store/base/durable.ts';
import { rowsOf } from '#store/sqlite/find-damage.ts';
import { SEALED_TABLE, sealedInserter } from '#store/sqlite/sealed-rows.ts';
import { type Inspection, inspectFile } from './inspect.ts';
import { keyOf, openImmutable, openPackReader, PackFolder } from './packs.ts';
import { eachListed, isBase } from './sealed-copy.ts';

/** A message names at most this many packs. */
const MOST_NAMES = 5;

/** Counts the sealed rows that a backup needs and that no pack has, by the name of the pack that should have them. */
class Missing {
  readonly #rows = new Map<string, number>();

  note(pack: string): void {
    this.#rows.set(pack, (this.#rows.get(pack) ?? 0) + 1);
  }

  /** Returns a sentence, without a full stop, about the missing rows; null if no row is missing. */
  message(packs: PackFolder): string | null {
    if (this.#rows.size === 0) return null;
    const all = [...this.#rows];
    const named = all.slice(0, MOST_NAMES).map(([name, rows]) => {
      const pack = packs.all().find((one) => one.name === name);
      return `${rows} documents of ${name}, ${pack === undefined ? 'which is missing' : `which is damaged: ${pack.damage}`}`;
    });
    const more = all.length > MOST_NAMES ? `; and ${all.length - MOST_NAMES} more packs` : '';
    return `stored history cannot be read: ${named.join('; ')}${more}`;
  }
}

/**
 * Inspects a backup together with its packs. The result contains the damage. If `quick` is true, the function does not compare indexes with
 * rows, or columns with documents. Pass the same `packs` for all backups of a folder, so that the function reads each pack only once.
 */
export function inspectBackup(file: string, quick = false, packs = new PackFolder(dirname(file))): Inspection {
  const found = inspectFile(file, quick);
  if (found.damage.length > 0) return found;
  let database: DatabaseSync | undefined;
  try {
    database = openImmutable(file);
    if (!isBase(database)) return found;
    const missing = new Missing();
    const places = packs.placesOf();
    let count = 0;
    eachListed(database, (row) => {
      count++;
      if (!places.has(keyOf(row))) missing.note(row.pack);
    });
    const damage = missing.message(packs);
    const rows = { ...found.rows, [SEALED_TABLE]: (found.rows[SEALED_TABLE] ?? 0) + count };
    return { ...found, rows, damage: damage === null ? [] : [damage] };
  } catch (error) {
    return { ...found, damage: [error instanceof Error ? error.message : String(error)] };
  } finally {
    database?.close();
  }
}

/**
 * Makes a complete database file from a backup and its packs, and syncs it. Returns null if the file is complete. Otherwise it returns a
 * sentence that names the packs with the documents that are not in the file.
 */
export function assembleBackup(backup: string, target: string, packs = new PackFolder(dirname(backup))): string | null {
  copyDurably(backup, target);
  try {
    using database = new DatabaseSync(target);
    if (!isBase(database)) return null;
    database.exec('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-16384; BEGIN');
    const missing = fill(database, packs);
    const indexes = rowsOf(database, 'SELECT sql FROM main.backup_indexes').map(([sql]) => String(sql));
    for (const table of ['rows', 'packs', 'indexes', 'digest']) database.exec(`DROP TABLE main.backup_${table}`);
    for (const sql of indexes) database.exec(sql);
    database.exec('COMMIT; PRAGMA incremental_vacuum; PRAGMA journal_mode=DELETE');
    database.close();
    syncFile(target);
    return missing;
  } catch (error) {
    rmSync(target, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the backup ${basename(backup)} cannot be read: ${why}`, { cause: error });
  }
}

/** Inserts the sealed rows from the packs. Returns a sentence about the rows that no pack has; null if the packs have all of them. */
function fill(database: DatabaseSync, packs: PackFolder): string | null {
  const places = packs.placesOf();
  const missing = new Missing();
  using reader = openPackReader();
  let insert: ReturnType<typeof sealedInserter> | undefined;
  eachListed(database, (row) => {
    const pack = places.get(keyOf(row));
    const content = pack && reader.read(pack, row);
    if (content === undefined) {
      missing.note(row.pack);
      return;
    }
    insert ??= sealedInserter(database);
    insert(row, content);
  });
  return missing.message(packs);
}
