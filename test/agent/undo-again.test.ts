/** What an undo left can be taken back later, and what it took away itself is no obstacle. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Toolbox } from '#agent/toolbox.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { planUndo } from '#domain/runs/undo.ts';
import { runsOf } from '#domain/runs/undo-writes.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { as } from '#test/support/handler-rig.ts';
import type { ScriptedCall } from '#test/support/model-server.ts';
import { type AgentRig, openAgent } from './rig.ts';

/** Opens a site whose model makes these calls, one answer for each list. */
const openSite = (...answers: readonly (readonly ScriptedCall[])[]): Promise<AgentRig> =>
  openAgent((_, n) => {
    const calls = answers[n];
    return calls === undefined ? { text: 'Done.' } : { calls };
  });

const toolboxOf = ({ rig }: AgentRig): Toolbox =>
  createToolbox({ invoke: rig.invoke, artifacts: rig.artifacts, log: () => undefined });

/** Starts the executor again with a toolbox in which `call` may answer instead of the tool. */
async function restart(site: AgentRig, answer: (name: string, input: object) => unknown): Promise<void> {
  const real = toolboxOf(site);
  await site.stop();
  const call: Toolbox['call'] = async (name, input, ...more) => {
    const output = answer(name, input);
    return output === undefined ? real.call(name, input, ...more) : { isError: true, output };
  };
  site.start({ toolbox: { ...real, call } });
}

const REFUSED = { error: { type: 'conflict', message: 'Not now.' } };

async function planOf({ rig }: AgentRig, task_id: string, who: object = {}) {
  const { items } = await rig.call('tasks_undo', { task_id, dry_run: true }, who);
  return items.map(({ name, object, action, fields, why }) => [name ?? object, action, fields.join(), why]);
}

async function undo(site: AgentRig, task_id: string) {
  const { task } = await site.rig.call('tasks_undo', { task_id });
  assert.ok(task !== null);
  return site.ended(task.id);
}

test('[AG46] a second undo takes back the rest of an object, and leaves the rest of one that was changed since', async () => {
  const change = (id: string) => ({
    name: 'equipment_update',
    input: { id, name: 'Second', status: 'down', reason: 'Fire' },
  });
  await using site = await openSite([change('HT-01'), change('HT-02')]);
  const { rig } = site;
  const ids: string[] = [];
  for (const unit_number of ['HT-01', 'HT-02'])
    ids.push((await rig.call('equipment_create', { unit_number, name: 'First' })).id);
  const [first = '', second = ''] = ids;
  const { task_id } = await site.ask('Work');
  await restart(site, (name, input) => (name === 'equipment_update' && 'status' in input ? REFUSED : undefined));
  const half = await undo(site, task_id);
  assert.deepEqual([half.status, half.gaps.length], ['completed', 2]);
  const { name, status } = await rig.call('equipment_get', { id: first });
  assert.deepEqual([name, status], ['First', 'down']);
  await rig.call('equipment_update', { id: second, year: 2001 });
  await restart(site, () => undefined);
  assert.deepEqual(await planOf(site, task_id), [
    ['HT-02', 'leave', '', 'Partly taken back; set status by hand.'],
    ['HT-01', 'restore', 'status', null],
  ]);
  await undo(site, task_id);
  assert.equal((await rig.call('equipment_get', { id: first })).status, 'available');
  assert.equal((await rig.call('equipment_get', { id: second })).status, 'down');
  const [, again] = await planOf(site, task_id);
  assert.deepEqual(again, ['HT-01', 'leave', '', 'Already taken back.']);
});

test('[AG46] a field that the run changed again after a half undo is not restored', async () => {
  const change = { name: 'equipment_update', input: { id: 'HT-01', name: 'Second', status: 'down', reason: 'Fire' } };
  const again = { name: 'equipment_update', input: { id: 'HT-01', year: 2001 } };
  await using site = await openAgent(
    (_, n) => [{ calls: [change] }, { text: 'Done.' }, { calls: [again] }][n] ?? { text: 'Done.' },
  );
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Work');
  await restart(site, (name, input) => (name === 'equipment_update' && 'status' in input ? REFUSED : undefined));
  await undo(site, task_id);
  await restart(site, () => undefined);
  await rig.call('tasks_run', { task_id });
  await site.ended(task_id);
  assert.deepEqual(await planOf(site, task_id), [['HT-01', 'leave', '', 'Partly taken back; set status by hand.']]);
});

test('[AG46] a plan that is full does not end inside an object', async () => {
  await using site = await openSite([
    { name: 'equipment_update', input: { id: 'HT-01', name: 'Second', status: 'down', reason: 'Fire' } },
  ]);
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Work');
  const view = rig.store.view(rig.project);
  const [run] = await runsOf(view, task_id);
  assert.ok(run !== undefined);
  const wanted = { object: 'message', where: { 'data.run_id': run.id }, order: 'asc', limit: 100 } as const;
  const real = await view.find('events', wanted);
  const most = LIMITS.undo_items.value;
  const planWith = async (entries: number) => {
    const made = Array.from({ length: entries }, (_, i) => {
      const output = { object: 'event', id: `ev_${i}`, type: 'note' };
      const tool = { call_id: `x${i}`, name: 'equipment_append_event', input: {}, outcome: 'output', output };
      return { created_at: '2026-11-21T15:00:00.000Z', id: `x${i}`, data: { kind: 'tool_result', tool } };
    });
    const messages = [...real, ...made];
    const find = async (collection: string, query: { object: string; after?: { id: string } }) => {
      if (query.object !== 'message') return view.find(collection as never, query as never);
      const from = messages.findIndex(({ id }) => id === query.after?.id) + 1;
      return messages.slice(from, from + 500);
    };
    return planUndo({ ...view, find } as never, { task_id, scopes: null }, [run]);
  };
  const full = await planWith(most - 2);
  assert.deepEqual([full.items.length, full.more], [most, 0]);
  const cut = await planWith(most - 1);
  assert.deepEqual([cut.items.length, cut.more], [most - 1, 2]);
});

test('[AG47] what the undo canceled or withdrew does not use the rest of what the run made', async () => {
  await using site = await openSite(
    [
      { name: 'equipment_create', input: { unit_number: 'HT-09' } },
      { name: 'locations_create', input: { name: 'Pit', kind: 'pit' } },
    ],
    [
      { name: 'repair_tickets_create', input: { title: 'Leak', equipment_id: 'HT-09' } },
      { name: 'equipment_create', input: { unit_number: 'HT-10', location_id: 'Pit' } },
    ],
  );
  const { rig } = site;
  await site.review({ allowed_tools: ['equipment_create', 'locations_create', 'repair_tickets_create'] });
  const { task_id, output } = await site.ask('Make them');
  const [machine] = output?.created.equipment ?? [];
  const [pit] = output?.created.location ?? [];
  await restart(site, (_, input) =>
    'id' in input && (input.id === machine || input.id === pit) ? REFUSED : undefined,
  );
  await undo(site, task_id);
  await restart(site, () => undefined);
  assert.deepEqual(await planOf(site, task_id), [
    ['HT-10', 'leave', '', 'Already taken back.'],
    ['Leak', 'leave', '', 'Already taken back.'],
    ['Pit', 'withdraw', 'active', null],
    ['HT-09', 'withdraw', 'status', null],
  ]);
  const run = await undo(site, task_id);
  assert.deepEqual(
    run.gaps.map(({ message }) => message),
    ['HT-10 was left: Already taken back.', 'Leak was left: Already taken back.'],
  );
  assert.equal((await rig.call('equipment_get', { id: machine ?? '' })).status, 'decommissioned');
});

test('[AG47] a ticket that a person canceled still uses the machine', async () => {
  await using site = await openSite([{ name: 'equipment_create', input: { unit_number: 'HT-09' } }]);
  const { rig } = site;
  const { task_id, output } = await site.ask('Make it');
  const [equipment_id = ''] = output?.created.equipment ?? [];
  const { id } = await rig.call('repair_tickets_create', { title: 'Leak', equipment_id });
  await rig.call('repair_tickets_update', { id, status: 'canceled' });
  const [[, action] = []] = await planOf(site, task_id);
  assert.equal(action, 'leave');
});

test('[AG48] uses are looked up again before a withdrawal', async () => {
  await using site = await openSite([
    { name: 'equipment_create', input: { unit_number: 'HT-08' } },
    { name: 'equipment_create', input: { unit_number: 'HT-09' } },
  ]);
  const { rig } = site;
  const { task_id, output } = await site.ask('Make them');
  const [free = '', used = ''] = output?.created.equipment ?? [];
  await site.stop();
  const { task } = await rig.call('tasks_undo', { task_id });
  const { number } = await rig.call('repair_tickets_create', { title: 'Leak', equipment_id: used });
  site.start();
  const run = await site.ended(task?.id ?? '');
  const why = `It is in use by repair ticket ${number}. Take it out of use by hand if it is wrong.`;
  assert.deepEqual(
    run.gaps.map(({ message }) => message),
    [`HT-09 was left: ${why}`],
  );
  const statusOf = async (id: string) => (await rig.call('equipment_get', { id })).status;
  assert.deepEqual([await statusOf(free), await statusOf(used)], ['decommissioned', 'available']);
});

test('[AG48] an object of which a use is not taken back is left', async () => {
  await using site = await openSite(
    [{ name: 'locations_create', input: { name: 'Pit', kind: 'pit' } }],
    [{ name: 'equipment_update', input: { id: 'HT-01', location_id: 'Pit' } }],
  );
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01' });
  const { task_id, output } = await site.ask('Work');
  await restart(site, (name) => (name === 'equipment_update' ? REFUSED : undefined));
  const run = await undo(site, task_id);
  assert.deepEqual(
    run.gaps.map(({ ref }) => ref),
    [id, output?.created.location?.[0]],
  );
  const [pit] = (await rig.call('locations_list', {})).data;
  assert.equal(pit?.active, true);
});

test('[AG42] the gaps of a canceled undo are what it had not taken back, and an undo that waits has all', async () => {
  const rename = (id: string) => ({ name: 'equipment_update', input: { id, name: 'Second' } });
  await using site = await openSite(['HT-01', 'HT-02', 'HT-03', 'HT-04'].map(rename));
  const { rig } = site;
  const ids: string[] = [];
  for (const unit_number of ['HT-01', 'HT-02', 'HT-03', 'HT-04'])
    ids.push((await rig.call('equipment_create', { unit_number, name: 'First' })).id);
  const { task_id } = await site.ask('Work');
  await site.stop();
  const waiting = (await rig.call('tasks_undo', { task_id })).task?.id ?? '';
  await rig.call('tasks_cancel', { task_id: waiting });
  const refs = async (id: string) => (await site.ended(id)).gaps.map(({ ref }) => ref);
  assert.deepEqual(await refs(waiting), ids.toReversed());
  const real = toolboxOf(site);
  const reached = Promise.withResolvers<void>();
  const call: Toolbox['call'] = (name, input, ...more) => {
    if (input.id !== ids[1]) return real.call(name, input, ...more);
    reached.resolve();
    return new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 200));
  };
  site.start({ toolbox: { ...real, call } });
  const working = (await rig.call('tasks_undo', { task_id })).task?.id ?? '';
  await reached.promise;
  await rig.call('tasks_cancel', { task_id: working });
  assert.deepEqual(await refs(working), [ids[1], ids[0]]);
});

test('[AG49] a plan lists what the key of the caller may not do', async () => {
  await using site = await openSite([{ name: 'equipment_update', input: { id: 'HT-01', name: 'Second' } }]);
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Work');
  const key = (...scopes: string[]) => as('supervisor', { scopes });
  assert.deepEqual(await planOf(site, task_id, key('tasks:write', 'equipment:read')), [
    ['HT-01', 'leave', 'name', 'This key may not do it.'],
  ]);
  assert.deepEqual(await planOf(site, task_id, key('tasks:write', 'equipment:write')), [
    ['HT-01', 'restore', 'name', null],
  ]);
});
