/**
 * Reads the body of a bucket request, and compares it with the length, the signature and the checksums that the client sent.
 *
 *   socket -> pace -> framing and chunk signatures -> length, MD5, checksum -> the disk -> `verify`, also of the SHA-256
 *
 * A caller may store an object only after `verify` has returned without an error.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';
import { CHECKSUMS, type Checksum, type ChecksumName } from '#contract/fleet/bucket.ts';
import { BrokenOff, type Pace, paced, TooSlow } from '#servers/base/pace.ts';
import { readAwsChunked } from './aws-chunked.ts';
import { checksumHeader, type Running, startChecksum } from './checksums.ts';
import { BucketError } from './errors.ts';
import { type ChunkChecker, createChunkChecker, type SigClaim } from './sigv4.ts';

/**
 * The forms of a body, by the value of `x-amz-content-sha256`. A body may be split into chunks (`framed`), the chunks may be signed, and a
 * trailer may follow.
 */
const PAYLOADS: Readonly<
  Record<string, { readonly framed: boolean; readonly signed: boolean; readonly trailer: boolean }>
> = {
  'UNSIGNED-PAYLOAD': { framed: false, signed: false, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { framed: true, signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { framed: true, signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { framed: true, signed: false, trailer: true },
};
/**
 * The slowest speed at which a client may send a body: at least 60,000 bytes a minute, without a pause of more than `silenceMs`. A slower
 * body gets the error `RequestTimeout`.
 */
const PACE: Pace = { silenceMs: LIMITS.bucket_silence.value * 1_000, bytes: 60_000, windowMs: 60_000 };
const TRAILER = 'x-amz-trailer';

/** The body of a request while the bucket receives it. */
export interface Intake {
  /** Length of the content in bytes, as the request header states it. */
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
  /**
   * Verifies the received content; call it after the end of `content`. Throws if the content differs from the length or a digest that the
   * client sent.
   */
  verify(made: { readonly bytes: number; readonly sha256?: string }): void;
  /** MD5 in hex; empty before the end of `content`. */
  md5(): string;
  checksum(): Checksum | null;
  /** Like `checksum()`, but in hex. */
  checksumHex(): string | null;
}

export interface IntakeOptions {
  readonly request: IncomingMessage;
  readonly headers: ReadonlyMap<string, string>;
  readonly claim: SigClaim;
  readonly key: Buffer;
  readonly limit: number;
  /** Checksum to compute even if the client sends none; used for the parts of a multipart upload. */
  readonly algorithm?: ChecksumName | undefined;
  /**
   * True if the checksum in the header is not the checksum of this body. In CompleteMultipartUpload the header has the checksum of the
   * whole object, and the body is only the list of its parts.
   */
  readonly otherChecksum?: boolean;
}

/**
 * Checks the header fields that describe the body: length, chunks and checksums. Throws a `BucketError` if they are invalid. The function
 * does not read the body; the caller reads it by iterating over `content`.
 */
export function openIntake(options: IntakeOptions): Intake {
  const { headers, claim, request } = options;
  const framing = PAYLOADS[claim.payload];
  if (framing === undefined && !/^[0-9a-f]{64}$/.test(claim.payload))
    throw claim.payload.startsWith('STREAMING-')
      ? new BucketError('NotImplemented', `This bucket does not support ${claim.payload}.`)
      : new BucketError(
          'InvalidArgument',
          'x-amz-content-sha256 must be a SHA-256 in hex or a known STREAMING- value.',
        );
  const bytes = lengthOf(headers, framing?.framed === true);
  if (bytes > options.limit)
    throw new BucketError('EntityTooLarge', `The bucket accepts at most ${options.limit} bytes here.`, {
      ProposedSize: String(bytes),
      MaxSizeAllowed: String(options.limit),
    });
  const wanted = readMd5(headers.get('content-md5'));
  const promised = options.otherChecksum === true ? undefined : promisedChecksum(headers, framing?.trailer === true);
  const algorithm = promised?.algorithm ?? options.algorithm;
  const md5 = createHash('md5');
  const running: Running | undefined = algorithm === undefined ? undefined : startChecksum(algorithm);
  let sent = promised?.value;
  let digest: Buffer | undefined;
  let md5Hex = '';

  async function* content(): AsyncGenerator<Buffer> {
    const raw = bodyOf(request);
    const checker: ChunkChecker | undefined = framing?.signed ? createChunkChecker(claim, options.key) : undefined;
    const onTrailer = (name: string, value: string) => {
      if (promised !== undefined && name === checksumHeader(promised.algorithm)) sent ??= value;
    };
    const plain = framing?.framed ? readAwsChunked(raw, { checker, trailer: framing.trailer, onTrailer }) : raw;
    let seen = 0;
    for await (const chunk of plain) {
      seen += chunk.length;
      if (seen > bytes) throw new BucketError('IncompleteBody', 'The body is longer than the header states.');
      md5.update(chunk);
      running?.update(chunk);
      yield chunk;
    }
    md5Hex = md5.digest('hex');
    digest = running?.digest();
  }

  return {
    bytes,
    content: content(),
    verify(made) {
      if (made.bytes !== bytes) throw new BucketError('IncompleteBody');
      if (framing === undefined && made.sha256 !== undefined && made.sha256 !== claim.payload)
        throw new BucketError('XAmzContentSHA256Mismatch', undefined, {
          ClientComputedContentSHA256: claim.payload,
          S3ComputedContentSHA256: made.sha256,
        });
      if (wanted !== undefined && wanted !== md5Hex) throw new BucketError('BadDigest');
      if (promised !== undefined && sent !== digest?.toString('base64'))
        throw new BucketError(
          'BadDigest',
          sent === undefined
            ? `The trailer ${checksumHeader(promised.algorithm)} is missing.`
            : `The content does not match the ${promised.algorithm} of the request.`,
        );
    },
    md5: () => md5Hex,
    checksum: () =>
      algorithm === undefined || digest === undefined ? null : { algorithm, value: digest.toString('base64') },
    checksumHex: () => digest?.toString('hex') ?? null,
  };
}

function lengthOf(headers: ReadonlyMap<string, string>, framed: boolean): number {
  const text = headers.get(framed ? 'x-amz-decoded-content-length' : 'content-length');
  if (text === undefined)
    throw new BucketError(
      'MissingContentLength',
      framed ? 'Send x-amz-decoded-content-length.' : 'Send Content-Length.',
    );
  if (!/^\d{1,15}$/.test(text)) throw new BucketError('InvalidArgument', 'The length must be a whole number.');
  return Number(text);
}

function readMd5(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== text) throw new BucketError('InvalidDigest');
  return bytes.toString('hex');
}

/**
 * Returns the checksum that the header names; undefined if the header names none. If the value of the checksum follows in the trailer,
 * `value` is undefined.
 */
function promisedChecksum(
  headers: ReadonlyMap<string, string>,
  trailer: boolean,
): { algorithm: ChecksumName; value: string | undefined } | undefined {
  const inHeader = CHECKSUMS.filter((name) => headers.has(checksumHeader(name)));
  const named = (headers.get(TRAILER) ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const behind = CHECKSUMS.filter((name) => named.includes(checksumHeader(name)));
  if (inHeader.length + behind.length > 1)
    throw new BucketError('InvalidRequest', 'Send only one x-amz-checksum- header. Several checksums are not allowed.');
  const [algorithm = behind[0]] = inHeader;
  if (algorithm === undefined) return undefined;
  if (behind.length > 0) {
    if (!trailer)
      throw new BucketError('InvalidRequest', 'x-amz-trailer names a checksum, but this body has no trailer.');
    return { algorithm, value: undefined };
  }
  const value = headers.get(checksumHeader(algorithm)) ?? '';
  const length = Buffer.from(value, 'base64').length;
  if (length !== startChecksum(algorithm).digest().length)
    throw new BucketError('InvalidRequest', `The value of ${checksumHeader(algorithm)} is not a valid checksum.`);
  return { algorithm, value };
}

/** Yields the bytes of a request. Throws `RequestTimeout` if they arrive too slowly, and `IncompleteBody` if the connection ends. */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* paced(request, PACE);
  } catch (error) {
    if (error instanceof TooSlow) throw new BucketError('RequestTimeout');
    // A client that disconnects in the middle of its body is not an error of the gateway, so do not answer 500.
    throw error instanceof BrokenOff ? new BucketError('IncompleteBody') : error;
  }
}
