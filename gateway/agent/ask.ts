/**
 * Asks the model once, with the timeouts of the run, and repeats the request after a fault that may pass. A repeated request has the same
 * turns: nothing of a broken answer is used.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run } from '#contract/work/task.ts';
import { chatAnthropic } from './anthropic.ts';
import { chatOpenai } from './openai.ts';
import { type ChatRequest, type Part, ProviderFault } from './provider.ts';

/** Number of requests for one answer, the first one included. */
const TRIES = 3;
/** The wait before the second request, in seconds; each further wait is twice as long. */
const FIRST_WAIT_S = 2;
/** Longest wait that a provider may ask for, in seconds. */
const LONGEST_WAIT_S = 60;
/** Largest number of tool calls in one answer. */
const MOST_CALLS = 32;
/** Words with which providers say that the model refused, or that a filter removed the answer. */
const REFUSED: ReadonlySet<string> = new Set(['content_filter', 'refusal']);
/** Words with which providers say that the answer reached its largest length. */
const CUT: ReadonlySet<string> = new Set(['length', 'max_tokens']);

/** The complete answer of the model. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly input: string }[];
  /** Null: the provider did not say it. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** True if the model stopped because the answer reached its largest length. */
  readonly isCut: boolean;
}

export interface AskOptions {
  readonly timeouts: Run['timeouts'];
  /** Milliseconds of a second of the timeouts and waits. */
  readonly secondMs: number;
  readonly onFirstPart: () => void;
  /** Called before the request is repeated, with the fault of the request before. */
  readonly onRetry: (fault: ProviderFault, wait_s: number) => Promise<void>;
}

/** Returns the answer of the model; throws `ProviderFault`, or the reason of the abort of `signal`. */
export async function ask(request: ChatRequest, options: AskOptions): Promise<Answer> {
  const { secondMs, onRetry } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(request, options);
    } catch (error) {
      if (!(error instanceof ProviderFault) || !error.again || attempt === TRIES) throw error;
      const wait_s = error.wait_ms === undefined ? FIRST_WAIT_S * 2 ** (attempt - 1) : error.wait_ms / 1000;
      if (wait_s > LONGEST_WAIT_S) throw error;
      await onRetry(error, wait_s);
      await sleep(wait_s * secondMs, undefined, { signal: request.signal }).catch(() =>
        request.signal.throwIfAborted(),
      );
    }
  }
}

async function askOnce(request: ChatRequest, { timeouts, secondMs, onFirstPart }: AskOptions): Promise<Answer> {
  const { instruction_s, liveness_s } = timeouts;
  const over = new AbortController();
  let chunks = 0;
  const timer = (seconds: number | null, always: boolean, fault: () => ProviderFault) =>
    seconds === null
      ? undefined
      : setTimeout(() => {
          // After a time in which this process was busy, chunks that arrived in time may still wait. Read them first.
          const before = chunks;
          setImmediate(() => (always || before === chunks) && over.abort(fault()));
        }, seconds * secondMs);
  const whole = timer(
    instruction_s,
    true,
    () =>
      new ProviderFault('instruction_timeout', `The model did not finish its answer within ${instruction_s} s.`, {
        fired: 'instruction_s',
      }),
  );
  let silent: NodeJS.Timeout | undefined;
  // Until the first chunk arrives, only the timeout of the whole answer counts: a small computer needs minutes to read a long prompt.
  const heard = () => {
    chunks++;
    clearTimeout(silent);
    silent = timer(
      liveness_s,
      false,
      () =>
        new ProviderFault('run_liveness_timeout', `The model provider sent nothing for ${liveness_s} s.`, {
          fired: 'liveness_s',
        }),
    );
  };
  const signal = AbortSignal.any([request.signal, over.signal]);
  const chat = request.provider.kind === 'anthropic' ? chatAnthropic(heard) : chatOpenai(heard);
  try {
    return await collect(chat({ ...request, signal }), onFirstPart);
  } catch (error) {
    request.signal.throwIfAborted();
    over.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(whole);
    clearTimeout(silent);
  }
}

async function collect(parts: AsyncGenerator<Part>, onFirstPart: () => void): Promise<Answer> {
  let text = '';
  let reasoning = '';
  let reason = '';
  let input_tokens: number | null = null;
  let output_tokens: number | null = null;
  const calls = new Map<number, { name: string; input: string }>();
  for await (const part of parts) {
    onFirstPart();
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') reasoning += part.text;
    else if (part.type === 'end') reason = part.reason;
    else if (part.type === 'usage') {
      input_tokens = part.input_tokens ?? input_tokens;
      output_tokens = part.output_tokens ?? output_tokens;
    } else {
      const call = calls.get(part.index) ?? { name: '', input: '' };
      // Some servers repeat the name in each piece.
      calls.set(part.index, { name: call.name || (part.name ?? ''), input: call.input + (part.input ?? '') });
    }
  }
  if (REFUSED.has(reason)) throw new ProviderFault('provider_terminal', 'The model refused to answer.');
  if (calls.size > MOST_CALLS)
    throw new ProviderFault('payload_contract_violation', `The model asked for more than ${MOST_CALLS} tools at once.`);
  const asked = [...calls].sort(([a], [b]) => a - b).map(([, call]) => call);
  return {
    text: text.trim(),
    reasoning: reasoning.trim(),
    calls: asked,
    input_tokens,
    output_tokens,
    isCut: CUT.has(reason),
  };
}
