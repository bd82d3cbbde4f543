/** Takes back what runs of the agent wrote, and leaves what somebody changed since. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Toolbox } from '#agent/toolbox.ts';
import type { OperationError } from '#contract/base/errors.ts';
import type { Output } from '#contract/operations.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { as } from '#test/support/handler-rig.ts';
import type { ScriptedCall } from '#test/support/model-server.ts';
import { until } from '#test/support/until.ts';
import { type AgentRig, openAgent, type Script } from './rig.ts';

/** Makes these calls, one answer for each list, and then ends. */
const makes =
  (...answers: readonly (readonly ScriptedCall[])[]): Script =>
  (_, n) => {
    const calls = answers[n];
    return calls === undefined ? { text: 'Done.' } : { calls };
  };

type Undo = Output<'tasks_undo'>;

const briefly = ({ items }: Undo) => items.map(({ name, object, action, why }) => [name ?? object, action, why]);

/** Takes a run back and returns the plan and the run that carried it out. */
async function undo(site: AgentRig, task_id: string) {
  const planned = await site.rig.call('tasks_undo', { task_id, dry_run: true });
  assert.equal(planned.task, null);
  const done = await site.rig.call('tasks_undo', { task_id });
  assert.deepEqual(done.items, planned.items);
  assert.ok(done.task !== null);
  return { plan: planned, task: done.task, run: await site.ended(done.task.id) };
}

test('[AG28] what a run changed gets its earlier values, also after several changes and with names instead of ids', async () => {
  await using site = await openAgent((_, n) => {
    if (n === 0)
      return {
        calls: [
          { name: 'equipment_update', input: { id: 'HT-01', name: 'Second', year: 2020, labels: { a: '1' } } },
          { name: 'equipment_update', input: { equipment_id: 'HT-01', name: 'Third', status: 'down', reason: 'Fire' } },
        ],
      };
    return { text: 'Done.' };
  });
  const { rig } = site;
  const before = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Change it');
  const changed = await rig.call('equipment_get', { id: before.id });
  assert.deepEqual([changed.name, changed.status, changed.year], ['Third', 'down', 2020]);
  const { plan, task, run } = await undo(site, task_id);
  const about = { object: 'equipment', id: before.id, name: 'HT-01', action: 'restore', why: null };
  // The status goes back by a call of its own: if it is refused, the other fields go back all the same.
  assert.deepEqual(plan.items, [
    { ...about, fields: ['name', 'year', 'labels'] },
    { ...about, fields: ['status'] },
  ]);
  const after = await rig.call('equipment_get', { id: before.id });
  for (const field of ['name', 'year', 'labels', 'status'] as const) assert.deepEqual(after[field], before[field]);
  assert.deepEqual([run.status, run.output?.updated, run.gaps], ['completed', { equipment: [before.id] }, []]);
  assert.deepEqual(task.links, { undone_task_id: task_id, undone_run_id: plan.run_id });
  const [entry] = (await rig.call('equipment_events', { id: before.id, type: 'updated' })).data;
  assert.deepEqual([entry?.actor.type, entry?.actor.id], ['service', task.id]);
  const kinds = (await site.transcript(task.id)).map(({ kind, tool }) => [kind, tool?.name, tool?.outcome]);
  assert.deepEqual(kinds, [
    ['tool_call', 'equipment_update', null],
    ['tool_result', 'equipment_update', 'output'],
    ['tool_call', 'equipment_update', null],
    ['tool_result', 'equipment_update', 'output'],
    ['message', undefined, undefined],
  ]);
});

test('[AG28] what a run made is withdrawn: deleted, or taken out of use where the interface has no delete; the last is first', async () => {
  const board = { name: 'Fuel board', audience: 'tv', widgets: [] };
  await using site = await openAgent(
    makes(
      [
        { name: 'equipment_create', input: { unit_number: 'HT-02' } },
        { name: 'repair_tickets_create', input: { title: 'Leak', equipment_id: 'HT-01' } },
        { name: 'operators_create', input: { name: 'Ana' } },
        { name: 'mechanics_create', input: { name: 'Tom' } },
        { name: 'locations_create', input: { name: 'Pit', kind: 'pit' } },
      ],
      [
        { name: 'dashboards_create', input: board },
        { name: 'custom_actions_create', input: { label: 'Ask', emoji: '⛽', prompt: 'Fuel?', scope: 'project' } },
        { name: 'equipment_append_event', input: { id: 'HT-01', type: 'note', data: { text: 'Seen' } } },
      ],
    ),
  );
  const { rig } = site;
  await site.review({
    allowed_tools: [
      ...['equipment_create', 'repair_tickets_create', 'operators_create', 'mechanics_create', 'locations_create'],
      ...['dashboards_create', 'custom_actions_create', 'equipment_append_event'],
    ],
  });
  await rig.call('equipment_create', { unit_number: 'HT-01' });
  const asked = await site.ask('Make them');
  assert.equal(Object.values(asked.output?.created ?? {}).flat().length, 8, asked.output?.summary ?? '');
  const { plan, run } = await undo(site, asked.task_id);
  assert.deepEqual(briefly(plan), [
    ['note', 'leave', 'Entries of a log stay.'],
    ['Ask', 'delete', null],
    ['Fuel board', 'delete', null],
    ['Pit', 'withdraw', null],
    ['Tom', 'withdraw', null],
    ['Ana', 'withdraw', null],
    ['Leak', 'withdraw', null],
    ['HT-02', 'withdraw', null],
  ]);
  assert.deepEqual(
    run.gaps.map(({ code, resource }) => [code, resource]),
    [['not_undone', 'event']],
  );
  const list = async (name: 'equipment_list' | 'repair_tickets_list' | 'operators_list' | 'mechanics_list') =>
    (await rig.call(name, {})).data.map(({ status }) => status);
  assert.deepEqual(await list('equipment_list'), ['decommissioned', 'available']);
  assert.deepEqual(await list('repair_tickets_list'), ['canceled']);
  assert.deepEqual([await list('operators_list'), await list('mechanics_list')], [['inactive'], ['inactive']]);
  assert.deepEqual(
    (await rig.call('locations_list', {})).data.map(({ active }) => active),
    [false],
  );
  assert.deepEqual((await rig.call('custom_actions_list', {})).data, []);
  assert.deepEqual(
    (await rig.call('dashboards_list', {})).data.filter(({ name }) => name === board.name),
    [],
  );
});

test('[AG29] what somebody changed, deleted or added to since is left, with the reason', async () => {
  await using site = await openAgent(
    makes([
      { name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } },
      { name: 'repair_tickets_create', input: { title: 'Talked about', equipment_id: 'HT-01' } },
      { name: 'repair_tickets_create', input: { title: 'Assigned', equipment_id: 'HT-01' } },
      { name: 'operators_create', input: { name: 'Ana' } },
    ]),
  );
  const { rig } = site;
  const machine = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id, output } = await site.ask('Work');
  const [talked = '', assigned = ''] = output?.created.repair_ticket ?? [];
  await rig.call('equipment_update', { id: machine.id, year: 2001 }, as('supervisor'));
  await rig.call('repair_tickets_append_event', { id: talked, type: 'comment', data: { text: 'Parts ordered' } });
  await rig.call('repair_tickets_update', { id: assigned, priority: 'high' });
  const { plan, run } = await undo(site, task_id);
  assert.deepEqual(briefly(plan), [
    ['Ana', 'withdraw', null],
    ['Assigned', 'leave', 'It was changed since.'],
    ['Talked about', 'leave', 'Somebody has added to its log since.'],
    ['HT-01', 'leave', 'It was changed since.'],
  ]);
  assert.equal(run.gaps.length, 3);
  assert.equal((await rig.call('equipment_get', { id: machine.id })).name, 'Second');
  // Now the operator is changed as well: there is nothing left to take back, and no task is made.
  const again = await rig.call('tasks_undo', { task_id });
  assert.deepEqual([again.task, again.items.every(({ action }) => action === 'leave')], [null, true]);
});

test('[AG29] a change between the plan and the call is not lost: the call is refused, and the run says so', async () => {
  await using site = await openAgent(makes([{ name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } }]));
  const { rig } = site;
  const machine = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Work');
  await site.stop();
  const { task } = await rig.call('tasks_undo', { task_id });
  await rig.call('equipment_update', { id: machine.id, name: 'Mine' });
  site.start();
  const run = await site.ended(task?.id ?? '');
  assert.deepEqual(
    [run.status, run.gaps.map(({ code }) => code), run.output?.updated],
    ['completed', ['not_undone'], {}],
  );
  assert.match(run.gaps[0]?.message ?? '', /has changed/);
  assert.equal((await rig.call('equipment_get', { id: machine.id })).name, 'Mine');
});

test('[AG29] two changes with a change of somebody else between them are left', async () => {
  let between = async () => {};
  await using site = await openAgent(async (_, n) => {
    if (n === 1) await between();
    if (n > 1) return { text: 'Done.' };
    return { calls: [{ name: 'equipment_update', input: { id: 'HT-01', name: `Name ${n}` } }] };
  });
  const { rig } = site;
  const machine = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  between = async () => void (await rig.call('equipment_update', { id: machine.id, year: 2001 }));
  const { task_id } = await site.ask('Work');
  const { items } = await rig.call('tasks_undo', { task_id, dry_run: true });
  assert.deepEqual(
    items.map(({ why }) => why),
    ['It was changed before or between the changes of the run.'],
  );
});

test('[AG28] only ended runs of prompts and actions are taken back, and only by who may write', async () => {
  const { promise: go, resolve } = Promise.withResolvers<void>();
  await using site = await openAgent(async () => {
    await go;
    return { text: 'Done.' };
  });
  const { rig } = site;
  const code = (wanted: string) => (error: OperationError) => error.code === wanted;
  const { id } = await rig.call('tasks_create', { prompt: 'Work' });
  await assert.rejects(rig.call('tasks_undo', { task_id: id }), code('run_in_progress'));
  resolve();
  await site.ended(id);
  await assert.rejects(rig.call('tasks_undo', { task_id: id }, as('operator')), code('permission_denied'));
  const nothing = await rig.call('tasks_undo', { task_id: id });
  assert.deepEqual([nothing.items, nothing.task], [[], null]);
  assert.ok(!JSON.stringify(site.model.requests[0]?.tools).includes('tasks_undo'));
});

test('[AG30] an undo that the gateway stops in the middle is carried out to its end, each call once', async () => {
  await using site = await openAgent(
    makes([
      { name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } },
      { name: 'equipment_update', input: { id: 'HT-02', name: 'Second' } },
    ]),
  );
  const { rig } = site;
  const machines = [];
  for (const unit_number of ['HT-01', 'HT-02'])
    machines.push(await rig.call('equipment_create', { unit_number, name: 'First' }));
  const { task_id } = await site.ask('Work');
  await site.stop();
  const { task } = await rig.call('tasks_undo', { task_id });
  const { invoke, artifacts } = rig;
  const real = createToolbox({ invoke, artifacts, log: () => undefined });
  const reached = Promise.withResolvers<void>();
  // The write is stored, and the gateway stops before its answer is.
  const call: Toolbox['call'] = async (...args) => {
    await real.call(...args);
    reached.resolve();
    return new Promise<never>((_, reject) => setTimeout(() => reject(new Error('the gateway stops')), 50));
  };
  site.start({ toolbox: { ...real, call } });
  await reached.promise;
  await site.stop();
  site.start();
  await until(async () => (await site.ended(task?.id ?? '')).status === 'completed');
  const runs = (await rig.call('tasks_runs', { task_id: task?.id ?? '', order: 'asc' })).data;
  assert.deepEqual(
    runs.map(({ error }) => error?.code),
    ['run_evicted_by_deploy', undefined],
  );
  // The replacement gets the answer of the call that had been carried out; it does not find the machine changed.
  assert.deepEqual([runs[1]?.gaps, runs[1]?.output?.updated.equipment?.length], [[], 2]);
  for (const { id } of machines) {
    const { name, revision } = await rig.call('equipment_get', { id });
    assert.deepEqual([name, revision], ['First', 3]);
  }
});

test('[AG28] plans, checklists and playlists that a run made are deleted, and alert rules are switched off', async () => {
  const tools = ['alert_rules_create', 'maintenance_plans_create', 'inspection_checklists_create', 'playlists_create'];
  await using site = await openAgent(
    makes([
      {
        name: 'alert_rules_create',
        input: { name: 'Hot', signal: 'engine.coolant_temperature', op: 'gt', value: 105, severity: 'warning' },
      },
      { name: 'maintenance_plans_create', input: { name: 'Oil', kind: 'haul_truck', every_hours: 250 } },
      {
        name: 'inspection_checklists_create',
        input: { name: 'Truck', kind: 'haul_truck', items: [{ id: 'tyres', text: 'Tyres' }] },
      },
      { name: 'playlists_create', input: { name: 'TV', items: [] } },
    ]),
  );
  await site.review({ allowed_tools: tools });
  const asked = await site.ask('Make them');
  assert.equal(Object.keys(asked.output?.created ?? {}).length, 4);
  const { plan, run } = await undo(site, asked.task_id);
  assert.deepEqual(
    briefly(plan).map(([name, action]) => [name, action]),
    [
      ['TV', 'delete'],
      ['Truck', 'delete'],
      ['Oil', 'delete'],
      ['Hot', 'withdraw'],
    ],
  );
  assert.deepEqual([run.gaps, Object.keys(run.output?.updated ?? {}).length], [[], 4]);
});
