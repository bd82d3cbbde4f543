/**
 * Deletes the sealed rows that no backup of the folder needs any more from packs (the files with sealed rows, see `packs.ts`). The function
 * does not change a pack in place: it writes the needed rows into a new pack, and then deletes the old one.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { syncFolder } from '#store/base/durable.ts';
import { rowsOf } from '#store/sqlite/find-damage.ts';
import type { SealedKind } from '#store/sqlite/sealed-rows.ts';
import { numberOf, stampWith } from './backup-files.ts';
import { finishPack, hasRoom } from './base-copy.ts';
import {
  contentColumns,
  keyOf,
  kindOfPack,
  openImmutable,
  type Pack,
  type PackFolder,
  packInserter,
  packName,
  packTables,
} from './packs.ts';
import { eachListed, isBase } from './sealed-copy.ts';

/**
 * If this number of backups was made after a pack, the function writes the pack again as soon as it has a row that no backup needs. So data
 * that a person purged leaves the backups after about this number of days. It writes a younger pack again only if no backup needs half of
 * its rows. A pack that was written again counts as new, so a large pack is written at most once in this number of backups. The function
 * counts backups and not days, because the clock may have been wrong.
 */
const SETTLED_BACKUPS = 7;

export interface Pruned {
  /** The bytes of rows in the packs that no backup needs. They stay until their pack is written again. */
  readonly unneeded: number;
  /** Why packs could not be written again, by name. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Prunes the packs of a folder. `backups` are the backups that stay, the newest first. Throws if the list of a backup cannot be read. */
export function prunePacks(packs: PackFolder, backups: readonly string[]): Pruned {
  const newest = numberOf(basename(backups[0] ?? ''));
  const failed = new Map<string, string>();
  let unneeded = 0;
  for (const [pack, keys] of dropPacks(packs, backups)) {
    const bytes = statSync(pack.file).size;
    const needed = (bytes * keys.size) / Math.max(1, pack.rows.size);
    if (pack.damage !== null || isWorthRewriting(pack, keys.size, newest)) {
      try {
        if (!hasRoom(packs.inner, needed)) throw new Error('less than a tenth of the disk would stay free');
        rewrite(pack, keys, newest);
        continue;
      } catch (error) {
        failed.set(pack.name, error instanceof Error ? error.message : String(error));
      }
    }
    unneeded += bytes - needed;
  }
  syncFolder(packs.inner);
  return { unneeded: Math.round(unneeded), failed };
}

/**
 * Deletes the packs that none of these backups needs. It writes no file, so it works on a full disk. Throws if the list of a backup cannot
 * be read.
 */
export function deleteUnneededPacks(packs: PackFolder, backups: readonly string[]): void {
  dropPacks(packs, backups);
}

/** Deletes packs without needed rows. Returns the needed rows of the other packs, without damaged packs that must stay as they are. */
function dropPacks(packs: PackFolder, backups: readonly string[]): Map<Pack, ReadonlySet<string>> {
  const needed = neededRows(backups);
  // If several packs have a row, only one of them needs to keep it.
  const places = packs.placesOf();
  const wanted = new Map<Pack, Set<string>>(packs.all().map((pack) => [pack, new Set()]));
  let isIncomplete = false;
  for (const key of needed) {
    const pack = places.get(key);
    if (pack === undefined) isIncomplete = true;
    else wanted.get(pack)?.add(key);
  }
  for (const [pack, keys] of [...wanted]) {
    // While a backup lacks a row, damaged packs stay. One of them may have had this row, and a repair tool may still be able to read it.
    const stays = pack.damage !== null && isIncomplete;
    if (!stays && keys.size > 0) continue;
    if (!stays) rmSync(pack.file, { force: true });
    wanted.delete(pack);
  }
  syncFolder(packs.inner);
  return wanted;
}

function isWorthRewriting({ name, rows }: Pack, kept: number, newest: number): boolean {
  if (kept === rows.size) return false;
  return kept * 2 <= rows.size || newest - numberOf(name) >= SETTLED_BACKUPS;
}

/** Returns the keys of all sealed rows that these backups need. Throws if the list of a backup cannot be read. */
function neededRows(backups: readonly string[]): Set<string> {
  const needed = new Set<string>();
  for (const file of backups) {
    using database = openImmutable(file);
    if (isBase(database)) eachListed(database, (row) => void needed.add(keyOf(row)));
  }
  return needed;
}

/** Replaces a pack by a pack with only these rows and with the number of the newest backup. */
function rewrite({ name, file, rows }: Pack, keys: ReadonlySet<string>, number: number): void {
  const renamed = join(file, '..', packName(kindOfPack(name) as SealedKind, stampWith(number, name)));
  // If another pack has the new name, this pack keeps its name.
  const target = existsSync(renamed) ? file : renamed;
  const draft = `${target}.new`;
  rmSync(draft, { force: true });
  try {
    writeRows(file, draft, rows, keys);
    finishPack(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  if (target === file) return;
  // The new pack must survive a power cut before the old one is deleted.
  syncFolder(join(file, '..'));
  rmSync(file);
}

function writeRows(file: string, draft: string, rows: Pack['rows'], keys: ReadonlySet<string>): void {
  using source = openImmutable(file);
  using target = new DatabaseSync(pathToFileURL(draft));
  target.exec(`PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; ${packTables('main')}; BEGIN`);
  const insert = packInserter(target, 'main');
  const columns = contentColumns(source);
  for (const [key, row] of rows) {
    if (!keys.has(key)) continue;
    const [found] = rowsOf(source, `SELECT id, seq, sum, ${columns} FROM sealed WHERE rowid=?`, row);
    const [id, seq, sum, data, body] = found as [string, number, number, Uint8Array, Uint8Array | null];
    insert({ id, seq, sum }, { data, body });
  }
  target.prepare('INSERT INTO info VALUES (?)').run(keys.size);
  target.exec('COMMIT');
}
