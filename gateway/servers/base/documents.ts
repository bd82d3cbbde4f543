/**
 * Serves static documents of the API. Each is built once and sent with an ETag. A client that sends this ETag in If-None-Match gets 304
 * (RFC 9110 13.1.2).
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { takesGzip } from './answer.ts';

const compress = promisify(gzip);

/** An HTTP route that answers requests for one document. */
export type ServeDocument = (request: Request, response: Response) => Promise<void>;

/** Returns a route for one document. `make` builds it at the first request. Clients that accept gzip get the document compressed. */
export function createDocument(type: string, make: () => string): ServeDocument {
  let made: Promise<{ plain: Buffer; small: Buffer; tag: string }> | undefined;
  const open = async () => {
    const plain = Buffer.from(make());
    const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    return { plain, small: await compress(plain), tag };
  };
  return async (request, response) => {
    made ??= open();
    const { plain, small, tag } = await made;
    const zipped = takesGzip(request.headers['accept-encoding']);
    // The plain and the compressed form need different ETags (RFC 9110 8.8.3.3).
    const etag = zipped ? `"${tag}-gzip"` : `"${tag}"`;
    response.set({ ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' });
    const known = String(request.headers['if-none-match'] ?? '');
    if (known === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)) {
      response.writeHead(304).end();
      return;
    }
    const content = zipped ? small : plain;
    response.writeHead(200, {
      'Content-Type': type,
      'Content-Length': content.length,
      ...(zipped ? { 'Content-Encoding': 'gzip' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : content);
  };
}
