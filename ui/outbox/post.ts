/** The requests of the outbox: one write, and the record after a conflict. */
import type { ToldText } from '#contract/base/told.ts';
import { base64 } from './base64.ts';
import { type GatewayClock, writtenAgo } from './clock.ts';
import { type Item, textAt } from './item.ts';
import type { Store } from './store.ts';

const TIMEOUT_MS = 20_000;
/** The slowest link on which a photo still arrives, in bytes for each millisecond. */
const SLOWEST = 4;
/** A request with at most this many bytes must be answered in time. */
const SMALL_BYTES = 16_000;

/** Returns how long a request of so many bytes may take. */
const patience = (bytes: number): number => TIMEOUT_MS + Math.max(0, bytes - SMALL_BYTES) / SLOWEST;

/** Bytes of the request of a write, about: a photo grows by a third as base64. */
const sizeOf = ({ photo_bytes, request }: Item): number =>
  photo_bytes === 0 ? JSON.stringify(request.body).length : Math.ceil(photo_bytes * 1.34);

export const isSmall = (item: Item): boolean => sizeOf(item) <= SMALL_BYTES;

/** What the page adds to a request: the headers that identify the sender. Null: nobody can send now. */
export type SenderHeaders = () => Readonly<Record<string, string>> | null;

export interface Answer {
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
  /** The message as sentences; undefined if it has no parameters. */
  readonly words?: ToldText | undefined;
  readonly reason: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retry_ms: number;
}

const NO_ANSWER: Answer = { status: null, code: 'unreachable', message: '', reason: '', body: {}, retry_ms: 0 };

export function createPost({ store, clock, headers }: { store: Store; clock: GatewayClock; headers: SenderHeaders }) {
  async function ask(path: string, init: RequestInit, lasts_ms = TIMEOUT_MS): Promise<Answer> {
    // `AbortSignal.timeout` is missing in the browsers of older phones.
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), lasts_ms);
    try {
      const response = await fetch(path, { ...init, signal: stop.signal });
      const text = await response.text();
      clock.heard(response);
      let body: Record<string, unknown> = {};
      try {
        body = JSON.parse(text) as Record<string, unknown>;
      } catch {
        // Something else answers at this address.
      }
      const error = body.error as
        | { code?: string; message?: string; words?: ToldText; details?: { reason?: string }[] }
        | undefined;
      return {
        status: response.status,
        code: error?.code ?? (response.ok && body.object !== undefined ? '' : 'unexpected_answer'),
        message: error?.message ?? '',
        words: error?.words,
        reason: error?.details?.[0]?.reason ?? '',
        body,
        retry_ms: Number(response.headers.get('retry-after') ?? 0) * 1_000,
      };
    } catch {
      return NO_ANSWER;
    } finally {
      clearTimeout(late);
    }
  }

  /** Milliseconds since the person wrote; null if it is not known. */
  const ago = (item: Item): number | null => writtenAgo(item, clock.now());

  async function send(item: Item): Promise<Answer> {
    const { method, path, body, if_match, open } = item.request;
    const photo = item.photo_bytes === 0 ? undefined : await store.photo(item.id);
    const whole = photo === undefined ? body : { ...body, content_base64: base64(new Uint8Array(photo)) };
    const from = open ? {} : headers();
    if (from === null) return { ...NO_ANSWER, status: 401, code: 'nobody' };
    const own: Record<string, string> = open
      ? {}
      : {
          'idempotency-key': item.id,
          ...(item.project !== null && { 'project-id': item.project }),
          ...(item.pass !== null && {
            'headframe-pass': item.pass,
            'headframe-written-ago': String(ago(item) ?? 'unknown'),
          }),
          ...(if_match !== null && { 'if-match': `"${if_match}"` }),
        };
    const body_text = JSON.stringify(open ? { ...whole, written_ago_ms: ago(item) } : whole);
    const head = { ...from, accept: 'application/json', 'content-type': 'application/json', ...own };
    return ask(path, { method, headers: head, body: body_text }, patience(body_text.length));
  }

  /** Asks the gateway for its time. Returns false if it does not answer. */
  const hello = async (): Promise<boolean> => (await ask('/healthz', { cache: 'no-store' })).status !== null;

  /** Reads what is there now, for the choice of the person. */
  async function readNow(item: Item): Promise<Item['now']> {
    const from = headers();
    if (item.read === null || from === null) return null;
    const project: Record<string, string> = item.project === null ? {} : { 'project-id': item.project };
    const { status, body } = await ask(item.read, { headers: { ...from, ...project } });
    if (status !== 200) return null;
    const taken = body.taken as { by?: string } | null | undefined;
    return {
      values: item.facts.map(({ field }) => textAt(body, field)),
      revision: typeof body.revision === 'number' ? body.revision : null,
      by: taken?.by ?? null,
    };
  }

  return { send, readNow, hello };
}
