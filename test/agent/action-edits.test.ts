/** A custom action that a person edits between two runs of one task. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunData } from '#contract/work/task.ts';
import { type AgentRig, openAgent } from './rig.ts';

const ACTION = { label: 'Fuel', emoji: '⛽', prompt: 'Which machines need fuel?' };
const NEW_PROMPT = 'Which machines need oil?';

/** What the model was asked, run by run. */
function asked() {
  const prompts: string[] = [];
  const opened = openAgent(({ messages }) => {
    prompts.push(String(messages.findLast(({ role }) => role === 'user')?.content));
    return { text: 'None.' };
  });
  return { prompts, opened };
}

async function pinOf({ rig }: AgentRig, run_id: string, action: string) {
  return (await rig.store.view(rig.project).get<RunData>('records', run_id))?.data.pins[action];
}

test('[AG51] a further run of a task has the prompt of the action as it is now, and its revision', async () => {
  const { prompts, opened } = asked();
  await using site = await opened;
  const { rig } = site;
  const { id } = await rig.call('custom_actions_create', ACTION);
  const { id: task_id } = await rig.call('custom_actions_run', { id });
  const first = await site.ended(task_id);
  const { revision } = await rig.call('custom_actions_update', { id, prompt: NEW_PROMPT });
  await rig.call('tasks_run', { task_id });
  const second = await site.ended(task_id);
  assert.deepEqual([first.status, second.status], ['completed', 'completed']);
  assert.deepEqual(prompts, [ACTION.prompt, NEW_PROMPT]);
  assert.deepEqual([await pinOf(site, first.id, id), await pinOf(site, second.id, id)], [1, revision]);
  assert.equal((await rig.call('tasks_get', { task_id })).prompt, NEW_PROMPT);
  const spoken = (await site.transcript(task_id)).filter(({ role }) => role === 'user').map(({ text }) => text);
  assert.ok(spoken.includes(NEW_PROMPT), JSON.stringify(spoken));
});

test('[AG51] a person approves the work that waits, also if the action was edited since', async () => {
  const { prompts, opened } = asked();
  await using site = await opened;
  const { rig } = site;
  await site.review({ mode: 'review' });
  const { id } = await rig.call('custom_actions_create', ACTION);
  const { id: task_id } = await rig.call('custom_actions_run', { id });
  assert.equal((await site.ended(task_id)).error?.code, 'project_awaiting_approval');
  await rig.call('custom_actions_update', { id, prompt: NEW_PROMPT });
  await rig.call('tasks_run', { task_id, approve: true });
  const run = await site.ended(task_id);
  assert.deepEqual([run.status, await pinOf(site, run.id, id)], ['completed', 1]);
  assert.deepEqual(prompts, [ACTION.prompt]);
});
