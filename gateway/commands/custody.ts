/**
 * Functions that verify a data folder, copy it (also while the gateway runs), and restore a copy. A copy has the layout of a data folder,
 * so the same function verifies both.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { segmentOf } from '#ingest/journal/position.ts';
import { newScan, parseSegmentName, readGroups, readSegmentHead, SEGMENT_HEAD } from '#ingest/journal/segment-file.ts';
import { syncFolder } from '#store/base/durable.ts';
import { assembleBackup, inspectBackup } from '#store/file/assemble.ts';
import { type AuditCheck, checkAuditFile, checkAuditLog, faultSentence } from '#store/file/audit-check.ts';
import { backupsIn, listBackups } from '#store/file/backup-files.ts';
import { copyDatabase } from '#store/file/copy-database.ts';
import { writeHighWaterMark } from '#store/file/high-water-mark.ts';
import { type Inspection, inspectFile } from '#store/file/inspect.ts';
import { PackFolder } from '#store/file/packs.ts';
import { CustodyError, copiedFiles, copyFile, needRoomFor } from './copied-files.ts';

const databaseOf = (folder: string): string => join(folder, 'store', 'headframe.db');

/** The result of `verifyFolder`: what it has read, and what is damaged. */
export interface Verdict {
  readonly database: Inspection;
  readonly journal: { readonly segments: number; readonly records: number };
  readonly artifacts: number;
  readonly backups: number;
  /** The check of the audit log. A changed log is no damage: the gateway works with it, and a copy with it can be restored. */
  readonly audit: AuditCheck;
  /** One sentence for each damaged part; empty when nothing is damaged. */
  readonly damage: readonly string[];
}

/** Verifies a data folder or a copy by reading all its files. It changes nothing, and the gateway may run meanwhile. */
export async function verifyFolder(folder: string): Promise<Verdict> {
  const damage: string[] = [];
  const audit = checkAuditLog(folder);
  const database = inspectFile(databaseOf(folder));
  for (const what of database.damage) damage.push(`The database is damaged: ${what}.`);
  const journal = await walkJournal(join(folder, 'journal'), damage);
  const artifacts = artifactsIn(folder);
  for (const path of artifacts)
    if ((await hashOf(path)) !== basename(path))
      damage.push(`The content of the artifact ${path} does not match its name, which is the SHA-256 of the content.`);
  const backups = listBackups(folder);
  damage.push(...verifyBackups(join(folder, 'backup'), backups));
  return { database, journal, artifacts: artifacts.length, backups: backups.length, audit, damage };
}

/** Verifies backups together with the packs of their folder, and returns a sentence for each damaged backup and pack. */
function verifyBackups(inner: string, backups: readonly string[]): string[] {
  const packs = new PackFolder(inner);
  const damage = backups.flatMap((file) => {
    const [what] = inspectBackup(file, false, packs).damage;
    return what === undefined ? [] : [`The backup ${file} is damaged: ${what}.`];
  });
  for (const pack of packs.all())
    if (pack.damage !== null) damage.push(`The pack ${pack.file} of the backups is damaged: ${pack.damage}.`);
  return damage;
}

/** The result of `verifyBackupFolder`. */
export interface BackupVerdict {
  readonly backups: readonly string[];
  /** One sentence for each backup whose audit log was changed. */
  readonly audit: readonly string[];
  readonly damage: readonly string[];
}

/** Verifies a backup folder that stands alone, such as a copy on a USB stick. Returns undefined if the folder has no backups. */
export function verifyBackupFolder(folder: string): BackupVerdict | undefined {
  const backups = existsSync(databaseOf(folder)) || !existsSync(folder) ? [] : backupsIn(folder);
  if (backups.length === 0) return undefined;
  const audit = backups.flatMap((file) => {
    const { fault } = checkAuditFile(file);
    return fault === null ? [] : [`${file}: ${faultSentence(fault)}`];
  });
  return { backups, audit, damage: verifyBackups(folder, backups) };
}

/**
 * Reads every group (messages that were written together) of every segment (file) of the journal, and adds each damage to `damage`. An
 * incomplete end of the last segment is not damage, because the gateway may be writing it.
 */
async function walkJournal(folder: string, damage: string[]): Promise<Verdict['journal']> {
  const names = segmentsIn(folder);
  const disk = nodeDisk();
  let records = 0;
  for (const name of names) {
    const file = await disk.open(folder, name, 'read');
    try {
      const size = await file.size();
      const head = await readSegmentHead(file);
      const last = name === names.at(-1);
      if (head === undefined) {
        if (!last) damage.push(`The journal ${name} has no readable head: ${size} bytes cannot be read.`);
        continue;
      }
      const scan = newScan();
      for await (const _ of readGroups(file, head, { from: SEGMENT_HEAD, to: size }, scan));
      records += scan.records;
      const lost = scan.damaged + (last ? 0 : size - scan.end);
      if (lost > 0) damage.push(`${lost} bytes of the journal ${name} cannot be read.`);
    } finally {
      await file.close();
    }
  }
  return { segments: names.length, records };
}

/** Returns the paths of the artifacts; unfinished files have other names and are not included. */
function artifactsIn(folder: string): string[] {
  const root = join(folder, 'artifacts');
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /^[0-9a-f]{2}[\\/][0-9a-f]{64}$/.test(name)).map((name) => join(root, name));
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

function segmentsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => parseSegmentName(name) !== undefined)
    .sort();
}

export { CustodyError };

/**
 * Copies a data folder to a new folder; the gateway may run. The new folder appears only when the copy is complete. Only with `withKey` the
 * copy has the sealing key, with which anybody who has the copy can decrypt its secrets.
 */
export async function backUpFolder(folder: string, target: string, withKey = false): Promise<Inspection> {
  if (!existsSync(databaseOf(folder))) throw new CustodyError(`There is no gateway's database in ${folder}.`);
  return await makeWhole(target, async (draft) => {
    mkdirSync(join(draft, 'store'));
    const copied = await copyDatabase(databaseOf(folder), databaseOf(draft));
    copyFile(join(folder, 'store', 'format.json'), join(draft, 'store', 'format.json'));
    if (withKey && existsSync(join(folder, 'secret.key')))
      copyFile(join(folder, 'secret.key'), join(draft, 'secret.key'));
    // Copy the journal after the database, so that the journal has every message that the database has processed.
    const first = firstSegment(databaseOf(draft));
    copySome(join(folder, 'journal'), join(draft, 'journal'), (name) => (parseSegmentName(name) ?? -1) >= first);
    for (const path of artifactsIn(folder)) {
      const copy = join(draft, relative(folder, path));
      mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
      copyFile(path, copy);
    }
    return copied;
  });
}

/**
 * Restores a copy to a data folder that is absent or empty. When a gateway opens the folder, it gives the database a new number and a new
 * random id (together called an incarnation). A program that follows the changes of the database sees the new id, and so notices that the
 * changes after the copy are missing.
 */
export async function restoreFolder(copy: string, folder: string): Promise<Inspection & { readonly others: number }> {
  // Check the kind of each file before a file is opened: a link may point outside of the copy, and reading from a pipe may never end.
  const { files, others } = copiedFiles(copy);
  const { database, damage } = await verifyFolder(copy);
  if (damage[0] !== undefined)
    throw new CustodyError(`The copy ${copy} is damaged, so nothing was restored. ${damage[0]}`);
  return await makeWhole(folder, async (draft) => {
    needRoomFor(files, draft);
    for (const { name, bytes } of files) {
      mkdirSync(dirname(join(draft, name)), { recursive: true, mode: 0o700 });
      copyFile(join(copy, name), join(draft, name), bytes);
    }
    skipIncarnation(draft, database);
    return { ...database, others };
  });
}

/** The original gateway may still run. After a loss of commits it would use the next incarnation number. So a copy skips that number. */
function skipIncarnation(folder: string, { incarnation }: Inspection): void {
  const at = new Date().toISOString();
  writeHighWaterMark(join(folder, 'store', 'mark'), { incarnation: incarnation.number + 1, seq: 0, at });
}

/**
 * Restores a daily backup to a data folder that is absent or empty. `source` is a backup file, or a backup folder; then it is the newest
 * backup of the folder. Returns undefined if `source` is neither. A daily backup has the database only: no journal, artifacts and keys.
 */
export async function restoreDaily(
  source: string,
  folder: string,
): Promise<(Inspection & { file: string }) | undefined> {
  const inner = basename(source).endsWith('.db') ? dirname(resolve(source)) : source;
  const backups = !existsSync(inner) || existsSync(databaseOf(inner)) ? [] : backupsIn(inner);
  const file = inner === source ? backups[0] : backups.find((one) => basename(one) === basename(source));
  if (file === undefined) return undefined;
  return await makeWhole(folder, async (draft) => {
    mkdirSync(join(draft, 'store'));
    const target = databaseOf(draft);
    const missing = assembled(file, target);
    const database = inspectFile(target);
    const damage = missing ?? database.damage[0];
    if (damage !== undefined)
      throw new CustodyError(`The backup ${file} is damaged, so nothing was restored: ${damage}.`);
    skipIncarnation(draft, database);
    return { ...database, file };
  });
}

function assembled(file: string, target: string): string | null {
  try {
    return assembleBackup(file, target);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Fills a temporary folder next to `target`, then renames it to `target`. */
async function makeWhole<T>(target: string, fill: (draft: string) => Promise<T>): Promise<T> {
  const place = resolve(target);
  if (existsSync(place) && readdirSync(place).length > 0)
    throw new CustodyError(`${place} is not empty. Name a folder that does not exist yet; nothing is overwritten.`);
  const draft = `${place}.partial`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const made = await fill(draft);
    syncTree(draft);
    if (existsSync(place)) rmdirSync(place);
    renameSync(draft, place);
    syncFolder(dirname(place));
    return made;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the first journal segment that a gateway with this database reads. */
function firstSegment(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare("SELECT data FROM local_0 WHERE id='ingest_snapshot'").get();
    const tail: unknown = row && JSON.parse(String(row.data)).data.tail;
    return typeof tail === 'number' ? segmentOf(tail) : 0;
  } finally {
    database.close();
  }
}

function copySome(from: string, to: string, wanted: (name: string) => boolean): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from)) if (wanted(name)) copyFile(join(from, name), join(to, name));
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncTree(join(folder, entry.name));
  syncFolder(folder);
}
