/** Sends a request to the API of a model, and reads its answer as server-sent events. Every failure becomes a `ProviderFault`. */
import { type ChatRequest, type Part, ProviderFault } from './provider.ts';

/** Largest number of characters of one answer. A model that writes more does not stop by itself. */
const MOST_CHARACTERS = 4 << 20;
/** Number of characters of an error body that a message shows. */
const SHOWN = 300;

/** Codes of failed connections to a server that does not run or is not reachable (Node, undici). */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** What an adapter sends: the path below the address of the server, the headers and the body. */
interface Question {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/**
 * Sends the question of an adapter, and yields the parts that `partsOf` reads from each event of the answer. `heard` is called for each
 * chunk. Throws a fault if the stream ends without a part of the type `end`.
 */
export async function* answerOf<Event>(
  { provider, key, signal }: ChatRequest,
  { path, headers, body }: Question,
  heard: () => void,
  partsOf: (event: Event) => Iterable<Part>,
): AsyncGenerator<Part> {
  const response = await post(`${provider.url.replace(/\/+$/, '')}${path}`, headers, body, { signal, key });
  let ended = false;
  for await (const event of readEvents(response, signal, heard)) {
    for (const part of partsOf(event as Event)) {
      ended ||= part.type === 'end';
      yield part;
    }
  }
  if (!ended) throw cut();
}

/** Posts JSON and returns the open answer. */
async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  { signal, key }: { readonly signal: AbortSignal; readonly key: string | null },
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw connectionFault(error, new URL(url).host);
  }
  if (response.status === 200) return response;
  throw await statusFault(response, key);
}

function connectionFault(error: unknown, host: string): ProviderFault {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  const code = String(cause?.code ?? cause?.message ?? error);
  return UNREACHABLE.test(code)
    ? new ProviderFault('backend_unavailable', `The model server at ${host} is not reachable (${code}).`, {
        again: true,
      })
    : new ProviderFault('provider_transient', `The connection to the model server at ${host} broke (${code}).`, {
        again: true,
      });
}

/** Returns the fault of an answer with another status than 200. */
async function statusFault(response: Response, key: string | null): Promise<ProviderFault> {
  const { status, headers } = response;
  const text = (await response.text().catch(() => '')).slice(0, 20_000);
  return faultOf(status, messageOf(text, key), { text, wait_ms: waitOf(headers.get('retry-after')) });
}

/** Chooses the code of a fault from the HTTP status, or from the status that stands for an error inside a stream. */
export function faultOf(
  status: number,
  said: string,
  { text = said, wait_ms }: { readonly text?: string; readonly wait_ms?: number | undefined } = {},
): ProviderFault {
  const message = `The model provider answered ${status}: ${said}`;
  if (status === 401 || status === 403) return new ProviderFault('provider_auth_failed', message);
  if (status === 429) return new ProviderFault('provider_rate_limited', message, { again: true, wait_ms });
  if (status === 404 || /model[_ ]not[_ ]found|model .{0,100}(not (found|exist)|does not exist)/i.test(text))
    return new ProviderFault('model_not_available', message);
  if (status === 408 || status >= 500)
    return new ProviderFault('provider_transient', message, { again: true, wait_ms });
  return new ProviderFault('provider_terminal', message);
}

/** Returns the message in an error body without the key, if the provider repeats it. */
function messageOf(text: string, key: string | null): string {
  let said = text;
  try {
    const body = JSON.parse(text);
    said = String(body?.error?.message ?? body?.error ?? body?.message ?? text);
  } catch {
    // The body is a text.
  }
  const safe = key === null ? said : said.replaceAll(key, '[secret]');
  return safe.slice(0, SHOWN).trim() || 'no message';
}

/** Reads Retry-After (RFC 9110 10.2.3) in seconds. */
function waitOf(header: string | null): number | undefined {
  const seconds = Number(header);
  return header !== null && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/**
 * Reads the `data` of server-sent events (HTML, "Server-sent events") as JSON, until the stream ends or an event has the data `[DONE]`.
 * `heard` is called for each chunk.
 */
async function* readEvents(response: Response, signal: AbortSignal, heard: () => void): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  let total = 0;
  const body = response.body?.values() ?? [];
  try {
    for await (const chunk of body) {
      heard();
      rest += decoder.decode(chunk, { stream: true });
      total += chunk.length;
      if (total > MOST_CHARACTERS)
        throw new ProviderFault('payload_contract_violation', 'The answer of the model has more than 4 MiB.');
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data:')) continue;
        const data = line.slice('data:'.length).trim();
        if (data === '[DONE]') return;
        yield parsed(data);
      }
    }
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    signal.throwIfAborted();
    throw cut();
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new ProviderFault(
      'payload_contract_violation',
      `The model provider sent no valid JSON: ${data.slice(0, 100)}`,
    );
  }
}

/** The fault of a stream that ended before the answer was complete. */
function cut(): ProviderFault {
  return new ProviderFault(
    'stream_transport_failed',
    'The stream of the model provider ended before the answer was complete.',
    {
      again: true,
    },
  );
}
