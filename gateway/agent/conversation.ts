/**
 * The conversation of a task with the model. It is read from the transcripts of the runs that this run continues, so that a run after a
 * crash or an approval goes on where the run before stopped.
 */
import type { Stored, View } from '#contract/base/view.ts';
import type { Message, RunData } from '#contract/work/task.ts';
import { ENDED_BEFORE_ANSWER } from '#domain/runs/run.ts';
import { chainOf, messagesOf } from '#domain/runs/transcript.ts';
import type { Turn } from './provider.ts';

type Outcome = NonNullable<NonNullable<Message['tool']>['outcome']>;

/** A call of a tool, as stored. */
export interface Call {
  readonly call_id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A call with its result. */
export interface AnsweredCall extends Call {
  readonly outcome: Outcome;
  readonly output: unknown;
}

/** One answer of the model that asks for tools, with the results so far. */
export interface Step {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly results: Map<string, AnsweredCall>;
}

export interface Conversation {
  readonly steps: Step[];
  /** The first run of the chain. The keys that make calls repeatable are derived from it. */
  readonly root: string;
}

/** The code in the output of a call that a person must approve before it is carried out. */
export const AWAITS_APPROVAL = 'awaiting_approval';

const codeOf = (output: unknown): unknown =>
  typeof output === 'object' && output !== null ? (output as { error?: { code?: unknown } }).error?.code : undefined;

/** True if the call is not carried out yet: its run ended before, or the call waits for an approval. */
const isOpen = ({ output }: AnsweredCall): boolean =>
  codeOf(output) === ENDED_BEFORE_ANSWER || codeOf(output) === AWAITS_APPROVAL;

/** Reads the conversation that a run continues. A run that continues none begins with an empty conversation. */
export async function readConversation(view: View, run: Stored<RunData>): Promise<Conversation> {
  const chain = await chainOf(view, run.data);
  const steps: Step[] = [];
  const byCall = new Map<string, Step>();
  for (const id of chain) {
    let text = '';
    let step: { text: string; calls: Call[]; results: Map<string, AnsweredCall> } | undefined;
    for (const { data } of await messagesOf(view, id)) {
      if (data.kind === 'message' && data.role === 'assistant') {
        text = data.text ?? '';
        step = undefined;
      }
      const { tool } = data;
      if (tool === null) continue;
      const { call_id, name, input, outcome, output } = tool;
      if (data.kind === 'tool_call' && !byCall.has(call_id)) {
        // All calls of one answer of the model are stored in one commit, before the first result.
        if (step === undefined || step.results.size > 0) {
          step = { text, calls: [], results: new Map() };
          steps.push(step);
          text = '';
        }
        step.calls.push({ call_id, name, input });
        byCall.set(call_id, step);
      }
      if (data.kind !== 'tool_result' || outcome === null) continue;
      const answered: AnsweredCall = { call_id, name, input: null, outcome, output };
      const asked = byCall.get(call_id);
      const call = asked?.calls.find((one) => one.call_id === call_id);
      if (!isOpen(answered)) asked?.results.set(call_id, { ...answered, input: call?.input ?? input });
    }
  }
  return { steps, root: chain[0] ?? run.id };
}

/** Returns the turns that the model gets. */
export function turnsOf(prompt: string, { steps }: Conversation): Turn[] {
  return [
    { role: 'user', text: prompt },
    ...steps.flatMap(({ text, calls, results }): Turn[] => [
      {
        role: 'assistant',
        text,
        calls: calls.map(({ call_id, name, input }) => ({ call_id, name, input: inputText(input) })),
      },
      ...calls.flatMap(({ call_id, name }): Turn[] => {
        const result = results.get(call_id);
        return result === undefined ? [] : [{ role: 'tool', call_id, name, text: dataText(name, result.output) }];
      }),
    ]),
  ];
}

/** A call whose arguments are no JSON is stored with the text of the arguments. */
const inputText = (input: unknown): string =>
  JSON.stringify(typeof input === 'object' && input !== null ? input : { text: String(input) });

/** Marks the result of a tool as data, so that the model does not read it as an instruction. The result cannot contain the end mark. */
export function dataText(name: string, output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return `<data tool="${name}">\n${text.replaceAll('</data', '<\\/data')}\n</data>`;
}
