/** Sends JSON answers: the body of an operation, or the error object. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { errorBody, type OperationError } from '#contract/base/errors.ts';
import { hasBody } from './body.ts';
import { isLong, longJsonOf } from './json-text.ts';

/**
 * Largest number of bytes of a refused body that the gateway reads and discards. If the gateway closed the socket without reading them,
 * the client could get a TCP reset instead of the error.
 */
const DRAINED = 8 * 1024 * 1024;

/** Sends a JSON body with `Cache-Control: no-store`. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  sendJsonText(response, status, JSON.stringify(body));
}

/**
 * Sends a JSON body as `sendJson` does. It builds the text of a long list in slices, so that the gateway can serve other requests between
 * them.
 */
export async function sendReply(
  response: ServerResponse,
  status: number,
  body: Record<string, unknown>,
): Promise<void> {
  if (isLong(body)) sendJsonText(response, status, await longJsonOf(body));
  else sendJson(response, status, body);
}

/** Encoding in which Node writes an answer. ASCII text has the same bytes in both encodings, but Node writes Latin-1 faster. */
type Encoding = 'latin1' | 'utf8';

/**
 * Longest answer, in characters, that may wait for the end of the turn of the event loop. A longer answer is sent at once, so that its
 * client can process it while the gateway builds the next answer.
 */
const LONG = 8_192;
/** Answers that are sent at the end of this turn of the event loop; at most one for each open request. */
const held: { readonly response: ServerResponse; readonly text: string; readonly encoding: Encoding }[] = [];
/** Number of answers in this turn of the event loop so far. */
let answers = 0;
/** True if the previous turn had several answers. */
let crowded = false;

/**
 * Sends an answer at once, or at the end of this turn of the event loop if the previous turn had several answers. If the client runs on the
 * same computer, each write wakes it, and it then competes with the gateway for the processor. So the gateway does several writes together,
 * after the work of the turn.
 */
function endWithTurn(response: ServerResponse, text: string, encoding: Encoding): void {
  if (answers++ === 0) setImmediate(endTurn);
  if (crowded && text.length <= LONG) held.push({ response, text, encoding });
  else response.end(text, encoding);
}

function endTurn(): void {
  crowded = answers > 1;
  answers = 0;
  for (const { response, text, encoding } of held.splice(0)) response.end(text, encoding);
}

/** An answer with at least this many characters is compressed. A shorter answer needs only a few packets even without compression. */
const COMPRESSED = 4_096;
const GZIP = { level: 1 } as const;

/** Returns true if the client accepts gzip (RFC 9110 12.5.3). `gzip;q=0` means that the client does not accept it. */
export function takesGzip(accept: string | undefined): boolean {
  return /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.\d*[1-9]\d*)\s*)?(?:,|$)/i.test(accept ?? '');
}

/**
 * Sends a body that is already JSON text. If the client accepts gzip, another thread compresses a long text. A body with an ETag is not
 * compressed, because a strong ETag identifies one sequence of bytes (RFC 9110 8.8.3.3).
 */
export function sendJsonText(response: ServerResponse, status: number, text: string): void {
  if (text.length >= COMPRESSED && !response.hasHeader('ETag')) {
    response.setHeader('Vary', 'Accept-Encoding');
    if (takesGzip(response.req?.headers['accept-encoding'])) {
      compress(response, status, text);
      return;
    }
  }
  sendPlain(response, status, text);
}

function compress(response: ServerResponse, status: number, text: string): void {
  gzip(text, GZIP, (error, bytes) => {
    if (response.destroyed) return;
    if (error !== null) {
      sendPlain(response, status, text);
      return;
    }
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Encoding': 'gzip',
      'Content-Length': bytes.length,
      'Cache-Control': 'no-store',
    });
    response.end(bytes);
  });
}

function sendPlain(response: ServerResponse, status: number, text: string): void {
  const bytes = Buffer.byteLength(text);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes,
    'Cache-Control': 'no-store',
  });
  endWithTurn(response, text, bytes === text.length ? 'latin1' : 'utf8');
}

/** Sends the error object with the headers that its status requires. */
export function sendError(request: Request, response: Response, error: OperationError, requestId: string): void {
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer'); // RFC 9110 11.6.1
  if (error.code === 'operation_in_progress' || error.status === 503)
    response.setHeader('Retry-After', error.code === 'storage_unavailable' ? '10' : '1');
  if (error.code === 'storage_full') response.setHeader('Retry-After', '30');
  if (error.code === 'over_budget') response.setHeader('Retry-After', String(error.details[0]?.retry_after_s ?? 1));
  if (error.code === 'rate_limited' && !response.hasHeader('Retry-After'))
    response.setHeader('Retry-After', String(error.details[0]?.retry_after_s ?? 5));
  const closes = response.getHeader('Connection') === 'close';
  if (hasBody(request) && !request.complete && !closes) drain(request);
  sendJson(response, error.status, errorBody(error, requestId, true));
}

/** Reads and discards the body of a refused request, up to `DRAINED` bytes. */
export function drain(request: IncomingMessage): void {
  let seen = 0;
  request.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > DRAINED) request.destroy();
  });
}
