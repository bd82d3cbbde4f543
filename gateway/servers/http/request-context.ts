/** What the HTTP server knows about a request while it answers it. */
import type { Request } from 'express';
import { requestId } from './request-id.ts';

/** One request, from its arrival to its answer. */
export interface RequestContext {
  /** The X-Request-Id of the answer; the log uses it, too. */
  readonly id: string;
  /** Time of arrival, on the clock of `performance.now()`. */
  readonly started_ms: number;
  /** The Host of the request, after the origin check. */
  host: string;
  /** The operation or path that metrics count the request under; empty until it is known. */
  operation: string;
}

const contexts = new WeakMap<Request, RequestContext>();

/** Creates the context of a request that arrived now. */
export function beginRequest(request: Request): RequestContext {
  const context = { id: requestId(), started_ms: performance.now(), host: '', operation: '' };
  contexts.set(request, context);
  return context;
}

/** The context of a request. Throws for a request that `beginRequest` was not called for. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error('the request has no context');
  return context;
}
