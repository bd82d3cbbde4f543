/**
 * Tasks and runs as writes: what begins one, what its transcript takes in, what ends it. Each function gives the documents of ONE
 * commit, so that a handler stages them and a queue commits them; a run that somebody else moved makes that commit fail.
 */

import type { Kind } from '#contract/base/ids.ts';
import type { Stored, Write } from '#contract/base/view.ts';
import type { StagedView } from '#contract/context.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import {
  applyMessage,
  createProgress,
  createRun,
  endedProgress,
  endRun,
  failureNote,
  hasEnded,
  type NewRun,
  type Outcome,
  restoreRun,
  type Said,
} from './run.ts';

/** What the functions need of the world. */
export interface RunTools {
  readonly now: string;
  newId(kind: Kind, place?: number): string;
  /** The node that works on new tasks and runs; absent: the node that stores them. */
  readonly nodeId?: string;
}

/** The owner of a new task or run, as a stored field. */
export const ownerOf = ({ nodeId }: Pick<RunTools, 'nodeId'>): Pick<TaskData, 'node_id'> =>
  nodeId === undefined ? {} : { node_id: nodeId };

/** True for a task or run that this node works on. */
export const isOwn = ({ node_id }: Pick<TaskData, 'node_id'>, nodeId: string): boolean =>
  node_id === undefined || node_id === nodeId;

/** A run with its progress, as read. */
export interface RunState {
  readonly run: Stored<RunData>;
  readonly live: Stored<RunLive> | undefined;
}

/** What a new task is told. */
export interface NewTask extends Pick<TaskData, 'kind' | 'title'> {
  readonly prompt?: string | null;
  readonly created_by: NonNullable<TaskData['created_by']>;
  /** Ids of what the task is about. */
  readonly links?: Record<string, string>;
  readonly run?: Partial<Omit<NewRun, 'task_id' | 'kind'>>;
}

/** Kinds of work that something on this gateway picks up; the others end at once, by name. */
const PICKED_UP: ReadonlySet<TaskData['kind']> = new Set([
  'worker',
  'decode',
  'import',
  'export',
  'backup',
  'maintenance',
]);

const plain = (data: object) => data as Record<string, unknown>;

/** The run in the store filled up with what its first versions left out. */
export function readRun(document: Stored<RunData>): Stored<RunData> {
  return { ...document, data: restoreRun(document.data) };
}

function message(tools: RunTools, run: Stored<RunData>, live: RunLive, said: Said): { write: Write; live: RunLive } {
  // Entries of one commit are of one moment: lists put them in order by their ids.
  const id = tools.newId('message', live.messages + 1);
  const next = applyMessage(live, said, id);
  const { role, kind, text = null, tool = null, note = null, final = false } = said;
  const { task_id } = run.data;
  const data = { task_id, run_id: run.id, sequence: next.messages, role, kind, text, tool, note, final };
  return {
    write: { collection: 'events', id, object: 'message', data: plain(data), expected: 0, at: tools.now },
    live: next,
  };
}

function liveWrite({ run, live }: RunState, data: RunLive, at: string): Write {
  return { collection: 'live', id: run.id, object: 'run', data: plain(data), expected: live?.revision ?? 0, at };
}

/** The writes that add entries to a transcript. */
export function messageWrites(tools: RunTools, state: RunState, said: readonly Said[]): Write[] {
  if (hasEnded(state.run.data)) throw new Error(`run ${state.run.id} has ended; its transcript is closed`);
  let live = state.live?.data ?? createProgress();
  const writes = said.map((one) => {
    const made = message(tools, state.run, live, one);
    live = made.live;
    return made.write;
  });
  return [...writes, liveWrite(state, live, tools.now)];
}

/** The writes that end a run: its outcome with the one terminal frame, the last words, the note of a failure. Throws when it has ended or is not complete. */
export function endWrites(tools: RunTools, state: RunState, outcome: Outcome, last: readonly Said[] = []): Write[] {
  const { run } = state;
  let live = state.live?.data ?? createProgress();
  const writes: Write[] = [];
  const say = (said: Said) => {
    const made = message(tools, run, live, said);
    live = made.live;
    writes.push(made.write);
  };
  for (const said of last) say(said);
  const data = endRun(run.data, live, run.id, outcome, tools.now);
  if (data.error !== null) say(failureNote(data.error));
  return [
    { collection: 'records', id: run.id, object: 'run', data: plain(data), expected: run.revision, at: tools.now },
    liveWrite(state, endedProgress(live, data), tools.now),
    ...writes,
  ];
}

/** Number of deaths in a chain of runs after which the task is paused. */
const MAX_DEATHS = 3;

/** How a dead run is replaced. */
export interface Replacement {
  /** Its task; what ends one way or the other is told there. */
  readonly task: Stored<TaskData> | undefined;
  /** The run that is to do what this one was to do. */
  readonly next: (retry: RunData['retry']) => RunData;
  /** What its transcript begins with. */
  readonly asked?: readonly Said[];
  /** The words when it is left alone after so many deaths. */
  readonly givenUp: (deaths: number, last: string) => string;
}

/**
 * The writes that end a dead run and queue its one replacement; after three deaths in a chain the task is left alone instead. A run
 * that an upgrade evicted did not die.
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

/** The writes of a run that waits: itself, its progress, and what its transcript begins with. */
export function queueWrites(tools: RunTools, id: string, data: RunData, asked: readonly Said[] = []): Write[] {
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

/** A run of the project with its progress; undefined when there is none. */
export async function findRun(view: Pick<StagedView, 'get'>, id: string): Promise<RunState | undefined> {
  const found = await view.get<RunData>('records', id);
  if (found?.object !== 'run') return undefined;
  return { run: readRun(found), live: await view.get<RunLive>('live', id) };
}

/** Stages the writes of one of the functions above. */
export function stageAll(view: StagedView, writes: readonly Write[]): void {
  for (const write of writes) view.stage(write);
}

/** Stages a task with its first run and its prompt; a kind that nothing here picks up ends at once as `backend_unavailable`. */
export function stageTask(
  tools: RunTools,
  view: StagedView,
  given: NewTask,
): { task: Stored<TaskData>; run: Stored<RunData> } {
  const { kind, title, prompt = null, created_by, links = {} } = given;
  const task_id = tools.newId('task');
  const run_id = tools.newId('run');
  const task = view.stage<TaskData>({
    collection: 'records',
    id: task_id,
    object: 'task',
    data: { ...ownerOf(tools), kind, title, prompt, created_by, auto_paused: false, links, latest_run_id: run_id },
    expected: 0,
  });
  const data = createRun({ ...ownerOf(tools), ...given.run, kind, task_id, queued_at: tools.now });
  const run = view.stage<RunData>({ collection: 'records', id: run_id, object: 'run', data, expected: 0 });
  const asked: Said[] = prompt === null ? [] : [{ role: 'user', kind: 'message', text: prompt }];
  // The run does not stand yet: what ends it stages over it, and both are one document.
  const state = { run: { ...run, revision: 0 }, live: undefined };
  if (PICKED_UP.has(kind)) stageAll(view, messageWrites(tools, state, asked));
  else
    stageAll(
      view,
      endWrites(
        tools,
        state,
        {
          status: 'failed',
          code: 'backend_unavailable',
          message: `This version of the gateway does no work of the kind ${kind}.`,
        },
        asked,
      ),
    );
  return { task, run };
}
