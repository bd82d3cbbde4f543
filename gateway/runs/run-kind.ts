/** A kind of runs: which runs belong to it, and how one is worked on. The executor gives each kind a queue and places of its own. */
import type { Stored } from '#contract/base/view.ts';
import type { RunData } from '#contract/work/task.ts';
import type { Queue, Working } from './queue.ts';
import type { WaitingRun } from './turns.ts';

export interface RunStart {
  readonly queue: Queue;
  readonly working: Working;
  /** Aborts when the run is canceled, over a limit, or has to give its place back. */
  readonly signal: AbortSignal;
  /** Reports the processor time that the run has used so far, in milliseconds. */
  readonly spent: (cpu_ms: number) => void;
}

/** A run that was picked up, before it starts. */
export interface PreparedRun {
  /** Processor time that the run may use, in seconds. */
  readonly cpu_s: number;
  /** Works on the run and ends it in the queue; rejects with the reason of the abort. */
  work(start: RunStart): Promise<void>;
}

export interface RunKind {
  /** Also the phase of a run of this kind while it works. */
  readonly name: string;
  /** The run with the fields that decide its turn; undefined for a run of another kind. */
  waitingRunOf(run: Stored<RunData>): WaitingRun | undefined;
  prepare(run: Stored<RunData>): Promise<PreparedRun>;
  /** A new run in place of one that died. */
  replacement(run: RunData, now: string): RunData;
  /** Texts that the run shows. */
  readonly messages: {
    readonly started: string;
    /** The run waits again because others need its place. */
    readonly givenBack: string;
    overCeiling(cpu_s: number): string;
    /** The run died so often that it is not started again by itself. */
    givenUp(deaths: number, last: string): string;
  };
}
