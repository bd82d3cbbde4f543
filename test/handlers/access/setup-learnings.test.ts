/** What a setup remembers: machines that are gone and nights without work, their undo, and what the result counts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startAgent } from '#agent/agent-kind.ts';
import { LEARNING_LIMITS } from '#contract/work/learning.ts';
import { startSetups } from '#gateway/runs/setup-kind.ts';
import { createSetupWriter } from '#handlers/setup/setup-writer.ts';
import { createLearner } from '#handlers/work/learnings.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { withLearnings } from '#servers/mcp/learning-tools.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';

const SITE = `Harrow Hill Quarry. Trucks HT-01 to HT-03 are Cat 777G haul trucks. Wheel loader LD-2.
We sold LD-9 in spring. No night shift.`;

/** A rig with the executors of setups and of undos. */
async function openSite() {
  await using opened = new AsyncDisposableStack();
  const rig = opened.use(await openRig());
  const { store, clock, invoke, ownWork, artifacts } = rig;
  const log = () => undefined;
  const options = { store, clock, random: (bytes: number) => new Uint8Array(randomBytes(bytes)), log, retryMs: 20 };
  opened.use(startSetups({ ...options, write: createSetupWriter(ownWork), reader: createSiteReader() }));
  const toolbox = withLearnings(createToolbox({ invoke, log, artifacts }), createLearner(ownWork), log);
  opened.use(
    startAgent({
      ...options,
      toolbox,
      keyOf: async () => null,
      skillOf: async () => ({ problem: 'There is no skill in this test.' }),
    }),
  );
  const held = opened.move();
  return { rig, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

async function ended(rig: Rig, task_id: string) {
  const read = () => rig.call('tasks_get', { task_id });
  await until(async () => (await read()).run?.terminal_event_count === 1, `the end of ${task_id}`);
  const { run } = await read();
  assert.ok(run !== null);
  return run;
}

async function setUp(rig: Rig, prompt: string) {
  const { setup } = await rig.call('projects_setup', { project_id: rig.project, prompt });
  return { task_id: setup.task.id, run: await ended(rig, setup.task.id) };
}

const learnings = async (rig: Rig) => (await rig.call('learnings_list', { status: 'active', order: 'asc' })).data;

test('[A975] a setup remembers a machine that is gone and nights without work, with the words as evidence, and counts them', async () => {
  await using site = await openSite();
  const { rig } = site;
  const { task_id, run } = await setUp(rig, SITE);
  assert.equal(run.status, 'completed', JSON.stringify(run.error));
  const known = await learnings(rig);
  assert.deepEqual(
    known.map(({ fact, subject, evidence, created_by_run_id }) => [fact, subject, evidence, created_by_run_id]),
    [
      [
        'LD-9 is gone from the site.',
        null,
        [{ source: 'description of the site', excerpt: 'We sold LD-9 in spring.' }],
        run.id,
      ],
      ['Nobody works at night.', null, [{ source: 'description of the site', excerpt: 'No night shift' }], run.id],
    ],
  );
  const ids = known.map(({ id }) => id);
  assert.deepEqual(run.output?.created.learnings, ids);
  assert.equal(run.seed_graph?.counts.learnings, 2);
  assert.match(run.output?.summary ?? '', /2 learnings/);
  const status = await rig.call('projects_setup_status', { project_id: rig.project });
  assert.deepEqual(status.created.learnings, ids);
  assert.ok(status.evidence.some(({ created_ids }) => created_ids.includes(ids[0] ?? '')));
  assert.ok((await rig.call('equipment_list', {})).data.every(({ unit_number }) => unit_number !== 'LD-9'));
  // The same text again knows nothing new.
  const again = await setUp(rig, SITE);
  assert.deepEqual(again.run.output?.created.learnings, []);
  assert.deepEqual((await learnings(rig)).length, 2);
  assert.notEqual(again.task_id, task_id);
});

test('[A976] an undo ends the learnings of a setup, and leaves its objects with a reason', async () => {
  await using site = await openSite();
  const { rig } = site;
  const { task_id } = await setUp(rig, SITE);
  const plan = await rig.call('tasks_undo', { task_id, dry_run: true });
  const taken = plan.items.filter(({ action }) => action !== 'leave');
  assert.deepEqual(
    taken.map(({ object, name }) => [object, name]),
    [
      ['learning', null],
      ['learning', null],
    ],
  );
  const left = plan.items.filter(({ action }) => action === 'leave');
  assert.deepEqual(
    left.filter(({ object }) => object === 'equipment').map(({ name, why }) => [name, why?.slice(0, 17)]),
    ['HT-01', 'HT-02', 'HT-03', 'LD-2'].map((name) => [name, 'A setup made it. ']),
  );
  const undo = await rig.call('tasks_undo', { task_id, dry_run: false });
  assert.equal((await ended(rig, undo.task?.id ?? '')).status, 'completed');
  assert.deepEqual(await learnings(rig), []);
  assert.equal((await rig.call('equipment_list', {})).data.length, 4);
});

test('[A977] a text that only says that a machine of the project is gone is remembered, and asks a person to look; a foreign machine is not', async () => {
  await using site = await openSite();
  const { rig } = site;
  const { id } = await rig.call('equipment_create', { unit_number: 'LD-9' });
  const { run } = await setUp(rig, 'Wir haben LD-9 im April verkauft.');
  assert.equal(run.status, 'completed', JSON.stringify(run.error));
  const [fact] = await learnings(rig);
  assert.deepEqual([fact?.fact, fact?.subject], ['LD-9 is gone from the site.', { object: 'equipment', id }]);
  assert.deepEqual(
    run.gaps.filter((one) => one.resource === 'learnings').map((one) => one.code),
    ['machine_gone'],
  );
  assert.equal((await rig.call('equipment_get', { id })).status, 'available');
  const other = await setUp(rig, 'We sold LD-77.');
  assert.deepEqual([other.run.status, other.run.error?.code], ['failed', 'description_unreadable']);
  assert.equal((await learnings(rig)).length, 1);
});

test('[A978] what may be sold, will be sold or is asked about is no fact; five languages say that a machine is gone', async () => {
  await using site = await openSite();
  const { rig } = site;
  const fleet = 'Trucks HT-01 to HT-03 are Cat 777G haul trucks. ';
  for (const words of [
    'LD-9 may be sold.',
    'LD-9 will be sold next year.',
    'If LD-9 is sold we need another loader.',
    'Was LD-9 sold?',
    'LD-9 is in repair.',
    'Vielleicht wird LD-9 verkauft.',
  ]) {
    const { run } = await setUp(rig, fleet + words);
    assert.deepEqual(run.output?.created.learnings ?? [], [], words);
  }
  for (const words of [
    'LD-9 was scrapped.',
    'Vendimos LD-8.',
    'A LD-7 foi vendida.',
    'La chargeuse LD-6 a été vendue.',
    'Radlader LD-5 ist verschrottet.',
  ]) {
    const { run } = await setUp(rig, fleet + words);
    assert.equal(run.output?.created.learnings?.length, 1, words);
  }
});

test('[A978] a project has at most its limit of learnings; a further fact is a gap', async () => {
  await using site = await openSite();
  const { rig } = site;
  const view = rig.store.view(rig.project);
  for (let i = 0; i < LEARNING_LIMITS.active; i += 100)
    await view.commit(
      Array.from({ length: 100 }, (_, j) => ({
        collection: 'records' as const,
        id: `lrn_${i + j}`,
        object: 'learning',
        data: { fact: `fact ${i + j}`, subject: null, evidence: [], supersedes: null, status: 'active' },
      })),
    );
  const { run } = await setUp(rig, SITE);
  assert.deepEqual(run.output?.created.learnings, []);
  assert.deepEqual(
    run.gaps.filter(({ resource }) => resource === 'learnings').map(({ code }) => code),
    ['not_made', 'not_made'],
  );
});

test('[A979] the result counts the shifts that a setup wrote, by their names', async () => {
  await using site = await openSite();
  const { rig } = site;
  const text = 'Trucks HT-01 to HT-03 are Cat 777G haul trucks. Day shift 07:00 to 15:00, late shift 15:00 to 23:00.';
  const { run } = await setUp(rig, text);
  const names = (await rig.call('projects_get', { id: rig.project })).shift_pattern.map(({ name }) => name);
  assert.deepEqual(run.output?.created.shifts, names);
  assert.equal(names.length, 2);
  assert.match(run.output?.summary ?? '', /2 shifts/);
  assert.deepEqual((await rig.call('projects_setup_status', { project_id: rig.project })).created.shifts, names);
  assert.deepEqual((await setUp(rig, text)).run.output?.created.shifts, []);
});
