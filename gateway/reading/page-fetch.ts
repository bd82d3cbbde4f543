/**
 * Fetches the page of a project. It resolves the name of the host once, checks the address and connects to exactly this address, so that a
 * DNS server which later gives another address cannot lead the request into the network of the site. It checks each redirect in the same
 * way. Pages are only text to read: no script, picture or style is loaded.
 */
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { GivenFile } from '#contract/site/setup.ts';
import { reachOf } from '#domain/base/ip-address.ts';
import { Unreadable } from './reading-types.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;
const WITHIN_MS = 10_000;
const OK = 200;

/** What tests replace. */
export interface PageOptions {
  /** Resolves the name of a host. Default: the resolver of the system. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Returns true if a request may connect to this address. Default: public addresses of other hosts. */
  readonly permits?: (address: string) => boolean;
  /** Returns true if a URL may have this port. Default: the ports of HTTP and HTTPS. */
  readonly permitsPort?: (port: string) => boolean;
  readonly within_ms?: number;
}

const COPY = 'Copy the text of the page into the description, or give it as a file, and start the setup again.';

const notRead = (message: string, cause?: unknown): Unreadable =>
  new Unreadable({ code: 'page_not_read', message, remedy: COPY }, cause);

const unreachable = (cause: unknown): Unreadable => {
  const { code } = cause as { code?: unknown };
  return notRead(
    `The page was not reached${typeof code === 'string' ? ` (${code})` : ''}. The gateway may have no internet.`,
    cause,
  );
};

async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function isPublic(address: string): boolean {
  const own = new BlockList();
  for (const all of Object.values(networkInterfaces()))
    for (const one of all ?? []) own.addAddress(one.address, one.family === 'IPv6' ? 'ipv6' : 'ipv4');
  return reachOf(address) === 'public' && !own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the URL if the gateway may ask it. */
function checked(text: string, base: URL | undefined, permitsPort: (port: string) => boolean): URL {
  const url = URL.parse(text, base?.href);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw notRead('The address is no web address.');
  if (url.username !== '' || url.password !== '') throw notRead('The address has a name or a password in it.');
  if (!permitsPort(url.port)) throw notRead('The gateway asks web pages only at the ports 80 and 443.');
  return url;
}

/** Fetches a page; throws `Unreadable` if that is not possible. */
export async function fetchPage(address: string, options: PageOptions = {}): Promise<GivenFile> {
  const { permitsPort = (port) => port === '', within_ms = WITHIN_MS } = options;
  const signal = AbortSignal.timeout(within_ms);
  let url = checked(address, undefined, permitsPort);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await ask(url, signal, options);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = checked(headers.location, url, permitsPort);
      continue;
    }
    if (statusCode !== OK) {
      response.destroy();
      throw notRead(`The server of the page answered ${statusCode}.`);
    }
    return { name: nameOf(url, headers['content-type'] ?? ''), content: await bodyOf(response) };
  }
  throw notRead(`The page leads to other pages more than ${MAX_REDIRECTS} times.`);
}

/** The reader of files knows tables of text by their name. */
function nameOf({ pathname }: URL, type: string): string {
  const kind = /^text\/(csv|tab-separated-values)/i.exec(type)?.[1]?.toLowerCase();
  return kind === undefined ? pathname : `${pathname}.${kind === 'csv' ? 'csv' : 'tsv'}`;
}

async function ask(url: URL, signal: AbortSignal, options: PageOptions): Promise<IncomingMessage> {
  const { resolve = resolveName, permits = isPublic } = options;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) === 0 ? await inTime(resolve(host), signal) : [host];
  const address = addresses.find(permits);
  if (address === undefined)
    throw notRead('The address of the page is in the network of the site, or of this gateway. It is not asked.');
  const call = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((done, failed) => {
    const outgoing = call({
      host: address,
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      agent: false,
      signal,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      headers: { host: url.host, 'accept-encoding': 'identity', 'user-agent': 'headframe-setup' },
    });
    outgoing.on('response', done);
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      failed(notRead('The server of the page does not speak HTTP.'));
    });
    outgoing.on('error', (error) => failed(unreachable(error)));
    outgoing.end();
  });
}

/** Waits for a name; the system's resolver itself has no limit of time. */
async function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    throw unreachable(error);
  }
}

async function bodyOf(response: IncomingMessage): Promise<Uint8Array> {
  const { 'content-encoding': encoding = 'identity' } = response.headers;
  if (encoding !== 'identity') {
    response.destroy();
    throw notRead(`The server of the page packs its answer (${encoding}), although it was asked not to.`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw notRead('The page has more than 1 MiB.');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : unreachable(error);
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks);
}
