/**
 * Frees space for a start on a full disk, before the store opens ([Z20]). Deletes in this order, while space is missing:
 *
 *   the two reserves -> all backups except the newest, and the history that only they need -> the oldest raw messages that were processed
 *
 * Ingest later reports the deleted raw messages as a gap.
 */
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listBackups } from '#store/file/backup-files.ts';
import { lockFolder } from '#store/file/folder-lock.ts';
import { PackFolder } from '#store/file/packs.ts';
import { deleteUnneededPacks } from '#store/file/prune-packs.ts';
import type { Ballast } from './ballast.ts';

/** Free space that a start needs: 16 MiB, or 0.5 % of the disk if that is less. */
const START_BYTES = 16 << 20;
const START_SHARE = 0.005;
const TAIL = 'journal-tail';
const TAIL_DIGITS = 12;

/** Free space and size of a disk, in bytes. */
interface Room {
  readonly free: number;
  readonly total: number;
}

/** The raw messages that a start deleted: number of journal segments, their bytes, and the time range in which they were written. */
export interface RawGone {
  readonly segments: number;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Returns true if the free space is enough for a start. */
export function isEnough({ free, total }: Room): boolean {
  return free >= Math.min(START_BYTES, total * START_SHARE);
}

/**
 * Stores the number of the first journal segment (file) that a restart reads. Overwrites an existing file without changing its size,
 * because that succeeds even on a full disk.
 */
export async function keepTail(folder: string, segment: number): Promise<void> {
  const path = join(folder, TAIL);
  await using file = await open(path, 'r+').catch(() => open(path, 'w', 0o600));
  await file.write(String(segment).padStart(TAIL_DIGITS, '0'), 0);
}

/** Frees disk space until there is enough for a start. Returns which raw messages were deleted; null for none. */
export async function makeRoomToStart(options: {
  readonly folder: string;
  readonly reserves: readonly Ballast[];
  readonly read: () => Promise<Room | null>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Promise<RawGone | null> {
  const { folder, reserves, log } = options;
  const isShort = async () => {
    const room = await options.read();
    return room !== null && !isEnough(room);
  };
  for (const reserve of reserves) {
    if (reserve.bytes === 0 || !(await isShort())) continue;
    log('warn', 'the disk is full; the gateway releases a disk reserve, so that it can start', {
      bytes: reserve.bytes,
    });
    await reserve.release();
  }
  if (!(await isShort())) return null;
  using _ = lock(folder);
  if (_ === undefined) return null;
  // Only the keys of the rows are read, because a start must not wait until all history is read.
  const packs = new PackFolder(join(folder, 'backup'), () => false);
  for (const file of listBackups(folder).slice(1).reverse()) {
    if (!(await isShort())) return null;
    log('warn', 'the disk is full; the gateway deletes an older backup, so that it can start', { file });
    await rm(file, { force: true });
    deletePacks(folder, packs, log);
  }
  return dropRaw(folder, isShort, log);
}

/** Deletes the packs (the files with the history of backups) that none of the remaining backups needs. */
function deletePacks(
  folder: string,
  packs: PackFolder,
  log: (level: 'warn', message: string, data: object) => void,
): void {
  try {
    packs.refresh();
    deleteUnneededPacks(packs, listBackups(folder));
  } catch (error) {
    // Without the list of a backup nothing says which history it needs. So all packs stay.
    log('warn', 'a backup cannot be read, so the history of older backups stays', { error: String(error) });
  }
}

/**
 * Locks the data folder, so that no other process changes files here. Returns undefined if another process has the lock, or if the folder
 * is new.
 */
function lock(folder: string): Disposable | undefined {
  try {
    return lockFolder(folder, join(folder, 'store', 'lock'));
  } catch {
    return undefined;
  }
}

/**
 * Deletes the oldest journal segments while space is missing. Keeps the segments that a restart needs, and those that a restore of the
 * newest backup needs.
 */
async function dropRaw(
  folder: string,
  isShort: () => Promise<boolean>,
  log: (level: 'warn', message: string, data: object) => void,
): Promise<RawGone | null> {
  const tail = Number(await readFile(join(folder, TAIL), 'utf8').catch(() => '0'));
  const [newest] = listBackups(folder);
  const backup_ms = newest === undefined ? Number.POSITIVE_INFINITY : (await stat(newest)).mtimeMs;
  const inner = join(folder, 'journal');
  const names = (await readdir(inner).catch(() => [])).filter((name) => /^\d{10}\.journal$/.test(name)).sort();
  const gone: { readonly bytes: number; readonly from_ms: number; readonly to_ms: number }[] = [];
  for (const name of names) {
    const path = join(inner, name);
    const { size, birthtimeMs, mtimeMs } = await stat(path);
    if (Number.parseInt(name, 10) >= tail || mtimeMs >= backup_ms || !(await isShort())) break;
    await rm(path, { force: true });
    gone.push({ bytes: size, from_ms: Math.min(birthtimeMs || mtimeMs, mtimeMs), to_ms: mtimeMs });
  }
  const [first] = gone;
  const last = gone.at(-1);
  if (first === undefined || last === undefined) return null;
  const bytes = gone.reduce((sum, one) => sum + one.bytes, 0);
  log('warn', 'the disk is full; the gateway deleted the oldest raw messages, so that it can start', {
    segments: gone.length,
    bytes,
  });
  return { segments: gone.length, bytes, from_ms: first.from_ms, to_ms: last.to_ms };
}
