/** A task is a unit of asynchronous work. A run is one attempt: its receipt has the outcome, and its transcript has all messages. */
import { z } from 'zod';
import { base, Context, Id, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { Pin, type RunKept } from './run-kept.ts';

const TASK_KINDS = [
  'setup',
  'custom_action',
  'agent',
  'worker',
  'decode',
  'import',
  'export',
  'backup',
  'maintenance',
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];
export const RUN_STATUS = ['pending', 'running', 'completed', 'failed', 'canceled'] as const;

/** Objects of which a setup was not certain. */
export const GapProposal = z
  .object({
    operation: z
      .string()
      .nullable()
      .meta({ description: 'Makes one of the objects; null if they are parts of others.' }),
    objects: z.array(z.record(z.string(), z.unknown())).max(100),
  })
  .meta({ description: 'What the setup did not make because it was not certain, filled in.' });
const Gap = z.object({
  code: z.string(),
  resource: z.string(),
  ref: z.string().nullable(),
  message: z.string(),
  remedy: z.string(),
  blocking: z.boolean(),
  proposal: GapProposal.optional(),
});
export type Gap = z.infer<typeof Gap>;

const number = z.number().nullable();
const Usage = z.object({
  input_tokens: number,
  output_tokens: number,
  tool_calls: number,
  credits: number,
  wall_ms: number.meta({ unit: 'ms' }),
  usage_line_items: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .meta({ description: 'Itemized costs; only with `include=cost`.' }),
});

const RunError = z
  .object({
    code: z.string().meta({ description: 'Failure class; stable.' }),
    message: z.string(),
    run_id: z.string(),
    remedy: z.string(),
  })
  .meta({ id: 'RunError', description: 'The error of a failed run, with a remedy.' });

const Output = z.object({
  summary: z.string().nullable(),
  created: z.record(z.string(), z.array(z.string())).meta({ description: 'Ids by kind of object.' }),
  updated: z.record(z.string(), z.array(z.string())),
  artifacts: z.array(z.string()),
  details: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'For a decoded file: time span, buses, signals, machines, trouble codes.' }),
});

const Limits = z.object({
  wall_s: number.meta({ unit: 's' }),
  cpu_s: number.meta({ unit: 's' }),
  continuations: number,
  spend_usd: number.meta({ unit: 'USD' }),
  tokens: number.optional().meta({ description: 'Input and output together.' }),
  fired: z.string().nullable().meta({ description: 'The limit that ended the run.' }),
});
const Timeouts = z.object({
  tool_s: number.meta({ unit: 's' }),
  instruction_s: number.meta({ unit: 's' }),
  queue_pickup_s: number.meta({
    unit: 's',
    description: 'Longest time without anything that carries out runs of this kind.',
  }),
  liveness_s: number.meta({ unit: 's' }),
  fired: z.string().nullable(),
});
export type RunCeilings = { limits: z.infer<typeof Limits>; timeouts: z.infer<typeof Timeouts> };

const Backend = z.object({
  platform: z.string().nullable(),
  harness: z.string().nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  preset: z.string().nullable(),
});

const Skill = z.object({
  skill_id: z.string(),
  source: z.enum(['catalog', 'project_override']),
  executed_hash: z.string(),
  base_catalog_hash: z.string().nullable(),
});

const at = Timestamp.nullable();
const SeedGraph = z.object({ counts: z.record(z.string(), z.number().int()), gaps: z.array(Gap) });

/** The progress of a run as text. */
const progress = {
  state: z.string(),
  phase: z.string().nullable(),
  status_text: z.string(),
  current_step: z.string().nullable(),
  progress_pct: number.meta({ unit: '%' }),
};

export const Run = z
  .object({
    object: z.literal('run'),
    id: z.string(),
    task_id: z.string(),
    project_id: z.string(),
    status: z.enum(RUN_STATUS),
    ...progress,
    terminal_event_count: z.number().int().meta({ description: '1 once the last event is stored.' }),
    error_json: RunError.nullable(),
    warnings: z.array(z.string()),
    retry: z.object({ retry_of: z.string().nullable(), retry_count: z.number().int() }),
    lifecycle: z.object({
      created_at: Timestamp,
      queued_at: at,
      dequeued_at: at,
      started_at: at,
      first_token_at: at,
      ended_at: at,
    }),
    row_clock: z.object({
      queued_ms: number.meta({ unit: 'ms' }),
      first_token_ms: number.meta({ unit: 'ms' }),
      total_ms: number.meta({ unit: 'ms' }),
    }),
    runner_clock: z.object({ wall_ms: number.meta({ unit: 'ms' }), cpu_ms: number.meta({ unit: 'ms' }) }),
    queue_ahead: z
      .number()
      .int()
      .optional()
      .meta({ description: 'Number of queued runs before this one; only for a queued run.' }),
    backend: Backend,
    limits: Limits,
    timeouts: Timeouts,
    harness: z.object({ budget_fired: z.string().nullable() }),
    review_revision: number.meta({ description: 'Revision of the review configuration that the run keeps.' }),
    pins: z.array(Pin),
    seed_graph: SeedGraph.nullable(),
    skills: z.array(Skill),
    usage_json: Usage,
    live: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'Intermediate state while the run is active.' }),
    live_warning: z.string().nullable(),
    sweep: z.string().nullable().meta({ description: 'Reason why the run is still active.' }),
    callback: z.enum(['awaited', 'arrived', 'missing']).nullable().meta({
      description:
        'Whether the worker of a device has reported the end of its run. `missing`: the run ended without it.',
    }),
    output: Output.nullable(),
    usage: Usage,
    cost_usd: number.meta({ description: 'Cost in USD; null, never 0, if unknown.', unit: 'USD' }),
    error: RunError.nullable().meta({ description: 'The same as `error_json`.' }),
    gaps: z.array(Gap),
    started_at: at,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Run', description: 'One attempt of a task: status block and receipt.' });
export type Run = z.infer<typeof Run>;

const StreamHandle = z.object({ url: z.string(), run_id: z.string() });
export const Task = z
  .object({
    object: z.literal('task'),
    ...base,
    kind: z.enum(TASK_KINDS),
    title: z.string(),
    prompt: z.string().nullable(),
    created_by: z.object({ type: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    auto_paused: z.union([z.literal(false), z.object({ code: z.string(), at: Timestamp })]),
    latest_run_id: z.string().nullable(),
    run: Run.nullable(),
    stream: StreamHandle.nullable().meta({ description: 'Stream of the latest run (server-sent events).' }),
    links: z.record(z.string(), z.string()).meta({ description: 'Ids of the objects that the task concerns.' }),
    context: Context,
  })
  .meta({ id: 'Task', description: 'A unit of asynchronous work, with its latest run.' });
export type Task = z.infer<typeof Task>;

/** `data` of a stored task. `node_id`: who executes it. `plan`: checked plan of a setup, or plan of an undo. `read`: its files, as they were read. */
export type TaskData = Pick<Task, 'kind' | 'title' | 'latest_run_id'> &
  Partial<
    Pick<Task, 'prompt' | 'created_by' | 'auto_paused' | 'links'> & { node_id: string; plan: unknown; read: unknown }
  >;

/** `data` of a stored run. */
export interface RunData extends Pick<TaskData, 'node_id'>, RunKept {
  task_id: string;
  status: Run['status'];
  terminal_event_count: number;
  output: Run['output'];
  usage: Run['usage'];
  cost_usd: number | null;
  error: Run['error'];
  gaps: Gap[];
  backend: Run['backend'] & Record<string, unknown>;
  queued_at: string | null;
  dequeued_at: string | null;
  started_at: string | null;
  first_token_at: string | null;
  ended_at: string | null;
  warnings: string[];
  retry: Run['retry'];
  limits: Run['limits'];
  timeouts: Run['timeouts'];
  runner_clock: Run['runner_clock'];
  seed_graph: Run['seed_graph'];
  skills: Run['skills'];
  /** Names of numbers, such as a count of created objects, that `seed_graph` must have before the run can end as `completed`. */
  declares: string[];
  /** The run whose conversation this run continues after an approval. A replacement continues the run of `retry.retry_of`. */
  continues?: string;
}

/** State of a run that has not ended. It is stored in `live` under the id of the run. */
export interface RunLive {
  state: string;
  phase: string | null;
  status_text: string;
  current_step: string | null;
  progress_pct: number | null;
  messages: number;
  /** Ids of the tool calls that have no result yet. */
  open_calls: string[];
  /** Names of the tools of these calls, by the id of the call. Absent in runs of early versions. */
  open_tools?: Record<string, string>;
  reasoning_open: boolean;
  final_message_id: string | null;
}

const TOOL_OUTCOME = ['output', 'error', 'denied'] as const;
const Message = z
  .object({
    object: z.literal('message'),
    id: z.string(),
    project_id: z.string(),
    task_id: z.string(),
    run_id: z.string(),
    sequence: z.number().int().meta({ description: 'Number within the run, from 1.' }),
    role: z.enum(['user', 'assistant', 'tool', 'system']),
    kind: z.enum(['message', 'reasoning', 'reasoning_end', 'tool_call', 'tool_result', 'note']),
    text: z.string().nullable(),
    tool: z
      .object({
        call_id: z.string(),
        name: z.string(),
        input: z.unknown(),
        outcome: z.enum(TOOL_OUTCOME).nullable(),
        output: z.unknown(),
      })
      .nullable(),
    note: z
      .object({ code: z.string(), remedy: z.string() })
      .nullable()
      .meta({ description: 'Why the run failed and what to do.' }),
    final: z.boolean().meta({ description: 'True: the final message.' }),
    created_at: Timestamp,
  })
  .meta({ id: 'TaskMessage', description: 'One entry of a transcript.' });
export type Message = z.infer<typeof Message>;
/** What an object had before a call changed it: its id and revision, and the values of the fields that the call names. */
export interface Before {
  readonly id?: string;
  readonly revision: number;
  readonly fields: Readonly<Record<string, unknown>>;
}
/** `data` of a stored message. `before`: only in the call of a tool that changes one object; answers leave it out. */
export type MessageData = Omit<Message, 'object' | 'id' | 'project_id' | 'created_at'> & { before?: Before };

const taskPath = { task_id: Id };
const include = {
  include: z.enum(['cost', 'pins']).optional().meta({
    description:
      '`cost`: itemized costs. `pins`: the content of what the run keeps, as it was when the run was created.',
  }),
};
export type RunInclude = z.infer<typeof include.include>;
const runQuery = { run_id: Id.optional().meta({ description: 'The latest run when absent.' }) };

export const taskOperations = {
  tasks_get: operation({
    progress: true,
    method: 'GET',
    path: `${V1}/tasks/{task_id}`,
    summary: 'Get a task with its latest run',
    input: z.object({ ...taskPath, ...include }),
    output: Task,
    errors: ['not_found', 'past_retention'],
  }),
  tasks_list: operation({
    method: 'GET',
    path: `${V1}/tasks`,
    summary: 'List tasks with their latest runs',
    input: z.object({
      ...listQuery,
      kind: z.enum(TASK_KINDS).optional(),
      run_id: Id.optional().meta({ description: 'The task of this run.' }),
    }),
    output: listOf(Task),
    errors: ['not_found', 'past_retention', 'invalid_cursor'],
    source: { extension: 'a person who lost the id of a task must be able to find the task' },
  }),
  runs_get: operation({
    method: 'GET',
    path: `${V1}/runs/{run_id}`,
    summary: 'Get a run by its id, with its task_id',
    input: z.object({ run_id: Id, ...include }),
    output: Run,
    errors: ['not_found', 'past_retention'],
    source: { extension: 'callers must be able to read the run that `context.run_id` gives' },
  }),
  tasks_status: operation({
    progress: true,
    method: 'GET',
    path: `${V1}/tasks/{task_id}/status`,
    summary: 'Get the live state of a run; default: the latest',
    input: z.object({
      task_id: Id.optional().meta({ description: 'Part of the path in REST; optional in the tool.' }),
      ...runQuery,
      ...include,
    }),
    output: Run,
    errors: ['not_found', 'past_retention'],
  }),
  tasks_runs: operation({
    method: 'GET',
    path: `${V1}/tasks/{task_id}/runs`,
    summary: 'List the receipts of all runs of a task',
    input: z.object({ ...taskPath, ...listQuery, ...include }),
    output: listOf(Run),
    errors: ['not_found', 'past_retention', 'invalid_cursor'],
  }),
  tasks_messages: operation({
    method: 'GET',
    path: `${V1}/tasks/{task_id}/messages`,
    summary: 'Read the transcript: messages, tool calls, and the error with its remedy',
    input: z.object({
      ...taskPath,
      ...listQuery,
      order: z.enum(['asc', 'desc']).default('asc').meta({ description: 'Oldest first unless `desc`.' }),
      run_id: Id.optional().meta({ description: 'Messages of this run only.' }),
      after_sequence: z
        .number()
        .int()
        .min(0)
        .optional()
        .meta({ description: 'Only messages after this sequence number; requires `run_id`.' }),
    }),
    output: listOf(Message),
    errors: ['not_found', 'past_retention', 'invalid_cursor'],
  }),
  tasks_cancel: operation({
    method: 'POST',
    path: `${V1}/tasks/{task_id}/cancel`,
    summary: 'Cancel the active run of a task; the task stays',
    input: z.object({ ...taskPath }),
    output: Task,
    status: 202,
    errors: ['not_found', 'past_retention', 'no_active_run', 'run_not_cancelable'],
  }),
  tasks_stream: operation({
    method: 'GET',
    path: `${V1}/tasks/{task_id}/stream`,
    summary: 'Stream a run as server-sent events until its terminal event',
    httpOnly: 'events',
    stream: 'run',
    input: z.object({ ...taskPath, ...runQuery }),
    output: z.object({}),
    errors: ['not_found', 'past_retention', 'rate_limited', 'backend_unavailable'],
    source: { extension: 'a task contains the address of this stream' },
  }),
} as const;
