/** Reads every field of the status block of a run, in the states in which it has a value. The last test checks that no field is left out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { DeviceLive } from '#contract/fleet/device.ts';
import { RUN_ERRORS } from '#contract/work/run-errors.ts';
import { Run } from '#contract/work/task.ts';
import { createLiveRun } from '#domain/runs/run.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { eventually, startGateway } from '#test/support/gateway.ts';
import { openRig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';
import { openAgent, type Script } from './rig.ts';

const read = new Set<string>();

/** Checks fields of a run by their paths. A function checks the value itself. */
function has(run: Run | null, expected: Readonly<Record<string, unknown>>): void {
  for (const [path, wanted] of Object.entries(expected)) {
    read.add(path.replace(/\.\d+(?=\.|$)/g, '.*'));
    const value = path
      .split('.')
      .reduce<unknown>((from, key) => (from as Record<string, unknown> | null | undefined)?.[key], run);
    if (typeof wanted === 'function') assert.ok(wanted(value), `${path} is ${JSON.stringify(value)}`);
    else assert.deepEqual(value, wanted, path);
  }
}

const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isMs = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isRemedy = (value: unknown): boolean => value === RUN_ERRORS.instruction_timeout;
const isInstructionMessage = (value: unknown): boolean => String(value).includes('300 s');
const isHash = (value: unknown): boolean => /^sha256:[0-9a-f]{64}$/.test(String(value));
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isId = (value: unknown): boolean => /^[a-z]+_\w+$/.test(String(value));

const MAKES: Script = (_, n) =>
  n === 0
    ? { reasoning: 'Make it.', calls: [{ name: 'equipment_create', input: { unit_number: 'HT-02' } }] }
    : { text: 'I made HT-02.' };

test('[Q26] a completed run of the agent with a skill: outcome, usage, cost, clocks, ceilings, backend and skill', async () => {
  await using site = await openAgent(MAKES);
  const { rig } = site;
  const { hash } = await rig.call('skills_import', {
    skill_id: 'fuel',
    name: 'Fuel',
    files: [{ path: 'SKILL.md', content: '# Fuel' }],
  });
  const prices = { input_usd_per_mtok: 1_000, output_usd_per_mtok: 10_000 };
  await site.review({
    provider: { kind: 'openai', url: site.model.url, model: 'scripted', ...prices },
    spend_cap_usd: 5,
    token_budget: 10_000,
  });
  const action = { label: 'Fuel', emoji: '⛽', prompt: 'Fuel?', scope: 'project', skill_id: 'fuel' } as const;
  const { id } = await rig.call('custom_actions_create', action);
  const task = await rig.call('custom_actions_run', { id });
  const run = await site.ended(task.id);
  has((await rig.call('tasks_status', { task_id: task.id, include: 'pins' })) as Run, {
    ...{ 'pins.0.object': 'custom_action', 'pins.0.id': id, 'pins.0.revision': 1, 'pins.0.hash': isHash },
    ...{ 'pins.0.content.prompt': 'Fuel?', 'pins.0.content': isObject, 'pins.0.valid': true },
    ...{ 'pins.1.object': 'skill_revision', 'pins.1.hash': hash, 'pins.1.content': null, 'pins.1.valid': null },
    ...{ 'pins.2.object': 'review_configuration', 'pins.2.revision': 2, 'pins.2.valid': true, 'pins.length': 3 },
  });
  has(run, {
    ...{ object: 'run', id: isId, task_id: task.id, project_id: rig.project },
    ...{ status: 'completed', state: 'completed', phase: 'agent', status_text: 'Done.', current_step: null },
    ...{ progress_pct: 100, terminal_event_count: 1, error_json: null, error: null, warnings: [], gaps: [] },
    ...{ 'retry.retry_of': null, 'retry.retry_count': 0 },
    ...{ 'lifecycle.created_at': isTime, 'lifecycle.queued_at': isTime, 'lifecycle.dequeued_at': isTime },
    ...{ 'lifecycle.started_at': isTime, 'lifecycle.first_token_at': isTime, 'lifecycle.ended_at': isTime },
    ...{ created_at: isTime, updated_at: isTime, started_at: run.lifecycle.started_at },
    ...{ 'row_clock.queued_ms': isMs, 'row_clock.first_token_ms': isMs, 'row_clock.total_ms': isMs },
    ...{ 'runner_clock.wall_ms': isMs, 'runner_clock.cpu_ms': null },
    ...{ 'backend.platform': 'headframe', 'backend.harness': 'agent/1', 'backend.provider': 'openai' },
    ...{ 'backend.model': 'scripted', 'backend.preset': 'agent' },
    ...{ 'limits.wall_s': 900, 'limits.cpu_s': 120, 'limits.continuations': 20, 'limits.spend_usd': 5 },
    ...{ 'limits.tokens': 10_000, 'limits.fired': null },
    ...{ 'timeouts.tool_s': 60, 'timeouts.instruction_s': 300, 'timeouts.queue_pickup_s': 120 },
    ...{ 'timeouts.liveness_s': 45, 'timeouts.fired': null, 'harness.budget_fired': null },
    ...{ review_revision: 2, seed_graph: null, live: null, live_warning: null, sweep: null, callback: null },
    ...{ 'skills.0.skill_id': 'fuel', 'skills.0.source': 'project_override', 'skills.0.executed_hash': hash },
    ...{ 'skills.0.base_catalog_hash': null },
    ...{ 'output.summary': 'I made HT-02.', 'output.created.equipment.length': 1, 'output.updated': {} },
    ...{ 'output.artifacts': [], 'output.details': undefined },
    ...{ 'usage_json.input_tokens': 200, 'usage_json.output_tokens': 20, 'usage_json.tool_calls': 1 },
    ...{ 'usage_json.credits': null, 'usage_json.wall_ms': isMs, 'usage_json.usage_line_items': undefined },
    ...{ usage: run.usage_json, cost_usd: 0.4 },
  });
  const itemized = await rig.call('tasks_status', { task_id: task.id, include: 'cost' });
  has(itemized, { 'usage_json.usage_line_items': [] });
});

test('[Q26] a run that waits, and one that works with a tool: place in the queue, snapshot, and why it is not ended', async () => {
  const { promise: never } = Promise.withResolvers<never>();
  const { promise: called, resolve: reached } = Promise.withResolvers<void>();
  await using site = await openAgent(MAKES);
  const { rig } = site;
  const { invoke, artifacts } = rig;
  const real = createToolbox({ invoke, artifacts, log: () => undefined });
  await site.stop();
  const first = await rig.call('tasks_create', { prompt: 'Make HT-02' });
  const second = await rig.call('tasks_create', { prompt: 'Wait' });
  has((await rig.call('tasks_get', { task_id: second.id })).run, {
    ...{ status: 'pending', state: 'queued', queue_ahead: (n: unknown) => n === 0 || n === 1 },
    ...{ sweep: 'The run waits in the queue.', terminal_event_count: 0, started_at: null },
  });
  const call = async () => {
    reached();
    return never;
  };
  site.start({ toolbox: { ...real, call } });
  await called;
  has((await rig.call('tasks_get', { task_id: first.id })).run, {
    ...{ status: 'running', sweep: 'The run waits for the tool equipment_create.' },
    live: { messages: 4, open_tools: ['equipment_create'] },
  });
});

test('[Q26] a failed run: the envelope, the timeout that fired, the warning, and the run that it replaces', async () => {
  await using site = await openAgent(() => ({ never: 'silence' }), { secondMs: 1 });
  const run = await site.ask('Work');
  has(run, {
    ...{ 'error_json.code': 'instruction_timeout', 'error_json.message': isInstructionMessage },
    ...{ 'error_json.run_id': run.id, 'error_json.remedy': isRemedy, error: run.error_json },
    ...{ 'timeouts.fired': 'instruction_s', 'harness.budget_fired': 'instruction_s' },
    ...{ warnings: [run.error?.message], output: null, cost_usd: null },
  });
  await site.stop();
  site.start({ secondMs: 1_000 });
  const { id } = await site.rig.call('tasks_create', { prompt: 'Again' });
  await until(async () => (await site.rig.call('tasks_get', { task_id: id })).run?.status === 'running');
  await site.stop();
  const runs = (await site.rig.call('tasks_runs', { task_id: id, order: 'asc' })).data;
  has(runs[1] ?? null, { 'retry.retry_of': runs[0]?.id, 'retry.retry_count': 1 });
});

test('[Q26] the run of a worker: whether its end was reported, its counts; live decoding: a warning', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'cam-1' });
  await rig.call('devices_worker_register', { id, name: 'counter', version: '1', capabilities: [] });
  const start = async () => (await rig.call('devices_worker_run', { id, title: 'Count' })).id;
  const task_id = await start();
  const state = async (task: string) => (await rig.call('tasks_get', { task_id: task })).run;
  has(await state(task_id), { callback: 'awaited' });
  await rig.call('devices_worker_take', { id });
  has(await state(task_id), { callback: 'awaited', sweep: 'The run waits for the report of the worker.' });
  const run_id = (await state(task_id))?.id ?? '';
  const report = { id, run_id, status: 'completed', message: '12 trucks.', counts: { trucks: 12 } } as const;
  await rig.call('devices_worker_report', report);
  has(await state(task_id), { callback: 'arrived', 'seed_graph.counts': { trucks: 12 }, 'seed_graph.gaps': [] });
  const other = await start();
  await rig.call('tasks_cancel', { task_id: other });
  has(await state(other), { status: 'canceled', callback: 'missing', warnings: (list: string[]) => list.length === 1 });
  const run = createLiveRun('tsk_live', id, 'j1939/1', new Date(rig.clock()).toISOString());
  const task = { kind: 'decode', title: 'Live decoding', latest_run_id: 'run_live' };
  await rig.store.view(rig.project).commit([
    { collection: 'records', id: 'tsk_live', object: 'task', data: task },
    { collection: 'records', id: 'run_live', object: 'run', data: { ...run } },
  ]);
  rig.live.devices.set(id, { status: 'fault', last_seen_at: null, metrics: {} } as unknown as DeviceLive);
  has(await state('tsk_live'), { live_warning: 'Most of what the device sends cannot be read.' });
});

test('[Q26] the run of a setup: its gaps with what they propose', async () => {
  await using gateway = await startGateway();
  const { project, setup } = await gateway.client.call('projects_create', {
    name: 'Quarry',
    setup: true,
    prompt: 'Harrow Quarry. Maybe two Cat 777 trucks. Three Cat 785 trucks without numbers.',
  });
  const { run } = await eventually(
    () => gateway.project(project.id).call('tasks_get', { task_id: setup?.task.id ?? '' }),
    (task) => task.run?.terminal_event_count === 1,
  );
  const at = run?.gaps.findIndex(({ proposal }) => proposal !== undefined) ?? -1;
  const isText = (value: unknown) => typeof value === 'string' && value.length > 0;
  has(run, {
    ...{ [`gaps.${at}.code`]: isText, [`gaps.${at}.resource`]: isText, [`gaps.${at}.ref`]: isText },
    ...{ [`gaps.${at}.message`]: isText, [`gaps.${at}.remedy`]: isText, [`gaps.${at}.blocking`]: false },
    ...{ [`gaps.${at}.proposal.operation`]: 'equipment_create' },
    ...{ [`gaps.${at}.proposal.objects`]: (objects: unknown[]) => objects.length > 0 },
    ...{ 'seed_graph.counts.equipment': 3, 'seed_graph.gaps': run?.gaps },
  });
});

/** Fields with the same content as another field. The tests above compare both. */
const SAME: readonly (readonly [field: string, as: string])[] = [
  ['usage.', 'usage_json.'],
  ['error.', 'error_json.'],
  ['seed_graph.gaps.', 'gaps.'],
];

type Schema = z.core.JSONSchema.BaseSchema;

/** Returns the paths of all fields in a JSON schema. A list has the path segment `*`. */
function* pathsOf(schema: Schema, defs: Readonly<Record<string, Schema>>, path = ''): Generator<string> {
  const own = schema.$ref === undefined ? schema : (defs[schema.$ref.replace('#/$defs/', '')] as Schema);
  if (own.anyOf !== undefined) for (const one of own.anyOf) yield* pathsOf(one as Schema, defs, path);
  if (own.items !== undefined) yield* pathsOf(own.items as Schema, defs, `${path}.*`);
  for (const [name, field] of Object.entries(own.properties ?? {})) {
    const inner = path === '' ? name : `${path}.${name}`;
    yield inner;
    yield* pathsOf(field as Schema, defs, inner);
  }
}

test('[Q26] every field of the status block is read by a test', () => {
  const schema = z.toJSONSchema(Run);
  const paths = [...new Set(pathsOf(schema, schema.$defs ?? {}))];
  assert.ok(paths.length > 80);
  const readAs = (path: string) => {
    const [field = '', as = ''] = SAME.find(([one]) => path.startsWith(one)) ?? [];
    return as + path.slice(field.length);
  };
  const isRead = (path: string) => [...read].some((one) => one === path || one.startsWith(`${path}.`));
  assert.deepEqual(
    paths.filter((path) => !isRead(readAs(path))),
    [],
  );
});
