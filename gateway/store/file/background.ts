/** Runs long work on a database in a separate thread, so that the gateway does not wait for it. On Linux the thread has low priority. */
import { Worker } from 'node:worker_threads';
import { UnsoundCopy } from './copy-database.ts';
import type { Inspection } from './inspect.ts';
import type { MadeBackup, MakeBackup } from './make-backup.ts';

export type BackgroundTask =
  | ({ readonly kind: 'backup' } & MakeBackup)
  | { readonly kind: 'inspect'; readonly file: string; readonly quick: boolean; readonly isBackup: boolean };

/** The answer of the thread: the result, or the message of an error. `unsound` is true if the database or its copy was damaged. */
export type BackgroundAnswer =
  | { readonly done: MadeBackup | Inspection }
  | { readonly failed: string; readonly unsound: boolean };

/** Makes a backup and checks it; rejects when `signal` aborts. */
export function backUpInBackground(task: MakeBackup, signal?: AbortSignal): Promise<MadeBackup> {
  return run<MadeBackup>({ kind: 'backup', ...task }, signal);
}

/** Inspects a database, or with `isBackup` a backup and its packs; rejects when `signal` aborts. */
export function inspectInBackground(
  file: string,
  quick: boolean,
  signal?: AbortSignal,
  isBackup = false,
): Promise<Inspection> {
  return run<Inspection>({ kind: 'inspect', file, quick, isBackup }, signal);
}

async function run<T>(task: BackgroundTask, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./background-worker.ts', import.meta.url), { workerData: task });
  const { promise, resolve, reject } = Promise.withResolvers<BackgroundAnswer>();
  worker.once('message', resolve).once('error', reject);
  worker.once('exit', (code) => reject(new Error(`the background thread ended with exit code ${code}`)));
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const answer = await promise;
    if ('failed' in answer) throw answer.unsound ? new UnsoundCopy(answer.failed) : new Error(answer.failed);
    return answer.done as T;
  } finally {
    signal?.removeEventListener('abort', abort);
    await worker.terminate();
  }
}
