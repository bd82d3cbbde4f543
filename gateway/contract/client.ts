/** The typed client for all operations, in browsers and in Node.js. It sends each request once and never retries. */
import type { ErrorBody } from '#contract/base/errors.ts';
import type { Operation } from '#contract/base/operation.ts';
import { type Input, type OperationName, type Operations, type Output, operations } from './operations.ts';

/**
 * Header of the requests of the gateway's own pages. A page of another site cannot set it. Only with this header the gateway accepts the
 * cookie of a session.
 */
export const PAGE_HEADER = 'headframe-page';
/** Value of this header on a shared tablet on which nobody is signed in. */
export const TABLET_PAGE = 'tablet';

export interface ClientOptions {
  /** Address of the gateway, such as `http://127.0.0.1:8480`. Empty: the origin of the page that runs this code. */
  readonly base_url: string;
  /** The key of a person or agent (`wk_`), of a device (`dk_`), or of the `headframe` command. Absent for operations that need no key. */
  readonly key?: string | null;
  /** True for a page of the gateway: the cookie of the session identifies the person. */
  readonly page?: boolean;
  /** Id of the project, for operations that need a project. */
  readonly project_id?: string | null;
  /** The function to use instead of the global `fetch`, for example in tests. */
  readonly fetch?: typeof fetch;
}

interface CallOptions {
  /** The gateway executes a call only once, even if the client repeats it with the same key. */
  readonly idempotency_key?: string;
  /** The gateway refuses the write if the current revision of the object is not this one. */
  readonly if_match?: number;
  /** Id of the project of this call. Default: the project of the client. */
  readonly project_id?: string;
  readonly signal?: AbortSignal;
}

/** Operations that `call` can execute: those that return JSON. For event streams and for bytes, use `url` and `headers` with `fetch`. */
type CallName = {
  [N in OperationName]: Operations[N] extends Operation<infer _I, infer _O, undefined, 'upload_status' | undefined>
    ? N
    : never;
}[OperationName];

export interface Client {
  /** Calls an operation. Throws ClientError with the error object of the gateway, or without one if no gateway answered. */
  call<N extends CallName>(name: N, input: Input<N>, options?: CallOptions): Promise<Output<N>>;
  /** Returns the URL of an operation, with its path and query made from the input. */
  url(name: OperationName, input: Readonly<Record<string, unknown>>): string;
  /** Returns the request headers with the key and the project. */
  headers(project_id?: string): Record<string, string>;
}

/** The error of a failed call. `error` is the error object that the gateway returned, or null if no gateway answered. */
export class ClientError extends Error {
  readonly status: number | null;
  readonly error: ErrorBody['error'] | null;
  constructor(message: string, status: number | null, error: ErrorBody['error'] | null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.status = status;
    this.error = error;
  }
  /** The error code; `unreachable` if there was no answer, `unexpected_answer` if the answer was not from a gateway. */
  get code(): string {
    return this.error?.code ?? (this.status === null ? 'unreachable' : 'unexpected_answer');
  }
}

/** Creates a client for one gateway, key and project. */
export function createClient(options: ClientOptions): Client {
  const base = options.base_url.replace(/\/+$/, '');
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);

  function headers(project_id?: string): Record<string, string> {
    const project = project_id ?? options.project_id;
    return {
      ...(options.key ? { authorization: `Bearer ${options.key}` } : {}),
      ...(options.page === true ? { [PAGE_HEADER]: '1' } : {}),
      ...(project ? { 'project-id': project } : {}),
    };
  }

  function url(name: OperationName, input: Readonly<Record<string, unknown>>): string {
    const { path, query } = split(name, input);
    return `${base}${path}${query}`;
  }

  return {
    url,
    headers,
    async call(name, input, more = {}) {
      const row: Operation = operations[name] as unknown as Operation;
      const { path, query, body } = split(name, input);
      let response: Response;
      let text: string;
      try {
        response = await send(`${base}${path}${query}`, {
          method: row.method,
          headers: {
            accept: 'application/json',
            ...headers(row.scope === 'project' ? more.project_id : undefined),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(more.idempotency_key === undefined ? {} : { 'idempotency-key': more.idempotency_key }),
            ...(more.if_match === undefined ? {} : { 'if-match': `"${more.if_match}"` }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(more.signal === undefined ? {} : { signal: more.signal }),
        });
        text = await response.text();
      } catch (cause) {
        throw new ClientError(`The gateway at ${base || 'this address'} does not answer.`, null, null, cause);
      }
      const answer = readObject(text);
      if (response.ok && answer !== undefined) return answer as never;
      const error = answer?.error as ErrorBody['error'] | undefined;
      if (typeof error?.code === 'string') throw new ClientError(error.message, response.status, error);
      throw new ClientError(
        `The server at ${base || 'this address'} is not a Headframe gateway (status ${response.status}).`,
        response.status,
        null,
      );
    },
  };
}

/** Returns the request of a call that changes something. */
export function requestOf(name: OperationName, input: Readonly<Record<string, unknown>>) {
  const { path, body = {} } = split(name, input);
  return { method: operations[name].method, path, body };
}

/** Divides the input of a call into path, query and body. */
function split(name: OperationName, input: Readonly<Record<string, unknown>>) {
  const { method, path: template } = operations[name];
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = rest.get(key);
    rest.delete(key);
    return encodeURIComponent(String(value ?? ''));
  });
  if (method !== 'GET' && method !== 'DELETE') return { path, query: '', body: Object.fromEntries(rest) };
  const query = new URLSearchParams();
  for (const [key, value] of rest)
    for (const item of Array.isArray(value) ? value : [value]) query.append(key, String(item));
  return { path, query: query.size > 0 ? `?${query}` : '', body: undefined };
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
