/**
 * Reads bodies with `Content-Encoding: aws-chunked`. Such a body is a sequence of chunks, signed or unsigned, and may end with trailing
 * header fields. See Amazon S3 API Reference, "Signature Calculations: Transferring Payload in Multiple Chunks", and the page on
 * trailing headers.
 *
 *   size-in-hex[;chunk-signature=...] CRLF  bytes CRLF  ...  0[;chunk-signature=...] CRLF  [name:value CRLF ...]
 */
import { createHash } from 'node:crypto';
import { BucketError } from './errors.ts';
import type { ChunkChecker } from './sigv4.ts';

/** The greatest length of a chunk header or of a line of the trailer, in bytes. */
const MOST_LINE = 1_024;
const MOST_TRAILERS = 16;
const HEAD = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/;
const TRAILER_SIGNATURE = 'x-amz-trailer-signature';

const broken = (message: string) => new BucketError('IncompleteBody', message);

/** Reads from a body either one line or a given number of bytes. */
class Source {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Reads the next piece of the body; returns false at the end of the body. */
  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }

  /** Returns the next line without its line end; undefined at the end of the body. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const at = this.#rest.indexOf(10);
      if (at > MOST_LINE || (at < 0 && this.#rest.length > MOST_LINE))
        throw broken(`A chunk header or trailer line is longer than ${MOST_LINE} bytes.`);
      if (at >= 0) {
        const line = this.#rest.toString('latin1', 0, at).replace(/\r$/, '');
        this.#rest = this.#rest.subarray(at + 1);
        return line;
      }
      if (await this.#more()) continue;
      if (this.#rest.length === 0) return undefined;
      const line = this.#rest.toString('latin1');
      this.#rest = Buffer.alloc(0);
      return line;
    }
  }

  /** Yields the next `count` bytes, in pieces as they arrive. */
  async *take(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw broken('The body ended inside a chunk.');
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }
}

/** Yields the content of a chunked body. `checker` verifies chunk signatures; `onTrailer` receives the trailing fields. */
export async function* readAwsChunked(
  body: AsyncIterable<Buffer>,
  options: {
    readonly checker: ChunkChecker | undefined;
    readonly trailer: boolean;
    readonly onTrailer: (name: string, value: string) => void;
  },
): AsyncGenerator<Buffer> {
  const { checker } = options;
  const source = new Source(body);
  for (;;) {
    const [, hex, signature] = HEAD.exec((await source.line()) ?? '') ?? [];
    if (hex === undefined || (signature === undefined) !== (checker === undefined))
      throw broken('A chunk header is malformed.');
    const size = Number.parseInt(hex, 16);
    const hash = checker === undefined ? undefined : createHash('sha256');
    for await (const piece of source.take(size)) {
      hash?.update(piece);
      yield piece;
    }
    if (checker !== undefined && hash !== undefined) checker.chunk(hash.digest('hex'), signature ?? '');
    if (size === 0) break;
    if ((await source.line()) !== '') throw broken('A chunk is longer than its header states.');
  }
  await readTrailer(source, options);
}

async function readTrailer(source: Source, options: Parameters<typeof readAwsChunked>[1]): Promise<void> {
  const { checker, onTrailer } = options;
  let signed = '';
  let signature: string | undefined;
  const fields: [string, string][] = [];
  for (let line = await source.line(); line !== undefined; line = await source.line()) {
    if (line === '') continue;
    const at = line.indexOf(':');
    if (at < 1 || !options.trailer || fields.length === MOST_TRAILERS) throw broken('The trailer is malformed.');
    const name = line.slice(0, at).trim().toLowerCase();
    const value = line.slice(at + 1).trim();
    if (name === TRAILER_SIGNATURE) signature = value;
    else {
      fields.push([name, value]);
      signed += `${name}:${value}\n`;
    }
  }
  if (checker !== undefined && options.trailer) checker.trailer(signed, signature ?? '');
  for (const [name, value] of fields) onTrailer(name, value);
}
