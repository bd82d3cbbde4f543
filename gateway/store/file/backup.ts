/**
 * Daily backups of the database: `backup/headframe-<time>.db` in the data folder. The gateway checks each new backup for damage before it
 * deletes an older backup, and keeps the newest two. A backup that fails does not stop the gateway.
 */
import { mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '#store/base/durable.ts';
import type { Problem } from '#store/base/problem.ts';
import { copyInBackground, inspectInBackground } from './background.ts';
import { UnsoundCopy } from './copy-database.ts';

const DAY_MS = 86_400_000;
const RETRY_MS = 3_600_000;
/** The time from a start to the first backup, so that the backup does not slow down the start. */
const FIRST_MS = 600_000;
const KEPT = 2;
/** The share of the disk that must stay free after a backup. */
const LEFT_FREE = 0.1;

/** Returns the backup files of a data folder, the newest first; empty if the folder cannot be read. */
export function listBackups(folder: string): string[] {
  const inner = join(folder, 'backup');
  let names: string[];
  try {
    names = readdirSync(inner);
  } catch {
    return [];
  }
  return names
    .filter((name) => /^headframe-[\dTZ-]+\.db$/.test(name))
    .sort()
    .reverse()
    .map((name) => join(inner, name));
}

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
}

export interface Backups extends AsyncDisposable {
  /** Makes a backup now, or waits for the backup that is being made. Resolves with the path of the backup; rejects if the backup fails. */
  now(): Promise<string>;
  problems(): Problem[];
}

/** Starts the daily backups of an open store. */
export function startBackups(options: BackupOptions): Backups {
  const { folder, clock, log } = options;
  const stopping = new AbortController();
  let running: Promise<string> | undefined;
  let failed: Problem | undefined;
  let timer = setTimeout(look, options.firstMs ?? FIRST_MS).unref();

  function look(): void {
    const newest = listBackups(folder)[0];
    const age = newest === undefined ? Number.POSITIVE_INFINITY : clock() - statSync(newest).mtimeMs;
    // A negative age means that the clock was set back. The gateway then makes the backup now, because the clock may need a long time to
    // catch up.
    const wait = age < 0 || age >= DAY_MS ? 0 : DAY_MS - age;
    if (wait > 0) {
      timer = setTimeout(look, Math.min(wait, RETRY_MS)).unref();
      return;
    }
    make().then(
      () => again(),
      () => again(),
    );
  }

  function again(): void {
    if (!stopping.signal.aborted) timer = setTimeout(look, RETRY_MS).unref();
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
        const since = newestTime(folder);
        failed = {
          code: 'backup_failed',
          message: `The last backup failed (${message}). ${since === null ? 'There is no older backup.' : `The newest backup is of ${since}.`}`,
        };
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
      const backup = await inspectInBackground(file, false, stopping.signal);
      if (backup.damage.length > 0) continue;
      options.onDamage?.(damage[0]);
      return;
    }
  }

  async function copy(): Promise<string> {
    const source = join(folder, 'store', 'headframe.db');
    const inner = join(folder, 'backup');
    mkdirSync(inner, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(inner)) if (name.includes('.db.new')) rmSync(join(inner, name));
    const need = statSync(source).size;
    const { bavail, blocks, bsize } = statfsSync(inner);
    if (bavail * bsize - need < blocks * bsize * LEFT_FREE)
      throw new Error(
        `a backup needs ${Math.ceil(need / 1e6)} MB, and a tenth of the disk must stay free after it; free some disk space`,
      );
    const time = new Date(clock()).toISOString().replaceAll(/[:.]/g, '-');
    const target = join(inner, `headframe-${time}.db`);
    const { bytes, seq, rows } = await copyInBackground(source, target, stopping.signal);
    for (const old of listBackups(folder)
      .filter((file) => file !== target)
      .slice(KEPT - 1))
      rmSync(old);
    syncFolder(inner);
    log('info', 'a backup was made and inspected', { file: target, bytes, seq, rows });
    return target;
  }

  return {
    now: make,
    problems: () => (failed ? [failed] : []),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      stopping.abort(new Error('the gateway stops'));
      await running?.catch(() => {});
    },
  };
}

function newestTime(folder: string): string | null {
  const newest = listBackups(folder)[0];
  return newest === undefined ? null : statSync(newest).mtime.toISOString();
}
