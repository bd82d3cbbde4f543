/**
 * Ensures that only one process uses a data folder. The lock is a SQLite file with an exclusive transaction; the kernel releases it when
 * the process ends, also after a crash.
 */
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import { fatalCode, isBusy, isReadOnly } from '#store/sqlite/errors.ts';

/** Locks a folder until the result is disposed. Throws `StoreError`, for example `in_use` if another process has the lock. */
export function lockFolder(folder: string, file: string): Disposable {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    throw new StoreError(isBusy(error) ? 'in_use' : codeOf(error, file), folder, error);
  }
  const held = lock;
  return { [Symbol.dispose]: () => held.close() };
}

function codeOf(error: unknown, file: string): StoreErrorCode {
  if (isReadOnly('folder_unusable', file)) return 'read_only';
  return fatalCode(error) === 'disk_full' ? 'disk_full' : 'folder_unusable';
}
