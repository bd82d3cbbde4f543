/**
 * The kind of runs that take back what a run of the agent wrote. The plan is in the task: calls of tools, each with the revision that its
 * object must have. The gateway carries them out without a model. A call whose object was changed meanwhile is refused, and left.
 */
import { setTimeout } from 'node:timers/promises';
import type { View } from '#contract/base/view.ts';
import type { UndoItem } from '#contract/work/agent-task.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import { createUseCheck, inUse, type UndoCall, type UndoPlan } from '#domain/runs/undo.ts';
import {
  createUndoReplacement,
  type Done,
  gapsOf,
  isUndoRun,
  moreWords,
  nameOf,
  notReached,
} from '#domain/runs/undo-task.ts';
import type { ExecutorOptions } from '#runs/kind-executor.ts';
import type { RunKind, RunStart } from '#runs/run-kind.ts';
import { RunGone } from './agent-fault.ts';
import { RUN_MESSAGES, say } from './session.ts';
import type { Asker, Toolbox } from './toolbox.ts';

/** Processor time of a run in seconds. */
const CPU_S = 120;
/** A call at which the gateway fails so many times in a row ends the run. */
const MOST_TRIES = 3;
const PAUSE_MS = 300;

interface UndoOptions extends Pick<ExecutorOptions, 'store'> {
  readonly toolbox: Pick<Toolbox, 'call'>;
}

async function takeBack({ store, toolbox }: UndoOptions, start: RunStart): Promise<void> {
  const { queue, working, signal } = start;
  const { project_id, run } = working;
  const { task_id, scopes = null } = run.data;
  const began = performance.now();
  const view = store.view(project_id);
  const task = await view.get<TaskData>('records', task_id);
  // The operation that stored the plan has made it.
  const { items, more } = (task?.data.plan ?? { items: [], more: 0 }) as Pick<UndoPlan, 'items' | 'more'>;
  const asker: Asker = { project_id, task_id, scopes, read_only: false, plan_only: false, allowed: null };
  const done = notReached(items);
  // A run that replaces one that died repeats its calls. Until it comes further, the gaps of that run are the right ones.
  const kept = run.data.gaps;
  const gapsNow = () => {
    const gaps = gapsOf(done, more);
    return kept.length > 0 && gaps.length > kept.length ? kept : gaps;
  };
  // A run that is canceled or dies keeps the gaps of its last commit.
  const status_text = 'Takes back what the runs wrote.';
  await say({ queue, working }, [], { status_text }, { gaps: gapsNow() });
  const undone_task_id = task?.data.links?.undone_task_id ?? '';
  const isMadeItem = ({ item, call }: UndoPlan['items'][number]) => call !== null && item.action !== 'restore';
  const carriedOut = () => done.flatMap(({ item, left }) => (left === null ? item : []));
  const userOf = items.some(isMadeItem) ? await createUseCheck(view, undone_task_id, carriedOut) : undefined;
  const revisions = new Map<string | null, number>();
  for (const [i, { item, call }] of items.entries()) {
    signal.throwIfAborted();
    if (call === null) continue;
    // An earlier call of this undo may have changed the object, too.
    const if_match = revisions.get(item.id) ?? call.if_match;
    const user = item.action === 'restore' ? undefined : await userNow(view, item, if_match, userOf);
    if (user !== undefined) {
      done[i] = { item, left: inUse(user) };
      continue;
    }
    const gaps = (left: string | null) => {
      done[i] = { item, left };
      return gapsNow();
    };
    const part = { toolbox, asker, call: { ...call, if_match }, call_id: `u${i + 1}`, about: item, gaps };
    const { left, revision, isFailure } = await carryOut(start, part);
    if (revision !== undefined) revisions.set(item.id, revision);
    if (!isFailure) continue;
    const message = `The gateway failed ${MOST_TRIES} times in a row at ${call.name}: ${left}`;
    await queue.end(working, { status: 'failed', code: 'tool_failed', message, gaps: gapsOf(done, more) });
    return;
  }
  const wall_ms = Math.round(performance.now() - began);
  const usage = { ...working.run.data.usage, tool_calls: items.filter(({ call }) => call !== null).length, wall_ms };
  const text = wordsOf(done, more);
  await queue.end(working, { status: 'completed', output: outputOf(text, done), gaps: gapsOf(done, more), usage }, [
    { role: 'assistant', kind: 'message', text, final: true },
  ]);
}

/**
 * Returns what uses the object of an item at this moment. An object with another revision is not looked at: either its call was carried out
 * by a run that died, and has an answer already, or the tool refuses the call.
 */
async function userNow(
  view: Pick<View, 'get'>,
  { object, id }: UndoItem,
  if_match: number,
  userOf: Awaited<ReturnType<typeof createUseCheck>> | undefined,
): Promise<string | undefined> {
  if (id === null || userOf === undefined) return undefined;
  return (await view.get('records', id))?.revision === if_match ? userOf(object, id) : undefined;
}

interface Part {
  readonly toolbox: UndoOptions['toolbox'];
  readonly asker: Asker;
  readonly call: UndoCall;
  readonly call_id: string;
  readonly about: UndoItem;
  /** Notes what became of the call, and returns the gaps of the run after it. */
  readonly gaps: (left: string | null) => RunData['gaps'];
}

/** What became of a call. `left`: the reason if it took nothing back. `isFailure`: the gateway could not carry it out. */
interface Result {
  readonly left: string | null;
  readonly revision: number | undefined;
  readonly isFailure: boolean;
}

/** Carries out one call. A failure of the gateway itself is no answer, so the call is tried again. */
async function carryOut(
  { queue, working, signal }: RunStart,
  { toolbox, asker, call, call_id, about, gaps }: Part,
): Promise<Result> {
  const { name, if_match } = call;
  const input = { ...call.input, if_match };
  const asked: NewEntry = {
    role: 'assistant',
    kind: 'tool_call',
    tool: { call_id, name, input, outcome: null, output: null },
  };
  await say({ queue, working }, [asked], { status_text: `Takes back ${nameOf(about)}.`, current_step: name });
  // The key does not depend on the run, so a replacement of a run that died takes nothing back twice.
  const attempt = () => toolbox.call(name, input, asker, `${asker.task_id}.${call_id}`);
  let { isError, output } = await attempt();
  for (let tries = 1; isError && isFailureOf(output) && tries < MOST_TRIES; tries++) {
    await setTimeout(PAUSE_MS, undefined, { signal });
    ({ isError, output } = await attempt());
  }
  const outcome = isError ? 'error' : 'output';
  const answered: NewEntry = {
    role: 'tool',
    kind: 'tool_result',
    tool: { call_id, name, input: null, outcome, output },
  };
  const { error, revision } = output as { error?: { message?: unknown }; revision?: number };
  const refusal = typeof error?.message === 'string' ? error.message : 'The gateway refused it.';
  const left = isError ? refusal : null;
  // The gaps are in the commit of the answer: a run that is canceled after it names only what it did not take back.
  await say({ queue, working }, [answered], {}, { gaps: gaps(left) });
  return isError ? { left, revision: undefined, isFailure: isFailureOf(output) } : { left, revision, isFailure: false };
}

/** True for an error of the gateway or its storage, which says nothing about the call. */
function isFailureOf(output: unknown): boolean {
  const type = (output as { error?: { type?: unknown } }).error?.type;
  return type === 'api_error' || type === 'storage_error';
}

const VERBS: Readonly<Record<UndoItem['action'], string>> = {
  restore: 'Restored',
  withdraw: 'Withdrew',
  delete: 'Deleted',
  leave: 'Left',
};

function wordsOf(done: readonly Done[], more: number): string {
  const lines = done.map(({ item, left }) =>
    left === null
      ? `${VERBS[item.action]} ${nameOf(item)}${item.fields.length === 0 ? '' : ` (${item.fields.join(', ')})`}.`
      : `Left ${nameOf(item)}: ${left}`,
  );
  return [...lines, ...(more === 0 ? [] : [moreWords(more)])].join('\n');
}

function outputOf(text: string, done: readonly Done[]): NonNullable<RunData['output']> {
  const updated: Record<string, string[]> = {};
  for (const { item, left } of done) {
    if (left !== null || item.id === null || updated[item.object]?.includes(item.id)) continue;
    updated[item.object] = [...(updated[item.object] ?? []), item.id];
  }
  return { summary: text.slice(0, 2_000), created: {}, updated, artifacts: [] };
}

export const undoKind = (options: UndoOptions): RunKind => ({
  name: 'undo',
  waitingRunOf({ id, project_id, created_at, data }) {
    // The runs of one project take turns, so two of them never take the same object back.
    return isUndoRun(data) ? { id, project_id, created_at, device: project_id, long: false } : undefined;
  },
  async prepare() {
    return {
      cpu_s: CPU_S,
      work: (start) =>
        takeBack(options, start).catch((error: unknown) => {
          start.signal.throwIfAborted();
          if (!(error instanceof RunGone)) throw error;
        }),
    };
  },
  replacement: createUndoReplacement,
  messages: { started: 'Takes back what a run wrote.', ...RUN_MESSAGES },
});
