/**
 * Refuses MCP requests with wrong parameters in the words of this project. The SDK would refuse them with the words of its validation
 * library.
 */
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { PARSE } from '#contract/base/input-words.ts';

const SCHEMAS = {
  'tools/call': CallToolRequestSchema,
  'prompts/get': GetPromptRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'completion/complete': CompleteRequestSchema,
  'logging/setLevel': SetLevelRequestSchema,
} as const;

/** Returns the JSON of the error answer to a request with wrong parameters; undefined for every other message. */
export function refusalOf(body: unknown): string | undefined {
  const { jsonrpc, id, method, params } = (body ?? {}) as Record<string, unknown>;
  if (jsonrpc !== '2.0' || (typeof id !== 'string' && !Number.isSafeInteger(id))) return undefined;
  if (typeof method !== 'string' || !Object.hasOwn(SCHEMAS, method)) return undefined;
  const parsed = SCHEMAS[method as keyof typeof SCHEMAS].safeParse({ method, params }, PARSE);
  const issue = parsed.error?.issues[0];
  if (issue === undefined) return undefined;
  const message = `\`${issue.path.join('.')}\`: ${issue.message}.`;
  return JSON.stringify({ jsonrpc, id, error: { code: ErrorCode.InvalidParams, message } });
}
