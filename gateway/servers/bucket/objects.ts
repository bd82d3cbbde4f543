/** Routes of one object: PUT, GET, HEAD, DELETE, and a copy of another object of the same device. */
import { promises } from 'node:stream';
import { LIMITS } from '#contract/base/limits.ts';
import {
  type BucketDevice,
  type BucketObject,
  type Checksum,
  type NewObject,
  ownObjectBytes,
  type Precondition,
} from '#contract/fleet/bucket.ts';
import { rangeOf } from '#servers/base/content.ts';
import {
  asAttachment,
  type BucketParts,
  bareTag,
  chargeBudget,
  type ObjectCall,
  readMetadata,
  sendEmpty,
  sendXml,
  setObjectHeaders,
  takeBody,
  xmlTime,
} from './call.ts';
import { checksumHeader, checksumType } from './checksums.ts';
import { BucketError } from './errors.ts';

/** Even if the disk has little room, the bucket accepts a heartbeat or configuration file of at most this many bytes. */
const SMALL = 65_536;
/** Response header fields that a query parameter sets, as in S3. */
const OVERRIDES = {
  'response-cache-control': 'Cache-Control',
  'response-content-disposition': 'Content-Disposition',
  'response-content-encoding': 'Content-Encoding',
  'response-content-language': 'Content-Language',
  'response-content-type': 'Content-Type',
  'response-expires': 'Expires',
} as const;

/** Returns the conditions of a write (If-Match, If-None-Match). */
export function conditionsOf({ headers }: Pick<ObjectCall, 'headers'>): Precondition {
  return { match: bareTag(headers.get('if-match')), noneMatch: bareTag(headers.get('if-none-match')) };
}

/**
 * Throws `SlowDown` if the disk has no room for a file, or if too many logs of the device wait to be decoded. After this error the logger
 * keeps its file and retries.
 */
export function needRoom(
  { room, decodesWaiting }: Pick<BucketParts, 'room' | 'decodesWaiting'>,
  { device }: BucketDevice,
  bytes: number,
): void {
  if (bytes > room()) throw new BucketError('SlowDown', 'The disk of the gateway has no room for this file now.');
  if (decodesWaiting(device) >= LIMITS.decodes.value)
    throw new BucketError('SlowDown', `${LIMITS.decodes.value} logs of this device wait to be decoded.`);
}

/** Creates the routes of one object. */
export function createObjectRoutes(bucket: BucketParts) {
  const { objects, artifacts } = bucket;

  async function require({ device, key, sent }: Pick<ObjectCall, 'device' | 'key' | 'sent'>): Promise<BucketObject> {
    const found = await objects.get(device, key);
    if (found === undefined) throw new BucketError('NoSuchKey', undefined, { Key: sent });
    return found;
  }

  return {
    async put(call: ObjectCall): Promise<void> {
      const { device, key, headers, response } = call;
      const described = readMetadata(headers);
      const intake = takeBody(call, ownObjectBytes(key) ?? LIMITS.artifact.value);
      // Accept a heartbeat file as long as the disk can be written. If the bucket refused the heartbeat file too, the gateway would show
      // the logger as offline, although the logger works and only its logs cannot be stored.
      if (ownObjectBytes(key) === undefined || intake.bytes > SMALL) needRoom(bucket, device, intake.bytes);
      chargeBudget(bucket, device, intake.bytes);
      const { sha256, bytes } = await artifacts.put(intake.content, intake.verify);
      const checksum = intake.checksum();
      const made: NewObject = { key, sha256, bytes, etag: intake.md5(), checksum, ...described };
      const stored = await objects.put(device, made, call.sent, conditionsOf(call));
      response.setHeader('ETag', `"${stored.etag}"`);
      if (checksum !== null) response.setHeader(checksumHeader(checksum.algorithm), checksum.value);
      sendEmpty(response, 200);
    },

    async get(call: ObjectCall): Promise<void> {
      const { request, response, query, headers } = call;
      const object = await require(call);
      response.setHeader('Accept-Ranges', 'bytes');
      setObjectHeaders(response, object);
      if (isUnchanged(call, object)) return sendEmpty(response, 304);
      const range = rangeOf(request, `"${object.etag}"`, object.bytes);
      if (range === null)
        throw new BucketError('InvalidRange', undefined, {
          ActualObjectSize: String(object.bytes),
          RangeRequested: headers.get('range') ?? '',
        });
      const { from, to } = range ?? { from: 0, to: object.bytes };
      for (const [parameter, name] of Object.entries(OVERRIDES)) {
        const value = query.get(parameter);
        if (value === undefined) continue;
        if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new BucketError('InvalidArgument');
        response.setHeader(name, name === 'Content-Disposition' ? asAttachment(value) : value);
      }
      if (
        range === undefined &&
        object.checksum !== null &&
        /^enabled$/i.test(headers.get('x-amz-checksum-mode') ?? '')
      )
        setChecksumHeaders(response, object.checksum);
      response.setHeader('Content-Length', to - from);
      if (range !== undefined) response.setHeader('Content-Range', `bytes ${from}-${to - 1}/${object.bytes}`);
      const status = range === undefined ? 200 : 206;
      if (request.method === 'HEAD') {
        response.writeHead(status).end();
        return;
      }
      const content = await artifacts.read(object.sha256, from, to);
      if (content === undefined) throw new Error(`the content of ${object.key} is gone`);
      response.writeHead(status);
      // Ignore this error. Either the client has disconnected, or reading the disk failed; then the client sees that the answer is
      // incomplete.
      await promises.pipeline(content, response).catch(() => response.destroy());
    },

    async remove({ device, key, headers, response }: ObjectCall): Promise<void> {
      if ([...headers.keys()].some((name) => name.startsWith('x-amz-if-match-')))
        throw new BucketError('NotImplemented', 'The only supported condition of a DELETE is If-Match.');
      await objects.remove(device, [key], bareTag(headers.get('if-match')));
      sendEmpty(response, 204);
    },

    async copy(call: ObjectCall, source: Pick<ObjectCall, 'key' | 'sent'>): Promise<void> {
      const { device, headers, response, key } = call;
      const from = await require({ device, ...source });
      checkSource(call, from);
      const replace = /^replace$/i.test(headers.get('x-amz-metadata-directive') ?? '');
      if (from.key === key && !replace)
        throw new BucketError(
          'InvalidRequest',
          'To copy an object onto itself, send x-amz-metadata-directive: REPLACE.',
        );
      const most = ownObjectBytes(key);
      if (most !== undefined && from.bytes > most) throw new BucketError('EntityTooLarge');
      const { artifact_id: _, modified_ms: __, ...kept } = from;
      const made = { ...kept, ...(replace ? readMetadata(headers) : {}), key };
      chargeBudget(bucket, device, 0);
      const stored = await objects.put(device, made, call.sent, conditionsOf(call));
      sendXml(response, 200, 'CopyObjectResult', {
        LastModified: xmlTime(stored.modified_ms),
        ETag: `"${stored.etag}"`,
      });
    },
  };
}

function setChecksumHeaders(response: ObjectCall['response'], { algorithm, value }: Checksum): void {
  response.setHeader(checksumHeader(algorithm), value);
  response.setHeader('x-amz-checksum-type', checksumType(value));
}

/**
 * Evaluates the conditions of a read in the order of RFC 9110 13.2.2, with times in whole seconds. Returns true if the bucket must answer
 * 304 (Not Modified).
 */
function isUnchanged({ headers }: ObjectCall, { etag, modified_ms }: BucketObject): boolean {
  const has = (field: string) => tagsOf(headers.get(field)).some((tag) => tag === '*' || tag === etag);
  const modified = Math.floor(modified_ms / 1_000) * 1_000;
  const at = (field: string) => Date.parse(headers.get(field) ?? '');
  if (headers.has('if-match') ? !has('if-match') : modified > at('if-unmodified-since'))
    throw new BucketError('PreconditionFailed');
  return headers.has('if-none-match') ? has('if-none-match') : modified <= at('if-modified-since');
}

function checkSource({ headers }: ObjectCall, { etag, modified_ms }: BucketObject): void {
  const field = (name: string) => headers.get(`x-amz-copy-source-if-${name}`);
  const has = (name: string) => tagsOf(field(name)).some((tag) => tag === '*' || tag === etag);
  const modified = Math.floor(modified_ms / 1_000) * 1_000;
  const at = (name: string) => Date.parse(field(name) ?? '');
  const stale = field('match') === undefined ? modified > at('unmodified-since') : !has('match');
  const same = field('none-match') === undefined ? modified <= at('modified-since') : has('none-match');
  if (stale || same) throw new BucketError('PreconditionFailed');
}

function tagsOf(text: string | undefined): (string | undefined)[] {
  return (text ?? '').split(',').map((tag) => bareTag(tag));
}
