/** The queue of the writes that wait for a transaction, in call order. */

/** One call of `Connection.write`. */
export interface Writing<T> {
  /** The largest number of documents that the call may write. The queue fills a transaction up to a sum of these numbers. */
  readonly rows: number;
  /** Makes the changes, inside the transaction. Runs again if the transaction is retried. If it throws, its changes are undone. */
  run(): T;
  /** Called when the changes are on disk, and before the promises of the transaction resolve. Must not throw. */
  emit?(result: T): void;
  /** Resolves when the data that `run` needs is in memory. Later calls wait until this call has run. */
  ready?: Promise<unknown> | undefined;
  /** If true, the call is rejected with `overloaded` when the queue is full. */
  bounded?: boolean;
}

/** A write that waits in the queue, or that is committed and not yet on disk. */
export interface Job {
  readonly rows: number;
  ready: boolean;
  run(): void;
  emit(): void;
  resolve(): void;
  reject(error: unknown): void;
  failure: { error: unknown } | undefined;
}

/** The largest number of rows in a transaction with several writes; they take about 10 ms. A larger write gets a transaction of its own. */
export const MAX_ROWS_PER_TRANSACTION = 250;
/**
 * When this many rows wait in the queue, the queue rejects writes with `bounded`. A caller without `bounded` waits for the end of each
 * write before it calls the next one, so its writes need no limit.
 */
const MAX_QUEUED_ROWS = 20_000;

export class WriteQueue {
  #jobs: Job[] = [];
  #rows = 0;

  get isEmpty(): boolean {
    return this.#jobs.length === 0;
  }

  get isFull(): boolean {
    return this.#rows >= MAX_QUEUED_ROWS;
  }

  /** Appends a write; `onReady` is called when a write that was not ready becomes ready. The promise settles with the write. */
  add<T>(writing: Writing<T>, onReady: () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const job: Job = {
        rows: writing.rows,
        ready: writing.ready === undefined,
        failure: undefined,
        run: () => {
          result = writing.run();
        },
        emit: () => writing.emit?.(result),
        resolve: () => resolve(result),
        reject,
      };
      writing.ready?.then(
        () => {
          job.ready = true;
          onReady();
        },
        (error: unknown) => {
          job.run = () => {
            throw error;
          };
          job.ready = true;
          onReady();
        },
      );
      this.#jobs.push(job);
      this.#rows += job.rows;
    });
  }

  /** Returns the writes of the next transaction, without removing them from the queue. */
  nextBatch(): Job[] {
    const batch: Job[] = [];
    let rows = 0;
    for (const job of this.#jobs) {
      if (!job.ready || (batch.length > 0 && rows + job.rows > MAX_ROWS_PER_TRANSACTION)) break;
      batch.push(job);
      rows += job.rows;
    }
    return batch;
  }

  /** Removes the first `count` writes. */
  remove(count: number): void {
    for (const job of this.#jobs.splice(0, count)) this.#rows -= job.rows;
  }

  /** Removes and returns all writes. */
  clear(): Job[] {
    this.#rows = 0;
    return this.#jobs.splice(0);
  }
}
