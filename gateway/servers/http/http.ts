/**
 * The HTTP server: one listener for the API, the tools, the live streams and the pages.
 *
 *   socket caps -> headers -> guard (Host, Origin) -> route -> key -> rate -> body -> invoke -> answer
 *
 * Invariants: a stranger's body is never read; every refusal is the one error object; closing takes five seconds at most.
 */
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { type ErrorCode, OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { type Operation, READERS } from '#contract/base/operation.ts';
import type { ShareKind } from '#contract/base/share-kinds.ts';
import type { Caller } from '#contract/context.ts';
import type { RefusedRequest, RequestFault } from '#contract/fleet/ingest.ts';
import type { OperationName } from '#contract/operations.ts';
import type { FeedSource } from '#contract/site/live.ts';
import { sendError, sendJson, sendReply } from '#servers/base/answer.ts';
import { type BodyBounds, hasBody, readJson } from '#servers/base/body.ts';
import { sendContent } from '#servers/base/content.ts';
import { createDocument } from '#servers/base/documents.ts';
import { createPlaces, createTurns } from '#servers/base/fair-share.ts';
import { openListener } from '#servers/base/listener.ts';
import type { Log } from '#servers/base/log.ts';
import { openApiDocument } from '#servers/docs/openapi.ts';
import { catalogDocument, contractHash, prepareContractHash } from '#servers/invoke/catalog.ts';
import { formatOf, sendCloudEvents } from '#servers/invoke/formats.ts';
import { asOperationError, type Invoke } from '#servers/invoke/invoke.ts';
import { operationRow, TABLE } from '#servers/invoke/json-schemas.ts';
import type { Mcp } from '#servers/mcp/mcp.ts';
import { AEMP_PATH, createAemp, type ReadHistory } from './aemp.ts';
import { type Auth, OPEN, type Principal } from './auth.ts';
import { createByteRoutes, type Files } from './byte-routes.ts';
import { createCsvExport } from './csv-export.ts';
import { addressOf, createGatekeeper, isLocal } from './gatekeeper.ts';
import { inTurns, READS_AT_ONCE } from './in-turns.ts';
import { createLive } from './live.ts';
import { createMetrics, type Measure } from './metrics.ts';
import { checkOrigin, ownNames } from './origin-check.ts';
import { requestId } from './request-id.ts';
import { inputOf, matchRoute, type Route, readIfMatch } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { createSecurityWatch } from './security-watch.ts';
import { createTaskStreams } from './task-stream.ts';
import { sendTusOptions } from './tus.ts';
import { createWeb } from './web.ts';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly invoke: Invoke;
  readonly auth: Auth;
  readonly feeds: FeedSource;
  readonly files: Files;
  readonly history: ReadHistory;
  /** Folder of the built pages. */
  readonly webRoot: string;
  /** Version of the product, for tool clients. */
  readonly version: string;
  /** Identifies the build of the pages, so that a screen notices a new one. */
  readonly build: string;
  readonly clock: () => number;
  readonly log: Log;
  /** Names under which this gateway may be addressed besides localhost, its host name and its addresses. */
  readonly names?: readonly string[];
  /** Stands in links for the loopback names that a caller on this machine used; absent: links keep them. */
  readonly publicHost?: string;
  /** False while the node is still starting: `/healthz` then answers 503. */
  readonly ready?: () => boolean;
  /** Where loggers upload files; told at `/healthz`. */
  readonly bucket?: () => { readonly host: string; readonly port: number; readonly listening: boolean };
  /** True while devices are connected that wait for acknowledgements; calls then leave them time. */
  readonly others?: () => boolean;
  /** Something was refused; the source is an address. */
  readonly refused?: (source: string, reason: string) => void;
  /** A request that names a device does not have its key. */
  readonly requestRefused?: (request: RefusedRequest) => void;
  /** Figures of other parts for `/metrics`. */
  readonly measures?: readonly Measure[];
  /** Requests per minute and key; 6,000 when absent (decisions R17). */
  readonly requestsPerMinute?: number;
  /** Open sockets per address; 64 when absent. */
  readonly socketsPerAddress?: number;
  /** How long requests that run have to end when closing, in ms; 4,000 when absent. */
  readonly graceMs?: number;
}

export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** How many sockets are open. */
  readonly sockets: number;
  /** Sockets that may be open from now on, at most; open ones stay. */
  limitSockets(count: number): void;
  /** What a person should know, for health. */
  problems(): { readonly code: string; readonly message: string }[];
}

/** Refusals that say that a request does not have the key of the device that it names. */
const FAULTS: Readonly<Record<string, RequestFault>> = {
  credential_invalid: 'wrong_key',
  authentication_required: 'no_key',
};
/** A key of a person or an agent, of which a device has none. */
const PERSONS = /^bearer +(wk|pat)_/i;

const MAX_BODY = LIMITS.body.value;
const bodyBounds = ({ maxBody = MAX_BODY, maxValues = LIMITS.json_values.value }: Operation): Required<BodyBounds> => ({
  bytes: maxBody,
  values: maxValues,
});
/** A message of a model carries any call, in an envelope of a few values. */
const MESSAGE: Required<BodyBounds> = {
  bytes: Math.max(...[...TABLE.values()].map((row) => bodyBounds(row).bytes)),
  values: Math.max(...[...TABLE.values()].map((row) => bodyBounds(row).values)) + 100,
};
const GRACE_MS = 4_000;
/** Bodies over this size take one of few places. */
const LARGE_BODY = 65_536;
/** Requests that one document of the interface counts as. */
const DOCUMENT_COUNT = 20;
/** Calls that the list of tools counts as, which is long. */
const LIST_COUNT = 10;
/** Figures for `/metrics` are gathered so often at most. */
const METRICS_MS = 250;

/** What this request has gathered on its way. */
interface Passage {
  readonly id: string;
  readonly started: number;
  host: string;
  operation: string;
}

/** Starts listening; rejects when the port cannot be had. */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const { auth, clock, log } = options;
  const watch = createSecurityWatch({ clock, log, refused: options.refused ?? (() => {}) });
  const keeper = createGatekeeper({
    auth,
    watch,
    clock,
    requestsPerMinute: options.requestsPerMinute ?? LIMITS.requests.value,
  });
  const turns = createTurns(options.others === undefined ? {} : { others: options.others });
  const invoke = inTurns(options.invoke, turns);
  const exportCsv = createCsvExport(invoke);
  const names = ownNames([options.host, ...(options.names ?? [])]);
  const metrics = createMetrics([
    ...(options.measures ?? []),
    { name: 'headframe_live_clients', help: 'Open live streams.', read: () => live.clients },
    { name: 'headframe_live_dropped_total', help: 'Live streams dropped for slowness.', read: () => live.dropped },
    { name: 'headframe_http_wrong_keys_total', help: 'Wrong keys and codes.', read: () => watch.total },
    { name: 'headframe_http_sockets', help: 'Open HTTP sockets.', read: () => listener.sockets },
  ]);
  const live = createLive({ feeds: options.feeds, build: options.build, clock });
  const taskStreams = createTaskStreams({ invoke });
  const serveBytes = createByteRoutes({ invoke, files: options.files });
  const largeBodies = createPlaces({ total: LIMITS.large_bodies.value, each: 2, what: 'large bodies' });
  // The SDK and the tools' schemas take memory and time that a site without agents need not pay for.
  let mcp: Promise<Mcp> | undefined;
  // A link with a loopback name opens the wrong machine everywhere but here.
  const reachable = (host: string): string =>
    options.publicHost === undefined
      ? host
      : host.replace(/^(localhost|127\.0\.0\.1|\[::1\])(?=:|$)/, options.publicHost);
  const passages = new WeakMap<Request, Passage>();
  const passageOf = (request: Request): Passage => {
    const passage = passages.get(request);
    if (passage === undefined) throw new Error('a request came past the first step');
    return passage;
  };

  const callerOf = (request: Request, principal: Principal, door: Caller['door']): Caller => ({
    ...principal,
    door: principal.kind === 'control' ? 'cli' : door,
    address: addressOf(request),
    base_url: `http://${reachable(passageOf(request).host)}`,
  });

  /** The caller; who names a device and does not have its key is noted for the page of that device. */
  async function identifyFor(row: Operation, request: Request, response: Response): Promise<Principal> {
    const named = row.roles.includes('device') ? request.params.id : undefined;
    if (typeof named !== 'string') return keeper.identify(request, response);
    const note = (reason: RefusedRequest['reason']) =>
      options.requestRefused?.({ named, address: addressOf(request), path: request.path, reason });
    try {
      const principal = await keeper.identify(request, response);
      if (principal.device !== null && principal.device !== named) note({ sender: principal.device });
      return principal;
    } catch (error) {
      const fault = error instanceof OperationError ? FAULTS[error.code] : undefined;
      // A person's key, and a page that somebody opens without one, say nothing of the device.
      const byPerson = request.method === 'GET' && fault === 'no_key';
      if (fault !== undefined && !byPerson && !PERSONS.test(request.headers.authorization ?? '')) note(fault);
      throw error;
    }
  }

  async function serveOperation(name: OperationName, request: Request, response: Response): Promise<void> {
    const row = operationRow(name);
    const passage = passageOf(request);
    passage.operation = name;
    const principal = row.scope === 'none' ? OPEN : await identifyFor(row, request, response);
    keeper.operation(name, request, response);
    if ((row.method === 'GET' || row.method === 'DELETE') && hasBody(request))
      throw new OperationError('body_malformed', `${row.method} takes no body here.`);
    const body =
      row.bytes === undefined && hasBody(request)
        ? await takeBody(principal, request, response, bodyBounds(row))
        : undefined;
    const question = request.url.indexOf('?');
    const query = question < 0 ? '' : request.url.slice(question + 1);
    const call = {
      name,
      caller: callerOf(request, principal, 'rest'),
      input: inputOf(name, request.params as Record<string, string>, query, body),
      project_id: request.get('project-id'),
      idempotency_key: request.get('idempotency-key'),
      if_match: readIfMatch(name, request.get('if-match')),
      request_id: passage.id,
    };
    if (name === 'display_media') {
      const { input } = await invoke.admit(call);
      const file = await options.feeds.media(String(input.share), String(input.id));
      if (file === undefined)
        throw new OperationError('not_found', 'No board that this link shows has such a picture.', { param: 'id' });
      return sendContent(request, response, { id: file.id, ...file.data }, options.files.artifacts);
    }
    if (row.bytes !== undefined) return serveBytes(request, response, call);
    if (row.stream) {
      const { input, project_id } = await invoke.admit(call);
      const allowed = async () =>
        name === 'display_live' ||
        (await auth
          .authenticate(request.headers.authorization, addressOf(request))
          .then((now) => invoke.admit({ ...call, caller: callerOf(request, now, 'rest') }))
          .then(
            () => true,
            () => false,
          ));
      const key = holderOf(principal, request);
      const address = `address:${addressOf(request)}`;
      if (name === 'tasks_stream') return taskStreams.serve(request, response, call, allowed, key);
      if (name === 'project_live')
        return live.serve(request, response, { office: String(project_id) }, allowed, [key, address]);
      const target =
        name === 'display_live'
          ? { share: String(input.share) }
          : { project_id, kind: input.kind as ShareKind, object_id: String(input.object_id) };
      const holder = name === 'display_live' ? `share:${input.share}` : key;
      return live.serve(request, response, target, allowed, [holder, address]);
    }
    const format = formatOf(name, request);
    if (format === 'csv') return exportCsv(call, response);
    const reply = await invoke.call(call);
    if (reply.revision !== null) response.set('ETag', `"${reply.revision}"`);
    if (reply.replayed) response.set('Idempotent-Replayed', 'true');
    if (format === 'cloudevents') return sendCloudEvents(request, response, reply.status, reply.body);
    return sendReply(response, reply.status, reply.body);
  }

  /** The JSON of a request; a large one has one of few places until it is answered. */
  function takeBody(
    principal: Principal,
    request: Request,
    response: Response,
    bounds: Required<BodyBounds>,
  ): Promise<unknown> {
    keeper.body(principal, request, response, bounds.bytes);
    const large = !(Number(request.headers['content-length'] ?? bounds.bytes) <= LARGE_BODY);
    // What is made of a large body is as large; its place is free when it is answered.
    if (large) response.once('close', largeBodies.take(holderOf(principal, request)));
    return readJson(request, bounds);
  }

  const app: Express = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use((request, response, next) => {
    const passage = {
      id: requestId(),
      started: performance.now(),
      host: '',
      operation: '',
    };
    passages.set(request, passage);
    response.set({ 'X-Request-Id': passage.id, 'X-Contract-Hash': contractHash() });
    response.on('finish', () =>
      metrics.answered(
        passage.operation || 'other',
        response.statusCode,
        (performance.now() - passage.started) / 1_000,
      ),
    );
    next();
  });
  app.use(securityHeaders());
  app.use((request, _response, next) => {
    passageOf(request).host = checkOrigin(request, names);
    next();
  });

  // A tree instead of one expression per route: there are more than a hundred.
  app.use((request, response, next) => {
    const matched = matchRoute(request.path);
    if (matched === undefined) return next();
    request.params = matched.params;
    return serveRoute(matched.route, request, response);
  });

  const serveGet = (path: string, answer: (request: Request, response: Response) => void | Promise<void>, count = 1) =>
    app.all(path, async (request, response) => {
      passageOf(request).operation = path;
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseMethod(response, 'GET, HEAD');
      keeper.open(request, response, count);
      await answer(request, response);
    });
  serveGet('/healthz', (_request, response) => {
    const ready = options.ready?.() ?? true;
    const at = options.bucket?.();
    const bucket = at?.listening === true ? { bucket: `http://${at.host}:${at.port}` } : {};
    sendJson(response, ready ? 200 : 503, { status: ready ? 'ok' : 'starting', ...bucket });
  });
  let figures: { readonly text: Promise<string>; readonly at: number } | undefined;
  serveGet('/metrics', async (request, response) => {
    if (!isLocal(request)) {
      const { role } = await keeper.identify(request, response);
      if (role === null || !READERS.includes(role))
        throw new OperationError('permission_denied', 'Figures take the key of a person or an agent.');
    }
    const now = performance.now();
    if (figures === undefined || now - figures.at >= METRICS_MS) figures = { text: metrics.text(), at: now };
    response
      .set('Cache-Control', 'no-store')
      .type(metrics.contentType)
      .send(await figures.text);
  });
  const JSON_TYPE = 'application/json; charset=utf-8';
  const openApi = createDocument(JSON_TYPE, () => JSON.stringify(openApiDocument()));
  serveGet('/api/v1/openapi.json', openApi, DOCUMENT_COUNT);
  const catalog = createDocument(JSON_TYPE, () => JSON.stringify(catalogDocument()));
  serveGet('/api/v1/operations', catalog, DOCUMENT_COUNT);
  app.all('/mcp', async (request, response) => {
    passageOf(request).operation = 'mcp';
    if (request.method !== 'POST') return refuseMethod(response, 'POST');
    const principal = await keeper.identify(request, response);
    if (principal.kind === 'device')
      throw new OperationError('permission_denied', 'A device key never reaches a model tool.');
    const count = () => keeper.call(principal, response);
    const call = {
      caller: callerOf(request, principal, 'mcp'),
      project_id: request.get('project-id'),
      request_id: passageOf(request).id,
      long: !(Number(request.headers['content-length']) <= MAX_BODY),
      count,
    };
    mcp ??= import('#servers/mcp/mcp.ts').then(({ createMcp }) =>
      createMcp({ invoke, version: options.version, log, artifacts: options.files.artifacts }),
    );
    const message = await takeBody(principal, request, response, MESSAGE);
    const answer = async () => (await mcp)?.(request, response, message, call);
    if ((message as { method?: unknown } | null)?.method === 'tools/list') keeper.call(principal, response, LIST_COUNT);
    // The protocol around a call takes about as long as the call, which has a turn of its own besides.
    return turns.run(`mcp:${principal.id}`, READS_AT_ONCE, answer);
  });
  app.use(
    AEMP_PATH,
    createAemp({
      invoke,
      history: options.history,
      clock,
      async identify(request, response) {
        passageOf(request).operation = 'aemp';
        const principal = await keeper.identify(request, response);
        return { caller: callerOf(request, principal, 'rest'), request_id: passageOf(request).id };
      },
    }),
  );
  app.use('/api', () => {
    throw new OperationError('route_not_found', 'No operation has this path; GET /api/v1/operations lists them.');
  });
  app.use((request, response, next) => {
    keeper.open(request, response);
    next();
  });
  app.use(createWeb(options.webRoot));
  app.use(() => {
    throw new OperationError('route_not_found', 'Nothing is served at this address.');
  });
  app.use(async (thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { id } = passageOf(request);
    const error = asOperationError(fromExpress(thrown), log, id, `${request.method} ${request.path}`);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    await keeper.refusal(request, response, error);
    sendError(request, response, error, id);
  });

  function serveRoute(route: Route, request: Request, response: Response): Promise<void> {
    const wanted = request.method === 'HEAD' && route.allow.includes('HEAD') ? 'GET' : request.method;
    const name = route.operations.get(wanted);
    const uploads = [...route.operations.values()].some((one) => operationRow(one).bytes === 'upload');
    if (request.method === 'OPTIONS' && uploads) return Promise.resolve(sendTusOptions(response));
    if (name === undefined) return refuseMethod(response, route.allow);
    return serveOperation(name, request, response);
  }

  const listener = await openListener({
    host: options.host,
    port: options.port,
    perAddress: options.socketsPerAddress ?? LIMITS.sockets_per_address.value,
    graceMs: options.graceMs ?? GRACE_MS,
    onRequest: app,
    onRefused: () => metrics.refused('sockets'),
    onMalformed(code, address) {
      metrics.refused('malformed');
      log('debug', 'bytes that are no HTTP', { code, address });
    },
  });
  void prepareContractHash();
  const unwatch = auth.watch(() => {
    void live.recheck();
    void taskStreams.recheck();
  });

  return {
    port: listener.port,
    get sockets() {
      return listener.sockets;
    },
    limitSockets: (count) => listener.limitSockets(count),
    problems: () => watch.problems(),
    async [Symbol.asyncDispose]() {
      unwatch();
      live[Symbol.dispose]();
      taskStreams[Symbol.dispose]();
      await listener[Symbol.asyncDispose]();
    },
  };
}

function refuseMethod(response: Response, allow: string): never {
  response.set('Allow', allow);
  throw new OperationError('method_not_allowed', `This path serves ${allow}.`);
}

/** Who holds a place: the key, or the address of whoever has none. */
function holderOf(principal: Principal, request: Request): string {
  return principal.id === null ? `address:${addressOf(request)}` : `${principal.kind}:${principal.id}`;
}

/** What Express and the sender of files refuse has the status of a request that cannot be served: it is the caller's. */
const REFUSALS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['parameter_invalid', 'The address is not valid percent-encoded UTF-8.'],
  403: ['route_not_found', 'Nothing is served at this address.'],
  404: ['route_not_found', 'Nothing is served at this address.'],
  412: ['revision_mismatch', 'The file is not the one that the request names.'],
  416: ['range_not_satisfiable', 'The file has no such range of bytes.'],
};

function fromExpress(thrown: unknown): unknown {
  if (thrown instanceof OperationError) return thrown;
  const refusal = REFUSALS[(thrown as { status?: number } | null)?.status ?? 0];
  return refusal === undefined ? thrown : new OperationError(...refusal, { cause: thrown });
}
