/**
 * The executor of runs. A run is one attempt to carry out a task, for example to decode a file. For each kind of runs, the executor has a
 * queue and executes two runs at a time. So a long run never delays runs of another kind.
 */

import { type DecodeKindOptions, decodeKind } from './decode-kind.ts';
import { KindExecutor } from './kind-executor.ts';
import type { RunKind } from './run-kind.ts';

export interface RunsOptions extends DecodeKindOptions {
  readonly random: (bytes: number) => Uint8Array;
  /** Further kinds of runs to execute. The executor always executes the runs that decode files. */
  readonly kinds?: readonly RunKind[];
  /** The processor time, in milliseconds, after which a run counts as long (see `kind-executor.ts`). Tests pass another value. */
  readonly shareMs?: number;
}

/** The running executor of this node's runs. */
export interface Runs extends AsyncDisposable {
  /** Returns the number of waiting decode runs of a device. `device` is the record id of the device. */
  waiting(device: string): number;
}

/**
 * Starts an executor for each kind of runs. Disposing the returned object stops the current runs and queues a replacement for each of them.
 */
export function startRuns(options: RunsOptions): Runs {
  const decoding = new KindExecutor(options, decodeKind(options));
  const others = (options.kinds ?? []).map((kind) => new KindExecutor(options, kind));
  return {
    waiting: (device) => decoding.waiting(device),
    async [Symbol.asyncDispose]() {
      await Promise.all([decoding, ...others].map((executor) => executor.stop()));
    },
  };
}
