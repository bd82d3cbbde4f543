/** `headframe mcp` as an agent's client starts it: the official client over standard input and output, a real gateway behind. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Input, OperationName, Output } from '#contract/operations.ts';
import { eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

const DBC = `VERSION ""
BO_ 291 Body: 8 X
 SG_ Load : 7|16@0+ (10,0) [0|0] "kg" X
`;
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

test('[M1] [A303] an agent takes a DBC file from import to numbers with tools alone, and every answer fits its schema', async () => {
  await using gateway = await startGateway();
  await using client = await connect(['--url', gateway.node.http], { HEADFRAME_API_KEY: OWNER_KEY });
  // The client checks what it is answered by the schemas of this list.
  await client.listTools();
  let project_id: string | undefined;
  const call = async <N extends OperationName>(name: N, args: Input<N>): Promise<Output<N>> => {
    const result = await client.callTool({
      name,
      arguments: { ...(project_id === undefined ? {} : { project_id }), ...args },
    });
    assert.ok(result.isError !== true, `${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent as Output<N>;
  };
  project_id = (await call('projects_create', { name: 'Pit' })).project.id;
  const machine = await call('equipment_create', { unit_number: 'HT-1' });
  const { device } = await call('devices_new', { name: 'Logger', serial: 'SN-1', kind: 'can_logger' });
  await call('telemetry_devices_link', { links: [{ serial: 'SN-1', equipment_id: machine.id }] });
  const log = Array.from({ length: 20 }, (_, i) => `(17000000${i + 10}.000000) can0 123#0096000000000000\n`).join('');
  const { artifact } = await call('devices_upload_media', {
    id: device.id,
    name: 'shift.log',
    content_base64: Buffer.from(log).toString('base64'),
  });
  const of = { id: device.id, artifact_id: artifact?.id ?? '' };
  const ended = () =>
    eventually(
      () => call('tasks_status', { task_id: artifact?.decode_task_id ?? '' }),
      ({ status }) => status === 'completed',
    );
  await ended();

  // Longer than a body is by default.
  const { id } = await call('dbc_import', { name: 'body', text: `${DBC}${' '.repeat(1_200_000)}` });
  const { data: signals } = await call('dbc_signals', { id, q: 'load' });
  const mapping = signals.map(({ message, signal }) => ({ message, signal, to: 'vehicle.payload' }));
  await call('dbc_map', { id, mapping });
  const tried = await call('dbc_test', { id, artifact_id: of.artifact_id });
  assert.deepEqual([tried.frames, tried.matched], [20, 20]);
  await call('dbc_activate', { id, device_ids: [device.id] });
  assert.equal((await call('equipment_get', { id: machine.id })).payload_t, null);
  await call('artifacts_decode', of);
  await ended();
  const found = await eventually(
    () => call('equipment_get', { id: machine.id }),
    ({ payload_t }) => payload_t !== null,
  );
  assert.equal(found.payload_t, 1.5);
  await call('dbc_deactivate', { id });
  const { data: files } = await call('dbc_list', {});
  assert.deepEqual(
    files.map((file) => [file.id, file.active]),
    [[id, false]],
  );
  await call('dbc_delete', { id });
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
