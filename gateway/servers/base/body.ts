/**
 * Reads a JSON body. It limits bytes, values, names and levels, and refuses invalid UTF-8, repeated names and names such as `__proto__`.
 *
 *   bytes -> scan (counts, names) -> JSON.parse, long arrays in pieces
 *
 * It parses a long body in pieces, so that other requests can run between the pieces.
 */
import type { IncomingMessage } from 'node:http';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { say } from '#contract/base/told.ts';
import { type JsonBounds, type LongArray, PIECE, scanJson } from './json-scan.ts';
import { BrokenOff, paced, TooSlow } from './pace.ts';
import { inSlices } from './pause.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Largest body in bytes that is parsed in one step. */
const SHORT = PIECE;

/** Limits for one body: its bytes, and the number of its JSON values. */
export interface BodyBounds extends Partial<JsonBounds> {
  readonly bytes: number;
}

/** Returns the error for a body that arrives too slowly. */
export const tooSlow = () =>
  new OperationError(
    'request_too_slow',
    say('No byte of the body arrived for {body_silence} s, or fewer than {body_pace} bytes a second.', {
      body_silence: LIMITS.body_silence.value,
      body_pace: LIMITS.body_pace.value,
    }),
  );

/** Returns the error for a body that ended early because the client disconnected or violated the HTTP protocol. */
export const endedEarly = (cause: BrokenOff) =>
  new OperationError('body_malformed', 'The body ended early.', { cause });

/** Returns true if the request has a body (RFC 9112 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Returns the JSON value of the body; throws `unsupported_media_type`, `payload_too_large` or `body_malformed`. */
export async function readJson(request: IncomingMessage, bounds: BodyBounds): Promise<unknown> {
  checkMediaType(request);
  return parseJson(await readBytes(request, bounds.bytes), bounds.values);
}

/** Parses JSON text that a client sent; throws `payload_too_large` or `body_malformed`. */
export async function parseJson(bytes: Buffer, values: number = LIMITS.json_values.value): Promise<unknown> {
  const steps = parsing(bytes, values);
  if (bytes.length > SHORT) return inSlices(steps);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function* parsing(bytes: Buffer, values: number): Generator<void, unknown> {
  const scan = scanJson(bytes, { values });
  while (!scan.step(PIECE)) yield;
  try {
    if (scan.long.length === 0) return JSON.parse(decoder.decode(bytes));
    return yield* inPieces(bytes, scan.long);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError('body_malformed', 'The body is not valid JSON in valid UTF-8.', { cause: error });
  }
}

/**
 * Parses a text in which the outermost object has long arrays. First it parses the text without the items of these arrays, then the items
 * in pieces.
 */
function* inPieces(bytes: Buffer, long: readonly LongArray[]): Generator<void, unknown> {
  const rest: Buffer[] = [];
  let at = 0;
  for (const { from, to } of long) {
    rest.push(bytes.subarray(at, from));
    at = to;
  }
  rest.push(bytes.subarray(at));
  const value = JSON.parse(decoder.decode(Buffer.concat(rest))) as Record<string, unknown>;
  yield;
  for (const { name, from, to, cuts } of long) {
    const items = value[JSON.parse(decoder.decode(bytes.subarray(...name)))];
    if (!Array.isArray(items)) throw new SyntaxError('the scan found an array where JSON.parse found none');
    let begin = from;
    for (const end of [...cuts, to]) {
      const piece = JSON.parse(`[${decoder.decode(bytes.subarray(begin, end))}]`) as unknown[];
      // If a piece is empty, a value is missing between two commas.
      if (piece.length === 0) throw new SyntaxError('a value is missing between two commas');
      for (const item of piece) items.push(item);
      begin = end + 1;
      yield;
    }
  }
  return value;
}

function checkMediaType(request: IncomingMessage): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((p) => p.trim()).find((p) => p.startsWith('charset='));
  if (type.trim() !== 'application/json' || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)))
    throw new OperationError('unsupported_media_type', 'Send the body as `Content-Type: application/json`, in UTF-8.');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new OperationError('unsupported_media_type', 'Send the body without Content-Encoding.');
}

/** Returns the bytes of a body; throws `payload_too_large`, `request_too_slow` or `body_malformed`. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new OperationError(
      'payload_too_large',
      say('The body is larger than {most} bytes, the limit of this operation.', { most: maxBytes }),
    );
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of paced(request)) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof TooSlow) throw tooSlow();
    if (error instanceof BrokenOff) throw endedEarly(error);
    throw error;
  }
  return Buffer.concat(chunks, size);
}
