/** Runs of the agent that end well, and what their transcripts, receipts and requests say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { as } from '#test/support/handler-rig.ts';
import { openAgent, type Script } from './rig.ts';

const NO_TOOL: Script = () => ({ text: 'All is well.' });

test('[AG1] a prompt is answered with the tools of the catalog; transcript, usage, output and receipt are complete', async () => {
  const script: Script = (_, n) =>
    n === 0
      ? {
          reasoning: 'I need the machines.',
          calls: [{ name: 'equipment_list' }, { name: 'equipment_create', input: { unit_number: 'HT-02' } }],
        }
      : { text: 'There is HT-01. I made HT-02.' };
  await using site = await openAgent(script);
  await site.rig.call('equipment_create', { unit_number: 'HT-01' });
  const run = await site.ask('Which machines are there? Make HT-02.');
  assert.deepEqual([run.status, run.error, run.terminal_event_count], ['completed', null, 1]);
  assert.equal(run.output?.summary, 'There is HT-01. I made HT-02.');
  const made = (await site.rig.call('equipment_list', { q: 'HT-02' })).data[0];
  assert.deepEqual(run.output?.created, { equipment: [made?.id] });
  assert.deepEqual(
    [run.usage.input_tokens, run.usage.output_tokens, run.usage.tool_calls, run.cost_usd],
    [200, 20, 2, null],
  );
  assert.deepEqual(run.backend, {
    platform: 'headframe',
    harness: 'agent/1',
    provider: 'openai',
    model: 'scripted',
    preset: 'agent',
  });
  const { queued_at, dequeued_at, started_at, first_token_at, ended_at } = run.lifecycle;
  const times = [run.lifecycle.created_at, queued_at, dequeued_at, started_at, first_token_at, ended_at].map(String);
  assert.deepEqual(times, times.toSorted());
  const messages = await site.transcript(run.task_id);
  assert.deepEqual(
    messages.map(({ kind, tool }) => [kind, tool?.name, tool?.outcome]),
    [
      ['message', undefined, undefined],
      ['reasoning', undefined, undefined],
      ['reasoning_end', undefined, undefined],
      ['tool_call', 'equipment_list', null],
      ['tool_call', 'equipment_create', null],
      ['tool_result', 'equipment_list', 'output'],
      ['tool_result', 'equipment_create', 'output'],
      ['message', undefined, undefined],
    ],
  );
  assert.equal(messages.at(-1)?.final, true);
  const [, second] = site.model.requests;
  assert.match(JSON.stringify(second?.messages), /<data tool=\\"equipment_list\\">/);
  assert.match(JSON.stringify(second?.messages), /HT-01/);
  const entry = (await site.rig.call('equipment_events', { id: made?.id ?? '' })).data.find(
    ({ type }) => type === 'created',
  );
  assert.deepEqual([entry?.actor.type, entry?.actor.id, entry?.actor.name], ['service', run.task_id, 'agent']);
});

test('[AG1] a run of a custom action gets its subject and its skill; the task of a run is found by the run', async () => {
  await using site = await openAgent(NO_TOOL);
  const { rig } = site;
  await rig.call('skills_import', {
    skill_id: 'fuel',
    name: 'Fuel',
    files: [{ path: 'SKILL.md', content: '# Read the fuel level first' }],
  });
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const action = await rig.call('custom_actions_create', {
    label: 'Fuel',
    emoji: '⛽',
    prompt: 'Does it need fuel?',
    scope: 'equipment',
    skill_id: 'fuel',
  });
  const task = await rig.call('custom_actions_run', { id: action.id, subject_id: machine.id }, as('operator'));
  const run = await site.ended(task.id);
  assert.equal(run.status, 'completed');
  assert.deepEqual(
    run.skills.map(({ skill_id, source }) => [skill_id, source]),
    [['fuel', 'project_override']],
  );
  const system = JSON.stringify(site.model.requests[0]?.messages[0]);
  assert.ok(system.includes(machine.id) && system.includes('Read the fuel level first'));
  assert.deepEqual(
    (await rig.call('tasks_list', { run_id: run.id })).data.map(({ id }) => id),
    [task.id],
  );
});

test('[AG2] the agent gets no tool that is HTTP only, that starts or approves work, or that is not allowed; read_only gives only reads', async () => {
  await using site = await openAgent(NO_TOOL);
  await site.review({ allowed_tools: ['equipment_list', 'tasks_run', 'equipment_create', 'keys_list'] });
  await site.ask('Hello');
  await site.ask('Hello', { read_only: true });
  const names = site.model.requests.map(({ tools = [] }) => tools.map((tool) => tool.function?.name));
  assert.deepEqual(names, [['equipment_create', 'equipment_list'], ['equipment_list']]);
  await site.review({ allowed_tools: null });
  await site.ask('Hello');
  const all = (site.model.requests.at(-1)?.tools ?? []).map((tool) => tool.function?.name ?? '');
  assert.ok(all.includes('equipment_list') && all.length > 50);
  for (const name of [
    'tasks_create',
    'tasks_run',
    'custom_actions_run',
    'projects_create',
    'projects_setup',
    'devices_provision',
    'display_shares',
  ])
    assert.ok(!all.includes(name), name);
});

test('[AG2] a run may do only what the scopes of its creator permit', async () => {
  await using site = await openAgent((_, n) =>
    n === 0 ? { calls: [{ name: 'equipment_create', input: { unit_number: 'X-1' } }] } : { text: 'It is not allowed.' },
  );
  const caller = as('agent', { scopes: ['tasks:write', 'equipment:read'] });
  const { id } = await site.rig.call('tasks_create', { prompt: 'Make X-1' }, caller);
  assert.equal((await site.ended(id)).status, 'completed');
  const [result] = (await site.transcript(id)).filter(({ kind }) => kind === 'tool_result');
  assert.equal(result?.tool?.outcome, 'denied');
  assert.equal((await site.rig.call('equipment_list', {})).data.length, 0);
});

test('[AG3] no secret reaches the model, the transcript or an answer; the key goes to the model server alone', async () => {
  const secret = `wk_abcdefgh_${'B'.repeat(43)}`;
  await using site = await openAgent((_, n) =>
    n === 0 ? { calls: [{ name: 'equipment_list', input: { fields: '*' } }] } : { text: 'Done.' },
  );
  await site.review({ provider_key: 'sk-test-0123456789' });
  await site.rig.call('equipment_create', { unit_number: 'HT-01', name: secret });
  const run = await site.ask('List them');
  assert.equal(site.model.headers[0]?.authorization, 'Bearer sk-test-0123456789');
  const told = JSON.stringify([
    site.model.requests,
    await site.transcript(run.task_id),
    run,
    await site.rig.call('review_configuration_get', { id: site.rig.project }),
    (await site.rig.call('audit_list', {})).data,
  ]);
  assert.ok(!told.includes(secret) && told.includes('[secret]'));
  assert.ok(!told.includes('sk-test'));
});

test('[AG4] the cost of a run is null without prices, and is computed with them', async () => {
  await using site = await openAgent(NO_TOOL);
  const provider = {
    kind: 'openai',
    url: site.model.url,
    model: 'scripted',
    input_usd_per_mtok: 1_000,
    output_usd_per_mtok: 10_000,
  } as const;
  await site.review({ provider });
  const run = await site.ask('Hello');
  assert.deepEqual([run.cost_usd, run.limits.spend_usd], [0.2, null]);
});

test('[AG5] the messages API of Anthropic gives the same run', async () => {
  await using site = await openAgent((_, n) =>
    n === 0 ? { calls: [{ name: 'equipment_list' }, { name: 'operators_list' }] } : { text: 'None.' },
  );
  await site.review({
    provider: { kind: 'anthropic', url: site.model.url, model: 'scripted' },
    provider_key: 'sk-ant-1',
  });
  const run = await site.ask('List them');
  assert.deepEqual([run.status, run.output?.summary, run.usage.input_tokens], ['completed', 'None.', 200]);
  assert.equal(site.model.headers[0]?.['x-api-key'], 'sk-ant-1');
  const content = site.model.requests[1]?.messages.map(({ role, content: said }) => [
    role,
    (said as { type: string }[]).map(({ type }) => type),
  ]);
  assert.deepEqual(content, [
    ['user', ['text']],
    ['assistant', ['tool_use', 'tool_use']],
    ['user', ['tool_result', 'tool_result']],
  ]);
});

test('[AG6] wrong arguments and errors of tools go back to the model, which corrects them', async () => {
  await using site = await openAgent((_, n) => {
    if (n === 0) return { calls: [{ name: 'equipment_create', input: '{"unit_number": ' }] };
    if (n === 1) return { calls: [{ name: 'equipment_create', input: { unit: 'HT-01' } }] };
    if (n === 2) return { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-01' } }] };
    return { text: 'Made.' };
  });
  const run = await site.ask('Make HT-01');
  assert.equal(run.status, 'completed');
  const results = (await site.transcript(run.task_id)).filter(({ kind }) => kind === 'tool_result');
  assert.deepEqual(
    results.map(({ tool }) => tool?.outcome),
    ['error', 'error', 'output'],
  );
});

test('[AG7] a canceled run stops, its transcript has a result for each call, and nothing is written after it', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { promise: go, resolve: answer } = Promise.withResolvers<void>();
  await using site = await openAgent(async (_, n) => {
    if (n === 0) return { calls: [{ name: 'equipment_list' }] };
    resolve();
    await go;
    return { calls: [{ name: 'equipment_create', input: { unit_number: 'LATE' } }] };
  });
  const { id } = await site.rig.call('tasks_create', { prompt: 'Work' });
  await asked;
  assert.equal((await site.rig.call('tasks_cancel', { task_id: id })).run?.status, 'canceled');
  answer();
  await site.stop();
  const messages = await site.transcript(id);
  assert.equal(
    messages.filter(({ kind }) => kind === 'tool_call').length,
    messages.filter(({ kind }) => kind === 'tool_result').length,
  );
  assert.equal((await site.rig.call('equipment_list', {})).data.length, 0);
});

test('[AG8] without work the engine writes nothing and asks no model', async () => {
  await using site = await openAgent(NO_TOOL);
  let writes = 0;
  const stop = site.rig.store.changes(() => {
    writes++;
  });
  await site.ask('Hello');
  assert.ok(writes > 0);
  await site.stop();
  writes = 0;
  site.start();
  await site.stop();
  stop();
  assert.equal(writes, 0);
  assert.equal(site.model.requests.length, 1);
});
