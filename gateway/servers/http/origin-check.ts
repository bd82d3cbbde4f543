/** What a request must be before anybody looks inside: for this gateway, from this gateway's pages or from no page, one Host, origin-form. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { OperationError } from '#contract/base/errors.ts';

/** The names under which this gateway answers besides its addresses, lower case. */
export function ownNames(extra: readonly string[]): ReadonlySet<string> {
  const name = hostname().toLowerCase();
  return new Set(['localhost', name, `${name}.local`, ...extra.map((n) => n.toLowerCase())]);
}

/** Throws unless the request is addressed to us and comes from a page of ours or from no page at all; returns the host as written. */
export function checkOrigin(request: IncomingMessage, names: ReadonlySet<string>): string {
  // RFC 9112 3.2.2: absolute-form is for proxies; this is none.
  if (request.url?.startsWith('/') !== true)
    throw new OperationError('misdirected_request', 'This gateway is no proxy: send the path alone.');
  const host = hostOf(request.headers.host ?? '');
  // RFC 9112 3.2: more than one Host is refused.
  if (hostCount(request.rawHeaders) !== 1 || host === undefined)
    throw new OperationError('misdirected_request', 'Send exactly one Host header.');
  // A name that a foreign DNS server points at us is a page of others reaching in (DNS rebinding); an address cannot be rebound.
  if (isIP(host.name) === 0 && !names.has(host.name))
    throw new OperationError('misdirected_request', 'The Host header names no address of this gateway.');
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const foreign =
    (origin !== undefined && originHost(origin) !== host.full) ||
    (site === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate');
  if (foreign) throw new OperationError('permission_denied', 'Pages of other sites may not call this gateway.');
  return host.full;
}

/** How many Host headers a request has; names and values alternate. */
function hostCount(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

interface Host {
  readonly name: string;
  readonly full: string;
}

/** Hosts that were read already: nearly all callers use the same few. */
const known = new Map<string, Host | undefined>();
const MAX_KNOWN = 100;

function hostOf(text: string): Host | undefined {
  if (known.has(text)) return known.get(text);
  const host = readHost(text);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, host);
  return host;
}

function readHost(text: string): Host | undefined {
  if (!/^[A-Za-z0-9.:[\]_-]+$/.test(text)) return undefined;
  const url = URL.parse(`http://${text}`);
  if (url === null) return undefined;
  return { name: url.hostname.replace(/^\[|\]$/g, '').toLowerCase(), full: url.host };
}

function originHost(origin: string): string | undefined {
  const url = URL.parse(origin);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.host : undefined;
}
