import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import type { Write } from '#contract/base/view.ts';
import { RUN_ERRORS } from '#contract/work/run-errors.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import { createLiveRun, createProgress, createRun, endRun, missingFor, type NewEntry } from '#domain/runs/run.ts';
import { endWrites, findRun, messageWrites, type NewTask, type RunTools, stageTask } from '#domain/runs/writes.ts';
import { createStage } from '#servers/invoke/staged.ts';
import { sweepRuns } from '#sweeps/run-sweep.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const toolsOf = (rig: Rig): RunTools => ({
  now: new Date(rig.clock()).toISOString(),
  newId: (kind, place) => makeId(kind, rig.clock(), randomBytes(10), place),
});
const FINAL: NewEntry = { role: 'assistant', kind: 'message', text: 'Done.', final: true };
const OUTPUT = { summary: 'Done.', created: {}, updated: {}, artifacts: [] };

/** A task with its run, as a handler stages it. */
async function begin(rig: Rig, given: Partial<NewTask> = {}) {
  const tools = toolsOf(rig);
  const stage = createStage(rig.store, tools.now);
  const created_by = { type: 'workspace', id: 'key_owner', name: 'owner' };
  const asked = { kind: 'worker', title: 'Count trucks', prompt: 'Count the trucks.', created_by, ...given } as const;
  const { task, run } = stageTask(tools, stage.view(rig.project), asked);
  await rig.store.commit(stage.writes());
  return { task_id: task.id, run_id: run.id };
}

const commit = (rig: Rig, writes: readonly Write[]) => rig.store.view(rig.project).commit(writes);
async function stateOf(rig: Rig, run_id: string) {
  const state = await findRun(rig.store.view(rig.project), run_id);
  assert.ok(state);
  return state;
}

test('[A200] every operation returns the same run of a task', async () => {
  await using rig = await openRig();
  const { task_id, run_id } = await begin(rig);
  const task = await rig.call('tasks_get', { task_id });
  assert.deepEqual(
    [task.kind, task.prompt, task.auto_paused, task.latest_run_id],
    ['worker', 'Count the trucks.', false, run_id],
  );
  assert.deepEqual(task.stream, { url: `/api/v1/tasks/${task_id}/stream`, run_id });
  const status = await rig.call('tasks_status', { task_id });
  const pinned = await rig.call('tasks_status', { task_id, run_id });
  const runs = await rig.call('tasks_runs', { task_id });
  const tasks = await rig.call('tasks_list', { kind: 'worker' });
  assert.deepEqual([status, pinned, runs.data[0], tasks.data[0]?.run], [task.run, task.run, task.run, task.run]);
  assert.deepEqual(
    [status.status, status.state, status.terminal_event_count, status.queue_ahead],
    ['pending', 'queued', 0, 0],
  );
  assert.deepEqual([status.cost_usd, status.usage_json.input_tokens, status.usage], [null, null, status.usage_json]);
  assert.equal((await rig.call('tasks_list', { kind: 'export' })).data.length, 0);
  const second = await begin(rig);
  assert.equal((await rig.call('tasks_status', { task_id: second.task_id })).queue_ahead, 1);
  await assert.rejects(rig.call('tasks_status', { task_id, run_id: second.run_id }), code('not_found'));
  assert.deepEqual(await rig.call('tasks_status', { run_id }), task.run, 'a tool may name the run alone');
  await assert.rejects(rig.call('tasks_status', {}), code('parameter_missing'));
});

test('[A200] only `include=cost` adds itemized costs', async () => {
  await using rig = await openRig();
  const { task_id } = await begin(rig);
  const costed = await rig.call('tasks_get', { task_id, include: 'cost' });
  assert.deepEqual(costed.run?.usage_json.usage_line_items, []);
  assert.deepEqual((await rig.call('tasks_runs', { task_id, include: 'cost' })).data[0], costed.run);
  assert.equal((await rig.call('tasks_status', { task_id })).usage_json.usage_line_items, undefined);
});

test('[A201] a transcript is read in order, in pages and after a sequence number', async () => {
  await using rig = await openRig();
  const { task_id, run_id } = await begin(rig);
  for (let i = 0; i < 3; i++)
    await commit(
      rig,
      messageWrites(toolsOf(rig), await stateOf(rig, run_id), [{ role: 'assistant', kind: 'message', text: `${i}` }]),
    );
  const texts = (list: { data: { text: string | null }[] }) => list.data.map(({ text }) => text);
  const first = await rig.call('tasks_messages', { task_id, limit: 2 });
  assert.deepEqual(texts(first), ['Count the trucks.', '0']);
  assert.deepEqual(texts(await rig.call('tasks_messages', { task_id, limit: 2, cursor: first.next_cursor ?? '' })), [
    '1',
    '2',
  ]);
  assert.deepEqual(texts(await rig.call('tasks_messages', { task_id, run_id, after_sequence: 3 })), ['2']);
  await assert.rejects(rig.call('tasks_messages', { task_id, after_sequence: 3 }), code('parameter_missing'));
  const said = Array.from(
    { length: 40 },
    (_, i): NewEntry => ({ role: 'assistant', kind: 'message', text: `${i + 3}` }),
  );
  const now = rig.clock();
  const atOnce: RunTools = {
    now: new Date(now).toISOString(),
    newId: (kind, place) => makeId(kind, now, randomBytes(10), place),
  };
  await commit(rig, messageWrites(atOnce, await stateOf(rig, run_id), said));
  const together = await rig.call('tasks_messages', { task_id, run_id, after_sequence: 4 });
  assert.deepEqual(texts(together), texts({ data: said.map(({ text }) => ({ text: text ?? null })) }), 'of one moment');
});

test('[A202] completed is refused while a call, reasoning, the final message or a count is missing', () => {
  const run = createRun({ kind: 'setup', task_id: 'tsk_1', declares: ['equipment'] });
  const whole: RunLive = { ...createProgress(), final_message_id: 'msg_1' };
  const end = (live: RunLive, counts?: Record<string, number>) =>
    endRun(
      run,
      live,
      'run_1',
      { status: 'completed', output: OUTPUT, ...(counts ? { counts } : {}) },
      '2026-01-01T00:00:00.000Z',
    );
  assert.throws(() => end({ ...whole, final_message_id: null }, { equipment: 1 }), /final message/);
  assert.throws(() => end({ ...whole, reasoning_open: true }, { equipment: 1 }), /end of reasoning/);
  assert.throws(() => end({ ...whole, open_calls: ['c1'] }, { equipment: 1 }), /result of tool call c1/);
  assert.throws(() => end(whole), /count of equipment/);
  assert.deepEqual(missingFor(run, whole, { equipment: 0 }), []);
  const ended = end(whole, { equipment: 0 });
  assert.deepEqual(
    [ended.status, ended.terminal_event_count, ended.seed_graph?.counts],
    ['completed', 1, { equipment: 0 }],
  );
  assert.throws(() => endRun(ended, whole, 'run_1', { status: 'canceled', by: 'me' }, ''), /already ended/);
});

test('[A202] a run with a full transcript completes once, and its gaps are stored', async () => {
  await using rig = await openRig();
  const { task_id, run_id } = await begin(rig);
  const call: NewEntry = {
    role: 'assistant',
    kind: 'tool_call',
    tool: { call_id: 'c1', name: 'x', input: {}, outcome: null, output: null },
  };
  await commit(rig, messageWrites(toolsOf(rig), await stateOf(rig, run_id), [call]));
  const stale = await stateOf(rig, run_id);
  const outcome = { status: 'completed', output: OUTPUT } as const;
  assert.throws(() => endWrites(toolsOf(rig), stale, outcome, [FINAL]), /tool call c1/);
  const result: NewEntry = {
    role: 'tool',
    kind: 'tool_result',
    tool: { call_id: 'c1', name: 'x', input: null, outcome: 'denied', output: null },
  };
  const ending = endWrites(toolsOf(rig), stale, outcome, [result, FINAL]);
  await commit(rig, ending);
  await assert.rejects(
    commit(rig, endWrites(toolsOf(rig), stale, { status: 'canceled', by: 'x' })),
    'the second outcome loses',
  );
  const { run } = await rig.call('tasks_get', { task_id });
  assert.deepEqual(
    [run?.status, run?.terminal_event_count, run?.progress_pct, run?.error],
    ['completed', 1, 100, null],
  );
  assert.ok(run?.lifecycle.ended_at && run.row_clock.total_ms !== null);
  const last = (await rig.call('tasks_messages', { task_id, order: 'desc', limit: 1 })).data[0];
  assert.deepEqual([last?.final, last?.sequence], [true, 4]);
  assert.throws(
    () =>
      messageWrites(
        toolsOf(rig),
        { ...stale, run: { ...stale.run, data: { ...stale.run.data, status: 'completed' } } },
        [FINAL],
      ),
    /closed/,
  );
});

test('[A203] a task that this gateway cannot execute fails at once, with a remedy in its transcript', async () => {
  await using rig = await openRig();
  const { task_id } = await begin(rig, { kind: 'export' });
  const { run } = await rig.call('tasks_get', { task_id });
  assert.deepEqual(
    [run?.status, run?.error_json?.code, run?.terminal_event_count],
    ['failed', 'backend_unavailable', 1],
  );
  assert.equal(run?.error_json?.run_id, run?.id);
  assert.deepEqual(run?.warnings, [run?.error_json?.message]);
  const { data } = await rig.call('tasks_messages', { task_id });
  assert.deepEqual(
    data.map(({ kind }) => kind),
    ['message', 'note'],
  );
  assert.deepEqual(data[1]?.note, { code: 'backend_unavailable', remedy: RUN_ERRORS.backend_unavailable });
});

test('[A204] cancel ends the active run once, and answers 409 without an active run', async () => {
  await using rig = await openRig();
  const { task_id } = await begin(rig);
  const canceled = await rig.call('tasks_cancel', { task_id });
  assert.deepEqual(
    [canceled.run?.status, canceled.run?.terminal_event_count, canceled.run?.error],
    ['canceled', 1, null],
  );
  assert.deepEqual(canceled.run?.warnings, ['canceled by owner']);
  await assert.rejects(rig.call('tasks_cancel', { task_id }), code('no_active_run'));
});

test('[A204] of a concurrent cancel and outcome exactly one is stored', async () => {
  await using rig = await openRig();
  for (let i = 0; i < 5; i++) {
    const { task_id, run_id } = await begin(rig);
    const state = await stateOf(rig, run_id);
    const ending = endWrites(toolsOf(rig), state, { status: 'completed', output: OUTPUT }, [FINAL]);
    const [cancel, outcome] = await Promise.allSettled([rig.call('tasks_cancel', { task_id }), commit(rig, ending)]);
    assert.equal([cancel, outcome].filter(({ status }) => status === 'fulfilled').length, 1);
    const { run } = await rig.call('tasks_get', { task_id });
    assert.equal(run?.status, cancel.status === 'fulfilled' ? 'canceled' : 'completed');
    assert.equal(run?.terminal_event_count, 1);
  }
});

test('[A205] live decoding is returned as a running task and cannot be canceled', async () => {
  await using rig = await openRig();
  const device = await rig.call('devices_create', { device_id: 'logger' });
  const task: TaskData = { kind: 'decode', title: 'Live decoding of logger', latest_run_id: 'run_1' };
  const now = new Date(rig.clock()).toISOString();
  const run = createLiveRun('tsk_1', device.id, 'j1939/1', now);
  // As the first version wrote it, with most fields absent.
  const old = {
    task_id: 'tsk_2',
    status: 'running',
    terminal_event_count: 0,
    output: null,
    usage: null,
    cost_usd: null,
    error: null,
    gaps: [],
  };
  const backend = { provider: 'headframe', decoder: 'j1939/1', device_id: device.id };
  await rig.store.view(rig.project).commit([
    { collection: 'records', id: 'tsk_1', object: 'task', data: { ...task } },
    { collection: 'records', id: 'run_1', object: 'run', data: { ...run } },
    { collection: 'records', id: 'tsk_2', object: 'task', data: { ...task, latest_run_id: 'run_2' } },
    { collection: 'records', id: 'run_2', object: 'run', data: { ...old, backend, started_at: now } },
  ]);
  for (const task_id of ['tsk_1', 'tsk_2']) {
    const { run: read } = await rig.call('tasks_get', { task_id });
    assert.deepEqual(
      [read?.status, read?.state, read?.phase, read?.current_step],
      ['running', 'decoding', 'decode', 'j1939/1'],
    );
    assert.deepEqual(
      [read?.cost_usd, read?.limits.wall_s, read?.queue_ahead, read?.error],
      [null, null, undefined, null],
    );
    assert.ok(read?.sweep);
    assert.equal((await rig.call('tasks_runs', { task_id })).data.length, 1);
    assert.deepEqual((await rig.call('tasks_messages', { task_id })).data, []);
    await assert.rejects(rig.call('tasks_cancel', { task_id }), code('run_not_cancelable'));
  }
});

test('[A206] a run that nobody picks up in time ends as queue_pickup_timeout, and not before that time', async () => {
  await using rig = await openRig();
  const { task_id } = await begin(rig);
  const sweep = () => sweepRuns({ store: rig.store, clock: rig.clock, newId: toolsOf(rig).newId });
  assert.equal(await sweep(), 0);
  rig.now += 3_601_000;
  assert.equal(await sweep(), 1);
  const { run } = await rig.call('tasks_get', { task_id });
  assert.deepEqual(
    [run?.status, run?.error?.code, run?.timeouts.fired],
    ['failed', 'queue_pickup_timeout', 'queue_pickup_s'],
  );
  assert.equal(run?.harness.budget_fired, 'queue_pickup_s');
  assert.equal(await sweep(), 0);
});

test('[A207] every error code of a failed run has a remedy', () => {
  for (const [name, remedy] of Object.entries(RUN_ERRORS)) assert.ok(remedy.length > 10 && remedy.endsWith('.'), name);
  const run: RunData = createRun({ kind: 'agent', task_id: 'tsk_1' });
  for (const name of Object.keys(RUN_ERRORS) as (keyof typeof RUN_ERRORS)[]) {
    const ended = endRun(run, createProgress(), 'run_1', { status: 'failed', code: name, message: 'x' }, 'now');
    assert.deepEqual([ended.error?.code, ended.error?.run_id], [name, 'run_1']);
  }
});
