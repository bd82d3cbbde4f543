/**
 * Runs a job in a thread of its own, with limits of time and memory. A file that exceeds a limit ends only its thread. The limit of the
 * heap does not count arrays of bytes, so the main thread watches them.
 */
import { Worker } from 'node:worker_threads';
import { type PartGap, type ReadingAnswer, type ReadingJob, Unreadable } from './reading-types.ts';

const HEAP_MB = 256;
/** Bytes of arrays that a thread may hold. */
const MOST_OUTSIDE = 256 * 1024 * 1024;
const WATCH_MS = 50;

/** The thread ended without an answer. The message is a sentence for people; the cause is for the log. */
export class ReadingDied extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ReadingDied';
  }
}

export interface ThreadOptions {
  readonly deadline_ms: number;
  /** Ends the thread. The job then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** The file of the worker; tests pass another file. */
  readonly worker?: URL | undefined;
}

/** Rejects with `Unreadable` if the file cannot be read, and with `ReadingDied` if the thread ends, or exceeds a limit. */
export async function inThread<J extends ReadingJob>(
  job: J,
  { deadline_ms, signal, worker: file }: ThreadOptions,
): Promise<ReadingAnswer<J>> {
  signal?.throwIfAborted();
  const worker = new Worker(file ?? new URL('./reading-worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ReadingAnswer<J>>();
  worker.once('message', (answer: { readonly done: ReadingAnswer<J> } | { readonly gap: PartGap }) => {
    if ('gap' in answer) reject(new Unreadable(answer.gap));
    else resolve(answer.done);
  });
  worker.once('error', (error) => {
    const isFull = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(new ReadingDied(isFull ? 'it needs too much memory' : 'its reader failed', error));
  });
  worker.once('exit', (code) => reject(new ReadingDied('its reader failed', `the thread ended with ${code}`)));
  const stop = () => reject(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const late = setTimeout(() => reject(new ReadingDied(`it took more than ${deadline_ms / 1000} s`)), deadline_ms);
  const watch = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ external_memory }) => {
        if (external_memory > MOST_OUTSIDE) reject(new ReadingDied('it needs too much memory'));
      },
      // The thread has ended.
      () => {},
    );
  }, WATCH_MS);
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', stop);
    clearInterval(watch);
    clearTimeout(late);
    await worker.terminate();
  }
}
