/** Answers a request for one operation: identify the caller, read the body, call the operation, send the answer in its format. */
import type { Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import type { Operation } from '#contract/base/operation.ts';
import { AGO_HEADER, PASS_HEADER } from '#contract/late-writes.ts';
import type { OperationName } from '#contract/operations.ts';
import { sendReply } from '#servers/base/answer.ts';
import { hasBody } from '#servers/base/body.ts';
import { formatOf, sendCloudEvents } from '#servers/invoke/formats.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';
import { sendTable } from '#servers/invoke/series-export.ts';
import { OPEN } from './auth.ts';
import type { ServeBytes } from './byte-routes.ts';
import type { Callers } from './callers.ts';
import type { Cookies } from './credential.ts';
import type { ServeStream } from './event-streams.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { bodyBounds, type ReadBody } from './request-bodies.ts';
import { contextOf } from './request-context.ts';
import { inputOf, type Route, readIfMatch } from './routes.ts';
import { isUpload, sendTusOptions } from './tus.ts';

type Call = Parameters<Invoke['call']>[0];

/** Longest pass of a late write in characters. */
const LONGEST_PASS = 1_000;

/** Answers a request with a path that matches the route. */
export type ServeRoute = (route: Route, request: Request, response: Response) => Promise<void>;

export function createOperationRoutes(options: {
  invoke: Invoke;
  keeper: Gatekeeper;
  callers: Callers;
  readBody: ReadBody;
  cookies: Cookies;
  serveBytes: ServeBytes;
  serveStream: ServeStream;
  exportCsv: (call: Call, response: Response) => Promise<void>;
}): ServeRoute {
  const { invoke, keeper, callers, readBody, cookies, serveBytes, serveStream, exportCsv } = options;

  async function serveOperation(name: OperationName, request: Request, response: Response): Promise<void> {
    const row = operationRow(name);
    const context = contextOf(request);
    context.operation = name;
    const late = lateOf(request);
    const principal =
      row.scope === 'none'
        ? OPEN
        : late !== undefined
          ? await callers.identifySender(request, response)
          : await callers.identifyFor(row, request, response);
    keeper.operation(name, request, response);
    if ((row.method === 'GET' || row.method === 'DELETE') && hasBody(request))
      throw new OperationError('body_malformed', `${row.method} does not accept a body here.`);
    const body =
      row.bytes === undefined && hasBody(request)
        ? await readBody(principal, request, response, bodyBounds(row))
        : undefined;
    const question = request.url.indexOf('?');
    const query = question < 0 ? '' : request.url.slice(question + 1);
    const call = {
      name,
      caller: callers.callerOf(request, principal, 'rest'),
      input: inputOf(name, request.params as Record<string, string>, query, body),
      project_id: request.get('project-id'),
      idempotency_key: request.get('idempotency-key'),
      if_match: readIfMatch(name, request.get('if-match')),
      request_id: context.id,
      late,
    };
    if (row.bytes !== undefined) return serveBytes(row.bytes, request, response, call);
    if (row.stream !== undefined) return serveStream(row.stream, request, response, call, principal);
    const format = formatOf(name, request);
    if (format === 'csv' && row.series !== true) return exportCsv(call, response);
    const reply = await invoke.call(call);
    const table = row.series === true ? (call.input.as ?? format) : 'json';
    if (table === 'csv' || table === 'arrow') return sendTable(table, name, reply.body, request.originalUrl, response);
    if (reply.revision !== null) response.set('ETag', `"${reply.revision}"`);
    if (reply.replayed) response.set('Idempotent-Replayed', 'true');
    if (format === 'cloudevents') return sendCloudEvents(request, response, reply.status, reply.body);
    return sendReply(response, reply.status, withCookie(row, request, response, reply.body));
  }

  /** Moves the token of a new session or tablet from the answer into its cookie, or removes the cookie of an ended session. */
  function withCookie(
    row: Operation,
    request: Request,
    response: Response,
    body: Record<string, unknown>,
  ): Record<string, unknown> {
    if (row.scope !== 'none' && row.roles.includes('tablet')) cookies.renew(request, response);
    if (row.cookie === 'ends') cookies.remove(request, response);
    if (row.cookie !== 'begins' && row.cookie !== 'enrols') return body;
    const { token, ...rest } = body;
    if (row.cookie === 'enrols') cookies.enrol(request, response, String(token));
    else cookies.set(request, response, String(token), body.remembered === true ? String(body.ends_at) : null);
    return { ...rest, token: null };
  }

  return async (route, request, response) => {
    const method = request.method === 'HEAD' && route.allow.includes('HEAD') ? 'GET' : request.method;
    const name = route.operations.get(method);
    const uploads = [...route.operations.values()].some((one) => isUpload(operationRow(one).bytes));
    if (request.method === 'OPTIONS' && uploads) return sendTusOptions(response);
    if (name === undefined) return refuseMethod(response, route.allow);
    return serveOperation(name, request, response);
  };
}

/** Reads the headers of a late write; undefined for any other request. */
function lateOf(request: Request): Call['late'] {
  const pass = request.get(PASS_HEADER);
  if (pass === undefined) return undefined;
  const ago = request.get(AGO_HEADER) ?? '';
  if (pass.length > LONGEST_PASS || !/^(\d{1,13}|unknown)$/.test(ago))
    throw new OperationError(
      'parameter_invalid',
      'A late write has a pass and the time since it was written: whole milliseconds, or `unknown`.',
      { param: pass.length > LONGEST_PASS ? 'Headframe-Pass' : 'Headframe-Written-Ago' },
    );
  return { pass, ago_ms: ago === 'unknown' ? null : Number(ago) };
}

/** Sets the `Allow` header and throws `method_not_allowed`. */
export function refuseMethod(response: Response, allow: string): never {
  response.set('Allow', allow);
  throw new OperationError('method_not_allowed', `This path supports ${allow}.`);
}
