/** An undo never breaks what people did or built since, and its plan promises only what can happen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Toolbox } from '#agent/toolbox.ts';
import type { Output } from '#contract/operations.ts';
import { planUndo } from '#domain/runs/undo.ts';
import { runsOf } from '#domain/runs/undo-writes.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import type { ScriptedCall } from '#test/support/model-server.ts';
import { type AgentRig, openAgent, type Script } from './rig.ts';

/** Makes these calls, one answer for each list. After each answer `between` has its turn. */
const makes =
  (...answers: readonly (readonly ScriptedCall[])[]): Script =>
  (_, n) => {
    const calls = answers[n];
    return calls === undefined ? { text: 'Done.' } : { calls };
  };

const briefly = ({ items }: Output<'tasks_undo'>) =>
  items.map(({ name, object, action, fields, why }) => [name ?? object, action, fields.join(), why]);

const planOf = async ({ rig }: AgentRig, task_id: string) =>
  briefly(await rig.call('tasks_undo', { task_id, dry_run: true }));

async function carriedOut(site: AgentRig, task_id: string) {
  const { task } = await site.rig.call('tasks_undo', { task_id });
  assert.ok(task !== null);
  return site.ended(task.id);
}

test('[AG33] the operator of a machine is not restored, and the machine that lost its operator is named', async () => {
  let ana = '';
  await using site = await openAgent((_, n) =>
    n === 0
      ? { calls: [{ name: 'equipment_update', input: { id: 'HT-01', operator_id: ana, name: 'Second' } }] }
      : { text: 'Done.' },
  );
  const { rig } = site;
  const tom = (await rig.call('operators_create', { name: 'Tom' })).id;
  ana = (await rig.call('operators_create', { name: 'Ana' })).id;
  const first = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First', operator_id: tom });
  const second = await rig.call('equipment_create', { unit_number: 'HT-02', operator_id: ana });
  const third = await rig.call('equipment_create', { unit_number: 'HT-03' });
  const { task_id } = await site.ask('Put Ana on HT-01');
  assert.equal((await rig.call('equipment_get', { id: second.id })).operator_id, null);
  // A person puts Tom on another machine since.
  await rig.call('equipment_update', { id: third.id, operator_id: tom });
  assert.deepEqual(await planOf(site, task_id), [
    ['HT-01', 'restore', 'name', null],
    ['HT-01', 'leave', 'operator_id', 'The operator of HT-01: set it by hand.'],
    ['HT-02', 'leave', 'operator_id', 'The run took its operator away. The operator of HT-02: set it by hand.'],
  ]);
  await carriedOut(site, task_id);
  const { name, operator_id } = await rig.call('equipment_get', { id: first.id });
  assert.deepEqual([name, operator_id], ['First', ana]);
  assert.equal((await rig.call('equipment_get', { id: third.id })).operator_id, tom);
});

test('[AG34] what people use since is not withdrawn, and the reason names the user', async () => {
  const tools = ['operators', 'mechanics', 'locations', 'dashboards', 'maintenance_plans', 'inspection_checklists'];
  await using site = await openAgent(
    makes([
      { name: 'equipment_create', input: { unit_number: 'HT-09' } },
      { name: 'operators_create', input: { name: 'Ana' } },
      { name: 'mechanics_create', input: { name: 'Tom' } },
      { name: 'locations_create', input: { name: 'Pit', kind: 'pit' } },
      { name: 'locations_create', input: { name: 'Site', kind: 'site' } },
      { name: 'dashboards_create', input: { name: 'Fuel board', audience: 'tv', widgets: [] } },
      { name: 'maintenance_plans_create', input: { name: 'Oil', kind: 'haul_truck', every_hours: 250 } },
      {
        name: 'inspection_checklists_create',
        input: { name: 'Truck', kind: 'haul_truck', items: [{ id: 'tyres', text: 'Tyres' }] },
      },
    ]),
  );
  const { rig } = site;
  await site.review({ allowed_tools: ['equipment_create', ...tools.map((one) => `${one}_create`)] });
  const truck = await rig.call('equipment_create', { unit_number: 'HT-01', kind: 'haul_truck' });
  const { task_id, output } = await site.ask('Make them');
  const made = (object: string, i = 0) => output?.created[object]?.[i] ?? assert.fail(`no ${object}`);
  await rig.call('equipment_update', {
    ...{ id: truck.id, operator_id: made('operator'), location_id: made('location') },
  });
  await rig.call('locations_create', { name: 'Bench', kind: 'zone', parent_id: made('location', 1) });
  await rig.call('repair_tickets_create', {
    ...{ title: 'Leak', equipment_id: made('equipment'), assigned_mechanic_ids: [made('mechanic')] },
  });
  await rig.call('playlists_create', { name: 'Hall', items: [{ dashboard_id: made('dashboard'), duration_s: 10 }] });
  await rig.call('maintenance_plans_record', {
    ...{ id: made('maintenance_plan'), equipment_id: truck.id, hours: 100 },
  });
  await rig.call('inspections_create', {
    ...{ equipment_id: truck.id, checklist_id: made('inspection_checklist') },
    answers: [{ item_id: 'tyres', answer: 'ok' }],
  });
  const plan = await planOf(site, task_id);
  assert.deepEqual(
    plan.map(([name, action]) => [name, action]),
    ['Truck', 'Oil', 'Fuel board', 'Site', 'Pit', 'Tom', 'Ana', 'HT-09'].map((name) => [name, 'leave']),
  );
  const why = Object.fromEntries(plan.map(([name, , , reason]) => [name, reason]));
  const hand = 'Take it out of use by hand if it is wrong.';
  assert.equal(why.Ana, `It is in use by equipment HT-01. ${hand}`);
  assert.equal(why.Pit, `It is in use by equipment HT-01. ${hand}`);
  assert.equal(why.Site, `It is in use by location Bench. ${hand}`);
  assert.equal(why['Fuel board'], `It is in use by playlist Hall. ${hand}`);
  assert.match(String(why.Tom), /^It is in use by repair ticket .+ Leak|^It is in use by repair ticket /);
  assert.match(String(why['HT-09']), /^It is in use by repair ticket /);
});

test('[AG34] what the run itself put there is no obstacle if the undo takes it away first', async () => {
  await using site = await openAgent((_, n) => {
    if (n === 0) return { calls: [{ name: 'locations_create', input: { name: 'Pit', kind: 'pit' } }] };
    if (n === 1) return { calls: [{ name: 'equipment_update', input: { id: 'HT-01', location_id: 'Pit' } }] };
    return { text: 'Done.' };
  });
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01' });
  const { task_id, output } = await site.ask('Make it');
  assert.equal((await rig.call('equipment_get', { id })).location_id, output?.created.location?.[0]);
  assert.deepEqual(await planOf(site, task_id), [
    ['HT-01', 'restore', 'location_id', null],
    ['Pit', 'withdraw', 'active', null],
  ]);
  const run = await carriedOut(site, task_id);
  assert.deepEqual([run.status, run.gaps], ['completed', []]);
});

test('[AG34] an entry of a person is found behind more than 50 entries of the run', async () => {
  await using site = await openAgent(
    makes(
      [{ name: 'repair_tickets_create', input: { title: 'Leak', equipment_id: 'HT-01' } }],
      [{ name: 'equipment_list', input: {} }],
    ),
  );
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01' });
  const { task_id, output } = await site.ask('Make it');
  const [id = ''] = output?.created.repair_ticket ?? [];
  const say = (text: string, who: object) =>
    rig.call('repair_tickets_append_event', { id, type: 'comment', data: { text } }, who);
  await say('Parts ordered', {});
  const agent = { caller: { kind: 'service', id: task_id, role: 'agent' } };
  for (let i = 0; i < 60; i++) await say(`Note ${i}`, agent);
  assert.deepEqual(await planOf(site, task_id), [['Leak', 'leave', '', 'Somebody has added to its log since.']]);
});

test('[AG35] a call without effect does not stop the undo', async () => {
  await using site = await openAgent(
    makes(
      [
        { name: 'equipment_update', input: { id: 'HT-01', name: 'First' } },
        { name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } },
        { name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } },
        { name: 'equipment_update', input: { id: 'HT-02', name: 'First' } },
      ],
      [{ name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } }],
    ),
  );
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  await rig.call('equipment_create', { unit_number: 'HT-02', name: 'First' });
  const { task_id } = await site.ask('Work');
  assert.deepEqual(await planOf(site, task_id), [['HT-01', 'restore', 'name', null]]);
  await carriedOut(site, task_id);
  assert.equal((await rig.call('equipment_get', { id })).name, 'First');
});

test('[AG36] fields that the operation would refuse are left, and the others go back', async () => {
  let ticket_id = '';
  await using site = await openAgent((request, n) =>
    makes([
      { name: 'repair_tickets_update', input: { id: ticket_id, status: 'in_progress', priority: 'high' } },
      { name: 'equipment_update', input: { id: 'HT-02', status: 'decommissioned', reason: 'Sold', year: 2020 } },
      { name: 'equipment_update', input: { id: 'HT-03', unit_number: 'HT-30', year: 2020, aliases: ['Old'] } },
      { name: 'equipment_update', input: { id: 'HT-04', location_id: null, year: 2020 } },
      { name: 'equipment_update', input: { id: 'HT-05', context: { media: [] }, name: 'Second' } },
    ])(request, n),
  );
  const { rig } = site;
  const pit = await rig.call('locations_create', { name: 'Pit', kind: 'pit' });
  const [machine] = await Promise.all(
    ['HT-01', 'HT-02', 'HT-03', 'HT-05'].map((unit_number) => rig.call('equipment_create', { unit_number })),
  );
  await rig.call('equipment_create', { unit_number: 'HT-04', location_id: pit.id });
  const equipment_id = machine?.id ?? '';
  const ticket = await rig.call('repair_tickets_create', { title: 'T1', equipment_id, priority: 'low' });
  ticket_id = ticket.id;
  const { task_id } = await site.ask('Work');
  await rig.call('locations_update', { id: pit.id, active: false });
  await rig.call('equipment_create', { unit_number: 'HT-03' });
  const plan = await planOf(site, task_id);
  const by = (name: string) => plan.filter(([one]) => one === name).map((item) => item.slice(1));
  const hand = 'Set it by hand.';
  assert.deepEqual(by('HT-05'), [
    ['restore', 'name', null],
    ['leave', 'context', 'The gateway does not know all photos and files that it had. Look at them.'],
  ]);
  assert.deepEqual(by('HT-04'), [
    ['restore', 'year', null],
    ['leave', 'location_id', `The earlier location is not in use any more. ${hand}`],
  ]);
  assert.deepEqual(by('HT-30'), [
    ['restore', 'year', null],
    ['leave', 'unit_number', `Another one has the unit_number HT-03 now. ${hand}`],
    ['leave', 'aliases', hand],
  ]);
  assert.deepEqual(by('HT-02'), [
    ['restore', 'year', null],
    ['leave', 'status', 'Only an owner or admin brings a decommissioned machine back. Change the status by hand.'],
  ]);
  assert.deepEqual(by('T1'), [
    ['restore', 'priority', null],
    ['leave', 'status', 'The status of a ticket cannot change from in_progress to flagged.'],
  ]);
  const run = await carriedOut(site, task_id);
  assert.equal(run.status, 'completed');
  // Everything that the plan promised has happened.
  assert.equal(run.gaps.length, plan.filter(([, action]) => action === 'leave').length);
  const { priority, status } = await rig.call('repair_tickets_get', { id: ticket.id });
  assert.deepEqual([priority, status], ['low', 'in_progress']);
});

test('[AG34] rules, mutes and tickets of services are uses, and all rules are read once for a plan', async () => {
  const ring = [0, 1, 2, 0].map((i) => [24.9 + (i % 2) / 100, 60.2 + Math.floor(i / 2) / 100]);
  const geofence = { type: 'Polygon', coordinates: [ring] };
  const tools = ['equipment_create', 'locations_create', 'maintenance_plans_create'];
  await using site = await openAgent(
    makes([
      { name: 'equipment_create', input: { unit_number: 'HT-09' } },
      { name: 'equipment_create', input: { unit_number: 'HT-10' } },
      { name: 'locations_create', input: { name: 'Pit', kind: 'pit', geofence } },
      { name: 'maintenance_plans_create', input: { name: 'Oil', kind: 'haul_truck', every_hours: 250 } },
      { name: 'maintenance_plans_create', input: { name: 'Grease', kind: 'haul_truck', every_hours: 50 } },
    ]),
  );
  const { rig } = site;
  await site.review({ allowed_tools: tools });
  const truck = await rig.call('equipment_create', { unit_number: 'HT-01' });
  const { task_id, output } = await site.ask('Make them');
  const made = (object: string, i = 0) => output?.created[object]?.[i] ?? assert.fail(`no ${object}`);
  const mute = [{ until: '2027-01-01T00:00:00.000Z', equipment_id: made('equipment') }];
  await rig.call('alert_rules_create', {
    ...{ name: 'Muted', signal: 'engine.coolant_temperature', op: 'gt', value: 105, mute },
  });
  await rig.call('alert_rules_create', {
    ...{ name: 'Leaves', signal: 'position.geofence', geofence: { location_id: made('location'), event: 'leave' } },
  });
  await rig.call('alert_rules_create', {
    ...{ name: 'Due', signal: 'maintenance.service', service: { plan_id: made('maintenance_plan') } },
  });
  const { number } = await rig.call('repair_tickets_create', {
    ...{ title: 'Grease', equipment_id: truck.id, source: { kind: 'pm', ref: made('maintenance_plan', 1) } },
  });
  const used = (by: string) => `It is in use by ${by}. Take it out of use by hand if it is wrong.`;
  assert.deepEqual(await planOf(site, task_id), [
    ['Grease', 'leave', '', used(`repair ticket ${number}`)],
    ['Oil', 'leave', '', used('alert rule Due')],
    ['Pit', 'leave', '', used('alert rule Leaves')],
    ['HT-10', 'withdraw', 'status', null],
    ['HT-09', 'leave', '', used('alert rule Muted')],
  ]);
  const view = rig.store.view(rig.project);
  let reads = 0;
  const find: typeof view.find = (collection, query) => {
    if (query.object === 'alert_rule') reads++;
    return view.find(collection, query);
  };
  await planUndo({ ...view, find }, { task_id, scopes: null }, await runsOf(view, task_id));
  // The plan looks for uses of plans, locations and machines, and each of these three looks reads all rules once.
  assert.equal(reads, 3);
});

test('[AG33] a machine that has an operator again is not named', async () => {
  let ana = '';
  await using site = await openAgent((_, n) =>
    n === 0 ? { calls: [{ name: 'equipment_update', input: { id: 'HT-01', operator_id: ana } }] } : { text: 'Done.' },
  );
  const { rig } = site;
  ana = (await rig.call('operators_create', { name: 'Ana' })).id;
  const tom = (await rig.call('operators_create', { name: 'Tom' })).id;
  await rig.call('equipment_create', { unit_number: 'HT-01' });
  const second = await rig.call('equipment_create', { unit_number: 'HT-02', operator_id: ana });
  const { task_id } = await site.ask('Put Ana on HT-01');
  assert.equal((await planOf(site, task_id)).length, 2);
  await rig.call('equipment_update', { id: second.id, operator_id: tom });
  assert.deepEqual(await planOf(site, task_id), [
    ['HT-01', 'leave', 'operator_id', 'The operator of HT-01: set it by hand.'],
  ]);
});

test('[AG35] a change whose answer had no revision is not taken for a call without effect', async () => {
  await using site = await openAgent(makes([{ name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } }]));
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const real = createToolbox({ invoke: rig.invoke, artifacts: rig.artifacts, log: () => undefined });
  await site.stop();
  const call: Toolbox['call'] = async (name, ...more) => {
    const { isError, output } = await real.call(name, ...more);
    const { revision, ...rest } = output as { revision?: number };
    return { isError, output: rest };
  };
  site.start({ toolbox: { ...real, call } });
  const { task_id } = await site.ask('Work');
  assert.deepEqual(await planOf(site, task_id), [
    ['HT-01', 'leave', '', 'The gateway does not know what was there before. Look at it, and change it by hand.'],
  ]);
});

test('[AG36] a repair that the run reopened stays open, because its time would become now', async () => {
  let id = '';
  await using site = await openAgent((request, n) =>
    makes([{ name: 'repair_tickets_update', input: { id, status: 'in_progress', priority: 'high' } }])(request, n),
  );
  const { rig } = site;
  const machine = await rig.call('equipment_create', { unit_number: 'HT-01' });
  id = (await rig.call('repair_tickets_create', { title: 'Leak', equipment_id: machine.id, priority: 'low' })).id;
  for (const status of ['in_progress', 'fixed'] as const) await rig.call('repair_tickets_update', { id, status });
  const { task_id } = await site.ask('Open it again');
  assert.deepEqual(await planOf(site, task_id), [
    ['Leak', 'restore', 'priority', null],
    ['Leak', 'leave', 'status', 'The time of the repair would become now. Set it by hand.'],
  ]);
});

test('[AG36] fields that name other objects go back by calls of their own', async () => {
  const position = { x: 0, y: 0, w: 12, h: 6 };
  let board = '';
  let rule = '';
  let device = '';
  await using site = await openAgent((request, n) =>
    makes([
      {
        name: 'dashboards_update',
        input: { id: board, name: 'Second', widgets: [{ type: 'shift_progress', position }] },
      },
      { name: 'alert_rules_update', input: { id: rule, if_match: 1, name: 'Second', scope: { kinds: ['dozer'] } } },
      { name: 'devices_update', input: { id: device, name: 'Second', serial: 'S-2' } },
    ])(request, n),
  );
  const { rig } = site;
  await site.review({ allowed_tools: ['dashboards_update', 'alert_rules_update', 'devices_update'] });
  board = (await rig.call('dashboards_create', { name: 'First', widgets: [] })).id;
  rule = (
    await rig.call('alert_rules_create', { name: 'First', signal: 'engine.coolant_temperature', op: 'gt', value: 105 })
  ).id;
  device = (await rig.call('devices_create', { device_id: 'dev-1', name: 'First', serial: 'S-1' })).id;
  const { task_id } = await site.ask('Work');
  const plan = await planOf(site, task_id);
  assert.deepEqual(
    plan.map(([, action, fields]) => [action, fields]),
    [
      ['restore', 'name'],
      ['restore', 'serial'],
      ['restore', 'name'],
      ['restore', 'scope'],
      ['restore', 'name'],
      ['restore', 'widgets'],
    ],
  );
  const run = await carriedOut(site, task_id);
  assert.deepEqual([run.status, run.gaps], ['completed', []]);
});
