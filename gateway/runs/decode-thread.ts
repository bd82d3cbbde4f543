/**
 * Runs the thread that decodes a file. It receives the parts of the result one by one, and then a report. The thread waits when the journal
 * (the files with all accepted messages) accepts the parts more slowly than the thread makes them.
 */
import { Worker } from 'node:worker_threads';
import type { DecodeAnswer, DecodeJob, DecodeProgress, DecodeReport, RefusalCode } from './decode-job.ts';

/** The error for a file that cannot be read to its end; its message states the reason and what to do. */
export class FileRefused extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'FileRefused';
    this.code = code;
  }
}

/** The error for a thread that ended before it sent its report, because it ran out of memory or has a bug. */
export class ThreadDied extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ThreadDied';
  }
}

/** The error for a thread that sent no message for longer than `silence_s`. */
export class ThreadSilent extends Error {
  constructor(seconds: number) {
    super(`the thread sent no message for ${seconds} s`);
    this.name = 'ThreadSilent';
  }
}

/**
 * The heap limit of a decode thread, in MB. The heap does not grow with the size of the file, so a thread that needs more memory has a bug.
 */
const HEAP_MB = 256;
const WATCH_MS = 250;

export interface DecodeThreadOptions {
  readonly signal: AbortSignal;
  /** Resolves when the journal has accepted the part; called for one part at a time, in order. */
  readonly take: (part: Uint8Array) => Promise<void>;
  readonly progress: (progress: DecodeProgress) => void;
  /** Receives the processor time that the thread has used so far, in milliseconds; called about four times a second. */
  readonly spent: (cpu_ms: number) => void;
  /** The longest time in seconds without a message of the thread. The time in which a part waits for `take` does not count. */
  readonly silence_s: number;
  /** The file of the worker; tests pass another file. */
  readonly worker?: URL;
}

/** Runs a job to its end; rejects with one of the errors above, the error of `take`, or the reason of the abort. */
export async function decodeInThread(job: DecodeJob, options: DecodeThreadOptions): Promise<DecodeReport> {
  const { signal, take, progress, spent, silence_s } = options;
  signal.throwIfAborted();
  const worker = new Worker(options.worker ?? new URL('./decode-worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<DecodeReport>();
  const waiting: Uint8Array[] = [];
  let taking = false;
  let heard = performance.now();

  async function takeAll(): Promise<void> {
    if (taking) return;
    taking = true;
    try {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
        await take(part);
        heard = performance.now();
        worker.postMessage('taken');
      }
    } catch (error) {
      reject(error);
    } finally {
      taking = false;
    }
    settle();
  }

  let report: DecodeReport | undefined;
  function settle(): void {
    if (report !== undefined && !taking && waiting.length === 0) resolve(report);
  }

  worker.on('message', (answer: DecodeAnswer) => {
    heard = performance.now();
    if ('part' in answer) {
      waiting.push(answer.part);
      void takeAll();
    } else if ('progress' in answer) progress(answer.progress);
    else if ('failed' in answer) reject(new FileRefused(answer.failed.code, answer.failed.message));
    else {
      report = answer.done;
      settle();
    }
  });
  worker.once('error', (error) => reject(new ThreadDied(error.message, error)));
  worker.once('exit', (code) => {
    if (report === undefined) reject(new ThreadDied(`the thread ended with ${code}`));
  });
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const watch = setInterval(() => {
    if (!taking && performance.now() - heard > silence_s * 1000) reject(new ThreadSilent(silence_s));
    // The main thread measures the processor time, because a thread in an endless loop sends no messages. `cpuUsage` fails if the thread
    // has ended.
    worker.cpuUsage().then(
      ({ user, system }) => spent((user + system) / 1_000),
      () => {},
    );
  }, WATCH_MS);
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}
