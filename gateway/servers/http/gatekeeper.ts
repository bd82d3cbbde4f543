/**
 * Who is calling, and how much more they may ask: buckets per key and per address, and the count of wrong keys.
 *
 *   open path -> bucket of the address | key -> bucket of the key | wrong key -> bucket of the address, counted
 */
import type { Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { OperationName } from '#contract/operations.ts';
import { createRate, type Rate } from '#servers/base/rate.ts';
import { TABLE } from '#servers/invoke/json-schemas.ts';
import { AEMP_PATH } from './aemp.ts';
import type { Auth, Principal } from './auth.ts';
import type { SecurityWatch } from './security-watch.ts';

/** Addresses that the bucket of one operation remembers. */
const RATED_ADDRESSES = 2_000;

/** Refusals that tell of a wrong key or code, and what is noted of them. */
const WRONG: Readonly<Record<string, string>> = {
  credential_invalid: 'an unknown, revoked or expired key',
  claim_code_invalid: 'a wrong claim code',
};

/** Refused callers that wait for their refusal at once; beyond it they get it without waiting. */
const MOST_HELD = 2_000;
const HELD_MS = 1_000;

export interface Gatekeeper {
  /** The caller of a request; throws when there is none, or when it asked too often. */
  identify(request: Request, response: Response): Promise<Principal>;
  /** Counts a request that needs no key; a document of the interface counts more than a page. */
  open(request: Request, response: Response, count?: number): void;
  /** Counts a call of an operation that has a bucket per address. */
  operation(name: OperationName, request: Request, response: Response): void;
  /** Counts a call of a key, or one that costs as much as several. */
  call(principal: Principal, response: Response, count?: number): void;
  /** Counts the bytes of a body before it is read; `most` is what the operation takes. */
  body(principal: Principal, request: Request, response: Response, most: number): void;
  /** Notes a refusal, and resolves when it may be sent: a caller that does not wait is made to. */
  refusal(request: Request, response: Response, error: OperationError): Promise<void> | undefined;
}

/** The buckets of one server. */
export function createGatekeeper(options: {
  auth: Auth;
  watch: SecurityWatch;
  clock: () => number;
  requestsPerMinute: number;
}): Gatekeeper {
  const { auth, watch, clock, requestsPerMinute } = options;
  const perKey = createRate(requestsPerMinute, clock);
  const bodies = createRate(requestsPerMinute * LIMITS.body_bytes.value, clock);
  const refused = createRate(LIMITS.refused.value, clock);
  const opened = createRate(LIMITS.open_requests.value, clock);
  const perAddress = new Map(
    [...TABLE].flatMap(([name, row]) =>
      row.perAddress === undefined ? [] : [[name, createRate(row.perAddress, clock, RATED_ADDRESSES)] as const],
    ),
  );
  /** When an address was told to wait, the latest last. */
  const waits = new Map<string, number>();
  let held = 0;

  /** True for an address that was told to wait less than a second ago. */
  function isImpatient(address: string): boolean {
    const now = performance.now();
    const last = waits.get(address) ?? Number.NEGATIVE_INFINITY;
    waits.delete(address);
    if (waits.size >= MOST_HELD) waits.delete(waits.keys().next().value as string);
    waits.set(address, now);
    return now - last < HELD_MS;
  }

  /** Takes from a bucket and says so in the headers (draft-ietf-httpapi-ratelimit-headers); throws `rate_limited`. */
  function spend(rate: Rate, key: string, response: Response, count = 1): void {
    const { allowed, limit, remaining, retry_after_s } = rate.take(key, count);
    response.set({
      'RateLimit-Policy': `"default";q=${limit};w=60`,
      RateLimit: `"default";r=${remaining};t=${retry_after_s}`,
    });
    if (allowed) return;
    response.set('Retry-After', String(retry_after_s));
    throw new OperationError('rate_limited', `More than ${limit} requests in a minute; wait ${retry_after_s} s.`);
  }

  const call = (principal: Principal, response: Response, count = 1): void =>
    spend(perKey, `key:${principal.id}`, response, count);

  return {
    async identify(request, response) {
      try {
        const principal = await auth.authenticate(bearerOf(request), addressOf(request));
        call(principal, response);
        return principal;
      } catch (error) {
        if (error instanceof OperationError && error.status === 401) spend(refused, addressOf(request), response);
        throw error;
      }
    },
    open: (request, response, count) => spend(opened, addressOf(request), response, count),
    operation(name, request, response) {
      const limited = perAddress.get(name);
      if (limited !== undefined) spend(limited, addressOf(request), response);
    },
    call,
    body(principal, request, response, most) {
      const length = Number(request.headers['content-length'] ?? most);
      const key = principal.id === null ? addressOf(request) : `key:${principal.id}`;
      const { allowed, retry_after_s } = bodies.take(key, Math.min(length, most));
      if (allowed) return;
      response.set('Retry-After', String(retry_after_s));
      throw new OperationError('rate_limited', `Too many bytes in a minute; wait ${retry_after_s} s.`);
    },
    refusal(request, response, error) {
      const wrong = WRONG[error.code];
      if (wrong !== undefined) watch.wrong(addressOf(request), wrong);
      if (error.code !== 'rate_limited' || !isImpatient(addressOf(request)) || held >= MOST_HELD) return undefined;
      held++;
      // The rest of its body is not read away: it would cost more than the refusal.
      response.set('Connection', 'close');
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          request.socket.off('close', end);
          held--;
          resolve();
        };
        const timer = setTimeout(end, HELD_MS);
        request.socket.once('close', end);
      });
    },
  };
}

/** Telematics consumers know user names and passwords only: for them the key is the password (RFC 7617), whatever the name. */
function bearerOf(request: Request): string | undefined {
  const { authorization } = request.headers;
  const basic = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined || !request.originalUrl.startsWith(`${AEMP_PATH}/`)) return authorization;
  return `Bearer ${Buffer.from(basic, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '')}`;
}

/** The address of a caller, an IPv4 address always in its own form. */
export function addressOf(request: Request): string {
  return (request.socket.remoteAddress ?? 'unknown').replace(/^::ffff:/, '');
}

/** True for a caller on this machine. */
export function isLocal(request: Request): boolean {
  const address = addressOf(request);
  return address === '::1' || address.startsWith('127.');
}
