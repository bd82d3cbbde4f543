import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const LAN = { kind: 'openai', url: 'http://10.0.0.5:8080/v1', model: 'local' } as const;

test('[AG9] a change needs the revision; no answer has the key; a new address removes it', async () => {
  await using rig = await openRig();
  const { project: id } = rig;
  const get = () => rig.call('review_configuration_get', { id });
  const first = await get();
  assert.deepEqual([first.mode, first.revision, first.provider, first.provider_key_set], ['auto', 0, null, false]);
  const change = (more: object, if_match?: number) =>
    rig.call('review_configuration_update', { id, ...more }, if_match === undefined ? {} : { if_match });
  await assert.rejects(change({ mode: 'paused' }), code('precondition_required'));
  await assert.rejects(change({ mode: 'paused' }, 3), code('revision_mismatch'));
  const set = await change({ provider: LAN, provider_key: 'sk-1', mode: 'review' }, 0);
  assert.deepEqual([set.revision, set.mode, set.provider_key_set, set.provider?.model], [1, 'review', true, 'local']);
  assert.ok(!JSON.stringify([set, await get()]).includes('sk-1'));
  const renamed = await change({ provider: { ...LAN, model: 'other' } }, 1);
  assert.equal(renamed.provider_key_set, true);
  const moved = await change({ provider: { ...LAN, url: 'http://10.0.0.6:8080/v1' } }, 2);
  assert.equal(moved.provider_key_set, false);
  await assert.rejects(
    rig.call('review_configuration_update', { id, mode: 'auto' }, { ...as('supervisor'), if_match: 3 }),
    code('permission_denied'),
  );
  await assert.rejects(
    rig.call('review_configuration_get', { id }, as('owner', { project_ids: [rig.other] })),
    code('project_not_found'),
  );
  assert.deepEqual((await rig.call('review_configuration_get', { id: rig.other }, { project: null })).revision, 0);
});

test('[AG9] the address, the tools and the spend cap are checked', async () => {
  await using rig = await openRig();
  const { project: id } = rig;
  const change = (more: object) => rig.call('review_configuration_update', { id, ...more }, { if_match: 0 });
  for (const url of [
    'http://api.example.com/v1',
    'https://user:pw@10.0.0.5/v1',
    'http://169.254.169.254/',
    'https://10.0.0.5/v1?key=1',
  ])
    await assert.rejects(change({ provider: { ...LAN, url } }), code('parameter_invalid'), url);
  for (const tools of [['no_such_tool'], ['devices_provision']])
    await assert.rejects(change({ allowed_tools: tools }), code('parameter_invalid'));
  await assert.rejects(change({ provider: LAN, spend_cap_usd: 1 }), code('parameter_invalid'));
  for (const [n, url] of [
    'http://llm.local/v1',
    'http://localhost:11434/v1',
    'https://api.example.com/v1',
    'http://[fd00::5]:8080/v1',
  ].entries())
    assert.equal(
      (await rig.call('review_configuration_update', { id, provider: { ...LAN, url } }, { if_match: n })).provider?.url,
      url,
    );
});

test('[AG10] at most 1,000 prompts of a project wait', async () => {
  await using rig = await openRig();
  for (let i = 0; i < 1_000; i++) await rig.call('tasks_create', { prompt: `Count ${i}` });
  await assert.rejects(rig.call('tasks_create', { prompt: 'One more' }), code('limit_reached'));
  const { data } = await rig.call('tasks_list', { limit: 1 });
  await rig.call('tasks_cancel', { task_id: data[0]?.id ?? '' });
  await rig.call('tasks_create', { prompt: 'One more' });
});

test('[AG54] the tools that only runs have can be allowed, so that a run with a list of tools can still learn', async () => {
  await using rig = await openRig();
  const change = (allowed_tools: string[]) =>
    rig.call('review_configuration_update', { id: rig.project, allowed_tools }, { if_match: 0 });
  await assert.rejects(change(['remember_everything']), code('parameter_invalid'));
  const tools = ['equipment_list', 'remember_fact', 'end_learning'];
  assert.deepEqual((await change(tools)).allowed_tools, tools);
});
