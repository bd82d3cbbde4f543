import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { AGENT_PROMPTS } from '#contract/agent-prompts.ts';
import type { OperationError } from '#contract/base/errors.ts';
import { CATALOG_SKILLS } from '#contract/catalog-skills.ts';
import type { SkillRevisionData } from '#contract/work/skill.ts';
import { openAgent } from '#test/agent/rig.ts';
import { eventually, startGateway } from '#test/support/gateway.ts';
import { openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const sha = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const IDS = [
  ...['setup', 'shift_report', 'ticket_from_code', 'fault_explanation'],
  ...['daily_summary', 'device_match', 'why_silent'],
];
const ACTION = { label: 'Why silent?', emoji: '📡', prompt: 'Why is HT-14 silent?', skill_id: 'why_silent' };
const OWN = { skill_id: 'why_silent', name: 'Ours', files: [{ path: 'SKILL.md', content: '# Look at the antenna' }] };

test('[A966] the catalog has seven skills, and the table has the hash of each text', () => {
  assert.deepEqual(
    CATALOG_SKILLS.map(({ skill_id }) => skill_id),
    IDS,
  );
  for (const { skill_id, hash, text } of CATALOG_SKILLS)
    assert.equal(hash, `sha256:${sha(`leaf\nSKILL.md\n${sha(text)}`)}`, skill_id);
});

test('[A966] the text of a skill is the text of its prompt', () => {
  const left = AGENT_PROMPTS.filter(({ arguments: fields, lines }) => {
    const body = lines(Object.fromEntries(fields.map(({ name }) => [name, `<${name}>`]))).join('\n');
    return !CATALOG_SKILLS.some(({ text }) => text.includes(body));
  });
  assert.deepEqual(left, []);
});

test('[A967] a catalog skill is read and verified by its id, its hash and the id of its revision, in each project', async () => {
  await using rig = await openRig();
  for (const { skill_id, hash, text } of CATALOG_SKILLS) {
    const read = await rig.call('skills_revision', { revision_id: skill_id, include: 'content' });
    assert.deepEqual(
      [read.skill_id, read.source, read.hash, read.base_catalog_hash, read.project_id],
      [skill_id, 'catalog', hash, null, rig.project],
    );
    assert.deepEqual(
      [read.verification.valid, read.verification.expected, read.verification.actual],
      [true, hash, hash],
    );
    assert.equal(Buffer.from(read.files[0]?.content_base64 ?? '', 'base64').toString(), text);
    for (const revision_id of [read.id, hash]) {
      const same = await rig.call('skills_revision', { revision_id });
      assert.deepEqual([same.id, same.hash, same.verification.valid], [read.id, hash, true]);
    }
    const other = await rig.call('skills_revision', { revision_id: skill_id }, { project: rig.other });
    assert.notEqual(other.id, read.id);
    await assert.rejects(
      rig.call('skills_revision', { revision_id: read.id }, { project: rig.other }),
      code('not_found'),
    );
  }
  for (const revision_id of ['none', `sha256:${'0'.repeat(64)}`, 'sha256:'])
    await assert.rejects(rig.call('skills_revision', { revision_id }), code('not_found'));
  await assert.rejects(rig.call('skills_revision', { revision_id: 'x'.repeat(72) }), code('parameter_invalid'));
});

test('[A968] an import with the id of a catalog skill keeps the hash of the catalog, and is readable by its own hash', async () => {
  await using rig = await openRig();
  const base = (await rig.call('skills_revision', { revision_id: 'why_silent' })).hash;
  const made = await rig.call('skills_import', OWN);
  assert.deepEqual([made.source, made.base_catalog_hash], ['project_override', base]);
  assert.equal((await rig.call('skills_revision', { revision_id: made.hash })).id, made.id);
  assert.equal((await rig.call('skills_revision', { revision_id: 'why_silent' })).hash, base);
  assert.equal((await rig.call('skills_import', { ...OWN, skill_id: 'ours' })).base_catalog_hash, null);
});

test('[A612][A967][A968] a run uses the catalog skill, after an import the override, and its receipt says which', async () => {
  await using site = await openAgent(() => ({ text: 'No device.' }));
  const asked = () => JSON.stringify(site.model.requests.at(-1)?.messages);
  const { rig } = site;
  await assert.rejects(rig.call('custom_actions_create', { ...ACTION, skill_id: 'none' }), code('not_found'));
  const { id } = await rig.call('custom_actions_create', ACTION);
  const run = async () => site.ended((await rig.call('custom_actions_run', { id })).id);
  const catalog = await rig.call('skills_revision', { revision_id: 'why_silent' });
  const entry = { skill_id: 'why_silent', source: 'catalog', executed_hash: catalog.hash, base_catalog_hash: null };
  assert.deepEqual((await run()).skills, [entry]);
  assert.match(asked(), /compare last_live_data_at with now/);
  // The run stored a copy, so the text that it used is found by the hash of the receipt.
  const kept = await rig.store.view(rig.project).get<SkillRevisionData>('records', catalog.id);
  assert.deepEqual([kept?.data.source, kept?.data.hash], ['catalog', catalog.hash]);
  assert.deepEqual((await run()).skills, [entry]);
  const own = await rig.call('skills_import', OWN);
  assert.deepEqual((await run()).skills, [
    { ...entry, source: 'project_override', executed_hash: own.hash, base_catalog_hash: catalog.hash },
  ]);
  assert.match(asked(), /Look at the antenna/);
  assert.doesNotMatch(asked(), /compare last_live_data_at/);
});

test('[A967] a changed copy of a catalog skill is found, and no run works with it', async () => {
  await using site = await openAgent(() => ({ text: 'Done.' }));
  const { rig } = site;
  const { id } = await rig.call('custom_actions_create', ACTION);
  await site.ended((await rig.call('custom_actions_run', { id })).id);
  const view = rig.store.view(rig.project);
  const revision = (await rig.call('skills_revision', { revision_id: 'why_silent' })).id;
  const stored = await view.get<SkillRevisionData>('records', revision);
  assert.ok(stored);
  const files = stored.data.files.map((file) => ({ ...file, content_base64: 'IyBFdmls' }));
  await view.commit([
    { collection: 'records', id: revision, object: 'skill_revision', data: { ...stored.data, files }, expected: 1 },
  ]);
  const { verification } = await rig.call('skills_revision', { revision_id: revision });
  assert.deepEqual([verification.valid, verification.expected], [false, stored.data.hash]);
  const run = await site.ended((await rig.call('custom_actions_run', { id })).id);
  assert.equal(run.error?.code, 'skill_instance_not_found');
});

test('[Q48] a setup names the catalog skill, and says that the planner did it without a model', async () => {
  await using gateway = await startGateway();
  const { project, setup } = await gateway.client.call('projects_create', {
    name: 'Quarry',
    setup: true,
    prompt: 'Harrow Quarry. Trucks HT-01 and HT-02, Cat 777.',
  });
  const client = gateway.project(project.id);
  const task_id = setup?.task.id ?? '';
  const { run } = await eventually(
    () => client.call('tasks_get', { task_id }),
    (task) => task.run?.terminal_event_count === 1,
  );
  const catalog = await client.call('skills_revision', { revision_id: 'setup' });
  assert.deepEqual(run?.skills, [
    { skill_id: 'setup', source: 'catalog', executed_hash: catalog.hash, base_catalog_hash: null },
  ]);
  assert.deepEqual([run?.backend.provider, run?.backend.model], ['planner', null]);
  const { data } = await client.call('tasks_messages', { task_id });
  assert.ok(data.some(({ text }) => text?.includes('by fixed rules, without a model')));
});
