/** `headframe mcp` as an agent's client starts it: the official client over standard input and output, a real gateway behind. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';

const launcher = join(import.meta.dirname, '..', '..', 'gateway', 'bin', 'headframe.js');

async function connect(args: readonly string[], env: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', ...args],
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'pipe',
  });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const bodyOf = (result: unknown) => {
  const [first] = (result as CallToolResult).content;
  assert.ok(first?.type === 'text');
  return JSON.parse(first.text) as Record<string, unknown>;
};

test('[M5] the bridge speaks for this machine, and finds the gateway again after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-mcp-'));
  try {
    let gateway = await startGateway(folder);
    const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
    await using client = await connect(['--data', folder, '--project', project.id]);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'equipment_create'));
    const made = bodyOf(await client.callTool({ name: 'equipment_create', arguments: { unit_number: 'HT-1' } }));
    await gateway[Symbol.asyncDispose]();
    await assert.rejects(
      client.callTool({ name: 'equipment_list', arguments: {} }),
      /No gateway runs on the data folder/,
      'a gateway that is away is said, and the bridge stays',
    );
    gateway = await startGateway(folder);
    await using _ = gateway;
    const found = bodyOf(await client.callTool({ name: 'equipment_get', arguments: { id: made.id } }));
    assert.equal(found.unit_number, 'HT-1');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[M6] documents and objects are resources; what is not there is an error of the protocol', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const machine = await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-1' });
  await using client = await connect(['--url', gateway.node.http], { HEADFRAME_API_KEY: OWNER_KEY });
  const { resources } = await client.listResources();
  for (const { uri, mimeType } of resources) {
    const [content] = (await client.readResource({ uri })).contents;
    assert.ok(content !== undefined && 'text' in content && content.text.length > 1_000, uri);
    if (mimeType === 'application/json') JSON.parse(content.text);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'headframe://equipment/{id}{?project_id}'));
  const uri = `headframe://equipment/${machine.id}?project_id=${project.id}`;
  const [content] = (await client.readResource({ uri })).contents;
  assert.ok(content !== undefined && 'text' in content);
  assert.deepEqual(JSON.parse(content.text), machine);
  for (const [wrong, code] of [
    [`headframe://equipment/eq_nothing?project_id=${project.id}`, -32_002],
    ['headframe://keys/x', -32_002],
    ['file:///etc/passwd', -32_002],
    [`headframe://equipment/${machine.id}`, -32_600],
  ] as const)
    await assert.rejects(client.readResource({ uri: wrong }), (error: { code?: number }) => error.code === code, wrong);
  await assert.rejects(client.listTools({ cursor: 'made-up' }), (error: { code?: number }) => error.code === -32_602);
});
