import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import type { HandlerContext } from '#contract/context.ts';
import { stageTask } from '#domain/runs/writes.ts';
import { stageLearning, stageLearningEnd } from '#handlers/work/learnings.ts';
import { createStage } from '#servers/invoke/staged.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { OWNER } from '#test/support/operations.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

/** What a run does in one commit: staging against the store as an operation would. */
async function asRun<T>(rig: Rig, work: (context: HandlerContext) => T | Promise<T>): Promise<T> {
  const now = new Date(rig.clock()).toISOString();
  const stage = createStage(rig.store, now);
  const context = {
    caller: { ...OWNER, kind: 'workspace', name: 'run' },
    view: stage.view(rig.project),
    now,
    newId: (kind: Parameters<HandlerContext['newId']>[0]) => makeId(kind, rig.clock(), randomBytes(10)),
    secret: (bytes: number) => randomBytes(bytes).toString('base64url'),
    sha256: (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex'),
  } as unknown as HandlerContext;
  const result = await work(context);
  await rig.store.commit(stage.writes());
  return result;
}

function beginRun(rig: Rig): Promise<string> {
  return asRun(rig, (context) => {
    const created_by = { type: 'workspace', id: 'key_owner', name: 'owner' };
    return stageTask(context, context.view, { kind: 'worker', title: 'Learn', created_by }).run.id;
  });
}

const FACT = { fact: 'Night shift fuels at 02:00.', subject: null, evidence: [], supersedes: null };

test('[A109] a learning is created, superseded and removed, and each audit entry names the run', async () => {
  await using rig = await openRig();
  const { id: machine } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const [first, second] = [await beginRun(rig), await beginRun(rig)];
  const subject = { object: 'equipment', id: machine };
  const old = await asRun(rig, (context) => stageLearning(context, first, { ...FACT, subject }));
  const read = await rig.call('learnings_get', { id: old });
  assert.deepEqual(
    [read.fact, read.status, read.created_by_run_id, read.context.run_id, read.removed_at],
    [FACT.fact, 'active', first, first, null],
  );
  const evidence = [{ source: 'tasks_messages', excerpt: 'fuel truck left' }];
  const next = await asRun(rig, (context) =>
    stageLearning(context, second, { ...FACT, fact: 'It fuels at 03:00.', evidence, supersedes: old }),
  );
  const replaced = await rig.call('learnings_get', { id: old });
  assert.deepEqual([replaced.status, replaced.removed_by_run_id, replaced.revision], ['removed', second, 2]);
  assert.ok(replaced.removed_at !== null);
  const ids = async (query: object) => (await rig.call('learnings_list', query)).data.map(({ id }) => id);
  assert.deepEqual(await ids({ status: 'active' }), [next]);
  assert.deepEqual(await ids({ subject: machine }), [old]);
  assert.deepEqual(await ids({ run_id: second }), [next]);
  assert.deepEqual(await ids({ q: '03:00' }), [next]);
  await asRun(rig, (context) => stageLearningEnd(context, first, old));
  assert.equal((await rig.call('learnings_get', { id: old })).removed_by_run_id, second);
  const log = await rig.call('audit_list', { subject: old, order: 'asc' });
  assert.deepEqual(
    log.data.map(({ type, data }) => [type, data.run_id]),
    [
      ['created', first],
      ['removed', second],
    ],
  );
});

test('[A109] only runs of the project create learnings, and other projects cannot read them', async () => {
  await using rig = await openRig();
  const run = await beginRun(rig);
  const id = await asRun(rig, (context) => stageLearning(context, run, FACT));
  await assert.rejects(
    asRun(rig, (context) => stageLearning(context, 'run_none', FACT)),
    code('not_found'),
  );
  await assert.rejects(
    asRun(rig, (context) => stageLearning(context, run, { ...FACT, supersedes: 'lrn_none' })),
    code('not_found'),
  );
  await assert.rejects(rig.call('learnings_get', { id }, { project: rig.other }), code('not_found'));
  assert.deepEqual((await rig.call('learnings_list', {}, { project: rig.other })).data, []);
});
