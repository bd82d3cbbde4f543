/** The route `/mcp`: it accepts one POST for each message of the Model Context Protocol. */
import type { Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import type { Turns } from '#servers/base/fair-share.ts';
import type { Log } from '#servers/base/log.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import type { Extras } from '#servers/mcp/extras.ts';
import type { Mcp } from '#servers/mcp/mcp.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Callers } from './callers.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { READS_AT_ONCE } from './in-turns.ts';
import { refuseMethod } from './operation-routes.ts';
import { MAX_BODY, MESSAGE_BOUNDS, type ReadBody } from './request-bodies.ts';
import { contextOf } from './request-context.ts';

/** The rate limit counts one `tools/list` as this many calls, because its answer is long. */
const LIST_COUNT = 10;
/** The first version of MCP with structured content. Versions are dates. */
const FIRST_STRUCTURED = '2025-06-18';

export function createMcpRoute(options: {
  invoke: Invoke;
  keeper: Gatekeeper;
  callers: Callers;
  readBody: ReadBody;
  turns: Turns;
  version: string;
  log: Log;
  artifacts: Artifacts;
  extras?: Extras | undefined;
}): (request: Request, response: Response) => Promise<void> {
  const { invoke, keeper, callers, readBody, turns, version, log, artifacts, extras } = options;
  // Load the SDK and the tool schemas at the first message, so that a site without agents does not spend memory and time on them.
  let mcp: Promise<Mcp> | undefined;
  const loadMcp = (): Promise<Mcp> => {
    mcp ??= import('#servers/mcp/mcp.ts').then(({ createMcp }) =>
      createMcp({ invoke, version, log, artifacts, extras }),
    );
    return mcp;
  };

  return async (request, response) => {
    contextOf(request).operation = 'mcp';
    if (request.method !== 'POST') return refuseMethod(response, 'POST');
    const principal = await keeper.identify(request, response);
    if (principal.kind === 'device') throw new OperationError('permission_denied', 'A device key cannot call tools.');
    const call = {
      caller: callers.callerOf(request, principal, 'mcp'),
      project_id: request.get('project-id'),
      ...queryOf(request),
      request_id: contextOf(request).id,
      long: !(Number(request.headers['content-length']) <= MAX_BODY),
      count: () => keeper.call(principal, response),
    };
    const loading = loadMcp();
    const message = await readBody(principal, request, response, MESSAGE_BOUNDS);
    if ((message as { method?: unknown } | null)?.method === 'tools/list') keeper.call(principal, response, LIST_COUNT);
    // Decoding and encoding a message take about as long as the call itself. So the message, too, waits until the event loop is free for
    // its caller.
    return turns.run(`mcp:${principal.id}`, READS_AT_ONCE, async () =>
      (await loading)(request, response, message, call),
    );
  };
}

/**
 * Reads from the address which list of tools the caller wants, and whether it wants answers as text. A client of an earlier version of MCP
 * knows no structured content, so it gets text. Such a client states its version in a header, or sends no header.
 */
function queryOf(request: Request): { profile: string | undefined; content: string | undefined } {
  const { searchParams } = new URL(request.originalUrl, 'http://gateway');
  const isEarlier = (request.get('mcp-protocol-version') ?? '') < FIRST_STRUCTURED;
  return {
    profile: searchParams.get('profile') ?? undefined,
    content: searchParams.get('content') ?? (isEarlier ? 'text' : undefined),
  };
}
