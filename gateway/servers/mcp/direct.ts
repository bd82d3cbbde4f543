/**
 * The short way for what agents ask nearly always: one `tools/call` or `tools/list` whose answer is one JSON body. The SDK builds a
 * server, a transport and a web response for each request, which costs several times the call itself. Whatever is in any way unusual
 * goes the SDK's way; a test holds that both ways answer alike.
 */
import type { IncomingMessage } from 'node:http';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { wantsProgress } from './progress.ts';

/** A request that can be answered directly. */
export type Direct =
  | { readonly id: string | number; readonly method: 'tools/call'; readonly params: CallToolRequest['params'] }
  | { readonly id: string | number; readonly method: 'tools/list' };

/** Reads a message as one that goes the short way; undefined when the SDK must look at it. */
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

/** True when the headers ask for what the transport would answer without another word (MCP 2025-11-25, transports). */
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
