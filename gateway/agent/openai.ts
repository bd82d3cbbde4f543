/** The chat completions API of OpenAI, which llama.cpp, Ollama, vLLM and many others serve, too. */
import { answerOf, faultOf } from './http.ts';
import type { AskedCall, Chat, Part, Turn } from './provider.ts';
import { ProviderFault } from './provider.ts';

interface Delta {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  refusal?: string | null;
  tool_calls?: { index?: number; function?: { name?: string; arguments?: string } }[];
}

interface Chunk {
  error?: { message?: string; code?: string | number; type?: string };
  choices?: { delta?: Delta; finish_reason?: string | null }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
}

const callOf = ({ call_id, name, input }: AskedCall) => ({
  id: call_id,
  type: 'function',
  function: { name, arguments: input },
});

function messageOf(turn: Turn): object {
  if (turn.role === 'user') return { role: 'user', content: turn.text };
  if (turn.role === 'tool') return { role: 'tool', tool_call_id: turn.call_id, content: turn.text };
  const calls = turn.calls.map(callOf);
  return { role: 'assistant', content: turn.text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

/** Asks a server with this API. */
export const chatOpenai =
  (heard: () => void): Chat =>
  (request) => {
    const { provider, key, system, turns, tools } = request;
    const body = {
      model: provider.model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: system }, ...turns.map(messageOf)],
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description, schema }) => ({
              type: 'function',
              function: { name, description, parameters: schema },
            })),
          }),
    };
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    return answerOf(request, { path: '/chat/completions', headers, body }, heard, partsOf);
  };

function* partsOf({ error, choices, usage }: Chunk): Generator<Part> {
  if (error !== undefined) {
    const status = Number(error.code);
    throw faultOf(status >= 400 && status < 600 ? status : 500, String(error.message ?? error.type ?? 'an error'));
  }
  if (usage != null)
    yield {
      type: 'usage',
      ...(typeof usage.prompt_tokens === 'number' ? { input_tokens: usage.prompt_tokens } : {}),
      ...(typeof usage.completion_tokens === 'number' ? { output_tokens: usage.completion_tokens } : {}),
    };
  const choice = choices?.[0];
  if (choice === undefined) return;
  const { content, reasoning_content, reasoning, refusal, tool_calls = [] } = choice.delta ?? {};
  if (refusal) throw new ProviderFault('provider_terminal', `The model refused: ${refusal.slice(0, 300)}`);
  const thought = reasoning_content ?? reasoning;
  if (thought) yield { type: 'reasoning', text: thought };
  if (content) yield { type: 'text', text: content };
  for (const [i, call] of (tool_calls ?? []).entries()) {
    const { name, arguments: input } = call.function ?? {};
    yield { type: 'call', index: call.index ?? i, ...(name ? { name } : {}), ...(input ? { input } : {}) };
  }
  if (choice.finish_reason) yield { type: 'end', reason: choice.finish_reason };
}
