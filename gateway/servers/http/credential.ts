/**
 * Reads the credential of a request: the Authorization header, or the cookie of a session. A page of another site can make a browser send a
 * request with the cookie. So the gateway accepts the cookie only with a header that such a page cannot set, and for a write only from its
 * own origin. `origin-check.ts` compares the origin with the Host header; the cookie is also `SameSite=Strict`.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { PAGE_HEADER } from '#contract/client.ts';
import { AEMP_PATH } from './aemp.ts';

/** Returns the credential of a request: `Bearer` and a key, or `Session` and the token of a session. */
export type ReadCredential = (request: Request) => string | undefined;

/** Longest Cookie header in characters in which the gateway looks for its cookie. */
const LONGEST = 4_096;
const TOKEN = /^ses_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/;

export interface SessionCookie {
  readonly read: ReadCredential;
  /** Sets the cookie of a session. `ends_at`: the browser keeps the cookie until this time. Null: until the browser is closed. */
  set(request: IncomingMessage, response: Response, token: string, ends_at: string | null): void;
  remove(request: IncomingMessage, response: Response): void;
}

/** The name of the cookie contains the id of the gateway, because browsers send cookies to all ports of a host. */
export function createSessionCookie(gateway: string): SessionCookie {
  const name = `headframe_${gateway.slice(-8)}`;
  const isSecure = (request: IncomingMessage) => 'encrypted' in request.socket;
  // With the prefix `__Host-` a browser accepts the cookie only from this host and over TLS (RFC 6265bis 4.1.3.2).
  const nameFor = (request: IncomingMessage) => (isSecure(request) ? `__Host-${name}` : name);

  function write(request: IncomingMessage, response: Response, value: string, more: string): void {
    const secure = isSecure(request) ? '; Secure' : '';
    response.append('Set-Cookie', `${nameFor(request)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${more}`);
  }

  function cookieOf(request: Request): string | undefined {
    const header = request.headers.cookie ?? '';
    if (header === '' || header.length > LONGEST || request.headers[PAGE_HEADER] === undefined) return undefined;
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads && request.headers.origin === undefined) return undefined;
    const wanted = `${nameFor(request)}=`;
    const found = header.split(/; */).filter((pair) => pair.startsWith(wanted));
    const value = found[0]?.slice(wanted.length) ?? '';
    return found.length === 1 && TOKEN.test(value) ? `Session ${value}` : undefined;
  }

  return {
    read(request) {
      const { authorization } = request.headers;
      if (authorization === undefined) return cookieOf(request);
      return /^session /i.test(authorization) ? undefined : bearerOf(request, authorization);
    },
    set: (request, response, token, ends_at) =>
      write(request, response, token, ends_at === null ? '' : `; Expires=${new Date(ends_at).toUTCString()}`),
    remove: (request, response) => write(request, response, '', '; Max-Age=0'),
  };
}

/**
 * Returns the Authorization header with a Bearer key. On the paths of ISO 15143-3, the password of Basic authentication is the key
 * (RFC 7617), because most fleet software can send only a user name and a password.
 */
function bearerOf(request: Request, authorization: string): string {
  const basic = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(authorization)?.[1];
  if (basic === undefined || !request.originalUrl.startsWith(`${AEMP_PATH}/`)) return authorization;
  return `Bearer ${Buffer.from(basic, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '')}`;
}
