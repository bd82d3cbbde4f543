/**
 * The interface of a kind of runs (a run is one attempt to carry out a task). It says which runs belong to the kind, and how one run is
 * executed. The executor (the code that starts runs) gives each kind its own queue and its own number of concurrent runs.
 */
import type { Stored } from '#contract/base/view.ts';
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { RunData } from '#contract/work/task.ts';
import type { Queue, QueuedKind, Working } from './queue.ts';

export interface RunStart {
  readonly queue: Queue;
  readonly working: Working;
  /** Aborts when the run is canceled, exceeds a limit or must go back to the queue, and when the gateway stops. */
  readonly signal: AbortSignal;
  /** Reports the processor time that the run has used so far, in milliseconds. */
  readonly spent: (cpu_ms: number) => void;
}

/** A run that the executor took from the queue and has not started yet. */
export interface PreparedRun {
  /** Processor time that the run may use, in seconds. */
  readonly cpu_s: number;
  /** Executes the run and stores its outcome through the queue; rejects with the reason of the abort. */
  work(start: RunStart): Promise<void>;
}

export interface RunKind extends QueuedKind {
  /** The code of a run that takes longer than its limit of time. Default: `backend_wall_clock_timeout`. */
  readonly overWall?: RunErrorCode;
  prepare(run: Stored<RunData>): Promise<PreparedRun>;
  readonly messages: QueuedKind['messages'] & {
    /** The status text of a run that is back in the queue, because shorter runs are executed first. */
    readonly givenBack: string;
    overCeiling(cpu_s: number): string;
  };
}
