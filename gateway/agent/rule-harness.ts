/**
 * Carries out a run without a model, if it has a catalog skill with rules. The rules call the tools of the gateway as a model would: each call
 * and each result is an entry of the transcript, writes need the same approval, and a run after a crash goes on where the run before stopped.
 *
 * Invariants: the rules decide only by what tools answered. So a replacement makes the same calls, and takes the stored results of those that
 * the run before has made.
 */

import { type Line, linesText, type RuleRun } from '#agent/rules/rule-run.ts';
import { rulesOf } from '#agent/rules/skill-rules.ts';
import { say as sentence, textOf } from '#contract/base/told.ts';
import type { Gap } from '#contract/work/task.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import { AgentFault } from './agent-fault.ts';
import { type Call, type Conversation, readConversation, type Step } from './conversation.ts';
import { askerOf, type Session, say, withWallTime } from './session.ts';
import { createToolRunner } from './tool-runner.ts';
import type { Asker, Toolbox } from './toolbox.ts';

/** The name and version of the rules, stored with each run that they carry out. */
const RULE_HARNESS = 'rules/1';
/** Largest number of lines and of cited objects in an answer. */
const MOST_LINES = 200;
const MOST_CITED = 500;
const MOST_SUMMARY = 2_000;

const BY_RULES: Line = [sentence('No model is set for this project, so rules answered.')];

/** Returns the rules of the run. Throws `model_not_available` if the run needs a model. */
function rulesFor({ skills }: Session) {
  const [only, ...others] = skills;
  // An override has instructions of the project, which rules cannot follow.
  const rules = only?.entry.source === 'catalog' && others.length === 0 ? rulesOf(only.entry.skill_id) : undefined;
  if (rules === undefined) throw new AgentFault('model_not_available', 'No model is set for this project.');
  return rules;
}

/** Returns the toolbox with the whole output of the last call. The transcript keeps only the beginning of a long output. */
function keepingLast(toolbox: Toolbox): Toolbox & { last(): Awaited<ReturnType<Toolbox['call']>> | undefined } {
  let last: Awaited<ReturnType<Toolbox['call']>> | undefined;
  return {
    list: (asker) => toolbox.list(asker),
    async call(name, input, asker, key) {
      last = undefined;
      last = await toolbox.call(name, input, asker, key);
      return last;
    },
    last: () => last,
  };
}

const callEntry = (call: Call): NewEntry => ({
  role: 'assistant',
  kind: 'tool_call',
  tool: { ...call, outcome: null, output: null },
});

const isCut = (output: unknown): boolean => typeof output === 'object' && output !== null && 'cut' in output;

/** Returns the function that makes one call after the other, and takes the results that the chain of the run has already. */
function createCaller(session: Session, conversation: Conversation, asker: Asker) {
  const toolbox = keepingLast(session.toolbox);
  const runner = createToolRunner({ ...session, toolbox }, conversation, asker);
  let number = 0;

  /** Returns the call with this number: the one that the chain has made, or a new one. */
  function stepOf(name: string, input: Record<string, unknown>): { step: Step; call: Call } {
    const made = conversation.steps[number++];
    const call: Call = made?.calls[0] ?? { call_id: `t${number}c1`, name, input };
    if (call.name !== name)
      throw new AgentFault('unknown', `The run before had called ${call.name} here, and now ${name} is wanted.`);
    if (made !== undefined) return { step: made, call };
    const step: Step = { text: '', calls: [call], results: new Map() };
    conversation.steps.push(step);
    return { step, call };
  }

  return {
    runner,
    calls: () => number,
    async call(name: string, input: Record<string, unknown>): Promise<{ isError: boolean; output: unknown }> {
      const { step, call } = stepOf(name, input);
      const stored = step.results.get(call.call_id);
      if (stored === undefined) {
        await say(session, [callEntry(call)], { status_text: 'Uses tools.' });
        await runner.run(step);
      }
      const result = step.results.get(call.call_id);
      const isError = result?.outcome !== 'output';
      if (isError || !isCut(result.output)) return { isError, output: result?.output };
      // A read of the run before is made again, because its whole answer is not stored.
      return toolbox.last() !== undefined && stored === undefined
        ? { isError, output: toolbox.last()?.output }
        : toolbox.call(name, input, asker, '');
    },
  };
}

function gapOf(name: string, output: unknown): Gap {
  const { error } = (output ?? {}) as { error?: { message?: unknown } };
  const message = typeof error?.message === 'string' ? error.message : 'The gateway refused it.';
  return {
    code: 'tool_refused',
    resource: name,
    ref: null,
    message,
    remedy: 'Remove the cause, and start the work again.',
    blocking: true,
  };
}

/** Carries out the run by the rules of its skill. Throws `AgentFault` as the harness does. */
export async function carryOutByRules(session: Session): Promise<void> {
  const rules = rulesFor(session);
  const { working, task, site, view, queue, elapsed, now } = session;
  const backend = { ...working.run.data.backend, harness: RULE_HARNESS };
  await say(session, [], { status_text: 'Answers by rules, without a model.' }, { backend });
  const conversation = await readConversation(view, working.run);
  const asker = askerOf(session);
  const { runner, call, calls } = createCaller(session, conversation, asker);
  const evidence = new Map<string, { object: string; id: string }>();
  const gaps: Gap[] = [];
  const missing: Line[] = [];
  const run: RuleRun = {
    project_id: asker.project_id,
    prompt: task.data.prompt ?? '',
    links: task.data.links ?? {},
    now_ms: Date.parse(now()),
    site,
    async use(name, input) {
      const { isError, output } = await call(name, input);
      if (!isError) return output as never;
      const gap = gapOf(name, output);
      gaps.push(gap);
      missing.push([sentence(gap.message), sentence(gap.remedy)]);
      return undefined;
    },
    cite(object, id) {
      if (id != null && evidence.size < MOST_CITED) evidence.set(id, { object, id });
    },
    lacks(code, message, remedy) {
      const [told, help] = [textOf(message), textOf(remedy)];
      gaps.push({ code, resource: 'run', ref: null, message: told, remedy: help, blocking: true });
      missing.push([message, remedy]);
    },
  };
  const found = await rules(run);
  const lines = [BY_RULES, ...found.slice(0, MOST_LINES), ...missing.slice(0, MOST_LINES)];
  const text = linesText(lines);
  const usage = { ...working.run.data.usage, tool_calls: calls() };
  working.run = { ...working.run, data: withWallTime({ ...working.run.data, usage }, elapsed()) };
  const details = {
    answered_by: 'rules',
    lines: lines.map((line) => ({ text: textOf(line), words: line })),
    evidence: [...evidence.values()],
    ...(asker.plan_only ? { planned: runner.planned } : {}),
  };
  await queue.end(
    working,
    {
      status: 'completed',
      output: { summary: text.slice(0, MOST_SUMMARY), ...runner.written, artifacts: [], details },
      gaps,
    },
    [{ role: 'assistant', kind: 'message', text, final: true }],
  );
}
