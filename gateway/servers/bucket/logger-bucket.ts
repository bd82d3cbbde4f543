/**
 * The S3 server to which loggers upload their files. The server listens on a separate port. It has one bucket, and each device sees only
 * its own objects in this bucket.
 *
 *   socket limits -> headers -> signature -> clock -> key of the device -> body, verified -> disk and record -> 200
 *
 * Invariants:
 * - The server reads no body and writes nothing to disk before the signature of the request is verified.
 * - It answers a write with 200 only when the file, its folder and its record are on disk.
 * - A read of another device's object gets the same answer as a read of an object that does not exist.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';
import type { BriefProblem } from '#contract/base/told.ts';
import { WriteConflict } from '#contract/base/view.ts';
import { BUCKET, PreconditionFailed, REGION } from '#contract/fleet/bucket.ts';
import { NotTaken } from '#contract/fleet/ingest.ts';
import { drain } from '#servers/base/answer.ts';
import { hasBody } from '#servers/base/body.ts';
import { createPlaces, type Release } from '#servers/base/fair-share.ts';
import { type Exposure, openListener, type TlsListening } from '#servers/base/listener.ts';
import type { Log } from '#servers/base/log.ts';
import { createRate, type Rate } from '#servers/base/rate.ts';
import { type IsExposed, isExposed } from '#servers/tls/exposure.ts';
import { refuseAbsent } from './absent.ts';
import { type AuthenticatorOptions, RequestAuthenticator } from './authenticate.ts';
import { type BucketCall, type BucketParts, GUARDS, type ObjectCall, sendEmpty, sendXml, xmlTime } from './call.ts';
import { BucketError } from './errors.ts';
import { innerKey, readKey } from './keys.ts';
import { createListRoutes } from './list.ts';
import { MultipartRoutes } from './multipart.ts';
import { createObjectRoutes } from './objects.ts';
import { headerMap, percentDecode, readQuery, splitTarget } from './sigv4.ts';
import { createSkews } from './skews.ts';
import { writeElement } from './xml.ts';

export interface BucketOptions extends BucketParts, AuthenticatorOptions {
  readonly host: string;
  readonly port: number;
  /** A listener with TLS beside the one without. Default: none. */
  readonly secure?: TlsListening | undefined;
  readonly exposure?: Exposure | undefined;
  /** Called for each accepted request without TLS from another computer. */
  readonly exposed?: ((device: BucketCall['device'], address: string) => void) | undefined;
  /**
   * Host names of this gateway. An S3 client may put the name of the bucket before the host name, as in `headframe.site.example`. The
   * server does not look for a bucket name in the names of this set, even if one begins with `headframe.`.
   */
  readonly names: { has(name: string): boolean };
  /** Largest number of requests of one device in a minute. */
  readonly requestsPerMinute: number;
  readonly log: Log;
}

export interface LoggerBucket extends AsyncDisposable {
  readonly port: number;
  /** Port of the listener with TLS; 0 if there is none. */
  readonly tlsPort: number;
  counters(): { readonly requests: number; readonly refused: number; readonly bytes: number; readonly sockets: number };
  limitSockets(count: number): void;
  /** Accepts requests without TLS from this computer only, or from every computer. */
  restrict(on: boolean): void;
  /** Closes all sockets without TLS from other computers. */
  closeExposed(): void;
  problems(): BriefProblem[];
}

const SOCKETS_PER_ADDRESS = 32;
const WRITES_PER_DEVICE = 8;
const GRACE_MS = 4_000;
/**
 * Milliseconds by which the bucket delays a `SlowDown` answer. So a client that retries without a pause can send at most one request a
 * second on each socket. The number of sockets of a client is limited too.
 */
const SLOW_DOWN_MS = 1_000;

type Route = (call: BucketCall) => Promise<void> | void;
type ObjectRoute = (call: ObjectCall) => Promise<void>;

/** Starts listening; rejects if the port cannot be used. */
export async function startLoggerBucket(options: BucketOptions): Promise<LoggerBucket> {
  const server = new BucketServer(options);
  const { counts } = server;
  const listener = await openListener({
    host: options.host,
    port: options.port,
    secure: options.secure,
    restricted: options.exposure?.encryptedOnly ?? false,
    isExposed: options.exposure?.isExposed,
    onPortError: (error) => options.log('error', 'the port of the bucket cannot be opened', { error: error.message }),
    perAddress: SOCKETS_PER_ADDRESS,
    maxSockets: LIMITS.bucket_sockets.value,
    graceMs: GRACE_MS,
    // Set no time limit for a whole request, because an upload may take hours. `intake.ts` checks the speed of the upload instead.
    requestMs: 0,
    onRequest: server.answer,
    onContinue: server.answer,
    onRefused: () => {
      counts.refused++;
    },
    onMalformed(code, address) {
      counts.refused++;
      options.log('debug', 'the bucket received bytes that are not HTTP', { code, address });
    },
  });
  return {
    port: listener.port,
    tlsPort: listener.tlsPort,
    counters: () => ({ ...counts, sockets: listener.sockets }),
    limitSockets: (count) => listener.limitSockets(count),
    restrict: (on) => listener.restrict(on),
    closeExposed: () => void listener.closeExposed(),
    problems: () => server.problems(),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

/** Answers the requests of one bucket: authentication, limits, routes and errors. */
class BucketServer {
  readonly counts = { requests: 0, refused: 0, bytes: 0 };
  private readonly options: BucketOptions;
  private readonly isExposed: IsExposed;
  private readonly skews: ReturnType<typeof createSkews>;
  private readonly authenticator: RequestAuthenticator;
  private readonly perDevice: Rate;
  private readonly perAddress: Rate;
  private readonly writing = createPlaces({
    total: LIMITS.bucket_writes.value,
    each: WRITES_PER_DEVICE,
    what: 'uploads',
  });
  private readonly lists: ReturnType<typeof createListRoutes>;
  private readonly object: ReturnType<typeof createObjectRoutes>;
  private readonly multipart: MultipartRoutes;
  private readonly ofBucket: Readonly<Record<string, Route>>;
  private readonly ofObjects: Readonly<Record<string, ObjectRoute>>;

  constructor(options: BucketOptions) {
    const { clock } = options;
    this.options = options;
    this.isExposed = options.exposure?.isExposed ?? isExposed;
    this.skews = createSkews(clock);
    this.authenticator = new RequestAuthenticator(options, this.skews);
    this.perDevice = createRate(options.requestsPerMinute, clock);
    this.perAddress = createRate(LIMITS.refused.value, clock);
    this.lists = createListRoutes(options.objects);
    this.object = createObjectRoutes(options);
    this.multipart = new MultipartRoutes(options);
    this.ofBucket = this.bucketRoutes();
    this.ofObjects = this.objectRoutes();
  }

  problems(): ReturnType<LoggerBucket['problems']> {
    return this.skews.problems();
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    headers: ReadonlyMap<string, string>,
  ): Promise<void> {
    const address = request.socket.remoteAddress ?? '';
    const admitted = await this.authenticator.admit(request, headers).catch((error: unknown) => {
      const { allowed } = this.perAddress.take(address);
      throw allowed ? error : new BucketError('SlowDown', 'Too many refused requests from this address.');
    });
    const { device } = admitted;
    if (!this.perDevice.take(device.device).allowed) throw new BucketError('SlowDown');
    if (this.isExposed(request.socket)) this.options.exposed?.(device, address);
    const { path, query } = splitTarget(request.url ?? '');
    const call: BucketCall = { request, response, headers, query: new Map(readQuery(query)), ...admitted };
    const { bucket, name } = placeOf(headers.get('host') ?? '', percentDecode(path), this.options.names);
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
      const route = this.ofBucket[`${method} ${part}`];
      if (route === undefined) throw new BucketError(part === '' ? 'MethodNotAllowed' : 'NotImplemented');
      return route(call);
    }
    const key = readKey(name);
    const route = this.ofObjects[`${method} ${part}`];
    if (route === undefined) throw new BucketError('MethodNotAllowed');
    const inner = innerKey(device, key);
    if (inner === undefined) return this.foreign(call, key, method);
    return route({ ...call, key: inner, sent: key });
  }

  /** Answers a request for an object key of another device. A read gets the answer that there is no such object, and a write is refused. */
  private foreign({ device, response }: BucketCall, key: string, method: string): void {
    if (method === 'DELETE') {
      sendEmpty(response, 204);
      return;
    }
    if (method === 'GET' || method === 'HEAD') throw new BucketError('NoSuchKey', undefined, { Key: key });
    const reason = `it uploads to ${key.slice(0, 80)}, but its keys must start with ${device.prefixes[0]}/`;
    this.options.refused(device.device_id, reason, { device: device.device, what: 'place', place: key });
    throw new BucketError('AccessDenied', `The keys of this device must start with ${device.prefixes[0]}/.`);
  }

  /** Answers one request. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { clock, log, refused } = this.options;
    this.counts.requests++;
    const id = randomBytes(8).toString('hex').toUpperCase();
    response.sendDate = false;
    response.setHeader('Date', new Date(clock()).toUTCString());
    response.setHeader('Server', 'Headframe');
    response.setHeader('x-amz-request-id', id);
    for (const name in GUARDS) response.setHeader(name, GUARDS[name] as string);
    request.on('error', () => {});
    const headers = headerMap(request.rawHeaders);
    this.serve(request, response, headers).then(
      () => log('info', 'bucket', lineOf(request, response)),
      async (error: unknown) => {
        this.counts.refused++;
        const failure = asBucketError(error, log, id);
        if (failure.code !== 'NoSuchKey' && failure.code !== 'PreconditionFailed')
          refused(request.socket.remoteAddress ?? '', `bucket: ${failure.code}`);
        if (failure.code === 'SlowDown') await new Promise((resolve) => setTimeout(resolve, SLOW_DOWN_MS));
        fail(request, response, failure, id);
        log('info', 'bucket', { ...lineOf(request, response), code: failure.code });
      },
    );
  };

  /**
   * The routes for requests to the bucket itself. The name of a route is the method and the query parameter that selects a sub-resource,
   * such as `GET location`.
   */
  private bucketRoutes(): Readonly<Record<string, Route>> {
    const { lists, multipart } = this;
    return {
      'HEAD ': ({ response }) => {
        response.setHeader('x-amz-bucket-region', REGION);
        sendEmpty(response, 200);
      },
      'GET ': lists.list,
      // Some clients create the bucket before each upload. The bucket always exists, so this route changes nothing.
      'PUT ': ({ response }) => {
        response.setHeader('Location', `/${BUCKET}`);
        sendEmpty(response, 200);
      },
      'GET location': ({ response }) => sendXml(response, 200, 'LocationConstraint', {}),
      'GET versioning': ({ response }) => sendXml(response, 200, 'VersioningConfiguration', {}),
      'GET uploads': (call) => multipart.listUploads(call),
      'POST delete': lists.removeMany,
    };
  }

  /**
   * The routes for requests to an object. The name of a route is the method and the query parameter that selects a sub-resource, such as
   * `PUT uploadId`.
   */
  private objectRoutes(): Readonly<Record<string, ObjectRoute>> {
    const { object, multipart } = this;
    return {
      'HEAD ': object.get,
      'GET ': object.get,
      'PUT ': this.limited((call) => (call.headers.has('x-amz-copy-source') ? this.copy(call) : object.put(call))),
      'DELETE ': object.remove,
      'POST uploads': (call) => multipart.begin(call),
      'PUT uploadId': this.limited((call) => multipart.put(call)),
      'POST uploadId': this.limited((call) => multipart.complete(call)),
      'GET uploadId': (call) => multipart.listParts(call),
      'DELETE uploadId': (call) => multipart.abort(call),
    };
  }

  /** Wraps a route to limit the number of concurrent writes, because each write needs an open file and a buffer. */
  private limited(route: ObjectRoute): ObjectRoute {
    return async (call) => {
      let release: Release;
      try {
        release = this.writing.take(call.device.device);
      } catch (cause) {
        throw new BucketError('SlowDown', (cause as Error).message);
      }
      try {
        await route(call);
        this.counts.bytes += Number(
          call.headers.get('x-amz-decoded-content-length') ?? call.headers.get('content-length') ?? 0,
        );
      } finally {
        release();
      }
    };
  }

  private copy(call: ObjectCall): Promise<void> {
    const { path, query } = splitTarget(call.headers.get('x-amz-copy-source') ?? '');
    if (query !== '') throw new BucketError('NotImplemented', 'This bucket does not support object versions.');
    const name = readKey(percentDecode(path).replace(/^\//, ''));
    const inner = name.startsWith(`${BUCKET}/`) ? innerKey(call.device, name.slice(BUCKET.length + 1)) : undefined;
    if (inner === undefined) throw new BucketError('NoSuchKey');
    return this.object.copy(call, { key: inner, sent: name });
  }
}

/**
 * Returns the bucket and the key of a request. The name of the bucket is the first part of the path, or the first part of the host name.
 */
function placeOf(host: string, path: string, names: BucketOptions['names']): { bucket: string; name: string } {
  if (!path.startsWith('/')) throw new BucketError('InvalidURI');
  const at = path.indexOf('/', 1);
  const first = at < 0 ? path.slice(1) : path.slice(1, at);
  const rest = at < 0 ? '' : path.slice(at + 1);
  const named = host.replace(/:\d+$/, '').toLowerCase();
  if (first !== BUCKET && named.startsWith(`${BUCKET}.`) && !names.has(named))
    return { bucket: BUCKET, name: path.slice(1) };
  return { bucket: first, name: rest };
}

/** Returns the query parameter that selects a sub-resource, such as `uploads`; empty for a request to the bucket or object itself. */
function partOf(query: ReadonlyMap<string, string>): string {
  return ['uploadId', 'uploads', 'delete', 'location', 'versioning'].find((name) => query.has(name)) ?? '';
}

/**
 * Error codes of temporary faults, such as a full disk. The bucket answers them with `SlowDown`, so that the logger keeps its file and
 * retries.
 */
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
  return passing
    ? new BucketError('SlowDown', 'The gateway cannot write to its disk now. Try again later.')
    : new BucketError('InternalError');
}

/** The header fields that stay in an error response. `fail` removes all other fields that the route has set. */
const KEPT_ON_FAILURE: ReadonlySet<string> = new Set([
  'date',
  'server',
  'x-amz-request-id',
  ...Object.keys(GUARDS).map((name) => name.toLowerCase()),
]);

function fail(request: IncomingMessage, response: ServerResponse, error: BucketError, id: string): void {
  const body = { Code: error.code, Message: error.message, ...error.more, RequestId: id, HostId: id };
  if (response.headersSent) {
    // If only spaces were sent so far (`complete` in multipart.ts), send the error as XML after them. If any other part of an answer was
    // sent, break the connection, so that the client notices that the answer is incomplete.
    if (response.getHeader('content-type') === 'application/xml') response.end(writeElement('Error', body));
    else response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) if (!KEPT_ON_FAILURE.has(name)) response.removeHeader(name);
  if (error.code === 'SlowDown') response.setHeader('Retry-After', error.more.RetryAfterSeconds ?? '30');
  if (hasBody(request) && !request.complete) {
    // Read a little of the rest of the body before closing the connection. Otherwise the client may get a TCP reset instead of the answer.
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
