/** What an agent gets over MCP from a whole gateway: short answers, names instead of ids, and errors that say what to send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';
import { addMachine, eventually, OWNER_KEY, startGateway, type TestGateway } from '#test/support/gateway.ts';

type Body = Record<string, unknown> & { error: { code: string; message: string; param: string; details: object[] } };

async function agentOf(gateway: TestGateway, query = '', key = OWNER_KEY) {
  const client = new Client({ name: 'test', version: '0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.node.http}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  async function call(name: string, args: Record<string, unknown> = {}) {
    const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
    const [first] = result.content;
    assert.ok(first?.type === 'text');
    const body = (result.structuredContent ?? JSON.parse(first.text)) as Body;
    return {
      result,
      body,
      line: first.text,
      failed: result.isError === true,
      bytes: Buffer.byteLength(JSON.stringify(result)),
    };
  }
  return Object.assign(client, { call, [Symbol.asyncDispose]: () => client.close() });
}

/** A value of a signal with many digits. */
const middle = (name: SignalName): number => {
  const { min, max } = signalRow(name);
  return Math.round((min + (max - min) * 0.456_789) * 1000) / 1000;
};

test('[M16] a machine with every signal has at most 2 KB, 50 have at most 60 KB, and provenance and fields come when asked for', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const site = gateway.project(project.id);
  const values = Object.fromEntries(SIGNAL_NAMES.map((name) => [name, middle(name)]));
  const machines = [];
  for (let i = 0; i < 50; i++) {
    const machine = await addMachine(site, `HT-${100 + i}`);
    await site.call('equipment_update', {
      id: machine.equipment_id,
      kind: 'haul_truck',
      oem_name: 'Caterpillar',
      model: '777G',
      serial_number: `CAT0777GKJRP${1000 + i}`,
      pin: `CAT0777GKJRP0${1000 + i}`,
      aliases: [`Truck ${i}`],
      labels: { owner: 'North contractor', fleet: 'primary haulage' },
    });
    await site.call('devices_telemetry', { id: machine.device, points: [{ values }] });
    machines.push(machine);
  }
  const last = machines.at(-1)?.equipment_id ?? '';
  const full = await eventually(
    () => site.call('equipment_get', { id: last }),
    ({ context }) => Object.keys(context.fields ?? {}).length > 20 && context.lineage?.[0]?.task_id != null,
  );
  assert.ok(Buffer.byteLength(JSON.stringify(full)) > 8_000, 'the answer of REST has everything');
  await using agent = await agentOf(gateway);

  const one = await agent.call('equipment_get', { id: last });
  assert.ok(one.bytes <= 2_048, `${one.bytes} bytes`);
  assert.equal(one.body.engine_hours, full.engine_hours);
  assert.deepEqual(one.body.context, { run_id: full.context.run_id, device_id: full.context.device_id });
  assert.ok(one.line.length <= 300 && one.line.includes('HT-149'), one.line);
  for (const [key, value] of Object.entries(one.body))
    assert.ok(value !== null || key === 'operator_id', `${key} is null`);

  const list = await agent.call('equipment_list', {});
  assert.equal((list.body.data as object[]).length, 50);
  assert.ok(list.bytes <= 60_000, `${list.bytes} bytes`);

  const traced = await agent.call('equipment_get', { id: last, include: 'provenance' });
  assert.deepEqual(traced.body.context, full.context);
  const some = await agent.call('equipment_list', { fields: 'unit_number,engine_hours', limit: 2 });
  for (const item of some.body.data as object[])
    assert.deepEqual(Object.keys(item).toSorted(), ['engine_hours', 'id', 'object', 'unit_number']);
  const every = await agent.call('equipment_get', { id: last, fields: '*' });
  assert.deepEqual(Object.keys(every.body).toSorted(), Object.keys(full).toSorted());
  const wrong = await agent.call('equipment_list', { fields: ['hours'] });
  assert.equal(wrong.body.error.param, 'fields');
  assert.match(wrong.body.error.message, /no field `hours`. Its fields: .*engine_hours/);

  await using plain = await agentOf(gateway, '?content=text');
  const text = await plain.call('equipment_get', { id: last });
  assert.equal(text.result.structuredContent, undefined, 'the answer is there once');
  assert.equal(text.body.unit_number, 'HT-149');
});

test('[M16] a machine with long labels and many aliases stays short, and the answer names what it leaves out', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const labels = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`label ${i}`, 'x'.repeat(200)]));
  const { id } = await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-1', labels });
  await using agent = await agentOf(gateway);
  const { bytes, body } = await agent.call('equipment_get', { id });
  assert.ok(bytes <= 2_048, `${bytes} bytes`);
  assert.deepEqual(body.left_out, ['labels']);
  assert.deepEqual((await agent.call('equipment_get', { id, fields: 'labels' })).body.labels, labels);
});

test('[M15] a unit number, alias, serial, badge, ticket number or name works as an id, alone and inside structures', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North quarry' });
  const site = gateway.project(project.id);
  const machine = await addMachine(site, 'LD-2');
  await site.call('equipment_update', { id: machine.equipment_id, aliases: ['Big Loader'] });
  const pit = await site.call('locations_create', { name: 'Pit A', kind: 'pit' });
  const driver = await site.call('operators_create', { name: 'Ana', badge_id: 'B-17' });
  await using agent = await agentOf(gateway);

  for (const id of ['LD-2', ' ld-2', 'BIG LOADER', machine.equipment_id])
    assert.equal((await agent.call('equipment_get', { id })).body.id, machine.equipment_id, id);
  assert.equal((await agent.call('equipment_get', { equipment_id: 'LD-2' })).body.id, machine.equipment_id);
  assert.equal((await agent.call('devices_get', { device_id: 'SN-LD-2' })).body.id, machine.device);
  assert.equal((await agent.call('devices_diagnosis', { id: machine.device_id })).failed, false);
  const moved = await agent.call('equipment_update', { id: 'LD-2', location_id: 'pit a', operator_id: 'B-17' });
  assert.deepEqual([moved.body.location_id, moved.body.operator_id], [pit.id, driver.id]);
  const ticket = await agent.call('repair_tickets_create', { equipment_id: 'LD-2', title: 'Red lamp' });
  const { number, id } = ticket.body as { number?: string; id?: string };
  assert.equal((await agent.call('repair_tickets_get', { repair_ticket_id: number })).body.id, id);
  const read = await agent.call('telemetry_read', { equipment_ids: ['LD-2'], signals: ['engine.hours'] });
  assert.equal(read.failed, false);
  const inside = await agent.call('dashboards_create', {
    name: 'Board',
    widgets: [
      { type: 'kpi', position: { x: 0, y: 0, w: 2, h: 2 }, query: { equipment_id: 'LD-2', signal: 'engine.hours' } },
    ],
  });
  const [widget] = inside.body.widgets as { query: { equipment_id: string } }[];
  assert.equal(widget?.query.equipment_id, machine.equipment_id);
  assert.equal((await agent.call('dashboards_get', { id: 'board' })).body.id, inside.body.id);
  // The id of a part is no name of the object.
  const items = [{ id: 'oil', text: 'Oil level' }];
  const list = await agent.call('inspection_checklists_create', { name: 'Truck', kind: 'haul_truck', items });
  assert.deepEqual([list.failed, (list.body.items as { id: string }[])[0]?.id], [false, 'oil']);
});

test('[M15] a name of no object or of several objects is refused with candidates; REST takes ids only', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North quarry' });
  const site = gateway.project(project.id);
  for (const unit_number of ['HT-10', 'HT-11']) await site.call('equipment_create', { unit_number, name: 'Truck' });
  await using agent = await agentOf(gateway);
  const none = await agent.call('equipment_get', { id: 'HT-1' });
  assert.deepEqual([none.failed, none.body.error.code, none.body.error.param], [true, 'not_found', 'id']);
  assert.match(none.body.error.message, /"HT-1"\. Similar: HT-1[01] \(eq_\w+\), HT-1[01] \(eq_\w+\)\.$/);
  const many = await agent.call('repair_tickets_create', { equipment_id: 'truck', title: 'X' });
  assert.deepEqual([many.body.error.code, many.body.error.param], ['parameter_invalid', 'equipment_id']);
  assert.match(many.body.error.message, /2 objects have the name "truck": .*\. Send the id\.$/);
  assert.equal(many.body.error.details.length, 2);
  const names = Array.from({ length: 26 }, (_, i) => `M-${i}`);
  for (const unit_number of names) await site.call('equipment_create', { unit_number });
  const lots = await agent.call('telemetry_read', { equipment_ids: names, signals: ['engine.hours'] });
  assert.match(lots.body.error.message, /at most 25 names\. Send ids instead\.$/);
  await assert.rejects(site.call('equipment_get', { id: 'HT-10' }), { code: 'not_found' });
});

test('[M15] a key of one project needs no project_id; one of several projects is told them, and may send a name', async () => {
  await using gateway = await startGateway();
  const first = (await gateway.client.call('projects_create', { name: 'North quarry' })).project;
  await gateway.project(first.id).call('equipment_create', { unit_number: 'HT-1' });
  await using agent = await agentOf(gateway);
  assert.equal((await agent.call('equipment_list')).failed, false, 'the only project of the gateway');
  const second = (await gateway.client.call('projects_create', { name: 'South quarry' })).project;
  const { secret } = await gateway.client.call('keys_create', {
    name: 'agent',
    role: 'agent',
    project_ids: [second.id],
  });
  await using own = await agentOf(gateway, '', secret ?? '');
  assert.deepEqual((await own.call('equipment_list')).body.data, []);
  const asked = await agent.call('equipment_list');
  assert.equal(asked.body.error.code, 'project_required');
  assert.match(asked.body.error.message, /South quarry \(prj_\w+\), North quarry \(prj_\w+\)/);
  const named = await agent.call('equipment_list', { project_id: 'north QUARRY' });
  assert.equal((named.body.data as object[]).length, 1);
  assert.equal((await agent.call('equipment_list', { project_id: 'East' })).body.error.code, 'not_found');
  assert.equal((await own.call('equipment_list', { project_id: 'North quarry' })).body.error.code, 'not_found');
});

test('[M17] a batch in which every item failed is an error, and one with a success is not', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const site = gateway.project(project.id);
  const machine = await addMachine(site, 'HT-1');
  await using agent = await agentOf(gateway);
  const good = { serial: machine.device_id, equipment_id: machine.equipment_id };
  const bad = { serial: 'nothing', equipment_id: machine.equipment_id };
  assert.equal((await agent.call('telemetry_devices_link', { links: [good, bad] })).failed, false);
  assert.equal((await agent.call('telemetry_devices_link', { links: [bad] })).failed, true);
});

test('[M12] an error is in plain words, with what the agent may send instead', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-1' });
  await using agent = await agentOf(gateway);
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ['equipment_update', { id: 'HT-1', year: 'new' }, /^`year`: must be a number, not a text\.$/],
    ['equipment_update', { id: 'HT-1', year: 1.5 }, /^`year`: must be a whole number, not a number with decimals\.$/],
    ['equipment_update', { id: 'HT-1', year: 1700 }, /^`year`: must be at least 1900\.$/],
    ['equipment_update', { id: 'HT-1', status: 'broken' }, /^`status`: must be one of "available", "in_use", .*\.$/],
    ['equipment_update', { id: 'HT-1', aliases: 'Big' }, /^`aliases`: must be a list, not a text\.$/],
    ['equipment_create', { unit_number: ' ' }, /^`unit_number`: must not be empty\.$/],
    ['equipment_create', { unit_number: 'x'.repeat(41) }, /^`unit_number`: must have at most 40 characters\.$/],
    ['equipment_list', { limit: 500 }, /^`limit`: must be at most 200\.$/],
    ['telemetry_devices_link', { links: [] }, /^`links`: must not be empty\.$/],
    ['equipment_create', { unit_number: 'A', context: { media: ['http://x'] } }, /an artifact id, never a URL/],
  ];
  for (const [name, args, wanted] of cases) {
    const { failed, body } = await agent.call(name, args);
    assert.ok(failed, name);
    assert.match(body.error.message, wanted, name);
  }
});

test('[M13] the address chooses the list of tools, whose names are no permission; an unknown name is refused with the names', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-1' });
  await using agent = await agentOf(gateway, '?profile=repairs');
  const { tools } = await agent.listTools();
  const names = tools.map(({ name }) => name);
  assert.ok(names.includes('repair_tickets_create') && !names.includes('playlists_create'));
  assert.equal((await agent.call('playlists_create', { name: 'TV' })).failed, false);
  const refused = await fetch(`${gateway.node.http}/mcp?profile=mine`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OWNER_KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /`profile` must be one of: default, fleet, repairs, shift, setup, devices, all/);
});
