/**
 * The HTTP server: one listener for the REST API, the MCP tools, the live streams and the pages.
 *
 *   socket limits -> headers -> origin check (Host, Origin) -> route -> key -> rate -> body -> invoke -> answer
 *
 * Invariants:
 * - The server never reads the body of a request without a valid key, if the operation needs one.
 * - Every refused request gets an error object of the same form.
 * - Closing the server takes at most five seconds.
 */

import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { type ErrorCode, OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { BriefProblem } from '#contract/base/told.ts';
import type { RefusedRequest } from '#contract/fleet/ingest.ts';
import type { FeedSource } from '#contract/site/live.ts';
import type { Courier, HeadOffice, SyncReader } from '#contract/sync-services.ts';
import { AEMP_PATH, createAemp, type ReadHistory } from '#servers/aemp/aemp.ts';
import { sendError } from '#servers/base/answer.ts';
import { createTurns } from '#servers/base/fair-share.ts';
import { type Listener, openListener, type TlsListening } from '#servers/base/listener.ts';
import type { Log } from '#servers/base/log.ts';
import { CONTRACT_HASH } from '#servers/invoke/contract-hash.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { asOperationError } from '#servers/invoke/operation-errors.ts';
import type { Extras } from '#servers/mcp/extras.ts';
import type { Auth } from './auth.ts';
import { createByteRoutes, type Files } from './byte-routes.ts';
import { type Callers, createCallers } from './callers.ts';
import { createCookies } from './credential.ts';
import { createCsvExport } from './csv-export.ts';
import { createEventStreams } from './event-streams.ts';
import { createGatekeeper, type Gatekeeper } from './gatekeeper.ts';
import { inTurns } from './in-turns.ts';
import { addLitePages } from './lite-pages.ts';
import { createLive, type Live } from './live.ts';
import { createMcpRoute } from './mcp-route.ts';
import { createMetrics, type Measure, type Metrics } from './metrics.ts';
import { createMqttUpgrades, type WebSocketBroker } from './mqtt-upgrades.ts';
import { createOperationRoutes, type ServeRoute } from './operation-routes.ts';
import { checkOrigin, type OwnNames, ownNames } from './origin-check.ts';
import { createPlainRequests, type PlainOptions, type PlainRequests } from './plain-requests.ts';
import { createBodyReader } from './request-bodies.ts';
import { beginRequest, contextOf } from './request-context.ts';
import { matchRoute } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { createSecurityWatch, type SecurityWatch } from './security-watch.ts';
import { addServiceRoutes, type BucketAddress } from './service-routes.ts';
import { createTaskStreams } from './task-stream.ts';
import type { Trust } from './trust-page.ts';
import { createWeb } from './web.ts';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** A listener with TLS beside the one without. Default: none. */
  readonly secure?: TlsListening | undefined;
  readonly invoke: Invoke;
  readonly auth: Auth;
  readonly feeds: FeedSource;
  readonly files: Files;
  readonly history: ReadHistory;
  /** Folder of the built pages. */
  readonly webRoot: string;
  /** Version of Headframe, which MCP clients get. */
  readonly version: string;
  /** Tools, prompts and resources that only a test adds. Default: none. */
  readonly mcpExtras?: Extras | undefined;
  /** Id of the build of the pages. An open page reloads when the gateway sends another id. */
  readonly build: string;
  readonly clock: () => number;
  readonly log: Log;
  /** Host names that requests may use besides localhost, the name of this machine and its addresses. */
  readonly names?: readonly string[];
  /** Returns the names that the gateway has in the local network at the moment, such as `headframe.local`. */
  readonly localNames?: () => readonly string[];
  /** Returns those of them that the gateway announces, which `/healthz` reports. */
  readonly announced?: () => readonly string[];
  /** Host name that replaces names such as `localhost` in links. If it is not set, links have the host name of the request. */
  readonly publicHost?: string;
  /** What the page `/trust` shows. Default: no such page. */
  readonly trust?: Trust | undefined;
  /** Requests without TLS from other computers. Default: they are answered as all other requests. */
  readonly plain?: PlainOptions | undefined;
  /** Answers gateways, if this node is head office. */
  readonly headOffice?: HeadOffice | undefined;
  /** Writes and reads bundles that people carry. */
  readonly courier?: Courier | undefined;
  readonly fileState: SyncReader['fileState'];
  /** The broker, which takes WebSockets at `/mqtt`. Default: none. */
  readonly webSockets?: WebSocketBroker | undefined;
  /** Returns false while the gateway starts; `/healthz` then answers 503. */
  readonly ready?: () => boolean;
  /** Returns the address of the logger bucket, which `/healthz` reports. */
  readonly bucket?: BucketAddress;
  /**
   * Returns true while devices are connected. API calls then pause after their work, so that they do not delay the acknowledgements of MQTT
   * messages.
   */
  readonly others?: () => boolean;
  /** Called for each request with a wrong key or claim code; `source` is the address of the client. */
  readonly refused?: (source: string, reason: string) => void;
  /** Called for each request that names a device in its path and does not have the key of this device. */
  readonly requestRefused?: (request: RefusedRequest) => void;
  /** Metrics of other parts of the gateway, which `/metrics` serves. */
  readonly measures?: readonly Measure[];
  /** Limit for the requests of one key in a minute; default 6,000. */
  readonly requestsPerMinute?: number;
  /** Limit for the open sockets of one address; default 64. */
  readonly socketsPerAddress?: number;
  /** Time in ms that running requests have to end when the server closes; default 4,000. */
  readonly graceMs?: number;
  /** Time in ms to send a whole request; default `LIMITS.request_time`. */
  readonly requestMs?: number;
}

export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** Port of the listener with TLS; 0 if there is none. */
  readonly tlsPort: number;
  /** Number of open sockets. */
  readonly sockets: number;
  /** Sets the limit for open sockets. Sockets that are already open stay open. */
  limitSockets(count: number): void;
  /** Closes all sockets without TLS from other computers. Returns the addresses of their clients. */
  closeExposed(): ReadonlySet<string>;
  /** Returns the problems of the HTTP server, which `GET /api/v1/health` shows. */
  problems(): BriefProblem[];
}

const GRACE_MS = 4_000;

/** Starts the server; rejects if the port is not available. */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const { auth, clock, log, localNames = () => [] } = options;
  const watch = createSecurityWatch({ clock, log, refused: options.refused ?? (() => {}) });
  const requestsPerMinute = options.requestsPerMinute ?? LIMITS.requests.value;
  const cookies = createCookies(auth.gateway);
  const credential = cookies.read;
  const plain = createPlainRequests(options.plain);
  const keeper = createGatekeeper({ auth, watch, clock, requestsPerMinute, credential, identified: plain.identified });
  const turns = createTurns(options.others === undefined ? {} : { others: options.others });
  const invoke = inTurns(options.invoke, turns);
  const live = createLive({ feeds: options.feeds, build: options.build, clock });
  const taskStreams = createTaskStreams({ invoke });
  let listener: Listener | undefined;
  const metrics = createMetrics([
    ...(options.measures ?? []),
    ...ownMeasures(live, watch, () => listener?.sockets ?? 0),
  ]);
  const callers = createCallers({ keeper, publicHost: options.publicHost, requestRefused: options.requestRefused });
  const readBody = createBodyReader(keeper);

  const names = ownNames([options.host, ...(options.names ?? [])], (name) => localNames().includes(name));
  const app = createApp(metrics, names, plain);
  addOperations(
    app,
    createOperationRoutes({
      invoke,
      keeper,
      callers,
      readBody,
      cookies,
      serveBytes: createByteRoutes({
        ...options,
        headOffice: options.headOffice,
        courier: options.courier,
        media: (share, id) => options.feeds.media(share, id),
      }),
      serveStream: createEventStreams({ invoke, auth, credential, callers, live, taskStreams }),
      exportCsv: createCsvExport(invoke),
    }),
  );
  addServiceRoutes(app, {
    keeper,
    metrics,
    serves: invoke.serves,
    ready: options.ready ?? (() => true),
    bucket: options.bucket,
    announced: options.announced,
    trust: options.trust,
  });
  const { version, files, history, webSockets } = options;
  app.all(
    '/mcp',
    createMcpRoute({
      invoke,
      keeper,
      callers,
      readBody,
      turns,
      version,
      log,
      artifacts: files.artifacts,
      extras: options.mcpExtras,
    }),
  );
  addAemp(app, { keeper, callers, invoke, history, clock });
  const { feeds, webRoot } = options;
  const lite = addLitePages(app, { keeper, callers, invoke, feeds, clock, webRoot });
  addPages(app, keeper, webRoot, invoke.serves);
  addErrors(app, keeper, log);

  const opened = await openListener({
    upgrades: webSockets && createMqttUpgrades(webSockets, { names, plain, refused: () => metrics.refused('upgrade') }),
    host: options.host,
    port: options.port,
    secure: options.secure,
    isExposed: options.plain?.isExposed,
    perAddress: options.socketsPerAddress ?? LIMITS.sockets_per_address.value,
    graceMs: options.graceMs ?? GRACE_MS,
    ...(options.requestMs === undefined ? {} : { requestMs: options.requestMs }),
    onRequest: app,
    onRefused: () => metrics.refused('sockets'),
    onMalformed(code, address) {
      metrics.refused('malformed');
      log('debug', 'received bytes that are not HTTP', { code, address });
    },
  });
  listener = opened;
  const unwatch = auth.watch(() => {
    void live.recheck();
    void taskStreams.recheck();
  });

  return {
    port: opened.port,
    tlsPort: opened.tlsPort,
    get sockets() {
      return opened.sockets;
    },
    limitSockets: (count) => opened.limitSockets(count),
    closeExposed: () => opened.closeExposed(),
    problems: () => [...watch.problems(), ...invoke.problems()],
    async [Symbol.asyncDispose]() {
      unwatch();
      live[Symbol.dispose]();
      lite[Symbol.dispose]();
      taskStreams[Symbol.dispose]();
      options.headOffice?.[Symbol.dispose]();
      await webSockets?.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Returns the metrics of the HTTP server itself. */
function ownMeasures(live: Live, watch: SecurityWatch, sockets: () => number): readonly Measure[] {
  return [
    { name: 'headframe_live_clients', help: 'Open live streams.', read: () => live.clients },
    {
      name: 'headframe_live_dropped_total',
      help: 'Live streams that ended because the client read too slowly.',
      read: () => live.dropped,
    },
    { name: 'headframe_http_wrong_keys_total', help: 'Wrong keys and codes.', read: () => watch.total },
    { name: 'headframe_http_sockets', help: 'Open HTTP sockets.', read: sockets },
  ];
}

/** Creates an Express app that sets the context and headers of each request, and refuses requests from foreign origins. */
function createApp(metrics: Metrics, names: OwnNames, plain: PlainRequests): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use((request, response, next) => {
    const context = beginRequest(request);
    response.set({ 'X-Request-Id': context.id, 'X-Contract-Hash': CONTRACT_HASH });
    response.on('finish', () =>
      metrics.answered(
        context.operation || 'other',
        response.statusCode,
        (performance.now() - context.started_ms) / 1_000,
      ),
    );
    next();
  });
  app.use(securityHeaders());
  app.use((request, _response, next) => {
    contextOf(request).host = checkOrigin(request, names);
    next();
  });
  app.use(plain.check);
  return app;
}

/**
 * Adds the routes of operations. To find a route, the server searches a tree of path segments. Express would test more than a hundred
 * patterns one after the other.
 */
function addOperations(app: Express, serveRoute: ServeRoute): void {
  app.use((request, response, next) => {
    const matched = matchRoute(request.path);
    if (matched === undefined) return next();
    request.params = matched.params;
    return serveRoute(matched.route, request, response);
  });
}

/** Adds the fleet as ISO 15143-3. */
function addAemp(
  app: Express,
  of: {
    readonly keeper: Gatekeeper;
    readonly callers: Callers;
    readonly invoke: Invoke;
    readonly history: ReadHistory;
    readonly clock: () => number;
  },
): void {
  const { keeper, callers, invoke, history, clock } = of;
  const aemp = createAemp({
    invoke,
    history,
    clock,
    async identify(request, response) {
      contextOf(request).operation = 'aemp';
      const principal = await keeper.identify(request, response);
      return { caller: callers.callerOf(request, principal, 'rest'), request_id: contextOf(request).id };
    },
  });
  app.use(AEMP_PATH, aemp);
}

function addPages(app: Express, keeper: Gatekeeper, webRoot: string, serves: Invoke['serves']): void {
  app.use('/api', () => {
    throw new OperationError(
      'route_not_found',
      'No operation has this path. GET /api/v1/operations lists all operations.',
    );
  });
  app.use((request, response, next) => {
    keeper.open(request, response);
    next();
  });
  app.use(createWeb(webRoot, serves));
  app.use(() => {
    throw new OperationError('route_not_found', 'Nothing is served at this address.');
  });
}

/** Sends an error object for each error of a handler. If part of the answer is already sent, it closes the connection instead. */
function addErrors(app: Express, keeper: Gatekeeper, log: Log): void {
  app.use(async (thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { id } = contextOf(request);
    const error = asOperationError(fromExpress(thrown), log, id, `${request.method} ${request.path}`);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    await keeper.refusal(request, response, error);
    sendError(request, response, error, id);
  });
}

/**
 * For each status of an error that Express or its file sender throws: the error code and text to send. Each of these errors is a fault of
 * the client.
 */
const REFUSALS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['parameter_invalid', 'The path is not valid percent-encoded UTF-8.'],
  403: ['route_not_found', 'Nothing is served at this address.'],
  404: ['route_not_found', 'Nothing is served at this address.'],
  412: ['revision_mismatch', 'The file has another ETag than the request names.'],
  416: ['range_not_satisfiable', 'The range is outside the file.'],
};

function fromExpress(thrown: unknown): unknown {
  if (thrown instanceof OperationError) return thrown;
  const refusal = REFUSALS[(thrown as { status?: number } | null)?.status ?? 0];
  return refusal === undefined ? thrown : new OperationError(...refusal, { cause: thrown });
}
