/**
 * The interface between the harness and the API of a model. An adapter sends one request and returns the parts of the answer as they arrive.
 */
import type { ModelProvider } from '#contract/work/review.ts';
import type { RunErrorCode } from '#contract/work/run-errors.ts';

/** A tool as a model sees it. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
  readonly readOnly: boolean;
}

/** A call of a tool that a model asks for. `input` is the JSON text of its arguments. */
export interface AskedCall {
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
}

/** One turn of the conversation, in the order of time. */
export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly AskedCall[] }
  | { readonly role: 'tool'; readonly call_id: string; readonly name: string; readonly text: string };

export interface ChatRequest {
  readonly provider: ModelProvider;
  readonly key: string | null;
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignal;
}

/** A part of an answer. `call`: a piece of the call with this index. `end`: why the model stopped, in the words of the provider. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly name?: string; readonly input?: string }
  | { readonly type: 'usage'; readonly input_tokens?: number; readonly output_tokens?: number }
  | { readonly type: 'end'; readonly reason: string };

/** An adapter of one API. It throws `ProviderFault`. */
export type Chat = (request: ChatRequest) => AsyncGenerator<Part>;

/** A failure of the provider, with the code that the run gets if no further try helps. */
export class ProviderFault extends Error {
  readonly code: RunErrorCode;
  /** True if the same request may succeed later. */
  readonly again: boolean;
  /** The time that the provider asks to wait, in milliseconds. */
  readonly wait_ms: number | undefined;
  /** The name of the timeout that fired. */
  readonly fired: string | undefined;
  constructor(
    code: RunErrorCode,
    message: string,
    more: { readonly again?: boolean; readonly wait_ms?: number | undefined; readonly fired?: string } = {},
  ) {
    super(message);
    this.name = 'ProviderFault';
    this.code = code;
    this.again = more.again ?? false;
    this.wait_ms = more.wait_ms;
    this.fired = more.fired;
  }
}
