/**
 * Syncs and checkpoints of the write-ahead log (WAL) of a SQLite file. The thread that writes never waits for the disk.
 *
 *   COMMIT (into the page cache) -> fdatasync in a libuv thread -> the connection emits the commits
 *   log over the threshold -> checkpoint in a worker while writes continue -> second checkpoint while writes wait -> the log restarts
 *
 * With synchronous=NORMAL SQLite syncs the log before a checkpoint and when the log restarts, so the file is never torn. The sync
 * here makes each commit durable before the store emits it. SQLite restarts the log only after a checkpoint that copied all pages,
 * which is the second one, because no write adds pages during it.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** A checkpoint begins at this length of the log, in pages: 16 MB. */
const CHECKPOINT_PAGES = 4000;
/** An idle worker is ended after this time, because it uses some 15 MB. */
const IDLE_MS = 10_000;

/** The log, opened for its syncs. */
export interface Log {
  /** Resolves when every commit made before the call survives a power cut. */
  sync(): Promise<void>;
  close(): void;
}

/** Opens the log of a database that is open in WAL mode. */
export function openLog(file: string): Log {
  const handle = openSync(`${file}-wal`, 'r+');
  return {
    sync: () =>
      new Promise((resolve, reject) => fdatasync(handle, (error) => (error === null ? resolve() : reject(error)))),
    close: () => closeSync(handle),
  };
}

/** Pages in the log, and how many of them are in the file as well. */
export interface LogPages {
  readonly log: number;
  readonly moved: number;
}

/** From the worker: the pages, or why there was no checkpoint. */
export type CheckpointAnswer =
  | LogPages
  | { readonly failed: { readonly message: string; readonly errcode: number | undefined } };

/** An error of the worker's SQLite, as node:sqlite would throw it here. */
class CheckpointError extends Error {
  readonly errcode: number | undefined;
  constructor(message: string, errcode: number | undefined) {
    super(message);
    this.errcode = errcode;
  }
}

export interface Checkpoints {
  /** Looks at the log after a transaction and begins a checkpoint when it is long. */
  consider(): void;
  /** Moves the log into the file now, however short it is; rejects when that fails. */
  now(): Promise<void>;
  /** Resolves when no checkpoint runs; none begins afterwards. */
  stop(): Promise<void>;
}

export interface CheckpointOptions {
  readonly file: string;
  readonly pages: () => LogPages;
  /** Runs work while no transaction does. */
  readonly hold: (work: () => Promise<void>) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Checkpoints of one file, in a worker that lives while there is work. */
export function createCheckpoints({ file, pages, hold, failed }: CheckpointOptions): Checkpoints {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;
  /** Where a reader keeps the log from beginning anew, the next try waits for so many pages. */
  let next = CHECKPOINT_PAGES;

  async function checkpoint(): Promise<LogPages> {
    worker ??= startWorker();
    const answer = await ask(worker);
    if ('failed' in answer) throw new CheckpointError(answer.failed.message, answer.failed.errcode);
    return answer;
  }

  function startWorker(): Worker {
    return new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData: file,
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
  }

  async function run(tell = failed): Promise<void> {
    clearTimeout(idle);
    try {
      await checkpoint();
      await hold(async () => {
        const { log, moved } = await checkpoint();
        next = moved === log ? CHECKPOINT_PAGES : log + CHECKPOINT_PAGES;
      });
      idle = setTimeout(end, IDLE_MS).unref();
    } catch (error) {
      next = pages().log + CHECKPOINT_PAGES;
      end();
      tell(error);
    }
  }

  function end(): void {
    void worker?.terminate();
    worker = undefined;
  }

  return {
    consider() {
      if (running !== undefined || stopped) return;
      const { log } = pages();
      // shorter than the last time: it began anew
      if (log < next - CHECKPOINT_PAGES) next = CHECKPOINT_PAGES;
      if (log < next) return;
      running = run().finally(() => {
        running = undefined;
      });
    },
    async now() {
      await running;
      if (stopped) return;
      let failure: { error: unknown } | undefined;
      running = run((error) => {
        failure = { error };
      }).finally(() => {
        running = undefined;
      });
      await running;
      if (failure !== undefined) throw failure.error;
    },
    async stop() {
      stopped = true;
      clearTimeout(idle);
      await running;
      clearTimeout(idle);
      await worker?.terminate();
      worker = undefined;
    },
  };
}

/** One checkpoint; rejects when the thread ends instead of answering. */
function ask(worker: Worker): Promise<CheckpointAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CheckpointAnswer>();
  const ended = (code: number): void => reject(new Error(`the checkpoint's thread ended with ${code}`));
  worker.once('message', resolve).once('error', reject).once('exit', ended);
  worker.postMessage(null);
  // not removeAllListeners, which would take the thread's own with it
  return promise.finally(() => worker.off('message', resolve).off('error', reject).off('exit', ended));
}
