/**
 * Syncs and checkpoints of the write-ahead log (WAL) of a SQLite file. The thread that writes never waits for the disk.
 *
 *   COMMIT (into the page cache) -> fdatasync in a libuv thread -> the connection emits the commits
 *   WAL over the threshold -> checkpoint in a worker while writes continue -> second checkpoint while writes wait -> the WAL restarts
 *
 * With synchronous=NORMAL SQLite syncs the WAL before a checkpoint and when it restarts the WAL, so a power cut does not damage the
 * database file. The code in this file also syncs each commit, before the store emits the changes of the commit. SQLite restarts the WAL
 * only after a checkpoint that copied all pages. The second checkpoint can copy all pages, because writes wait during it.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** A checkpoint begins when the WAL has this many pages: 16 MB. */
const CHECKPOINT_PAGES = 4000;
/** A worker thread without work ends after this time, in milliseconds, because it uses about 15 MB of memory. */
const IDLE_MS = 10_000;

/** The WAL file, opened to sync it. */
export interface Log {
  /** Resolves when every commit made before the call survives a power cut. */
  sync(): Promise<void>;
  close(): void;
}

/** Opens the WAL file of a database that is open in WAL mode. */
export function openLog(file: string): Log {
  const handle = openSync(`${file}-wal`, 'r+');
  return {
    sync: () =>
      new Promise((resolve, reject) => fdatasync(handle, (error) => (error === null ? resolve() : reject(error)))),
    close: () => closeSync(handle),
  };
}

/** Number of pages in the WAL (`log`), and how many of them a checkpoint has copied into the database file (`moved`). */
export interface LogPages {
  readonly log: number;
  readonly moved: number;
}

/** The answer of the worker to one request: the pages after the checkpoint, or the error. */
export type CheckpointAnswer =
  | LogPages
  | { readonly failed: { readonly message: string; readonly errcode: number | undefined } };

/** An error of SQLite in the worker, with the same fields as an error of node:sqlite in this thread. */
class CheckpointError extends Error {
  readonly errcode: number | undefined;
  constructor(message: string, errcode: number | undefined) {
    super(message);
    this.errcode = errcode;
  }
}

export interface Checkpoints {
  /** Called after a sync: starts a checkpoint if the WAL has at least 4,000 pages. */
  consider(): void;
  /** Runs a checkpoint now, also if the WAL is short. Rejects if the checkpoint fails. */
  now(): Promise<void>;
  /** Prevents further checkpoints. Resolves when the running checkpoint has ended. */
  stop(): Promise<void>;
}

export interface CheckpointOptions {
  readonly file: string;
  readonly pages: () => LogPages;
  /** Runs `work` while no transaction runs. */
  readonly hold: (work: () => Promise<void>) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Runs the checkpoints of one file in a worker thread. The worker ends after 10 seconds without work. */
export function createCheckpoints({ file, pages, hold, failed }: CheckpointOptions): Checkpoints {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;
  /**
   * The next checkpoint starts when the WAL has this many pages. The number is higher after a checkpoint that could not copy all pages
   * because of a reader.
   */
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

  async function run(onError = failed): Promise<void> {
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
      onError(error);
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
      // The WAL is shorter than before, so SQLite has restarted it.
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

/** Requests one checkpoint from the worker. Rejects if the worker ends without an answer. */
function ask(worker: Worker): Promise<CheckpointAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CheckpointAnswer>();
  const ended = (code: number): void => reject(new Error(`the checkpoint thread ended with exit code ${code}`));
  worker.once('message', resolve).once('error', reject).once('exit', ended);
  worker.postMessage(null);
  // Do not use removeAllListeners, because it would also remove listeners that Node.js added.
  return promise.finally(() => worker.off('message', resolve).off('error', reject).off('exit', ended));
}
