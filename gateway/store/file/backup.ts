/**
 * Daily backups of the database in the folder `backup` of the data folder: `headframe-<number>-<time>.base.db` and packs with sealed
 * history, see `backup-files.ts` and `packs.ts`. The gateway checks each new backup, with all packs that it needs, before it deletes an older backup, and keeps the newest two.
 * A backup that fails does not stop the gateway.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, say } from '#contract/base/told.ts';
import type { Problem } from '#store/base/problem.ts';
import { backUpInBackground, inspectInBackground } from './background.ts';
import { listBackups, nextBackup, removeDrafts, timeOf } from './backup-files.ts';
import { type BackupUse, measureBackups } from './backup-use.ts';
import { UnsoundCopy } from './copy-database.ts';
import { PackChecks } from './pack-checks.ts';

const DAY_MS = 86_400_000;
const RETRY_MS = 3_600_000;
/** The time from a start to the first backup, so that the backup does not slow down the start. */
const FIRST_MS = 600_000;
const KEPT = 2;
/** The least time between two checks of a share of the packs: less than a day, so that each daily backup has one. */
const CHECK_MS = 23 * 3_600_000;
/** A problem names at most this many packs. */
const MOST_NAMES = 5;

export interface BackupOptions {
  /** The data folder. */
  readonly folder: string;
  /** Returns the present time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Called if a backup shows that the database is damaged, and an older intact backup can replace it. */
  readonly onDamage?: (what: string) => void;
  /** The time in milliseconds from the start to the first check whether the newest backup is older than a day; by default ten minutes. */
  readonly firstMs?: number;
  /** False if the database is not a file of the data folder; then its administrator makes the backups. Default: true. */
  readonly isDaily?: boolean;
}

/**
 * How a backup ended. sound: it is made and checked. alone: so is it, but the older backups may lack something that it has. damaged: it
 * failed, and the older backups may lack something.
 */
export type BackupEnd = 'sound' | 'alone' | 'damaged';

/**
 * Called before a backup reads the database. The function that it returns is called at its end, and not if it failed and nothing is known
 * about the older backups.
 */
export type BackupFollower = () => Promise<(end: BackupEnd) => Promise<void>>;

export interface Backups extends AsyncDisposable {
  /** Makes a backup now, or waits for the backup that is being made. Resolves with the path of the backup; rejects if the backup fails. */
  now(): Promise<string>;
  problems(): Problem[];
  /** Calls a function for each backup from now on. */
  follow(follower: BackupFollower): void;
  /** Returns the size of the backups, as it was after the last backup, and the bytes that no backup needs (null before the first backup). */
  report(): BackupUse & { readonly unneeded_bytes: number | null };
}

/** Starts the daily backups of an open store. */
export function startBackups(options: BackupOptions): Backups {
  const { folder, clock, log } = options;
  const stopping = new AbortController();
  let running: Promise<string> | undefined;
  let failed: Problem | undefined;
  let use = measureBackups(folder);
  let unneeded: number | null = null;
  const known = new PackChecks(join(folder, 'backup')).damaged();
  let damagedPacks = packProblem(known, false);
  let changedAudit: Problem | undefined;
  /** The time of the last check of a share of the packs, on the clock that never goes back. */
  let checkedAt = Number.NEGATIVE_INFINITY;
  let follower: BackupFollower | undefined;
  let timer: NodeJS.Timeout | undefined;
  if (options.isDaily !== false) timer = setTimeout(begin, options.firstMs ?? FIRST_MS).unref();

  /** Makes the first backup when it is due. From then on only elapsed time decides, so a clock that jumps changes nothing. */
  function begin(): void {
    const [newest] = listBackups(folder);
    const age = newest === undefined ? DAY_MS : clock() - timeOf(newest);
    // A negative age means that the clock was set back. The gateway then makes the backup now, because the clock may need a long time to
    // catch up.
    if (age >= 0 && age < DAY_MS) schedule(DAY_MS - age);
    else turn();
  }

  function turn(): void {
    make().then(
      () => schedule(DAY_MS),
      () => schedule(RETRY_MS),
    );
  }

  function schedule(ms: number): void {
    if (!stopping.signal.aborted) timer = setTimeout(turn, ms).unref();
  }

  function make(): Promise<string> {
    running ??= makeOne().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function makeOne(): Promise<string> {
    try {
      const made = await copy();
      failed = undefined;
      return made;
    } catch (error) {
      if (!stopping.signal.aborted) {
        const message = error instanceof Error ? error.message : String(error);
        const since = measureBackups(folder).newest_at;
        failed = failedProblem(message, since);
        log('error', 'a backup failed', { error: message, newest: since });
        if (error instanceof UnsoundCopy) await judgeSource();
      }
      throw error;
    }
  }

  /** Called when the copy is damaged. Inspects the database itself, because the damage may be in the database or only in the copy. */
  async function judgeSource(): Promise<void> {
    const { damage } = await inspectInBackground(join(folder, 'store', 'headframe.db'), false, stopping.signal);
    if (damage[0] === undefined) return;
    for (const file of listBackups(folder)) {
      // Inspect the newest backup as thoroughly as the database, because a backup with the same damage would not help.
      const backup = await inspectInBackground(file, false, stopping.signal, true);
      if (backup.damage.length > 0) continue;
      options.onDamage?.(damage[0]);
      return;
    }
  }

  async function copy(): Promise<string> {
    const source = join(folder, 'store', 'headframe.db');
    const inner = join(folder, 'backup');
    mkdirSync(inner, { recursive: true, mode: 0o700 });
    removeDrafts(inner);
    const target = nextBackup(inner, clock());
    const began = performance.now();
    const checksShare = began - checkedAt >= CHECK_MS;
    const task = { source, target, folder, kept: KEPT, checksShare, at: new Date(clock()).toISOString() };
    const ended = await follower?.().catch(notFollowed(log));
    const made = await backUpInBackground(task, stopping.signal);
    if (checksShare) checkedAt = began;
    changedAudit = made.audit === null ? undefined : auditProblem(made.audit);
    if (made.audit !== null) log('error', 'the audit log was changed', { what: made.audit });
    damagedPacks = packProblem(made.damaged, made.failed === null);
    for (const pack of made.damaged) log('error', 'a pack of the backups is damaged', { pack });
    for (const why of made.notPruned) log('warn', 'old rows could not be deleted from the backups', { error: why });
    use = measureBackups(folder);
    unneeded = made.unneeded;
    const isDamaged = made.damaged.length > 0;
    if (made.failed !== null) {
      if (isDamaged) await ended?.('damaged').catch(notFollowed(log));
      throw made.failed.unsound ? new UnsoundCopy(made.failed.message) : new Error(made.failed.message);
    }
    log('info', 'a backup was made and inspected', { file: target, ...made.copied });
    await ended?.(isDamaged ? 'alone' : 'sound').catch(notFollowed(log));
    return target;
  }

  return {
    now: make,
    follow(of) {
      follower = of;
    },
    problems: () => [failed, damagedPacks, changedAudit].filter((one) => one !== undefined),
    report: () => ({ ...use, unneeded_bytes: unneeded }),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      stopping.abort(new Error('the gateway stops'));
      await running?.catch(() => {});
    },
  };
}

/** The backup is as good without its follower. */
const notFollowed =
  (log: BackupOptions['log']) =>
  (error: unknown): undefined =>
    void log('error', 'what backups have could not be noted', { error: String(error) });

function failedProblem(message: string, since: string | null): Problem {
  return {
    code: 'backup_failed',
    ...messageOf([
      say('The last backup failed ({message}).', { message }),
      since === null ? say('There is no older backup.') : say('The newest backup is of {since}.', { since }),
    ]),
  };
}

function auditProblem(what: string): Problem {
  return {
    code: 'audit_log_changed',
    message: `${what} The gateway did not write this. Run \`headframe verify\`, keep the data folder and its backups, and find out who had access to this computer.`,
  };
}

/** Returns the problem of damaged packs; undefined if there are none. `isRepaired` is true if a backup was made after they were found. */
function packProblem(damaged: readonly string[], isRepaired: boolean): Problem | undefined {
  if (damaged.length === 0) return undefined;
  const more = damaged.length > MOST_NAMES ? `; and ${damaged.length - MOST_NAMES} more` : '';
  const repair = isRepaired
    ? 'The newest backup has this history again, because the gateway copied it from the database once more. An older backup may lack history that the database no longer has.'
    : 'The next successful backup copies this history from the database again, as far as the database still has it.';
  return {
    code: 'backup_history_damaged',
    message: `Files with the history of the backups are damaged: ${damaged.slice(0, MOST_NAMES).join('; ')}${more}. ${repair} Check the disk of the folder \`backup\`.`,
  };
}
