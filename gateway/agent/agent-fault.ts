/** The end of a run of the agent that is no fault of the provider. */
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { Outcome } from '#domain/runs/run.ts';

type Fired = NonNullable<Extract<Outcome, { status: 'failed' }>['fired']>;

/** The end of a run that cannot go on, with its code. */
export class AgentFault extends Error {
  readonly code: RunErrorCode;
  readonly fired: Fired;
  constructor(code: RunErrorCode, message: string, fired: Fired = {}) {
    super(message);
    this.name = 'AgentFault';
    this.code = code;
    this.fired = fired;
  }
}

/** Thrown when the run has already ended, for example because a person canceled it. */
export class RunGone extends Error {}
