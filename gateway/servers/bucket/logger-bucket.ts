/**
 * The bucket that loggers upload to: an S3 endpoint on a port of its own, for one bucket in which every device sees its own objects.
 *
 *   socket caps -> headers -> signature -> clock -> whose object -> body, verified -> disk and record -> 200
 *
 * Invariants: a stranger's body is never read; what has no right signature costs no disk; 200 to a write means that file, folder and
 * record are on disk; another device's object is told like one that is not there.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';
import { WriteConflict } from '#contract/base/view.ts';
import { BUCKET, type BucketDevice, PreconditionFailed, REGION } from '#contract/fleet/bucket.ts';
import { NotTaken, type Refusal } from '#contract/fleet/ingest.ts';
import { drain } from '#servers/base/answer.ts';
import { hasBody } from '#servers/base/body.ts';
import { createPlaces, type Release } from '#servers/base/fair-share.ts';
import { openListener } from '#servers/base/listener.ts';
import type { Log } from '#servers/base/log.ts';
import { createRate } from '#servers/base/rate.ts';
import { refuseAbsent } from './absent.ts';
import { type BucketCall, type BucketParts, GUARDS, type ObjectCall, sendEmpty, sendXml, xmlTime } from './call.ts';
import type { BucketCredentials } from './credentials.ts';
import { BucketError } from './errors.ts';
import { innerKey, readKey } from './keys.ts';
import { createListRoutes } from './list.ts';
import { MultipartRoutes } from './multipart.ts';
import { createObjectRoutes } from './objects.ts';
import {
  headerMap,
  isSigned,
  percentDecode,
  readClaim,
  readQuery,
  type SigClaim,
  signingKey,
  splitTarget,
} from './sigv4.ts';
import { createSkews } from './skews.ts';
import { writeElement } from './xml.ts';

export interface BucketOptions extends BucketParts {
  readonly host: string;
  readonly port: number;
  readonly credentials: BucketCredentials;
  /** Names of this machine, which are no buckets even where they begin like one. */
  readonly names: ReadonlySet<string>;
  /** A device came with a clock that is too far off; `device_ms` is its time. Once an hour and device at most. */
  readonly clockRefused: (device: BucketDevice, device_ms: number) => void;
  /** Something was refused; the source is a device_id or an address. `of`: what of which device it was. */
  readonly refused: (source: string, reason: string, of?: Refusal) => void;
  /** Requests that one device may make. */
  readonly requestsPerMinute: number;
  readonly clock: () => number;
  readonly log: Log;
}

export interface LoggerBucket extends AsyncDisposable {
  readonly port: number;
  counters(): { readonly requests: number; readonly refused: number; readonly bytes: number; readonly sockets: number };
  limitSockets(count: number): void;
  problems(): { readonly code: string; readonly message: string }[];
}

const SKEW_MS = LIMITS.bucket_skew.value * 60_000;
const SOCKETS_PER_ADDRESS = 32;
const WRITES_PER_DEVICE = 8;
const GRACE_MS = 4_000;
/** Who is to slow down gets to know it so much later: its sockets are counted, so it cannot ask faster. */
const SLOW_DOWN_MS = 1_000;

type Route = (call: BucketCall) => Promise<void> | void;
type ObjectRoute = (call: ObjectCall) => Promise<void>;

/** Starts listening; rejects when the port cannot be had. */
export async function startLoggerBucket(options: BucketOptions): Promise<LoggerBucket> {
  const { credentials, clock, log, refused } = options;
  const perDevice = createRate(options.requestsPerMinute, clock);
  const perAddress = createRate(LIMITS.refused.value, clock);
  const skews = createSkews(clock);
  const counts = { requests: 0, refused: 0, bytes: 0 };
  const writing = createPlaces({ total: LIMITS.bucket_writes.value, each: WRITES_PER_DEVICE, what: 'uploads' });
  const lists = createListRoutes(options.objects);
  const object = createObjectRoutes(options);
  const multipart = new MultipartRoutes(options);

  function refuseKey({ device, device_id }: BucketDevice, { socket }: IncomingMessage, reason: string): void {
    refused(device_id, reason, { device, what: 'signature', address: socket.remoteAddress ?? '' });
  }

  /** Whose request it is; throws unless the signature is right and of now. */
  async function admit(request: IncomingMessage, headers: ReadonlyMap<string, string>) {
    const sig = { method: request.method ?? '', target: request.url ?? '', headers };
    const claim = readClaim(sig);
    if (claim === undefined) throw new BucketError('AccessDenied');
    const pair = await credentials.find(claim.access_key_id);
    if (pair === undefined || pair.secret === null) {
      if (pair !== undefined)
        refuseKey(
          pair.device,
          request,
          'it signs with a key pair that was rolled and has ended: bring it its configuration',
        );
      throw new BucketError('InvalidAccessKeyId', undefined, { AWSAccessKeyId: claim.access_key_id });
    }
    const key = signingKey(pair.secret, claim);
    if (!isSigned(sig, claim, key)) {
      const reason = 'a request to the bucket has a wrong signature: the secret of the device is another one';
      refuseKey(pair.device, request, reason);
      throw new BucketError('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: claim.access_key_id });
    }
    checkTime(claim, pair.device);
    credentials.used(pair.device);
    return { claim, device: pair.device, signingKey: key };
  }

  function checkTime({ at_ms, expires_s }: SigClaim, device: BucketDevice): void {
    const now = clock();
    if (expires_s !== null) {
      if (at_ms - now > SKEW_MS) throw new BucketError('AccessDenied', 'Request is not valid yet');
      if (now > at_ms + expires_s * 1_000)
        throw new BucketError('AccessDenied', 'Request has expired', {
          Expires: xmlTime(at_ms + expires_s * 1_000),
          ServerTime: xmlTime(now),
        });
      return;
    }
    if (Math.abs(now - at_ms) <= SKEW_MS) {
      skews.right(device);
      return;
    }
    refused(device.device_id, `its clock is ${at_ms > now ? 'ahead' : 'behind'}: it says ${xmlTime(at_ms)}`);
    if (skews.wrong(device, at_ms - now)) options.clockRefused(device, at_ms);
    throw new BucketError('RequestTimeTooSkewed', undefined, {
      RequestTime: xmlTime(at_ms),
      ServerTime: xmlTime(now),
      MaxAllowedSkewMilliseconds: String(SKEW_MS),
    });
  }

  /** A write in its turn: each holds a file and a buffer. */
  function inTurn(route: ObjectRoute): ObjectRoute {
    return async (call) => {
      let release: Release;
      try {
        release = writing.take(call.device.device);
      } catch (cause) {
        throw new BucketError('SlowDown', (cause as Error).message);
      }
      try {
        await route(call);
        counts.bytes += Number(
          call.headers.get('x-amz-decoded-content-length') ?? call.headers.get('content-length') ?? 0,
        );
      } finally {
        release();
      }
    };
  }

  /** Of the bucket itself, by method and the parameter that names the part of it. */
  const BUCKET_ROUTES: Readonly<Record<string, Route>> = {
    'HEAD ': ({ response }) => {
      response.setHeader('x-amz-bucket-region', REGION);
      sendEmpty(response, 200);
    },
    'GET ': lists.list,
    // Who makes it before each upload finds it there.
    'PUT ': ({ response }) => {
      response.setHeader('Location', `/${BUCKET}`);
      sendEmpty(response, 200);
    },
    'GET location': ({ response }) => sendXml(response, 200, 'LocationConstraint', {}),
    'GET versioning': ({ response }) => sendXml(response, 200, 'VersioningConfiguration', {}),
    'GET uploads': (call) => multipart.listUploads(call),
    'POST delete': lists.removeMany,
  };
  const OBJECT_ROUTES: Readonly<Record<string, ObjectRoute>> = {
    'HEAD ': object.get,
    'GET ': object.get,
    'PUT ': inTurn((call) => (call.headers.has('x-amz-copy-source') ? copy(call) : object.put(call))),
    'DELETE ': object.remove,
    'POST uploads': (call) => multipart.begin(call),
    'PUT uploadId': inTurn((call) => multipart.put(call)),
    'POST uploadId': inTurn((call) => multipart.complete(call)),
    'GET uploadId': (call) => multipart.listParts(call),
    'DELETE uploadId': (call) => multipart.abort(call),
  };

  function copy(call: ObjectCall): Promise<void> {
    const { path, query } = splitTarget(call.headers.get('x-amz-copy-source') ?? '');
    if (query !== '') throw new BucketError('NotImplemented', 'This bucket keeps no versions.');
    const name = readKey(percentDecode(path).replace(/^\//, ''));
    const inner = name.startsWith(`${BUCKET}/`) ? innerKey(call.device, name.slice(BUCKET.length + 1)) : undefined;
    if (inner === undefined) throw new BucketError('NoSuchKey');
    return object.copy(call, { key: inner, sent: name });
  }

  async function serve(request: IncomingMessage, response: ServerResponse, headers: ReadonlyMap<string, string>) {
    const address = request.socket.remoteAddress ?? '';
    const admitted = await admit(request, headers).catch((error: unknown) => {
      const { allowed } = perAddress.take(address);
      throw allowed ? error : new BucketError('SlowDown', 'Too many refused requests from this address.');
    });
    const { device } = admitted;
    if (!perDevice.take(device.device).allowed) throw new BucketError('SlowDown');
    const { path, query } = splitTarget(request.url ?? '');
    const call: BucketCall = { request, response, headers, query: new Map(readQuery(query)), ...admitted };
    const { bucket, name } = placeOf(headers.get('host') ?? '', percentDecode(path), options.names);
    const method = request.method ?? '';
    refuseAbsent(method, call.query, headers);
    const part = partOf(call.query);
    if (bucket === '') {
      if (method !== 'GET') throw new BucketError('MethodNotAllowed');
      return sendXml(response, 200, 'ListAllMyBucketsResult', {
        Owner: { ID: device.device, DisplayName: device.device_id },
        Buckets: { Bucket: { Name: BUCKET, CreationDate: xmlTime(0) } },
      });
    }
    if (bucket !== BUCKET) throw new BucketError('NoSuchBucket', undefined, { BucketName: bucket });
    if (name === '') {
      const route = BUCKET_ROUTES[`${method} ${part}`];
      if (route === undefined) throw new BucketError(part === '' ? 'MethodNotAllowed' : 'NotImplemented');
      return route(call);
    }
    const key = readKey(name);
    const route = OBJECT_ROUTES[`${method} ${part}`];
    if (route === undefined) throw new BucketError('MethodNotAllowed');
    const inner = innerKey(device, key);
    if (inner === undefined) return foreign(call, key, method);
    return route({ ...call, key: inner, sent: key });
  }

  /** A name that is not the device's own: as if there were nothing, and nothing may come there. */
  function foreign({ device, response }: BucketCall, key: string, method: string): void {
    if (method === 'DELETE') {
      sendEmpty(response, 204);
      return;
    }
    if (method === 'GET' || method === 'HEAD') throw new BucketError('NoSuchKey', undefined, { Key: key });
    const reason = `it uploads to ${key.slice(0, 80)}, and its objects lie under ${device.prefixes[0]}/`;
    refused(device.device_id, reason, { device: device.device, what: 'place', place: key });
    throw new BucketError('AccessDenied', `The objects of this key pair lie under ${device.prefixes[0]}/.`);
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    counts.requests++;
    const id = randomBytes(8).toString('hex').toUpperCase();
    response.sendDate = false;
    response.setHeader('Date', new Date(clock()).toUTCString());
    response.setHeader('Server', 'Headframe');
    response.setHeader('x-amz-request-id', id);
    for (const name in GUARDS) response.setHeader(name, GUARDS[name] as string);
    request.on('error', () => {});
    const headers = headerMap(request.rawHeaders);
    serve(request, response, headers).then(
      () => log('info', 'bucket', lineOf(request, response)),
      async (error: unknown) => {
        counts.refused++;
        const told = asBucketError(error, log, id);
        if (told.code !== 'NoSuchKey' && told.code !== 'PreconditionFailed')
          refused(request.socket.remoteAddress ?? '', `bucket: ${told.code}`);
        if (told.code === 'SlowDown') await new Promise((resolve) => setTimeout(resolve, SLOW_DOWN_MS));
        fail(request, response, told, id);
        log('info', 'bucket', { ...lineOf(request, response), code: told.code });
      },
    );
  }

  const listener = await openListener({
    host: options.host,
    port: options.port,
    perAddress: SOCKETS_PER_ADDRESS,
    maxSockets: LIMITS.bucket_sockets.value,
    graceMs: GRACE_MS,
    // An upload may take hours; its pace is watched instead.
    requestMs: 0,
    onRequest: answer,
    onContinue: answer,
    onRefused: () => {
      counts.refused++;
    },
    onMalformed(code, address) {
      counts.refused++;
      log('debug', 'the bucket got bytes that are no HTTP', { code, address });
    },
  });
  return {
    port: listener.port,
    counters: () => ({ ...counts, sockets: listener.sockets }),
    limitSockets: (count) => listener.limitSockets(count),
    problems: () => skews.problems(),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

/** Bucket and name of a request: the bucket stands in the path, or before the name of the host. */
function placeOf(host: string, path: string, names: ReadonlySet<string>): { bucket: string; name: string } {
  if (!path.startsWith('/')) throw new BucketError('InvalidURI');
  const at = path.indexOf('/', 1);
  const first = at < 0 ? path.slice(1) : path.slice(1, at);
  const rest = at < 0 ? '' : path.slice(at + 1);
  const named = host.replace(/:\d+$/, '').toLowerCase();
  if (first !== BUCKET && named.startsWith(`${BUCKET}.`) && !names.has(named))
    return { bucket: BUCKET, name: path.slice(1) };
  return { bucket: first, name: rest };
}

/** The part of a bucket or object that the query names; empty for the thing itself. */
function partOf(query: ReadonlyMap<string, string>): string {
  return ['uploadId', 'uploads', 'delete', 'location', 'versioning'].find((name) => query.has(name)) ?? '';
}

/** Faults of the disk that pass: its sender keeps what it has and comes again. */
const PASSING = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'disk_full',
  'read_only',
  'io_error',
  'locked',
  'overloaded',
  'closed',
]);

function asBucketError(error: unknown, log: Log, id: string): BucketError {
  if (error instanceof BucketError) return error;
  if (error instanceof PreconditionFailed) return new BucketError(error.absent ? 'NoSuchKey' : 'PreconditionFailed');
  if (error instanceof WriteConflict) return new BucketError('OperationAborted');
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  const passing = PASSING.has(code) || error instanceof NotTaken;
  log(passing ? 'warn' : 'error', passing ? 'the bucket cannot write' : 'the bucket failed', {
    request_id: id,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return passing ? new BucketError('SlowDown', 'The gateway cannot write now.') : new BucketError('InternalError');
}

/** Header fields of an answer that stay when it turns into an error. */
const KEPT_ON_FAILURE: ReadonlySet<string> = new Set([
  'date',
  'server',
  'x-amz-request-id',
  ...Object.keys(GUARDS).map((name) => name.toLowerCase()),
]);

function fail(request: IncomingMessage, response: ServerResponse, error: BucketError, id: string): void {
  const body = { Code: error.code, Message: error.message, ...error.more, RequestId: id, HostId: id };
  if (response.headersSent) {
    // Only an answer that began with spaces can still become an error; anything else is cut, so that it is not taken for whole.
    if (response.getHeader('content-type') === 'application/xml') response.end(writeElement('Error', body));
    else response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) if (!KEPT_ON_FAILURE.has(name)) response.removeHeader(name);
  if (error.code === 'SlowDown') response.setHeader('Retry-After', error.more.RetryAfterSeconds ?? '30');
  if (hasBody(request) && !request.complete) {
    // The rest of the body is nobody's; read a little of it, so that its sender sees the refusal and not a reset.
    response.setHeader('Connection', 'close');
    drain(request);
  }
  if (request.method === 'HEAD') {
    response.writeHead(error.status).end();
    return;
  }
  sendXml(response, error.status, 'Error', body);
}

function lineOf(request: IncomingMessage, response: ServerResponse) {
  return {
    method: request.method,
    path: splitTarget(request.url ?? '').path.slice(0, 200),
    status: response.statusCode,
  };
}
