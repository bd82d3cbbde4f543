/**
 * The states of a run, and the conditions under which it may end.
 *
 *   pending --> running --end--> completed | failed | canceled        (a pending run may also end)
 *
 * Invariants: a run ends at most once.
 *
 * A run may end as `completed` only if its final message is stored, its reasoning is closed, and every tool call has a result. A run may
 * also declare names of counts when it begins, for example `equipment` for the number of machines that it creates. Its outcome must then
 * have a number for each of these names.
 *
 * A failed run has an error code of `RUN_ERRORS`.
 */
import { RUN_ERRORS, type RunErrorCode } from '#contract/work/run-errors.ts';
import type { Gap, MessageData, RunCeilings, RunData, RunLive, TaskKind } from '#contract/work/task.ts';

const NOTHING_USED: RunData['usage'] = {
  input_tokens: null,
  output_tokens: null,
  tool_calls: null,
  credits: null,
  wall_ms: null,
};

/** Value of `backend.platform` of a run that a program on a device carries out. */
export const DEVICE_PLATFORM = 'device';

/** Limits and timeouts of live decoding: none, because live decoding runs for as long as the device sends. */
const UNBOUNDED: RunCeilings = {
  limits: { wall_s: null, cpu_s: null, continuations: null, spend_usd: null, fired: null },
  timeouts: { tool_s: null, instruction_s: null, queue_pickup_s: null, liveness_s: null, fired: null },
};
/** The limits and timeouts of a run that an AI agent executes. */
const AGENT: RunCeilings = {
  limits: { wall_s: 900, cpu_s: 120, continuations: 20, spend_usd: null, fired: null },
  timeouts: { tool_s: 60, instruction_s: 300, queue_pickup_s: 120, liveness_s: 45, fired: null },
};
/** The limits of a run that a program on a device executes. The device may be offline, so the run may wait for an hour. */
const DEVICE: RunCeilings = {
  limits: { wall_s: 3_600, cpu_s: null, continuations: null, spend_usd: null, fired: null },
  timeouts: { tool_s: null, instruction_s: null, queue_pickup_s: 3_600, liveness_s: 300, fired: null },
};
/** The limits of long work on this gateway. For example, decoding a file of several gigabytes on a small computer may take a day. */
const BULK: RunCeilings = {
  limits: { ...UNBOUNDED.limits, wall_s: 86_400 },
  timeouts: { ...UNBOUNDED.timeouts, liveness_s: 300 },
};

/** The limits and timeouts of each kind of task. */
const CEILINGS: Readonly<Record<TaskKind, RunCeilings>> = {
  setup: AGENT,
  custom_action: AGENT,
  agent: AGENT,
  worker: DEVICE,
  decode: BULK,
  import: BULK,
  export: BULK,
  backup: BULK,
  maintenance: BULK,
};

/** Returns the ceilings of a run with this review configuration. */
function withReview({ limits, timeouts }: RunCeilings, review: RunData['review']): RunCeilings {
  if (review === undefined) return { limits, timeouts };
  const tokens = review.token_budget;
  return { limits: { ...limits, spend_usd: review.spend_cap_usd, ...(tokens === null ? {} : { tokens }) }, timeouts };
}

/** The input of `createRun`. `createRun` sets absent fields to null, to an empty list, or to the limits of the kind. */
export type NewRun = Pick<RunData, 'task_id'> & { readonly kind: TaskKind } & Partial<RunData>;

/** Creates a run. Its status is `pending` unless the input has another status. */
export function createRun({ kind, ...given }: NewRun): RunData {
  return {
    status: 'pending',
    terminal_event_count: 0,
    output: null,
    cost_usd: null,
    error: null,
    gaps: [],
    queued_at: null,
    dequeued_at: null,
    started_at: null,
    first_token_at: null,
    ended_at: null,
    warnings: [],
    retry: { retry_of: null, retry_count: 0 },
    ...withReview(CEILINGS[kind], given.review),
    runner_clock: { wall_ms: null, cpu_ms: null },
    seed_graph: null,
    skills: [],
    declares: [],
    pins: {},
    ...given,
    usage: given.usage ?? NOTHING_USED,
    backend: { platform: 'headframe', harness: null, provider: null, model: null, preset: null, ...given.backend },
  };
}

/** Value of `backend.preset` that marks a live decoding run, which decodes the messages of a device for as long as the device sends. */
const CONTINUOUS = 'live';

/** Creates the run that represents live decoding of one device by one decoder version. */
export function createLiveRun(task_id: string, device_id: string, decoder: string, started_at: string): RunData {
  const backend = { platform: 'headframe', harness: decoder, provider: 'headframe', model: null, preset: CONTINUOUS };
  return createRun({
    kind: 'decode',
    task_id,
    status: 'running',
    queued_at: started_at,
    dequeued_at: started_at,
    started_at,
    backend: { ...backend, decoder, device_id },
    ...UNBOUNDED,
  });
}

/** Returns a stored run with all fields. Runs that early versions stored lack some of them. */
export function restoreRun(stored: RunData): RunData {
  const run = createRun({ ...(isContinuous(stored) ? UNBOUNDED : {}), ...stored, kind: 'decode' });
  if (!isContinuous(run) || run.started_at === null) return run;
  const backend = { ...run.backend, preset: CONTINUOUS };
  return { ...run, backend, queued_at: run.started_at, dequeued_at: run.started_at };
}

/**
 * Returns the latest of the times. With this function, a run never starts before it was queued, even if the clock was set back in between.
 */
function latest(...times: (string | null)[]): string {
  return times.reduce<string>((last, time) => (time !== null && time > last ? time : last), '');
}

/** Returns the run with the status `running` and the start time `now`. */
export function startRun(run: RunData, now: string): RunData {
  const at = latest(run.queued_at, now);
  return { ...run, status: 'running', dequeued_at: at, started_at: at };
}

/** True for a live decoding run. Nobody can cancel such a run, and it never waits in the queue. */
export function isContinuous({ backend, queued_at }: Pick<RunData, 'backend'> & Partial<RunData>): boolean {
  return backend.preset === CONTINUOUS || (queued_at == null && typeof backend.decoder === 'string');
}

/** The status text of a run that a worker has taken and not reported about yet. */
export const TAKEN_BY_WORKER = 'The worker has taken the run.';

/** Creates the progress of a pending run. */
export function createProgress(): RunLive {
  return {
    state: 'queued',
    phase: null,
    status_text: 'Waits in the queue.',
    current_step: null,
    progress_pct: null,
    messages: 0,
    open_calls: [],
    reasoning_open: false,
    final_message_id: null,
  };
}

/** True if the run is completed, failed or canceled. */
export function hasEnded({ status }: Pick<RunData, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** A new entry of the transcript (the stored messages of a run). `messageWrites` adds its id and sequence number. */
export type NewEntry = Pick<MessageData, 'role' | 'kind'> &
  Partial<Pick<MessageData, 'text' | 'tool' | 'note' | 'final' | 'before'>>;

/** The largest number of tool calls of a run that may wait for their results at the same time. */
const MAX_OPEN_CALLS = 64;

/**
 * Returns the progress of a run after one more transcript entry. A tool call is open until it has its result. Throws a RangeError if the
 * entry is the result of a tool call that is not open, or if more than 64 tool calls would be open.
 */
export function applyMessage(live: RunLive, said: NewEntry, id: string): RunLive {
  const open = new Set(live.open_calls);
  const call = said.tool?.call_id ?? '';
  const names = { ...live.open_tools };
  if (said.kind === 'tool_call') {
    open.add(call);
    names[call] = said.tool?.name ?? '';
  }
  if (said.kind === 'tool_result' && (!open.delete(call) || said.tool?.outcome == null))
    throw new RangeError(`the result of tool call ${call} has no outcome, or the call is not open`);
  if (open.size > MAX_OPEN_CALLS) throw new RangeError(`more than ${MAX_OPEN_CALLS} tool calls are open`);
  if (said.kind === 'tool_result') delete names[call];
  const reasoning = said.kind === 'reasoning' ? true : said.kind === 'reasoning_end' ? false : live.reasoning_open;
  return {
    ...live,
    messages: live.messages + 1,
    open_calls: [...open],
    open_tools: names,
    reasoning_open: reasoning,
    final_message_id: said.final ? id : live.final_message_id,
  };
}

/** The outcome of a run, with the fields that each final status needs. */
export type Outcome =
  | {
      readonly status: 'completed';
      readonly output: NonNullable<RunData['output']>;
      readonly gaps?: Gap[];
      readonly counts?: Record<string, number>;
      readonly usage?: RunData['usage'];
      readonly cost_usd?: number | null;
      readonly runner_clock?: RunData['runner_clock'];
    }
  | {
      readonly status: 'failed';
      readonly code: RunErrorCode;
      readonly message: string;
      readonly gaps?: Gap[];
      readonly fired?: Partial<Record<'limits' | 'timeouts', string>>;
    }
  | { readonly status: 'canceled'; readonly by: string; readonly gaps?: Gap[] };

/**
 * Returns the conditions for ending the run as `completed` that are not met, as texts for the error message. The list is empty if all
 * conditions are met.
 */
export function missingFor(run: RunData, live: RunLive, counts: Readonly<Record<string, number>> = {}): string[] {
  return [
    ...(live.final_message_id === null ? ['final message'] : []),
    ...(live.reasoning_open ? ['end of reasoning'] : []),
    ...live.open_calls.map((call) => `result of tool call ${call}`),
    ...run.declares.filter((name) => counts[name] === undefined).map((name) => `count of ${name}`),
  ];
}

/**
 * Returns the ended run with its outcome and `terminal_event_count` 1. Throws if the run has already ended. Also throws if the outcome is
 * `completed` and `missingFor` returns unmet conditions.
 */
export function endRun(run: RunData, live: RunLive, run_id: string, outcome: Outcome, now: string): RunData {
  if (hasEnded(run)) throw new Error(`run ${run_id} has already ended`);
  const ended: RunData = {
    ...run,
    status: outcome.status,
    terminal_event_count: 1,
    ended_at: latest(run.queued_at, run.started_at, now),
  };
  if (outcome.status === 'canceled') {
    const { by, gaps = run.gaps } = outcome;
    return { ...ended, gaps, warnings: [...run.warnings, `canceled by ${by}`] };
  }
  if (outcome.status === 'failed') {
    const { code, message, gaps = run.gaps, fired = {} } = outcome;
    return {
      ...ended,
      error: { code, message, run_id, remedy: RUN_ERRORS[code] },
      gaps,
      warnings: [...run.warnings, message],
      limits: { ...run.limits, fired: fired.limits ?? run.limits.fired },
      timeouts: { ...run.timeouts, fired: fired.timeouts ?? run.timeouts.fired },
    };
  }
  const missing = missingFor(run, live, outcome.counts);
  if (missing.length > 0) throw new Error(`run ${run_id} is not complete: ${missing.join(', ')}`);
  const {
    output,
    gaps = [],
    counts,
    usage = run.usage,
    cost_usd = run.cost_usd,
    runner_clock = run.runner_clock,
  } = outcome;
  const seed_graph = counts === undefined ? run.seed_graph : { counts, gaps };
  return { ...ended, output, gaps, usage, cost_usd, runner_clock, seed_graph };
}

/** The code in the result of a tool call that had no result when its run ended. */
export const ENDED_BEFORE_ANSWER = 'run_ended';

/** Returns the transcript entries that close the reasoning and the tool calls of a run that ends without being complete. */
export function closingEntries({ open_calls, open_tools = {}, reasoning_open }: RunLive): NewEntry[] {
  const message = 'The run ended before this call was answered. What the call did may be stored.';
  const output = { error: { code: ENDED_BEFORE_ANSWER, message } };
  return [
    ...(reasoning_open ? [{ role: 'assistant', kind: 'reasoning_end' } as const] : []),
    ...open_calls.map(
      (call_id): NewEntry => ({
        role: 'tool',
        kind: 'tool_result',
        tool: { call_id, name: open_tools[call_id] ?? '', input: null, outcome: 'error', output },
      }),
    ),
  ];
}

/** Returns the last transcript entry of a failed run: the error message and the remedy. */
export function failureNote(error: NonNullable<RunData['error']>): NewEntry {
  const { code, message, remedy } = error;
  return { role: 'system', kind: 'note', text: `${message} ${remedy}`, note: { code, remedy } };
}

const END_WORDS = { completed: 'Done.', failed: 'Failed.', canceled: 'Canceled.' } as const;

/** Returns the progress of a run that has ended. */
export function endedProgress(live: RunLive, run: RunData): RunLive {
  const words = END_WORDS[run.status as keyof typeof END_WORDS];
  return {
    ...live,
    state: run.status,
    status_text: run.error?.message ?? words,
    current_step: null,
    progress_pct: run.status === 'completed' ? 100 : live.progress_pct,
  };
}
