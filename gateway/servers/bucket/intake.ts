/**
 * The body of a request to the bucket, from the socket to a content whose every promise was kept.
 *
 *   socket -> pace -> framing and chunk signatures -> length, MD5, checksum -> the disk ... verify: all of it, and the SHA-256
 *
 * Nothing that does not pass `verify` may get a name.
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

/** How a body may be framed and proved. */
const PAYLOADS: Readonly<
  Record<string, { readonly framed: boolean; readonly signed: boolean; readonly trailer: boolean }>
> = {
  'UNSIGNED-PAYLOAD': { framed: false, signed: false, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { framed: true, signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { framed: true, signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { framed: true, signed: false, trailer: true },
};
/** A body that is silent, or brings less in each window of waiting, is given up. */
const PACE: Pace = { silenceMs: LIMITS.bucket_silence.value * 1_000, bytes: 60_000, windowMs: 60_000 };
const TRAILER = 'x-amz-trailer';

/** A content that comes in. */
export interface Intake {
  /** As announced. */
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
  /** Throws unless the content, which has ended, is what was announced. */
  verify(made: { readonly bytes: number; readonly sha256?: string }): void;
  /** Hex; of a content that has ended. */
  md5(): string;
  checksum(): Checksum | null;
  /** The checksum in hex. */
  checksumHex(): string | null;
}

/** How much of a content may come. */
export interface IntakeOptions {
  readonly request: IncomingMessage;
  readonly headers: ReadonlyMap<string, string>;
  readonly claim: SigClaim;
  readonly key: Buffer;
  readonly limit: number;
  /** Run along even when the sender promises none, as the parts of an upload do. */
  readonly algorithm?: ChecksumName | undefined;
  /** A checksum in the header is of something else than this body. */
  readonly otherChecksum?: boolean;
}

/** Reads what the header fields promise; throws what cannot be kept. The body is not touched before `content` is read. */
export function openIntake(options: IntakeOptions): Intake {
  const { headers, claim, request } = options;
  const way = PAYLOADS[claim.payload];
  if (way === undefined && !/^[0-9a-f]{64}$/.test(claim.payload))
    throw claim.payload.startsWith('STREAMING-')
      ? new BucketError('NotImplemented', `${claim.payload} is not taken.`)
      : new BucketError('InvalidArgument', 'x-amz-content-sha256 is no hash and no way of framing that is known.');
  const bytes = lengthOf(headers, way?.framed === true);
  if (bytes > options.limit)
    throw new BucketError('EntityTooLarge', `At most ${options.limit} bytes are taken here.`, {
      ProposedSize: String(bytes),
      MaxSizeAllowed: String(options.limit),
    });
  const wanted = readMd5(headers.get('content-md5'));
  const promised = options.otherChecksum === true ? undefined : promisedChecksum(headers, way?.trailer === true);
  const algorithm = promised?.algorithm ?? options.algorithm;
  const md5 = createHash('md5');
  const running: Running | undefined = algorithm === undefined ? undefined : startChecksum(algorithm);
  let said = promised?.value;
  let digest: Buffer | undefined;
  let md5Hex = '';

  async function* content(): AsyncGenerator<Buffer> {
    const raw = bodyOf(request);
    const checker: ChunkChecker | undefined = way?.signed ? createChunkChecker(claim, options.key) : undefined;
    const onTrailer = (name: string, value: string) => {
      if (promised !== undefined && name === checksumHeader(promised.algorithm)) said ??= value;
    };
    const plain = way?.framed ? readAwsChunked(raw, { checker, trailer: way.trailer, onTrailer }) : raw;
    let seen = 0;
    for await (const chunk of plain) {
      seen += chunk.length;
      if (seen > bytes) throw new BucketError('IncompleteBody', 'The body is longer than announced.');
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
      if (way === undefined && made.sha256 !== undefined && made.sha256 !== claim.payload)
        throw new BucketError('XAmzContentSHA256Mismatch', undefined, {
          ClientComputedContentSHA256: claim.payload,
          S3ComputedContentSHA256: made.sha256,
        });
      if (wanted !== undefined && wanted !== md5Hex) throw new BucketError('BadDigest');
      if (promised !== undefined && said !== digest?.toString('base64'))
        throw new BucketError(
          'BadDigest',
          said === undefined
            ? `The trailer ${checksumHeader(promised.algorithm)} did not come.`
            : `The ${promised.algorithm} that was sent is not that of the content.`,
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
  if (!/^\d{1,15}$/.test(text)) throw new BucketError('InvalidArgument', 'The length is no number.');
  return Number(text);
}

function readMd5(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== text) throw new BucketError('InvalidDigest');
  return bytes.toString('hex');
}

/** The checksum that the sender promises: its value in a header field, or its name, and the value behind the body. */
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
    throw new BucketError(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  const [algorithm = behind[0]] = inHeader;
  if (algorithm === undefined) return undefined;
  if (behind.length > 0) {
    if (!trailer) throw new BucketError('InvalidRequest', 'This body has no trailer.');
    return { algorithm, value: undefined };
  }
  const value = headers.get(checksumHeader(algorithm)) ?? '';
  const length = Buffer.from(value, 'base64').length;
  if (length !== startChecksum(algorithm).digest().length)
    throw new BucketError('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`);
  return { algorithm, value };
}

/** The bytes of a request as they come; throws `RequestTimeout` when they come too slowly, `IncompleteBody` when they break off. */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* paced(request, PACE);
  } catch (error) {
    if (error instanceof TooSlow) throw new BucketError('RequestTimeout');
    // A sender that goes away in the middle is no fault of ours.
    throw error instanceof BrokenOff ? new BucketError('IncompleteBody') : error;
  }
}
