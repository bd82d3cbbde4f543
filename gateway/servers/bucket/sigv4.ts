/**
 * Verifies AWS Signature Version 4 for S3 (Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)").
 *
 *   method, path, query, signed headers, payload hash -> canonical request -> string to sign -> HMAC with the key of day, region, service
 *
 * - A string in this file holds one byte per character, as Node delivers request targets and header fields.
 * - S3 signs the path of the request: percent-encoded once, without resolving `.` and `..`.
 * - The bucket refuses a request with an `x-amz-*` field that the signature does not cover.
 */
import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { BucketError } from './errors.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINAL = 'aws4_request';
const EMPTY = hash('sha256', '');
/** Longest validity of a presigned request, in seconds: seven days, as at AWS. */
const MOST_EXPIRES_S = 604_800;
const DAY_S = 86_400;

/** A request as received, not decoded. */
export interface SigRequest {
  readonly method: string;
  /** Path, with `?` and the query if there is one. */
  readonly target: string;
  /** Header fields by name in lower case. The values of a repeated field are joined by commas, in order. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The signature of a request and the parameters that the client signed with. */
export interface SigClaim {
  readonly access_key_id: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Time of the request, such as `20130524T000000Z`; `at_ms` is the same time in milliseconds since 1970. */
  readonly time: string;
  readonly at_ms: number;
  /** Validity of a presigned request in seconds; null if the signature is in the header. */
  readonly expires_s: number | null;
  /** Value of `x-amz-content-sha256`: the hash of the body, or a name that says how the body is split into chunks. */
  readonly payload: string;
}

/** Returns the header fields of a request, from `rawHeaders` of Node (name, value, name, value and so on). */
export function headerMap(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const before = headers.get(name);
    const value = raw[i + 1] as string;
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return headers;
}

/** Decodes percent encoding to bytes, one character per byte; throws `InvalidURI`. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw new BucketError('InvalidURI');
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const ENCODED: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  return /[A-Za-z0-9\-._~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/** Percent-encodes all bytes except the unreserved characters of RFC 3986 2.3. If `keepSlash` is true, it does not encode `/` either. */
export function percentEncode(bytes: string, keepSlash = false): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes.charCodeAt(i);
    text += keepSlash && code === 0x2f ? '/' : (ENCODED[code & 0xff] as string);
  }
  return text;
}

/** Returns the names and values of a query, decoded to bytes. It decodes `+` as a space; clients encode a plus sign as `%2B`. */
export function readQuery(query: string): [name: string, value: string][] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [percentDecode(name.replaceAll('+', ' ')), percentDecode(value.replaceAll('+', ' '))];
    });
}

/** Splits a request target into its path and its query. */
export function splitTarget(target: string): { path: string; query: string } {
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

const time = (text: string): number => {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  return y === undefined ? Number.NaN : Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
};

interface Parts {
  readonly credential: string | undefined;
  readonly signedHeaders: string | undefined;
  readonly signature: string | undefined;
}

function readHeader(text: string): Parts {
  const fields = new Map<string, string>();
  for (const part of text.slice(ALGORITHM.length).split(',')) {
    const at = part.indexOf('=');
    if (at > 0) fields.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  return {
    credential: fields.get('Credential'),
    signedHeaders: fields.get('SignedHeaders'),
    signature: fields.get('Signature'),
  };
}

/** Reads the signature of a request; undefined if the request is not signed. Throws a `BucketError` if the signature is malformed. */
export function readClaim(request: SigRequest): SigClaim | undefined {
  const { headers } = request;
  const authorization = headers.get('authorization');
  const query = new Map(readQuery(splitTarget(request.target).query));
  const presigned = query.has('X-Amz-Algorithm') || query.has('X-Amz-Signature');
  if (authorization !== undefined && presigned)
    throw new BucketError('InvalidArgument', 'Sign a request in its header or in its query, not in both.');
  if (authorization === undefined && !presigned) return undefined;
  const malformed = (message: string) =>
    new BucketError(presigned ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed', message);
  const algorithm = presigned ? query.get('X-Amz-Algorithm') : authorization?.slice(0, authorization.indexOf(' '));
  if (algorithm !== ALGORITHM)
    throw new BucketError('InvalidRequest', `Sign with ${ALGORITHM}. This bucket supports no other signatures.`);
  const parts: Parts = presigned
    ? {
        credential: query.get('X-Amz-Credential'),
        signedHeaders: query.get('X-Amz-SignedHeaders'),
        signature: query.get('X-Amz-Signature'),
      }
    : readHeader(authorization ?? '');
  const scope = (parts.credential ?? '').split('/');
  const [access_key_id = '', date = '', region = '', service = '', terminal] = scope;
  if (scope.length !== 5 || !/^\d{8}$/.test(date) || terminal !== TERMINAL || service !== 's3' || access_key_id === '')
    throw malformed(`The credential must be ACCESS_KEY_ID/DATE/REGION/s3/${TERMINAL}.`);
  const signedHeaders = (parts.signedHeaders ?? '').split(';').map((name) => name.toLowerCase());
  if (!/^[0-9a-f]{64}$/.test(parts.signature ?? '')) throw malformed('The signature must have 64 hex digits.');
  const at = timeOf(headers, query, presigned);
  if (Number.isNaN(at.at_ms))
    throw new BucketError('AccessDenied', 'The request has no valid time. Send x-amz-date or Date.');
  if (at.time.slice(0, 8) !== date) throw malformed('The date of the credential differs from the date of the request.');
  checkSigned(signedHeaders, headers);
  return {
    access_key_id,
    date,
    region,
    service,
    signedHeaders,
    signature: parts.signature ?? '',
    ...at,
    expires_s: presigned ? expiresOf(query, malformed) : null,
    payload: payloadOf(headers, query, presigned),
  };
}

function timeOf(headers: SigRequest['headers'], query: ReadonlyMap<string, string>, presigned: boolean) {
  const sent = presigned ? query.get('X-Amz-Date') : headers.get('x-amz-date');
  if (sent !== undefined) return { time: sent, at_ms: time(sent) };
  const at_ms = presigned ? Number.NaN : Date.parse(headers.get('date') ?? '');
  if (!(Math.abs(at_ms) <= 8.64e15)) return { time: '', at_ms: Number.NaN };
  return { time: new Date(at_ms).toISOString().replace(/[-:]|\.\d{3}/g, ''), at_ms };
}

function expiresOf(query: ReadonlyMap<string, string>, malformed: (message: string) => BucketError): number {
  const text = query.get('X-Amz-Expires') ?? '';
  const expires = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (expires < 1 || expires > MOST_EXPIRES_S)
    throw malformed(`X-Amz-Expires must be 1 to ${MOST_EXPIRES_S} seconds (${MOST_EXPIRES_S / DAY_S} days).`);
  return expires;
}

/** Throws if the signature does not cover `host` and every `x-amz-*` field. Otherwise an attacker on the network could add a field. */
function checkSigned(signedHeaders: readonly string[], headers: SigRequest['headers']): void {
  const signed = new Set(signedHeaders);
  const missing = [...headers.keys()].filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name),
  );
  if (missing.length > 0 || !signed.has('host'))
    throw new BucketError('AccessDenied', 'The signature must cover `host` and all x-amz- headers.', {
      HeadersNotSigned: missing.join(', '),
    });
}

function payloadOf(headers: SigRequest['headers'], query: ReadonlyMap<string, string>, presigned: boolean): string {
  const sent = headers.get('x-amz-content-sha256') ?? (presigned ? query.get('X-Amz-Content-Sha256') : undefined);
  if (sent !== undefined) return sent;
  if (presigned) return 'UNSIGNED-PAYLOAD';
  throw new BucketError('InvalidRequest', 'Send the header x-amz-content-sha256.');
}

/** Returns the canonical request of AWS. The client signed the hash of this text. */
export function canonicalRequest(request: SigRequest, claim: Pick<SigClaim, 'signedHeaders' | 'payload'>): string {
  const { path, query } = splitTarget(request.target);
  const pairs = readQuery(query)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort((a, b) => (a[0] === b[0] ? compare(a[1], b[1]) : compare(a[0], b[0])));
  const fields = claim.signedHeaders.map(
    (name) => `${name}:${(request.headers.get(name) ?? '').trim().replace(/ +/g, ' ')}\n`,
  );
  return [
    request.method,
    percentEncode(percentDecode(path), true),
    pairs.map(([name, value]) => `${name}=${value}`).join('&'),
    fields.join(''),
    claim.signedHeaders.join(';'),
    claim.payload,
  ].join('\n');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'latin1').digest();
const scopeOf = ({ date, region, service }: SigClaim) => `${date}/${region}/${service}/${TERMINAL}`;

/** Derives the signing key for one day, region and service from the secret. */
export function signingKey(secret: string, { date, region, service }: Pick<SigClaim, 'date' | 'region' | 'service'>) {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), TERMINAL);
}

/** Returns true if the client signed the request with the secret from which `key` is derived. */
export function isSigned(request: SigRequest, claim: SigClaim, key: Buffer): boolean {
  const digest = createHash('sha256').update(canonicalRequest(request, claim), 'latin1').digest('hex');
  return isSame(hmac(key, [ALGORITHM, claim.time, scopeOf(claim), digest].join('\n')), claim.signature);
}

function isSame(made: Buffer, sent: string): boolean {
  const known = Buffer.from(sent, 'hex');
  return known.length === made.length && timingSafeEqual(known, made);
}

/**
 * Verifies the signatures of chunks. The signature of the first chunk is computed over the signature of the request. The signature of each
 * later chunk is computed over the signature of the previous chunk.
 */
export interface ChunkChecker {
  /** Throws `SignatureDoesNotMatch` for a wrong signature of a chunk; `digest` is the SHA-256 of the chunk in hex. */
  chunk(digest: string, signature: string): void;
  /** Throws `SignatureDoesNotMatch` for a wrong signature of the trailer; `text` has its lines `name:value\n`. */
  trailer(text: string, signature: string): void;
}

/** Creates the checker of chunk signatures for a body. The caller must have verified the signature of the request itself. */
export function createChunkChecker(claim: SigClaim, key: Buffer): ChunkChecker {
  let before = claim.signature;
  const check = (kind: string, rest: readonly string[], signature: string) => {
    const text = [`${ALGORITHM}-${kind}`, claim.time, scopeOf(claim), before, ...rest].join('\n');
    if (!isSame(hmac(key, text), signature)) throw new BucketError('SignatureDoesNotMatch');
    before = signature;
  };
  return {
    chunk: (digest, signature) => check('PAYLOAD', [EMPTY, digest], signature),
    trailer: (text, signature) =>
      check('TRAILER', [createHash('sha256').update(text, 'latin1').digest('hex')], signature),
  };
}
