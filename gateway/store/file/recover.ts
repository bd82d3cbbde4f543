/**
 * Recovers a damaged database. First `repair.ts` tries to replace each damaged document by the same version of the document from the newest
 * intact backup. If that fails, the damaged database is moved to another folder, and the backup replaces it.
 *
 *   write damage.json -> copy and sync the backup -> repaired? -> move the damaged files -> rename the copy -> remove damage.json
 *
 * A power cut may interrupt the recovery after any step. While `damage.json` exists, the next start repeats all steps. The recovery never
 * overwrites files in the folder of the damaged database.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { StoreError } from '#contract/base/store-error.ts';
import { syncFolder, writeDurably } from '#store/base/durable.ts';
import { listBackups } from './backup.ts';
import { inspectFile } from './inspect.ts';
import { repairFile } from './repair.ts';

const NAME = 'headframe.db';
const COPY_BYTES = 1 << 20;
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

/**
 * Repairs a damaged database from the newest intact backup, or replaces it by that backup. If no backup is intact, it returns undefined and
 * changes nothing.
 */
export function recover(folder: string, what: string, now: string): Recovery | undefined {
  const inner = join(folder, 'store');
  const copy = join(inner, `${NAME}.copy`);
  const backup = listBackups(folder).find((file) => {
    copyFile(file, copy);
    return inspectFile(copy, true).damage.length === 0;
  });
  if (backup === undefined) {
    rmSync(copy, { force: true });
    return undefined;
  }
  for (const rest of [`${copy}-wal`, `${copy}-shm`]) rmSync(rest, { force: true });
  // If an interrupted recovery has begun to move files, the database cannot be repaired any more.
  if ((readDamage(folder)?.kept ?? null) === null && repairFile(join(inner, NAME), copy, now) !== undefined) {
    rmSync(copy);
    forget(folder);
    return { what, backup, kept: null };
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
  return { what, backup, kept };
}

/** Returns true if an intact backup has commits after this sequence number. */
export function hasFurtherBackup(folder: string, seq: number): boolean {
  return listBackups(folder).some((file) => {
    const { damage, seq: reached } = inspectFile(file, true);
    return damage.length === 0 && reached > seq;
  });
}

/** Copies a file and syncs the copy. */
function copyFile(from: string, to: string): void {
  const source = openSync(from, 'r');
  const target = openSync(to, 'w', 0o600);
  try {
    const buffer = Buffer.alloc(COPY_BYTES);
    for (let at = 0, n = 0; ; at += n) {
      n = readSync(source, buffer, 0, buffer.length, at);
      if (n === 0) break;
      for (let done = 0; done < n; ) done += writeSync(target, buffer, done, n - done, at + done);
    }
    fsyncSync(target);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

function forget(folder: string): void {
  rmSync(pathOf(folder), { force: true });
  syncFolder(join(folder, 'store'));
}
