/**
 * The names of the files in the backup folder of a data folder. A name has a number, which rises by one with each backup, and the time:
 *
 *   headframe-000012-2026-01-02T03-04-05-678Z.base.db      history-segments-000012-2026-01-02T03-04-05-678Z.pack
 *
 * The files of earlier versions have only the time. They count as older than all files with a number.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The smallest number of digits of a number. A year has fewer digits, so a name without a number is not mistaken for one with a number. */
const DIGITS = 6;
const STAMP = /^(?:headframe|history-segments|history-rollups)-(?:(\d{6,})-)?([+\dTZ-]+)\./;

/** A backup: a base (see `packs.ts`), or one file with all rows, which earlier versions made. */
const BACKUP = /^headframe-[+\dTZ-]+(\.base)?\.db$/;
/** The name of a file that an interrupted backup left, or of a file that SQLite left beside such a file. */
const DRAFT =
  /^(headframe-[+\dTZ-]+(\.base)?\.db|history-(segments|rollups)-[+\dTZ-]+\.pack)\.new(-journal|-wal|-shm)?$/;

/** Returns the backups of a data folder, the newest first; empty if the folder cannot be read. */
export function listBackups(folder: string): string[] {
  return backupsIn(join(folder, 'backup'));
}

/** Returns the backups in a backup folder, or in a copy of it, the newest first. */
export function backupsIn(inner: string): string[] {
  const names = namesIn(inner).filter((name) => BACKUP.test(name));
  return names
    .sort(byAge)
    .reverse()
    .map((name) => join(inner, name));
}

/**
 * Compares two names of backups or of packs of one kind; the older one comes first. The numbers decide, because the clock may have been
 * wrong when one of the files was made.
 */
export function byAge(a: string, b: string): number {
  const number = numberOf(a) - numberOf(b);
  return number === 0 ? Number(a > b) - Number(a < b) : number;
}

/** Returns the number of a backup or pack; 0 for a file of an earlier version, which has no number. */
export function numberOf(name: string): number {
  return Number(STAMP.exec(name)?.[1] ?? 0);
}

/** Returns the time at which a backup was made by the clock of the gateway, in milliseconds since 1970; NaN if the name has none. */
export function timeOf(file: string): number {
  const time = STAMP.exec(basename(file))?.[2] ?? '';
  // The time in the name has `-` in place of `:` and `.`: 2026-01-02T03-04-05-678Z.
  return Date.parse(time.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/, 'T$1:$2:$3.$4Z'));
}

/**
 * Returns the path of the next backup, which is made at a time in milliseconds since 1970. Its number is one more than the largest number
 * of the folder.
 */
export function nextBackup(inner: string, ms: number): string {
  const number = Math.max(0, ...namesIn(inner).map(numberOf)) + 1;
  const time = new Date(ms).toISOString().replaceAll(/[:.]/g, '-');
  return join(inner, `headframe-${stamp(number, time)}.base.db`);
}

/** Returns the stamp of a pack with another number. */
export function stampWith(number: number, name: string): string {
  return stamp(number, STAMP.exec(name)?.[2] ?? '');
}

const stamp = (number: number, time: string): string => `${String(number).padStart(DIGITS, '0')}-${time}`;

/** Deletes the files that interrupted backups left. */
export function removeDrafts(inner: string): void {
  for (const name of namesIn(inner)) if (DRAFT.test(name)) rmSync(join(inner, name));
}

function namesIn(inner: string): string[] {
  try {
    return readdirSync(inner);
  } catch {
    return [];
  }
}
