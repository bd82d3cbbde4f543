/**
 * MCP: lists the tools of the gateway and calls one, as an AI agent does.
 *
 *   GATEWAY_URL=http://GATEWAY:8480 GATEWAY_KEY=wk_... PROJECT_ID=prj_... node examples/mcp-client.ts
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { GATEWAY_URL = 'http://localhost:8480', GATEWAY_KEY = '', PROJECT_ID = '' } = process.env;

const client = new Client({ name: 'headframe-example', version: '1.0.0' });
const transport = new StreamableHTTPClientTransport(new URL(`${GATEWAY_URL}/mcp`), {
  requestInit: { headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'project-id': PROJECT_ID } },
});
// The types of the SDK do not match TypeScript's exactOptionalPropertyTypes.
await client.connect(transport as Parameters<Client['connect']>[0]);

const { tools } = await client.listTools();
process.stdout.write(`${tools.length} tools\n`);

const result = await client.callTool({ name: 'equipment_list', arguments: { limit: 10 } });
// A failed call returns a result with `isError` and the same error object as REST.
if (result.isError === true) throw new Error(JSON.stringify(result.content));
const { data } = result.structuredContent as { data: { unit_number: string; live_status: string }[] };
for (const { unit_number, live_status } of data) process.stdout.write(`${unit_number} ${live_status}\n`);
await client.close();
