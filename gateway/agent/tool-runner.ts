/** Carries out the tool calls of one answer of the model, one after the other, and stores each result. */
import type { Before } from '#contract/work/task.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import { beforeOf, idParameter, readsBefore, withRevision } from '#domain/runs/undo.ts';
import { AgentFault } from './agent-fault.ts';
import { type AnsweredCall, AWAITS_APPROVAL, type Call, type Conversation, type Step } from './conversation.ts';
import type { AgentTool } from './provider.ts';
import { type Session, say } from './session.ts';
import { addWritten, isForAgent, isForeign, type Written } from './tool-rules.ts';
import type { Asker } from './toolbox.ts';

export interface ToolRunner {
  readonly tools: readonly AgentTool[];
  readonly written: Written;
  /** The learnings that the model is given: empty if the run may not list them. */
  readonly learned: string;
  /** The writes that a run which only plans would make, in order. */
  readonly planned: readonly Pick<Call, 'name' | 'input'>[];
  /** Returns what the objects of calls have before the calls change them, by the id of the call. */
  readBefore(calls: readonly Call[]): Promise<ReadonlyMap<string, Before>>;
  /** Carries out the calls of a step that have no result yet. Throws `AgentFault` if the run cannot go on. */
  run(step: Step): Promise<void>;
}

/** Largest number of characters of a result that the transcript keeps and the model reads. */
const MOST_CHARACTERS = 24_000;
/** Failures of the gateway itself, and refused tools: at this number in a run, the run ends. */
const MOST_FAILURES = 3;

interface ErrorBody {
  readonly error?: { readonly code?: unknown; readonly type?: unknown; readonly message?: unknown };
}

const refused = (code: string, message: string) =>
  ({ outcome: 'denied', output: { error: { code, message } } }) as const;

/** Creates the runner of a run. It knows from the conversation what earlier runs of the chain read and wrote. */
export function createToolRunner(session: Session, conversation: Conversation, asker: Asker): ToolRunner {
  const { toolbox, working, signal } = session;
  const { review, approval } = working.run.data;
  const tools = toolbox.list(asker).filter(({ name, readOnly }) => isForAgent(name) && (readOnly || !asker.read_only));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const written: Written = { created: {}, updated: {} };
  const planned: Pick<Call, 'name' | 'input'>[] = [];
  // Earlier runs may have read the facts in text of devices, files or strangers.
  const learned = byName.has('learnings_list') ? session.learned : '';
  let isTainted = learned !== '';
  let failures = 0;
  let denials = 0;
  for (const { results } of conversation.steps) for (const result of results.values()) learn(result);
  // A person approved the calls that waited when the run before ended.
  const approved = new Set(
    approval === undefined
      ? []
      : conversation.steps.flatMap(({ calls, results }) =>
          calls.filter(({ call_id }) => !results.has(call_id)).map(({ call_id }) => call_id),
        ),
  );

  /** Notes what a result means for later calls. */
  function learn({ name, input, outcome, output }: AnsweredCall): void {
    if (outcome !== 'output') return;
    isTainted ||= isForeign(name, input);
    const tool = byName.get(name);
    if (tool === undefined) return;
    if (asker.plan_only && !tool.readOnly) planned.push({ name, input });
    else addWritten(written, tool, output);
  }

  /**
   * Reads the object of a call that changes it; undefined if the call changes none, or the object cannot be read. If the read
   * fails or takes too long, the run goes on, and an undo leaves this change.
   */
  async function before({ name, input }: Call): Promise<Before | undefined> {
    const reader = byName.has(name) && !asker.plan_only ? readsBefore(name) : undefined;
    if (reader === undefined || typeof input !== 'object' || input === null) return undefined;
    const { id = (input as Record<string, unknown>)[idParameter(reader)] } = input as { id?: unknown };
    // The model does not get this answer, so the scopes of the run do not matter for it.
    const free = { ...asker, scopes: null };
    const read = await inTime(session, reader, toolbox.call(reader, { id, fields: '*' }, free, '')).catch(() => {
      signal.throwIfAborted();
      return undefined;
    });
    return read === undefined || read.isError ? undefined : beforeOf(name, input, read.output);
  }

  const waits = ({ call_id, name }: Call): boolean =>
    review?.mode === 'review' &&
    !asker.plan_only &&
    isTainted &&
    byName.get(name)?.readOnly === false &&
    !approved.has(call_id);

  async function resultOf(call: Call): Promise<Pick<AnsweredCall, 'outcome' | 'output'>> {
    const { name, input, call_id } = call;
    if (typeof input !== 'object' || input === null)
      return {
        outcome: 'error',
        output: { error: { code: 'parameter_invalid', message: 'The arguments are no JSON object.' } },
      };
    if (!byName.has(name)) {
      denials++;
      return refused('tool_not_allowed', `There is no tool ${name.slice(0, 80)} here, or this run may not use it.`);
    }
    const { isError, output } = await inTime(
      session,
      name,
      toolbox.call(name, withRevision(name, { ...input }), asker, `${conversation.root}.${call_id}`),
    );
    const { code, type } = (isError ? (output as ErrorBody).error : undefined) ?? {};
    const isFailure = type === 'api_error' || type === 'storage_error';
    failures = isFailure ? failures + 1 : isError ? failures : 0;
    const outcome = !isError ? 'output' : code === 'permission_denied' ? 'denied' : 'error';
    return { outcome, output: shortened(output) };
  }

  async function store(step: Step, call: Call, result: Pick<AnsweredCall, 'outcome' | 'output'>): Promise<void> {
    const answered = { ...call, ...result };
    const { call_id, name } = call;
    const entry: NewEntry = { role: 'tool', kind: 'tool_result', tool: { call_id, name, input: null, ...result } };
    const last = denials >= MOST_FAILURES || failures >= MOST_FAILURES;
    await say(session, [entry], { current_step: name, status_text: last ? 'Stops.' : `Used ${name}.` });
    step.results.set(call_id, answered);
    learn(answered);
  }

  return {
    tools,
    written,
    learned,
    planned,
    async readBefore(calls) {
      const found = new Map<string, Before>();
      for (const call of calls) {
        const one = await before(call);
        if (one !== undefined) found.set(call.call_id, one);
      }
      return found;
    },
    async run(step) {
      for (const call of step.calls) {
        if (step.results.has(call.call_id)) continue;
        signal.throwIfAborted();
        if (waits(call)) return awaitApproval(session, step);
        await store(step, call, await resultOf(call));
        if (failures >= MOST_FAILURES)
          throw new AgentFault('tool_failed', `Tools failed ${MOST_FAILURES} times, the last one was ${call.name}.`);
        if (denials >= MOST_FAILURES)
          throw new AgentFault(
            'missing_expected_tool',
            `The model asked ${MOST_FAILURES} times for tools that it may not use, the last one was ${call.name.slice(0, 80)}.`,
          );
      }
    },
  };
}

/** Waits for a tool, but no longer than the timeout of tools. */
async function inTime<T>({ working, signal, secondMs }: Session, name: string, work: Promise<T>): Promise<T> {
  const { tool_s } = working.run.data.timeouts;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer =
    tool_s === null
      ? undefined
      : setTimeout(() => {
          const message = `The tool ${name} did not answer within ${tool_s} s. What it does may still be stored.`;
          reject(new AgentFault('tool_timeout', message, { timeouts: 'tool_s' }));
        }, tool_s * secondMs);
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Ends the run before its first write after text of others. The open calls stay in the transcript, for the person who approves them. */
async function awaitApproval(session: Session, { calls, results }: Step): Promise<never> {
  const open = calls.filter(({ call_id }) => !results.has(call_id));
  const message = 'The run has read text of devices, files or strangers. A person must approve what it writes.';
  const entries = open.map(
    ({ call_id, name }): NewEntry => ({
      role: 'tool',
      kind: 'tool_result',
      tool: { call_id, name, input: null, ...refused(AWAITS_APPROVAL, message) },
    }),
  );
  await say(session, entries, { status_text: message });
  const names = open.map(({ name }) => name).join(', ');
  throw new AgentFault('project_awaiting_approval', `${message} Waiting: ${names}.`);
}

/** Returns an output that is too long as the beginning of its text. */
function shortened(output: unknown): unknown {
  const text = JSON.stringify(output) ?? 'null';
  if (text.length <= MOST_CHARACTERS) return output;
  const { object, id, revision } = output as { object?: unknown; id?: unknown; revision?: unknown };
  return {
    // Without them the gateway could not say what a call wrote, and could not take it back.
    ...(typeof id === 'string' ? { object, id, revision } : {}),
    cut: `This is the beginning of an answer of ${text.length} characters. Ask for less: with a filter, fields or limit.`,
    text: text.slice(0, MOST_CHARACTERS),
  };
}
