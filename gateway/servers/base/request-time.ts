/**
 * The time in which a client must send the body of a request. Node has one time for all requests of a server, so it cannot exempt one of them:
 * a log of 4 GB and a bundle of a courier need minutes.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
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

/** Waits for work of the gateway. Meanwhile a socket without traffic is not closed. */
export async function unhurried<T>({ socket }: ServerResponse, work: Promise<T>): Promise<T> {
  const silent_ms = socket?.timeout ?? 0;
  socket?.setTimeout(0);
  return await work.finally(() => socket?.setTimeout(silent_ms));
}
