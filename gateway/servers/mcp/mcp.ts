/**
 * The MCP endpoint `/mcp`: Streamable HTTP without sessions. It creates a server object of the MCP SDK for each request, because a
 * transport without sessions cannot be used twice. Each operation is a tool with the same name, except the operations that are marked
 * `httpOnly`. A tool has the same bodies and the same error object as the REST route.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ContentBlock,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Caller } from '#contract/context.ts';
import type { OperationName, Output } from '#contract/operations.ts';
import { type Permitted, permits } from '#contract/permissions.ts';
import { sendJsonText } from '#servers/base/answer.ts';
import { type JsonText, quotedJsonOf } from '#servers/base/json-text.ts';
import type { Log } from '#servers/base/log.ts';
import { CATALOG, takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { isLarge } from '#servers/invoke/input-pieces.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';
import { asOperationError } from '#servers/invoke/operation-errors.ts';
import type { Artifacts } from '#store/artifacts.ts';
import { readContent } from './content.ts';
import { type Direct, readDirect } from './direct.ts';
import { TOOL_NAMES } from './nouns.ts';
import { type ProgressWish, wantsProgress, withProgress } from './progress.ts';
import { listResources, listTemplates, RESOURCE_NOT_FOUND, readResource, refuseCursor } from './resources.ts';
import { COMMON_WORDS, toolInput, toolOutput } from './schemas.ts';

/** The data of an MCP request that is not in its JSON-RPC message. */
interface McpCall {
  readonly caller: Caller;
  /** Value of the Project-ID header: the project of tool calls without `project_id`. */
  readonly project_id: string | undefined;
  readonly request_id: string;
  /**
   * True if the message is longer than the default limit for arguments. In this case the endpoint must check the limit of the called tool.
   */
  readonly long: boolean;
  /** Counts one call against the rate limit; throws `rate_limited`. The endpoint calls it before each tool call. */
  readonly count: () => void;
}

/** Answers one POST to `/mcp`; `body` is the parsed JSON. */
export type Mcp = (request: IncomingMessage, response: ServerResponse, body: unknown, call: McpCall) => Promise<void>;

const INSTRUCTIONS =
  'Headframe runs a site of heavy equipment. Equipment is a machine; a device is the hardware that reports on it. ' +
  'Start with projects_list and send its id as project_id. Telemetry fields of equipment are read-only; null means unknown, never zero. ' +
  'A link between device and machine does not mean that data flows: see last_live_data_at and last_seen_at. ' +
  COMMON_WORDS;

/** Matches the keys and tokens that the gateway creates. No tool result may contain one. */
const SECRET = /\b(?:wk|dk|pat|ses)_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}|\b(?:dsp|flt|ctl)_[A-Za-z0-9_-]{40,}/g;

/**
 * All tools, in the order in which the operations are declared. A tool may have annotations (hints for the client, such as `readOnlyHint`).
 * An annotation with the default value of MCP is left out.
 */
const TOOLS: readonly (Tool & { name: OperationName })[] = TOOL_NAMES.map((name) => {
  const { summary, description, hints } = operationRow(name);
  return {
    name,
    description: description ? `${summary}. ${description}` : `${summary}.`,
    inputSchema: toolInput(name),
    outputSchema: toolOutput(name),
    annotations: {
      ...(hints.readOnly ? { readOnlyHint: true } : {}),
      // Clients use these two annotations for writes only (MCP 2025-11-25, schema, ToolAnnotations).
      ...(hints.readOnly || hints.destructive ? {} : { destructiveHint: false }),
      ...(hints.readOnly || !hints.idempotent ? {} : { idempotentHint: true }),
      openWorldHint: false,
    },
  };
});

/** Returns the tools that a caller may call on this gateway. */
const toolsFor = (caller: Permitted, serves: Invoke['serves']) =>
  TOOLS.filter(({ name }) => permits(caller, name) && serves(name));

/** Largest number of tool lists in the cache. Callers with the same role and scopes share a list. */
const MOST_LISTS = 20;

interface McpOptions {
  readonly invoke: Invoke;
  readonly version: string;
  readonly log: Log;
  readonly artifacts: Pick<Artifacts, 'read' | 'find'>;
}

/** Creates the functions that call operations for tools and for resources. Both return errors in the form that MCP defines for them. */
function createToolCalls({ invoke, log, artifacts }: McpOptions) {
  async function callTool(
    tool: string,
    args: Record<string, unknown>,
    call: McpCall,
    wish: ProgressWish | undefined,
  ): Promise<ToolAnswer> {
    const row = TOOLS.find(({ name }) => name === tool);
    if (row === undefined) throw new McpError(ErrorCode.InvalidParams, unknownTool(tool));
    const { name } = row;
    try {
      call.count();
      const {
        input,
        revision,
        bytes,
        maxBody = LIMITS.body.value,
        maxValues = LIMITS.json_values.value,
      } = operationRow(name);
      if (call.long && Buffer.byteLength(JSON.stringify(args)) > maxBody)
        throw new OperationError('payload_too_large', `The arguments of ${name} may have at most ${maxBody} bytes.`);
      if (isLarge(args, maxValues))
        throw new OperationError('payload_too_large', `The arguments of ${name} may have at most ${maxValues} values.`);
      const { project_id, idempotency_key, if_match, range, ...rest } = args;
      const asked = {
        name,
        caller: call.caller,
        input: {
          ...rest,
          ...(bytes !== 'content' && range !== undefined ? { range } : {}),
          ...('project_id' in input.shape && project_id !== undefined ? { project_id } : {}),
          ...(revision !== 'if-match' && if_match !== undefined ? { if_match } : {}),
          ...(!takesIdempotencyKey(name) && idempotency_key !== undefined ? { idempotency_key } : {}),
        },
        project_id: text('project_id', project_id) ?? call.project_id,
        idempotency_key: text('idempotency_key', idempotency_key),
        if_match: revisionOf(if_match),
        request_id: call.request_id,
      };
      const reply = await withProgress(name, wish, () => invoke.call(asked));
      const answer = await quotedJsonOf(reply.body, withoutSecrets);
      if (bytes !== 'content') return { isError: false, text: answer, more: [] };
      const artifact = reply.body as unknown as Output<'artifacts_content'>;
      const content = await readContent(artifact, text('range', range), artifacts, conceal);
      return { isError: false, text: answer, more: [content] };
    } catch (thrown) {
      const error = asOperationError(thrown, log, call.request_id, name);
      const body = errorBody(error, call.request_id) as Record<string, unknown>;
      return { isError: true, text: await quotedJsonOf(body, (part) => part), more: [] };
    }
  }

  /** Returns the answer of a read operation as a resource. An `OperationError` becomes an error of the JSON-RPC protocol. */
  async function readObject(
    name: OperationName,
    input: Record<string, string>,
    project_id: string | undefined,
    call: McpCall,
  ): Promise<object> {
    try {
      call.count();
      const reply = await invoke.call({
        name,
        caller: call.caller,
        input,
        project_id: project_id ?? call.project_id,
        request_id: call.request_id,
      });
      return JSON.parse((await quotedJsonOf(reply.body, withoutSecrets)).json);
    } catch (thrown) {
      const error = asOperationError(thrown, log, call.request_id, name);
      const code = error.status === 404 ? RESOURCE_NOT_FOUND : ErrorCode.InvalidRequest;
      throw new McpError(code, error.message, errorBody(error, call.request_id));
    }
  }

  return { callTool, readObject };
}

/** Creates the handler of the MCP endpoint. It calls operations through `invoke`. */
export function createMcp(options: McpOptions): Mcp {
  const { invoke } = options;
  const { callTool, readObject } = createToolCalls(options);

  /** Tool lists as JSON text. A list is long, and the same for all callers with the same role and scopes, so it is built once. */
  const lists = new Map<string, string>();
  function listOf(caller: Permitted): string {
    const key = JSON.stringify([caller.role, caller.scopes?.toSorted()]);
    const list = lists.get(key) ?? JSON.stringify({ tools: toolsFor(caller, invoke.serves) });
    lists.delete(key);
    if (lists.size >= MOST_LISTS) lists.delete(lists.keys().next().value as string);
    lists.set(key, list);
    return list;
  }

  async function answerDirectly(direct: Direct, response: ServerResponse, call: McpCall): Promise<void> {
    let outcome: string;
    try {
      outcome =
        direct.method === 'tools/list'
          ? `"result":${listOf(call.caller)}`
          : `"result":${resultText(await callTool(direct.params.name, direct.params.arguments ?? {}, call, undefined))}`;
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const { code, message, data } = error;
      outcome = `"error":${JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) })}`;
    }
    sendJsonText(response, 200, `{${outcome},"jsonrpc":"2.0","id":${JSON.stringify(direct.id)}}`);
  }

  return async (request, response, body, call) => {
    const direct = readDirect(request, body);
    if (direct !== undefined) return answerDirectly(direct, response, call);
    const server = new Server(
      { name: 'headframe', version: options.version },
      { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      refuseCursor(params?.cursor);
      return { tools: toolsFor(call.caller, invoke.serves) };
    });
    server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => listResources(params?.cursor));
    server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) =>
      listTemplates(params?.cursor, call.caller, invoke.serves),
    );
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
      readResource(params.uri, invoke.serves, (name, input, project_id) => readObject(name, input, project_id, call)),
    );
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
      const token = params._meta?.progressToken;
      const wish = token === undefined ? undefined : { token, signal, send: sendNotification };
      return JSON.parse(resultText(await callTool(params.name, params.arguments ?? {}, call, wish))) as CallToolResult;
    });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(body) });
    response.on('close', () => void server.close());
    // The cast is needed because the SDK declares its optional callbacks without `undefined`.
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response, body);
  };
}

/** Returns the error message for an unknown tool name. For an operation that is HTTP only it names the reason and the REST route. */
function unknownTool(tool: string): string {
  const row = CATALOG.find(({ name }) => name === tool);
  const why =
    row === undefined
      ? 'tools/list names all tools.'
      : `HTTP only, for ${row.http_only_because}: ${row.method} ${row.path}.`;
  return `Unknown tool: ${tool.slice(0, 100)}. ${why}`;
}

/** The result of a tool call: the answer or the error of the operation as text, and further blocks of content. */
interface ToolAnswer {
  readonly isError: boolean;
  readonly text: JsonText;
  readonly more: readonly ContentBlock[];
}

/**
 * Returns the JSON of a CallToolResult (MCP 2025-11-25, "Tools"). An error has no `structuredContent`, because clients would check it
 * against the output schema.
 */
function resultText({ isError, text: { json, quoted }, more }: ToolAnswer): string {
  const blocks = [`{"type":"text","text":${quoted}}`, ...more.map((block) => JSON.stringify(block))];
  const content = `"content":[${blocks.join()}]`;
  return isError ? `{"isError":true,${content}}` : `{${content},"structuredContent":${json}}`;
}

/**
 * Replaces everything that has the form of a key by `[secret]`. The gateway does not refuse such an answer, because then anybody could hide
 * a log from all agents by writing a key into it.
 */
const withoutSecrets = (part: string): string => part.replace(SECRET, '[secret]');

/** Replaces each key in the content of a file by stars, one for each character, so that the positions of all other bytes do not change. */
function conceal(text: string): string {
  return text.replace(SECRET, (secret) => '*'.repeat(secret.length));
}

function text(param: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new OperationError('parameter_invalid', `\`${param}\` must be a string.`, { param });
}

function revisionOf(value: unknown): number | null {
  if (value === undefined) return null;
  if (Number.isSafeInteger(value)) return value as number;
  throw new OperationError('parameter_invalid', '`if_match` must be a revision number.', { param: 'if_match' });
}
