/** Logs and their tasks, as callers see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { logPasswordsId } from '#contract/work/decode.ts';
import type { RunData } from '#contract/work/task.ts';
import { endWrites, findRun } from '#domain/runs/writes.ts';
import { openSealer } from '#gateway/sealer.ts';
import { logPasswords } from '#handlers/files/decodes.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { openParts } from '#store/parts.ts';
import { openUploads } from '#store/uploads.ts';
import { sweepFiles } from '#sweeps/artifact-sweep.ts';
import { running } from '#test/ingest/frames.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const base64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
const LOG = running(Date.parse('2026-11-20T06:00:00Z'), 2);

async function upload(rig: Rig, id: string, bytes: string, name?: string) {
  const content_base64 = base64(bytes);
  const { artifact } = await rig.call('devices_upload_media', {
    id,
    content_base64,
    ...(name === undefined ? {} : { name }),
  });
  assert.ok(artifact);
  return artifact;
}

async function end(rig: Rig, task_id: string) {
  const view = rig.store.view(rig.project);
  const { latest_run_id } = await rig.call('tasks_get', { task_id });
  const state = await findRun(view, latest_run_id ?? '');
  assert.ok(state);
  const tools = { now: new Date(rig.clock()).toISOString(), newId: () => `msg_${rig.clock()}` };
  const writes = endWrites(tools, state, { status: 'failed', code: 'recording_locked', message: 'It is locked.' });
  await view.commit(writes);
}

test('[A340] [Q1] a log, detected by content or name, has a decode task from its upload on; other files have none', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const logs: [bytes: string, name?: string][] = [
    [LOG, 'a.txt'],
    [';$FILEVERSION=2.1\n;$STARTTIME=46346.25\n'],
    ['date Mon Nov 20 06:00:00.000 am 2026\nbase hex  timestamps absolute\n'],
    [`MDF     4.11    ${'x'.repeat(100)}`],
    [`UnFinMF 4.11    ${'x'.repeat(100)}`, 'b.bin'],
    ['Generic File', '00000001.MFC'],
    ['\x1f\x8b\x08 packed', 'c.candump.gz'],
  ];
  for (const [bytes, name] of logs) {
    const artifact = await upload(rig, id, bytes, name);
    const task = await rig.call('tasks_get', { task_id: artifact.decode_task_id ?? '' });
    assert.deepEqual(
      [task.kind, task.run?.status, task.run?.queue_ahead],
      ['decode', 'pending', logs.findIndex(([one]) => one === bytes)],
    );
    assert.deepEqual(task.links, { artifact_id: artifact.id, device_id: id });
    assert.equal((await rig.call('artifacts_get', { id: artifact.id })).decode_task_id, task.id);
  }
  for (const [bytes, name] of [
    ['\x89PNG\r\n\x1a\n', 'a.png'],
    ['hello', 'notes.txt'],
    ['\x1f\x8b\x08 packed', 'backup.tar.gz'],
  ] as const)
    assert.equal((await upload(rig, id, bytes, name)).decode_task_id, null);
  assert.equal((await rig.call('tasks_list', { kind: 'decode' })).data.length, logs.length);
  const listed = await rig.call('artifacts_list', { device_id: id });
  assert.equal(listed.data.filter(({ decode_task_id }) => decode_task_id !== null).length, logs.length);
});

test('[A340] the file of a waiting run is not deleted after its retention time', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const waiting = await upload(rig, id, LOG, 'a.log');
  const ended = await upload(rig, id, `${LOG}\n`, 'b.log');
  await end(rig, ended.decode_task_id ?? '');
  const view = rig.store.view(rig.project);
  for (const artifact of [waiting, ended]) {
    const found = await view.get('records', artifact.id);
    const data = { ...found?.data, retention_until: '2026-01-01T00:00:00.000Z' };
    await view.commit([{ collection: 'records', id: artifact.id, object: 'artifact', data }]);
  }
  const artifacts = await openArtifacts(rig.folder);
  const uploads = await openUploads(rig.folder, artifacts);
  const parts = await openParts(rig.folder);
  const swept = await sweepFiles({
    store: rig.store,
    artifacts,
    uploads,
    parts,
    clock: rig.clock,
    agesKnown: true,
    orphans: false,
  });
  assert.equal(swept.records, 1);
  assert.deepEqual(
    (await rig.call('artifacts_list', {})).data.map((one) => one.id),
    [waiting.id],
  );
});

test('[A341] decoding again adds a run unless one waits, and resumes a paused task', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const other = await rig.call('devices_create', { device_id: 'other' });
  const artifact = await upload(rig, id, LOG, 'a.log');
  const again = { id, artifact_id: artifact.id };
  await assert.rejects(rig.call('artifacts_decode', again), code('decode_in_progress'));
  await end(rig, artifact.decode_task_id ?? '');
  const view = rig.store.view(rig.project);
  const task = await view.get('records', artifact.decode_task_id ?? '');
  const auto_paused = { code: 'task_auto_paused_repeat_failure', at: '2026-11-21T00:00:00.000Z' };
  await view.commit([
    { collection: 'records', id: task?.id ?? '', object: 'task', data: { ...task?.data, auto_paused } },
  ]);
  const answer = await rig.call('artifacts_decode', again, as('mechanic'));
  assert.equal(
    await rig.status('artifacts_decode', again).catch((error: OperationError) => error.code),
    'decode_in_progress',
  );
  assert.equal(answer.id, task?.id);
  assert.deepEqual([answer.auto_paused, answer.run?.status], [false, 'pending']);
  assert.deepEqual(answer.run?.retry, { retry_of: null, retry_count: 0 });
  const runs = await view.find<RunData>('records', { object: 'run', limit: 10 });
  assert.equal(runs.length, 2);
  await assert.rejects(rig.call('artifacts_decode', { ...again, id: other.id }), code('not_found'));
  await assert.rejects(rig.call('artifacts_decode', again, { project: rig.other }), code('not_found'));
  await assert.rejects(rig.call('artifacts_decode', again, as('viewer')), code('permission_denied'));
  // What nobody took for a log can be tried, too.
  const notes = await upload(rig, id, 'hello', 'notes.txt');
  const tried = await rig.call('artifacts_decode', { id, artifact_id: notes.id });
  assert.deepEqual([tried.kind, tried.run?.status], ['decode', 'pending']);
  assert.equal((await rig.call('artifacts_get', { id: notes.id })).decode_task_id, tried.id);
});

test('[A341] of two concurrent requests one adds a run', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const artifact = await upload(rig, id, LOG, 'a.log');
  await end(rig, artifact.decode_task_id ?? '');
  const both = await Promise.allSettled(
    [1, 2].map(() => rig.call('artifacts_decode', { id, artifact_id: artifact.id })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('[A342] passwords are sealed, the last five are stored, and none is returned', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger' });
  const sealer = openSealer(rig.folder);
  for (let i = 0; i < 7; i++) {
    const answer = await rig.call('devices_log_password', { id, password: `secret-${i}` });
    assert.equal(answer.count, Math.min(5, i + 1));
    assert.ok(!JSON.stringify(answer).includes('secret-'));
  }
  await rig.call('devices_log_password', { id, password: 'secret-4' });
  const view = rig.store.view(rig.project);
  assert.deepEqual(await logPasswords(view, sealer, id), ['secret-4', 'secret-6', 'secret-5', 'secret-3', 'secret-2']);
  assert.ok(!JSON.stringify(await view.get('local', logPasswordsId(id))).includes('secret-'));
  assert.deepEqual(await logPasswords(view, sealer, 'dev_none'), []);
  await assert.rejects(
    rig.call('devices_log_password', { id, password: 'x' }, as('mechanic')),
    code('permission_denied'),
  );
});

test('[A345] a device with 1,000 waiting logs can upload no further logs, but pictures', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('devices_create', { device_id: 'logger', kind: 'can_logger' });
  const artifact = await upload(rig, id, LOG, 'a.log');
  await end(rig, artifact.decode_task_id ?? '');
  rig.waiting.set(id, LIMITS.decodes.value - 1);
  await upload(rig, id, LOG, 'b.log');
  rig.waiting.set(id, LIMITS.decodes.value);
  await assert.rejects(upload(rig, id, LOG, 'c.log'), code('limit_reached'));
  await assert.rejects(rig.call('devices_upload_media', { id, bytes: 100, name: 'd.mf4' }), code('limit_reached'));
  await assert.rejects(rig.call('artifacts_decode', { id, artifact_id: artifact.id }), code('limit_reached'));
  assert.equal((await upload(rig, id, '\x89PNG\r\n\x1a\n', 'e.png')).kind, 'image');
  const slot = await rig.call('devices_upload_media', { id, bytes: 100, name: 'f.mp4' });
  assert.equal(slot.upload?.kind, 'clip');
  rig.waiting.delete(id);
  await rig.call('artifacts_decode', { id, artifact_id: artifact.id });
});
