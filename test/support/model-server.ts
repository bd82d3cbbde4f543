/** A scripted model server on a port of its own: the chat completions API of OpenAI, or the messages API of Anthropic, with their faults. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool call of the script; an `input` that is a text is sent as it is, also if it is no JSON. */
export interface ScriptedCall {
  readonly name: string;
  readonly input?: object | string;
}

/** What the server answers to one request. */
export type Scripted =
  | {
      readonly text?: string;
      readonly reasoning?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly end?: string;
      readonly usage?: readonly [number, number] | null;
    }
  | { readonly status: number; readonly message?: string; readonly retryAfter?: number }
  /** Sends the text and then closes the connection, or sends nothing more. */
  | { readonly text: string; readonly after: 'cut' | 'silence' }
  /** Closes the connection, or never answers. */
  | { readonly never: 'cut' | 'silence' }
  /** Sends these bytes as the body of the stream. */
  | { readonly raw: string }
  | { readonly refusal: string };

/** The parts of a request that scripts read. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly {
    role: string;
    content: unknown;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  readonly tools?: readonly { name?: string; function?: { name: string } }[];
  readonly system?: string;
}

export interface ModelServer extends AsyncDisposable {
  /** The address of the API, as a person enters it. */
  readonly url: string;
  readonly requests: ModelRequest[];
  readonly headers: Record<string, unknown>[];
}

/** Starts the server. `script` gets each request and its number, from 0. */
export async function startModelServer(
  script: (request: ModelRequest, n: number) => Scripted | Promise<Scripted>,
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', async () => {
      const parsed = JSON.parse(body) as ModelRequest;
      requests.push(parsed);
      headers.push(request.headers);
      const said = await script(parsed, requests.length - 1);
      if (request.url === '/v1/messages') answerAnthropic(response, said);
      else answerOpenai(response, said);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Sends the answers that are the same in both APIs. Returns false for a normal answer. */
function answerFault(response: ServerResponse, said: Scripted, first: (text: string) => string): boolean {
  if ('status' in said) {
    if (said.retryAfter !== undefined) response.setHeader('retry-after', said.retryAfter);
    response.writeHead(said.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: said.message ?? 'no' } }));
    return true;
  }
  if ('never' in said) {
    if (said.never === 'cut') response.destroy();
    return true;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('raw' in said) {
    response.end(said.raw);
    return true;
  }
  if ('after' in said) {
    response.write(first(said.text), () => {
      if (said.after === 'cut') response.destroy();
    });
    return true;
  }
  return false;
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const inputText = ({ input = {} }: ScriptedCall): string => (typeof input === 'string' ? input : JSON.stringify(input));

function answerOpenai(response: ServerResponse, said: Scripted): void {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta, finish_reason }] });
  if (answerFault(response, said, (content) => chunk({ content }))) return;
  if ('refusal' in said) {
    response.end(chunk({ refusal: said.refusal }) + chunk({}, 'stop'));
    return;
  }
  if (!('text' in said) && !('calls' in said) && !('end' in said)) {
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    return;
  }
  const {
    text = '',
    reasoning = '',
    calls = [],
    end,
    usage = [100, 10],
  } = said as Extract<Scripted, { usage?: unknown }>;
  if (reasoning !== '') response.write(chunk({ reasoning_content: reasoning }));
  for (const word of text.split(/(?<= )/)) if (word !== '') response.write(chunk({ content: word }));
  for (const [index, call] of calls.entries()) {
    const whole = inputText(call);
    const half = Math.ceil(whole.length / 2);
    response.write(
      chunk({ tool_calls: [{ index, id: 'call_0', type: 'function', function: { name: call.name, arguments: '' } }] }),
    );
    response.write(chunk({ tool_calls: [{ index, function: { arguments: whole.slice(0, half) } }] }));
    response.write(chunk({ tool_calls: [{ index, function: { arguments: whole.slice(half) } }] }));
  }
  response.write(chunk({}, end ?? (calls.length > 0 ? 'tool_calls' : 'stop')));
  if (usage !== null)
    response.write(event({ choices: [], usage: { prompt_tokens: usage[0], completion_tokens: usage[1] } }));
  response.end('data: [DONE]\n\n');
}

function answerAnthropic(response: ServerResponse, said: Scripted): void {
  const delta = (index: number, one: object) => event({ type: 'content_block_delta', index, delta: one });
  if (answerFault(response, said, (text) => delta(0, { type: 'text_delta', text }))) return;
  if ('refusal' in said) {
    response.end(event({ type: 'message_delta', delta: { stop_reason: 'refusal' } }));
    return;
  }
  const { text = '', calls = [], end, usage } = said as Extract<Scripted, { usage?: unknown }>;
  const [input_tokens, output_tokens] = usage ?? [100, 10];
  response.write(event({ type: 'message_start', message: { usage: { input_tokens } } }));
  if (text !== '') response.write(delta(0, { type: 'text_delta', text }));
  for (const [i, call] of calls.entries()) {
    response.write(
      event({
        type: 'content_block_start',
        index: i + 1,
        content_block: { type: 'tool_use', id: `toolu_${i}`, name: call.name },
      }),
    );
    response.write(delta(i + 1, { type: 'input_json_delta', partial_json: inputText(call) }));
  }
  const stop_reason = end ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
  response.end(
    event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens } }) +
      event({ type: 'message_stop' }),
  );
}
