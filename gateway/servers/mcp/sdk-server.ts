/** Answers an MCP request with the SDK: all requests except the frequent ones that `direct.ts` recognises. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
  ReadResourceRequestSchema,
  type ServerNotification,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { complete } from './completion.ts';
import type { Extras } from './extras.ts';
import type { LogLevels, Tell } from './log-levels.ts';
import type { ProgressWish } from './progress.ts';
import { wantsProgress } from './progress.ts';
import { getPrompt, listPrompts, PROMPTS } from './prompts.ts';
import { listResources, listTemplates, readResource, refuseCursor } from './resources.ts';
import { type McpCall, resultText, type ToolCalls } from './tool-calls.ts';

interface SdkServerOptions {
  readonly invoke: Pick<Invoke, 'serves'>;
  readonly version: string;
  readonly instructions: string;
  readonly calls: ToolCalls;
  readonly levels: LogLevels;
  readonly extras: Extras;
  /** Returns the tool list of a caller as JSON. */
  readonly listOf: (call: McpCall) => string;
}

/**
 * Answers one request. It creates a server object of the SDK for each request, because a transport without sessions cannot be used twice.
 */
export async function answerWithSdk(
  options: SdkServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  call: McpCall,
): Promise<void> {
  const server = new Server(
    { name: 'headframe', version: options.version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      instructions: options.instructions,
    },
  );
  addTools(server, options, call);
  addResources(server, options, call);
  addPrompts(server, options, call);
  // Notifications need a stream of events instead of one JSON body.
  const notifies = wantsProgress(body) || options.levels.has(call.caller);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !notifies });
  response.on('close', () => void server.close());
  // The cast is needed because the SDK declares its optional callbacks without `undefined`.
  await server.connect(transport as Parameters<Server['connect']>[0]);
  await transport.handleRequest(request, response, body);
}

function addTools(server: Server, { calls, extras, levels, listOf }: SdkServerOptions, call: McpCall): void {
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    refuseCursor(params?.cursor);
    const { tools } = JSON.parse(listOf(call)) as ListToolsResult;
    return { tools: [...tools, ...extras.tools.map(({ tool }) => tool)] };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const token = params._meta?.progressToken;
    const wish: ProgressWish | undefined = token === undefined ? undefined : { token, signal, send: sendNotification };
    const tell = tellerOf(levels, call, sendNotification);
    const args = params.arguments ?? {};
    const extra = extras.tools.find(({ tool }) => tool.name === params.name);
    if (extra !== undefined) return extra.run({ args, tell, progress: wish });
    const answer = await calls.callTool(params.name, args, call, wish, tell);
    return JSON.parse(resultText(answer, call.content)) as CallToolResult;
  });
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    levels.set(call.caller, params.level);
    return {};
  });
}

function tellerOf(levels: LogLevels, { caller }: McpCall, send: (one: ServerNotification) => Promise<void>): Tell {
  return (level, message) => {
    if (!levels.wants(caller, level)) return;
    // The client may have disconnected. The call goes on, and its answer is then lost as well.
    void send({ method: 'notifications/message', params: { level, logger: 'headframe', data: message } }).catch(
      () => {},
    );
  };
}

function addResources(server: Server, { invoke, calls, extras }: SdkServerOptions, call: McpCall): void {
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
    const { resources } = listResources(params?.cursor);
    return { resources: [...resources, ...extras.resources.map(({ resource }) => resource)] };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) =>
    listTemplates(params?.cursor, call.caller, invoke.serves),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const extra = extras.resources.map(({ read }) => read(uri)).find((found) => found !== undefined);
    if (extra !== undefined) return extra;
    return readResource(uri, invoke.serves, (name, input, project_id) =>
      calls.readObject(name, input, project_id, call),
    );
  });
}

function addPrompts(server: Server, { invoke, calls, extras }: SdkServerOptions, call: McpCall): void {
  const rows = [...PROMPTS, ...extras.prompts];
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
    refuseCursor(params?.cursor);
    return { prompts: listPrompts(rows, call.caller, invoke.serves) };
  });
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => getPrompt(rows, params.name, params.arguments));
  server.setRequestHandler(CompleteRequestSchema, async ({ params }) =>
    complete(params, rows, await calls.readerOf(call)),
  );
}
