import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult, ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import { type OperationName, operations } from '#contract/operations.ts';
import { TABLE } from '#servers/invoke/json-schemas.ts';
import { readContent } from '#servers/mcp/content.ts';
import { withProgress } from '#servers/mcp/progress.ts';
import { type Rig, startRig } from '#test/servers/rig.ts';
import { addMachine, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

async function connectTo(
  rig: Rig,
  key = rig.key,
  headers: Record<string, string> = {},
  query = '',
): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${rig.base}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [first] = result.content;
  assert.ok(first?.type === 'text');
  const body = result.structuredContent ?? JSON.parse(first.text);
  return {
    result,
    line: first.text,
    body: body as Record<string, unknown> & { error?: { code: string; message: string; param?: string | null } },
  };
}

test('[M1] the tools are exactly the operations that have one, under their names, with their hints', async () => {
  await using rig = await startRig();
  await using whole = await connectTo(rig, rig.key, {}, '?profile=all');
  const { tools: every } = await whole.listTools();
  const wanted = [...TABLE].filter(([, { httpOnly }]) => httpOnly === undefined);
  assert.deepEqual(
    every.map(({ name }) => name),
    wanted.map(([name]) => name),
  );
  await using client = await connectTo(rig);
  const { tools } = await client.listTools();
  for (const tool of tools) {
    const row = operations[tool.name as OperationName];
    // What a client assumes when a hint is not there, and that two of them count for writes only: MCP 2025-11-25, ToolAnnotations.
    const { readOnlyHint = false, destructiveHint = true, idempotentHint = false, ...hints } = tool.annotations ?? {};
    assert.deepEqual([readOnlyHint, hints.openWorldHint], [row.hints.readOnly, false], tool.name);
    if (!readOnlyHint)
      assert.deepEqual([destructiveHint, idempotentHint], [row.hints.destructive, row.hints.idempotent], tool.name);
  }
  for (const secret of ['devices_provision', 'display_shares', 'keys_create', 'claim', 'claim_code'])
    assert.ok(!every.some(({ name }) => name === secret), secret);
});

test('[M1] a viewer gets only the tools that a viewer may call', async () => {
  await using rig = await startRig();
  const { secret } = await rig.mint({ role: 'viewer' });
  await using client = await connectTo(rig, secret, {}, '?profile=all');
  const { tools } = await client.listTools();
  assert.ok(tools.length > 5);
  // Everybody may revoke own personal tokens and end own sessions.
  assert.deepEqual(
    tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
    ['personal_tokens_revoke', 'sessions_revoke'],
  );
});

test('[M1] a key with scopes gets only the tools that its scopes allow', async () => {
  await using rig = await startRig();
  const { secret } = await rig.mint({ role: 'admin', scopes: ['locations:write'] });
  await using client = await connectTo(rig, secret);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name).toSorted();
  assert.deepEqual(names, ['locations_create', 'locations_get', 'locations_list', 'locations_update']);
  const raw = await fetch(`${rig.base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const { result } = (await raw.json()) as { result: { tools: { name: string }[] } };
  assert.deepEqual(result.tools.map(({ name }) => name).toSorted(), names);
});

test('[M2] a tool answers with the body of REST, and REST reads what the tool wrote', async () => {
  await using rig = await startRig();
  await using client = await connectTo(rig);
  const { result, body } = await call(client, 'dashboards_create', { name: 'A', project_id: rig.project });
  assert.deepEqual(result.structuredContent, body);
  assert.deepEqual(body, await rig.client().call('dashboards_get', { id: String(body.id) }));
  await using fixed = await connectTo(rig, rig.key, { 'project-id': rig.project });
  const listed = await call(fixed, 'dashboards_list', {});
  assert.deepEqual(listed.body, await rig.client().call('dashboards_list', {}));
});

test('[M2] a client of a version of MCP without structured content gets the answer as text', async () => {
  await using rig = await startRig();
  const post = async (headers: Record<string, string>) => {
    const answer = await fetch(`${rig.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rig.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'project-id': rig.project,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'dashboards_list' } }),
    });
    return ((await answer.json()) as { result: { content: { text: string }[]; structuredContent?: object } }).result;
  };
  const current = await post({ 'mcp-protocol-version': '2025-06-18' });
  assert.equal((current.structuredContent as { object?: string }).object, 'list');
  for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
    const { content, structuredContent } = await post(headers as Record<string, string>);
    assert.equal(structuredContent, undefined);
    assert.deepEqual(JSON.parse(content[0]?.text ?? ''), current.structuredContent);
  }
});

test('[M2] [H7] a write with an Idempotency-Key is carried out once, over REST and MCP together', async () => {
  await using rig = await startRig();
  await using client = await connectTo(rig);
  const args = { name: 'A', project_id: rig.project, idempotency_key: 'k' };
  const first = await call(client, 'dashboards_create', args);
  const again = await call(client, 'dashboards_create', args);
  assert.equal(first.body.id, again.body.id);
  const rest = await rig.client().call('dashboards_create', { name: 'A' }, { idempotency_key: 'k' });
  assert.equal(rest.id, first.body.id);
  const other = await call(client, 'dashboards_create', { ...args, name: 'B' });
  assert.equal(other.body.error?.code, 'idempotency_key_reused');
});

test('[M2] errors are results with the same error object as REST', async () => {
  await using rig = await startRig();
  await using client = await connectTo(rig);
  await client.listTools();
  const project_id = rig.project;
  const cases: [string, Record<string, unknown>, string][] = [
    ['dashboards_get', { id: 'dash_none', project_id }, 'not_found'],
    ['dashboards_get', { id: 'Board 9', project_id }, 'not_found'],
    ['dashboards_list', { project_id, fields: 'colour' }, 'parameter_invalid'],
    ['dashboards_get', { id: 'dash_none', project_id: 'prj_none' }, 'project_not_found'],
    ['dashboards_create', { project_id }, 'parameter_missing'],
    ['dashboards_create', { name: 'A', project_id, colour: 'red' }, 'parameter_unknown'],
    ['equipment_update', { id: 'eq_1', project_id, live_status: 'running' }, 'read_only_field'],
    ['dashboards_create', { name: 'A', project_id, if_match: 3 }, 'parameter_unknown'],
    ['dashboards_list', { project_id, idempotency_key: 'k' }, 'parameter_unknown'],
    ['dashboards_list', { project_id: 7 }, 'parameter_invalid'],
    ['dashboards_list', { project_id, limit: '3' }, 'parameter_invalid'],
    ['dashboards_list', { project_id, cursor: 'x' }, 'invalid_cursor'],
  ];
  for (const [name, args, code] of cases) {
    const { result, body } = await call(client, name, args);
    assert.equal(result.isError, true, name);
    assert.equal(body.error?.code, code, JSON.stringify(args));
    assert.deepEqual(Object.keys(body.error ?? {}).sort(), [
      'code',
      'details',
      'doc_url',
      'message',
      'param',
      'request_id',
      'retryable',
      'type',
    ]);
  }
  const { id } = await rig.client().call('dashboards_create', { name: 'A' });
  const stale = await call(client, 'dashboards_update', { id, name: 'B', project_id, if_match: 7 });
  assert.equal(stale.body.error?.code, 'revision_mismatch');
  const absent = (name: string) => client.callTool({ name, arguments: {} });
  await assert.rejects(absent('devices_provision'), /Unknown tool.*HTTP only.*POST \/api\/v1\/devices\/provision/);
  await assert.rejects(absent('devices_destroy'), /Unknown tool: devices_destroy/);
});

test('[M10] a tool accepts arguments up to the body limit of its operation, and refuses more with payload_too_large', async () => {
  await using rig = await startRig();
  await using client = await connectTo(rig);
  const project_id = rig.project;
  // A line break is two bytes in JSON: a megabyte of files is a body of two.
  const files = Array.from({ length: 5 }, (_, i) => ({ path: `${i}.md`, content: '\n'.repeat(200_000) }));
  const taken = await call(client, 'skills_import', { skill_id: 's', name: 'S', files, project_id });
  assert.equal(taken.body.error?.code, 'backend_unavailable', 'it came as far as the handler, which this rig has not');
  for (const [name, args] of [
    ['dashboards_create', { name: 'x'.repeat(1_200_000) }],
    ['skills_import', { skill_id: 's', name: 'x'.repeat(200_000), files }],
  ] as const) {
    const { error } = (await call(client, name, { ...args, project_id })).body as { error?: Record<string, string> };
    assert.deepEqual(
      [error?.code, /^The arguments of .* may have at most \d+ bytes/.test(error?.message ?? '')],
      ['payload_too_large', true],
      name,
    );
  }
  const huge = call(client, 'skills_import', { skill_id: 's', name: 'x'.repeat(5_000_000), files, project_id });
  await assert.rejects(huge, /payload_too_large/);
});

test('[M11] artifacts_content refuses a file over 1 MiB without a range, and a file without content is not_found', async () => {
  const artifact = { id: 'art_1', sha256: 'a'.repeat(64), bytes: 1_048_577, content_type: 'application/octet-stream' };
  const kept = {
    find: async (sha256: string) => ({ sha256, bytes: 1_048_577 }),
    read: async (_: string, from = 0, to = 0) => Readable.from([Buffer.alloc(to - from, 7)]),
  };
  const read = (range?: string, artifacts = kept) => readContent(artifact, range, artifacts, (text) => text);
  await assert.rejects(read(), { code: 'payload_too_large', message: /1048577 bytes.*Send a `range`/ });
  await assert.rejects(read('bytes=0-1048576'), { code: 'payload_too_large' });
  const block = await read('bytes=1-1048576');
  assert.ok(block.type === 'resource' && 'blob' in block.resource);
  assert.equal(Buffer.from(block.resource.blob, 'base64').length, 1_048_576);
  const gone = { ...kept, find: async (sha256: string) => ({ sha256, bytes: 5 }) };
  await assert.rejects(read('bytes=0-9', gone), { code: 'not_found' });
});

test('[M2] an id that is not a string is refused with its name', async () => {
  await using rig = await startRig();
  await using client = await connectTo(rig);
  const args = { id: '\ud800', name: 'A', project_id: rig.project, idempotency_key: 'one' };
  const { body } = await call(client, 'dashboards_update', args);
  assert.deepEqual([body.error?.code, body.error?.param], ['parameter_invalid', 'id']);
});

test('[M3] a key or token in a result is replaced, and the rest is sent', async () => {
  const canaries = [`wk_canary00_${'x'.repeat(43)}`, `dk_canary00_${'x'.repeat(43)}`, `dsp_${'x'.repeat(43)}`];
  await using rig = await startRig();
  await using client = await connectTo(rig);
  for (const canary of canaries) {
    const made = await rig.client().call('dashboards_create', { name: 'A', description: `see ${canary}` });
    const { result, body } = await call(client, 'dashboards_get', { id: made.id, project_id: rig.project });
    assert.equal(body.description, 'see [secret]');
    assert.deepEqual(result.structuredContent, body);
    const uri = `headframe://dashboards/${made.id}?project_id=${rig.project}`;
    const resource = await client.readResource({ uri });
    assert.ok(JSON.stringify(resource).includes('see [secret]'));
    assert.ok(!JSON.stringify([result, resource]).includes(canary));
    assert.ok(!rig.log.some((line) => line.includes(canary)));
  }
});

test('[M1] requests without a key, from other sites and with other methods are refused', async () => {
  await using rig = await startRig();
  const post = (headers: Record<string, string>) =>
    fetch(`${rig.base}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  assert.equal((await post({})).status, 401);
  assert.equal((await post({ authorization: `Bearer ${rig.key}` })).status, 200);
  assert.equal((await post({ authorization: `Bearer ${rig.key}`, origin: 'http://evil.example' })).status, 403);
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await fetch(`${rig.base}/mcp`, { method, headers: { authorization: `Bearer ${rig.key}` } });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'], method);
  }
});

test('[W7] tool calls count for the rate limit of their key', async () => {
  await using rig = await startRig({ http: { requestsPerMinute: 12 } });
  const { secret } = await rig.mint({});
  await using client = await connectTo(rig, secret);
  const codes: (string | undefined)[] = [];
  for (let i = 0; i < 12; i++) {
    const done = await call(client, 'dashboards_list', { project_id: rig.project }).catch((error: unknown) =>
      String(error),
    );
    codes.push(typeof done === 'string' ? 'rate_limited' : done.body.error?.code);
  }
  assert.equal(codes[0], undefined);
  assert.equal(codes.at(-1), 'rate_limited');
});

test('[M7] a task read with a progress token sends growing progress, and answers when the run has ended', async () => {
  const steps = [
    { status: 'pending', status_text: 'Waiting.', progress_pct: null },
    { status: 'running', status_text: 'Reading.', progress_pct: 10 },
    { status: 'running', status_text: 'Reading.', progress_pct: 10 },
    { status: 'running', status_text: 'Writing.', progress_pct: 5 },
    { status: 'completed', status_text: 'Done.', progress_pct: 100 },
  ];
  const told: { progress: number; message?: string | undefined }[] = [];
  let at = -1;
  const read = async () => {
    at++;
    return { body: { object: 'task', run: steps[at] ?? null } };
  };
  const wish = {
    token: 1,
    signal: new AbortController().signal,
    async send({ method, params }: ServerNotification) {
      if (method === 'notifications/progress') told.push({ progress: params.progress, message: params.message });
    },
  };
  const { body } = await withProgress('tasks_get', wish, read);
  assert.equal(body.run, steps[4]);
  assert.deepEqual(
    told.map(({ message }) => message),
    ['Waiting.', 'Reading.', 'Writing.'],
  );
  assert.ok(told.every(({ progress }, i) => i === 0 || progress > (told[i - 1]?.progress ?? 0)));
});

test('[M7] over HTTP progress notifications come before the answer, and the caller may disconnect', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const site = gateway.project(project.id);
  const machine = await addMachine(site, 'T-1');
  await site.call('devices_telemetry', { id: machine.device, points: [{ values: { 'engine.hours': 1 } }] });
  const { data: tasks } = await eventually(
    () => site.call('tasks_list', {}),
    ({ data }) => data.length === 1,
  );
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id };
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.node.http}/mcp`), {
    requestInit: { headers },
  });
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const leave = new AbortController();
  const seen: string[] = [];
  const call = client.callTool({ name: 'tasks_get', arguments: { task_id: tasks[0]?.id } }, undefined, {
    signal: leave.signal,
    onprogress({ message }) {
      seen.push(message ?? '');
      leave.abort();
    },
  });
  await assert.rejects(call);
  assert.equal(seen.length, 1);
  await client.close();
});

test('[M8] direct answers equal those of the SDK: results, errors and lists', async () => {
  await using rig = await startRig();
  const post = async (message: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${rig.base}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${rig.key}`,
        'project-id': rig.project,
        ...headers,
      },
      body: JSON.stringify(message),
    });
    const body = await response.text();
    return { status: response.status, body: JSON.parse(body.replace(/^[^{]*/, '')) as Record<string, unknown> };
  };
  const call = (params: object) => ({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  // A progress token makes the SDK answer; a request id within the text is the only thing that may differ.
  const same = (a: unknown, b: unknown) => {
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value).replace(/req_[\w-]+/g, 'req'));
    assert.deepEqual(plain(a), plain(b));
  };
  for (const params of [
    { name: 'dashboards_list', arguments: {} },
    { name: 'dashboards_list' },
    { name: 'dashboards_get', arguments: { id: 'dash_nothing' } },
    { name: 'dashboards_list', arguments: { limit: 'many' } },
    { name: 'no_such_tool', arguments: {} },
  ]) {
    const [direct, sdk] = [await post(call(params)), await post(call({ ...params, _meta: { progressToken: 1 } }))];
    same(direct, sdk);
  }
  const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
  same(await post(list), await post({ ...list, params: {} }));
  // What is not plain goes the SDK's way, and is refused there.
  assert.equal((await post(call({ name: 'dashboards_list' }), { accept: 'application/json' })).status, 406);
  assert.equal((await post(call({ name: 'dashboards_list' }), { 'mcp-protocol-version': '1999-01-01' })).status, 400);
});

test('[M12] a request of the protocol with wrong parameters is refused in plain words', async () => {
  await using rig = await startRig();
  const cases: [string, object, RegExp][] = [
    [
      'tools/call',
      { name: 'dashboards_list', arguments: 'x' },
      /^`params\.arguments`: must be an object, not a text\.$/,
    ],
    ['tools/call', { arguments: {} }, /^`params\.name`: must be a text, not nothing\.$/],
    ['logging/setLevel', { level: 'loud' }, /^`params\.level`: must be one of "debug", "info", .*\.$/],
    ['prompts/get', { name: 7 }, /^`params\.name`: must be a text, not a number\.$/],
  ];
  for (const [method, params, wanted] of cases) {
    const answer = await fetch(`${rig.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rig.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { error } = (await answer.json()) as { error: { code: number; message: string } };
    assert.equal(error.code, -32_602, method);
    assert.match(error.message, wanted);
  }
});
