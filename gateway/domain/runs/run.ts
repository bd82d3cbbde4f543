/**
 * The life of a run, and when it may end.
 *
 *   pending --> running --end--> completed | failed | canceled        (pending may end at once)
 *
 * Invariants: a run ends once; a run is completed only when its last word is kept, reasoning is closed, every tool call has a result
 * and the declared counts are there; a failure names a code of the table.
 */
import {
  type Gap,
  type MessageData,
  RUN_ERRORS,
  type RunCeilings,
  type RunData,
  type RunErrorCode,
  type RunLive,
  type TaskKind,
} from '#contract/work/task.ts';

const NOTHING_USED: RunData['usage'] = {
  input_tokens: null,
  output_tokens: null,
  tool_calls: null,
  credits: null,
  wall_ms: null,
};

/** No ceiling at all: for work that lasts as long as its source. */
const UNBOUNDED: RunCeilings = {
  limits: { wall_s: null, cpu_s: null, continuations: null, spend_usd: null, fired: null },
  timeouts: { tool_s: null, instruction_s: null, queue_pickup_s: null, liveness_s: null, fired: null },
};
/** The ceilings of a run of an agent. */
const AGENT: RunCeilings = {
  limits: { wall_s: 900, cpu_s: 120, continuations: 20, spend_usd: null, fired: null },
  timeouts: { tool_s: 60, instruction_s: 300, queue_pickup_s: 120, liveness_s: 45, fired: null },
};
/** What suits a program on a device that is not always there. */
const DEVICE: RunCeilings = {
  limits: { wall_s: 3_600, cpu_s: null, continuations: null, spend_usd: null, fired: null },
  timeouts: { tool_s: null, instruction_s: null, queue_pickup_s: 3_600, liveness_s: 300, fired: null },
};
/** What suits a file of gigabytes on a small box. */
const BULK: RunCeilings = {
  limits: { ...UNBOUNDED.limits, wall_s: 86_400 },
  timeouts: { ...UNBOUNDED.timeouts, liveness_s: 300 },
};

/** The ceilings of each kind of work. */
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

/** What a new run is told; the rest is nothing yet. */
export type NewRun = Pick<RunData, 'task_id'> & { readonly kind: TaskKind } & Partial<RunData>;

/** A run that waits to be picked up. */
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
    ...CEILINGS[kind],
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

/** The preset of a run that decodes what a device sends for as long as it sends. */
const CONTINUOUS = 'live';

/** The run that stands for live decoding of a device by one decoder version. */
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

/** A run as stored, filled up with what its first versions left out. */
export function restoreRun(stored: RunData): RunData {
  const run = createRun({ ...(isContinuous(stored) ? UNBOUNDED : {}), ...stored, kind: 'decode' });
  if (!isContinuous(run) || run.started_at === null) return run;
  const backend = { ...run.backend, preset: CONTINUOUS };
  return { ...run, backend, queued_at: run.started_at, dequeued_at: run.started_at };
}

/** The later of times, as a clock that was set back would have given them in the wrong order. */
function latest(...times: (string | null)[]): string {
  return times.reduce<string>((last, time) => (time !== null && time > last ? time : last), '');
}

/** The run as it is picked up at this time. */
export function startRun(run: RunData, now: string): RunData {
  const at = latest(run.queued_at, now);
  return { ...run, status: 'running', dequeued_at: at, started_at: at };
}

/** True for live decoding, which nobody queued and nobody cancels. */
export function isContinuous({ backend, queued_at }: Pick<RunData, 'backend'> & Partial<RunData>): boolean {
  return backend.preset === CONTINUOUS || (queued_at == null && typeof backend.decoder === 'string');
}

/** The progress of a run that nobody has picked up. */
export function createProgress(): RunLive {
  return {
    state: 'queued',
    phase: null,
    status_text: 'Waits to be picked up.',
    current_step: null,
    progress_pct: null,
    messages: 0,
    open_calls: [],
    reasoning_open: false,
    final_message_id: null,
  };
}

/** True once a run has its outcome. */
export function hasEnded({ status }: Pick<RunData, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** What a writer of transcripts says; sequence and ids are given by the transcript. */
export type Said = Pick<MessageData, 'role' | 'kind'> & Partial<Pick<MessageData, 'text' | 'tool' | 'note' | 'final'>>;

/** Tool calls that may wait for their results at once. */
const MAX_OPEN_CALLS = 64;

/** The transcript with one more entry; throws for a result without its call, and for too many open calls. */
export function applyMessage(live: RunLive, said: Said, id: string): RunLive {
  const open = new Set(live.open_calls);
  const call = said.tool?.call_id ?? '';
  if (said.kind === 'tool_call') open.add(call);
  if (said.kind === 'tool_result' && (!open.delete(call) || said.tool?.outcome == null))
    throw new RangeError(`a result needs an outcome and an open call; there is no open ${call}`);
  if (open.size > MAX_OPEN_CALLS) throw new RangeError(`more than ${MAX_OPEN_CALLS} tool calls are open`);
  const reasoning = said.kind === 'reasoning' ? true : said.kind === 'reasoning_end' ? false : live.reasoning_open;
  return {
    ...live,
    messages: live.messages + 1,
    open_calls: [...open],
    reasoning_open: reasoning,
    final_message_id: said.final ? id : live.final_message_id,
  };
}

/** How a run ends. */
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
      readonly fired?: Partial<Record<'limits' | 'timeouts', string>>;
    }
  | { readonly status: 'canceled'; readonly by: string };

/** The parts that a run lacks to be completed; empty if it lacks none. */
export function missingFor(run: RunData, live: RunLive, counts: Readonly<Record<string, number>> = {}): string[] {
  return [
    ...(live.final_message_id === null ? ['final message'] : []),
    ...(live.reasoning_open ? ['end of reasoning'] : []),
    ...live.open_calls.map((call) => `result of tool call ${call}`),
    ...run.declares.filter((name) => counts[name] === undefined).map((name) => `count of ${name}`),
  ];
}

/** The run with its outcome, its one terminal frame counted; throws when it has ended or is not complete. */
export function endRun(run: RunData, live: RunLive, run_id: string, outcome: Outcome, now: string): RunData {
  if (hasEnded(run)) throw new Error(`run ${run_id} has ended already`);
  const ended: RunData = {
    ...run,
    status: outcome.status,
    terminal_event_count: 1,
    ended_at: latest(run.queued_at, run.started_at, now),
  };
  if (outcome.status === 'canceled') return { ...ended, warnings: [...run.warnings, `canceled by ${outcome.by}`] };
  if (outcome.status === 'failed') {
    const { code, message, fired = {} } = outcome;
    return {
      ...ended,
      error: { code, message, run_id, remedy: RUN_ERRORS[code] },
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

/** The visible note that a failed run leaves in its transcript. */
export function failureNote(error: NonNullable<RunData['error']>): Said {
  const { code, message, remedy } = error;
  return { role: 'system', kind: 'note', text: `${message} ${remedy}`, note: { code, remedy } };
}

const END_WORDS = { completed: 'Done.', failed: 'Failed.', canceled: 'Canceled.' } as const;

/** The progress of a run that has its outcome. */
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
