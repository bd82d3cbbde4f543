/** The files of the backup folder of a data folder in numbers, for health. */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listBackups, timeOf } from './backup-files.ts';
import { PackChecks } from './pack-checks.ts';
import { listPacks } from './packs.ts';

export interface BackupUse {
  /** Number of backups. */
  readonly count: number;
  /** Time of the newest backup by the clock of the gateway, ISO 8601; null if there is none, or if its name has no time. */
  readonly newest_at: string | null;
  /** Bytes of the backups without their packs. */
  readonly base_bytes: number;
  /** Number and bytes of the packs, which have the history of all backups. */
  readonly packs: number;
  readonly pack_bytes: number;
  /** Time since which each pack was read completely, ISO 8601; null while a pack was never checked. */
  readonly checked_from: string | null;
}

/** Returns the names and sizes of the packs of a backup folder. */
export function packSizes(inner: string): { readonly name: string; readonly bytes: number }[] {
  return listPacks(inner).map((file) => ({ name: basename(file), bytes: sizeOf(file) }));
}

/** Reads the numbers of the backup folder of a data folder. */
export function measureBackups(folder: string): BackupUse {
  const inner = join(folder, 'backup');
  const backups = listBackups(folder);
  const packs = packSizes(inner);
  return {
    count: backups.length,
    newest_at: newestTime(backups),
    base_bytes: backups.reduce((sum, file) => sum + sizeOf(file), 0),
    packs: packs.length,
    pack_bytes: packs.reduce((sum, { bytes }) => sum + bytes, 0),
    checked_from: new PackChecks(inner).checkedFrom(packs.map(({ name }) => name)),
  };
}

function newestTime([newest]: readonly string[]): string | null {
  const ms = newest === undefined ? Number.NaN : timeOf(newest);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** Returns the size of a file; 0 if another thread has deleted it. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
