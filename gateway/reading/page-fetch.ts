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
  /** The addresses of the gateway with the lengths of their networks (`192.168.1.5/24`). Default: those of its interfaces. */
  readonly interfaces?: readonly string[];
}

interface FetchOptions extends PageOptions {
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

const COPY = 'Copy the text of the page into the description, or give it as a file, and start the setup again.';

const notRead = (message: string, cause?: unknown): Unreadable =>
  new Unreadable({ code: 'page_not_read', message, remedy: COPY }, cause);

/** Codes of OpenSSL and Node for a certificate that is expired, of another name, or of an unknown issuer. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/;

/** The request, and what ends it. */
interface Limits {
  /** Ends the request after its time, or with `stop`. */
  readonly signal: AbortSignal;
  readonly stop: AbortSignal | undefined;
  readonly within_ms: number;
}

function unreachable(cause: unknown, { signal, stop, within_ms }: Limits): Unreadable {
  stop?.throwIfAborted();
  if (signal.aborted) return notRead(`The page did not answer within ${within_ms / 1000} s.`, cause);
  const { code } = cause as { code?: unknown };
  if (typeof code === 'string' && CERTIFICATE.test(code))
    return notRead(`The certificate of the page is not valid (${code}).`, cause);
  return notRead(
    `The page was not reached${typeof code === 'string' ? ` (${code})` : ''}. The gateway may have no internet.`,
    cause,
  );
}

async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

const ownNetworks = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address, cidr, family }) => cidr ?? `${address}/${family === 'IPv6' ? 128 : 32}`),
  );

/** True for an address of the internet. Machines of the site may have public addresses too: those of the networks of the gateway. */
export function isPublic(address: string, interfaces: readonly string[]): boolean {
  const own = new BlockList();
  for (const one of interfaces) {
    const [network = '', length] = one.split('/');
    own.addSubnet(network, Number(length), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
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
export async function fetchPage(address: string, options: FetchOptions = {}): Promise<GivenFile> {
  const { permitsPort = (port) => port === '', within_ms = WITHIN_MS, signal: stop } = options;
  stop?.throwIfAborted();
  const late = AbortSignal.timeout(within_ms);
  const limits: Limits = { signal: stop === undefined ? late : AbortSignal.any([late, stop]), stop, within_ms };
  let url = checked(address, undefined, permitsPort);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await ask(url, limits, options);
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
    return { name: nameOf(url, headers['content-type'] ?? ''), content: await bodyOf(response, limits) };
  }
  throw notRead(`The page leads to other pages more than ${MAX_REDIRECTS} times.`);
}

/** The reader of files knows tables of text by their name. */
function nameOf({ pathname }: URL, type: string): string {
  const kind = /^text\/(csv|tab-separated-values)/i.exec(type)?.[1]?.toLowerCase();
  return kind === undefined ? pathname : `${pathname}.${kind === 'csv' ? 'csv' : 'tsv'}`;
}

async function ask(url: URL, limits: Limits, options: PageOptions): Promise<IncomingMessage> {
  const { resolve = resolveName, interfaces = ownNetworks() } = options;
  const { permits = (one: string) => isPublic(one, interfaces) } = options;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) === 0 ? await inTime(resolve(host), limits) : [host];
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
      signal: limits.signal,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      headers: { host: url.host, 'accept-encoding': 'identity', 'user-agent': 'headframe-setup' },
    });
    outgoing.on('response', done);
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      failed(notRead('The server of the page does not speak HTTP.'));
    });
    outgoing.on('error', (error) => failed(limits.stop?.aborted ? limits.stop.reason : unreachable(error, limits)));
    outgoing.end();
  });
}

/** Waits for a name; the system's resolver itself has no limit of time. */
async function inTime<T>(promise: Promise<T>, limits: Limits): Promise<T> {
  const { signal } = limits;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    throw unreachable(error, limits);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function bodyOf(response: IncomingMessage, limits: Limits): Promise<Uint8Array> {
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
    throw error instanceof Unreadable ? error : unreachable(error, limits);
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks);
}
