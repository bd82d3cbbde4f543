/**
 * Sends one POST request to the server of a webhook endpoint. It resolves the host name once, checks the address, and connects to exactly
 * this address. So a DNS server that later gives another address cannot redirect the request. It follows no redirect, and reads only the
 * status and `Retry-After` of the response.
 */
import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { reachOf } from '#domain/base/ip-address.ts';

/** The result of a POST request to an endpoint. */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly retry_after_ms: number | null }
  /** No server was reached: the name does not resolve, there is no route, or nothing listens. */
  | { readonly kind: 'unreachable'; readonly error: string }
  /** A server was reached but did not respond correctly, or the address is not allowed. */
  | { readonly kind: 'failed'; readonly error: string };

export interface Post {
  readonly url: string;
  readonly allow_private: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostOptions {
  readonly signal: AbortSignal;
  /** Resolves a host name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Returns true if a request may connect to this address. Default: `permitted`. */
  readonly permits?: (address: string, url: URL, allow_private: boolean) => boolean;
  readonly connectMs?: number;
  readonly answerMs?: number;
}

const CONNECT_MS = 5_000;
const ANSWER_MS = 15_000;
/** Bytes of a response body that are read and discarded before the connection is closed. */
const MAX_BODY = 64 * 1024;
const LINGER_MS = 2_000;
const LONGEST_WAIT_MS = 3_600_000;

async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * Returns true if a request may connect to an address. A public address is allowed over https. A private address is allowed, also over
 * http, if an owner has allowed private addresses for the endpoint. An address of this gateway is never allowed.
 */
function permitted(address: string, url: URL, allow_private: boolean): boolean {
  const reach = reachOf(address);
  // A BlockList also matches IPv4 addresses inside IPv6 (RFC 4291 2.5.5.2), and every spelling of an address.
  const own = new BlockList();
  for (const all of Object.values(networkInterfaces()))
    for (const one of all ?? []) own.addAddress(one.address, one.family === 'IPv6' ? 'ipv6' : 'ipv4');
  if (own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return false;
  return reach === 'private' ? allow_private : reach === 'public' && url.protocol === 'https:';
}

/** Returns the headers that sign a message (Standard Webhooks 1.0.0, symmetric), with one signature for each secret, the newest first. */
export function signatureHeaders(
  id: string,
  at_ms: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at_ms / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Returns the code of an error, or its message if it has no code. Neither contains the address of the server. */
function reason(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error).slice(0, 200);
}

/** Returns the result of `promise`. Rejects with `message` if `promise` takes more than `ms` milliseconds. */
async function within<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends the message and returns the result; never rejects. */
export async function post(message: Post, options: PostOptions): Promise<Answer> {
  const { resolve = resolveName, permits = permitted, connectMs = CONNECT_MS } = options;
  const url = new URL(message.url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  let addresses: readonly string[];
  try {
    addresses = isIP(host) === 0 ? await within(resolve(host), connectMs, 'the name was not resolved in time') : [host];
  } catch (error) {
    return { kind: 'unreachable', error: reason(error) };
  }
  const address = addresses.find((one) => permits(one, url, message.allow_private));
  if (address === undefined)
    return addresses.length === 0
      ? { kind: 'unreachable', error: 'the name has no address' }
      : { kind: 'failed', error: 'the address is not allowed' };
  return send(url, host, address, message, { ...options, connectMs });
}

function send(
  url: URL,
  host: string,
  address: string,
  { headers, body }: Post,
  { signal, connectMs, answerMs = ANSWER_MS }: PostOptions & { readonly connectMs: number },
): Promise<Answer> {
  return new Promise((done) => {
    let connected = false;
    const call = url.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = call({
      host: address,
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      agent: false,
      signal,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      headers: {
        ...headers,
        host: url.host,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'headframe-webhooks',
      },
    });
    const connecting = setTimeout(() => outgoing.destroy(new Error('no connection in time')), connectMs);
    const answering = setTimeout(() => outgoing.destroy(new Error('no answer in time')), answerMs);
    outgoing.on('socket', (socket) => {
      socket.once('connect', () => {
        connected = true;
        clearTimeout(connecting);
      });
    });
    outgoing.on('response', (response) => {
      clearTimeout(answering);
      const { statusCode: status = 0 } = response;
      done({ kind: 'answered', status, retry_after_ms: retryAfter(response.headers['retry-after']) });
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BODY) response.destroy();
      });
      response.on('error', () => undefined);
      const linger = setTimeout(() => response.destroy(), LINGER_MS);
      response.on('close', () => clearTimeout(linger));
    });
    // A server may answer with a switch of the protocol (status 101). Without this listener, Node would close the socket, and the promise
    // would never settle.
    outgoing.on('upgrade', ({ statusCode: status = 0 }, socket) => {
      clearTimeout(answering);
      socket.destroy();
      done({ kind: 'answered', status, retry_after_ms: null });
    });
    outgoing.on('error', (error) => {
      clearTimeout(connecting);
      clearTimeout(answering);
      done({ kind: connected ? 'failed' : 'unreachable', error: reason(error) });
    });
    outgoing.end(body);
  });
}

/** Returns the seconds of a `Retry-After` header as milliseconds, at most an hour; null if it has another form, such as a date. */
function retryAfter(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return null;
  return Math.min(Number(text) * 1000, LONGEST_WAIT_MS);
}
