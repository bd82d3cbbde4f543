/** Runs long work on a database in a separate thread, so that the gateway does not wait for it. On Linux the thread has low priority. */
import { Worker } from 'node:worker_threads';
import { type Copied, UnsoundCopy } from './copy-database.ts';
import type { Inspection } from './inspect.ts';

export type BackgroundTask =
  | { readonly kind: 'copy'; readonly source: string; readonly target: string }
  | { readonly kind: 'inspect'; readonly file: string; readonly quick: boolean };

/** The answer of the thread: the result, or the message of an error. `unsound` is true if the copy of the database was damaged. */
export type BackgroundAnswer =
  | { readonly done: Copied | Inspection }
  | { readonly failed: string; readonly unsound: boolean };

/** Copies a database and inspects the copy; rejects when `signal` aborts. */
export function copyInBackground(source: string, target: string, signal?: AbortSignal): Promise<Copied> {
  return run<Copied>({ kind: 'copy', source, target }, signal);
}

/** Inspects a database; rejects when `signal` aborts. */
export function inspectInBackground(file: string, quick: boolean, signal?: AbortSignal): Promise<Inspection> {
  return run<Inspection>({ kind: 'inspect', file, quick }, signal);
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
