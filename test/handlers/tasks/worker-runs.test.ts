/** The runs of a worker on a device: taken, reported, ended, and what becomes of those that fall silent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import type { RunData } from '#contract/work/task.ts';
import { sweepRuns } from '#sweeps/run-sweep.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

async function start() {
  const rig = await openRig();
  const { id } = await rig.call('devices_create', { name: 'Camera', kind: 'camera' });
  await rig.call('devices_worker_register', { id, name: 'yolo', version: '3', capabilities: ['trucks'] });
  const own = as('device', { kind: 'device', device: id, device_project: rig.project, project_ids: [rig.project] });
  return { rig, id, own };
}

const sweep = (rig: Rig) =>
  sweepRuns({
    store: rig.store,
    clock: rig.clock,
    newId: (kind, place) => makeId(kind, rig.clock(), crypto.getRandomValues(new Uint8Array(10)), place),
  });

test('[Q17] a device does not take a run that another node works on', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  const created = await rig.call('devices_worker_run', { id, title: 'Count trucks' });
  const view = rig.store.view(rig.project);
  const run = await view.get<RunData>('records', created.run?.id ?? '');
  assert.ok(run);
  const move = (node_id: string) =>
    view.commit([{ collection: 'records', id: run.id, object: 'run', data: { ...run.data, node_id } }]);
  await move('another_node');
  assert.equal((await rig.call('devices_worker_take', { id }, own)).task, null);
  await move(rig.store.nodeId);
  assert.equal((await rig.call('devices_worker_take', { id }, own)).task?.id, created.id);
});

test('[A410] a device takes the run that has waited longest, reports, and ends it with files and counts', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  assert.equal((await rig.call('devices_worker_take', { id }, own)).task, null);
  const first = await rig.call('devices_worker_run', { id, title: 'Count trucks', prompt: 'How many?' });
  const second = await rig.call('devices_worker_run', { id, title: 'Again' });
  const { task } = await rig.call('devices_worker_take', { id }, own);
  assert.deepEqual([task?.id, task?.run?.status, task?.prompt], [first.id, 'running', 'How many?']);
  const run_id = task?.run?.id ?? '';
  const far = await rig.call('devices_worker_report', { id, run_id, message: 'Frame 40 of 80', progress_pct: 50 }, own);
  assert.deepEqual([far.run?.progress_pct, far.run?.status_text], [50, 'Frame 40 of 80']);
  await assert.rejects(
    rig.call('devices_worker_report', { id, run_id, status: 'completed' }, own),
    code('parameter_missing'),
  );
  const strange = { id, run_id, status: 'completed' as const, message: 'Done', artifact_ids: ['art_strange'] };
  await assert.rejects(rig.call('devices_worker_report', strange, own), code('parameter_invalid'));
  const { artifact } = await rig.call('devices_upload_media', { id, name: 'a.txt', content_base64: 'YWJj' });
  const files = [artifact?.id ?? ''];
  const done = await rig.call(
    'devices_worker_report',
    { id, run_id, status: 'completed', message: '12 trucks', artifact_ids: files, counts: { trucks: 12 } },
    own,
  );
  assert.deepEqual(
    [done.run?.status, done.run?.output?.summary, done.run?.output?.artifacts, done.run?.seed_graph?.counts],
    ['completed', '12 trucks', files, { trucks: 12 }],
  );
  const said = await rig.call('tasks_messages', { task_id: first.id });
  assert.deepEqual(
    said.data.map(({ text, final }) => [text, final]),
    [
      ['How many?', false],
      ['Frame 40 of 80', false],
      ['12 trucks', true],
    ],
  );
  await assert.rejects(rig.call('devices_worker_report', { id, run_id }, own), code('no_active_run'));
  const listed = await rig.call('devices_worker_runs', { id }, own);
  assert.deepEqual(
    listed.data.map((one) => [one.id, one.run?.status]),
    [
      [second.id, 'pending'],
      [first.id, 'completed'],
    ],
  );
});

test('[Y195] a node does not report, cancel or start again the run of a task that another node made', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  const { id: task_id } = await rig.call('devices_worker_run', { id });
  const { id: prompted } = await rig.call('tasks_create', { prompt: 'Count the trucks' });
  const { task } = await rig.call('devices_worker_take', { id }, own);
  const run_id = task?.run?.id ?? '';
  const view = rig.store.view(rig.project);
  const ids = [task_id, run_id, prompted];
  const move = async () => {
    for (const { id: one, object, data } of await view.getMany('records', ids))
      await view.commit([{ collection: 'records', id: one, object, data: { ...data, node_id: 'another_node' } }]);
  };
  await move();
  const elsewhere = (wanted: string) => (error: OperationError) =>
    error.code === wanted && error.message.startsWith('Head office or another gateway made this task');
  await assert.rejects(rig.call('devices_worker_report', { id, run_id }, own), elsewhere('no_active_run'));
  await assert.rejects(rig.call('tasks_cancel', { task_id }), elsewhere('run_not_cancelable'));
  await assert.rejects(rig.call('tasks_run', { task_id: prompted }), elsewhere('parameter_invalid'));
});

test('[A410] a worker reports a failure, gets an error for a canceled run, and sees no runs of other devices', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  const task = await rig.call('devices_worker_run', { id });
  const run_id = task.run?.id ?? '';
  await assert.rejects(rig.call('devices_worker_report', { id, run_id }, own), code('no_active_run'));
  await rig.call('devices_worker_take', { id }, own);
  const failed = await rig.call('devices_worker_report', { id, run_id, status: 'failed', message: 'No model' }, own);
  assert.deepEqual([failed.run?.status, failed.run?.error?.message], ['failed', 'No model']);
  await rig.call('devices_worker_run', { id });
  const taken = await rig.call('devices_worker_take', { id }, own);
  await rig.call('tasks_cancel', { task_id: taken.task?.id ?? '' });
  const canceled = { id, run_id: taken.task?.run?.id ?? '' };
  await assert.rejects(
    rig.call('devices_worker_report', canceled, own),
    (error: OperationError) => error.code === 'no_active_run' && /canceled/.test(error.message),
  );
  const other = await rig.call('devices_create', { name: 'Other', kind: 'camera' });
  await assert.rejects(rig.call('devices_worker_report', { ...canceled, id: other.id }), code('not_found'));
});

test('[A956] a device takes each of its runs, however many wait and however many have ended', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  const made: string[] = [];
  for (let n = 0; n < 205; n++) {
    rig.now += 10;
    made.push((await rig.call('devices_worker_run', { id })).id);
  }
  const taken: (string | undefined)[] = [];
  for (;;) {
    // The worker is slow: the last runs wait for longer than a worker may stay away, and it works all the time.
    rig.now += 20_000;
    const { task } = await rig.call('devices_worker_take', { id }, own);
    if (task === null) break;
    taken.push(task.id);
    assert.equal(await sweep(rig), 0);
    const end = { id, run_id: task.run?.id ?? '', status: 'completed', message: 'Counted.' } as const;
    await rig.call('devices_worker_report', end, own);
  }
  assert.deepEqual(taken, made);
});

test('[A411] a run without reports is replaced by one run, and the task is paused after three', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  const { id: task_id } = await rig.call('devices_worker_run', { id, prompt: 'How many?' });
  for (let attempt = 0; attempt < 3; attempt++) {
    const { task } = await rig.call('devices_worker_take', { id }, own);
    assert.equal(task?.run?.retry.retry_count, attempt);
    rig.now += 200_000;
    await rig.call('devices_worker_report', { id, run_id: task?.run?.id ?? '', message: 'Still here' }, own);
    rig.now += 200_000;
    assert.equal(await sweep(rig), 0, 'it was heard within five minutes');
    rig.now += 200_000;
    assert.equal(await sweep(rig), 1);
  }
  const task = await rig.call('tasks_get', { task_id });
  assert.equal(task.auto_paused === false ? null : task.auto_paused.code, 'task_auto_paused_repeat_failure');
  assert.deepEqual([task.run?.status, task.run?.error?.code], ['failed', 'task_auto_paused_repeat_failure']);
  const runs = await rig.call('tasks_runs', { task_id, order: 'asc' });
  assert.deepEqual(
    runs.data.map(({ status, error }) => [status, error?.code]),
    [
      ['failed', 'run_liveness_timeout'],
      ['failed', 'run_liveness_timeout'],
      ['failed', 'task_auto_paused_repeat_failure'],
    ],
  );
  assert.equal((await rig.call('devices_worker_take', { id }, own)).task, null);
});

test('[A618] a run that a worker takes and never reports about is replaced', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  const { id: task_id } = await rig.call('devices_worker_run', { id });
  await rig.call('devices_worker_take', { id }, own);
  rig.now += 301_000;
  assert.equal(await sweep(rig), 1);
  const runs = (await rig.call('tasks_runs', { task_id, order: 'asc' })).data;
  assert.deepEqual(
    runs.map(({ status, error, retry }) => [status, error?.code, retry.retry_of]),
    [
      ['failed', 'backend_callback_never_arrived', null],
      ['pending', undefined, runs[0]?.id],
    ],
  );
});

test('[A206] a run that waits for a busy worker never ends as queue_pickup_timeout', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  await rig.call('devices_worker_run', { id });
  const { task } = await rig.call('devices_worker_take', { id }, own);
  const waits = await rig.call('devices_worker_run', { id });
  const report = { id, run_id: task?.run?.id ?? '' };
  for (let i = 0; i < 14; i++) {
    rig.now += 250_000;
    await rig.call('devices_worker_report', { ...report, progress_pct: i + 1 }, own);
  }
  rig.now += 90_000;
  await rig.call('devices_worker_report', { ...report, status: 'completed', message: 'Done' }, own);
  rig.now += 3_000_000;
  assert.equal(await sweep(rig), 0);
  rig.now += 700_000;
  assert.equal(await sweep(rig), 1);
  assert.equal((await rig.call('tasks_get', { task_id: waits.id })).run?.error?.code, 'queue_pickup_timeout');
});

test('[A411] a run that waits or works for more than an hour ends with an error code', async () => {
  const { rig, id, own } = await start();
  await using _ = rig;
  const waits = await rig.call('devices_worker_run', { id });
  rig.now += 3_700_000;
  assert.equal(await sweep(rig), 1);
  assert.equal((await rig.call('tasks_get', { task_id: waits.id })).run?.error?.code, 'queue_pickup_timeout');
  const long = await rig.call('devices_worker_run', { id });
  const run_id = (await rig.call('devices_worker_take', { id }, own)).task?.run?.id ?? '';
  for (let i = 0; i < 15; i++) {
    rig.now += 250_000;
    await rig.call('devices_worker_report', { id, run_id, progress_pct: i }, own);
  }
  assert.equal(await sweep(rig), 1);
  assert.equal((await rig.call('tasks_get', { task_id: long.id })).run?.error?.code, 'backend_wall_clock_timeout');
});
