/**
 * `headframe mcp`: an MCP server with the tools of a gateway, over standard input and output, for clients that start their tool servers as
 * a process. It forwards every message unchanged to `/mcp`, so both ways give the same answers. Standard output carries only the protocol.
 */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  ErrorCode,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { readControl } from '#settings/control-file.ts';
import { CommandError } from './command-line.ts';

interface McpArgs {
  readonly url?: string | undefined;
  readonly project?: string | undefined;
  readonly profile?: string | undefined;
  readonly content?: string | undefined;
}

/** The address of the gateway and the credentials for it. */
interface Way {
  readonly endpoint: URL;
  readonly key: string;
}

/** Forwards messages until standard input ends; resolves to the exit code. */
export async function runMcp(config: Config, args: McpArgs): Promise<number> {
  const findWay = wayOf(config, args);
  const stdio = new StdioServerTransport();
  // The gateway of this host may restart with a new port and a new token, so find its address again for each request.
  const http = new StreamableHTTPClientTransport(new URL('http://gateway/mcp'), {
    fetch: async (_url, init) => {
      const { endpoint, key } = await findWay();
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${key}`);
      if (args.project !== undefined) headers.set('project-id', args.project);
      for (const name of ['profile', 'content'] as const)
        if (args[name] !== undefined) endpoint.searchParams.set(name, args[name]);
      return fetch(endpoint, { ...init, headers });
    },
  });
  let initialize: string | number | undefined;
  http.onmessage = (message: JSONRPCMessage) => {
    if (isJSONRPCResultResponse(message) && message.id === initialize) {
      const { protocolVersion } = message.result;
      if (typeof protocolVersion === 'string') http.setProtocolVersion(protocolVersion);
    }
    void stdio.send(message);
  };
  stdio.onmessage = (message: JSONRPCMessage) => {
    if (isJSONRPCRequest(message) && isInitializeRequest(message)) initialize = message.id;
    http.send(message).catch(async (error: unknown) => {
      const why = sentence(error);
      process.stderr.write(`${why}\n`);
      if (isJSONRPCRequest(message))
        await stdio.send({ jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InternalError, message: why } });
    });
  };
  await http.start();
  await stdio.start();
  await new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  await http.close();
  return EXIT.ok;
}

function wayOf(config: Config, { url }: McpArgs): () => Promise<Way> {
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new CommandError('--url must be the address of a gateway, as in http://site-office:8480.', EXIT.usage);
    const { apiKey } = config;
    if (apiKey === null)
      throw new CommandError('A gateway on another host requires an API key: set HEADFRAME_API_KEY.', EXIT.usage);
    const endpoint = new URL('/mcp', url);
    return async () => ({ endpoint: new URL(endpoint), key: apiKey });
  }
  return async () => {
    const control = await readControl(config.data);
    if (control === undefined)
      throw new CommandError(
        `No gateway runs on the data folder ${config.data}. Start it, or name its folder with --data (HEADFRAME_DATA).`,
      );
    return { endpoint: new URL('/mcp', control.http), key: config.apiKey ?? control.token };
  };
}

function sentence(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  const { message, cause } = error as Error;
  return cause instanceof Error
    ? `The gateway cannot be reached: ${cause.message}.`
    : `The gateway refused: ${message}`;
}
