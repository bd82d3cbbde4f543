/** A whole gateway with a model server on the wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, startGateway } from '#test/support/gateway.ts';
import { startModelServer } from '#test/support/model-server.ts';

test('[AG1] a gateway carries out a prompt over REST with the model server of its project', async () => {
  await using model = await startModelServer((_, n) =>
    n === 0 ? { calls: [{ name: 'equipment_create', input: { unit_number: 'HT-01' } }] } : { text: 'I made HT-01.' },
  );
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const provider = { kind: 'openai', url: model.url, model: 'scripted' } as const;
  await client.call('review_configuration_update', { id: project.id, provider }, { if_match: 0 });
  const { id } = await client.call('tasks_create', { prompt: 'Make HT-01' });
  const task = await eventually(
    () => client.call('tasks_get', { task_id: id }),
    ({ run }) => run?.terminal_event_count === 1,
  );
  assert.deepEqual([task.run?.status, task.run?.output?.summary], ['completed', 'I made HT-01.']);
  const { data } = await client.call('equipment_list', {});
  assert.deepEqual(
    data.map(({ unit_number }) => unit_number),
    ['HT-01'],
  );
});
