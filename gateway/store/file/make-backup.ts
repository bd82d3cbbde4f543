/**
 * Makes one backup in the background thread, and tends the packs (the files with the sealed history of all backups):
 *
 *   read the packs, a share of them completely ─▶ copy the database, check the copy ─▶ delete older backups ─▶ prune the packs
 *
 * The packs are read and pruned also if the backup fails. But if the database is damaged, they stay as they are.
 */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inspectBackup } from './assemble.ts';
import { checkAuditLog, faultSentence } from './audit-check.ts';
import { listBackups } from './backup-files.ts';
import { packSizes } from './backup-use.ts';
import { type BaseCopied, copyBase, pauseThread } from './base-copy.ts';
import { UnsoundCopy } from './copy-database.ts';
import { PackChecks } from './pack-checks.ts';
import { type Pack, PackFolder } from './packs.ts';
import { type Pruned, prunePacks } from './prune-packs.ts';

/** The files and limits of one backup. */
export interface MakeBackup {
  /** The database file. `target` is the file that the backup writes: the base, with all rows except sealed history. */
  readonly source: string;
  readonly target: string;
  /** The data folder. */
  readonly folder: string;
  /** The number of backups that stay, including the new one. */
  readonly kept: number;
  /** True if the share of the packs of this day must be checked completely. */
  readonly checksShare: boolean;
  /** ISO 8601 time by the clock of the gateway. */
  readonly at: string;
}

export interface MadeBackup {
  /** What was copied; null if the backup failed. */
  readonly copied: BaseCopied | null;
  /** Why the backup failed; null if it was made. `unsound` is true if the database or the copy is damaged. */
  readonly failed: { readonly message: string; readonly unsound: boolean } | null;
  /** The packs that were damaged before this backup, each with its damage. */
  readonly damaged: readonly string[];
  /** The bytes of rows in packs that no backup needs; null if they are unknown. */
  readonly unneeded: number | null;
  /** What is wrong with the audit log; null if nothing is. */
  readonly audit: string | null;
  /** Why rows that no backup needs could not be deleted; empty if they were deleted. */
  readonly notPruned: readonly string[];
}

/** Makes a backup. If the database or the copy is damaged, the older backups stay, and the result says why the backup failed. */
export function makeBackup(task: MakeBackup): MadeBackup {
  const { folder, target, checksShare, at } = task;
  const { fault } = checkAuditLog(folder);
  const inner = join(folder, 'backup');
  const checks = new PackChecks(inner);
  const due = checks.due(packSizes(inner), checksShare);
  const packs = new PackFolder(inner, (name) => due.has(name), pauseThread);
  const before = packs.all();
  const damaged = before.flatMap(({ name, damage }) => (damage === null ? [] : [`${name} (${damage})`]));
  let copied: BaseCopied | null = null;
  let failed: MadeBackup['failed'] = null;
  try {
    copied = copyAndCheck(task, packs);
  } catch (error) {
    failed = { message: messageOf(error), unsound: error instanceof UnsoundCopy };
    removeAttempt(inner, target);
  }
  packs.refresh();
  const { unneeded, notPruned, failures } = failed?.unsound ? UNPRUNED : prune(packs, listBackups(folder));
  recordChecks(checks, inner, before, failures, at);
  const audit = fault && faultSentence(fault);
  return { copied, failed, damaged, unneeded, audit, notPruned };
}

/** Copies the database and checks the copy together with its packs, then deletes older backups. */
function copyAndCheck({ source, target, folder, kept }: MakeBackup, packs: PackFolder): BaseCopied {
  const copied = copyBase(source, target, packs);
  packs.refresh();
  const [what] = inspectBackup(target, true, packs).damage;
  if (what !== undefined) throw new UnsoundCopy(`the backup is damaged: ${what}`);
  const others = listBackups(folder).filter((file) => file !== target);
  for (const old of others.slice(kept - 1)) rmSync(old);
  return copied;
}

/** Deletes the files of a failed backup, first the base. Otherwise each attempt would leave another copy of the new history. */
function removeAttempt(inner: string, target: string): void {
  rmSync(target, { force: true });
  const stamp = basename(target).slice('headframe-'.length, -'.base.db'.length);
  for (const { name } of packSizes(inner)) if (name.endsWith(`-${stamp}.pack`)) rmSync(join(inner, name));
}

interface Pruning extends Pick<MadeBackup, 'unneeded' | 'notPruned'> {
  readonly failures: Pruned['failed'];
}

const UNPRUNED: Pruning = { unneeded: null, notPruned: [], failures: new Map() };

function prune(packs: PackFolder, backups: readonly string[]): Pruning {
  try {
    const { unneeded, failed } = prunePacks(packs, backups);
    return { unneeded, notPruned: [...failed].map(([name, why]) => `${name}: ${why}`), failures: failed };
  } catch (error) {
    return { ...UNPRUNED, notPruned: [messageOf(error)] };
  }
}

/**
 * Records the packs that were read completely. New packs count as checked, because the backup checked them when it wrote them. A pack that
 * could not be written again is recorded as damaged, so that the next backup reads it completely.
 */
function recordChecks(
  checks: PackChecks,
  inner: string,
  before: readonly Pack[],
  failures: Pruned['failed'],
  at: string,
): void {
  const known = new Map(before.map((pack) => [pack.name, pack]));
  const present = packSizes(inner).map(({ name }) => name);
  const checked = new Map<string, string | null>();
  for (const name of present) {
    const pack = known.get(name);
    const failure = failures.get(name);
    if (pack === undefined || pack.isChecked) checked.set(name, pack?.damage ?? null);
    if (failure !== undefined && pack?.damage == null) checked.set(name, `it could not be copied: ${failure}`);
  }
  checks.record(checked, present, at);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
