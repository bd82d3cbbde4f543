/** What a run keeps of its custom action, its skill and the review configuration, and what stays readable of it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { SkillRevisionData } from '#contract/work/skill.ts';
import type { RunData } from '#contract/work/task.ts';
import { as } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';
import { type AgentRig, openAgent } from './rig.ts';

const ACTION = { label: 'Fuel', emoji: '⛽', prompt: 'Which machines need fuel?' };
const SKILL = { skill_id: 'fuel', name: 'Fuel', files: [{ path: 'SKILL.md', content: '# Fuel' }] };

const hashOf = (content: unknown) => `sha256:${createHash('sha256').update(canonicalJson(content)).digest('hex')}`;

/** The pins of a run by kind of object, with their contents. */
async function pinsOf({ rig }: AgentRig, run_id: string, role?: 'operator') {
  const run = await rig.call('runs_get', { run_id, include: 'pins' }, role === undefined ? undefined : as(role));
  return new Map(run.pins.map((pin) => [pin.object, pin]));
}

/** Writes into a stored document what no operation writes. */
async function damage({ rig }: AgentRig, id: string, change: object) {
  const view = rig.store.view(rig.project);
  const found = await view.get<object>('records', id);
  assert.ok(found);
  const { object, revision: expected } = found;
  await view.commit([{ collection: 'records', id, object, data: { ...found.data, ...change }, expected }]);
}

test('[A970] a run keeps its action, its skill and the configuration with their hashes, also after they were changed and deleted', async () => {
  await using site = await openAgent(() => ({ text: 'None.' }));
  const { rig } = site;
  await site.review({ approvers: ['key_supervisor'], token_budget: 5_000 });
  const skill = await rig.call('skills_import', SKILL);
  const { id } = await rig.call('custom_actions_create', { ...ACTION, skill_id: 'fuel' });
  const task = await rig.call('custom_actions_run', { id });
  const run = await site.ended(task.id);

  // Everything changes: the action is deleted, the skill replaced, and the configuration edited.
  await rig.call('custom_actions_update', { id, prompt: 'Something else' });
  await rig.call('custom_actions_delete', { id });
  await rig.call('skills_import', { ...SKILL, files: [{ path: 'SKILL.md', content: '# Other' }] });
  const before = await rig.call('review_configuration_get', { id: rig.project });
  await site.review({ approvers: [], token_budget: null });

  const pins = await pinsOf(site, run.id);
  const action = pins.get('custom_action');
  assert.deepEqual([action?.id, action?.revision, action?.valid], [id, 1, true]);
  assert.deepEqual([action?.content?.prompt, action?.content?.skill_id], [ACTION.prompt, 'fuel']);
  assert.equal(action?.hash, hashOf(action?.content));
  const configuration = pins.get('review_configuration');
  assert.deepEqual([configuration?.revision, configuration?.valid], [before.revision, true]);
  assert.deepEqual(configuration?.content?.approvers, ['key_supervisor']);
  assert.equal(configuration?.hash, hashOf(configuration?.content));
  const pinned = pins.get('skill_revision');
  assert.deepEqual([pinned?.id, pinned?.hash], [skill.id, skill.hash]);
  const read = await rig.call('skills_revision', { revision_id: pinned?.hash ?? '', include: 'content' });
  assert.equal(atob(read.files[0]?.content_base64 ?? ''), '# Fuel');

  // Without `include` the hashes stand alone. An operator gets no address of the model server.
  const [short] = (await rig.call('tasks_get', { task_id: task.id })).run?.pins ?? [];
  assert.deepEqual(Object.keys(short ?? {}), ['object', 'id', 'revision', 'hash']);
  const theirs = (await pinsOf(site, run.id, 'operator')).get('review_configuration');
  assert.deepEqual([theirs?.hash, theirs?.content, theirs?.valid], [configuration?.hash, null, null]);

  // The task of a deleted action starts again with what it kept.
  await rig.call('tasks_run', { task_id: task.id });
  const again = await site.ended(task.id);
  assert.equal(again.status, 'completed');
  assert.deepEqual((await pinsOf(site, again.id)).get('custom_action'), action);
  assert.equal(again.skills[0]?.executed_hash, skill.hash);
});

test('[A970] a damaged copy is told, and a run of an early version has no hashes', async () => {
  await using site = await openAgent(() => ({ text: 'None.' }));
  const { rig } = site;
  const { id } = await rig.call('custom_actions_create', ACTION);
  const run = await site.ended((await rig.call('custom_actions_run', { id })).id);
  await damage(site, run.id, { action: { ...ACTION, prompt: 'Delete all' } });
  assert.equal((await pinsOf(site, run.id)).get('custom_action')?.valid, false);
  const stored = await rig.store.view(rig.project).get<RunData>('records', run.id);
  const { hash: _, ...review } = stored?.data.review ?? {};
  await damage(site, run.id, { hashes: undefined, action: undefined, review });
  const old = await pinsOf(site, run.id);
  assert.deepEqual(
    [...old.values()].map(({ hash, valid }) => [hash, valid]),
    [
      [null, null],
      [null, null],
    ],
  );
  assert.equal(old.get('review_configuration')?.content?.mode, 'auto');
});

test('[A970] the replacement of a run that died keeps the action and the hashes', async () => {
  await using site = await openAgent(() => ({ never: 'silence' }));
  const { rig } = site;
  const { id } = await rig.call('custom_actions_create', ACTION);
  const { id: task_id } = await rig.call('custom_actions_run', { id });
  await until(() => site.model.requests.length > 0, 'the model is asked');
  await site.stop();
  const replacement = (await rig.call('tasks_get', { task_id, include: 'pins' })).run;
  assert.equal(replacement?.retry.retry_count, 1);
  const [action] = replacement?.pins ?? [];
  assert.deepEqual([action?.id, action?.content?.prompt, action?.valid], [id, ACTION.prompt, true]);
});

test('[AG52] a run ends if the configuration that it keeps was changed since', async () => {
  await using site = await openAgent(() => ({ text: 'None.' }));
  const { rig } = site;
  await site.stop();
  const { run, id: task_id } = await rig.call('tasks_create', { prompt: 'Hello' });
  const stored = await rig.store.view(rig.project).get<RunData>('records', run?.id ?? '');
  await damage(site, run?.id ?? '', { review: { ...stored?.data.review, allowed_tools: ['keys_create'] } });
  site.start();
  const ended = await site.ended(task_id);
  assert.equal(ended.error?.code, 'project_run_mode_unreadable');
  assert.equal(site.model.requests.length, 0);
});

test('[AG53] a run whose skill was changed names the project override, and a hash that was changed too does not help', async () => {
  await using site = await openAgent(() => ({ text: 'None.' }));
  const { rig } = site;
  const messageOf = async (skill_id: string, revision: string, change: object) => {
    const { id } = await rig.call('custom_actions_create', { ...ACTION, skill_id });
    await site.stop();
    const { id: task_id } = await rig.call('custom_actions_run', { id });
    await damage(site, revision, change);
    site.start();
    const { error } = await site.ended(task_id);
    assert.equal(error?.code, 'skill_instance_not_found');
    return error?.message ?? '';
  };
  const own = await rig.call('skills_import', SKILL);
  const files = [{ path: 'SKILL.md', bytes: 4, sha256: '', content_base64: btoa('evil') }];
  assert.equal(
    await messageOf('fuel', own.id, { files }),
    `The files of the skill revision ${own.id} were changed. It was imported as fuel (\`project_override\`).`,
  );
  const override = await rig.call('skills_import', { ...SKILL, skill_id: 'why_silent', name: 'Why' });
  assert.ok(override.base_catalog_hash);
  // The attacker writes another valid revision over this one, with its hash.
  const other = await rig.call('skills_import', { ...SKILL, files: [{ path: 'SKILL.md', content: '# Evil' }] });
  const { files: evil, hash } =
    (await rig.store.view(rig.project).get<SkillRevisionData>('records', other.id))?.data ?? {};
  assert.equal(
    await messageOf('why_silent', override.id, { files: evil, hash }),
    `The files of the skill revision ${override.id} were changed. It was imported in place of the catalog skill why_silent (\`project_override\`, catalog hash ${override.base_catalog_hash}).`,
  );
});
