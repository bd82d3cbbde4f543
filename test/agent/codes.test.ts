/** Every failure code that a run of the agent can get, each reached by a fault. `test/runs/run-codes.test.ts` checks that no code lacks a test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentOptions } from '#agent/agent-kind.ts';
import type { Toolbox } from '#agent/toolbox.ts';
import type { OperationError } from '#contract/base/errors.ts';
import { RUN_ERRORS, type RunErrorCode } from '#contract/work/run-errors.ts';
import type { Run } from '#contract/work/task.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { lastingPort } from '#test/support/gateway.ts';
import { as } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';
import { type AgentRig, openAgent, type Script } from './rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const OK: Script = () => ({ text: 'Done.' });
const LIST = { calls: [{ name: 'equipment_list' }] };
/** Waits and timeouts of seconds become milliseconds. */
const FAST = { secondMs: 10 };

/** Checks that the run failed with this code, and that its transcript is whole and has the remedy. */
async function failed(site: AgentRig, run: Run, wanted: RunErrorCode, fired?: string): Promise<void> {
  assert.deepEqual([run.status, run.error?.code], ['failed', wanted], run.error?.message);
  assert.deepEqual([run.error?.remedy, run.error?.run_id, run.terminal_event_count], [RUN_ERRORS[wanted], run.id, 1]);
  assert.equal(run.harness.budget_fired, fired ?? null);
  const messages = (await site.transcript(run.task_id)).filter(({ run_id }) => run_id === run.id);
  assert.deepEqual(messages.at(-1)?.note, { code: wanted, remedy: RUN_ERRORS[wanted] });
  const of = (kind: string) => messages.filter((one) => one.kind === kind).map(({ tool }) => tool?.call_id);
  assert.deepEqual(of('tool_result').toSorted(), of('tool_call').toSorted());
}

async function fails(
  script: Script,
  wanted: RunErrorCode,
  more: Partial<AgentOptions> = FAST,
  fired?: string,
): Promise<Run> {
  await using site = await openAgent(script, more);
  const run = await site.ask('Work');
  await failed(site, run, wanted, fired);
  return run;
}

test('[AG20] provider_transient: the provider answers 500 three times', async () => {
  let requests = 0;
  await fails(() => {
    requests++;
    return { status: 500, message: 'overloaded' };
  }, 'provider_transient');
  assert.equal(requests, 3);
});

test('[AG20] a provider that fails twice and then answers completes the run, and the transcript says so', async () => {
  await using site = await openAgent((_, n) => (n < 2 ? { status: 503 } : { text: 'Done.' }), FAST);
  const run = await site.ask('Work');
  assert.equal(run.status, 'completed');
  const notes = (await site.transcript(run.task_id)).filter(({ kind }) => kind === 'note');
  assert.deepEqual(
    notes.map(({ text }) => text?.includes('503')),
    [true, true],
  );
});

test('[AG20] provider_terminal: the provider refuses the request, or the model refuses', async () => {
  const run = await fails(() => ({ status: 400, message: 'the prompt is too long' }), 'provider_terminal');
  assert.match(run.error?.message ?? '', /the prompt is too long/);
  await fails(() => ({ refusal: 'I will not.' }), 'provider_terminal');
  await fails(() => ({ text: '', end: 'content_filter' }), 'provider_terminal');
});

test('[AG20] provider_rate_limited: three answers 429, or a wait that is too long', async () => {
  await fails(() => ({ status: 429, retryAfter: 1 }), 'provider_rate_limited');
  let requests = 0;
  await fails(() => {
    requests++;
    return { status: 429, retryAfter: 3_600 };
  }, 'provider_rate_limited');
  assert.equal(requests, 1);
});

test('[AG20] provider_auth_failed: the provider refuses the key, and a message never repeats it', async () => {
  await using site = await openAgent(() => ({ status: 401, message: 'wrong key sk-secret-key' }));
  await site.review({ provider_key: 'sk-secret-key' });
  const run = await site.ask('Work');
  await failed(site, run, 'provider_auth_failed');
  assert.match(run.error?.message ?? '', /wrong key \[secret\]/);
});

test('[AG20] model_not_available: no model is set, or the provider does not offer it', async () => {
  await using site = await openAgent(() => ({ status: 404, message: 'model "scripted" not found' }));
  await failed(site, await site.ask('Work'), 'model_not_available');
  await site.review({ provider: null });
  const run = await site.ask('Work');
  await failed(site, run, 'model_not_available');
  assert.match(run.error?.remedy ?? '', /under Agent/);
  assert.equal(site.model.requests.length, 1);
});

test('[AG21] backend_unavailable: nothing listens at the address of the model server', async () => {
  await using site = await openAgent(OK, FAST);
  const url = `http://127.0.0.1:${await lastingPort()}/v1`;
  await site.review({ provider: { kind: 'openai', url, model: 'x' } });
  await failed(site, await site.ask('Work'), 'backend_unavailable');
});

test('[AG21] stream_transport_failed: the stream is cut three times, and nothing of a cut answer is used', async () => {
  await fails(() => ({ text: 'Half an ans', after: 'cut' }), 'stream_transport_failed');
  await using site = await openAgent((_, n) => (n === 0 ? { text: 'Half', after: 'cut' } : { text: 'Whole.' }), FAST);
  const run = await site.ask('Work');
  assert.deepEqual([run.status, run.output?.summary], ['completed', 'Whole.']);
});

test('[AG21] run_liveness_timeout: the provider begins an answer and then sends nothing', async () => {
  await fails(() => ({ text: 'Half', after: 'silence' }), 'run_liveness_timeout', FAST, 'liveness_s');
});

test('[AG21] instruction_timeout: the provider never answers', async () => {
  await fails(() => ({ never: 'silence' }), 'instruction_timeout', FAST, 'instruction_s');
});

test('[AG21] run_invocation_ceiling: the run takes longer than its limit of time', async () => {
  const toolbox: Toolbox = {
    list: () => [{ name: 'quick', description: '', schema: {}, readOnly: true }],
    call: async () => ({ isError: false, output: {} }),
  };
  // Each answer takes two waits of 60 s, and the run may take 900 s.
  const script: Script = (_, n) => (n % 3 === 2 ? { calls: [{ name: 'quick' }] } : { status: 429, retryAfter: 60 });
  await fails(script, 'run_invocation_ceiling', { toolbox, secondMs: 5 }, 'wall_s');
});

test('[AG22] tool_timeout: a tool does not answer in time', async () => {
  const toolbox: Toolbox = {
    list: () => [{ name: 'slow', description: '', schema: {}, readOnly: true }],
    call: () => new Promise(() => {}),
  };
  await fails(() => ({ calls: [{ name: 'slow' }, { name: 'slow' }] }), 'tool_timeout', { toolbox, ...FAST }, 'tool_s');
});

test('[AG22] tool_failed: the gateway itself fails three times in a row', async () => {
  const output = { error: { type: 'storage_error', code: 'storage_full', message: 'full' } };
  const toolbox: Toolbox = {
    list: () => [{ name: 'write', description: '', schema: {}, readOnly: false }],
    call: async () => ({ isError: true, output }),
  };
  await fails(() => ({ calls: [{ name: 'write' }] }), 'tool_failed', { toolbox });
});

test('[AG22] missing_expected_tool: the model asks three times for a tool that it may not use', async () => {
  const run = await fails(() => ({ calls: [{ name: 'keys_revoke' }] }), 'missing_expected_tool');
  assert.match(run.error?.message ?? '', /keys_revoke/);
});

test('[AG22] payload_contract_violation: broken JSON, arguments that are none, empty answers, too many calls', async () => {
  await fails(() => ({ raw: 'data: {"choices": [\n\n' }), 'payload_contract_violation');
  await fails(() => ({ calls: [{ name: 'equipment_list', input: '[1' }] }), 'payload_contract_violation');
  await fails(() => ({ text: '' }), 'payload_contract_violation');
  const calls = Array.from({ length: 40 }, () => ({ name: 'equipment_list' }));
  await fails(() => ({ calls }), 'payload_contract_violation');
});

test('[AG22] run_continuation_limit: the model asks for the same tool without end', async () => {
  const run = await fails(() => LIST, 'run_continuation_limit', {}, 'continuations');
  assert.equal(run.usage.tool_calls, 20);
});

test('[AG23] budget_exceeded: the run has used its budget of tokens', async () => {
  await using site = await openAgent(() => ({ ...LIST, usage: [900, 100] }));
  await site.review({ token_budget: 2_500 });
  const run = await site.ask('Work');
  await failed(site, run, 'budget_exceeded', 'tokens');
  assert.deepEqual([run.limits.tokens, run.usage.input_tokens, run.usage.tool_calls], [2_500, 2_700, 3]);
});

test('[AG23] spend_cap_reached: the run costs as much as its cap; a cap without prices is refused', async () => {
  await using site = await openAgent(() => ({ ...LIST, usage: [1_000, 0] }));
  const { rig } = site;
  await assert.rejects(site.review({ spend_cap_usd: 1 }), code('parameter_invalid'));
  const provider = {
    kind: 'openai',
    url: site.model.url,
    model: 'scripted',
    input_usd_per_mtok: 10,
    output_usd_per_mtok: 10,
  } as const;
  await site.review({ provider, spend_cap_usd: 0.025 });
  const run = await site.ask('Work');
  await failed(site, run, 'spend_cap_reached', 'spend_usd');
  assert.equal(run.cost_usd, 0.03);
  assert.equal((await rig.call('review_configuration_get', { id: rig.project })).spend_cap_usd, 0.025);
});

test('[AG24] project_paused: no agent works in a paused project, and later changes do not wake the run', async () => {
  await using site = await openAgent(OK);
  await site.review({ mode: 'paused' });
  const run = await site.ask('Work');
  await failed(site, run, 'project_paused');
  const action = await site.rig.call('custom_actions_create', { label: 'A', emoji: '⛽', prompt: 'Do it' });
  const task = await site.rig.call('custom_actions_run', { id: action.id });
  assert.equal(task.run?.error?.code, 'project_paused');
  const { setup } = await site.rig.call('projects_setup', { project_id: site.rig.project, prompt: '2 haul trucks' });
  assert.equal((await site.rig.call('tasks_get', { task_id: setup.task.id })).run?.error?.code, 'project_paused');
  assert.equal(site.model.requests.length, 0);
  await site.review({ mode: 'auto' });
  await site.rig.call('tasks_run', { task_id: run.task_id });
  const second = await site.ended(run.task_id);
  assert.deepEqual([second.status, second.retry.retry_of], ['completed', null]);
  const runs = (await site.rig.call('tasks_runs', { task_id: run.task_id })).data;
  assert.deepEqual(
    runs.map(({ status }) => status),
    ['completed', 'failed'],
  );
});

test('[AG24] project_awaiting_approval: an approval starts a new run; only approvers may approve', async () => {
  await using site = await openAgent(OK);
  const { rig } = site;
  await site.review({ mode: 'review', approvers: ['key_supervisor'] });
  const run = await site.ask('Work');
  await failed(site, run, 'project_awaiting_approval');
  const { task_id } = run;
  const approve = (caller: Parameters<typeof as>[0], more: object = {}) =>
    rig.call('tasks_run', { task_id, approve: true }, as(caller, more));
  await assert.rejects(approve('agent', { id: 'key_supervisor' }), code('permission_denied'));
  await assert.rejects(approve('supervisor', { id: 'key_other' }), code('permission_denied'));
  // Without an approval, the next run waits, too.
  await rig.call('tasks_run', { task_id });
  assert.equal((await site.ended(task_id)).error?.code, 'project_awaiting_approval');
  await approve('supervisor');
  const second = await site.ended(task_id);
  assert.deepEqual([second.status, second.review_revision], ['completed', 2]);
  await assert.rejects(approve('owner'), code('not_awaiting_approval'));
  const log = await rig.call('audit_list', { subject: task_id });
  assert.deepEqual(
    log.data.map(({ type, actor }) => [type, actor.id]),
    [
      ['approved', 'key_supervisor'],
      ['run', 'key_owner'],
    ],
  );
});

test('[AG25] project_awaiting_approval: in review mode a write after text of a device needs an approval of its own, and is then made once', async () => {
  let made = 0;
  await using site = await openAgent((_, n) => {
    if (n === 0)
      return { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-01' } }, { name: 'devices_list' }] };
    if (n === 1)
      return { calls: [{ name: 'equipment_list' }, { name: 'equipment_create', input: { unit_number: 'EVIL' } }] };
    made = n;
    return { text: 'Done.' };
  });
  const { rig } = site;
  await site.review({ mode: 'review' });
  const { task_id } = await site.ask('Work');
  await rig.call('tasks_run', { task_id, approve: true });
  const first = await site.ended(task_id);
  await failed(site, first, 'project_awaiting_approval');
  assert.match(first.error?.message ?? '', /equipment_create/);
  const units = async () =>
    (await rig.call('equipment_list', {})).data.map(({ unit_number }) => unit_number).toSorted();
  assert.deepEqual(await units(), ['HT-01']);
  await rig.call('tasks_run', { task_id, approve: true });
  const second = await site.ended(task_id);
  assert.deepEqual([second.status, made], ['completed', 2]);
  assert.deepEqual(await units(), ['EVIL', 'HT-01']);
  assert.equal(second.output?.created.equipment?.length, 2);
});

test('[AG25] [A260] the setup status has text of devices, so that a write after it needs an approval', async () => {
  await using site = await openAgent(
    (_, n) =>
      [
        { calls: [{ name: 'projects_setup_status' }] },
        { calls: [{ name: 'equipment_create', input: { unit_number: 'EVIL' } }] },
      ][n] ?? { text: 'Done.' },
  );
  const { rig } = site;
  await site.review({ mode: 'review' });
  const { task_id } = await site.ask('Work');
  await rig.call('tasks_run', { task_id, approve: true });
  await failed(site, await site.ended(task_id), 'project_awaiting_approval');
  assert.deepEqual((await rig.call('equipment_list', {})).data, []);
});

test('[AG25] in auto mode a write after text of a device needs no approval', async () => {
  await using site = await openAgent(
    (_, n) =>
      [
        { calls: [{ name: 'devices_list' }] },
        { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-01' } }] },
        { text: 'Done.' },
      ][n] ?? { text: '' },
  );
  assert.equal((await site.ask('Work')).status, 'completed');
});

/** Changes a stored document as a damaged disk or a wrong program would. */
async function damage(site: AgentRig, collection: 'records' | 'local', id: string, change: object): Promise<void> {
  const view = site.rig.store.view(site.rig.project);
  const found = await view.get(collection, id);
  assert.ok(found);
  await view.commit([
    { collection, id, object: found.object, data: { ...found.data, ...change }, expected: found.revision },
  ]);
}

test('[AG26] project_run_mode_unreadable: the stored configuration is damaged', async () => {
  await using site = await openAgent(OK);
  await damage(site, 'local', `review_${site.rig.project}`, { mode: 'perhaps' });
  await failed(site, await site.ask('Work'), 'project_run_mode_unreadable');
});

test('[AG26] project_approval_unreadable: the stored approval of a waiting run is damaged', async () => {
  await using site = await openAgent(OK);
  await site.review({ mode: 'review' });
  const { task_id } = await site.ask('Work');
  await site.stop();
  const { run } = await site.rig.call('tasks_run', { task_id, approve: true });
  await damage(site, 'records', run?.id ?? '', { approval: { by: 7 } });
  site.start();
  await failed(site, await site.ended(task_id), 'project_approval_unreadable');
  await site.rig.call('tasks_run', { task_id, approve: true });
  assert.equal((await site.ended(task_id)).status, 'completed');
});

test('[AG26] skill_instance_not_found: the files of the skill were changed after the run was created', async () => {
  await using site = await openAgent(OK);
  const skill = await site.rig.call('skills_import', {
    skill_id: 'fuel',
    name: 'Fuel',
    files: [{ path: 'SKILL.md', content: 'x' }],
  });
  const action = await site.rig.call('custom_actions_create', {
    label: 'A',
    emoji: '⛽',
    prompt: 'Do it',
    skill_id: 'fuel',
  });
  await damage(site, 'records', skill.id, {
    files: [{ path: 'SKILL.md', bytes: 4, sha256: '', content_base64: btoa('evil') }],
  });
  const task = await site.rig.call('custom_actions_run', { id: action.id });
  await failed(site, await site.ended(task.id), 'skill_instance_not_found');
});

test('[AG26] unknown: the harness meets an error of its own', async () => {
  const toolbox: Toolbox = {
    list() {
      throw new TypeError('a defect');
    },
    call: () => Promise.reject(new Error('never')),
  };
  const run = await fails(OK, 'unknown', { toolbox });
  assert.match(run.error?.message ?? '', /a defect/);
});

test('[AG27] run_evicted_by_deploy: a stop of the gateway replaces the run, which goes on without a second write', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  await using site = await openAgent(async ({ messages }) => {
    const text = JSON.stringify(messages);
    if (!text.includes('t1c1')) return { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-01' } }] };
    if (!text.includes('replaced')) resolve();
    return site.model.requests.length < 3 ? { never: 'silence' } : { text: 'Done.' };
  });
  const { id } = await site.rig.call('tasks_create', { prompt: 'Make HT-01' });
  await asked;
  await site.stop();
  const runs = async () => (await site.rig.call('tasks_runs', { task_id: id, order: 'asc' })).data;
  const [dead, next] = await runs();
  await failed(site, dead as Run, 'run_evicted_by_deploy');
  assert.deepEqual([next?.status, next?.retry.retry_of], ['pending', dead?.id]);
  site.start();
  assert.equal((await site.ended(id)).status, 'completed');
  assert.deepEqual(
    (await runs()).map(({ status }) => status),
    ['failed', 'completed'],
  );
  assert.equal((await site.rig.call('equipment_list', {})).data.length, 1);
  assert.equal((await site.transcript(id)).filter(({ role }) => role === 'user').length, 2);
});

/** The store of the site. After the process is gone, it refuses every write, so the run stays as it is at that moment. */
function dyingStore({ rig }: AgentRig, isGone: () => boolean): AgentOptions['store'] {
  const { store } = rig;
  return {
    nodeId: store.nodeId,
    node: store.node,
    find: (...args) => store.find(...args),
    changes: (listener) => store.changes(listener),
    view(project) {
      const view = store.view(project);
      return {
        ...view,
        commit: async (writes) => {
          if (isGone()) throw new Error('the process is gone');
          return view.commit(writes);
        },
      };
    },
  };
}

test('[AG27] run_invocation_died, then task_auto_paused_repeat_failure: a call that was open is made once, whether its write was stored or not', async () => {
  const { promise: never } = Promise.withResolvers<never>();
  const reached: (() => void)[] = [];
  const stuck = (rig: AgentRig['rig'], first: boolean): Toolbox => {
    const { invoke, artifacts } = rig;
    const real = createToolbox({ invoke, artifacts, log: () => undefined });
    return {
      list: real.list,
      // The process dies after the write of the tool, or before it, and before the result is stored.
      async call(...args) {
        if (first) await real.call(...args);
        reached.shift()?.();
        return never;
      },
    };
  };
  for (const first of [true, false]) {
    await using site = await openAgent((_, n) =>
      n === 0 ? { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-01' } }] } : { text: 'Done.' },
    );
    await site.stop();
    const { id } = await site.rig.call('tasks_create', { prompt: 'Make HT-01' });
    const codes = async () =>
      (await site.rig.call('tasks_runs', { task_id: id, order: 'asc' })).data.map(
        ({ error, status }) => error?.code ?? status,
      );
    const deaths = first ? 1 : 3;
    for (let i = 0; i < deaths; i++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      reached.push(resolve);
      let gone = false;
      site.start({ toolbox: stuck(site.rig, first), store: dyingStore(site, () => gone) });
      await promise;
      gone = true;
      await site.stop();
    }
    site.start();
    const run = await site.ended(id);
    const units = (await site.rig.call('equipment_list', {})).data.map(({ unit_number }) => unit_number);
    if (first) {
      await until(async () => (await codes()).at(-1) === 'completed');
      assert.deepEqual(await codes(), ['run_invocation_died', 'completed']);
      assert.deepEqual(units, ['HT-01']);
    } else {
      assert.deepEqual(await codes(), [
        'run_invocation_died',
        'run_invocation_died',
        'task_auto_paused_repeat_failure',
      ]);
      assert.deepEqual([units, run.error?.code], [[], 'task_auto_paused_repeat_failure']);
      assert.equal((await site.rig.call('tasks_run', { task_id: id })).auto_paused, false);
      assert.equal((await site.ended(id)).status, 'completed');
    }
  }
});
