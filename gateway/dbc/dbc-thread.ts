/**
 * Controls the thread that reads DBC files: one request at a time, with limits of time and memory. A request that exceeds a limit ends
 * only the thread; the gateway keeps running.
 */
import { Worker } from 'node:worker_threads';
import { OperationError } from '#contract/base/errors.ts';
import { part, say, type ToldPart } from '#contract/base/told.ts';
import type { DbcTextData } from '#contract/fleet/dbc.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DbcAnswer, DbcDone, DbcFrames, DbcJob } from './dbc-job.ts';

/** The heap limit of the thread in MB. This is enough, because parsing the largest allowed file twice needs a third of it. */
const HEAP_MB = 256;

export interface DbcThreadOptions {
  /** The time limit of a request in milliseconds. */
  readonly answer_ms: number;
  /** The thread ends after this time without a request, in milliseconds; the next request starts another one. */
  readonly idle_ms: number;
  /** The source file of the thread; only tests set it. */
  readonly worker?: URL | undefined;
}

/** The data that the thread may ask for while it handles a request. */
export interface DbcSupply {
  readonly text?: () => Promise<DbcTextData>;
  readonly frames?: AsyncIterable<FrameBatch>;
}

export interface DbcThread extends AsyncDisposable {
  /**
   * Sends a request and returns the answer. The caller must wait for the answer before the next request. Rejects with
   * `OperationError`, or with the error of a function in `supply`.
   */
  ask<K extends keyof DbcDone>(job: DbcJob & { ask: { kind: K } }, supply?: DbcSupply): Promise<DbcDone[K]>;
}

/** Creates a thread that starts with the first request. */
export function createDbcThread(options: DbcThreadOptions): DbcThread {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  async function end(): Promise<void> {
    const ending = worker;
    worker = undefined;
    clearTimeout(idle);
    await ending?.terminate();
  }

  function start(): Worker {
    const one = new Worker(options.worker ?? new URL('./dbc-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    // Without this listener, an error of the thread between two requests would end the gateway.
    one.on('error', () => undefined);
    one.once('exit', () => {
      if (worker === one) worker = undefined;
    });
    return one;
  }

  return {
    async ask<K extends keyof DbcDone>(
      job: DbcJob & { ask: { kind: K } },
      supply: DbcSupply = {},
    ): Promise<DbcDone[K]> {
      clearTimeout(idle);
      worker ??= start();
      const asked = worker;
      const { promise, resolve, reject } = Promise.withResolvers<DbcDone[K]>();
      const frames = supply.frames?.[Symbol.asyncIterator]();
      let isAnswered = false;

      async function send(next: 'text' | 'frames'): Promise<void> {
        if (next === 'text') {
          asked.postMessage(await supply.text?.());
          return;
        }
        const found = await frames?.next();
        const columns = found === undefined || found.done === true ? null : columnsOf(found.value);
        asked.postMessage(columns, columns === null ? [] : buffersOf(columns));
      }
      const onMessage = (answer: DbcAnswer): void => {
        isAnswered = !('next' in answer);
        if ('next' in answer) send(answer.next).catch(reject);
        else if ('done' in answer) resolve(answer.done as DbcDone[K]);
        else {
          const { code, message, ...more } = answer.refused;
          reject(new OperationError(code, message, more));
        }
      };
      const failed = (error: Error): void => reject(gone('dbc_thread_ended', part('ended'), error));
      const exited = (): void => reject(gone('dbc_thread_ended', part('ended')));
      const late = setTimeout(
        () =>
          reject(gone('dbc_thread_late', part('took more than {seconds} s', { seconds: options.answer_ms / 1_000 }))),
        options.answer_ms,
      );
      asked.on('message', onMessage).once('error', failed).once('exit', exited);
      asked.postMessage(job);
      try {
        return await promise;
      } finally {
        // If the thread did not answer, end it, so that the next request gets a new thread.
        if (!isAnswered) await end();
        clearTimeout(late);
        asked.off('message', onMessage).off('error', failed).off('exit', exited);
        await frames?.return?.();
        if (worker !== undefined) idle = setTimeout(() => void end(), options.idle_ms).unref();
      }
    },
    [Symbol.asyncDispose]: end,
  };
}

function gone(code: string, what: ToldPart, cause?: unknown): OperationError {
  return new OperationError(
    'backend_unavailable',
    say('The thread that reads DBC files {what}; nothing was changed.', { what }),
    {
      details: [{ code }],
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** Copies the arrays of a batch, because the reader of the log overwrites the batch with the next frames. */
function columnsOf(batch: FrameBatch): NonNullable<DbcFrames> {
  const { count, longUsed } = batch;
  return {
    count,
    longUsed,
    t: batch.t.slice(0, count),
    id: batch.id.slice(0, count),
    flags: batch.flags.slice(0, count),
    bus: batch.bus.slice(0, count),
    len: batch.len.slice(0, count),
    data: batch.data.slice(0, count * 8),
    at: batch.at.slice(0, count),
    long: batch.long.slice(0, longUsed),
  };
}

function buffersOf({ t, id, flags, bus, len, data, at, long }: NonNullable<DbcFrames>): ArrayBuffer[] {
  return [t, id, flags, bus, len, data, at, long].map(({ buffer }) => buffer as ArrayBuffer);
}
