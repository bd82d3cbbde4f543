/** The writes of the runs of a task, read from their transcripts, and the objects that an earlier undo of the task has taken back. */
import type { Stored, View } from '#contract/base/view.ts';
import { type OperationName, operations } from '#contract/operations.ts';
import { LEARNING_TOOLS } from '#contract/work/learning.ts';
import type { Before, RunData, TaskData } from '#contract/work/task.ts';
import { ENDED_BEFORE_ANSWER } from './run.ts';
import { messagesOf } from './transcript.ts';

export type Json = Readonly<Record<string, unknown>>;
type Reader = Pick<View, 'get' | 'find'>;

/** Largest number of runs, and of undos, of a task that are read. */
const MOST = 1_000;

/** A write of a run with its result. */
export interface WriteCall {
  readonly run_id: string;
  readonly name: string;
  readonly input: unknown;
  readonly outcome: string | null;
  readonly output: unknown;
  readonly before: Before | undefined;
  /** The time at which the call was stored. It is carried out after this time. */
  readonly at: string;
}

const RUN_TOOLS: readonly string[] = Object.values(LEARNING_TOOLS);
const isWrite = (name: string): boolean =>
  operations[name as OperationName]?.hints.readOnly === false || RUN_TOOLS.includes(name);
const errorCode = (output: unknown): unknown => (output as { error?: { code?: unknown } } | null)?.error?.code;

/** Returns the runs of a task, the oldest first. */
export async function runsOf(view: Reader, task_id: string): Promise<Stored<RunData>[]> {
  const where = { 'data.task_id': task_id };
  return (await view.find<RunData>('records', { object: 'run', where, limit: MOST })).reverse();
}

/** Returns the writes of runs in the order in which the model asked for them. `runs`: the oldest first. */
export async function writesOf(view: Reader, runs: readonly Stored<RunData>[]): Promise<WriteCall[]> {
  const calls = new Map<string, WriteCall>();
  const roots = new Map<string, string>();
  for (const { id, data: run } of runs) {
    // The ids of calls are unique in a run and the runs that it continues.
    const before = run.retry?.retry_of ?? run.continues ?? null;
    const root = before === null ? id : (roots.get(before) ?? before);
    roots.set(id, root);
    if (run.plan_only) continue;
    for (const { data, created_at: at } of await messagesOf(view, id)) {
      if (data.tool === null || !isWrite(data.tool.name)) continue;
      const { call_id, name, input, outcome, output } = data.tool;
      const key = `${root}.${call_id}`;
      const known = calls.get(key);
      if (known === undefined)
        calls.set(key, { run_id: id, name, input, outcome: null, output: null, before: data.before, at });
      // A run that continues a chain carries out the open calls of the run before it.
      else if (data.kind === 'tool_result') calls.set(key, { ...known, run_id: id, outcome, output });
    }
  }
  return [...calls.values()].filter(
    ({ outcome, output }) => outcome === 'output' || outcome === null || errorCode(output) === ENDED_BEFORE_ANSWER,
  );
}

/** Returns the tasks that take back what a task wrote, the newest first. */
export function undosOf(view: Reader, task_id: string): Promise<Stored<TaskData>[]> {
  const where = { 'data.kind': 'maintenance', 'data.links.undone_task_id': task_id };
  return view.find<TaskData>('records', { object: 'task', where, limit: MOST });
}

/** What earlier undos of a task took back of one object. */
export interface TakenBack {
  /** The time of the last call. */
  readonly at: string;
  /** The revision of the object after the last call; undefined after a delete. */
  readonly revision: unknown;
  readonly calls: readonly {
    readonly name: string;
    readonly object: string;
    readonly input: Json;
    readonly at: string;
  }[];
}

/** What earlier undos of a task did: the objects by id, and the ids of their tasks. */
export interface Earlier {
  readonly objects: ReadonlyMap<string, TakenBack>;
  readonly task_ids: readonly string[];
}

/** Returns what earlier undos of a task took back. */
export async function takenBack(view: Reader, task_id: string): Promise<Earlier> {
  const objects = new Map<string, TakenBack>();
  const undos = (await undosOf(view, task_id)).reverse();
  for (const undo of undos)
    for (const run of await runsOf(view, undo.id)) {
      // The answers do not repeat the inputs of their calls.
      const asked = new Map<string, Json>();
      for (const { data, created_at: at } of await messagesOf(view, run.id)) {
        if (data.tool === null) continue;
        const { call_id, name, input, outcome, output } = data.tool;
        if (data.kind === 'tool_call') asked.set(call_id, (input ?? {}) as Json);
        const answer = (outcome === 'output' ? output : {}) as { id?: unknown; object?: unknown; revision?: unknown };
        if (typeof answer.id !== 'string') continue;
        const call = { name, object: String(answer.object), input: asked.get(call_id) ?? {}, at };
        const calls = [...(objects.get(answer.id)?.calls ?? []), call];
        objects.set(answer.id, { at, revision: answer.revision, calls });
      }
    }
  return { objects, task_ids: undos.map(({ id }) => id) };
}
