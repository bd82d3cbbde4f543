/** A decode run's thread, from the outside: parts come one by one and are taken with backpressure, then there is a report. */
import { Worker } from 'node:worker_threads';
import type { DecodeAnswer, DecodeJob, DecodeProgress, DecodeReport, RefusalCode } from './decode-job.ts';

/** The file gives nothing, or is not read on; the message says why and what to do. */
export class FileRefused extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'FileRefused';
    this.code = code;
  }
}

/** The thread ended before its work did: of memory, or of a fault of ours. */
export class ThreadDied extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ThreadDied';
  }
}

/** Nothing was heard of the thread for too long. */
export class ThreadSilent extends Error {
  constructor(seconds: number) {
    super(`the thread said nothing for ${seconds} s`);
    this.name = 'ThreadSilent';
  }
}

/** A file of any size takes the same memory; what takes more has gone wrong. */
const HEAP_MB = 256;
const WATCH_MS = 250;

export interface DecodeThreadOptions {
  readonly signal: AbortSignal;
  /** Resolves when the part is taken; parts come in order, one at a time. */
  readonly take: (part: Uint8Array) => Promise<void>;
  readonly progress: (progress: DecodeProgress) => void;
  /** What the thread used of the processor so far, in milliseconds; called about four times a second. */
  readonly spent: (cpu_ms: number) => void;
  /** Seconds that the thread may be silent while nothing waits here. */
  readonly silence_s: number;
  /** The file of the thread; tests put another there. */
  readonly worker?: URL;
}

/** Runs a job to its end; rejects with one of the errors above, with what `take` rejects with, or with the reason of the abort. */
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
    // Read from outside: a thread that is caught in one piece of its file counts too. One that has ended has no answer.
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
