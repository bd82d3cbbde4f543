/** One process per data folder: a SQLite file held under an exclusive lock, which the kernel lets go when the process dies. */
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import { fatalCode, isBusy, isReadOnly } from '#store/sqlite/errors.ts';

/** Takes the lock of a folder for as long as the result is not disposed; throws `StoreError` `in_use` or `folder_unusable`. */
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
