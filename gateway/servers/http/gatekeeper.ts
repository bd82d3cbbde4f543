/**
 * Identifies callers and limits the rate of their requests, with a token bucket for each key and each address. It also counts wrong keys.
 *
 *   no key needed -> bucket of the address | valid key -> bucket of the key | wrong key -> bucket of the address, and counted
 */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { say } from '#contract/base/told.ts';
import type { OperationName } from '#contract/operations.ts';
import { createRate, type Rate } from '#servers/base/rate.ts';
import { TABLE } from '#servers/invoke/json-schemas.ts';
import type { Auth } from './auth.ts';
import type { Principal } from './holders.ts';
import type { SecurityWatch } from './security-watch.ts';

/** Largest number of addresses that the rate limit of one operation counts separately. */
const RATED_ADDRESSES = 2_000;

/**
 * Error codes of a wrong key or claim code (the code with which somebody takes ownership of a new gateway). Each has the text that the log
 * and `GET /api/v1/health` show.
 */
const WRONG: Readonly<Record<string, string>> = {
  credential_invalid: 'an unknown, revoked or expired key',
  claim_code_invalid: 'a wrong claim code',
  sign_in_failed: 'a wrong name, passphrase or PIN',
  invitation_invalid: 'a wrong invitation or link of a tablet',
  pin_locked: 'too many wrong PINs',
};

/** Largest number of 429 answers that the gateway delays at the same time. It sends further 429 answers without delay. */
const MOST_HELD = 2_000;
/** If an address gets a second 429 within this many milliseconds, the gateway delays the second 429 by the same time. */
const HELD_MS = 1_000;

/** Who sends a request from a browser: a person, or a shared tablet on which nobody is signed in. Each has its own cookie. */
export type Sender = 'person' | 'tablet';

/** Returns the credential of a request: a scheme (`Bearer`, `Session`, `Tablet`) and a key. */
export type ReadCredential = (request: Request, sender: Sender) => string | undefined;

export interface Gatekeeper {
  /**
   * Returns the caller of a request. Throws an error if the key is missing or wrong, and `rate_limited` if the caller exceeds its limit.
   */
  identify(request: Request, response: Response, sender?: Sender): Promise<Principal>;
  /** Counts a request that needs no key. Throws `rate_limited` above the limit. The request counts as `count` requests (default 1). */
  open(request: Request, response: Response, count?: number): void;
  /** Counts a call of an operation with a rate limit per address; throws `rate_limited`. */
  operation(name: OperationName, request: Request, response: Response): void;
  /** Counts a call with a key. Throws `rate_limited` above the limit. The call counts as `count` calls (default 1). */
  call(principal: Principal, response: Response, count?: number): void;
  /**
   * Counts the bytes of a body before the gateway reads it; throws `rate_limited` above the limit. `most` is the body limit of the
   * operation.
   */
  body(principal: Principal, request: Request, response: Response, most: number): void;
  /**
   * Counts a refused request if its key or code is wrong. Returns a promise to await before the answer if the caller got another 429 less
   * than a second ago.
   */
  refusal(request: Request, response: Response, error: OperationError): Promise<void> | undefined;
}

/** Creates the rate limits of one server. */
export function createGatekeeper(options: {
  auth: Auth;
  watch: SecurityWatch;
  clock: () => number;
  requestsPerMinute: number;
  credential: ReadCredential;
  /** Called with the caller of each request that has a valid key. */
  identified: (principal: Principal, request: Request) => void;
}): Gatekeeper {
  const { auth, watch, clock, requestsPerMinute, credential, identified } = options;
  const perKey = createRate(requestsPerMinute, clock);
  const bodies = createRate(requestsPerMinute * LIMITS.body_bytes.value, clock);
  const refused = createRate(LIMITS.refused.value, clock);
  const opened = createRate(LIMITS.open_requests.value, clock);
  const perAddress = new Map(
    [...TABLE].flatMap(([name, row]) =>
      row.perAddress === undefined ? [] : [[name, createRate(row.perAddress, clock, RATED_ADDRESSES)] as const],
    ),
  );
  /** Time of the last 429 for each address, oldest first. */
  const waits = new Map<string, number>();
  let held = 0;

  /** Records that an address got a 429. Returns true if it got another 429 less than a second ago. */
  function isImpatient(address: string): boolean {
    const now = performance.now();
    const last = waits.get(address) ?? Number.NEGATIVE_INFINITY;
    waits.delete(address);
    if (waits.size >= MOST_HELD) waits.delete(waits.keys().next().value as string);
    waits.set(address, now);
    return now - last < HELD_MS;
  }

  /** Takes tokens from a bucket, and sets the `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers); throws `rate_limited`. */
  function spend(rate: Rate, key: string, response: Response, count = 1): void {
    const { allowed, limit, remaining, retry_after_s } = rate.take(key, count);
    // An MCP answer that is a stream has sent its headers before its last call is counted.
    if (!response.headersSent)
      response.set({
        'RateLimit-Policy': `"default";q=${limit};w=60`,
        RateLimit: `"default";r=${remaining};t=${retry_after_s}`,
        ...(allowed ? {} : { 'Retry-After': String(retry_after_s) }),
      });
    if (allowed) return;
    throw new OperationError(
      'rate_limited',
      say('More than {limit} requests in a minute. Wait {retry_after_s} s.', { limit, retry_after_s }),
    );
  }

  const call = (principal: Principal, response: Response, count = 1): void =>
    spend(perKey, `key:${principal.id}`, response, count);

  return {
    async identify(request, response, sender = 'person') {
      try {
        const principal = await auth.authenticate(credential(request, sender), addressOf(request));
        call(principal, response);
        identified(principal, request);
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
      throw new OperationError(
        'rate_limited',
        say('Too many bytes of JSON bodies in a minute. Wait {retry_after_s} s.', { retry_after_s }),
      );
    },
    refusal(request, response, error) {
      const wrong = WRONG[error.code];
      if (wrong !== undefined) watch.wrong(addressOf(request), wrong);
      if (error.code !== 'rate_limited' || !isImpatient(addressOf(request)) || held >= MOST_HELD) return undefined;
      held++;
      // Close the connection, so that the gateway need not read the rest of the body. Reading it would be more work than this answer.
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

/** Returns the address of a caller; an IPv4 address without the prefix `::ffff:`. */
export function addressOf(request: Request): string {
  return (request.socket.remoteAddress ?? 'unknown').replace(/^::ffff:/, '');
}

/** Returns true if the request came over TLS. */
export function isEncrypted({ socket }: IncomingMessage): boolean {
  return socket instanceof TLSSocket;
}

/** Returns true if the caller uses a loopback address, and is therefore on this machine. */
export function isLocal(request: Request): boolean {
  const address = addressOf(request);
  return address === '::1' || address.startsWith('127.');
}
