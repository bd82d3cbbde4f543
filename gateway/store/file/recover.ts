/**
 * Recovers a damaged database. First `repair.ts` tries to replace each damaged document by the same version of the document from the newest
 * intact backup. If that fails, the damaged database is moved to another folder, and the backup replaces it.
 *
 *   write damage.json -> copy and sync the backup -> repaired? -> move the damaged files -> rename the copy -> remove damage.json
 *
 * A power cut may interrupt the recovery after any step. While `damage.json` exists, the next start repeats all steps. The recovery never
 * overwrites files in the folder of the damaged database.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StoreError } from '#contract/base/store-error.ts';
import { syncFolder, writeDurably } from '#store/base/durable.ts';
import { assembleBackup, inspectBackup } from './assemble.ts';
import { listBackups } from './backup-files.ts';
import { inspectFile } from './inspect.ts';
import { PackFolder } from './packs.ts';
import { repairFile } from './repair.ts';

const NAME = 'headframe.db';
/** The files in the order in which they are moved. The WAL is first, because SQLite would apply the WAL of the damaged file to the copy. */
const FILES = [`${NAME}-wal`, `${NAME}-shm`, NAME];

interface Damage {
  readonly what: string;
  /** The folder inside `store` to which the damaged files are moved; null until the recovery begins to move them. */
  readonly kept: string | null;
}

export interface Recovery {
  readonly what: string;
  /** The backup that was used. */
  readonly backup: string;
  /** The folder with the damaged files; null if the database was repaired and not replaced. */
  readonly kept: string | null;
  /** A sentence about history that the backup should have and that could not be read; null if the backup was complete. */
  readonly missing: string | null;
  /** Newer backups that could not be used, each with the reason. */
  readonly skipped: readonly string[];
}

function pathOf(folder: string): string {
  return join(folder, 'store', 'damage.json');
}

/** Records in `damage.json` that the database is damaged, so that the next start recovers it. */
export function noteDamage(folder: string, what: string): void {
  if (!existsSync(pathOf(folder))) writeDurably(pathOf(folder), JSON.stringify({ what, kept: null } satisfies Damage));
}

/** Returns true if damage is recorded, so that the next start recovers the database. */
export function isDamageNoted(folder: string): boolean {
  return existsSync(pathOf(folder));
}

function readDamage(folder: string): Damage | undefined {
  try {
    return JSON.parse(readFileSync(pathOf(folder), 'utf8')) as Damage;
  } catch {
    return undefined;
  }
}

/** The result of recovering a database whose damage an earlier start recorded. */
interface NotedRecovery {
  readonly recovery: Recovery | undefined;
  /** True if no backup is intact but only documents are damaged, so that the store can serve the other documents. */
  readonly hasNoBackup: boolean;
}

/**
 * Recovers a database if an earlier process recorded damage of it and a check still finds damage. Throws `StoreError` if the database
 * cannot be recovered.
 */
export function recoverNoted(folder: string, now: string): NotedRecovery {
  const nothing: NotedRecovery = { recovery: undefined, hasNoBackup: false };
  const damage = readDamage(folder);
  if (damage === undefined) return nothing;
  const file = join(folder, 'store', NAME);
  const found = damage.kept === null ? inspectFile(file) : undefined;
  if (found?.damage.length === 0) {
    forget(folder);
    return nothing;
  }
  const recovery = recover(folder, damage.what, now);
  if (recovery !== undefined) return { recovery, hasNoBackup: false };
  // No backup is intact. The record is deleted, because the next start finds the damage by its own check.
  forget(folder);
  if (found?.onlyDocuments) return { recovery: undefined, hasNoBackup: true };
  throw new StoreError('corrupt', file, new Error(damage.what));
}

/** A backup that was made into one file, for a recovery. */
type Candidate = Pick<Recovery, 'backup' | 'missing' | 'skipped'>;

/**
 * Makes the newest intact backup into the file `copy`. If every backup lacks history because a pack is missing or damaged, takes the newest
 * of them without that history, because without it the gateway could not start at all. Returns undefined if no backup can be used.
 */
function chooseBackup(folder: string, copy: string): Candidate | undefined {
  const packs = new PackFolder(join(folder, 'backup'));
  const skipped: string[] = [];
  let incomplete: string | undefined;
  for (const backup of listBackups(folder)) {
    const { missing, damage } = tryBackup(backup, copy, packs);
    if (damage === undefined && missing === null) return { backup, missing, skipped };
    if (damage === undefined) incomplete ??= backup;
    skipped.push(`${backup}: ${damage ?? missing}`);
  }
  if (incomplete === undefined) return undefined;
  const { missing } = tryBackup(incomplete, copy, packs);
  return { backup: incomplete, missing, skipped: skipped.filter((one) => !one.startsWith(`${incomplete}: `)) };
}

function tryBackup(
  backup: string,
  copy: string,
  packs: PackFolder,
): { readonly missing: string | null; readonly damage: string | undefined } {
  try {
    rmSync(copy, { force: true });
    const missing = assembleBackup(backup, copy, packs);
    return { missing, damage: inspectFile(copy, true).damage[0] };
  } catch (error) {
    return { missing: null, damage: String(error) };
  }
}

/**
 * Repairs a damaged database from the newest intact backup, or replaces it by that backup. If no backup can be used, it returns undefined
 * and changes nothing.
 */
export function recover(folder: string, what: string, now: string): Recovery | undefined {
  const inner = join(folder, 'store');
  const copy = join(inner, `${NAME}.copy`);
  const chosen = chooseBackup(folder, copy);
  if (chosen === undefined) {
    rmSync(copy, { force: true });
    return undefined;
  }
  for (const rest of [`${copy}-wal`, `${copy}-shm`]) rmSync(rest, { force: true });
  // If an interrupted recovery has begun to move files, the database cannot be repaired any more.
  if ((readDamage(folder)?.kept ?? null) === null && repairFile(join(inner, NAME), copy, now) !== undefined) {
    rmSync(copy);
    forget(folder);
    return { what, ...chosen, missing: null, kept: null };
  }
  const name = readDamage(folder)?.kept ?? `damaged-${now.replaceAll(/[:.]/g, '-')}`;
  const kept = join(inner, name);
  writeDurably(pathOf(folder), JSON.stringify({ what, kept: name } satisfies Damage));
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  for (const file of FILES) {
    const from = join(inner, file);
    if (!existsSync(from)) continue;
    // An interrupted recovery has already moved the damaged file, so the file here is the copy of the backup that it made.
    if (existsSync(join(kept, basename(from)))) rmSync(from);
    else renameSync(from, join(kept, basename(from)));
  }
  syncFolder(kept);
  renameSync(copy, join(inner, NAME));
  syncFolder(inner);
  forget(folder);
  return { what, ...chosen, kept };
}

/** Returns true if an intact backup has commits after this sequence number. */
export function hasFurtherBackup(folder: string, seq: number): boolean {
  const packs = new PackFolder(join(folder, 'backup'));
  return listBackups(folder).some((file) => {
    const { damage, seq: reached } = inspectBackup(file, true, packs);
    return damage.length === 0 && reached > seq;
  });
}

function forget(folder: string): void {
  rmSync(pathOf(folder), { force: true });
  syncFolder(join(folder, 'store'));
}
