/**
 * The Model Context Protocol door: Streamable HTTP without sessions, one server per request (a stateless transport is not reusable).
 * Tools are the operations that are not HTTP only, under exactly their names; results carry the same bodies and the same error object as REST.
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
import type { Role } from '#contract/base/roles.ts';
import type { Caller } from '#contract/context.ts';
import type { OperationName, Output } from '#contract/operations.ts';
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

/** What a request brings besides its JSON-RPC message. */
interface McpCall {
  readonly caller: Caller;
  /** The Project-ID header: the project of tools that name none. */
  readonly project_id: string | undefined;
  readonly request_id: string;
  /** True when the message is longer than most tools take. */
  readonly long: boolean;
  /** Called before each tool call; throws `rate_limited`. */
  readonly count: () => void;
}

/** Answers one POST to `/mcp` whose body was parsed already. */
export type Mcp = (request: IncomingMessage, response: ServerResponse, body: unknown, call: McpCall) => Promise<void>;

const INSTRUCTIONS =
  'Headframe runs a site of heavy equipment. Equipment is a machine; a device is the hardware that reports on it. ' +
  'Start with projects_list and send its id as project_id. Telemetry fields of equipment are read-only; null means unknown, never zero. ' +
  'A link between device and machine does not mean that data flows: see last_live_data_at and last_seen_at. ' +
  COMMON_WORDS;

/** Keys and tokens as we mint them: none may leave through a model tool. */
const SECRET = /\b(?:wk|dk|pat)_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}|\b(?:dsp|ctl)_[A-Za-z0-9_-]{40,}/g;

/** Every tool, in the order of the declaration. Hints that say what a client assumes without them are left out. */
const TOOLS: readonly (Tool & { name: OperationName })[] = TOOL_NAMES.map((name) => {
  const { summary, description, hints } = operationRow(name);
  return {
    name,
    description: description ? `${summary}. ${description}` : `${summary}.`,
    inputSchema: toolInput(name),
    outputSchema: toolOutput(name),
    annotations: {
      ...(hints.readOnly ? { readOnlyHint: true } : {}),
      // MCP 2025-11-25, schema, ToolAnnotations: these two count for writes only.
      ...(hints.readOnly || hints.destructive ? {} : { destructiveHint: false }),
      ...(hints.readOnly || !hints.idempotent ? {} : { idempotentHint: true }),
      openWorldHint: false,
    },
  };
});

/** The tools that a role may call on this node. */
const toolsFor = (role: Role | null, serves: Invoke['serves']) =>
  TOOLS.filter(({ name }) => role !== null && operationRow(name).roles.includes(role) && serves(name));

interface McpOptions {
  readonly invoke: Invoke;
  readonly version: string;
  readonly log: Log;
  readonly artifacts: Pick<Artifacts, 'read' | 'find'>;
}

/** Calls operations for tools and resources; errors take the form that MCP defines for each. */
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
        throw new OperationError('payload_too_large', `${name} takes ${maxBody} bytes of arguments at most.`);
      if (isLarge(args, maxValues))
        throw new OperationError('payload_too_large', `${name} takes ${maxValues} values in its arguments at most.`);
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

  /** The body of a read, as a resource; an error of ours is an error of the protocol here. */
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

/** The MCP server over the invoker. */
export function createMcp(options: McpOptions): Mcp {
  const { invoke } = options;
  const { callTool, readObject } = createToolCalls(options);

  /** What a role may call, as JSON: the list is long and the same for all who have the role. */
  const lists = new Map<Role | null, string>();
  function listOf(role: Role | null): string {
    const list = lists.get(role) ?? JSON.stringify({ tools: toolsFor(role, invoke.serves) });
    lists.set(role, list);
    return list;
  }

  async function answerDirectly(direct: Direct, response: ServerResponse, call: McpCall): Promise<void> {
    let outcome: string;
    try {
      outcome =
        direct.method === 'tools/list'
          ? `"result":${listOf(call.caller.role)}`
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
    const { role } = call.caller;
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      refuseCursor(params?.cursor);
      return { tools: toolsFor(role, invoke.serves) };
    });
    server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => listResources(params?.cursor));
    server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) =>
      listTemplates(params?.cursor, role, invoke.serves),
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
    // The SDK types its optional callbacks without `undefined`; the object is the interface all the same.
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response, body);
  };
}

/** Why there is no such tool, for one that looked for it. */
function unknownTool(tool: string): string {
  const row = CATALOG.find(({ name }) => name === tool);
  const why =
    row === undefined ? 'tools/list names all.' : `HTTP only, for ${row.http_only_because}: ${row.method} ${row.path}.`;
  return `Unknown tool: ${tool.slice(0, 100)}. ${why}`;
}

/** What a tool gives: the body of the operation, or the error, as text, and further blocks of content. */
interface ToolAnswer {
  readonly isError: boolean;
  readonly text: JsonText;
  readonly more: readonly ContentBlock[];
}

/** The JSON of a CallToolResult (MCP 2025-11-25, tools). An error has no structuredContent: clients check it against the output schema. */
function resultText({ isError, text: { json, quoted }, more }: ToolAnswer): string {
  const blocks = [`{"type":"text","text":${quoted}}`, ...more.map((block) => JSON.stringify(block))];
  const content = `"content":[${blocks.join()}]`;
  return isError ? `{"isError":true,${content}}` : `{${content},"structuredContent":${json}}`;
}

/** The text with what looks like a key taken out: refusing it whole would let whoever writes one hide a log from all agents. */
const withoutSecrets = (part: string): string => part.replace(SECRET, '[secret]');

/** The same for bytes, which keep their places. */
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
