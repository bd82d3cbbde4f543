/** Reading a JSON body: bounded, strict UTF-8, bounded depth, no names that could reach a prototype. */
import type { IncomingMessage } from 'node:http';
import { OperationError } from '#contract/errors.ts';
import { unsafeJson } from '#contract/json.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** True when the request announces a body (RFC 9112 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** The JSON value of the body; throws `unsupported_media_type`, `payload_too_large` or `body_malformed`. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  checkMediaType(request);
  const bytes = await readBytes(request, maxBytes);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw new OperationError('body_malformed', 'The body is not valid JSON in valid UTF-8.', { cause: error });
  }
  const unsafe = unsafeJson(value);
  if (unsafe !== undefined) throw new OperationError('body_malformed', `The body is refused: ${unsafe}.`);
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

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new OperationError('payload_too_large', `The body is larger than the ${maxBytes} bytes that this operation takes.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The socket must live on, so that the refusal can be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // A sender that goes away in the middle is no fault of ours.
    throw request.destroyed && !(error instanceof OperationError)
      ? new OperationError('body_malformed', 'The body ended early.', { cause: error })
      : error;
  }
  return Buffer.concat(chunks, size);
}
