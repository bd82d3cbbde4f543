/** One process per data folder: a SQLite file held under an exclusive lock, which the kernel lets go when the process dies. */
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite/errors.ts';
import { StoreError } from './store-error.ts';

/** Takes the lock of a folder for as long as the result is not disposed; throws `StoreError` `in_use` or `folder_unusable`. */
export function lockFolder(folder: string, file: string): Disposable {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    throw new StoreError(isBusy(error) ? 'in_use' : 'folder_unusable', folder, error);
  }
  const held = lock;
  return { [Symbol.dispose]: () => held.close() };
}
