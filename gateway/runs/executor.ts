/** The executor of runs: each kind of runs has a queue and places of its own, so a long run of one kind never delays another kind. */

import { type DecodeKindOptions, decodeKind } from './decode-kind.ts';
import { KindExecutor } from './kind-executor.ts';
import type { RunKind } from './run-kind.ts';

export interface RunsOptions extends DecodeKindOptions {
  readonly random: (bytes: number) => Uint8Array;
  /** Kinds besides the decoding of files. */
  readonly kinds?: readonly RunKind[];
  /** Processor time that a run may use in the place for short runs, in milliseconds. Tests pass another value. */
  readonly shareMs?: number;
}

/** The runs that this node works on. */
export interface Runs extends AsyncDisposable {
  /** How many decode runs of this device (its record id) wait. */
  waiting(device: string): number;
}

/** Starts an executor for each kind. Disposing it ends the runs that work and queues a replacement for each. */
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
