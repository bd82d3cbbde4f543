/** The executor of runs. Each kind of runs has its own queue and its own two places, so a long run never delays runs of another kind. */

import { type DecodeKindOptions, decodeKind } from './decode-kind.ts';
import { KindExecutor } from './kind-executor.ts';
import type { RunKind } from './run-kind.ts';

export interface RunsOptions extends DecodeKindOptions {
  readonly random: (bytes: number) => Uint8Array;
  /** Further kinds of runs; the executor always has the kind that decodes files. */
  readonly kinds?: readonly RunKind[];
  /** Processor time that a run may use in the place for short runs, in milliseconds. Tests pass another value. */
  readonly shareMs?: number;
}

/** The running executor of this node's runs. */
export interface Runs extends AsyncDisposable {
  /** Returns how many decode runs of a device wait. `device` is the record id of the device. */
  waiting(device: string): number;
}

/** Starts an executor for each kind of runs. Disposing the result stops the current runs and queues a replacement for each of them. */
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
