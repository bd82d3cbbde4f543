/** An undo covers all runs of a task, knows what it knows, and says how it ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Toolbox } from '#agent/toolbox.ts';
import type { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { planUndo } from '#domain/runs/undo.ts';
import { runsOf } from '#domain/runs/undo-writes.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { as } from '#test/support/handler-rig.ts';
import type { ScriptedCall } from '#test/support/model-server.ts';
import { type AgentRig, openAgent } from './rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const rename = (id: string, name: string): ScriptedCall => ({ name: 'equipment_update', input: { id, name } });

/** Opens a site whose model makes the calls of a list, one answer for each list of calls, over all runs. Null: the run ends. */
async function openSite(...answers: readonly (readonly ScriptedCall[] | null)[]): Promise<AgentRig> {
  return openAgent((_, n) => {
    const calls = answers[n] ?? null;
    return calls === null ? { text: 'Done.' } : { calls };
  });
}

const toolboxOf = ({ rig }: AgentRig): Toolbox =>
  createToolbox({ invoke: rig.invoke, artifacts: rig.artifacts, log: () => undefined });

async function undo(site: AgentRig, task_id: string) {
  const { task } = await site.rig.call('tasks_undo', { task_id });
  assert.ok(task !== null);
  return site.ended(task.id);
}

test('[AG37] the plan covers all runs of the task and names them, and an older plan is refused', async () => {
  await using site = await openSite([rename('HT-01', 'Second')], null, [rename('HT-01', 'Third')], null);
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const first = await site.ask('Work');
  const { task_id } = first;
  const old = await rig.call('tasks_undo', { task_id, dry_run: true });
  assert.deepEqual([old.run_id, old.run_ids], [first.id, [first.id]]);
  await rig.call('tasks_run', { task_id });
  const second = await site.ended(task_id);
  assert.notEqual(second.id, first.id);
  await assert.rejects(rig.call('tasks_undo', { task_id, run_id: first.id }), code('parameter_invalid'));
  const plan = await rig.call('tasks_undo', { task_id, run_id: second.id, dry_run: true });
  assert.deepEqual([plan.run_ids, plan.items.length], [[second.id, first.id], 1]);
  await undo(site, task_id);
  assert.equal((await rig.call('equipment_get', { id })).name, 'First');
});

test('[AG38] while an undo waits no second one starts, and afterwards it says that all is taken back', async () => {
  await using site = await openSite([rename('HT-01', 'Second')]);
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Work');
  await site.stop();
  const { task } = await rig.call('tasks_undo', { task_id });
  await assert.rejects(rig.call('tasks_undo', { task_id }), code('run_in_progress'));
  site.start();
  await site.ended(task?.id ?? '');
  const again = await rig.call('tasks_undo', { task_id });
  assert.deepEqual([again.task, again.items.map(({ why }) => why)], [null, ['Already taken back.']]);
  // Also if a person has changed it since.
  await rig.call('equipment_update', { id, name: 'Mine' });
  const [item] = (await rig.call('tasks_undo', { task_id, dry_run: true })).items;
  assert.equal(item?.why, 'Already taken back.');
});

test('[AG38] a run whose writes were taken back cannot be approved any more', async () => {
  await using site = await openSite(
    [rename('HT-01', 'Second')],
    [{ name: 'alerts_list', input: {} }],
    [rename('HT-01', 'Third')],
  );
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  await site.review({ mode: 'review' });
  const { task_id } = await site.ask('Work');
  await rig.call('tasks_run', { task_id, approve: true });
  const waiting = await site.ended(task_id);
  assert.equal(waiting.error?.code, 'project_awaiting_approval');
  assert.equal((await rig.call('equipment_list', {})).data[0]?.name, 'Second');
  await undo(site, task_id);
  assert.equal((await rig.call('equipment_list', {})).data[0]?.name, 'First');
  await assert.rejects(rig.call('tasks_run', { task_id, approve: true }), code('not_awaiting_approval'));
});

test('[AG39] an earlier value with a masked key, or of another object, is not restored', async () => {
  const key = `wk_ABCDEFGH_${'x'.repeat(43)}`;
  await using site = await openSite(
    [{ name: 'equipment_update', input: { id: 'HT-01', name: 'Second', year: 2020 } }],
    // The read before the step finds the first pit; the second call of the answer gives its name to another location.
    [
      { name: 'locations_update', input: { id: 'Pit', name: 'Old pit' } },
      { name: 'locations_update', input: { id: 'Bench', name: 'Pit' } },
      { name: 'locations_update', input: { id: 'Pit', labels: { a: '1' } } },
    ],
  );
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01', name: `Key ${key}` });
  await rig.call('locations_create', { name: 'Pit', kind: 'pit' });
  const second = await rig.call('locations_create', { name: 'Bench', kind: 'zone' });
  await site.review({ allowed_tools: ['equipment_update', 'locations_update'] });
  const { task_id } = await site.ask('Work');
  assert.deepEqual((await rig.call('locations_get', { id: second.id })).labels, { a: '1' });
  const { items } = await rig.call('tasks_undo', { task_id, dry_run: true });
  const of = (wanted: string) => items.filter((item) => item.id === wanted).map(({ action, why }) => [action, why]);
  assert.deepEqual(of(id), [
    ['restore', null],
    ['leave', 'The earlier value contains a key, which is not stored. Set it by hand.'],
  ]);
  assert.deepEqual(of(second.id), [
    ['leave', 'The gateway does not know what was there before. Look at it, and change it by hand.'],
  ]);
  await undo(site, task_id);
  assert.equal((await rig.call('equipment_get', { id })).name, 'Second');
});

test('[AG40] what was written last goes back first, however early the run wrote it for the first time', async () => {
  await using site = await openSite([rename('HT-01', 'Second'), rename('HT-02', 'Second'), rename('HT-01', 'Third')]);
  const { rig } = site;
  for (const unit_number of ['HT-01', 'HT-02']) await rig.call('equipment_create', { unit_number, name: 'First' });
  const { task_id } = await site.ask('Work');
  const { items } = await rig.call('tasks_undo', { task_id, dry_run: true });
  assert.deepEqual(
    items.map(({ name }) => name),
    ['HT-01', 'HT-02'],
  );
});

test('[AG41] a write with `fields` can be taken back, and a read before it that fails ends nothing', async () => {
  await using site = await openSite(
    [{ name: 'equipment_update', input: { id: 'HT-01', name: 'Second', fields: 'name' } }],
    [rename('HT-02', 'Second')],
  );
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  await rig.call('equipment_create', { unit_number: 'HT-02', name: 'First' });
  const real = toolboxOf(site);
  await site.stop();
  const call: Toolbox['call'] = async (name, input, ...more) => {
    if (name === 'equipment_get' && input.id === 'HT-02') throw new Error('the disk is slow');
    return real.call(name, input, ...more);
  };
  site.start({ toolbox: { ...real, call } });
  const run = await site.ask('Work');
  assert.deepEqual([run.status, run.output?.updated.equipment?.length], ['completed', 2]);
  assert.ok((run.usage.input_tokens ?? 0) > 0);
  const { items } = await rig.call('tasks_undo', { task_id: run.task_id, dry_run: true });
  assert.deepEqual(
    items.map(({ name, action }) => [name, action]),
    [
      ['HT-02', 'leave'],
      ['HT-01', 'restore'],
    ],
  );
});

test('[AG42] a gateway that fails three times in a row ends the undo as failed, with a gap for each open object', async () => {
  await using site = await openSite([rename('HT-01', 'Second'), rename('HT-02', 'Second'), rename('HT-03', 'Second')]);
  const { rig } = site;
  const ids: string[] = [];
  for (const unit_number of ['HT-01', 'HT-02', 'HT-03'])
    ids.push((await rig.call('equipment_create', { unit_number, name: 'First' })).id);
  const { task_id } = await site.ask('Work');
  await site.stop();
  const real = toolboxOf(site);
  let failures = 0;
  const failing =
    (most: number): Toolbox['call'] =>
    async (name, input, ...more) => {
      if (input.id !== ids[1] || failures >= most) return real.call(name, input, ...more);
      failures++;
      return { isError: true, output: { error: { type: 'storage_error', message: 'The disk is full.' } } };
    };
  site.start({ toolbox: { ...real, call: failing(3) } });
  const run = await undo(site, task_id);
  assert.deepEqual([run.status, run.error?.code, failures], ['failed', 'tool_failed', 3]);
  assert.deepEqual(
    run.gaps.map(({ ref }) => ref),
    [ids[0], ids[1]].reverse(),
  );
  await site.stop();
  failures = 0;
  site.start({ toolbox: { ...real, call: failing(2) } });
  // The rest is taken back by a second undo, although the gateway fails twice.
  const second = await undo(site, task_id);
  assert.deepEqual([second.status, failures], ['completed', 2]);
  for (const id of ids) assert.equal((await rig.call('equipment_get', { id })).name, 'First');
});

test('[AG42] an undo that is canceled keeps a gap for what it did not reach', async () => {
  await using site = await openSite([rename('HT-01', 'Second')]);
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Work');
  await site.stop();
  const real = toolboxOf(site);
  const reached = Promise.withResolvers<void>();
  const call: Toolbox['call'] = () => {
    reached.resolve();
    return new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 200));
  };
  site.start({ toolbox: { ...real, call } });
  const { task } = await rig.call('tasks_undo', { task_id });
  await reached.promise;
  await rig.call('tasks_cancel', { task_id: task?.id ?? '' });
  const run = await site.ended(task?.id ?? '');
  assert.deepEqual([run.status, run.gaps.map(({ ref }) => ref)], ['canceled', [id]]);
});

test('[AG43] a plan has at most 1,000 items, and says how many objects have no room', async () => {
  await using site = await openSite();
  const { rig } = site;
  const { task_id } = await site.ask('Work');
  const view = rig.store.view(rig.project);
  const [run] = await runsOf(view, task_id);
  assert.ok(run !== undefined);
  const most = LIMITS.undo_items.value;
  const message = (i: number, kind: string, output: unknown) => ({
    created_at: '2026-11-21T14:00:00.000Z',
    id: `m${i}`,
    data: { kind, tool: { call_id: `c${i}`, name: 'devices_tool', input: {}, outcome: 'output', output } },
  });
  const messages = Array.from({ length: most + 7 }, (_, i) =>
    message(i, 'tool_result', { object: 'event', id: `ev_${i}`, type: 'note' }),
  ).map((one) => ({ ...one, data: { ...one.data, tool: { ...one.data.tool, name: 'equipment_append_event' } } }));
  const find = async (_: string, { object, after }: { object: string; after?: { id: string } }) => {
    if (object !== 'message') return [];
    const from = after === undefined ? 0 : Number(after.id.slice(1)) + 1;
    return messages.slice(from, from + 500);
  };
  const many = await planUndo({ ...view, find } as never, { task_id, scopes: null }, [run]);
  assert.deepEqual([many.items.length, many.more], [most, 7]);
});

test('[AG43] only the beginning of very many planned calls is in the receipt', async () => {
  const id = 'eq_0198c2f4k3e7n9v5s1q8r6t2w0';
  await using site = await openSite(
    ...Array.from({ length: 10 }, () =>
      Array.from({ length: 30 }, (_, i) => ({
        name: 'repair_tickets_create',
        input: { title: `Leak ${i}`, equipment_id: id, description: 'x'.repeat(1_900) },
      })),
    ),
  );
  const run = await site.ask('Plan', { plan_only: true });
  const { planned, planned_more } = (run.output?.details ?? {}) as { planned: unknown[]; planned_more?: number };
  assert.ok(JSON.stringify(planned).length <= LIMITS.planned_bytes.value, run.error?.message);
  assert.ok(planned.length > 100 && planned.length < 300, `${planned.length}`);
  assert.equal(planned.length + (planned_more ?? 0), 300);
});

test('[AG44] the audit says that an undo was started, not that it was done', async () => {
  await using site = await openSite([rename('HT-01', 'Second')]);
  const { rig } = site;
  await rig.call('equipment_create', { unit_number: 'HT-01', name: 'First' });
  const { task_id } = await site.ask('Work');
  await undo(site, task_id);
  const { data } = await rig.call('audit_list', { subject: task_id }, as('owner'));
  assert.ok(data.some(({ type }) => type === 'undo_started'));
  assert.ok(!data.some(({ type }) => type === 'undone'));
});
