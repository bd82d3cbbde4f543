/**
 * Builds the writes that create a task or run, append to the transcript (the stored messages) of a run, and end a run. Each function
 * returns the writes of one commit. A handler stages these writes: the gateway commits them after the handler has returned. The run queue
 * commits them itself. The writes name the revision of the run that was read. If another caller has changed the run since then, the commit
 * fails with a conflict.
 */

import type { Kind } from '#contract/base/ids.ts';
import type { Stored, Write } from '#contract/base/view.ts';
import type { StagedView } from '#contract/context.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import type { Reviewed } from './review.ts';
import {
  applyMessage,
  closingEntries,
  createProgress,
  createRun,
  endedProgress,
  endRun,
  failureNote,
  hasEnded,
  type NewEntry,
  type NewRun,
  type Outcome,
  restoreRun,
} from './run.ts';

/** The clock, the id generator and the node id that the functions below need. */
export interface RunTools {
  readonly now: string;
  newId(kind: Kind, place?: number): string;
  /**
   * The id of the node (gateway) that executes new runs. If it is absent, new tasks and runs have no `node_id`, and `isOwn` is true for
   * them on every node.
   */
  readonly nodeId?: string;
}

/** Returns the field `node_id` for a new task or run; an object without fields if `tools` has no `nodeId`. */
export const ownerOf = ({ nodeId }: Pick<RunTools, 'nodeId'>): Pick<TaskData, 'node_id'> =>
  nodeId === undefined ? {} : { node_id: nodeId };

/** Returns true if this node executes the task or run. */
export const isOwn = ({ node_id }: Pick<TaskData, 'node_id'>, nodeId: string): boolean =>
  node_id === undefined || node_id === nodeId;

/** A run and its progress, both as stored. */
export interface RunState {
  readonly run: Stored<RunData>;
  readonly live: Stored<RunLive> | undefined;
}

/** The input of `stageTask`. */
export interface NewTask extends Pick<TaskData, 'kind' | 'title'> {
  readonly prompt?: string | null;
  readonly created_by: NonNullable<TaskData['created_by']>;
  /** The ids of related objects. The key is the name of the field, for example `device_id`. */
  readonly links?: Record<string, string>;
  readonly run?: Partial<Omit<NewRun, 'task_id' | 'kind'>>;
  /** The plan that a setup writes; without it, the setup plans from the prompt. */
  readonly plan?: unknown;
  /** What was read of the files of a setup, whose text stands in the prompt. */
  readonly read?: unknown;
  /** The review configuration of the project (`readReview`). If it does not allow the work, the run ends at once. */
  readonly review?: Reviewed;
}

/** The kinds of tasks that this version executes. The first run of a task of another kind fails at once with `backend_unavailable`. */
const PICKED_UP: ReadonlySet<TaskData['kind']> = new Set([
  'setup',
  'agent',
  'custom_action',
  'worker',
  'decode',
  'maintenance',
]);

const plain = (data: object) => data as Record<string, unknown>;

/** Returns a stored run with the fields that early versions did not store. */
export function readRun(document: Stored<RunData>): Stored<RunData> {
  return { ...document, data: restoreRun(document.data) };
}

function message(
  tools: RunTools,
  run: Stored<RunData>,
  live: RunLive,
  said: NewEntry,
): { write: Write; live: RunLive } {
  // All entries of a commit have the same time, and lists sort entries with the same time by id. So the id contains the sequence number.
  const id = tools.newId('message', live.messages + 1);
  const next = applyMessage(live, said, id);
  const { role, kind, text = null, tool = null, note = null, final = false, before } = said;
  const { task_id } = run.data;
  const data = {
    ...{ task_id, run_id: run.id, sequence: next.messages, role, kind, text, tool, note, final },
    ...(before === undefined ? {} : { before }),
  };
  return {
    write: { collection: 'events', id, object: 'message', data: plain(data), expected: 0, at: tools.now },
    live: next,
  };
}

function liveWrite({ run, live }: RunState, data: RunLive, at: string): Write {
  return { collection: 'live', id: run.id, object: 'run', data: plain(data), expected: live?.revision ?? 0, at };
}

/** Returns the writes that append entries to the transcript of a run. Throws if the run has ended. */
export function messageWrites(tools: RunTools, state: RunState, said: readonly NewEntry[]): Write[] {
  if (hasEnded(state.run.data)) throw new Error(`run ${state.run.id} has ended; its transcript is closed`);
  let live = state.live?.data ?? createProgress();
  const writes = said.map((one) => {
    const made = message(tools, state.run, live, one);
    live = made.live;
    return made.write;
  });
  return [...writes, liveWrite(state, live, tools.now)];
}

/**
 * Returns the writes that end a run: the run with its outcome, its progress, the last transcript entries, and for a failed run an entry
 * with the remedy. Throws if the run has already ended or may not be completed (see `endRun`).
 */
export function endWrites(tools: RunTools, state: RunState, outcome: Outcome, last: readonly NewEntry[] = []): Write[] {
  const { run } = state;
  let live = state.live?.data ?? createProgress();
  const writes: Write[] = [];
  const say = (said: NewEntry) => {
    const made = message(tools, run, live, said);
    live = made.live;
    writes.push(made.write);
  };
  for (const said of last) say(said);
  if (outcome.status !== 'completed') for (const said of closingEntries(live)) say(said);
  const data = endRun(run.data, live, run.id, outcome, tools.now);
  if (data.error !== null) say(failureNote(data.error));
  return [
    { collection: 'records', id: run.id, object: 'run', data: plain(data), expected: run.revision, at: tools.now },
    liveWrite(state, endedProgress(live, data), tools.now),
    ...writes,
  ];
}

/**
 * If a run dies (ends without an outcome, for example because its process crashed), the gateway replaces it by a new run. If this many runs
 * of a task die one after the other, the gateway pauses the task.
 */
const MAX_DEATHS = 3;

/** The input of `replaceWrites`, which replaces a run that died, for example because its process crashed. */
export interface Replacement {
  /** The task of the run. It gets the id of the replacement run, or is paused. Undefined if the task no longer exists. */
  readonly task: Stored<TaskData> | undefined;
  /** Creates the replacement run, which repeats the same work. */
  readonly next: (retry: RunData['retry']) => RunData;
  /** First transcript entries of the replacement run. */
  readonly asked?: readonly NewEntry[];
  /** Returns the error message that the last run of a paused task gets. `last` is the error message of the last failure. */
  readonly givenUp: (deaths: number, last: string) => string;
}

/**
 * Returns the writes that end a run that died, and that queue a replacement run. If this run and the two runs that it replaced have all
 * died, the writes pause the task instead. A run that an upgrade of the gateway stopped does not count as a run that died.
 */
export function replaceWrites(
  tools: RunTools,
  state: RunState,
  died: Extract<Outcome, { status: 'failed' }>,
  { task, next, asked = [], givenUp }: Replacement,
): Write[] {
  const { data, id } = state.run;
  const before = typeof data.backend.deaths === 'number' ? data.backend.deaths : 0;
  const deaths = before + (died.code === 'run_evicted_by_deploy' ? 0 : 1);
  if (deaths >= MAX_DEATHS) {
    const auto_paused = { code: 'task_auto_paused_repeat_failure', at: tools.now } as const;
    const message = givenUp(deaths, died.message);
    return [
      ...endWrites(tools, state, { ...died, code: auto_paused.code, message }),
      ...taskWrites(tools, task, { auto_paused }),
    ];
  }
  const run_id = tools.newId('run');
  const made = next({ retry_of: id, retry_count: data.retry.retry_count + 1 });
  const waiting: RunData = { ...made, backend: { ...made.backend, deaths } };
  return [
    ...endWrites(tools, state, died),
    ...queueWrites(tools, run_id, waiting, asked),
    ...taskWrites(tools, task, { latest_run_id: run_id }),
  ];
}

/** Returns the writes that create a pending run: the run, its progress, and the first entries of its transcript. */
export function queueWrites(tools: RunTools, id: string, data: RunData, asked: readonly NewEntry[] = []): Write[] {
  const run = { id, data } as Stored<RunData>;
  return [
    { collection: 'records', id, object: 'run', data: plain(data), expected: 0, at: tools.now },
    ...messageWrites(tools, { run, live: undefined }, asked),
  ];
}

function taskWrites({ now }: RunTools, task: Stored<TaskData> | undefined, change: Partial<TaskData>): Write[] {
  if (task === undefined) return [];
  const data = plain({ ...task.data, ...change });
  return [{ collection: 'records', id: task.id, object: 'task', data, expected: task.revision, at: now }];
}

/** Reads a run of the project with its progress; returns undefined if the run does not exist. */
export async function findRun(view: Pick<StagedView, 'get'>, id: string): Promise<RunState | undefined> {
  const found = await view.get<RunData>('records', id);
  if (found?.object !== 'run') return undefined;
  return { run: readRun(found), live: await view.get<RunLive>('live', id) };
}

/** Stages a list of writes. */
export function stageAll(view: StagedView, writes: readonly Write[]): void {
  for (const write of writes) view.stage(write);
}

/**
 * Stages a task with its first run and its prompt. The run ends at once if this gateway does not execute tasks of this kind
 * (`backend_unavailable`), or if the review configuration of the project does not allow the work.
 */
export function stageTask(
  tools: RunTools,
  view: StagedView,
  given: NewTask,
): { task: Stored<TaskData>; run: Stored<RunData> } {
  const { kind, title, prompt = null, created_by, links = {}, plan, read } = given;
  const task_id = tools.newId('task');
  const run_id = tools.newId('run');
  const task = view.stage<TaskData>({
    collection: 'records',
    id: task_id,
    object: 'task',
    data: {
      ...ownerOf(tools),
      ...{ kind, title, prompt, created_by, auto_paused: false, links, latest_run_id: run_id },
      ...(plan === undefined ? {} : { plan }),
      ...(read === undefined ? {} : { read }),
    },
    expected: 0,
  });
  return { task, run: stageRun(tools, view, { ...given, task_id, run_id }) };
}

/** Stages a further run of a task, which becomes its latest run. If the gateway had paused the task, it is no longer paused. */
export function stageNextRun(
  tools: RunTools,
  view: StagedView,
  task: Stored<TaskData>,
  given: Pick<NewTask, 'run' | 'review' | 'prompt'>,
): { task: Stored<TaskData>; run: Stored<RunData> } {
  const run_id = tools.newId('run');
  const { kind } = task.data;
  const { prompt = task.data.prompt ?? null } = given;
  const data: TaskData = { ...task.data, prompt, latest_run_id: run_id, auto_paused: false };
  const staged = view.stage<TaskData>({
    collection: 'records',
    id: task.id,
    object: 'task',
    data,
    current: task,
    expected: task.revision,
  });
  return { task: staged, run: stageRun(tools, view, { ...given, kind, prompt, task_id: task.id, run_id }) };
}

/** Stages a run with the prompt as its first transcript entry, and its end if the run may not work. */
function stageRun(
  tools: RunTools,
  view: StagedView,
  given: Pick<NewTask, 'kind' | 'prompt' | 'run' | 'review'> & { readonly task_id: string; readonly run_id: string },
): Stored<RunData> {
  const { kind, prompt = null, task_id, run_id } = given;
  const { pin: review, refusal } = given.review ?? {};
  const data = createRun({
    ...ownerOf(tools),
    ...(review === undefined ? {} : { review }),
    ...given.run,
    kind,
    task_id,
    queued_at: tools.now,
  });
  const run = view.stage<RunData>({ collection: 'records', id: run_id, object: 'run', data, expected: 0 });
  const asked: NewEntry[] = prompt === null ? [] : [{ role: 'user', kind: 'message', text: prompt }];
  // The run is staged but not committed, so it has no revision yet. The writes below replace the staged document; so they expect revision
  // 0, like the write that creates the run.
  const state = { run: { ...run, revision: 0 }, live: undefined };
  const refused =
    refusal ??
    (PICKED_UP.has(kind)
      ? undefined
      : ({
          code: 'backend_unavailable',
          message: `This version of the gateway cannot execute tasks of the kind ${kind}.`,
        } as const));
  if (refused === undefined) stageAll(view, messageWrites(tools, state, asked));
  else stageAll(view, endWrites(tools, state, { status: 'failed', ...refused }, asked));
  return run;
}
