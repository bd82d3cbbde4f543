/** Operations on tasks, runs and transcripts. */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Message, MessageData, Run, RunData, RunInclude, RunLive, Task, TaskData } from '#contract/work/task.ts';
import { isAgentRun } from '#domain/runs/agent-task.ts';
import { decodedFileId } from '#domain/runs/decode-task.ts';
import { createProgress, DEVICE_PLATFORM, hasEnded, isContinuous } from '#domain/runs/run.ts';
import { shownPrompt } from '#domain/runs/setup-task.ts';
import { pastRetention } from '#domain/runs/task-retention.ts';
import { gapsOfPlan, isUndoRun } from '#domain/runs/undo-task.ts';
import { endWrites, findRun, isOwn, readRun, stageAll } from '#domain/runs/writes.ts';
import { notFound, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { mediaOf } from '#handlers/base/shown-media.ts';
import { isRunRemoved, isTaskRemoved } from './removed-tasks.ts';
import { pinsOf } from './run-pins.ts';

/** Why a caller may not change a task or its runs here. */
export const ELSEWHERE = 'Head office or another gateway made this task, and only that one carries out its runs.';
/** Largest value of `queue_ahead`. */
const MOST_COUNTED = 1_000;

const between = (from: string | null, to: string | null) =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));

/**
 * Returns the progress fields of the run that decodes live data. The function makes these fields from the counters of the device and the
 * time of its last message.
 */
function decoding(device: DeviceLive | undefined, decoder: unknown): Partial<Run> {
  const heard = device?.last_seen_at ?? null;
  return {
    state: 'decoding',
    phase: 'decode',
    status_text:
      heard === null ? 'Waits for the device.' : `Decodes what the device sends; the last message arrived at ${heard}.`,
    current_step: typeof decoder === 'string' ? decoder : null,
    live: device === undefined ? null : { device_status: device.status, last_seen_at: heard, ...device.metrics },
    live_warning: device?.status === 'fault' ? 'Most of what the device sends cannot be read.' : null,
    sweep: 'The run lasts as long as the device sends data. A new version of the decoder starts a new run.',
  };
}

async function queueAhead(context: HandlerContext, run: Stored<RunData>): Promise<number> {
  const where = { 'data.status': 'pending', created_at: { lt: run.created_at } };
  return (await context.view.find('records', { object: 'run', where, limit: MOST_COUNTED })).length;
}

/** Converts a run to the API form. */
async function toRun(
  context: HandlerContext,
  stored: Stored<RunData>,
  live: RunLive | undefined,
  include: RunInclude,
): Promise<Run> {
  const document = readRun(stored);
  const { data } = document;
  const { revision: _, ...base } = wireBase(document);
  const { state, phase, status_text, current_step, progress_pct } = live ?? createProgress();
  const { platform, harness, provider, model, preset, device_id } = data.backend;
  const { usage_line_items = [], ...usage } = data.usage;
  const reportedUsage = { ...usage, ...(include === 'cost' ? { usage_line_items } : {}) };
  const queued = data.status === 'pending' && data.queued_at !== null;
  // Early versions stored a `queued_at` before `created_at`. Return the earliest time, so that the times are in order.
  const created_at = [document.created_at, data.queued_at ?? '~', data.started_at ?? '~'].toSorted()[0] as string;
  return {
    object: 'run',
    ...base,
    created_at,
    task_id: data.task_id,
    status: data.status,
    state,
    phase,
    status_text,
    current_step,
    progress_pct,
    terminal_event_count: data.terminal_event_count,
    error_json: data.error,
    warnings: data.warnings,
    retry: data.retry,
    lifecycle: {
      created_at,
      queued_at: data.queued_at,
      dequeued_at: data.dequeued_at,
      started_at: data.started_at,
      first_token_at: data.first_token_at,
      ended_at: data.ended_at,
    },
    row_clock: {
      queued_ms: between(data.queued_at, data.dequeued_at),
      first_token_ms: between(data.started_at, data.first_token_at),
      total_ms: between(created_at, data.ended_at),
    },
    runner_clock: data.runner_clock,
    ...(queued ? { queue_ahead: await queueAhead(context, document) } : {}),
    backend: { platform, harness, provider, model, preset },
    limits: data.limits,
    timeouts: data.timeouts,
    review_revision: data.review?.revision ?? null,
    harness: { budget_fired: data.limits.fired ?? data.timeouts.fired },
    pins: pinsOf(context, data, include === 'pins'),
    seed_graph: data.seed_graph,
    skills: data.skills,
    usage_json: reportedUsage,
    live: null,
    live_warning: null,
    sweep: queued ? 'The run waits in the queue.' : null,
    callback: callbackOf(data),
    output: data.output,
    usage: reportedUsage,
    cost_usd: data.cost_usd,
    error: data.error,
    gaps: data.gaps,
    started_at: data.started_at,
    ...(data.status !== 'running'
      ? {}
      : isContinuous(data)
        ? decoding(typeof device_id === 'string' ? context.live.device(device_id) : undefined, data.backend.decoder)
        : working(data, live)),
  };
}

const isDetached = ({ backend }: Pick<RunData, 'backend'>): boolean => backend.platform === DEVICE_PLATFORM;

/** Returns whether a worker, which carries out runs on a device, has reported the end of its run; null for other runs. */
function callbackOf(data: RunData): Run['callback'] {
  if (!isDetached(data)) return null;
  if (!hasEnded(data)) return 'awaited';
  return data.status === 'completed' || data.error?.code === 'tool_failed' ? 'arrived' : 'missing';
}

/** Returns what a run that works is doing at the moment. */
function working(data: RunData, live: RunLive | undefined): Partial<Run> {
  const { messages, open_tools = {} } = live ?? createProgress();
  const tools = Object.values(open_tools);
  const [tool] = tools;
  const waitsFor = isDetached(data) ? 'the report of the worker' : isAgentRun(data) ? 'the model' : undefined;
  return {
    live: { messages, open_tools: tools },
    sweep:
      tool !== undefined
        ? `The run waits for the tool ${tool}.`
        : waitsFor === undefined
          ? 'The run works.'
          : `The run waits for ${waitsFor}.`,
  };
}

async function toRuns(context: HandlerContext, runs: readonly Stored<RunData>[], include: RunInclude): Promise<Run[]> {
  const live = await context.view.getMany<RunLive>(
    'live',
    runs.map(({ id }) => id),
  );
  const progress = new Map(live.map((document) => [document.id, document.data]));
  return Promise.all(runs.map((run) => toRun(context, run, progress.get(run.id), include)));
}

/** Converts tasks to the API form, with their latest runs. */
export async function toTasks(
  context: HandlerContext,
  tasks: readonly Stored<TaskData>[],
  include?: RunInclude,
): Promise<Task[]> {
  const ids = tasks.flatMap(({ data }) => data.latest_run_id ?? []);
  const found = (await context.view.getMany<RunData>('records', ids)).filter(({ object }) => object === 'run');
  const runs = new Map((await toRuns(context, found, include)).map((run) => [run.id, run]));
  const files = await context.media.newest(context.view.project_id, 'run', ids);
  return tasks.map((document) => {
    const { data } = document;
    const run = runs.get(data.latest_run_id ?? '') ?? null;
    const own = data.links?.artifact_id === undefined ? [] : [data.links.artifact_id];
    const media = mediaOf([...own, ...(run?.output?.artifacts ?? [])], run === null ? [] : files.get(run.id));
    const url = `/api/v1/tasks/${document.id}/stream`;
    return {
      object: 'task',
      ...wireBase(document),
      kind: data.kind,
      title: data.title,
      prompt: shownPrompt(data),
      created_by: data.created_by ?? { type: 'service', id: null, name: 'headframe' },
      auto_paused: data.auto_paused ?? false,
      latest_run_id: data.latest_run_id,
      run,
      stream: run === null ? null : { url, run_id: run.id },
      links: data.links ?? {},
      context: { run_id: data.latest_run_id, device_id: data.links?.device_id ?? null, media: media },
    };
  });
}

export async function requireTask(context: HandlerContext, task_id: string): Promise<Stored<TaskData>> {
  const found = await context.view.get<TaskData>('records', task_id);
  if (found?.object === 'task') return found;
  if (await isTaskRemoved(context.view, task_id))
    throw new OperationError('past_retention', pastRetention('The task of this file'), {
      param: 'task_id',
      details: [{ artifact_id: decodedFileId(task_id) }],
    });
  throw notFound('task', 'task_id');
}

/** Converts one task to the API form. */
export async function oneTask(context: HandlerContext, task: Stored<TaskData>, include?: RunInclude): Promise<Task> {
  const [one] = await toTasks(context, [task], include);
  if (one === undefined) throw new Error(`task ${task.id} was deleted between two reads`);
  return one;
}

/**
 * Reads the run that a request names; the run must belong to the named task. If the request names no run, reads the latest run of the task.
 */
export async function requireRun(
  context: HandlerContext,
  task_id: string | undefined,
  run_id: string | undefined,
): Promise<Stored<RunData>> {
  if (task_id === undefined && run_id === undefined)
    throw new OperationError('parameter_missing', 'Give `task_id`, `run_id` or both.', { param: 'task_id' });
  const task = task_id === undefined ? undefined : await requireTask(context, task_id);
  const id = run_id ?? task?.data.latest_run_id ?? null;
  const found = id === null ? undefined : await context.view.get<RunData>('records', id);
  if (found === undefined && id !== null && (await isRunRemoved(context.view, id)))
    throw new OperationError('past_retention', pastRetention('A run with this id'), { param: 'run_id' });
  if (found?.object !== 'run' || (task !== undefined && found.data.task_id !== task.id))
    throw notFound('run', 'run_id');
  return found;
}

function toMessage(document: Stored<MessageData>): Message {
  const { id, project_id, created_at, data } = document;
  const { before: _, ...said } = data;
  return { object: 'message', id, project_id, ...said, created_at };
}

export const taskHandlers = handlerGroup([], {
  async tasks_get({ task_id, include }, context) {
    return oneTask(context, await requireTask(context, task_id), include);
  },

  async tasks_list({ run_id, ...input }, context) {
    const run = run_id === undefined ? undefined : await requireRun(context, undefined, run_id);
    const query = { object: 'task', where: { 'data.kind': input.kind, ...(run && { id: run.data.task_id }) } };
    return listPage<TaskData, Task>(context, context.view, 'records', input, query, (tasks) => toTasks(context, tasks));
  },

  async runs_get({ run_id, include }, context) {
    const run = await requireRun(context, undefined, run_id);
    const live = await context.view.get<RunLive>('live', run.id);
    return toRun(context, run, live?.data, include);
  },

  async tasks_status({ task_id, run_id, include }, context) {
    const run = await requireRun(context, task_id, run_id);
    const live = await context.view.get<RunLive>('live', run.id);
    return toRun(context, run, live?.data, include);
  },

  async tasks_runs({ task_id, include, ...input }, context) {
    await requireTask(context, task_id);
    const query = { object: 'run', where: { 'data.task_id': task_id } };
    return listPage<RunData, Run>(context, context.view, 'records', input, query, (runs) =>
      toRuns(context, runs, include),
    );
  },

  async tasks_messages({ task_id, run_id, after_sequence, ...input }, context) {
    await requireTask(context, task_id);
    if (after_sequence !== undefined && run_id === undefined)
      throw new OperationError(
        'parameter_missing',
        '`after_sequence` requires `run_id`, because messages are numbered within a run.',
        {
          param: 'run_id',
        },
      );
    const where = {
      'data.task_id': task_id,
      'data.run_id': run_id,
      'data.sequence': after_sequence === undefined ? undefined : { gt: after_sequence },
    };
    return listPage<MessageData, Message>(
      context,
      context.view,
      'events',
      input,
      { object: 'message', where },
      (found) => found.map(toMessage),
    );
  },

  async tasks_cancel({ task_id }, context) {
    const { view, caller } = context;
    const task = await requireTask(context, task_id);
    const state = task.data.latest_run_id === null ? undefined : await findRun(view, task.data.latest_run_id);
    if (state === undefined || hasEnded(state.run.data))
      throw new OperationError('no_active_run', 'This task has no active run.', { param: 'task_id' });
    if (!isOwn(task.data, context.nodeId))
      throw new OperationError('run_not_cancelable', [say(ELSEWHERE), say('It cannot be canceled here.')], {
        param: 'task_id',
      });
    if (isContinuous(state.run.data))
      throw new OperationError(
        'run_not_cancelable',
        'Live decoding cannot be canceled. It ends when the key of the device is revoked.',
        { param: 'task_id' },
      );
    // An undo that works, or that replaces one that worked, has stored its gaps.
    const isWaitingUndo =
      state.run.data.status === 'pending' && isUndoRun(state.run.data) && state.run.data.gaps.length === 0;
    const gaps = isWaitingUndo ? { gaps: gapsOfPlan(task.data.plan) } : {};
    stageAll(view, endWrites(context, state, { status: 'canceled', by: caller.name, ...gaps }));
    return oneTask(context, task);
  },
});
