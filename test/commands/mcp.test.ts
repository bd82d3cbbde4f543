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
  const { content, structuredContent } = result as CallToolResult;
  const [first] = content;
  assert.ok(first?.type === 'text');
  return (structuredContent ?? JSON.parse(first.text)) as Record<string, unknown>;
};

test('[M5] the bridge speaks for this machine, and finds the gateway again after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-mcp-'));
  try {
    let gateway = await startGateway(folder);
    const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
    await using client = await connect(['--data', folder, '--project', project.id]);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'equipment_create'));
    await using repairs = await connect(['--data', folder, '--profile', 'repairs', '--content', 'text']);
    assert.ok(!(await repairs.listTools()).tools.some(({ name }) => name === 'playlists_create'));
    assert.equal((await repairs.callTool({ name: 'equipment_list' })).structuredContent, undefined);
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
  assert.ok(!('payload_t' in (await call('equipment_get', { id: machine.id }))));
  await call('artifacts_decode', of);
  await ended();
  const found = await eventually(
    () => call('equipment_get', { id: machine.id }),
    ({ payload_t }) => typeof payload_t === 'number',
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

test('[M11] a model sees a picture, reads a text by ranges, and no key in it', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const site = gateway.project(project.id);
  const { id: device } = await site.call('devices_create', { name: 'Camera' });
  const store = async (name: string, content_type: string, content: Buffer) => {
    const content_base64 = content.toString('base64');
    const stored = await site.call('devices_upload_media', { id: device, name, content_type, content_base64 });
    return stored.artifact?.id ?? '';
  };
  const args = ['--url', gateway.node.http, '--project', project.id];
  await using client = await connect(args, { HEADFRAME_API_KEY: OWNER_KEY });
  await client.listTools();
  const read = async (id: string, range?: string) => {
    const given = { id, ...(range === undefined ? {} : { range }) };
    const result = (await client.callTool({ name: 'artifacts_content', arguments: given })) as CallToolResult;
    return { result, body: bodyOf(result) as { id: string; error?: { code: string } }, block: result.content[1] };
  };
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const picture = await store('pixel.png', 'image/png', pixel);
  const seen = await read(picture);
  assert.deepEqual(seen.block, { type: 'image', data: pixel.toString('base64'), mimeType: 'image/png' });
  assert.deepEqual([seen.body.id, seen.result.structuredContent?.id], [picture, picture]);

  const key = `dk_canary00_${'x'.repeat(43)}`;
  const text = `Öl\nkey ${key} end\n`;
  const note = await store('note.txt', 'text/plain', Buffer.from(text));
  const resource = { uri: `headframe://artifacts/${note}/content`, mimeType: 'text/plain' };
  const hidden = text.replace(key, '*'.repeat(key.length));
  assert.deepEqual((await read(note)).block, { type: 'resource', resource: { ...resource, text: hidden } });
  // The edges cut the letter of two bytes, and the key.
  const part = { type: 'resource', resource: { ...resource, text: Buffer.from(hidden).subarray(2, 20).toString() } };
  assert.deepEqual((await read(note, 'bytes=1-19')).block, part);
  const rest = { type: 'resource', resource: { ...resource, text: `${'*'.repeat(3)} end\n` } };
  assert.deepEqual((await read(note, 'bytes=-8')).block, rest);

  const long = await store('noise.bin', 'application/octet-stream', Buffer.alloc(600_000, 7));
  const bytes = await read(long, 'bytes=599998-');
  assert.ok(bytes.block?.type === 'resource' && 'blob' in bytes.block.resource);
  assert.equal(bytes.block.resource.blob, Buffer.alloc(2, 7).toString('base64'));
  assert.equal((await read(long, 'bytes=600000-')).body.error?.code, 'range_not_satisfiable');
  assert.equal((await read(long, 'all of it')).body.error?.code, 'range_not_satisfiable');
  assert.equal((await read('art_none')).body.error?.code, 'not_found');
});

test('[M12] what agents often get wrong is answered with what would be right', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const { id } = await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-1' });
  const args = ['--url', gateway.node.http, '--project', project.id];
  await using client = await connect(args, { HEADFRAME_API_KEY: OWNER_KEY });
  const fence = { type: 'Polygon', coordinates: [[130, -20]] };
  const cases: [OperationName, Record<string, unknown>, RegExp][] = [
    [
      'equipment_get',
      { id: 'HT-7' },
      /no equipment with the id or name "HT-7".*equipment_list lists them; an id begins with `eq_`/,
    ],
    ['equipment_get', { id: 'HT' }, /no equipment with the id or name "HT"\. Similar: HT-1 \(eq_/],
    ['equipment_get', { id: 'eq_none' }, /no machine, or this key has no access to it\.$/],
    ['dbc_get', { id: 'drill' }, /no DBC file, or this key has no access to it; its id begins with `dbc_`/],
    [
      'equipment_list',
      { created_after: '2026-11-21T06:00' },
      /must be a time with its zone, such as 2026-11-21T06:00:00Z/,
    ],
    [
      'equipment_append_event',
      { id, type: 'refuelled' },
      /^This log accepts the kinds fuel\.added, .*begins with `x\.`/,
    ],
    ['equipment_create', { unit: 'HT-2' }, /no parameter `unit`\. Its parameters: unit_number, name/],
    [
      'dashboards_create',
      { name: 'B', widgets: [{ kind: 'kpi' }] },
      /no field `widgets\[0\]\.kind`\. Fields .* id, type, title/,
    ],
    ['locations_create', { name: 'Pit', geofence: fence }, /a position is \[longitude, latitude\] in degrees/],
    ['dbc_map', { id: 'dbc_none', mapping: [{ message: 'A', signal: 'B', to: 'rpm' }] }, /"engine\.speed"/],
  ];
  for (const [name, given, wanted] of cases) {
    const { error } = bodyOf(await client.callTool({ name, arguments: given })) as { error: { message: string } };
    assert.match(error.message, wanted, name);
  }
});

test('[M6] documents and objects are resources; what is not there is an error of the protocol', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const machine = await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-1' });
  await gateway.client.call('projects_create', { name: 'Other' });
  await using client = await connect(['--url', gateway.node.http], { HEADFRAME_API_KEY: OWNER_KEY });
  const { resources } = await client.listResources();
  for (const { uri, mimeType } of resources) {
    const [content] = (await client.readResource({ uri })).contents;
    assert.ok(content !== undefined && 'text' in content && content.text.length > 1_000, uri);
    if (mimeType === 'application/json') JSON.parse(content.text);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'headframe://equipment/{id}{?project_id}'));
  const [schemas] = (await client.readResource({ uri: 'headframe://tools/equipment_get' })).contents;
  assert.ok(schemas !== undefined && 'text' in schemas && schemas.text.includes('"live_status"'));
  const uri = `headframe://equipment/${machine.id}?project_id=${project.id}`;
  const [content] = (await client.readResource({ uri })).contents;
  assert.ok(content !== undefined && 'text' in content);
  assert.deepEqual(JSON.parse(content.text), { ...machine, history_from: null });
  for (const [wrong, code] of [
    [`headframe://equipment/eq_nothing?project_id=${project.id}`, -32_002],
    ['headframe://keys/x', -32_002],
    ['headframe://tools/devices_provision', -32_002],
    ['file:///etc/passwd', -32_002],
    [`headframe://equipment/${machine.id}`, -32_600],
  ] as const)
    await assert.rejects(client.readResource({ uri: wrong }), (error: { code?: number }) => error.code === code, wrong);
  await assert.rejects(client.listTools({ cursor: 'made-up' }), (error: { code?: number }) => error.code === -32_602);
});
