/** The result codes of SQLite: after which errors a retry may succeed, and which errors make the database unusable. */
import { closeSync, openSync, rmSync } from 'node:fs';
import type { StoreErrorCode } from '#contract/base/store-error.ts';

// https://www.sqlite.org/rescode.html. The low byte of a result code is the primary code.
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

/** Returns true if another connection holds the lock, so that the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/**
 * Returns true if a write failed because the file system is read-only. SQLite reports that as an I/O error, so this function tries to
 * create a test file.
 */
export function isReadOnly(code: StoreErrorCode, file: string): boolean {
  if (code !== 'io_error' && code !== 'folder_unusable') return false;
  try {
    // access(2) is not enough: after a disk error ext4 still reports the folder as writable.
    const test = `${file}-test`;
    closeSync(openSync(test, 'a', 0o600));
    rmSync(test);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Returns the `StoreError` code of an error after which the database cannot be used any more; undefined for other errors. */
export function fatalCode(error: unknown): StoreErrorCode | undefined {
  return FATAL[primaryCode(error)];
}
