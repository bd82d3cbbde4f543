import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';

/** Operations behind the broker, the bucket, telemetry and decoding, one or two of each. */
const ABSENT = [
  'devices_provision',
  'devices_label',
  'devices_provision_info',
  'devices_config_put',
  'devices_telemetry',
  'devices_upload_media',
  'dbc_import',
  'dbc_test',
  'artifacts_decode',
];

interface Catalog {
  readonly data: readonly { readonly name: string; readonly method: string; readonly path: string }[];
}

test('[Z30] a node without broker, bucket, telemetry and decoding refuses their operations and lists none of them', async () => {
  await using full = await startGateway();
  const get = async (base: string, path: string) => (await fetch(`${base}${path}`)).json();
  const all = (await get(full.node.http, '/api/v1/operations')) as Catalog;
  await using gateway = await startGateway(undefined, { roleParts: [] });
  const { node, client } = gateway;
  assert.deepEqual([node.mqttPort, node.bucketPort], [0, 0]);
  const catalog = (await get(node.http, '/api/v1/operations')) as Catalog;
  const names = new Set(catalog.data.map(({ name }) => name));
  for (const name of ABSENT) {
    assert.ok(
      all.data.some((row) => row.name === name),
      `the gateway role serves ${name}`,
    );
    assert.ok(!names.has(name), `${name} is not in the catalog`);
  }
  for (const name of ['projects_create', 'equipment_list', 'devices_list', 'artifacts_list', 'health'])
    assert.equal(
      names.has(name),
      all.data.some((row) => row.name === name),
      name,
    );

  const { paths } = (await get(node.http, '/api/v1/openapi.json')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const described = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  assert.deepEqual(described.toSorted(), [...names].toSorted());

  const headers = {
    authorization: `Bearer ${OWNER_KEY}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const mcp = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await fetch(`${node.http}/mcp`, { method: 'POST', headers, body })).json();
  };
  const { result } = (await mcp('tools/list', {})) as { result: { tools: { name: string }[] } };
  const tools = result.tools.map(({ name }) => name);
  assert.ok(tools.includes('equipment_list'));
  assert.deepEqual(
    tools.filter((name) => !names.has(name)),
    [],
  );

  const { result: read } = (await mcp('resources/read', { uri: 'headframe://docs/operations.md' })) as {
    result: { contents: { text: string }[] };
  };
  const page = async (name: string) => (await fetch(`${node.http}/docs${name}`)).text();
  const addresses = (served: boolean) =>
    all.data.filter(({ name }) => names.has(name) === served).map(({ method, path }) => `${method} ${path}`);
  const index = await page('');
  for (const text of [read.contents[0]?.text ?? '', index]) {
    const listed = new Set(text.match(/(GET|POST|PUT|PATCH|DELETE) \/api\/v1[\w/{}.-]*/g));
    assert.deepEqual(
      addresses(true).filter((one) => !listed.has(one)),
      [],
    );
    assert.deepEqual(
      addresses(false).filter((one) => listed.has(one)),
      [],
    );
  }
  const devices = await page('/devices');
  assert.match(devices, /id="devices_list"/);
  assert.doesNotMatch(devices, /id="devices_provision"/);

  const { project } = await client.call('projects_create', { name: 'Quarry' });
  const response = await fetch(`${node.http}/api/v1/devices/provision`, {
    method: 'POST',
    headers: { ...headers, 'project-id': project.id },
    body: JSON.stringify({ serial: 'S-1' }),
  });
  const body = (await response.json()) as { error: { code: string } };
  assert.deepEqual([response.status, body.error.code], [501, 'operation_unavailable']);
  const called = (await mcp('tools/call', {
    name: 'devices_telemetry',
    arguments: { id: 'dev_x', points: [], project_id: project.id },
  })) as { result: { isError: boolean; content: { text: string }[] } };
  assert.equal(called.result.isError, true);
  assert.match(called.result.content[0]?.text ?? '', /operation_unavailable/);

  // Operations with all their services work.
  const machine = await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-1' });
  assert.equal(machine.unit_number, 'HT-1');
});
