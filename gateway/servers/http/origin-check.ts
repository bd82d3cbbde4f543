/**
 * Checks the Host and Origin headers before the gateway reads anything else of a request. A request must have exactly one Host header, and
 * this header must name this gateway. If the request comes from a browser, it must come from a page of this gateway.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { OperationError } from '#contract/base/errors.ts';

/** The host names of this gateway. */
export interface OwnNames {
  /** Returns true for a host name, in lower case, that requests may use. */
  has(name: string): boolean;
}

/**
 * Returns the host names that requests may use besides IP addresses. `isLocal` returns true for a name that the gateway has in the local
 * network at the moment.
 */
export function ownNames(extra: readonly string[], isLocal: (name: string) => boolean = () => false): OwnNames {
  const name = hostname().toLowerCase();
  const names = new Set(['localhost', name, `${name}.local`, ...extra.map((n) => n.toLowerCase())]);
  return { has: (one) => names.has(one) || isLocal(one) };
}

/**
 * Returns the host and port of a request. Throws `misdirected_request` for a Host of another server, and `permission_denied` for a
 * request from a page of another site.
 */
export function checkOrigin(request: IncomingMessage, names: OwnNames): string {
  // Clients send a full URL in the request line only to proxies (RFC 9112 3.2.2).
  if (request.url?.startsWith('/') !== true)
    throw new OperationError(
      'misdirected_request',
      'This gateway is not a proxy. Send the path without scheme and host.',
    );
  const host = hostOf(request.headers.host ?? '');
  // A server must refuse a request with more than one Host (RFC 9112 3.2).
  if (hostCount(request.rawHeaders) !== 1 || host === undefined)
    throw new OperationError('misdirected_request', 'Send exactly one Host header.');
  // DNS rebinding: an attacker can let the domain name of a hostile page point to this gateway. So refuse unknown
  // host names. A Host that is an IP address is safe, because an attacker cannot redirect it.
  if (isIP(host.name) === 0 && !names.has(host.name))
    throw new OperationError('misdirected_request', 'The Host header does not name this gateway.');
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const foreign =
    (origin !== undefined && originHost(origin) !== host.full) ||
    (site === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate');
  if (foreign) throw new OperationError('permission_denied', 'Pages of other sites may not call this gateway.');
  return host.full;
}

/** Counts the Host headers of a request. In `rawHeaders`, names and values alternate. */
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

/** Cache of parsed Host headers. Nearly all requests have the same few Host headers. */
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
