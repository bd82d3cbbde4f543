/**
 * The time in which a client must send the body of a request. Node has one time for all requests of a server, so it cannot exempt one of them:
 * a bundle of a courier arrives as fast as the gateway takes its changes, and that may be an hour.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { hasBody } from './body.ts';

/** The timers of the requests whose body has not arrived as a whole. */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Returns the function that refuses a request whose body is not here after this time; 0: no limit. */
export function limitTime(server: Server, ms: number): RequestListener {
  return (request) => {
    if (ms === 0 || !hasBody(request)) return;
    const timer = setTimeout(() => {
      if (request.complete) return;
      const late = new Error('the request takes too long');
      server.emit('clientError', Object.assign(late, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), request.socket);
    }, ms);
    timers.set(request, timer);
    request.once('close', () => clearTimeout(timer));
  };
}

/** Lifts the limit for a request. Its reader must bound how slowly the client sends, as `paced` does. */
export function liftTime(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}
