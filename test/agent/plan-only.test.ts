/** Runs that only plan: the model plans its writes, and nothing is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import { openAgent } from './rig.ts';

test('[AG31] a run that only plans reads, checks its writes and carries none out; transcript and output show the calls', async () => {
  await using site = await openAgent((_, n) => {
    if (n === 0) return { calls: [{ name: 'equipment_list' }] };
    if (n === 1)
      return {
        calls: [
          { name: 'equipment_create', input: { unit: 'HT-02' } },
          { name: 'equipment_create', input: { unit_number: 'HT-02' } },
          { name: 'equipment_update', input: { id: 'HT-01', status: 'down', reason: 'Fire' } },
        ],
      };
    return { text: 'I would make HT-02 and set HT-01 down.' };
  });
  const { rig } = site;
  const machine = await rig.call('equipment_create', { unit_number: 'HT-01' });
  let changed: string[] = [];
  const stop = rig.store.changes((changes) => {
    changed = [...changed, ...changes.map(({ document }) => document.object)];
  });
  const run = await site.ask('Work', { plan_only: true });
  stop();
  assert.deepEqual([run.status, run.output?.created, run.output?.updated], ['completed', {}, {}]);
  assert.deepEqual(run.output?.details, {
    planned: [
      { name: 'equipment_create', input: { unit_number: 'HT-02' } },
      { name: 'equipment_update', input: { id: 'HT-01', status: 'down', reason: 'Fire' } },
    ],
  });
  assert.deepEqual(
    (await site.transcript(run.task_id))
      .filter(({ kind }) => kind === 'tool_result')
      .map(({ tool }) => [tool?.name, tool?.outcome, (tool?.output as { object?: string } | undefined)?.object]),
    [
      ['equipment_list', 'output', 'list'],
      ['equipment_create', 'error', undefined],
      ['equipment_create', 'output', 'planned_call'],
      ['equipment_update', 'output', 'planned_call'],
    ],
  );
  // Only the task itself was written.
  assert.deepEqual([...new Set(changed)].toSorted(), ['message', 'run', 'task']);
  assert.equal((await rig.call('equipment_list', {})).data.length, 1);
  assert.equal((await rig.call('equipment_get', { id: machine.id })).revision, 1);
  assert.match(JSON.stringify(site.model.requests[0]?.messages[0]), /Only plan the work/);
  assert.deepEqual((await rig.call('tasks_undo', { task_id: run.task_id })).items, []);
});

test('[AG31] a further run of the task that only plans only plans too, and review mode asks for no approval of its writes', async () => {
  await using site = await openAgent((request) => {
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    if (turn === 0) return { calls: [{ name: 'repair_tickets_list' }] };
    if (turn === 1) return { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-02' } }] };
    return { text: 'Done.' };
  });
  const { rig } = site;
  await site.review({ mode: 'review' });
  const waiting = await site.ask('Work', { plan_only: true });
  assert.equal(waiting.error?.code, 'project_awaiting_approval');
  await rig.call('tasks_run', { task_id: waiting.task_id, approve: true });
  const run = await site.ended(waiting.task_id);
  assert.deepEqual(
    [run.status, run.output?.details],
    ['completed', { planned: [{ name: 'equipment_create', input: { unit_number: 'HT-02' } }] }],
  );
  assert.deepEqual((await rig.call('equipment_list', {})).data, []);
});

test('[AG31] the run that replaces a stopped run which only plans writes nothing either', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  await using site = await openAgent((_, n) => {
    if (n === 0) {
      resolve();
      return { never: 'silence' };
    }
    return n === 1 ? { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-02' } }] } : { text: 'Done.' };
  });
  const { id } = await site.rig.call('tasks_create', { prompt: 'Work', plan_only: true });
  await asked;
  await site.stop();
  site.start();
  await until(async () => (await site.ended(id)).status === 'completed');
  assert.equal((await site.rig.call('tasks_runs', { task_id: id })).data.length, 2);
  assert.deepEqual((await site.rig.call('equipment_list', {})).data, []);
});
