/** The data that the HTTP server keeps about a request until it is answered. */
import { randomBytes } from 'node:crypto';
import type { Request } from 'express';

const POOL_BYTES = 9 * 512;
let pool = Buffer.alloc(0);

/** Returns a random request id. It takes random bytes for 512 ids at a time, which is faster. */
export function requestId(): string {
  if (pool.length < 9) pool = randomBytes(POOL_BYTES);
  const id = `req_${pool.toString('base64url', 0, 9)}`;
  pool = pool.subarray(9);
  return id;
}

/** The context of one request. */
export interface RequestContext {
  /** Value of X-Request-Id in the answer; the log contains it too. */
  readonly id: string;
  /** Time of arrival as a value of `performance.now()`. */
  readonly started_ms: number;
  /** Host and port of the request; empty before the origin check. */
  host: string;
  /** The name under which metrics count the request: the name of the operation, or the path. Empty until the route is found. */
  operation: string;
}

const contexts = new WeakMap<Request, RequestContext>();

/** Creates the context of a request that arrived now. */
export function beginRequest(request: Request): RequestContext {
  const context = { id: requestId(), started_ms: performance.now(), host: '', operation: '' };
  contexts.set(request, context);
  return context;
}

/** Returns the context of a request. Throws if `beginRequest` was not called for this request. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error('the request has no context');
  return context;
}
