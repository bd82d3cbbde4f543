/**
 * HTTP to head office. Messages, urgent messages, hints and files have connections of their own, so that none waits behind another kind. Proxies come from the usual
 * variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY); an authority of one's own from NODE_EXTRA_CA_CERTS.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Words } from '#contract/base/common.ts';
import { type Sayable, say, type ToldText, textOf, wordsOf } from '#contract/base/told.ts';
import type { BoxReport } from '#contract/site/sync-boxes.ts';
import { type GatewayReport, laterReport } from '#contract/site/sync-report.ts';
import { TakeoverGrant } from '#contract/site/sync-takeover.ts';
import type { Hint } from '#contract/sync-services.ts';
import {
  BOX_HEADER,
  HINT_HEADER,
  KEPT_HEADER,
  LIVE_HEADER,
  MEDIA_TYPE,
  MOST_BYTES,
  REPORT_HEADER,
  readLive,
} from '#sync/wire/frame.ts';
import { reachWords } from './reach-words.ts';
import { LONGEST_WAIT_MS } from './retry.ts';
import type { Way } from './sessions.ts';

/**
 * unreachable: no answer of head office; try again. busy: head office asks to wait. revoked: the credential is not valid any more. refused:
 * head office answered with an error that another try does not change.
 */
export type LinkFault = 'unreachable' | 'busy' | 'revoked' | 'refused';

export class LinkError extends Error {
  readonly fault: LinkFault;
  readonly code: string;
  /** How long head office asks to wait. */
  readonly wait_ms: number;
  /** The message as sentences with parameters, if this end made it or the other end sent them. */
  readonly words: ToldText;
  constructor(fault: LinkFault, code: string, message: Sayable, more: { wait_ms?: number; cause?: unknown } = {}) {
    super(textOf(message), more.cause === undefined ? undefined : { cause: more.cause });
    this.words = wordsOf(message);
    this.name = 'LinkError';
    this.fault = fault;
    this.code = code;
    this.wait_ms = more.wait_ms ?? 0;
  }
}

/** Without a byte for this time, a connection is given up. */
const SILENCE_MS = 30_000;
/** Longest time of one request. Another one then begins on a new connection. */
const DEADLINE_MS = 300_000;
/** Head office answers a hint after at most 25 s. */
const HINT_MS = 60_000;
const MOST_JSON = 64 << 10;

/** Connections of messages that are not urgent. */
const MESSAGES = 4;

export interface Transport extends Disposable {
  send(message: Buffer, way?: Way): Promise<Buffer>;
  /** `state` is that of head office: the same text as `after` if there is nothing new. */
  hint(after: string | undefined, report: GatewayReport, signal: AbortSignal, box?: BoxReport): Promise<Hint>;
  /** A request about a file. */
  file(of: FileRequest): Promise<Got>;
}

export interface FileRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Largest answer in bytes. */
  readonly most: number;
}

export interface TransportOptions {
  readonly url: string;
  readonly credential: string;
  /** The variables that name proxies. */
  readonly proxies: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

interface Sent extends FileRequest {
  readonly silence_ms: number;
  readonly signal: AbortSignal;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function createSender({ url, proxies }: Pick<TransportOptions, 'url' | 'proxies'>) {
  const isSecure = url.startsWith('https:');
  const request = isSecure ? requestHttps : requestHttp;
  const open = (maxSockets: number) => {
    const options = { keepAlive: true, maxSockets, proxyEnv: { ...proxies } };
    return isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  };
  const agents = { messages: open(MESSAGES), urgent: open(1), hints: open(1), files: open(1) };

  function send(
    agent: keyof typeof agents,
    { method, path, headers, body, most, silence_ms, signal }: Sent,
  ): Promise<Got> {
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) =>
        reject(new LinkError('unreachable', codeOf(cause), reachWords(codeOf(cause), url), { cause }));
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const asked = request(`${url}${path}`, {
        method,
        agent: agents[agent],
        headers: { ...headers, ...length },
        signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      });
      asked.setTimeout(silence_ms, () => asked.destroy(new Error('no byte arrived for too long')));
      asked.on('error', fail);
      asked.on('response', (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > most) asked.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      asked.end(body);
    });
  }

  return {
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : error.message.slice(0, 100);
}

/** The error object of the API; undefined if the answer has none, for example because it comes from a proxy or a sign-in page. */
function errorOf({ headers, body }: Got): { readonly code: string; readonly words: ToldText } | undefined {
  if (headers['content-type']?.startsWith('application/json') !== true) return undefined;
  try {
    const { error } = JSON.parse(body.toString('utf8')) as {
      error?: { code?: unknown; message?: unknown; words?: unknown };
    };
    if (typeof error?.code !== 'string' || typeof error.message !== 'string') return undefined;
    const { data: words } = Words.safeParse(error.words);
    return { code: error.code, words: words ?? [{ text: error.message }] };
  } catch {
    return undefined;
  }
}

/** Turns an answer that is no success into an error. */
function refusalOf(got: Got): LinkError {
  const error = errorOf(got);
  if (error === undefined)
    return new LinkError('unreachable', 'not_head_office', [
      say(
        'Something else than head office answers at this address (HTTP {status}), for example a proxy or the sign-in page of a network.',
        { status: got.status },
      ),
    ]);
  const { code, words } = error;
  if (code === 'gateway_replaced') return new LinkError('revoked', code, words);
  if (got.status === 401)
    return new LinkError('revoked', code, 'Head office does not know this gateway any more, or has revoked it.');
  if (got.status === 429 || got.status >= 500 || got.status === 408) {
    const seconds = Number(got.headers['retry-after'] ?? 0);
    const wait_ms = Number.isFinite(seconds) ? Math.min(LONGEST_WAIT_MS, Math.max(0, seconds * 1_000)) : 0;
    return new LinkError('busy', code, words, { wait_ms });
  }
  return new LinkError('refused', code, words);
}

/** Divides a report into the fields that each version of head office takes as parameters, and the fields that travel in a header. */
function fieldsOf(report: GatewayReport): { readonly parameters: URLSearchParams; readonly later: URLSearchParams } {
  const parameters = new URLSearchParams();
  const later = new URLSearchParams();
  for (const [name, value] of Object.entries(report))
    if (value !== undefined) (name in laterReport ? later : parameters).set(name, String(value));
  return { parameters, later };
}

/** The fields that are set, as a query. */
const headerOf = (of: object): string =>
  new URLSearchParams(
    Object.entries(of).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)] as [string, string]])),
  ).toString();

export function createTransport(options: TransportOptions): Transport {
  const sender = createSender(options);
  const ending = new AbortController();
  const { signal } = ending;
  const base = { authorization: `Bearer ${options.credential}` };
  return {
    async send(body, { urgent, signal: given } = {}) {
      const headers = { ...base, 'content-type': MEDIA_TYPE };
      const until = given === undefined ? signal : AbortSignal.any([signal, given]);
      const of = { method: 'POST', path: '/api/v1/sync/messages', headers, body, signal: until } as const;
      const got = await sender.send(urgent === true ? 'urgent' : 'messages', {
        ...of,
        most: MOST_BYTES,
        silence_ms: SILENCE_MS,
      });
      if (got.status !== 200 || got.headers['content-type'] !== MEDIA_TYPE) throw refusalOf(got);
      return got.body;
    },
    async hint(after, report, given, box) {
      const { parameters, later } = fieldsOf(report);
      if (after !== undefined) parameters.set('after', after);
      const path = `/api/v1/sync/hints?${parameters}`;
      const headers = {
        ...base,
        [REPORT_HEADER]: String(later),
        ...(box !== undefined && { [BOX_HEADER]: headerOf(box) }),
      };
      const of = { method: 'GET', path, headers, most: MOST_JSON, silence_ms: HINT_MS } as const;
      const got = await sender.send('hints', { ...of, signal: AbortSignal.any([signal, given]) });
      const state = got.headers[HINT_HEADER];
      if (got.status !== 204 || typeof state !== 'string') throw refusalOf(got);
      const kept = got.headers[KEPT_HEADER];
      return { state, live: readLive(got.headers[LIVE_HEADER]), kept: typeof kept === 'string' ? kept : undefined };
    },
    async file(of) {
      const headers = { ...base, ...of.headers };
      const got = await sender.send('files', { ...of, headers, silence_ms: SILENCE_MS, signal });
      if (got.status < 200 || got.status > 299) throw refusalOf(got);
      return got;
    },
    [Symbol.dispose]() {
      ending.abort();
      sender.close();
    },
  };
}

/** What head office gives for a code. */
interface EnrolledBox {
  readonly cloud_id: string;
  readonly enrolment_id: string;
  readonly name: string;
  readonly secret: string;
  /** The code is for a box that takes the place of another one. */
  readonly takeover?: TakeoverGrant;
}

/** Exchanges a code for a credential; throws `LinkError`. */
export async function enrolAt(
  options: Pick<TransportOptions, 'url' | 'proxies' | 'version'>,
  of: { readonly code: string; readonly gateway_id: string; readonly can_replace?: boolean },
): Promise<EnrolledBox> {
  const sender = createSender(options);
  const ask = async (said: object): Promise<EnrolledBox> => {
    const got = await sender.send('messages', {
      method: 'POST',
      path: '/api/v1/sync/enrol',
      headers: { 'content-type': 'application/json', 'user-agent': `Headframe/${options.version}` },
      body: Buffer.from(JSON.stringify({ ...said, version: options.version })),
      most: MOST_JSON,
      silence_ms: SILENCE_MS,
      signal: AbortSignal.timeout(SILENCE_MS),
    });
    if (got.status !== 201) throw refusalOf(got);
    return readEnrolled(got);
  };
  try {
    return await ask(of).catch((error: unknown) => {
      // An older head office takes no such parameter, and has no codes for such boxes.
      const { can_replace, ...usual } = of;
      if (can_replace !== undefined && error instanceof LinkError && error.code === 'parameter_unknown')
        return ask(usual);
      throw error;
    });
  } finally {
    sender.close();
  }
}

function readEnrolled(got: Got): EnrolledBox {
  try {
    const { cloud_id, enrolment_id, name, secret, takeover } = JSON.parse(got.body.toString('utf8')) as Record<
      string,
      unknown
    >;
    const texts = { cloud_id, enrolment_id, name, secret };
    const granted = takeover === undefined ? {} : { takeover: TakeoverGrant.parse(takeover) };
    if (Object.values(texts).every((text) => typeof text === 'string') && /^gw_/.test(String(secret)))
      return { ...(texts as Record<keyof typeof texts, string>), ...granted };
  } catch {
    // The answer is not from head office.
  }
  throw refusalOf({ ...got, headers: {} });
}
