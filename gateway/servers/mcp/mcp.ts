/**
 * The MCP endpoint `/mcp`: Streamable HTTP without sessions. It creates a server object of the MCP SDK for each request, because a
 * transport without sessions cannot be used twice. Each operation is a tool with the same name, except the operations that are marked
 * `httpOnly`. A tool has the same bodies and the same error object as the REST route.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { sendJsonText } from '#servers/base/answer.ts';
import type { Log } from '#servers/base/log.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import type { Artifacts } from '#store/artifacts.ts';
import { type Direct, readDirect } from './direct.ts';
import { type Extras, NO_EXTRAS } from './extras.ts';
import { createLogLevels } from './log-levels.ts';
import { PROFILES, profileOf } from './profiles.ts';
import { refusalOf } from './request-faults.ts';
import { answerWithSdk } from './sdk-server.ts';
import { createToolCalls, type McpCall, resultText } from './tool-calls.ts';
import { COMMON_WORDS } from './tool-input.ts';
import { toolList } from './tools.ts';

/** Answers one POST to `/mcp`; `body` is the parsed JSON. */
export type Mcp = (request: IncomingMessage, response: ServerResponse, body: unknown, call: McpCall) => Promise<void>;

const INSTRUCTIONS =
  'Headframe runs a site of heavy equipment. Equipment is a machine; a device is the hardware that reports on it. ' +
  'Start with projects_list if the key reaches several projects. This list has the usual tools; the address /mcp?profile=NAME has others: ' +
  `${PROFILES.join(', ')}. ` +
  'Telemetry fields of equipment are read-only; null means unknown, never zero. ' +
  'A link between device and machine does not mean that data flows: see last_live_data_at and last_seen_at. ' +
  COMMON_WORDS;

/** Largest number of tool lists in the cache: one for each role and profile. Callers with the same role, scopes and profile share a list. */
const MOST_LISTS = 50;

interface McpOptions {
  readonly invoke: Invoke;
  readonly version: string;
  readonly log: Log;
  readonly artifacts: Pick<Artifacts, 'read' | 'find'>;
  readonly extras?: Extras | undefined;
}

/** Creates the handler of the MCP endpoint. It calls operations through `invoke`. */
export function createMcp(options: McpOptions): Mcp {
  const { invoke } = options;
  const { extras = NO_EXTRAS } = options;
  const calls = createToolCalls(options);
  const levels = createLogLevels();
  const sdk = { invoke, version: options.version, instructions: INSTRUCTIONS, calls, levels, extras, listOf };

  /** Tool lists as JSON text. A list is long, and the same for all callers with the same role and scopes, so it is built once. */
  const lists = new Map<string, string>();
  function listOf({ caller, profile: wanted }: McpCall): string {
    const profile = profileOf(wanted);
    const key = JSON.stringify([profile, caller.role, caller.scopes?.toSorted()]);
    const list = lists.get(key) ?? JSON.stringify({ tools: toolList(caller, invoke.serves, profile) });
    lists.delete(key);
    if (lists.size >= MOST_LISTS) lists.delete(lists.keys().next().value as string);
    lists.set(key, list);
    return list;
  }

  /** The direct answers know only the tools of the gateway. */
  const hasExtras = extras.tools.length > 0;

  async function answerDirectly(direct: Direct, response: ServerResponse, call: McpCall): Promise<void> {
    let outcome: string;
    try {
      outcome =
        direct.method === 'tools/list'
          ? `"result":${listOf(call)}`
          : `"result":${resultText(await calls.callTool(direct.params.name, direct.params.arguments ?? {}, call), call.content)}`;
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const { code, message, data } = error;
      outcome = `"error":${JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) })}`;
    }
    sendJsonText(response, 200, `{${outcome},"jsonrpc":"2.0","id":${JSON.stringify(direct.id)}}`);
  }

  return async (request, response, body, call) => {
    profileOf(call.profile);
    const direct = readDirect(request, body);
    if (direct !== undefined && !levels.has(call.caller) && !hasExtras) return answerDirectly(direct, response, call);
    const refusal = refusalOf(body);
    if (refusal !== undefined) return sendJsonText(response, 200, refusal);
    await answerWithSdk(sdk, request, response, body, call);
  };
}
