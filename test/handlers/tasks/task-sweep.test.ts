/** Receipts of decoded files have an end, and whoever asks for one that is gone is told so. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { type Kind, makeId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { decodeTaskWrites } from '#domain/runs/decode-task.ts';
import type { NewEntry, Outcome } from '#domain/runs/run.ts';
import { RETAINED } from '#domain/runs/task-retention.ts';
import { endWrites, findRun } from '#domain/runs/writes.ts';
import { createTaskSweep } from '#sweeps/task-sweep.ts';
import { running } from '#test/ingest/frames.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';

const DAY_MS = 86_400_000;
const gone = (error: OperationError) => error.code === 'past_retention' && error.status === 410;
const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const FINAL: NewEntry = { role: 'assistant', kind: 'message', text: 'Read.', final: true };
const GAP = { code: 'no_equipment_match', resource: 'device', ref: null, message: 'm', remedy: 'r', blocking: false };
const OUTPUT = { summary: 'Read.', created: {}, updated: {}, artifacts: [] };
const CLEAN: Outcome = { status: 'completed', output: OUTPUT };
const GAPPY: Outcome = { status: 'completed', output: OUTPUT, gaps: [GAP] };
const FAILED: Outcome = { status: 'failed', code: 'recording_empty', message: 'Nothing in it.' };

const toolsOf = (rig: Rig) => ({
  now: new Date(rig.clock()).toISOString(),
  newId: (kind: Kind, place?: number) => makeId(kind, rig.clock(), randomBytes(10), place),
});

async function start() {
  const rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const view = rig.store.view(rig.project);
  let made = 0;
  return {
    rig,
    id,
    /** A log that was uploaded; its task and run. */
    async upload() {
      const content = running(Date.parse('2026-11-20T06:00:00Z') + made++ * 1_000, 1);
      const content_base64 = Buffer.from(content, 'latin1').toString('base64');
      const { artifact } = await rig.call('devices_upload_media', { id, content_base64 });
      const task_id = artifact?.decode_task_id ?? '';
      const { latest_run_id } = await rig.call('tasks_get', { task_id });
      return { artifact_id: artifact?.id ?? '', task_id, run_id: latest_run_id ?? '' };
    },
    async end(run_id: string, outcome: Outcome) {
      const state = await findRun(view, run_id);
      assert.ok(state);
      await view.commit(endWrites(toolsOf(rig), state, outcome, outcome.status === 'completed' ? [FINAL] : []));
    },
    sweep: (more: Partial<Parameters<typeof createTaskSweep>[0]> = {}) =>
      createTaskSweep({ store: rig.store, clock: rig.clock, agesKnown: () => true, ...more }),
    has: async (collection: 'records' | 'live', doc: string) => (await view.get(collection, doc)) !== undefined,
    messages: async (task_id: string) =>
      (await view.find('events', { object: 'message', where: { 'data.task_id': task_id }, limit: 100 })).length,
  };
}

test('[A343] a clean task is removed after 90 days with its runs and messages; a task with problems after a year', async () => {
  const at = await start();
  await using rig = at.rig;
  const tasks = [await at.upload(), await at.upload(), await at.upload(), await at.upload()] as const;
  const [clean, gappy, failed, waiting] = tasks;
  await at.end(clean.run_id, CLEAN);
  await at.end(gappy.run_id, GAPPY);
  await at.end(failed.run_id, FAILED);
  const sweep = at.sweep();
  rig.now += (LIMITS.decode_task_days.value - 1) * DAY_MS;
  assert.equal(await sweep(), 0);
  rig.now += 2 * DAY_MS;
  assert.equal(await at.sweep({ agesKnown: () => false })(), 0, 'not while nobody knows how old anything is');
  assert.ok((await at.messages(clean.task_id)) > 0);
  assert.equal(await sweep(), 1);
  for (const id of [clean.task_id, clean.run_id]) assert.equal(await at.has('records', id), false);
  assert.equal(await at.has('live', clean.run_id), false);
  assert.equal(await at.messages(clean.task_id), 0);
  for (const { task_id } of [gappy, failed, waiting]) assert.ok((await rig.call('tasks_get', { task_id })).run);
  rig.now += (LIMITS.decode_gap_task_days.value - LIMITS.decode_task_days.value) * DAY_MS;
  assert.equal(await sweep(), 2);
  const { task_id } = waiting;
  assert.equal((await rig.call('tasks_get', { task_id })).run?.status, 'pending', 'what waits is never removed');
});

test('[Q17] a task of another node is not removed', async () => {
  const at = await start();
  await using rig = at.rig;
  const { task_id, run_id } = await at.upload();
  await at.end(run_id, CLEAN);
  rig.now += (LIMITS.decode_task_days.value + 1) * DAY_MS;
  const { store } = rig;
  const elsewhere = { find: store.find, view: store.view, commit: store.commit, nodeId: 'another_node' };
  assert.equal(await at.sweep({ store: elsewhere })(), 0);
  assert.equal(await at.has('records', task_id), true);
  assert.equal(await at.sweep()(), 1);
});

test('[A344] calls for a removed run or task fail with an error that names the retention time', async () => {
  const at = await start();
  await using rig = at.rig;
  const one = await at.upload();
  await at.end(one.run_id, CLEAN);
  const never = makeId('run', rig.now - DAY_MS, randomBytes(10));
  await assert.rejects(rig.call('tasks_status', { run_id: never }), code('not_found'));
  rig.now += 91 * DAY_MS;
  assert.equal(await at.sweep()(), 1);
  const { task_id, run_id, artifact_id } = one;
  for (const call of [
    () => rig.call('tasks_get', { task_id }),
    () => rig.call('tasks_status', { task_id }),
    () => rig.call('tasks_status', { run_id }),
    () => rig.call('tasks_status', { task_id, run_id }),
    () => rig.call('tasks_runs', { task_id }),
    () => rig.call('tasks_messages', { task_id }),
    () => rig.call('tasks_cancel', { task_id }),
  ])
    await assert.rejects(call, (error: OperationError) => gone(error) && /90 days/.test(error.message));
  assert.equal(
    (await rig.call('artifacts_get', { id: artifact_id })).decode_task_id,
    task_id,
    'the file names it still',
  );
  await assert.rejects(rig.call('tasks_get', { task_id }, { project: rig.other }), code('not_found'));
  await assert.rejects(rig.call('tasks_status', { run_id }, { project: rig.other }), code('not_found'));
  const young = makeId('run', rig.now, randomBytes(10));
  await assert.rejects(rig.call('tasks_status', { run_id: young }), code('not_found'));
  await assert.rejects(rig.call('tasks_get', { task_id: 'tsk_none' }), code('not_found'));
  const again = await rig.call('artifacts_decode', { id: at.id, artifact_id });
  assert.deepEqual([again.id, again.run?.status], [task_id, 'pending']);
  await assert.rejects(rig.call('tasks_status', { run_id }), gone);
});

test('[A343] above the count limit the next pass removes the oldest; steps are bounded, and all projects share one count', async () => {
  const at = await start();
  await using rig = at.rig;
  const view = rig.store.view(rig.project);
  const made: string[] = [];
  for (let i = 0; i < 12; i++) {
    const artifact_id = makeId('artifact', rig.clock(), randomBytes(10));
    const file = { name: `${i}`, device_id: at.id, subject: null };
    const [task, ...rest] = decodeTaskWrites(toolsOf(rig), artifact_id, file);
    assert.ok(task);
    await view.commit([task, ...rest]);
    made.push(task.id);
    await at.end(String((task.data as { latest_run_id: string }).latest_run_id), i % 4 === 0 ? FAILED : CLEAN);
  }
  const retained = { clean: { ...RETAINED.clean, count: 4 }, faulty: { ...RETAINED.faulty, count: 2 } };
  const sweep = at.sweep({ retained });
  assert.equal(await sweep(), 0, 'the first pass counts');
  assert.equal(await sweep(), 6, 'five of nine, and one of three');
  assert.equal(await sweep(), 0);
  const left = (await rig.call('tasks_list', { kind: 'decode' })).data.map(({ id }) => id).sort();
  assert.deepEqual(left, [made[4], ...made.slice(7)].sort());
});

test('[A343] a task that is decoded again while the sweep reads it is kept completely', async () => {
  const at = await start();
  await using rig = at.rig;
  const one = await at.upload();
  await at.end(one.run_id, CLEAN);
  rig.now += 91 * DAY_MS;
  const { store } = rig;
  const racing = {
    find: store.find,
    nodeId: store.nodeId,
    view: store.view,
    commit: async (writes: Parameters<typeof store.commit>[0]) => {
      await rig.call('artifacts_decode', { id: at.id, artifact_id: one.artifact_id });
      return store.commit(writes);
    },
  };
  assert.equal(await at.sweep({ store: racing })(), 0);
  const task = await rig.call('tasks_get', { task_id: one.task_id });
  assert.equal(task.run?.status, 'pending');
  assert.equal((await rig.call('tasks_runs', { task_id: one.task_id })).data.length, 2);
  assert.ok((await at.messages(one.task_id)) > 0);
  assert.equal(await at.sweep()(), 0);
});
