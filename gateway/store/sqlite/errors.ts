/** SQLite's result codes, sorted by what we do about them. */
import { closeSync, openSync, rmSync } from 'node:fs';
import type { StoreErrorCode } from '#contract/base/store-error.ts';

// https://www.sqlite.org/rescode.html: the low byte is the primary code
const BUSY = 5;
const LOCKED = 6;
const FATAL: Readonly<Record<number, StoreErrorCode>> = {
  3: 'folder_unusable', // PERM
  8: 'read_only', // READONLY
  10: 'io_error', // IOERR
  11: 'corrupt', // CORRUPT
  13: 'disk_full', // FULL
  14: 'folder_unusable', // CANTOPEN
  26: 'corrupt', // NOTADB
};

function primaryCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
}

/** True when another connection holds the lock and the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** True when a failed write has its cause in a file system that is mounted read-only: SQLite tells of that as of any I/O error. */
export function isReadOnly(code: StoreErrorCode, file: string): boolean {
  if (code !== 'io_error' && code !== 'folder_unusable') return false;
  try {
    // Asking for the right to write is not enough: ext4 that has stopped itself after an error grants it.
    const test = `${file}-test`;
    closeSync(openSync(test, 'a', 0o600));
    rmSync(test);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Our code for an error after which the database must not be used any more; undefined for every other. */
export function fatalCode(error: unknown): StoreErrorCode | undefined {
  return FATAL[primaryCode(error)];
}
