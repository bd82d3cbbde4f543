/** The writes that wait for a transaction, in call order. */

/** One call of `Connection.write`. */
export interface Writing<T> {
  /** The most documents that it writes. The queue fills transactions by this number. */
  readonly rows: number;
  /** Runs inside the transaction, and again when the transaction is retried. An error undoes the changes of this call. */
  run(): T;
  /** Called when the changes are on disk, before any waiting promise resolves. Must not throw. */
  emit?(result: T): void;
  /** Data that must be in memory before `run`. Later calls wait behind this one. */
  ready?: Promise<unknown> | undefined;
  /** Reject with `overloaded` when the queue is full. */
  bounded?: boolean;
}

/** A write in the queue, or committed and not yet on disk. */
export interface Job {
  readonly rows: number;
  ready: boolean;
  run(): void;
  emit(): void;
  resolve(): void;
  reject(error: unknown): void;
  failure: { error: unknown } | undefined;
}

/** Rows in one transaction: about 10 ms. A single larger write is a transaction of its own. */
export const MAX_ROWS_PER_TRANSACTION = 250;
/** At this length the queue refuses bounded writes. The callers of other writes wait for their own calls. */
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

  /** The writes of the next transaction; they stay in the queue. */
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
