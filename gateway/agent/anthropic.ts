/** The messages API of Anthropic. */
import { answerOf, faultOf } from './http.ts';
import type { AskedCall, Chat, Part, Turn } from './provider.ts';

/** Largest number of tokens of one answer; the API requires a value. */
const MAX_TOKENS = 8_192;
const VERSION = '2023-06-01';

/** The HTTP status that stands for an error inside a stream. */
const STATUS: Readonly<Record<string, number>> = {
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};

interface Event {
  type?: string;
  index?: number;
  message?: { usage?: { input_tokens?: number } };
  content_block?: { type?: string; name?: string };
  delta?: { type?: string; text?: string; thinking?: string; partial_json?: string; stop_reason?: string | null };
  usage?: { output_tokens?: number };
  error?: { type?: string; message?: string };
}

function argumentsOf({ input }: AskedCall): object {
  try {
    const parsed: unknown = JSON.parse(input);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** Returns the turns as messages. The results of the calls of one answer must be in one message. */
function messagesOf(turns: readonly Turn[]): object[] {
  const messages: { role: string; content: object[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const content: object[] =
      turn.role === 'tool'
        ? [{ type: 'tool_result', tool_use_id: turn.call_id, content: turn.text }]
        : turn.text === ''
          ? []
          : [{ type: 'text', text: turn.text }];
    if (turn.role === 'assistant')
      content.push(
        ...turn.calls.map((call) => ({
          type: 'tool_use',
          id: call.call_id,
          name: call.name,
          input: argumentsOf(call),
        })),
      );
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  return messages;
}

/** Asks a server with this API. */
export const chatAnthropic =
  (heard: () => void): Chat =>
  (request) => {
    const { provider, key, system, turns, tools } = request;
    const body = {
      model: provider.model,
      max_tokens: MAX_TOKENS,
      stream: true,
      system,
      messages: messagesOf(turns),
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    };
    const headers = { 'anthropic-version': VERSION, ...(key === null ? {} : { 'x-api-key': key }) };
    return answerOf(request, { path: '/messages', headers, body }, heard, partsOf);
  };

function* partsOf({ type, index = 0, message, content_block, delta, usage, error }: Event): Generator<Part> {
  if (type === 'error') throw faultOf(STATUS[error?.type ?? ''] ?? 400, String(error?.message ?? 'an error'));
  const input_tokens = message?.usage?.input_tokens;
  if (typeof input_tokens === 'number') yield { type: 'usage', input_tokens };
  if (typeof usage?.output_tokens === 'number') yield { type: 'usage', output_tokens: usage.output_tokens };
  if (content_block?.type === 'tool_use' && content_block.name) yield { type: 'call', index, name: content_block.name };
  if (delta?.text) yield { type: 'text', text: delta.text };
  if (delta?.thinking) yield { type: 'reasoning', text: delta.thinking };
  if (delta?.partial_json) yield { type: 'call', index, input: delta.partial_json };
  if (delta?.stop_reason) yield { type: 'end', reason: delta.stop_reason };
}
