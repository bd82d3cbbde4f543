/**
 * Sends the content of an artifact over HTTP, as a whole or one range (RFC 9110 14). The response headers forbid a browser to execute the
 * content and to guess its type.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promises } from 'node:stream';
import { OperationError } from '#contract/base/errors.ts';
import type { Output } from '#contract/operations.ts';
import { SNIFFED, servedType } from '#contract/work/media.ts';
import type { Artifacts } from '#store/artifacts.ts';

type Artifact = Pick<Output<'artifacts_get'>, 'id' | 'sha256' | 'bytes' | 'content_type' | 'name' | 'received_at'>;

/** Returns the first bytes of a content, from which the gateway detects its type; empty if the content does not exist. */
export async function headOf(artifacts: Pick<Artifacts, 'read'>, sha256: string, bytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await artifacts.read(sha256, 0, Math.min(bytes, SNIFFED))) ?? [])
    chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Sends the content of an artifact; throws `range_not_satisfiable`, or `not_found` if the content was deleted. */
export async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  artifact: Artifact,
  artifacts: Pick<Artifacts, 'read' | 'find'>,
): Promise<void> {
  const { sha256, bytes } = artifact;
  const etag = `"${sha256}"`;
  if ((await artifacts.find(sha256))?.bytes !== bytes)
    throw new OperationError('not_found', 'This gateway no longer has the content of this file.', { param: 'id' });
  response.setHeader('ETag', etag);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Cache-Control', 'no-store');
  const range = rangeOf(request, etag, bytes);
  if (range === null) {
    response.setHeader('Content-Range', `bytes */${bytes}`);
    throw new OperationError('range_not_satisfiable', `The range is outside the file, which has ${bytes} bytes.`, {
      param: 'Range',
    });
  }
  const { from, to } = range ?? { from: 0, to: bytes };
  const head = await headOf(artifacts, sha256, bytes);
  response.writeHead(range === undefined ? 200 : 206, {
    'Content-Type': servedType(head, artifact.content_type),
    'Content-Length': to - from,
    ...(range === undefined ? {} : { 'Content-Range': `bytes ${from}-${to - 1}/${bytes}` }),
    'Content-Disposition': disposition(artifact),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Last-Modified': new Date(artifact.received_at).toUTCString(),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const content = await artifacts.read(sha256, from, to);
  if (content === undefined) {
    response.destroy();
    return;
  }
  // Report no error. Either the client has disconnected, or reading the file failed. In both cases close the connection, so that the client
  // notices missing bytes.
  await promises.pipeline(content, response).catch(() => response.destroy());
}

/**
 * Returns the requested range; undefined for the whole content, null for a range outside the content. A request with several ranges, with
 * unknown units (RFC 9110 14.2), or with an If-Range of another version (13.1.5) gets the whole content.
 */
export function rangeOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  etag: string,
  bytes: number,
): { from: number; to: number } | undefined | null {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etag) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? null : { from: bytes - length, to: bytes };
  }
  const from = Number(first);
  const to = last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  // Ignore a Range header if its last byte is before its first byte (RFC 9110 14.1.1).
  if (last !== '' && Number(last) < from) return undefined;
  return from >= bytes ? null : { from, to };
}

/**
 * Returns the value of Content-Disposition (RFC 6266). It has an ASCII name for all clients, and the real name for clients that support
 * `filename*`.
 */
function disposition({ id, name }: Artifact): string {
  // Replace half surrogate pairs: a stored name may contain one, and `encodeURIComponent` would throw.
  const real = (name ?? id).toWellFormed();
  const plain = real.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(real).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
