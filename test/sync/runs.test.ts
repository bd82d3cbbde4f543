/** Tasks and runs of two ends, as real processes: only the node that made a task changes it, and no run is left without an executor. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Client, ClientError } from '#contract/client.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { until } from '#test/support/until.ts';
import { ASK_MS, twoEnds } from './ends.ts';

/** The status of the latest run of a task; undefined if the end does not know the task. */
const statusAt = (client: Client, task_id: string) =>
  client.call('tasks_get', { task_id }).then(
    ({ run }) => run?.status,
    (error: unknown) => {
      if (error instanceof ClientError && error.code === 'not_found') return undefined;
      throw error;
    },
  );

/** Waits until the latest run of a task has a status at an end. */
const has = (client: Client, task_id: string, status: string) =>
  until(async () => (await statusAt(client, task_id)) === status, `the run is ${status}`, ASK_MS);

const refused = (code: string) => (error: unknown) =>
  error instanceof ClientError &&
  error.code === code &&
  /Head office or another gateway made this task/.test(error.message);

test('[Y195] a site shows a task of head office and does not start it again, and both ends stay equal', async () => {
  await using ends = await twoEnds();
  const { site, project, here, there } = ends;
  const { setup } = await there.call('projects_setup', { project_id: project, prompt: 'One haul truck HT-01.' });
  const { id: task_id, run_id } = setup.task;
  await has(here, task_id, 'completed');
  await assert.rejects(here.call('tasks_run', { task_id }), refused('parameter_invalid'));
  await site.inStep();
  for (const client of [here, there]) {
    const { data } = await client.call('tasks_runs', { task_id });
    assert.deepEqual(
      data.map(({ id, status }) => [id, status]),
      [[run_id, 'completed']],
    );
  }
  const [receipt] = (await site.client().call('sync_verify', {})).data;
  assert.equal(receipt?.verdict, 'complete', receipt?.sentence);
});

test('[Y196] a run that worked when the disk of its site was put back is replaced when head office gives it back', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  await using model = await startModelServer(async (_, n) => {
    if (n === 0) await opened;
    return { text: `answer ${n}` };
  });
  await using ends = await twoEnds();
  const { site, project, here, there } = ends;
  const provider = { kind: 'openai', url: model.url, model: 'scripted' } as const;
  await here.call('review_configuration_update', { id: project, provider }, { if_match: 0 });
  await site.inStep();
  await site.kill();
  const kept = mkdtempSync(join(tmpdir(), 'headframe-kept-'));
  cpSync(site.folder, kept, { recursive: true });
  await site.start();
  const { id: task_id, latest_run_id } = await here.call('tasks_create', { prompt: 'Count the trucks' });
  await has(there, task_id, 'running');
  await site.kill();
  rmSync(site.folder, { recursive: true, force: true });
  cpSync(kept, site.folder, { recursive: true });
  rmSync(kept, { recursive: true, force: true });
  await site.start();
  for (const client of [here, there]) await has(client, task_id, 'completed');
  open();
  const { data } = await here.call('tasks_runs', { task_id, order: 'asc' });
  assert.deepEqual(
    data.map(({ status, error, retry }) => [status, error?.code, retry.retry_of]),
    [
      ['failed', 'run_invocation_died', null],
      ['completed', undefined, latest_run_id],
    ],
  );
  assert.equal(model.requests.length, 2);
});
