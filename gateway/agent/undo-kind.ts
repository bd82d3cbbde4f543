/**
 * The kind of runs that take back what a run of the agent wrote. The plan is in the task: calls of tools, each with the revision that its
 * object must have. The gateway carries them out without a model. A call whose object was changed meanwhile is refused, and left.
 */
import type { Gap, RunData, TaskData } from '#contract/work/task.ts';
import type { UndoItem } from '#contract/work/undo.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import type { PlannedUndo, UndoCall } from '#domain/runs/undo.ts';
import { createUndoReplacement, isUndoRun } from '#domain/runs/undo-task.ts';
import type { ExecutorOptions } from '#runs/kind-executor.ts';
import type { RunKind, RunStart } from '#runs/run-kind.ts';
import { RunGone } from './agent-fault.ts';
import { say } from './session.ts';
import type { Asker, Toolbox } from './toolbox.ts';

/** Processor time of a run in seconds. */
const CPU_S = 120;

interface UndoOptions extends Pick<ExecutorOptions, 'store'> {
  readonly toolbox: Pick<Toolbox, 'call'>;
}

/** A part of the plan with what became of it: `left` is the reason if it was left. */
interface Done {
  readonly item: UndoItem;
  readonly left: string | null;
}

const nameOf = ({ name, id, object }: UndoItem): string => name ?? id ?? object;

async function takeBack({ store, toolbox }: UndoOptions, start: RunStart): Promise<void> {
  const { queue, working, signal } = start;
  const { project_id, run } = working;
  const { task_id, scopes = null } = run.data;
  const began = performance.now();
  const task = await store.view(project_id).get<TaskData>('records', task_id);
  // The operation that stored the plan has made it.
  const plan = (task?.data.plan ?? []) as PlannedUndo[];
  const asker: Asker = { project_id, task_id, scopes, read_only: false, plan_only: false, allowed: null };
  const done: Done[] = [];
  for (const [i, { item, call }] of plan.entries()) {
    signal.throwIfAborted();
    if (call === null) {
      done.push({ item, left: item.why });
      continue;
    }
    const left = await carryOut(start, { toolbox, asker, call, call_id: `u${i + 1}`, about: item });
    done.push({ item, left });
  }
  const wall_ms = Math.round(performance.now() - began);
  const usage = { ...working.run.data.usage, tool_calls: plan.filter(({ call }) => call !== null).length, wall_ms };
  const text = wordsOf(done);
  await queue.end(working, { status: 'completed', output: outputOf(text, done), gaps: gapsOf(done), usage }, [
    { role: 'assistant', kind: 'message', text, final: true },
  ]);
}

interface Part {
  readonly toolbox: UndoOptions['toolbox'];
  readonly asker: Asker;
  readonly call: UndoCall;
  readonly call_id: string;
  readonly about: UndoItem;
}

/** Carries out one call; returns null, or the reason why its object is left. */
async function carryOut(
  { queue, working }: RunStart,
  { toolbox, asker, call, call_id, about }: Part,
): Promise<string | null> {
  const { name, if_match } = call;
  const input = { ...call.input, if_match };
  const asked: NewEntry = {
    role: 'assistant',
    kind: 'tool_call',
    tool: { call_id, name, input, outcome: null, output: null },
  };
  await say({ queue, working }, [asked], { status_text: `Takes back ${nameOf(about)}.`, current_step: name });
  // The key does not depend on the run, so a replacement of a run that died takes nothing back twice.
  const { isError, output } = await toolbox.call(name, input, asker, `${asker.task_id}.${call_id}`);
  const outcome = isError ? 'error' : 'output';
  const answered: NewEntry = {
    role: 'tool',
    kind: 'tool_result',
    tool: { call_id, name, input: null, outcome, output },
  };
  await say({ queue, working }, [answered], {});
  if (!isError) return null;
  const { message } = (output as { error?: { message?: unknown } }).error ?? {};
  return typeof message === 'string' ? message : 'The gateway refused it.';
}

const VERBS: Readonly<Record<UndoItem['action'], string>> = {
  restore: 'Restored',
  withdraw: 'Withdrew',
  delete: 'Deleted',
  leave: 'Left',
};

function wordsOf(done: readonly Done[]): string {
  const lines = done.map(({ item, left }) =>
    left === null
      ? `${VERBS[item.action]} ${nameOf(item)}${item.fields.length === 0 ? '' : ` (${item.fields.join(', ')})`}.`
      : `Left ${nameOf(item)}: ${left}`,
  );
  return lines.join('\n');
}

function outputOf(text: string, done: readonly Done[]): NonNullable<RunData['output']> {
  const updated: Record<string, string[]> = {};
  for (const { item, left } of done) {
    if (left !== null || item.id === null) continue;
    updated[item.object] = [...(updated[item.object] ?? []), item.id];
  }
  return { summary: text.slice(0, 2_000), created: {}, updated, artifacts: [] };
}

const gapsOf = (done: readonly Done[]): Gap[] =>
  done.flatMap(({ item, left }) =>
    left === null
      ? []
      : {
          code: 'not_undone',
          resource: item.object,
          ref: item.id,
          message: `${nameOf(item)} was left: ${left}`,
          remedy: 'Look at it, and change it by hand if it is wrong.',
          blocking: false,
        },
  );

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
  messages: {
    started: 'Takes back what a run wrote.',
    givenBack: 'Waits for its turn.',
    overCeiling: (cpu_s) => `The run used ${cpu_s} s of processor time, which is its limit.`,
    givenUp: (deaths, last) =>
      `The run stopped ${deaths} times, so the gateway does not start it again automatically. The last error: ${last}`,
  },
});
