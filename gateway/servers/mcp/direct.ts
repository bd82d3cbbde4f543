/**
 * Recognises the most frequent MCP requests: a single `tools/call` or `tools/list` that is answered with one JSON body. The gateway answers
 * these requests without the MCP SDK. The SDK would build a server, a transport and a web response for each request, which is several times
 * as much work as the call. The SDK handles all other requests. A test checks that answers with and without the SDK are the same.
 */
import type { IncomingMessage } from 'node:http';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { wantsProgress } from './progress.ts';

/** An MCP request that the gateway answers without the MCP SDK. */
export type Direct =
  | { readonly id: string | number; readonly method: 'tools/call'; readonly params: CallToolRequest['params'] }
  | { readonly id: string | number; readonly method: 'tools/list' };

/** Returns the message if the gateway can answer it directly; undefined if the SDK must handle it. */
export function readDirect(request: IncomingMessage, body: unknown): Direct | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || wantsProgress(body)) return undefined;
  const { jsonrpc, id, method, params } = body as Record<string, unknown>;
  if (jsonrpc !== '2.0' || (typeof id !== 'string' && !Number.isSafeInteger(id))) return undefined;
  if (!isPlain(request)) return undefined;
  const known = id as string | number;
  if (method === 'tools/list') return params === undefined ? { id: known, method } : undefined;
  if (method !== 'tools/call') return undefined;
  const parsed = CallToolRequestSchema.safeParse({ method, params });
  return parsed.success ? { id: known, method, params: parsed.data.params } : undefined;
}

/**
 * Returns true for the headers of a normal POST without a session (MCP 2025-11-25, "Transports"), which the SDK answers with one JSON body.
 */
function isPlain({ headers }: IncomingMessage): boolean {
  const { accept = '' } = headers;
  const version = headers['mcp-protocol-version'];
  return (
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    headers['mcp-session-id'] === undefined &&
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
  );
}
