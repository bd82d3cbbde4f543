import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { RunData } from '#contract/work/task.ts';
import { as, openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const ACTION = { label: 'Fuel check', emoji: '⛽', prompt: 'Which machines need fuel?' };

test('[A110] creating, changing and deleting a custom action is audited', async () => {
  await using rig = await openRig();
  const made = await rig.call('custom_actions_create', { ...ACTION, placement: ['home', 'tablet'], order: 3 });
  assert.deepEqual(
    [made.scope, made.confirm, made.enabled, made.skill_id, made.order, made.revision],
    ['project', false, true, null, 3, 1],
  );
  const { id } = made;
  const off = await rig.call('custom_actions_update', { id, enabled: false }, { if_match: 1 });
  assert.deepEqual([off.enabled, off.revision, off.label], [false, 2, 'Fuel check']);
  await assert.rejects(
    rig.call('custom_actions_update', { id, label: 'x' }, { if_match: 1 }),
    code('revision_mismatch'),
  );
  await assert.rejects(rig.call('custom_actions_get', { id }, { project: rig.other }), code('not_found'));
  const listed = async (query: object) => (await rig.call('custom_actions_list', query)).data.length;
  assert.deepEqual(
    [await listed({ enabled: false }), await listed({ enabled: true }), await listed({ q: 'FUEL' })],
    [1, 0, 1],
  );
  await rig.call('custom_actions_delete', { id });
  await assert.rejects(rig.call('custom_actions_get', { id }), code('not_found'));
  const log = await rig.call('audit_list', { subject: id, order: 'asc' });
  assert.deepEqual(
    log.data.map(({ type }) => type),
    ['created', 'updated', 'deleted'],
  );
  for (const emoji of ['👷🏽‍♀️', '🇳🇴', '1️⃣', '👨‍👩‍👧‍👦'])
    assert.ok(await rig.call('custom_actions_create', { ...ACTION, emoji }));
  for (const emoji of ['A', '1', '', '⛽ fuel'])
    await assert.rejects(rig.call('custom_actions_create', { ...ACTION, emoji }), code('parameter_invalid'));
});

test('[A110] a run of an action is a task that waits for the agent and stores both revisions', async () => {
  await using rig = await openRig();
  const skill = await rig.call('skills_import', {
    skill_id: 'fuel',
    name: 'Fuel',
    files: [{ path: 'SKILL.md', content: '# Fuel' }],
  });
  const { id } = await rig.call('custom_actions_create', { ...ACTION, scope: 'equipment', skill_id: 'fuel' });
  await rig.call('custom_actions_update', { id, label: 'Fuel?' });
  const { id: subject_id } = await rig.call('equipment_create', { unit_number: 'HT-14' });
  const task = await rig.call('custom_actions_run', { id, subject_id }, as('operator'));
  assert.deepEqual(
    [task.kind, task.title, task.prompt, task.links],
    ['custom_action', '⛽ Fuel?', ACTION.prompt, { custom_action_id: id, equipment_id: subject_id }],
  );
  assert.deepEqual(
    [task.run?.status, task.run?.terminal_event_count, task.run?.error, task.run?.cost_usd],
    ['pending', 0, null, null],
  );
  const stored = await rig.store.view(rig.project).get<RunData>('records', task.run?.id ?? '');
  assert.deepEqual(stored?.data.pins, { [id]: 2, [skill.id]: 1 });
  const { data: messages } = await rig.call('tasks_messages', { task_id: task.id });
  assert.equal(messages[0]?.text, ACTION.prompt);
  assert.equal(messages.length, 1);
  const log = await rig.call('audit_list', { subject: id, type: 'run' });
  assert.deepEqual([log.data[0]?.data, log.data[0]?.actor.id], [{ task_id: task.id }, 'key_operator']);
});

test('[A110] a run needs a subject, a confirmation and an enabled action', async () => {
  await using rig = await openRig();
  const make = async (more: object) => (await rig.call('custom_actions_create', { ...ACTION, ...more })).id;
  const run = (id: string, more: object = {}) => rig.call('custom_actions_run', { id, ...more });
  const machine = await make({ scope: 'equipment' });
  const { id: theirs } = await rig.call('equipment_create', { unit_number: 'HT-1' }, { project: rig.other });
  await assert.rejects(run(machine), code('parameter_missing'));
  await assert.rejects(run(machine, { subject_id: theirs }), code('not_found'));
  await assert.rejects(run(await make({}), { subject_id: theirs }), code('parameter_invalid'));
  const asks = await make({ confirm: true });
  await assert.rejects(run(asks), code('confirmation_required'));
  assert.ok(await run(asks, { confirmed: true }));
  await assert.rejects(run(await make({ enabled: false })), code('action_disabled'));
  await assert.rejects(rig.call('custom_actions_run', { id: asks }, as('viewer')), code('permission_denied'));
  assert.equal((await rig.call('tasks_list', {})).data.length, 1);
});

test('[A969] an action says what a run would do now, and how its latest run ended', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('custom_actions_create', { ...ACTION, scope: 'equipment', placement: ['equipment'] });
  const [one, two] = await Promise.all(
    ['HT-1', 'HT-2'].map((unit_number) => rig.call('equipment_create', { unit_number })),
  );
  const action = async (subject_id?: string) =>
    (await rig.call('custom_actions_list', subject_id === undefined ? {} : { subject_id }, as('operator'))).data[0];
  const review = async (change: object) => {
    const { revision } = await rig.call('review_configuration_get', { id: rig.project });
    await rig.call('review_configuration_update', { id: rig.project, ...change }, { if_match: revision });
  };
  assert.deepEqual([(await action())?.readiness, (await action())?.last_run], ['no_model', null]);
  // Without a model, rules do the work of a skill of the catalog, but not of one that the project changed.
  const { id: silent } = await rig.call('custom_actions_create', {
    ...ACTION,
    scope: 'equipment',
    skill_id: 'why_silent',
  });
  const readiness = async () => (await rig.call('custom_actions_get', { id: silent })).readiness;
  assert.equal(await readiness(), 'by_rules');
  await rig.call('skills_import', {
    skill_id: 'why_silent',
    name: 'Ours',
    files: [{ path: 'SKILL.md', content: 'Ask.' }],
  });
  assert.equal(await readiness(), 'no_model');
  await rig.call('custom_actions_delete', { id: silent });
  await review({ provider: { kind: 'openai', url: 'http://10.0.0.5:8080/v1', model: 'm' } });
  assert.equal((await action())?.readiness, 'ready');
  await review({ mode: 'review' });
  assert.equal((await rig.call('custom_actions_get', { id })).readiness, 'needs_approval');

  const first = await rig.call('custom_actions_run', { id, subject_id: one?.id ?? '' });
  const { last_run } = (await action()) ?? {};
  assert.deepEqual(
    [last_run?.task_id, last_run?.run_id, last_run?.subject_id, last_run?.status, last_run?.code],
    [first.id, first.run?.id, one?.id, 'failed', 'project_awaiting_approval'],
  );
  assert.ok(last_run?.ended_at !== null);
  await review({ mode: 'paused' });
  assert.equal((await action())?.readiness, 'paused');
  await review({ mode: 'auto' });
  const second = await rig.call('custom_actions_run', { id, subject_id: two?.id ?? '' });
  // The newest run of all, and of each machine.
  assert.deepEqual(
    await Promise.all([undefined, one?.id, two?.id].map(async (of) => (await action(of))?.last_run?.task_id)),
    [second.id, first.id, second.id],
  );
  assert.equal((await action(two?.id))?.last_run?.status, 'pending');
  assert.equal((await action('eq_nobody'))?.last_run, null);

  await rig.store
    .view(rig.project)
    .commit([{ collection: 'local', id: `review_${rig.project}`, object: 'review', data: { mode: 'sideways' } }]);
  assert.equal((await action())?.readiness, 'unreadable');
});
