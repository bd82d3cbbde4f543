/**
 * Reads the credential of a request: the Authorization header, or the cookie of a session or of a shared tablet. A page of another site can
 * make a browser send a request with the cookie. So the gateway accepts a cookie only with a header that such a page cannot set, and for a
 * write only from its own origin. `origin-check.ts` compares the origin with the Host header; the cookies are also `SameSite=Strict`.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { PAGE_HEADER } from '#contract/client.ts';
import { AEMP_PATH } from '#servers/aemp/aemp.ts';
import { isEncrypted, type ReadCredential, type Sender } from './gatekeeper.ts';

/** Longest Cookie header in characters in which the gateway looks for its cookie. */
const LONGEST = 4_096;
const KEPT_S = 400 * 86_400;

/** The two cookies: the scheme of their credential, the form of their value, and the text before the id of the gateway in their name. */
const COOKIES = {
  person: { scheme: 'Session', token: /^ses_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/, prefix: 'headframe' },
  tablet: { scheme: 'Tablet', token: /^tab_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/, prefix: 'headframe_tablet' },
} as const;

export interface Cookies {
  readonly read: ReadCredential;
  /** Sets the cookie of a session. `ends_at`: the browser keeps the cookie until this time. Null: until the browser is closed. */
  set(request: IncomingMessage, response: Response, token: string, ends_at: string | null): void;
  remove(request: IncomingMessage, response: Response): void;
  /** Sets the cookie of a tablet. The browser keeps it for 400 days, the longest time that Chromium allows. */
  enrol(request: IncomingMessage, response: Response, token: string): void;
  /** Sets the cookie of the tablet that sends this request again, so that its 400 days begin anew. */
  renew(request: Request, response: Response): void;
}

/** The names of the cookies contain the id of the gateway, because browsers send cookies to all ports of a host. */
export function createCookies(gateway: string): Cookies {
  // With the prefix `__Host-` a browser accepts the cookie only from this host and over TLS (RFC 6265bis 4.1.3.2).
  const nameFor = (request: IncomingMessage, sender: Sender) =>
    `${isEncrypted(request) ? '__Host-' : ''}${COOKIES[sender].prefix}_${gateway.slice(-8)}`;

  function write(request: IncomingMessage, response: Response, sender: Sender, value: string, more: string): void {
    const secure = isEncrypted(request) ? '; Secure' : '';
    const pair = `${nameFor(request, sender)}=${value}`;
    response.append('Set-Cookie', `${pair}; Path=/; HttpOnly; SameSite=Strict${secure}${more}`);
  }

  /** Returns the value of a cookie, if the request comes from a page of this gateway. */
  function tokenOf(request: Request, sender: Sender): string | undefined {
    const header = request.headers.cookie ?? '';
    if (header === '' || header.length > LONGEST || request.headers[PAGE_HEADER] === undefined) return undefined;
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads && request.headers.origin === undefined) return undefined;
    const wanted = `${nameFor(request, sender)}=`;
    const found = header.split(/; */).filter((pair) => pair.startsWith(wanted));
    const value = found[0]?.slice(wanted.length) ?? '';
    return found.length === 1 && COOKIES[sender].token.test(value) ? value : undefined;
  }

  const enrol = (request: IncomingMessage, response: Response, token: string) =>
    write(request, response, 'tablet', token, `; Max-Age=${KEPT_S}`);

  return {
    read(request, sender) {
      const { authorization } = request.headers;
      if (authorization !== undefined)
        return /^(session|tablet) /i.test(authorization) ? undefined : bearerOf(request, authorization);
      const token = tokenOf(request, sender);
      return token && `${COOKIES[sender].scheme} ${token}`;
    },
    set: (request, response, token, ends_at) =>
      write(request, response, 'person', token, ends_at === null ? '' : `; Expires=${new Date(ends_at).toUTCString()}`),
    remove: (request, response) => write(request, response, 'person', '', '; Max-Age=0'),
    enrol,
    renew(request, response) {
      const token = tokenOf(request, 'tablet');
      if (token !== undefined) enrol(request, response, token);
    },
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
